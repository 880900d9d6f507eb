/* duckdb_cells.c - the cells of a result of DuckDB, as SQLite would give them. */
#include "sql/duckdb_engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool duckdb_column_can_show(int kind)
{
    return (kind >= DUCKDB_BOOLEAN && kind <= DUCKDB_DOUBLE) ||
           (kind >= DUCKDB_HUGEINT && kind <= DUCKDB_DECIMAL) || kind == DUCKDB_LIST ||
           kind == DUCKDB_UHUGEINT || kind == DUCKDB_SQLNULL;
}

bool duckdb_is_null(duckdb_handle vector, uint64_t row)
{
    const uint64_t *valid = duck.vector_get_validity(vector);
    return valid && !(valid[row / 64] >> row % 64 & 1);
}

/* Decimal digits of 128 bits, from the end of the room; where they begin. */
static const char *huge_digits(char room[48], uint64_t high, uint64_t low, bool negative)
{
    char *p = room + 47;
    *p = 0;
    if (negative) {
        high = ~high + !low;
        low = -low;
    }
    do { /* divide by ten, 32 bits at a time */
        uint32_t parts[4] = {(uint32_t)(high >> 32), (uint32_t)high, (uint32_t)(low >> 32),
                             (uint32_t)low};
        uint64_t rest = 0;
        for (size_t i = 0; i < 4; i++) {
            uint64_t value = rest << 32 | parts[i];
            parts[i] = (uint32_t)(value / 10);
            rest = value % 10;
        }
        *--p = (char)('0' + rest);
        high = (uint64_t)parts[0] << 32 | parts[1];
        low = (uint64_t)parts[2] << 32 | parts[3];
    } while (high || low);
    if (negative)
        *--p = '-';
    return p;
}

/* An integer where 64 bits hold it, else its digits as text. */
static struct ras_value huge_cell(struct duckdb_column *c, uint64_t high, uint64_t low,
                                  bool is_signed)
{
    char room[48];
    if (is_signed && high == UINT64_MAX && low >> 63)
        return (struct ras_value){.kind = RAS_INT, .i = (int64_t)low};
    if (!high)
        return low >> 63 ? (struct ras_value){.kind = RAS_UINT, .u = low}
                         : (struct ras_value){.kind = RAS_INT, .i = (int64_t)low};
    c->text.len = 0;
    out_text(&c->text, huge_digits(room, high, low, is_signed && high >> 63));
    return (struct ras_value){.kind = RAS_STR, .at = c->text.at, .count = (uint32_t)c->text.len};
}

static int64_t signed_at(const void *data, int kind, uint64_t row)
{
    switch (kind) {
    case DUCKDB_TINYINT:
        return ((const int8_t *)data)[row];
    case DUCKDB_SMALLINT:
        return ((const int16_t *)data)[row];
    case DUCKDB_INTEGER:
        return ((const int32_t *)data)[row];
    default:
        return ((const int64_t *)data)[row];
    }
}

static uint64_t unsigned_at(const void *data, int kind, uint64_t row)
{
    switch (kind) {
    case DUCKDB_UTINYINT:
        return ((const uint8_t *)data)[row];
    case DUCKDB_USMALLINT:
        return ((const uint16_t *)data)[row];
    case DUCKDB_UINTEGER:
        return ((const uint32_t *)data)[row];
    default:
        return ((const uint64_t *)data)[row];
    }
}

/* 1.5 is a decimal number here, a real one in SQLite. */
static struct ras_value decimal_cell(duckdb_handle type, const void *data, uint64_t row)
{
    char room[48], text[64];
    int kind = duck.decimal_internal_type(type);
    uint64_t high, low;
    if (kind == DUCKDB_HUGEINT) {
        high = (uint64_t)((const struct duckdb_huge *)data)[row].high;
        low = ((const struct duckdb_huge *)data)[row].low;
    } else {
        low = (uint64_t)signed_at(data, kind, row);
        high = low >> 63 ? UINT64_MAX : 0;
    }
    snprintf(text, sizeof text, "%se-%u", huge_digits(room, high, low, high >> 63),
             (unsigned)duck.decimal_scale(type));
    return (struct ras_value){.kind = RAS_F64, .f64 = strtod(text, NULL)};
}

struct ras_bytes duckdb_bytes_at(duckdb_handle vector, uint64_t row)
{
    const struct duckdb_string *text =
        &((const struct duckdb_string *)duck.vector_get_data(vector))[row];
    const char *at = text->len <= 12 ? text->start : text->more.at;
    return (struct ras_bytes){(const uint8_t *)at, text->len};
}

