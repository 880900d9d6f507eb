/* crd_values.c - maps of a known layout as schemas and values.
 *
 * Reading is tolerant: keys may be in any order, and a value that is absent or of another kind is
 * null. `verify` judges. */
#include "base/memory.h"
#include "core/msgpack_cells.h"
#include "formats/crd/crd_driver.h"

/* ---- schemas --------------------------------------------------------------- */

static const enum ras_kind kinds[] = {
    [CRD_INT] = RAS_INT,    [CRD_BOOL] = RAS_BOOL, [CRD_REAL] = RAS_F64,
    [CRD_TEXT] = RAS_STR,   [CRD_MAP] = RAS_MAP,   [CRD_INTS] = RAS_LIST,
    [CRD_TEXTS] = RAS_LIST, [CRD_MAPS] = RAS_LIST, [CRD_ANY] = RAS_MAP,
};
static const enum ras_kind items[] = {
    [CRD_INTS] = RAS_INT, [CRD_TEXTS] = RAS_STR, [CRD_MAPS] = RAS_MAP, [CRD_ANY] = RAS_NULL};

static void fields_fill(struct crd *crd, struct ras_field *fields, const struct crd_map *map)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct crd_key *k = &map->keys[i];
        struct ras_field *f = &fields[i];
        bool wide = k->kind == CRD_INT || k->kind == CRD_REAL;
        *f = (struct ras_field){.name = k->name,
                                .kind = (uint8_t)kinds[k->kind],
                                .bits = wide ? 64 : 0,
                                .flags = RAS_NULLABLE,
                                .item = (uint8_t)items[k->kind],
                                .item_bits = k->kind == CRD_INTS ? 64 : 0,
                                .unit = k->unit};
        if (!k->of)
            continue;
        f->inner = &crd->inner[crd->inner_count];
        f->inner_count = (uint16_t)k->of->count;
        crd->inner_count += k->of->count;
        fields_fill(crd, &crd->inner[crd->inner_count - k->of->count], k->of);
    }
}

void crd_schema_fill(struct crd *crd, struct crd_schema *s, const struct crd_map *map,
                     unsigned flags)
{
    fields_fill(crd, s->fields, map);
    s->schema = (struct ras_schema){map->name, s->fields, (uint16_t)map->count, (uint16_t)flags};
}

/* ---- bytes --------------------------------------------------------------- */

struct ras_bytes crd_find(struct ras_bytes bytes, const char *key)
{
    struct msgpack in = msgpack_bytes(bytes);
    struct ras_bytes found = {0};
    uint64_t count;
    size_t len = strlen(key);
    if (!msgpack_map(&in, &count))
        return found;
    while (count-- && in.fault == MSGPACK_FINE) {
        bool here = msgpack_key_is(&in, key, len);
        if (!here && !msgpack_skip(&in))
            break;
        const uint8_t *start = in.at;
        if (msgpack_skip(&in) && here)
            found = (struct ras_bytes){start, (size_t)(in.at - start)};
    }
    return found;
}

bool crd_int(struct ras_bytes value, int64_t *number)
{
    struct msgpack in = msgpack_bytes(value);
    return value.len && msgpack_i64(&in, number);
}

bool crd_real(struct ras_bytes value, double *real)
{
    struct msgpack in = msgpack_bytes(value);
    int64_t number;
    if (value.len && msgpack_f64(&in, real))
        return true;
    *real = crd_int(value, &number) ? (double)number : 0;
    return crd_int(value, &number);
}

/* ---- values --------------------------------------------------------------- */

static bool put_members(struct cells *, unsigned field, const struct crd_map *, struct ras_bytes);

static bool put_int(struct cells *c, unsigned field, struct ras_bytes value)
{
    int64_t number;
    if (crd_int(value, &number))
        value_put(c, RAS_INT, 64, field, 0, (uint64_t)number);
    else
        value_null(c, field);
    return true;
}

static bool put_real(struct cells *c, unsigned field, struct ras_bytes value)
{
    double real;
    uint64_t bits;
    if (!crd_real(value, &real)) {
        value_null(c, field);
        return true;
    }
    memcpy(&bits, &real, sizeof bits);
    value_put(c, RAS_F64, 64, field, 0, bits);
    return true;
}

