/* prefix_property.c - a trace cut at any byte yields a prefix of its records.
 *
 * Opening fails cleanly, or the records are exactly the first ones of the whole and the ending is
 * reported correctly. */
#include "properties.h"
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was seen at the length before this one. */
struct before {
    bool opened;
    size_t count;
};

static void check_refusal(const struct walk *w, const struct ras_trace *t, struct before *b)
{
    const struct ras_error *e = &w->err;
    if (t)
        complain("a trace after a failure");
    if (w->status != RAS_ECUT && w->status != RAS_EFORMAT)
        complain("refused with %d: %s", w->status, e->text);
    if (e->status != w->status || !e->text[0] || strchr(e->text, '\n'))
        complain("refused with %d, but the error says %d '%s'", w->status, e->status, e->text);
    if (b->opened)
        complain("refused, though a shorter one opened: %s", e->text);
}

static void check_records(const struct walk *whole, const struct walk *w, struct before *b)
{
    if (w->count > whole->count)
        complain("%zu records, the whole has %zu", w->count, whole->count);
    for (size_t i = 0; i < w->count && i < whole->count; i++) {
        if (same(whole, i, w, i, SAME_ALL))
            continue;
        complain("record %zu is %s, of the whole %s", i, describe(w, i), describe(whole, i));
        break;
    }
    if (w->count < b->count)
        complain("%zu records, a shorter one has %zu", w->count, b->count);
    /* Every record that is completely in the prefix is delivered, unless damage misleads the
     * reader. */
    bool clean = whole->ending.kind <= RAS_UNSEALED;
    for (size_t i = w->count; clean && i < whole->count; i++) {
        const struct seen *s = &whole->seen[i];
        if (s->in_place && !s->child && s->r.raw_len && s->r.offset + s->r.raw_len <= w->size)
            complain("record %zu is all there, but withheld: %s", i, describe(whole, i));
    }
}

static void check_ending(const struct walk *whole, const struct walk *w)
{
    const struct ras_ending *e = &w->ending;
    bool clean = whole->ending.kind <= RAS_UNSEALED;
    if (w->status != RAS_END) {
        complain("ends with status %d: %s", w->status, w->err.text);
        return;
    }
    if (e->kind == RAS_OPEN_END || (clean && e->kind == RAS_DAMAGED))
        complain("the ending is %s: %s", ras_ending_name(e->kind), e->why);
    if ((e->kind == RAS_COMPLETE) != !e->why[0])
        complain("%s, and the reason is '%s'", ras_ending_name(e->kind), e->why);
    if (e->offset > e->size)
        complain("understood up to %" PRIu64 " of %" PRIu64, e->offset, e->size);
    if (e->kind == RAS_COMPLETE && e->offset != e->size)
        complain("complete, but %" PRIu64 " of %" PRIu64 " bytes understood", e->offset, e->size);
    /* Damage that was skipped is followed by records. */
    for (size_t i = 0; i < w->count && e->kind != RAS_DAMAGED; i++) {
        const struct seen *s = &w->seen[i];
        if (s->in_place && s->r.part == e->part && s->r.offset + s->r.raw_len > e->offset &&
            s->r.schema != RAS_SCHEMA_GAP) {
            complain("understood up to %" PRIu64 ", but delivered %s", e->offset, describe(w, i));
            break;
        }
    }
}

static void try_prefix(const struct golden *g, const struct walk *whole, size_t n,
                       const char *format, struct before *b)
{
    struct ras_trace *t;
    uint8_t *copy = exact_copy(g->bytes, n);
    struct walk w = {.base = copy, .size = n};
    trial(copy, n, "%s cut to %zu bytes", g->name, n);
    w.status = ras_open_memory(&t, copy, n, NULL, &w.err);
    if (w.status < 0) {
        check_refusal(&w, t, b);
    } else {
        bool wrapped = ras_wrapping(t);
        if (strcmp(ras_format_of(t)->name, format))
            complain("taken for %s", ras_format_of(t)->name);
        w.base = wrapped ? NULL : copy;
        walk_all(&w, t, NULL);
        check_records(whole, &w, b);
        check_ending(whole, &w);
        if (!wrapped && w.ending.size != n)
            complain("%" PRIu64 " bytes long, says the ending", w.ending.size);
        *b = (struct before){true, w.count};
        ras_close(t);
    }
    walk_free(&w);
    free(copy);
}

