/* tree_copy.c - copies of a directory to run in, and which files a run has written there. */
#include "twice/tree_copy.h"
#include "codec/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

/* ---- scan --------------------------------------------------------------------------------- */

static bool entry_add(struct tree *t, const struct tree_entry *e)
{
    if (t->count == t->room) {
        size_t room = 2 * t->room + 64;
        struct tree_entry *more = realloc(t->entries, room * sizeof *more);
        if (!more)
            return false;
        t->entries = more;
        t->room = room;
    }
    t->entries[t->count++] = *e;
    return true;
}

static struct tree_entry entry_of(const char *name, const struct stat *st)
{
    return (struct tree_entry){.name = strdup(name),
                               .mode = st->st_mode,
                               .size = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0,
                               .inode = st->st_ino,
                               .changed_ns =
                                   st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec};
}

static void scan_folder(struct tree *t, int dir, const char *below, unsigned depth);

/* Sockets, pipes and devices are left out. */
static void scan_entry(struct tree *t, int dir, const char *name, const char *path, unsigned depth)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode)) ||
        (t->skip[1] && st.st_dev == t->skip[0] && st.st_ino == t->skip[1]))
        return;
    struct tree_entry e = entry_of(path, &st);
    if (!e.name || !entry_add(t, &e)) {
        free(e.name);
        t->why = "out of memory";
        return;
    }
    t->bytes += e.size;
    if (t->count > TREE_FILES_MOST || t->bytes > TREE_BYTES_MOST)
        t->why = "it holds more than 4,096 files or 64 MiB";
    if (!S_ISDIR(st.st_mode) || t->why)
        return;
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        t->why = "a directory in it cannot be read";
    else
        scan_folder(t, fd, path, depth + 1);
}

/* Takes the descriptor. */
static void scan_folder(struct tree *t, int fd, const char *below, unsigned depth)
{
    char path[PATH_MAX];
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        t->why = "a directory in it cannot be read";
        return;
    }
    if (depth > TREE_DEPTH_MOST)
        t->why = "its directories are nested too deep";
    for (struct dirent *e; !t->why && (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        int len = snprintf(path, sizeof path, "%s%s%s", below, *below ? "/" : "", e->d_name);
        if (len < 0 || (size_t)len >= sizeof path)
            t->why = "a path in it is too long";
        else
            scan_entry(t, fd, e->d_name, path, depth);
    }
    closedir(dir);
}

static int entry_order(const void *a, const void *b)
{
    return strcmp(((const struct tree_entry *)a)->name, ((const struct tree_entry *)b)->name);
}

void tree_scan(struct tree *t, const char *dir, const char *skip)
{
    struct stat st;
    *t = (struct tree){0};
    if (skip && stat(skip, &st) == 0) {
        t->skip[0] = st.st_dev;
        t->skip[1] = st.st_ino;
    }
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        t->why = "it cannot be read";
        return;
    }
    scan_folder(t, fd, "", 0);
    if (t->count)
        qsort(t->entries, t->count, sizeof *t->entries, entry_order);
}

void tree_free(struct tree *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->entries[i].name);
    free(t->entries);
    *t = (struct tree){0};
}

/* ---- copy --------------------------------------------------------------------------------- */

static bool copy_bytes(int from, int to)
{
    char block[BLOCK];
    ssize_t n;
    while ((n = read(from, block, sizeof block)) > 0)
        for (ssize_t done = 0, more; done < n; done += more)
            if ((more = write(to, block + done, (size_t)(n - done))) < 0)
                return false;
    return n == 0;
}

static bool copy_file(const char *from, const char *to, const struct tree_entry *e)
{
    const struct timespec times[2] = {
        {.tv_nsec = UTIME_OMIT}, {e->changed_ns / 1000000000, (long)(e->changed_ns % 1000000000)}};
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in >= 0 ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    bool done = out >= 0 && copy_bytes(in, out) && fchmod(out, e->mode & 07777) == 0 &&
                futimens(out, times) == 0;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return done;
}

static bool copy_entry(const char *from, const char *to, const struct tree_entry *e)
{
    char link[PATH_MAX];
    if (S_ISDIR(e->mode))
        return mkdir(to, (e->mode & 07777) | 0700) == 0;
    if (S_ISREG(e->mode))
        return copy_file(from, to, e);
    ssize_t len = readlink(from, link, sizeof link - 1);
    link[len > 0 ? len : 0] = 0;
    return len > 0 && symlink(link, to) == 0;
}

/* Names of directories come before those in them. */
bool tree_copy(const struct tree *t, const char *from, const char *to)
{
    char source[2 * PATH_MAX], target[2 * PATH_MAX];
    if (mkdir(to, 0755) < 0)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        snprintf(source, sizeof source, "%s/%s", from, t->entries[i].name);
        snprintf(target, sizeof target, "%s/%s", to, t->entries[i].name);
        if (!copy_entry(source, target, &t->entries[i]))
            return false;
    }
    return true;
}

