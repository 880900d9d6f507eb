/* stats_records.c - figures of a format that has none of its own: records by type, and in each
 * tick. */
#include "core/format.h"
#include "ops/stats/tally.h"

struct record_stats {
    struct stats *s;
    struct tally types;
    struct quantiles records, bytes; /* of each tick */
    bool has_ticks, begun;
    uint64_t tick, tick_records, tick_bytes;
    uint64_t all_records, all_ticks;
};

static void tick_close(struct record_stats *m)
{
    if (!m->begun)
        return;
    stats_add(m->s, &m->records, m->tick_records);
    stats_add(m->s, &m->bytes, m->tick_bytes);
    tally_unit_end(m->s, &m->types);
    m->all_ticks++;
    m->tick_records = m->tick_bytes = 0;
    m->begun = false;
}

static int take_record(void *user, const struct ras_cursor *c, const struct ras_record *r,
                       struct ras_error *err)
{
    struct record_stats *m = user;
    (void)err;
    if (r->schema == RAS_SCHEMA_GAP)
        return RAS_OK;
    bool ticked = m->has_ticks && r->flags & RAS_HAS_TICK;
    if (ticked && (!m->begun || r->tick != m->tick)) {
        tick_close(m);
        m->tick = r->tick;
        m->begun = true;
    }
    tally_add(m->s, &m->types, r->schema, ras_schema_of(c)->name, r->raw_len, m->tick);
    m->all_records++;
    m->tick_records++;
    /* Bytes of a record inside another are counted with that one already. */
    m->tick_bytes += r->parent == RAS_NONE ? r->raw_len : 0;
    return RAS_OK;
}

static void put_types(struct record_stats *m)
{
    static const char *const plain[] = {"type", "records", "share_percent", "size_bytes", NULL};
    static const char *const by_tick[] = {"type",       "records",      "share_percent",
                                          "size_bytes", "ticks",        "first_tick",
                                          "last_tick",  TALLY_PER_UNIT, NULL};
    struct document *doc = &m->s->doc;
    stats_table(m->s, "types", m->has_ticks ? by_tick : plain);
    stats_order(m->s, "records", false);
    for (size_t i = 0; i < m->types.count; i++) {
        struct tally_row *t = &m->types.rows[i];
        size_t row = stats_row(m->s);
        document_name(doc, t->name);
        document_uint(doc, t->count);
        document_f64(doc, 100.0 * (double)t->count / (double)m->all_records);
        document_uint(doc, t->bytes);
        if (m->has_ticks) {
            document_uint(doc, t->units);
            document_uint(doc, t->first);
            document_uint(doc, t->last);
            tally_put_per_unit(m->s, t);
        }
        stats_row_end(m->s, row);
    }
    stats_table_end(m->s, "%s%s", ras_counted(m->all_records, "record").text,
                    m->has_ticks ? "; percentiles over the ticks in which a type occurs" : "");
}

static void put_spread(struct record_stats *m)
{
    static const char *const columns[] = {"in_each_tick", TALLY_SPREAD, NULL};
    stats_table(m->s, "spread", columns);
    tally_put_spread(m->s, "records", &m->records);
    tally_put_spread(m->s, "bytes of records", &m->bytes);
    stats_table_end(m->s, "over %s; %s", ras_counted(m->all_ticks, "tick").text,
                    stats_exactness(quantiles_exact(&m->records)));
}

int stats_records(struct ras_trace *t, struct stats *s, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    struct record_stats m = {.s = s, .has_ticks = t->format->about.axes >> RAS_AXIS_TICK & 1};
    int status = stats_walk(s, &scan, take_record, &m, err);
    tick_close(&m);
    if (status == RAS_OK) {
        put_types(&m);
        if (m.has_ticks)
            put_spread(&m);
    }
    tally_free(&m.types);
    quantiles_free(&m.records);
    quantiles_free(&m.bytes);
    return status;
}
