/* folder.c - a directory of output files: atomic, live or in memory. */
#include "core/folder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/id_table.h"
#include "base/memory.h"
#include "base/os.h"
#include "codec/fnv1a.h"
#include "core/directory.h"
#include "core/made.h"
#include "core/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY_FILES = 1 << 20 };

struct ras_folder {
    char *path;  /* its final name; NULL: memory */
    char *place; /* where it is made: beside the final name, or that itself */
    bool live, replace;
    enum made_kind kind;          /* what it replaces */
    struct ras_sink **sinks;      /* NULL: finished */
    struct ras_part *parts;       /* their names */
    struct sink_digest **digests; /* NULL each: none is kept */
    size_t count, sink_room, part_room, digest_room;
    struct id_table names; /* hash of a name: its index */
    bool hash;
};

static int folder_new(struct ras_folder **out, const char *path, struct ras_error *err)
{
    *out = NULL;
    struct ras_folder *f = calloc(1, sizeof *f);
    size_t len = path ? strlen(path) : 0;
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (f && path)
        f->path = text_copy(path, len);
    if (!f || (path && !f->path)) {
        free(f);
        return fail_memory(err);
    }
    *out = f;
    return RAS_OK;
}

int ras_folder_memory(struct ras_folder **out, struct ras_error *err)
{
    return folder_new(out, NULL, err);
}

int ras_folder_live(struct ras_folder **out, const char *path, struct ras_error *err)
{
    int status = folder_new(out, path, err);
    if (status < 0)
        return status;
    struct ras_folder *f = *out;
    f->live = true;
    f->place = text_copy(f->path, strlen(f->path));
    if (!f->place)
        status = fail_memory(err);
    else if (os_make_folder(f->place, 0777) < 0 && errno != EEXIST)
        status = fail_os(err, f->place);
    if (status < 0) {
        ras_folder_drop(f);
        *out = NULL;
    }
    return status;
}

/* What a link leads to is meant. The link itself stays as it is. */
static int follow_link(struct ras_folder *f, struct ras_error *err)
{
    struct os_about about;
    if (os_about_link(f->path, &about) < 0 || about.kind != OS_LINK)
        return RAS_OK;
    char *to = os_real_path(f->path);
    if (!to)
        return fail_os(err, f->path);
    free(f->path);
    f->path = to;
    return RAS_OK;
}

/* What is there may be replaced: it is ours. Said before the work, and checked again after it. */
static int check_old(const struct ras_folder *f, struct ras_error *err)
{
    struct made *old;
    int status = made_open(&old, f->path, f->kind, err);
    made_free(old);
    return status;
}

static int take_place(struct ras_folder *f, struct ras_error *err)
{
    struct os_about about;
    int status = follow_link(f, err);
    if (status < 0)
        return status;
    bool there = os_about(f->path, &about) == 0;
    if (there && about.kind != OS_FOLDER)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s is not a directory", f->path);
    if (there && !f->replace &&
        os_remove_folder(f->path) < 0) { /* an empty one is as good as none */
        status = fail(err, RAS_EUSAGE, RAS_NONE, "%s exists and is not empty", f->path);
        if (err)
            err->os_errno = EEXIST;
        return status;
    }
    if (there && f->replace && check_old(f, err) < 0)
        return RAS_EUSAGE;
    f->place = file_name_beside(f->path);
    if (!f->place)
        return fail_memory(err);
    if (os_make_folder(f->place, there && f->replace ? 0700 : 0777) == 0)
        return RAS_OK;
    status = errno == ENOENT ? fail(err, RAS_EIO, RAS_NONE,
                                    "%s: the directory above it does not exist", f->path)
                             : fail_os(err, f->path);
    free(f->place);
    f->place = NULL;
    return status;
}

static int folder_open(struct ras_folder **out, const char *path, unsigned flags,
                       enum made_kind kind, struct ras_error *err)
{
    bool replace;
    *out = NULL;
    if (!*path)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a directory needs a name");
    int status = made_flags(flags, &replace, err);
    if (status == RAS_OK)
        status = folder_new(out, path, err);
    if (status < 0)
        return status;
    struct ras_folder *f = *out;
    f->replace = replace;
    f->kind = kind;
    status = take_place(f, err);
    if (status < 0) {
        *out = NULL;
        ras_folder_drop(f);
    }
    return status;
}

int ras_folder_open(struct ras_folder **out, const char *path, unsigned flags,
                    struct ras_error *err)
{
    return folder_open(out, path, flags, MADE_TRACES, err);
}

int ras_folder_report(struct ras_folder **out, const char *path, unsigned flags,
                      struct ras_error *err)
{
    return folder_open(out, path, flags, MADE_EXPORTS, err);
}

/* ---- files ------------------------------------------------------------------------ */

