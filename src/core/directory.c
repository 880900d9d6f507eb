/* directory.c - the regular files below a directory, here or on a server, as a flat list. */
#include "core/directory.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "remote/remote_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 12, NAME_ROOM = 4096 };

struct file {
    char *name;
    uint64_t size;
};

struct directory {
    struct os_folder *folder;
    struct remote_folder *remote; /* instead; NULL: none */
    uint32_t limit;
    struct file *files;
    size_t count, room;
    const char **names; /* of the files known so far, sorted: looked up at every refresh */
    size_t known, name_room;
    char *unlisted; /* the first directory that cannot be listed, or NULL */
};

static int known_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_known(const struct directory *d, const char *name)
{
    return d->known && bsearch(&name, d->names, d->known, sizeof *d->names, known_by_text);
}

/* Files that came with this listing are known from now on. */
static bool know_all(struct directory *d)
{
    if (d->known == d->count)
        return true;
    if (!array_grow(&d->names, &d->name_room, d->count, sizeof *d->names))
        return false;
    for (; d->known < d->count; d->known++)
        d->names[d->known] = d->files[d->known].name;
    qsort(d->names, d->known, sizeof *d->names, known_by_text);
    return true;
}

static int directory_add(struct directory *d, const char *name, uint64_t size,
                         struct ras_error *err)
{
    if (is_known(d, name))
        return RAS_OK;
    if (d->count >= d->limit)
        return fail(err, RAS_ELIMIT, RAS_NONE, "more than %u files below the directory", d->limit);
    char *copy = text_copy(name, strlen(name));
    if (!copy || !array_grow(&d->files, &d->room, d->count + 1, sizeof *d->files)) {
        free(copy);
        return fail_memory(err);
    }
    d->files[d->count++] = (struct file){copy, size};
    return RAS_OK;
}

static int list(struct directory *d, struct os_folder *folder, char *path, size_t len,
                unsigned depth, struct ras_error *err);

/* Links are not followed, and a directory that is gone does not matter. One without permission is
 * remembered. Any other failure (too many open files) must not make it look empty. */
static int not_listed(struct directory *d, const char *path, struct ras_error *err)
{
    if (errno == ELOOP || errno == ENOTDIR || errno == ENOENT)
        return RAS_OK;
    if (errno != EACCES)
        return fail_os(err, path);
    if (!d->unlisted)
        d->unlisted = text_copy(path, strlen(path));
    return d->unlisted ? RAS_OK : fail_memory(err);
}

static int list_entry(struct directory *d, const struct os_folder *folder, char *path, size_t len,
                      const char *name, unsigned depth, struct ras_error *err)
{
    struct os_about about;
    if (os_folder_about(folder, name, true, &about) < 0)
        return RAS_OK; /* gone meanwhile, or a dangling link */
    int n = snprintf(path + len, NAME_ROOM - len, "%s%s", len ? "/" : "", name);
    if (n < 0 || (size_t)n >= NAME_ROOM - len)
        return fail(err, RAS_ELIMIT, RAS_NONE, "path below the directory exceeds %d bytes",
                    NAME_ROOM);
    int status = RAS_OK;
    if (about.kind == OS_FILE) {
        status = directory_add(d, path, about.size, err);
    } else if (about.kind == OS_FOLDER && depth < DEPTH_MAX) {
        struct os_folder *below = os_folder_below(folder, name);
        status = below ? list(d, below, path, len + (size_t)n, depth + 1, err)
                       : not_listed(d, path, err);
        os_folder_close(below);
    }
    path[len] = 0;
    return status;
}

/* List one level and those below it. */
static int list(struct directory *d, struct os_folder *folder, char *path, size_t len,
                unsigned depth, struct ras_error *err)
{
    int status = RAS_OK;
    const char *name;
    while (status == RAS_OK && (name = os_folder_next(folder)))
        if (*name != '.')
            status = list_entry(d, folder, path, len, name, depth, err);
    return status;
}

static int file_by_name(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

int directory_refresh(struct directory *d, struct ras_error *err)
{
    char path[NAME_ROOM] = "";
    size_t before = d->count;
    os_folder_rewind(d->folder);
    int status = list(d, d->folder, path, 0, 0, err);
    if (d->count > before)
        qsort(d->files + before, d->count - before, sizeof *d->files, file_by_name);
    return know_all(d) ? status : fail_memory(err);
}

int directory_open(struct directory **out, const char *path, uint32_t limit, struct ras_error *err)
{
    *out = NULL;
    struct directory *d = calloc(1, sizeof *d);
    if (!d)
        return fail_memory(err);
    d->limit = limit;
    d->folder = os_folder_open(path);
    int status = d->folder ? directory_refresh(d, err) : fail_os(err, "cannot open");
    if (status < 0) {
        directory_close(d);
        return status;
    }
    *out = d;
    return RAS_OK;
}

int directory_open_url(struct directory **out, const char *url, const struct ras_options *options,
                       uint32_t limit, struct ras_error *err)
{
    *out = NULL;
    struct directory *d = calloc(1, sizeof *d);
    if (!d)
        return fail_memory(err);
    d->limit = limit;
    int status = remote_folder_open(&d->remote, url, options, limit, err);
    for (size_t i = 0; status == RAS_OK && i < remote_folder_count(d->remote); i++)
        status = directory_add(d, remote_folder_name(d->remote, i),
                               remote_folder_size(d->remote, i), err);
    if (status < 0) {
        directory_close(d);
        return status;
    }
    *out = d;
    return RAS_OK;
}

bool directory_is_remote(const struct directory *d)
{
    return d && d->remote;
}

int directory_fetch(const struct directory *d, size_t i, struct spool *spool, struct ras_error *err)
{
    return remote_folder_fetch(d->remote, i, spool, err);
}

void directory_close(struct directory *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->count; i++)
        free(d->files[i].name);
    free(d->files);
    free(d->names);
    free(d->unlisted);
    os_folder_close(d->folder);
    remote_folder_close(d->remote);
    free(d);
}

size_t directory_count(const struct directory *d)
{
    return d->count;
}

const char *directory_unlisted(const struct directory *d)
{
    return d->unlisted;
}

const char *directory_name(const struct directory *d, size_t i)
{
    return d->files[i].name;
}

uint64_t directory_size(const struct directory *d, size_t i)
{
    return d->files[i].size;
}

int directory_open_file(const struct directory *d, size_t i, uint64_t *size, struct ras_error *err)
{
    struct os_about about;
    /* What was a file when it was listed may be a pipe by now, which must not block. */
    int fd = os_folder_file(d->folder, d->files[i].name, OS_READ | OS_NO_WAIT);
    if (fd < 0 || os_about_fd(fd, &about) < 0) {
        int status = fail_os(err, d->files[i].name);
        if (fd >= 0)
            os_close(fd);
        return status;
    }
    if (about.kind != OS_FILE) {
        os_close(fd);
        return fail(err, RAS_EIO, RAS_NONE, "%s is not a file any more", d->files[i].name);
    }
    *size = about.size;
    return fd;
}
