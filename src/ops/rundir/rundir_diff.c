/* rundir_diff.c - two runs, pen by pen: where each pen diverges, and at which tick. */
#include "base/error.h"
#include "base/struct_size.h"
#include "core/format.h"
#include "core/passes.h"
#include "core/row.h"
#include "ops/compare/diff.h"
#include "ops/rundir/rundir_axes.h"

#include <stdlib.h>

/* The public struct, and the memory of its rows. */
struct held {
    struct ras_rundiff diff;
    struct document doc;
};

static struct ras_rundir_pen *find(struct ras_rundir *run, const char *format)
{
    for (size_t i = 0; i < run->pen_count; i++)
        if (!strcmp(run->pens[i].format, format))
            return &run->pens[i];
    return NULL;
}

/* ---- one pen ---------------------------------------------------------------------------- */

/* Bounds are ticks, converted for another axis. False: not known. */
static bool on_axis(const struct ras_rundir *run, const char *axis, int64_t *bound, bool last)
{
    uint64_t first, tick, per = 1;
    if (!strcmp(axis, "tick"))
        return true;
    if (!rundir_uint(run, (const char *const[]){"axes", axis, "first", NULL}, &first) ||
        !rundir_uint(run, (const char *const[]){"axes", axis, "first_tick", NULL}, &tick))
        return false;
    (void)!rundir_uint(run, (const char *const[]){"axes", axis, "per_tick", NULL}, &per);
    int64_t ticks, there;
    return per && !__builtin_sub_overflow(*bound, tick, &ticks) &&
           !__builtin_add_overflow(ticks, last, &ticks) &&
           !__builtin_mul_overflow(ticks, per, &there) &&
           !__builtin_add_overflow(there, first, &there) &&
           !__builtin_sub_overflow(there, last, bound);
}

bool rundir_on_axis(const struct ras_rundir *run, const char *axis, int64_t range[2])
{
    return on_axis(run, axis, &range[0], false) && on_axis(run, axis, &range[1], true);
}

const char *rundir_report_axis(const struct ras_trace *trace)
{
    const struct compare_ops *ops = trace->format->compare;
    if (trace->format->about.axes & 1u << RAS_AXIS_TICK)
        return ops ? ops->word : "tick";
    return ops && ops->takes & COMPARE_SPANS ? NULL : "tick";
}

/* Bounds are ticks, whatever axis the format has. */
static int bound(struct rundir_pair *p, struct ras_error *err)
{
    struct ras_compare_options *how = &p->how;
    const char *axis = rundir_report_axis(p->pens[0]->trace);
    const struct rundir_ticks ticks = {how->has_first, how->has_last, how->outside, how->first,
                                       how->last};
    how->outside = false;
    if (axis) {
        if ((!how->has_first || on_axis(p->runs[0], axis, &how->first, false)) &&
            (!how->has_last || on_axis(p->runs[0], axis, &how->last, true)))
            return RAS_OK;
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "run.json does not give ticks by %s", axis);
    }
    const size_t pens[2] = {(size_t)(p->pens[0] - p->runs[0]->pens),
                            (size_t)(p->pens[1] - p->runs[1]->pens)};
    int status = rundir_spans(&p->spans, p->runs, pens, &ticks, err);
    how->spans = p->spans.items;
    how->span_count = p->spans.count;
    how->only_spans = how->has_first || how->has_last;
    how->has_first = how->has_last = false;
    return status;
}

int rundir_pair_adapt(struct rundir_pair *p, const struct ras_compare_options *options,
                      struct ras_error *err)
{
    size_t count = options->ignored_count + p->pens[0]->vary_count + p->pens[1]->vary_count, n = 0;
    const char **ignored = calloc(count + 1, sizeof *ignored);
    p->how = *options;
    p->how.any_paths = true; /* a path may be another pen's: all were checked together */
    p->how.ignored = ignored;
    if (!ignored)
        return fail_memory(err);
    for (size_t i = 0; i < options->ignored_count; i++)
        ignored[n++] = options->ignored[i];
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < p->pens[side]->vary_count; i++)
            ignored[n++] = p->pens[side]->varies[i];
    p->how.ignored_count = n;
    return bound(p, err);
}

