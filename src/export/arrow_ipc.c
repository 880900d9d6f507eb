/* arrow_ipc.c - a table of column batches as a stream of Arrow: a schema, then record batches, each
 * after the dictionaries that it needs.
 *
 * Text is a dictionary of UTF-8 with 32-bit indexes. What is new in it is sent as a delta; when a
 * column begins new names, its dictionary is replaced. */
#include "base/error.h"
#include "base/memory.h"
#include "export/arrow_ipc.h"
#include "export/arrow_body.h"
#include "export/flat.h"
#include "export/parquet.h"
#include "export/table_writer.h"

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
};

/* How values of a type are described: the kind of type, its bits (or precision), its sign. */
static const struct arrow_kind {
    uint8_t type, bits, is_signed;
} arrow_kinds[] = {
    [RAS_T_BOOL] = {TYPE_BOOL, 0, 0}, [RAS_T_U8] = {TYPE_INT, 8, 0},
    [RAS_T_U16] = {TYPE_INT, 16, 0},  [RAS_T_U32] = {TYPE_INT, 32, 0},
    [RAS_T_U64] = {TYPE_INT, 64, 0},  [RAS_T_I64] = {TYPE_INT, 64, 1},
    [RAS_T_F32] = {TYPE_FLOAT, 1, 0}, [RAS_T_F64] = {TYPE_FLOAT, 2, 0},
    [RAS_T_TEXT] = {TYPE_UTF8, 0, 0}, [RAS_T_BLOB] = {TYPE_BINARY, 0, 0},
    [RAS_T_JSON] = {TYPE_UTF8, 0, 0}, [RAS_T_LIST] = {TYPE_LIST, 0, 0},
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
    struct out meta; /* of the message that is made */
    struct arrow_body body;
};

uint64_t arrow_ipc_not_utf8(const struct arrow_ipc *a)
{
    return a->body.not_utf8;
}

void arrow_ipc_free(struct arrow_ipc *a)
{
    if (!a)
        return;
    out_free(&a->meta);
    arrow_body_free(&a->body);
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
    if (a->meta.failed || arrow_body_failed(&a->body))
        return fail_memory(err);
    store_u32(store_u32(head, UINT32_MAX), (uint32_t)a->meta.len);
    int status = ras_sink_write(a->sink, head, sizeof head, err);
    if (status == RAS_OK)
        status = ras_sink_write(a->sink, a->meta.at, a->meta.len, err);
    return status == RAS_OK ? ras_sink_write(a->sink, a->body.bytes.at, a->body.bytes.len, err)
                            : status;
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
    const struct arrow_kind index = {TYPE_INT, 32, 1};
    struct flat_table t = flat_table(out, field, slots, 2);
    put_type(out, t.fields[1], &index);
}

static void put_pair(struct out *out, size_t field, const char *key, const char *value)
{
    const struct flat_slot slots[] = {{4, 0}, {4, 0}};
    struct flat_table t = flat_table(out, field, slots, 2);
    flat_text(out, t.fields[0], key);
    flat_name(out, t.fields[1], value);
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
    if (check_number_order(err) < 0)
        return RAS_EUNSUPPORTED;
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

/* ---- record batches --------------------------------------------------------------------- */

/* RecordBatch, to which `field` refers: what is in the body. */
static void put_batch(struct arrow_ipc *a, size_t field, uint64_t length)
{
    const struct flat_slot slots[] = {{8, length}, {4, 0}, {4, 0}};
    struct flat_table t = flat_table(&a->meta, field, slots, 3);
    flat_vector(&a->meta, t.fields[1], a->body.nodes.len / 16, 8);
    out_bytes(&a->meta, a->body.nodes.at, a->body.nodes.len);
    flat_vector(&a->meta, t.fields[2], a->body.places.len / 16, 8);
    out_bytes(&a->meta, a->body.places.at, a->body.places.len);
}

/* What came to the names since they were sent last. */
static int write_dictionary(struct arrow_ipc *a, size_t id, const struct ras_names *names,
                            struct ras_error *err)
{
    struct sent_names *sent = &a->sent[id];
    bool is_delta = sent->names == names && sent->count;
    uint32_t from = is_delta ? sent->count : 0;
    if (sent->names == names && sent->count == names->count)
        return RAS_OK;
    arrow_body_begin(&a->body);
    arrow_body_names(&a->body, names, from);
    arrow_body_end(&a->body);
    *sent = (struct sent_names){names, names->count};
    const struct flat_slot slots[] = {{8, id}, {4, 0}, {1, is_delta}};
    struct flat_table message = begin_message(a, HEADER_DICTIONARY, a->body.bytes.len);
    struct flat_table t = flat_table(&a->meta, message.fields[2], slots, 3);
    put_batch(a, t.fields[1], sent->count - from);
    return write_message(a, err);
}

int arrow_ipc_write(struct arrow_ipc *a, const struct ras_batch *batch, struct ras_error *err)
{
    struct arrow_rows rows = {batch->selected,
                              batch->selected ? batch->selected_count : batch->rows};
    if (!rows.count)
        return RAS_OK;
    for (size_t i = 0; i < a->column_count; i++) {
        const struct ras_names *names = arrow_names_of(&batch->columns[i], a->columns[i]);
        int status = names ? write_dictionary(a, i, names, err) : RAS_OK;
        if (status < 0)
            return status;
    }
    arrow_body_begin(&a->body);
    for (size_t i = 0; i < a->column_count; i++)
        if (!arrow_body_column(&a->body, &rows, &batch->columns[i], a->columns[i]))
            return fail_memory(err);
    arrow_body_end(&a->body);
    struct flat_table message = begin_message(a, HEADER_BATCH, a->body.bytes.len);
    put_batch(a, message.fields[2], rows.count);
    return write_message(a, err);
}

int arrow_ipc_finish(struct arrow_ipc *a, struct ras_error *err)
{
    static const uint8_t end[8] = {0xff, 0xff, 0xff, 0xff};
    return ras_sink_write(a->sink, end, sizeof end, err);
}
