/* cdt_stats.c - statistics of a trace: its ticks, channels and pools. */
#include "formats/cdt/cdt_driver.h"
#include "ops/stats/tally.h"

#include <stdlib.h>

enum { POOLS = 4, UIDS_MOST = 1 << 20 };

/* The pools of entities among the types of records. */
static const char *const pool_names[POOLS] = {"creature", "projectile", "secondary_projectile",
                                              "bonus"};

struct pool {
    struct id_table uids;
    uint64_t active, uids_uncounted;
    struct quantiles live; /* active ones in each tick */
    uint64_t live_now;
};

struct tick_row {
    uint64_t tick, time_ns;
    bool timed;
    uint32_t counts[CDT_ROWS];
};

struct cdt_stats {
    struct stats *s;
    struct tally types; /* by row of cdt_rows */
    struct tally callers;
    unsigned rows; /* types of records */
    struct pool pools[POOLS];
    struct tick_row *ticks;
    size_t tick_count, tick_room;
    struct tick_row now;
    bool begun;
    uint64_t all_ticks, gaps;
};

/* ---- the walk ------------------------------------------------------------------------- */

static void tick_end(struct cdt_stats *m)
{
    if (!m->begun)
        return;
    tally_unit_end(m->s, &m->types);
    tally_unit_end(m->s, &m->callers);
    for (int i = 0; i < POOLS; i++) {
        stats_add(m->s, &m->pools[i].live, m->pools[i].live_now);
        m->pools[i].live_now = 0;
    }
    m->all_ticks++;
    if (tally_lists(m->s, &m->ticks, &m->tick_room, m->tick_count, sizeof *m->ticks))
        m->ticks[m->tick_count++] = m->now;
}

static unsigned row_of(const char *type)
{
    unsigned i = 0;
    while (i < CDT_ROWS && strcmp(cdt_rows[i].name, type) != 0)
        i++;
    return i;
}

static struct pool *pool_of(struct cdt_stats *m, const char *type)
{
    for (int i = 0; i < POOLS; i++)
        if (!strcmp(pool_names[i], type))
            return &m->pools[i];
    return NULL;
}

/* An entity: its uid, and whether its slot is in use. */
static void take_entity(struct cdt_stats *m, struct pool *pool, const struct ras_cursor *c)
{
    const struct ras_value *active = ras_value_of(c, "active"), *uid = ras_value_of(c, "uid");
    if (active && active->u) {
        pool->active++;
        pool->live_now++;
    }
    if (!uid || id_table_find(&pool->uids, uid->u) != ID_TABLE_NONE)
        return;
    if (pool->uids.count >= UIDS_MOST)
        pool->uids_uncounted++;
    else if (!id_table_add(&pool->uids, uid->u, 0))
        m->s->doc.cells.nomem = true;
}

/* A draw: who called the generator. No caller has 64 bits, so the number is free. */
#define CALLER_UNKNOWN (UINT64_MAX - 1)

static void take_draw(struct cdt_stats *m, const struct ras_cursor *c, uint64_t tick)
{
    const struct ras_value *caller = ras_value_of(c, "caller");
    uint64_t id = caller && caller->kind != RAS_NULL ? caller->u : CALLER_UNKNOWN;
    tally_add(m->s, &m->callers, id, NULL, 0, tick);
}

static int count_record(void *user, const struct ras_cursor *c, const struct ras_record *r,
                        struct ras_error *err)
{
    struct cdt_stats *m = user;
    const char *type = ras_schema_of(c)->name;
    unsigned row = row_of(type);
    (void)err;
    if (row == CDT_ROWS) {
        m->gaps++;
        return RAS_OK;
    }
    if (row == CDT_ROW_TICK) {
        tick_end(m);
        m->begun = true;
        m->now = (struct tick_row){
            .tick = r->tick, .time_ns = r->time_ns, .timed = r->flags & RAS_HAS_TIME};
    }
    m->now.counts[row]++;
    tally_add(m->s, &m->types, row, cdt_rows[row].name, 0, r->tick);
    struct pool *pool = pool_of(m, type);
    if (pool)
        take_entity(m, pool, c);
    if (row == CDT_ROW_RNG)
        take_draw(m, c, r->tick);
    return RAS_OK;
}

/* ---- tables ---------------------------------------------------------------------------- */

static void stats_put_channels(struct cdt_stats *m)
{
    static const struct stats_column columns[] = {
        {"type", STATS_NAME, offsetof(struct tally_row, name)},
        TALLY_COLUMN("records", count),
        TALLY_COLUMN("ticks", units),
        TALLY_COLUMN("first_tick", first),
        TALLY_COLUMN("last_tick", last),
        TALLY_PER_UNIT,
        {0}};
    stats_columns(m->s, "channels", columns, NULL);
    stats_put_rows(m->s, m->types.rows, m->types.count, sizeof *m->types.rows);
    stats_table_end(m->s, "records by type, percentiles over the ticks in which it occurs");
}

static void put_caller(struct stats *s, void *row, void *user)
{
    const struct tally_row *t = row;
    (void)user;
    if (t->id == CALLER_UNKNOWN || t->id == TALLY_OTHERS)
        document_name(&s->doc, t->id == TALLY_OTHERS ? "others" : "unknown");
    else
        document_format(&s->doc, "0x%08" PRIx64, t->id);
}

