/* cancel_test.c - every verb that reports progress ends when its callback returns false: with
 * RAS_ECANCELED, without another call and without output, whichever call it was.
 *
 *   cancel_test RASTRUM CAPTURE.PY
 *
 * The traces are those of runs that are long enough for every verb to report at least once. */
#include <rastrum/cdt.h>
#include <rastrum/gpu.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALLS_TRIED = 3, PATH = 512 };

static unsigned failures;
static char folder[] = "/tmp/cancel-XXXXXX";

/* A callback that cancels at its `at`-th call. */
struct caller {
    unsigned calls, at;
};

static bool count_down(void *user, uint64_t done, uint64_t total)
{
    struct caller *c = user;
    (void)done;
    (void)total;
    return ++c->calls < c->at;
}

/* What a verb works on, and where it writes. */
struct work {
    const char *format, *path, *capture;
    struct ras_trace *trace, *other;
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
    return ras_render(w->trace, &how, &out, err);
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

static const struct {
    const char *name;
    try_function *run;
    const char *formats; /* NULL: all */
    const char *quick;   /* formats whose trace is done before the first report */
} verbs[] = {
    {"info", try_info, NULL, "aerogpu"},
    {"du", try_du, NULL},
    {"verify", try_verify, NULL},
    {"stats", try_stats, NULL, "aerogpu"},
    {"tree", try_tree, "atf"},
    {"diff", try_diff, NULL, "cdt"},
    {"diff paranoid", try_paranoid, NULL},
    {"diff pixels", try_pixels, "aerogpu"},
    {"slice", try_slice, NULL},
    {"render", try_render, "aerogpu"},
    {"finalize", try_finalize, "cdt"},
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

/* One verb, canceled at one call after the other. */
static void try_verb(struct work *w, size_t v)
{
    for (unsigned at = 1; at <= CALLS_TRIED; at++) {
        struct caller caller = {.at = at};
        struct ras_error err = {0};
        struct stat there;
        snprintf(w->out, sizeof w->out, "%s/%s-%zu-%u", folder, w->format, v, at);
        int status = verbs[v].run(w, &caller, &err);
        if (caller.calls < at) { /* it ended before */
            if (at == 1 && !(verbs[v].quick && !strcmp(verbs[v].quick, w->format)))
                wrong(w, verbs[v].name, at, "progress is never reported");
            if (status < 0)
                wrong(w, verbs[v].name, at, err.text);
            remove_tree(w->out);
            return;
        }
        if (status != RAS_ECANCELED || err.status != RAS_ECANCELED)
            wrong(w, verbs[v].name, at, "does not end with RAS_ECANCELED");
        if (caller.calls > at)
            wrong(w, verbs[v].name, at, "reports progress after it was canceled");
        if (!stat(w->out, &there) && (!S_ISDIR(there.st_mode) || rmdir(w->out)))
            wrong(w, verbs[v].name, at, "leaves output");
    }
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

static void try_trace(const char *path, const char *format, const char *capture)
{
    struct work w = {.format = format, .path = path, .capture = capture};
    struct ras_error err;
    if (ras_open(&w.trace, path, NULL, &err) < 0 || ras_open(&w.other, path, NULL, &err) < 0) {
        printf("%s: %s\n", path, err.text);
        failures++;
        return;
    }
    for (size_t v = 0; v < sizeof verbs / sizeof *verbs; v++)
        if (!verbs[v].formats || !strcmp(verbs[v].formats, format))
            try_verb(&w, v);
    ras_close(w.trace);
    ras_close(w.other);
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
