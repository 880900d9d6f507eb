/* dial9_compare.c - two traces event by event, aligned where they part.
 *
 * The events of a trace are one sequence in stored order. Which batch holds an event is
 * told but not compared: recorders cut batches by size and time, so that two runs of one
 * program hardly have the same. Whole batches may change places, as the buffers of several
 * threads do. Timestamps count only when they are asked for. */
#include "formats/dial9/dial9_compare.h"
#include "base/memory.h"

#include <stdlib.h>

/* ---- side by side ------------------------------------------------------------ */

static int pass_events(void *user, uint64_t most, uint64_t *passed, struct ras_error *err)
{
    struct dial9_compare *d = user;
    const struct compare_side *a = &d->side[0], *b = &d->side[1];
    for (; *passed < most && a->at && b->at && dial9_compare_same(d); ++*passed) {
        int status = dial9_compare_next(d, 0, err);
        if (status == RAS_OK)
            status = dial9_compare_next(d, 1, err);
        if (status < 0)
            return status;
    }
    return d->nomem ? fail_memory(err) : RAS_OK;
}

static bool has_event(const void *user, int side)
{
    const struct dial9_compare *d = user;
    return d->side[side].at;
}

static bool is_cut(const void *user, int side)
{
    const struct dial9_compare *d = user;
    return ras_ending(d->c->side[side]).kind >= RAS_CUT;
}

static uint64_t progress(const void *user, uint64_t *total)
{
    const struct dial9_compare *d = user;
    return ras_cursor_progress(d->side[0].cursor, total);
}

/* ---- windows ----------------------------------------------------------------- */

static bool keep_item(struct dial9_compare *d, int side)
{
    struct compare_side *s = &d->side[side];
    const struct ras_record *r = s->at;
    if (!array_grow(&s->items, &s->item_room, s->item_count + 1, sizeof *s->items))
        return false;
    bool timed = r->flags & RAS_HAS_TIME;
    uint64_t delta = timed ? load_u32(r->raw + DIAL9_EVENT_SIZE - 1) >> 8 : 0;
    s->items[s->item_count++] = (struct compare_item){.hash = dial9_compare_hash(d, side),
                                                      .index = s->index,
                                                      .offset = r->offset,
                                                      .time_ns = r->time_ns,
                                                      .base_ns = r->time_ns - delta,
                                                      .schema = r->schema,
                                                      .batch = r->stream,
                                                      .timed = timed};
    return !d->nomem;
}

/* Take events into the window until it holds `want`, the current one first. */
static int fill_window(void *user, int side, size_t want, struct align_window *w,
                       struct ras_error *err)
{
    struct dial9_compare *d = user;
    struct compare_side *s = &d->side[side];
    int status = RAS_OK;
    if (!w->count) {
        s->item_count = 0;
        s->opened = s->opens;
    }
    while (s->at && s->item_count < want && status == RAS_OK) {
        if (!keep_item(d, side))
            return fail_memory(err);
        if (s->item_count == want)
            ras_mark(s->cursor, &s->beyond);
        status = dial9_compare_next(d, side, err);
    }
    s->ended = !s->at;
    s->past = s->index;
    *w = (struct align_window){s->item_count, s->ended};
    return status;
}

static bool items_same(void *user, size_t a, size_t b)
{
    const struct dial9_compare *d = user;
    const struct compare_item *x = &d->side[0].items[a], *y = &d->side[1].items[b];
    if (x->hash != y->hash)
        return false;
    if (!d->with_time)
        return true;
    return x->timed == y->timed && (!x->timed || dial9_times_same(d, x->time_ns, y->time_ns));
}

static int seek_events(void *user, size_t a, size_t b, struct ras_error *err)
{
    struct dial9_compare *d = user;
    int status = dial9_compare_go(d, 0, a, err);
    return status == RAS_OK ? dial9_compare_go(d, 1, b, err) : status;
}

