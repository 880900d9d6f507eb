/* murk_compare_fields.c - headers and commands of two replays, field by field.
 *
 * Floats compare by their bits, as the reference compares snapshots: replays that differ
 * in a zero's sign take different ways. */
#include "formats/murk/murk_compare.h"

#include <stdio.h>

enum { PATH_SIZE = 128 };

static struct ras_value uint_or_null(bool has, uint64_t u)
{
    return (struct ras_value){.kind = has ? RAS_UINT : RAS_NULL, .u = has ? u : 0};
}

static struct ras_value text_of(const void *at, size_t len)
{
    return (struct ras_value){.kind = RAS_STR, .count = (uint32_t)len, .at = at};
}

static void differ(struct murk_rows *r, const char *path, struct ras_value a, struct ras_value b)
{
    const struct ras_compare_options *asked = r->compare->asked;
    r->count += fields_compare(r->doc, asked, NULL, path, &a, &b, FIELDS_BITS);
}

static void differ_bytes(struct murk_rows *r, const char *path, struct ras_bytes a,
                         struct ras_bytes b)
{
    r->count += fields_bytes(r->doc, r->compare->asked, path, a, b);
}

static void differ_hash(struct murk_rows *r, const char *path, uint64_t a, uint64_t b)
{
    char text[2][24];
    int n = snprintf(text[0], sizeof text[0], "0x%016" PRIx64, a);
    int m = snprintf(text[1], sizeof text[1], "0x%016" PRIx64, b);
    differ(r, path, text_of(text[0], (size_t)n), text_of(text[1], (size_t)m));
}

void murk_hash_put(struct document *d, uint64_t hash)
{
    document_format(d, "0x%016" PRIx64, hash);
}

void murk_header_rows(struct murk_rows *r, const struct ras_murk_header *a,
                      const struct ras_murk_header *b)
{
    const struct {
        const char *path;
        const struct ras_bytes *a, *b;
    } texts[] = {
        {"header.toolchain", &a->toolchain, &b->toolchain},
        {"header.target_triple", &a->target_triple, &b->target_triple},
        {"header.murk_version", &a->murk_version, &b->murk_version},
        {"header.compile_flags", &a->compile_flags, &b->compile_flags},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        differ(r, texts[i].path, text_of(texts[i].a->at, texts[i].a->len),
               text_of(texts[i].b->at, texts[i].b->len));
    differ(r, "header.seed", value_of_uint(a->seed), value_of_uint(b->seed));
    differ_hash(r, "header.config_hash", a->config_hash, b->config_hash);
    differ(r, "header.field_count", value_of_uint(a->field_count), value_of_uint(b->field_count));
    differ(r, "header.cell_count", value_of_uint(a->cell_count), value_of_uint(b->cell_count));
    differ_bytes(r, "header.space_descriptor", a->space_descriptor, b->space_descriptor);
}

/* ---- lists ------------------------------------------------------------------------- */

/* A list of a payload: how long an element is, and the names of its halves. */
struct list {
    const char *name, *id, *value; /* id NULL: elements are plain numbers */
    size_t size;
};

static const struct list coord_list = {"coord", NULL, NULL, 4};
static const struct list field_values_list = {"field_values", "field_id", "value", 8};
static const struct list params_list = {"params", "key", "value", 12};

static struct ras_value f64_of(uint64_t bits)
{
    return (struct ras_value){.kind = RAS_F64, .bits = 64, .u = bits};
}

static struct ras_value number_at(const struct list *list, const uint8_t *at)
{
    if (!list->id)
        return value_of_int((int32_t)load_u32(at));
    return list->size == 8 ? value_of_f32(load_u32(at + 4)) : f64_of(load_u64(at + 4));
}

static void differ_element(struct murk_rows *r, const struct list *list, const char *path,
                           const uint8_t *a, const uint8_t *b)
{
    char full[PATH_SIZE + 16];
    if (!list->id) {
        differ(r, path, number_at(list, a), number_at(list, b));
        return;
    }
    snprintf(full, sizeof full, "%s.%s", path, list->id);
    differ(r, full, value_of_uint(load_u32(a)), value_of_uint(load_u32(b)));
    snprintf(full, sizeof full, "%s.%s", path, list->value);
    differ(r, full, number_at(list, a), number_at(list, b));
}

static void put_element(struct document *d, const struct list *list, const uint8_t *at)
{
    struct ras_value number = number_at(list, at);
    size_t map = list->id ? document_open(d, RAS_MAP) : 0;
    if (list->id) {
        document_key(d, list->id);
        document_uint(d, load_u32(at));
        document_key(d, list->value);
    }
    document_copy(d, &number);
    if (list->id)
        document_close(d, map);
}

/* An element that only one side has. */
static void lone_element(struct murk_rows *r, const struct list *list, const char *path,
                         const uint8_t *at, int side)
{
    struct document *d = r->doc;
    if (compare_ignores(r->compare->asked, path))
        return;
    size_t row = fields_row(d, path, side ? "missing_expected" : "missing_actual");
    for (int i = 0; i < 2; i++) {
        document_key(d, i ? "actual" : "expected");
        if (i == side)
            put_element(d, list, at);
        else
            document_null(d);
    }
    document_close(d, row);
    r->count++;
}

static void length_row(struct murk_rows *r, const char *path, size_t a, size_t b)
{
    struct document *d = r->doc;
    size_t row = fields_row(d, path, "length_mismatch");
    document_key(d, "expected");
    document_uint(d, a);
    document_key(d, "actual");
    document_uint(d, b);
    document_close(d, row);
    r->count++;
}

static void differ_list(struct murk_rows *r, size_t index, const struct list *list,
                        struct ras_bytes a, struct ras_bytes b)
{
    char path[PATH_SIZE];
    size_t size = list->size, n = a.len / size, m = b.len / size, most = n > m ? n : m;
    int len = snprintf(path, sizeof path, "commands[%zu].%s", index, list->name);
    if ((n == m && (!n || !memcmp(a.at, b.at, a.len))) || compare_ignores(r->compare->asked, path))
        return;
    if (n != m)
        length_row(r, path, n, m);
    for (size_t i = 0; i < most && !murk_rows_full(r); i++) {
        const uint8_t *x = i < n ? a.at + i * size : NULL, *y = i < m ? b.at + i * size : NULL;
        if (x && y && !memcmp(x, y, size))
            continue;
        snprintf(path + len, sizeof path - (size_t)len, "[%zu]", i);
        if (x && y)
            differ_element(r, list, path, x, y);
        else
            lone_element(r, list, path, x ? x : y, x ? 0 : 1);
    }
}

static void put_list(struct document *d, const struct list *list, struct ras_bytes b)
{
    size_t n = b.len / list->size;
    document_key(d, list->name);
    if (n > COMPARE_ITEMS_SHOWN) {
        document_format(d, "%s", ras_counted(n, "element").text);
        return;
    }
    size_t open = document_open(d, RAS_LIST);
    for (size_t i = 0; i < n; i++)
        put_element(d, list, b.at + i * list->size);
    document_close(d, open);
}

/* ---- commands ---------------------------------------------------------------------- */

struct pair {
    struct murk_rows *rows;
    size_t index;
};

static const char *path_of(const struct pair *p, const char *name, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "commands[%zu].%s", p->index, name);
    return path;
}

