/* cdt_values.c - typed structs as records: which types there are, and their values.
 *
 * A record has its struct's members under the specification's names; a nested
 * struct is a map. Lists that are record types of their own are left out. */
#include "formats/cdt/cdt_driver.h"

#include <stddef.h>

/* What lists look like, whatever they hold. */
struct list {
    const uint8_t *at;
    size_t count;
};

#define AT(member) offsetof(struct ras_cdt_tick_record, member)

const struct cdt_row cdt_rows[CDT_ROWS] = {
    [CDT_ROW_TICK] = {"tick", &cdt_tick_record, 0, false, 0, NULL},
    [CDT_ROW_CHECKPOINT] = {"checkpoint", &cdt_replay_checkpoint, AT(channels.checkpoint), false,
                            CDT_ROW_TICK, "channels"},
    {"player", &cdt_replay_player_checkpoint, AT(channels.checkpoint.players), true,
     CDT_ROW_CHECKPOINT, "players"},
    {"death", &cdt_replay_death_ledger_entry, AT(channels.checkpoint.deaths), true,
     CDT_ROW_CHECKPOINT, "deaths"},
    {"hit", &cdt_replay_hit_summary_entry, AT(channels.checkpoint.events.hit_head), true,
     CDT_ROW_CHECKPOINT, "events"},
    [CDT_ROW_SIM_STATE] = {"sim_state", &cdt_sim_state_snapshot, AT(channels.sim_state), false,
                           CDT_ROW_TICK, "channels"},
    {"sim_player", &cdt_snapshot_player, AT(channels.sim_state.players), true, CDT_ROW_SIM_STATE,
     "players"},
    {"creature", &cdt_creature_entity_sample, AT(channels.entity_samples.creatures), true,
     CDT_ROW_TICK, "channels"},
    {"projectile", &cdt_projectile_entity_sample, AT(channels.entity_samples.projectiles), true,
     CDT_ROW_TICK, "channels"},
    {"secondary_projectile", &cdt_secondary_projectile_entity_sample,
     AT(channels.entity_samples.secondary_projectiles), true, CDT_ROW_TICK, "channels"},
    {"bonus", &cdt_bonus_entity_sample, AT(channels.entity_samples.bonuses), true, CDT_ROW_TICK,
     "channels"},
    {"rng", &cdt_rng_stream_row, AT(channels.rng_stream), true, CDT_ROW_TICK, "channels"},
    [CDT_ROW_TIMING] = {"timing", &cdt_timing_sample_row, AT(channels.timing_samples), true,
                        CDT_ROW_TICK, "channels"},
};

const uint8_t *cdt_row_first(const struct cdt_row *row, const struct ras_cdt_tick_record *tick,
                             size_t *count)
{
    const uint8_t *at = (const uint8_t *)tick + row->offset;
    const struct list *list = (const struct list *)(const void *)at;
    *count = row->list ? list->count : 1;
    return row->list ? list->at : at;
}

bool cdt_told_apart(const struct cdt_field *f)
{
    if (f->of == &cdt_replay_tick_channels)
        return true;
    for (int i = 0; f->type == CDT_LIST && i < CDT_ROWS; i++)
        if (cdt_rows[i].list && cdt_rows[i].of == f->of)
            return true;
    return false;
}

static enum ras_kind kind_of(const struct cdt_field *f)
{
    static const uint8_t kinds[] = {
        [CDT_INT] = RAS_INT,    [CDT_WEAPON] = RAS_INT,     [CDT_FLOAT] = RAS_F64,
        [CDT_BOOL] = RAS_BOOL,  [CDT_STR] = RAS_STR,        [CDT_BIN] = RAS_BLOB,
        [CDT_STRUCT] = RAS_MAP, [CDT_LIST] = RAS_LIST,      [CDT_STRS] = RAS_LIST,
        [CDT_INTS] = RAS_LIST,  [CDT_COUNTS] = RAS_LIST,    [CDT_TIMERS] = RAS_MAP,
        [CDT_FIXED] = RAS_LIST, [CDT_FIXED_POS] = RAS_LIST,
    };
    return kinds[f->type];
}

void cdt_schema_fill(struct cdt_schema *s, const struct cdt_row *row)
{
    uint16_t n = 0;
    for (unsigned i = 0; i < row->of->count; i++) {
        const struct cdt_field *f = &row->of->fields[i];
        if (cdt_told_apart(f))
            continue;
        enum ras_kind kind = kind_of(f);
        s->fields[n] =
            (struct ras_field){f->name, (uint8_t)kind, kind == RAS_INT || kind == RAS_F64 ? 64 : 0,
                               f->need == CDT_NULLABLE ? RAS_NULLABLE : 0};
        s->member[n++] = (uint8_t)i;
    }
    s->schema = (struct ras_schema){row->name, s->fields, n, row->offset ? RAS_CHILD : 0};
}

/* ---- cells -------------------------------------------------------------- */

static bool put(struct ras_cursor *c, unsigned field, enum ras_kind kind, uint64_t u)
{
    if (!cells_room(&c->values, 1))
        return false;
    value_put(&c->values, kind, kind == RAS_BOOL ? 0 : 64, field, 0, u);
    return true;
}

static bool put_int(struct ras_cursor *c, unsigned field, int64_t value, bool wide)
{
    return put(c, field, wide ? RAS_UINT : RAS_INT, (uint64_t)value);
}

