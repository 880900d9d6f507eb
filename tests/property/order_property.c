/* order_property.c - marks, seeking, ranges and merging agree with a plain walk. */
#include "properties.h"
#include "base/memory.h"
#include "trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = 60 }; /* as many resume points are tried in a long trace */

static const enum ras_axis all_axes[] = {RAS_AXIS_SEQ, RAS_AXIS_TIME, RAS_AXIS_TICK};
static const char *const axis_names[] = {"none", "seq", "time", "tick"};

static bool position(const struct ras_record *r, enum ras_axis axis, uint64_t *at)
{
    *at = axis == RAS_AXIS_SEQ ? r->seq : axis == RAS_AXIS_TIME ? r->time_ns : r->tick;
    return axis == RAS_AXIS_SEQ || r->flags & (axis == RAS_AXIS_TIME ? RAS_HAS_TIME : RAS_HAS_TICK);
}

/* The records from `first` of the whole on, and nothing else. Where seq is not
 * known after a seek, parents are not either. */
static void check_rest(const struct walk *whole, size_t first, const struct walk *w,
                       const char *how)
{
    if (w->status != RAS_END)
        complain("%s: ends with status %d: %s", how, w->status, w->err.text);
    if (w->count != whole->count - first) {
        complain("%s: %zu records instead of %zu", how, w->count, whole->count - first);
        return;
    }
    for (size_t i = 0; i < w->count; i++) {
        unsigned but = w->seen[i].r.seq == RAS_NONE ? BUT_SEQ : SAME_ALL;
        if (same(whole, first + i, w, i, but))
            continue;
        complain("%s: record %zu is %s, of the whole %s", how, first + i, describe(w, i),
                 describe(whole, first + i));
        return;
    }
}

static void start_over(struct walk *w)
{
    w->count = w->cell_count = 0;
    w->err = (struct ras_error){0};
}

/* Jump to where each record starts, with the cursor that made the mark and with
 * another one. */
static void try_marks(const struct golden *g, struct ras_trace *t, const struct walk *whole)
{
    struct ras_cursor *c, *other;
    struct ras_mark *marks = calloc(whole->count + 1, sizeof *marks);
    const struct ras_record *r;
    struct walk w = {.base = g->bytes, .size = g->size};
    if (!marks || ras_cursor_open(&c, t, NULL, NULL) < 0 ||
        ras_cursor_open(&other, t, NULL, NULL) < 0) {
        complain("no cursor");
        return;
    }
    for (size_t i = 0; i <= whole->count; i++) {
        ras_mark(c, &marks[i]);
        int status = ras_next(c, &r, NULL);
        if (status != (i < whole->count ? RAS_OK : RAS_END))
            complain("record %zu gives %d the second time", i, status);
    }
    size_t step = whole->count / PLACES_MAX + 1;
    for (size_t i = 0; i <= whole->count; i += step) {
        size_t at = i % 2 ? i : whole->count - i; /* forwards and back */
        trial(g->bytes, g->size, "%s from the mark of record %zu", g->name, at);
        start_over(&w);
        w.status = ras_jump(c, &marks[at], &w.err);
        if (w.status == RAS_OK)
            walk_on(&w, c, t);
        check_rest(whole, at, &w, "same cursor");
        start_over(&w);
        w.status = ras_jump(other, &marks[at], &w.err);
        if (w.status == RAS_OK)
            walk_on(&w, other, t);
        check_rest(whole, at, &w, "another cursor");
    }
    ras_cursor_close(c);
    ras_cursor_close(other);
    walk_free(&w);
    free(marks);
}

/* Values of an axis to try: the existing ones, their neighbours, the extremes. */
static size_t targets(const struct walk *whole, enum ras_axis axis, uint64_t *out)
{
    size_t count = 0, step = whole->count / (PLACES_MAX / 3) + 1;
    for (size_t i = 0; i < whole->count; i += step) {
        uint64_t at;
        if (!position(&whole->seen[i].r, axis, &at))
            continue;
        out[count++] = at;
        out[count++] = at + 1;
        if (at)
            out[count++] = at - 1;
    }
    out[count++] = 0;
    out[count++] = UINT64_MAX - 1;
    return count;
}

