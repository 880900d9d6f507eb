/* murk_stats.c - statistics of a replay: its ticks and commands, and where its bytes go. */
#include "formats/murk/murk_driver.h"
#include "ops/du/usage.h"
#include "ops/stats/tally.h"

#include <stdlib.h>

struct books {
    struct usage *usage;
    uint64_t tick;
};

static void book(struct books *b, const char *name, const char *field, uint64_t records,
                 uint64_t bytes)
{
    usage_add(b->usage, &(struct booking){.kind = "type",
                                          .name = name,
                                          .field = field,
                                          .records = records,
                                          .raw = bytes,
                                          .frame = b->tick});
}

static void book_fields(struct books *b, const struct ras_murk_command *k)
{
    book(b, "command", "payload_type", 0, 1);
    book(b, "command", "payload", 0, 4 + k->payload.len);
    book(b, "command", "priority_class", 0, 1);
    book(b, "command", "source_id", 0, k->has_source_id ? 9 : 1);
    book(b, "command", "source_seq", 0, k->has_source_seq ? 9 : 1);
    book(b, "command", "expires_after_tick", 0, 8);
    book(b, "command", "arrival_seq", 0, 8);
}

static void book_commands(struct books *b, const struct ras_murk_frame *frame)
{
    if (!usage_by_field(b->usage)) {
        book(b, "command", NULL, frame->command_count, frame->commands.len);
        return;
    }
    struct in in = in_bytes(frame->commands);
    struct ras_murk_command k;
    struct ras_murk_fault fault;
    while (in_left(&in) && murk_command(&in, &k, &fault))
        book_fields(b, &k);
}

int murk_usage(struct ras_trace *t, struct usage *u, struct ras_error *err)
{
    (void)err;
    struct ras_bytes all = source_bytes(t->source, 0);
    struct books b = {.usage = u};
    usage_add(u, &(struct booking){
                     .kind = "header", .name = "header", .raw = t->body, .frame = RAS_NONE});
    struct ras_murk_frame frame;
    struct ras_murk_fault fault;
    uint64_t at = t->body;
    while (
        at < all.len && !usage_stopped(u) &&
        ras_murk_frame_get((struct ras_bytes){all.at + at, all.len - (size_t)at}, &frame, &fault)) {
        b.tick = frame.tick_id;
        book(&b, "frame", NULL, 1, frame.size - frame.commands.len);
        book_commands(&b, &frame);
        at += frame.size;
    }
    return RAS_OK;
}

enum { TYPES = RAS_MURK_SET_PARAMETER_BATCH + 1 };

struct tick_row {
    uint64_t tick, bytes;
    uint32_t commands, types[TYPES];
};

struct murk_stats {
    struct stats *s;
    struct tally types, sources, no_source; /* commands without a source */
    struct quantiles commands, bytes;       /* of each tick */
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
    tally_unit_end(m->s, &m->no_source);
    m->all_ticks++;
    m->empty += !m->now.commands;
    if (tally_lists(m->s, &m->ticks, &m->tick_room, m->tick_count, sizeof *m->ticks))
        m->ticks[m->tick_count++] = m->now;
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
        return; /* the reader accepted it, so it is complete */
    tally_add(m->s, &m->types, k.payload_type, ras_murk_payload_name(k.payload_type), r->raw_len,
              r->tick);
    tally_add(m->s, k.has_source_id ? &m->sources : &m->no_source,
              k.has_source_id ? k.source_id : 0, NULL, r->raw_len, r->tick);
    m->now.commands++;
    m->now.bytes += r->raw_len;
    m->all_commands++;
    if (k.payload_type < TYPES)
        m->now.types[k.payload_type]++;
}

static int count_record(void *user, const struct ras_cursor *c, const struct ras_record *r,
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

static void put_type(struct stats *s, void *row, void *user)
{
    const struct tally_row *t = row;
    (void)user;
    if (t->name)
        document_name(&s->doc, t->name);
    else
        document_format(&s->doc, "unknown %" PRIu64, t->id);
}

static void put_types(struct murk_stats *m)
{
    static const struct stats_column columns[] = {{"type", .put = put_type},
                                                  TALLY_COLUMN("commands", count),
                                                  {"share_percent", .put = tally_put_share},
                                                  TALLY_COLUMN("size_bytes", bytes),
                                                  TALLY_COLUMN("ticks", units),
                                                  TALLY_PER_UNIT,
                                                  {0}};
    stats_columns(m->s, "types", columns, &m->all_commands);
    stats_order(m->s, "commands", false);
    stats_put_rows(m->s, m->types.rows, m->types.count, sizeof *m->types.rows);
    stats_table_end(m->s, "%s; percentiles over the ticks in which a type occurs",
                    ras_counted(m->all_commands, "command").text);
}

static void put_source(struct stats *s, void *row, void *user)
{
    const struct tally_row *t = row;
    const struct murk_stats *m = user;
    if (m->no_source.count && row == m->no_source.rows)
        document_null(&s->doc);
    else if (t->name)
        document_name(&s->doc, t->name);
    else
        document_uint(&s->doc, t->id);
}

static void put_sources(struct murk_stats *m)
{
    static const struct stats_column columns[] = {{"source_id", .put = put_source},
                                                  TALLY_COLUMN("commands", count),
                                                  TALLY_COLUMN("size_bytes", bytes),
                                                  TALLY_COLUMN("ticks", units),
                                                  TALLY_COLUMN("first_tick", first),
                                                  TALLY_COLUMN("last_tick", last),
                                                  TALLY_PER_UNIT,
                                                  {0}};
    stats_columns(m->s, "sources", columns, m);
    stats_order(m->s, "commands", false);
    stats_put_rows(m->s, m->no_source.rows, m->no_source.count, sizeof *m->no_source.rows);
    stats_put_rows(m->s, m->sources.rows, m->sources.count, sizeof *m->sources.rows);
    stats_table_end(m->s,
                    "null: commands without a source; percentiles over the ticks in which a"
                    " source has commands; sources beyond %d are counted as one",
                    TALLY_MOST);
}

static void put_ticks(struct murk_stats *m)
{
    static const struct stats_column columns[] = {
        {"tick", STATS_U64, offsetof(struct tick_row, tick)},
        {"commands", STATS_U32, offsetof(struct tick_row, commands)},
        {"size_bytes", STATS_U64, offsetof(struct tick_row, bytes)},
        {"Move", STATS_U32, offsetof(struct tick_row, types[0])},
        {"Spawn", STATS_U32, offsetof(struct tick_row, types[1])},
        {"Despawn", STATS_U32, offsetof(struct tick_row, types[2])},
        {"SetField", STATS_U32, offsetof(struct tick_row, types[3])},
        {"Custom", STATS_U32, offsetof(struct tick_row, types[4])},
        {"SetParameter", STATS_U32, offsetof(struct tick_row, types[5])},
        {"SetParameterBatch", STATS_U32, offsetof(struct tick_row, types[6])},
        {0}};
    if (stats_columns(m->s, "ticks", columns, NULL))
        stats_put_rows(m->s, m->ticks, m->tick_count, sizeof *m->ticks);
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
    int status = stats_walk(s, &scan, count_record, &m, err);
    tick_end(&m);
    if (status == RAS_OK)
        put_tables(&m);
    tally_free(&m.types);
    tally_free(&m.sources);
    tally_free(&m.no_source);
    quantiles_free(&m.commands);
    quantiles_free(&m.bytes);
    free(m.ticks);
    return status;
}
