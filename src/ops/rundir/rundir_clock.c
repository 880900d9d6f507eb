/* rundir_clock.c - which calls are of which tick in runs that do not mark it: by the clock.
 *
 * Run directories of version 1 are such. A time is that of a tick by the first event at or
 * after it that has a field `tick`, for what is recorded of a tick bears the time when it was
 * over; where there is none, by the times that run.json has. What lies at a border may so be
 * taken for a neighbour's. */
#include "core/format.h"
#include "ops/rundir/rundir_axes.h"

#include <stdlib.h>

/* Ticks, and the first time that is behind those before them: one column. */
struct borders {
    struct tick_index of;
};

static bool tick_in(const struct ras_cursor *c, uint64_t *tick)
{
    const struct ras_schema *s = ras_schema_of(c);
    size_t count;
    const struct ras_value *v = ras_values(c, &count), *end = v + count;
    for (; v < end; v = ras_value_next(v))
        if (v->field < s->field_count && !strcmp(s->fields[v->field].name, "tick"))
            return cell_uint(v, tick);
    return false;
}

/* By the events of a trace: a tick begins behind the last event of the one before. */
static void borders_of_events(struct borders *b, struct ras_trace *trace)
{
    static const char *const fields[] = {"tick"};
    const struct ras_pick pick = {.fields = fields, .field_count = 1};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    const struct ras_record *r;
    struct ras_cursor *c;
    uint64_t tick, now = RAS_NONE, over = 0;
    if (ras_cursor_open(&c, trace, &scan, NULL) < 0)
        return;
    while (ras_next(c, &r, NULL) == RAS_OK) {
        if (!(r->flags & RAS_HAS_TIME) || !tick_in(c, &tick) || r->time_ns == RAS_NONE)
            continue;
        if (now == RAS_NONE || tick > now)
            tick_index_add(&b->of, "", tick, over);
        now = tick;
        if (r->time_ns >= over)
            over = r->time_ns + 1;
    }
    ras_cursor_close(c);
}

/* run.json has the beginning of every tick, or of every so many. */
static void borders_of_json(struct borders *b, const struct ras_rundir *run)
{
    const struct ras_value *list =
        rundir_find(run, (const char *const[]){"axes", "time_ns", "begin", NULL});
    uint64_t tick, every, begin;
    if (!list || list->kind != RAS_LIST ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "first_tick", NULL}, &tick) ||
        !rundir_uint(run, (const char *const[]){"axes", "time_ns", "every", NULL}, &every))
        return;
    for (const struct ras_value *v = list + 1; v < ras_value_next(list); v = ras_value_next(v)) {
        if (!cell_uint(v, &begin))
            return;
        tick_index_add(&b->of, "", tick, begin);
        tick += every;
    }
}

/* The thread whose calls are being placed. */
struct thread {
    const struct tick_column *borders;
    struct tick_index *index;
    const char *format;
    uint32_t stream;
    uint64_t next; /* border */
    uint64_t seq;
};

/* Ticks that begin up to a time begin with the call that is next. */
static void begin_ticks(struct thread *t, uint64_t time_ns)
{
    char name[TICK_NAME];
    snprintf(name, sizeof name, "%.8s.%" PRIu32 ".tick", t->format, t->stream);
    for (; t->next < t->borders->count && tick_column_value(t->borders, t->next) <= time_ns;
         t->next++)
        tick_index_add(t->index, name, tick_column_tick(t->borders, t->next), t->seq);
}

/* The calls of each thread that come first in a tick. */
static int place_calls(const struct borders *b, struct ras_trace *trace, struct tick_index *index)
{
    const struct ras_pick pick = {.type = "event"};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1, .headers_only = true};
    struct thread t = {.borders = tick_index_find(&b->of, ""),
                       .index = index,
                       .format = trace->format->about.name};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, trace, &scan, NULL);
    while (status == RAS_OK && (status = ras_next(c, &r, NULL)) == RAS_OK) {
        if (t.seq && r->stream != t.stream) {
            begin_ticks(&t, RAS_NONE);
            t.next = t.seq = 0;
        }
        t.stream = r->stream;
        begin_ticks(&t, r->time_ns);
        t.seq++;
    }
    if (t.seq)
        begin_ticks(&t, RAS_NONE);
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

static bool has_own(const struct tick_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        if (index->columns[i].kind == TICK_FIRST)
            return true;
    return false;
}

/* A trace whose records have times, but no ticks and nothing that marks them. */
static bool is_unmarked(const struct ras_trace *trace)
{
    const struct tick_ops *ops = trace->format->ticks;
    return ops && !ops->column;
}

bool rundir_by_clock(struct ras_rundir *run, struct tick_index *index)
{
    struct borders b = {0};
    bool added = false;
    for (size_t i = 0; i < run->pen_count; i++) {
        struct ras_trace *trace = run->pens[i].trace;
        if (trace && !b.of.count && trace->format->ticks && trace->format->ticks->column &&
            !(trace->format->about.axes & 1u << RAS_AXIS_TICK))
            borders_of_events(&b, trace);
    }
    if (!b.of.count)
        borders_of_json(&b, run);
    for (size_t i = 0; i < run->pen_count && b.of.count && !has_own(index); i++) {
        struct ras_trace *trace = run->pens[i].trace;
        if (trace && is_unmarked(trace))
            added |= place_calls(&b, trace, index) == RAS_OK && has_own(index);
    }
    tick_index_free(&b.of);
    return added;
}
