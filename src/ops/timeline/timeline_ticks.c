/* timeline_ticks.c - when the ticks of a run begin.
 *
 * run.json has the times at which ticks began, of every one or of every nth. Where the records of
 * a trace mark the ticks, a tick begins with the first of its records: it is known by its place
 * in the order, so that no record is shown in a neighbouring tick. Alone, a trace of ticks has no
 * times: each takes a millisecond. */
#include "core/format.h"
#include "ops/compare/compare_driver.h"
#include "ops/rundir/rundir_axes.h"
#include "ops/timeline/timeline.h"

#include <stdlib.h>

#define TICK_NS UINT64_C(1000000)
enum { TICKS_MOST = 1 << 24 };

static bool ticks_add(struct timeline *t, uint64_t time_ns)
{
    if (t->tick_count >= TICKS_MOST ||
        !array_grow(&t->tick_ns, &t->tick_room, t->tick_count + 1, sizeof *t->tick_ns))
        return false;
    t->tick_ns[t->tick_count++] = time_ns;
    return true;
}

static bool ticks_of_json(struct timeline *t)
{
    const struct ras_rundir *run = t->run;
    const struct ras_value *list =
        rundir_find(run, (const char *const[]){"axes", "time_ns", "begin", NULL});
    uint64_t begin, last;
    if (!list || list->kind != RAS_LIST ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "first_tick", NULL},
                     &t->tick_first) ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "every", NULL},
                     &t->tick_every) ||
        !t->tick_every)
        return true;
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v))
        if (!cell_uint(v, &begin) || !ticks_add(t, begin))
            break;
    /* The last tick ends with the run. */
    if (t->tick_count && t->tick_every == 1 &&
        rundir_uint(run, (const char *const[]){"axes", "time_ns", "last", NULL}, &last) &&
        last >= t->tick_ns[t->tick_count - 1])
        return ticks_add(t, last);
    return true;
}

/* Between two known ticks in proportion; outside of them by the length of the last one. */
static uint64_t tick_time(const struct timeline *t, uint64_t tick)
{
    if (tick < t->tick_first)
        return t->tick_ns[0];
    uint64_t at = (tick - t->tick_first) / t->tick_every,
             rest = (tick - t->tick_first) % t->tick_every;
    size_t last = t->tick_count - 1;
    if (at < last) {
        uint64_t from = t->tick_ns[at], to = t->tick_ns[at + 1];
        return from + (to > from ? (to - from) / t->tick_every * rest : 0);
    }
    uint64_t step = last ? t->tick_ns[last] - t->tick_ns[last - 1] : TICK_NS;
    uint64_t beyond = (at - last) * t->tick_every + rest;
    step = step / t->tick_every + !step;
    return beyond <= (UINT64_MAX - t->tick_ns[last]) / step ? t->tick_ns[last] + beyond * step
                                                            : UINT64_MAX;
}

/* One time for every tick between the first and the last. */
static bool ticks_each(struct timeline *t)
{
    if (t->tick_every == 1 || t->tick_count < 2)
        return true;
    uint64_t count = (t->tick_count - 1) * t->tick_every + 1;
    if (count > TICKS_MOST)
        return true;
    uint64_t *all = calloc((size_t)count, sizeof *all);
    if (!all)
        return false;
    for (uint64_t i = 0; i < count; i++)
        all[i] = tick_time(t, t->tick_first + i);
    free(t->tick_ns);
    t->tick_ns = all;
    t->tick_count = t->tick_room = (size_t)count;
    t->tick_every = 1;
    return true;
}

/* A mark of a tick: the record of that number has its time. `after`: it is the last of the tick
 * before. */
static void tick_set(struct timeline *t, uint64_t tick, uint64_t time_ns)
{
    if (tick >= t->tick_first && tick - t->tick_first < t->tick_count)
        t->tick_ns[tick - t->tick_first] = time_ns;
}

static int ticks_of_marks(struct tick_search *s, struct ras_trace *trace, struct ras_error *err)
{
    const struct ras_pick pick = {.type = "event"};
    const struct ras_scan scan = {.headers_only = true,
                                  .picks = s->after ? NULL : &pick,
                                  .pick_count = !s->after,
                                  .streams = s->after ? NULL : &s->column->stream,
                                  .stream_count = !s->after};
    int status = ras_cursor_open(&s->cursor, trace, &scan, err);
    return status < 0 && status != RAS_EMEMORY ? RAS_OK : status;
}

static void ticks_take(struct timeline *t, struct tick_search *s, const struct ras_record *r)
{
    if (r->schema == RAS_SCHEMA_GAP && !s->after)
        return;
    for (; s->i < s->column->count && tick_column_value(s->column, s->i) <= s->seq; s->i++)
        if (tick_column_value(s->column, s->i) == s->seq && r->flags & RAS_HAS_TIME)
            tick_set(t, tick_column_tick(s->column, s->i) + s->after, r->time_ns);
    s->seq++;
}

/* The times must not descend: a mark that does not fit is given the time before it. */
static void ticks_ascend(struct timeline *t)
{
    for (size_t i = 1; i < t->tick_count; i++)
        if (t->tick_ns[i] < t->tick_ns[i - 1])
            t->tick_ns[i] = t->tick_ns[i - 1];
}

