/* arrow_stream.c - a table as a stream of Arrow's C data interface: each array owns one block with
 * its buffers, and one with the structures that point into it. */
#include "base/error.h"
#include "base/memory.h"
#include "export/arrow_body.h"
#include "export/parquet.h"
#include <rastrum/arrow.h>

#include <errno.h>
#include <stdlib.h>

static const char *const formats[] = {
    [RAS_T_BOOL] = "b", [RAS_T_U8] = "C",   [RAS_T_U16] = "S",  [RAS_T_U32] = "I",
    [RAS_T_U64] = "L",  [RAS_T_I64] = "l",  [RAS_T_F32] = "f",  [RAS_T_F64] = "g",
    [RAS_T_TEXT] = "i", [RAS_T_BLOB] = "z", [RAS_T_JSON] = "u", [RAS_T_LIST] = "+l",
};

struct arrow_stream {
    struct ras_columns *reader;
    const struct ras_column_about **columns;
    size_t count;
    struct arrow_body body;
    struct ras_error err;
};

/* ---- schema -------------------------------------------------------------------------------- */

/* What a schema with its children owns: they are released one by one, as a consumer may move
 * them. */
static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release)
            s->children[i]->release(s->children[i]);
        free(s->children[i]);
    }
    if (s->dictionary && s->dictionary->release)
        s->dictionary->release(s->dictionary);
    free(s->dictionary);
    free(s->children);
    free((void *)(uintptr_t)s->name);
    free((void *)(uintptr_t)s->metadata);
    s->release = NULL;
}

static bool start_schema(struct ArrowSchema *s, const char *name, const char *format,
                         size_t children)
{
    *s = (struct ArrowSchema){.format = format, .release = release_schema};
    s->name = text_copy(name, strlen(name));
    s->children = calloc(children + 1, sizeof *s->children);
    for (size_t i = 0; s->children && i < children; i++) {
        s->children[i] = calloc(1, sizeof *s->children[i]);
        if (!s->children[i])
            return false;
        s->n_children++;
    }
    return s->name && s->children;
}

static bool add_dictionary(struct ArrowSchema *s)
{
    s->dictionary = calloc(1, sizeof *s->dictionary);
    return s->dictionary && start_schema(s->dictionary, "", formats[RAS_T_JSON], 0);
}

/* How many pairs, then each with its lengths, as this machine orders bytes. */
static bool add_metadata(struct ArrowSchema *s, const struct ras_column_about *about)
{
    const char *const pairs[][2] = {{"rastrum.field", about->field},
                                    {"rastrum.unit", about->unit},
                                    {"rastrum.hex", about->flags & RAS_HEX ? "1" : NULL}};
    struct out out = {0};
    int32_t count = 0;
    for (size_t i = 0; i < 3; i++)
        count += pairs[i][1] != NULL;
    out_bytes(&out, &count, sizeof count);
    for (size_t i = 0; i < 6; i++) {
        const char *text = pairs[i / 2][i % 2];
        if (!pairs[i / 2][1])
            continue;
        size_t head = out.len;
        int32_t len = 0;
        out_bytes(&out, &len, sizeof len);
        out_name(&out, text);
        len = (int32_t)(out.len - head - sizeof len);
        if (!out.failed)
            memcpy(out.at + head, &len, sizeof len);
    }
    s->metadata = (const char *)out.at;
    return !out.failed;
}

static bool column_schema(struct ArrowSchema *s, const struct ras_column_about *about)
{
    bool is_list = about->type == RAS_T_LIST;
    if (!start_schema(s, about->name, formats[about->type], is_list) || !add_metadata(s, about))
        return false;
    if (is_list || column_may_be_null(about))
        s->flags = ARROW_FLAG_NULLABLE;
    if (about->type == RAS_T_TEXT)
        return add_dictionary(s);
    if (!is_list)
        return true;
    struct ArrowSchema *item = s->children[0];
    return start_schema(item, "item", formats[about->item], 0) &&
           (about->item != RAS_T_TEXT || add_dictionary(item));
}