static void differ_field(const struct pair *p, const char *name, struct ras_value a,
                         struct ras_value b)
{
    char path[PATH_SIZE];
    differ(p->rows, path_of(p, name, path), a, b);
}

static void differ_uint(const struct pair *p, const char *name, uint64_t a, uint64_t b)
{
    differ_field(p, name, value_of_uint(a), value_of_uint(b));
}

static void differ_span(const struct pair *p, const char *name, struct ras_bytes a,
                        struct ras_bytes b)
{
    char path[PATH_SIZE];
    differ_bytes(p->rows, path_of(p, name, path), a, b);
}

static struct ras_bytes trailing_of(const struct ras_murk_command *k,
                                    const struct ras_murk_payload *p)
{
    size_t len = (size_t)p->trailing;
    return (struct ras_bytes){k->payload.at + (k->payload.len - len), len};
}

static void differ_typed(const struct pair *p, unsigned type, const struct ras_murk_payload *a,
                         const struct ras_murk_payload *b)
{
    if (type == RAS_MURK_MOVE || type == RAS_MURK_DESPAWN)
        differ_uint(p, "entity_id", a->entity_id, b->entity_id);
    if (type == RAS_MURK_MOVE || type == RAS_MURK_SPAWN || type == RAS_MURK_SET_FIELD)
        differ_list(p->rows, p->index, &coord_list, a->coord, b->coord);
    if (type == RAS_MURK_SPAWN)
        differ_list(p->rows, p->index, &field_values_list, a->field_values, b->field_values);
    if (type == RAS_MURK_SET_FIELD) {
        differ_uint(p, "field_id", a->field_id, b->field_id);
        differ_field(p, "value", value_of_f32(a->value_f32), value_of_f32(b->value_f32));
    }
    if (type == RAS_MURK_CUSTOM) {
        differ_uint(p, "type_id", a->type_id, b->type_id);
        differ_span(p, "data", a->data, b->data);
    }
    if (type == RAS_MURK_SET_PARAMETER) {
        differ_uint(p, "key", a->key, b->key);
        differ_field(p, "value", f64_of(a->value_f64), f64_of(b->value_f64));
    }
    if (type == RAS_MURK_SET_PARAMETER_BATCH)
        differ_list(p->rows, p->index, &params_list, a->params, b->params);
}

