/* row.c - a record as JSON: a line taken apart into cells, what cells mean, and fields read one
 * after the other. */
#include "core/row.h"
#include "base/error.h"
#include "base/in.h"
#include "base/memory.h"
#include "codec/json_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a cell means ----------------------------------------------------------------------- */

/* "0x" and 1 to 16 digits. */
static bool hex_uint(const struct ras_value *cell, uint64_t *value)
{
    const uint8_t *at = cell->at;
    if (cell->kind != RAS_STR || cell->count < 3 || cell->count > 18 || at[0] != '0' ||
        (at[1] | 0x20) != 'x')
        return false;
    *value = 0;
    for (uint32_t i = 2; i < cell->count; i++) {
        if (hex_digit(at[i]) < 0)
            return false;
        *value = *value << 4 | (uint64_t)hex_digit(at[i]);
    }
    return true;
}

bool cell_uint(const struct ras_value *cell, uint64_t *value)
{
    *value = cell->u;
    return cell->kind == RAS_UINT || hex_uint(cell, value);
}

bool cell_int(const struct ras_value *cell, int64_t *value)
{
    *value = cell->i;
    return cell->kind == RAS_INT || (cell->kind == RAS_UINT && cell->u <= INT64_MAX);
}

bool cell_bool(const struct ras_value *cell, bool *value)
{
    *value = cell->kind == RAS_BOOL && cell->u;
    return cell->kind == RAS_BOOL;
}

static bool text_is(const struct ras_value *cell, const char *text)
{
    return cell->kind == RAS_STR && cell->count == strlen(text) &&
           !memcmp(cell->at, text, cell->count);
}

/* {"bits":...}, with its text or without, and nothing else beside it. */
static const struct ras_value *bits_in(const struct ras_value *cell)
{
    bool is_it =
        cell->kind == RAS_MAP && (cell->count == 2 || (cell->count == 4 && map_find(cell, "text")));
    return is_it ? map_find(cell, "bits") : NULL;
}

bool cell_f64(const struct ras_value *cell, double *value)
{
    uint64_t bits;
    const struct ras_value *exact = bits_in(cell);
    if (exact && hex_uint(exact, &bits)) {
        memcpy(value, &bits, sizeof bits);
        return true;
    }
    *value = cell->kind == RAS_F64        ? cell->f64
             : cell->kind == RAS_UINT     ? (double)cell->u
             : cell->kind == RAS_INT      ? (double)cell->i
             : text_is(cell, "NaN")       ? (double)NAN
             : text_is(cell, "Infinity")  ? (double)INFINITY
             : text_is(cell, "-Infinity") ? -(double)INFINITY
                                          : 0;
    return cell->kind == RAS_F64 || cell->kind == RAS_UINT || cell->kind == RAS_INT ||
           text_is(cell, "NaN") || text_is(cell, "Infinity") || text_is(cell, "-Infinity");
}

bool cell_f32(const struct ras_value *cell, uint32_t *bits)
{
    uint64_t exact;
    double wide;
    const struct ras_value *said = bits_in(cell);
    if (said && hex_uint(said, &exact) && exact <= UINT32_MAX) {
        *bits = (uint32_t)exact;
        return true;
    }
    if (!cell_f64(cell, &wide))
        return false;
    float narrow = (float)wide; /* the shortest text of a float reads back to it */
    memcpy(bits, &narrow, sizeof narrow);
    return true;
}

bool cell_text(const struct ras_value *cell, struct ras_bytes *text)
{
    *text = (struct ras_bytes){cell->kind == RAS_STR ? cell->at : NULL, cell->count};
    return cell->kind == RAS_STR;
}

bool cell_bytes(const struct ras_value *cell, struct arena *arena, struct ras_bytes *bytes)
{
    if (cell->kind != RAS_STR || cell->count % 2)
        return false;
    const uint8_t *at = cell->at;
    uint8_t *out = arena_take(arena, cell->count / 2 + 1u);
    for (uint32_t i = 0; out && i < cell->count; i += 2) {
        if (hex_digit(at[i]) < 0 || hex_digit(at[i + 1]) < 0)
            return false;
        out[i / 2] = (uint8_t)(hex_digit(at[i]) << 4 | hex_digit(at[i + 1]));
    }
    *bytes = (struct ras_bytes){out, cell->count / 2};
    return out != NULL;
}