static int stream_fail(struct arrow_stream *x)
{
    return x->err.status == RAS_EMEMORY ? ENOMEM : EIO;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct arrow_stream *x = stream->private_data;
    bool ok = start_schema(out, "", "+s", x->count);
    for (size_t i = 0; ok && i < x->count; i++)
        ok = column_schema(out->children[i], x->columns[i]);
    if (ok)
        return 0;
    release_schema(out);
    fail_memory(&x->err);
    return stream_fail(x);
}

/* ---- arrays -------------------------------------------------------------------------------- */

/* The buffers of an array's columns. Children may outlive their parent, so that the block is
 * counted. */
struct block {
    uint8_t *bytes;
    size_t users; /* arrays; an array and its children are used by one thread at a time */
};

static void leave_block(struct block *b)
{
    if (--b->users)
        return;
    aligned_free(b->bytes);
    free(b);
}

static void release_array(struct ArrowArray *a)
{
    for (int64_t i = 0; i < a->n_children; i++) {
        if (a->children[i]->release)
            a->children[i]->release(a->children[i]);
        free(a->children[i]);
    }
    if (a->dictionary && a->dictionary->release)
        a->dictionary->release(a->dictionary);
    free(a->dictionary);
    free(a->children);
    free(a->buffers);
    if (a->private_data)
        leave_block(a->private_data);
    a->release = NULL;
}

static bool start_array(struct ArrowArray *a, size_t buffers, size_t children, struct block *b)
{
    *a = (struct ArrowArray){.n_buffers = (int64_t)buffers, .release = release_array};
    a->buffers = calloc(buffers + 1, sizeof *a->buffers);
    a->children = calloc(children + 1, sizeof *a->children);
    for (size_t i = 0; a->children && i < children; i++) {
        a->children[i] = calloc(1, sizeof *a->children[i]);
        if (!a->children[i])
            return false;
        a->n_children++;
    }
    if (b) {
        a->private_data = b;
        b->users++;
    }
    return a->buffers && a->children;
}

/* What arrow_body_*() wrote, read in the same order. */
struct body_reader {
    const uint8_t *nodes, *places;
    struct block *block;
};

static void take_node(struct body_reader *r, struct ArrowArray *a)
{
    a->length = (int64_t)load_u64(r->nodes);
    a->null_count = (int64_t)load_u64(r->nodes + 8);
    r->nodes += 16;
}

static void take_buffers(struct body_reader *r, struct ArrowArray *a)
{
    for (int64_t i = 0; i < a->n_buffers; i++) {
        uint64_t at = load_u64(r->places), size = load_u64(r->places + 8);
        a->buffers[i] = size || i ? r->block->bytes + at : NULL; /* no validity: none is null */
        r->places += 16;
    }
}

static size_t buffers_of(enum ras_type type)
{
    return type == RAS_T_BLOB || type == RAS_T_JSON ? 3 : 2;
}

static bool column_array(struct body_reader *r, struct ArrowArray *a,
                         const struct ras_column_about *about)
{
    bool is_list = about->type == RAS_T_LIST;
    if (!start_array(a, buffers_of(about->type), is_list, r->block))
        return false;
    take_node(r, a);
    take_buffers(r, a);
    if (!is_list)
        return true;
    struct ArrowArray *item = a->children[0];
    if (!start_array(item, buffers_of(about->item), 0, r->block))
        return false;
    take_node(r, item);
    take_buffers(r, item);
    return true;
}

/* The buffers that were gathered, in a block of their own. */
static struct block *take_block(struct arrow_body *body)
{
    struct block *b = calloc(1, sizeof *b);
    arrow_body_end(body);
    size_t size = body->bytes.len ? body->bytes.len : ARROW_ALIGNMENT;
    if (b)
        b->bytes = arrow_body_failed(body) ? NULL : aligned_take(ARROW_ALIGNMENT, size);
    if (!b || !b->bytes) {
        free(b);
        return NULL;
    }
    if (body->bytes.len)
        memcpy(b->bytes, body->bytes.at, body->bytes.len);
    return b;
}

