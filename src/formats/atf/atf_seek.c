/* atf_seek.c - seeking by place and by time, marks, and the runs of a merged walk. */
#include "formats/atf/atf_driver.h"

/* Stand before the detail with that seq, or before the first at or after a time.
 * False: there is none. */
static bool stand_at_detail(struct ras_cursor *c, size_t thread, uint64_t seq, uint64_t time_ns)
{
    struct atf_cursor *a = c->priv;
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = &s->threads[thread];
    if (!atf_detail_ready(s, t))
        return false;
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    struct ras_atf_detail_event event;
    uint64_t at = t->detail.at, next = at, place = 0;
    while (ras_atf_detail_step(&t->detail, bytes, &next, &event) == RAS_OK) {
        if (place >= seq && event.timestamp >= time_ns) {
            a->thread = thread;
            atf_place_of(a)->detail = place;
            atf_place_of(a)->detail_at = at;
            c->seq += place;
            return atf_enter(c, thread, STAGE_DETAILS);
        }
        place++;
        at = next;
    }
    return false;
}

static bool stand_at_event(struct ras_cursor *c, size_t thread, uint64_t index_seq)
{
    struct atf_cursor *a = c->priv;
    a->thread = thread;
    atf_place_of(a)->event = index_seq;
    c->seq += index_seq;
    return atf_enter(c, thread, STAGE_EVENTS);
}

/* One file of a thread holds record `to` counted from its first one. */
static bool seek_in_file(struct ras_cursor *c, size_t thread, bool detail, uint64_t to)
{
    struct atf_cursor *a = c->priv;
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = &s->threads[thread];
    uint64_t plain = 0; /* records before its gaps */
    if (!detail && atf_index_ready(s, t))
        plain = t->index.count;
    if (detail && atf_detail_ready(s, t))
        plain = atf_detail_walk(s, t)->count;
    if (to < plain)
        return detail ? stand_at_detail(c, thread, to, 0) : stand_at_event(c, thread, to);
    c->seq += to;
    if (!atf_enter(c, thread, detail ? STAGE_DETAIL_GAPS : STAGE_INDEX_GAPS))
        return false;
    a->item = to - plain;
    return true;
}

static bool seek_seq(struct ras_cursor *c, uint64_t to)
{
    struct ras_atf_session *s = atf_session_of(c);
    for (size_t i = 0; i < s->thread_count; i++)
        for (int detail = 0; detail < 2; detail++) {
            /* An index knows its count, so a seek inside it walks no details. */
            uint64_t records = atf_file_records(s, &s->threads[i], detail);
            if (to - c->seq < records)
                return seek_in_file(c, i, detail, to - c->seq);
            c->seq += records;
        }
    return atf_enter(c, s->thread_count, STAGE_MODULES);
}

static bool seek_time(struct ras_cursor *c, uint64_t to)
{
    struct ras_atf_session *s = atf_session_of(c);
    for (size_t i = 0; i < s->thread_count; i++) {
        struct atf_thread *t = &s->threads[i];
        if (atf_index_ready(s, t) && t->index.count && atf_times(s, t)->max >= to) {
            bool sorted = t->times.back == RAS_NONE;
            return stand_at_event(c, i, sorted ? atf_time_place(s, t, to) : 0);
        }
        c->seq += atf_file_records(s, t, false);
        if (stand_at_detail(c, i, 0, to))
            return true;
        c->seq += atf_file_records(s, t, true);
    }
    return atf_enter(c, s->thread_count, STAGE_MODULES);
}

bool atf_seek(struct ras_cursor *c, enum ras_axis axis, uint64_t to)
{
    struct atf_cursor *a = c->priv;
    if (a->live || axis == RAS_AXIS_TICK)
        return false;
    atf_rewind(a);
    c->seq = 0;
    /* A range is clipped file by file as the walk enters them; types on request
     * need the walk from the start. */
    if ((c->scan.axis == RAS_AXIS_TIME && axis == RAS_AXIS_TIME) || c->requests)
        return atf_enter(c, 0, STAGE_MODULES);
    return axis == RAS_AXIS_SEQ ? seek_seq(c, to) : seek_time(c, to);
}

/* ---- marks ---------------------------------------------------------------- */

