/* dataset_batch.c - one batch of a dataset: a Parquet file a table that the rows of many traces go
 * into, made in a directory of its own and put in its place by renaming.
 *
 * A table whose columns change begins another file. */
#include "base/error.h"
#include "base/os.h"
#include "codec/fnv1a.h"
#include "codec/json_write.h"
#include "core/sink.h"
#include "export/dataset.h"
#include "export/parquet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH_PATH = 4096, BATCH_NAME = 300 };
#define HELD_MOST ((size_t)96 << 20) /* bytes that wait in all tables before one is written */

/* The file of a table that is being written. */
struct batch_table {
    char name[BATCH_NAME];   /* of the table in the dataset */
    char folder[BATCH_NAME]; /* the same, of letters that every file system takes */
    uint64_t signature;      /* of the columns of the file */
    struct ras_column_about *columns;
    char *texts; /* their names */
    size_t column_count;
    struct ras_table_about about;
    struct parquet *file;
    struct ras_sink *sink;
    struct sink_digest digest;
    unsigned part;
};

int batch_begin(struct dataset_batch *b, struct manifest *m, unsigned worker, struct ras_error *err)
{
    char path[BATCH_PATH], name[64];
    snprintf(name, sizeof name, ".tmp-%u-%u", os_process_id(), worker);
    *b = (struct dataset_batch){.manifest = m};
    int status = path_join(path, sizeof path, m->folder, name, err);
    if (status < 0)
        return status;
    b->temporary = text_copy(path, strlen(path));
    if (!b->temporary)
        return fail_memory(err);
    return os_make_folder(path, 0777) < 0 && errno != EEXIST ? fail_os(err, path) : RAS_OK;
}

uint64_t batch_size(const struct dataset_batch *b)
{
    uint64_t size = b->bytes;
    for (size_t i = 0; i < b->table_count; i++)
        if (b->tables[i].sink)
            size += ras_sink_size(b->tables[i].sink);
    return size;
}

/* ---- files --------------------------------------------------------------------------------- */

static void part_path(const struct batch_table *t, char name[BATCH_NAME + 40])
{
    snprintf(name, BATCH_NAME + 40, "%s/part-%04u.parquet", t->folder, t->part);
}

static void forget_columns(struct batch_table *t)
{
    free(t->columns);
    free(t->texts);
    t->columns = NULL;
    t->texts = NULL;
}

