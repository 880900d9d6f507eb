/* cdt_differ.c - two ticks, channel by channel: what differs, as the reference tool reports it. */
#include "base/memory.h"
#include "codec/json_python.h"
#include "formats/cdt/cdt_compare.h"
#include "formats/cdt/cdt_values.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- structs compared by their tables ---------------------------------------------------- */

static bool cdt_equal(const struct cdt_struct *s, const void *a, const void *b);

static bool texts_equal(const struct ras_bytes *a, const struct ras_bytes *b)
{
    return a->len == b->len && (!a->len || !memcmp(a->at, b->at, a->len));
}

static bool ints_equal(const struct ras_cdt_int *a, const struct ras_cdt_int *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].value != b[i].value || a[i].wide != b[i].wide)
            return false;
    return true;
}

static bool counts_equal(const struct cdt_list *a, const struct cdt_list *b, unsigned depth)
{
    if (a->count != b->count)
        return false;
    if (!depth)
        return ints_equal((const void *)a->at, (const void *)b->at, a->count);
    const struct cdt_list *x = (const void *)a->at, *y = (const void *)b->at;
    for (size_t i = 0; i < a->count; i++)
        if (!counts_equal(&x[i], &y[i], depth - 1))
            return false;
    return true;
}

static bool strs_equal(const struct cdt_list *a, const struct cdt_list *b)
{
    const struct ras_bytes *x = (const void *)a->at, *y = (const void *)b->at;
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!texts_equal(&x[i], &y[i]))
            return false;
    return true;
}

static bool timers_equal(const struct cdt_list *a, const struct cdt_list *b)
{
    const struct ras_cdt_timer *x = (const void *)a->at, *y = (const void *)b->at;
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!texts_equal(&x[i].key, &y[i].key) || !ints_equal(&x[i].value, &y[i].value, 1))
            return false;
    return true;
}

static bool cdt_lists_equal(const struct cdt_struct *of, struct cdt_list a, struct cdt_list b)
{
    if (a.count != b.count)
        return false;
    for (size_t i = 0; i < a.count; i++)
        if (!cdt_equal(of, a.at + i * of->size, b.at + i * of->size))
            return false;
    return true;
}

static bool members_equal(const struct cdt_field *f, const void *a, const void *b)
{
    switch (f->type) {
    case CDT_REAL:
        return (float)*(const double *)a == (float)*(const double *)b &&
               signbit(*(const double *)a) == signbit(*(const double *)b);
    case CDT_FLOAT:
        return *(const double *)a == *(const double *)b;
    case CDT_BOOL:
        return *(const bool *)a == *(const bool *)b;
    case CDT_STR:
    case CDT_CHAR:
    case CDT_BIN:
        return texts_equal(a, b);
    case CDT_STRUCT:
        return cdt_equal(f->of, a, b);
    case CDT_LIST:
    case CDT_UNION:
        return cdt_lists_equal(f->of, *(const struct cdt_list *)a, *(const struct cdt_list *)b);
    case CDT_STRS:
        return strs_equal(a, b);
    case CDT_INTS:
        return counts_equal(a, b, 0);
    case CDT_COUNTS:
        return counts_equal(a, b, 2);
    case CDT_TIMERS:
        return timers_equal(a, b);
    case CDT_FIXED:
    case CDT_FIXED_POS:
        return ints_equal(a, b, f->fixed);
    default:
        return *(const int64_t *)a == *(const int64_t *)b;
    }
}

/* Bits of the members that may be nil. */
static uint32_t nullable(const struct cdt_struct *s)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (cdt_may_be_nil(s->fields[i].need))
            bits |= UINT32_C(1) << cdt_bit(&s->fields[i], i);
    return bits;
}

/* Whether two structs hold the same values. Floats are compared by value: NaN differs from itself,
 * 0.0 equals -0.0; in container 2 by the bits of float32. Timers are compared in their order: two
 * that differ may still be the same map. */
static bool cdt_equal(const struct cdt_struct *s, const void *a, const void *b)
{
    const struct ras_cdt_node *x = a, *y = b;
    uint32_t nil = 0;
    if (s->variants) {
        const struct cdt_struct *other = cdt_variant(s, b);
        s = cdt_variant(s, a);
        if (s != other)
            return false;
    }
    if (!s->plain) {
        nil = ~x->present & nullable(s);
        if (x->wide != y->wide || nil != (~y->present & nullable(s)))
            return false;
    }
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        if (!(nil >> cdt_bit(f, i) & 1) &&
            !members_equal(f, (const uint8_t *)a + f->offset, (const uint8_t *)b + f->offset))
            return false;
    }
    return true;
}

