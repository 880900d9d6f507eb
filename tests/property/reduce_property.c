/* reduce_property.c - whatever the outcomes of tests are, every candidate is a valid trace.
 *
 * For every golden, with made-up outcomes: each candidate opens, ends complete, holds as many
 * records as it states (and, in AeroGPU, the blobs that they name), and breaks no rule that the
 * golden keeps; the next candidates are the predicted ones. Lack of memory anywhere is reported and
 * nothing is lost. */
#include "held.h"
#include "ops/reduce/reducer.h"
#include "properties.h"
#include "trial.h"

#include <inttypes.h>
#include <string.h>

enum { AHEAD = 4 };

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static int write(struct ras_reduce *r, const struct ras_candidate *c, struct ras_trace *t,
                 struct held *h, struct ras_error *err)
{
    struct ras_rewritten *made;
    *h = (struct held){0};
    int status = ras_rewrite_is_folder(t) ? ras_folder_memory(&h->folder, err)
                                          : ras_sink_memory(&h->sink, err);
    if (status < 0)
        return status;
    const struct ras_rewrite_options how = {.sink = h->sink, .folder = h->folder};
    status = ras_reduce_write(r, c, &how, &made, err);
    if (status == RAS_OK)
        ras_rewritten_free(made);
    return status;
}

/* ---- a candidate ----------------------------------------------------------------------- */

static void check_rules(struct ras_trace *t, const struct ras_report *golden)
{
    struct ras_report *report;
    struct ras_error err;
    const struct ras_verify_options deep = {.deep = true};
    if (ras_verify(&report, t, &deep, &err) < 0) {
        complain("cannot be verified: %s", err.text);
        return;
    }
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct ras_finding *f = &report->findings[i];
        if (f->severity == RAS_ERROR && !is_broken(golden, f->rule))
            complain("breaks %s at %" PRIu64 ": %s", f->rule->id, f->offset, f->text);
    }
    ras_report_free(report);
}

static void check_records(struct ras_trace *t, const struct ras_candidate *c)
{
    struct walk w = {0};
    uint64_t records = 0, blobs = 0;
    walk_all(&w, t, NULL);
    for (size_t i = 0; i < w.count; i++) {
        bool gap = w.seen[i].r.schema == RAS_SCHEMA_GAP;
        records += !gap;
        blobs += !gap && !strcmp(ras_schema_at(t, w.seen[i].r.schema)->name, "blob");
    }
    if (records < c->records || records - c->records > blobs)
        complain("%" PRIu64 " records, not %" PRIu64, records, c->records);
    if (w.ending.kind != RAS_COMPLETE && records == w.count)
        complain("is %s: %s", ras_ending_name(w.ending.kind), w.ending.why);
    walk_free(&w);
}

/* Whether there is such a trace. */
static bool check(struct ras_reduce *r, const struct ras_candidate *c, struct ras_trace *t,
                  const struct ras_report *golden)
{
    struct held h;
    struct ras_error err;
    struct ras_trace *part = NULL;
    int status = write(r, c, t, &h, &err);
    if (status < 0)
        complain("cannot be written: %s", err.text);
    else if (status == RAS_END && c->records)
        complain("%" PRIu64 " records cannot be written", c->records);
    else if (status == RAS_OK && held_open(&h, &part, ras_format_of(t)->name, &err) < 0)
        complain("does not open: %s", err.text);
    if (part) {
        check_records(part, c);
        check_rules(part, golden);
    }
    ras_close(part);
    held_drop(&h);
    return status == RAS_OK;
}

/* ---- a reduction -------------------------------------------------------------------------- */

/* The same outcomes with copies of the remaining records, however small, give the same bytes. */
static void compare_copy(struct ras_reduce *r, struct ras_reduce *copying, struct ras_trace *t)
{
    struct held a, b;
    struct ras_error err;
    struct ras_candidate c;
    if (ras_reduce_next(r, 0, &c, &err) != RAS_OK)
        return;
    int x = write(r, &c, t, &a, &err), y = write(copying, &c, t, &b, &err);
    if (x != y)
        complain("written with status %d, from a copy with %d", x, y);
    else if (x == RAS_OK && !held_same(&a, &b))
        complain("differs when it is written from a copy of what was left");
    held_drop(&a);
    held_drop(&b);
}

/* What comes if no test fails; 0: nothing. */
static void foretell(struct ras_reduce *r, uint64_t keys[AHEAD])
{
    struct ras_candidate c;
    for (size_t i = 0; i < AHEAD; i++)
        keys[i] = ras_reduce_next(r, i, &c, NULL) == RAS_OK ? c.key : 0;
}

