/* dial9_compare_same.c - whether two events are the same, whatever ids their batches use; and
 * batches that have changed places.
 *
 * Types are the same by name, strings and stacks by contents, whether pooled or not, numbers by
 * value, whatever their width. The order of a map's entries does not count, since recorders
 * write them from hash tables; NaN is the same as NaN. */
#include "base/memory.h"
#include "base/sort.h"
#include "codec/fnv1a.h"
#include "codec/json_write.h"
#include "core/row.h"
#include "formats/dial9/dial9_compare.h"

#include <math.h>
#include <stdlib.h>

enum { BY_NAME_MOST = 1024 }; /* fields that are searched by name */

/* ---- hashes ------------------------------------------------------------------ */

static uint64_t mix_hash(uint64_t x)
{
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

static uint64_t hash_text(const void *at, size_t len)
{
    return len ? fnv1a_bytes(FNV1A_START, at, len) : FNV1A_START;
}

static uint64_t hash_scalar(const struct ras_value *v)
{
    switch (v->kind) {
    case RAS_STR:
    case RAS_BLOB:
        return mix_hash(hash_text(v->at, v->count) + v->kind);
    case RAS_F64:
        return isnan(v->f64) ? 1 : v->f64 == 0 ? 2 : mix_hash(v->u ^ 3); /* -0 equals 0 */
    case RAS_UINT:
    case RAS_INT:
        return mix_hash(v->u + 5);
    default:
        return mix_hash(v->u ^ (uint64_t)v->kind << 56);
    }
}

/* Nested no deeper than the reader allows. */
static uint64_t hash_tree(const struct ras_value *v)
{
    const struct ras_value *end = ras_value_next(v);
    uint64_t hash = v->kind;
    if (v->kind == RAS_LIST) {
        for (const struct ras_value *at = v + 1; at < end; at = ras_value_next(at))
            hash = mix_hash(hash * 31 + hash_tree(at));
        return mix_hash(hash + 7);
    }
    if (v->kind != RAS_MAP)
        return hash_scalar(v);
    for (const struct ras_value *key = v + 1, *value; key < end; key = ras_value_next(value)) {
        value = ras_value_next(key);
        hash += mix_hash(hash_tree(key) * 3 + hash_tree(value));
    }
    return mix_hash(hash + 11);
}

/* ---- types ------------------------------------------------------------------- */

/* Whether a pattern may match something in a field, by its name or its type's name. */
static bool may_name(const char *pattern, const struct ras_schema *schema, const char *field)
{
    size_t len = strlen(schema->name);
    size_t name = strcspn(pattern, ".["), own = strlen(field);
    bool bare = *pattern == '*' || (name == own && !strncmp(pattern, field, own));
    return bare || *pattern == '[' || !strncmp(pattern, schema->name, len);
}

static bool covers_field(const char *pattern, const char *field, const char *path)
{
    return path_covers(pattern, field) || path_covers(pattern, path);
}

/* Only a list or a map has something inside that a pattern may match. */
static enum field_care care_of(const struct ras_compare_options *options,
                               const struct ras_schema *schema, const struct ras_field *field)
{
    bool holds = field->kind == RAS_LIST || field->kind == RAS_MAP || field->kind == RAS_NULL;
    char path[512];
    snprintf(path, sizeof path, "%.200s.%.200s", schema->name, field->name);
    if (compare_ignores(options, field->name) || compare_ignores(options, path))
        return FIELD_IGNORED;
    for (size_t i = 0; holds && i < options->ignored_count; i++)
        if (may_name(options->ignored[i], schema, field->name))
            return FIELD_CAREFUL;
    for (size_t i = 0; i < options->tolerance_count; i++)
        if (holds ? may_name(options->tolerances[i].path, schema, field->name)
                  : covers_field(options->tolerances[i].path, field->name, path))
            return FIELD_CAREFUL;
    return FIELD_EXACT;
}

static bool learn_type(const struct dial9_compare *d, struct compare_type *type,
                       const struct ras_schema *schema)
{
    const struct ras_compare_options *options = d->c->options;
    bool choosy = options->ignored_count || options->tolerance_count;
    type->known = true;
    type->name = mix_hash(hash_text(schema->name, strlen(schema->name)));
    type->fields = calloc(schema->field_count + 1u, sizeof *type->fields);
    type->care = choosy ? calloc(schema->field_count + 1u, 1) : NULL;
    if (!type->fields || (choosy && !type->care))
        return false;
    for (unsigned i = 0; i < schema->field_count; i++) {
        const char *name = schema->fields[i].name;
        type->fields[i] = mix_hash(hash_text(name, strlen(name)));
        if (choosy)
            type->care[i] = (uint8_t)care_of(options, schema, &schema->fields[i]);
        type->careful |= choosy && type->care[i] == FIELD_CAREFUL;
    }
    return true;
}

/* The type of a side by the number of its schema. */
static struct compare_type *dial9_compare_type(struct dial9_compare *d, int side, uint32_t schema)
{
    struct compare_side *s = &d->side[side];
    if (schema < s->type_count && s->types[schema].known)
        return &s->types[schema];
    if (!array_grow(&s->types, &s->type_room, schema + (size_t)1, sizeof *s->types)) {
        d->nomem = true;
        return &d->none;
    }
    for (; s->type_count <= schema; s->type_count++)
        s->types[s->type_count] = (struct compare_type){0};
    if (!learn_type(d, &s->types[schema], ras_schema_at(d->c->side[side], schema)))
        d->nomem = true;
    return &s->types[schema];
}

uint64_t dial9_compare_hash(struct dial9_compare *d, int side)
{
    const struct compare_side *s = &d->side[side];
    const struct compare_type *type = dial9_compare_type(d, side, s->at->schema);
    size_t count;
    const struct ras_value *v = ras_values(s->cursor, &count), *end = v + count;
    uint64_t hash = type->name;
    for (; type->fields && v < end; v = ras_value_next(v))
        if (!type->care || type->care[v->field] == FIELD_EXACT)
            hash += mix_hash(type->fields[v->field] ^ hash_tree(v));
    return hash;
}

void dial9_compare_forget(struct compare_side *s)
{
    for (size_t i = 0; i < s->type_count; i++) {
        free(s->types[i].fields);
        free(s->types[i].care);
    }
    free(s->types);
    free(s->items);
}

/* Find the relation of the other side's type to this one: false when it has another name. */
static bool pair_types(struct dial9_compare *d, struct compare_type *type, uint32_t a, uint32_t b)
{
    const struct ras_schema *x = ras_schema_at(d->c->side[0], a);
    const struct ras_schema *y = ras_schema_at(d->c->side[1], b);
    if (strcmp(x->name, y->name) != 0)
        return false;
    type->twin = b;
    type->alike = x->field_count == y->field_count;
    for (unsigned i = 0; type->alike && i < x->field_count; i++)
        type->alike = !strcmp(x->fields[i].name, y->fields[i].name);
    if (!type->alike)
        compare_note(d->c, "%.100s does not have the same fields, in the same order, in both",
                     dial9_label(x->name).text);
    return true;
}

/* ---- cells ------------------------------------------------------------------- */

static bool cell_same(const struct ras_value *a, const struct ras_value *b)
{
    if (a->kind != b->kind) {
        bool ints = (a->kind == RAS_UINT && b->kind == RAS_INT) ||
                    (a->kind == RAS_INT && b->kind == RAS_UINT);
        return ints && a->u == b->u && a->i >= 0;
    }
    switch (a->kind) {
    case RAS_STR:
    case RAS_BLOB:
        return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count));
    case RAS_LIST:
    case RAS_MAP:
        return a->count == b->count;
    case RAS_F64:
        return a->u == b->u || a->f64 == b->f64 || (isnan(a->f64) && isnan(b->f64));
    default:
        return a->u == b->u;
    }
}

