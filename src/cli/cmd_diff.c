/* cmd_diff.c - the first place where two traces differ. */
#include "cli/detail_text.h"
#include "cli/pictures.h"
#include "cli/rundirs.h"
#include "cli/table_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct common common;
    struct compare_choice how;
    struct list conditions;
    bool paths;
    const char *json_out;
};

enum { LINES_FIRST = 40, LINES_EACH = 6, INDENT = 2 };

/* Tables as columns of text. */
static void diff_put_tables(struct answer *a, const struct ras_value *tables)
{
    const struct ras_value *end = ras_value_next(tables);
    for (const struct ras_value *name = tables + 1; name < end;) {
        const struct ras_value *table = name + 1;
        put_figures(a, name, table, 0);
        name = ras_value_next(table);
    }
}

/* With --keep-going every divergence has a line, and a few more for the fields that differ. */
static void diff_put_all(struct answer *a, const struct ras_diff *d)
{
    for (size_t i = 0; i < d->divergence_count; i++) {
        const struct ras_divergence *v = &d->divergences[i];
        struct page p = {.a = a, .indent = INDENT, .lines = LINES_EACH};
        put_places(a, v, "", NULL);
        answer_format(a, "%s%s\n", v->at[0].value.kind == RAS_NULL && v->at_count == 1 ? "" : ": ",
                      v->kind);
        put_detail(&p, detail_members(v), v->detail);
        put_left(&p);
    }
}

/* "result=diverged tick=6 kind=tick_mismatch checked=7" */
static void put_verdict(struct answer *a, const struct ras_diff *d)
{
    const struct ras_divergence *v = d->divergence_count ? &d->divergences[0] : NULL;
    put_result(a, v ? "diverged" : "ok");
    if (v)
        put_found_at(a, v, "");
    answer_format(a, " checked=%" PRIu64, d->checked);
    if (d->divergence_count > 1)
        answer_format(a, " divergences=%zu", d->divergence_count);
    answer_format(a, "\n");
}

/* "expected 100, actual 150, change 50 (+50.0%)" */
static void put_violation(struct answer *a, const struct ras_value *of, const char *column)
{
    static const char *const sides[] = {"expected", "actual", "change"};
    const struct ras_value *row = ras_value_member(of, "row");
    const struct ras_value *percent = ras_value_member(of, "percent");
    answer_format(a, "  ");
    answer_text(a, row->at, row->count);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        char text[TABLE_CELL];
        const struct ras_value *v = ras_value_member(of, sides[i]);
        bool there = v && v->kind != RAS_NULL;
        if (there)
            table_number(text, column, strlen(column), v, NULL);
        answer_format(a, "%s %s %s", i ? "," : ":", sides[i], there ? text : "has none");
    }
    if (percent->kind == RAS_F64)
        answer_format(a, " (%+.1f%%)", percent->f64);
    answer_format(a, "\n");
}

/* The name of the column in a condition that was parsed: after the last dot before its operator. */
static void column_in(const char *condition, size_t len, char *column, size_t room)
{
    size_t end = 0, dot = 0;
    while (end < len && !strchr("<>=! ", condition[end]))
        end++;
    for (size_t i = 0; i < end; i++)
        dot = condition[i] == '.' ? i + 1 : dot;
    snprintf(column, room, "%.*s", (int)(end - dot), condition + dot);
}

/* Each condition with its verdict; of one that is violated, the rows. */
static void put_conditions(struct answer *a, const struct ras_diff *d)
{
    const struct ras_value *all = d->conditions;
    put_result(a, d->violated ? "violated" : "ok");
    size_t count = 0;
    for (const struct ras_value *c = all + 1; c < ras_value_next(all); c = ras_value_next(c))
        count++;
    answer_format(a, " conditions=%zu violated=%" PRIu64 "\n", count, d->violated);
    for (const struct ras_value *c = all + 1; c < ras_value_next(all); c = ras_value_next(c)) {
        const struct ras_value *text = ras_value_member(c, "condition");
        const struct ras_value *list = ras_value_member(c, "violations");
        uint64_t violated = ras_value_member(c, "violation_count")->u, shown = 0;
        char column[TABLE_CELL];
        answer_text(a, text->at, text->count);
        answer_format(a, ": %s, rows=%" PRIu64 "\n", violated ? "violated" : "ok",
                      ras_value_member(c, "rows")->u);
        column_in(text->at, text->count, column, sizeof column);
        for (const struct ras_value *v = list + 1; v < ras_value_next(list);
             v = ras_value_next(v), shown++)
            put_violation(a, v, column);
        if (violated > shown)
            answer_format(a, "  and %" PRIu64 " more rows\n", violated - shown);
    }
}

