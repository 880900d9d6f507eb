/* duckdb_scan.c - a table of a trace as a table function of DuckDB.
 *
 * DuckDB names the columns that it uses; conditions stay with it. Rows come in stored order, up to
 * a vector of them a call. */
#include "base/error.h"
#include "codec/utf8.h"
#include "sql/duckdb_engine.h"
#include "sql/sqlite_reader.h"

#include <stdio.h>
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

/* One execution: the columns that are wanted, and where they go. */
struct scan {
    struct duckdb_table *table;
    struct reader reader;
    uint16_t *wanted;
    size_t wanted_count;
    size_t at; /* row of the batch */
    bool has_batch;
    struct ras_sql_query *query; /* of a table that is a query */
    bool has_ended;              /* it: SQLite would begin again */
    struct out text;
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

static void put_bytes(struct scan *s, duckdb_handle vector, size_t row, struct ras_bytes bytes,
                      enum ras_type type)
{
    if (type != RAS_T_BLOB)
        bytes = duckdb_text(bytes, &s->text);
    duck.vector_assign_string_element_len(vector, row, bytes.len ? (const char *)bytes.at : "",
                                          bytes.len);
}

static void fill_scalars(struct scan *s, duckdb_handle vector, enum ras_type shown, size_t to,
                         const struct ras_column *c, const struct ras_column_about *own,
                         size_t from, size_t count)
{
    uint64_t *valid = NULL;
    if (shown <= RAS_T_F64)
        fill_numbers(vector, shown, to, c, own->type, from, count);
    for (size_t i = 0; (shown > RAS_T_F64 || c->valid) && i < count; i++) {
        if (cell_is_null(c, from + i))
            set_null(vector, &valid, to + i);
        else if (shown > RAS_T_F64)
            put_bytes(s, vector, to + i, cell_text_of(&s->reader.text, c, own, shown, from + i),
                      shown);
    }
}

/* Lists: their items lie behind each other in one vector. */
static bool fill_lists(struct scan *s, duckdb_handle vector, const struct ras_column *c,
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
        fill_scalars(s, duck.list_vector_get_child(vector), own->item, 0, c->items, &item, first,
                     total);
    return true;
}

static bool fill_column(struct scan *s, duckdb_handle vector, size_t column, size_t count)
{
    const struct duckdb_table *t = s->table;
    const struct ras_column_about *shown = &t->columns[column];
    if (column == 0 && t->read.table->has_trace) {
        const char *name = s->reader.current->trace->name;
        for (size_t i = 0; i < count; i++)
            put_bytes(s, vector, i, (struct ras_bytes){(const uint8_t *)name, strlen(name)},
                      RAS_T_TEXT);
        return true;
    }
    const struct ras_column *c = reader_column(&s->reader, column);
    if (!c) {
        uint64_t *valid = NULL;
        for (size_t i = 0; i < count; i++)
            set_null(vector, &valid, i);
        return true;
    }
    const struct ras_column_about *own = reader_about(&s->reader, column);
    if (is_list(t, column))
        return fill_lists(s, vector, c, own, s->at, count);
    fill_scalars(s, vector, shown->type == RAS_T_LIST ? RAS_T_JSON : shown->type, 0, c, own, s->at,
                 count);
    return true;
}

/* ---- a query as a table -------------------------------------------------------------------- */

static void put_cell(struct scan *s, duckdb_handle vector, size_t row, enum ras_type type,
                     const struct ras_value *v)
{
    uint64_t *valid = NULL;
    if (v->kind == RAS_NULL)
        set_null(vector, &valid, row);
    else if (type == RAS_T_TEXT)
        put_bytes(s, vector, row, (struct ras_bytes){v->at, v->count}, type);
    else
        set_integer(duck.vector_get_data(vector), type, row, v->i);
}

static int query_rows(struct scan *s, duckdb_handle chunk, uint64_t *rows, struct ras_error *err)
{
    const struct ras_value *cells;
    int status = RAS_OK;
    for (*rows = 0; !s->has_ended && *rows < duck.vector_size(); ++*rows) {
        status = ras_sql_next(s->query, &cells, err);
        s->has_ended = status != RAS_OK;
        if (s->has_ended)
            break;
        for (size_t i = 0; i < s->wanted_count; i++)
            if (s->wanted[i] != SQL_NO_COLUMN)
                put_cell(s, duck.data_chunk_get_vector(chunk, i), *rows,
                         s->table->columns[s->wanted[i]].type, &cells[s->wanted[i]]);
    }
    return status;
}

/* ---- callbacks ----------------------------------------------------------------------------- */

static void scan_bind(duckdb_handle info)
{
    const struct duckdb_table *t = duck.bind_get_extra_info(info);
    uint64_t rows = 0;
    struct out name = {0};
    for (size_t i = 0; i < t->column_count; i++) {
        const char *own = t->columns[i].name;
        struct ras_bytes shown =
            duckdb_text((struct ras_bytes){(const uint8_t *)own, strlen(own)}, &name);
        char *copy = text_copy(shown.at, shown.len);
        duckdb_handle type = duckdb_type_of(t, i);
        duck.bind_add_result_column(info, copy ? copy : own, type);
        duck.destroy_logical_type(&type);
        free(copy);
    }
    out_free(&name);
    for (size_t i = 0; t->read.table && i < t->read.table->member_count; i++) {
        uint64_t more = t->read.table->members[i].about->rows;
        rows = more == RAS_NONE || rows == RAS_NONE ? RAS_NONE : rows + more;
    }
    if (t->read.table && rows != RAS_NONE)
        duck.bind_set_cardinality(info, rows, false);
}

static void scan_forget(void *data)
{
    struct scan *s = data;
    ras_sql_query_close(s->query);
    reader_close(&s->reader);
    out_free(&s->text);
    free(s->wanted);
    free(s);
}

static int scan_start(struct scan *s, struct ras_error *err)
{
    size_t used;
    if (s->table->query)
        return ras_sql_prepare(&s->query, &s->table->duckdb->names, s->table->query,
                               strlen(s->table->query), &used, err);
    uint16_t *read = s->wanted + s->wanted_count; /* without row numbers, which count rows */
    for (size_t i = 0; i < s->wanted_count; i++)
        if (s->wanted[i] != SQL_NO_COLUMN)
            read[s->reader.wanted_count++] = s->wanted[i];
    s->reader.wanted = read;
    return reader_open(&s->reader, &s->table->read, err);
}

static void scan_init(duckdb_handle info)
{
    struct ras_error err;
    struct scan *s = calloc(1, sizeof *s);
    uint64_t count = duck.init_get_column_count(info);
    if (s)
        s->wanted = calloc(2 * count + 1, sizeof *s->wanted);
    if (!s || !s->wanted) {
        free(s);
        duck.init_set_error(info, "out of memory");
        return;
    }
    s->table = duck.init_get_extra_info(info);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t column = duck.init_get_column_index(info, i);
        s->wanted[i] = column < s->table->column_count ? (uint16_t)column : SQL_NO_COLUMN;
    }
    s->wanted_count = count;
    int status = scan_start(s, &err);
    duck.init_set_init_data(info, s, scan_forget);
    if (status < 0) {
        s->table->duckdb->module.err = err;
        duck.init_set_error(info, err.text);
    }
}