/* Finish the file that is open, and note it for the manifest. */
static int close_part(struct dataset_batch *b, struct batch_table *t, struct ras_error *err)
{
    char name[BATCH_NAME + 40], hex[2 * SHA256_SIZE + 1];
    uint8_t digest[SHA256_SIZE];
    if (!t->file)
        return RAS_OK;
    const struct parquet_fact facts[] = {{"rastrum.table", t->name}};
    uint64_t rows = parquet_rows(t->file);
    int status = parquet_finish(t->file, facts, 1, err);
    b->carried.not_utf8 += parquet_not_utf8(t->file);
    parquet_free(t->file);
    t->file = NULL;
    uint64_t size = ras_sink_size(t->sink);
    if (status == RAS_OK)
        status = ras_sink_close(t->sink, err);
    else
        ras_sink_drop(t->sink);
    t->sink = NULL;
    forget_columns(t);
    if (status < 0)
        return status;
    sha256_end(&t->digest.sha, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    part_path(t, name);
    struct json j = json_start_inside(&b->files, 0, b->file_count);
    json_object(&j, NULL);
    json_text(&j, "name", name);
    json_uint(&j, "size_bytes", size);
    json_text(&j, "sha256", hex);
    json_uint(&j, "rows", rows);
    json_close(&j);
    b->file_count++;
    b->bytes += size;
    t->part++;
    return b->files.failed ? fail_memory(err) : RAS_OK;
}

/* Columns outlive the trace that they were first seen in. */
static bool copy_columns(struct batch_table *t, const struct ras_column_about *from, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(from[i].name) + 1;
    t->columns = calloc(count + 1, sizeof *t->columns);
    t->texts = malloc(bytes + 1);
    if (!t->columns || !t->texts)
        return false;
    char *at = t->texts;
    for (size_t i = 0; i < count; i++) {
        t->columns[i] = from[i];
        t->columns[i].name = at;
        t->columns[i].field = t->columns[i].unit = t->columns[i].note = NULL;
        at = (char *)store_bytes((uint8_t *)at, from[i].name, strlen(from[i].name) + 1);
    }
    t->column_count = count;
    t->about =
        (struct ras_table_about){.name = t->name, .columns = t->columns, .column_count = count};
    return true;
}

static int open_part(struct dataset_batch *b, struct batch_table *t,
                     const struct ras_column_about *columns, size_t count, struct ras_error *err)
{
    char path[BATCH_PATH], folder[BATCH_PATH], name[BATCH_NAME + 40];
    uint16_t *order = calloc(count + 1, sizeof *order);
    part_path(t, name);
    int status = order && copy_columns(t, columns, count) ? RAS_OK : fail_memory(err);
    if (status == RAS_OK)
        status = path_join(folder, sizeof folder, b->temporary, t->folder, err);
    if (status == RAS_OK && os_make_folder(folder, 0777) < 0 && errno != EEXIST)
        status = fail_os(err, folder);
    if (status == RAS_OK)
        status = path_join(path, sizeof path, b->temporary, name, err);
    if (status == RAS_OK)
        status = sink_create(&t->sink, path, name, err);
    for (size_t i = 0; i < count && order; i++)
        order[i] = (uint16_t)i;
    if (status == RAS_OK) {
        sink_digest(t->sink, &t->digest);
        status = parquet_open(&t->file, t->sink, &t->about, order, count, err);
    }
    free(order);
    return status;
}

/* ---- tables -------------------------------------------------------------------------------- */

static uint64_t signature_of(const struct ras_column_about *columns, size_t count)
{
    uint64_t hash = FNV1A_START;
    for (size_t i = 0; i < count; i++) {
        uint32_t facts[3] = {columns[i].type, columns[i].item, columns[i].flags & RAS_NULLABLE};
        hash = fnv1a_bytes(hash, columns[i].name, strlen(columns[i].name) + 1);
        hash = fnv1a_bytes(hash, facts, sizeof facts);
    }
    return hash;
}

static struct batch_table *table_in_batch(struct dataset_batch *b, const char *name)
{
    for (size_t i = 0; i < b->table_count; i++)
        if (!strcmp(b->tables[i].name, name))
            return &b->tables[i];
    if (!array_grow(&b->tables, &b->table_room, b->table_count + 1, sizeof *b->tables))
        return NULL;
    struct batch_table *t = &b->tables[b->table_count++];
    *t = (struct batch_table){.part = 0};
    snprintf(t->name, sizeof t->name, "%s", name);
    file_name_plain(name, t->folder);
    return t;
}

/* The digests are updated by the sinks, so that tables must not move while files are open. */
static int settle_tables(struct dataset_batch *b, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < b->table_count; i++)
        status = close_part(b, &b->tables[i], err);
    return status;
}

/* The table for these columns, with a file that has them. */
static int table_for(struct dataset_batch *b, const char *name,
                     const struct ras_column_about *columns, size_t count, struct batch_table **out,
                     struct ras_error *err)
{
    char numbered[BATCH_NAME] = "";
    mutex_lock(&b->manifest->mutex);
    const struct known_table *known = manifest_table(b->manifest, name, columns, count);
    if (known)
        snprintf(numbered, sizeof numbered, "%s", known->name);
    mutex_unlock(&b->manifest->mutex);
    if (!known)
        return fail_memory(err);
    int status = RAS_OK;
    size_t before = b->table_room;
    if (b->table_count == before)
        status = settle_tables(b, err);
    struct batch_table *t = status == RAS_OK ? table_in_batch(b, numbered) : NULL;
    if (!t)
        return status < 0 ? status : fail_memory(err);
    uint64_t signature = signature_of(columns, count);
    if (t->file && t->signature != signature)
        status = close_part(b, t, err);
    if (status == RAS_OK && !t->file)
        status = open_part(b, t, columns, count, err);
    t->signature = signature;
    *out = t;
    return status;
}

