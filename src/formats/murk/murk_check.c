/* murk_check.c - the rules of a replay. */
#include "formats/murk/murk_driver.h"

/* The number of a rule; its id; its severity, and with --strict; deep; what holds. */
#define MURK_RULES(RULE)                                                                           \
    RULE(FRAME_CUT, "murk.frame.cut", ERROR, ERROR, false, "the file ends between frames")         \
    RULE(FRAME_DAMAGED, "murk.frame.damaged", ERROR, ERROR, false,                                 \
         "counts, lengths and presence flags of a frame are within their limits")                  \
    RULE(PAYLOAD_TYPE, "murk.payload.type", ERROR, ERROR, false,                                   \
         "a payload type is one of the seven tags")                                                \
    RULE(PAYLOAD_SHORT, "murk.payload.short", ERROR, ERROR, false,                                 \
         "a payload holds all fields of its type")                                                 \
    RULE(PAYLOAD_TRAILING, "murk.payload.trailing", NOTE, ERROR, false,                            \
         "a payload ends with its last field")                                                     \
    RULE(TICK_ORDER, "murk.tick.order", WARNING, WARNING, false, "tick ids ascend")                \
    RULE(TICK_STEP, "murk.tick.step", NOTE, NOTE, false, "tick ids go up by one")                  \
    RULE(TAIL_ZERO, "murk.tail.zero", WARNING, ERROR, false,                                       \
         "the file does not end in zero-filled frames, as a crash leaves them")                    \
    RULE(SECOND_HEADER, "murk.header.second", WARNING, ERROR, false,                               \
         "there is no second replay header at a frame boundary")                                   \
    RULE(CONFIG_UNSET, "murk.config.unset", NOTE, NOTE, false,                                     \
         "config_hash is recorded (0 is taken as not recorded)")                                   \
    RULE(SEQ_ALONE, "murk.source.seq-alone", NOTE, NOTE, false,                                    \
         "source_seq comes with a source_id")                                                      \
    RULE(EXPIRED, "murk.command.expired", NOTE, NOTE, false,                                       \
         "a command has not expired before its own tick")                                          \
    RULE(ARRIVAL_ORDER, "murk.arrival.order", NOTE, NOTE, false,                                   \
         "arrival_seq ascends in file order inside a frame")                                       \
    RULE(NO_FRAMES, "murk.frames.none", NOTE, NOTE, false, "a replay holds frames")
enum rule { MURK_RULES(RULE_NUMBER) };

const struct ras_rule murk_rules[] = {MURK_RULES(RULE_ROW) RULES_END};

struct checker {
    struct report *report;
    struct ras_bytes all;
    uint64_t at; /* of the current frame */
    uint64_t frames;
    uint64_t tick;
    uint64_t zeros_from; /* first frame of a sequence of zero frames, or RAS_NONE */
};

#define FINDING(checker, rule, at, length, ...)                                                    \
    report_add((checker)->report, &murk_rules[rule], 0, at, length, __VA_ARGS__)

static void check_payload(struct checker *k, const struct ras_murk_command *c, uint64_t at)
{
    struct ras_murk_payload payload;
    struct ras_murk_fault fault;
    char text[160];
    uint64_t payload_at = at + 5;
    if (!ras_murk_payload_get(c->payload_type, c->payload, &payload, &fault)) {
        bool unknown = fault.code == RAS_MURK_UNKNOWN_PAYLOAD;
        FINDING(k, unknown ? PAYLOAD_TYPE : PAYLOAD_SHORT, unknown ? at : payload_at,
                unknown ? 1 : c->payload.len, "%s", ras_murk_text(&fault, text, sizeof text));
    } else if (payload.trailing) {
        FINDING(k, PAYLOAD_TRAILING, payload_at + c->payload.len - payload.trailing,
                payload.trailing, "%" PRIu64 " bytes follow the last field of a %s payload of %zu",
                payload.trailing, ras_murk_payload_name(c->payload_type), c->payload.len);
    }
}