const struct ras_value *map_find(const struct ras_value *map, const char *key)
{
    const struct ras_value *cell = map + 1, *end = ras_value_next(map);
    while (cell < end) {
        const struct ras_value *value = ras_value_next(cell);
        if (text_is(cell, key))
            return value;
        cell = ras_value_next(value);
    }
    return NULL;
}

/* ---- cells ------------------------------------------------------------------------- */

static struct ras_value *add(struct row_reader *r, enum ras_kind kind)
{
    return cells_add(&r->cells, kind, 0, 0, 0);
}

static bool add_text(struct row_reader *r, const struct json_token *token)
{
    size_t len;
    char *text = arena_take(&r->arena, token->span.len + 1);
    if (!text || !json_bytes_of(token, text, &len))
        return false;
    text[len] = 0; /* so that a name can be compared as it is */
    cells_text(&r->cells, NULL, RAS_STR, 0, text, len);
    return true;
}

static bool add_number(struct row_reader *r, const struct json_token *token)
{
    struct ras_value *v = add(r, RAS_UINT);
    bool minus = *token->span.at == '-';
    if (token->integer && !minus && json_u64_of(token, &v->u))
        return true;
    v->kind = RAS_INT;
    if (token->integer && json_i64_of(token, &v->i) && v->i)
        return true; /* -0 is a float's */
    v->kind = RAS_F64;
    return json_f64_of(token, &v->f64);
}

static bool add_scalar(struct row_reader *r, const struct json_token *token)
{
    switch (token->kind) {
    case JSON_NULL:
        (void)add(r, RAS_NULL);
        return true;
    case JSON_BOOL:
        add(r, RAS_BOOL)->u = token->truth;
        return true;
    case JSON_NUMBER:
        return add_number(r, token);
    default:
        return add_text(r, token);
    }
}

enum { DEPTH_MAX = 64 };

/* The value whose first token was just read, with all inside it. */
static bool add_value(struct row_reader *r, struct json_read *json, struct json_token *token)
{
    size_t open[DEPTH_MAX];
    unsigned depth = 0;
    for (;;) {
        switch (token->kind) {
        case JSON_BAD:
        case JSON_END:
            return false;
        case JSON_ARRAY:
        case JSON_OBJECT:
            if (depth == DEPTH_MAX)
                return false;
            open[depth++] =
                cells_open(&r->cells, token->kind == JSON_ARRAY ? RAS_LIST : RAS_MAP, 0);
            break;
        case JSON_ARRAY_END:
        case JSON_OBJECT_END:
            cells_close(&r->cells, open[--depth]);
            break;
        default:
            if (!add_scalar(r, token))
                return false;
        }
        if (!depth || r->cells.nomem)
            return !r->cells.nomem;
        json_read_next(json, token);
    }
}

/* ---- lines -------------------------------------------------------------------------- */

/* A name of a type or a field as C text: RAS_NAME_NUL, shorter than its escape was, represents
 * every NUL. */
static char *take_name(struct row_reader *r, const struct json_token *token, size_t *len)
{
    char *text = arena_take(&r->arena, token->span.len + 1);
    if (!text || !json_bytes_of(token, text, len))
        return NULL;
    size_t from = *len, to = *len;
    for (size_t i = 0; i < from; i++)
        to += !text[i];
    *len = to;
    for (text[to] = 0; from < to;) { /* from the back, in place */
        char c = text[--from];
        text[--to] = c ? c : RAS_NAME_NUL[1];
        if (!c)
            text[--to] = RAS_NAME_NUL[0];
    }
    return text;
}

static bool add_name(struct row_reader *r, const struct json_token *token)
{
    size_t len;
    char *text = take_name(r, token, &len);
    if (text)
        cells_text(&r->cells, NULL, RAS_STR, 0, text, len);
    return text;
}