/* Row groups are written early where many tables hold rows. */
static int flush_tables(struct dataset_batch *b, struct ras_error *err)
{
    size_t held = 0;
    int status = RAS_OK;
    for (size_t i = 0; i < b->table_count; i++)
        held += b->tables[i].file ? parquet_held(b->tables[i].file) : 0;
    for (size_t i = 0; status == RAS_OK && held > HELD_MOST && i < b->table_count; i++)
        if (b->tables[i].file)
            status = parquet_flush(b->tables[i].file, err);
    return status;
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* The visible columns of a table, and run_tick, which is null outside a run: every file of a
 * table has it. */
struct chosen {
    struct ras_column_about *abouts;
    struct ras_column *columns; /* of a batch */
    uint16_t *numbers;          /* those that are read */
    size_t count, read_count;
    size_t null_at; /* where run_tick is added; SIZE_MAX: nowhere */
    uint8_t *zeros; /* values and validity of it */
    size_t zero_room;
};

static void chosen_free(struct chosen *c)
{
    free(c->abouts);
    free(c->columns);
    free(c->numbers);
    free(c->zeros);
}

static bool choose_visible(const struct ras_table_about *t, struct chosen *c)
{
    *c = (struct chosen){.null_at = SIZE_MAX};
    c->abouts = calloc(t->column_count + 2, sizeof *c->abouts);
    c->columns = calloc(t->column_count + 2, sizeof *c->columns);
    c->numbers = calloc(t->column_count + 2, sizeof *c->numbers);
    if (!c->abouts || !c->columns || !c->numbers)
        return false;
    bool has_run = false, has_stream = false;
    for (size_t i = 0; i < t->column_count; i++) {
        has_run |= !strcmp(t->columns[i].name, "run_tick");
        has_stream |= !strcmp(t->columns[i].name, "stream");
    }
    for (size_t i = 0; i < t->column_count; i++) {
        if (t->columns[i].flags & RAS_HIDDEN)
            continue;
        if (!has_run && has_stream && !strcmp(t->columns[i].name, "stream")) {
            c->null_at = c->count;
            c->abouts[c->count++] = (struct ras_column_about){
                .name = "run_tick", .type = RAS_T_U64, .flags = RAS_NULLABLE};
        }
        c->abouts[c->count] = t->columns[i];
        if (column_may_be_null(&t->columns[i]))
            c->abouts[c->count].flags |= RAS_NULLABLE;
        c->count++;
        c->numbers[c->read_count++] = (uint16_t)i;
    }
    return true;
}

/* A batch with the column that is all null put in. */
static bool complete_batch(struct chosen *c, const struct ras_batch *from, struct ras_batch *to)
{
    size_t at = 0;
    if (c->null_at != SIZE_MAX && c->zero_room < from->rows * 9 + 8) {
        free(c->zeros);
        c->zero_room = from->rows * 9 + 8;
        c->zeros = calloc(c->zero_room, 1);
        if (!c->zeros)
            return false;
    }
    for (size_t i = 0; i < c->count; i++)
        c->columns[i] = i == c->null_at ? (struct ras_column){.values = c->zeros,
                                                              .valid = c->zeros + from->rows * 8,
                                                              .nulls = from->rows}
                                        : from->columns[at++];
    *to = *from;
    to->columns = c->columns;
    to->column_count = c->count;
    return true;
}

static int copy_table(struct dataset_batch *b, struct ras_tables *tables, const char *name,
                      const struct ras_table_about *table, struct chosen *c, uint64_t *rows,
                      ras_progress *progress, void *user, struct ras_error *err)
{
    struct ras_columns_scan scan = {.struct_size = sizeof scan,
                                    .table = table->name,
                                    .columns = c->numbers,
                                    .column_count = c->read_count,
                                    .progress = progress,
                                    .user = user};
    struct ras_columns *reader;
    const struct ras_batch *batch;
    struct batch_table *to = NULL;
    int status = ras_columns_open(&reader, tables, &scan, err), next = RAS_OK;
    while (status == RAS_OK && (next = ras_columns_next(reader, &batch, err)) == RAS_OK) {
        struct ras_batch whole;
        if (!to) {
            status = table_for(b, name, c->abouts, c->count, &to, err);
            if (status == RAS_OK)
                parquet_new_reader(to->file);
        }
        if (status == RAS_OK && !complete_batch(c, batch, &whole))
            status = fail_memory(err);
        if (status == RAS_OK)
            status = parquet_write(to->file, &whole, err);
        *rows += batch->selected ? batch->selected_count : batch->rows;
        for (size_t i = 0; status == RAS_OK && i < c->count; i++)
            if (i != c->null_at)
                carried_column(&b->carried, batch, &c->columns[i], c->abouts[i].type, false);
    }
    ras_columns_close(reader);
    return status == RAS_OK && next < 0 ? next : status;
}

int batch_add(struct dataset_batch *b, struct ras_tables *tables, const char *format,
              struct out *counts, uint64_t *rows, ras_progress *progress, void *user,
              struct ras_error *err)
{
    const struct ras_table_about *t;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && (t = ras_table_at(tables, i)) != NULL; i++) {
        char name[BATCH_NAME];
        struct chosen c;
        uint64_t own = 0;
        if (t->kind != RAS_TABLE_RECORDS || !t->type)
            continue;
        snprintf(name, sizeof name, "%s_%.250s", format, t->name);
        if (!choose_visible(t, &c))
            status = fail_memory(err);
        if (status == RAS_OK)
            status = copy_table(b, tables, name, t, &c, &own, progress, user, err);
        chosen_free(&c);
        if (status == RAS_OK)
            status = flush_tables(b, err);
        if (status == RAS_OK && own) {
            struct json j = json_start_inside(counts, 0, counts->len);
            json_uint(&j, name, own);
            *rows += own;
        }
    }
    return status;
}