/* ---- entities of two ticks, matched by uid ----------------------------------------------- */

#define AT(name) offsetof(struct ras_cdt_entity_samples_snapshot, name)
const struct cdt_pool cdt_pools[CDT_POOLS] = {
    {"creatures", "creature", AT(creatures)},
    {"projectiles", "projectile", AT(projectiles)},
    {"secondary_projectiles", "secondary_projectile", AT(secondary_projectiles)},
    {"bonuses", "bonus", AT(bonuses)},
};

/* Rows of all pools start with the same members: a node, then the uid. */
struct row_head {
    struct ras_cdt_node node;
    int64_t uid;
};
_Static_assert(
    offsetof(struct ras_cdt_creature_entity_sample, uid) == offsetof(struct row_head, uid) &&
        offsetof(struct ras_cdt_projectile_entity_sample, uid) == offsetof(struct row_head, uid) &&
        offsetof(struct ras_cdt_secondary_projectile_entity_sample, uid) ==
            offsetof(struct row_head, uid) &&
        offsetof(struct ras_cdt_bonus_entity_sample, uid) == offsetof(struct row_head, uid),
    "spec: uid is the first member of every entity sample");

int cdt_uid_order(const struct ras_cdt_int *a, const struct ras_cdt_int *b)
{
    if (a->wide != b->wide)
        return a->wide ? 1 : -1;
    if (a->wide)
        return (uint64_t)a->value < (uint64_t)b->value ? -1 : a->value != b->value;
    return a->value < b->value ? -1 : a->value > b->value;
}

