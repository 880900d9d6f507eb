/* versus.c - two runs or traces against each other: which lines there are, where each diverges,
 * and what of them is missing. */
#include "view/versus.h"
#include "base/error.h"
#include "core/format.h"
#include "core/registry.h"
#include "ops/compare/compare_driver.h"
#include "ops/rundir/rundir_axes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ------------------------------------------------------------------------------- */

/* What a format calls its line; the number of it on the staff. */
static void name_line(struct comparison_line *line, const struct ras_format *format)
{
    static const char *const names[] = {[LINE_INPUTS] = "inputs",
                                        [LINE_STATE] = "state",
                                        [LINE_PICTURES] = "pictures",
                                        [LINE_EVENTS] = "events",
                                        [LINE_CALLS] = "calls"};
    const struct compare_ops *ops = format ? format->compare : NULL;
    line->name = ops && ops->line ? ops->line : line->format;
    line->maker = ops && ops->maker ? ops->maker : "";
    line->counts = ops && ops->activity.word ? ops->activity.word : "records";
    line->kind = LINE_OTHER;
    for (int i = 0; i < LINE_OTHER; i++)
        if (!strcmp(line->name, names[i]))
            line->kind = i;
}

static int by_kind(const void *a, const void *b)
{
    const struct comparison_line *x = a, *y = b;
    return x->kind != y->kind ? x->kind - y->kind : strcmp(x->format, y->format);
}

static const struct ras_rundir_pen *pen_of(const struct ras_rundir *run, const char *format)
{
    for (size_t i = 0; i < run->pen_count; i++)
        if (!strcmp(run->pens[i].format, format))
            return &run->pens[i];
    return NULL;
}

/* The place of a record in its run or trace. */
static uint64_t place_of(const struct comparison *c, int side, const struct ras_rundir_pen *pen,
                         struct ras_trace *trace, const struct ras_record *r)
{
    const struct tick_ops *ops = trace->format->ticks;
    uint64_t number = ops && ops->number ? ops->number(trace, r) : r->seq;
    if (c->run[side] && r->flags & RAS_HAS_TICK)
        return rundir_tick_of_axis(c->run[side], trace, r->tick);
    if (c->run[side])
        return number == RAS_NONE
                   ? RAS_NONE
                   : ras_rundir_tick_of(c->run[side], (size_t)(pen - c->run[side]->pens), r->stream,
                                        number);
    /* Without a comparison by tick records are compared one by one, and their numbers are places.
     */
    const struct compare_ops *compare = trace->format->compare;
    if (trace->format->about.axes & 1u << RAS_AXIS_TICK && compare &&
        compare->takes & COMPARE_RANGE)
        return r->flags & RAS_HAS_TICK ? r->tick : RAS_NONE;
    return ops && ops->number && r->stream != c->stream ? RAS_NONE : number;
}

/* The first and last place of a trace: ticks of its records, or their numbers. */
static void trace_range(const struct comparison *c, int side, const struct ras_rundir_pen *pen,
                        struct ras_trace *trace, uint64_t range[2])
{
    const struct ras_scan scan = {.headers_only = true};
    bool ticks = trace->format->about.axes & 1u << RAS_AXIS_TICK;
    const struct ras_record *r;
    struct ras_record last = {0};
    struct ras_cursor *cursor;
    uint64_t seen = RAS_NONE;
    range[0] = range[1] = RAS_NONE;
    if (ras_cursor_open(&cursor, trace, &scan, NULL) < 0)
        return;
    while (ras_next(cursor, &r, NULL) == RAS_OK) {
        last = *r;
        if (c->run[side] && ticks && (!(r->flags & RAS_HAS_TICK) || r->tick == seen))
            continue; /* one look-up a tick */
        seen = r->flags & RAS_HAS_TICK ? r->tick : RAS_NONE;
        if (c->run[side] && !ticks)
            continue;
        uint64_t at = place_of(c, side, pen, trace, r);
        range[0] = at < range[0] ? at : range[0];
        if (at != RAS_NONE)
            range[1] = range[1] == RAS_NONE || at > range[1] ? at : range[1];
    }
    if (c->run[side] && !ticks && last.schema)
        range[1] = place_of(c, side, pen, trace, &last);
    ras_cursor_close(cursor);
}

