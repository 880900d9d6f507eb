/* rundir_spans.c - the records of two runs that are compared with each other.
 *
 * Events: those of the requested ticks. Calls, where both runs mark when a tick has settled: those
 * inside ticks, each with the same tick of the other run; calls between ticks, such as waiting for
 * a clock, are left out unless `outside` requests them. */
#include "base/memory.h"
#include "core/format.h"
#include "ops/rundir/rundir_axes.h"

enum { MARK = 2 }; /* records of a mark: a call and its return */

/* A tick thread of both runs; `settled` NULL: the ends of ticks are not marked. */
struct threads {
    const struct tick_column *ticks[2], *settled[2];
};

bool rundir_is_about(const struct ras_rundir *run, size_t pen, uint32_t stream)
{
    const struct ras_trace *trace = run->pens[pen].trace;
    const struct tick_ops *ops = trace ? trace->format->ticks : NULL;
    return ops && !ops->column && !tick_index_stream(rundir_index(run), TICK_FIRST, stream) &&
           tick_index_stream(rundir_index(run), TICK_HEAD, stream);
}

/* The first and last requested tick, as unsigned numbers. */
static bool is_before(const struct rundir_ticks *t, uint64_t tick)
{
    return t->has_first && t->first > 0 && tick < (uint64_t)t->first;
}

static bool is_after(const struct rundir_ticks *t, uint64_t tick)
{
    return t->has_last && (t->last < 0 || tick > (uint64_t)t->last);
}

/* The marks of the requested ticks, half-open. */
static void marks_of(const struct tick_column *c, const struct rundir_ticks *t, uint64_t marks[2])
{
    marks[0] = t->has_first && t->first > 0 ? tick_column_since(c, (uint64_t)t->first) : 0;
    marks[1] = !t->has_last || t->last == INT64_MAX ? c->count
               : t->last < 0                        ? 0
                                                    : tick_column_since(c, (uint64_t)t->last + 1);
    if (marks[1] < marks[0])
        marks[1] = marks[0];
}

static int add(struct rundir_spans *s, const struct ras_compare_span *span, struct ras_error *err)
{
    if (!array_grow(&s->items, &s->room, s->count + 1, sizeof *s->items))
        return fail_memory(err);
    s->items[s->count++] = *span;
    return RAS_OK;
}

/* One span from the first tick's first record to the last one's last. */
static void reach(const struct tick_column *c, const struct rundir_ticks *t, uint64_t *from,
                  uint64_t *to)
{
    uint64_t marks[2];
    marks_of(c, t, marks);
    if (c->kind == TICK_LAST) {
        *from = !marks[0]              ? 0
                : marks[0] == c->count ? RAS_NONE
                                       : tick_column_value(c, marks[0] - 1) + 1;
        *to = !t->has_last ? RAS_NONE : marks[1] ? tick_column_value(c, marks[1] - 1) + 1 : 0;
    } else {
        *from = !t->has_first          ? 0
                : marks[0] == c->count ? RAS_NONE
                                       : tick_column_value(c, marks[0]);
        *to = marks[1] == c->count ? RAS_NONE : tick_column_value(c, marks[1]);
    }
    if (*to < *from)
        *to = *from;
}

/* ---- calls -------------------------------------------------------------------------------- */

static const struct tick_column *nth(const struct tick_index *index, enum tick_kind kind, size_t n)
{
    for (size_t i = 0; i < index->count; i++)
        if (index->columns[i].kind == kind && !n--)
            return &index->columns[i];
    return NULL;
}

/* Where a tick's own records end: at its `settled`, else at the next tick. *over: after that
 * mark. */
static uint64_t inside_end(const struct threads *t, int side, uint64_t i, uint64_t *over)
{
    const struct tick_column *ticks = t->ticks[side], *settled = t->settled[side];
    uint64_t next = i + 1 < ticks->count ? tick_column_value(ticks, i + 1) : RAS_NONE;
    uint64_t k = settled ? tick_column_since(settled, tick_column_tick(ticks, i)) : 0;
    *over = next;
    if (!settled || k == settled->count ||
        tick_column_tick(settled, k) != tick_column_tick(ticks, i))
        return next;
    uint64_t end = tick_column_value(settled, k);
    if (end < tick_column_value(ticks, i) || end >= next)
        return next;
    *over = end + MARK;
    return end;
}

/* The span of a tick, which may be missing on a side. */
static void take_tick(const struct threads *t, int side, uint64_t i, uint64_t tick,
                      struct ras_compare_span *span, uint64_t *over)
{
    const struct tick_column *c = t->ticks[side];
    span->stream[side] = c->stream;
    if (i < c->count && tick_column_tick(c, i) == tick) {
        span->from[side] = tick_column_value(c, i);
        span->to[side] = inside_end(t, side, i, over);
        return;
    }
    span->from[side] = span->to[side] = *over = i < c->count ? tick_column_value(c, i) : RAS_NONE;
}

