/* dbg_diff.c - dbg diff and dbg bisect: the bytes of `crimson dbg`. */
#include "cli/comparing.h"
#include "cli/dbg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct common common;
    struct integer tick_start, tick_end;
    struct number before, after; /* of bisect */
    const char *json_out;
};

/* Compare the two operands and print by `found`, whose result is filled in. */
static int compare(const struct options *o, const char *verb, const struct ras_compare_options *how,
                   int (*put)(const struct options *, struct ras_diff *,
                              const struct ras_compare_options *))
{
    const char **paths = o->common.operands.items;
    struct ras_trace *sides[2];
    struct ras_diff *d;
    struct ras_error err;
    char instead[32];
    snprintf(instead, sizeof instead, "rastrum %s", strchr(verb, ' ') + 1);
    int status = open_sides(&o->common, verb, sides);
    if (status)
        return status;
    status = only_cdt(verb, paths, sides, 2, instead);
    if (!status && ras_diff(&d, sides[0], sides[1], how, &err) < 0) {
        status = compat_failed(verb, paths[0], paths[1], &err);
    } else if (!status) {
        status = say_endings(&o->common, sides, d->endings, put(o, d, how));
        for (size_t i = 0; i < d->note_count; i++)
            remark(o->common.quiet, "%s", d->notes[i]);
        ras_diff_free(d);
    }
    ras_close(sides[0]);
    ras_close(sides[1]);
    return status;
}

/* Chunks that have the same checksum are decoded, too: the tool refuses what is wrong in them,
 * and NaN differs from itself. */
static struct ras_compare_options options_of(const struct options *o)
{
    return (struct ras_compare_options){.compat = true,
                                        .paranoid = true,
                                        .has_first = o->tick_start.given,
                                        .first = o->tick_start.value,
                                        .has_last = o->tick_end.given,
                                        .last = o->tick_end.value};
}

/* ---- diff -------------------------------------------------------------------------------- */

/* The verdict is the answer when all is well and a remark when it is not. */
static void dbg_put_diff_text(struct answer *a, const struct compared *c)
{
    const struct ras_diff *d = c->found;
    if (!d->divergence_count) {
        answer_format(a, "result=ok checked=%" PRIu64 "\n", d->checked);
        return;
    }
    struct answer says = {0};
    const struct ras_divergence *first = &d->divergences[0];
    answer_flush(a);
    if (ras_sink_fd(&says.sink, STDERR_FILENO, NULL) < 0)
        return;
    answer_format(&says, "result=diverged kind=%s", first->kind);
    for (size_t i = 0; i < first->at_count; i++) {
        answer_format(&says, " %s=", first->at[i].word);
        put_value(&says, &first->at[i].value);
    }
    answer_format(&says, " checked=%" PRIu64 "\n", d->checked);
    if (first->detail) {
        answer_format(&says, "detail=");
        (void)!ras_json_value(says.sink, first->detail, d->bare_nan, RAS_JSON_LINE, NULL);
        answer_format(&says, "\n");
    }
    (void)answer_close(&says, 0);
}

static int dbg_put_diff_json(struct ras_sink *sink, const struct compared *c,
                             enum ras_json_layout layout, struct ras_error *err)
{
    return ras_json_diff(sink, c->found, c->how, layout, err);
}

static int put_diff(const struct options *o, struct ras_diff *d,
                    const struct ras_compare_options *how)
{
    const struct compared found = {d, how, dbg_put_diff_json, dbg_put_diff_text,
                                   d->divergence_count ? EXIT_NO : EXIT_YES};
    return put_compared(&o->common, o->json_out, &found);
}

static int run_diff(void *options)
{
    const struct ras_compare_options how = options_of(options);
    return compare(options, "dbg diff", &how, put_diff);
}

static const struct option_row diff_rows[] = {
    TICK_RANGE_ROWS(struct options, tick_start, tick_end), JSON_OUT_ROW(struct options), {0}};

const struct command dbg_diff = {
    .name = "dbg diff",
    .operands = "EXPECTED ACTUAL",
    .about = "find the first tick at which two CDT traces differ",
    .text = "As `crimson dbg diff`: the result goes to standard output if the traces are equal,\n"
            "else to standard error.\n",
    .exits = "0 the same; 1 they differ, or one is refused; 2 error; 3 an input is cut or damaged",
    .rows = diff_rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run_diff,
};

/* ---- bisect ------------------------------------------------------------------------------ */

static void dbg_put_bisect_text(struct answer *a, const struct compared *c)
{
    const struct ras_bisect_options *how = c->how;
    const struct ras_diff *d = ((const struct ras_bisect *)c->found)->pairs[0].diff;
    int64_t first, last;
    if (!d->divergence_count) {
        answer_format(a, "result=ok checked=%" PRIu64 "\n", d->checked);
        return;
    }
    const struct ras_divergence *v = &d->divergences[0];
    answer_format(a, "result=diverged first_bad_%s=", v->at[0].word);
    put_value(a, &v->at[0].value);
    answer_format(a, " kind=%s checked=%" PRIu64, v->kind, d->checked);
    if (ras_bisect_window(v, how->before, how->after, &first, &last))
        answer_format(a, " window=%" PRId64 "..%" PRId64, first, last);
    answer_format(a, "\n");
}

static int dbg_put_bisect_json(struct ras_sink *sink, const struct compared *c,
                               enum ras_json_layout layout, struct ras_error *err)
{
    return ras_json_bisect(sink, c->found, c->how, layout, err);
}

static int put_bisect(const struct options *o, struct ras_diff *d,
                      const struct ras_compare_options *compared)
{
    const struct ras_bisect_options how = {.compare = compared,
                                           .before = o->before.given ? o->before.value : 12,
                                           .after = o->after.given ? o->after.value : 6};
    struct ras_bisected pair = {.path = o->common.operands.items[0], .diff = d};
    const struct ras_bisect b = {.pairs = &pair, .pair_count = 1};
    const struct compared found = {&b, &how, dbg_put_bisect_json, dbg_put_bisect_text, EXIT_YES};
    return put_compared(&o->common, o->json_out, &found);
}

static int run_bisect(void *options)
{
    const struct ras_compare_options how = options_of(options);
    return compare(options, "dbg bisect", &how, put_bisect);
}

static const struct option_row bisect_rows[] = {
    TICK_RANGE_ROWS(struct options, tick_start, tick_end),
    JSON_OUT_ROW(struct options),
    {"window-before", 0, OPTION_NUMBER, "N", "ticks shown before the divergence (default 12)", NULL,
     offsetof(struct options, before)},
    {"window-after", 0, OPTION_NUMBER, "N", "ticks shown after it (default 6)", NULL,
     offsetof(struct options, after)},
    {0},
};

const struct command dbg_bisect = {
    .name = "dbg bisect",
    .operands = "EXPECTED ACTUAL",
    .about = "the same, with a window around it",
    .text = "As `crimson dbg bisect`: exits 0 whatever was found.\n",
    .exits = "0 whatever was found; 1 a trace is refused; 2 error; 3 an input is cut or damaged",
    .rows = bisect_rows,
    .size = sizeof(struct options),
    .format = "cdt",
    .reads = true,
    .run = run_bisect,
};
