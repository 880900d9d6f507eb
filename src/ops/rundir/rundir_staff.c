/* rundir_staff.c - what goes on and what differs in each tick of a window of two runs.
 *
 * The comparison is that of ras_rundiff() with every divergence, which are counted by tick instead
 * of kept. Ticks and frames are places of their own. Events and calls are compared tick by tick, so
 * that an event that only one side has does not shift those of the next tick. */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/format.h"
#include "ops/compare/diff.h"
#include "ops/rundir/rundir_axes.h"

#include <stdlib.h>

/* A line while it is counted. */
struct staff_work {
    struct ras_staff_line *line;
    uint64_t first;
    size_t count;
    struct rundir_pair pair;
    const char *axis; /* of the reports; NULL: the order of records decides */
    uint64_t tick;    /* that is compared, where there is one at a time; RAS_NONE: several */
    /* Spans of calls, and the tick of each. */
    struct rundir_spans spans;
    uint64_t *ticks;
    size_t tick_room, span; /* span: of the last divergence */
};

static void staff_add(struct staff_work *w, uint64_t tick, uint64_t amount)
{
    if (tick == RAS_NONE || tick < w->first || tick - w->first >= w->count)
        return;
    uint64_t *d = &w->line->d[tick - w->first];
    *d = *d == RAS_NONE ? amount : *d + amount;
}

static void staff_restart(void *user)
{
    struct staff_work *w = user;
    memset(w->line->d, 0, w->count * sizeof *w->line->d);
}

/* ---- how much goes on -------------------------------------------------------------------- */

static struct compare_activity activity_of(const struct ras_trace *trace)
{
    static const struct compare_activity records = {NULL, NULL, "records"};
    const struct compare_ops *ops = trace->format->compare;
    return ops && ops->activity.word ? ops->activity : records;
}

/* A tick is there when it has a record of the type that marks it, or one that is counted. */
static void count_record(const struct ras_cursor *c, const struct compare_activity *of, uint64_t *n)
{
    uint64_t amount = 1;
    if (*n == RAS_NONE)
        *n = 0;
    if (of->type && strcmp(ras_schema_of(c)->name, of->type) != 0)
        return;
    const struct ras_value *v = of->field ? ras_value_of(c, of->field) : NULL;
    if (of->field && (!v || !cell_uint(v, &amount)))
        amount = 0;
    *n += amount;
}

/* A cursor for the ticks of a window. Where the format has an index of ticks that nothing
 * contradicts it begins there, and the caller ends it after the window; else all records are
 * walked, as a range is before it is known that ticks ascend. */
static int open_window(struct ras_cursor **c, struct ras_trace *trace, const struct ras_scan *scan,
                       bool *indexed, struct ras_error *err)
{
    struct ras_scan all = *scan;
    struct ras_mark here;
    *indexed = false;
    if (trace->format->seek && !trace->format->seek_counts && scan->from &&
        trace->format->ascends >> RAS_AXIS_TICK & 1) {
        all.axis = RAS_AXIS_NONE;
        int status = ras_cursor_open(c, trace, &all, err);
        if (status == RAS_OK)
            status = ras_seek(*c, RAS_AXIS_TICK, scan->from, err);
        if (status < 0)
            return status;
        ras_mark(*c, &here);
        *indexed = here.seq == RAS_NONE;
        if (*indexed)
            return RAS_OK;
        ras_cursor_close(*c);
    }
    return ras_cursor_open(c, trace, scan, err);
}

