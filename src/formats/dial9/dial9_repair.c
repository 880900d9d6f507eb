/* dial9_repair.c - repair a stream to whole frames.
 *
 * An unreadable frame ends its batch: frames have no length, so reading continues at the next
 * header. The bytes between are removed; after the last batch, that is the tail. A stream that
 * was torn and had another appended is a special case: the torn frame takes the first bytes of
 * the header after it for values, so reading continues at that header, and nothing of the second
 * stream is lost. */
#include "formats/dial9/dial9_driver.h"

enum { TRIAL_SHORT = 4096 };

struct repairer {
    struct plan *plan;
    struct dial9_rules rules;
    struct shapes shapes; /* separate from the trace's own, since frames are tried here */
    struct dial9_batch *batch, *trial; /* the second one, for looking ahead */
    struct ras_bytes all;
    struct in in;
    uint64_t base_ns;
    const uint8_t *run; /* where frames were last counted one by one */
    uint64_t run_base_ns;
    uint64_t budget; /* bytes that looking ahead may cost */
};

static uint64_t repair_offset(const struct repairer *m, const uint8_t *p)
{
    return (uint64_t)(p - m->all.at);
}

/* One frame, and what it defines. */
static int pass_frame(struct repairer *m, struct dial9_batch *batch, struct in *in,
                      uint64_t *base_ns, struct ras_error *err)
{
    struct ras_dial9_frame frame;
    int status = dial9_frame_read(batch, &m->rules, m->all.at, *base_ns, in, &frame, err);
    if (status < 0)
        return status;
    *base_ns = dial9_base_after(&frame, *base_ns);
    if (frame.tag == RAS_DIAL9_HEADER)
        dial9_batch_start(batch, batch->number + 1, frame.offset);
    return RAS_OK;
}

/* Everything that can be read: RAS_END, or why it stops. */
static int pass_frames(struct repairer *m, struct ras_error *err)
{
    int status = RAS_OK;
    while (status == RAS_OK) {
        m->run = m->in.at;
        m->run_base_ns = m->base_ns;
        dial9_events_pass(m->batch, &m->rules, &m->in, &m->base_ns);
        if (in_left(&m->in) == 0 || !plan_progress(m->plan, repair_offset(m, m->in.at)))
            return RAS_END;
        status = pass_frame(m, m->batch, &m->in, &m->base_ns, err);
    }
    return status;
}

/* The next bytes from `from` on, before `to`, that read as a header. */
static const uint8_t *find_magic(const struct repairer *m, const uint8_t *from, const uint8_t *to)
{
    if (from >= to || m->rules.dialect == RAS_DIAL9_SEED) /* which has one header */
        return NULL;
    size_t room = (size_t)(m->in.end - from), reach = (size_t)(to - from) + RAS_DIAL9_HEADER_SIZE;
    return memmem(from, room < reach - 1 ? room : reach - 1, DIAL9_MAGIC "\1",
                  RAS_DIAL9_HEADER_SIZE);
}

/* Whether a header is real: frames follow it, up to `until` and at least one, or nothing does.
 * The same bytes may occur in a string. A stream made of such bytes must not make this
 * quadratic: when they have cost too much, only short frames count. */
static bool is_header(struct repairer *m, const uint8_t *header, const uint8_t *until)
{
    struct in in = {header + RAS_DIAL9_HEADER_SIZE, m->in.end, false};
    uint64_t base_ns = 0, left = in_left(&in);
    if (left > TRIAL_SHORT && left > m->budget)
        in.end = in.at + TRIAL_SHORT;
    m->budget -= left < m->budget ? left : m->budget;
    dial9_batch_start(m->trial, 0, repair_offset(m, header));
    while (left && in.at < until)
        if (in_left(&in) == 0 || pass_frame(m, m->trial, &in, &base_ns, NULL) < 0)
            return left && in.at == m->in.end;
    return true;
}

/* The last frame, or the one before it, as they were read before. */
struct torn {
    const uint8_t *frame, *header; /* NULL: none */
};

/* A header inside the last two frames that could be read: they were torn there. */
static struct torn find_torn(struct repairer *m)
{
    struct in in = {m->run, m->in.end, false};
    uint64_t base_ns = m->run_base_ns;
    const uint8_t *starts[2] = {m->run, m->run}, *p;
    while (in.at < m->in.at) {
        starts[0] = starts[1];
        starts[1] = in.at;
        if (pass_frame(m, m->batch, &in, &base_ns, NULL) < 0)
            break;
    }
    p = starts[0];
    while ((p = find_magic(m, p + 1, m->in.at)) && !is_header(m, p, m->in.at + 1))
        ;
    return (struct torn){p && p < starts[1] ? starts[0] : starts[1], p};
}