static void try_seek(const struct golden *g, struct ras_trace *t, const struct walk *whole,
                     enum ras_axis axis)
{
    uint64_t to[PLACES_MAX + 16];
    struct ras_cursor *c, *fresh;
    struct walk w = {.base = g->bytes, .size = g->size};
    size_t count = targets(whole, axis, to);
    if (ras_cursor_open(&c, t, NULL, NULL) < 0)
        return;
    for (size_t k = 0; k < count; k++) {
        size_t first = 0;
        uint64_t at;
        trial(g->bytes, g->size, "%s sought at %s %" PRIu64, g->name, axis_names[axis], to[k]);
        while (first < whole->count && !(position(&whole->seen[first].r, axis, &at) && at >= to[k]))
            first++;
        start_over(&w);
        w.status = ras_seek(c, axis, to[k], &w.err);
        if (w.status == RAS_OK)
            walk_on(&w, c, t);
        check_rest(whole, first, &w, "after other seeks");
        start_over(&w);
        if (ras_cursor_open(&fresh, t, NULL, &w.err) < 0)
            continue;
        w.status = ras_seek(fresh, axis, to[k], &w.err);
        if (w.status == RAS_OK)
            walk_on(&w, fresh, t);
        check_rest(whole, first, &w, "first of all");
        ras_cursor_close(fresh);
    }
    ras_cursor_close(c);
    walk_free(&w);
}

/* Ranges say how the trace ends as a whole walk does, whether they read on to its end or not. */
static void check_ending(const struct walk *whole, const struct walk *w)
{
    if (w->ending.kind != whole->ending.kind || strcmp(w->why, whole->why) != 0)
        complain("ends %s (%s), the whole %s (%s)", ras_ending_name(w->ending.kind), w->why,
                 ras_ending_name(whole->ending.kind), whole->why);
}

static void try_range(const struct golden *g, struct ras_trace *t, const struct walk *whole,
                      enum ras_axis axis, uint64_t from, uint64_t to)
{
    struct ras_scan scan = {.axis = axis, .from = from, .to = to};
    struct walk w = {.base = g->bytes, .size = g->size};
    size_t k = 0;
    trial(g->bytes, g->size, "%s, %s %" PRIu64 " to %" PRIu64, g->name, axis_names[axis], from, to);
    walk_all(&w, t, &scan);
    if (w.status != RAS_END)
        complain("ends with status %d: %s", w.status, w.err.text);
    for (size_t i = 0; i < whole->count; i++) {
        uint64_t at;
        if (!position(&whole->seen[i].r, axis, &at) || at < from || (at >= to && to != RAS_NONE))
            continue;
        if (k >= w.count || !same(whole, i, &w, k, SAME_ALL)) {
            complain("record %zu of the range is %s, of the whole %s", k, describe(&w, k),
                     describe(whole, i));
            break;
        }
        k++;
    }
    if (k < w.count)
        complain("%zu records too many, the first %s", w.count - k, describe(&w, k));
    if (axis != RAS_AXIS_SEQ)
        check_ending(whole, &w);
    walk_free(&w);
}

/* The records of some streams, in stored order and merged. */
static void try_streams(const struct golden *g, struct ras_trace *t, const struct walk *whole)
{
    size_t count, kept = 0;
    const struct ras_stream *streams = ras_streams(t, &count);
    for (size_t i = 0; i < count && i < PLACES_MAX; i++) {
        const uint32_t ids[] = {streams[i].id, streams[(i * 5 + 2) % count].id};
        struct ras_scan scan = {.streams = ids, .stream_count = 1 + i % 2};
        struct walk w = {.base = g->bytes, .size = g->size}, merged = w;
        trial(g->bytes, g->size, "%s, stream %" PRIu32, g->name, ids[0]);
        walk_all(&w, t, &scan);
        check_ending(whole, &w);
        scan.merged = true;
        walk_all(&merged, t, &scan);
        kept = 0;
        for (size_t k = 0; k < whole->count; k++) {
            uint32_t stream = whole->seen[k].r.stream;
            if (stream != ids[0] && (scan.stream_count == 1 || stream != ids[1]))
                continue;
            if (kept >= w.count || !same(whole, k, &w, kept, SAME_ALL)) {
                complain("record %zu is %s, of the whole %s", kept,
                         kept < w.count ? describe(&w, kept) : "missing", describe(whole, k));
                break;
            }
            kept++;
        }
        if (kept != w.count || w.status != RAS_END || merged.count != kept)
            complain("%zu records, merged %zu, not %zu; status %d", w.count, merged.count, kept,
                     w.status);
        walk_free(&w);
        walk_free(&merged);
    }
}