/* Of a trace whose records have ticks; `range` is on its axis, `run` NULL: that is the window's. */
static int count_ticks(const struct staff_work *w, const struct ras_rundir *run,
                       struct ras_trace *trace, const int64_t range[2], uint64_t *n,
                       struct ras_error *err)
{
    const struct compare_activity of = activity_of(trace);
    const struct tick_ops *ticks = trace->format->ticks;
    struct ras_pick picks[2] = {
        {.type = of.type, .fields = &of.field, .field_count = of.field != NULL},
        {.type = ticks ? ticks->type : NULL},
    };
    struct ras_scan scan = {.picks = picks,
                            .pick_count = !of.type                                ? 0
                                          : ticks && strcmp(of.type, ticks->type) ? 2
                                                                                  : 1,
                            .axis = RAS_AXIS_TICK,
                            .headers_only = !of.field,
                            .from = range[0] > 0 ? (uint64_t)range[0] : 0,
                            .to = range[1] < 0 ? 0 : (uint64_t)range[1] + 1};
    const struct ras_record *r;
    struct ras_cursor *c;
    bool indexed;
    int status = open_window(&c, trace, &scan, &indexed, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK) {
        if (indexed && r->flags & RAS_HAS_TICK && r->tick >= scan.to)
            break;
        uint64_t tick = !(r->flags & RAS_HAS_TICK) ? RAS_NONE
                        : run                      ? rundir_tick_of_axis(run, trace, r->tick)
                                                   : r->tick;
        if (tick != RAS_NONE && tick >= w->first && tick - w->first < w->count)
            count_record(c, &of, &n[tick - w->first]);
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

/* Of a trace whose records are in ticks by their order: all streams that have the tick. */
static void count_spans(struct staff_work *w, const struct ras_rundir *run, size_t pen, uint64_t *n)
{
    struct ras_trace *trace = run->pens[pen].trace;
    const struct tick_ops *ops = trace->format->ticks;
    size_t streams;
    const struct ras_stream *at = ras_streams(trace, &streams);
    if (ops && ops->column)
        streams = streams ? 1 : 0; /* one column for all of them */
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = 0; k < streams; k++) {
            struct ras_span span;
            if (!ras_rundir_span_of(run, pen, at[k].id, w->first + i, true, &span))
                continue;
            bool known = span.to != RAS_NONE && span.to >= span.from;
            n[i] = (n[i] == RAS_NONE ? 0 : n[i]) + (known ? span.to - span.from : 1);
            w->line->about |= rundir_is_about(run, pen, at[k].id);
        }
}

static int count_side(struct staff_work *w, int side, struct ras_error *err)
{
    const struct ras_rundir *run = w->pair.runs[side];
    const struct ras_rundir_pen *pen = w->pair.pens[side];
    if (!pen || !pen->trace)
        return RAS_OK;
    w->line->counts = activity_of(pen->trace).word;
    if (!rundir_report_axis(pen->trace)) {
        count_spans(w, run, (size_t)(pen - run->pens), w->line->n[side]);
        return RAS_OK;
    }
    int64_t range[2] = {(int64_t)w->first, (int64_t)(w->first + w->count - 1)};
    if (!rundir_on_axis(run, rundir_report_axis(pen->trace), range))
        return RAS_OK;
    return count_ticks(w, run, pen->trace, range, w->line->n[side], err);
}

/* ---- what differs ------------------------------------------------------------------------ */

/* The tick of a record among the spans that are compared; divergences come in their order. */
static uint64_t tick_of_span(struct staff_work *w, const struct ras_divergence *v)
{
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; v->seq[side] != RAS_NONE && i < w->spans.count; i++) {
            const struct ras_compare_span *s = &w->spans.items[w->span];
            if (s->stream[side] == v->stream[side] && s->from[side] <= v->seq[side] &&
                v->seq[side] < s->to[side])
                return w->ticks[w->span];
            w->span = (w->span + 1) % w->spans.count;
        }
    return RAS_NONE;
}

static void staff_diverged(void *user, const struct ras_divergence *v, uint64_t amount)
{
    struct staff_work *w = user;
    const struct ras_value *at = &v->at[0].value;
    bool counted = at->kind == RAS_UINT || (at->kind == RAS_INT && at->i >= 0);
    if (w->tick != RAS_NONE)
        staff_add(w, w->tick, amount);
    else if (!w->axis)
        staff_add(w, tick_of_span(w, v), amount);
    else if (counted)
        staff_add(w, w->pair.runs ? rundir_tick_on(w->pair.runs[0], w->axis, at->u) : at->u,
                  amount);
}

static int count_pair(struct staff_work *w, const struct ras_compare_options *how,
                      struct ras_error *err)
{
    const struct compare_tally tally = {staff_diverged, staff_restart, w};
    return diff_count(w->pair.pens[0]->trace, w->pair.pens[1]->trace, how, &tally, err);
}

