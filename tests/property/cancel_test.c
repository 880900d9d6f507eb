/* cancel_test.c - every verb that reports progress ends when its callback returns false: with
 * RAS_ECANCELED, without another call and without output, whichever call it was. What is reported
 * never passes the total.
 *
 *   cancel_test RASTRUM CAPTURE.PY
 *
 * The traces are those of runs that are long enough for every verb to report at least once. */
#include <rastrum/cdt.h>
#include <rastrum/export.h>
#include <rastrum/gpu.h>
#include <rastrum/replay.h>
#include <rastrum/run.h>
#include <rastrum/rundir.h>

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALLS_TRIED = 3, PATH = 512 };
#define ALL_CALLS UINT_MAX

static unsigned failures;
static char folder[] = "/tmp/cancel-XXXXXX";

/* A callback that cancels at its `at`-th call. */
struct caller {
    unsigned calls, at;
    bool beyond; /* more was done than the total */
};

static bool count_down(void *user, uint64_t done, uint64_t total)
{
    struct caller *c = user;
    c->beyond |= total && done > total;
    return ++c->calls < c->at;
}

/* What a verb works on, and where it writes. */
struct work {
    const char *format, *path, *capture;
    struct ras_trace *trace, *other;
    struct ras_rundir *run;
    struct ras_bytes lines; /* the trace as JSON Lines */
    char out[PATH];
};

typedef int try_function(struct work *w, struct caller *caller, struct ras_error *err);

static int try_info(struct work *w, struct caller *caller, struct ras_error *err)
{
    struct ras_info *info;
    int status = ras_info(&info, w->trace, count_down, caller, err);
    ras_info_free(info);
    return status;
}

static int try_du(struct work *w, struct caller *caller, struct ras_error *err)
{
    struct ras_du *du;
    int status = ras_du(&du, w->trace, RAS_DU_FIELD, count_down, caller, err);
    ras_du_free(du);
    return status;
}

static int try_verify(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_verify_options how = {.progress = count_down, .user = caller};
    struct ras_report *report;
    int status = ras_verify(&report, w->trace, &how, err);
    ras_report_free(report);
    return status;
}

static int try_stats(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_stats_options how = {.progress = count_down, .user = caller};
    struct ras_stats *stats;
    int status = ras_stats(&stats, w->trace, &how, err);
    ras_stats_free(stats);
    return status;
}

static int try_export(struct work *w, struct caller *caller, struct ras_error *err)
{
    struct ras_export_options how = {.target = "perfetto", .progress = count_down, .user = caller};
    struct ras_export_result *result = NULL;
    int status = ras_sink_file(&how.sink, w->out, false, err);
    if (status == RAS_OK)
        status = ras_export(&result, w->trace, &how, err);
    ras_export_result_free(result);
    ras_sink_drop(how.sink);
    return status;
}

static int try_tree(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_tree_options how = {.progress = count_down, .user = caller};
    struct ras_stats *stats;
    int status = ras_tree(&stats, w->trace, &how, err);
    ras_stats_free(stats);
    return status;
}

static int try_diff(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_compare_options how = {.progress = count_down, .user = caller};
    struct ras_diff *diff;
    int status = ras_diff(&diff, w->trace, w->other, &how, err);
    ras_diff_free(diff);
    return status;
}

static int try_paranoid(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_compare_options how = {
        .paranoid = true, .progress = count_down, .user = caller};
    struct ras_diff *diff;
    int status = ras_diff(&diff, w->trace, w->other, &how, err);
    ras_diff_free(diff);
    return status;
}

static int try_pixels(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_choice pixels = {"pixels", 0};
    const struct ras_compare_options how = {.choices = &pixels,
                                            .choice_count = 1,
                                            .gpu = ras_gpu(),
                                            .progress = count_down,
                                            .user = caller};
    struct ras_diff *diff;
    int status = ras_diff(&diff, w->trace, w->other, &how, err);
    ras_diff_free(diff);
    return status;
}

static int try_slice(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_rewrite_options how = {.path = w->out, .progress = count_down, .user = caller};
    struct ras_rewritten *out;
    int status = ras_rewrite(&out, &w->trace, 1, &how, err);
    ras_rewritten_free(out);
    return status;
}

static int try_render(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_render_options how = {
        .gpu = ras_gpu(), .progress = count_down, .user = caller};
    struct ras_render out;
    return ras_render(&out, w->trace, &how, err);
}