/* Takes the descriptor. */
static void remove_folder(int fd)
{
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            unlinkat(fd, e->d_name, 0) == 0 || (errno != EISDIR && errno != EPERM))
            continue;
        (void)!fchmodat(fd, e->d_name, 0700, 0);
        int inner = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        if (inner >= 0)
            remove_folder(inner);
        (void)unlinkat(fd, e->d_name, AT_REMOVEDIR);
    }
    closedir(dir);
}

void tree_remove(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0)
        remove_folder(fd);
    (void)rmdir(path);
}

/* Takes the descriptor. */
static uint64_t folder_bytes(int fd, unsigned depth)
{
    uint64_t bytes = 0;
    struct stat st;
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return 0;
    }
    for (struct dirent *e; depth < TREE_DEPTH_MOST && (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
            fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        int inner = S_ISDIR(st.st_mode)
                        ? openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
                        : -1;
        bytes += inner >= 0 ? folder_bytes(inner, depth + 1) : 0;
        bytes += S_ISREG(st.st_mode) ? (uint64_t)st.st_blocks * 512 : 0;
    }
    closedir(dir);
    return bytes;
}

uint64_t tree_bytes(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return fd >= 0 ? folder_bytes(fd, 0) : 0;
}

/* ---- what was written ---------------------------------------------------------------------- */

static bool hash_file(const char *dir, struct tree_entry *e)
{
    char path[2 * PATH_MAX], block[BLOCK];
    struct sha256 sha = sha256_start();
    ssize_t n = -1;
    snprintf(path, sizeof path, "%s/%s", dir, e->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0)
        sha256_add(&sha, block, (size_t)n);
    if (fd >= 0)
        close(fd);
    sha256_end(&sha, e->sha256);
    return n == 0;
}

static bool is_unchanged(const struct tree_entry *a, const struct tree_entry *b)
{
    if (a->mode != b->mode)
        return false;
    return S_ISDIR(a->mode) ||
           (a->size == b->size && a->inode == b->inode && a->changed_ns == b->changed_ns);
}

static void add_written(struct tree *written, struct tree_entry e, const char *dir)
{
    e.name = strdup(e.name);
    e.hashed = dir && S_ISREG(e.mode) && hash_file(dir, &e);
    if (!e.name || !entry_add(written, &e)) {
        free(e.name);
        written->why = "out of memory";
    }
}

void tree_written(const struct tree *before, const char *dir, struct tree *written)
{
    struct tree after;
    size_t i = 0, k = 0;
    tree_scan(&after, dir, NULL);
    *written = (struct tree){.why = after.why};
    while (i < before->count || k < after.count) {
        const struct tree_entry *a = i < before->count ? &before->entries[i] : NULL;
        const struct tree_entry *b = k < after.count ? &after.entries[k] : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a->name, b->name);
        if (order < 0)
            add_written(written, (struct tree_entry){.name = a->name}, NULL);
        else if (order > 0 || !is_unchanged(a, b))
            add_written(written, *b, dir);
        i += order <= 0;
        k += order >= 0;
    }
    tree_free(&after);
}

static bool matches_one(const char *path, const char *const *patterns, size_t count)
{
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < count; i++)
        if (fnmatch(patterns[i], path, 0) == 0 ||
            (slash && fnmatch(patterns[i], slash + 1, 0) == 0))
            return true;
    return false;
}

void tree_keep(struct tree *t, const char *const *patterns, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->count; i++)
        if (matches_one(t->entries[i].name, patterns, count))
            t->entries[kept++] = t->entries[i];
        else
            free(t->entries[i].name);
    t->count = kept;
}

/* NULL: nothing. */
static const char *difference_of(const struct tree_entry *a, const struct tree_entry *b)
{
    if (a->mode != b->mode)
        return !a->mode || !b->mode ? "only one of them removed it" : "another mode";
    if (a->size != b->size)
        return "another size";
    return memcmp(a->sha256, b->sha256, sizeof a->sha256) ? "other bytes" : NULL;
}

size_t tree_differences(const struct tree *a, const struct tree *b, const char **first,
                        const char **what)
{
    size_t i = 0, k = 0, count = 0;
    while (i < a->count || k < b->count) {
        const struct tree_entry *x = i < a->count ? &a->entries[i] : NULL;
        const struct tree_entry *y = k < b->count ? &b->entries[k] : NULL;
        int order = !x ? 1 : !y ? -1 : strcmp(x->name, y->name);
        const char *differs = order < 0   ? "only the pinned run wrote it"
                              : order > 0 ? "the pinned run did not write it"
                                          : difference_of(x, y);
        if (differs && !count++) {
            *first = order > 0 ? y->name : x->name;
            *what = differs;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return count;
}