static const uint8_t *repair_next_header(struct repairer *m)
{
    const uint8_t *p = m->in.at;
    while ((p = find_magic(m, p + 1, m->in.end)) && !is_header(m, p, p + RAS_DIAL9_HEADER_SIZE + 1))
        ;
    return p;
}

static void repair_enter(struct repairer *m, const uint8_t *header)
{
    m->in.at = header + RAS_DIAL9_HEADER_SIZE;
    m->base_ns = 0;
    dial9_batch_start(m->batch, m->batch->number + 1, repair_offset(m, header));
}

static bool is_zero(const uint8_t *p, const uint8_t *end)
{
    while (p < end && !*p)
        p++;
    return p == end;
}

/* Whether only a header is between this and the stream before. */
static bool is_bare_header(const struct repairer *m, const uint8_t *from)
{
    return m->batch->number && repair_offset(m, from) == m->batch->offset + RAS_DIAL9_HEADER_SIZE;
}

/* Skip an unreadable frame; false: nothing is left after it. */
static bool step_over(struct repairer *m, const char *why)
{
    struct torn torn = find_torn(m);
    const uint8_t *from = torn.header ? torn.frame : m->in.at;
    const uint8_t *header = torn.header ? torn.header : repair_next_header(m);
    const uint8_t *to = header ? header : m->in.end;
    bool zero = is_zero(from, to);
    if (!zero)
        plan_note(m->plan, "lost %" PRIu64 " to %" PRIu64 "%s: %s", repair_offset(m, from),
                  repair_offset(m, to), header ? ", where the next header is" : ", the end",
                  torn.header ? "a frame was torn there, and a stream appended" : why);
    plan_lose(m->plan, zero ? 0 : (uint64_t)(to - from), zero ? 0 : RAS_NONE);
    if (!header && is_bare_header(m, from)) /* which belongs to a stream that begins there */
        from -= RAS_DIAL9_HEADER_SIZE;
    plan_patch(m->plan, "", repair_offset(m, from), (uint64_t)(to - from), NULL, 0);
    if (header)
        repair_enter(m, header);
    return header != NULL;
}

static int repair(struct repairer *m, struct ras_error *err)
{
    struct ras_error why;
    for (;;) {
        int status = pass_frames(m, &why);
        if (status == RAS_END)
            return RAS_OK;
        /* Frames beyond a limit are not damaged: do not remove them. */
        if (status == RAS_EMEMORY || status == RAS_ELIMIT)
            return fail(err, status, why.offset, "%s", why.text);
        if (!step_over(m, why.text))
            return RAS_OK;
    }
}

/* What the segments of a directory lack cannot be restored: the copy is one stream. */
static void note_segments(const struct ras_trace *t, struct plan *plan)
{
    size_t count;
    const struct source_segment *at = source_segments(t->source, &count);
    for (size_t i = 0; i < count; i++) {
        if (at[i].missing)
            plan_note(plan, "%s missing before %s", ras_counted(at[i].missing, "segment").text,
                      at[i].name);
        if (at[i].lost)
            plan_note(plan, "lost %s of %s: %s", ras_counted(at[i].lost, "byte").text, at[i].name,
                      at[i].why);
    }
}

int dial9_repair(struct ras_trace *t, const struct ras_repair_options *options, struct plan *plan,
                 struct ras_error *err)
{
    (void)options;
    const struct dial9 *d = t->priv;
    struct ras_bytes all = source_bytes(t->source, 0);
    struct repairer m = {.plan = plan,
                         .rules = d->rules,
                         .all = all,
                         .in = {all.at + t->body, all.at + all.len, false},
                         .batch = dial9_batch_new(),
                         .trial = dial9_batch_new(),
                         .budget = 8 * all.len};
    m.rules.shapes = &m.shapes;
    int status = m.batch && m.trial ? RAS_OK : fail_memory(err);
    if (status == RAS_OK) {
        dial9_batch_start(m.batch, 0, 0);
        status = repair(&m, err);
        note_segments(t, plan);
    }
    dial9_batch_free(m.batch);
    dial9_batch_free(m.trial);
    dial9_shapes_free(&m.shapes);
    return status;
}