static int try_finalize(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_cdt_finalize_options how = {
        .out = w->out, .progress = count_down, .user = caller};
    struct ras_cdt_finalized *out;
    int status = ras_cdt_finalize(&out, w->capture, &how, err);
    ras_cdt_finalized_free(out);
    return status;
}

static int try_repair(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_repair_options how = {.path = w->out, .progress = count_down, .user = caller};
    struct ras_repair *repair;
    int status = ras_repair(&repair, w->trace, &how, err);
    ras_repair_free(repair);
    return status;
}

/* Only planned and judged. */
static int try_plan(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_repair_options how = {.progress = count_down, .user = caller};
    struct ras_repair *repair;
    int status = ras_repair(&repair, w->trace, &how, err);
    ras_repair_free(repair);
    return status;
}

static int try_bisect(struct work *w, struct caller *caller, struct ras_error *err, size_t count,
                      unsigned jobs)
{
    const struct ras_compare_options compare = {.paranoid = true};
    const char *paths[] = {w->path, w->path, w->path};
    const struct ras_bisect_options how = {
        .compare = &compare, .jobs = jobs, .progress = count_down, .user = caller};
    struct ras_bisect *bisect;
    int status = ras_bisect(&bisect, paths, count, &how, err);
    ras_bisect_free(bisect);
    return status;
}

static int try_bisect_one(struct work *w, struct caller *caller, struct ras_error *err)
{
    return try_bisect(w, caller, err, 2, 1);
}

/* Two pairs in two threads. */
static int try_bisect_both(struct work *w, struct caller *caller, struct ras_error *err)
{
    return try_bisect(w, caller, err, 3, 2);
}

static int try_reduce(struct work *w, struct caller *caller, struct ras_error *err)
{
    struct ras_reduce *reduce;
    int status = ras_reduce_open(&reduce, w->trace, count_down, caller, err);
    ras_reduce_close(reduce);
    return status;
}

static int try_reduce_write(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_rewrite_options how = {.path = w->out, .progress = count_down, .user = caller};
    struct ras_reduce *reduce;
    struct ras_rewritten *out = NULL;
    int status = ras_reduce_open(&reduce, w->trace, NULL, NULL, err);
    if (status == RAS_OK)
        status = ras_reduce_write(reduce, NULL, &how, &out, err);
    if (status == RAS_OK)
        ras_rewritten_free(out);
    ras_reduce_close(reduce);
    return status;
}

static int try_build(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_build_options how = {
        .format = w->format, .path = w->out, .progress = count_down, .user = caller};
    struct ras_rewritten *out;
    int status = ras_build(&out, w->lines, &how, err);
    if (status == RAS_OK)
        ras_rewritten_free(out);
    return status;
}

static int try_replay(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_replay_options how = {
        .worlds = ras_worlds(), .progress = count_down, .user = caller};
    struct ras_replay *replay;
    int status = ras_replay(&replay, w->trace, &how, err);
    ras_replay_free(replay);
    return status;
}

/* Into a file that the caller drops, as ras_replay_save() and ras_replay_state() say. */
static int try_to_sink(struct work *w, struct caller *caller, struct ras_error *err, bool state)
{
    const struct ras_replay_options how = {
        .worlds = ras_worlds(), .progress = count_down, .user = caller};
    struct ras_replay *replay = NULL;
    struct ras_sink *sink;
    int status = ras_sink_file(&sink, w->out, false, err);
    if (status == RAS_OK) {
        status = state ? ras_replay_state(&replay, w->trace, &how, sink, err)
                       : ras_replay_save(&replay, w->trace, 26000, &how, sink, err);
        ras_sink_drop(sink);
    }
    ras_replay_free(replay);
    return status;
}

static int try_save(struct work *w, struct caller *caller, struct ras_error *err)
{
    return try_to_sink(w, caller, err, false);
}

static int try_state(struct work *w, struct caller *caller, struct ras_error *err)
{
    return try_to_sink(w, caller, err, true);
}

static int try_inspect(struct work *w, struct caller *caller, struct ras_error *err,
                       struct ras_inspect_options how, struct ras_trace *other)
{
    struct ras_inspection *seen;
    how.progress = count_down;
    how.user = caller;
    int status = ras_inspect(&seen, w->trace, other, &how, err);
    ras_inspection_free(seen);
    return status;
}

static int try_health(struct work *w, struct caller *caller, struct ras_error *err)
{
    return try_inspect(w, caller, err, (struct ras_inspect_options){.name = "health"}, NULL);
}

