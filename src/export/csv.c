/* csv.c - records as comma-separated values.
 *
 * The columns are the requested fields, or all fields of the requested types, each name once;
 * without requested types, the last column holds the values as one JSON object. */
#include "base/memory.h"
#include "codec/json_write.h"
#include "export/exporter.h"

#include <stdio.h>
#include <stdlib.h>

struct csv {
    bool has_columns;
    const char **columns;
    size_t column_count, room;
    int **fields; /* by schema: which of its fields each column shows, or -1; made on first use */
    size_t schema_room;
};

/* Bytes inside a cell, escaped for a terminal. */
static void put_escaped(struct ras_printer *x, const uint8_t *at, size_t len)
{
    while (x->options.to_terminal && len) {
        char escape[RAS_ESCAPE_SIZE];
        size_t plain = ras_plain_prefix(at, len);
        out_bytes(&x->out, at, plain);
        at += plain;
        len -= plain;
        if (!len)
            return;
        size_t size = ras_plain_escape(escape, at, len);
        out_text(&x->out, escape);
        at += size;
        len -= size;
    }
    out_bytes(&x->out, at, len);
}

/* Characters that begin a formula in spreadsheets. */
static bool is_formula(const uint8_t *at, size_t len)
{
    return len && memchr("=+-@\t\r", at[0], 6);
}

/* A cell of text, quoted where RFC 4180 requires it. */
static void put_quoted(struct ras_printer *x, const uint8_t *at, size_t len)
{
    struct out *out = &x->out;
    bool plain = true, formula = x->options.csv_safe && is_formula(at, len);
    for (size_t i = 0; i < len && plain; i++)
        plain = at[i] != ',' && at[i] != '"' && at[i] != '\n' && at[i] != '\r';
    if (!plain)
        out_byte(out, '"');
    if (formula)
        out_byte(out, '\'');
    for (size_t i = 0, piece; i < len; i += piece) {
        const uint8_t *quote = plain ? NULL : memchr(at + i, '"', len - i);
        piece = quote ? (size_t)(quote - at) + 1 - i : len - i;
        put_escaped(x, at + i, piece);
        if (quote)
            out_byte(out, '"');
    }
    if (!plain)
        out_byte(out, '"');
}

static void csv_put_name(struct ras_printer *x, const char *name)
{
    struct out json = {0};
    if (strstr(name, RAS_NAME_NUL)) /* a cell cannot hold a NUL: it is escaped as in JSON */
        json_put_name(&json, name);
    if (json.len)
        put_quoted(x, json.at + 1, json.len - 2);
    else
        put_quoted(x, (const uint8_t *)name, strlen(name));
    out_free(&json);
}

/* The JSON form of a value; of a plain string without the quotes. */
static void put_json(struct ras_printer *x, struct out *json, bool string)
{
    size_t cut = string && json->len >= 2 ? 1 : 0;
    bool safe = x->options.csv_safe;
    x->options.csv_safe = false; /* it is a number, hexadecimal digits or a container */
    put_quoted(x, json->at + cut, json->len - 2 * cut);
    x->options.csv_safe = safe;
    json->len = 0;
}

static void put_cell(struct ras_printer *x, const struct ras_value *v, unsigned flags)
{
    if (!v || v->kind == RAS_NULL)
        return;
    if (v->kind == RAS_STR) {
        put_quoted(x, v->at, v->count);
        return;
    }
    struct out json = {0};
    json_put_value(&json, v, flags, x->options.float_bits);
    put_json(x, &json, json.len && json.at[0] == '"');
    out_free(&json);
}

/* ---- columns ---------------------------------------------------------------------------- */

static bool is_asked(const struct ras_printer *x, const struct ras_schema *s)
{
    for (size_t i = 0; i < x->type_count; i++)
        if (ras_schema_matches(s, x->types[i]))
            return true;
    return false;
}

static bool has_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->column_count; i++)
        if (!strcmp(csv->columns[i], name))
            return true;
    return false;
}

static void add_column(struct ras_printer *x, const char *name)
{
    struct csv *csv = x->state;
    if (array_grow(&csv->columns, &csv->room, csv->column_count + 1, sizeof *csv->columns))
        csv->columns[csv->column_count++] = name;
    else
        x->out.failed = true;
}

/* In the order of the requested fields, or of the types and fields that the trace defines. */
static void find_columns(struct ras_printer *x)
{
    struct csv *csv = x->state;
    csv->has_columns = x->options.fields || x->type_count;
    for (size_t i = 0; x->options.fields && i < x->options.field_count; i++)
        add_column(x, x->options.fields[i]);
    for (size_t i = 0; !x->options.fields && i < ras_schema_count(x->trace); i++) {
        const struct ras_schema *s = ras_schema_at(x->trace, i);
        for (unsigned k = 0; is_asked(x, s) && k < s->field_count; k++)
            if (!has_column(csv, s->fields[k].name))
                add_column(x, s->fields[k].name);
    }
}

