/* parquet.c - a table of column batches as a Parquet file: row groups, their indexes, the footer.
 *
 * A row group is gathered column by column and written when it has a million rows or 128 MiB; its
 * part of the footer is made at once, so that only bounds and places are kept. */
#include "base/error.h"
#include "base/memory.h"
#include "export/parquet.h"
#include "export/parquet_chunk.h"
#include "export/table_writer.h"
#include "export/thrift.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CODEC_ZSTD = 6, REQUIRED = 0, OPTIONAL = 1, REPEATED = 2, CONVERTED_LIST = 3 };

/* The column chunk of a row group that was written: what the footer says of it, and its indexes,
 * which follow the last row group. */
struct written {
    struct out meta;
    struct out column_index, offset_index;
    bool has_column_index;
    uint64_t at;
};

struct group {
    uint64_t rows, plain, stored, at;
    struct written *chunks;
};

struct parquet {
    struct ras_sink *sink;
    struct parquet_chunk *chunks;
    size_t chunk_count;
    struct parquet_tools tools;
    size_t page_rows; /* of the page under way */
    struct group *groups;
    size_t group_count, group_room;
    uint64_t rows;
};

static const char magic[4] = {'P', 'A', 'R', '1'};

uint64_t parquet_rows(const struct parquet *p)
{
    return p->rows;
}

uint64_t parquet_not_utf8(const struct parquet *p)
{
    uint64_t count = 0;
    for (size_t i = 0; i < p->chunk_count; i++)
        count += p->chunks[i].not_utf8;
    return count;
}

int parquet_open(struct parquet **out, struct ras_sink *sink, const struct ras_table_about *table,
                 const uint16_t *columns, size_t column_count, struct ras_error *err)
{
    struct parquet *p = calloc(1, sizeof *p);
    *out = p;
    if (!p)
        return fail_memory(err);
    if (check_number_order(err) < 0)
        return RAS_EUNSUPPORTED;
    p->sink = sink;
    p->chunk_count = column_count;
    p->chunks = calloc(column_count + 1, sizeof *p->chunks);
    if (!p->chunks || !parquet_tools_new(&p->tools))
        return fail_memory(err);
    for (size_t i = 0; i < column_count; i++) {
        struct parquet_chunk *k = &p->chunks[i];
        k->about = &table->columns[columns[i]];
        k->is_list = k->about->type == RAS_T_LIST;
        k->is_optional = k->is_list || column_may_be_null(k->about);
        k->kind = parquet_kind_of(k->is_list ? k->about->item : k->about->type);
    }
    return ras_sink_write(sink, magic, sizeof magic, err);
}

static void free_group(const struct parquet *p, struct group *g)
{
    for (size_t i = 0; g->chunks && i < p->chunk_count; i++) {
        out_free(&g->chunks[i].meta);
        out_free(&g->chunks[i].column_index);
        out_free(&g->chunks[i].offset_index);
    }
    free(g->chunks);
}

void parquet_free(struct parquet *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->chunks && i < p->chunk_count; i++)
        parquet_chunk_free(&p->chunks[i]);
    for (size_t i = 0; i < p->group_count; i++)
        free_group(p, &p->groups[i]);
    parquet_tools_free(&p->tools);
    free(p->groups);
    free(p->chunks);
    free(p);
}

/* ---- what is said of a column chunk ------------------------------------------------------ */

/* Bytes as a field; nothing where the bound cannot be stated. */
static bool put_range_end(struct thrift *t, int id, const struct parquet_chunk *k,
                          const struct parquet_bound *b, bool is_most)
{
    struct out bytes = {0};
    bool stated = parquet_bound_put(k, b, is_most, &bytes);
    if (stated)
        thrift_binary(t, id, bytes.at, bytes.len);
    t->out->failed |= bytes.failed;
    out_free(&bytes);
    return stated;
}

static void put_statistics(struct thrift *t, const struct parquet_chunk *k)
{
    thrift_struct(t, 12);
    thrift_i64(t, 3, k->nulls);
    if (k->range.known) {
        (void)put_range_end(t, 5, k, &k->range.most, true);
        (void)put_range_end(t, 6, k, &k->range.least, false);
    }
    thrift_close(t);
}

static void put_encodings(struct thrift *t, const struct parquet_chunk *k)
{
    thrift_list(t, 2, THRIFT_I32, k->has_dictionary ? 3 : 2);
    if (k->has_dictionary)
        thrift_zigzag(t->out, PARQUET_PLAIN);
    thrift_zigzag(t->out, k->encoding);
    thrift_zigzag(t->out, PARQUET_RLE);
}