static int try_query(struct work *w, struct caller *caller, struct ras_error *err)
{
    return try_inspect(
        w, caller, err,
        (struct ras_inspect_options){.name = "query", .text = "entities where hp < 0"}, NULL);
}

static int try_entity(struct work *w, struct caller *caller, struct ras_error *err)
{
    int status = try_inspect(w, caller, err,
                             (struct ras_inspect_options){.name = "entity", .number = 1}, w->other);
    return status == RAS_ENOTHING ? RAS_OK : status; /* both were walked to know that */
}

static int try_rundir_verify(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_verify_options how = {.deep = true, .progress = count_down, .user = caller};
    struct ras_report *report;
    int status = ras_rundir_verify(&report, w->run, &how, err);
    ras_report_free(report);
    return status;
}

static int try_rundiff(struct work *w, struct caller *caller, struct ras_error *err)
{
    const struct ras_compare_options how = {
        .paranoid = true, .any_paths = true, .progress = count_down, .user = caller};
    struct ras_rundiff *diff;
    int status = ras_rundiff(&diff, w->run, w->run, &how, err);
    ras_rundiff_free(diff);
    return status;
}

static const struct {
    const char *name;
    try_function *run;
    const char *formats; /* NULL: all */
    const char *quick;   /* the format whose trace is done before the first report */
    bool writes;         /* canceled late, too */
} verbs[] = {
    {"info", try_info, NULL, "aerogpu"},
    {"du", try_du, NULL},
    {"verify", try_verify, NULL},
    {"stats", try_stats, NULL, "aerogpu"},
    {"export", try_export, NULL, "aerogpu"},
    {"tree", try_tree, "atf"},
    {"diff", try_diff, NULL, "cdt"},
    {"diff paranoid", try_paranoid, NULL},
    {"diff pixels", try_pixels, "aerogpu"},
    {"slice", try_slice, NULL, NULL, true},
    {"render", try_render, "aerogpu"},
    {"finalize", try_finalize, "cdt", NULL, true},
    {"repair", try_repair, NULL, NULL, true},
    {"repair plan", try_plan, NULL},
    {"bisect", try_bisect_one, NULL},
    {"bisect of two", try_bisect_both, NULL},
    {"reduce", try_reduce, NULL},
    {"reduce write", try_reduce_write, NULL, NULL, true},
    {"build", try_build, "murk", NULL, true},
    {"replay", try_replay, "murk"},
    {"replay save", try_save, "murk"},
    {"replay state", try_state, "murk"},
    {"health", try_health, "cdt"},
    {"query", try_query, "cdt"},
    {"entity", try_entity, "cdt"},
    {"run verify", try_rundir_verify, "cdt"},
    {"run diff", try_rundiff, "cdt"},
};

static void wrong(const struct work *w, const char *verb, unsigned at, const char *what)
{
    printf("%s %s, call %u: %s\n", verb, w->format, at, what);
    failures++;
}

static void remove_tree(const char *path)
{
    char command[2 * PATH];
    snprintf(command, sizeof command, "rm -rf %s", path);
    if (system(command) != 0)
        failures++;
}

/* One execution, canceled at a call. False: it ended before. */
static bool cancel_at(struct work *w, size_t v, unsigned at, unsigned *calls)
{
    struct caller caller = {.at = at};
    struct ras_error err = {0};
    struct stat there;
    snprintf(w->out, sizeof w->out, "%s/%s-%zu-%u", folder, w->format, v, at);
    int status = verbs[v].run(w, &caller, &err);
    *calls = caller.calls;
    if (caller.beyond)
        wrong(w, verbs[v].name, at, "more is done than the total");
    if (caller.calls < at) {
        if (status < 0)
            wrong(w, verbs[v].name, at, err.text);
        remove_tree(w->out);
        return false;
    }
    if (status != RAS_ECANCELED || err.status != RAS_ECANCELED)
        wrong(w, verbs[v].name, at, "does not end with RAS_ECANCELED");
    if (caller.calls > at)
        wrong(w, verbs[v].name, at, "reports progress after it was canceled");
    if (!stat(w->out, &there) && (!S_ISDIR(there.st_mode) || rmdir(w->out)))
        wrong(w, verbs[v].name, at, "leaves output");
    return true;
}

/* One verb, canceled at its first calls; one that writes in the middle and at the last ones, too,
 * when there is output to remove. */
