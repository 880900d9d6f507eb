/* aerogpu_fields.c - decoded packets and commands as cells. */
#include "formats/aerogpu/aerogpu_fields.h"

/* What a put of one field needs to know. */
struct put {
    struct cells *c;
    unsigned field;
    const struct ras_aero_op *op;
    struct ras_bytes payload;
    uint32_t minor;
};

static void key(const struct put *p, const char *name, size_t len)
{
    value_span(p->c, RAS_STR, p->field, name, len);
}

#define KEY(p, name) key(p, name, sizeof name - 1)

static const char *name_of(const struct ras_aero_name *names, uint64_t value)
{
    for (; names->name; names++)
        if (names->value == value)
            return names->name;
    return NULL;
}

/* One number as its type says; a narrow signed one is widened with its sign. */
static void put_number(const struct put *p, uint8_t type, uint64_t bits)
{
    static const struct {
        uint8_t kind, bits;
    } as[] = {
        [RAS_AERO_U8] = {RAS_UINT, 8},
        [RAS_AERO_U32] = {RAS_UINT, 32},
        [RAS_AERO_I32] = {RAS_INT, 32},
        [RAS_AERO_U64] = {RAS_UINT, 64},
    };
    if (type == RAS_AERO_F32) {
        value_f32(p->c, p->field, (uint32_t)bits);
        return;
    }
    if (type == RAS_AERO_I32)
        bits = (uint64_t)(int64_t)(int32_t)bits;
    value_put(p->c, as[type].kind, as[type].bits, p->field, 0, bits);
}

static void put_name(const struct put *p, const struct ras_aero_field *f, uint64_t value)
{
    const char *name = name_of(f->names, value);
    if (!name)
        return;
    key(p, f->alias, f->alias_len);
    value_text(p->c, p->field, name);
}

/* A field that is one number, and what is derived from it: the name of an
 * enumerated value, a blob id from its halves, a float from its bits. */
static void put_single(const struct put *p, const struct ras_aero_field *f, struct ras_bytes item)
{
    uint64_t value = f->flags & RAS_AERO_ABSENT ? 0 : aero_field_number(f, item);
    if (f->flags & RAS_AERO_RESERVED && value == 0)
        return;
    if (f->flags & RAS_AERO_STAGE_EX && aero_stage_ex_counts(p->op, p->payload, p->minor)) {
        const char *name = name_of(f->names, value);
        KEY(p, "stage_ex");
        value_uint(p->c, p->field, 32, value);
        KEY(p, "stage_ex_name");
        value_text(p->c, p->field, name ? name : "Unknown");
        return;
    }
    key(p, f->name, f->name_len);
    put_number(p, f->type, value);
    if (f->flags & RAS_AERO_BITS) {
        key(p, f->alias, f->alias_len);
        put_number(p, RAS_AERO_F32, value);
    } else if (f->flags & RAS_AERO_HAS_LO) {
        key(p, f->alias, f->alias_len);
        value_uint(p->c, p->field, 64, aero_field_whole(f, item));
    } else if (f->names && !(f->flags & RAS_AERO_STAGE_EX)) {
        put_name(p, f, value);
    }
}

enum { SINGLE_CELLS = 4 }; /* the most that put_single adds */

static bool put_items(const struct put *p, const struct ras_aero_field *f, uint64_t count)
{
    size_t fields = 0;
    for (const struct ras_aero_field *i = f->item; i->type != RAS_AERO_END; i++)
        fields++;
    for (uint64_t i = 0; i < count; i++) {
        struct ras_bytes item = aero_slice(p->payload, f->at + i * f->item_size, f->item_size);
        if (!cells_room(p->c, 1 + fields * SINGLE_CELLS))
            return false;
        size_t open = p->c->count;
        value_put(p->c, RAS_MAP, 0, p->field, 0, 0);
        for (const struct ras_aero_field *at = f->item; at->type != RAS_AERO_END; at++)
            put_single(p, at, item);
        value_close(p->c, open);
    }
    return true;
}

/* Items that are there; a short payload gives as many as it holds. */
static bool put_list(const struct put *p, const struct ras_aero_field *f)
{
    uint64_t count = aero_field_present(f, p->payload);
    if (f->flags & RAS_AERO_LAYOUT && !aero_field_promised(f, p->payload))
        return true;
    if (!cells_room(p->c, 2 + (f->type == RAS_AERO_STRUCT ? 0 : (size_t)count)))
        return false;
    key(p, f->name, f->name_len);
    size_t open = p->c->count;
    value_put(p->c, RAS_LIST, 0, p->field, 0, 0);
    if (f->type == RAS_AERO_STRUCT) {
        if (!put_items(p, f, count))
            return false;
    } else {
        struct in in = in_bytes(aero_slice(p->payload, f->at, 4 * count));
        for (uint64_t i = 0; i < count; i++)
            put_number(p, f->type, in_u32(&in));
    }
    value_close(p->c, open);
    return true;
}

