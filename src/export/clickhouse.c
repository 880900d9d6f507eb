/* clickhouse.c - tables for ClickHouse: rows in its format RowBinary, or the statements that create
 * the tables.
 *
 * Each row begins with the names of its batch, which is the partition that is dropped and loaded
 * again after a failure, and of its trace. */
#include "base/error.h"
#include "base/out.h"
#include "core/sink.h"
#include "export/parquet.h"
#include "export/table_writer.h"

#include <stdlib.h>

enum { CLICKHOUSE_BUFFER = 64 << 10 };

static const char *const type_names[] = {
    [RAS_T_BOOL] = "UInt8",  [RAS_T_U8] = "UInt8",    [RAS_T_U16] = "UInt16",
    [RAS_T_U32] = "UInt32",  [RAS_T_U64] = "UInt64",  [RAS_T_I64] = "Int64",
    [RAS_T_F32] = "Float32", [RAS_T_F64] = "Float64", [RAS_T_TEXT] = "String",
    [RAS_T_BLOB] = "String", [RAS_T_JSON] = "String",
};
static const uint8_t widths[] = {
    [RAS_T_BOOL] = 1, [RAS_T_U8] = 1,  [RAS_T_U16] = 2, [RAS_T_U32] = 4,  [RAS_T_U64] = 8,
    [RAS_T_I64] = 8,  [RAS_T_F32] = 4, [RAS_T_F64] = 8, [RAS_T_LIST] = 0,
};

struct clickhouse {
    struct ras_sink *sink;
    struct table_source source;
    struct out out, head; /* head: what each row begins with */
    bool ddl;
};

/* ---- statements --------------------------------------------------------------------------- */

/* A name between backquotes: those in it, and backslashes, are escaped. */
static void put_identifier(struct out *out, const char *name, const char *suffix)
{
    out_byte(out, '`');
    for (; *name; name++) {
        if (*name == '`' || *name == '\\')
            out_byte(out, '\\');
        out_byte(out, (uint8_t)*name);
    }
    out_text(out, suffix);
    out_byte(out, '`');
}

static void put_type_name(struct out *out, const struct ras_column_about *c)
{
    if (c->type == RAS_T_LIST)
        out_format(out, "Array(%s)", type_names[c->item]);
    else if (column_may_be_null(c))
        out_format(out, "Nullable(%s)", type_names[c->type]);
    else
        out_text(out, type_names[c->type]);
}

static bool is_column_of(const struct table_source *s, const char *name)
{
    for (size_t i = 0; i < s->column_count; i++)
        if (!strcmp(source_column(s, i)->name, name))
            return true;
    return false;
}

static void put_columns(struct out *out, const struct table_source *s)
{
    out_text(out, " (\n  `batch` String,\n  `trace` String");
    for (size_t i = 0; i < s->column_count; i++) {
        if (!strcmp(source_column(s, i)->name, "trace"))
            continue;
        out_text(out, ",\n  ");
        put_identifier(out, source_column(s, i)->name, "");
        out_byte(out, ' ');
        put_type_name(out, source_column(s, i));
    }
    out_text(out, "\n)");
}

/* The columns that rows are sorted by must not be nullable. */
static void put_order(struct out *out, const struct table_source *s)
{
    static const char *const keys[] = {"stream", "seq", "parent_seq", "idx"};
    out_text(out, "\nORDER BY (trace");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (is_column_of(s, keys[i]))
            out_format(out, ", %s", keys[i]);
    out_text(out, ");\n");
}

static void put_ddl(struct out *out, const struct table_source *s)
{
    const char *cluster = s->how->cluster;
    out_text(out, "CREATE TABLE IF NOT EXISTS ");
    put_identifier(out, s->name, cluster ? "_local" : "");
    put_columns(out, s);
    out_text(out, " ENGINE = MergeTree PARTITION BY batch");
    put_order(out, s);
    if (!cluster)
        return;
    out_text(out, "CREATE TABLE IF NOT EXISTS ");
    put_identifier(out, s->name, "");
    put_columns(out, s);
    out_text(out, " ENGINE = Distributed(");
    put_identifier(out, cluster, "");
    out_text(out, ", currentDatabase(), ");
    put_identifier(out, s->name, "_local");
    out_format(out, ", cityHash64(trace%s));\n", is_column_of(s, "stream") ? ", stream" : "");
}

