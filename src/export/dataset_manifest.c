/* dataset_manifest.c - what a dataset holds: one line a batch, which is there when all its files
 * are; and the columns of its tables. */
#include "base/error.h"
#include "base/file.h"
#include "base/os.h"
#include "codec/fnv1a.h"
#include "codec/json_read.h"
#include "export/dataset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char manifest_name[] = "_manifest.jsonl";
enum { PATH_ROOM = 4096 };

int path_join(char *path, size_t room, const char *folder, const char *name, struct ras_error *err)
{
    int len = snprintf(path, room, "%s/%s", folder, name);
    return len > 0 && (size_t)len < room
               ? RAS_OK
               : fail(err, RAS_ELIMIT, RAS_NONE, "%.100s/...: a path of more than %zu bytes",
                      folder, room - 1);
}

void file_name_plain(const char *name, char plain[PLAIN_NAME])
{
    bool changed = false;
    size_t len = 0;
    for (const char *p = name; *p && len < 200; p++) {
        bool kept = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                    (*p >= '0' && *p <= '9') || strchr("_.-~", *p);
        changed |= !kept;
        plain[len++] = kept ? *p : '_';
    }
    plain[len] = 0;
    if (changed || name[len])
        snprintf(plain + len, PLAIN_NAME - len, "-%08x", (uint32_t)fnv1a_text(name));
}

/* ---- leftovers ---------------------------------------------------------------------------- */

static void discard_inside(struct os_folder *folder, unsigned depth)
{
    const char *name;
    while ((name = os_folder_next(folder)) != NULL) {
        struct os_about about;
        if (os_folder_about(folder, name, false, &about) < 0)
            continue;
        struct os_folder *below =
            about.kind == OS_FOLDER && depth ? os_folder_below(folder, name) : NULL;
        if (below)
            discard_inside(below, depth - 1);
        os_folder_close(below);
        os_folder_remove(folder, name, about.kind == OS_FOLDER);
    }
}

void folder_discard(const char *path)
{
    struct os_folder *folder = os_folder_open(path);
    if (folder)
        discard_inside(folder, 2);
    os_folder_close(folder);
    (void)os_remove_folder(path);
}

static bool is_batch_name(const char *name, uint64_t *number)
{
    char again[32];
    unsigned long long n;
    if (sscanf(name, "batch=%llu", &n) != 1)
        return false;
    snprintf(again, sizeof again, "batch=%06llu", n);
    *number = n;
    return !strcmp(again, name);
}

/* Batches of one table that the manifest does not have. */
static void discard_batches(struct manifest *m, const char *table)
{
    const char *name;
    struct os_folder *folder = os_folder_open(table);
    while (folder && (name = os_folder_next(folder)) != NULL) {
        uint64_t number;
        char path[PATH_ROOM];
        if (!is_batch_name(name, &number) ||
            id_table_find(&m->batch_set, number) != ID_TABLE_NONE ||
            path_join(path, sizeof path, table, name, NULL) < 0)
            continue;
        folder_discard(path);
        m->leftovers++;
    }
    os_folder_close(folder);
}

static void discard_leftovers(struct manifest *m)
{
    const char *name;
    struct os_folder *folder = os_folder_open(m->folder);
    while (folder && (name = os_folder_next(folder)) != NULL) {
        char path[PATH_ROOM];
        if (path_join(path, sizeof path, m->folder, name, NULL) < 0)
            continue;
        if (!strncmp(name, ".tmp-", 5)) {
            folder_discard(path);
            (void)os_remove(path); /* a manifest that was not finished is a file */
            m->leftovers++;
        } else if (name[0] != '_' && name[0] != '.') {
            discard_batches(m, path);
        }
    }
    os_folder_close(folder);
}

/* ---- its lines ----------------------------------------------------------------------------- */

static uint64_t id_of(struct ras_bytes hex)
{
    char text[CONTENT_ID + 1] = "";
    memcpy(text, hex.at, hex.len < CONTENT_ID ? hex.len : CONTENT_ID);
    return strtoull(text, NULL, 16);
}

bool manifest_note_path(struct manifest *m, const char *path, uint64_t id)
{
    for (size_t i = 0; i < m->path_count; i++)
        if (!strcmp(m->paths[i].path, path)) {
            m->paths[i].id = id;
            return true;
        }
    if (!array_grow(&m->paths, &m->path_room, m->path_count + 1, sizeof *m->paths))
        return false;
    char *copy = text_copy(path, strlen(path));
    m->paths[m->path_count] = (struct known_path){copy, id};
    m->path_count += copy != NULL;
    return copy != NULL;
}