static void try_verb(struct work *w, size_t v)
{
    unsigned calls, tried = 0;
    while (tried < CALLS_TRIED && cancel_at(w, v, tried + 1, &calls))
        tried++;
    if (!tried && !(verbs[v].quick && !strcmp(verbs[v].quick, w->format)))
        wrong(w, verbs[v].name, 1, "progress is never reported");
    if (tried < CALLS_TRIED || !verbs[v].writes)
        return;
    (void)cancel_at(w, v, ALL_CALLS, &calls);
    const unsigned late[] = {calls / 2, calls * 3 / 4, calls - 1, calls};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (late[i] > CALLS_TRIED && !cancel_at(w, v, late[i], &calls))
            wrong(w, verbs[v].name, late[i], "ends before it, as it did not before");
}

/* No file is left beside the runs, not even under a temporary name. */
static void check_folder(void)
{
    char command[PATH];
    snprintf(command, sizeof command, "ls -A %s | grep -v '^run[0-9]$' | grep .", folder);
    if (system(command) == 0) {
        printf("files are left\n");
        failures++;
    }
}

/* The trace as JSON Lines, to build it from. */
static int write_lines(struct ras_trace *t, struct ras_sink *sink, struct ras_error *err)
{
    struct ras_printer *x;
    struct ras_cursor *c;
    const struct ras_record *r;
    int status = ras_printer_open(&x, "jsonl", t, NULL, NULL, sink, err);
    if (status < 0)
        return status;
    status = ras_cursor_open(&c, t, NULL, err);
    while (status == RAS_OK && (status = ras_next(c, &r, err)) == RAS_OK)
        status = ras_printer_record(x, c, r, err);
    ras_cursor_close(c);
    int closed = ras_printer_close(x, err);
    return status < 0 ? status : closed;
}

static void try_trace(const char *path, const char *format, const char *capture)
{
    struct work w = {.format = format, .path = path, .capture = capture};
    struct ras_error err;
    char run[PATH];
    struct ras_sink *lines = NULL;
    snprintf(run, sizeof run, "%s/run1", folder);
    if (ras_open(&w.trace, path, NULL, &err) < 0 || ras_open(&w.other, path, NULL, &err) < 0 ||
        ras_rundir_open(&w.run, run, NULL, &err) < 0 || ras_sink_memory(&lines, &err) < 0 ||
        (!strcmp(format, "murk") && write_lines(w.trace, lines, &err) < 0)) {
        printf("%s: %s\n", path, err.text);
        failures++;
        return;
    }
    w.lines = ras_sink_bytes(lines);
    for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++)
        if (!verbs[v].formats || !strcmp(verbs[v].formats, format))
            try_verb(&w, v);
    ras_close(w.trace);
    ras_close(w.other);
    ras_rundir_close(w.run);
    ras_sink_drop(lines);
}

static bool make_capture(const char *script, const char *path)
{
    char command[2 * PATH];
    snprintf(command, sizeof command, "python3 '%s' --ticks 40 --creatures 40 >%s", script, path);
    return system(command) == 0;
}

static bool run(const char *program, const char *name, const char *ticks, const char *pens)
{
    char command[2 * PATH];
    snprintf(command, sizeof command,
             "'%s' run arena --quiet --ticks %s --pens %s -o %s/%s >/dev/null", program, ticks,
             pens, folder, name);
    if (system(command) == 0)
        return true;
    printf("failed: %s\n", command);
    failures++;
    return false;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *file, *format;
    } traces[] = {{"run1/state.cdt", "cdt"},
                  {"run1/calls", "atf"},
                  {"run2/gpu.aerogputrace", "aerogpu"},
                  {"run3/replay.murk", "murk"},
                  {"run3/events.trc", "dial9"}};
    char capture[PATH];
    if (argc != 3 || !mkdtemp(folder))
        return 2;
    snprintf(capture, sizeof capture, "%s/run0", folder);
    if (!make_capture(argv[2], capture))
        return 2;
    if (run(argv[1], "run1", "3500", "cdt,atf") && run(argv[1], "run2", "300", "aerogpu") &&
        run(argv[1], "run3", "26000", "murk,dial9"))
        for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
            char path[PATH];
            snprintf(path, sizeof path, "%s/%s", folder, traces[i].file);
            try_trace(path, traces[i].format, capture);
        }
    check_folder();
    remove_tree(folder);
    printf("%s\n", failures ? "FAILED" : "every verb can be canceled");
    return failures ? 1 : 0;
}