void rundir_pair_free(struct rundir_pair *p)
{
    free((void *)(uintptr_t)p->how.ignored);
    free(p->spans.items);
    p->how.ignored = NULL;
    p->spans = (struct rundir_spans){0};
}

static int compare_pair(struct rundir_pair *p, const struct ras_compare_options *options,
                        struct ras_diff **out, struct ras_error *err)
{
    int status = rundir_pair_adapt(p, options, err);
    if (status == RAS_OK)
        status = ras_diff(out, p->pens[0]->trace, p->pens[1]->trace, &p->how, err);
    rundir_pair_free(p);
    return status;
}

/* The tick of its first divergence: the earlier one, if the records of the two sides are of
 * different ticks. */
static void place(struct ras_rundiff_pen *out, const struct rundir_pair *p)
{
    const struct ras_divergence *v = &out->diff->divergences[0];
    const struct ras_value *at = &v->at[0].value;
    for (int side = 0; side < 2; side++) {
        const struct ras_rundir *run = p->runs[side];
        size_t pen = (size_t)(p->pens[side] - run->pens);
        if (v->seq[side] == RAS_NONE)
            continue;
        uint64_t tick = ras_rundir_tick_of(run, pen, v->stream[side], v->seq[side]);
        out->tick = tick < out->tick ? tick : out->tick;
        out->about |= rundir_is_about(run, pen, v->stream[side]);
    }
    bool counted = at->kind == RAS_UINT || (at->kind == RAS_INT && at->i >= 0);
    if (rundir_report_axis(p->pens[0]->trace) && counted)
        out->tick = rundir_tick_on(p->runs[0], out->diff->word, at->u);
}

static const char *missing(const struct ras_rundir *run, const struct ras_rundir_pen *pen)
{
    if (pen)
        return pen->left_out;
    return run->json ? "run.json does not name it" : "no trace of its format was found";
}

bool rundir_pair_open(struct rundir_pair *p, struct ras_rundir *const *runs, const char *format,
                      int *failed, struct ras_error *err)
{
    *p = (struct rundir_pair){.runs = runs, .pens = {find(runs[0], format), find(runs[1], format)}};
    for (int side = 0; side < 2; side++) {
        const struct ras_rundir_pen *pen = p->pens[side];
        *failed = side;
        if (pen && pen->trace)
            continue;
        if (missing(runs[side], pen))
            fail(err, RAS_EUNSUPPORTED, RAS_NONE, "not recorded: %.200s", missing(runs[side], pen));
        else
            *err = pen->err;
        return false;
    }
    *failed = 2;
    return true;
}

/* All differences in the tick in which the two diverge. A tick or frame is one position, and
 * reported as a whole; events and calls are many per tick. */
static void compare_closer(struct ras_rundiff_pen *out, struct rundir_pair *p,
                           const struct ras_compare_options *options)
{
    struct ras_compare_options closer = *options;
    if (out->tick > INT64_MAX || out->about || rundir_report_axis(p->pens[0]->trace))
        return;
    closer.has_first = closer.has_last = closer.keep_going = true;
    closer.first = closer.last = (int64_t)out->tick;
    closer.no_tables = true;
    if (compare_pair(p, &closer, &out->in_tick, NULL) == RAS_OK &&
        !out->in_tick->divergence_count) {
        ras_diff_free(out->in_tick);
        out->in_tick = NULL;
    }
}

static void compare_pen(struct ras_rundiff_pen *out, struct ras_rundir *const *runs,
                        const struct ras_compare_options *options)
{
    struct rundir_pair p;
    out->tick = RAS_NONE;
    if (!rundir_pair_open(&p, runs, out->format, &out->failed, &out->err))
        return;
    int status = compare_pair(&p, options, &out->diff, &out->err);
    if (status != RAS_OK || !out->diff->divergence_count)
        return;
    place(out, &p);
    compare_closer(out, &p, options);
}

/* ---- both runs -------------------------------------------------------------------------- */

