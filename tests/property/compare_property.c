/* compare_property.c - a trace equals itself; whatever is done to its bytes, a comparison ends
 * without a crash and gives the same result in both directions; and where memory is short it
 * reports that. */
#include "properties.h"
#include "trial.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 150 };

static const struct ras_compare_options all = {.paranoid = true, .keep_going = true};

/* The report as JSON, by which two of them are compared. */
static struct ras_sink *report_of(const struct ras_diff *d, const struct ras_compare_options *how)
{
    struct ras_sink *sink;
    if (ras_sink_memory(&sink, NULL) < 0)
        abort();
    if (ras_diff_json(sink, d, how, RAS_LAYOUT_LINE, NULL) < 0)
        complain("its report cannot be written");
    return sink;
}

static int compare(struct ras_trace *a, struct ras_trace *b, const struct ras_compare_options *how,
                   bool *differs)
{
    struct ras_diff *d;
    struct ras_error err = {0};
    int status = ras_diff(&d, a, b, how, &err);
    *differs = status == RAS_OK && d->divergence_count;
    if (status < 0 && !err.text[0])
        complain("fails with %d and says nothing", status);
    if (status == RAS_OK)
        ras_sink_drop(report_of(d, how));
    ras_diff_free(status == RAS_OK ? d : NULL);
    return status;
}

static void itself(const struct golden *g)
{
    struct ras_trace *a, *b = NULL;
    bool differs;
    trial(g->bytes, g->size, "%s and itself", g->name);
    if (golden_open(g, &a, NULL) == RAS_OK && golden_open(g, &b, NULL) == RAS_OK) {
        int status = compare(a, b, &(struct ras_compare_options){0}, &differs);
        if (status == RAS_OK ? differs : status != RAS_EREFUSED && status != RAS_ENOTHING)
            complain("differs from itself, or %d", status);
    }
    ras_close(a);
    ras_close(b);
}

static void inspect(struct ras_trace *t)
{
    static const struct ras_inspect_options inspections[] = {
        {.name = "tick", .number = 1},
        {.name = "entity", .number = 3},
        {.name = "query", .text = "entities where hp > 1"},
        {.name = "query", .text = "ticks where prev(checkpoint.perk) != checkpoint.perk"},
        {.name = "entity", .number = 0, .group = "creature", .compat = true},
        {.name = "query", .text = "ticks where kills > 1", .compat = true},
        {.name = "health"},
    };
    for (size_t i = 0; i < sizeof inspections / sizeof *inspections; i++) {
        struct ras_inspection *seen;
        if (ras_inspect(&seen, t, NULL, &inspections[i], NULL) == RAS_OK)
            ras_inspection_free(seen);
    }
}

/* The golden and a changed copy, one way and the other. */
static void change(const struct golden *g, const uint8_t *bytes, size_t size)
{
    struct ras_trace *a, *b;
    struct ras_inspection *seen;
    bool one, other;
    heap_watch();
    if (golden_open(g, &a, NULL) < 0)
        return;
    if (ras_open_memory(&b, bytes, size, NULL, NULL) == RAS_OK) {
        int forth = compare(a, b, &all, &one), back = compare(b, a, &all, &other);
        if (forth != back || one != other)
            complain("ends with %d and %d, the other way round with %d and %d", forth, one, back,
                     other);
        inspect(b);
        if (ras_inspect(&seen, a, b, &(struct ras_inspect_options){.name = "focus", .number = 1},
                        NULL) == RAS_OK)
            ras_inspection_free(seen);
        if (ras_inspect(&seen, a, b, &(struct ras_inspect_options){.name = "entity"}, NULL) ==
            RAS_OK)
            ras_inspection_free(seen);
    }
    ras_close(a);
    ras_close(b);
    if (heap_now().live != 0)
        complain("left %lld bytes behind", (long long)heap_now().live);
}

static void changes(const struct golden *g, enum effort effort)
{
    uint8_t *copy = exact_copy(g->bytes, g->size);
    size_t step = g->size / (effort == REDUCED ? PLACES / 5 : PLACES) + 1;
    for (size_t at = 0; at < g->size; at += step) {
        static const uint8_t masks[] = {0x80, 1, 0xff};
        copy[at] ^= masks[at % 3];
        trial(copy, g->size, "%s and one with byte %zu changed", g->name, at);
        change(g, copy, g->size);
        copy[at] ^= masks[at % 3];
        uint8_t *cut = exact_copy(g->bytes, at);
        trial(cut, at, "%s and one cut at %zu", g->name, at);
        change(g, cut, at);
        free(cut);
    }
    free(copy);
}

/* ---- short of memory ----------------------------------------------------------- */

static struct ras_sink *with_less(const struct golden *const *pair, uint64_t call, int *status)
{
    struct ras_trace *a, *b = NULL;
    struct ras_diff *d = NULL;
    struct ras_sink *sink = NULL;
    if (golden_open(pair[0], &a, NULL) == RAS_OK && golden_open(pair[1], &b, NULL) == RAS_OK) {
        heap_fail(call);
        *status = ras_diff(&d, a, b, &all, NULL);
        heap_fail(UINT64_MAX);
        if (*status == RAS_OK)
            sink = report_of(d, &all);
        ras_diff_free(*status == RAS_OK ? d : NULL);
    }
    ras_close(a);
    ras_close(b);
    return sink;
}

static void less_memory(const struct golden *x, const struct golden *y, enum effort effort)
{
    const struct golden *pair[] = {x, y};
    int status = RAS_EMEMORY;
    uint64_t before = heap_now().calls;
    trial(x->bytes, x->size, "%s and %s", x->name, y->name);
    struct ras_sink *whole = with_less(pair, UINT64_MAX, &status);
    uint64_t calls = heap_now().calls - before, step = calls / (effort == FULL ? 2000 : 200) + 1;
    for (uint64_t n = 0; whole && n < calls; n += step) {
        trial(x->bytes, x->size, "%s and %s, allocation %u fails", x->name, y->name, (unsigned)n);
        struct ras_sink *sink = with_less(pair, n, &status);
        struct ras_bytes p = ras_sink_bytes(whole), q = {0};
        if (sink)
            q = ras_sink_bytes(sink);
        if (!sink && status != RAS_EMEMORY)
            complain("ends with status %d", status);
        if (sink && (p.len != q.len || memcmp(p.at, q.at, p.len)))
            complain("says something else");
        ras_sink_drop(sink);
    }
    ras_sink_drop(whole);
}

static bool same_format(const struct golden *x, const struct golden *y)
{
    size_t n = strcspn(x->name, "/");
    return !strncmp(x->name, y->name, n + 1);
}

void compare_property(const struct goldens *g, enum effort effort)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct golden *one = &g->at[i], *next = &g->at[(i + 1) % g->count];
        itself(one);
        if (one->is_dir || (one->big && effort == REDUCED))
            continue;
        changes(one, effort);
        if (!next->is_dir && !next->big && !one->big && same_format(one, next))
            less_memory(one, next, effort);
    }
}