/* Ticks or frames: the window is a range of the axis. */
static int differ_range(struct staff_work *w, const struct ras_compare_options *options,
                        struct ras_error *err)
{
    struct ras_compare_options how = *options;
    how.has_first = how.has_last = true;
    how.first = (int64_t)w->first;
    how.last = (int64_t)(w->first + w->count - 1);
    int status = rundir_pair_adapt(&w->pair, &how, err);
    if (status == RAS_OK)
        status = count_pair(w, &w->pair.how, err);
    rundir_pair_free(&w->pair);
    return status;
}

static bool keep_spans(struct staff_work *w, uint64_t tick)
{
    const struct rundir_spans *s = &w->pair.spans;
    size_t count = w->spans.count + s->count;
    if (!array_grow(&w->spans.items, &w->spans.room, count, sizeof *w->spans.items) ||
        !array_grow(&w->ticks, &w->tick_room, count, sizeof *w->ticks))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        w->ticks[w->spans.count] = tick;
        w->spans.items[w->spans.count++] = s->items[i];
    }
    return true;
}

/* Events, one tick after the other; calls, whose spans are compared one by one anyway, at once. */
static int differ_spans(struct staff_work *w, const struct ras_compare_options *options, bool calls,
                        struct ras_error *err)
{
    struct ras_compare_options how = *options;
    int status = RAS_OK;
    how.has_first = how.has_last = true;
    for (size_t i = 0; i < w->count && status == RAS_OK; i++) {
        how.first = how.last = (int64_t)(w->first + i);
        status = rundir_pair_adapt(&w->pair, &how, err);
        w->tick = calls ? RAS_NONE : w->first + i;
        if (status == RAS_OK && calls)
            status = keep_spans(w, w->first + i) ? RAS_OK : fail_memory(err);
        else if (status == RAS_OK)
            status = count_pair(w, &w->pair.how, err);
        if (i + 1 < w->count || !calls || status < 0)
            rundir_pair_free(&w->pair);
    }
    if (status == RAS_OK && calls) {
        struct ras_compare_options all = w->pair.how;
        all.spans = w->spans.items;
        all.span_count = w->spans.count;
        w->tick = RAS_NONE;
        status = count_pair(w, &all, err);
        rundir_pair_free(&w->pair);
    }
    return status;
}

/* What a side that was cut, or that is not there, would have had is not known; nor is a tick that
 * neither has a difference. */
static void settle_unknown(struct ras_staff_line *line, size_t count, const bool lost[2])
{
    for (size_t i = 0; i < count; i++) {
        bool none[2] = {line->n[0][i] == RAS_NONE, line->n[1][i] == RAS_NONE};
        if ((none[0] && none[1]) || (none[0] && lost[0]) || (none[1] && lost[1]))
            line->d[i] = RAS_NONE;
    }
}

static bool is_lost(const struct ras_trace *trace)
{
    return !trace || ras_ending(trace).kind >= RAS_CUT;
}

/* One line; only a lack of memory and a cancellation are errors. */
static int count_line(struct staff_work *w, struct ras_rundir *const *runs,
                      const struct ras_compare_options *options, struct ras_error *err)
{
    struct ras_staff_line *line = w->line;
    bool both = rundir_pair_open(&w->pair, runs, line->format, &line->failed, &line->err);
    int status = count_side(w, 0, &line->err);
    if (status == RAS_OK)
        status = count_side(w, 1, &line->err);
    if (status == RAS_OK && both) {
        const struct tick_ops *ticks = w->pair.pens[0]->trace->format->ticks;
        memset(line->d, 0, w->count * sizeof *line->d);
        w->axis = rundir_report_axis(w->pair.pens[0]->trace);
        status = w->axis ? differ_range(w, options, &line->err)
                         : differ_spans(w, options, !ticks || !ticks->column, &line->err);
    }
    free(w->spans.items);
    free(w->ticks);
    if (status == RAS_EMEMORY || status == RAS_ECANCELED) {
        if (err)
            *err = line->err;
        return status;
    }
    const bool lost[2] = {!both || status < 0 || is_lost(w->pair.pens[0]->trace),
                          !both || status < 0 || is_lost(w->pair.pens[1]->trace)};
    for (size_t i = 0; i < w->count && (!both || status < 0); i++)
        line->d[i] = RAS_NONE;
    settle_unknown(line, w->count, lost);
    return RAS_OK;
}

