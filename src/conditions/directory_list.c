/* directory_list.c - directories in an order of their own: sorted by name, or the reverse.
 *
 * A directory is read completely at the first look into it, and entries are given from there. */
#include "conditions/condition.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* struct dirent64 is the same. */
_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "64-bit system");

enum { ENTRIES_FIRST = 64 };

struct listing {
    struct listing *next;
    DIR *dir;
    struct dirent *entries;
    size_t count, room, at;
    long first; /* place of the stream when it was read */
};
static struct listing *listings;
static struct condition_lock listings_lock;

/* ---- order ------------------------------------------------------------------------------- */

static int name_order(const char *a, const char *b)
{
    int order = strcmp(a, b);
    return setting(SET_READDIR) == 2 ? -order : order;
}

static int entry_order(const void *a, const void *b)
{
    return name_order(((const struct dirent *)a)->d_name, ((const struct dirent *)b)->d_name);
}

/* In place, without memory: qsort() of the C library may take it from the heap. */
static void sort_entries(struct dirent *at, size_t count)
{
    struct dirent held;
    for (size_t gap = count / 2; gap; gap /= 2)
        for (size_t i = gap; i < count; i++) {
            size_t k = i;
            if (entry_order(&at[k - gap], &at[i]) <= 0)
                continue;
            memcpy(&held, &at[i], sizeof held);
            for (; k >= gap && entry_order(&at[k - gap], &held) > 0; k -= gap)
                memcpy(&at[k], &at[k - gap], sizeof held);
            memcpy(&at[k], &held, sizeof held);
        }
}

/* ---- listings ------------------------------------------------------------------------------- */

static bool listing_add(struct listing *l, const struct dirent *entry)
{
    if (l->count == l->room &&
        !condition_memory_grow(&l->entries, &l->room, ENTRIES_FIRST, sizeof *l->entries))
        return false;
    struct dirent *to = &l->entries[l->count++];
    memcpy(to, entry, entry->d_reclen < sizeof *entry ? entry->d_reclen : sizeof *entry);
    to->d_ino = condition_file_number(to->d_ino);
    return true;
}

static void listing_read(struct listing *l)
{
    static struct dirent *(*next)(DIR *);
    static long (*place)(DIR *);
    if (!next)
        condition_next(&next, "readdir");
    if (!place)
        condition_next(&place, "telldir");
    l->first = place(l->dir);
    for (const struct dirent *e; (e = next(l->dir)) && listing_add(l, e);) {
    }
    sort_entries(l->entries, l->count);
}

/* The listing of a stream, read if it was not; NULL: memory is short. */
static struct listing *listing_of(DIR *dir)
{
    condition_take(&listings_lock);
    struct listing *l = listings;
    while (l && l->dir != dir)
        l = l->next;
    if (!l && (l = condition_memory(sizeof *l))) {
        int error = errno;
        l->dir = dir;
        listing_read(l);
        l->next = listings;
        listings = l;
        errno = error;
    }
    condition_give(&listings_lock);
    return l;
}

static void listing_free(DIR *dir)
{
    condition_take(&listings_lock);
    struct listing **at = &listings, *l;
    while (*at && (*at)->dir != dir)
        at = &(*at)->next;
    if ((l = *at)) {
        *at = l->next;
        condition_memory_free(l->entries, l->room * sizeof *l->entries);
        condition_memory_free(l, sizeof *l);
    }
    condition_give(&listings_lock);
}

static struct dirent *listing_next(DIR *dir)
{
    struct listing *l = listing_of(dir);
    if (!l || l->at >= l->count)
        return NULL;
    l->entries[l->at].d_off = (off_t)l->at + 1;
    return &l->entries[l->at++];
}

#define IS_LISTED() (setting(SET_READDIR) && !IS_OWN_CALL())

/* ---- the functions ----------------------------------------------------------------------- */

WRAP struct dirent *readdir(DIR *dir)
{
    REAL(readdir);
    return IS_LISTED() ? listing_next(dir) : real(dir);
}

WRAP struct dirent64 *readdir64(DIR *dir)
{
    REAL(readdir64);
    return IS_LISTED() ? (struct dirent64 *)(void *)listing_next(dir) : real(dir);
}

