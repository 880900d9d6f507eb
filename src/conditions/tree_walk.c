/* tree_walk.c - ftw() and nftw() in an order of their own: those of the C library read directories
 * by functions of its own.
 *
 * The C library walks first, and what it reports is kept, sorted, and then reported to the program.
 * Nothing is kept in the program's heap. */
#include "conditions/condition.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit system");

enum { TEXT_BLOCK = 1 << 16, ENTRIES_FIRST = 256 };

struct walked {
    char *path;
    struct stat st;
    int kind;
    struct FTW place;
};

/* Paths are in blocks, of which each begins with the address of the one before. */
struct tree_walk {
    struct walked *at;
    size_t count, room;
    char *text;
    size_t used, size;
    bool after; /* directories come after what is in them */
    bool nomem;
};
LOCAL struct tree_walk *walk_now;

/* ---- memory --------------------------------------------------------------------------------- */

static char *walk_text(struct tree_walk *w, const char *path)
{
    size_t len = strlen(path) + 1;
    if (w->size - w->used < len) {
        size_t size = sizeof(char *) + sizeof(size_t) + (len > TEXT_BLOCK ? len : TEXT_BLOCK);
        char *block = condition_memory(size);
        if (!block)
            return NULL;
        memcpy(block, &w->text, sizeof w->text);
        memcpy(block + sizeof w->text, &w->size, sizeof w->size);
        w->text = block;
        w->size = size;
        w->used = sizeof(char *) + sizeof(size_t);
    }
    memcpy(w->text + w->used, path, len);
    w->used += len;
    return w->text + w->used - len;
}

static bool walk_room(struct tree_walk *w)
{
    return w->count < w->room ||
           condition_memory_grow(&w->at, &w->room, ENTRIES_FIRST, sizeof *w->at);
}

static void walk_free(struct tree_walk *w)
{
    while (w->text) {
        char *before;
        size_t size, size_before;
        memcpy(&before, w->text, sizeof before);
        memcpy(&size_before, w->text + sizeof before, sizeof size_before);
        size = w->size;
        condition_memory_free(w->text, size);
        w->text = before;
        w->size = size_before;
    }
    condition_memory_free(w->at, w->room * sizeof *w->at);
}

/* ---- order ------------------------------------------------------------------------------------
 */

/* Name by name; a directory before or after what is in it. */
static int walk_order(const struct tree_walk *w, const struct walked *a, const struct walked *b)
{
    const unsigned char *x = (const unsigned char *)a->path, *y = (const unsigned char *)b->path;
    while (*x && *x == *y)
        x++, y++;
    if (*x == *y)
        return 0;
    if (!*x || !*y)
        return (!*x ? -1 : 1) * (w->after ? -1 : 1);
    /* The end of a name is less than all that it can go on with. */
    unsigned p = *x == '/' ? 0 : *x, q = *y == '/' ? 0 : *y;
    int order = p < q ? -1 : 1;
    return setting(SET_READDIR) == 2 ? -order : order;
}

static void walk_sort(struct tree_walk *w)
{
    struct walked held;
    for (size_t gap = w->count / 2; gap; gap /= 2)
        for (size_t i = gap; i < w->count; i++) {
            size_t k = i;
            memcpy(&held, &w->at[i], sizeof held);
            for (; k >= gap && walk_order(w, &w->at[k - gap], &held) > 0; k -= gap)
                memcpy(&w->at[k], &w->at[k - gap], sizeof held);
            memcpy(&w->at[k], &held, sizeof held);
        }
}

/* ---- the walk -------------------------------------------------------------------------------- */

static int walk_keep(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    struct tree_walk *w = walk_now;
    struct walked e = {.path = walk_text(w, path), .kind = kind, .place = *place};
    if (!e.path || !walk_room(w)) {
        w->nomem = true;
        return 1;
    }
    if (st) {
        e.st = *st;
        condition_set_times(&e.st);
    }
    w->at[w->count++] = e;
    return 0;
}

/* What the program is called with; ftw() has no place. */
struct walk_callback {
    int (*nftw)(const char *, const struct stat *, int, struct FTW *);
    int (*ftw)(const char *, const struct stat *, int);
    bool actions, chdir;
};