static void put_path(struct thrift *t, const struct parquet_chunk *k)
{
    static const char *const inner[] = {"list", "element"};
    thrift_list(t, 3, THRIFT_BINARY, k->is_list ? 3 : 1);
    thrift_item(t->out, k->about->name, strlen(k->about->name));
    for (size_t i = 0; k->is_list && i < 2; i++)
        thrift_item(t->out, inner[i], strlen(inner[i]));
}

/* ColumnMetaData. */
static void put_chunk_meta(struct out *out, const struct parquet_chunk *k)
{
    struct thrift t = {.out = out};
    thrift_i32(&t, 1, (int32_t)k->kind->physical);
    put_encodings(&t, k);
    put_path(&t, k);
    thrift_i32(&t, 4, CODEC_ZSTD);
    thrift_i64(&t, 5, k->is_optional ? k->level_count : k->value_count);
    thrift_i64(&t, 6, k->plain);
    thrift_i64(&t, 7, k->stored);
    thrift_i64(&t, 9, k->data_at);
    if (k->has_dictionary)
        thrift_i64(&t, 11, k->dictionary_at);
    if (!k->is_list)
        put_statistics(&t, k);
    thrift_close(&t);
}

static void put_offset_index(struct out *out, const struct parquet_chunk *k)
{
    struct thrift t = {.out = out};
    thrift_list(&t, 1, THRIFT_STRUCT, k->page_count);
    for (size_t i = 0; i < k->page_count; i++) {
        thrift_open(&t);
        thrift_i64(&t, 1, k->pages[i].offset);
        thrift_i32(&t, 2, (int32_t)k->pages[i].stored);
        thrift_i64(&t, 3, i ? k->cuts[i - 1].rows : 0);
        thrift_close(&t);
    }
    thrift_close(&t);
}

static void put_page_bounds(struct thrift *t, int id, const struct parquet_chunk *k, bool is_most,
                            bool *stated)
{
    struct out bytes = {0};
    thrift_list(t, id, THRIFT_BINARY, k->page_count);
    for (size_t i = 0; i < k->page_count; i++) {
        const struct parquet_range *r = &k->pages[i].range;
        bytes.len = 0;
        if (r->known)
            *stated &= parquet_bound_put(k, is_most ? &r->most : &r->least, is_most, &bytes);
        thrift_item(t->out, bytes.at, bytes.len);
    }
    t->out->failed |= bytes.failed;
    out_free(&bytes);
}

/* The bounds of all pages. False: those of one with values cannot be stated, so none are. */
static bool put_column_index(struct out *out, const struct parquet_chunk *k)
{
    struct thrift t = {.out = out};
    bool stated = !k->is_list;
    for (size_t i = 0; i < k->page_count; i++) { /* a page of NaN alone has values, but no bounds */
        size_t from = i ? k->cuts[i - 1].values : 0;
        stated &= k->pages[i].range.known || k->cuts[i].values == from;
    }
    if (!stated)
        return false;
    thrift_list(&t, 1, THRIFT_TRUE, k->page_count);
    for (size_t i = 0; i < k->page_count; i++)
        out_byte(out, k->pages[i].range.known ? THRIFT_FALSE : THRIFT_TRUE);
    put_page_bounds(&t, 2, k, false, &stated);
    put_page_bounds(&t, 3, k, true, &stated);
    thrift_i32(&t, 4, 0); /* not known to be in order */
    thrift_list(&t, 5, THRIFT_I64, k->page_count);
    for (size_t i = 0; i < k->page_count; i++)
        thrift_zigzag(out, (int64_t)k->pages[i].nulls);
    thrift_close(&t);
    return stated;
}

/* ---- row groups --------------------------------------------------------------------------- */

static int write_chunk(struct parquet *p, struct parquet_chunk *k, struct group *g,
                       struct written *w, struct ras_error *err)
{
    w->at = ras_sink_size(p->sink);
    int status = parquet_chunk_write(k, &p->tools, p->sink, err);
    if (status < 0)
        return status;
    put_chunk_meta(&w->meta, k);
    put_offset_index(&w->offset_index, k);
    w->has_column_index = put_column_index(&w->column_index, k);
    g->plain += k->plain;
    g->stored += k->stored;
    bool failed = w->meta.failed || w->offset_index.failed || w->column_index.failed;
    parquet_chunk_reset(k);
    return failed ? fail_memory(err) : RAS_OK;
}

static void end_pages(struct parquet *p)
{
    for (size_t i = 0; p->page_rows && i < p->chunk_count; i++)
        parquet_chunk_cut(&p->chunks[i]);
    p->page_rows = 0;
}

