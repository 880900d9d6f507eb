/* arrow_ipc.c - a table of column batches as a stream of Arrow: a schema, then record batches, each
 * after the dictionaries that it needs.
 *
 * Text is a dictionary of UTF-8 with 32-bit indexes. What is new in it is sent as a delta; when a
 * column begins new names, its dictionary is replaced. */
#include "base/error.h"
#include "base/memory.h"
#include "export/arrow_ipc.h"
#include "export/flat.h"
#include "export/parquet.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    VERSION_5 = 4,
    HEADER_SCHEMA = 1,
    HEADER_DICTIONARY = 2,
    HEADER_BATCH = 3,
    TYPE_INT = 2,
    TYPE_FLOAT = 3,
    TYPE_BINARY = 4,
    TYPE_UTF8 = 5,
    TYPE_BOOL = 6,
    TYPE_LIST = 12,
    ALIGNMENT = 64,
};

/* How values of a type are described: the kind of type, its bits (or precision), its sign. */
static const struct arrow_kind {
    uint8_t type, bits, is_signed, width;
} arrow_kinds[] = {
    [RAS_T_BOOL] = {TYPE_BOOL, 0, 0, 1}, [RAS_T_U8] = {TYPE_INT, 8, 0, 1},
    [RAS_T_U16] = {TYPE_INT, 16, 0, 2},  [RAS_T_U32] = {TYPE_INT, 32, 0, 4},
    [RAS_T_U64] = {TYPE_INT, 64, 0, 8},  [RAS_T_I64] = {TYPE_INT, 64, 1, 8},
    [RAS_T_F32] = {TYPE_FLOAT, 1, 0, 4}, [RAS_T_F64] = {TYPE_FLOAT, 2, 0, 8},
    [RAS_T_TEXT] = {TYPE_UTF8, 0, 0, 4}, [RAS_T_BLOB] = {TYPE_BINARY, 0, 0, 0},
    [RAS_T_JSON] = {TYPE_UTF8, 0, 0, 0}, [RAS_T_LIST] = {TYPE_LIST, 0, 0, 0},
};

/* The dictionary of a column, or of the items of a list, as far as it was sent. */
struct sent_names {
    const struct ras_names *names;
    uint32_t count;
};

struct arrow_ipc {
    struct ras_sink *sink;
    const struct ras_column_about **columns;
    struct sent_names *sent;
    size_t column_count;
    struct out meta, body;    /* of the message that is made */
    struct out nodes, places; /* of a record batch: FieldNode and Buffer structs */
};

void arrow_ipc_free(struct arrow_ipc *a)
{
    if (!a)
        return;
    out_free(&a->meta);
    out_free(&a->body);
    out_free(&a->nodes);
    out_free(&a->places);
    free(a->columns);
    free(a->sent);
    free(a);
}

/* ---- messages --------------------------------------------------------------------------- */

static struct flat_table begin_message(struct arrow_ipc *a, uint8_t header, uint64_t body)
{
    const struct flat_slot slots[] = {{2, VERSION_5}, {1, header}, {4, 0}, {8, body}};
    a->meta.len = 0;
    flat_put(&a->meta, 0, 4); /* refers to the root */
    return flat_table(&a->meta, 0, slots, 4);
}

/* The length of the metadata, which ends where an 8-byte word does, the metadata and the body. */
static int write_message(struct arrow_ipc *a, struct ras_error *err)
{
    uint8_t head[8];
    flat_align(&a->meta, 8);
    if (a->meta.failed || a->body.failed || a->nodes.failed || a->places.failed)
        return fail_memory(err);
    store_u32(store_u32(head, UINT32_MAX), (uint32_t)a->meta.len);
    int status = ras_sink_write(a->sink, head, sizeof head, err);
    if (status == RAS_OK)
        status = ras_sink_write(a->sink, a->meta.at, a->meta.len, err);
    return status == RAS_OK ? ras_sink_write(a->sink, a->body.at, a->body.len, err) : status;
}

/* ---- schema ----------------------------------------------------------------------------- */

static void put_type(struct out *out, size_t field, const struct arrow_kind *kind)
{
    struct flat_slot slots[2] = {{0, 0}, {0, 0}};
    size_t count = 0;
    if (kind->type == TYPE_INT) {
        slots[0] = (struct flat_slot){4, kind->bits};
        slots[1] = (struct flat_slot){1, kind->is_signed};
        count = 2;
    } else if (kind->type == TYPE_FLOAT) {
        slots[0] = (struct flat_slot){2, kind->bits};
        count = 1;
    }
    flat_table(out, field, slots, count);
}

