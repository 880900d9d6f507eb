/* replaying_json.c - an executed replay as a JSON document. */
#include "cli/replaying.h"

#include <inttypes.h>

static void put_receipt_fields(struct answer *a, const struct ras_receipt *r)
{
    const char *reason = ras_receipt_text((enum ras_receipt_reason)r->reason);
    answer_format(a, "\"accepted\":%s,\"applied_tick\":", r->accepted ? "true" : "false");
    if (r->applied_tick == RAS_NONE)
        answer_format(a, "null");
    else
        answer_format(a, "%" PRIu64, r->applied_tick);
    answer_format(a, ",\"reason\":%s%s%s", reason ? "\"" : "", reason ? reason : "null",
                  reason ? "\"" : "");
}

static void put_hex(struct answer *a, struct ras_bytes b)
{
    answer_format(a, "\"");
    for (size_t i = 0; i < b.len; i++)
        answer_format(a, "%02x", b.at[i]);
    answer_format(a, "\"");
}

static void put_commands(struct answer *a, const struct ras_step *s)
{
    answer_format(a, ",\n  \"commands\":[");
    for (uint32_t i = 0; i < s->command_count; i++) {
        const struct ras_murk_command *c = &s->commands[i].wire;
        answer_format(a, "%s\n   {\"payload_type\":%u,\"payload_name\":\"%s\",\"payload\":",
                      i ? "," : "", c->payload_type, ras_murk_payload_name(c->payload_type));
        put_hex(a, c->payload);
        answer_format(a, ",\"priority_class\":%u,\"source_id\":", c->priority_class);
        answer_format(a, c->has_source_id ? "%" PRIu64 : "null", c->source_id);
        answer_format(a, ",\"source_seq\":");
        answer_format(a, c->has_source_seq ? "%" PRIu64 : "null", c->source_seq);
        answer_format(
            a, ",\"expires_after_tick\":%" PRIu64 ",\"arrival_seq\":%" PRIu64 ",\"receipt\":",
            c->expires_after_tick, c->arrival_seq);
        const struct ras_receipt *receipt = receipt_of(s, i);
        answer_format(a, receipt ? "{" : "null");
        if (receipt)
            put_receipt_fields(a, receipt);
        answer_format(a, receipt ? "}}" : "}");
    }
    answer_format(a, "]");
}

static void put_difference(struct answer *a, const struct ras_field_difference *d)
{
    answer_format(a, "{\"field\":%" PRIu32 ",\"name\":", d->field);
    answer_string(a, d->name);
    answer_format(a, ",\"cell\":%" PRIu64 ",\"component\":%" PRIu32 ",\"coord\":[", d->cell,
                  d->component);
    for (uint32_t i = 0; i < d->axes; i++)
        answer_format(a, "%s%" PRId32, i ? "," : "", d->coord[i]);
    answer_format(a,
                  "],\"replayed_bits\":\"0x%08" PRIx32 "\",\"against_bits\":\"0x%08" PRIx32 "\"}",
                  d->replayed, d->other);
}

static void put_mismatch(struct answer *a, const struct ras_replay *r)
{
    answer_format(a, "{\"frame_index\":%" PRIu64 ",\"offset\":%" PRIu64 ",\"tick\":%" PRIu64,
                  r->frame_index, r->offset, r->tick_id);
    if (r->verdict != RAS_REPLAY_MISMATCH) {
        answer_format(a, ",\"why\":");
        answer_string(a, r->why);
        answer_format(a, "}");
        return;
    }
    answer_format(
        a, ",\"recorded\":\"0x%016" PRIx64 "\",\"replayed\":\"0x%016" PRIx64 "\",\"last_agreed\":",
        r->recorded, r->replayed);
    answer_format(a, r->has_agreed ? "%" PRIu64 : "null", r->last_agreed);
    put_commands(a, &r->step);
    answer_format(a, ",\n  \"difference_count\":%" PRIu64 ",\"differences\":[", r->differences);
    for (uint64_t i = 0; i < r->differences && i < RAS_REPLAY_DIFFERENCES; i++) {
        answer_format(a, "%s\n   ", i ? "," : "");
        put_difference(a, &r->differing[i]);
    }
    answer_format(a, "]}");
}

void put_json_frames_head(struct answer *a, const char *path)
{
    answer_format(a, "{\"path\":");
    answer_string(a, path);
    answer_format(a, ",\"format\":\"aerogpu\",\"frames\":[");
}

void put_json_head(struct answer *a, const char *path, bool with_ticks)
{
    answer_format(a, "{\"path\":");
    answer_string(a, path);
    answer_format(a, ",\"format\":\"murk\"%s", with_ticks ? ",\n \"tick_list\":[" : "");
}

/* One executed tick. */
void put_json_tick(struct answer *a, const struct ras_replay_tick *t)
{
    answer_format(a,
                  "%s\n  {\"tick\":%" PRIu64 ",\"world_tick\":%" PRIu64
                  ",\"recorded\":\"0x%016" PRIx64 "\",\"replayed\":\"0x%016" PRIx64
                  "\",\"failure\":",
                  t->frame_index ? "," : "", t->tick_id, t->step->tick, t->recorded, t->replayed);
    if (t->step->why[0])
        answer_string(a, t->step->why);
    else
        answer_format(a, "null");
    answer_format(a, ",\"receipts\":[");
    for (uint32_t i = 0; i < t->step->receipt_count; i++) {
        answer_format(a, "%s{\"command\":%" PRIu32 ",", i ? "," : "",
                      t->step->receipts[i].command_index);
        put_receipt_fields(a, &t->step->receipts[i]);
        answer_format(a, "}");
    }
    answer_format(a, "]}");
}

void put_json_rest(struct answer *a, const struct ras_replay *r, bool with_ticks)
{
    static const char *const verdicts[] = {
        [RAS_REPLAY_OK] = "ok",           [RAS_REPLAY_MISMATCH] = "mismatch",
        [RAS_REPLAY_HEADER] = "header",   [RAS_REPLAY_TICKS] = "ticks",
        [RAS_REPLAY_PAYLOAD] = "payload", [RAS_REPLAY_START] = "cannot verify",
    };
    const char *result = r->verdict == RAS_REPLAY_OK && !r->ticks ? verdicts[RAS_REPLAY_START]
                                                                  : verdicts[r->verdict];
    answer_format(a,
                  "%s,\"result\":\"%s\",\"ticks\":%" PRIu64 ",\"commands\":%" PRIu64
                  ",\"mismatches\":%" PRIu64 ",\"rolled_back\":%" PRIu64 ",\n \"mismatch\":",
                  with_ticks ? "]" : "", result, r->ticks, r->commands, r->mismatches,
                  r->rolled_back);
    if (r->verdict == RAS_REPLAY_OK)
        answer_format(a, "null");
    else
        put_mismatch(a, r);
    answer_format(a, "}\n");
}
