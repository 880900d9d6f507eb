/* replaying.c - an executed replay as text: what came out otherwise, and of which commands. */
#include "cli/replaying.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { COMMANDS_SHOWN = 40, DIFFERENCES_SHOWN = 20 };

static uint32_t u32_at(struct ras_bytes b, size_t at)
{
    const uint8_t *p = b.at + at;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void put_f32(struct answer *a, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value))
        answer_format(a, "%.9g", (double)value);
    else
        answer_format(a, "%s(0x%08" PRIx32 ")",
                      isnan(value) ? "NaN"
                      : value > 0  ? "inf"
                                   : "-inf",
                      bits);
}

static void replay_put_f64(struct answer *a, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    answer_format(a, "%.17g", value);
}

static void put_coord(struct answer *a, struct ras_bytes coord)
{
    answer_format(a, " coord=[");
    for (size_t i = 0; i + 4 <= coord.len; i += 4)
        answer_format(a, "%s%" PRId32, i ? "," : "", (int32_t)u32_at(coord, i));
    answer_format(a, "]");
}

static void put_spawn(struct answer *a, const struct ras_murk_payload *p)
{
    put_coord(a, p->coord);
    answer_format(a, " field_values={");
    for (size_t i = 0; i + 8 <= p->field_values.len; i += 8) {
        answer_format(a, "%s%" PRIu32 ":", i ? "," : "", u32_at(p->field_values, i));
        put_f32(a, u32_at(p->field_values, i + 4));
    }
    answer_format(a, "}");
}

static void put_custom(struct answer *a, const struct ras_murk_payload *p)
{
    answer_format(a, " type_id=%" PRIu32 " data=", p->type_id);
    for (size_t i = 0; i < p->data.len && i < 32; i++)
        answer_format(a, "%02x", p->data.at[i]);
    if (p->data.len > 32)
        answer_format(a, "... (%zu bytes)", p->data.len);
}

static void put_params(struct answer *a, const struct ras_murk_payload *p)
{
    answer_format(a, " params={");
    for (size_t i = 0; i + 12 <= p->params.len; i += 12) {
        answer_format(a, "%s%" PRIu32 ":", i ? "," : "", u32_at(p->params, i));
        replay_put_f64(a, u32_at(p->params, i + 4) | (uint64_t)u32_at(p->params, i + 8) << 32);
    }
    answer_format(a, "}");
}

static void put_payload(struct answer *a, const struct ras_world_command *c)
{
    const struct ras_murk_payload *p = &c->typed;
    switch (c->wire.payload_type) {
    case RAS_MURK_MOVE:
        answer_format(a, " entity_id=%" PRIu64, p->entity_id);
        put_coord(a, p->coord);
        break;
    case RAS_MURK_SPAWN:
        put_spawn(a, p);
        break;
    case RAS_MURK_DESPAWN:
        answer_format(a, " entity_id=%" PRIu64, p->entity_id);
        break;
    case RAS_MURK_SET_FIELD:
        put_coord(a, p->coord);
        answer_format(a, " field_id=%" PRIu32 " value=", p->field_id);
        put_f32(a, p->value_f32);
        break;
    case RAS_MURK_CUSTOM:
        put_custom(a, p);
        break;
    case RAS_MURK_SET_PARAMETER:
        answer_format(a, " key=%" PRIu32 " value=", p->key);
        replay_put_f64(a, p->value_f64);
        break;
    default:
        put_params(a, p);
    }
}

void put_command(struct answer *a, const struct ras_world_command *c)
{
    answer_format(a, "%s", ras_murk_payload_name(c->wire.payload_type));
    put_payload(a, c);
    answer_format(a, " priority=%u", c->wire.priority_class);
    if (c->wire.has_source_id)
        answer_format(a, " source=%" PRIu64, c->wire.source_id);
    if (c->wire.has_source_seq)
        answer_format(a, " seq=%" PRIu64, c->wire.source_seq);
}

const struct ras_receipt *receipt_of(const struct ras_step *s, uint32_t index)
{
    for (uint32_t i = 0; i < s->receipt_count; i++)
        if (s->receipts[i].command_index == index)
            return &s->receipts[i];
    return NULL;
}

