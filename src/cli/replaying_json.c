/* replaying_json.c - an executed replay as a JSON document. */
#include "cli/replaying.h"

static void put_receipt(struct ras_json *j, const struct ras_receipt *r)
{
    ras_json_bool(j, "accepted", r->accepted);
    ras_json_uint_or_null(j, "applied_tick", r->applied_tick);
    ras_json_text(j, "reason", ras_receipt_text((enum ras_receipt_reason)r->reason));
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

void put_json_head(struct ras_json *j, const char *path, bool with_ticks)
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
void put_json_tick(struct ras_json *j, const struct ras_replay_tick *t)
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

void put_json_unverified(struct ras_json *j, bool with_ticks)
{
    if (with_ticks)
        ras_json_end(j);
    ras_json_text(j, "result", "cannot verify");
    ras_json_end(j);
    ras_json_newline(j);
}

void put_json_rest(struct ras_json *j, const struct ras_replay *r, bool with_ticks)
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
