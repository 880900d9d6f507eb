/* cdt_values.c - typed structs as records and reports: the types of records and their values.
 *
 * A record has its struct's members under the names of the specification; a nested struct is a map.
 * Lists that are record types of their own are left out. */
#include "formats/cdt/cdt_values.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

struct cdt_timer {
    const struct ras_cdt_timer *first, *last;
};

static int by_timer_text(const void *a, const void *b)
{
    const struct cdt_timer *x = a, *y = b;
    const struct ras_bytes *p = &x->first->key, *q = &y->first->key;
    size_t least = p->len < q->len ? p->len : q->len;
    int order = least ? memcmp(p->at, q->at, least) : 0;
    if (order)
        return order;
    if (p->len != q->len)
        return p->len < q->len ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static int by_timer_place(const void *a, const void *b)
{
    const struct cdt_timer *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool is_same_key(const struct cdt_timer *a, const struct cdt_timer *b)
{
    return bytes_same(a->first->key, b->first->key);
}

/* Timers as a dict holds them: of equal keys the last value counts, in the place of the first. The
 * array ends with an entry without `first`; free it. NULL: out of memory. */
static struct cdt_timer *cdt_timers_merge(const struct cdt_list *list)
{
    const struct ras_cdt_timer *item = (const struct ras_cdt_timer *)(const void *)list->at;
    struct cdt_timer *timers = calloc(list->count + 1, sizeof *timers);
    size_t n = 0;
    for (size_t i = 0; timers && i < list->count; i++)
        timers[i] = (struct cdt_timer){&item[i], &item[i]};
    if (timers && list->count)
        qsort(timers, list->count, sizeof *timers, by_timer_text);
    for (size_t i = 0; timers && i < list->count; i++) {
        if (n && is_same_key(&timers[n - 1], &timers[i]))
            timers[n - 1].last = timers[i].last;
        else
            timers[n++] = timers[i];
    }
    if (n)
        qsort(timers, n, sizeof *timers, by_timer_place);
    if (timers)
        timers[n] = (struct cdt_timer){0};
    return timers;
}

#define AT(member) offsetof(struct ras_cdt_tick_record, member)

const struct cdt_row cdt_rows[CDT_ROWS] = {
    [CDT_ROW_TICK] = {"tick", 0, false, 0, NULL},
    [CDT_ROW_CHECKPOINT] = {"checkpoint", AT(channels.checkpoint), false, CDT_ROW_TICK, "channels"},
    [CDT_ROW_PLAYER] = {"player", AT(channels.checkpoint.players), true, CDT_ROW_CHECKPOINT,
                        "players"},
    [CDT_ROW_DEATH] = {"death", AT(channels.checkpoint.deaths), true, CDT_ROW_CHECKPOINT, "deaths"},
    [CDT_ROW_HIT] = {"hit", AT(channels.checkpoint.events.hit_head), true, CDT_ROW_CHECKPOINT,
                     "events"},
    [CDT_ROW_SIM_STATE] = {"sim_state", AT(channels.sim_state), false, CDT_ROW_TICK, "channels"},
    [CDT_ROW_SIM_PLAYER] = {"sim_player", AT(channels.sim_state.players), true, CDT_ROW_SIM_STATE,
                            "players"},
    [CDT_ROW_CREATURE] = {"creature", AT(channels.entity_samples.creatures), true, CDT_ROW_TICK,
                          "channels"},
    [CDT_ROW_PROJECTILE] = {"projectile", AT(channels.entity_samples.projectiles), true,
                            CDT_ROW_TICK, "channels"},
    [CDT_ROW_SECONDARY] = {"secondary_projectile",
                           AT(channels.entity_samples.secondary_projectiles), true, CDT_ROW_TICK,
                           "channels"},
    [CDT_ROW_BONUS] = {"bonus", AT(channels.entity_samples.bonuses), true, CDT_ROW_TICK,
                       "channels"},
    [CDT_ROW_RNG] = {"rng", AT(channels.rng_stream), true, CDT_ROW_TICK, "channels"},
    [CDT_ROW_TIMING] = {"timing", AT(channels.timing_samples), true, CDT_ROW_TICK, "channels"},
    [CDT_ROW_STEP] = {"replay_step", AT(channels.replay_step), false, CDT_ROW_TICK, "channels"},
    [CDT_ROW_INPUT] = {"input", AT(channels.replay_step.inputs), true, CDT_ROW_STEP, "inputs"},
};

const uint8_t *cdt_row_first(const struct cdt_row *row, const struct ras_cdt_tick_record *tick,
                             size_t *count)
{
    const uint8_t *at = (const uint8_t *)tick + row->offset;
    const struct cdt_list *list = (const struct cdt_list *)(const void *)at;
    *count = row->list ? list->count : 1;
    return row->list ? list->at : at;
}

/* Whether a member is a record type of its own and so left out of its owner's values. */
static bool cdt_is_own_record(const struct cdt_field *f)
{
    return f->of && f->of->own;
}

static enum ras_kind kind_of(const struct cdt_field *f)
{
    static const uint8_t kinds[] = {
        [CDT_INT] = RAS_INT,    [CDT_WEAPON] = RAS_INT,     [CDT_FLOAT] = RAS_F64,
        [CDT_BOOL] = RAS_BOOL,  [CDT_STR] = RAS_STR,        [CDT_BIN] = RAS_BLOB,
        [CDT_STRUCT] = RAS_MAP, [CDT_LIST] = RAS_LIST,      [CDT_STRS] = RAS_LIST,
        [CDT_INTS] = RAS_LIST,  [CDT_COUNTS] = RAS_LIST,    [CDT_TIMERS] = RAS_MAP,
        [CDT_FIXED] = RAS_LIST, [CDT_FIXED_POS] = RAS_LIST, [CDT_REAL] = RAS_F64,
        [CDT_RANGE] = RAS_INT,  [CDT_CHAR] = RAS_STR,       [CDT_UNION] = RAS_LIST,
    };
    return kinds[f->type];
}

static void describe_inner(struct cdt_trace *, struct ras_field *, const struct cdt_field *);

/* Units that names do not end with. */
static uint8_t cdt_unit(const char *name)
{
    static const struct {
        const char *name;
        enum ras_unit unit;
    } units[] = {
        {"dt_ms_i32", RAS_UNIT_MS},       {"frame_dt_ms_i32", RAS_UNIT_MS},
        {"frame_dt_ms_f32", RAS_UNIT_MS}, {"bonus_timers", RAS_UNIT_MS},
        {"frame_dt_f32", RAS_UNIT_S},     {"reload_timer", RAS_UNIT_S},
        {"reload_timer_max", RAS_UNIT_S}, {"shot_cooldown", RAS_UNIT_S},
        {"life_timer", RAS_UNIT_S},       {"time_left", RAS_UNIT_S},
        {"time_max", RAS_UNIT_S},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].name, name))
            return (uint8_t)units[i].unit;
    return RAS_UNIT_NONE;
}

