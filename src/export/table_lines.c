/* table_lines.c - tables as text: comma-separated values, and one flat JSON object a row. */
#include "base/error.h"
#include "base/out.h"
#include "codec/json_write.h"
#include "core/sink.h"
#include "export/table_writer.h"

#include <stdlib.h>

enum { TEXT_BUFFER = 64 << 10 };

struct table_text {
    struct ras_sink *sink;
    struct table_source source;
    struct out out;
    struct out cell; /* csv: the JSON form of a cell */
    bool is_csv;
};

/* A cell of a batch as a value: text and bytes are borrowed. */
static struct ras_value cell_of(const struct ras_column *c, enum ras_type type, size_t row)
{
    const void *v = c->values;
    uint32_t code;
    switch (type) {
    case RAS_T_BOOL:
        return (struct ras_value){.kind = RAS_BOOL, .u = ((const uint8_t *)v)[row]};
    case RAS_T_U8:
        return (struct ras_value){.kind = RAS_UINT, .u = ((const uint8_t *)v)[row]};
    case RAS_T_U16:
        return (struct ras_value){.kind = RAS_UINT, .u = ((const uint16_t *)v)[row]};
    case RAS_T_U32:
        return (struct ras_value){.kind = RAS_UINT, .u = ((const uint32_t *)v)[row]};
    case RAS_T_U64:
        return (struct ras_value){.kind = RAS_UINT, .u = ((const uint64_t *)v)[row]};
    case RAS_T_I64:
        return (struct ras_value){.kind = RAS_INT, .i = ((const int64_t *)v)[row]};
    case RAS_T_F32:
        return (struct ras_value){.kind = RAS_F32, .f32 = ((const float *)v)[row]};
    case RAS_T_F64:
        return (struct ras_value){.kind = RAS_F64, .f64 = ((const double *)v)[row]};
    case RAS_T_TEXT:
        code = ((const uint32_t *)v)[row];
        return (struct ras_value){
            .kind = RAS_STR, .count = c->names->len[code], .at = c->names->at[code]};
    default:
        return (struct ras_value){.kind = RAS_BLOB,
                                  .count = c->offsets[row + 1] - c->offsets[row],
                                  .at = (const uint8_t *)v + c->offsets[row]};
    }
}

/* As JSON; a JSON column is that already. */
static void put_json_cell(struct out *out, const struct ras_column_about *about,
                          const struct ras_column *c, size_t row)
{
    if (column_is_null(c, row)) {
        out_text(out, "null");
    } else if (about->type == RAS_T_JSON) {
        struct ras_value v = cell_of(c, about->type, row);
        out_bytes(out, v.at, v.count);
    } else if (about->type == RAS_T_LIST) {
        out_byte(out, '[');
        for (uint32_t i = c->offsets[row]; i < c->offsets[row + 1]; i++) {
            struct ras_value v = cell_of(c->items, about->item, i);
            if (i > c->offsets[row])
                out_byte(out, ',');
            if (column_is_null(c->items, i))
                out_text(out, "null");
            else
                json_put_value(out, &v, about->flags, false);
        }
        out_byte(out, ']');
    } else {
        struct ras_value v = cell_of(c, about->type, row);
        json_put_value(out, &v, about->flags, false);
    }
}

/* ---- csv ---------------------------------------------------------------------------------- */

/* Quoted where RFC 4180 requires it. */
static void put_csv_text(struct out *out, const uint8_t *at, size_t len)
{
    bool plain = true;
    for (size_t i = 0; i < len && plain; i++)
        plain = at[i] != ',' && at[i] != '"' && at[i] != '\n' && at[i] != '\r';
    if (plain) {
        out_bytes(out, at, len);
        return;
    }
    out_byte(out, '"');
    for (size_t i = 0; i < len; i++) {
        if (at[i] == '"')
            out_byte(out, '"');
        out_byte(out, at[i]);
    }
    out_byte(out, '"');
}

/* Null is empty; text as it is, everything else as in JSON, without the quotes of a string. */
static void put_csv_cell(struct table_text *x, const struct ras_column_about *about,
                         const struct ras_column *c, size_t row)
{
    if (column_is_null(c, row))
        return;
    if (about->type == RAS_T_TEXT) {
        struct ras_value v = cell_of(c, about->type, row);
        put_csv_text(&x->out, v.at, v.count);
        return;
    }
    x->cell.len = 0;
    put_json_cell(&x->cell, about, c, row);
    bool quoted = about->type != RAS_T_JSON && x->cell.len >= 2 && x->cell.at[0] == '"';
    if (x->cell.len)
        put_csv_text(&x->out, x->cell.at + quoted, x->cell.len - 2 * quoted);
}

static void put_csv_head(struct table_text *x)
{
    for (size_t i = 0; i < x->source.column_count; i++) {
        const char *name = source_column(&x->source, i)->name;
        if (i)
            out_byte(&x->out, ',');
        put_csv_text(&x->out, (const uint8_t *)name, strlen(name));
    }
    out_text(&x->out, "\n");
}

/* ---- both --------------------------------------------------------------------------------- */

static void put_row(struct table_text *x, const struct ras_batch *b, size_t row)
{
    const struct table_source *s = &x->source;
    for (size_t i = 0; i < s->column_count; i++) {
        const struct ras_column_about *about = source_column(s, i);
        if (x->is_csv) {
            if (i)
                out_byte(&x->out, ',');
            put_csv_cell(x, about, &b->columns[i], row);
        } else {
            out_byte(&x->out, i ? ',' : '{');
            json_put_name(&x->out, about->name);
            out_byte(&x->out, ':');
            put_json_cell(&x->out, about, &b->columns[i], row);
        }
    }
    out_text(&x->out, x->is_csv ? "\n" : "}\n");
}

static int table_text_write(void *state, const struct ras_batch *b, struct ras_error *err)
{
    struct table_text *x = state;
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < batch_count(b); i++) {
        put_row(x, b, batch_row(b, i));
        status = sink_pass_out(x->sink, &x->out, TEXT_BUFFER, err);
    }
    return status == RAS_OK && x->cell.failed ? fail_memory(err) : status;
}

static int table_text_finish(void *state, struct ras_error *err)
{
    struct table_text *x = state;
    return sink_write_out(x->sink, &x->out, err);
}

static void table_text_close(void *state)
{
    struct table_text *x = state;
    if (!x)
        return;
    out_free(&x->out);
    out_free(&x->cell);
    free(x);
}

static int table_text_open(void **state, struct ras_sink *sink, const struct table_source *s,
                           bool is_csv, struct ras_error *err)
{
    struct table_text *x = calloc(1, sizeof *x);
    *state = x;
    if (!x)
        return fail_memory(err);
    *x = (struct table_text){.sink = sink, .source = *s, .is_csv = is_csv};
    if (is_csv)
        put_csv_head(x);
    return x->out.failed ? fail_memory(err) : RAS_OK;
}

static int csv_open(void **state, struct ras_sink *sink, const struct table_source *s,
                    struct ras_error *err)
{
    return table_text_open(state, sink, s, true, err);
}

static int jsonl_open(void **state, struct ras_sink *sink, const struct table_source *s,
                      struct ras_error *err)
{
    return table_text_open(state, sink, s, false, err);
}

const struct ras_table_writer csv_writer = {.open = csv_open,
                                            .write = table_text_write,
                                            .finish = table_text_finish,
                                            .close = table_text_close,
                                            .has_null_items = true};
const struct ras_table_writer jsonl_writer = {.open = jsonl_open,
                                              .write = table_text_write,
                                              .finish = table_text_finish,
                                              .close = table_text_close,
                                              .has_null_items = true};