static struct ras_trace *trace_of(const struct comparison *c, int side, const char *format)
{
    const struct ras_rundir_pen *pen = c->run[side] ? pen_of(c->run[side], format) : NULL;
    return c->run[side] ? pen ? pen->trace : NULL : c->single[side];
}

/* What of a line a side lacks. */
static void look_at_side(struct comparison *c, struct comparison_line *line, int side)
{
    const struct ras_rundir_pen *pen = c->run[side] ? pen_of(c->run[side], line->format) : NULL;
    struct ras_trace *trace = trace_of(c, side, line->format);
    uint64_t range[2];
    line->file[side] = pen ? pen->file : c->run[side] ? NULL : c->name[side];
    line->last[side] = RAS_NONE;
    if (!trace) {
        const char *why = !pen                  ? "run.json does not name it"
                          : pen->left_out       ? pen->left_out
                          : pen->err.status < 0 ? pen->err.text
                                                : "it is missing";
        line->missing[side] = arena_format(&c->texts, "%s", why);
        /* What was left out by intent is not lost. */
        line->unread[side] = pen && !pen->left_out;
        c->lost |= line->unread[side];
        return;
    }
    line->ending[side] = ras_ending(trace);
    if (line->ending[side].kind < RAS_CUT)
        return;
    trace_range(c, side, pen, trace, range);
    line->last[side] = range[1];
    c->lost = true;
}

static void take_diff(struct comparison *c, struct comparison_line *line,
                      const struct ras_diff *diff)
{
    line->diff = diff;
    line->checked = diff->checked;
    line->diverged = diff->divergence_count != 0;
    c->compared++;
    c->checked += diff->checked;
    c->divergent += line->diverged;
    c->diverged |= line->diverged;
}

/* ---- runs -------------------------------------------------------------------------------- */

static void run_range(struct comparison *c, int side)
{
    static const char *const bounds[] = {"first", "last"};
    const struct ras_rundir *run = c->run[side];
    const struct ras_value *axes = run->json ? ras_value_member(run->json, "axes") : NULL;
    const struct ras_value *tick =
        axes && axes->kind == RAS_MAP ? ras_value_member(axes, "tick") : NULL;
    for (int i = 0; i < 2; i++) {
        const struct ras_value *v =
            tick && tick->kind == RAS_MAP ? ras_value_member(tick, bounds[i]) : NULL;
        c->range[side][i] = v && v->kind == RAS_UINT ? v->u : RAS_NONE;
    }
    for (size_t i = 0; i < run->pen_count && c->range[side][1] == RAS_NONE; i++)
        if (run->pens[i].trace && run->pens[i].trace->format->about.axes & 1u << RAS_AXIS_TICK)
            trace_range(c, side, &run->pens[i], run->pens[i].trace, c->range[side]);
}

static void say_order(struct comparison *c)
{
    c->order = "";
    c->exact = true;
    for (int side = 0; side < 2; side++) {
        if (ras_rundir_order(c->run[side], NULL) != RAS_ORDER_CLOCK)
            continue;
        c->exact = false;
        c->order = arena_format(&c->texts,
                                "%s%s%s is a run of version 1: its calls are assigned to ticks by "
                                "the clock, at a border possibly to the wrong one.",
                                c->order, *c->order ? " " : "", c->name[side]);
    }
}

static int compare_runs(struct comparison *c, const struct ras_compare_options *how,
                        struct ras_error *err)
{
    c->word = "tick";
    int status = ras_rundiff(&c->rundiff, c->run[0], c->run[1], how, err);
    if (status < 0)
        return status;
    c->line_count = c->rundiff->pen_count;
    c->lines = calloc(c->line_count + 1, sizeof *c->lines);
    if (!c->lines)
        return fail_memory(err);
    for (size_t i = 0; i < c->line_count; i++) {
        const struct ras_rundiff_pen *pen = &c->rundiff->pens[i];
        struct comparison_line *line = &c->lines[i];
        line->format = pen->format;
        name_line(line, registry_find(pen->format));
        line->first = pen->tick;
        line->about = pen->about;
        line->here = pen->in_tick ? pen->in_tick : pen->diff;
        if (pen->diff)
            take_diff(c, line, pen->diff);
        else
            line->failed = pen->err.text;
        line->broken = !pen->diff && pen->failed == 2 && pen->err.status != RAS_EUNSUPPORTED &&
                       pen->err.status != RAS_ENOTHING;
        c->lost |= line->broken;
        look_at_side(c, line, 0);
        look_at_side(c, line, 1);
    }
    qsort(c->lines, c->line_count, sizeof *c->lines, by_kind);
    c->first = c->rundiff->first_tick;
    c->settings = c->rundiff->settings;
    run_range(c, 0);
    run_range(c, 1);
    c->lost |= c->run[0]->json_err.status || c->run[1]->json_err.status || c->rundiff->unfinished;
    say_order(c);
    return RAS_OK;
}

