/* growth_property.c - a trace that arrives byte by byte yields every record once.
 *
 * Through memory that grows, a file that grows and a pipe: the records in the end are those of the
 * whole file, in the same order, and none is delivered before it is complete. */
#include "codec/inflate.h"
#include "codec/zstd_chunk.h"
#include "properties.h"
#include "trial.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void check_same(const struct walk *whole, const struct walk *w, bool ended)
{
    for (size_t i = 0; i < w->count && i < whole->count; i++) {
        if (same(whole, i, w, i, SAME_ALL))
            continue;
        complain("record %zu is %s, of the whole %s", i, describe(w, i), describe(whole, i));
        return;
    }
    if (w->count != whole->count)
        complain("%zu records, the whole has %zu", w->count, whole->count);
    if (!ended)
        return;
    if (w->status != RAS_END)
        complain("ends with status %d: %s", w->status, w->err.text);
    else if (w->ending.kind != whole->ending.kind || strcmp(w->why, whole->why) ||
             w->ending.offset != whole->ending.offset)
        complain("ends '%s' at %llu: %s; the whole '%s' at %llu: %s",
                 ras_ending_name(w->ending.kind), (unsigned long long)w->ending.offset, w->why,
                 ras_ending_name(whole->ending.kind), (unsigned long long)whole->ending.offset,
                 whole->why);
}

/* Sizes by which a trace grows: one byte at a time, or in uneven steps. */
static size_t next_size(size_t now, size_t size, size_t step, unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    size_t more = step == 1 ? 1 : 1 + (*seed >> 8) % step;
    return now + more > size ? size : now + more;
}

static void grow_memory(const struct golden *g, const struct walk *whole, size_t step)
{
    struct ras_options live = {.live = true};
    struct ras_trace *t = NULL;
    struct ras_cursor *c = NULL;
    uint8_t *copy = exact_copy(g->bytes, g->size);
    struct walk w = {.base = copy, .size = g->size};
    unsigned seed = 1;
    size_t n = 0;
    trial(NULL, 0, "%s growing in memory by up to %zu", g->name, step);
    hide(copy, g->size);
    for (;;) {
        show(copy, n);
        live.live = n < g->size;
        w.status = ras_open_memory(&t, copy, n, &live, &w.err);
        if (w.status == RAS_OK || n == g->size)
            break;
        n = next_size(n, g->size, step, &seed);
    }
    if (w.status == RAS_OK)
        w.status = ras_cursor_open(&c, t, NULL, &w.err);
    while (w.status >= 0 && walk_on(&w, c, t) == RAS_WAIT) {
        bool more = n < g->size;
        n = next_size(n, g->size, step, &seed);
        show(copy, n);
        w.status = ras_trace_grow(t, n, more, &w.err);
    }
    /* A trace that states its end may end before the bytes do. */
    check_same(whole, &w, n == g->size);
    ras_cursor_close(c);
    ras_close(t);
    walk_free(&w);
    show(copy, g->size);
    free(copy);
}

static void grow_file(const struct golden *g, const struct walk *whole, size_t first)
{
    struct ras_options live = {.live = true};
    struct ras_scan follow = {.follow = true};
    struct ras_trace *t = NULL;
    struct ras_cursor *c = NULL;
    struct walk w = {0};
    const char *where = getenv("TMPDIR");
    char path[4096];
    trial(NULL, 0, "%s followed from byte %zu", g->name, first);
    snprintf(path, sizeof path, "%s/rastrum-growth-XXXXXX", where ? where : P_tmpdir);
    int fd = mkstemp(path);
    size_t n = fd < 0 ? 0 : (size_t)write(fd, g->bytes, first);
    if (n != first)
        complain("cannot write %s", path);
    w.status = ras_open(&t, path, &live, &w.err);
    if (w.status >= 0)
        w.status = ras_cursor_open(&c, t, &follow, &w.err);
    while (w.status >= 0 && walk_on(&w, c, t) == RAS_WAIT && n < g->size) {
        n += (size_t)write(fd, g->bytes + n, 1);
        w.status = ras_wait(t, 0, &w.err);
        if (w.status != RAS_OK)
            complain("one byte more, and waiting gives %d", w.status);
    }
    check_same(whole, &w, false);
    ras_cursor_close(c);
    ras_close(t);
    walk_free(&w);
    unlink(path);
    close(fd);
}

