/* resume_property.c - a walk that resumes at a mark delivers what the walk from the start delivers,
 * numbers and all, also in a damaged trace.
 *
 * What a driver knows beyond the bytes (blobs by id, schemas, strings, clocks) must be the same
 * after a jump, even where the place at which it was defined is after damage. */
#include "properties.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MARKS_TRIED = 12, RECORDS_MOST = 4000 };

/* The rest of the walk from this record on. */
static void check_resumed(const struct walk *whole, size_t first, const struct walk *w)
{
    if (w->status != whole->status)
        complain("from record %zu: status %d, of the whole %d: %s", first, w->status, whole->status,
                 w->err.text);
    for (size_t i = 0; first + i < whole->count && i < w->count; i++) {
        if (same(whole, first + i, w, i, SAME_ALL))
            continue;
        complain("from record %zu: record %zu is %s, of the whole %s", first, first + i,
                 describe(w, i), describe(whole, first + i));
        return;
    }
    if (w->count != whole->count - first)
        complain("from record %zu: %zu records instead of %zu", first, w->count,
                 whole->count - first);
}

static void start_again(struct walk *w)
{
    w->count = w->cell_count = 0;
    w->err = (struct ras_error){0};
}

static void resume_at(struct ras_trace *t, const struct walk *whole, const struct ras_mark *mark,
                      size_t first)
{
    struct walk w = {.base = whole->base, .size = whole->size};
    struct ras_cursor *c;
    if (ras_cursor_open(&c, t, NULL, &w.err) < 0)
        return;
    w.status = ras_jump(c, mark, &w.err);
    if (w.status == RAS_OK)
        walk_on(&w, c, t);
    check_resumed(whole, first, &w);
    ras_cursor_close(c);
    start_again(&w);
    /* A range knows the number of its first record by a mark of the trace. */
    if (first < whole->count && whole->seen[first].r.seq != RAS_NONE) {
        const struct ras_scan scan = {
            .axis = RAS_AXIS_SEQ, .from = whole->seen[first].r.seq, .to = RAS_NONE};
        walk_all(&w, t, &scan);
        check_resumed(whole, first, &w);
    }
    walk_free(&w);
}

/* Walk a trace, keep the place before each record, and resume at some of them. */
static void resume_trace(struct ras_trace *t, const uint8_t *bytes, size_t size, size_t from)
{
    struct walk whole = {.base = ras_wrapping(t) ? NULL : bytes, .size = size};
    struct ras_mark *marks = calloc(RECORDS_MOST + 1, sizeof *marks);
    const struct ras_record *r;
    struct ras_cursor *c;
    if (!marks || ras_cursor_open(&c, t, NULL, &whole.err) < 0) {
        free(marks);
        return;
    }
    do {
        ras_mark(c, &marks[whole.count]);
        whole.status = ras_next(c, &r, &whole.err);
    } while (whole.status == RAS_OK && walk_keep(&whole, c, t, r) && whole.count < RECORDS_MOST);
    ras_cursor_close(c);
    size_t step = whole.count / MARKS_TRIED + 1;
    for (size_t i = from % step; i < whole.count && whole.count < RECORDS_MOST; i += step)
        resume_at(t, &whole, &marks[i], i);
    walk_free(&whole);
    free(marks);
}

static void resume_bytes(const uint8_t *bytes, size_t size, size_t from)
{
    struct ras_trace *t;
    if (ras_open_memory(&t, bytes, size, NULL, NULL) == RAS_OK)
        resume_trace(t, bytes, size, from);
    ras_close(t);
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void resume_changed(const struct golden *g, enum effort effort)
{
    uint8_t *copy = exact_copy(g->bytes, g->size);
    size_t places = effort == REDUCED ? 40 : effort == NORMAL ? 400 : 4000;
    size_t step = g->size / places + 1;
    for (size_t at = 0; copy && at < g->size; at += step) {
        static const size_t lengths[] = {1, 4, 16, 100};
        size_t len = lengths[at / step % 4];
        len = len < g->size - at ? len : g->size - at;
        for (int how = 0; how < 3; how++) {
            for (size_t i = at; i < at + len; i++)
                copy[i] = how == 0 ? 0 : how == 1 ? 0xff : (uint8_t)(g->bytes[i] ^ 0x80);
            trial(copy, g->size, "%s resumed, bytes %zu to %zu %s", g->name, at, at + len,
                  how == 0   ? "zeroed"
                  : how == 1 ? "set to ones"
                             : "flipped");
            resume_bytes(copy, g->size, at / step);
            memcpy(copy + at, g->bytes + at, len);
        }
    }
    free(copy);
}

static void resume_folder(const char *path, size_t from)
{
    struct ras_trace *t;
    if (ras_open(&t, path, NULL, NULL) == RAS_OK)
        resume_trace(t, NULL, 0, from);
    ras_close(t);
}

static void resume_file(const struct golden *g, const char *root, const char *path, size_t places)
{
    FILE *file = fopen(path, "r+b");
    struct stat st;
    if (!file || fstat(fileno(file), &st) < 0) {
        complain("cannot open %s", path);
        return;
    }
    size_t size = (size_t)st.st_size, step = size / places + 1;
    int fd = fileno(file);
    for (size_t at = 0; at < size; at += step) {
        uint8_t was, now;
        if (pread(fd, &was, 1, (off_t)at) != 1)
            break;
        now = at / step % 2 ? (uint8_t)~was : (uint8_t)(was ^ 1);
        trial(NULL, 0, "%s resumed, byte %zu of %s changed to 0x%02x", g->name, at,
              path + strlen(root) + 1, now);
        if (pwrite(fd, &now, 1, (off_t)at) == 1)
            resume_folder(root, at / step);
        if (pwrite(fd, &was, 1, (off_t)at) != 1)
            complain("cannot be put right again");
    }
    fclose(file);
}

static void resume_tree(const struct golden *g, enum effort effort)
{
    char *root = tree_copy(g->path);
    char **files = root ? tree_files(root) : NULL;
    for (char **f = files; f && *f; f++)
        resume_file(g, root, *f, effort == REDUCED ? 8 : effort == NORMAL ? 60 : 1000);
    tree_files_free(files);
    tree_remove(root);
}

void resume_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct golden *one = &g->at[i];
        trial(one->bytes, one->size, "%s", one->name);
        if (one->is_dir) {
            resume_folder(one->path, 0);
            resume_tree(one, effort);
            continue;
        }
        resume_bytes(one->bytes, one->size, 0);
        if (!one->big || effort == FULL)
            resume_changed(one, effort);
    }
}