/* A value with its contents, a map in the order of its entries. */
static bool tree_same(const struct ras_value *a, const struct ras_value *b)
{
    for (const struct ras_value *end = ras_value_next(a); a < end; a++, b++)
        if (!cell_same(a, b))
            return false;
    return true;
}

/* Fast check that decides nearly all numbers. */
static inline bool is_twin(const struct ras_value *a, const struct ras_value *b)
{
    return a->kind == b->kind && a->u == b->u && a->kind < RAS_STR;
}

bool dial9_times_same(const struct dial9_compare *d, uint64_t a, uint64_t b)
{
    uint64_t apart = b - a - d->shift_ns;
    apart = apart <= INT64_MAX ? apart : -apart;
    return apart <= d->time_eps_ns;
}

static bool now_same(const struct dial9_compare *d)
{
    const struct ras_record *a = d->side[0].at, *b = d->side[1].at;
    if (!d->with_time)
        return true;
    unsigned timed = a->flags & RAS_HAS_TIME;
    return timed == (b->flags & RAS_HAS_TIME) &&
           (!timed || dial9_times_same(d, a->time_ns, b->time_ns));
}

bool dial9_compare_same(struct dial9_compare *d)
{
    const struct ras_record *a = d->side[0].at, *b = d->side[1].at;
    struct compare_type *type = dial9_compare_type(d, 0, a->schema);
    if (type->twin != b->schema && !pair_types(d, type, a->schema, b->schema))
        return false;
    if (!now_same(d))
        return false;
    bool careful = type->careful || !type->alike;
    if (type->alike) {
        size_t n, m;
        const struct ras_value *x = ras_values(d->side[0].cursor, &n), *end = x + n;
        const struct ras_value *y = ras_values(d->side[1].cursor, &m);
        for (; x < end; x = ras_value_next(x), y = ras_value_next(y)) {
            if (is_twin(x, y) || (type->care && type->care[x->field] == FIELD_IGNORED) ||
                tree_same(x, y))
                continue;
            if (!careful && x->kind != RAS_MAP && x->kind != RAS_LIST)
                return false;
            careful = true;
            break;
        }
        if (x == end)
            return true;
    }
    struct document rows = {0};
    bool same = !dial9_compare_rows(d, &rows);
    d->nomem |= rows.cells.nomem;
    document_free(&rows);
    return same;
}

