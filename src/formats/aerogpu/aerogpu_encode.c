/* aerogpu_encode.c - packets and commands made of their fields as JSON. */
#include "formats/aerogpu/aerogpu_op.h"
#include "base/error.h"

struct encoder {
    const struct json_row *row;
    const struct ras_aero_op *op;
    uint64_t size; /* RAS_NONE: unknown */
    struct out *out;
    size_t start; /* of the payload in it */
    struct ras_error *err;
};

static const struct ras_value *given(const struct encoder *e, const struct ras_value *map,
                                     const char *name)
{
    return name ? row_find_in(e->row, map, name) : NULL;
}

/* Derived values, which are printed beside a field, may be given. */
static void note_derived(const struct encoder *e, const struct ras_aero_field *f,
                         const struct ras_value *map)
{
    (void)given(e, map, f->alias);
    if (!(f->flags & RAS_AERO_STAGE_EX))
        return;
    (void)given(e, map, "stage_ex");
    (void)given(e, map, "stage_ex_name");
}

/* The `size` bytes at `at` of the payload, zeros as far as they are new. */
static uint8_t *encode_place(struct encoder *e, uint64_t at, uint64_t size)
{
    size_t need = e->start + (size_t)(at + size);
    if (need > e->out->len) {
        size_t more = need - e->out->len;
        uint8_t *p = out_room(e->out, more);
        if (!p)
            return NULL;
        memset(p, 0, more);
        e->out->len = need;
    }
    return e->out->at + e->start + at;
}

static int store(struct encoder *e, uint64_t at, unsigned width, uint64_t value)
{
    uint8_t *p = encode_place(e, at, width);
    if (!p)
        return fail_memory(e->err);
    if (width == 1)
        store_u8(p, (uint8_t)value);
    else if (width == 4)
        store_u32(p, (uint32_t)value);
    else
        store_u64(p, value);
    return RAS_OK;
}

/* ---- numbers ------------------------------------------------------------------------- */

/* A cell as the bits of a field of this type. */
static bool bits_of(uint8_t type, const struct ras_value *cell, uint64_t *bits)
{
    int64_t whole = 0;
    uint32_t f32 = 0;
    switch (type) {
    case RAS_AERO_F32:
        if (!cell_f32(cell, &f32))
            return false;
        *bits = f32;
        return true;
    case RAS_AERO_I32:
        if (!cell_int(cell, &whole) || whole < INT32_MIN || whole > INT32_MAX)
            return false;
        *bits = (uint32_t)whole;
        return true;
    case RAS_AERO_U64:
        return cell_uint(cell, bits);
    default:
        return cell_uint(cell, bits) && *bits <= (type == RAS_AERO_U8 ? UINT8_MAX : UINT32_MAX);
    }
}

static unsigned width_of(uint8_t type)
{
    return type == RAS_AERO_U8 ? 1 : type == RAS_AERO_U64 ? 8 : 4;
}

static bool value_named(const struct ras_aero_name *names, const struct ras_value *cell,
                        uint64_t *value)
{
    for (; cell->kind == RAS_STR && names->name; names++)
        if (strlen(names->name) == cell->count && !memcmp(names->name, cell->at, cell->count)) {
            *value = names->value;
            return true;
        }
    return false;
}

/* A field may be given by its derived value: a float for its bits, a name for a number, a blob id
 * for its two halves. */
static int put_alias(struct encoder *e, const struct ras_aero_field *f,
                     const struct ras_value *cell, uint64_t base)
{
    uint64_t bits;
    if (f->flags & RAS_AERO_HAS_LO && cell_uint(cell, &bits))
        return store(e, base + f->at - 4, 8, bits);
    if (f->flags & RAS_AERO_BITS && bits_of(RAS_AERO_F32, cell, &bits))
        return store(e, base + f->at, 4, bits);
    if (f->names && value_named(f->names, cell, &bits))
        return store(e, base + f->at, width_of(f->type), bits);
    return row_fail(e->row, f->alias, e->err, "is not a valid value of its field");
}

