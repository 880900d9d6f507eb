/* parquet_chunk.c - the values of one column, gathered until a row group of a Parquet file is
 * full. */
#include "base/memory.h"
#include "codec/utf8.h"
#include "export/parquet.h"
#include "export/parquet_chunk.h"

#include <stdlib.h>

static const struct parquet_kind kinds[] = {
    [RAS_T_BOOL] = {PARQUET_BOOLEAN, 1, 0, false, false, -1},
    [RAS_T_U8] = {PARQUET_INT32, 4, 8, false, false, 11},
    [RAS_T_U16] = {PARQUET_INT32, 4, 16, false, false, 12},
    [RAS_T_U32] = {PARQUET_INT32, 4, 32, false, false, 13},
    [RAS_T_U64] = {PARQUET_INT64, 8, 64, false, false, 14},
    [RAS_T_I64] = {PARQUET_INT64, 8, 0, true, false, -1},
    [RAS_T_F32] = {PARQUET_FLOAT, 4, 0, false, false, -1},
    [RAS_T_F64] = {PARQUET_DOUBLE, 8, 0, false, false, -1},
    [RAS_T_TEXT] = {PARQUET_BYTE_ARRAY, 0, 0, false, true, 0},
    [RAS_T_BLOB] = {PARQUET_BYTE_ARRAY, 0, 0, false, false, -1},
    [RAS_T_JSON] = {PARQUET_BYTE_ARRAY, 0, 0, false, true, 0},
};

const struct parquet_kind *parquet_kind_of(enum ras_type type)
{
    return &kinds[type];
}

static enum ras_type value_type(const struct parquet_chunk *k)
{
    return k->is_list ? k->about->item : k->about->type;
}

size_t parquet_chunk_size(const struct parquet_chunk *k)
{
    return k->values.len + k->lengths.len + k->levels.len + k->repeats.len + k->entry_ends.len;
}

/* ---- one value -------------------------------------------------------------------------- */

static bool put_u32(struct out *out, uint32_t value)
{
    out_bytes(out, &value, sizeof value); /* read again on this machine only */
    return !out->failed;
}

/* Fixed-width values from..to of a column, none of them null. */
static void add_fixed(struct parquet_chunk *k, const void *values, size_t from, size_t to)
{
    const uint8_t *u8 = values;
    const uint16_t *u16 = values;
    enum ras_type type = value_type(k);
    size_t width = k->kind->width;
    if (type != RAS_T_U8 && type != RAS_T_U16) {
        out_bytes(&k->values, u8 + from * width, (to - from) * width);
        return;
    }
    for (size_t i = from; i < to; i++)
        put_u32(&k->values, type == RAS_T_U8 ? u8[i] : u16[i]);
}

static void add_bytes(struct parquet_chunk *k, const struct ras_column *column, size_t i)
{
    const uint8_t *bytes = column->items ? column->items->values : NULL;
    uint32_t from = column->offsets[i], to = column->offsets[i + 1];
    if (bytes)
        out_bytes(&k->values, bytes + from, to - from);
    put_u32(&k->lengths, to - from);
}

void parquet_chunk_forget(struct parquet_chunk *k)
{
    if (k->local)
        memset(k->local, 0, k->local_room * sizeof *k->local);
    k->names = NULL;
}

/* The entry of a text, which is copied when it is met for the first time. */
static uint32_t text_entry(struct parquet_chunk *k, const struct ras_names *names, uint32_t code)
{
    if (names != k->names) { /* a column's reader began new names: codes mean other texts */
        parquet_chunk_forget(k);
        k->names = names;
    }
    size_t old = k->local_room;
    if (code >= old) {
        if (!array_grow(&k->local, &k->local_room, names->count, sizeof *k->local)) {
            k->values.failed = true;
            return 0;
        }
        memset(k->local + old, 0, (k->local_room - old) * sizeof *k->local);
    }
    if (!k->local[code]) {
        k->not_utf8 += !utf8_put(&k->values, names->at[code], names->len[code]);
        put_u32(&k->entry_ends, (uint32_t)k->values.len);
        k->local[code] = ++k->entry_count;
    }
    return k->local[code] - 1;
}

/* Entries of texts that were met before are the most: they cost a load and a store each. */
static void add_texts(struct parquet_chunk *k, const struct ras_column *column, size_t from,
                      size_t to)
{
    const uint32_t *codes = column->values;
    uint8_t *at = out_reserve(&k->lengths, (to - from) * sizeof(uint32_t));
    if (!at)
        return;
    for (size_t i = from; i < to; i++, at += sizeof(uint32_t)) {
        bool is_known = column->names == k->names && codes[i] < k->local_room && k->local[codes[i]];
        uint32_t entry = is_known ? k->local[codes[i]] - 1 : text_entry(k, column->names, codes[i]);
        memcpy(at, &entry, sizeof entry); /* read again on this machine only */
    }
    k->lengths.len += (to - from) * sizeof(uint32_t);
}