static bool dictionary_array(struct arrow_stream *x, struct ArrowArray *a,
                             const struct ras_names *names)
{
    arrow_body_begin(&x->body);
    arrow_body_names(&x->body, names, 0);
    struct body_reader r = {.block = take_block(&x->body)};
    a->dictionary = calloc(1, sizeof *a->dictionary);
    if (!r.block || !a->dictionary || !start_array(a->dictionary, 3, 0, r.block)) {
        if (r.block && !r.block->users)
            free((aligned_free(r.block->bytes), r.block));
        return false;
    }
    r.nodes = x->body.nodes.at;
    r.places = x->body.places.at;
    take_node(&r, a->dictionary);
    take_buffers(&r, a->dictionary);
    return true;
}

static bool batch_array(struct arrow_stream *x, const struct ras_batch *batch,
                        struct ArrowArray *out)
{
    struct arrow_rows rows = {batch->selected,
                              batch->selected ? batch->selected_count : batch->rows};
    bool ok = start_array(out, 1, x->count, NULL);
    out->length = (int64_t)rows.count;
    arrow_body_begin(&x->body);
    for (size_t i = 0; ok && i < x->count; i++)
        ok = arrow_body_column(&x->body, &rows, &batch->columns[i], x->columns[i]);
    struct body_reader r = {.block = ok ? take_block(&x->body) : NULL};
    if (!r.block)
        return false;
    r.block->users++; /* while it is filled in */
    r.nodes = x->body.nodes.at;
    r.places = x->body.places.at;
    for (size_t i = 0; ok && i < x->count; i++)
        ok = column_array(&r, out->children[i], x->columns[i]);
    leave_block(r.block);
    for (size_t i = 0; ok && i < x->count; i++) {
        const struct ras_names *names = arrow_names_of(&batch->columns[i], x->columns[i]);
        struct ArrowArray *a = out->children[i];
        if (names)
            ok = dictionary_array(x, x->columns[i]->type == RAS_T_LIST ? a->children[0] : a, names);
    }
    return ok;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct arrow_stream *x = stream->private_data;
    const struct ras_batch *batch;
    *out = (struct ArrowArray){0};
    int status = ras_columns_next(x->reader, &batch, &x->err);
    if (status == RAS_END)
        return 0; /* an array that is released: the end */
    if (status < 0)
        return stream_fail(x);
    if (batch_array(x, batch, out))
        return 0;
    release_array(out);
    fail_memory(&x->err);
    return stream_fail(x);
}

/* ---- stream -------------------------------------------------------------------------------- */

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const struct arrow_stream *x = stream->private_data;
    return x->err.text;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    struct arrow_stream *x = stream->private_data;
    ras_columns_close(x->reader);
    arrow_body_free(&x->body);
    free(x->columns);
    free(x);
    stream->release = NULL;
}

int ras_arrow_stream(struct ras_tables *tables, const struct ras_columns_scan *scan,
                     struct ArrowArrayStream *out, struct ras_error *err)
{
    struct arrow_stream *x = calloc(1, sizeof *x);
    *out = (struct ArrowArrayStream){0};
    if (!x)
        return fail_memory(err);
    out->private_data = x;
    int status = ras_columns_open(&x->reader, tables, scan, err);
    const struct ras_table_about *t = status == RAS_OK ? ras_table_of(tables, scan->table) : NULL;
    size_t most = t ? t->column_count + scan->column_count : 0;
    x->columns = t ? calloc(most + 1, sizeof *x->columns) : NULL;
    if (t && !x->columns)
        status = fail_memory(err);
    for (size_t i = 0; status == RAS_OK && scan->columns && i < scan->column_count; i++)
        x->columns[x->count++] = &t->columns[scan->columns[i]];
    for (size_t i = 0; status == RAS_OK && !scan->columns && i < t->column_count; i++)
        if (!(t->columns[i].flags & RAS_HIDDEN))
            x->columns[x->count++] = &t->columns[i];
    if (scan->no_columns)
        x->count = 0;
    if (status < 0) {
        release_stream(out);
        return status;
    }
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, x};
    return RAS_OK;
}