/* Whether a field may be left out: it is zero, or follows from another. */
static bool is_optional(const struct encoder *e, const struct ras_aero_field *f,
                        const struct ras_value *map, uint64_t base)
{
    if (f->flags & (RAS_AERO_RESERVED | RAS_AERO_ABSENT | RAS_AERO_STAGE_EX))
        return true;
    if (f[1].type != RAS_AERO_END && f[1].flags & RAS_AERO_HAS_LO && given(e, map, f[1].alias))
        return true;
    if (e->size != RAS_NONE && base + f->at + width_of(f->type) > e->size)
        return true; /* it is cut off */
    for (const struct ras_aero_field *c = e->op->fields; c->type != RAS_AERO_END; c++)
        if (c->flags & RAS_AERO_COUNTED && c->count_at == f->at && !base)
            return true;
    return false;
}

static int encode_single(struct encoder *e, const struct ras_aero_field *f,
                         const struct ras_value *map, uint64_t base)
{
    const struct ras_value *cell = given(e, map, f->name);
    uint64_t bits = 0;
    note_derived(e, f, map);
    if (f->flags & RAS_AERO_ABSENT)
        return RAS_OK;
    if (!cell && f->flags & RAS_AERO_STAGE_EX)
        cell = given(e, map, "stage_ex");
    if (!cell && given(e, map, f->alias))
        return put_alias(e, f, given(e, map, f->alias), base);
    if (!cell && is_optional(e, f, map, base))
        return RAS_OK;
    if (!cell)
        return row_fail(e->row, f->name, e->err, "is missing");
    if (!bits_of(f->type, cell, &bits))
        return row_fail(e->row, f->name, e->err, "is not a number that fits");
    return store(e, base + f->at, width_of(f->type), bits);
}

/* ---- bytes and lists --------------------------------------------------------------------- */

/* The count, where it was left out. */
static int put_count(struct encoder *e, const struct ras_aero_field *f, const struct ras_value *map,
                     uint64_t count)
{
    for (const struct ras_aero_field *c = e->op->fields; c->type != RAS_AERO_END; c++)
        if (f->flags & RAS_AERO_COUNTED && c->at == f->count_at && given(e, map, c->name))
            return RAS_OK;
    if (!(f->flags & RAS_AERO_COUNTED) || f->flags & RAS_AERO_LAYOUT)
        return RAS_OK;
    return store(e, f->count_at, f->flags & RAS_AERO_COUNT64 ? 8 : 4, count);
}

static int put_bytes(struct encoder *e, const struct ras_aero_field *f, const struct ras_value *map)
{
    const struct ras_value *cell = given(e, map, f->name);
    struct ras_bytes b = {0};
    bool text = f->type == RAS_AERO_TEXT;
    if (cell && !(text ? cell_text(cell, &b) : cell_bytes(cell, e->row->arena, &b)))
        return row_fail(e->row, f->name, e->err, "is not text%s",
                        text ? "" : " of hexadecimal digits");
    int status = put_count(e, f, map, b.len);
    uint8_t *p = status == RAS_OK ? encode_place(e, f->at, (b.len + 3) & ~(uint64_t)3) : NULL;
    if (status == RAS_OK && !p)
        return fail_memory(e->err);
    if (p)
        store_bytes(p, b.at, b.len);
    return status;
}

static int put_item(struct encoder *e, const struct ras_aero_field *f, const struct ras_value *cell,
                    uint64_t at)
{
    uint64_t bits = 0;
    if (f->type != RAS_AERO_STRUCT)
        return bits_of(f->type, cell, &bits)
                   ? store(e, at, width_of(f->type), bits)
                   : row_fail(e->row, f->name, e->err,
                              "has an item that is not a number that fits");
    if (cell->kind != RAS_MAP)
        return row_fail(e->row, f->name, e->err, "has an item that is not an object");
    int status = encode_place(e, at, f->item_size) ? RAS_OK : fail_memory(e->err);
    for (const struct ras_aero_field *i = f->item; status == RAS_OK && i->type != RAS_AERO_END; i++)
        status = encode_single(e, i, cell, at);
    return status;
}