static struct ras_value bytes_cell(struct ras_bytes bytes, int kind)
{
    return (struct ras_value){.kind = kind == DUCKDB_BLOB ? RAS_BLOB : RAS_STR,
                              .at = bytes.at,
                              .count = (uint32_t)bytes.len};
}

static struct ras_value scalar_cell(struct duckdb_column *c, duckdb_handle type, int kind,
                                    duckdb_handle vector, uint64_t row)
{
    const void *data = duck.vector_get_data(vector);
    struct ras_value v = {.kind = RAS_NULL};
    if (duckdb_is_null(vector, row) || kind == DUCKDB_SQLNULL)
        return v;
    if (kind == DUCKDB_BOOLEAN) {
        v.kind = RAS_BOOL;
        v.i = ((const uint8_t *)data)[row] != 0;
    } else if (kind <= DUCKDB_BIGINT) {
        v.kind = RAS_INT;
        v.i = signed_at(data, kind, row);
    } else if (kind <= DUCKDB_UBIGINT) {
        v.kind = RAS_UINT;
        v.u = unsigned_at(data, kind, row);
    } else if (kind == DUCKDB_FLOAT) {
        v.kind = RAS_F32;
        v.f32 = ((const float *)data)[row];
    } else if (kind == DUCKDB_DOUBLE) {
        v.kind = RAS_F64;
        v.f64 = ((const double *)data)[row];
    } else if (kind == DUCKDB_DECIMAL) {
        v = decimal_cell(type, data, row);
    } else if (kind == DUCKDB_VARCHAR || kind == DUCKDB_BLOB) {
        v = bytes_cell(duckdb_bytes_at(vector, row), kind);
    } else { /* both have the lower half first */
        const struct duckdb_huge *huge = &((const struct duckdb_huge *)data)[row];
        v = huge_cell(c, (uint64_t)huge->high, huge->low, kind == DUCKDB_HUGEINT);
    }
    return v;
}

/* ---- lists --------------------------------------------------------------------------------- */

static bool append_list(void *user, const void *bytes, size_t size)
{
    out_bytes(user, bytes, size);
    return !((struct out *)user)->failed;
}

/* A list of scalars as JSON: as SQLite has it. Items that are not scalars are refused before. */
static struct ras_value list_cell(struct duckdb_column *c, uint64_t row)
{
    struct ras_json *json;
    const struct duckdb_entry *entry =
        &((const struct duckdb_entry *)duck.vector_get_data(c->vector))[row];
    struct duckdb_column item = {0};
    if (duckdb_is_null(c->vector, row))
        return (struct ras_value){.kind = RAS_NULL};
    item.type = duck.list_type_child_type(c->type);
    item.kind = duck.get_type_id(item.type);
    item.vector = duck.list_vector_get_child(c->vector);
    c->text.len = 0;
    if (ras_json_open_callback(&json, append_list, &c->text, 0, NULL) == RAS_OK) {
        bool is_hex = c->declared && !strcmp(c->declared, "JSON_TEXT_HEX");
        ras_json_array(json, NULL);
        for (uint64_t i = 0; i < entry->len; i++) {
            struct ras_value v =
                scalar_cell(&item, item.type, item.kind, item.vector, entry->offset + i);
            ras_json_cell(json, NULL, &v, is_hex ? RAS_HEX : 0);
        }
        ras_json_end(json);
        c->text.failed = ras_json_close(json, NULL) < 0 || c->text.failed;
    } else {
        c->text.failed = true;
    }
    duck.destroy_logical_type(&item.type);
    out_free(&item.text);
    return (struct ras_value){.kind = RAS_STR, .at = c->text.at, .count = (uint32_t)c->text.len};
}

struct ras_value duckdb_cell(struct duckdb_column *c, uint64_t row)
{
    if (c->kind == DUCKDB_LIST)
        return list_cell(c, row);
    struct ras_value v = scalar_cell(c, c->type, c->kind, c->vector, row);
    /* What SQLite knows no type for is a number there. */
    if (v.kind == RAS_BOOL && c->known && (!c->declared || strcmp(c->declared, "BOOLEAN") != 0))
        v.kind = RAS_INT;
    if (v.kind == RAS_F32 && c->known && (!c->declared || strcmp(c->declared, "FLOAT") != 0))
        v = (struct ras_value){.kind = RAS_F64, .f64 = (double)v.f32};
    return v;
}