/* A detail and an item are never both wanted. */
enum { MARK_POSITION, MARK_EVENT, MARK_ITEM, MARK_CALL, MARK_DONE, MARK_SPANS };

void atf_save(const struct ras_cursor *c, struct ras_mark *mark)
{
    const struct atf_cursor *a = c->priv;
    const struct atf_place *p = atf_place_of((struct atf_cursor *)c->priv);
    mark->state[MARK_POSITION] = atf_position(a->thread, a->stage);
    mark->state[MARK_EVENT] = p->event - atf_left(c);
    mark->state[MARK_ITEM] = a->stage == STAGE_DETAILS ? p->detail : a->item;
    struct atf_stack_top top = {RAS_NONE, 0};
    if (p->stack)
        top = atf_stack_top(p->stack);
    mark->state[MARK_CALL] = top.call_seq;
    mark->state[MARK_DONE] = top.done;
    mark->state[MARK_SPANS] = p->told << 1 | p->due;
    if (a->stage == STAGE_DETAILS && p->detail_at)
        mark->offset = p->detail_at;
}

void atf_load(struct ras_cursor *c, const struct ras_mark *mark)
{
    struct atf_cursor *a = c->priv;
    struct ras_atf_session *s = atf_session_of(c);
    uint64_t offset = mark->offset;
    size_t thread = (size_t)(mark->state[MARK_POSITION] / STAGE_COUNT);
    enum atf_stage stage = (enum atf_stage)(mark->state[MARK_POSITION] % STAGE_COUNT);
    atf_rewind(a);
    a->thread = thread;
    if (thread >= s->thread_count) {
        (void)atf_enter(c, s->thread_count, STAGE_MODULES);
        return;
    }
    struct atf_place *p = atf_place_of(a);
    p->event = mark->state[MARK_EVENT];
    p->detail = stage == STAGE_DETAILS ? mark->state[MARK_ITEM] : 0;
    p->detail_at = stage == STAGE_DETAILS ? offset : 0;
    (void)atf_enter(c, thread, stage); /* what cannot be entered is told by the next step */
    a->item = stage == STAGE_DETAILS ? 0 : mark->state[MARK_ITEM];
    p->told = mark->state[MARK_SPANS] >> 1;
    p->due = mark->state[MARK_SPANS] & 1;
    if (a->spans && (stage == STAGE_EVENTS || stage == STAGE_OPEN_SPANS))
        atf_restore_top(c, (struct atf_stack_top){mark->state[MARK_CALL], mark->state[MARK_DONE]});
}

/* ---- runs ------------------------------------------------------------------ */

/* A run is a file, since that is what a recorder wrote in order. */
size_t atf_run_count(struct ras_trace *t)
{
    return 2 * ((struct atf *)t->priv)->session.thread_count;
}

void atf_run_enter(struct ras_cursor *c, size_t run)
{
    struct atf_cursor *a = c->priv;
    const struct ras_atf_session *s = atf_session_of(c);
    size_t thread = run / 2;
    a->sort = !a->spans;
    bool first = !thread || s->threads[thread].process != s->threads[thread - 1].process;
    a->end =
        run % 2 ? atf_position(thread + 1, STAGE_MODULES) : atf_position(thread, STAGE_DETAILS);
    (void)atf_enter(c, thread, run % 2 ? STAGE_DETAILS : first ? STAGE_MODULES : STAGE_THREAD);
}

bool atf_run_known(struct ras_cursor *c, size_t run, uint64_t *records, bool *ordered)
{
    struct ras_atf_session *s = atf_session_of(c);
    struct atf_thread *t = &s->threads[run / 2];
    bool detail = run % 2;
    if (c->scan.strict || cursor_view(c, ATF_SPAN)->wanted || cursor_view(c, ATF_THREAD)->wanted ||
        cursor_view(c, ATF_FUNCTION)->wanted || cursor_view(c, ATF_MODULE)->wanted)
        return false;
    *ordered = true;
    if (!detail && atf_index_ready(s, t) && t->index.count)
        *ordered = atf_times(s, t)->back == RAS_NONE || atf_can_sort(c, t);
    if (detail && atf_detail_ready(s, t))
        *ordered = !atf_detail_walk(s, t)->back;
    *records = atf_file_records(s, t, detail);
    atf_note_file(c, t, detail);
    return true;
}