static int by_uid(const void *a, const void *b)
{
    const struct cdt_uid *x = a, *y = b;
    int order = cdt_uid_order(&x->uid, &y->uid);
    return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

struct ras_cdt_int cdt_uid_of(const void *row)
{
    const struct row_head *head = row;
    return (struct ras_cdt_int){head->uid, head->node.wide & 1};
}

void cdt_find_uids(struct cdt_diff *c, int side, int pool, struct cdt_list rows)
{
    const size_t size = cdt_pool_of(c->model, pool)->size;
    struct cdt_uids *u = &c->uids[side];
    u->count = u->row_count = 0;
    if (!array_grow(&u->at, &u->room, rows.count, sizeof *u->at) ||
        !array_grow(&u->rows, &u->row_room, rows.count, sizeof *u->rows)) {
        c->doc->cells.nomem = true;
        return;
    }
    for (size_t i = 0; i < rows.count; i++)
        u->at[i] = u->rows[i] = (struct cdt_uid){cdt_uid_of(rows.at + i * size), i, false};
    u->row_count = rows.count;
    if (rows.count)
        qsort(u->at, rows.count, sizeof *u->at, by_uid);
    for (size_t i = 0; i < rows.count; i++) {
        bool again = u->count && !cdt_uid_order(&u->at[u->count - 1].uid, &u->at[i].uid);
        u->rows[u->at[i].row].again = again;
        u->at[again ? u->count - 1 : u->count++] = u->at[i]; /* the last row wins */
    }
}

static void put_uid(struct document *d, struct ras_cdt_int uid)
{
    if (uid.wide)
        document_uint(d, (uint64_t)uid.value);
    else
        document_int(d, uid.value);
}

void cdt_doc_missing_uids(struct document *d, const struct cdt_uids *of,
                          const struct cdt_uids *other)
{
    size_t list = document_open(d, RAS_LIST);
    for (size_t i = 0, k = 0; i < of->count; i++) {
        while (k < other->count && cdt_uid_order(&other->at[k].uid, &of->at[i].uid) < 0)
            k++;
        if (k < other->count && !cdt_uid_order(&other->at[k].uid, &of->at[i].uid))
            continue;
        put_uid(d, of->at[i].uid);
    }
    document_close(d, list);
}

/* ---- draws of the random number generator ------------------------------------------------ */

static bool is_ignored(const struct cdt_diff *c, size_t row, const char *field)
{
    char path[64];
    if (!c->options || !c->options->ignored_count)
        return false;
    snprintf(path, sizeof path, "rng_stream[%zu].%s", row, field);
    return compare_ignores(c->options, path);
}

static bool is_near(const struct cdt_diff *c, size_t row, const char *field, int64_t a, int64_t b)
{
    char path[64];
    if (!c->options || !c->options->tolerance_count)
        return false;
    snprintf(path, sizeof path, "rng_stream[%zu].%s", row, field);
    return compare_near(c->options, path, (double)a, (double)b);
}

/* The same draw: all five fields are equal, or left out of the comparison. */
static bool rows_equal(const struct cdt_diff *c, size_t i, const struct ras_cdt_rng_stream_row *a,
                       const struct ras_cdt_rng_stream_row *b)
{
    if (cdt_equal(&cdt_rng_stream_row, a, b))
        return true;
    if (!c->options || (!c->options->ignored_count && !c->options->tolerance_count))
        return false;
    const struct cdt_struct *of = c->model->rows[CDT_ROW_RNG];
    for (unsigned k = 0; k < of->count; k++) {
        const struct cdt_field *f = &of->fields[k];
        int64_t x, y;
        memcpy(&x, (const uint8_t *)a + f->offset, sizeof x);
        memcpy(&y, (const uint8_t *)b + f->offset, sizeof y);
        bool nil_x = cdt_may_be_nil(f->need) && !ras_cdt_has(&a->node, k);
        bool nil_y = cdt_may_be_nil(f->need) && !ras_cdt_has(&b->node, k);
        bool equal = nil_x == nil_y && x == y && !((a->node.wide ^ b->node.wide) >> k & 1);
        if (!equal && !is_ignored(c, i, f->name) &&
            (nil_x || nil_y || !is_near(c, i, f->name, x, y)))
            return false;
    }
    return true;
}

void cdt_doc_draw(struct document *d, const struct cdt_model *model, const char *key,
                  const struct ras_cdt_rng_stream_row *row)
{
    size_t map = document_put_open(d, key, RAS_MAP);
    cdt_doc_members(d, model->rows[CDT_ROW_RNG], row, false);
    document_name(d, "caller_hex");
    if (!ras_cdt_has(&row->node, RAS_CDT_RNG_CALLER))
        document_null(d);
    else if (row->caller < 0 && !(row->node.wide >> RAS_CDT_RNG_CALLER & 1))
        document_format(d, "0x-%07" PRIx64, -(uint64_t)row->caller); /* as Python pads it */
    else
        document_format(d, "0x%08" PRIx64, (uint64_t)row->caller);
    document_close(d, map);
}

bool cdt_differ_rng(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                    const struct ras_cdt_tick_record *b)
{
    const struct ras_cdt_rng_stream_row *x = a->channels.rng_stream.at;
    const struct ras_cdt_rng_stream_row *y = b->channels.rng_stream.at;
    size_t n = a->channels.rng_stream.count, m = b->channels.rng_stream.count, same = 0;
    struct document *d = c->doc;
    while (same < n && same < m && rows_equal(c, same, &x[same], &y[same]))
        same++;
    if ((same == n && same == m) || compare_ignores(c->options, "rng_stream"))
        return false;
    size_t map = document_open(d, RAS_MAP);
    document_put_uint(d, "prefix_match_len", same);
    document_put_uint(d, "expected_calls", n);
    document_put_uint(d, "actual_calls", m);
    document_put_uint(d, "missing_tail", n > m ? n - m : 0);
    document_put_uint(d, "extra_tail", m > n ? m - n : 0);
    c->amount += (n > m ? n : m) - same;
    if (same < n)
        cdt_doc_draw(d, c->model, "expected_first_mismatch", &x[same]);
    if (same < m)
        cdt_doc_draw(d, c->model, "actual_first_mismatch", &y[same]);
    document_close(d, map);
    return true;
}

const char *const cdt_channels[] = {"checkpoint",     "rng_stream",  "sim_state", "entity_samples",
                                    "timing_samples", "replay_step", NULL};

void cdt_diff_free(struct cdt_diff *c)
{
    for (int i = 0; i < 2; i++) {
        document_free(&c->sides[i]);
        free(c->uids[i].at);
        free(c->uids[i].rows);
    }
}

bool cdt_masks(const struct cdt_side *a, const struct cdt_side *b)
{
    static const char original[] = "frida_original";
    for (int i = 0; i < 2; i++) {
        const struct ras_bytes *impl = &(i ? b : a)->meta->producer.impl;
        if (impl->len == sizeof original - 1 && !memcmp(impl->at, original, impl->len))
            return true;
    }
    return false;
}

/* ---- field by field ---------------------------------------------------------- */

/* Puts a struct of each side into the side's document. */
static void fill_sides(struct cdt_diff *c, const struct cdt_struct *s, const void *a, const void *b,
                       bool masked)
{
    for (int i = 0; i < 2; i++) {
        document_cut(&c->sides[i], 0);
        arena_reset(&c->sides[i].texts);
        cdt_doc_struct(&c->sides[i], s, i ? b : a, masked);
    }
}

/* The struct of an operation: the only maps of which one place may have several types. */
static const char *operation_class(const struct ras_value *map)
{
    const struct ras_value *type = map_find(map, "type");
    return type && type->kind == RAS_STR
               ? cdt_operation_name((struct ras_bytes){type->at, type->count})
               : NULL;
}

/* Adds a list of rows, one for each difference between the two sides. */
static size_t put_rows(struct cdt_diff *c, const char *alias, const char *root, unsigned how)
{
    size_t list = document_open(c->doc, RAS_LIST), rows = 0;
    if (c->sides[0].cells.nomem || c->sides[1].cells.nomem)
        c->doc->cells.nomem = true;
    else
        rows = fields_compare_typed(c->doc, c->options, alias, root, c->sides[0].cells.items,
                                    c->sides[1].cells.items,
                                    how | (c->model->container == 2 ? FIELDS_F32 : 0),
                                    c->model->container == 2 ? operation_class : NULL);
    document_close(c->doc, list);
    return rows;
}

/* A row has a path; the rows of a checkpoint are in a map of their own, its paths are sorted and
 * do not begin with the channel. */
enum typed_form { TYPED_CHANNEL, TYPED_ROW, TYPED_CHECKPOINT };

/* Adds {"diff_count", "mismatches", "pretty"}. */
static bool put_typed(struct cdt_diff *c, const char *root, enum typed_form form)
{
    struct document *d = c->doc;
    bool wrapped = form == TYPED_CHECKPOINT;
    size_t map = document_open(d, RAS_MAP), payload = 0;
    if (form == TYPED_ROW)
        document_put_text(d, "path", root);
    document_name(d, "diff_count");
    size_t count = d->cells.count;
    document_uint(d, 0);
    if (wrapped)
        payload = document_put_open(d, "payload", RAS_MAP);
    document_name(d, "mismatches");
    size_t list = d->cells.count;
    size_t rows = put_rows(c, wrapped ? "checkpoint" : NULL, root, wrapped ? FIELDS_SORTED : 0);
    if (!rows) {
        document_cut(d, map);
        return false;
    }
    if (wrapped)
        document_close(d, payload);
    document_set_uint(d, count, rows);
    c->amount++;
    if (!c->brief) {
        document_name(d, "pretty");
        document_json(d, wrapped ? payload : list, JSON_SORTED | JSON_INDENTED);
    }
    document_close(d, map);
    return true;
}

bool cdt_differ_checkpoint(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                           const struct ras_cdt_tick_record *b)
{
    const void *x = &a->channels.checkpoint, *y = &b->channels.checkpoint;
    const struct cdt_struct *of = c->model->rows[CDT_ROW_CHECKPOINT];
    if (cdt_equal(of, x, y))
        return false;
    fill_sides(c, of, x, y, c->masked);
    return put_typed(c, "", TYPED_CHECKPOINT);
}

/* A channel that is one struct. */
static bool differ_struct(struct cdt_diff *c, const char *name, unsigned row, const void *x,
                          const void *y)
{
    const struct cdt_struct *of = c->model->rows[row];
    if (cdt_equal(of, x, y))
        return false;
    fill_sides(c, of, x, y, false);
    return put_typed(c, name, TYPED_CHANNEL);
}

bool cdt_differ_sim(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                    const struct ras_cdt_tick_record *b)
{
    return differ_struct(c, "sim_state", CDT_ROW_SIM_STATE, &a->channels.sim_state,
                         &b->channels.sim_state);
}

bool cdt_differ_step(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                     const struct ras_cdt_tick_record *b)
{
    return differ_struct(c, "replay_step", CDT_ROW_STEP, &a->channels.replay_step,
                         &b->channels.replay_step);
}

bool cdt_differ_timing(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                       const struct ras_cdt_tick_record *b)
{
    const struct cdt_struct *of = c->model->rows[CDT_ROW_TIMING];
    struct cdt_list sides[2];
    memcpy(&sides[0], &a->channels.timing_samples, sizeof sides[0]);
    memcpy(&sides[1], &b->channels.timing_samples, sizeof sides[1]);
    if (cdt_lists_equal(of, sides[0], sides[1]))
        return false;
    for (int i = 0; i < 2; i++) {
        document_cut(&c->sides[i], 0);
        arena_reset(&c->sides[i].texts);
        cdt_doc_list(&c->sides[i], of, sides[i], false);
    }
    return put_typed(c, "timing_samples", TYPED_CHANNEL);
}

/* ---- entities ---------------------------------------------------------------- */

/* `vel` and `move_speed` were added later: nil on one side is not a difference. */
static void level(struct ras_cdt_creature_entity_sample *x,
                  struct ras_cdt_creature_entity_sample *y)
{
    const uint32_t late = UINT32_C(1) << RAS_CDT_CREATURE_VEL | UINT32_C(1)
                                                                    << RAS_CDT_CREATURE_MOVE_SPEED;
    uint32_t both = x->node.present & y->node.present;
    x->node.present = (x->node.present & ~late) | (both & late);
    y->node.present = (y->node.present & ~late) | (both & late);
}

static bool differ_rows(struct cdt_diff *c, int pool, const void *a, const void *b,
                        struct ras_cdt_int uid)
{
    const struct cdt_struct *of = cdt_pool_of(c->model, pool);
    struct ras_cdt_creature_entity_sample x, y;
    char root[96];
    if (of == &cdt_creature_entity_sample) { /* of container 1 */
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        level(&x, &y);
        a = &x;
        b = &y;
    }
    if (cdt_equal(of, a, b))
        return false;
    snprintf(root, sizeof root,
             uid.wide ? "entity_samples.%s[uid=%" PRIu64 "]" : "entity_samples.%s[uid=%" PRId64 "]",
             cdt_pools[pool].name, uid.value);
    fill_sides(c, of, a, b, false);
    return put_typed(c, root, TYPED_ROW);
}

static void put_pair_key(struct document *d, const char *pool, const char *what)
{
    document_format(d, "%s_%s", pool, what);
}

static void put_pool_counts(struct document *d, const struct cdt_pool *pool, size_t a, size_t b)
{
    put_pair_key(d, pool->name, "count");
    size_t map = document_open(d, RAS_MAP);
    document_put_uint(d, "expected", a);
    document_put_uint(d, "actual", b);
    document_close(d, map);
}

static bool has_again(const struct cdt_uids *u)
{
    return u->count != u->row_count;
}

static void put_again(struct document *d, const struct cdt_uids *u)
{
    size_t list = document_open(d, RAS_LIST);
    for (size_t i = 0; i < u->row_count; i++)
        if (u->rows[i].again)
            put_uid(d, u->rows[i].uid);
    document_close(d, list);
}

/* Adds what the uids of a pool show; the maps are members of the detail. */
static void put_uids(struct cdt_diff *c, const struct cdt_pool *pool)
{
    struct document *d = c->doc;
    if (has_again(&c->uids[0]) || has_again(&c->uids[1])) {
        put_pair_key(d, pool->name, "duplicate_uids");
        size_t map = document_open(d, RAS_MAP);
        document_name(d, "expected");
        put_again(d, &c->uids[0]);
        document_name(d, "actual");
        put_again(d, &c->uids[1]);
        document_close(d, map);
    }
    size_t start = d->cells.count;
    put_pair_key(d, pool->name, "uids");
    size_t map = document_open(d, RAS_MAP);
    document_name(d, "missing");
    size_t first = d->cells.count;
    cdt_doc_missing_uids(d, &c->uids[0], &c->uids[1]);
    document_name(d, "extra");
    size_t second = d->cells.count;
    cdt_doc_missing_uids(d, &c->uids[1], &c->uids[0]);
    document_close(d, map);
    if (d->cells.nomem)
        return;
    c->amount += (uint64_t)d->cells.items[first].count + d->cells.items[second].count;
    if (!d->cells.items[first].count && !d->cells.items[second].count)
        document_cut(d, start);
}

static bool differ_shared(struct cdt_diff *c, int pool, struct cdt_list a, struct cdt_list b)
{
    const size_t size = cdt_pool_of(c->model, pool)->size;
    const struct cdt_uids *x = &c->uids[0], *y = &c->uids[1];
    bool any = false;
    for (size_t i = 0, k = 0; i < x->count && k < y->count;) {
        int order = cdt_uid_order(&x->at[i].uid, &y->at[k].uid);
        if (!order)
            any |= differ_rows(c, pool, a.at + x->at[i].row * size, b.at + y->at[k].row * size,
                               x->at[i].uid);
        i += order <= 0;
        k += order >= 0;
    }
    return any;
}

static bool ignores_pool(const struct cdt_diff *c, const struct cdt_pool *pool)
{
    char path[64];
    snprintf(path, sizeof path, "entity_samples.%s", pool->name);
    return compare_ignores(c->options, path);
}

/* Members about uids are added to the detail at once. Those about rows form one list at the end, so
 * there are two passes over the pools. */
bool cdt_differ_entities(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                         const struct ras_cdt_tick_record *b)
{
    const struct ras_cdt_entity_samples_snapshot *x = &a->channels.entity_samples;
    const struct ras_cdt_entity_samples_snapshot *y = &b->channels.entity_samples;
    struct document *d = c->doc;
    if (cdt_equal(c->model->entities, x, y))
        return false;
    size_t map = document_open(d, RAS_MAP), rows = 0;
    bool any = false;
    for (int pass = 0; pass < 2; pass++) {
        size_t start = d->cells.count;
        if (pass) {
            rows = document_put_open(d, "row_diffs", RAS_LIST);
        }
        for (int i = 0; i < CDT_POOLS; i++) {
            const struct cdt_pool *pool = &cdt_pools[i];
            struct cdt_list p = cdt_pool_rows(pool, x), q = cdt_pool_rows(pool, y);
            if (ignores_pool(c, pool))
                continue;
            cdt_find_uids(c, 0, i, p);
            cdt_find_uids(c, 1, i, q);
            if (pass) {
                any |= differ_shared(c, i, p, q);
                continue;
            }
            if (p.count != q.count)
                put_pool_counts(d, pool, p.count, q.count);
            put_uids(c, pool);
        }
        if (pass && any)
            document_close(d, rows);
        else if (pass)
            document_cut(d, start);
    }
    document_close(d, map);
    if (d->cells.count > map + 1)
        return true;
    document_cut(d, map);
    return false;
}

/* ---- a tick ------------------------------------------------------------------ */

struct channel {
    const char *channel, *kind;
    bool (*differ)(struct cdt_diff *, const struct ras_cdt_tick_record *,
                   const struct ras_cdt_tick_record *);
};

enum { CHANNELS_MOST = 7 };
#define CHECKPOINT_ROW                                                                             \
    {                                                                                              \
        "checkpoint", "checkpoint_field_mismatch", cdt_differ_checkpoint                           \
    }
#define STATE_ROWS                                                                                 \
    {"sim_state", "sim_state_mismatch", cdt_differ_sim},                                           \
        {"entity_samples", "entity_sample_mismatch", cdt_differ_entities},                         \
    {                                                                                              \
        "timing_samples", "timing_samples_mismatch", cdt_differ_timing                             \
    }
/* In the order of comparison, by container. */
static const struct channel channels[][CHANNELS_MOST] = {
    [1] = {CHECKPOINT_ROW, {"rng_stream", "rng_stream_mismatch", cdt_differ_rng}, STATE_ROWS},
    [2] = {{"replay_step", "replay_step_mismatch", cdt_differ_step},
           CHECKPOINT_ROW,
           {"rng_stream", "rng_stream_mismatch", cdt_differ_rng_2},
           STATE_ROWS},
};

bool cdt_differ(struct cdt_diff *c, const struct ras_cdt_tick_record *a,
                const struct ras_cdt_tick_record *b)
{
    struct document *d = c->doc;
    size_t map = document_open(d, RAS_MAP), found = 0;
    c->amount = 0;
    document_name(d, "mismatch_count");
    size_t count = d->cells.count;
    document_uint(d, 0);
    size_t list = document_put_open(d, "mismatches", RAS_LIST);
    const struct channel *rows = channels[c->model->container];
    for (size_t i = 0; rows[i].channel; i++) {
        if (c->options && !compare_wants(c->options, rows[i].channel))
            continue;
        size_t row = document_open(d, RAS_MAP);
        document_put_name(d, "kind", rows[i].kind);
        document_put_name(d, "channel", rows[i].channel);
        document_name(d, "detail");
        size_t detail = d->cells.count;
        bool differs = rows[i].differ(c, a, b);
        if (differs && c->firsts && !d->cells.nomem)
            cdt_firsts_add(c->firsts, rows[i].channel, rows[i].kind, a->tick_index,
                           &d->cells.items[detail]);
        document_close(d, row);
        if (!differs)
            document_cut(d, row);
        found += differs;
    }
    document_close(d, list);
    document_close(d, map);
    document_set_uint(d, count, found);
    if (!found)
        document_cut(d, map);
    return found;
}
