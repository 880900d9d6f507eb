/* steady_property.c - in steady state a record costs no allocation.
 *
 * After the first half of a trace of many records the second half is read without a single call of
 * malloc and the like. */
#include "properties.h"
#include "trial.h"

#include <inttypes.h>
#include <string.h>

enum { ENOUGH = 64, FORMATS_MAX = 32 };

/* Walk without keeping anything; the allocations made in the second half. */
static bool second_half(struct ras_trace *t, const struct ras_scan *scan, size_t records,
                        uint64_t *calls)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t before = 0, sum = 0;
    size_t n = 0, count;
    int status = ras_cursor_open(&c, t, scan, NULL);
    while (status >= 0 && (status = ras_next(c, &r, NULL)) == RAS_OK) {
        const struct ras_value *v = ras_values(c, &count);
        for (size_t i = 0; i < count; i++)
            sum += v[i].kind;
        if (++n == records / 2)
            before = heap_now().calls;
    }
    *calls = heap_now().calls - before + (sum & 0);
    ras_cursor_close(c);
    return status == RAS_END && n >= records / 2;
}

static void try_steady(const struct golden *g, const struct ras_scan *scan, size_t records,
                       const char *how)
{
    struct ras_trace *t;
    uint64_t calls = 0;
    trial(g->bytes, g->size, "%s %s", g->name, how);
    if (golden_open(g, &t, NULL) < 0 || !second_half(t, scan, records, &calls))
        complain("cannot be read");
    if (calls)
        complain("%" PRIu64 " allocations in the second half of %zu records", calls, records);
    ras_close(t);
}

void steady_property(const struct goldens *g, enum effort effort)
{
    const char *long_enough[FORMATS_MAX] = {0};
    (void)effort;
    for (size_t i = 0; i < g->count; i++) {
        const struct golden *one = &g->at[i];
        struct walk whole = {0};
        struct ras_trace *t = NULL;
        if (golden_walk(one, &whole) && whole.count >= ENOUGH &&
            golden_open(one, &t, NULL) == RAS_OK) {
            for (size_t f = 0; f < FORMATS_MAX && ras_format_at(f); f++)
                if (ras_format_at(f) == ras_format_of(t))
                    long_enough[f] = one->name;
            try_steady(one, NULL, whole.count, "in stored order");
            try_steady(one, &(struct ras_scan){.headers_only = true}, whole.count,
                       "without values");
            try_steady(one, &(struct ras_scan){.merged = true}, whole.count, "merged");
        }
        ras_close(t);
        walk_free(&whole);
    }
    for (size_t f = 0; f < FORMATS_MAX && ras_format_at(f); f++) {
        trial(NULL, 0, "%s", ras_format_at(f)->name);
        if (!long_enough[f])
            complain("no golden trace has %d records, so nothing is known of it", ENOUGH);
    }
}