static int write_group(struct parquet *p, struct ras_error *err)
{
    size_t rows = p->chunk_count ? p->chunks[0].rows : 0;
    if (!rows)
        return RAS_OK;
    end_pages(p);
    if (!array_grow(&p->groups, &p->group_room, p->group_count + 1, sizeof *p->groups))
        return fail_memory(err);
    struct group *g = &p->groups[p->group_count++];
    *g = (struct group){.rows = rows, .at = ras_sink_size(p->sink)};
    g->chunks = calloc(p->chunk_count, sizeof *g->chunks);
    int status = g->chunks ? RAS_OK : fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < p->chunk_count; i++)
        status = write_chunk(p, &p->chunks[i], g, &g->chunks[i], err);
    return status;
}

size_t parquet_held(const struct parquet *p)
{
    size_t bytes = 0;
    for (size_t i = 0; i < p->chunk_count; i++)
        bytes += parquet_chunk_size(&p->chunks[i]);
    return bytes;
}

int parquet_flush(struct parquet *p, struct ras_error *err)
{
    return write_group(p, err);
}

static bool is_full(const struct parquet *p)
{
    return p->chunks[0].rows >= PARQUET_GROUP_ROWS || parquet_held(p) >= PARQUET_GROUP_BYTES;
}

/* Null where the table says that there is none would be read as the value of another row. */
static int check_nulls(const struct parquet *p, struct ras_error *err)
{
    for (size_t i = 0; i < p->chunk_count; i++)
        if (p->chunks[i].nulls && !p->chunks[i].is_optional)
            return fail(err, RAS_EFORMAT, RAS_NONE,
                        "column '%.100s' has %" PRIu64 " nulls, but is declared to have none",
                        p->chunks[i].about->name, p->chunks[i].nulls);
    return RAS_OK;
}

/* Rows from..to of those that are selected, all of one page. */
static int add_piece(struct parquet *p, const struct ras_batch *batch, size_t from, size_t count,
                     struct ras_error *err)
{
    uint32_t rows[256];
    for (size_t done = 0, n; done < count; done += n) {
        const uint32_t *selected = batch->selected ? batch->selected + from + done : rows;
        n = count - done;
        if (!batch->selected && (from || n < batch->rows)) { /* part of a batch: by their numbers */
            n = n < 256 ? n : 256;
            for (size_t i = 0; i < n; i++)
                rows[i] = (uint32_t)(from + done + i);
        } else if (!batch->selected) {
            selected = NULL;
        }
        for (size_t i = 0; i < p->chunk_count; i++)
            if (!parquet_chunk_add(&p->chunks[i], &batch->columns[i], selected, n))
                return fail_memory(err);
    }
    p->page_rows += count;
    return check_nulls(p, err);
}

void parquet_new_reader(struct parquet *p)
{
    for (size_t i = 0; i < p->chunk_count; i++)
        parquet_chunk_forget(&p->chunks[i]);
}

int parquet_write(struct parquet *p, const struct ras_batch *batch, struct ras_error *err)
{
    size_t count = batch->selected ? batch->selected_count : batch->rows;
    int status = RAS_OK;
    p->rows += count;
    for (size_t from = 0, n; p->chunk_count && status == RAS_OK && from < count; from += n) {
        n = PARQUET_PAGE_ROWS - p->page_rows;
        n = n < count - from ? n : count - from;
        status = add_piece(p, batch, from, n, err);
        if (p->page_rows == PARQUET_PAGE_ROWS)
            end_pages(p);
        if (status == RAS_OK && is_full(p))
            status = write_group(p, err);
    }
    return status;
}

/* ---- footer ------------------------------------------------------------------------------- */

static int write_out(struct parquet *p, const struct out *out, struct ras_error *err)
{
    if (out->failed)
        return fail_memory(err);
    return ras_sink_write(p->sink, out->at, out->len, err);
}

/* The indexes, column by column; where each is goes into the footer. */
static int write_indexes(struct parquet *p, bool of_columns, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t g = 0; g < p->group_count; g++)
        for (size_t i = 0; status == RAS_OK && i < p->chunk_count; i++) {
            struct written *w = &p->groups[g].chunks[i];
            struct thrift t = {.out = &w->meta, .last = {3}};
            const struct out *index = of_columns ? &w->column_index : &w->offset_index;
            if (of_columns && !w->has_column_index)
                continue;
            if (of_columns) /* after the offset index, which is written first */
                t.last[0] = 5;
            thrift_i64(&t, of_columns ? 6 : 4, ras_sink_size(p->sink));
            thrift_i32(&t, of_columns ? 7 : 5, (int32_t)index->len);
            status = write_out(p, index, err);
        }
    return status;
}