/* ---- rows -------------------------------------------------------------------- */

/* A field's name as in paths. */
static void put_root(struct out *out, const char *name)
{
    bool plain = *name;
    for (const char *p = name; *p; p++) {
        bool digit = *p >= '0' && *p <= '9', letter = (*p | 32) >= 'a' && (*p | 32) <= 'z';
        plain &= letter || *p == '_' || (digit && p != name);
    }
    if (plain) {
        out_text(out, name);
    } else {
        struct out stored = {0};
        out_name(&stored, name);
        out_byte(out, '[');
        json_put_ascii(out, stored.at, stored.len);
        out_byte(out, ']');
        out->failed |= stored.failed;
        out_free(&stored);
    }
    out_byte(out, 0);
}

static void put_side(const struct dial9_compare *d, int side, struct document *doc,
                     const struct ras_value *v)
{
    document_key(doc, side ? "actual" : "expected");
    if (v)
        dial9_put_tree(doc, v, dial9_field_flags(d->side[side].cursor, v));
    else
        document_null(doc);
}

/* A field that one of the two types or events lacks: with its value if the event has it. */
static bool put_one_sided(struct dial9_compare *d, struct document *doc, const char *path,
                          const struct ras_value *a, const struct ras_value *b)
{
    char full[512];
    snprintf(full, sizeof full, "%.200s.%.300s", ras_schema_of(d->side[0].cursor)->name, path);
    if (compare_ignores(d->c->options, path) || compare_ignores(d->c->options, full))
        return false;
    const char *lone = a ? "missing_actual" : "missing_expected";
    size_t row = fields_row(doc, path, a && b ? "value_mismatch" : lone);
    put_side(d, 0, doc, a);
    put_side(d, 1, doc, b);
    document_close(doc, row);
    return true;
}

static size_t both_sided(struct dial9_compare *d, struct document *doc, const char *path,
                         const struct ras_value *a, const struct ras_value *b)
{
    struct document sides[2] = {0};
    dial9_put_tree(&sides[0], a, dial9_field_flags(d->side[0].cursor, a));
    dial9_put_tree(&sides[1], b, dial9_field_flags(d->side[1].cursor, b));
    return fields_compare_sides(doc, d->c->options, ras_schema_of(d->side[0].cursor)->name, path,
                                sides, FIELDS_NAN_SAME);
}

/* One field; NULL on the side that does not have it. */
static size_t field_rows(struct dial9_compare *d, struct document *doc, const char *name,
                         const struct ras_value *a, const struct ras_value *b)
{
    struct out path = {0};
    size_t rows = 0;
    put_root(&path, name);
    const char *text = path.failed ? "" : (const char *)path.at;
    if (!a || !b || (a->kind == RAS_NULL) != (b->kind == RAS_NULL))
        rows = put_one_sided(d, doc, text, a, b);
    else if (!tree_same(a, b))
        rows = both_sided(d, doc, text, a, b);
    doc->cells.nomem |= path.failed;
    out_free(&path);
    return rows;
}

