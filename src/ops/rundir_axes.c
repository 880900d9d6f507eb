/* rundir_axes.c - the axes of a run: which tick a frame or a time belongs to.
 *
 * Frames are counted as run.json says. A time is that of a tick by the first record behind it
 * that has a field `tick`, for what is recorded of a tick bears the time when it was over;
 * where there is none, by the times that run.json has. */
#include "base/error.h"
#include "core/row.h"
#include "ops/rundir_axes.h"

uint64_t rundir_tick_of(const struct ras_rundir *run, const char *axis, uint64_t at)
{
    uint64_t first, tick, per = 1;
    if (!strcmp(axis, "tick"))
        return at;
    if (!rundir_uint(run, (const char *const[]){"axes", axis, "first", NULL}, &first) ||
        !rundir_uint(run, (const char *const[]){"axes", axis, "first_tick", NULL}, &tick))
        return RAS_NONE;
    (void)!rundir_uint(run, (const char *const[]){"axes", axis, "per_tick", NULL}, &per);
    return at < first || !per ? RAS_NONE : tick + (at - first) / per;
}

/* ---- times ------------------------------------------------------------------------------ */

static bool has_ticks(const struct ras_trace *trace)
{
    size_t count = ras_schema_count(trace);
    for (size_t i = 0; i < count; i++) {
        const struct ras_schema *s = ras_schema_at(trace, i);
        for (unsigned k = 0; k < s->field_count; k++)
            if (!strcmp(s->fields[k].name, "tick"))
                return true;
    }
    return false;
}

static bool tick_in(const struct ras_cursor *c, uint64_t *tick)
{
    const struct ras_schema *s = ras_schema_of(c);
    size_t count;
    const struct ras_value *v = ras_values(c, &count), *end = v + count;
    for (; v < end; v = cell_next(v))
        if (v->field < s->field_count && !strcmp(s->fields[v->field].name, "tick"))
            return cell_uint(v, tick);
    return false;
}

/* The first record at or behind the time that has a tick. */
static uint64_t by_records(struct ras_trace *trace, uint64_t time_ns)
{
    const struct ras_scan from = {.axis = RAS_AXIS_TIME, .from = time_ns, .to = RAS_NONE};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t tick = RAS_NONE;
    if (ras_cursor_open(&c, trace, &from, NULL) < 0)
        return RAS_NONE;
    while (tick == RAS_NONE && ras_next(c, &r, NULL) == RAS_OK)
        if (!(r->flags & RAS_HAS_TIME) || r->time_ns < time_ns || !tick_in(c, &tick))
            tick = RAS_NONE;
    ras_cursor_close(c);
    return tick;
}

/* run.json has the beginning of every tick, or of every so many. */
static uint64_t by_json(const struct ras_rundir *run, uint64_t time_ns)
{
    const struct ras_value *list =
        rundir_find(run, (const char *const[]){"axes", "time_ns", "begin", NULL});
    uint64_t tick, every, begin, found = RAS_NONE;
    if (!list || list->kind != RAS_LIST ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "first_tick", NULL}, &tick) ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "every", NULL}, &every))
        return RAS_NONE;
    for (const struct ras_value *v = list + 1; v < cell_next(list); v = cell_next(v)) {
        if (!cell_uint(v, &begin) || begin > time_ns)
            break;
        found = tick;
        tick += every;
    }
    return found;
}

/* A trace of the run whose records have both, a time and a tick; NULL: none has. */
static struct ras_trace *clock_of(const struct ras_rundir *run)
{
    for (size_t i = 0; i < run->pen_count; i++) {
        struct ras_trace *trace = run->pens[i].trace;
        if (trace && ras_format_of(trace)->axes & 1u << RAS_AXIS_TIME && has_ticks(trace))
            return trace;
    }
    return NULL;
}

uint64_t rundir_tick_at(const struct ras_rundir *run, uint64_t time_ns)
{
    struct ras_trace *clock = clock_of(run);
    uint64_t tick = clock ? by_records(clock, time_ns) : RAS_NONE;
    return tick != RAS_NONE ? tick : by_json(run, time_ns);
}

/* ---- spans ------------------------------------------------------------------------------ */

static bool is_before(const struct rundir_ticks *t, uint64_t tick)
{
    return t->has_first && t->first > 0 && tick < (uint64_t)t->first;
}

static bool is_behind(const struct rundir_ticks *t, uint64_t tick)
{
    return t->has_last && (t->last < 0 || tick > (uint64_t)t->last);
}

/* What is recorded of a tick bears a time when it was not yet over, or just then: the ticks
 * begin behind the last record of those before them. */
static bool span_of_records(struct ras_trace *trace, const struct rundir_ticks *ticks,
                            uint64_t span[2])
{
    const struct ras_scan all = {0};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t tick, last = 0;
    bool any = false;
    if (ras_cursor_open(&c, trace, &all, NULL) < 0)
        return false;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        if (!(r->flags & RAS_HAS_TIME) || !tick_in(c, &tick) || r->time_ns == RAS_NONE)
            continue;
        any = true;
        if (is_before(ticks, tick) && r->time_ns >= span[0])
            span[0] = r->time_ns + 1;
        if (!is_behind(ticks, tick) && r->time_ns >= last)
            last = r->time_ns + 1;
    }
    ras_cursor_close(c);
    if (ticks->has_last)
        span[1] = last;
    return any;
}

/* When a tick began, as run.json has it; RAS_NONE: it has not, or it is behind the last. */
static bool begin_of(const struct ras_rundir *run, uint64_t tick, uint64_t *begin)
{
    const struct ras_value *list =
        rundir_find(run, (const char *const[]){"axes", "time_ns", "begin", NULL});
    uint64_t first, every, last;
    if (!list || list->kind != RAS_LIST ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "first_tick", NULL}, &first) ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "every", NULL}, &every) ||
        !rundir_uint(run, (const char *const[]){"axes", "tick", "last", NULL}, &last) || !every)
        return false;
    *begin = tick > last ? RAS_NONE : 0;
    if (tick > last || tick <= first)
        return true;
    const struct ras_value *v = list + 1;
    for (uint64_t n = (tick - first) / every; n && v < cell_next(list); n--)
        v = cell_next(v);
    return (tick - first) % every == 0 && v < cell_next(list) && cell_uint(v, begin);
}

static bool span_of_json(const struct ras_rundir *run, const struct rundir_ticks *t,
                         uint64_t span[2])
{
    uint64_t begin = 0, end = RAS_NONE;
    if (t->has_first && t->first > 0 && !begin_of(run, (uint64_t)t->first, &begin))
        return false;
    if (t->has_last && t->last < 0)
        end = 0;
    else if (t->has_last && !begin_of(run, (uint64_t)t->last + 1, &end))
        return false;
    span[0] = begin > span[0] ? begin : span[0];
    span[1] = end;
    return true;
}

bool rundir_span(const struct ras_rundir *run, const struct rundir_ticks *ticks, uint64_t span[2])
{
    struct ras_trace *clock = clock_of(run);
    span[0] = 1; /* what is stored at time 0, as symbols are, is of no tick */
    span[1] = RAS_NONE;
    return (clock && span_of_records(clock, ticks, span)) || span_of_json(run, ticks, span);
}
