/* rundirs.c - run directories: opening them, and what run.json says. */
#include "cli/rundirs.h"
#include "cli/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool is_run(const struct common *common, const char *path)
{
    return !common->input_format && strcmp(path, "-") != 0 && ras_rundir_exists(path);
}

int runs_among(const struct common *common)
{
    const struct list *paths = &common->operands;
    const char *run = NULL, *other = NULL;
    for (size_t i = 0; i < paths->count; i++) {
        if (is_run(common, paths->items[i]))
            run = paths->items[i];
        else
            other = paths->items[i];
    }
    if (!run || !other)
        return run != NULL;
    struct stat st;
    bool is_local = strcmp(other, "-") != 0 && !strstr(other, "://");
    if (is_local && stat(other, &st) < 0)
        trouble("%s: cannot open: %s", shown_path(other), strerror(errno));
    else
        trouble("%s is a run directory, %s is not", shown_path(run), shown_path(other));
    return -1;
}

struct ras_rundir *open_run(const struct common *common, const char *path)
{
    const struct ras_options options = {
        .dialect = common->dialect, .debug = debug_options(), .progress = transfer_goes_on};
    struct ras_rundir *run;
    struct ras_error err;
    if (ras_rundir_open(&run, path, &options, &err) < 0)
        trouble_at(path, &err);
    return run;
}

/* The trace must be named: it cannot be guessed. */
static void say_which(const struct ras_rundir *run, const char *format)
{
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < run->pen_count && used < sizeof names; i++)
        if (run->pens[i].trace)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.60s", used ? ", " : "",
                                     run->pens[i].file);
    if (format)
        trouble("%s: no %s trace in this run, which has %s", run->path, format,
                used ? names : "none");
    else
        trouble("%s is a run directory: name one of its traces (%s), or --input-format", run->path,
                names);
}

struct ras_trace *open_in_run(const struct common *common, const char *path)
{
    const char *format = common->input_format ? common->input_format : common->about_format;
    struct ras_trace *trace = NULL;
    if (strstr(path, "://")) { /* its bytes would go with the run */
        trouble("%s is a run directory: name one of its traces, as run.json has them (that of a "
                "directory ends with /)",
                shown_path(path));
        return NULL;
    }
    struct ras_rundir *run = open_run(common, path);
    for (size_t i = 0; run && format && i < run->pen_count; i++)
        if (!strcmp(run->pens[i].format, format)) {
            trace = run->pens[i].trace;
            run->pens[i].trace = NULL;
        }
    if (run && !trace)
        say_which(run, format);
    ras_rundir_close(run);
    return trace;
}

static int say_unclosed(const struct ras_rundir *run)
{
    trouble("%s: not complete: its program was killed before it closed the run, or still runs; "
            "rastrum repair %s -o COPY completes it",
            shown_path(run->path), shown_path(run->path));
    return EXIT_LOSS;
}

static void say_repaired(const struct common *common, const struct ras_rundir *run,
                         const struct ras_rundir_ended *ended)
{
    char tick[64] = "", last[64] = "no tick was stored";
    const char *lost = ended->lost ? ", and what came after it is lost" : "";
    if (ended->tick != RAS_NONE)
        snprintf(tick, sizeof tick, " in tick %" PRIu64 "%s", ended->tick,
                 ended->lost ? " or later" : "");
    if (ended->last != RAS_NONE)
        snprintf(last, sizeof last, "tick %" PRIu64 " is the last in all traces", ended->last);
    remark(common->quiet, "%s: repaired: its program ended%s without closing the run; %s%s",
           shown_path(run->path), tick, last, ended->last == RAS_NONE ? "" : lost);
}

void say_how_ended(const struct common *common, const struct ras_rundir *run)
{
    struct ras_rundir_ended ended;
    ras_rundir_how_ended(run, &ended);
    if (!ended.closed)
        say_unclosed(run);
    else if (ended.repaired)
        say_repaired(common, run, &ended);
}

/* Of a run that is not closed a file without a byte is one that nothing was written to yet. */
static bool is_not_begun(const struct ras_rundir *run, const struct ras_rundir_pen *pen)
{
    struct ras_rundir_ended ended;
    struct stat st;
    ras_rundir_how_ended(run, &ended);
    return !ended.closed && pen->path && stat(pen->path, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == 0;
}

int say_pens(const struct ras_rundir *run)
{
    int status = EXIT_YES;
    if (run->json_err.status) {
        trouble("%s/run.json: %s: its traces are found by their bytes", run->path,
                text_of(&run->json_err));
        status = EXIT_LOSS;
    }
    for (size_t i = 0; i < run->pen_count; i++) {
        const struct ras_rundir_pen *pen = &run->pens[i];
        if (pen->trace || pen->left_out || is_not_begun(run, pen))
            continue;
        trouble("%s: the %s trace%s%s: %s", run->path, pen->format, pen->file ? " " : "",
                pen->file ? pen->file : "", text_of(&pen->err));
        status = EXIT_LOSS;
    }
    return status;
}

int say_missing(const struct ras_rundir *run)
{
    struct ras_rundir_ended ended;
    ras_rundir_how_ended(run, &ended);
    int status = ended.closed ? EXIT_YES : say_unclosed(run);
    return worse(status, say_pens(run));
}

/* ---- run.json as text ------------------------------------------------------------------ */

enum { INDENT = 12 };

/* Align the lines of a text. */
static void put_lines(struct answer *a, const struct ras_value *v, int indent)
{
    const char *at = v->at, *end = at + v->count;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        answer_text(a, at, (size_t)(stop - at));
        at = stop + 1;
        if (at < end)
            answer_format(a, "\n%*s", indent, "");
    }
}