static struct ras_field describe(struct cdt_trace *cdt, const struct cdt_field *f)
{
    enum ras_kind kind = kind_of(f);
    struct ras_field field = {f->name, (uint8_t)kind, kind == RAS_INT || kind == RAS_F64 ? 64 : 0,
                              cdt_may_be_nil(f->need) ? RAS_NULLABLE : 0};
    if (!strcmp(f->name, "tick_index"))
        field.flags |= RAS_REPEATS;
    field.unit = cdt_unit(f->name);
    describe_inner(cdt, &field, f);
    return field;
}

/* The members of a struct, in a row of their own; of a list that holds them, too. */
static void describe_members(struct cdt_trace *cdt, struct ras_field *field,
                             const struct cdt_struct *of)
{
    unsigned count = 0;
    for (unsigned i = 0; i < of->count; i++)
        count += !cdt_is_own_record(&of->fields[i]);
    assert(cdt->inner_count + count <= CDT_INNER_FIELDS);
    struct ras_field *inner = &cdt->inner[cdt->inner_count];
    cdt->inner_count += count;
    field->inner = inner;
    field->inner_count = (uint16_t)count;
    for (unsigned i = 0; i < of->count; i++)
        if (!cdt_is_own_record(&of->fields[i]))
            *inner++ = describe(cdt, &of->fields[i]);
}

static void describe_inner(struct cdt_trace *cdt, struct ras_field *field,
                           const struct cdt_field *f)
{
    static const struct ras_field ints = {"", RAS_LIST, .item = RAS_INT, .item_bits = 64};
    static const struct ras_field lists = {"", RAS_LIST, 0, 0, NULL, &ints, 1, RAS_LIST};
    if (f->type == CDT_STRUCT || f->type == CDT_LIST) /* items of a union have keys of their own */
        describe_members(cdt, field, f->of);
    if (f->type == CDT_COUNTS) {
        field->inner = &lists;
        field->inner_count = 1;
    }
    field->item = f->type == CDT_UNION                              ? RAS_NULL
                  : f->type == CDT_LIST                             ? RAS_MAP
                  : f->type == CDT_COUNTS                           ? RAS_LIST
                  : f->type == CDT_STRS                             ? RAS_STR
                  : f->type == CDT_STRUCT || field->kind < RAS_LIST ? RAS_NULL
                                                                    : RAS_INT;
    field->item_bits = field->item == RAS_INT ? 64 : 0;
}