static void stats_put_callers(struct cdt_stats *m)
{
    static const struct stats_column columns[] = {{"caller", .put = put_caller},
                                                  TALLY_COLUMN("draws", count),
                                                  {"share", .put = tally_put_share},
                                                  TALLY_COLUMN("ticks", units),
                                                  TALLY_COLUMN("first_tick", first),
                                                  TALLY_COLUMN("last_tick", last),
                                                  TALLY_PER_UNIT,
                                                  {0}};
    uint64_t draws = 0;
    for (size_t i = 0; i < m->callers.count; i++)
        draws += m->callers.rows[i].count;
    stats_order(m->s, "draws", false);
    stats_columns(m->s, "callers", columns, &draws);
    stats_put_rows(m->s, m->callers.rows, m->callers.count, sizeof *m->callers.rows);
    stats_table_end(m->s, "random draws by caller, percentiles over the ticks in which it draws");
}

static const struct tally_row *tally_of(const struct cdt_stats *m, const char *name)
{
    for (size_t i = 0; i < m->types.count; i++)
        if (!strcmp(m->types.rows[i].name, name))
            return &m->types.rows[i];
    return NULL;
}

static void stats_put_pools(struct cdt_stats *m)
{
    static const char *const columns[] = {"pool",       "samples",    "active",     "entities",
                                          "ticks",      "active_min", "active_p50", "active_p95",
                                          "active_p99", "active_max", NULL};
    static const unsigned shares[] = {500, 950, 990};
    struct document *doc = &m->s->doc;
    uint64_t uncounted = 0;
    stats_table(m->s, "pools", columns);
    for (int i = 0; i < POOLS; i++) {
        struct pool *p = &m->pools[i];
        const struct tally_row *t = tally_of(m, pool_names[i]);
        size_t row = stats_row(m->s);
        document_name(doc, pool_names[i]);
        document_uint(doc, t ? t->count : 0);
        document_uint(doc, p->active);
        document_uint(doc, p->uids.count);
        document_uint(doc, t ? t->units : 0);
        document_uint(doc, p->live.min);
        for (size_t k = 0; k < 3; k++)
            document_uint(doc, quantiles_at(&p->live, shares[k]));
        document_uint(doc, p->live.max);
        stats_row_end(m->s, row);
        uncounted += p->uids_uncounted;
    }
    stats_table_end(
        m->s, "active: slots in use, their percentiles over %s; entities: different uids%s%s",
        ras_counted(m->all_ticks, "tick").text, uncounted ? ", counted up to 1,048,576" : "",
        m->all_ticks ? "" : "; not measurable: no tick of a known schema");
}

/* Of all types, the tick itself included. */
static uint64_t tick_records(const struct tick_row *t)
{
    uint64_t records = 0;
    for (unsigned i = 0; i < CDT_ROWS; i++)
        records += t->counts[i];
    return records;
}

static void stats_put_ticks(struct cdt_stats *m)
{
    const char *columns[CDT_ROWS + 4] = {"tick", "elapsed_ns", "records"};
    struct document *doc = &m->s->doc;
    size_t count = 3;
    for (unsigned i = CDT_ROW_TICK + 1; i < m->rows; i++)
        columns[count++] = cdt_rows[i].name;
    if (stats_table(m->s, "ticks", columns))
        for (size_t i = 0; i < m->tick_count; i++) {
            const struct tick_row *t = &m->ticks[i];
            size_t row = stats_row(m->s);
            document_uint(doc, t->tick);
            if (t->timed)
                document_uint(doc, t->time_ns);
            else
                document_null(doc);
            document_uint(doc, tick_records(t));
            for (unsigned k = CDT_ROW_TICK + 1; k < m->rows; k++)
                document_uint(doc, t->counts[k]);
            stats_row_end(m->s, row);
        }
    stats_table_end(m->s, "%zu of %s, in stored order: records of each type", m->tick_count,
                    ras_counted(m->all_ticks, "tick").text);
}

int cdt_stats(struct ras_trace *t, struct stats *s, struct ras_error *err)
{
    static const char *const entity[] = {"uid", "active"}, *const none[] = {""};
    struct ras_pick picks[CDT_ROWS + 2];
    static const char *const draw[] = {"caller"};
    struct cdt_stats m = {.s = s, .rows = cdt_model_in(t)->row_count};
    size_t count = 0;
    for (unsigned i = 0; i < m.rows; i++) {
        bool pool = pool_of(&m, cdt_rows[i].name);
        picks[count] = (struct ras_pick){cdt_rows[i].name, pool ? entity : none, pool ? 2 : 0};
        if (i == CDT_ROW_RNG)
            picks[count] = (struct ras_pick){cdt_rows[i].name, draw, 1};
        count++;
    }
    picks[count++] = (struct ras_pick){"gap", none, 0};
    const struct ras_scan scan = {.picks = picks, .pick_count = count};
    int status = stats_walk(s, &scan, count_record, &m, err);
    tick_end(&m);
    if (status == RAS_OK) {
        stats_put_channels(&m);
        stats_put_pools(&m);
        stats_put_callers(&m);
        stats_put_ticks(&m);
    }
    tally_free(&m.types);
    tally_free(&m.callers);
    for (int i = 0; i < POOLS; i++) {
        id_table_free(&m.pools[i].uids);
        quantiles_free(&m.pools[i].live);
    }
    free(m.ticks);
    return status;
}
