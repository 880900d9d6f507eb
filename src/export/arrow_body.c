/* arrow_body.c - columns as the buffers of a record batch of Arrow. */
#include "codec/utf8.h"
#include "export/arrow_body.h"
#include "export/flat.h"
#include "export/parquet.h"

#include <stdlib.h>

static const uint8_t widths[] = {
    [RAS_T_BOOL] = 1, [RAS_T_U8] = 1,  [RAS_T_U16] = 2, [RAS_T_U32] = 4,  [RAS_T_U64] = 8,
    [RAS_T_I64] = 8,  [RAS_T_F32] = 4, [RAS_T_F64] = 8, [RAS_T_LIST] = 0,
};

void arrow_body_begin(struct arrow_body *a)
{
    a->bytes.len = a->nodes.len = a->places.len = 0;
}

void arrow_body_end(struct arrow_body *a)
{
    flat_align(&a->bytes, ARROW_ALIGNMENT);
}

bool arrow_body_failed(const struct arrow_body *a)
{
    return a->bytes.failed || a->nodes.failed || a->places.failed || a->clean.failed;
}

void arrow_body_free(struct arrow_body *a)
{
    out_free(&a->bytes);
    out_free(&a->nodes);
    out_free(&a->places);
    out_free(&a->clean);
}

static inline size_t arrow_row_at(const struct arrow_rows *rows, size_t i)
{
    return rows->selected ? rows->selected[i] : i;
}

static void arrow_put_node(struct arrow_body *a, size_t length, uint64_t nulls)
{
    flat_put(&a->nodes, length, 8);
    flat_put(&a->nodes, nulls, 8);
}

/* A buffer begins; where, for arrow_end_buffer(). */
static size_t arrow_begin_buffer(struct arrow_body *a)
{
    flat_align(&a->bytes, ARROW_ALIGNMENT);
    return a->bytes.len;
}

static void arrow_end_buffer(struct arrow_body *a, size_t at)
{
    flat_put(&a->places, at, 8);
    flat_put(&a->places, a->bytes.len - at, 8);
}

static bool arrow_is_valid(const struct ras_column *column, size_t i)
{
    if (column->items && list_has_null(column, i))
        return false;
    return !column->valid || column->valid[i / 8] >> i % 8 & 1;
}

/* Bits of `count` rows, by a test; how many are not set. */
static uint64_t arrow_put_bits(struct out *out, const struct arrow_rows *rows,
                               const struct ras_column *column, bool of_values)
{
    const uint8_t *values = column->values;
    uint64_t unset = 0;
    for (size_t i = 0; i < rows->count; i += 8) {
        unsigned byte = 0;
        for (size_t k = i; k < rows->count && k < i + 8; k++) {
            size_t row = arrow_row_at(rows, k);
            bool set = of_values ? values[row] : arrow_is_valid(column, row);
            byte |= (unsigned)set << (k - i);
            unset += !set;
        }
        out_byte(out, (uint8_t)byte);
    }
    return unset;
}

/* Validity, empty where none is null; how many are. */
static uint64_t arrow_put_validity(struct arrow_body *a, const struct arrow_rows *rows,
                                   const struct ras_column *column)
{
    size_t at = arrow_begin_buffer(a);
    bool has_nulls = column->valid || (column->items && column->items->valid);
    uint64_t nulls = has_nulls ? arrow_put_bits(&a->bytes, rows, column, false) : 0;
    if (!nulls && !a->bytes.failed)
        a->bytes.len = at;
    arrow_end_buffer(a, at);
    return nulls;
}

static void arrow_put_fixed(struct arrow_body *a, const struct arrow_rows *rows,
                            const struct ras_column *column, size_t width)
{
    const uint8_t *values = column->values;
    size_t at = arrow_begin_buffer(a);
    if (!rows->selected)
        out_bytes(&a->bytes, values, rows->count * width);
    for (size_t i = 0; rows->selected && i < rows->count; i++)
        out_bytes(&a->bytes, values + rows->selected[i] * width, width);
    arrow_end_buffer(a, at);
}

/* Codes of null rows are 0: readers may look them up. */
static void arrow_put_codes(struct arrow_body *a, const struct arrow_rows *rows,
                            const struct ras_column *column)
{
    const uint32_t *codes = column->values;
    size_t at = arrow_begin_buffer(a);
    for (size_t i = 0; i < rows->count; i++) {
        size_t row = arrow_row_at(rows, i);
        flat_put(&a->bytes, arrow_is_valid(column, row) ? codes[row] : 0, 4);
    }
    arrow_end_buffer(a, at);
}

