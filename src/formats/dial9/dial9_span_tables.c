/* dial9_span_tables.c - spans as tables: by type, where their time went, by attribute. */
#include "formats/dial9/dial9_stats.h"

const char *dial9_dialect_name(unsigned dialect)
{
    static const char *const names[] = {
        [SPAN_LEGACY] = "legacy", [SPAN_MODERN] = "modern", [SPAN_SINGLE] = "single-event"};
    return names[dialect];
}

const char *dial9_identity_name(unsigned identity)
{
    static const char *const names[] = {
        [IDENTITY_LEGACY] = "legacy", [IDENTITY_METADATA] = "metadata", [IDENTITY_FLAT] = "flat"};
    return names[identity];
}

/* ---- types ----------------------------------------------------------------------------------- */

static void put_type_place(struct dial9_stats *d, const struct span_type *t)
{
    struct document *doc = &d->s->doc;
    dial9_stats_put_text(d, t->name);
    document_name(doc, dial9_dialect_name(t->dialect));
    dial9_stats_put_text(d, t->target);
    dial9_stats_put_text(d, t->file);
    if (t->line == RAS_NONE)
        document_null(doc);
    else
        document_uint(doc, t->line);
}

#define TYPE_PLACE "span", "dialect", "target", "file", "line"

static void put_types(struct dial9_stats *d)
{
    static const char *const columns[] = {TYPE_PLACE,   "open",          "unbalanced", "concurrent",
                                          "incomplete", STATS_DURATIONS, NULL};
    const struct span_book *b = d->book;
    struct document *doc = &d->s->doc;
    bool exact = true;
    stats_table(d->s, "span_types", columns);
    stats_order(d->s, "total_ns", false);
    for (size_t i = 0; i < b->type_count; i++) {
        struct span_type *t = &d->book->types[i];
        size_t row = stats_row(d->s);
        put_type_place(d, t);
        document_uint(doc, t->open);
        document_uint(doc, t->unbalanced);
        document_uint(doc, t->concurrent);
        document_uint(doc, t->incomplete);
        stats_put_quantiles(d->s, &t->elapsed);
        stats_row_end(d->s, row);
        exact = exact && quantiles_exact(&t->elapsed);
    }
    stats_table_end(
        d->s,
        "%" PRIu64 " modern spans, from creation to close; %" PRIu64 " legacy ones, from the first"
        " enter to the last exit; %" PRIu64 " of one event; %" PRIu64 " modern ones have no close,"
        " and %" PRIu64 " only exits; %" PRIu64 " span events have no id; %s%s",
        b->counts[SPAN_MODERN], b->counts[SPAN_LEGACY], b->counts[SPAN_SINGLE], b->open,
        b->exits_only, b->without_id, stats_exactness(exact),
        b->types_dropped ? "; left out: those of more than 4,096 types" : "");
}

/* ---- where time went ---------------------------------------------------------------------------
 */

static void put_times(struct dial9_stats *d)
{
    static const char *const columns[] = {TYPE_PLACE,           "count",          "elapsed_ns",
                                          "active_ns",          "active_wall_ns", "idle_ns",
                                          "on_cpu_ns",          "blocked_ns",     "async_wait_ns",
                                          "scheduler_delay_ns", "unknown_ns",     NULL};
    struct document *doc = &d->s->doc;
    stats_table(d->s, "span_time", columns);
    stats_order(d->s, "elapsed_ns", false);
    for (size_t i = 0; i < d->book->type_count; i++) {
        const struct span_type *t = &d->book->types[i];
        if (!t->elapsed.count)
            continue;
        size_t row = stats_row(d->s);
        put_type_place(d, t);
        document_uint(doc, t->elapsed.count);
        document_uint(doc, t->elapsed.sum);
        document_uint(doc, t->active.sum);
        document_uint(doc, t->wall);
        document_uint(doc, t->idle);
        for (int known = 0; known < 4; known++)
            document_null(doc);
        document_uint(doc, t->elapsed.sum); /* nothing says where it went */
        stats_row_end(d->s, row);
    }
    stats_table_end(d->s,
                    "sums over spans with both ends; active_ns is what the recorder measured, or"
                    " else the union of enter to exit, which is active_wall_ns; idle_ns is the"
                    " rest; on_cpu, blocked, async_wait, scheduler_delay and unknown add up to"
                    " elapsed, those that cannot be attributed being null");
}

/* ---- attributes --------------------------------------------------------------------------------
 */

static void put_attributes(struct dial9_stats *d)
{
    static const char *const columns[] = {"span", "target", "key", "value", STATS_DURATIONS, NULL};
    struct span_book *b = d->book;
    bool exact = true;
    stats_table(d->s, "span_attributes", columns);
    stats_order(d->s, "total_ns", false);
    for (size_t i = 0; i < b->attribute_count; i++) {
        struct span_attribute *a = &b->attributes[i];
        if (!a->elapsed.count)
            continue;
        size_t row = stats_row(d->s);
        dial9_stats_put_text(d, b->types[a->type].name);
        dial9_stats_put_text(d, b->types[a->type].target);
        dial9_stats_put_text(d, a->key);
        dial9_stats_put_text(d, a->value);
        stats_put_quantiles(d->s, &a->elapsed);
        stats_row_end(d->s, row);
        exact = exact && quantiles_exact(&a->elapsed);
    }
    stats_table_end(d->s,
                    "modern spans by the attributes of their close; of a key the first %d values,"
                    " others together as null; of a type the first %d keys, %" PRIu64
                    " attributes being beyond; %s",
                    SPAN_VALUES_MOST, SPAN_KEYS_MOST, b->keys_dropped, stats_exactness(exact));
}

void dial9_span_put_tables(struct dial9_stats *d)
{
    put_types(d);
    put_times(d);
    put_attributes(d);
}