/* Write one byte; write the next when that one has been taken. */
static void feed(int fd, const struct golden *g)
{
    for (size_t i = 0; i < g->size; i++) {
        int waiting = 1;
        if (write(fd, g->bytes + i, 1) != 1)
            _exit(1);
        while (ioctl(fd, FIONREAD, &waiting) == 0 && waiting) {
            struct pollfd reader = {.fd = fd};
            if (poll(&reader, 1, 0) > 0) /* the reader has gone */
                _exit(1);
            sched_yield();
        }
    }
    _exit(0);
}

static pid_t start_feeding(int *read_end, const struct golden *g)
{
    int ends[2];
    if (pipe(ends) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGALRM, SIG_DFL);
        close(ends[0]);
        feed(ends[1], g);
    }
    close(ends[1]);
    *read_end = ends[0];
    return pid;
}

static void through_pipe(const struct golden *g, const struct walk *whole, bool is_live)
{
    struct ras_options options = {.live = is_live};
    struct ras_trace *t = NULL;
    struct ras_cursor *c = NULL;
    struct walk w = {0};
    int fd = -1;
    trial(NULL, 0, "%s through a pipe%s", g->name, is_live ? " as it comes" : "");
    pid_t feeder = start_feeding(&fd, g);
    w.status = ras_open_fd(&t, fd, &options, &w.err);
    if (w.status >= 0)
        w.status = ras_cursor_open(&c, t, NULL, &w.err);
    while (w.status >= 0 && walk_on(&w, c, t) == RAS_WAIT)
        w.status = ras_wait(t, 1000, &w.err);
    check_same(whole, &w, ras_size(t) == g->size);
    ras_cursor_close(c);
    ras_close(t);
    walk_free(&w);
    close(fd);
    if (feeder > 0)
        waitpid(feeder, NULL, 0);
}

/* ---- a directory whose files grow ---------------------------------------- */

enum { FILES_MAX = 16, HEADER = 64 };

struct growing {
    char path[4096];
    uint8_t *bytes;
    size_t size, there;
};

/* Shorten every growing file to its header; the rest comes back bit by bit. */
static size_t shorten(struct growing *files, char **paths)
{
    size_t count = 0;
    for (char **p = paths; p && *p && count < FILES_MAX; p++) {
        struct growing *f = &files[count];
        if (!strstr(*p, ".atf") || !read_file(*p, &f->bytes, &f->size))
            continue;
        snprintf(f->path, sizeof f->path, "%s", *p);
        f->there = f->size < HEADER ? f->size : HEADER;
        if (truncate(f->path, (off_t)f->there) == 0)
            count++;
    }
    return count;
}

/* Append to each file in turn; false when all are whole. */
static bool append_some(struct growing *files, size_t count, size_t step)
{
    bool grew = false;
    for (size_t i = 0; i < count; i++) {
        struct growing *f = &files[i];
        size_t more = f->size - f->there < step ? f->size - f->there : step;
        FILE *out = more ? fopen(f->path, "ab") : NULL;
        if (!out)
            continue;
        f->there += fwrite(f->bytes + f->there, 1, more, out);
        fclose(out);
        grew = true;
    }
    return grew;
}

/* The same records of each part in the same order; parts may be interleaved. */
static void check_parts(const struct walk *whole, const struct walk *w, size_t parts)
{
    for (size_t part = 0; part < parts; part++) {
        size_t i = 0, k = 0;
        for (;;) {
            while (i < w->count && w->seen[i].r.part != part)
                i++;
            while (k < whole->count && whole->seen[k].r.part != part)
                k++;
            if (i == w->count || k == whole->count || !same(whole, k, w, i, BUT_SEQ))
                break;
            i++;
            k++;
        }
        if (i < w->count || k < whole->count)
            complain("part %zu: %s, of the whole %s", part, describe(w, i), describe(whole, k));
    }
}

