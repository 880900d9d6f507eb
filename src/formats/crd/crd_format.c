/* crd_format.c - the format row of replays and of the evidence of captures: see
 * docs/formats/crd.md. */
#include "formats/crd/crd_driver.h"

#include <string.h>

/* Bytes that are there agree with a text; `in` is cut where they are fewer. */
static bool agrees(struct in *in, const char *text)
{
    size_t len = strlen(text), here = in_left(in) < len ? (size_t)in_left(in) : len;
    bool same = !here || !memcmp(in->at, text, here);
    (void)in_take(in, len);
    return same;
}

/* The head of a map that is not empty, as far as it is there. */
static bool begins_map(struct in *in)
{
    enum { FIXED_MAP = 0x80, WIDE_MAP = 0xde };
    uint8_t head = in_u8(in);
    if (in->cut || ((head & 0xf0) == FIXED_MAP && head != FIXED_MAP))
        return true;
    (void)in_take(in, head == WIDE_MAP ? 2 : 4);
    return head == WIDE_MAP || head == WIDE_MAP + 1;
}

/* A map that begins with the key format_version. *whole: all of that is there. */
static bool is_replay(struct ras_bytes head, bool *whole)
{
    struct in in = in_bytes(head);
    bool is = begins_map(&in) && agrees(&in, "\xae"
                                             "format_version");
    *whole = is && !in.cut;
    return is;
}

/* A length, and a map that begins with the kind of a header. */
static bool is_evidence(struct ras_bytes head, bool *whole)
{
    struct in in = in_bytes(head);
    (void)in_u32(&in);
    bool is = begins_map(&in) && agrees(&in, "\xa4"
                                             "kind\xa6"
                                             "header");
    *whole = is && !in.cut;
    return is;
}

static int crd_probe(const struct probe *p)
{
    enum { REPLAY_ENOUGH = 8, EVIDENCE_ENOUGH = 12 }; /* bytes that identify it */
    bool whole;
    return (p->head.len >= REPLAY_ENOUGH && is_replay(p->head, &whole)) ||
                   (p->head.len >= EVIDENCE_ENOUGH && is_evidence(p->head, &whole))
               ? 90
               : 0;
}

static int crd_open(struct ras_trace *t, struct ras_error *err)
{
    struct ras_bytes head = source_arrived(t->source, 0);
    bool replay_whole, evidence_whole;
    bool replay = is_replay(head, &replay_whole), evidence = is_evidence(head, &evidence_whole);
    if (replay_whole)
        return crd_replay_open(t, err);
    if (evidence_whole)
        return crd_evidence_open(t, err);
    if (replay || evidence)
        return fail(err, RAS_ECUT, head.len, "ends inside its first keys, after %zu bytes",
                    head.len);
    return fail(err, RAS_EFORMAT, 0, "neither a replay nor the evidence of a capture");
}

static enum step crd_next(struct ras_cursor *c)
{
    const struct crd *crd = c->trace->priv;
    return crd->evidence ? crd_evidence_next(c) : crd_replay_next(c);
}

static void crd_save(const struct ras_cursor *c, struct ras_mark *mark)
{
    const struct crd_cursor *s = c->priv;
    mark->state[0] = s->begun | (uint64_t)s->ended << 1 | (uint64_t)s->pairs << 32;
    mark->state[1] = s->items | (uint64_t)s->item << 32;
    mark->state[2] = s->inputs | (uint64_t)s->commands << 32;
    mark->state[3] = s->row;
    mark->state[4] = s->parent;
}

static void crd_load(struct ras_cursor *c, const struct ras_mark *mark)
{
    *(struct crd_cursor *)c->priv =
        (struct crd_cursor){.begun = mark->state[0] & 1,
                            .ended = mark->state[0] >> 1 & 1,
                            .pairs = (uint32_t)(mark->state[0] >> 32),
                            .items = (uint32_t)mark->state[1],
                            .item = (uint32_t)(mark->state[1] >> 32),
                            .inputs = (uint32_t)mark->state[2],
                            .commands = (uint32_t)(mark->state[2] >> 32),
                            .row = (uint32_t)mark->state[3],
                            .parent = mark->state[4]};
}

const struct ras_format crd_format = {
    .about =
        {
            .name = "crd",
            .label = "crimson replay",
            .title = "crimson replay and capture evidence: what CDT traces are made from",
            .dialects = (const char *const[]){"replay", "evidence", NULL},
            .extensions = (const char *const[]){".crd", ".evidence.msgpack.zst", NULL},
            .axis = RAS_AXIS_TICK,
            .axes = 1u << RAS_AXIS_TICK,
            /* A result is that of all ticks, and counts are in front of what they count: what is
             * lost cannot be made again. */
            .can = RAS_CAN_READ | RAS_CAN_STREAM,
        },
    .trace_size = sizeof(struct crd),
    .cursor_size = sizeof(struct crd_cursor),
    .probe = crd_probe,
    .open = crd_open,
    .open_reads_end = true,
    .next = crd_next,
    .ascends = 1u << RAS_AXIS_TICK,
    .save = crd_save,
    .load = crd_load,
    .rules = crd_rules,
    .check = crd_check,
    .timeline = &crd_timeline,
};