static int encode_list(struct encoder *e, const struct ras_aero_field *f,
                       const struct ras_value *map)
{
    const struct ras_value *list = given(e, map, f->name);
    unsigned step = f->type == RAS_AERO_STRUCT ? f->item_size : width_of(f->type);
    uint64_t count = 0;
    int status = RAS_OK;
    if (f->flags & RAS_AERO_LAYOUT)
        return RAS_OK; /* the bytes that contain it are given */
    if (list && list->kind != RAS_LIST)
        return row_fail(e->row, f->name, e->err, "is not a list");
    for (const struct ras_value *c = list ? list + 1 : NULL;
         status == RAS_OK && c && c < ras_value_next(list); c = ras_value_next(c))
        status = put_item(e, f, c, f->at + step * count++);
    return status < 0 ? status : put_count(e, f, map, f->per ? count / f->per : count);
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* As long as its size says, or whole words. */
static int settle_size(struct encoder *e, uint64_t base)
{
    uint64_t len = e->out->len - e->start;
    uint64_t need = e->size;
    if (need == RAS_NONE)
        need = len < base ? base : (len + 3) & ~(uint64_t)3;
    if (need > len && !encode_place(e, 0, need))
        return fail_memory(e->err);
    e->out->len = e->start + (size_t)need;
    return RAS_OK;
}

int aero_encode(const struct json_row *row, const struct ras_aero_op *op,
                const struct ras_value *fields, uint64_t size, struct out *out,
                struct ras_error *err)
{
    struct encoder e = {row, op, size, out, out->len, err};
    struct ras_bytes raw = {0};
    int status = RAS_OK;
    if (fields && fields->kind != RAS_MAP)
        return row_fail(row, "fields", err, "is not an object");
    if (!op) { /* an unknown opcode has its bytes */
        const struct ras_value *cell = row_find_in(row, fields, "payload");
        if (!cell || !cell_bytes(cell, row->arena, &raw))
            return row_fail(row, "payload", err, "is %s", cell ? "not hexadecimal" : "missing");
        out_bytes(out, raw.at, raw.len);
        return out->failed ? fail_memory(err) : RAS_OK;
    }
    for (const struct ras_aero_field *f = op->fields; status == RAS_OK && f->type != RAS_AERO_END;
         f++) {
        if (f->flags & RAS_AERO_LIST)
            status = encode_list(&e, f, fields);
        else if (f->type == RAS_AERO_BYTES || f->type == RAS_AERO_TEXT)
            status = put_bytes(&e, f, fields);
        else
            status = encode_single(&e, f, fields, 0);
    }
    return status < 0 ? status : settle_size(&e, op->size_bytes - RAS_AERO_COMMAND_HEADER_SIZE);
}

const struct ras_aero_op *aero_op_of_row(const struct json_row *row, bool packet,
                                         uint64_t size_bytes)
{
    const struct ras_value *number = row_find(row, "opcode"), *name = row_find(row, "name");
    uint32_t size = size_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)size_bytes;
    const struct ras_aero_op *op;
    uint64_t opcode;
    if (number)
        return !cell_uint(number, &opcode) || opcode > UINT32_MAX ? NULL
               : packet ? ras_aero_packet_op((uint32_t)opcode)
                        : ras_aero_command_op((uint32_t)opcode, size);
    for (size_t i = 0; name && name->kind == RAS_STR; i++) {
        op = packet ? ras_aero_packet_op_at(i) : ras_aero_command_op_at(i);
        if (!op || !strcmp(op->name, name->at))
            return op && !packet ? ras_aero_command_op(op->opcode, size) : op;
    }
    return NULL;
}