uint64_t manifest_path(const struct manifest *m, const char *path)
{
    for (size_t i = 0; i < m->path_count; i++)
        if (!strcmp(m->paths[i].path, path))
            return m->paths[i].id;
    return 0;
}

int manifest_claim(struct manifest *m, uint64_t id)
{
    if (id_table_find(&m->ids, id) != ID_TABLE_NONE)
        return 0;
    return id_table_add(&m->ids, id, 0) ? 1 : -1;
}

static bool is_key(const struct json_token *key, const char *name)
{
    return key->span.len == strlen(name) && !memcmp(key->span.at, name, key->span.len);
}

/* What a line says of its traces goes to. */
struct line_user {
    void *user;
    bool (*each)(void *user, uint64_t id, const char *path);
};

/* {"id":...,"path":...}: false where it has neither an id nor an error. */
static bool read_trace(const struct line_user *to, struct json_read *in)
{
    struct json_token key, value;
    uint64_t id = 0;
    char path[PATH_ROOM] = "";
    bool failed = false; /* it was not added */
    while (json_read_next(in, &key) == JSON_KEY) {
        size_t len = 0;
        json_read_next(in, &value);
        failed |= is_key(&key, "error");
        if (value.kind == JSON_STRING && is_key(&key, "id"))
            id = id_of(value.span);
        else if (value.kind == JSON_STRING && is_key(&key, "path") &&
                 value.span.len < sizeof path &&
                 json_read_text(in, &value, path, sizeof path - 1, &len))
            path[len] = 0;
        else if (!json_read_skip(in, &value))
            return false;
    }
    return failed || (id && to->each(to->user, id, path));
}

bool manifest_line(struct ras_bytes line, uint64_t *batch, bool *pruned, void *user,
                   bool (*each)(void *user, uint64_t id, const char *path))
{
    const struct line_user to = {user, each};
    struct json_read in = json_read_bytes(line);
    struct json_token key, value;
    *batch = 0;
    *pruned = false;
    if (json_read_next(&in, &key) != JSON_OBJECT)
        return false;
    while (json_read_next(&in, &key) == JSON_KEY) {
        json_read_next(&in, &value);
        *pruned |= is_key(&key, "pruned");
        if (value.kind == JSON_NUMBER && is_key(&key, "batch")) {
            *batch = strtoull((const char *)value.span.at, NULL, 10);
        } else if (value.kind == JSON_ARRAY && is_key(&key, "traces")) {
            while (json_read_next(&in, &value) == JSON_OBJECT)
                if (!read_trace(&to, &in))
                    return false;
        } else if (!json_read_skip(&in, &value)) {
            return false;
        }
    }
    return *batch && in.fault == JSON_FINE;
}

static bool know_trace(void *user, uint64_t id, const char *path)
{
    struct manifest *m = user;
    return manifest_claim(m, id) >= 0 && manifest_note_path(m, path, id);
}

/* A batch that was pruned keeps its number, and has no files. */
static bool read_line(struct manifest *m, struct ras_bytes line)
{
    uint64_t batch;
    bool pruned;
    if (!manifest_line(line, &batch, &pruned, m, know_trace))
        return false;
    m->batches = batch > m->batches ? batch : m->batches;
    return pruned || id_table_find(&m->batch_set, batch) != ID_TABLE_NONE ||
           id_table_add(&m->batch_set, batch, 0);
}

/* Lines up to the last newline; what follows it was being written when its writer ended. */
static int read_lines(struct manifest *m, uint8_t *bytes, size_t size, struct ras_error *err)
{
    size_t at = 0;
    for (const uint8_t *end; at < size && (end = memchr(bytes + at, '\n', size - at)) != NULL;
         at = (size_t)(end - bytes) + 1)
        if (!read_line(m, (struct ras_bytes){bytes + at, (size_t)(end - bytes) - at}))
            return fail(err, RAS_EFORMAT, at,
                        "%s/%s: this line is not that of a batch: restore the file, or begin a "
                        "new dataset",
                        m->folder, manifest_name);
    if (at < size && os_cut(m->fd, at) < 0)
        return fail_os(err, manifest_name);
    return RAS_OK;
}

int manifest_bytes(const struct manifest *m, uint8_t **bytes, size_t *size, struct ras_error *err)
{
    struct os_about about;
    *bytes = NULL;
    if (os_about_fd(m->fd, &about) < 0)
        return fail_os(err, manifest_name);
    *bytes = malloc((size_t)about.size + 1);
    if (!*bytes)
        return fail_memory(err);
    int64_t got = file_read_at(m->fd, *bytes, (size_t)about.size, 0, err);
    *size = got < 0 ? 0 : (size_t)got;
    return got < 0 ? (int)got : RAS_OK;
}

