/* dataset.c - add traces to a dataset: what is new by its content goes into batches, by one thread
 * or several. */
#include "export/dataset.h"
#include "base/error.h"
#include "base/os.h"
#include "base/struct_size.h"
#include "codec/fnv1a.h"
#include "codec/json_write.h"
#include "core/directory.h"
#include "export/table_writer.h"
#include <rastrum/rundir.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOBS_MOST = 64, PARTS_MOST = 16384, READ_PIECE = 256 << 10 };

/* ---- content ids --------------------------------------------------------------------------- */

static int hash_file(int fd, const char *name, struct sha256 *sha, struct ras_error *err)
{
    uint8_t *piece = malloc(READ_PIECE);
    int64_t got = piece ? 1 : 0;
    *sha = sha256_start();
    if (!piece)
        return fail_memory(err);
    while (got > 0) {
        got = os_read(fd, piece, READ_PIECE);
        if (got > 0)
            sha256_add(sha, piece, (size_t)got);
    }
    free(piece);
    return got < 0 ? fail_os(err, name) : RAS_OK;
}

static void digest_text(struct sha256 *sha, char hex[2 * SHA256_SIZE + 1])
{
    uint8_t digest[SHA256_SIZE];
    sha256_end(sha, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

/* Of a directory: the hash of its sorted lines "name size sha256". */
static int hash_folder(const char *path, struct sha256 *sha, uint64_t *size, struct ras_error *err)
{
    struct directory *d;
    int status = directory_open(&d, path, PARTS_MOST, err);
    *sha = sha256_start();
    if (status < 0)
        return status;
    for (size_t i = 0; status == RAS_OK && i < directory_count(d); i++) {
        struct sha256 one;
        char hex[2 * SHA256_SIZE + 1];
        uint64_t bytes;
        int fd = directory_open_file(d, i, &bytes, err);
        status = fd < 0 ? fd : hash_file(fd, directory_name(d, i), &one, err);
        if (fd >= 0)
            os_close(fd);
        if (status < 0)
            break;
        struct out line = {0};
        digest_text(&one, hex);
        out_format(&line, "%s %" PRIu64 " %s\n", directory_name(d, i), bytes, hex);
        if (line.failed)
            status = fail_memory(err);
        else
            sha256_add(sha, line.at, line.len);
        out_free(&line);
        *size += bytes;
    }
    directory_close(d);
    return status;
}

int dataset_content(const char *path, char id[CONTENT_ID + 1], uint64_t *size,
                    struct ras_error *err)
{
    struct os_about about;
    struct sha256 sha;
    char hex[2 * SHA256_SIZE + 1];
    int status;
    *size = 0;
    if (os_about(path, &about) < 0)
        return fail_os(err, path);
    if (about.kind == OS_FOLDER) {
        status = hash_folder(path, &sha, size, err);
    } else {
        int fd = os_open(path, OS_READ);
        status = fd < 0 ? fail_os(err, path) : hash_file(fd, path, &sha, err);
        if (fd >= 0)
            os_close(fd);
        *size = about.size;
    }
    if (status < 0)
        return status;
    digest_text(&sha, hex);
    snprintf(id, CONTENT_ID + 1, "%.*s", CONTENT_ID, hex);
    return RAS_OK;
}

/* ---- one trace ----------------------------------------------------------------------------- */

static bool keep_on(void *user, uint64_t done, uint64_t total)
{
    const struct dataset *d = user;
    (void)done, (void)total;
    return !d->canceled && d->status == RAS_OK;
}

static int add_tables(struct dataset_worker *w, struct ras_trace *trace,
                      const struct ras_rundir *run, size_t pen, struct ras_dataset_trace *t,
                      struct out *counts, struct ras_error *err)
{
    struct ras_tables_options options = {.struct_size = sizeof options,
                                         .run = run,
                                         .pen = pen,
                                         .trace = t->id,
                                         .progress = keep_on,
                                         .user = w->d};
    struct ras_tables *tables;
    int status = ras_tables_open(&tables, trace, &options, err);
    if (status == RAS_OK)
        status = batch_add(&w->batch, tables, ras_format_of(trace)->name, counts, &t->rows, keep_on,
                           w->d, err);
    ras_tables_close(tables);
    struct ras_ending ending = ras_ending(trace);
    if (ending.kind > t->ending.kind)
        t->ending = ending;
    return status;
}

/* A trace or a run that is open. */
struct opened {
    struct ras_trace *trace;
    struct ras_rundir *run;
};

static int open_path(const struct dataset *d, const char *path, struct opened *o,
                     struct ras_error *err)
{
    *o = (struct opened){0};
    return ras_rundir_exists(path) ? ras_rundir_open(&o->run, path, d->how->options, err)
                                   : ras_open(&o->trace, path, d->how->options, err);
}

static void close_opened(struct opened *o)
{
    ras_close(o->trace);
    ras_rundir_close(o->run);
}

static void put_entry(struct out *traces, bool holds, const struct ras_dataset_trace *t,
                      const char *format, uint64_t size, const struct out *counts)
{
    struct json j = json_start_inside(traces, 0, holds);
    json_object(&j, NULL);
    if (t->state == RAS_DATASET_FAILED) {
        json_text(&j, "path", t->path);
        json_text(&j, "error", t->err.text);
        json_close(&j);
        return;
    }
    json_text(&j, "id", t->id);
    json_text(&j, "path", t->path);
    json_text(&j, "format", format);
    json_uint(&j, "size_bytes", size);
    json_text(&j, "ending", ras_ending_name(t->ending.kind));
    json_object(&j, "rows");
    if (counts->len)
        json_members(&j, counts->at, counts->len);
    json_close(&j);
    json_close(&j);
}

int dataset_add_path(struct dataset_worker *w, struct ras_dataset_trace *t, uint64_t size,
                     struct ras_error *err)
{
    struct opened o;
    struct out counts = {0};
    int status = RAS_OK;
    if (!w->has_batch) {
        status = batch_begin(&w->batch, &w->d->manifest, w->number, err);
        w->has_batch = true;
    }
    if (status < 0)
        return status;
    if (open_path(w->d, t->path, &o, &t->err) < 0) {
        t->state = RAS_DATASET_FAILED;
        put_entry(&w->batch.traces, w->batch.traces.len, t, NULL, 0, NULL);
        return w->batch.traces.failed ? fail_memory(err) : RAS_OK;
    }
    if (o.trace)
        status = add_tables(w, o.trace, NULL, 0, t, &counts, err);
    for (size_t i = 0; o.run && status == RAS_OK && i < o.run->pen_count; i++)
        if (o.run->pens[i].trace)
            status = add_tables(w, o.run->pens[i].trace, o.run, i, t, &counts, err);
    t->ending.why = "";
    if (status == RAS_OK) {
        put_entry(&w->batch.traces, w->batch.traces.len, t,
                  o.trace ? ras_format_of(o.trace)->name : "run", size, &counts);
        w->batch.trace_count++;
        w->batch.rows += t->rows;
        status = w->batch.traces.failed || counts.failed ? fail_memory(err) : RAS_OK;
    }
    close_opened(&o);
    out_free(&counts);
    return status;
}

/* ---- batches ------------------------------------------------------------------------------- */

void dataset_count(struct dataset *d, const struct dataset_batch *b)
{
    struct ras_dataset_result *r = d->result;
    r->batches++;
    r->files += b->file_count;
    r->bytes += b->bytes;
    r->rows += b->rows;
    r->unfit += b->carried.unfit;
    r->null_items += b->carried.null_items;
    r->not_utf8 += b->carried.not_utf8;
}

static int close_batch(struct dataset_worker *w, struct ras_error *err)
{
    struct dataset *d = w->d;
    int status = RAS_OK;
    if (!w->has_batch)
        return RAS_OK;
    if (w->batch.trace_count) {
        status = batch_finish(&w->batch, err);
        mutex_lock(&d->mutex);
        mutex_lock(&d->manifest.mutex);
        if (status == RAS_OK)
            status = batch_commit(&w->batch, err);
        if (status == RAS_OK) {
            dataset_count(d, &w->batch);
            d->result->added += w->batch.trace_count;
        }
        mutex_unlock(&d->manifest.mutex);
        mutex_unlock(&d->mutex);
    }
    batch_free(&w->batch);
    w->has_batch = false;
    return status;
}

/* Which path is next, and whether its content is new: the id is claimed then. */
static int take_path(struct dataset *d, const char **path)
{
    mutex_lock(&d->mutex);
    const struct ras_dataset_options *how = d->how;
    bool more = d->status == RAS_OK && !d->canceled && d->next < how->path_count;
    if (more && how->progress && !how->progress(how->user, d->next, how->path_count)) {
        d->canceled = true;
        more = false;
    }
    *path = more ? how->paths[d->next++] : NULL;
    mutex_unlock(&d->mutex);
    return more;
}

/* What a path has now. */
static bool note_seen(struct dataset *d, const char *path, uint64_t id)
{
    uint64_t hash = fnv1a_text(path);
    if (!d->how->prune)
        return true;
    if (id_table_find(&d->seen_ids, id) == ID_TABLE_NONE && !id_table_add(&d->seen_ids, id, 0))
        return false;
    if (id_table_find(&d->seen, hash) != ID_TABLE_NONE)
        return true;
    if (!array_grow(&d->seen_paths, &d->seen_room, d->seen_count + 1, sizeof *d->seen_paths) ||
        !id_table_add(&d->seen, hash, (uint32_t)d->seen_count))
        return false;
    char *copy = text_copy(path, strlen(path));
    d->seen_paths[d->seen_count] = (struct known_path){copy, id};
    d->seen_count += copy != NULL;
    return copy != NULL;
}

static int claim(struct dataset *d, struct ras_dataset_trace *t, char before[CONTENT_ID + 1],
                 struct ras_error *err)
{
    uint64_t id = strtoull(t->id, NULL, 16);
    mutex_lock(&d->mutex);
    uint64_t had = manifest_path(&d->manifest, t->path);
    int is_new = manifest_claim(&d->manifest, id);
    bool noted = is_new <= 0 || manifest_note_path(&d->manifest, t->path, id);
    noted = noted && note_seen(d, t->path, id);
    mutex_unlock(&d->mutex);
    if (is_new < 0 || !noted)
        return fail_memory(err);
    if (had && had != id) {
        snprintf(before, CONTENT_ID + 1, "%016" PRIx64, had);
        t->superseded = before;
    }
    t->state = is_new ? RAS_DATASET_ADDED : RAS_DATASET_PRESENT;
    return RAS_OK;
}

void dataset_note(struct dataset *d, const struct ras_dataset_trace *t)
{
    mutex_lock(&d->mutex);
    d->result->present += t->state == RAS_DATASET_PRESENT;
    d->result->failed += t->state == RAS_DATASET_FAILED;
    d->result->lossy += t->state == RAS_DATASET_ADDED && t->ending.kind >= RAS_CUT;
    d->result->pruned += t->state == RAS_DATASET_PRUNED;
    d->result->stuck += t->state == RAS_DATASET_STUCK;
    if (d->how->trace)
        d->how->trace(d->how->user, t);
    mutex_unlock(&d->mutex);
}

static int work_path(struct dataset_worker *w, const char *path, struct ras_error *err)
{
    char id[CONTENT_ID + 1] = "", before[CONTENT_ID + 1];
    struct ras_dataset_trace t = {.path = path, .id = id, .ending = {.why = ""}};
    const struct ras_dataset_options *how = w->d->how;
    uint64_t size;
    int status = RAS_OK;
    if (dataset_content(path, id, &size, &t.err) < 0)
        t.state = RAS_DATASET_FAILED;
    else
        status = claim(w->d, &t, before, err);
    if (status == RAS_OK && t.state == RAS_DATASET_ADDED)
        status = dataset_add_path(w, &t, size, err);
    if (status < 0)
        return status;
    dataset_note(w->d, &t);
    uint64_t bytes = how->batch_bytes ? how->batch_bytes : (uint64_t)256 << 20;
    uint64_t traces = how->batch_traces ? how->batch_traces : 1024;
    bool full = w->has_batch && (batch_size(&w->batch) >= bytes || w->batch.trace_count >= traces);
    return full ? close_batch(w, err) : RAS_OK;
}

static void *work(void *user)
{
    struct dataset_worker *w = user;
    struct dataset *d = w->d;
    const char *path;
    struct ras_error err = {.status = RAS_OK};
    int status = RAS_OK;
    while (status == RAS_OK && take_path(d, &path))
        status = work_path(w, path, &err);
    if (status == RAS_OK && !d->canceled)
        status = close_batch(w, &err);
    if (w->has_batch)
        batch_free(&w->batch);
    mutex_lock(&d->mutex);
    if (status < 0 && d->status == RAS_OK) {
        d->status = status;
        d->err = err;
    }
    mutex_unlock(&d->mutex);
    return NULL;
}

/* ---- all ----------------------------------------------------------------------------------- */

static void run_workers(struct dataset *d)
{
    struct dataset_worker workers[JOBS_MOST] = {{0}};
    unsigned jobs = d->how->jobs < 1 ? 1 : d->how->jobs < JOBS_MOST ? d->how->jobs : JOBS_MOST;
    for (unsigned i = 0; i < jobs; i++) {
        workers[i] = (struct dataset_worker){.d = d, .number = i};
        if (i)
            workers[i].started = thread_start(&workers[i].thread, work, &workers[i]);
    }
    (void)work(&workers[0]);
    for (unsigned i = 1; i < jobs; i++)
        if (workers[i].started)
            thread_join(&workers[i].thread);
}

int ras_dataset_add(struct ras_dataset_result *out, const struct ras_dataset_options *options,
                    struct ras_error *err)
{
    struct ras_dataset_options own;
    struct dataset d = {.how = OPTIONS(&own, options, err), .result = out};
    *out = (struct ras_dataset_result){0};
    if (!d.how)
        return RAS_EUSAGE;
    if (check_number_order(err) < 0)
        return RAS_EUNSUPPORTED;
    if (!mutex_init(&d.mutex))
        return fail_memory(err);
    int status = manifest_open(&d.manifest, d.how->folder, err);
    out->leftovers = d.manifest.leftovers;
    if (status == RAS_OK) {
        run_workers(&d);
        status = d.canceled && d.status == RAS_OK ? fail_canceled(err) : d.status;
        if (d.status < 0 && err)
            *err = d.err;
        if (status == RAS_OK && d.how->prune)
            status = dataset_prune(&d, err);
    }
    manifest_close(&d.manifest);
    for (size_t i = 0; i < d.seen_count; i++)
        free(d.seen_paths[i].path);
    free(d.seen_paths);
    id_table_free(&d.seen);
    id_table_free(&d.seen_ids);
    mutex_free(&d.mutex);
    return status;
}