/* ---- traces ------------------------------------------------------------------------------ */

static uint64_t number_at(const struct ras_divergence *v)
{
    const struct ras_value *at = &v->at[0].value;
    return at->kind == RAS_UINT || (at->kind == RAS_INT && at->i >= 0) ? at->u : RAS_NONE;
}

static int compare_traces(struct comparison *c, const struct ras_compare_options *how,
                          struct ras_error *err)
{
    const struct compare_ops *ops = c->single[0]->format->compare;
    struct ras_error own = {0};
    int status = ras_diff(&c->diff, c->single[0], c->single[1], how, &own);
    struct comparison_line *line = c->lines = calloc(2, sizeof *c->lines);
    if (!line)
        return fail_memory(err);
    if (status < 0 && status != RAS_ENOTHING) {
        *err = own;
        return status;
    }
    c->line_count = 1;
    c->exact = true;
    c->order = "";
    c->word = ops ? ops->word : "record";
    line->format = c->single[0]->format->about.name;
    name_line(line, c->single[0]->format);
    line->first = RAS_NONE;
    line->here = c->diff;
    if (c->diff)
        take_diff(c, line, c->diff);
    else
        line->failed = arena_format(&c->texts, "%s", own.text);
    if (line->diverged) {
        const struct ras_divergence *v = c->diff->divergences;
        line->first = number_at(v);
        c->stream = v->seq[0] != RAS_NONE ? v->stream[0] : v->stream[1];
    }
    c->first = line->first;
    const struct tick_ops *ticks = c->single[0]->format->ticks;
    if (ticks && ticks->number)
        (void)ras_streams(c->single[0], &c->stream_count);
    for (int side = 0; side < 2; side++) {
        look_at_side(c, line, side);
        trace_range(c, side, NULL, c->single[side], c->range[side]);
    }
    return RAS_OK;
}

/* ---- both -------------------------------------------------------------------------------- */

/* From the first place of either to the last. */
static void join_ranges(struct comparison *c)
{
    c->from = RAS_NONE;
    c->to = 0;
    bool any = false;
    for (int side = 0; side < 2; side++) {
        if (c->range[side][0] == RAS_NONE || c->range[side][1] == RAS_NONE)
            continue;
        any = true;
        c->from = c->range[side][0] < c->from ? c->range[side][0] : c->from;
        c->to = c->range[side][1] > c->to ? c->range[side][1] : c->to;
    }
    if (!any)
        c->from = 1;
}

int comparison_new(struct comparison **out, const struct shown *shown,
                   const struct ras_compare_options *how, struct ras_error *err)
{
    *out = NULL;
    if (shown->side_count != 2)
        return fail(err, RAS_EUSAGE, RAS_NONE, "two runs or traces are compared, not %u",
                    shown->side_count);
    if (!shown->sides[0].run != !shown->sides[1].run)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "a run and a trace cannot be compared: choose the trace of the run");
    struct comparison *c = calloc(1, sizeof *c);
    if (!c)
        return fail_memory(err);
    for (int side = 0; side < 2; side++) {
        c->name[side] = shown->sides[side].origin->name;
        c->run[side] = shown->sides[side].run;
        c->single[side] = shown->sides[side].trace;
        c->range[side][0] = c->range[side][1] = RAS_NONE;
    }
    c->first = RAS_NONE;
    int status = c->run[0] ? compare_runs(c, how, err) : compare_traces(c, how, err);
    if (status < 0) {
        comparison_free(c);
        return status;
    }
    join_ranges(c);
    comparison_words(c);
    *out = c;
    return RAS_OK;
}