static void run(const struct golden *g, struct ras_trace *t, const struct ras_report *golden,
                uint64_t seed, size_t most)
{
    struct ras_reduce *r, *copying;
    struct ras_error err;
    struct ras_candidate c;
    uint64_t keys[AHEAD], next[AHEAD];
    trial(g->bytes, g->size, "%s reduced by %" PRIu64, g->name, seed);
    if (ras_reduce_open(&r, t, NULL, NULL, &err) < 0 ||
        ras_reduce_open(&copying, t, NULL, NULL, &err) < 0) {
        complain("cannot be reduced: %s", err.text);
        return;
    }
    r->copy_least = UINT64_MAX;
    copying->copy_least = 0;
    foretell(r, keys);
    for (size_t n = 0; n < most && ras_reduce_next(r, 0, &c, &err) == RAS_OK; n++) {
        bool fails = check(r, &c, t, golden) && (!n || mix(c.key ^ seed) % 3 == 0);
        compare_copy(r, copying, t);
        if (ras_reduce_report(r, fails, &err) < 0 || ras_reduce_report(copying, fails, &err) < 0)
            complain("%s", err.text);
        foretell(r, next);
        for (size_t i = 0; n && !fails && i + 1 < AHEAD; i++)
            if (next[i] != keys[i + 1])
                complain("candidate %zu was foretold as another", n + i + 1);
        memcpy(keys, next, sizeof keys);
        if (fails && ras_reduce_state(r)->left != c.records)
            complain("%" PRIu64 " records are left, not %" PRIu64, ras_reduce_state(r)->left,
                     c.records);
    }
    ras_reduce_close(r);
    ras_reduce_close(copying);
}

/* ---- memory ------------------------------------------------------------------------------ */

static int reduce_a_little(struct ras_trace *t, struct ras_error *err)
{
    struct ras_reduce *r;
    struct ras_candidate c;
    int status = ras_reduce_open(&r, t, NULL, NULL, err);
    if (status == RAS_OK)
        r->copy_least = 0;
    for (size_t n = 0; status == RAS_OK && n < 6; n++) {
        struct held h = {0};
        status = ras_reduce_next(r, 1, &c, err);
        if (status >= 0)
            status = ras_reduce_next(r, 0, &c, err);
        int written = status == RAS_OK ? write(r, &c, t, &h, err) : status;
        held_drop(&h);
        if (status == RAS_OK && written < 0)
            status = written;
        if (status == RAS_OK)
            status = ras_reduce_report(r, n % 2 == 0, err);
    }
    ras_reduce_close(r);
    return status;
}

static void starve(const struct golden *g, uint64_t step)
{
    bool reached = true;
    trial(g->bytes, g->size, "%s reduced with little memory", g->name);
    for (uint64_t n = 0; reached; n += step) {
        struct ras_trace *t;
        struct ras_error err = {0};
        int64_t before = heap_now().live;
        if (golden_open(g, &t, &err) < 0)
            return;
        uint64_t calls = heap_now().calls;
        heap_fail(n);
        int status = reduce_a_little(t, &err);
        heap_fail(UINT64_MAX);
        reached = heap_now().calls - calls >= n;
        ras_close(t);
        if (heap_now().live > before)
            complain("allocation %" PRIu64 " failed and %" PRId64 " bytes are lost", n,
                     heap_now().live - before);
        if (status < 0 && status != RAS_EMEMORY)
            complain("allocation %" PRIu64 " failed and it says: %s", n, err.text);
    }
}

static void hold(const struct golden *g, enum effort effort)
{
    struct ras_trace *t;
    struct ras_error err;
    struct ras_report *report;
    const struct ras_verify_options deep = {.deep = true};
    size_t seeds = effort == REDUCED ? 1 : effort == NORMAL ? 3 : 30;
    trial(g->bytes, g->size, "%s opened", g->name);
    if (golden_open(g, &t, &err) < 0)
        return;
    if (ras_verify(&report, t, &deep, &err) == RAS_OK) {
        for (uint64_t seed = 1; seed <= seeds; seed++)
            run(g, t, report, seed, effort == FULL ? 1000 : 60);
        ras_report_free(report);
    }
    ras_close(t);
    if (g->size < 4096 && effort != REDUCED)
        starve(g, effort == FULL ? 1 : 7);
}

void reduce_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++)
        hold(&g->at[i], effort);
}