/* Where both stand at the beginning of a batch, for the first time that they differ there. */
static int pair_batches(void *user, struct ras_error *err)
{
    struct dial9_compare *d = user;
    bool wanted = !d->ordered && d->side[0].opens && d->side[1].opens;
    return wanted ? dial9_pair_batches(d, err) : RAS_END;
}

static const struct align_walk_ops events = {
    .pass = pass_events,
    .has_row = has_event,
    .is_cut = is_cut,
    .progress = progress,
    .resync = pair_batches,
    .fill = fill_window,
    .same = items_same,
    .similar = dial9_items_similar,
    .put_pair = dial9_put_pair,
    .changed = dial9_report_pair,
    .alone = dial9_report_alone,
    .rest = dial9_report_rest,
    .seek = seek_events,
};

/* ---- clocks ------------------------------------------------------------------ */

enum { CLOCK_LOOKS = 3 };

/* The times of the first events that have one. */
static int first_times(struct ras_trace *t, uint64_t *times, size_t *count, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    *count = 0;
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && *count < CLOCK_LOOKS && (status = ras_next(c, &r, err)) == RAS_OK)
        if (r->flags & RAS_HAS_TIME)
            times[(*count)++] = r->time_ns;
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

/* Two runs have started at different times. One event whose time is off is not a clock
 * that is, so the middle one of three counts. */
static int set_clocks(struct dial9_compare *d, struct ras_error *err)
{
    uint64_t times[2][CLOCK_LOOKS];
    size_t counts[2];
    for (int i = 0; i < 2; i++) {
        int status = first_times(d->c->side[i], times[i], &counts[i], err);
        if (status < 0)
            return status;
    }
    if (counts[0] < CLOCK_LOOKS || counts[1] < CLOCK_LOOKS)
        return RAS_OK;
    int64_t apart[CLOCK_LOOKS];
    for (int i = 0; i < CLOCK_LOOKS; i++) {
        int64_t now = (int64_t)(times[1][i] - times[0][i]);
        int j = i;
        for (; j && apart[j - 1] > now; j--)
            apart[j] = apart[j - 1];
        apart[j] = now;
    }
    int64_t shift = apart[CLOCK_LOOKS / 2];
    if (dial9_times_same(d, 0, (uint64_t)shift))
        return RAS_OK;
    d->shift_ns = (uint64_t)shift;
    compare_note(d->c, "the clocks are %" PRId64 " ns apart, times are compared from there", shift);
    return RAS_OK;
}

/* ---- the comparison ---------------------------------------------------------- */

static void tell_batches(const struct dial9_compare *d)
{
    size_t count[2];
    for (int i = 0; i < 2; i++)
        (void)ras_streams(d->c->side[i], &count[i]);
    if (count[0] != count[1])
        compare_note(d->c, "%zu and %zu batches: events are compared whatever batch holds them",
                     count[0], count[1]);
}

static int run(struct compare *c, struct ras_error *err)
{
    struct dial9_compare *d = c->priv;
    const struct ras_compare_span *span = c->asked->spans;
    d->c = c;
    if (c->asked->span_count > 1)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s of events, one can be compared",
                    ras_counted(c->asked->span_count, "span").text);
    d->ordered = span; /* a part of the events says nothing of whole batches */
    d->walk = (struct align_walk){.c = c, .ops = &events, .user = d};
    d->with_time = compare_chose(c, "time");
    d->time_eps_ns = choice_value(c->asked->choices, c->asked->choice_count, "time");
    int status = d->with_time ? set_clocks(d, err) : RAS_OK;
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        d->side[i].batch = UINT32_MAX;
        const struct ras_scan scan = {.axis = span ? RAS_AXIS_SEQ : RAS_AXIS_NONE,
                                      .from = span ? span->from[i] : 0,
                                      .to = span ? span->to[i] : 0};
        status = ras_cursor_open(&d->side[i].cursor, c->side[i], &scan, err);
        if (status == RAS_OK)
            status = dial9_compare_next(d, i, err);
    }
    if (status == RAS_OK)
        status = align_walk_run(&d->walk, err);
    if (status >= 0 && d->nomem)
        status = fail_memory(err);
    for (int i = 0; i < 2 && status >= 0; i++)
        status = compare_ending(d->c, i, d->side[i].cursor, err);
    if (status >= 0)
        tell_batches(d);
    return status < 0 ? status : RAS_OK;
}

