/* duckdb_vectors.c - columns of a batch to the vectors of DuckDB. */
#include "codec/utf8.h"
#include "sql/duckdb_engine.h"
#include "sql/sqlite_reader.h"

#include <string.h>

static const int kinds[] = {
    [RAS_T_BOOL] = DUCKDB_BOOLEAN, [RAS_T_U8] = DUCKDB_UTINYINT,  [RAS_T_U16] = DUCKDB_USMALLINT,
    [RAS_T_U32] = DUCKDB_UINTEGER, [RAS_T_U64] = DUCKDB_UBIGINT,  [RAS_T_I64] = DUCKDB_BIGINT,
    [RAS_T_F32] = DUCKDB_FLOAT,    [RAS_T_F64] = DUCKDB_DOUBLE,   [RAS_T_TEXT] = DUCKDB_VARCHAR,
    [RAS_T_BLOB] = DUCKDB_BLOB,    [RAS_T_JSON] = DUCKDB_VARCHAR,
};
static const uint8_t widths[] = {
    [RAS_T_BOOL] = 1, [RAS_T_U8] = 1,  [RAS_T_U16] = 2, [RAS_T_U32] = 4,
    [RAS_T_U64] = 8,  [RAS_T_I64] = 8, [RAS_T_F32] = 4, [RAS_T_F64] = 8,
};

struct ras_bytes duckdb_text(struct ras_bytes text, struct out *copy)
{
    if (utf8_check(text.at, text.len, NULL))
        return text;
    copy->len = 0;
    for (size_t i = 0, size; i < text.len; i += size ? size : 1) {
        unsigned fault;
        size = utf8_sequence(text.at + i, text.len - i, &fault);
        if (size)
            out_bytes(copy, text.at + i, size);
        else
            out_format(copy, "\\udc%02x", text.at[i]);
    }
    return (struct ras_bytes){copy->at, copy->len};
}

/* Whether all traces of a table have a list of the same scalar there; else it is JSON. */
static bool is_list(const struct duckdb_table *t, size_t column)
{
    const struct ras_column_about *shown = &t->columns[column];
    if (shown->type != RAS_T_LIST || shown->item >= RAS_T_JSON)
        return false;
    for (size_t i = 0; t->read.table && i < t->read.table->member_count; i++) {
        const struct sql_member *m = &t->read.table->members[i];
        size_t own = m->map ? m->map[column] : column;
        if (own != SQL_NO_COLUMN && (m->about->columns[own].type != RAS_T_LIST ||
                                     m->about->columns[own].item != shown->item))
            return false;
    }
    return true;
}

duckdb_handle duckdb_type_of(const struct duckdb_table *t, size_t column)
{
    const struct ras_column_about *about = &t->columns[column];
    if (!is_list(t, column))
        return duck.create_logical_type(about->type == RAS_T_LIST ? DUCKDB_VARCHAR
                                                                  : kinds[about->type]);
    duckdb_handle item = duck.create_logical_type(kinds[about->item]);
    duckdb_handle made = duck.create_list_type(item);
    duck.destroy_logical_type(&item);
    return made;
}

/* ---- columns of a batch to vectors --------------------------------------------------------- */

void duckdb_set_null(duckdb_handle vector, size_t row)
{
    duck.vector_ensure_validity_writable(vector);
    duck.vector_get_validity(vector)[row / 64] &= ~(UINT64_C(1) << row % 64);
}

static void set_null(duckdb_handle vector, uint64_t **valid, size_t row)
{
    if (!*valid) {
        duck.vector_ensure_validity_writable(vector);
        *valid = duck.vector_get_validity(vector);
    }
    (*valid)[row / 64] &= ~(UINT64_C(1) << row % 64);
}

static void set_integer(void *data, enum ras_type type, size_t row, int64_t value)
{
    switch (widths[type]) {
    case 1:
        ((uint8_t *)data)[row] = (uint8_t)value;
        break;
    case 2:
        ((uint16_t *)data)[row] = (uint16_t)value;
        break;
    case 4:
        ((uint32_t *)data)[row] = (uint32_t)value;
        break;
    default:
        ((int64_t *)data)[row] = value;
    }
}