static int read_manifest(struct manifest *m, struct ras_error *err)
{
    uint8_t *bytes;
    size_t size = 0;
    int status = manifest_bytes(m, &bytes, &size, err);
    if (status == RAS_OK)
        status = read_lines(m, bytes, size, err);
    free(bytes);
    return status;
}

int manifest_replace(struct manifest *m, const struct out *lines, struct ras_error *err)
{
    char path[PATH_ROOM], beside[PATH_ROOM];
    if (lines->failed)
        return fail_memory(err);
    int status = path_join(path, sizeof path, m->folder, manifest_name, err);
    if (status == RAS_OK)
        status = path_join(beside, sizeof beside, m->folder, ".tmp-manifest", err);
    if (status < 0)
        return status;
    (void)os_remove(beside);
    int fd = os_create(beside, true, 0666);
    if (fd < 0)
        return fail_os(err, beside);
    status = file_write_at(fd, lines->at, lines->len, 0, err);
    if (status == RAS_OK && os_sync(fd) < 0)
        status = fail_os(err, beside);
    if (status == RAS_OK && os_rename(beside, path, true) < 0)
        status = fail_os(err, path);
    if (status < 0) {
        os_close(fd);
        (void)os_remove(beside);
        return status;
    }
    (void)os_sync_folder(m->folder);
    os_close(m->fd);
    m->fd = fd;
    return RAS_OK;
}

int manifest_append(struct manifest *m, const struct out *line, struct ras_error *err)
{
    struct os_about about;
    if (line->failed)
        return fail_memory(err);
    if (os_about_fd(m->fd, &about) < 0)
        return fail_os(err, manifest_name);
    int status = file_write_at(m->fd, line->at, line->len, about.size, err);
    if (status == RAS_OK && os_sync(m->fd) < 0)
        status = fail_os(err, manifest_name);
    if (status < 0)
        (void)os_cut(m->fd, about.size);
    return status;
}

/* ---- opening ------------------------------------------------------------------------------- */

/* An empty or new directory becomes a dataset; one that holds something else does not. */
static int check_folder(const struct manifest *m, struct ras_error *err)
{
    const char *name;
    char path[PATH_ROOM];
    struct os_about about;
    struct os_folder *folder = os_folder_open(m->folder);
    bool empty = folder && !os_folder_next(folder);
    os_folder_close(folder);
    if (!folder)
        return fail_os(err, m->folder);
    name = manifest_name;
    if (empty || path_join(path, sizeof path, m->folder, name, err) < 0 ||
        os_about(path, &about) == 0)
        return RAS_OK;
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "%s is not a dataset (it has no %s) and is not empty: choose another directory",
                m->folder, manifest_name);
}

static int open_file(const char *folder, const char *name, int *fd, struct ras_error *err)
{
    char path[PATH_ROOM];
    int status = path_join(path, sizeof path, folder, name, err);
    if (status < 0)
        return status;
    *fd = os_open(path, OS_READ_WRITE);
    if (*fd < 0 && errno == ENOENT)
        *fd = os_create(path, true, 0666);
    return *fd < 0 ? fail_os(err, path) : RAS_OK;
}

int manifest_open(struct manifest *m, const char *folder, struct ras_error *err)
{
    *m = (struct manifest){.folder = folder, .lock = -1, .fd = -1};
    if (!mutex_init(&m->mutex))
        return fail_memory(err);
    if (os_make_folder(folder, 0777) < 0 && errno != EEXIST)
        return fail_os(err, folder);
    int status = check_folder(m, err);
    if (status == RAS_OK)
        status = open_file(folder, "_lock", &m->lock, err);
    if (status == RAS_OK && os_lock(m->lock) < 0)
        status = errno == EWOULDBLOCK ? fail(err, RAS_EUSAGE, RAS_NONE,
                                             "%s: another process adds to this dataset", folder)
                                      : fail_os(err, "_lock");
    if (status == RAS_OK)
        status = open_file(folder, manifest_name, &m->fd, err);
    if (status == RAS_OK)
        status = read_manifest(m, err);
    if (status == RAS_OK)
        discard_leftovers(m);
    return status;
}

void manifest_close(struct manifest *m)
{
    for (size_t i = 0; i < m->path_count; i++)
        free(m->paths[i].path);
    for (size_t i = 0; i < m->table_count; i++) {
        for (size_t k = 0; k < m->tables[i].count; k++)
            free(m->tables[i].columns[k].name);
        free(m->tables[i].columns);
        free(m->tables[i].name);
    }
    free(m->paths);
    free(m->tables);
    mutex_free(&m->mutex);
    id_table_free(&m->batch_set);
    id_table_free(&m->ids);
    if (m->fd >= 0)
        os_close(m->fd);
    if (m->lock >= 0)
        os_close(m->lock);
}
