/* rundiff.c - diff and bisect of run directories. */
#include "cli/detail_text.h"
#include "cli/rundirs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_ALL = 24, LINES_EACH = 6, LINES_MOST = 8, INDENT = 11, DEEPER = 2 };

static void put_rest(struct answer *a, size_t places)
{
    if (places)
        answer_format(a, "%*sand %s of this tick: --json has them\n", INDENT, "",
                      ras_counted(places, "more place").text);
}

/* Of several events or calls of one tick each has a few lines. */
static void rundiff_put_all(struct answer *a, const struct ras_diff *d)
{
    struct page p = {.a = a, .indent = INDENT, .lines = LINES_ALL};
    size_t i = 0;
    for (; i < d->divergence_count && p.lines > 1; i++) {
        const struct ras_divergence *v = &d->divergences[i];
        (void)!line_begins(&p);
        put_places(a, v, "", "tick");
        answer_format(a, ": %s\n", v->kind);
        struct page own = {.a = a,
                           .indent = INDENT + DEEPER,
                           .lines = p.lines < LINES_EACH ? p.lines : LINES_EACH};
        p.lines -= own.lines;
        put_detail(&own, detail_members(v), v->detail);
        p.lines += own.lines;
        put_left(&own);
    }
    put_rest(a, d->divergence_count - i);
}

static void put_page(struct answer *a, const struct ras_divergence *v)
{
    struct page p = {.a = a, .indent = INDENT, .lines = LINES_MOST};
    put_detail(&p, detail_members(v), v->detail);
    put_left(&p);
}

static void put_settings(struct answer *a, const struct ras_value *rows)
{
    struct page p = {.a = a, .indent = INDENT, .lines = LINES_MOST};
    put_detail_rows(&p, rows);
    put_left(&p);
}

/* ---- pens -------------------------------------------------------------------------------- */

/* Of a trace that is cut not all was compared, though nothing differs in what was. */
static void put_same(struct answer *a, const struct ras_diff *d)
{
    static const char *const sides[] = {"expected", "actual"};
    bool whole = d->endings[0].kind < RAS_CUT && d->endings[1].kind < RAS_CUT;
    answer_format(a, "the same in %s%s", whole && d->checked != 1 ? "all of " : "",
                  ras_counted(d->checked, d->word).text);
    for (int i = 0; i < 2; i++)
        if (d->endings[i].kind >= RAS_CUT)
            answer_format(a, "; the %s trace is %s", sides[i], ras_ending_name(d->endings[i].kind));
    answer_format(a, "\n");
}

static void rundiff_put_pen(struct answer *a, const struct ras_rundiff *all,
                            const struct ras_rundiff_pen *pen)
{
    const struct ras_diff *d = pen->diff;
    answer_format(a, "%-9s", pen->format);
    if (!d) {
        answer_format(a, pen->err.status == RAS_ENOTHING ? "" : "not compared: ");
        answer_text(a, pen->err.text, strlen(pen->err.text));
        answer_format(a, "\n");
        return;
    }
    if (!d->divergence_count) {
        put_same(a, d);
        return;
    }
    const struct ras_divergence *v = &d->divergences[0];
    if (pen->tick == RAS_NONE)
        answer_format(a, "at no tick");
    else if (pen->tick > all->first_tick)
        answer_format(a, "the same at tick %" PRIu64 ", then %stick %" PRIu64, all->first_tick,
                      pen->about ? "about " : "", pen->tick);
    else
        answer_format(a, "%stick %" PRIu64, pen->about ? "about " : "", pen->tick);
    size_t places = pen->in_tick ? pen->in_tick->divergence_count : 1;
    if (places > 1 && pen->tick == all->first_tick) {
        answer_format(a, ": %zu places differ\n", places);
        rundiff_put_all(a, pen->in_tick);
        return;
    }
    put_places(a, v, ", ", "tick");
    answer_format(a, ": %s\n", v->kind);
    put_page(a, v);
    put_rest(a, places - 1);
}

/* The differences of two runs, format by format, as text. */
static void put_rundiff(struct answer *a, const struct ras_rundiff *d)
{
    put_result(a, d->checked || d->diverged ? ras_rundiff_status(d) : "unknown");
    if (d->first_tick != RAS_NONE)
        answer_format(a, " tick=%" PRIu64, d->first_tick);
    answer_format(a, " checked=%" PRIu64 "\n", d->checked);
    if (d->settings) {
        answer_format(a, "run.json the two runs were started with different options\n");
        put_settings(a, d->settings);
    }
    for (size_t i = 0; i < d->pen_count; i++)
        rundiff_put_pen(a, d, &d->pens[i]);
}

static const struct ras_rundir_pen *pen_of(const struct ras_rundir *run, const char *format)
{
    for (size_t i = 0; i < run->pen_count; i++)
        if (!strcmp(run->pens[i].format, format))
            return &run->pens[i];
    return NULL;
}

