/* compare.h - two traces of any bytes: what must hold of a comparison, whatever it finds. */
#ifndef FUZZ_COMPARE_H
#define FUZZ_COMPARE_H

#include "../unit/detail_check.h"
#include "fuzz.h"
#include <rastrum/rastrum.h>

#include <stdlib.h>
#include <string.h>

static inline struct ras_diff *fuzz_diff(struct ras_trace *a, struct ras_trace *b,
                                         struct ras_compare_options how, bool all)
{
    struct ras_diff *d;
    struct ras_error err;
    how.keep_going = all;
    how.compat = true;    /* nothing compared is a result */
    how.any_paths = true; /* so is a path that these traces do not have */
    int status = ras_diff(&d, a, b, &how, &err);
    if (status < 0 && status != RAS_EMEMORY)
        fuzz_wrong("two traces that open do not compare: %s", err.text);
    return d;
}

static inline bool fuzz_same_place(const struct ras_divergence *a, const struct ras_divergence *b)
{
    return !strcmp(a->kind, b->kind) && a->at_count == b->at_count &&
           a->at[0].value.u == b->at[0].value.u && a->at[1].value.u == b->at[1].value.u;
}

/* Every detail has the members that its format states. */
static inline void fuzz_details(const struct ras_diff *d)
{
    char why[120];
    for (size_t i = 0; i < d->divergence_count; i++)
        if (!detail_check(d->divergences[i].schema, d->divergences[i].detail, why, sizeof why))
            fuzz_wrong("%s: %s", d->divergences[i].kind, why);
}

/* The report can be written. */
static inline void fuzz_report(const struct ras_diff *d, const struct ras_compare_options *how)
{
    struct ras_sink *sink;
    struct ras_error err;
    if (ras_sink_memory(&sink, NULL) < 0)
        return;
    if (ras_diff_json(sink, d, how, RAS_LAYOUT_LINE, &err) < 0 && err.status != RAS_EMEMORY)
        fuzz_wrong("the report: %s", err.text);
    ras_sink_drop(sink);
}

/* All divergences begin with the first, and can be reported; NULL: they were refused. */
static inline void fuzz_all(const struct ras_diff *first, const struct ras_diff *all,
                            const struct ras_compare_options *how)
{
    if (first && all && !first->divergence_count != !all->divergence_count)
        fuzz_wrong("%zu of all %zu", first->divergence_count, all->divergence_count);
    if (first && all && first->divergence_count &&
        !fuzz_same_place(&first->divergences[0], &all->divergences[0]))
        fuzz_wrong("the first of all is another");
    if (all) {
        fuzz_details(all);
        fuzz_report(all, how);
    }
}

/* A trace is the same as itself; two differ both ways or neither. */
static inline void fuzz_compare(struct ras_trace *a, struct ras_trace *b,
                                const struct ras_compare_options *how)
{
    struct ras_diff *same = fuzz_diff(a, a, *how, true), *first = fuzz_diff(a, b, *how, false);
    struct ras_diff *all = fuzz_diff(a, b, *how, true), *back = fuzz_diff(b, a, *how, false);
    if (same && same->divergence_count)
        fuzz_wrong("differs from itself: %s", same->divergences[0].kind);
    if (first && first->divergence_count > 1)
        fuzz_wrong("more than the first: %zu", first->divergence_count);
    if (first && back && first->divergence_count != back->divergence_count)
        fuzz_wrong("%zu one way, %zu the other", first->divergence_count, back->divergence_count);
    fuzz_all(first, all, how);
    ras_diff_free(same);
    ras_diff_free(first);
    ras_diff_free(all);
    ras_diff_free(back);
}

/* Two pieces of input: before and after "#half#"; or, without such a mark, the same bytes twice,
 * the second time edited according to the last 8 bytes. free() *edited. */
static inline void fuzz_halves(const uint8_t *bytes, size_t size, struct ras_bytes *a,
                               struct ras_bytes *b, uint8_t **edited)
{
    const uint8_t *mark = size ? memmem(bytes, size, "#half#", 6) : NULL;
    *edited = NULL;
    if (mark) {
        *a = (struct ras_bytes){bytes, (size_t)(mark - bytes)};
        *b = (struct ras_bytes){mark + 6, size - a->len - 6};
        return;
    }
    size_t whole = size < 8 ? 0 : size - 8;
    const uint8_t *how = bytes + whole;
    *a = *b = (struct ras_bytes){bytes, whole};
    if (!whole)
        return;
    size_t at = (size_t)(how[0] | how[1] << 8) % whole, count = 1 + how[2] % 64u;
    count = count < whole - at ? count : whole - at;
    *edited = malloc(whole + count);
    memcpy(*edited, bytes, whole);
    if (how[3] % 3 == 0) { /* removed */
        memmove(*edited + at, bytes + at + count, whole - at - count);
        b->len = whole - count;
    } else if (how[3] % 3 == 1) { /* twice */
        memcpy(*edited + at + count, bytes + at, whole - at);
        b->len = whole + count;
    } else {
        (*edited)[at] = how[4];
    }
    b->at = *edited;
}

/* Compare the two halves, where both are traces. */
static inline void fuzz_compare_halves(struct ras_bytes a, struct ras_bytes b,
                                       const struct ras_options *open,
                                       const struct ras_compare_options *how)
{
    struct ras_trace *x, *y = NULL;
    if (ras_open_memory(&x, a.at, a.len, open, NULL) == RAS_OK &&
        ras_open_memory(&y, b.at, b.len, open, NULL) == RAS_OK)
        fuzz_compare(x, y, how);
    ras_close(x);
    ras_close(y);
}
#endif