/* Values from..to of a column, none of them null. */
static void add_values(struct parquet_chunk *k, const struct ras_column *column, size_t from,
                       size_t to)
{
    k->value_count += to - from;
    if (k->kind->width) {
        add_fixed(k, column->values, from, to);
        return;
    }
    if (value_type(k) == RAS_T_TEXT) {
        add_texts(k, column, from, to);
        return;
    }
    for (size_t i = from; i < to; i++)
        add_bytes(k, column, i);
}

/* ---- rows ------------------------------------------------------------------------------- */

static inline bool is_null(const struct ras_column *column, size_t i)
{
    return column->valid && !(column->valid[i / 8] >> i % 8 & 1);
}

static void add_level(struct parquet_chunk *k, uint8_t level)
{
    out_byte(&k->levels, level);
    k->level_count++;
}

/* The same of many rows. */
static void add_levels(struct parquet_chunk *k, uint8_t level, size_t count)
{
    uint8_t *at = out_reserve(&k->levels, count);
    if (!at)
        return;
    memset(at, level, count);
    k->levels.len += count;
    k->level_count += count;
}

/* Definition: 0 null, 1 empty, 2 an item. */
static void add_list(struct parquet_chunk *k, const struct ras_column *column, size_t i)
{
    uint32_t from = column->offsets[i], to = column->offsets[i + 1];
    bool null = is_null(column, i) || list_has_null(column, i);
    if (null || from == to) {
        add_level(k, !null);
        out_byte(&k->repeats, 0);
        k->nulls += null;
        return;
    }
    for (uint32_t item = from; item < to; item++) {
        add_level(k, 2);
        out_byte(&k->repeats, item > from);
    }
    add_values(k, column->items, from, to);
}

/* Where the rows end that are null, or not, as row i is. */
static size_t equal_validity(const struct ras_column *column, size_t i, size_t to)
{
    bool null = is_null(column, i);
    uint8_t all = null ? 0 : 0xff;
    size_t end = i + 1;
    while (end < to && is_null(column, end) == null) {
        end++;
        while (end % 8 == 0 && to - end >= 8 && column->valid[end / 8] == all)
            end += 8;
    }
    return end;
}

/* Rows that follow each other, from..to. */
static void add_rows(struct parquet_chunk *k, const struct ras_column *column, size_t from,
                     size_t to)
{
    for (size_t i = from, end; i < to; i = end) {
        bool null = is_null(column, i);
        end = column->valid ? equal_validity(column, i, to) : to;
        if (k->is_optional)
            add_levels(k, !null, end - i);
        if (null)
            k->nulls += end - i;
        else
            add_values(k, column, i, end);
    }
}

bool parquet_chunk_add(struct parquet_chunk *k, const struct ras_column *column,
                       const uint32_t *selected, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        size_t row = selected ? selected[i] : i;
        end = selected ? i + 1 : count;
        while (selected && end < count && selected[end] == selected[end - 1] + 1)
            end++;
        for (size_t n = row; k->is_list && n < row + (end - i); n++)
            add_list(k, column, n);
        if (!k->is_list)
            add_rows(k, column, row, row + (end - i));
    }
    k->rows += count;
    return !k->values.failed && !k->lengths.failed && !k->levels.failed && !k->repeats.failed &&
           !k->entry_ends.failed;
}

void parquet_chunk_cut(struct parquet_chunk *k)
{
    k->cuts[k->cut_count++] = (struct parquet_cut){k->rows, k->level_count, k->value_count};
}

void parquet_chunk_reset(struct parquet_chunk *k)
{
    k->values.len = k->lengths.len = k->levels.len = k->repeats.len = k->entry_ends.len = 0;
    k->rows = k->value_count = k->level_count = k->cut_count = k->page_count = 0;
    k->entry_count = 0;
    k->nulls = 0;
    k->has_dictionary = false;
    k->range.known = false;
    parquet_chunk_forget(k);
}

void parquet_chunk_free(struct parquet_chunk *k)
{
    out_free(&k->values);
    out_free(&k->lengths);
    out_free(&k->levels);
    out_free(&k->repeats);
    out_free(&k->entry_ends);
    free(k->local);
}
