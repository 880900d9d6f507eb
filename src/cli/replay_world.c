/* replay_world.c - execute a replay in its world and report the result as text or JSON. */
#include "cli/replay_verb.h"
#include "cli/world_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS_SHOWN = 40, DIFFERENCES_SHOWN = 20 };

static uint32_t u32_at(struct ras_bytes b, size_t at)
{
    const uint8_t *p = b.at + at;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* A value in enough digits to read back the same bits. */
static void put_f32(struct answer *a, uint32_t bits)
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

/* A command: its name and its own fields. */
static void put_command(struct answer *a, const struct ras_world_command *c)
{
    answer_format(a, "%s", ras_murk_payload_name(c->wire.payload_type));
    put_payload(a, c);
    answer_format(a, " priority=%u", c->wire.priority_class);
    if (c->wire.has_source_id)
        answer_format(a, " source=%" PRIu64, c->wire.source_id);
    if (c->wire.has_source_seq)
        answer_format(a, " seq=%" PRIu64, c->wire.source_seq);
}

/* The receipt of a command; NULL: none. */
static const struct ras_receipt *receipt_of(const struct ras_step *s, uint32_t index)
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
        const char *reason = r ? ras_receipt_reason_name((enum ras_receipt_reason)r->reason) : "";
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

/* Every value of a world's fields, a line each. */
static void put_fields(struct answer *a, const struct ras_replay_tick *t)
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

static void put_replay_text(struct answer *a, const struct ras_replay *r)
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

static void put_receipt(struct ras_json *j, const struct ras_receipt *r)
{
    ras_json_bool(j, "accepted", r->accepted);
    ras_json_uint_or_null(j, "applied_tick", r->applied_tick);
    ras_json_text(j, "reason", ras_receipt_reason_name((enum ras_receipt_reason)r->reason));
}

static void put_given(struct ras_json *j, const char *key, bool given, uint64_t value)
{
    if (given)
        ras_json_uint(j, key, value);
    else
        ras_json_null(j, key);
}

static void replay_json_put_commands(struct ras_json *j, const struct ras_step *s)
{
    ras_json_line(j, 2);
    ras_json_array(j, "commands");
    for (uint32_t i = 0; i < s->command_count; i++) {
        const struct ras_murk_command *c = &s->commands[i].wire;
        const struct ras_receipt *receipt = receipt_of(s, i);
        ras_json_line(j, 3);
        ras_json_object(j, NULL);
        ras_json_uint(j, "payload_type", c->payload_type);
        ras_json_text(j, "payload_name", ras_murk_payload_name(c->payload_type));
        ras_json_blob(j, "payload", c->payload.at, c->payload.len);
        ras_json_uint(j, "priority_class", c->priority_class);
        put_given(j, "source_id", c->has_source_id, c->source_id);
        put_given(j, "source_seq", c->has_source_seq, c->source_seq);
        ras_json_uint(j, "expires_after_tick", c->expires_after_tick);
        ras_json_uint(j, "arrival_seq", c->arrival_seq);
        if (receipt) {
            ras_json_object(j, "receipt");
            put_receipt(j, receipt);
            ras_json_end(j);
        } else {
            ras_json_null(j, "receipt");
        }
        ras_json_end(j);
    }
    ras_json_end(j);
}

static void put_difference(struct ras_json *j, const struct ras_field_difference *d)
{
    ras_json_line(j, 3);
    ras_json_object(j, NULL);
    ras_json_uint(j, "field", d->field);
    ras_json_text(j, "name", d->name);
    ras_json_uint(j, "cell", d->cell);
    ras_json_uint(j, "component", d->component);
    ras_json_array(j, "coord");
    for (uint32_t i = 0; i < d->axes; i++)
        ras_json_int(j, NULL, d->coord[i]);
    ras_json_end(j);
    ras_json_hex(j, "replayed_bits", d->replayed, 8);
    ras_json_hex(j, "against_bits", d->other, 8);
    ras_json_end(j);
}

static void put_mismatch(struct ras_json *j, const struct ras_replay *r)
{
    ras_json_object(j, "mismatch");
    ras_json_uint(j, "frame_index", r->frame_index);
    ras_json_uint(j, "offset", r->offset);
    ras_json_uint(j, "tick", r->tick_id);
    if (r->verdict != RAS_REPLAY_MISMATCH) {
        ras_json_text(j, "why", r->why);
        ras_json_end(j);
        return;
    }
    ras_json_hex(j, "recorded", r->recorded, 16);
    ras_json_hex(j, "replayed", r->replayed, 16);
    put_given(j, "last_agreed", r->has_agreed, r->last_agreed);
    replay_json_put_commands(j, &r->step);
    ras_json_line(j, 2);
    ras_json_uint(j, "difference_count", r->differences);
    ras_json_array(j, "differences");
    for (uint64_t i = 0; i < r->differences && i < RAS_REPLAY_DIFFERENCES; i++)
        put_difference(j, &r->differing[i]);
    ras_json_end(j);
    ras_json_end(j);
}

void put_json_frames_head(struct ras_json *j, const char *path)
{
    ras_json_object(j, NULL);
    ras_json_text(j, "path", path);
    ras_json_text(j, "format", "aerogpu");
    ras_json_array(j, "frames");
}

void put_json_frames_end(struct ras_json *j, uint64_t unpresented, const char *result)
{
    ras_json_end(j);
    ras_json_uint(j, "unpresented", unpresented);
    ras_json_text(j, "result", result);
    ras_json_end(j);
    ras_json_newline(j);
}

/* A JSON document: its head, then perhaps its ticks, then the rest. */
static void put_json_head(struct ras_json *j, const char *path, bool with_ticks)
{
    ras_json_object(j, NULL);
    ras_json_text(j, "path", path);
    ras_json_text(j, "format", "murk");
    if (!with_ticks)
        return;
    ras_json_line(j, 1);
    ras_json_array(j, "tick_list");
}

/* One executed tick. */
static void put_json_tick(struct ras_json *j, const struct ras_replay_tick *t)
{
    ras_json_line(j, 2);
    ras_json_object(j, NULL);
    ras_json_uint(j, "tick", t->tick_id);
    ras_json_uint(j, "world_tick", t->step->tick);
    ras_json_hex(j, "recorded", t->recorded, 16);
    ras_json_hex(j, "replayed", t->replayed, 16);
    ras_json_text(j, "failure", t->step->why[0] ? t->step->why : NULL);
    ras_json_array(j, "receipts");
    for (uint32_t i = 0; i < t->step->receipt_count; i++) {
        ras_json_object(j, NULL);
        ras_json_uint(j, "command", t->step->receipts[i].command_index);
        put_receipt(j, &t->step->receipts[i]);
        ras_json_end(j);
    }
    ras_json_end(j);
    ras_json_end(j);
}

static void put_json_unverified(struct ras_json *j, bool with_ticks)
{
    if (with_ticks)
        ras_json_end(j);
    ras_json_text(j, "result", "cannot verify");
    ras_json_end(j);
    ras_json_newline(j);
}

/* A JSON document: its head, then perhaps its ticks, then the rest. */
static void put_json_rest(struct ras_json *j, const struct ras_replay *r, bool with_ticks)
{
    static const char *const verdicts[] = {
        [RAS_REPLAY_OK] = "ok",           [RAS_REPLAY_MISMATCH] = "mismatch",
        [RAS_REPLAY_HEADER] = "header",   [RAS_REPLAY_TICKS] = "ticks",
        [RAS_REPLAY_PAYLOAD] = "payload", [RAS_REPLAY_START] = "cannot verify",
    };
    if (with_ticks)
        ras_json_end(j);
    ras_json_text(j, "result",
                  r->verdict == RAS_REPLAY_OK && !r->ticks ? verdicts[RAS_REPLAY_START]
                                                           : verdicts[r->verdict]);
    ras_json_uint(j, "ticks", r->ticks);
    ras_json_uint(j, "commands", r->commands);
    ras_json_uint(j, "mismatches", r->mismatches);
    ras_json_uint(j, "rolled_back", r->rolled_back);
    ras_json_line(j, 1);
    if (r->verdict == RAS_REPLAY_OK)
        ras_json_null(j, "mismatch");
    else
        put_mismatch(j, r);
    ras_json_end(j);
    ras_json_newline(j);
}

#define STATE_MOST (UINT64_C(4) * RAS_WORLD_BYTES_MAX)

/* While it is executed. */
struct showing {
    const struct replay_options *o;
    struct answer *a;
    bool dumped;
    uint64_t last; /* tick that was executed */
    struct progress progress;
};

static bool show_tick(void *user, const struct ras_replay_tick *t)
{
    struct showing *s = user;
    s->last = t->tick_id;
    if (s->o->verbose && s->o->common.json)
        put_json_tick(answer_json(s->a), t);
    else if (s->o->verbose)
        answer_format(s->a, "tick %" PRIu64 ": hash=0x%016" PRIx64 " %s\n", t->tick_id, t->replayed,
                      t->replayed == t->recorded ? "ok" : "mismatch");
    if (s->o->dump_fields && t->tick_id == s->o->until.value) {
        put_fields(s->a, t);
        s->dumped = true;
    }
    return true;
}

static int answer_replay(const struct replay_options *o, const char *path, struct ras_trace *trace,
                         const struct showing *s, const struct ras_replay *r)
{
    struct answer *a = s->a;
    struct ras_ending ending = ras_ending(trace);
    if (o->common.json)
        put_json_rest(answer_json(a), r, o->verbose);
    else
        put_replay_text(a, r);
    answer_flush(a);
    if (r->config_unknown)
        remark(o->common.quiet,
               "%s: config_hash is 0: the recording does not say for which"
               " configuration it was made",
               shown_path(path));
    if (r->rolled_back)
        remark(o->common.quiet,
               "%s: %s failed and were rolled back, as in the recording: tick ids are ahead of the "
               "world's by %" PRIu64,
               shown_path(path), ras_counted(r->rolled_back, "tick").text, r->drift);
    if (r->reordered && !o->order)
        remark(o->common.quiet,
               "%s: recorded arrival numbers give a different order: see --order recorded",
               shown_path(path));
    if (o->against && r->verdict == RAS_REPLAY_MISMATCH && !r->differences)
        remark(o->common.quiet,
               r->against_ticks < r->ticks ? "%s: ended after %" PRIu64
                                             " ticks: no fields to compare with"
                                           : "%s: both executions are identical after tick %" PRIu64
                                             "; only the hash stored in the file differs",
               shown_path(o->against), r->against_ticks);
    if (r->verdict == RAS_REPLAY_START)
        return trouble("%s: cannot verify: %s: slice --with-state writes the state before a slice, "
                       "replay --state FILE reads it",
                       shown_path(path), r->why);
    if (r->verdict != RAS_REPLAY_OK)
        return EXIT_NO;
    if (!r->ticks)
        return worse(say_ending(path, trace, &ending, o->common.quiet),
                     trouble("%s: cannot verify: no tick was executed", shown_path(path)));
    if (o->until.given && s->last < o->until.value)
        remark(o->common.quiet, "%s: ends at tick %" PRIu64 ", before --until %" PRIu64,
               shown_path(path), s->last, o->until.value);
    return o->until.given ? EXIT_YES : say_ending(path, trace, &ending, o->common.quiet);
}

static bool show_progress(void *user, uint64_t done, uint64_t total)
{
    struct showing *s = user;
    return progress_at(&s->progress, done, total);
}

static int world_replay(const struct replay_options *o, const char *path, struct ras_trace *trace,
                        struct answer *a, struct ras_replay_options *how)
{
    struct ras_replay *r;
    struct ras_error err;
    struct showing showing = {.o = o, .a = a};
    how->tick = show_tick;
    how->progress = show_progress;
    how->user = &showing;
    if (o->common.json)
        put_json_head(answer_json(a), shown_path(path), o->verbose);
    progress_start(&showing.progress, &o->common, "replay", o->verbose || a->pager > 0);
    int status = ras_replay(&r, trace, how, &err);
    progress_stop(&showing.progress);
    if (status < 0) {
        const char *at = input_of(&err, o->recipe, path, o->state);
        status = trouble_at(at ? at : path, &err);
        if (o->common.json)
            put_json_unverified(answer_json(a), o->verbose);
    } else {
        status = answer_replay(o, path, trace, &showing, r);
        if (o->dump_fields && !showing.dumped && status == EXIT_YES) {
            remark(o->common.quiet, "%s: tick %" PRIu64 " was not reached", shown_path(path),
                   o->until.value);
            status = EXIT_NO;
        }
        ras_replay_free(r);
    }
    return status;
}

int replay_world(const struct replay_options *o, const char *path, struct ras_trace *trace,
                 struct answer *a)
{
    struct ras_bytes recipe = {0};
    struct ras_replay_options how = {.worlds = ras_worlds(),
                                     .keep_going = o->keep_going,
                                     .lenient_ticks = o->lenient_ticks,
                                     .recorded_order = o->order && !strcmp(o->order, "recorded"),
                                     .has_until = o->until.given,
                                     .until = o->until.value};
    int status = 0;
    if (o->recipe && !(status = read_recipe(o->recipe, &recipe)))
        how.recipe = &recipe;
    if (!status && o->state)
        status = read_file(o->state, STATE_MOST, "the state of a world", &how.state);
    if (!status && o->world)
        status = find_world(NULL, o->world, &how.world);
    if (!status && o->against && !(how.against = open_operand(&o->common, o->against, false)))
        status = EXIT_TROUBLE;
    if (!status)
        status = world_replay(o, path, trace, a, &how);
    ras_close(how.against);
    free((void *)(uintptr_t)recipe.at);
    free((void *)(uintptr_t)how.state.at);
    return status;
}