/* ---- commit -------------------------------------------------------------------------------- */

int batch_finish(struct dataset_batch *b, struct ras_error *err)
{
    return settle_tables(b, err);
}

/* The directory of one table to its place; folder/table/batch=000001. */
static int place_table(struct dataset_batch *b, const struct batch_table *t, uint64_t number,
                       struct ras_error *err)
{
    char from[BATCH_PATH], to[BATCH_PATH], name[BATCH_NAME + 40];
    int status = path_join(from, sizeof from, b->temporary, t->folder, err);
    if (status == RAS_OK)
        status = path_join(to, sizeof to, b->manifest->folder, t->folder, err);
    if (status == RAS_OK && os_make_folder(to, 0777) < 0 && errno != EEXIST)
        return fail_os(err, to);
    (void)os_sync_folder(from);
    snprintf(name, sizeof name, "%s/batch=%06" PRIu64, t->folder, number);
    char place[BATCH_PATH];
    if (status == RAS_OK)
        status = path_join(place, sizeof place, b->manifest->folder, name, err);
    if (status == RAS_OK && os_rename(from, place, false) < 0)
        status = fail_os(err, place);
    if (status == RAS_OK)
        (void)os_sync_folder(to);
    return status;
}

int batch_place(struct dataset_batch *b, uint64_t number, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < b->table_count; i++)
        status = b->tables[i].part ? place_table(b, &b->tables[i], number, err) : RAS_OK;
    if (status == RAS_OK)
        status = manifest_schemas(b->manifest, err);
    (void)os_sync_folder(b->manifest->folder);
    return status;
}

void batch_line(const struct dataset_batch *b, uint64_t number, struct out *line)
{
    struct json j = json_start(line, 0);
    json_object(&j, NULL);
    json_uint(&j, "batch", number);
    json_array(&j, "traces");
    json_members(&j, b->traces.at, b->traces.len);
    json_close(&j);
    json_array(&j, "files");
    if (b->files.len)
        json_members(&j, b->files.at, b->files.len);
    json_close(&j);
    json_text(&j, "rastrum", ras_version());
    json_close(&j);
    out_text(line, "\n");
    line->failed |= b->traces.failed || b->files.failed;
}

int batch_commit(struct dataset_batch *b, struct ras_error *err)
{
    struct manifest *m = b->manifest;
    uint64_t number = m->batches + 1;
    struct out line = {0};
    int status = batch_place(b, number, err);
    if (status < 0)
        return status;
    batch_line(b, number, &line);
    status = manifest_append(m, &line, err);
    out_free(&line);
    if (status == RAS_OK)
        m->batches = number;
    return status;
}

void batch_free(struct dataset_batch *b)
{
    for (size_t i = 0; i < b->table_count; i++) {
        parquet_free(b->tables[i].file);
        ras_sink_drop(b->tables[i].sink);
        forget_columns(&b->tables[i]);
    }
    free(b->tables);
    if (b->temporary)
        folder_discard(b->temporary);
    free(b->temporary);
    out_free(&b->traces);
    out_free(&b->files);
}