/* A name that leads out of the folder, or nowhere, is not one of its files. */
static bool is_below(const char *name)
{
    for (const char *p = name; *p; p += *p == '/') {
        size_t len = strcspn(p, "/");
        if (!len || (len == 1 && p[0] == '.') || (len == 2 && p[0] == '.' && p[1] == '.'))
            return false;
        p += len;
        if (*p && !p[1])
            return false;
    }
    return *name != 0;
}

static char *join(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s/%s", folder, name);
    return path;
}

/* Make the directories between the folder and the file. */
static int make_above(const struct ras_folder *f, char *path, struct ras_error *err)
{
    for (char *p = path + strlen(f->place) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        int made = os_make_folder(path, 0777);
        if (made < 0 && errno != EEXIST)
            return fail_os(err, path);
        *p = '/';
    }
    return RAS_OK;
}

/* Remove a file, if it is there, and the directories above it that are empty then. */
static void remove_file(const char *folder, const char *name)
{
    char *path = join(folder, name);
    if (!path)
        return;
    (void)os_remove(path);
    for (char *slash; (slash = strrchr(path, '/')) > path + strlen(folder);) {
        *slash = 0;
        (void)os_remove_folder(path);
    }
    free(path);
}

static int begin_file(const struct ras_folder *f, const char *name, struct ras_sink **out,
                      struct ras_error *err)
{
    if (!f->place)
        return ras_sink_memory(out, err);
    char *path = join(f->place, name), *shown = join(f->path, name);
    int status = path && shown ? make_above(f, path, err) : fail_memory(err);
    if (status == RAS_OK)
        status = sink_create(out, path, shown, err);
    if (path && status < 0 && !f->live)
        remove_file(f->place, name);
    free(path);
    free(shown);
    return status;
}

/* Two names may share a hash: then all are compared. */
static bool is_begun(const struct ras_folder *f, const char *name)
{
    uint32_t found = id_table_find(&f->names, fnv1a_text(name));
    if (found == ID_TABLE_NONE)
        return false;
    for (size_t i = strcmp(f->parts[found].name, name) ? 0 : found; i < f->count; i++)
        if (!strcmp(f->parts[i].name, name))
            return true;
    return false;
}

static bool folder_add(struct ras_folder *f, const char *name)
{
    char *copy = text_copy(name, strlen(name));
    if (!copy || !array_grow(&f->sinks, &f->sink_room, f->count + 1, sizeof(struct ras_sink *)) ||
        !array_grow(&f->parts, &f->part_room, f->count + 1, sizeof *f->parts) ||
        !array_grow(&f->digests, &f->digest_room, f->count + 1, sizeof *f->digests)) {
        free(copy);
        return false;
    }
    uint64_t hash = fnv1a_text(copy);
    if (id_table_find(&f->names, hash) == ID_TABLE_NONE &&
        !id_table_add(&f->names, hash, (uint32_t)f->count)) {
        free(copy);
        return false;
    }
    f->parts[f->count] = (struct ras_part){.name = copy};
    f->digests[f->count] = NULL;
    f->sinks[f->count++] = NULL;
    return true;
}

static void forget_last(struct ras_folder *f)
{
    uint64_t hash = fnv1a_text(f->parts[--f->count].name);
    if (id_table_find(&f->names, hash) == f->count)
        id_table_remove(&f->names, hash);
    free((void *)(uintptr_t)f->parts[f->count].name);
}

/* Where there is no memory for it, the file is read again. */
static void hash_file(struct ras_folder *f, struct ras_sink *sink)
{
    struct sink_digest *digest = malloc(sizeof *digest);
    f->digests[f->count - 1] = digest;
    if (digest)
        sink_digest(sink, digest);
    sink_relay(sink);
}

int ras_folder_sink(struct ras_folder *f, const char *name, struct ras_sink **out,
                    struct ras_error *err)
{
    *out = NULL;
    if (!is_below(name))
        return fail(err, RAS_EUSAGE, RAS_NONE, "'%s' is not a valid name of a file in a folder",
                    name);
    if (is_begun(f, name))
        return fail(err, RAS_EUSAGE, RAS_NONE, "%s was begun before", name);
    if (!folder_add(f, name))
        return fail_memory(err);
    int status = begin_file(f, name, out, err);
    if (status < 0) {
        forget_last(f);
        return status;
    }
    f->sinks[f->count - 1] = *out;
    if (f->hash && f->place)
        hash_file(f, *out);
    return status;
}

int ras_folder_finish(struct ras_folder *f, struct ras_sink *sink, struct ras_error *err)
{
    for (size_t i = f->place ? f->count : 0; i-- > 0;) /* mostly one of the last */
        if (f->sinks[i] == sink) {
            f->sinks[i] = NULL;
            return ras_sink_close(sink, err);
        }
    return RAS_OK; /* in memory it stays */
}