/* How many ticks a world runs is an option of it; of a program it is what it did. */
static bool is_setting(const char *key, struct ras_rundir *const *runs)
{
    return strcmp(key, "ticks") != 0 ||
           (map_find(runs[0]->json, "world") && map_find(runs[1]->json, "world"));
}

/* The options of the runs, where they differ. */
static void compare_settings(struct held *h, struct ras_rundir *const *runs)
{
    static const char *const keys[] = {"world",  "program", "recipe",  "seed",
                                       "player", "ticks",   "versions"};
    size_t rows = 0, list = document_open(&h->doc, RAS_LIST);
    for (size_t i = 0; runs[0]->json && runs[1]->json && i < sizeof keys / sizeof *keys; i++) {
        const struct ras_value *a = map_find(runs[0]->json, keys[i]);
        const struct ras_value *b = map_find(runs[1]->json, keys[i]);
        if (a && b && is_setting(keys[i], runs))
            rows += fields_compare(&h->doc, NULL, NULL, keys[i], a, b, FIELDS_BITS);
    }
    document_close(&h->doc, list);
    if (rows && !h->doc.cells.nomem)
        h->diff.settings = h->doc.cells.items;
}

size_t rundir_formats(struct ras_rundir *const *runs, const char **formats)
{
    size_t count = 0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < runs[side]->pen_count; i++) {
            const struct ras_rundir_pen *pen = &runs[side]->pens[i];
            const struct ras_rundir_pen *other = find(runs[!side], pen->format);
            bool known = false;
            for (size_t k = 0; k < count; k++)
                known |= !strcmp(formats[k], pen->format);
            if (!known && (!pen->left_out || (other && !other->left_out)))
                formats[count++] = pen->format;
        }
    return count;
}

static bool list_pens(struct ras_rundiff *d, struct ras_rundir *const *runs)
{
    size_t most = runs[0]->pen_count + runs[1]->pen_count + 1;
    const char **formats = calloc(most, sizeof *formats);
    d->pens = calloc(most, sizeof *d->pens);
    if (formats && d->pens)
        d->pen_count = rundir_formats(runs, formats);
    for (size_t i = 0; i < d->pen_count; i++)
        d->pens[i].format = formats[i];
    bool ok = formats && d->pens;
    free((void *)(uintptr_t)formats);
    if (!ok)
        free(d->pens);
    return ok;
}

/* A path must be known to one of the pens. */
static int check_pens(struct ras_rundir *const *runs, const struct ras_compare_options *options,
                      struct ras_error *err)
{
    size_t count = 0;
    struct ras_trace **traces = calloc(runs[0]->pen_count + runs[1]->pen_count + 1, sizeof *traces);
    if (!traces)
        return fail_memory(err);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < runs[side]->pen_count; i++)
            if (runs[side]->pens[i].trace)
                traces[count++] = runs[side]->pens[i].trace;
    int status = check_paths(traces, count, options, err);
    free(traces);
    return status;
}

static uint64_t bytes_of(const struct ras_rundir_pen *pen)
{
    return pen && pen->trace ? ras_size(pen->trace) : 0;
}

static uint64_t all_bytes(const struct ras_rundir *run)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < run->pen_count; i++)
        sum += bytes_of(&run->pens[i]);
    return sum;
}

/* Formats count what they please (bytes, ticks): it becomes a share of the pen's bytes. */
struct pen_progress {
    struct passes passes;
    uint64_t bytes; /* of the current pen */
};

static bool pen_progress(void *user, uint64_t done, uint64_t total)
{
    struct pen_progress *p = user;
    double share = total ? (double)done / (double)total : 0;
    return passes_inner(&p->passes, (uint64_t)(share * (double)p->bytes), p->passes.all);
}

/* False: the options end there, or before. */
static bool end_at(struct ras_compare_options *how, uint64_t last)
{
    if (last > INT64_MAX)
        return true;
    if (how->has_last && how->last <= (int64_t)last)
        return false;
    how->has_last = true;
    how->last = (int64_t)last;
    return true;
}

/* Runs that were not closed are compared up to the last tick that all their traces have. Returns
 * whether the options want more. */