/* Rows from..from+count of a column of `own` type to rows to.. of a vector of `shown` type. */
static void fill_numbers(duckdb_handle vector, enum ras_type shown, size_t to,
                         const struct ras_column *c, enum ras_type own, size_t from, size_t count)
{
    char *data = duck.vector_get_data(vector);
    if (shown == own && shown != RAS_T_BOOL) {
        memcpy(data + to * widths[shown], (const char *)c->values + from * widths[own],
               count * widths[shown]);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (shown == RAS_T_F32)
            ((float *)(void *)data)[to + i] = (float)cell_real(c, own, from + i);
        else if (shown == RAS_T_F64)
            ((double *)(void *)data)[to + i] = cell_real(c, own, from + i);
        else if (shown == RAS_T_BOOL)
            ((uint8_t *)data)[to + i] = cell_integer(c, own, from + i) != 0;
        else
            set_integer(data, shown, to + i, cell_integer(c, own, from + i));
    }
}

/* Where a column goes, and what texts are made with. */
struct filling {
    const struct duckdb_table *table;
    struct reader *reader;
    struct out *text;
};

static void put_bytes(struct out *text, duckdb_handle vector, size_t row, struct ras_bytes bytes,
                      enum ras_type type)
{
    if (type != RAS_T_BLOB)
        bytes = duckdb_text(bytes, text);
    duck.vector_assign_string_element_len(vector, row, bytes.len ? (const char *)bytes.at : "",
                                          bytes.len);
}

static void fill_scalars(const struct filling *f, duckdb_handle vector, enum ras_type shown,
                         size_t to, const struct ras_column *c, const struct ras_column_about *own,
                         size_t from, size_t count)
{
    uint64_t *valid = NULL;
    if (shown <= RAS_T_F64)
        fill_numbers(vector, shown, to, c, own->type, from, count);
    for (size_t i = 0; (shown > RAS_T_F64 || c->valid) && i < count; i++) {
        if (cell_is_null(c, from + i))
            set_null(vector, &valid, to + i);
        else if (shown > RAS_T_F64)
            put_bytes(f->text, vector, to + i,
                      cell_text_of(&f->reader->text, c, own, shown, from + i), shown);
    }
}

/* Lists: their items follow each other in one vector. */
static bool fill_lists(const struct filling *f, duckdb_handle vector, const struct ras_column *c,
                       const struct ras_column_about *own, size_t from, size_t count)
{
    struct duckdb_entry *entries = duck.vector_get_data(vector);
    uint32_t first = c->offsets[from], total = c->offsets[from + count] - first;
    struct ras_column_about item = *own;
    uint64_t *valid = NULL;
    item.type = own->item;
    if (duck.list_vector_reserve(vector, total) || duck.list_vector_set_size(vector, total))
        return false;
    for (size_t i = 0; i < count; i++) {
        entries[i].offset = c->offsets[from + i] - first;
        entries[i].len = c->offsets[from + i + 1] - c->offsets[from + i];
        if (cell_is_null(c, from + i))
            set_null(vector, &valid, i);
    }
    if (total)
        fill_scalars(f, duck.list_vector_get_child(vector), own->item, 0, c->items, &item, first,
                     total);
    return true;
}

bool duckdb_fill(const struct duckdb_table *t, struct reader *reader, duckdb_handle vector,
                 size_t column, size_t from, size_t count, struct out *text)
{
    const struct filling f = {t, reader, text};
    const struct ras_column_about *shown = &t->columns[column];
    if (column == 0 && t->read.table->has_trace) {
        const char *name = reader->current->trace->name;
        for (size_t i = 0; i < count; i++)
            put_bytes(text, vector, i, (struct ras_bytes){(const uint8_t *)name, strlen(name)},
                      RAS_T_TEXT);
        return true;
    }
    const struct ras_column *c = reader_column(reader, column);
    if (!c) {
        uint64_t *valid = NULL;
        for (size_t i = 0; i < count; i++)
            set_null(vector, &valid, i);
        return true;
    }
    const struct ras_column_about *own = reader_about(reader, column);
    if (is_list(t, column))
        return fill_lists(&f, vector, c, own, from, count);
    fill_scalars(&f, vector, shown->type == RAS_T_LIST ? RAS_T_JSON : shown->type, 0, c, own, from,
                 count);
    return true;
}

void duckdb_put_cell(duckdb_handle vector, size_t row, enum ras_type type,
                     const struct ras_value *v, struct out *text)
{
    if (v->kind == RAS_NULL)
        duckdb_set_null(vector, row);
    else if (type == RAS_T_TEXT)
        put_bytes(text, vector, row, (struct ras_bytes){v->at, v->count}, type);
    else
        set_integer(duck.vector_get_data(vector), type, row, v->i);
}