static int listing_next_r(DIR *dir, void *entry, void **result)
{
    const struct dirent *e = listing_next(dir);
    *result = NULL;
    if (e) {
        memcpy(entry, e, e->d_reclen < sizeof *e ? e->d_reclen : sizeof *e);
        *result = entry;
    }
    return 0;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
WRAP int readdir_r(DIR *restrict dir, struct dirent *restrict entry,
                   struct dirent **restrict result)
{
    REAL(readdir_r);
    return IS_LISTED() ? listing_next_r(dir, entry, (void **)(void *)result)
                       : real(dir, entry, result);
}

WRAP int readdir64_r(DIR *restrict dir, struct dirent64 *restrict entry,
                     struct dirent64 **restrict result)
{
    REAL(readdir64_r);
    return IS_LISTED() ? listing_next_r(dir, entry, (void **)(void *)result)
                       : real(dir, entry, result);
}

WRAP int closedir(DIR *dir)
{
    REAL(closedir);
    listing_free(dir);
    return real(dir);
}

WRAP void rewinddir(DIR *dir)
{
    REAL(rewinddir);
    listing_free(dir); /* it is read again */
    real(dir);
}

WRAP long telldir(DIR *dir)
{
    REAL(telldir);
    struct listing *l = IS_LISTED() ? listing_of(dir) : NULL;
    return l ? (long)l->at : real(dir);
}

WRAP void seekdir(DIR *dir, long at)
{
    REAL(seekdir);
    struct listing *l = IS_LISTED() ? listing_of(dir) : NULL;
    if (!l)
        real(dir, at);
    else
        l->at = at < 0 || (size_t)at > l->count ? l->count : (size_t)at;
}

/* ---- what reads directories itself ---------------------------------------------------------- */

/* Of the calling thread's scandir(): the order of its caller; NULL: none. */
static _Thread_local
    __attribute__((tls_model("initial-exec"))) int (*callers_order)(const void *, const void *);

/* By that of the caller; what is equal there, by ours. struct dirent64 is the same. */
static int pointer_order(const struct dirent **a, const struct dirent **b)
{
    int order = callers_order ? callers_order(a, b) : 0;
    return order ? order : name_order((*a)->d_name, (*b)->d_name);
}

static int pointer_order64(const struct dirent64 **a, const struct dirent64 **b)
{
    int order = callers_order ? callers_order(a, b) : 0;
    return order ? order : name_order((*a)->d_name, (*b)->d_name);
}

#define SCANDIR(name, parameters, arguments, entry, ours)                                          \
    WRAP int name parameters                                                                       \
    {                                                                                              \
        REAL(name);                                                                                \
        int (*before)(const void *, const void *) = callers_order;                                 \
        int (*own_order)(const entry **, const entry **) = order;                                  \
        if (IS_LISTED()) {                                                                         \
            memcpy(&callers_order, &order, sizeof order);                                          \
            own_order = ours;                                                                      \
        }                                                                                          \
        int count = real arguments;                                                                \
        callers_order = before;                                                                    \
        return count;                                                                              \
    }
SCANDIR(scandir,
        (const char *restrict path, struct dirent ***restrict list,
         int (*filter)(const struct dirent *),
         int (*order)(const struct dirent **, const struct dirent **)),
        (path, list, filter, own_order), struct dirent, pointer_order)
SCANDIR(scandir64,
        (const char *restrict path, struct dirent64 ***restrict list,
         int (*filter)(const struct dirent64 *),
         int (*order)(const struct dirent64 **, const struct dirent64 **)),
        (path, list, filter, own_order), struct dirent64, pointer_order64)
SCANDIR(scandirat,
        (int dir, const char *restrict path, struct dirent ***restrict list,
         int (*filter)(const struct dirent *),
         int (*order)(const struct dirent **, const struct dirent **)),
        (dir, path, list, filter, own_order), struct dirent, pointer_order)
SCANDIR(scandirat64,
        (int dir, const char *restrict path, struct dirent64 ***restrict list,
         int (*filter)(const struct dirent64 *),
         int (*order)(const struct dirent64 **, const struct dirent64 **)),
        (dir, path, list, filter, own_order), struct dirent64, pointer_order64)

#define FTS_OPEN(name, stream, item, ours)                                                         \
    WRAP stream *name(char *const *paths, int options, int (*order)(const item **, const item **)) \
    {                                                                                              \
        REAL(name);                                                                                \
        return real(paths, options, order || !IS_LISTED() ? order : ours);                         \
    }

static int fts_order(const FTSENT **a, const FTSENT **b)
{
    return name_order((*a)->fts_name, (*b)->fts_name);
}

static int fts_order64(const FTSENT64 **a, const FTSENT64 **b)
{
    return name_order((*a)->fts_name, (*b)->fts_name);
}
FTS_OPEN(fts_open, FTS, FTSENT, fts_order)
FTS_OPEN(fts64_open, FTS64, FTSENT64, fts_order64)

static int path_order(const void *a, const void *b)
{
    return name_order(*(char *const *)a, *(char *const *)b);
}

/* Sorted unless the caller does not want that. */
static void sort_paths(char **paths, size_t count, int flags)
{
    if (flags & GLOB_NOSORT)
        qsort(paths, count, sizeof *paths, path_order);
}

#define GLOB(name, type)                                                                           \
    WRAP int name(const char *restrict pattern, int flags, int (*failed)(const char *, int),       \
                  type *restrict to)                                                               \
    {                                                                                              \
        REAL(name);                                                                                \
        size_t before = flags & GLOB_APPEND ? to->gl_pathc : 0;                                    \
        size_t offset = flags & GLOB_DOOFFS ? to->gl_offs : 0;                                     \
        int status = real(pattern, flags, failed, to);                                             \
        if (!status && IS_LISTED())                                                                \
            sort_paths(to->gl_pathv + offset + before, to->gl_pathc - before, flags);              \
        return status;                                                                             \
    }
GLOB(glob, glob_t)
GLOB(glob64, glob64_t)