static void put_encoding(struct out *out, size_t field, size_t id)
{
    const struct flat_slot slots[] = {{8, id}, {4, 0}};
    const struct arrow_kind index = {TYPE_INT, 32, 1, 4};
    struct flat_table t = flat_table(out, field, slots, 2);
    put_type(out, t.fields[1], &index);
}

static void put_pair(struct out *out, size_t field, const char *key, const char *value)
{
    const struct flat_slot slots[] = {{4, 0}, {4, 0}};
    struct flat_table t = flat_table(out, field, slots, 2);
    flat_text(out, t.fields[0], key);
    flat_text(out, t.fields[1], value);
}

/* What the type does not say: the field's own name, its unit, whether it is shown as hex. */
static void put_metadata(struct out *out, size_t field, const struct ras_column_about *about)
{
    const char *const pairs[][2] = {{"rastrum.field", about->field},
                                    {"rastrum.unit", about->unit},
                                    {"rastrum.hex", about->flags & RAS_HEX ? "1" : NULL}};
    size_t count = 0;
    for (size_t i = 0; i < 3; i++)
        count += pairs[i][1] != NULL;
    flat_vector(out, field, count, 4);
    size_t at = out->len;
    for (size_t i = 0; i < count; i++)
        flat_put(out, 0, 4);
    for (size_t i = 0; i < 3; i++)
        if (pairs[i][1]) {
            put_pair(out, at, pairs[i][0], pairs[i][1]);
            at += 4;
        }
}

/* A field, which `field` refers to: a column (about), or the items of a list (NULL). */
static void put_field(struct out *out, size_t field, const struct ras_column_about *about,
                      const char *name, enum ras_type type, size_t id)
{
    const struct arrow_kind *kind = &arrow_kinds[type];
    bool is_list = type == RAS_T_LIST, is_text = type == RAS_T_TEXT;
    bool nullable = about && (is_list || column_may_be_null(about));
    const struct flat_slot slots[] = {
        {4, 0}, {1, nullable}, {1, kind->type}, {4, 0}, {is_text ? 4 : 0, 0}, {4, 0}, {4, 0}};
    struct flat_table t = flat_table(out, field, slots, about ? 7 : 6);
    flat_text(out, t.fields[0], name);
    put_type(out, t.fields[3], kind);
    if (is_text)
        put_encoding(out, t.fields[4], id);
    flat_vector(out, t.fields[5], is_list, 4);
    size_t child = out->len;
    if (is_list) {
        flat_put(out, 0, 4);
        put_field(out, child, NULL, "item", about->item, id);
    }
    if (about)
        put_metadata(out, t.fields[6], about);
}

static int write_schema(struct arrow_ipc *a, struct ras_error *err)
{
    const struct flat_slot slots[] = {{2, 0}, {4, 0}};
    struct flat_table message = begin_message(a, HEADER_SCHEMA, 0);
    struct flat_table schema = flat_table(&a->meta, message.fields[2], slots, 2);
    flat_vector(&a->meta, schema.fields[1], a->column_count, 4);
    size_t at = a->meta.len;
    for (size_t i = 0; i < a->column_count; i++)
        flat_put(&a->meta, 0, 4);
    for (size_t i = 0; i < a->column_count; i++)
        put_field(&a->meta, at + 4 * i, a->columns[i], a->columns[i]->name, a->columns[i]->type, i);
    return write_message(a, err);
}

int arrow_ipc_open(struct arrow_ipc **out, struct ras_sink *sink,
                   const struct ras_table_about *table, const uint16_t *columns,
                   size_t column_count, struct ras_error *err)
{
    struct arrow_ipc *a = calloc(1, sizeof *a);
    *out = a;
    if (!a)
        return fail_memory(err);
    a->sink = sink;
    a->column_count = column_count;
    a->columns = calloc(column_count + 1, sizeof *a->columns);
    a->sent = calloc(column_count + 1, sizeof *a->sent);
    if (!a->columns || !a->sent)
        return fail_memory(err);
    for (size_t i = 0; i < column_count; i++)
        a->columns[i] = &table->columns[columns[i]];
    return write_schema(a, err);
}

/* ---- buffers ---------------------------------------------------------------------------- */

/* The rows of a batch that are written. */
struct rows {
    const uint32_t *selected; /* NULL: all */
    size_t count;
};

static inline size_t row_at(const struct rows *rows, size_t i)
{
    return rows->selected ? rows->selected[i] : i;
}

static void put_node(struct arrow_ipc *a, size_t length, uint64_t nulls)
{
    flat_put(&a->nodes, length, 8);
    flat_put(&a->nodes, nulls, 8);
}

