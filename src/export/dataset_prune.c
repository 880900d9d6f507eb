/* dataset_prune.c - remove traces from a dataset that were superseded: their batches are written
 * again without them.
 *
 * A batch is replaced in three steps: the files of the new one are put in their place; the manifest
 * is replaced by one that names the new batch and has the old one as pruned; the files of the old
 * one are removed. Whatever ends it between two of them, the manifest names one of the two, and the
 * next run removes the files of the other. */
#include "base/error.h"
#include "base/os.h"
#include "codec/fnv1a.h"
#include "codec/json_write.h"
#include "export/dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A trace of the batch that is inspected. */
struct pruned_trace {
    uint64_t id;
    char *path;
    bool superseded;
};

struct pruner {
    struct dataset *d;
    struct id_table live; /* ids that a path has now */
    uint8_t *lines;       /* the manifest */
    size_t size;
    struct pruned_trace *traces;
    size_t count, room;
    bool nomem;
};

/* ---- what is superseded -------------------------------------------------------------------- */

static const struct known_path *seen_path(const struct dataset *d, const char *path)
{
    uint32_t at = id_table_find(&d->seen, fnv1a_text(path));
    bool found = at != ID_TABLE_NONE && !strcmp(d->seen_paths[at].path, path);
    return found ? &d->seen_paths[at] : NULL;
}

static bool add_live(struct pruner *p, uint64_t id)
{
    return id_table_find(&p->live, id) != ID_TABLE_NONE || id_table_add(&p->live, id, 0);
}

/* The content of every path: as it was read now, or was when it was added last. */
static bool find_live(struct pruner *p)
{
    const struct dataset *d = p->d;
    bool ok = true;
    for (size_t i = 0; ok && i < d->manifest.path_count; i++) {
        const struct known_path *seen = seen_path(d, d->manifest.paths[i].path);
        ok = add_live(p, seen ? seen->id : d->manifest.paths[i].id);
    }
    for (size_t i = 0; ok && i < d->seen_count; i++)
        ok = add_live(p, d->seen_paths[i].id);
    return ok;
}

static void forget_traces(struct pruner *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->traces[i].path);
    p->count = 0;
}

static bool take_trace(void *user, uint64_t id, const char *path)
{
    struct pruner *p = user;
    char *copy = text_copy(path, strlen(path));
    if (!copy || !array_grow(&p->traces, &p->room, p->count + 1, sizeof *p->traces)) {
        free(copy);
        p->nomem = true;
        return false;
    }
    bool gone = seen_path(p->d, path) && id_table_find(&p->live, id) == ID_TABLE_NONE;
    p->traces[p->count++] = (struct pruned_trace){id, copy, gone};
    return true;
}

/* The line that begins at *at, without its newline; false: there are no more. */
static bool next_line(const struct pruner *p, size_t *at, struct ras_bytes *line)
{
    const uint8_t *end = *at < p->size ? memchr(p->lines + *at, '\n', p->size - *at) : NULL;
    if (!end)
        return false;
    *line = (struct ras_bytes){p->lines + *at, (size_t)(end - p->lines) - *at};
    *at += line->len + 1;
    return true;
}

static bool skip_trace(void *user, uint64_t id, const char *path)
{
    (void)user, (void)id, (void)path;
    return true;
}

/* Whose line it is. */
static uint64_t line_batch(struct ras_bytes line)
{
    uint64_t batch;
    bool pruned;
    return manifest_line(line, &batch, &pruned, NULL, skip_trace) ? batch : 0;
}

/* The place after the line of a batch. */
static size_t line_after(const struct pruner *p, uint64_t batch)
{
    struct ras_bytes line;
    size_t at = 0;
    while (next_line(p, &at, &line))
        if (line_batch(line) == batch)
            break;
    return at;
}

/* The next batch that has a superseded trace, and its traces; 0: none. */
static uint64_t next_batch(struct pruner *p, size_t *at)
{
    struct ras_bytes line;
    uint64_t batch;
    bool pruned;
    while (!p->nomem && next_line(p, at, &line)) {
        forget_traces(p);
        if (!manifest_line(line, &batch, &pruned, p, take_trace))
            continue;
        for (size_t i = 0; i < p->count; i++)
            if (p->traces[i].superseded)
                return batch;
    }
    return 0;
}

/* ---- writing a batch again ------------------------------------------------------------------ */

/* A trace that stays must be where it was, as it was. */
static int add_again(struct dataset_worker *w, const struct pruned_trace *t,
                     struct ras_error *stuck, struct ras_error *err)
{
    char id[CONTENT_ID + 1], wanted[CONTENT_ID + 1];
    uint64_t size;
    snprintf(wanted, sizeof wanted, "%016" PRIx64, t->id);
    if (dataset_content(t->path, id, &size, stuck) < 0)
        return RAS_OK;
    if (strcmp(id, wanted) != 0) {
        fail(stuck, RAS_EUSAGE, RAS_NONE, "%s has other content than when it was added", t->path);
        return RAS_OK;
    }
    struct ras_dataset_trace trace = {.path = t->path, .id = id, .ending = {.why = ""}};
    int status = dataset_add_path(w, &trace, size, err);
    if (status == RAS_OK && trace.state == RAS_DATASET_FAILED)
        *stuck = trace.err;
    return status;
}