/* ---- rows --------------------------------------------------------------------------------- */

static void put_length(struct out *out, uint64_t length)
{
    for (; length >= 0x80; length >>= 7)
        out_byte(out, (uint8_t)(length | 0x80));
    out_byte(out, (uint8_t)length);
}

static void put_sized(struct out *out, const void *bytes, size_t len)
{
    put_length(out, len);
    out_bytes(out, bytes, len);
}

static void put_native(struct out *out, const struct ras_column *c, enum ras_type type, size_t row)
{
    if (type == RAS_T_TEXT) {
        uint32_t code = ((const uint32_t *)c->values)[row];
        put_sized(out, c->names->at[code], c->names->len[code]);
    } else if (widths[type]) {
        out_bytes(out, (const uint8_t *)c->values + row * widths[type], widths[type]);
    } else {
        put_sized(out, (const uint8_t *)c->values + c->offsets[row],
                  c->offsets[row + 1] - c->offsets[row]);
    }
}

static void put_array(struct out *out, const struct ras_column *c, enum ras_type item, size_t row)
{
    bool null =
        column_is_null(c, row) || list_has_null(c, row); /* an array cannot be null: it is empty */
    uint32_t from = c->offsets[row], to = null ? from : c->offsets[row + 1];
    put_length(out, to - from);
    for (uint32_t i = from; i < to; i++)
        put_native(out, c->items, item, i);
}

static void put_column(struct out *out, const struct ras_column_about *about,
                       const struct ras_column *c, size_t row)
{
    bool null = column_is_null(c, row);
    if (about->type == RAS_T_LIST) {
        put_array(out, c, about->item, row);
        return;
    }
    if (column_may_be_null(about))
        out_byte(out, null);
    if (!null)
        put_native(out, c, about->type, row);
}

static int clickhouse_write(void *state, const struct ras_batch *b, struct ras_error *err)
{
    struct clickhouse *x = state;
    const struct table_source *s = &x->source;
    int status = RAS_OK;
    for (size_t i = 0; !x->ddl && status == RAS_OK && i < batch_count(b); i++) {
        size_t row = batch_row(b, i);
        out_bytes(&x->out, x->head.at, x->head.len);
        for (size_t k = 0; k < s->column_count; k++)
            if (strcmp(source_column(s, k)->name, "trace") != 0)
                put_column(&x->out, source_column(s, k), &b->columns[k], row);
        status = sink_pass_out(x->sink, &x->out, CLICKHOUSE_BUFFER, err);
    }
    return status;
}

static int clickhouse_finish(void *state, struct ras_error *err)
{
    struct clickhouse *x = state;
    return sink_write_out(x->sink, &x->out, err);
}

static void clickhouse_close(void *state)
{
    struct clickhouse *x = state;
    if (!x)
        return;
    out_free(&x->out);
    out_free(&x->head);
    free(x);
}

static int clickhouse_open(void **state, struct ras_sink *sink, const struct table_source *s,
                           struct ras_error *err)
{
    struct clickhouse *x = calloc(1, sizeof *x);
    *state = x;
    if (!x)
        return fail_memory(err);
    if (check_number_order(err) < 0)
        return RAS_EUNSUPPORTED;
    const char *batch = s->how->batch ? s->how->batch : "1";
    const char *trace = s->how->trace_name ? s->how->trace_name : "";
    *x = (struct clickhouse){.sink = sink, .source = *s, .ddl = s->how->ddl};
    put_sized(&x->head, batch, strlen(batch));
    put_sized(&x->head, trace, strlen(trace));
    if (x->ddl)
        put_ddl(&x->out, s);
    return x->out.failed || x->head.failed ? fail_memory(err) : RAS_OK;
}

const struct ras_table_writer clickhouse_writer = {.open = clickhouse_open,
                                                   .write = clickhouse_write,
                                                   .finish = clickhouse_finish,
                                                   .close = clickhouse_close,
                                                   .null_lists = "lists that are null are empty"};
