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

uint64_t rundir_tick_at(const struct ras_rundir *run, uint64_t time_ns)
{
    for (size_t i = 0; i < run->pen_count; i++) {
        struct ras_trace *trace = run->pens[i].trace;
        if (!trace || !(ras_format_of(trace)->axes & 1u << RAS_AXIS_TIME) || !has_ticks(trace))
            continue;
        uint64_t tick = by_records(trace, time_ns);
        if (tick != RAS_NONE)
            return tick;
    }
    return by_json(run, time_ns);
}