static void check_commands(struct checker *k, const struct ras_murk_frame *frame)
{
    struct in in = in_bytes(frame->commands);
    struct ras_murk_command c;
    struct ras_murk_fault fault;
    uint64_t arrival = 0;
    for (uint32_t i = 0; i < frame->command_count; i++) {
        uint64_t at = (uint64_t)(in.at - k->all.at);
        if (!murk_command(&in, &c, &fault))
            return;
        check_payload(k, &c, at);
        if (c.has_source_seq && !c.has_source_id)
            FINDING(k, SEQ_ALONE, at, c.size, "source_seq %" PRIu64 " without a source_id",
                    c.source_seq);
        if (c.expires_after_tick < frame->tick_id)
            FINDING(k, EXPIRED, at, c.size,
                    "expires after tick %" PRIu64 ", recorded in tick %" PRIu64,
                    c.expires_after_tick, frame->tick_id);
        if (i && c.arrival_seq < arrival)
            FINDING(k, ARRIVAL_ORDER, at, c.size, "arrival_seq %" PRIu64 " comes after %" PRIu64,
                    c.arrival_seq, arrival);
        arrival = c.arrival_seq;
    }
}

static void check_tick(struct checker *k, const struct ras_murk_frame *frame)
{
    bool zero = !frame->tick_id && !frame->command_count && !frame->snapshot_hash;
    if (!zero)
        k->zeros_from = RAS_NONE;
    else if (k->zeros_from == RAS_NONE)
        k->zeros_from = k->at;
    if (k->frames && frame->tick_id <= k->tick)
        FINDING(k, TICK_ORDER, k->at, 8, "tick %" PRIu64 " comes after tick %" PRIu64,
                frame->tick_id, k->tick);
    else if (k->frames && frame->tick_id - k->tick != 1)
        FINDING(k, TICK_STEP, k->at, 8, "tick %" PRIu64 " follows tick %" PRIu64, frame->tick_id,
                k->tick);
    k->tick = frame->tick_id;
}

/* The zeros at the end of the file: whole zero frames and a part of one, as delayed allocation
 * leaves them after a crash. */
static void check_tail(struct checker *k)
{
    bool rest = true;
    for (uint64_t i = k->at; i < k->all.len; i++)
        rest &= !k->all.at[i];
    if (k->zeros_from != RAS_NONE && rest)
        FINDING(k, TAIL_ZERO, k->zeros_from, k->all.len - k->zeros_from,
                "%" PRIu64 " zero bytes at the end read as %" PRIu64 " empty frames of tick 0",
                k->all.len - k->zeros_from, (k->at - k->zeros_from) / RAS_MURK_FRAME_MIN);
}

static void check_rest(struct checker *k, const struct ras_murk_fault *fault)
{
    char text[160];
    uint64_t left = k->all.len - k->at;
    bool header = left >= 4 && !memcmp(k->all.at + k->at, "MURK", 4);
    if (header)
        FINDING(k, SECOND_HEADER, k->at, left,
                "a second replay begins here: %" PRIu64 " bytes are not part of this one", left);
    uint64_t into = fault->code == RAS_MURK_CUT ? 0 : fault->offset;
    FINDING(k, fault->code == RAS_MURK_CUT ? FRAME_CUT : FRAME_DAMAGED, k->at + into, left - into,
            "frame %" PRIu64 ": %s; %" PRIu64 " bytes are lost", k->frames,
            ras_murk_text(fault, text, sizeof text), left);
}

int murk_check(struct ras_trace *t, struct report *report, struct ras_error *err)
{
    (void)err;
    const struct murk *m = t->priv;
    struct checker k = {report, source_bytes(t->source, 0), t->body, 0, 0, RAS_NONE};
    struct ras_murk_frame frame;
    struct ras_murk_fault fault = {0};
    if (!m->header.config_hash)
        FINDING(&k, CONFIG_UNSET, t->body - 32 - m->header.space_descriptor.len + 8, 8,
                "config_hash is 0: not recorded, so the world cannot be identified");
    while (k.at < k.all.len) {
        struct ras_bytes rest = {k.all.at + k.at, k.all.len - (size_t)k.at};
        if (!ras_murk_frame_get(rest, &frame, &fault)) {
            check_rest(&k, &fault);
            break;
        }
        if (frame.command_count && !memcmp(rest.at, "MURK", 4))
            FINDING(&k, SECOND_HEADER, k.at, frame.size,
                    "frame %" PRIu64 " begins with the magic of a second replay", k.frames);
        check_tick(&k, &frame);
        check_commands(&k, &frame);
        k.frames++;
        k.at += frame.size;
        if (!report_progress(report, k.at))
            return RAS_OK;
    }
    check_tail(&k);
    if (!k.frames)
        FINDING(&k, NO_FRAMES, t->body, 0, "the replay holds no frames");
    return RAS_OK;
}
