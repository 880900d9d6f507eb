/* outcome.c - what a run has done, and the first place where two runs differ. */
#include "twice/outcome.h"
#include "base/file.h"
#include <rastrum/atf.h>
#include <rastrum/symbols.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the recording -------------------------------------------------------------------------- */

static void note_incomplete(struct outcome *o, const char *what, const char *why)
{
    if (!*o->incomplete)
        snprintf(o->incomplete, sizeof o->incomplete, "%s%s%.160s", what, *why ? ": " : "", why);
}

static void finish_process(struct outcome *o, const char *dir, struct ras_symbols *symbols)
{
    struct ras_error err = {0};
    struct ras_atf_finished done = {0};
    const struct ras_atf_finish_options how = {.symbols = symbols};
    int status = ras_atf_finish(&done, dir, &how, &err);
    if (status == RAS_END)
        return;
    if (status < 0)
        note_incomplete(o, "its calls cannot be read", err.text);
    o->events += done.events;
    o->threads += done.threads;
    if (done.dropped > done.left_out)
        note_incomplete(o, "calls were dropped", "");
    if (done.unfinished)
        note_incomplete(o, "it was killed, and its last calls are lost", "");
}

void outcome_finish(struct outcome *o, struct ras_symbols *symbols)
{
    char path[2 * PATH_MAX + 16], process[2 * PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/calls", o->dir);
    DIR *dir = o->is_finished ? NULL : opendir(path);
    o->is_finished = true;
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));)
        if (!strncmp(e->d_name, "pid_", 4)) {
            snprintf(process, sizeof process, "%s/%s", path, e->d_name);
            finish_process(o, process, symbols);
        }
    closedir(dir);
    o->has_calls = o->events > 0;
    if (!o->has_calls)
        tree_remove(path);
    if (o->how.timed_out)
        o->incomplete[0] = 0; /* that it was ended is what differs */
}

/* The directory of a run is empty when the program begins: pens refuse another. */
static bool add_output(const struct launch *l, const char *run, const char *name)
{
    char from[2 * PATH_MAX], to[2 * PATH_MAX + 16];
    snprintf(from, sizeof from, "%s/%s", l->scratch, name);
    snprintf(to, sizeof to, "%s/%s", run, name);
    return rename(from, to) == 0;
}

bool outcome_take(struct outcome *o, struct launch *l, const struct launched *how, const char *name)
{
    char run[2 * PATH_MAX];
    *o = (struct outcome){.how = *how};
    snprintf(run, sizeof run, "%s/run", l->scratch);
    o->has_pens = ras_rundir_exists(run);
    launch_written(l, &o->files);
    snprintf(o->dir, sizeof o->dir, "%.*s/%s", PATH_MAX - 80, l->scratch, name);
    tree_remove(o->dir);
    return add_output(l, run, "stdout") && add_output(l, run, "stderr") && rename(run, o->dir) == 0;
}

void outcome_free(struct outcome *o)
{
    if (*o->dir)
        tree_remove(o->dir);
    tree_free(&o->files);
    *o = (struct outcome){0};
}

/* ---- texts --------------------------------------------------------------------------------- */

static struct ras_bytes map_text(const char *dir, const char *name)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return file_map(path);
}

/* The line that begins at `at`, as much as there is room for, from where it is of interest. */
static void copy_line(struct ras_bytes text, size_t begin, size_t at, char to[OUTCOME_LINE])
{
    const char *bytes = (const char *)text.at;
    size_t from = at - begin > OUTCOME_LINE / 2 ? at - OUTCOME_LINE / 2 : begin, n = 0;
    for (; from + n < text.len && bytes[from + n] != '\n' && n < OUTCOME_LINE - 1; n++)
        to[n] = bytes[from + n];
    to[n] = 0;
}