static int diff_put_json(struct ras_sink *sink, const struct compared *c,
                         enum ras_json_layout layout, struct ras_error *err)
{
    return ras_diff_json(sink, c->found, c->how, layout, err);
}

static void diff_put_text(struct answer *a, const struct compared *c)
{
    const struct ras_compare_options *how = c->how;
    const struct ras_diff *d = c->found;
    if (d->conditions)
        put_conditions(a, d);
    else
        put_verdict(a, d);
    if (how->keep_going) {
        diff_put_all(a, d);
    } else if (d->divergence_count) {
        struct page p = {.a = a, .indent = INDENT, .lines = LINES_FIRST};
        put_detail(&p, detail_members(d->divergences), d->divergences[0].detail);
        put_left(&p);
    }
    put_channel_firsts(a, d);
    if (d->tables)
        diff_put_tables(a, d->tables);
}

/* The pictures of a frame that differs, as files. */
struct showing {
    const char *dir;
    int status;
};

static int show_pictures(void *user, uint64_t index, const struct ras_picture *expected,
                         const struct ras_picture *actual)
{
    struct showing *s = user;
    s->status = write_pictures(s->dir, index, expected, actual);
    return s->status ? RAS_EIO : RAS_OK;
}

/* If nothing was compared, the endings may be the reason. */
static int diff_say_failure(const struct common *common, struct ras_trace *const *sides,
                            const struct ras_error *err)
{
    const char **paths = common->operands.items;
    for (int i = 0; i < 2 && err->status == RAS_ENOTHING; i++) {
        struct ras_ending e = ras_ending(sides[i]);
        (void)say_ending(paths[i], sides[i], &e, common->quiet);
    }
    return compare_failed(paths[0], paths[1], err);
}

/* The tables that a condition may name, after the one that it names in vain. */
static void say_tables(struct ras_trace *trace)
{
    const struct ras_stats_options how = {.no_rows = true};
    struct ras_stats *stats;
    struct ras_error err;
    if (ras_stats(&stats, trace, &how, &err) < 0)
        return;
    char names[2000] = "";
    size_t len = 0;
    const struct ras_value *all = stats->tables;
    for (const struct ras_value *name = all + 1; name < ras_value_next(all) && len < sizeof names;
         name = ras_value_next(name + 1))
        len += (size_t)snprintf(names + len, sizeof names - len, " %.*s", (int)name->count,
                                (const char *)name->at);
    remark(false, "there are:%s", names);
    ras_stats_free(stats);
}

static int diff(const struct options *o, struct ras_compare_options *how,
                struct ras_trace *const *sides)
{
    struct ras_diff *d;
    struct ras_error err;
    struct progress progress;
    struct showing showing = {o->how.png, 0};
    if (o->how.png) {
        how->pictures = show_pictures;
        how->pictures_user = &showing;
    }
    progress_start(&progress, &o->common, "diff", false);
    progress.percent = true;
    how->progress = progress_at;
    how->user = &progress;
    int status = ras_diff(&d, sides[0], sides[1], how, &err);
    progress_stop(&progress);
    if (showing.status)
        return showing.status;
    if (status < 0) {
        int said = diff_say_failure(&o->common, sides, &err);
        if (err.about == RAS_ABOUT_TABLE)
            say_tables(sides[0]);
        return said;
    }
    const struct compared found = {d, how, diff_put_json, diff_put_text,
                                   d->divergence_count || d->violated ? EXIT_NO : EXIT_YES};
    status =
        say_endings(&o->common, sides, d->endings, put_compared(&o->common, o->json_out, &found));
    for (size_t i = 0; i < d->note_count; i++)
        remark(o->common.quiet, "%s", d->notes[i]);
    ras_diff_free(d);
    return status;
}