static void stop(struct compare *c)
{
    struct dial9_compare *d = c->priv;
    for (int i = 0; i < 2; i++) {
        ras_cursor_close(d->side[i].cursor);
        free(d->side[i].batches);
        dial9_compare_forget(&d->side[i]);
    }
    align_walk_free(&d->walk);
}

static const char *const times[] = {"total_ns", "count", "p50_ns", "p99_ns", "max_ns", NULL};
static const struct compare_profile profiles[] = {
    {"polls_by_location", "spawn_loc", times},
    {"tasks", "spawn_loc", times},
    {"scheduling_delays", "delay", times},
    {"spans", "span", times},
    {0},
};

#define EVENT_PLACE                                                                                \
    MEMBER_VALUE("event_index", NUMBER, "its number in the trace"),                                \
        MEMBER_VALUE("batch", NUMBER, "the batch that it is in"),                                  \
        MEMBER_OR_NULL("time_ns", NUMBER, "null: it has none")
static const struct ras_detail_member place_members[] = {EVENT_PLACE, {0}};
static const struct ras_detail_member event_members[] = {
    EVENT_PLACE,
    MEMBER_VALUE("type", TEXT, "its type"),
    MEMBER_VALUE("values", MAP, "its fields"),
    {0},
};
#define PLACE(key, what)                                                                           \
    {                                                                                              \
        key, RAS_DETAIL_SIDE, RAS_DETAIL_MAP, false, place_members, what                           \
    }
#define EVENTS(key, what)                                                                          \
    {                                                                                              \
        key, RAS_DETAIL_VALUE, RAS_DETAIL_LIST, false, event_members, what                         \
    }
#define ACTUAL_INDEX MEMBER_VALUE("actual_index", NUMBER, "where in the second side that is")
#define DELETED                                                                                    \
    MEMBER_VALUE("deleted_count", NUMBER, "events that only the first side has"),                  \
        EVENTS("deleted", "at most 8 of them")
#define INSERTED                                                                                   \
    MEMBER_VALUE("inserted_count", NUMBER, "events that only the second side has"),                \
        EVENTS("inserted", "at most 8 of them")
static const struct ras_detail_member changed_members[] = {
    MEMBER_VALUE("type", TEXT, "type of both events"),
    PLACE("expected", "where the first side's event is"),
    PLACE("actual", "where the second side's event is"),
    MEMBER_ROWS("mismatches", "fields that differ"),
    {0},
};
static const struct ras_detail_member deleted_members[] = {DELETED, ACTUAL_INDEX, {0}};
static const struct ras_detail_member inserted_members[] = {INSERTED, ACTUAL_INDEX, {0}};
static const struct ras_detail_member replaced_members[] = {DELETED, INSERTED, ACTUAL_INDEX, {0}};
static const struct ras_detail_kind details[] = {
    {"event_changed", "two events of one type with different fields", changed_members},
    {"event_deleted", "events that only the first side has", deleted_members},
    {"event_inserted", "events that only the second side has", inserted_members},
    {"event_replaced", "events of each side where the other has others", replaced_members},
    {0},
};

const struct compare_ops dial9_compare = {
    .details = details,
    .key = "event_index",
    .word = "event",
    .profiles = profiles,
    .takes = COMPARE_PATHS | COMPARE_SPANS,
    .size = sizeof(struct dial9_compare),
    .run = run,
    .stop = stop,
};