/* A buffer begins; where, for end_buffer(). */
static size_t begin_buffer(struct arrow_ipc *a)
{
    flat_align(&a->body, ALIGNMENT);
    return a->body.len;
}

static void end_buffer(struct arrow_ipc *a, size_t at)
{
    flat_put(&a->places, at, 8);
    flat_put(&a->places, a->body.len - at, 8);
}

static bool is_valid(const struct ras_column *column, size_t i)
{
    return !column->valid || column->valid[i / 8] >> i % 8 & 1;
}

/* Bits of `count` rows, by a test; how many are not set. */
static uint64_t put_bits(struct out *out, const struct rows *rows, const struct ras_column *column,
                         bool of_values)
{
    const uint8_t *values = column->values;
    uint64_t unset = 0;
    for (size_t i = 0; i < rows->count; i += 8) {
        unsigned byte = 0;
        for (size_t k = i; k < rows->count && k < i + 8; k++) {
            size_t row = row_at(rows, k);
            bool set = of_values ? values[row] : is_valid(column, row);
            byte |= (unsigned)set << (k - i);
            unset += !set;
        }
        out_byte(out, (uint8_t)byte);
    }
    return unset;
}

/* Validity, empty where none is null; how many are. */
static uint64_t put_validity(struct arrow_ipc *a, const struct rows *rows,
                             const struct ras_column *column)
{
    size_t at = begin_buffer(a);
    uint64_t nulls = column->valid ? put_bits(&a->body, rows, column, false) : 0;
    if (!nulls && !a->body.failed)
        a->body.len = at;
    end_buffer(a, at);
    return nulls;
}

static void put_fixed(struct arrow_ipc *a, const struct rows *rows, const struct ras_column *column,
                      size_t width)
{
    const uint8_t *values = column->values;
    size_t at = begin_buffer(a);
    if (!rows->selected)
        out_bytes(&a->body, values, rows->count * width);
    for (size_t i = 0; rows->selected && i < rows->count; i++)
        out_bytes(&a->body, values + rows->selected[i] * width, width);
    end_buffer(a, at);
}

/* Codes of null rows are 0: readers may look them up. */
static void put_codes(struct arrow_ipc *a, const struct rows *rows, const struct ras_column *column)
{
    const uint32_t *codes = column->values;
    size_t at = begin_buffer(a);
    for (size_t i = 0; i < rows->count; i++) {
        size_t row = row_at(rows, i);
        flat_put(&a->body, is_valid(column, row) ? codes[row] : 0, 4);
    }
    end_buffer(a, at);
}

/* Where each row's bytes or items end; null rows have none. */
static uint64_t put_offsets(struct arrow_ipc *a, const struct rows *rows,
                            const struct ras_column *column)
{
    uint64_t end = 0;
    size_t at = begin_buffer(a);
    flat_put(&a->body, 0, 4);
    for (size_t i = 0; i < rows->count; i++) {
        size_t row = row_at(rows, i);
        if (is_valid(column, row))
            end += column->offsets[row + 1] - column->offsets[row];
        flat_put(&a->body, end, 4);
    }
    end_buffer(a, at);
    return end;
}

static void put_bytes(struct arrow_ipc *a, const struct rows *rows, const struct ras_column *column)
{
    (void)put_offsets(a, rows, column);
    const uint8_t *bytes = column->items ? column->items->values : NULL;
    size_t at = begin_buffer(a);
    for (size_t i = 0; bytes && i < rows->count; i++) {
        size_t row = row_at(rows, i);
        if (is_valid(column, row))
            out_bytes(&a->body, bytes + column->offsets[row],
                      column->offsets[row + 1] - column->offsets[row]);
    }
    end_buffer(a, at);
}

static void put_scalar(struct arrow_ipc *a, const struct rows *rows,
                       const struct ras_column *column, enum ras_type type)
{
    if (type == RAS_T_BOOL) {
        size_t at = begin_buffer(a);
        (void)put_bits(&a->body, rows, column, true);
        end_buffer(a, at);
    } else if (type == RAS_T_TEXT) {
        put_codes(a, rows, column);
    } else if (arrow_kinds[type].width) {
        put_fixed(a, rows, column, arrow_kinds[type].width);
    } else {
        put_bytes(a, rows, column);
    }
}