/* Tick by tick; ticks with nothing but marks between them on both sides become one span. */
static int add_ticks(struct rundir_spans *s, const struct threads *t,
                     const struct rundir_ticks *wanted, struct ras_error *err)
{
    uint64_t at[2], marks[2], over[2] = {RAS_NONE, RAS_NONE};
    int status = RAS_OK;
    for (int side = 0; side < 2; side++) {
        marks_of(t->ticks[side], wanted, marks);
        at[side] = marks[0];
    }
    for (bool joined = false; status == RAS_OK; joined = true) {
        struct ras_compare_span span;
        uint64_t tick = RAS_NONE, end[2];
        for (int side = 0; side < 2; side++)
            if (at[side] < t->ticks[side]->count &&
                tick_column_tick(t->ticks[side], at[side]) < tick)
                tick = tick_column_tick(t->ticks[side], at[side]);
        if (tick == RAS_NONE || is_after(wanted, tick) || is_before(wanted, tick))
            break;
        for (int side = 0; side < 2; side++) {
            take_tick(t, side, at[side], tick, &span, &end[side]);
            at[side] += at[side] < t->ticks[side]->count &&
                        tick_column_tick(t->ticks[side], at[side]) == tick;
        }
        joined = joined && over[0] == span.from[0] && over[1] == span.from[1];
        if (joined)
            memcpy(s->items[s->count - 1].to, span.to, sizeof span.to);
        else
            status = add(s, &span, err);
        memcpy(over, end, sizeof over);
    }
    return status;
}

static int add_thread(struct rundir_spans *s, const struct threads *t,
                      const struct rundir_ticks *wanted, struct ras_error *err)
{
    struct ras_compare_span span = {.stream = {t->ticks[0]->stream, t->ticks[1]->stream}};
    if (t->settled[0] && t->settled[1] && !wanted->outside)
        return add_ticks(s, t, wanted, err);
    if (!wanted->has_first && !wanted->has_last)
        return RAS_OK; /* all of it */
    for (int side = 0; side < 2; side++)
        reach(t->ticks[side], wanted, &span.from[side], &span.to[side]);
    return add(s, &span, err);
}

/* Whether the requested ticks are among the known ones, which need not be so by clock. */
static bool is_known(const struct tick_column *c, const struct rundir_ticks *t)
{
    const uint64_t ends[2] = {(uint64_t)t->first, (uint64_t)t->last + 1};
    const bool given[2] = {t->has_first && t->first > 0,
                           t->has_last && t->last >= 0 && t->last < INT64_MAX};
    for (int i = 0; i < 2; i++) {
        uint64_t at = given[i] ? tick_column_since(c, ends[i]) : 0;
        if (given[i] && at && at < c->count && tick_column_tick(c, at) != ends[i])
            return false;
    }
    return true;
}

static int unknown(const struct ras_rundir *run, struct ras_error *err)
{
    return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                "it is not known which records belong to these ticks"
                " of %.150s",
                run->path);
}

static int add_calls(struct rundir_spans *s, struct ras_rundir *const runs[2],
                     const struct rundir_ticks *wanted, struct ras_error *err)
{
    bool bounded = wanted->has_first || wanted->has_last;
    const struct tick_index *index[2] = {rundir_index(runs[0]), rundir_index(runs[1])};
    bool clock[2] = {ras_rundir_order(runs[0], NULL) == RAS_ORDER_CLOCK,
                     ras_rundir_order(runs[1], NULL) == RAS_ORDER_CLOCK};
    int status = RAS_OK;
    for (size_t n = 0; status == RAS_OK; n++) {
        struct threads t = {.ticks = {nth(index[0], TICK_FIRST, n), nth(index[1], TICK_FIRST, n)}};
        for (int side = 0; side < 2 && bounded && n == 0; side++)
            if (!t.ticks[side] || (clock[side] && !is_known(t.ticks[side], wanted)))
                return unknown(runs[side], err);
        if (!t.ticks[0] || !t.ticks[1])
            break;
        for (int side = 0; side < 2; side++)
            t.settled[side] = tick_index_stream(index[side], TICK_SETTLED, t.ticks[side]->stream);
        status = add_thread(s, &t, wanted, err);
    }
    for (size_t n = 0; status == RAS_OK && bounded; n++) {
        const struct tick_column *a = nth(index[0], TICK_HEAD, n);
        const struct tick_column *b = a ? tick_index_stream(index[1], TICK_HEAD, a->stream) : NULL;
        struct threads t = {.ticks = {a, b}};
        if (!a)
            break;
        if (b)
            status = add_thread(s, &t, wanted, err);
    }
    return status;
}

/* Runs of version 1 do not mark them, and store their symbols elsewhere; one without a readable
 * run.json is assumed to be of the version of the other. */
static bool marks_ticks(const struct ras_rundir *run)
{
    uint64_t version;
    return !rundir_uint(run, (const char *const[]){"run_version", NULL}, &version) || version > 1;
}

int rundir_spans(struct rundir_spans *s, struct ras_rundir *const runs[2], const size_t pens[2],
                 const struct rundir_ticks *wanted, struct ras_error *err)
{
    const struct tick_ops *ops = runs[0]->pens[pens[0]].trace->format->ticks;
    struct ras_compare_span span = {0};
    *s = (struct rundir_spans){0};
    if (marks_ticks(runs[0]) != marks_ticks(runs[1]))
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                    "run_version 1 and 2: only one of the runs marks its ticks");
    if (ops && !ops->column)
        return add_calls(s, runs, wanted, err);
    if (!wanted->has_first && !wanted->has_last)
        return RAS_OK;
    for (int side = 0; side < 2; side++) {
        const struct tick_column *c =
            ops ? tick_index_find(rundir_index(runs[side]), ops->column) : NULL;
        if (!c || !c->count)
            return unknown(runs[side], err);
        reach(c, wanted, &span.from[side], &span.to[side]);
    }
    return add(s, &span, err);
}