/* ---- two traces -------------------------------------------------------------------------- */

/* Places that are numbers of records: what was inserted or deleted shifts those of the other side.
 */
struct staff_places {
    struct staff_work work;
    uint32_t stream;
    bool streamed; /* numbers are those of a stream */
    uint64_t inserted, deleted;
};

static void places_diverged(void *user, const struct ras_divergence *v, uint64_t amount)
{
    struct staff_places *p = user;
    const struct ras_value *at = &v->at[0].value;
    bool both = v->seq[0] != RAS_NONE && v->seq[1] != RAS_NONE;
    int side = v->seq[0] != RAS_NONE ? 0 : 1;
    if (at->kind != RAS_UINT || (p->streamed && v->stream[side] != p->stream))
        return;
    bool lone = !both && v->seq[side] != RAS_NONE;
    if (lone && side)
        p->inserted += amount;
    else if (lone)
        p->deleted += amount;
    if (!lone || side) {
        staff_add(&p->work, at->u, amount);
        return;
    }
    /* Records that only the expected side has differ each at its own place. */
    uint64_t from = at->u > p->work.first ? at->u : p->work.first;
    uint64_t end = at->u + amount, past = p->work.first + p->work.count;
    for (uint64_t i = from; i < (end < past ? end : past); i++)
        staff_add(&p->work, i, 1);
}

static void places_restart(void *user)
{
    struct staff_places *p = user;
    p->inserted = p->deleted = 0;
    staff_restart(&p->work);
}

