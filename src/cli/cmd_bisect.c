/* cmd_bisect.c - where a bad trace departs from good ones, and the window around it. */
#include "cli/bisecting_draws.h"
#include "cli/detail_text.h"
#include "cli/environment.h"
#include "cli/rundirs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct common common;
    struct comparing how;
    struct number before, after, jobs;
    const char *json_out;
    bool draws;
    struct draws_asked of_frame;
};

static void bisect_put_pair(struct answer *a, const struct ras_diff *d,
                            const struct ras_bisect_options *how)
{
    int64_t first, last;
    put_result(a, d->divergence_count ? "diverged" : "ok");
    if (!d->divergence_count) {
        answer_format(a, " checked=%" PRIu64, d->checked);
        return;
    }
    const struct ras_divergence *v = &d->divergences[0];
    put_found_at(a, v, "first_bad_");
    answer_format(a, " checked=%" PRIu64, d->checked);
    if (ras_bisect_window(v, how->before, how->after, &first, &last))
        answer_format(a, " window=%" PRId64 "..%" PRId64, first, last);
}

/* Several good ones: a line for each, then the one that goes with the bad one for longest. */
static void put_results(struct answer *a, const struct ras_bisect *b,
                        const struct ras_bisect_options *how)
{
    for (size_t i = 0; i < b->pair_count; i++) {
        if (!b->pairs[i].diff)
            continue;
        if (b->pair_count > 1) {
            answer_path(a, b->pairs[i].path, "");
            answer_format(a, ": ");
        }
        bisect_put_pair(a, b->pairs[i].diff, how);
        answer_format(a, "\n");
    }
    if (b->pair_count > 1 && b->nearest < b->pair_count) {
        answer_format(a, "nearest=");
        answer_path(a, b->pairs[b->nearest].path, "");
        answer_format(a, "\n");
    }
}

static int bisect_put_json(struct ras_sink *sink, const struct compared *c,
                           enum ras_json_layout layout, struct ras_error *err)
{
    return ras_json_bisect(sink, c->found, c->how, layout, err);
}

static void bisect_put_text(struct answer *a, const struct compared *c)
{
    put_results(a, c->found, c->how);
}

static int bisect_say_failure(const struct ras_bisected *pair, const char *bad)
{
    if (pair->failed < 2)
        return trouble_at(pair->failed ? bad : pair->path, &pair->err);
    return comparing_failed(pair->path, bad, &pair->err);
}

/* What went wrong with a pair, and what was lost of it; of the bad one, which is in every
 * pair, once. */
static int say_pair(const struct options *o, const struct ras_bisected *pair, const char *bad,
                    bool *said)
{
    const char *const paths[] = {pair->path, bad};
    if (!pair->diff)
        return bisect_say_failure(pair, bad);
    int status = EXIT_YES;
    for (int i = 0; i < (*said ? 1 : 2); i++)
        status = worse(status, say_ending_of(paths[i], pair->part[i], &pair->diff->endings[i],
                                             o->common.quiet));
    *said = true;
    for (size_t i = 0; i < pair->diff->note_count; i++)
        remark(o->common.quiet, "%s: %s", shown_path(pair->path), pair->diff->notes[i]);
    return status;
}

static int bisect_pair(const struct options *o, const struct ras_bisect_options *how,
                       const struct list *paths)
{
    struct ras_bisect *b;
    struct ras_error err;
    struct progress progress;
    progress_start(&progress, &o->common, "bisect", false);
    int done = ras_bisect(&b, paths->items, paths->count, how, &err);
    progress_stop(&progress);
    if (done < 0)
        return trouble_with(&err);
    bool any = false, said = false;
    struct compared found = {b, how, bisect_put_json, bisect_put_text, EXIT_YES};
    for (size_t i = 0; i < b->pair_count; i++) {
        const struct ras_diff *d = b->pairs[i].diff;
        any |= d != NULL;
        found.verdict = d && d->divergence_count ? EXIT_NO : found.verdict;
    }
    int worst = any ? put_compared(&o->common, o->json_out, &found) : 0;
    for (size_t i = 0; i < b->pair_count; i++)
        worst = worse(worst, say_pair(o, &b->pairs[i], paths->items[paths->count - 1], &said));
    ras_bisect_free(b);
    return worst;
}

static int bisect_run(void *options)
{
    const struct options *o = options;
    const struct ras_options open = {
        .format = o->common.input_format, .dialect = o->common.dialect, .debug = debug_options()};
    struct ras_tolerance *tolerances = NULL;
    struct ras_compare_options compare = {0};
    struct ras_bisect_options how = {.compare = &compare,
                                     .before = o->before.given ? o->before.value : 12,
                                     .after = o->after.given ? o->after.value : 6,
                                     .open = &open,
                                     .jobs = (unsigned)o->jobs.value};
    if (o->common.operands.count < 2)
        return trouble("bisect takes one or more good traces, then a bad one");
    for (size_t i = 0; i < o->common.operands.count; i++)
        if (!strcmp(o->common.operands.items[i], "-"))
            return trouble("bisect reads its traces more than once: it cannot read standard input");
    if (o->draws)
        return bisect_draws(&o->common, &o->of_frame);
    if (o->of_frame.frame.given || o->of_frame.size)
        return trouble("--%s needs --draws", o->of_frame.size ? "size" : "frame");
    int runs = runs_among(&o->common);
    int status = comparing_read(&o->common, &o->how, &compare, &tolerances);
    if (!status && runs)
        status = runs < 0 ? EXIT_TROUBLE : bisect_runs(&o->common, &how, o->json_out);
    else if (!status)
        status = bisect_pair(o, &how, &o->common.operands);
    free(tolerances);
    return status;
}

static const struct option_row rows[] = {
    COMPARING_ROWS(struct options, how),
    {"window-before", 0, OPTION_NUMBER, "N", "positions shown before the divergence (default 12)",
     NULL, offsetof(struct options, before)},
    {"window-after", 0, OPTION_NUMBER, "N", "positions shown after it (default 6)", NULL,
     offsetof(struct options, after)},
    {"jobs", 'j', OPTION_NUMBER, "N", "compare N pairs at a time (default: one per processor)",
     NULL, offsetof(struct options, jobs)},
    {"draws", 0, OPTION_FLAG, NULL, "AeroGPU: find the first draw after which the pictures differ",
     NULL, offsetof(struct options, draws)},
    {"frame", 0, OPTION_NUMBER, "N",
     "with --draws: search this frame (default: the first that differs)", NULL,
     offsetof(struct options, of_frame.frame)},
    {"size", 0, OPTION_TEXT, "WxH", "with --draws: canvas size where no render target is set", NULL,
     offsetof(struct options, of_frame.size)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command cmd_bisect = {
    .name = "bisect",
    .operands = "GOOD... BAD",
    .about = "find where a trace diverges from others, and the window around it",
    .text =
        "Compares the last trace with each of the others, in parallel, and prints the first\n"
        "divergence of each pair and a window around it; the window may begin before the\n"
        "first tick. Of several good traces it names the nearest: the one that stays equal for\n"
        "longest. Exits 1 if there is a divergence, as diff does. The operands may also be run\n"
        "directories.\n",
    .examples = "rastrum bisect golden.cdt candidate.cdt\n"
                "rastrum bisect --draws good.aerogputrace bad.aerogputrace\n"
                "rastrum bisect good1.cdt good2.cdt good3.cdt bad.cdt\n",
    .exits = "0 no divergence; 1 a divergence was found; 2 error, or nothing was compared; 3 an\n"
             "input is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = bisect_run,
};