static int ticks_by_order(struct timeline *t, struct tick_search *s, struct ras_error *err)
{
    const struct ras_rundir *run = t->run;
    const struct tick_index *index = rundir_index(run);
    const struct tick_column *first = NULL, *last = NULL;
    if (ras_rundir_order(run, NULL) == RAS_ORDER_CLOCK)
        return RAS_OK;
    for (size_t i = 0; i < index->count; i++) {
        if (index->columns[i].kind == TICK_FIRST && !first)
            first = &index->columns[i];
        if (index->columns[i].kind == TICK_LAST && !last)
            last = &index->columns[i];
    }
    const struct tick_column *column = first ? first : last;
    for (size_t i = 0; column && i < run->pen_count; i++) {
        struct ras_trace *trace = run->pens[i].trace;
        bool times = trace && !(trace->format->about.axes & 1u << RAS_AXIS_TICK);
        if (times && trace->format->ticks && !trace->format->ticks->column == (first != NULL))
            *s = (struct tick_search){.column = column, .after = !first};
        if (s->column)
            return ticks_of_marks(s, trace, err);
    }
    return RAS_OK;
}

int timeline_ticks_begin(struct timeline *t, struct tick_search *s, struct ras_error *err)
{
    *s = (struct tick_search){0};
    t->tick_every = 1;
    if (!t->run)
        return RAS_OK;
    if (!ticks_of_json(t) || !ticks_each(t))
        return fail_memory(err);
    ticks_ascend(t);
    return t->tick_count && t->tick_every == 1 ? ticks_by_order(t, s, err) : RAS_OK;
}

/* Of a trace that still grows the ticks that are there. */
int timeline_ticks_step(struct timeline *t, struct tick_search *s, size_t records,
                        struct ras_error *err)
{
    const struct ras_record *r;
    int status = s->cursor ? RAS_OK : RAS_END;
    for (; records && status == RAS_OK; records--) {
        status = s->i < s->column->count ? ras_next(s->cursor, &r, err) : RAS_END;
        if (status == RAS_OK)
            ticks_take(t, s, r);
    }
    if (status == RAS_OK || status == RAS_EMEMORY)
        return status;
    ticks_ascend(t);
    return RAS_END;
}

void timeline_ticks_stop(struct tick_search *s)
{
    ras_cursor_close(s->cursor);
    s->cursor = NULL;
}

int timeline_ticks_find(struct timeline *t, struct ras_error *err)
{
    struct tick_search s;
    int status = timeline_ticks_begin(t, &s, err);
    while (status == RAS_OK)
        status = timeline_ticks_step(t, &s, SIZE_MAX, err);
    timeline_ticks_stop(&s);
    return status < 0 ? status : RAS_OK;
}

bool timeline_is_even(const struct timeline *t)
{
    return !t->tick_count;
}

/* Frames are counted otherwise than ticks: run.json says how. */
uint64_t timeline_tick_ns(struct timeline *t, uint64_t tick)
{
    const struct compare_ops *compare = t->trace ? t->trace->format->compare : NULL;
    if (!t->tick_count && t->rows)
        return tick <= UINT64_MAX >> TIMELINE_TICK_SHIFT ? tick << TIMELINE_TICK_SHIFT
                                                         : UINT64_MAX - 1;
    if (!t->tick_count)
        return tick <= TIMELINE_OPEN_END / TICK_NS / 2 ? tick * TICK_NS : TIMELINE_OPEN_END / 2;
    if (t->run && compare) {
        uint64_t found = rundir_tick_on(t->run, compare->word, tick);
        tick = found == RAS_NONE ? tick : found;
    }
    return tick_time(t, tick);
}

/* The first tick that begins at a time or later. */
static uint64_t tick_from(struct timeline *t, uint64_t time_ns)
{
    uint64_t low = 0, high = UINT64_MAX;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (timeline_tick_ns(t, middle) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int timeline_ticks_between(struct ras_rundir *run, uint64_t from_ns, uint64_t to_ns,
                           uint64_t ticks[2], struct ras_error *err)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (!t)
        return fail_memory(err);
    t->run = run;
    int status = timeline_ticks_find(t, err);
    if (status == RAS_OK) {
        ticks[0] = tick_from(t, from_ns);
        ticks[1] = tick_from(t, to_ns);
    }
    free(t->tick_ns);
    free(t);
    return status;
}

/* ---- tracks of ticks ------------------------------------------------------------------------ */

static uint32_t tick_track(struct timeline *t, uint64_t id, enum timeline_kind kind,
                           const char *name, const char *unit)
{
    return timeline_track(t, &(struct timeline_place){.id = id,
                                                      .parent = TIMELINE_NONE,
                                                      .kind = kind,
                                                      .name = timeline_word(t, name),
                                                      .number = RAS_NONE,
                                                      .unit = unit});
}

void tick_tracks_open(struct timeline *t, struct tick_tracks *tracks)
{
    tracks->ticks = tick_track(t, 1, TIMELINE_TRACK, "ticks", NULL);
    tracks->commands = tick_track(t, 2, TIMELINE_COUNTER, "commands", "count");
}

uint64_t tick_tracks_put(struct timeline *t, const struct tick_tracks *tracks,
                         const struct ras_cursor *c, uint64_t tick)
{
    const struct ras_value *commands = ras_value_of(c, "command_count");
    uint64_t from = timeline_tick_ns(t, tick);
    uint64_t to = tick < UINT64_MAX ? timeline_tick_ns(t, tick + 1) : from;
    timeline_begin(t, tracks->ticks, from, timeline_word(t, "tick"), timeline_word(t, "tick"));
    timeline_args(t, c, NULL);
    timeline_end(t, tracks->ticks, to > from ? to : from, true);
    if (commands && commands->kind == RAS_UINT)
        timeline_counter(t, tracks->commands, from, (int64_t)commands->u);
    return from;
}