/* Where each row's bytes or items end; null rows have none. */
static uint64_t arrow_put_offsets(struct arrow_body *a, const struct arrow_rows *rows,
                                  const struct ras_column *column)
{
    uint64_t end = 0;
    size_t at = arrow_begin_buffer(a);
    flat_put(&a->bytes, 0, 4);
    for (size_t i = 0; i < rows->count; i++) {
        size_t row = arrow_row_at(rows, i);
        if (arrow_is_valid(column, row))
            end += column->offsets[row + 1] - column->offsets[row];
        flat_put(&a->bytes, end, 4);
    }
    arrow_end_buffer(a, at);
    return end;
}

static void arrow_put_long(struct arrow_body *a, const struct arrow_rows *rows,
                           const struct ras_column *column)
{
    (void)arrow_put_offsets(a, rows, column);
    const uint8_t *bytes = column->items ? column->items->values : NULL;
    size_t at = arrow_begin_buffer(a);
    for (size_t i = 0; bytes && i < rows->count; i++) {
        size_t row = arrow_row_at(rows, i);
        if (arrow_is_valid(column, row))
            out_bytes(&a->bytes, bytes + column->offsets[row],
                      column->offsets[row + 1] - column->offsets[row]);
    }
    arrow_end_buffer(a, at);
}

static void arrow_put_scalar(struct arrow_body *a, const struct arrow_rows *rows,
                             const struct ras_column *column, enum ras_type type)
{
    if (type == RAS_T_BOOL) {
        size_t at = arrow_begin_buffer(a);
        (void)arrow_put_bits(&a->bytes, rows, column, true);
        arrow_end_buffer(a, at);
    } else if (type == RAS_T_TEXT) {
        arrow_put_codes(a, rows, column);
    } else if (widths[type]) {
        arrow_put_fixed(a, rows, column, widths[type]);
    } else {
        arrow_put_long(a, rows, column);
    }
}

/* The items of the rows, one after the other: as rows of their own, by number. */
static bool arrow_put_items(struct arrow_body *a, const struct arrow_rows *rows,
                            const struct ras_column *column, enum ras_type item)
{
    uint64_t count = arrow_put_offsets(a, rows, column);
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    size_t n = 0;
    for (size_t i = 0; numbers && i < rows->count; i++) {
        size_t row = arrow_row_at(rows, i);
        for (uint32_t k = column->offsets[row];
             arrow_is_valid(column, row) && k < column->offsets[row + 1]; k++)
            numbers[n++] = k;
    }
    struct arrow_rows items = {numbers, n};
    arrow_put_node(a, n, 0);
    arrow_end_buffer(a, arrow_begin_buffer(a)); /* no item is null */
    if (numbers)
        arrow_put_scalar(a, &items, column->items, item);
    free(numbers);
    return numbers != NULL;
}

bool arrow_body_column(struct arrow_body *a, const struct arrow_rows *rows,
                       const struct ras_column *column, const struct ras_column_about *about)
{
    size_t node = a->nodes.len;
    arrow_put_node(a, rows->count, 0);
    uint64_t nulls = arrow_put_validity(a, rows, column);
    if (!a->nodes.failed)
        store_u64(a->nodes.at + node + 8, nulls);
    if (about->type == RAS_T_LIST)
        return arrow_put_items(a, rows, column, about->item);
    arrow_put_scalar(a, rows, column, about->type);
    return true;
}

void arrow_body_names(struct arrow_body *a, const struct ras_names *names, uint32_t from)
{
    a->clean.len = 0;
    arrow_put_node(a, names->count - from, 0);
    arrow_end_buffer(a, arrow_begin_buffer(a));
    size_t at = arrow_begin_buffer(a);
    flat_put(&a->bytes, 0, 4);
    for (uint32_t i = from; i < names->count; i++) {
        a->not_utf8 += !utf8_put(&a->clean, names->at[i], names->len[i]);
        flat_put(&a->bytes, a->clean.len, 4);
    }
    arrow_end_buffer(a, at);
    at = arrow_begin_buffer(a);
    out_bytes(&a->bytes, a->clean.at, a->clean.len);
    arrow_end_buffer(a, at);
}

const struct ras_names *arrow_names_of(const struct ras_column *column,
                                       const struct ras_column_about *about)
{
    if (about->type == RAS_T_LIST)
        return about->item == RAS_T_TEXT ? column->items->names : NULL;
    return about->type == RAS_T_TEXT ? column->names : NULL;
}
