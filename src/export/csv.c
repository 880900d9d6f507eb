/* csv.c - records as comma-separated values.
 *
 * With one type the columns are its fields; with several, whose fields differ,
 * the last column holds them as one JSON object. */
#include "codec/json_write.h"
#include "export/export.h"

#include <stdio.h>

struct csv {
    const struct ras_schema *first, *last; /* the columns' own, and the last that fits them */
};

/* Bytes inside a cell, escaped where a terminal shows them. */
static void put_escaped(struct ras_export *x, const uint8_t *at, size_t len)
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

/* What spreadsheets take for the begin of a formula. */
static bool is_formula(const uint8_t *at, size_t len)
{
    return len && memchr("=+-@\t\r", at[0], 6);
}

/* A cell of text, quoted as RFC 4180 wants where it must be. */
static void put_quoted(struct ras_export *x, const uint8_t *at, size_t len)
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

static void put_name(struct ras_export *x, const char *name)
{
    struct out json = {0};
    if (strstr(name, RAS_NAME_NUL)) /* no cell can hold a NUL: it is escaped as in JSON */
        json_name(&json, name);
    if (json.len)
        put_quoted(x, json.at + 1, json.len - 2);
    else
        put_quoted(x, (const uint8_t *)name, strlen(name));
    out_free(&json);
}

/* Text that is its JSON form without the quotes, where it is a plain string. */
static void put_json(struct ras_export *x, struct out *json, bool string)
{
    size_t cut = string && json->len >= 2 ? 1 : 0;
    bool safe = x->options.csv_safe;
    x->options.csv_safe = false; /* it is a number, hexadecimal digits or a container */
    put_quoted(x, json->at + cut, json->len - 2 * cut);
    x->options.csv_safe = safe;
    json->len = 0;
}

static void put_cell(struct ras_export *x, const struct ras_value *v, unsigned flags)
{
    if (!v || v->kind == RAS_NULL)
        return;
    if (v->kind == RAS_STR) {
        put_quoted(x, v->at, v->count);
        return;
    }
    struct out json = {0};
    json_value(&json, v, flags, x->options.float_bits);
    put_json(x, &json, json.len && json.at[0] == '"');
    out_free(&json);
}

/* The columns are those asked for, or the fields of the type's first schema. */
static unsigned column_count(const struct ras_export *x)
{
    const struct csv *csv = x->state;
    return x->options.fields ? (unsigned)x->options.field_count : csv->first->field_count;
}

static const char *column_name(const struct ras_export *x, unsigned column)
{
    const struct csv *csv = x->state;
    return x->options.fields ? x->options.fields[column] : csv->first->fields[column].name;
}

/* Another schema of the same name fills the columns it shares with the first; one that
 * has a field without a column cannot be written without loss. */
static bool fits(struct ras_export *x, const struct ras_schema *s)
{
    struct csv *csv = x->state;
    if (s == csv->last || x->options.fields)
        return true;
    for (unsigned i = 0; i < s->field_count; i++) {
        if (field_index(csv->first, s->fields[i].name) >= 0)
            continue;
        snprintf(x->wrong, sizeof x->wrong,
                 "a second '%.60s' has a field '%.60s' and the first has not: choose the columns",
                 s->name, s->fields[i].name);
        return false;
    }
    csv->last = s;
    return true;
}

static void begin(struct ras_export *x, const struct ras_schema *s)
{
    struct out *out = &x->out;
    struct csv *csv = x->state;
    csv->first = csv->last = s;
    out_text(out, x->options.label ? "trace,seq,type" : "seq,type");
    if (x->axes >> RAS_AXIS_TIME & 1)
        out_text(out, ",time_ns");
    if (x->axes >> RAS_AXIS_TICK & 1)
        out_text(out, ",tick");
    out_text(out, ",stream,offset");
    if (!x->type)
        out_text(out, ",values");
    for (unsigned i = 0; x->type && i < column_count(x); i++) {
        out_byte(out, ',');
        put_name(x, column_name(x, i));
    }
    out_byte(out, '\n');
}

static void put_values(struct ras_export *x, const struct ras_cursor *cursor,
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
            json_name(&json, f->name);
            out_byte(&json, ':');
            json_value(&json, &v[i], f->flags, x->options.float_bits);
        }
        if (v[i].kind == RAS_LIST || v[i].kind == RAS_MAP)
            i += v[i].count;
    }
    out_byte(&json, '}');
    put_json(x, &json, false);
    out_free(&json);
}

static void put_record(struct ras_export *x, const struct ras_cursor *cursor,
                       const struct ras_record *r)
{
    const struct ras_schema *s = ras_schema_of(cursor);
    struct out *out = &x->out;
    if (x->type && !fits(x, s))
        return;
    if (x->options.label) {
        put_quoted(x, (const uint8_t *)x->options.label, strlen(x->options.label));
        out_byte(out, ',');
    }
    if (r->seq != RAS_NONE)
        out_u64(out, r->seq);
    out_byte(out, ',');
    put_name(x, s->name);
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
    if (!x->type) {
        out_byte(out, ',');
        put_values(x, cursor, s);
    }
    for (unsigned i = 0; x->type && i < column_count(x); i++) {
        int field = field_index(s, column_name(x, i));
        out_byte(out, ',');
        if (field >= 0)
            put_cell(x, field_cell(cursor, (unsigned)field), s->fields[field].flags);
    }
    out_byte(out, '\n');
}

const struct exporter csv_exporter = {
    .name = "csv", .state_size = sizeof(struct csv), .begin = begin, .record = put_record};