/* The items of the rows, one after the other: as rows of their own, by number. */
static bool put_items(struct arrow_ipc *a, const struct rows *rows, const struct ras_column *column,
                      enum ras_type item)
{
    uint64_t count = put_offsets(a, rows, column);
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    size_t n = 0;
    for (size_t i = 0; numbers && i < rows->count; i++) {
        size_t row = row_at(rows, i);
        for (uint32_t k = column->offsets[row];
             is_valid(column, row) && k < column->offsets[row + 1]; k++)
            numbers[n++] = k;
    }
    struct rows items = {numbers, n};
    put_node(a, n, 0);
    end_buffer(a, begin_buffer(a)); /* no item is null */
    if (numbers)
        put_scalar(a, &items, column->items, item);
    free(numbers);
    return numbers != NULL;
}

static bool put_column(struct arrow_ipc *a, const struct rows *rows,
                       const struct ras_column *column, const struct ras_column_about *about)
{
    size_t node = a->nodes.len;
    put_node(a, rows->count, 0);
    uint64_t nulls = put_validity(a, rows, column);
    if (!a->nodes.failed)
        store_u64(a->nodes.at + node + 8, nulls);
    if (about->type == RAS_T_LIST)
        return put_items(a, rows, column, about->item);
    put_scalar(a, rows, column, about->type);
    return true;
}

/* ---- record batches --------------------------------------------------------------------- */

/* RecordBatch, to which `field` refers: what is in the body. */
static void put_batch(struct arrow_ipc *a, size_t field, uint64_t length)
{
    const struct flat_slot slots[] = {{8, length}, {4, 0}, {4, 0}};
    struct flat_table t = flat_table(&a->meta, field, slots, 3);
    flat_vector(&a->meta, t.fields[1], a->nodes.len / 16, 8);
    out_bytes(&a->meta, a->nodes.at, a->nodes.len);
    flat_vector(&a->meta, t.fields[2], a->places.len / 16, 8);
    out_bytes(&a->meta, a->places.at, a->places.len);
}

static void begin_body(struct arrow_ipc *a)
{
    a->body.len = a->nodes.len = a->places.len = 0;
}

/* What came to the names since they were sent last. */
static int write_dictionary(struct arrow_ipc *a, size_t id, const struct ras_names *names,
                            struct ras_error *err)
{
    struct sent_names *sent = &a->sent[id];
    bool is_delta = sent->names == names && sent->count;
    uint32_t from = is_delta ? sent->count : 0, end = 0;
    if (sent->names == names && sent->count == names->count)
        return RAS_OK;
    begin_body(a);
    put_node(a, names->count - from, 0);
    end_buffer(a, begin_buffer(a));
    size_t at = begin_buffer(a);
    flat_put(&a->body, 0, 4);
    for (uint32_t i = from; i < names->count; i++)
        flat_put(&a->body, end += names->len[i], 4);
    end_buffer(a, at);
    at = begin_buffer(a);
    for (uint32_t i = from; i < names->count; i++)
        out_bytes(&a->body, names->at[i], names->len[i]);
    end_buffer(a, at);
    flat_align(&a->body, ALIGNMENT);
    *sent = (struct sent_names){names, names->count};
    const struct flat_slot slots[] = {{8, id}, {4, 0}, {1, is_delta}};
    struct flat_table message = begin_message(a, HEADER_DICTIONARY, a->body.len);
    struct flat_table t = flat_table(&a->meta, message.fields[2], slots, 3);
    put_batch(a, t.fields[1], sent->count - from);
    return write_message(a, err);
}

static const struct ras_names *names_of(const struct ras_column *column,
                                        const struct ras_column_about *about)
{
    if (about->type == RAS_T_LIST)
        return about->item == RAS_T_TEXT ? column->items->names : NULL;
    return about->type == RAS_T_TEXT ? column->names : NULL;
}

int arrow_ipc_write(struct arrow_ipc *a, const struct ras_batch *batch, struct ras_error *err)
{
    struct rows rows = {batch->selected, batch->selected ? batch->selected_count : batch->rows};
    if (!rows.count)
        return RAS_OK;
    for (size_t i = 0; i < a->column_count; i++) {
        const struct ras_names *names = names_of(&batch->columns[i], a->columns[i]);
        int status = names ? write_dictionary(a, i, names, err) : RAS_OK;
        if (status < 0)
            return status;
    }
    begin_body(a);
    for (size_t i = 0; i < a->column_count; i++)
        if (!put_column(a, &rows, &batch->columns[i], a->columns[i]))
            return fail_memory(err);
    flat_align(&a->body, ALIGNMENT);
    struct flat_table message = begin_message(a, HEADER_BATCH, a->body.len);
    put_batch(a, message.fields[2], rows.count);
    return write_message(a, err);
}

int arrow_ipc_finish(struct arrow_ipc *a, struct ras_error *err)
{
    static const uint8_t end[8] = {0xff, 0xff, 0xff, 0xff};
    return ras_sink_write(a->sink, end, sizeof end, err);
}