static void rundir_put_fact(struct answer *a, const char *name, size_t len,
                            const struct ras_value *v, bool *first)
{
    answer_format(a, "%s", *first ? "  run       " : "            ");
    answer_text(a, name, len);
    answer_format(a, " = ");
    if (v->kind == RAS_STR)
        put_lines(a, v, INDENT + (int)len + 3);
    else
        put_value(a, v);
    answer_format(a, "\n");
    *first = false;
}

/* Texts and numbers, also those inside maps other than axes; null is left out. */
static void put_facts(struct answer *a, const struct ras_value *map, const char *above, bool *first)
{
    const struct ras_value *end = ras_value_next(map), *v;
    for (const struct ras_value *key = map + 1; key < end; key = ras_value_next(v)) {
        char name[128];
        v = key + 1;
        int len = snprintf(name, sizeof name, "%s%s%.*s", above, *above ? "." : "",
                           key->count < 64 ? (int)key->count : 64, (const char *)key->at);
        if (v->kind == RAS_MAP && !*above && strcmp(key->at, "axes") && strcmp(key->at, "pens"))
            put_facts(a, v, key->at, first);
        else if (v->kind != RAS_MAP && v->kind != RAS_LIST && v->kind != RAS_NULL)
            rundir_put_fact(a, name, (size_t)len, v, first);
    }
}

static void rundir_put_axes(struct answer *a, const struct ras_value *axes)
{
    const struct ras_value *end = ras_value_next(axes), *v;
    bool any = false;
    for (const struct ras_value *key = axes + 1; key < end; key = ras_value_next(v)) {
        v = key + 1;
        const struct ras_value *first = v->kind == RAS_MAP ? ras_value_member(v, "first") : NULL;
        const struct ras_value *last = v->kind == RAS_MAP ? ras_value_member(v, "last") : NULL;
        if (!first || !last)
            continue;
        answer_format(a, "%s", any ? "            " : "  axes      ");
        answer_text(a, key->at, key->count);
        answer_format(a, " ");
        put_value(a, first);
        answer_format(a, " to ");
        put_value(a, last);
        answer_format(a, "\n");
        any = true;
    }
}

static void rundir_put_pen(struct answer *a, const struct ras_rundir_pen *pen, bool first)
{
    answer_format(a, "%s%-8s  ", first ? "  pens      " : "            ", pen->format);
    if (pen->left_out)
        answer_format(a, "none: %s\n", pen->left_out);
    else if (!pen->trace)
        answer_format(a, "%s%s%s\n", pen->file ? pen->file : "", pen->file ? ": " : "",
                      pen->err.text);
    else
        answer_format(a, "%s, %" PRIu64 " bytes\n", pen->file, ras_size(pen->trace));
}

void put_run(struct answer *a, const struct ras_rundir *run)
{
    bool first = true;
    answer_path(a, run->path, "");
    answer_format(a, "\n"
                     "  format    run directory: one execution in several formats\n");
    if (run->json) {
        const struct ras_value *axes = ras_value_member(run->json, "axes");
        put_facts(a, run->json, "", &first);
        if (axes && axes->kind == RAS_MAP)
            rundir_put_axes(a, axes);
    }
    for (size_t i = 0; i < run->pen_count; i++)
        rundir_put_pen(a, &run->pens[i], i == 0);
}

/* ---- run.json as JSON ------------------------------------------------------------------ */

void put_run_open(struct ras_json *j, const struct ras_rundir *run)
{
    ras_json_object(j, NULL);
    ras_json_text(j, "path", run->path);
    ras_json_text(j, "format", "run");
    if (run->json) /* errors are sticky in the sink */
        (void)!ras_value_json(ras_json_sink(j, "run"), run->json, false, RAS_LAYOUT_LINE, NULL);
    else
        ras_json_null(j, "run");
    ras_json_line(j, 1);
    ras_json_array(j, "parts");
}

void put_run_gap(struct ras_json *j, const struct ras_rundir_pen *pen)
{
    ras_json_object(j, NULL);
    ras_json_text(j, "path", pen->path);
    ras_json_text(j, "format", pen->format);
    ras_json_text(j, "error", pen->left_out ? pen->left_out : pen->err.text);
    ras_json_end(j);
    ras_json_newline(j);
}