/* How many numbered records a side has in the stream. */
static int count_records(const struct staff_places *p, struct ras_trace *trace, uint64_t *count,
                         struct ras_error *err)
{
    const struct tick_ops *ops = trace->format->ticks;
    const struct ras_scan scan = {.headers_only = true,
                                  .streams = p->streamed ? &p->stream : NULL,
                                  .stream_count = p->streamed};
    const struct ras_record *r;
    struct ras_cursor *c;
    *count = 0;
    int status = ras_cursor_open(&c, trace, &scan, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK) {
        uint64_t number = ops && ops->number ? ops->number(trace, r) : r->seq;
        if (number != RAS_NONE && number >= *count)
            *count = number + 1;
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

static int count_places(struct staff_places *p, struct ras_trace *const *sides,
                        const struct ras_compare_options *options, struct ras_error *err)
{
    const struct compare_tally tally = {places_diverged, places_restart, p};
    struct staff_work *w = &p->work;
    const struct tick_ops *ops = sides[0]->format->ticks;
    uint64_t reach[2];
    p->streamed = ops && ops->number;
    int status = diff_count(sides[0], sides[1], options, &tally, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = count_records(p, sides[i], &reach[i], err);
    if (status < 0)
        return status;
    /* The other side's records, counted by the places of the expected ones. */
    reach[1] = reach[1] + p->deleted > p->inserted ? reach[1] + p->deleted - p->inserted : 0;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < w->count; k++)
            w->line->n[i][k] = w->first + k < reach[i] ? 1 : RAS_NONE;
    return RAS_OK;
}

static int count_axis(struct staff_work *w, struct ras_trace *const *sides,
                      const struct ras_compare_options *options, struct ras_error *err)
{
    const int64_t range[2] = {(int64_t)w->first, (int64_t)(w->first + w->count - 1)};
    const struct compare_tally tally = {staff_diverged, staff_restart, w};
    struct ras_compare_options how = *options;
    how.has_first = how.has_last = true;
    how.first = range[0];
    how.last = range[1];
    w->axis = "tick"; /* as the window has it */
    int status = diff_count(sides[0], sides[1], &how, &tally, err);
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = count_ticks(w, NULL, sides[i], range, w->line->n[i], err);
    return status;
}

/* ---- the window -------------------------------------------------------------------------- */

static bool line_new(struct ras_staff_line *line, size_t count)
{
    uint64_t *all = calloc(3 * count, sizeof *all);
    if (!all)
        return false;
    line->n[0] = all;
    line->n[1] = all + count;
    line->d = all + 2 * count;
    memset(all, 0xff, 3 * count * sizeof *all);
    line->counts = "records";
    line->failed = 2;
    return true;
}

static int staff_new(struct ras_staff **out, const char *const *formats, size_t lines,
                     uint64_t first, uint64_t last, struct ras_error *err)
{
    *out = NULL;
    if (last < first || last - first >= RAS_STAFF_MOST || last > INT64_MAX - 1)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "a window from %" PRIu64 " to %" PRIu64 ": at most %u can be counted", first,
                    last, RAS_STAFF_MOST);
    struct ras_staff *s = calloc(1, sizeof *s);
    if (s)
        s->lines = calloc(lines + 1, sizeof *s->lines);
    if (!s || !s->lines) {
        free(s);
        return fail_memory(err);
    }
    s->first = first;
    s->last = last;
    s->line_count = lines;
    for (size_t i = 0; i < lines; i++) {
        s->lines[i].format = formats[i];
        if (!line_new(&s->lines[i], (size_t)(last - first) + 1)) {
            ras_staff_free(s);
            return fail_memory(err);
        }
    }
    *out = s;
    return RAS_OK;
}

void ras_staff_free(struct ras_staff *staff)
{
    if (!staff)
        return;
    for (size_t i = 0; i < staff->line_count; i++)
        free(staff->lines[i].n[0]);
    free(staff->lines);
    free(staff);
}

/* The window's options: what differs is counted to the end of it. */
static void plain_options(struct ras_compare_options *own)
{
    own->has_first = own->has_last = own->outside = own->only_spans = false;
    own->keep_going = own->no_tables = true;
    own->spans = NULL;
    own->span_count = 0;
    own->pictures = NULL;
}

int ras_rundiff_window(struct ras_staff **out, struct ras_rundir *expected,
                       struct ras_rundir *actual, uint64_t first, uint64_t last,
                       const struct ras_compare_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_compare_options own;
    if (!OPTIONS(&own, options, err))
        return RAS_EUSAGE;
    plain_options(&own);
    struct ras_rundir *const runs[2] = {expected, actual};
    const char **formats = calloc(expected->pen_count + actual->pen_count + 1, sizeof *formats);
    if (!formats)
        return fail_memory(err);
    int status = staff_new(out, formats, rundir_formats(runs, formats), first, last, err);
    free((void *)(uintptr_t)formats);
    for (size_t i = 0; status == RAS_OK && i < (*out)->line_count; i++) {
        struct staff_work w = {.line = &(*out)->lines[i],
                               .first = first,
                               .count = (size_t)(last - first) + 1,
                               .tick = RAS_NONE};
        status = count_line(&w, runs, &own, err);
    }
    if (status < 0) {
        ras_staff_free(*out);
        *out = NULL;
    }
    return status;
}

int ras_diff_window(struct ras_staff **out, struct ras_trace *expected, struct ras_trace *actual,
                    uint32_t stream, uint64_t first, uint64_t last,
                    const struct ras_compare_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_compare_options own;
    if (!OPTIONS(&own, options, err))
        return RAS_EUSAGE;
    plain_options(&own);
    struct ras_trace *const sides[2] = {expected, actual};
    const struct compare_ops *ops = expected->format->compare;
    const char *format = expected->format->about.name;
    int status = staff_new(out, &format, 1, first, last, err);
    if (status < 0)
        return status;
    struct staff_places p = {.stream = stream,
                             .work = {.line = (*out)->lines,
                                      .first = first,
                                      .count = (size_t)(last - first) + 1,
                                      .tick = RAS_NONE}};
    p.work.line->counts = activity_of(expected).word;
    staff_restart(&p.work);
    status = ops && ops->takes & COMPARE_RANGE ? count_axis(&p.work, sides, &own, err)
                                               : count_places(&p, sides, &own, err);
    const bool lost[2] = {is_lost(expected), is_lost(actual)};
    if (status == RAS_OK) {
        settle_unknown(p.work.line, p.work.count, lost);
        return RAS_OK;
    }
    ras_staff_free(*out);
    *out = NULL;
    return status;
}