static bool put_field(const struct put *p, const struct ras_aero_field *f)
{
    if (f->flags & RAS_AERO_LIST)
        return put_list(p, f);
    if (!cells_room(p->c, SINGLE_CELLS))
        return false;
    if (f->type == RAS_AERO_BYTES || f->type == RAS_AERO_TEXT) {
        struct ras_bytes b = aero_slice(p->payload, f->at, aero_field_present(f, p->payload));
        bool text = f->type == RAS_AERO_TEXT;
        key(p, f->name, f->name_len);
        value_span(p->c, text ? RAS_STR : RAS_BLOB, p->field, b.at,
                   text ? aero_text_len(b) : b.len);
    } else if (f->flags & RAS_AERO_ABSENT || aero_field_present(f, p->payload)) {
        put_single(p, f, p->payload);
    }
    return true;
}

/* Most fields are one number of four bytes, and nothing else. */
static bool is_plain(const struct ras_aero_field *f, struct ras_bytes payload)
{
    return !f->flags && !f->names && f->type >= RAS_AERO_U32 && f->type <= RAS_AERO_F32 &&
           f->at + 4u <= payload.len;
}

bool aero_fields_put(struct cells *c, unsigned field, const struct ras_aero_op *op,
                     struct ras_bytes payload, uint32_t minor)
{
    struct put p = {.c = c, .field = field, .op = op, .payload = payload, .minor = minor};
    if (!cells_room(c, 3))
        return false;
    size_t open = c->count;
    value_put(c, RAS_MAP, 0, field, 0, 0);
    if (!op) {
        KEY(&p, "payload");
        value_span(c, RAS_BLOB, field, payload.at, payload.len);
    }
    for (const struct ras_aero_field *f = op ? op->fields : NULL; f && f->type != RAS_AERO_END;
         f++) {
        if (!is_plain(f, payload)) {
            if (!put_field(&p, f))
                return false;
            continue;
        }
        if (!cells_room(c, 2))
            return false;
        key(&p, f->name, f->name_len);
        put_number(&p, f->type, aero_word_at(payload.at + f->at));
    }
    value_close(c, open);
    return true;
}

bool aero_stream_put(struct cells *c, unsigned field, const struct ras_aero_stream *s)
{
    struct put p = {.c = c, .field = field};
    if (!cells_room(c, 11))
        return false;
    size_t open = c->count;
    value_put(c, RAS_MAP, 0, field, 0, 0);
    KEY(&p, "abi_version");
    value_uint(c, field, 32, s->abi_version);
    KEY(&p, "size_bytes");
    value_uint(c, field, 32, s->size_bytes);
    KEY(&p, "flags");
    value_uint(c, field, 32, s->flags);
    KEY(&p, "reserved0");
    value_uint(c, field, 32, s->reserved0);
    KEY(&p, "reserved1");
    value_uint(c, field, 32, s->reserved1);
    value_close(c, open);
    return true;
}

bool aero_ranges_put(struct cells *c, unsigned field, const struct ras_aero_submission *s)
{
    enum { RANGE_CELLS = 11 };
    struct put p = {.c = c, .field = field};
    if (!cells_room(c, 1 + (size_t)s->memory_range_count * RANGE_CELLS))
        return false;
    size_t list = c->count;
    value_put(c, RAS_LIST, 0, field, 0, 0);
    for (uint32_t i = 0; i < s->memory_range_count; i++) {
        struct ras_aero_range r = ras_aero_range_at(s, i);
        size_t open = c->count;
        value_put(c, RAS_MAP, 0, field, 0, 0);
        KEY(&p, "alloc_id");
        value_uint(c, field, 32, r.alloc_id);
        KEY(&p, "flags");
        value_uint(c, field, 32, r.flags);
        KEY(&p, "gpa");
        value_uint(c, field, 64, r.gpa);
        KEY(&p, "size_bytes");
        value_uint(c, field, 64, r.size_bytes);
        KEY(&p, "blob_id");
        value_uint(c, field, 64, r.blob_id);
        value_close(c, open);
    }
    value_close(c, list);
    return true;
}