static bool put_bool(struct cells *c, unsigned field, struct ras_bytes value)
{
    struct msgpack in = msgpack_bytes(value);
    bool truth;
    if (value.len && msgpack_bool(&in, &truth))
        value_put(c, RAS_BOOL, 0, field, 0, truth);
    else
        value_null(c, field);
    return true;
}

static bool put_text(struct cells *c, unsigned field, struct ras_bytes value)
{
    struct msgpack in = msgpack_bytes(value);
    struct ras_bytes text;
    if (value.len && msgpack_str(&in, &text))
        value_span(c, RAS_STR, field, text.at, text.len);
    else
        value_null(c, field);
    return true;
}

/* One item of a list; an item of another kind is null, or a map of nulls. */
static bool put_item(struct cells *c, unsigned field, const struct crd_key *k,
                     struct ras_bytes value)
{
    if (!cells_room(c, 1))
        return false;
    if (k->kind == CRD_MAPS)
        return put_members(c, field, k->of, value);
    return k->kind == CRD_INTS ? put_int(c, field, value) : put_text(c, field, value);
}

/* A map takes as many values as its layout has keys, however short it is. */
enum { MAPS_MOST = 64 };

static bool put_list(struct cells *c, unsigned field, const struct crd_key *k,
                     struct ras_bytes value)
{
    struct msgpack in = msgpack_bytes(value);
    uint64_t count;
    if (!value.len || msgpack_peek(&in) != MSGPACK_ARRAY || !msgpack_array(&in, &count) ||
        (k->kind == CRD_MAPS && count > MAPS_MOST)) {
        value_null(c, field);
        return true;
    }
    size_t open = c->count;
    value_put(c, RAS_LIST, 0, field, 0, 0);
    while (count--) {
        const uint8_t *start = in.at;
        (void)msgpack_skip(&in);
        if (!put_item(c, field, k, (struct ras_bytes){start, (size_t)(in.at - start)}))
            return false;
    }
    value_close(c, open);
    return true;
}

static bool put_any(struct cells *c, unsigned field, struct ras_bytes value)
{
    enum { DEPTH = 16 };
    struct msgpack in = msgpack_bytes(value);
    if (msgpack_peek(&in) == MSGPACK_MAP)
        return cells_msgpack(c, field, &in, DEPTH);
    value_null(c, field);
    return true;
}

static bool put_key(struct cells *c, unsigned field, const struct crd_key *k,
                    struct ras_bytes value)
{
    struct msgpack in = msgpack_bytes(value);
    if (!cells_room(c, 1))
        return false;
    switch (k->kind) {
    case CRD_INT:
        return put_int(c, field, value);
    case CRD_BOOL:
        return put_bool(c, field, value);
    case CRD_REAL:
        return put_real(c, field, value);
    case CRD_TEXT:
        return put_text(c, field, value);
    case CRD_ANY:
        return put_any(c, field, value);
    case CRD_MAP:
        if (msgpack_peek(&in) == MSGPACK_MAP)
            return put_members(c, field, k->of, value);
        value_null(c, field);
        return true;
    default:
        return put_list(c, field, k, value);
    }
}

/* A map of exactly the keys of its layout. */
static bool put_members(struct cells *c, unsigned field, const struct crd_map *map,
                        struct ras_bytes bytes)
{
    size_t open = c->count;
    if (!cells_room(c, 1))
        return false;
    value_put(c, RAS_MAP, 0, field, 0, 0);
    for (size_t i = 0; i < map->count; i++) {
        if (!cells_room(c, 1))
            return false;
        value_text(c, field, map->keys[i].name);
        if (!put_key(c, field, &map->keys[i], crd_find(bytes, map->keys[i].name)))
            return false;
    }
    value_close(c, open);
    return true;
}

bool crd_values_put(struct cells *c, const struct view *view, const struct crd_map *map,
                    struct ras_bytes bytes)
{
    for (unsigned i = 0; i < map->count; i++)
        if (view_has(view, i) && !put_key(c, i, &map->keys[i], crd_find(bytes, map->keys[i].name)))
            return false;
    return true;
}

enum step crd_stop(struct ras_cursor *c, const struct msgpack *in, uint64_t offset,
                   const char *what)
{
    if (in->fault == MSGPACK_INVALID)
        return damaged(c, offset + in->fault_at, "%s: %s", what, in->why);
    return cut(c, "ends inside %s", what);
}