static void compare_texts(const char *const dirs[2], const char *name, struct line_difference *d)
{
    struct ras_bytes texts[2] = {map_text(dirs[0], name), map_text(dirs[1], name)};
    const char *a = (const char *)texts[0].at, *b = (const char *)texts[1].at;
    size_t least = texts[0].len < texts[1].len ? texts[0].len : texts[1].len, at = 0, begin = 0;
    d->line = 1;
    for (; at < least && a[at] == b[at]; at++)
        if (a[at] == '\n') {
            begin = at + 1;
            d->line++;
        }
    d->differs = at < texts[0].len || at < texts[1].len;
    for (unsigned i = 0; i < 2 && d->differs; i++) {
        d->none[i] = begin >= texts[i].len;
        copy_line(texts[i], begin, at, d->text[i]);
    }
    for (unsigned i = 0; i < 2; i++)
        file_unmap(texts[i]);
}

/* ---- calls and pens ------------------------------------------------------------------------- */

static void compare_failed(struct divergence *d, const struct ras_error *err)
{
    snprintf(d->failed, sizeof d->failed, "%s", err->text);
}

static void compare_calls(const char *const dirs[2], const struct ras_compare_options *how,
                          struct divergence *d)
{
    struct ras_error err = {0};
    struct ras_diff *diff = NULL;
    for (unsigned i = 0; i < 2; i++) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/calls", dirs[i]);
        if (ras_open(&d->traces[i], path, NULL, &err) < 0) {
            compare_failed(d, &err);
            return;
        }
    }
    if (ras_diff(&diff, d->traces[0], d->traces[1], how, &err) < 0)
        compare_failed(d, &err);
    else if (diff->divergence_count)
        d->calls = diff;
    else
        ras_diff_free(diff);
}

static void compare_pens(const char *const dirs[2], struct divergence *d)
{
    struct ras_error err = {0};
    struct ras_rundiff *diff = NULL;
    for (unsigned i = 0; i < 2; i++)
        if (ras_rundir_open(&d->runs[i], dirs[i], NULL, &err) < 0) {
            compare_failed(d, &err);
            return;
        }
    if (ras_rundiff(&diff, d->runs[0], d->runs[1], NULL, &err) < 0)
        compare_failed(d, &err);
    else if (diff->diverged)
        d->pens = diff;
    else
        ras_rundiff_free(diff);
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static bool ends_differ(const struct launched *a, const struct launched *b)
{
    return a->ended != b->ended || a->timed_out != b->timed_out || a->too_much != b->too_much ||
           a->too_recorded != b->too_recorded;
}

bool outcome_differs(const struct outcome *expected, const struct outcome *actual,
                     struct divergence *d)
{
    const char *const dirs[2] = {expected->dir, actual->dir};
    const char *file = NULL;
    *d = (struct divergence){.how = {expected->how, actual->how}};
    compare_texts(dirs, "stdout", &d->texts[0]);
    compare_texts(dirs, "stderr", &d->texts[1]);
    d->exit_differs = ends_differ(&expected->how, &actual->how);
    d->file_count = tree_differences(&expected->files, &actual->files, &file, &d->file_what);
    snprintf(d->file, sizeof d->file, "%s", file ? file : "");
    if (expected->has_pens && actual->has_pens)
        compare_pens(dirs, d);
    d->calls_missing = expected->has_pens != actual->has_pens;
    return d->pens || d->calls_missing || d->texts[0].differs || d->texts[1].differs ||
           d->exit_differs || d->file_count;
}

bool outcome_calls_differ(const struct outcome *expected, const struct outcome *actual,
                          const struct ras_compare_options *how, struct divergence *d)
{
    const char *const dirs[2] = {expected->dir, actual->dir};
    if (expected->has_pens && actual->has_pens)
        return false; /* calls are one of them */
    if (expected->has_calls && actual->has_calls)
        compare_calls(dirs, how, d);
    d->calls_missing |= expected->has_calls != actual->has_calls;
    return d->calls || d->calls_missing;
}

void divergence_free(struct divergence *d)
{
    ras_diff_free(d->calls);
    ras_rundiff_free(d->pens);
    for (unsigned i = 0; i < 2; i++) {
        ras_close(d->traces[i]);
        ras_rundir_close(d->runs[i]);
    }
    d->calls = NULL;
    d->pens = NULL;
    d->traces[0] = d->traces[1] = NULL;
    d->runs[0] = d->runs[1] = NULL;
}
