/* dataset.h - a directory of Parquet files that grows batch by batch; shared by its files. */
#ifndef EXPORT_DATASET_H
#define EXPORT_DATASET_H

#include "base/id_table.h"
#include "base/memory.h"
#include "base/out.h"
#include "base/thread.h"
#include "codec/sha256.h"
#include "export/carried.h"
#include <rastrum/columns.h>
#include <rastrum/export.h>

enum { CONTENT_ID = 16 }; /* hexadecimal digits */

/* ---- the manifest ------------------------------------------------------------------------- */

/* What a path was when it was added last. */
struct known_path {
    char *path;
    uint64_t id;
};

/* A column as the widest that was seen. */
struct known_column {
    char *name;
    enum ras_type type, item;
    bool nullable;
};
struct known_table {
    char *name;
    struct known_column *columns;
    size_t count, room;
    bool changed; /* since its file in _schema was written */
};

struct manifest {
    const char *folder;
    int lock, fd;
    uint64_t batches; /* the largest number */
    struct id_table batch_set, ids;
    struct known_path *paths;
    size_t path_count, path_room;
    struct known_table *tables;
    size_t table_count, table_room;
    uint64_t leftovers;
    struct os_mutex mutex; /* of the tables, between threads */
};

/* Lock the directory, read the manifest, remove what no line of it names. */
int manifest_open(struct manifest *, const char *folder, struct ras_error *);
void manifest_close(struct manifest *);
/* Whether the id is new; it is known then. -1: memory is short. */
int manifest_claim(struct manifest *, uint64_t id);
/* The id that a path had; 0: none. */
uint64_t manifest_path(const struct manifest *, const char *path);
bool manifest_note_path(struct manifest *, const char *path, uint64_t id);
/* All its lines as they are; free() them. */
int manifest_bytes(const struct manifest *, uint8_t **bytes, size_t *size, struct ras_error *);
/* The batch of a line, and `each` of its traces. False: it is not that of a batch. */
bool manifest_line(struct ras_bytes line, uint64_t *batch, bool *pruned, void *user,
                   bool (*each)(void *user, uint64_t id, const char *path));
/* Put others in the place of all lines, at once: whole or not at all. */
int manifest_replace(struct manifest *, const struct out *lines, struct ras_error *);
/* Append a line, which ends with a newline, and sync it. */
int manifest_append(struct manifest *, const struct out *line, struct ras_error *);
/* The table, under its name or with ~2, ~3 ...: the first whose columns can be widened to these. */
struct known_table *manifest_table(struct manifest *, const char *name,
                                   const struct ras_column_about *, size_t count);
/* Write what changed in _schema. */
int manifest_schemas(struct manifest *, struct ras_error *);
/* folder/name, in `path`. */
int path_join(char *path, size_t room, const char *folder, const char *name, struct ras_error *);
/* A table's name of letters that every file system takes; where one was changed, a hash of the
 * whole follows. */
enum { PLAIN_NAME = 300 };
void file_name_plain(const char *name, char plain[PLAIN_NAME]);
/* A directory and what is in it, two levels deep. */
void folder_discard(const char *path);

/* ---- a batch ------------------------------------------------------------------------------- */

struct batch_table;
struct dataset_batch {
    struct manifest *manifest;
    char *temporary; /* where it is made */
    struct batch_table *tables;
    size_t table_count, table_room;
    struct out traces, files; /* of the manifest's line: JSON */
    uint64_t trace_count, file_count, bytes, rows;
    struct carried carried;
};
int batch_begin(struct dataset_batch *, struct manifest *, unsigned worker, struct ras_error *);
/* All record tables of a trace; *rows counts theirs, which go into `counts` as JSON members. */
int batch_add(struct dataset_batch *, struct ras_tables *, const char *format, struct out *counts,
              uint64_t *rows, ras_progress *, void *user, struct ras_error *);
/* Bytes written so far. */
uint64_t batch_size(const struct dataset_batch *);
/* Close the files; the rest is done with the manifest's lock held. */
int batch_finish(struct dataset_batch *, struct ras_error *);
/* In two steps: put the files in their place, and make the line that names them. */
int batch_place(struct dataset_batch *, uint64_t number, struct ras_error *);
void batch_line(const struct dataset_batch *, uint64_t number, struct out *line);
int batch_commit(struct dataset_batch *, struct ras_error *);
void batch_free(struct dataset_batch *); /* removes what was not committed */

/* ---- adding traces ------------------------------------------------------------------------- */

/* What all threads share. */
struct dataset {
    const struct ras_dataset_options *how;
    struct ras_dataset_result *result;
    struct manifest manifest;
    struct os_mutex mutex;
    size_t next; /* path */
    bool canceled;
    int status; /* of the first thread that failed */
    struct ras_error err;
    /* To prune: the content of the paths that were read, by a hash of the path; and all of them. */
    struct id_table seen, seen_ids;
    struct known_path *seen_paths;
    size_t seen_count, seen_room;
};

struct dataset_worker {
    struct dataset *d;
    unsigned number;
    struct os_thread thread;
    bool started, has_batch;
    struct dataset_batch batch;
};

/* The first digits of the hash of what is stored at a path, and its size. */
int dataset_content(const char *path, char id[CONTENT_ID + 1], uint64_t *size, struct ras_error *);
/* The rows of a path, whose id is set. What cannot be opened is noted; what fails later ends it
 * all. */
int dataset_add_path(struct dataset_worker *, struct ras_dataset_trace *, uint64_t size,
                     struct ras_error *);
/* Count what a batch added. */
void dataset_count(struct dataset *, const struct dataset_batch *);
void dataset_note(struct dataset *, const struct ras_dataset_trace *);
/* dataset_prune.c: remove what the paths that were read have superseded. */
int dataset_prune(struct dataset *, struct ras_error *);
#endif