static bool read_values(struct row_reader *r, struct json_read *json, struct json_token *token)
{
    if (token->kind != JSON_OBJECT)
        return false;
    while (json_read_next(json, token) == JSON_KEY) {
        if (!add_name(r, token))
            return false;
        json_read_next(json, token);
        if (!add_value(r, json, token))
            return false;
    }
    return token->kind == JSON_OBJECT_END;
}

static bool read_text(struct row_reader *r, const char **text, const struct json_token *token)
{
    size_t len;
    *text = token->kind == JSON_STRING ? take_name(r, token, &len) : NULL;
    return *text;
}

/* One member of the line; its key is the token. */
static bool read_member(struct row_reader *r, struct json_read *json, struct json_token *token,
                        struct json_row *row)
{
    struct json_token key = *token;
    uint64_t number;
    json_read_next(json, token);
    if (JSON_IS(&key, "values"))
        return read_values(r, json, token);
    if (JSON_IS(&key, "type"))
        return read_text(r, &row->type, token);
    if (JSON_IS(&key, "format"))
        return read_text(r, &row->format, token);
    if (JSON_IS(&key, "dialect"))
        return read_text(r, &row->dialect, token);
    if (JSON_IS(&key, "time_ns"))
        return row->has_time = json_u64_of(token, &row->time_ns);
    if (JSON_IS(&key, "tick"))
        return row->has_tick = json_u64_of(token, &row->tick);
    if (!JSON_IS(&key, "stream"))
        return json_read_skip(json, token); /* seq and offset are assigned again */
    row->has_stream = true;
    row->stream = json_u64_of(token, &number) ? (uint32_t)number : UINT32_MAX;
    return row->stream != UINT32_MAX && number <= UINT32_MAX;
}

int row_read(struct row_reader *r, struct ras_bytes line, struct json_row *row,
             struct ras_error *err)
{
    struct json_read json = json_read_bytes(line);
    struct json_token token;
    arena_reset(&r->arena);
    r->cells.count = 0;
    r->cells.nomem = false;
    r->all_taken = false;
    r->name_count = r->inner_count = 0;
    r->searched_inside = false;
    *row = (struct json_row){.line = ++r->line, .arena = &r->arena, .reader = r};
    bool ok = json_read_next(&json, &token) == JSON_OBJECT;
    while (ok && json_read_next(&json, &token) == JSON_KEY)
        ok = read_member(r, &json, &token, row);
    ok = ok && token.kind == JSON_OBJECT_END && json_read_next(&json, &token) == JSON_END;
    row->cells = r->cells.items;
    row->cell_count = r->cells.count;
    if (r->cells.nomem ||
        !array_grow(&r->taken, &r->taken_room, r->cells.count + 1, sizeof *r->taken))
        return fail_memory(err);
    memset(r->taken, 0, r->cells.count * sizeof *r->taken);
    if (ok && row->type)
        return RAS_OK;
    if (ok)
        return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 " has no type", r->line);
    return fail(err, RAS_EFORMAT, RAS_NONE,
                "line %" PRIu64 ", column %zu: not a record as JSON%s%s", r->line,
                json_read_offset(&json) + 1, *json.why ? ": " : "", json.why);
}

int row_read_value(struct row_reader *r, struct ras_bytes text, const struct ras_value **value,
                   struct ras_error *err)
{
    struct json_read json = json_read_bytes(text);
    struct json_token token;
    arena_reset(&r->arena);
    r->cells.count = 0;
    r->cells.nomem = false;
    *value = NULL;
    json_read_next(&json, &token);
    bool ok = add_value(r, &json, &token) && json_read_next(&json, &token) == JSON_END;
    if (r->cells.nomem)
        return fail_memory(err);
    if (!ok)
        return fail(err, RAS_EFORMAT, json_read_offset(&json), "not JSON%s%s",
                    *json.why ? ": " : "", json.why);
    *value = r->cells.items;
    return RAS_OK;
}

void row_reader_free(struct row_reader *r)
{
    arena_free(&r->arena);
    cells_free(&r->cells);
    free(r->taken);
}

/* ---- fields ------------------------------------------------------------------------- */