/* Into the directory of an entry. */
static bool walk_enter(const struct walked *e, int home)
{
    char saved = e->path[e->place.base];
    bool entered = fchdir(home) == 0;
    if (e->place.base > 0) {
        e->path[e->place.base] = 0;
        entered = entered && chdir(e->path) == 0;
        e->path[e->place.base] = saved;
    }
    return entered;
}

/* ftw() has no word for links. */
static int walk_kind(const struct walk_callback *to, int kind)
{
    if (to->nftw)
        return kind;
    return kind == FTW_SL ? FTW_F : kind == FTW_SLN ? FTW_NS : kind;
}

/* After an answer of the program: the next entry. */
static size_t walk_skip(const struct tree_walk *w, size_t at, int answer)
{
    const struct walked *e = &w->at[at];
    size_t len = answer == FTW_SKIP_SUBTREE ? strlen(e->path) : (size_t)e->place.base;
    size_t next = at + 1;
    if (answer != FTW_SKIP_SUBTREE && answer != FTW_SKIP_SIBLINGS)
        return next;
    while (next < w->count && !strncmp(w->at[next].path, e->path, len) &&
           (answer == FTW_SKIP_SIBLINGS || w->at[next].path[len] == '/'))
        next++;
    return next;
}

static int walk_report(const struct tree_walk *w, const struct walk_callback *to)
{
    int home = to->chdir ? (int)syscall(SYS_openat, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY) : -1;
    int answer = 0;
    for (size_t i = 0; i < w->count;) {
        struct walked *e = &w->at[i];
        if (to->chdir && !walk_enter(e, home))
            break;
        answer = to->nftw ? to->nftw(e->path, &e->st, e->kind, &e->place)
                          : to->ftw(e->path, &e->st, walk_kind(to, e->kind));
        if (to->actions ? answer == FTW_STOP : answer != 0)
            break;
        i = walk_skip(w, i, to->actions ? answer : 0);
        answer = 0;
    }
    if (home >= 0) {
        (void)!fchdir(home);
        syscall(SYS_close, home);
    }
    return answer;
}

/* The walk of the C library that keeps, then ours; *whole: it could be kept. */
static int walk_tree(const char *path, int files, int flags, const struct walk_callback *to,
                     bool *whole)
{
    static __typeof__(nftw) *next;
    if (!next)
        condition_next(&next, "nftw");
    struct tree_walk w = {.after = flags & FTW_DEPTH}, *before = walk_now;
    walk_now = &w;
    int status = next(path, walk_keep, files, flags & ~FTW_CHDIR & ~FTW_ACTIONRETVAL);
    walk_now = before;
    *whole = !w.nomem;
    if (!status) {
        walk_sort(&w);
        status = walk_report(&w, to);
    }
    int error = errno;
    walk_free(&w);
    errno = error;
    return status;
}

#define IS_LISTED() (setting(SET_READDIR) && !IS_OWN_CALL())

/* struct stat64 is the same. */
#define NFTW(name, type)                                                                           \
    WRAP int name(const char *path, type callback, int files, int flags)                           \
    {                                                                                              \
        REAL(name);                                                                                \
        struct walk_callback to = {.actions = flags & FTW_ACTIONRETVAL,                            \
                                   .chdir = flags & FTW_CHDIR};                                    \
        memcpy(&to.nftw, &callback, sizeof callback);                                              \
        bool whole = false;                                                                        \
        int status = IS_LISTED() ? walk_tree(path, files, flags, &to, &whole) : 0;                 \
        return whole ? status : real(path, callback, files, flags);                                \
    }
NFTW(nftw, __nftw_func_t)
NFTW(nftw64, __nftw64_func_t)

/* Follows links. */
#define FTW(name, type)                                                                            \
    WRAP int name(const char *path, type callback, int files)                                      \
    {                                                                                              \
        REAL(name);                                                                                \
        struct walk_callback to = {.chdir = false};                                                \
        memcpy(&to.ftw, &callback, sizeof callback);                                               \
        bool whole = false;                                                                        \
        int status = IS_LISTED() ? walk_tree(path, files, 0, &to, &whole) : 0;                     \
        return whole ? status : real(path, callback, files);                                       \
    }
FTW(ftw, __ftw_func_t)
FTW(ftw64, __ftw64_func_t)
