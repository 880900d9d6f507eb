/* murk_stats.c - figures of a replay: commands by type, source and tick. */
#include "base/memory.h"
#include "formats/murk/murk_driver.h"
#include "ops/stats/tally.h"

#include <stdlib.h>

enum { TYPES = RAS_MURK_SET_PARAMETER_BATCH + 1 };

struct tick_row {
    uint64_t tick, bytes;
    uint32_t commands, types[TYPES];
};

struct murk_stats {
    struct stats *s;
    struct tally types, sources, nobody; /* nobody: commands that name no source */
    struct quantiles commands, bytes;    /* of each tick */
    struct tick_row *ticks;
    size_t tick_count, tick_room;
    struct tick_row now;
    bool begun;
    uint64_t all_ticks, all_commands, empty;
};

static void tick_end(struct murk_stats *m)
{
    if (!m->begun)
        return;
    stats_add(m->s, &m->commands, m->now.commands);
    stats_add(m->s, &m->bytes, m->now.bytes);
    tally_unit_end(m->s, &m->types);
    tally_unit_end(m->s, &m->sources);
    tally_unit_end(m->s, &m->nobody);
    m->all_ticks++;
    m->empty += !m->now.commands;
    if (m->tick_count >= UNITS_LISTED)
        return;
    if (array_grow(&m->ticks, &m->tick_room, m->tick_count + 1, sizeof *m->ticks))
        m->ticks[m->tick_count++] = m->now;
    else
        m->s->doc.nomem = true;
}

static void tick_begin(struct murk_stats *m, const struct ras_record *r)
{
    tick_end(m);
    m->now = (struct tick_row){.tick = r->tick};
    m->begun = true;
}

static void take_command(struct murk_stats *m, const struct ras_record *r)
{
    struct in in = in_bytes((struct ras_bytes){r->raw, r->raw_len});
    struct ras_murk_command k;
    struct ras_murk_fault fault;
    if (!murk_command(&in, &k, &fault))
        return; /* the reader took it, so it is whole */
    tally_add(m->s, &m->types, k.payload_type, ras_murk_payload_name(k.payload_type), r->raw_len,
              r->tick);
    tally_add(m->s, k.has_source_id ? &m->sources : &m->nobody, k.has_source_id ? k.source_id : 0,
              NULL, r->raw_len, r->tick);
    m->now.commands++;
    m->now.bytes += r->raw_len;
    m->all_commands++;
    if (k.payload_type < TYPES)
        m->now.types[k.payload_type]++;
}

static int take(void *user, const struct ras_cursor *c, const struct ras_record *r,
                struct ras_error *err)
{
    struct murk_stats *m = user;
    const char *type = ras_schema_of(c)->name;
    (void)err;
    if (!strcmp(type, "command"))
        take_command(m, r);
    else if (!strcmp(type, "frame"))
        tick_begin(m, r);
    return RAS_OK;
}

static void put_types(struct murk_stats *m)
{
    static const char *const columns[] = {
        "type", "commands", "share_percent", "size_bytes", "ticks", TALLY_PER_UNIT, NULL};
    struct document *doc = &m->s->doc;
    stats_table(m->s, "types", columns);
    stats_order(m->s, "commands", false);
    for (size_t i = 0; i < m->types.count; i++) {
        struct tally_row *t = &m->types.rows[i];
        size_t row = stats_row(m->s);
        if (t->name)
            document_name(doc, t->name);
        else
            document_format(doc, "unknown %" PRIu64, t->id);
        document_uint(doc, t->count);
        document_f64(doc, 100.0 * (double)t->count / (double)m->all_commands);
        document_uint(doc, t->bytes);
        document_uint(doc, t->units);
        tally_put_per_unit(m->s, t);
        stats_row_end(m->s, row);
    }
    stats_table_end(m->s, "%s; percentiles over the ticks in which a type occurs",
                    ras_counted(m->all_commands, "command").text);
}

static void put_source(struct murk_stats *m, struct tally_row *t, bool known)
{
    struct document *doc = &m->s->doc;
    size_t row = stats_row(m->s);
    if (!known)
        document_null(doc);
    else if (t->name)
        document_name(doc, t->name);
    else
        document_uint(doc, t->id);
    document_uint(doc, t->count);
    document_uint(doc, t->bytes);
    document_uint(doc, t->units);
    document_uint(doc, t->first);
    document_uint(doc, t->last);
    tally_put_per_unit(m->s, t);
    stats_row_end(m->s, row);
}

static void put_sources(struct murk_stats *m)
{
    static const char *const columns[] = {"source_id",  "commands",  "size_bytes",   "ticks",
                                          "first_tick", "last_tick", TALLY_PER_UNIT, NULL};
    stats_table(m->s, "sources", columns);
    stats_order(m->s, "commands", false);
    for (size_t i = 0; i < m->nobody.count; i++)
        put_source(m, &m->nobody.rows[i], false);
    for (size_t i = 0; i < m->sources.count; i++)
        put_source(m, &m->sources.rows[i], true);
    stats_table_end(m->s,
                    "null: commands that name no source; percentiles over the ticks in which a"
                    " source has commands; sources beyond %d are one",
                    TALLY_MOST);
}

static void put_ticks(struct murk_stats *m)
{
    static const char *const columns[] = {
        "tick",   "commands",     "size_bytes",        "Move", "Spawn", "Despawn", "SetField",
        "Custom", "SetParameter", "SetParameterBatch", NULL};
    struct document *doc = &m->s->doc;
    if (stats_table(m->s, "ticks", columns))
        for (size_t i = 0; i < m->tick_count; i++) {
            size_t row = stats_row(m->s);
            document_uint(doc, m->ticks[i].tick);
            document_uint(doc, m->ticks[i].commands);
            document_uint(doc, m->ticks[i].bytes);
            for (int k = 0; k < TYPES; k++)
                document_uint(doc, m->ticks[i].types[k]);
            stats_row_end(m->s, row);
        }
    stats_table_end(m->s,
                    "%zu of %s, in stored order; %" PRIu64
                    " of all have no command; sizes are of commands",
                    m->tick_count, ras_counted(m->all_ticks, "tick").text, m->empty);
}

static void put_tables(struct murk_stats *m)
{
    static const char *const columns[] = {"in_each_tick", TALLY_SPREAD, NULL};
    put_types(m);
    put_sources(m);
    stats_table(m->s, "spread", columns);
    tally_put_spread(m->s, "commands", &m->commands);
    tally_put_spread(m->s, "bytes of commands", &m->bytes);
    stats_table_end(m->s, "over %s; %s", ras_counted(m->all_ticks, "tick").text,
                    stats_exactness(quantiles_exact(&m->commands)));
    put_ticks(m);
}

int murk_stats(struct ras_trace *t, struct stats *s, struct ras_error *err)
{
    struct murk_stats m = {.s = s};
    const struct ras_scan scan = {.headers_only = true};
    (void)t;
    int status = stats_walk(s, &scan, take, &m, err);
    tick_end(&m);
    if (status == RAS_OK)
        put_tables(&m);
    tally_free(&m.types);
    tally_free(&m.sources);
    tally_free(&m.nobody);
    quantiles_free(&m.commands);
    quantiles_free(&m.bytes);
    free(m.ticks);
    return status;
}
