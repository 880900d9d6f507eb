/* memory_property.c - where memory is short, a walk, du or verify fails and reports it; none of
 * them ever shows less. */
#include "base/memory.h"
#include "properties.h"
#include "trial.h"

#include <stdlib.h>
#include <string.h>

/* Room for all that the whole walk kept, so that the trial's own memory is never short. */
static bool make_room(struct walk *w, const struct walk *whole)
{
    return array_grow(&w->seen, &w->room, whole->count + 1, sizeof *w->seen) &&
           array_grow(&w->cells, &w->cell_room, whole->cell_count + 1, sizeof *w->cells);
}

/* Open and walk; the allocation of this number fails. */
static void walk_with(const struct golden *g, const struct ras_scan *scan, uint64_t call,
                      struct walk *w)
{
    struct ras_trace *t;
    heap_fail(call);
    w->status = golden_open(g, &t, &w->err);
    if (w->status == RAS_OK)
        walk_all(w, t, scan);
    ras_close(t);
    heap_fail(UINT64_MAX);
}

static void compare(const struct walk *whole, const struct walk *w)
{
    if (w->status != whole->status && w->status != RAS_EMEMORY)
        complain("ends with status %d: %s", w->status, w->err.text);
    if (w->status == whole->status && w->count != whole->count)
        complain("%zu of %zu records, and no error", w->count, whole->count);
    if (w->status == whole->status && w->ending.kind != whole->ending.kind)
        complain("ends %s: %s", ras_ending_name(w->ending.kind), w->ending.why);
    for (size_t i = 0; i < w->count; i++)
        if (i >= whole->count || !same(whole, i, w, i, SAME_ALL)) {
            complain("record %zu is %s, with memory %s", i, describe(w, i), describe(whole, i));
            break;
        }
}

static void try_scan(const struct golden *g, const struct ras_scan *scan, const char *how,
                     enum effort effort)
{
    struct walk whole = {.base = g->bytes, .size = g->size};
    trial(g->bytes, g->size, "%s%s", g->name, how);
    walk_with(g, scan, UINT64_MAX, &whole); /* to know how much is kept */
    uint64_t before = heap_now().calls;
    struct walk again = {.base = g->bytes, .size = g->size};
    if (!make_room(&again, &whole))
        abort();
    before = heap_now().calls;
    walk_with(g, scan, UINT64_MAX, &again);
    uint64_t calls = heap_now().calls - before;
    walk_free(&again);
    for (uint64_t n = 0; n < calls; n += effort == REDUCED ? 5 : 1) {
        struct walk w = {.base = g->bytes, .size = g->size};
        if (!make_room(&w, &whole))
            abort();
        int64_t live = heap_now().live;
        trial(g->bytes, g->size, "%s%s, allocation %u of %u fails", g->name, how, (unsigned)n,
              (unsigned)calls);
        walk_with(g, scan, n, &w);
        compare(&whole, &w);
        if (heap_now().live != live)
            complain("%lld bytes leak", (long long)(heap_now().live - live));
        walk_free(&w);
    }
    walk_free(&whole);
}

/* The result of du or verify, as JSON; NULL: none. The allocation of this number, counted from when
 * the trace is open, fails. */
static struct ras_sink *answer_with(const struct golden *g, bool du, uint64_t call, int *status)
{
    struct ras_trace *t;
    struct ras_sink *sink;
    struct ras_du *usage = NULL;
    struct ras_report *report = NULL;
    if (golden_open(g, &t, NULL) < 0 || ras_sink_memory(&sink, NULL) < 0)
        return NULL;
    heap_fail(call);
    *status = du ? ras_du(&usage, t, RAS_DU_FIELD, NULL, NULL, NULL)
                 : ras_verify(&report, t, &(struct ras_verify_options){.deep = true}, NULL);
    heap_fail(UINT64_MAX);
    if (*status == RAS_OK && du)
        (void)!ras_du_json(sink, "", t, usage, NULL);
    else if (*status == RAS_OK)
        (void)!ras_report_json(sink, "", t, report, false, NULL);
    ras_du_free(usage);
    ras_report_free(report);
    ras_close(t);
    return sink;
}

static void try_answer(const struct golden *g, bool du, enum effort effort)
{
    const char *how = du ? "du" : "verify";
    int status;
    trial(g->bytes, g->size, "%s, %s", g->name, how);
    uint64_t before = heap_now().calls;
    struct ras_sink *whole = answer_with(g, du, UINT64_MAX, &status);
    uint64_t calls = heap_now().calls - before;
    for (uint64_t n = 0; whole && n < calls; n += effort == REDUCED ? 5 : 1) {
        trial(g->bytes, g->size, "%s, %s, allocation %u fails", g->name, how, (unsigned)n);
        struct ras_sink *sink = answer_with(g, du, n, &status);
        struct ras_bytes a = ras_sink_bytes(whole), b = ras_sink_bytes(sink);
        if (status != RAS_OK && status != RAS_EMEMORY)
            complain("ends with status %d", status);
        if (status == RAS_OK && (a.len != b.len || memcmp(a.at, b.at, a.len)))
            complain("says %.*s", (int)b.len, (const char *)b.at);
        ras_sink_drop(sink);
    }
    ras_sink_drop(whole);
}

void memory_property(const struct goldens *g, enum effort effort)
{
    static const char *const fields[] = {"name", "tick_id", "timestamp_ns", "worker_id", "why"};
    const struct ras_pick pick = {.fields = fields, .field_count = 5};
    for (size_t i = 0; i < g->count; i++) {
        if (g->at[i].big && effort != FULL)
            continue;
        try_scan(&g->at[i], NULL, "", effort);
        try_scan(&g->at[i], &(struct ras_scan){.picks = &pick, .pick_count = 1}, ", some fields",
                 effort);
        try_scan(&g->at[i], &(struct ras_scan){.merged = true}, ", merged", effort);
        try_answer(&g->at[i], true, effort);
        try_answer(&g->at[i], false, effort);
    }
}