/* Rows of the batch, or of the next one: 0 at the end. */
static int batch_rows(struct scan *s, duckdb_handle chunk, uint64_t *rows, struct ras_error *err)
{
    *rows = 0;
    if (!s->has_batch || s->at == s->reader.batch->rows) {
        int status = reader_next(&s->reader, err);
        s->has_batch = status == RAS_OK;
        s->at = 0;
        if (status != RAS_OK)
            return status;
    }
    uint64_t left = s->reader.batch->rows - s->at, most = duck.vector_size();
    uint64_t count = left < most ? left : most;
    for (size_t i = 0; i < s->wanted_count; i++)
        if (s->wanted[i] != SQL_NO_COLUMN &&
            !fill_column(s, duck.data_chunk_get_vector(chunk, i), s->wanted[i], count))
            return fail_memory(err);
    if (s->text.failed || s->reader.text.out.failed)
        return fail_memory(err);
    s->at += count;
    *rows = count;
    return RAS_OK;
}

static void scan_rows(duckdb_handle info, duckdb_handle chunk)
{
    struct scan *s = duck.function_get_init_data(info);
    struct ras_error err;
    uint64_t rows;
    int status = s->query ? query_rows(s, chunk, &rows, &err) : batch_rows(s, chunk, &rows, &err);
    duck.data_chunk_set_size(chunk, status < 0 ? 0 : rows);
    if (status < 0) {
        s->table->duckdb->module.err = err;
        duck.function_set_error(info, err.text);
    }
}

int duckdb_scan_register(struct duckdb *d, size_t table, struct ras_error *err)
{
    char name[40];
    duckdb_handle function = duck.create_table_function();
    snprintf(name, sizeof name, "rastrum_%zu", table);
    duck.table_function_set_name(function, name);
    duck.table_function_set_extra_info(function, &d->tables[table], NULL);
    duck.table_function_set_bind(function, scan_bind);
    duck.table_function_set_init(function, scan_init);
    duck.table_function_set_function(function, scan_rows);
    duck.table_function_supports_projection_pushdown(function, true);
    int status = duck.register_table_function(d->connection, function);
    duck.destroy_table_function(&function);
    return status ? fail(err, RAS_EUNSUPPORTED, RAS_NONE, "DuckDB takes no table function")
                  : RAS_OK;
}
