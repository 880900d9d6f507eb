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

#define TYPE_COLUMNS                                                                               \
    {"type", STATS_NAME, offsetof(struct tally_row, name)}, TALLY_COLUMN("records", count),        \
        {"share_percent", .put = tally_put_share}, TALLY_COLUMN("size_bytes", bytes)

static void put_types(struct record_stats *m)
{
    static const struct stats_column plain[] = {TYPE_COLUMNS, {0}};
    static const struct stats_column by_tick[] = {TYPE_COLUMNS,
                                                  TALLY_COLUMN("ticks", units),
                                                  TALLY_COLUMN("first_tick", first),
                                                  TALLY_COLUMN("last_tick", last),
                                                  TALLY_PER_UNIT,
                                                  {0}};
    stats_columns(m->s, "types", m->has_ticks ? by_tick : plain, &m->all_records);
    stats_order(m->s, "records", false);
    stats_put_rows(m->s, m->types.rows, m->types.count, sizeof *m->types.rows);
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