static bool put_span(struct ras_cursor *c, unsigned field, enum ras_kind kind, struct ras_bytes b)
{
    if (!cells_room(&c->values, 1))
        return false;
    value_span(&c->values, kind, field, b.at, b.len);
    return true;
}

/* Open a container; its cell is closed with value_close(). */
static bool put_open(struct ras_cursor *c, unsigned field, enum ras_kind kind, size_t *cell)
{
    *cell = c->values.count;
    return put(c, field, kind, 0);
}

static bool put_struct(struct ras_cursor *c, unsigned field, const struct cdt_struct *s,
                       const uint8_t *at);

static bool put_ints(struct ras_cursor *c, unsigned field, const struct ras_cdt_int *at,
                     size_t count)
{
    size_t cell;
    bool ok = put_open(c, field, RAS_LIST, &cell);
    for (size_t i = 0; ok && i < count; i++)
        ok = put_int(c, field, at[i].value, at[i].wide);
    if (ok)
        value_close(&c->values, cell);
    return ok;
}

static bool put_counts(struct ras_cursor *c, unsigned field, const struct list *list,
                       unsigned depth)
{
    size_t cell;
    const struct list *item = (const struct list *)(const void *)list->at;
    if (!depth)
        return put_ints(c, field, (const struct ras_cdt_int *)(const void *)list->at, list->count);
    bool ok = put_open(c, field, RAS_LIST, &cell);
    for (size_t i = 0; ok && i < list->count; i++)
        ok = put_counts(c, field, &item[i], depth - 1);
    if (ok)
        value_close(&c->values, cell);
    return ok;
}

static bool put_timers(struct ras_cursor *c, unsigned field, const struct list *list)
{
    size_t cell;
    const struct ras_cdt_timer *item = (const struct ras_cdt_timer *)(const void *)list->at;
    bool ok = put_open(c, field, RAS_MAP, &cell);
    for (size_t i = 0; ok && i < list->count; i++)
        ok = put_span(c, field, RAS_STR, item[i].key) &&
             put_int(c, field, item[i].value.value, item[i].value.wide);
    if (ok)
        value_close(&c->values, cell);
    return ok;
}

static bool put_list(struct ras_cursor *c, unsigned field, const struct cdt_field *f,
                     const struct list *list)
{
    size_t cell;
    bool ok = put_open(c, field, RAS_LIST, &cell);
    for (size_t i = 0; ok && i < list->count; i++)
        ok = f->type == CDT_LIST ? put_struct(c, field, f->of, list->at + i * f->of->size)
                                 : put_span(c, field, RAS_STR,
                                            ((const struct ras_bytes *)(const void *)list->at)[i]);
    if (ok)
        value_close(&c->values, cell);
    return ok;
}

/* One member. `node` is its struct's, NULL for a struct without one. */
static bool put_member(struct ras_cursor *c, unsigned field, const struct cdt_field *f,
                       unsigned member, const struct ras_cdt_node *node, const uint8_t *at)
{
    const void *v = at;
    if (f->need == CDT_NULLABLE && !(node->present >> member & 1))
        return put(c, field, RAS_NULL, 0);
    switch (f->type) {
    case CDT_INT:
    case CDT_WEAPON:
        return put_int(c, field, *(const int64_t *)v, node->wide >> member & 1);
    case CDT_FLOAT:
        return put(c, field, RAS_F64, *(const uint64_t *)v);
    case CDT_BOOL:
        return put(c, field, RAS_BOOL, *(const bool *)v);
    case CDT_STR:
        return put_span(c, field, RAS_STR, *(const struct ras_bytes *)v);
    case CDT_BIN:
        return put_span(c, field, RAS_BLOB, *(const struct ras_bytes *)v);
    case CDT_STRUCT:
        return put_struct(c, field, f->of, at);
    case CDT_COUNTS:
        return put_counts(c, field, v, 2);
    case CDT_INTS:
        return put_counts(c, field, v, 0);
    case CDT_TIMERS:
        return put_timers(c, field, v);
    case CDT_LIST:
    case CDT_STRS:
        return put_list(c, field, f, v);
    default:
        return put_ints(c, field, v, f->fixed);
    }
}

/* A nested struct: a map of its members. */
static bool put_struct(struct ras_cursor *c, unsigned field, const struct cdt_struct *s,
                       const uint8_t *at)
{
    const struct ras_cdt_node *node =
        s->plain ? NULL : (const struct ras_cdt_node *)(const void *)at;
    size_t cell;
    bool ok = put_open(c, field, RAS_MAP, &cell);
    for (unsigned i = 0; ok && i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (!cdt_told_apart(f))
            ok = put_span(c, field, RAS_STR,
                          (struct ras_bytes){(const uint8_t *)f->name, f->head & 31u}) &&
                 put_member(c, field, f, i, node, at + f->offset);
    }
    if (ok)
        value_close(&c->values, cell);
    return ok;
}

bool cdt_values_put(struct ras_cursor *c, const struct view *view, const struct cdt_schema *s,
                    const struct cdt_row *row, const uint8_t *at)
{
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)at;
    bool ok = true;
    for (unsigned i = 0; ok && i < s->schema.field_count; i++) {
        const struct cdt_field *f = &row->of->fields[s->member[i]];
        if (view_has(view, i))
            ok = put_member(c, i, f, s->member[i], node, at + f->offset);
    }
    return ok;
}