/* A column without nesting, or the items of a list. */
static void put_leaf(struct thrift *t, const struct parquet_kind *kind, const char *name,
                     int repetition)
{
    thrift_open(t);
    thrift_i32(t, 1, (int32_t)kind->physical);
    thrift_i32(t, 3, repetition);
    thrift_text(t, 4, name);
    if (kind->converted >= 0)
        thrift_i32(t, 6, kind->converted);
    if (kind->is_text || kind->bits) {
        thrift_struct(t, 10);
        thrift_struct(t, kind->is_text ? 1 : 10);
        if (kind->bits) {
            thrift_i8(t, 1, kind->bits);
            thrift_bool(t, 2, false);
        }
        thrift_close(t);
        thrift_close(t);
    }
    thrift_close(t);
}

static void put_branch(struct thrift *t, const char *name, int repetition, size_t children,
                       bool is_list)
{
    thrift_open(t);
    if (repetition >= 0)
        thrift_i32(t, 3, repetition);
    thrift_text(t, 4, name);
    thrift_i32(t, 5, (int32_t)children);
    if (is_list) {
        thrift_i32(t, 6, CONVERTED_LIST);
        thrift_struct(t, 10);
        thrift_struct(t, 3);
        thrift_close(t);
        thrift_close(t);
    }
    thrift_close(t);
}

static void put_schema(struct thrift *t, const struct parquet *p)
{
    size_t count = 1;
    for (size_t i = 0; i < p->chunk_count; i++)
        count += p->chunks[i].is_list ? 3 : 1;
    thrift_list(t, 2, THRIFT_STRUCT, count);
    put_branch(t, "schema", -1, p->chunk_count, false);
    for (size_t i = 0; i < p->chunk_count; i++) {
        const struct parquet_chunk *k = &p->chunks[i];
        if (k->is_list) {
            put_branch(t, k->about->name, OPTIONAL, 1, true);
            put_branch(t, "list", REPEATED, 1, false);
            put_leaf(t, k->kind, "element", REQUIRED);
        } else {
            put_leaf(t, k->kind, k->about->name, k->is_optional ? OPTIONAL : REQUIRED);
        }
    }
}

static void put_group(struct thrift *t, const struct parquet *p, const struct group *g)
{
    thrift_open(t);
    thrift_list(t, 1, THRIFT_STRUCT, p->chunk_count);
    for (size_t i = 0; i < p->chunk_count; i++) {
        const struct written *w = &g->chunks[i];
        thrift_open(t);
        thrift_i64(t, 2, w->at);
        thrift_field(t, 3, THRIFT_STRUCT);
        out_bytes(t->out, w->meta.at, w->meta.len); /* and where its indexes are */
        thrift_close(t);
    }
    thrift_i64(t, 2, g->plain);
    thrift_i64(t, 3, g->rows);
    thrift_i64(t, 5, g->at);
    thrift_i64(t, 6, g->stored);
    thrift_close(t);
}

static void put_footer(struct out *out, const struct parquet *p, const struct parquet_fact *facts,
                       size_t fact_count)
{
    struct thrift t = {.out = out};
    thrift_i32(&t, 1, 2);
    put_schema(&t, p);
    thrift_i64(&t, 3, p->rows);
    thrift_list(&t, 4, THRIFT_STRUCT, p->group_count);
    for (size_t i = 0; i < p->group_count; i++)
        put_group(&t, p, &p->groups[i]);
    thrift_list(&t, 5, THRIFT_STRUCT, fact_count);
    for (size_t i = 0; i < fact_count; i++) {
        thrift_open(&t);
        thrift_text(&t, 1, facts[i].key);
        thrift_text(&t, 2, facts[i].value);
        thrift_close(&t);
    }
    thrift_text(&t, 6, "rastrum version 0");
    thrift_list(&t, 7, THRIFT_STRUCT, p->chunk_count);
    for (size_t i = 0; i < p->chunk_count; i++) { /* by the order that its type defines */
        thrift_open(&t);
        thrift_struct(&t, 1);
        thrift_close(&t);
        thrift_close(&t);
    }
    thrift_close(&t);
}

int parquet_finish(struct parquet *p, const struct parquet_fact *facts, size_t fact_count,
                   struct ras_error *err)
{
    struct out footer = {0};
    uint8_t end[8];
    int status = write_group(p, err);
    status = status == RAS_OK ? write_indexes(p, false, err) : status;
    status = status == RAS_OK ? write_indexes(p, true, err) : status;
    if (status == RAS_OK) {
        put_footer(&footer, p, facts, fact_count);
        store_bytes(store_u32(end, (uint32_t)footer.len), magic, sizeof magic);
        out_bytes(&footer, end, sizeof end);
        status = write_out(p, &footer, err);
    }
    out_free(&footer);
    return status;
}