static void grow_directory(const struct golden *g, const struct walk *whole, size_t step)
{
    struct ras_options live = {.live = true};
    struct ras_trace *t = NULL;
    struct ras_cursor *c = NULL;
    struct walk w = {0};
    struct growing files[FILES_MAX] = {0};
    char *root = tree_copy(g->path), **paths = root ? tree_files(root) : NULL;
    trial(NULL, 0, "%s followed, %zu bytes at a time", g->name, step);
    size_t count = shorten(files, paths);
    w.status = root ? ras_open(&t, root, &live, &w.err) : RAS_EIO;
    if (w.status >= 0)
        w.status = ras_cursor_open(&c, t, &(struct ras_scan){.follow = true}, &w.err);
    while (w.status >= 0 && walk_on(&w, c, t) == RAS_WAIT && append_some(files, count, step))
        w.status = ras_wait(t, 0, &w.err);
    if (w.status < 0)
        complain("ends with status %d: %s", w.status, w.err.text);
    else
        check_parts(whole, &w, ras_part_count(t));
    ras_cursor_close(c);
    ras_close(t);
    walk_free(&w);
    for (size_t i = 0; i < FILES_MAX; i++)
        free(files[i].bytes);
    tree_files_free(paths);
    tree_remove(root);
}

/* The shortest beginning that opens while more may come. */
static size_t header_size(const struct golden *g)
{
    struct ras_options live = {.live = true};
    for (size_t n = 0; n < g->size; n++) {
        struct ras_trace *t;
        int status = ras_open_memory(&t, g->bytes, n, &live, NULL);
        ras_close(t);
        if (status == RAS_OK)
            return n;
    }
    return SIZE_MAX;
}

/* Walk all of it while another cursor has its first record, which must not change. */
static void walk_beside(struct walk *w, struct ras_trace *t, const struct walk *whole)
{
    struct ras_cursor *other = NULL;
    const struct ras_record *r = NULL;
    struct walk first = {0};
    bool has_one =
        ras_cursor_open(&other, t, NULL, NULL) == RAS_OK && ras_next(other, &r, NULL) == RAS_OK;
    walk_all(w, t, NULL);
    if (has_one && (!walk_keep(&first, other, t, r) || !same(whole, 0, &first, 0, SAME_ALL)))
        complain("the first record has become %s", describe(&first, 0));
    ras_cursor_close(other);
    walk_free(&first);
}

/* Compressed, and inflated a few bytes at a time: the result is that of the whole, except for the
 * place of the ending, which depends on the wrapping. */
static void inflate_slowly(const struct golden *g, const struct walk *whole, uint64_t step)
{
    const struct ras_options slow = {.limits.inflate_step = step};
    struct ras_trace *t = NULL;
    size_t room = zstd_chunk_bound(g->size);
    uint8_t *packed = malloc(room);
    struct zstd_maker *maker = zstd_maker_new(1);
    struct walk w = {0};
    trial(NULL, 0, "%s inflated by %u", g->name, (unsigned)step);
    size_t size = zstd_chunk_put(maker, (struct ras_bytes){g->bytes, g->size}, packed, room);
    w.status = ras_open_memory(&t, packed, size, &slow, &w.err);
    if (w.status == RAS_OK)
        walk_beside(&w, t, whole);
    check_same(whole, &w, true);
    ras_close(t);
    walk_free(&w);
    zstd_maker_free(maker);
    free(packed);
}

static void grow(const struct golden *g, const struct walk *whole, enum effort effort)
{
    struct ras_bytes bytes = {g->bytes, g->size};
    if (!g->is_dir && !gzip_is(bytes) &&
        !zstd_is(bytes)) { /* a trace that is compressed twice is not a trace */
        inflate_slowly(g, whole, 1);
        inflate_slowly(g, whole, 100);
    }
    if (g->is_dir) {
        grow_directory(g, whole, 1);
        grow_directory(g, whole, 50);
        return;
    }
    if (g->big) {
        grow_memory(g, whole, 1000);
        return;
    }
    grow_memory(g, whole, 1);
    grow_memory(g, whole, 7);
    grow_memory(g, whole, 100);
    size_t first = header_size(g);
    if (first <= g->size)
        grow_file(g, whole, first);
    through_pipe(g, whole, true);
    if (effort > REDUCED)
        through_pipe(g, whole, false);
}

void growth_property(const struct goldens *g, enum effort effort)
{
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < g->count; i += effort == REDUCED ? 3 : 1) {
        struct walk whole = {0};
        trial(g->at[i].bytes, g->at[i].size, "%s", g->at[i].name);
        if (golden_walk(&g->at[i], &whole))
            grow(&g->at[i], &whole, effort);
        walk_free(&whole);
    }
}