static size_t rows_by_name(struct dial9_compare *d, struct document *doc)
{
    size_t rows = 0, count;
    for (int side = 0; side < 2; side++) {
        const struct ras_cursor *c = d->side[side].cursor, *other = d->side[!side].cursor;
        const struct ras_schema *schema = ras_schema_of(c);
        const struct ras_value *v = ras_values(c, &count), *end = v + count;
        for (; v < end && v->field < BY_NAME_MOST; v = ras_value_next(v)) {
            const char *name = schema->fields[v->field].name;
            const struct ras_value *w = ras_value_of(other, name);
            if (!side)
                rows += field_rows(d, doc, name, v, w);
            else if (!w)
                rows += field_rows(d, doc, name, NULL, v);
        }
    }
    return rows;
}

size_t dial9_compare_rows(struct dial9_compare *d, struct document *doc)
{
    const struct compare_type *type = dial9_compare_type(d, 0, d->side[0].at->schema);
    const struct ras_schema *schema = ras_schema_of(d->side[0].cursor);
    if (d->nomem)
        return 0;
    if (!type->alike || type->twin != d->side[1].at->schema)
        return rows_by_name(d, doc);
    size_t rows = 0, n, m;
    const struct ras_value *x = ras_values(d->side[0].cursor, &n), *end = x + n;
    const struct ras_value *y = ras_values(d->side[1].cursor, &m);
    for (; x < end; x = ras_value_next(x), y = ras_value_next(y))
        rows += field_rows(d, doc, schema->fields[x->field].name, x, y);
    return rows;
}

/* ---- batches in another order ---------------------------------------------------- */

/* ---- walking --------------------------------------------------------------------- */

static bool is_paired(const struct compare_side *s, uint32_t batch)
{
    return s->batches && batch < s->batch_count && s->batches[batch].paired;
}

/* Go before the first batch after `batch` that is not left out. RAS_END: there is none. */
static int pass_over(struct dial9_compare *d, int side, uint32_t batch, struct ras_error *err)
{
    struct compare_side *s = &d->side[side];
    while (is_paired(s, batch))
        batch++;
    if (batch == s->batch_count)
        return RAS_END;
    const struct compare_batch *to = &s->batches[batch];
    struct ras_mark mark =
        dial9_mark_of(d->c->side[side], to->first, batch, to->offset + RAS_DIAL9_HEADER_SIZE, 0);
    return ras_jump(s->cursor, &mark, err);
}

int dial9_compare_next(struct dial9_compare *d, int side, struct ras_error *err)
{
    struct compare_side *s = &d->side[side];
    s->index += s->at != NULL;
    int status = ras_next(s->cursor, &s->at, err);
    while (status == RAS_OK && (s->at->schema == RAS_SCHEMA_GAP || is_paired(s, s->at->stream))) {
        status = is_paired(s, s->at->stream) ? pass_over(d, side, s->at->stream, err) : RAS_OK;
        if (status == RAS_OK)
            status = ras_next(s->cursor, &s->at, err);
    }
    if (status == RAS_OK) {
        s->index = s->at->seq;
        s->opens = s->at->stream != s->batch;
        s->batch = s->at->stream;
        return RAS_OK;
    }
    s->at = NULL;
    if (status == RAS_WAIT)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a trace that is still written to");
    return status == RAS_END ? RAS_OK : status;
}

/* ---- batches --------------------------------------------------------------------- */

/* Hash the remaining events, batch by batch. Batches without events, those already compared and
 * those that cannot be read keep a zero hash. */
static int hash_batches(struct dial9_compare *d, int side, struct ras_error *err)
{
    struct compare_side *s = &d->side[side];
    const struct dial9 *trace = d->c->side[side]->priv;
    int status = RAS_OK;
    struct compare_batch *now = NULL;
    while (s->at && status == RAS_OK) {
        if (s->at->stream >= s->batch_count) {
            size_t count = s->at->stream + (size_t)1;
            if (!array_grow(&s->batches, &s->batch_room, count, sizeof *s->batches))
                return fail_memory(err);
            for (; s->batch_count < count; s->batch_count++)
                s->batches[s->batch_count] = (struct compare_batch){
                    .offset = trace->places[s->batch_count].offset, .first = s->index};
        }
        now = &s->batches[s->at->stream];
        now->hash = (now->hash ^ dial9_compare_hash(d, side)) * UINT64_C(0x9e3779b97f4a7c15);
        now->hash ^= now->hash >> 29;
        now->count++;
        status = dial9_compare_next(d, side, err);
    }
    return status < 0 || !d->nomem ? status : fail_memory(err);
}