static const char *format_of(const struct golden *g)
{
    struct ras_trace *t;
    struct ras_error err;
    if (golden_open(g, &t, &err) < 0)
        return "";
    const char *name = ras_format_of(t)->name;
    ras_close(t);
    return name;
}

static void file_prefixes(const struct golden *g, enum effort effort)
{
    struct walk whole;
    trial(g->bytes, g->size, "%s", g->name);
    bool opens = golden_walk(g, &whole);
    struct before b = {0};
    size_t few = effort == REDUCED ? 400 : effort == NORMAL ? 4000 : SIZE_MAX;
    size_t step = g->size / few + 1;
    for (size_t n = 0; opens && n <= g->size; n += step)
        try_prefix(g, &whole, n, format_of(g), &b);
    walk_free(&whole);
}

/* ---- a directory: each of its files cut -------------------------------- */

static bool same_folder(const char *a, const char *b)
{
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    size_t n = x ? (size_t)(x - a) : 0, m = y ? (size_t)(y - b) : 0;
    return n == m && !memcmp(a, b, n);
}

/* Records of one part, in order, must be the first of the same part of the whole; all of them
 * unless another part was cut. */
static void check_part(const struct walk *whole, const struct walk *w, unsigned part, bool all)
{
    size_t k = 0;
    for (size_t i = 0; i < w->count; i++) {
        if (w->seen[i].r.part != part)
            continue;
        while (k < whole->count && whole->seen[k].r.part != part)
            k++;
        if (k == whole->count || !same(whole, k, w, i, BUT_SEQ)) {
            complain("record %zu is %s, of the whole %s", i, describe(w, i), describe(whole, k));
            return;
        }
        k++;
    }
    while (k < whole->count && whole->seen[k].r.part != part)
        k++;
    if (all && k < whole->count)
        complain("%s is withheld", describe(whole, k));
}

static void try_cut_part(const char *root, const char *file, const struct walk *whole, size_t n)
{
    struct ras_trace *t;
    struct walk w = {0};
    w.status = ras_open(&t, root, NULL, &w.err);
    if (w.status >= 0) {
        walk_all(&w, t, NULL);
        for (size_t p = 0; p < ras_part_count(t); p++)
            check_part(whole, &w, (unsigned)p, !same_folder(ras_part_name(t, p), file));
        if (n > 0)
            check_ending(whole, &w);
        ras_close(t);
    }
    walk_free(&w);
}

static long file_size(const char *path)
{
    struct stat st;
    return stat(path, &st) < 0 ? -1 : (long)st.st_size;
}

static void directory_prefixes(const struct golden *g, enum effort effort)
{
    struct walk whole;
    trial(NULL, 0, "%s", g->name);
    bool opens = golden_walk(g, &whole);
    char **files = tree_files(g->path);
    for (char **f = files; opens && f && *f; f++) {
        const char *below = *f + strlen(g->path) + 1;
        if (!strstr(below, ".atf")) /* a description of the trace may change the text */
            continue;
        char *root = tree_copy(g->path), path[8192];
        snprintf(path, sizeof path, "%s/%s", root, below);
        for (long n = file_size(path); n >= 0; n -= effort == REDUCED ? 7 : 1) {
            trial(NULL, 0, "%s with %s cut to %ld bytes", g->name, below, n);
            if (truncate(path, n) < 0)
                complain("cannot be cut");
            else
                try_cut_part(root, below, &whole, (size_t)n);
        }
        tree_remove(root);
    }
    tree_files_free(files);
    walk_free(&whole);
}

void prefix_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->at[i].is_dir)
            directory_prefixes(&g->at[i], effort);
        else
            file_prefixes(&g->at[i], effort);
    }
}