/* The ticks that a run has, as text: "1 to 300". */
static const char *ticks_of(const struct ras_rundir *run, char *room, size_t size)
{
    const struct ras_value *axes = run->json ? ras_value_member(run->json, "axes") : NULL;
    const struct ras_value *tick =
        axes && axes->kind == RAS_MAP ? ras_value_member(axes, "tick") : NULL;
    const struct ras_value *first =
        tick && tick->kind == RAS_MAP ? ras_value_member(tick, "first") : NULL;
    const struct ras_value *last = first ? ras_value_member(tick, "last") : NULL;
    if (!last || first->kind != RAS_UINT || last->kind != RAS_UINT)
        return "not known";
    snprintf(room, size, "%" PRIu64 " to %" PRIu64, first->u, last->u);
    return room;
}

/* Note the source of the ticks if it is not the index of the run. That of a run that is not closed
 * has no checksum yet. */
static void say_order(const struct common *common, const struct ras_rundir *run)
{
    const char *why;
    enum ras_rundir_order order = ras_rundir_order(run, &why);
    struct ras_rundir_ended ended;
    ras_rundir_how_ended(run, &ended);
    if (order == RAS_ORDER_CLOCK)
        remark(common->quiet,
               "%s: a run of version 1: calls are assigned to ticks by the clock, at the border of "
               "a tick possibly to the wrong one; run it again for exact ticks",
               shown_path(run->path));
    else if (order == RAS_ORDER_MARKS && ended.closed && run->json &&
             ras_value_member(run->json, "order"))
        remark(common->quiet, "%s: ticks.idx is not used: %s; the traces were scanned instead",
               shown_path(run->path), why);
}

/* Whether a trace has no records in the range that was to be compared. */
static bool has_nothing(const struct ras_rundiff *d)
{
    for (size_t i = 0; i < d->pen_count; i++)
        if (!d->pens[i].diff && d->pens[i].err.status == RAS_ENOTHING)
            return true;
    return false;
}

/* Report traces that could not be compared, and the endings; returns the exit status. */
static int say_rundiff(const struct common *common, struct ras_rundir *const *runs,
                       const struct ras_rundiff *d, int status)
{
    char room[2][48];
    if (d->unfinished)
        status = worse(status, EXIT_LOSS);
    for (int side = 0; side < 2; side++) {
        status = worse(status, say_pens(runs[side]));
        say_order(common, runs[side]);
    }
    for (size_t i = 0; i < d->pen_count; i++) {
        const struct ras_rundiff_pen *pen = &d->pens[i];
        for (int side = 0; side < 2 && pen->diff; side++) {
            const struct ras_rundir_pen *of = pen_of(runs[side], pen->format);
            status = worse(
                status, say_ending(of->path, of->trace, &pen->diff->endings[side], common->quiet));
        }
        for (size_t k = 0; pen->diff && k < pen->diff->note_count; k++)
            remark(common->quiet, "%s: %s", pen->format, pen->diff->notes[k]);
        if (!pen->diff && pen->failed == 2 && pen->err.status != RAS_EUNSUPPORTED &&
            pen->err.status != RAS_ENOTHING)
            status = worse(status, trouble("%s: %s", pen->format, text_of(&pen->err)));
    }
    if (!d->compared && !has_nothing(d))
        status = trouble("%s and %s: they have no traces that can be compared", runs[0]->path,
                         runs[1]->path);
    else if (!d->checked && !d->diverged)
        status = trouble("nothing was compared: %s has ticks %s, %s has ticks %s", runs[0]->path,
                         ticks_of(runs[0], room[0], sizeof room[0]), runs[1]->path,
                         ticks_of(runs[1], room[1], sizeof room[1]));
    return status;
}

/* ---- diff -------------------------------------------------------------------------------- */

static int rundiff_put_json(struct ras_sink *sink, const struct compared *c,
                            enum ras_json_layout layout, struct ras_error *err)
{
    return ras_rundiff_json(sink, c->found, c->how, layout, err);
}

static void rundiff_put_text(struct answer *a, const struct compared *c)
{
    put_rundiff(a, c->found);
}

int diff_runs(const struct common *common, const struct ras_compare_options *how,
              const char *json_out)
{
    const struct list *paths = &common->operands;
    struct ras_rundir *runs[2] = {NULL, NULL};
    struct ras_rundiff *d = NULL;
    struct ras_error err;
    int status = EXIT_TROUBLE;
    if (paths->count != 2)
        return trouble("diff takes two run directories");
    runs[0] = open_run(common, paths->items[0]);
    runs[1] = runs[0] ? open_run(common, paths->items[1]) : NULL;
    for (int side = 0; side < 2 && runs[1]; side++)
        say_how_ended(common, runs[side]);
    struct progress progress;
    struct ras_compare_options watched = *how;
    progress_start(&progress, common, "diff", false);
    watched.progress = progress_at;
    watched.user = &progress;
    int done = runs[1] ? ras_rundiff(&d, runs[0], runs[1], &watched, &err) : RAS_OK;
    progress_stop(&progress);
    if (done < 0)
        compare_failed(paths->items[0], paths->items[1], &err);
    if (d) {
        const struct compared found = {d, how, rundiff_put_json, rundiff_put_text,
                                       d->diverged ? EXIT_NO : EXIT_YES};
        status = say_rundiff(common, runs, d, put_compared(common, json_out, &found));
    }
    ras_rundiff_free(d);
    ras_rundir_close(runs[0]);
    ras_rundir_close(runs[1]);
    return status;
}