/* By contents; empty ones last. */
static int by_hash(const void *a, const void *b, void *user)
{
    const struct compare_batch *all = user;
    const struct compare_batch *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];
    if (!x->count != !y->count)
        return x->count ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static uint32_t *sorted(struct compare_side *s)
{
    uint32_t *order = calloc(s->batch_count + 1, sizeof *order);
    for (size_t i = 0; order && i < s->batch_count; i++)
        order[i] = (uint32_t)i;
    if (order && s->batch_count)
        sort_with(order, s->batch_count, sizeof *order, by_hash, s->batches);
    return order;
}

/* Pair batches with the same contents: partner[i] is 1 + the number of the other one. */
static void pair_up(struct compare_side *a, struct compare_side *b, const uint32_t *x,
                    const uint32_t *y, uint32_t *partner)
{
    for (size_t i = 0, j = 0; i < a->batch_count && j < b->batch_count;) {
        struct compare_batch *p = &a->batches[x[i]], *q = &b->batches[y[j]];
        if (!p->count || !q->count)
            return;
        if (p->hash == q->hash && p->count == q->count) {
            partner[x[i++]] = 1 + y[j++];
            p->paired = q->paired = true;
        } else if (p->hash < q->hash || (p->hash == q->hash && p->count < q->count)) {
            i++;
        } else {
            j++;
        }
    }
}

/* The next batch from `at` on that has events and is not paired; the count if there is none. */
static size_t next_single(const struct compare_side *s, size_t at)
{
    while (at < s->batch_count && (s->batches[at].paired || !s->batches[at].count))
        at++;
    return at;
}

/* Whether batches have changed places, if those without a partner are paired in their order. */
static bool is_shuffled(const struct compare_side *a, const struct compare_side *b,
                        const uint32_t *partner)
{
    size_t last = 0, single = next_single(b, 0);
    for (size_t i = 0; i < a->batch_count; i++) {
        if (!a->batches[i].count || (!partner[i] && single == b->batch_count))
            continue;
        size_t to = partner[i] ? partner[i] - (size_t)1 : single;
        if (!partner[i])
            single = next_single(b, single + 1);
        if (to < last)
            return true;
        last = to;
    }
    return false;
}

static uint64_t paired_events(const struct compare_side *s)
{
    uint64_t events = 0;
    for (size_t i = 0; i < s->batch_count; i++)
        events += s->batches[i].paired ? s->batches[i].count : 0;
    return events;
}

static void forget_batches(struct compare_side *s)
{
    free(s->batches);
    s->batches = NULL;
    s->batch_count = s->batch_room = 0;
}

static bool pair_all(struct dial9_compare *d)
{
    struct compare_side *a = &d->side[0], *b = &d->side[1];
    uint32_t *x = sorted(a), *y = sorted(b), *partner = calloc(a->batch_count + 1, sizeof *partner);
    bool ok = x && y && partner;
    uint64_t events = 0;
    if (ok) {
        pair_up(a, b, x, y, partner);
        events = paired_events(a);
        d->c->out->checked += events;
        if (is_shuffled(a, b, partner))
            compare_note(d->c, "the batches come in another order");
    }
    if (!events) {
        forget_batches(a);
        forget_batches(b);
    }
    free(x);
    free(y);
    free(partner);
    return ok;
}

/* Fields that the hash leaves out would be skipped without a comparison. */
static bool is_exact(const struct dial9_compare *d)
{
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < d->side[i].type_count; k++)
            if (d->side[i].types[k].careful)
                return false;
    return !d->with_time;
}

int dial9_pair_batches(struct dial9_compare *d, struct ras_error *err)
{
    struct ras_mark here[2];
    int status = RAS_OK;
    d->ordered = true;
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        const struct compare_side *s = &d->side[i];
        const struct ras_record *r = s->at;
        uint64_t delta = r->flags & RAS_HAS_TIME ? load_u32(r->raw + DIAL9_EVENT_SIZE - 1) >> 8 : 0;
        here[i] = dial9_mark_of(d->c->side[i], r->seq, r->stream, r->offset, r->time_ns - delta);
        status = hash_batches(d, i, err);
    }
    if (status == RAS_OK && is_exact(d) && !pair_all(d))
        return fail_memory(err);
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        d->side[i].at = NULL;
        status = ras_jump(d->side[i].cursor, &here[i], err);
        if (status == RAS_OK)
            status = dial9_compare_next(d, i, err);
    }
    return status;
}