/* A field without a column would be lost. */
static bool fits(struct ras_printer *x, const struct ras_schema *s)
{
    const struct csv *csv = x->state;
    for (unsigned i = 0; !x->options.fields && i < s->field_count; i++)
        if (!has_column(csv, s->fields[i].name)) {
            snprintf(x->wrong, sizeof x->wrong,
                     "'%.60s' has a field '%.60s' that the columns written so far do not have: "
                     "choose the columns",
                     s->name, s->fields[i].name);
            return false;
        }
    return true;
}

/* Which field of the schema each column shows; NULL: it does not fit, or memory is short. */
static const int *fields_of(struct ras_printer *x, unsigned schema, const struct ras_schema *s)
{
    struct csv *csv = x->state;
    size_t before = csv->schema_room;
    if (schema < before && csv->fields[schema])
        return csv->fields[schema];
    if (!fits(x, s))
        return NULL;
    if (schema >= before) {
        if (!array_grow(&csv->fields, &csv->schema_room, schema + 1, sizeof *csv->fields)) {
            x->out.failed = true;
            return NULL;
        }
        memset(csv->fields + before, 0, (csv->schema_room - before) * sizeof *csv->fields);
    }
    int *map = malloc((csv->column_count + 1) * sizeof *map);
    for (size_t i = 0; map && i < csv->column_count; i++)
        map[i] = ras_field_index(s, csv->columns[i]);
    x->out.failed |= !map;
    csv->fields[schema] = map;
    return map;
}

/* ---- rows ------------------------------------------------------------------------------- */

static void csv_begin(struct ras_printer *x)
{
    struct out *out = &x->out;
    struct csv *csv = x->state;
    find_columns(x);
    if (csv->has_columns && !csv->column_count)
        return; /* of types that the trace does not define */
    out_text(out, x->options.label ? "trace,seq,type" : "seq,type");
    if (x->axes >> RAS_AXIS_TIME & 1)
        out_text(out, ",time_ns");
    if (x->axes >> RAS_AXIS_TICK & 1)
        out_text(out, ",tick");
    out_text(out, ",stream,offset");
    if (!csv->has_columns)
        out_text(out, ",values");
    for (size_t i = 0; i < csv->column_count; i++) {
        out_byte(out, ',');
        csv_put_name(x, csv->columns[i]);
    }
    out_byte(out, '\n');
}

static void put_values(struct ras_printer *x, const struct ras_cursor *cursor,
                       const struct ras_schema *s)
{
    struct out json = {0};
    size_t count, shown = 0;
    const struct ras_value *v = ras_values(cursor, &count);
    out_byte(&json, '{');
    for (size_t i = 0; i < count; i++) {
        const struct ras_field *f = &s->fields[v[i].field];
        if (field_shown(x, f->name)) {
            if (shown++)
                out_byte(&json, ',');
            json_put_name(&json, f->name);
            out_byte(&json, ':');
            json_put_value(&json, &v[i], f->flags, x->options.float_bits);
        }
        if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            i += v[i].count;
    }
    out_byte(&json, '}');
    put_json(x, &json, false);
    out_free(&json);
}

static void csv_put_record(struct ras_printer *x, const struct ras_cursor *cursor,
                           const struct ras_record *r)
{
    const struct ras_schema *s = ras_schema_of(cursor);
    struct out *out = &x->out;
    const struct csv *csv = x->state;
    const int *fields = csv->has_columns ? fields_of(x, r->schema, s) : NULL;
    if (csv->has_columns && !fields)
        return;
    if (x->options.label) {
        put_quoted(x, (const uint8_t *)x->options.label, strlen(x->options.label));
        out_byte(out, ',');
    }
    if (r->seq != RAS_NONE)
        out_u64(out, r->seq);
    out_byte(out, ',');
    csv_put_name(x, s->name);
    if (x->axes >> RAS_AXIS_TIME & 1) {
        out_byte(out, ',');
        if (r->flags & RAS_HAS_TIME)
            out_u64(out, r->time_ns);
    }
    if (x->axes >> RAS_AXIS_TICK & 1) {
        out_byte(out, ',');
        if (r->flags & RAS_HAS_TICK)
            out_u64(out, r->tick);
    }
    out_format(out, ",%u,", r->stream);
    out_u64(out, r->offset);
    if (!csv->has_columns) {
        out_byte(out, ',');
        put_values(x, cursor, s);
    }
    for (size_t i = 0; i < csv->column_count; i++) {
        out_byte(out, ',');
        if (fields[i] >= 0)
            put_cell(x, ras_value_at(cursor, fields[i]), s->fields[fields[i]].flags);
    }
    out_byte(out, '\n');
}

static void csv_end(struct ras_printer *x)
{
    struct csv *csv = x->state;
    for (size_t i = 0; i < csv->schema_room; i++)
        free(csv->fields[i]);
    free(csv->fields);
    free(csv->columns);
}

const struct exporter csv_exporter = {.name = "csv",
                                      .state_size = sizeof(struct csv),
                                      .begin = csv_begin,
                                      .record = csv_put_record,
                                      .end = csv_end};