/* ---- bisect ------------------------------------------------------------------------------ */

static void rundiff_put_pair(struct answer *a, const struct ras_runbisect *b, size_t i,
                             const struct ras_bisect_options *how)
{
    const struct ras_rundiff *d = b->pairs[i].diff;
    int64_t first, last;
    if (b->pair_count > 1) {
        answer_path(a, b->pairs[i].path, "");
        answer_format(a, ": ");
    }
    put_result(a, d->checked || d->diverged ? ras_rundiff_status(d) : "unknown");
    if (d->first_tick != RAS_NONE)
        answer_format(a, " first_bad_tick=%" PRIu64, d->first_tick);
    const char *before = " pens=";
    for (size_t k = 0; k < d->pen_count; k++)
        if (d->pens[k].tick != RAS_NONE && d->pens[k].tick == d->first_tick) {
            answer_format(a, "%s%s", before, d->pens[k].format);
            before = ",";
        }
    answer_format(a, " checked=%" PRIu64, d->checked);
    if (ras_runbisect_window(d, how->before, how->after, &first, &last))
        answer_format(a, " window=%" PRId64 "..%" PRId64, first, last);
    answer_format(a, "\n");
}

static int rundiff_put_bisect_json(struct ras_sink *sink, const struct compared *c,
                                   enum ras_json_layout layout, struct ras_error *err)
{
    return ras_runbisect_json(sink, c->found, c->how, layout, err);
}

static void rundiff_put_bisect_text(struct answer *a, const struct compared *c)
{
    const struct ras_runbisect *b = c->found;
    for (size_t i = 0; i < b->pair_count; i++)
        rundiff_put_pair(a, b, i, c->how);
    if (b->pair_count > 1 && b->nearest < b->pair_count) {
        answer_format(a, "nearest=");
        answer_path(a, b->pairs[b->nearest].path, "");
        answer_format(a, "\n");
    }
}

/* Each good run with the bad one. */
static int rundiff_bisect(const struct common *common, const struct ras_bisect_options *how,
                          struct ras_runbisect *b, struct ras_rundir **runs,
                          struct progress *progress)
{
    struct ras_compare_options watched = *how->compare;
    watched.progress = progress_at;
    watched.user = progress;
    const struct list *paths = &common->operands;
    struct ras_error err;
    for (size_t i = 0; i < paths->count; i++) {
        runs[i] = open_run(common, paths->items[i]);
        if (!runs[i])
            return EXIT_TROUBLE;
        say_how_ended(common, runs[i]);
    }
    for (size_t i = 0; i < b->pair_count; i++) {
        b->pairs[i].path = paths->items[i];
        if (ras_rundiff(&b->pairs[i].diff, runs[i], runs[b->pair_count], &watched, &err) < 0)
            return compare_failed(paths->items[i], paths->items[b->pair_count], &err);
    }
    b->nearest = ras_runbisect_nearest(b);
    return EXIT_YES;
}

int bisect_runs(const struct common *common, const struct ras_bisect_options *how,
                const char *json_out)
{
    const size_t count = common->operands.count;
    struct ras_rundir **runs = calloc(count, sizeof *runs);
    struct ras_runbisect b = {.pair_count = count - 1};
    b.pairs = calloc(count, sizeof *b.pairs);
    struct progress progress;
    progress_start(&progress, common, "bisect", false);
    int status = runs && b.pairs ? rundiff_bisect(common, how, &b, runs, &progress)
                                 : trouble("out of memory");
    progress_stop(&progress);
    bool diverged = false;
    for (size_t i = 0; !status && i < b.pair_count; i++)
        diverged |= b.pairs[i].diff->diverged;
    const struct compared found = {&b, how, rundiff_put_bisect_json, rundiff_put_bisect_text,
                                   diverged ? EXIT_NO : EXIT_YES};
    if (!status)
        status = put_compared(common, json_out, &found);
    for (size_t i = 0; b.pairs && i < b.pair_count; i++) {
        struct ras_rundir *const pair[] = {runs[i], runs[b.pair_count]};
        if (b.pairs[i].diff)
            status = say_rundiff(common, pair, b.pairs[i].diff, status);
        ras_rundiff_free(b.pairs[i].diff);
    }
    for (size_t i = 0; runs && i < count; i++)
        ras_rundir_close(runs[i]);
    free(b.pairs);
    free(runs);
    return status;
}