const char *folder_place(const struct ras_folder *f)
{
    return f->place;
}

void folder_hash(struct ras_folder *f)
{
    f->hash = true;
}

struct sink_digest *folder_digest(const struct ras_folder *f, size_t i)
{
    struct sink_digest *d = f->digests[i];
    return d && !d->broken && !f->sinks[i] ? d : NULL;
}

int folder_settle(struct ras_folder *f, struct ras_error *err)
{
    struct directory *found;
    int status = RAS_OK;
    if (!f->place)
        return status;
    for (size_t i = 0; i < f->count; i++)
        if (f->sinks[i] && ras_folder_finish(f, f->sinks[i], status == RAS_OK ? err : NULL) < 0)
            status = RAS_EIO;
    /* Also when a file could not be finished: what others made is to be removed then. */
    int listed = directory_open(&found, f->place, MANY_FILES, status == RAS_OK ? err : NULL);
    for (size_t i = 0; listed == RAS_OK && i < directory_count(found); i++) {
        const char *name = directory_name(found, i);
        if (!is_begun(f, name) && !folder_add(f, name))
            listed = fail_memory(status == RAS_OK ? err : NULL);
    }
    directory_close(found);
    return status == RAS_OK ? listed : status;
}

const struct ras_part *folder_files(struct ras_folder *f, size_t *count)
{
    (void)ras_folder_parts(f, count);
    *count = f->count;
    return f->parts;
}

uint64_t folder_size(const struct ras_folder *f, size_t i)
{
    struct os_about about;
    char *path = f->place ? join(f->place, f->parts[i].name) : NULL;
    uint64_t size = path && os_about(path, &about) == 0 ? about.size : 0;
    free(path);
    return f->place ? size : f->parts[i].bytes.len;
}

const struct ras_part *ras_folder_parts(struct ras_folder *f, size_t *count)
{
    *count = f->place ? 0 : f->count;
    for (size_t i = 0; i < *count; i++)
        f->parts[i].bytes = ras_sink_bytes(f->sinks[i]);
    return f->parts;
}

/* ---- publishing ------------------------------------------------------------------- */

/* The old directory takes the new one's place, and goes. */
static int replace_old(struct ras_folder *f, struct ras_error *err)
{
    struct made *old;
    int status = made_open(&old, f->path, f->kind, err);
    if (status < 0)
        return status;
    os_keep_folder_access(f->place, f->path);
    if (os_swap_folders(f->place, f->path) < 0)
        status = fail_os(err, f->path);
    if (status == RAS_OK) {
        file_sync_name(f->path);
        status = made_remove(old, f->place, err);
        free(f->place);
        f->place = NULL;
    }
    made_free(old);
    return status;
}

static int publish_folder(struct ras_folder *f, struct ras_error *err)
{
    struct os_about about;
    int status = os_sync_folder(f->place) < 0 ? fail_os(err, f->place) : RAS_OK;
    if (status < 0 || f->live)
        return status;
    if (f->replace && os_about(f->path, &about) == 0)
        return replace_old(f, err);
    if (os_rename(f->place, f->path, true) < 0)
        return errno == ENOTEMPTY || errno == EEXIST
                   ? fail(err, RAS_EUSAGE, RAS_NONE, "another process made %s meanwhile", f->path)
                   : fail_os(err, f->path);
    file_sync_name(f->path);
    free(f->place);
    f->place = NULL;
    return RAS_OK;
}

int ras_folder_close(struct ras_folder *f, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; f->place && i < f->count; i++) {
        if (status == RAS_OK && f->sinks[i])
            status = ras_sink_close(f->sinks[i], err);
        else
            ras_sink_drop(f->sinks[i]);
        f->sinks[i] = NULL;
    }
    if (status == RAS_OK && f->place)
        status = publish_folder(f, err);
    ras_folder_drop(f);
    return status;
}

void ras_folder_drop(struct ras_folder *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->count; i++) {
        ras_sink_drop(f->sinks[i]);
        if (f->place && !f->live)
            remove_file(f->place, f->parts[i].name);
        free((void *)(uintptr_t)f->parts[i].name);
        free(f->digests[i]);
    }
    if (f->place && !f->live)
        (void)os_remove_folder(f->place);
    id_table_free(&f->names);
    free(f->sinks);
    free(f->digests);
    free(f->parts);
    free(f->place);
    free(f->path);
    free(f);
}

int ras_folder_remove(const char *path, struct ras_error *err)
{
    struct made *old;
    int status = made_open(&old, path, MADE_TRACES, err);
    if (status == RAS_OK)
        status = made_remove(old, path, err);
    made_free(old);
    return status;
}