const struct ras_value *row_find(const struct json_row *row, const char *name)
{
    if (row->reader && row->reader->name_count < ROW_NAMES)
        row->reader->names[row->reader->name_count++] = name;
    if (!row->cell_count)
        return NULL; /* no offset may be added to a null pointer, not even zero */
    const struct ras_value *cell = row->cells, *end = row->cells + row->cell_count;
    while (cell < end) {
        const struct ras_value *value = cell + 1;
        if (!strcmp(cell->at, name)) {
            if (row->reader)
                row->reader->taken[cell - row->cells] = true;
            return value->kind == RAS_NULL ? NULL : value;
        }
        cell = ras_value_next(value);
    }
    return NULL;
}

const struct ras_value *row_find_in(const struct json_row *row, const struct ras_value *map,
                                    const char *key)
{
    struct row_reader *r = row->reader;
    if (!map || map->kind != RAS_MAP)
        return NULL;
    const struct ras_value *value = map_find(map, key);
    if (!r)
        return value && value->kind != RAS_NULL ? value : NULL;
    if (r->inner_count < ROW_NAMES)
        r->inner[r->inner_count++] = key;
    r->searched_inside = r->taken[map - row->cells] = true;
    if (value)
        r->taken[value - 1 - row->cells] = true; /* a key is one cell */
    return value && value->kind != RAS_NULL ? value : NULL;
}

void row_take_all(const struct json_row *row)
{
    if (row->reader)
        row->reader->all_taken = true;
}

static bool has_field(const struct ras_schema *const *schemas, const char *type, const char *name)
{
    for (; schemas && *schemas; schemas++)
        for (size_t i = 0; !strcmp((*schemas)->name, type) && i < (*schemas)->field_count; i++)
            if (!strcmp((*schemas)->fields[i].name, name))
                return true;
    return false;
}

int row_unknown(const struct json_row *row, const char *inside, const char *name,
                const struct ras_near *near, struct ras_error *err)
{
    char meant[120];
    return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": %s%s%s has no field '%.60s'%s",
                row->line, row->type, *inside ? "." : "", inside, name,
                ras_near_text(near, meant, sizeof meant));
}

static int unknown_field(const struct json_row *row, const char *name,
                         const struct ras_schema *const *schemas, struct ras_error *err)
{
    struct ras_near near;
    ras_near_start(&near, name);
    for (size_t i = 0; i < row->reader->name_count; i++)
        ras_near_add(&near, row->reader->names[i]);
    for (; schemas && *schemas; schemas++)
        for (size_t i = 0; !strcmp((*schemas)->name, row->type) && i < (*schemas)->field_count; i++)
            ras_near_add(&near, (*schemas)->fields[i].name);
    return row_unknown(row, "", name, &near, err);
}

/* The field of the record that a cell is in. */
static const char *field_around(const struct json_row *row, const struct ras_value *cell)
{
    const struct ras_value *name = row->cells;
    while (ras_value_next(name + 1) <= cell)
        name = ras_value_next(name + 1);
    return name->at;
}

static int check_map(const struct json_row *row, const struct ras_value *map, struct ras_error *err)
{
    const struct row_reader *r = row->reader;
    const struct ras_value *key = map + 1, *end = ras_value_next(map);
    while (key < end && r->taken[key - row->cells])
        key = ras_value_next(key + 1);
    if (key >= end)
        return RAS_OK;
    struct ras_near near;
    ras_near_start(&near, key->at);
    for (size_t i = 0; i < r->inner_count; i++)
        ras_near_add(&near, r->inner[i]);
    return row_unknown(row, field_around(row, map), key->at, &near, err);
}

int row_check(const struct json_row *row, const struct ras_schema *const *schemas,
              struct ras_error *err)
{
    const struct row_reader *r = row->reader;
    int status = RAS_OK;
    if (!r || !row->cell_count)
        return RAS_OK;
    const struct ras_value *end = row->cells + row->cell_count;
    for (const struct ras_value *cell = row->cells; !r->all_taken && cell < end;
         cell = ras_value_next(cell + 1))
        if (!r->taken[cell - row->cells] && !has_field(schemas, row->type, (const char *)cell->at))
            return unknown_field(row, (const char *)cell->at, schemas, err);
    for (const struct ras_value *cell = row->cells;
         status == RAS_OK && r->searched_inside && cell < end; cell++)
        if (cell->kind == RAS_MAP && r->taken[cell - row->cells])
            status = check_map(row, cell, err);
    return status;
}

