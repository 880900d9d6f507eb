/* derived_property.c - records that are derived from others add up to what stats reports.
 *
 * ATF spans to the table of functions; dial9 polls, span segments and spans to their tables: of
 * every golden, of its beginnings, and with bytes changed. */
#include "properties.h"
#include "trial.h"

#include "../unit/figures.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct total {
    uint64_t count, sum, max;
};

/* One type of records, and the table that it adds up to. */
struct derived {
    const char *type, *field, *table, *sum, *max;
    const char *by, *but; /* a field that is not null; `reason` of records that do not count */
};

static const struct derived rows[] = {
    {"span", "self_ns", "functions", "self_ns", NULL, "thread_id", "no_call"},
    {"poll", "duration_ns", "polls", "total_ns", "max_ns", "worker_id", NULL},
    {"poll", "duration_ns", "polls_by_location", "total_ns", "max_ns", "spawn_loc", NULL},
    {"span_segment", "duration_ns", "span_segments", "total_ns", "max_ns", "name", NULL},
    {"span", "duration_ns", "spans", "total_ns", "max_ns", "name", NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

static unsigned column_of(const struct ras_value *columns, const char *name)
{
    unsigned at = 1;
    while (at <= columns->count && !figures_shows(&columns[at], name))
        at++;
    return at;
}

/* Sums of figures stop at the largest number. */
static uint64_t added(uint64_t sum, uint64_t more)
{
    return more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}

/* Of all rows of the table; false: stats has no such table. */
static bool table_total(const struct ras_stats *s, const struct derived *d, struct total *t)
{
    const struct ras_value *table = ras_value_member(s->tables, d->table);
    if (!table)
        return false;
    const struct ras_value *columns = ras_value_member(table, "columns");
    const struct ras_value *at = ras_value_member(table, "rows"), *end = figures_next(at);
    unsigned count = column_of(columns, "count"), sum = column_of(columns, d->sum);
    unsigned max = d->max ? column_of(columns, d->max) : 0;
    for (const struct ras_value *r = at + 1; r < end; r = figures_next(r)) {
        t->count += r[count].u;
        t->sum = added(t->sum, r[sum].kind == RAS_UINT ? r[sum].u : 0);
        if (max && r[max].kind == RAS_UINT && r[max].u > t->max)
            t->max = r[max].u;
    }
    return true;
}

static bool counts(const struct ras_cursor *c, const struct derived *d)
{
    const struct ras_value *by = ras_value_of(c, d->by), *reason = ras_value_of(c, "reason");
    if (!by || by->kind == RAS_NULL)
        return false;
    return !d->but || !reason || !figures_shows(reason, d->but);
}

static bool records_total(struct ras_trace *t, const struct derived *d, bool merged,
                          struct total *out)
{
    const struct ras_pick pick = {.type = d->type};
    const struct ras_scan scan = {.picks = &pick, .pick_count = 1, .merged = merged};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, t, &scan, NULL);
    while (status == RAS_OK && (status = ras_next(c, &r, NULL)) == RAS_OK) {
        if (!(ras_schema_of(c)->flags & RAS_ON_REQUEST) || !counts(c, d))
            continue;
        const struct ras_value *v = ras_value_of(c, d->field);
        if (!v)
            continue;
        bool there = v->kind == RAS_UINT;
        out->count += there || !d->max; /* functions count calls without an end, too */
        out->sum = added(out->sum, there ? v->u : 0);
        out->max = d->max && there && v->u > out->max ? v->u : out->max;
    }
    ras_cursor_close(c);
    return status == RAS_END;
}

static bool has_type(const struct ras_trace *t, const struct derived *d)
{
    for (size_t i = 0; i < ras_schema_count(t); i++) {
        const struct ras_schema *s = ras_schema_at(t, i);
        if (s->flags & RAS_ON_REQUEST && !strcmp(s->name, d->type) &&
            ras_field_index(s, d->field) >= 0 && ras_field_index(s, d->by) >= 0)
            return true;
    }
    return false;
}

static unsigned hold_sums(struct ras_trace *t)
{
    struct ras_stats *s;
    unsigned held = 0;
    if (ras_stats(&s, t, NULL, NULL) < 0)
        return 0;
    struct ras_ending ending = s->ending;
    for (size_t i = 0; i < ROWS; i++) {
        const struct derived *d = &rows[i];
        struct total want = {0};
        if (!has_type(t, d) || !table_total(s, d, &want))
            continue;
        for (int merged = 0; merged < 2; merged++) {
            struct total got = {0};
            if (!records_total(t, d, merged, &got))
                complain("%s cannot be read", d->type);
            else if (memcmp(&got, &want, sizeof got) != 0)
                complain("%s%s: %" PRIu64 " of %" PRIu64 ", %s has %" PRIu64 " of %" PRIu64,
                         merged ? "merged " : "", d->type, got.count, got.sum, d->table, want.count,
                         want.sum);
            if (ras_ending(t).kind != ending.kind)
                complain("%s: ends %s, for stats %s", d->type, ras_ending_name(ras_ending(t).kind),
                         ras_ending_name(ending.kind));
        }
        held += want.count > 0;
    }
    ras_stats_free(s);
    return held;
}

static void hold_bytes(const struct golden *g, const uint8_t *bytes, size_t size)
{
    struct ras_trace *t;
    (void)g;
    if (ras_open_memory(&t, bytes, size, NULL, NULL) == RAS_OK)
        (void)hold_sums(t);
    ras_close(t);
}

/* Its beginnings, and one byte changed after the other. */
static void change(const struct golden *g, enum effort effort)
{
    size_t step = effort == REDUCED ? 11 : 1;
    uint8_t *copy = exact_copy(g->bytes, g->size);
    for (size_t i = 0; copy && i < g->size; i += step) {
        trial(g->bytes, i, "%s cut at %zu", g->name, i);
        hold_bytes(g, g->bytes, i);
        copy[i] ^= (uint8_t)(1u << i % 8);
        trial(copy, g->size, "%s with byte %zu changed", g->name, i);
        hold_bytes(g, copy, g->size);
        copy[i] = g->bytes[i];
    }
    free(copy);
}

void derived_property(const struct goldens *g, enum effort effort)
{
    unsigned held = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct golden *one = &g->at[i];
        struct ras_trace *t = NULL;
        trial(one->bytes, one->size, "%s", one->name);
        if (golden_open(one, &t, NULL) == RAS_OK) {
            unsigned here = hold_sums(t);
            held += here;
            if (here && !one->is_dir && !one->big)
                change(one, effort);
        }
        ras_close(t);
    }
    trial(NULL, 0, "all");
    if (held < ROWS)
        complain("%u tables were compared in all goldens, there are %d kinds", held, ROWS);
}
