/* mcp_files.c - the files of a trace below a root, mapped: no path is opened a second time. */
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/os.h"
#include "codec/xxh64.h"
#include "mcp/mcp_roots.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WALK_LEVELS = 12, FILES_MOST = 16384, HEAD_BYTES = 4096, WALK_PATH = 4096 };

/* ---- directories ---------------------------------------------------------------------------- */

static bool walk_level(int fd, char *path, size_t len, unsigned level, const struct mcp_walk *walk);

static bool walk_entry(int dir, const char *name, char *path, size_t len, unsigned level,
                       const struct mcp_walk *walk)
{
    struct os_about about;
    int n = snprintf(path + len, WALK_PATH - len, "%s%s", len ? "/" : "", name);
    if (n < 0 || (size_t)n >= WALK_PATH - len)
        return true; /* no path that a caller could name */
    int fd = root_open_below(dir, name, false);
    bool goes_on = true;
    if (fd >= 0 && os_about_fd(fd, &about) == 0) {
        bool folder = about.kind == OS_FOLDER;
        bool enter = (folder || about.kind == OS_FILE) && walk->each(walk->user, path, fd, folder);
        if (enter && folder && level + 1 < walk->depth)
            goes_on = walk_level(fd, path, len + (size_t)n, level + 1, walk);
    }
    if (fd >= 0)
        os_close(fd);
    path[len] = 0;
    return goes_on;
}

static int names_by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of a level, sorted; they are freed one by one. */
static char **list_names(int fd, size_t *count)
{
    char **names = NULL;
    size_t room = 0;
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* with a position of its own */
    DIR *dir = own >= 0 ? fdopendir(own) : NULL;
    const struct dirent *entry;
    *count = 0;
    while (dir && *count < FILES_MOST && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || !array_grow(&names, &room, *count + 1, sizeof *names))
            continue;
        char *copy = text_copy(entry->d_name, strlen(entry->d_name));
        if (copy)
            names[(*count)++] = copy;
    }
    if (dir)
        closedir(dir);
    else if (own >= 0)
        os_close(own);
    if (*count)
        qsort(names, *count, sizeof *names, names_by_text);
    return names;
}

static bool walk_level(int fd, char *path, size_t len, unsigned level, const struct mcp_walk *walk)
{
    size_t count;
    char **names = list_names(fd, &count);
    bool goes_on = true;
    for (size_t i = 0; i < count; i++) {
        goes_on = goes_on && walk->goes_on(walk->user) &&
                  walk_entry(fd, names[i], path, len, level, walk);
        free(names[i]);
    }
    free(names);
    return goes_on;
}

bool files_walk(int fd, const struct mcp_walk *walk)
{
    char path[WALK_PATH] = "";
    return walk_level(fd, path, 0, 0, walk);
}

/* ---- files ---------------------------------------------------------------------------------- */

struct loading {
    struct mcp_files *files;
    struct xxh64 identity;
    int status;
    struct ras_error *err;
};

static int add_file(struct loading *l, const char *name, int fd)
{
    static const uint8_t nothing[1];
    struct mcp_files *f = l->files;
    struct os_about about;
    if (os_about_fd(fd, &about) < 0)
        return fail_os(l->err, name);
    if (f->count >= FILES_MOST)
        return fail(l->err, RAS_ELIMIT, RAS_NONE, "more than %d files below the directory",
                    FILES_MOST);
    char *copy = text_copy(name, strlen(name));
    if (!copy || !array_grow(&f->parts, &f->room, f->count + 1, sizeof *f->parts)) {
        free(copy);
        return fail_memory(l->err);
    }
    const uint8_t *at = about.size ? map_open(fd, (size_t)about.size) : nothing;
    if (!at) {
        free(copy);
        return fail_os(l->err, "cannot map");
    }
    f->parts[f->count++] = (struct ras_part){copy, {at, (size_t)about.size}};
    uint64_t facts[2] = {about.size, (uint64_t)about.mtime_ns};
    xxh64_add(&l->identity, copy, strlen(copy) + 1);
    xxh64_add(&l->identity, facts, sizeof facts);
    xxh64_add(&l->identity, at, about.size < HEAD_BYTES ? (size_t)about.size : HEAD_BYTES);
    return RAS_OK;
}

static bool load_entry(void *user, const char *path, int fd, bool is_folder)
{
    struct loading *l = user;
    if (!is_folder && l->status >= 0)
        l->status = add_file(l, path, fd);
    return l->status >= 0;
}

static bool load_goes_on(void *user)
{
    const struct loading *l = user;
    return l->status >= 0;
}

static int parts_by_name(const void *a, const void *b)
{
    return strcmp(((const struct ras_part *)a)->name, ((const struct ras_part *)b)->name);
}

int files_open(struct mcp_files *files, int fd, struct ras_error *err)
{
    struct loading l = {.files = files, .identity = xxh64_start(), .err = err};
    struct os_about about;
    *files = (struct mcp_files){0};
    if (os_about_fd(fd, &about) < 0)
        return fail_os(err, "cannot open");
    files->is_folder = about.kind == OS_FOLDER;
    if (files->is_folder) {
        const struct mcp_walk walk = {WALK_LEVELS, load_entry, load_goes_on, &l};
        (void)files_walk(fd, &walk);
    } else {
        l.status = add_file(&l, "", fd);
    }
    if (l.status < 0) {
        files_close(files);
        return l.status;
    }
    if (files->count)
        qsort(files->parts, files->count, sizeof *files->parts, parts_by_name);
    files->identity = xxh64_end(&l.identity);
    return RAS_OK;
}

void files_close(struct mcp_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (files->parts[i].bytes.len)
            map_close((void *)(uintptr_t)files->parts[i].bytes.at, files->parts[i].bytes.len);
        free((char *)(uintptr_t)files->parts[i].name);
    }
    free(files->parts);
    *files = (struct mcp_files){0};
}