int row_fail(const struct json_row *row, const char *field, struct ras_error *err, const char *fmt,
             ...)
{
    char text[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fail(err, RAS_EFORMAT, RAS_NONE, "line %" PRIu64 ": %s.%s %s", row->line, row->type,
                field, text);
}

int row_uint(const struct json_row *row, const char *field, uint64_t max, uint64_t *value,
             struct ras_error *err)
{
    const struct ras_value *cell = row_find(row, field);
    if (!cell)
        return row_fail(row, field, err, "is missing");
    if (!cell_uint(cell, value))
        return row_fail(row, field, err, "is not a whole number");
    if (*value > max)
        return row_fail(row, field, err, "is %" PRIu64 ", more than %" PRIu64, *value, max);
    return RAS_OK;
}

int row_f64(const struct json_row *row, const char *field, double *value, struct ras_error *err)
{
    const struct ras_value *cell = row_find(row, field);
    if (!cell)
        return row_fail(row, field, err, "is missing");
    return cell_f64(cell, value) ? RAS_OK : row_fail(row, field, err, "is not a number");
}

int row_bytes(const struct json_row *row, const char *field, struct ras_bytes *value,
              struct ras_error *err)
{
    const struct ras_value *cell = row_find(row, field);
    if (!cell)
        return row_fail(row, field, err, "is missing");
    return cell_bytes(cell, row->arena, value)
               ? RAS_OK
               : row_fail(row, field, err, "is not a text of hexadecimal digits");
}

int row_text(const struct json_row *row, const char *field, struct ras_bytes *value,
             struct ras_error *err)
{
    const struct ras_value *cell = row_find(row, field);
    if (!cell)
        return row_fail(row, field, err, "is missing");
    return cell_text(cell, value) ? RAS_OK : row_fail(row, field, err, "is not a text");
}

/* ---- reading and judging once ---------------------------------------------------------------- */

static const struct ras_bytes nothing = {(const uint8_t *)"", 0};

bool row_has(const struct row_get *g, const char *field)
{
    return g->row && row_find(g->row, field);
}

uint64_t row_get_uint(struct row_get *g, const char *field, uint64_t max)
{
    uint64_t value = 0;
    if (g->status == RAS_OK)
        g->status = row_uint(g->row, field, max, &value, g->err);
    return g->status == RAS_OK ? value : 0;
}

struct ras_bytes row_get_text(struct row_get *g, const char *field)
{
    struct ras_bytes text = nothing;
    if (g->status == RAS_OK)
        g->status = row_text(g->row, field, &text, g->err);
    return g->status == RAS_OK ? text : nothing;
}

struct ras_bytes row_get_bytes(struct row_get *g, const char *field)
{
    struct ras_bytes bytes = nothing;
    if (g->status == RAS_OK)
        g->status = row_bytes(g->row, field, &bytes, g->err);
    return g->status == RAS_OK ? bytes : nothing;
}

uint64_t row_get_uint_or(struct row_get *g, const char *field, uint64_t max, uint64_t usual)
{
    return row_has(g, field) ? row_get_uint(g, field, max) : usual;
}

struct ras_bytes row_get_text_or_none(struct row_get *g, const char *field)
{
    return row_has(g, field) ? row_get_text(g, field) : nothing;
}

struct ras_bytes row_get_bytes_or_none(struct row_get *g, const char *field)
{
    return row_has(g, field) ? row_get_bytes(g, field) : nothing;
}

void row_get_fail(struct row_get *g, const char *field, const char *fmt, ...)
{
    char text[160];
    va_list args;
    if (g->status != RAS_OK)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    g->status = row_fail(g->row, field, g->err, "%s", text);
}

void row_get_nomem(struct row_get *g)
{
    if (g->status == RAS_OK)
        g->status = fail_memory(g->err);
}
