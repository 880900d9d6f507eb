/* murk_repair.c - reduces a replay to whole frames.
 *
 * What a crash leaves after the last whole frame is cut off: an incomplete frame, or the zeros of
 * blocks that were never written. If two recordings of one run were concatenated, the header
 * between them is removed. */
#include "formats/murk/murk_driver.h"

struct repairer {
    struct plan *plan;
    struct ras_bytes all;
    uint64_t body; /* size of the header */
    uint64_t at;   /* end of the last whole frame */
    uint64_t tick; /* of that frame */
    uint64_t frames;
    uint64_t zeros; /* whole zero frames that end at `at` */
};

/* Whole frames from `at` on. */
static void pass_frames(struct repairer *m)
{
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    while (m->at < m->all.len && plan_progress(m->plan, m->at)) {
        struct ras_bytes rest = {m->all.at + m->at, m->all.len - (size_t)m->at};
        if (!ras_murk_frame_get(rest, &frame, &fault))
            return;
        bool zero = !frame.tick_id && !frame.command_count && !frame.snapshot_hash;
        m->zeros = zero ? m->zeros + 1 : 0;
        m->tick = frame.tick_id;
        m->frames++;
        m->at += frame.size;
    }
}

static bool is_zero(struct ras_bytes b)
{
    for (size_t i = 0; i < b.len; i++)
        if (b.at[i])
            return false;
    return true;
}

/* A second header of the same run, followed by a frame of a later tick. */
static bool goes_on(const struct repairer *m)
{
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    uint64_t left = m->all.len - m->at;
    if (left <= m->body || memcmp(m->all.at + m->at, m->all.at, (size_t)m->body) != 0)
        return false;
    struct ras_bytes rest = {m->all.at + m->at + m->body, (size_t)(left - m->body)};
    return ras_murk_frame_get(rest, &frame, &fault) && (!m->frames || frame.tick_id > m->tick);
}

static void cut_tail(struct repairer *m)
{
    struct ras_bytes rest = {m->all.at + m->at, m->all.len - (size_t)m->at};
    bool zero = is_zero(rest);
    uint64_t lost = zero ? 0 : rest.len;
    /* A valid replay may hold empty frames of tick 0 with hash 0, so zero frames are attributed to
     * a crash only at the end, and not if the replay has no others. */
    if (m->zeros && m->zeros < m->frames) {
        uint64_t size = m->zeros * RAS_MURK_FRAME_MIN;
        plan_note(m->plan,
                  "empty frames of tick 0 from %" PRIu64
                  " on are zeros and taken for the remains of a crash",
                  m->at - size);
        plan_lose(m->plan, size, m->zeros); /* a reader shows them */
        m->at -= size;
        rest = (struct ras_bytes){rest.at - size, rest.len + (size_t)size};
    }
    if (!rest.len)
        return;
    if (rest.len >= 4 && !memcmp(rest.at, "MURK", 4))
        plan_note(m->plan,
                  "another replay of %zu bytes begins at %" PRIu64
                  " and is cut off: it is a separate trace",
                  rest.len, m->at);
    plan_lose(m->plan, lost, lost ? RAS_NONE : 0);
    plan_patch(m->plan, "", m->at, rest.len, NULL, 0);
}

int murk_repair(struct ras_trace *t, const struct ras_repair_options *options, struct plan *plan,
                struct ras_error *err)
{
    (void)options;
    (void)err;
    struct repairer m = {
        .plan = plan, .all = source_bytes(t->source, 0), .body = t->body, .at = t->body};
    pass_frames(&m);
    while (goes_on(&m)) {
        plan_note(plan,
                  "the same header is repeated at %" PRIu64
                  " and is removed: the ticks continue after it",
                  m.at);
        plan_patch(plan, "", m.at, m.body, NULL, 0);
        m.at += m.body;
        pass_frames(&m);
    }
    cut_tail(&m);
    return RAS_OK;
}
