/* export_dataset.c - export --to dataset: many traces into one directory, each once. */
#include "cli/export_dataset.h"
#include <rastrum/export.h>

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- paths ---------------------------------------------------------------------------------- */

/* Paths that were read; those of operands are not ours. */
struct paths {
    struct list all;
    char **own;
    size_t own_count;
};

static void paths_free(struct paths *p)
{
    for (size_t i = 0; i < p->own_count; i++)
        free(p->own[i]);
    free(p->own);
    free(p->all.items);
}

static bool add_own(struct paths *p, const char *line)
{
    char **more = realloc(p->own, (p->own_count + 1) * sizeof *more);
    if (!more)
        return false;
    p->own = more;
    p->own[p->own_count] = strdup(line);
    return p->own[p->own_count] && list_add(&p->all, p->own[p->own_count++]);
}

/* A path a line; empty lines are skipped. */
static int read_paths(struct paths *p, const char *name)
{
    bool from_stdin = !strcmp(name, "-");
    FILE *file = from_stdin ? stdin : fopen(name, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    bool ok = true;
    if (!file)
        return trouble("%s: %s", shown_path(name), strerror(errno));
    while (ok && (len = getline(&line, &room, file)) >= 0) {
        while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            line[--len] = 0;
        ok = !len || add_own(p, line);
    }
    free(line);
    bool failed = ferror(file);
    if (!from_stdin)
        fclose(file);
    if (failed)
        return trouble("%s: cannot be read", shown_path(name));
    return ok ? 0 : trouble("out of memory");
}

/* ---- the report ----------------------------------------------------------------------------- */

struct dataset_run {
    const struct common *common;
    struct progress progress;
};

static bool dataset_on(void *user, uint64_t done, uint64_t total)
{
    struct dataset_run *run = user;
    return progress_at(&run->progress, done, total) && !interrupted();
}

/* Losses are said path by path; what went well is counted. */
static void dataset_trace(void *user, const struct ras_dataset_trace *t)
{
    const struct dataset_run *run = user;
    bool quiet = run->common->quiet;
    if (t->state == RAS_DATASET_FAILED)
        trouble_at(t->path, &t->err);
    else if (t->state == RAS_DATASET_ADDED && t->ending.kind >= RAS_CUT)
        remark(false, "%s: %s at offset %" PRIu64 ": exported as far as it goes",
               shown_path(t->path), ras_ending_name(t->ending.kind), t->ending.offset);
    if (t->state == RAS_DATASET_STUCK)
        remark(false,
               "%s: %s, which it had before, stays in the dataset: its batch cannot be "
               "written again: %s",
               shown_path(t->path), t->superseded, text_of(&t->err));
    if (t->state == RAS_DATASET_PRUNED)
        remark(quiet, "%s: %s, which it had before, was removed from the dataset",
               shown_path(t->path), t->superseded);
    if (t->superseded && t->state == RAS_DATASET_ADDED)
        remark(quiet, "%s: its content changed: %s, which is in the dataset, is superseded by %s",
               shown_path(t->path), t->superseded, t->id);
}

/* What was not carried, with the words of other targets. */
static const struct {
    const char *what;
    size_t at;
} losses[] = {
    {"values that their column cannot hold are null", offsetof(struct ras_dataset_result, unfit)},
    {"lists with an item that is null are null", offsetof(struct ras_dataset_result, null_items)},
    {"texts that are not UTF-8 have U+FFFD instead", offsetof(struct ras_dataset_result, not_utf8)},
};
enum { LOSSES = sizeof losses / sizeof *losses };

static uint64_t loss_count(const struct ras_dataset_result *r, size_t i)
{
    uint64_t count;
    memcpy(&count, (const char *)r + losses[i].at, sizeof count);
    return count;
}

static void say_result(const struct common *common, const struct ras_dataset_result *r)
{
    if (r->leftovers)
        remark(common->quiet, "%s: removed what an interrupted export left: %s",
               shown_path(common->out),
               r->leftovers == 1 ? "1 directory" : ras_counted(r->leftovers, "directorie").text);
    remark(common->quiet,
           "%s: %s added, %" PRIu64 " already there, %" PRIu64 " failed; %s, %" PRIu64
           " rows, %" PRIu64 " bytes",
           shown_path(common->out), ras_counted(r->added, "trace").text, r->present, r->failed,
           ras_counted(r->files, "file").text, r->rows, r->bytes);
    if (r->pruned || r->stuck)
        remark(common->quiet, "%s: %s removed, %" PRIu64 " could not be", shown_path(common->out),
               ras_counted(r->pruned, "superseded trace").text, r->stuck);
    for (size_t i = 0; i < LOSSES; i++)
        if (loss_count(r, i))
            remark(common->quiet, "%s: not carried as recorded: %" PRIu64 " %s",
                   shown_path(common->out), loss_count(r, i), losses[i].what);
}

static int dataset_put_json(const struct common *common, const struct ras_dataset_result *r)
{
    struct answer answer;
    struct common plain = *common;
    plain.out = NULL;
    if (answer_open(&answer, &plain))
        return EXIT_TROUBLE;
    struct ras_json *j = answer_json(&answer);
    ras_json_object(j, NULL);
    ras_json_uint(j, "schema_version", 1);
    ras_json_text(j, "out", common->out);
    ras_json_uint(j, "added", r->added);
    ras_json_uint(j, "present", r->present);
    ras_json_uint(j, "failed", r->failed);
    ras_json_uint(j, "lossy", r->lossy);
    ras_json_uint(j, "batches", r->batches);
    ras_json_uint(j, "files", r->files);
    ras_json_uint(j, "rows", r->rows);
    ras_json_uint(j, "bytes", r->bytes);
    ras_json_uint(j, "leftovers", r->leftovers);
    ras_json_uint(j, "pruned", r->pruned);
    ras_json_uint(j, "stuck", r->stuck);
    ras_json_array(j, "not_carried");
    for (size_t i = 0; i < LOSSES; i++) {
        if (!loss_count(r, i))
            continue;
        ras_json_object(j, NULL);
        ras_json_text(j, "what", losses[i].what);
        ras_json_uint(j, "count", loss_count(r, i));
        ras_json_end(j);
    }
    ras_json_end(j);
    ras_json_end(j);
    ras_json_newline(j);
    return answer_close(&answer, EXIT_YES);
}

int export_dataset(const struct common *common, const struct dataset_options *o)
{
    struct paths paths = {0};
    struct dataset_run run = {.common = common};
    struct ras_dataset_result result;
    struct ras_error err;
    int status = 0;
    if (!common->out || !strcmp(common->out, "-"))
        return trouble("a dataset is a directory: name it with -o DIRECTORY");
    for (size_t i = 0; i < common->operands.count; i++)
        if (!list_add(&paths.all, common->operands.items[i]))
            status = trouble("out of memory");
    if (!status && o->files_from)
        status = read_paths(&paths, o->files_from);
    if (!status && !paths.all.count)
        status = trouble("no traces: name some, or --files-from FILE");
    if (status) {
        paths_free(&paths);
        return status;
    }
    const struct ras_dataset_options request = {
        .struct_size = sizeof request,
        .folder = common->out,
        .paths = paths.all.items,
        .path_count = paths.all.count,
        .jobs = o->jobs.given ? (unsigned)(o->jobs.value < 64 ? o->jobs.value : 64) : 1,
        .batch_traces = o->batch_traces.value,
        .trace = dataset_trace,
        .progress = dataset_on,
        .user = &run,
        .prune = o->prune,
    };
    progress_start(&run.progress, common, "export", false);
    int done = ras_dataset_add(&result, &request, &err);
    progress_stop(&run.progress);
    paths_free(&paths);
    if (done < 0)
        return done == RAS_ECANCELED ? EXIT_TROUBLE : trouble_with(&err);
    if (common->json)
        status = dataset_put_json(common, &result);
    else
        say_result(common, &result);
    if (status || result.failed)
        return EXIT_TROUBLE;
    return result.lossy || result.stuck ? EXIT_LOSS : EXIT_YES;
}