void comparison_free(struct comparison *c)
{
    if (!c)
        return;
    ras_rundiff_free(c->rundiff);
    ras_diff_free(c->diff);
    free(c->lines);
    arena_free(&c->texts);
    free(c);
}

void comparison_window(const struct comparison *c, uint64_t place, unsigned width,
                       uint64_t window[2])
{
    if (c->from > c->to) {
        window[0] = window[1] = 0;
        return;
    }
    place = place < c->from ? c->from : place > c->to ? c->to : place;
    uint64_t before = width / 2 - 1, all = c->to - c->from;
    window[0] = place - c->from > before ? place - before : c->from;
    window[1] = all < width ? c->to : window[0] + width - 1;
    if (window[1] > c->to) {
        window[1] = c->to;
        window[0] = c->to - c->from >= width ? c->to - width + 1 : c->from;
    }
}

static int line_order(const struct comparison *c, const char *format)
{
    for (size_t i = 0; i < c->line_count; i++)
        if (!strcmp(c->lines[i].format, format))
            return (int)i;
    return (int)c->line_count;
}

int comparison_count(const struct comparison *c, uint64_t first, uint64_t last,
                     const struct ras_compare_options *how, struct ras_staff **out,
                     struct ras_error *err)
{
    if (!c->run[0])
        return ras_diff_window(out, c->single[0], c->single[1], c->stream, first, last, how, err);
    int status = ras_rundiff_window(out, c->run[0], c->run[1], first, last, how, err);
    for (size_t i = 1; status == RAS_OK && i < (*out)->line_count; i++)
        for (size_t k = i; k && line_order(c, (*out)->lines[k].format) <
                                    line_order(c, (*out)->lines[k - 1].format);
             k--) {
            struct ras_staff_line other = (*out)->lines[k];
            (*out)->lines[k] = (*out)->lines[k - 1];
            (*out)->lines[k - 1] = other;
        }
    return status;
}

uint64_t comparison_reach(const struct comparison_line *line)
{
    uint64_t reach = RAS_NONE;
    for (int side = 0; side < 2; side++)
        if (!line->missing[side] && line->ending[side].kind >= RAS_CUT) {
            uint64_t last = line->last[side] == RAS_NONE ? 0 : line->last[side];
            reach = last < reach ? last : reach;
        }
    return reach;
}

bool comparison_is_at(const struct comparison *c, const struct ras_divergence *v, uint64_t place)
{
    return c->run[0] || number_at(v) == place;
}

int comparison_at(const struct comparison *c, uint64_t place, const struct ras_compare_options *how,
                  struct evidence *out, struct ras_error *err)
{
    struct ras_compare_options own = how ? *how : (struct ras_compare_options){0};
    const struct compare_ops *ops = c->run[0] ? NULL : c->single[0]->format->compare;
    *out = (struct evidence){.lines = calloc(c->line_count + 1, sizeof *out->lines)};
    if (!out->lines)
        return fail_memory(err);
    own.keep_going = own.no_tables = true;
    own.has_first = own.has_last = c->run[0] || (ops && ops->takes & COMPARE_RANGE);
    own.first = own.last = place > INT64_MAX ? INT64_MAX : (int64_t)place;
    int status = c->run[0] ? ras_rundiff(&out->rundiff, c->run[0], c->run[1], &own, err)
                           : ras_diff(&out->diff, c->single[0], c->single[1], &own, err);
    if (status == RAS_ENOTHING)
        return RAS_OK;
    for (size_t i = 0; status == RAS_OK && out->rundiff && i < out->rundiff->pen_count; i++) {
        const struct ras_rundiff_pen *pen = &out->rundiff->pens[i];
        out->lines[line_order(c, pen->format)] = pen->diff;
    }
    if (status == RAS_OK && out->diff)
        out->lines[0] = out->diff;
    if (status < 0)
        comparison_at_free(out);
    return status;
}

void comparison_at_free(struct evidence *e)
{
    ras_rundiff_free(e->rundiff);
    ras_diff_free(e->diff);
    free((void *)(uintptr_t)e->lines);
    *e = (struct evidence){0};
}