static int diff_run(void *options)
{
    const struct options *o = options;
    struct ras_compare_options how;
    struct ras_tolerance *tolerances;
    struct ras_trace *sides[2];
    if (o->paths)
        return list_paths(&o->common, &(enum ras_paths){RAS_PATHS_DIFF}, 1);
    int runs = runs_among(&o->common);
    int status = compare_read_options(&o->common, &o->how, &how, &tolerances);
    if (!status && (o->how.png || o->how.size) && !has_choice(&o->common, "pixels"))
        status = trouble("--png and --size need --pixels");
    if (!status)
        status = read_size(o->how.size, &how.width, &how.height);
    if (!status && runs > 0 && o->conditions.count)
        status = trouble("--fail-if is for two traces, not for run directories");
    how.conditions = o->conditions.items;
    how.condition_count = o->conditions.count;
    if (!status && runs)
        status = runs < 0 ? EXIT_TROUBLE : diff_runs(&o->common, &how, o->json_out);
    else if (!status)
        status = open_sides(&o->common, "diff", sides);
    if (!status && !runs) {
        status = diff(o, &how, sides);
        ras_close(sides[0]);
        ras_close(sides[1]);
    }
    free(tolerances);
    return status;
}

static const struct option_row rows[] = {
    COMPARE_ROWS(struct options, how),
    {"keep-going", 'k', OPTION_FLAG, NULL, "list every divergence, not only the first", NULL,
     offsetof(struct options, how.keep_going)},
    {"png", 0, OPTION_TEXT, "DIR", "with --pixels: write pictures of frames that differ, and where",
     NULL, offsetof(struct options, how.png)},
    {"size", 0, OPTION_TEXT, "WxH", "with --pixels: canvas size where no render target is set",
     NULL, offsetof(struct options, how.size)},
    {"fail-if", 0, OPTION_NAMES, "CONDITION",
     "exit 1 if true of the statistics: 'TABLE.COLUMN OP [+-]N[%]'", NULL,
     offsetof(struct options, conditions)},
    {"paths", 0, OPTION_FLAG, NULL, "list the paths that --ignore and --tolerance accept, and exit",
     NULL, offsetof(struct options, paths)},
    JSON_OUT_ROW(struct options),
    {0},
};

const struct command cmd_diff = {
    .name = "diff",
    .operands = "EXPECTED ACTUAL",
    .about = "find the first place where two traces differ",
    .text = "Compares two traces of one format and prints the first divergence, or all of them\n"
            "with --keep-going: where it is, then each field that differs. Exits 0 if the traces\n"
            "are equal, 1 if they differ, 2 if nothing could be compared.\n\n"
            "PATH is a field path as printed in the report. It includes everything below it; *\n"
            "matches one name, index or key. Two run directories are compared format by format:\n"
            "the first tick at which they diverge, and what differs in each trace.\n\n"
            "With --fail-if only the statistics are compared: +N and -N are changes from the\n"
            "first trace to the second, N% a change by that part of the first, N a value of\n"
            "the second. OP is < <= > >= == or !=. rastrum stats --tables lists tables and\n"
            "columns. Exits 1 if a condition is true of a row, with both numbers.\n",
    .examples =
        "rastrum diff golden.cdt candidate.cdt\n"
        "rastrum diff --channel rng_stream --json-out report.json golden.cdt candidate.cdt\n"
        "rastrum diff --ignore 'players[*].ammo' --tolerance 'sim_state=0.001' a.cdt b.cdt\n"
        "rastrum diff --keep-going --time 250us first.trc second.trc\n"
        "rastrum diff --profile --ignore detail first/calls second/calls\n"
        "rastrum diff --profile --fail-if 'polls_by_location.p99_ns > +10%' a.bin b.bin\n"
        "rastrum diff --pixels --png seen --size 640x480 a.aerogputrace b.aerogputrace\n"
        "rastrum diff first-run second-run\n",
    .exits = "0 equal; 1 they differ, or a condition is violated; 2 error, or nothing\n"
             "was compared; 3 an input is cut or damaged",
    .rows = rows,
    .size = sizeof(struct options),
    .reads = true,
    .run = diff_run,
};
