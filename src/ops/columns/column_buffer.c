/* column_buffer.c - one column of a batch: aligned buffers that are filled cell by cell. The kind
 * of each cell decides, for a record may hold another one than its type says. */
#include "ops/columns/column_buffer.h"
#include "codec/json_write.h"

#include <math.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

bool aligned_grow(struct aligned_bytes *b, size_t size)
{
    if (size <= b->room)
        return true;
    size_t room = b->room + b->room / 2 > size ? b->room + b->room / 2 : size;
    if (room > SIZE_MAX - ALIGNMENT)
        return false;
    room = (room + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint8_t *bigger = aligned_take(ALIGNMENT, room);
    if (!bigger)
        return false;
    if (b->len)
        memcpy(bigger, b->at, b->len);
    aligned_free(b->at);
    b->at = bigger;
    b->room = room;
    return true;
}

/* Bytes of a value of fixed width; 0: it has none. */
static size_t width_of(enum ras_type type)
{
    static const uint8_t widths[] = {
        [RAS_T_BOOL] = 1, [RAS_T_U8] = 1,   [RAS_T_U16] = 2,  [RAS_T_U32] = 4,
        [RAS_T_U64] = 8,  [RAS_T_I64] = 8,  [RAS_T_F32] = 4,  [RAS_T_F64] = 8,
        [RAS_T_TEXT] = 4, [RAS_T_BLOB] = 0, [RAS_T_JSON] = 0, [RAS_T_LIST] = 0};
    return widths[type];
}

bool column_init(struct column_buffer *b, enum ras_type type, enum ras_type item, unsigned flags,
                 struct out *scratch)
{
    *b = (struct column_buffer){.type = type, .flags = flags, .scratch = scratch};
    if (type == RAS_T_TEXT)
        b->names = column_names_new();
    if (type == RAS_T_LIST) {
        b->items = calloc(1, sizeof *b->items);
        return b->items && column_init(b->items, item, RAS_T_JSON, flags, scratch);
    }
    return type != RAS_T_TEXT || b->names;
}

void column_free(struct column_buffer *b)
{
    if (b->items)
        column_free(b->items);
    free(b->items);
    column_names_free(b->names);
    column_names_free(b->old_names);
    aligned_free(b->values.at);
    aligned_free(b->valid.at);
    aligned_free(b->offsets.at);
}

/* Fixed values and offsets of so many rows; the bits of those before stay. */
static bool column_room(struct column_buffer *b, size_t rows)
{
    size_t width = width_of(b->type);
    if (rows <= b->room)
        return true;
    b->values.len = width ? b->row * width : b->values.len;
    b->valid.len = b->nulls ? (b->row + 7) / 8 : 0;
    b->offsets.len = width ? 0 : (b->row + 1) * sizeof(uint32_t);
    size_t most = rows + rows / 2;
    if (!b->offsets.at)
        b->offsets.len = 0;
    bool ok = aligned_grow(&b->valid, most / 8 + 8) &&
              (width ? aligned_grow(&b->values, most * width)
                     : aligned_grow(&b->offsets, (most + 1) * sizeof(uint32_t)));
    if (!ok)
        return false;
    if (b->nulls) /* the rest has no null yet */
        memset(b->valid.at + (b->row + 7) / 8, 0xff, b->valid.room - (b->row + 7) / 8);
    b->room = most;
    return true;
}

bool column_begin(struct column_buffer *b, size_t rows)
{
    b->row = 0;
    b->nulls = b->unfit = 0;
    b->nomem = b->too_long = false;
    if (!width_of(b->type))
        b->values.len = 0;
    column_names_free(b->old_names);
    b->old_names = NULL;
    if (b->names && column_names_full(b->names)) {
        b->old_names = b->names;
        b->names = column_names_new();
        if (!b->names) {
            b->names = b->old_names;
            b->old_names = NULL;
            return false;
        }
    }
    if (!column_room(b, rows ? rows : 1) || (b->items && !column_begin(b->items, 64)))
        return false;
    if (b->offsets.at)
        ((uint32_t *)(void *)b->offsets.at)[0] = 0;
    return true;
}

void column_end(struct column_buffer *b)
{
    b->out = (struct ras_column){.values = b->values.at,
                                 .valid = b->nulls ? b->valid.at : NULL,
                                 .nulls = b->nulls,
                                 .unfit = b->unfit};
    if (!width_of(b->type)) {
        b->out.offsets = (const uint32_t *)(const void *)b->offsets.at;
        b->bytes_out = (struct ras_column){.values = b->values.at};
        b->out.items = &b->bytes_out;
    }
    if (b->items) {
        column_end(b->items);
        b->out.items = &b->items->out;
        b->out.values = NULL;
    }
    if (b->names) {
        b->names->out = (struct ras_names){b->names->at, b->names->len, (uint32_t)b->names->count};
        b->out.names = &b->names->out;
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

static void put_offset(struct column_buffer *b, size_t end)
{
    if (end > UINT32_MAX)
        b->too_long = true;
    ((uint32_t *)(void *)b->offsets.at)[b->row] = (uint32_t)end;
}

void column_null(struct column_buffer *b)
{
    if (!b->nulls++)
        memset(b->valid.at, 0xff, b->valid.room);
    b->valid.at[b->row / 8] &= (uint8_t) ~(1u << b->row % 8);
    size_t width = width_of(b->type);
    if (width) {
        memset(b->values.at + b->row++ * width, 0, width);
        return;
    }
    b->row++;
    put_offset(b, b->items ? b->items->row : b->values.len);
}

void column_nulls(struct column_buffer *b, size_t count)
{
    size_t end = b->row + count, width = width_of(b->type);
    while (b->row < end && (b->row % 8 || end - b->row < 8))
        column_null(b);
    size_t many = (end - b->row) / 8;
    if (many) {
        if (!b->nulls)
            memset(b->valid.at, 0xff, b->valid.room);
        b->nulls += 8 * many;
        memset(b->valid.at + b->row / 8, 0, many);
        memset(b->values.at + b->row * width, 0, 8 * many * width);
        b->row += 8 * many;
    }
    while (b->row < end)
        column_null(b);
}

void column_unfit(struct column_buffer *b)
{
    b->unfit++;
    column_null(b);
}

void column_text(struct column_buffer *b, const void *at, size_t len)
{
    uint32_t code = column_names_code(b->names, at, (uint32_t)len);
    b->nomem |= code == UINT32_MAX;
    column_u32(b, code == UINT32_MAX ? 0 : code);
}

void column_bytes(struct column_buffer *b, const void *at, size_t len)
{
    if (!aligned_grow(&b->values, b->values.len + len + 1)) {
        b->nomem = true;
        len = 0;
    }
    if (len)
        memcpy(b->values.at + b->values.len, at, len);
    b->values.len += len;
    b->row++;
    put_offset(b, b->values.len);
}

static void put_json(struct column_buffer *b, const struct ras_value *v)
{
    struct out *out = b->scratch;
    out->len = 0;
    json_put_value(out, v, b->flags, false);
    b->nomem |= out->failed;
    out->failed = false;
    column_bytes(b, out->at, out->len);
}

/* An integer of fewer bits. */
static void put_uint(struct column_buffer *b, uint64_t u)
{
    static const uint64_t most[] = {[RAS_T_BOOL] = 1,
                                    [RAS_T_U8] = UINT8_MAX,
                                    [RAS_T_U16] = UINT16_MAX,
                                    [RAS_T_U32] = UINT32_MAX,
                                    [RAS_T_U64] = UINT64_MAX};
    if (u > most[b->type]) {
        column_unfit(b);
        return;
    }
    switch (b->type) {
    case RAS_T_U16:
        ((uint16_t *)(void *)b->values.at)[b->row++] = (uint16_t)u;
        return;
    case RAS_T_U32:
        column_u32(b, (uint32_t)u);
        return;
    case RAS_T_U64:
        column_u64(b, u);
        return;
    default:
        b->values.at[b->row++] = (uint8_t)u;
    }
}

static void put_unsigned(struct column_buffer *b, const struct ras_value *v)
{
    if (v->kind == RAS_UINT || v->kind == RAS_BOOL || (v->kind == RAS_INT && v->i >= 0))
        put_uint(b, v->u);
    else
        column_unfit(b);
}

static void put_signed(struct column_buffer *b, const struct ras_value *v)
{
    if (v->kind == RAS_INT || ((v->kind == RAS_UINT || v->kind == RAS_BOOL) && v->u <= INT64_MAX))
        column_u64(b, v->u);
    else
        column_unfit(b);
}

static bool is_exact(const struct ras_value *v)
{
    const int64_t most = INT64_C(1) << 53;
    return v->kind == RAS_INT ? v->i >= -most && v->i <= most : v->u <= (uint64_t)most;
}

static void put_float(struct column_buffer *b, const struct ras_value *v)
{
    double wide = v->kind == RAS_F64   ? v->f64
                  : v->kind == RAS_F32 ? (double)v->f32
                  : v->kind == RAS_INT ? (double)v->i
                                       : (double)v->u;
    bool ok = v->kind == RAS_F32 || v->kind == RAS_F64 ||
              ((v->kind == RAS_UINT || v->kind == RAS_INT) && is_exact(v));
    if (ok && b->type == RAS_T_F64) {
        memcpy(b->values.at + b->row++ * sizeof wide, &wide, sizeof wide);
        return;
    }
    float narrow = (float)wide;
    if (ok && v->kind == RAS_F32)
        narrow = v->f32; /* with the bits of a NaN */
    if (!ok || (v->kind != RAS_F32 && (double)narrow != wide && !isnan(wide))) {
        column_unfit(b);
        return;
    }
    memcpy(b->values.at + b->row++ * sizeof narrow, &narrow, sizeof narrow);
}

static void put_list(struct column_buffer *b, const struct ras_value *v)
{
    struct column_buffer *items = b->items;
    const struct ras_value *end = ras_value_next(v);
    if (!column_room(items, items->row + v->count + 1)) {
        b->nomem = true;
        column_null(b);
        return;
    }
    for (const struct ras_value *item = v + 1; item < end; item = ras_value_next(item))
        column_cell(items, item);
    b->nomem |= items->nomem;
    b->too_long |= items->too_long;
    b->row++;
    put_offset(b, items->row);
}

void column_cell(struct column_buffer *b, const struct ras_value *v)
{
    if (v->kind == RAS_NULL) {
        column_null(b);
        return;
    }
    switch (b->type) {
    case RAS_T_I64:
        put_signed(b, v);
        return;
    case RAS_T_F32:
    case RAS_T_F64:
        put_float(b, v);
        return;
    case RAS_T_TEXT:
        if (v->kind != RAS_STR)
            break;
        column_text(b, v->at, v->count);
        return;
    case RAS_T_BLOB:
        if (v->kind != RAS_BLOB && v->kind != RAS_STR)
            break;
        column_bytes(b, v->at, v->count);
        return;
    case RAS_T_JSON:
        put_json(b, v);
        return;
    case RAS_T_LIST:
        if (v->kind != RAS_LIST)
            break;
        put_list(b, v);
        return;
    default:
        put_unsigned(b, v);
        return;
    }
    column_unfit(b);
}