void cdt_schemas_fill(struct cdt_trace *cdt)
{
    const struct cdt_model *model = cdt->meta.model;
    for (unsigned k = 0; k < model->row_count; k++) {
        const struct cdt_row *row = &cdt_rows[k];
        const struct cdt_struct *of = model->rows[k];
        struct cdt_schema *s = &cdt->schemas[k];
        uint16_t n = 0;
        for (unsigned i = 0; i < of->count; i++) {
            if (cdt_is_own_record(&of->fields[i]))
                continue;
            s->fields[n] = describe(cdt, &of->fields[i]);
            s->member[n++] = (uint8_t)i;
        }
        s->schema = (struct ras_schema){row->name, s->fields, n, row->offset ? RAS_CHILD : 0};
    }
}

/* Where the cells of a typed struct go. In a record, texts are borrowed and lists that are records
 * of their own are left out; in a report, texts are copied, nothing is left out, and a map has each
 * key once. */
struct cdt_put {
    struct cells *to;
    struct arena *texts; /* of a report; NULL: a record */
    unsigned field;      /* of a record */
    bool masked;         /* of a report: see cdt_doc_struct() */
};

static void cdt_put_struct(const struct cdt_put *, const struct cdt_struct *, const void *at);

/* ---- cells -------------------------------------------------------------- */

static void put_cell(const struct cdt_put *p, enum ras_kind kind, uint64_t u)
{
    (void)cells_add(p->to, kind, kind == RAS_BOOL ? 0 : 64, p->field, u);
}

static void put_int_cell(const struct cdt_put *p, int64_t value, bool wide)
{
    put_cell(p, wide ? RAS_UINT : RAS_INT, (uint64_t)value);
}

static void put_text_cell(const struct cdt_put *p, enum ras_kind kind, struct ras_bytes b)
{
    cells_text(p->to, p->texts, kind, p->field, b.at, b.len);
}

static void put_ints_cell(const struct cdt_put *p, const struct ras_cdt_int *at, size_t count)
{
    size_t open = cells_open(p->to, RAS_LIST, p->field);
    for (size_t i = 0; i < count; i++)
        put_int_cell(p, at[i].value, at[i].wide);
    cells_close(p->to, open);
}

/* Arrays of arrays, `depth` of them above the arrays of ints. */
static void put_counts_cell(const struct cdt_put *p, const struct cdt_list *list, unsigned depth)
{
    const struct cdt_list *item = (const struct cdt_list *)(const void *)list->at;
    if (!depth) {
        put_ints_cell(p, (const struct ras_cdt_int *)(const void *)list->at, list->count);
        return;
    }
    size_t open = cells_open(p->to, RAS_LIST, p->field);
    for (size_t i = 0; i < list->count; i++)
        put_counts_cell(p, &item[i], depth - 1);
    cells_close(p->to, open);
}

static void put_timers_cell(const struct cdt_put *p, const struct cdt_list *list)
{
    const struct ras_cdt_timer *item = (const struct ras_cdt_timer *)(const void *)list->at;
    struct cdt_timer *dict = p->texts ? cdt_timers_merge(list) : NULL;
    size_t open = cells_open(p->to, RAS_MAP, p->field);
    p->to->nomem |= p->texts && !dict;
    for (size_t i = 0; i < list->count && (!dict || dict[i].first); i++) {
        const struct ras_cdt_timer *last = dict ? dict[i].last : &item[i];
        put_text_cell(p, RAS_STR, last->key);
        put_int_cell(p, last->value.value, last->value.wide);
    }
    free(dict);
    cells_close(p->to, open);
}

static void put_strs_cell(const struct cdt_put *p, const struct cdt_list *list)
{
    const struct ras_bytes *item = (const struct ras_bytes *)(const void *)list->at;
    size_t open = cells_open(p->to, RAS_LIST, p->field);
    for (size_t i = 0; i < list->count; i++)
        put_text_cell(p, RAS_STR, item[i]);
    cells_close(p->to, open);
}

static void cdt_put_list(const struct cdt_put *p, const struct cdt_struct *of, struct cdt_list list)
{
    size_t open = cells_open(p->to, RAS_LIST, p->field);
    for (size_t i = 0; i < list.count; i++)
        cdt_put_struct(p, of, list.at + i * of->size);
    cells_close(p->to, open);
}