static void replay_put_commands(struct answer *a, const struct ras_step *s)
{
    uint32_t shown = s->command_count < COMMANDS_SHOWN ? s->command_count : COMMANDS_SHOWN;
    for (uint32_t i = 0; i < shown; i++) {
        const struct ras_receipt *r = receipt_of(s, i);
        const char *reason = r ? ras_receipt_text((enum ras_receipt_reason)r->reason) : "";
        answer_format(a, "  command %" PRIu32 ": ", i);
        put_command(a, &s->commands[i]);
        answer_format(a, " -> %s\n", reason ? reason : "applied");
    }
    if (shown < s->command_count)
        answer_format(a, "  and %" PRIu32 " more commands: --json has them all\n",
                      s->command_count - shown);
}

static void put_place(struct answer *a, const char *name, uint64_t cell, uint32_t component,
                      const int32_t *coord, uint32_t axes)
{
    answer_format(a, " name=");
    answer_text(a, name, strlen(name));
    answer_format(a, " cell=%" PRIu64, cell);
    for (uint32_t i = 0; i < axes; i++)
        answer_format(a, "%s%" PRId32 "%s", i ? "," : " coord=[", coord[i],
                      i + 1 == axes ? "]" : "");
    if (component)
        answer_format(a, " component=%" PRIu32, component);
}

static void put_differences(struct answer *a, const struct ras_replay *r)
{
    uint64_t shown = r->differences < DIFFERENCES_SHOWN ? r->differences : DIFFERENCES_SHOWN;
    for (uint64_t i = 0; i < shown; i++) {
        const struct ras_field_difference *d = &r->differing[i];
        answer_format(a, "  field=%" PRIu32, d->field);
        put_place(a, d->name, d->cell, d->component, d->coord, d->axes);
        answer_format(a, " replayed=");
        put_f32(a, d->replayed);
        answer_format(a, " against=");
        put_f32(a, d->other);
        answer_format(a, "\n");
    }
    if (r->differences > shown)
        answer_format(a, "  and %" PRIu64 " more values\n", r->differences - shown);
}

void put_fields(struct answer *a, const struct ras_replay_tick *t)
{
    uint32_t count = t->type->shape(t->world).field_count;
    for (uint32_t i = 0; i < count; i++) {
        struct ras_world_field f = t->type->field(t->world, i);
        for (uint64_t k = 0; k < f.count; k++) {
            int32_t coord[RAS_WORLD_AXES];
            uint64_t cell = k / f.components;
            uint32_t axes = t->type->coord ? t->type->coord(t->world, cell, coord) : 0;
            answer_format(a, "field=%" PRIu32, i);
            put_place(a, f.name, cell, (uint32_t)(k % f.components), coord, axes);
            answer_format(a, " value=");
            put_f32(a, f.values[k]);
            answer_format(a, " bits=0x%08" PRIx32 "\n", f.values[k]);
        }
    }
}

void put_replay_text(struct answer *a, const struct ras_replay *r)
{
    if (r->verdict == RAS_REPLAY_START || (r->verdict == RAS_REPLAY_OK && !r->ticks)) {
        answer_format(a, "result=unknown ticks=%" PRIu64 "\n", r->ticks);
        return;
    }
    if (r->verdict == RAS_REPLAY_OK) {
        answer_format(a, "result=ok ticks=%" PRIu64 " commands=%" PRIu64 "\n", r->ticks,
                      r->commands);
        return;
    }
    if (r->verdict == RAS_REPLAY_HEADER) {
        answer_format(a, "result=mismatch header: %s\n", r->why);
        return;
    }
    answer_format(a, "frame=%" PRIu64 " offset=%" PRIu64 " tick=%" PRIu64, r->frame_index,
                  r->offset, r->tick_id);
    if (r->verdict == RAS_REPLAY_MISMATCH) {
        if (r->has_agreed)
            answer_format(a, " last_agreed=%" PRIu64, r->last_agreed);
        answer_format(a, " mismatches=%" PRIu64 "\n", r->mismatches);
        if (r->step.why[0])
            answer_format(a, "  the tick failed: %s\n", r->step.why);
        replay_put_commands(a, &r->step);
        put_differences(a, r);
        answer_format(a,
                      "result=mismatch tick=%" PRIu64 " recorded=0x%016" PRIx64
                      " replayed=0x%016" PRIx64 "\n",
                      r->tick_id, r->recorded, r->replayed);
        return;
    }
    answer_format(a, "\nresult=mismatch %s: %s\n",
                  r->verdict == RAS_REPLAY_TICKS ? "ticks" : "payload", r->why);
}