static void differ_payload(const struct pair *p, const struct ras_murk_command *a,
                           const struct ras_murk_command *b)
{
    struct ras_murk_payload x = {0}, y = {0};
    struct ras_murk_fault fault;
    bool typed = a->payload_type == b->payload_type &&
                 ras_murk_payload_get(a->payload_type, a->payload, &x, &fault) &&
                 ras_murk_payload_get(b->payload_type, b->payload, &y, &fault);
    if (!typed) {
        differ_span(p, "payload", a->payload, b->payload);
        return;
    }
    differ_typed(p, a->payload_type, &x, &y);
    differ_span(p, "trailing", trailing_of(a, &x), trailing_of(b, &y));
}

void murk_command_rows(struct murk_rows *r, size_t index, const struct ras_murk_command *a,
                       const struct ras_murk_command *b)
{
    const struct pair p = {r, index};
    differ_uint(&p, "payload_type", a->payload_type, b->payload_type);
    differ_uint(&p, "priority_class", a->priority_class, b->priority_class);
    differ_field(&p, "source_id", uint_or_null(a->has_source_id, a->source_id),
                 uint_or_null(b->has_source_id, b->source_id));
    differ_field(&p, "source_seq", uint_or_null(a->has_source_seq, a->source_seq),
                 uint_or_null(b->has_source_seq, b->source_seq));
    differ_uint(&p, "expires_after_tick", a->expires_after_tick, b->expires_after_tick);
    differ_uint(&p, "arrival_seq", a->arrival_seq, b->arrival_seq);
    differ_payload(&p, a, b);
}

/* ---- showing ----------------------------------------------------------------------- */

static void put_uint(struct document *d, const char *key, bool has, uint64_t value)
{
    document_key(d, key);
    if (has)
        document_uint(d, value);
    else
        document_null(d);
}

static void put_number(struct document *d, const char *key, struct ras_value value)
{
    document_key(d, key);
    document_copy(d, &value);
}

static void put_span(struct document *d, const char *key, struct ras_bytes b)
{
    document_key(d, key);
    if (b.len > COMPARE_BYTES_SHOWN) {
        document_format(d, "%zu bytes", b.len);
        return;
    }
    struct ras_value cell = {.kind = RAS_BLOB, .count = (uint32_t)b.len, .at = b.at};
    document_copy(d, &cell);
}

static void put_typed(struct document *d, unsigned type, const struct ras_murk_payload *p)
{
    if (type == RAS_MURK_MOVE || type == RAS_MURK_DESPAWN)
        put_uint(d, "entity_id", true, p->entity_id);
    if (type == RAS_MURK_MOVE || type == RAS_MURK_SPAWN || type == RAS_MURK_SET_FIELD)
        put_list(d, &coord_list, p->coord);
    if (type == RAS_MURK_SPAWN)
        put_list(d, &field_values_list, p->field_values);
    if (type == RAS_MURK_SET_FIELD) {
        put_uint(d, "field_id", true, p->field_id);
        put_number(d, "value", value_of_f32(p->value_f32));
    }
    if (type == RAS_MURK_CUSTOM) {
        put_uint(d, "type_id", true, p->type_id);
        put_span(d, "data", p->data);
    }
    if (type == RAS_MURK_SET_PARAMETER) {
        put_uint(d, "key", true, p->key);
        put_number(d, "value", f64_of(p->value_f64));
    }
    if (type == RAS_MURK_SET_PARAMETER_BATCH)
        put_list(d, &params_list, p->params);
}

void murk_command_put(struct document *d, const struct ras_murk_command *k)
{
    struct ras_murk_payload p = {0};
    struct ras_murk_fault fault;
    const char *name = ras_murk_payload_name(k->payload_type);
    size_t map = document_open(d, RAS_MAP);
    put_uint(d, "payload_type", true, k->payload_type);
    document_key(d, "payload_name");
    if (name)
        document_key(d, name);
    else
        document_null(d);
    put_uint(d, "priority_class", true, k->priority_class);
    put_uint(d, "source_id", k->has_source_id, k->source_id);
    put_uint(d, "source_seq", k->has_source_seq, k->source_seq);
    put_uint(d, "expires_after_tick", true, k->expires_after_tick);
    put_uint(d, "arrival_seq", true, k->arrival_seq);
    if (!ras_murk_payload_get(k->payload_type, k->payload, &p, &fault)) {
        put_span(d, "payload", k->payload);
    } else {
        put_typed(d, k->payload_type, &p);
        if (p.trailing)
            put_span(d, "trailing", trailing_of(k, &p));
    }
    document_close(d, map);
}