/* One member; `node` is that of its struct, NULL for a plain struct. */
static void cdt_put_member(const struct cdt_put *p, const struct cdt_field *f, unsigned member,
                           const struct ras_cdt_node *node, const void *v)
{
    const unsigned bit = cdt_bit(f, member);
    if (cdt_may_be_nil(f->need) && node && !(node->present >> bit & 1)) {
        put_cell(p, RAS_NULL, 0);
        return;
    }
    switch (f->type) {
    case CDT_INT:
    case CDT_WEAPON:
    case CDT_RANGE:
        put_int_cell(p, *(const int64_t *)v, node && node->wide >> bit & 1);
        return;
    case CDT_FLOAT:
    case CDT_REAL:
        put_cell(p, RAS_F64, *(const uint64_t *)v);
        return;
    case CDT_BOOL:
        put_cell(p, RAS_BOOL, *(const bool *)v);
        return;
    case CDT_STR:
    case CDT_CHAR:
        put_text_cell(p, RAS_STR, *(const struct ras_bytes *)v);
        return;
    case CDT_BIN:
        put_text_cell(p, p->texts ? RAS_STR : RAS_BLOB, *(const struct ras_bytes *)v);
        return;
    case CDT_STRUCT:
        cdt_put_struct(p, f->of, v);
        return;
    case CDT_LIST:
    case CDT_UNION:
        cdt_put_list(p, f->of, *(const struct cdt_list *)v);
        return;
    case CDT_STRS:
        put_strs_cell(p, v);
        return;
    case CDT_COUNTS:
        put_counts_cell(p, v, 2);
        return;
    case CDT_INTS:
        put_counts_cell(p, v, 0);
        return;
    case CDT_TIMERS:
        put_timers_cell(p, v);
        return;
    default:
        put_ints_cell(p, v, f->fixed);
    }
}

static bool is_masked(const struct cdt_struct *s, const struct cdt_field *f)
{
    if (f->of == &cdt_replay_hit_summary_entry) /* of container 1: the other has no masks */
        return true;
    return s == &cdt_replay_death_ledger_entry &&
           (!strcmp(f->name, "reward_value") || !strcmp(f->name, "xp_awarded") ||
            !strcmp(f->name, "owner_id"));
}

static void cdt_put_members(const struct cdt_put *p, const struct cdt_struct *s, const void *at)
{
    const struct ras_cdt_node *node = s->plain ? NULL : at;
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (p->texts ? p->masked && is_masked(s, f) : cdt_is_own_record(f))
            continue;
        cells_text(p->to, NULL, RAS_STR, p->field, f->name, f->head & 31u);
        cdt_put_member(p, f, i, node, (const uint8_t *)at + f->offset);
    }
}

static void cdt_put_struct(const struct cdt_put *p, const struct cdt_struct *s, const void *at)
{
    size_t open = cells_open(p->to, RAS_MAP, p->field);
    cdt_put_members(p, s->variants ? cdt_variant(s, at) : s, at);
    cells_close(p->to, open);
}

bool cdt_values_put(struct cells *cells, const struct view *view, const struct cdt_schema *s,
                    const struct cdt_struct *of, const uint8_t *at)
{
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)at;
    struct cdt_put p = {.to = cells};
    for (; p.field < s->schema.field_count; p.field++) {
        const struct cdt_field *f = &of->fields[s->member[p.field]];
        if (view_has(view, p.field))
            cdt_put_member(&p, f, s->member[p.field], node, at + f->offset);
    }
    return !cells->nomem;
}

/* ---- reports ------------------------------------------------------------- */

static struct cdt_put put_to(struct document *d, bool masked)
{
    return (struct cdt_put){.to = &d->cells, .texts = &d->texts, .masked = masked};
}

void cdt_doc_struct(struct document *d, const struct cdt_struct *s, const void *at, bool masked)
{
    const struct cdt_put p = put_to(d, masked);
    cdt_put_struct(&p, s, at);
}

void cdt_doc_members(struct document *d, const struct cdt_struct *s, const void *at, bool masked)
{
    const struct cdt_put p = put_to(d, masked);
    cdt_put_members(&p, s, at);
}

void cdt_doc_member(struct document *d, const struct cdt_field *f, const void *at,
                    const struct ras_cdt_node *node, unsigned index, bool masked)
{
    const struct cdt_put p = put_to(d, masked);
    cdt_put_member(&p, f, index, node, at);
}

void cdt_doc_list(struct document *d, const struct cdt_struct *of, struct cdt_list list,
                  bool masked)
{
    const struct cdt_put p = put_to(d, masked);
    cdt_put_list(&p, of, list);
}

void cdt_doc_tick(struct document *d, const struct ras_cdt_tick_record *t)
{
    cdt_doc_member(d, &cdt_tick_record.fields[0], &t->tick_index, &t->node, 0, false);
}