static bool end_at_common(struct ras_compare_options *how, struct ras_rundir *const *runs)
{
    bool cut = false;
    for (int side = 0; side < 2; side++)
        if (rundir_is_incomplete(runs[side]))
            cut |= end_at(how, rundir_reached(runs[side], NULL, 0));
    return cut;
}

/* If what a program did after the last tick was lost, no tick is missing there. */
static bool end_at_lost(struct ras_compare_options *how, struct ras_rundir *const *runs)
{
    struct ras_rundir_ended ended;
    bool cut = false;
    for (int side = 0; side < 2; side++) {
        ras_rundir_how_ended(runs[side], &ended);
        if (ended.lost && ended.closed)
            cut |= end_at(how, ended.last);
    }
    return cut;
}

/* Whether it has calls: they are of another recorder, which knows what it has lost. */
static bool has_calls(struct ras_rundir *const *runs, const char *format)
{
    for (int side = 0; side < 2; side++) {
        const struct ras_rundir_pen *pen = find(runs[side], format);
        if (pen && pen->trace && rundir_is_unmarked(pen->trace))
            return true;
    }
    return false;
}

int ras_rundiff(struct ras_rundiff **out, struct ras_rundir *expected, struct ras_rundir *actual,
                const struct ras_compare_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_compare_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    struct ras_rundir *const runs[2] = {expected, actual};
    struct held *h = calloc(1, sizeof *h);
    if (!h || !list_pens(&h->diff, runs)) {
        free(h);
        return fail_memory(err);
    }
    struct ras_rundiff *d = &h->diff;
    d->first_tick = RAS_NONE;
    d->unfinished = end_at_common(&own, runs);
    struct ras_compare_options stored = own;
    d->unfinished |= end_at_lost(&stored, runs);
    struct pen_progress progress = {
        .passes = {.progress = own.progress, .user = own.user, .all = all_bytes(runs[0])}};
    if (own.progress) {
        own.progress = stored.progress = pen_progress;
        own.user = stored.user = &progress;
    }
    for (size_t i = 0; i < d->pen_count && !progress.passes.canceled; i++) {
        struct ras_rundiff_pen *pen = &d->pens[i];
        progress.bytes = bytes_of(find(runs[0], pen->format));
        compare_pen(pen, runs, has_calls(runs, pen->format) ? options : &stored);
        passes_next(&progress.passes, progress.bytes);
        if (!pen->diff)
            continue;
        d->compared++;
        d->checked += pen->diff->checked;
        d->diverged |= pen->diff->divergence_count != 0;
        if (pen->tick < d->first_tick)
            d->first_tick = pen->tick;
    }
    compare_settings(h, runs);
    int status = progress.passes.canceled ? fail_canceled(err) : check_pens(runs, options, err);
    if (status < 0)
        ras_rundiff_free(d);
    else
        *out = d;
    return status;
}

void ras_rundiff_free(struct ras_rundiff *diff)
{
    struct held *h = (struct held *)diff;
    if (!h)
        return;
    for (size_t i = 0; i < diff->pen_count; i++) {
        ras_diff_free(diff->pens[i].diff);
        ras_diff_free(diff->pens[i].in_tick);
    }
    free(diff->pens);
    document_free(&h->doc);
    free(h);
}

/* ---- several ---------------------------------------------------------------------------- */

size_t ras_runbisect_nearest(const struct ras_runbisect *b)
{
    size_t best = b->pair_count;
    for (size_t i = 0; i < b->pair_count; i++) {
        const struct ras_rundiff *d = b->pairs[i].diff;
        if (!d->diverged)
            return b->pair_count;
        if (d->first_tick != RAS_NONE &&
            (best == b->pair_count || d->first_tick > b->pairs[best].diff->first_tick))
            best = i;
    }
    return best;
}

bool ras_runbisect_window(const struct ras_rundiff *d, uint64_t before, uint64_t after,
                          int64_t *first, int64_t *last)
{
    const struct ras_divergence at = {.at = {{.value = value_of_uint(d->first_tick)}}};
    return ras_bisect_window(&at, before, after, first, last);
}