static void try_ranges(const struct golden *g, struct ras_trace *t, const struct walk *whole,
                       enum ras_axis axis)
{
    uint64_t at[PLACES_MAX + 16];
    size_t count = targets(whole, axis, at);
    for (size_t i = 0; i < count; i += 2) {
        try_range(g, t, whole, axis, at[i], at[(i * 7 + 3) % count]);
        try_range(g, t, whole, axis, 0, at[i]);
        try_range(g, t, whole, axis, at[i], UINT64_MAX);
        struct ras_trace *fresh;
        if (i % 8 || golden_open(g, &fresh, NULL) != RAS_OK)
            continue;
        for (int again = 0; again < 2; again++) /* before and after all of it was seen */
            try_range(g, fresh, whole, axis, at[i], at[i] + 1);
        ras_close(fresh);
    }
}

static const struct walk *sorted_walk;

/* A gap without a time stays after the last record of its part that is not one; for other records
 * without one, time_ns says where they belong. */
static const struct ras_record *timed(size_t i)
{
    static const struct ras_record first;
    const struct seen *seen = sorted_walk->seen;
    for (size_t at = i;; at--) {
        const struct ras_record *r = &seen[at].r;
        if (r->flags & RAS_HAS_TIME || r->schema != RAS_SCHEMA_GAP)
            return r;
        if (!at || seen[at - 1].r.part != r->part)
            return &first;
    }
}

static int by_time(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const struct ras_record *x = timed(i), *y = timed(j);
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return (i > j) - (i < j);
}

static void try_merged(const struct golden *g, struct ras_trace *t, const struct walk *whole)
{
    struct walk w = {.base = g->bytes, .size = g->size};
    size_t *order = calloc(whole->count + 1, sizeof *order);
    trial(g->bytes, g->size, "%s merged", g->name);
    walk_all(&w, t, &(struct ras_scan){.merged = true});
    for (size_t i = 0; order && i < whole->count; i++)
        order[i] = i;
    sorted_walk = whole;
    if (order)
        qsort(order, whole->count, sizeof *order, by_time);
    if (w.status != RAS_END || w.count != whole->count)
        complain("%zu records and status %d, not %zu: %s", w.count, w.status, whole->count,
                 w.err.text);
    for (size_t i = 0; order && i < w.count && i < whole->count; i++) {
        if (same(whole, order[i], &w, i, SAME_ALL))
            continue;
        complain("record %zu is %s, sorting gives %s", i, describe(&w, i),
                 describe(whole, order[i]));
        break;
    }
    free(order);
    walk_free(&w);
}

void order_property(const struct goldens *g, enum effort effort)
{
    (void)effort;
    for (size_t i = 0; i < g->count; i++) {
        const struct golden *one = &g->at[i];
        struct walk whole = {0};
        struct ras_trace *t = NULL;
        trial(one->bytes, one->size, "%s", one->name);
        if (golden_walk(one, &whole) && golden_open(one, &t, NULL) == RAS_OK) {
            unsigned axes = ras_format_of(t)->axes | 1u << RAS_AXIS_SEQ;
            try_marks(one, t, &whole);
            for (size_t a = 0; a < sizeof all_axes / sizeof *all_axes; a++) {
                if (!(axes & 1u << all_axes[a]))
                    continue;
                try_seek(one, t, &whole, all_axes[a]);
                try_ranges(one, t, &whole, all_axes[a]);
            }
            try_streams(one, t, &whole);
            try_merged(one, t, &whole);
        }
        ras_close(t);
        walk_free(&whole);
    }
}