/* All lines, with the batch as pruned, and that of the new one where there is one. */
static void put_manifest_lines(const struct pruner *p, uint64_t batch,
                               const struct dataset_batch *again, uint64_t number, struct out *out)
{
    struct ras_bytes line;
    for (size_t at = 0; next_line(p, &at, &line);) {
        if (line_batch(line) != batch) {
            out_bytes(out, line.at, line.len);
            out_byte(out, '\n');
            continue;
        }
        struct json j = json_start(out, 0);
        json_object(&j, NULL);
        json_uint(&j, "batch", batch);
        json_array(&j, "traces");
        json_close(&j);
        json_array(&j, "files");
        json_close(&j);
        json_array(&j, "pruned");
        for (size_t i = 0; i < p->count; i++)
            if (p->traces[i].superseded) {
                char id[CONTENT_ID + 1];
                snprintf(id, sizeof id, "%016" PRIx64, p->traces[i].id);
                json_text(&j, NULL, id);
            }
        json_close(&j);
        json_text(&j, "rastrum", ras_version());
        json_close(&j);
        out_byte(out, '\n');
    }
    if (again)
        batch_line(again, number, out);
}

static void remove_batch(const struct dataset *d, uint64_t batch)
{
    const char *name;
    struct os_folder *folder = os_folder_open(d->manifest.folder);
    while (folder && (name = os_folder_next(folder)) != NULL) {
        char path[4096];
        int len =
            snprintf(path, sizeof path, "%s/%s/batch=%06" PRIu64, d->manifest.folder, name, batch);
        if (name[0] != '_' && name[0] != '.' && len > 0 && (size_t)len < sizeof path)
            folder_discard(path);
    }
    os_folder_close(folder);
}

static int replace_batch(struct pruner *p, uint64_t batch, struct dataset_worker *w,
                         struct ras_error *err)
{
    struct manifest *m = &p->d->manifest;
    uint64_t number = m->batches + 1;
    struct out lines = {0};
    int status = w->has_batch ? batch_finish(&w->batch, err) : RAS_OK;
    if (status == RAS_OK && w->has_batch)
        status = batch_place(&w->batch, number, err);
    if (status < 0)
        return status;
    put_manifest_lines(p, batch, w->has_batch ? &w->batch : NULL, number, &lines);
    status = manifest_replace(m, &lines, err);
    out_free(&lines);
    if (status < 0)
        return status;
    if (w->has_batch) {
        m->batches = number;
        dataset_count(p->d, &w->batch);
    }
    remove_batch(p->d, batch);
    return RAS_OK;
}

static void note_pruned(struct pruner *p, const struct ras_error *stuck)
{
    for (size_t i = 0; i < p->count; i++) {
        char before[CONTENT_ID + 1], id[CONTENT_ID + 1];
        const struct known_path *seen = seen_path(p->d, p->traces[i].path);
        if (!p->traces[i].superseded || !seen)
            continue;
        snprintf(before, sizeof before, "%016" PRIx64, p->traces[i].id);
        snprintf(id, sizeof id, "%016" PRIx64, seen->id);
        struct ras_dataset_trace t = {.path = p->traces[i].path,
                                      .id = id,
                                      .superseded = before,
                                      .state = RAS_DATASET_PRUNED,
                                      .ending = {.why = ""}};
        if (stuck->status < 0) {
            t.state = RAS_DATASET_STUCK;
            t.err = *stuck;
        }
        dataset_note(p->d, &t);
    }
}

static int prune_batch(struct pruner *p, uint64_t batch, struct ras_error *err)
{
    struct dataset_worker w = {.d = p->d};
    struct ras_error stuck = {.status = RAS_OK};
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && stuck.status >= 0 && i < p->count; i++)
        if (!p->traces[i].superseded)
            status = add_again(&w, &p->traces[i], &stuck, err);
    if (status == RAS_OK && stuck.status >= 0)
        status = replace_batch(p, batch, &w, err);
    if (w.has_batch)
        batch_free(&w.batch);
    if (status == RAS_OK)
        note_pruned(p, &stuck);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

int dataset_prune(struct dataset *d, struct ras_error *err)
{
    struct pruner p = {.d = d};
    const struct ras_dataset_options *how = d->how;
    uint64_t batch;
    size_t at = 0;
    int status =
        find_live(&p) ? manifest_bytes(&d->manifest, &p.lines, &p.size, err) : fail_memory(err);
    while (status == RAS_OK && (batch = next_batch(&p, &at)) != 0) {
        if (how->progress && !how->progress(how->user, how->path_count, how->path_count))
            status = fail_canceled(err);
        if (status == RAS_OK)
            status = prune_batch(&p, batch, err);
        free(p.lines);
        p.lines = NULL;
        if (status == RAS_OK)
            status = manifest_bytes(&d->manifest, &p.lines, &p.size, err);
        if (status == RAS_OK)
            at = line_after(&p, batch);
    }
    if (status == RAS_OK && p.nomem)
        status = fail_memory(err);
    forget_traces(&p);
    free(p.traces);
    free(p.lines);
    id_table_free(&p.live);
    return status;
}
