/* cdt_write.c - a trace to a sink, chunk by chunk, each whole or not at all. */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "codec/blake2b.h"
#include "codec/zstd_chunk.h"
#include "core/sink.h"
#include "formats/cdt/cdt_put.h"
#include "formats/cdt/cdt_wire.h"

#include <stdlib.h>

enum {
    CHUNK_TICKS = 256,
    CHUNK_BYTES = 1 << 30, /* the reader's default limit */
    HEAD = CDT_BLOCK_HEAD_MOST,
};

/* One chunk to be stored. When it is given to the relay, this struct is kept in the room for the
 * block's head until the head is written. */
struct block {
    int64_t first, last;
    uint32_t rows;
};
_Static_assert(sizeof(struct block) <= HEAD, "a block fits where its head will be");

struct ras_cdt_writer {
    struct ras_sink *sink;
    const struct cdt_model *model;
    struct ras_cdt_writer_options options;
    uint64_t start, end;     /* of the trace in the sink; its last chunk boundary */
    struct zstd_maker *zstd; /* NULL: chunks are not compressed */
    struct out stored;       /* one chunk, compressed, with its header */
    struct out rows;         /* room for a block's head, then the rows of the current block */
    uint32_t row_count;
    uint64_t given;            /* rows of the blocks before it */
    int64_t block_first, last; /* tick_index of its first row, of the last row of all */
    struct relay *relay; /* its thread stores blocks. It owns `zstd`, `stored`, `end`, `bounds`, the
                            index and the sink until it was waited for */
    bool any_order;      /* rows are copied: ticks may be in any order */
    struct out meta;     /* META, whose range is written at the end; empty: it is not */
    size_t range_at;     /* where the three numbers are in it */
    struct ras_cdt_trace_tick_range range; /* otherwise: what META says */
    struct cdt_bounds bounds;              /* of the rows in whole chunks */
    struct ras_cdt_tick_block_index_entry *index;
    size_t index_count, index_room;
};

/* ---- single structs --------------------------------------------------------- */

static int put_single(const struct cdt_struct *s, const void *from, enum ras_cdt_style style,
                      void *to, size_t room, size_t *size, struct ras_error *err)
{
    struct out out = {0};
    struct cdt_problem problem;
    if (!cdt_encode(s, from, style, &out, &problem)) {
        out_free(&out);
        return cdt_refuse(&problem, RAS_NONE, err);
    }
    *size = out.len;
    if (out.len <= room)
        memcpy(to, out.at, out.len);
    out_free(&out);
    return RAS_OK;
}

/* The structs of the schema that META states; NULL: it cannot be written in this style. */
static const struct cdt_model *model_of_meta(const struct ras_cdt_trace_meta *meta,
                                             enum ras_cdt_style style, struct ras_error *err)
{
    const struct cdt_model *model =
        cdt_model_of(RAS_CDT_FORMAT_VERSION, meta->trace_schema_version);
    if (model && ras_cdt_has(&meta->node, RAS_CDT_META_STATUS) &&
        ras_cdt_has(&meta->status.node, RAS_CDT_STATUS_LATER_NAMES))
        model = &cdt_model_12_late;
    if (!model && style == RAS_CDT_PYTHON)
        model = cdt_model_of(RAS_CDT_FORMAT_VERSION_2, meta->trace_schema_version);
    if (!model)
        fail(err, RAS_EVERSION, RAS_CDT_HEADER_SIZE,
             "unsupported trace schema version: %" PRId64 " (supported: 12%s)",
             meta->trace_schema_version, style == RAS_CDT_PYTHON ? ", 19, 20, 21" : "");
    return model;
}

int ras_cdt_meta_put(const struct ras_cdt_trace_meta *meta, enum ras_cdt_style style, void *to,
                     size_t room, size_t *size, struct ras_error *err)
{
    const struct cdt_model *model = model_of_meta(meta, style, err);
    return model ? put_single(model->meta, meta, style, to, room, size, err) : RAS_EVERSION;
}

int ras_cdt_tick_put(const struct ras_cdt_tick_record *tick, enum ras_cdt_style style, void *to,
                     size_t room, size_t *size, struct ras_error *err)
{
    return put_single(&cdt_tick_record, tick, style, to, room, size, err);
}

/* ---- chunks ----------------------------------------------------------------- */

/* After a failure the incomplete chunk is removed. A pipe cannot do that: it stays failed. */
static int undo(struct ras_cdt_writer *w, int status)
{
    if (status < 0)
        (void)!ras_sink_rewind(w->sink, w->end, NULL);
    return status;
}

/* Without compression no copy is needed. */
static int put_as_is(struct ras_cdt_writer *w, struct ras_cdt_chunk *chunk,
                     struct ras_bytes payload, struct ras_error *err)
{
    uint8_t head[RAS_CDT_CHUNK_HEADER_SIZE];
    chunk->flags = RAS_CDT_FLAG_MSGPACK;
    chunk->compressed_len = chunk->uncompressed_len = (uint32_t)payload.len;
    chunk->checksum64 = blake2b64(payload.at, payload.len);
    ras_cdt_chunk_put(chunk, head);
    int status = ras_sink_write(w->sink, head, sizeof head, err);
    return status < 0 ? status : ras_sink_write(w->sink, payload.at, payload.len, err);
}

static int put_chunk(struct ras_cdt_writer *w, struct ras_cdt_chunk *chunk,
                     struct ras_bytes payload, struct ras_error *err)
{
    if (!w->zstd)
        return undo(w, put_as_is(w, chunk, payload, err));
    w->stored.len = 0;
    int status = cdt_chunk_seal(&w->stored, chunk, payload, w->zstd, err);
    if (status == RAS_OK)
        status = ras_sink_write(w->sink, w->stored.at, w->stored.len, err);
    w->stored.failed = false;
    return undo(w, status);
}

/* Write META or FOTR. */
static int writer_put_struct(struct ras_cdt_writer *w, enum ras_cdt_kind kind, const void *from,
                             struct ras_error *err)
{
    w->stored.len = 0;
    int status = cdt_struct_seal(&w->stored, kind, from, w->model, w->options.style, err);
    if (status == RAS_OK)
        status = ras_sink_write(w->sink, w->stored.at, w->stored.len, err);
    w->stored.failed = false;
    return undo(w, status);
}

/* Rows start after the room for their block's head, in any buffer. */
static bool make_head(struct ras_cdt_writer *w)
{
    if (w->rows.len < HEAD && out_room(&w->rows, HEAD))
        w->rows.len = HEAD;
    return w->rows.len >= HEAD;
}

/* A tick as a header can store it; only copied rows may exceed its range. */
static int32_t header_tick(int64_t tick)
{
    return tick < INT32_MIN ? INT32_MIN : tick > INT32_MAX ? INT32_MAX : (int32_t)tick;
}

/* Write the rows from HEAD to `end` of a buffer as a chunk. */
static int store_block(struct ras_cdt_writer *w, const struct block *b, uint8_t *rows, size_t end,
                       struct ras_error *err)
{
    uint8_t head[HEAD];
    struct ras_cdt_chunk chunk = {.kind = RAS_CDT_TICK,
                                  .start_tick = header_tick(b->first),
                                  .end_tick = header_tick(b->last)};
    if (!array_grow(&w->index, &w->index_room, w->index_count + 1, sizeof *w->index))
        return fail_memory(err);
    size_t size = cdt_block_head_put(b->first, b->last, b->rows, w->options.style, head);
    uint8_t *payload = rows + HEAD - size;
    memcpy(payload, head, size);
    int status = put_chunk(w, &chunk, (struct ras_bytes){payload, end - HEAD + size}, err);
    if (status < 0)
        return status;
    w->index[w->index_count++] = cdt_index_entry(&chunk, w->end - w->start);
    w->end += cdt_chunk_size(&chunk);
    cdt_bounds_add(&w->bounds, b->first, b->last, b->rows);
    return RAS_OK;
}

/* The same in the relay's thread, which owns the buffer then. */
static int store_relayed(void *user, const uint8_t *bytes, size_t size, struct ras_error *err)
{
    struct block b;
    memcpy(&b, bytes, sizeof b);
    return store_block(user, &b, (uint8_t *)(uintptr_t)bytes, size, err);
}

/* Waits until the relay is idle. */
static int writer_settle(const struct ras_cdt_writer *w, struct ras_error *err)
{
    return w->relay ? relay_wait(w->relay, err) : RAS_OK;
}

/* Stores the rows from HEAD to `end` of the buffer, or has the relay store them, and removes them
 * from the buffer. Rows after `end` are kept. */
static int put_block(struct ras_cdt_writer *w, size_t end, int64_t last, struct ras_error *err)
{
    const struct block b = {w->block_first, last, w->row_count};
    int status = RAS_OK;
    if (w->relay && end == w->rows.len) {
        memcpy(w->rows.at, &b, sizeof b);
        status = relay_put(w->relay, &w->rows, err);
    } else {
        status = writer_settle(w, err);
        if (status == RAS_OK)
            status = store_block(w, &b, w->rows.at, end, err);
    }
    if (status < 0)
        return status;
    w->given += w->row_count;
    w->row_count = 0;
    w->rows.len = 0;
    return make_head(w) ? RAS_OK : fail_memory(err);
}

/* ---- the writer --------------------------------------------------------------- */

uint64_t cdt_writer_at(const struct ras_cdt_writer *w)
{
    (void)!writer_settle(w, NULL);
    return w->end - w->start;
}

static bool take_memory(struct ras_cdt_writer *w)
{
    bool packed = cdt_is_packed(w->model, w->options.style);
    if (packed)
        w->zstd = zstd_maker_new(CDT_ZSTD_LEVEL);
    return make_head(w) && (w->zstd || !packed);
}

const struct cdt_model *cdt_writer_model(const struct ras_cdt_writer *w)
{
    return w->model;
}

int cdt_writer_begin(struct ras_cdt_writer **out, struct ras_sink *sink, struct ras_bytes head,
                     const struct cdt_model *model, const struct ras_cdt_writer_options *options,
                     struct ras_error *err)
{
    *out = NULL;
    struct ras_cdt_writer *w = calloc(1, sizeof *w);
    if (!w)
        return fail_memory(err);
    w->sink = sink;
    w->model = model;
    w->start = w->end = ras_sink_size(sink);
    w->any_order = true;
    if (options)
        w->options = *options;
    if (!w->options.chunk_ticks)
        w->options.chunk_ticks = CHUNK_TICKS;
    if (!w->options.chunk_bytes)
        w->options.chunk_bytes = CHUNK_BYTES;
    int status =
        take_memory(w) ? undo(w, ras_sink_write(sink, head.at, head.len, err)) : fail_memory(err);
    if (status < 0) {
        ras_cdt_writer_drop(w);
        return status;
    }
    w->end += head.len;
    if (w->options.threaded)
        w->relay = relay_open(store_relayed, w);
    *out = w;
    return RAS_OK;
}

/* ---- META whose range comes last ------------------------------------------------ */

/* A number of the range: the marker of an int64, and its bytes, big-endian. */
enum { RANGE_INTS = 3, RANGE_INT = 9, INT64_MARKER = 0xd3 };

static void put_range_int(uint8_t *to, int64_t value)
{
    *to++ = INT64_MARKER;
    for (int shift = 56; shift >= 0; shift -= 8)
        *to++ = (uint8_t)((uint64_t)value >> shift);
}

/* What is before META in the file, as it is now: the header of its chunk and, in the style of
 * Python, that of a zstd frame with one block that is not compressed. */
enum { FRAME_HEAD = 12, META_HEAD = RAS_CDT_CHUNK_HEADER_SIZE + FRAME_HEAD, META_MOST = 1 << 17 };

static size_t put_meta_head(const struct out *meta, bool zstd, uint8_t head[META_HEAD])
{
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0xa0}; /* one segment, a size follows */
    uint32_t size = (uint32_t)meta->len, block = size << 3 | 1;    /* the last one, raw */
    const struct ras_cdt_chunk chunk = {.kind = RAS_CDT_META,
                                        .flags =
                                            RAS_CDT_FLAG_MSGPACK | (zstd ? RAS_CDT_FLAG_ZSTD : 0u),
                                        .start_tick = -1,
                                        .end_tick = -1,
                                        .compressed_len = size + (zstd ? FRAME_HEAD : 0),
                                        .uncompressed_len = size,
                                        .checksum64 = blake2b64(meta->at, meta->len)};
    ras_cdt_chunk_put(&chunk, head);
    uint8_t *to = head + RAS_CDT_CHUNK_HEADER_SIZE;
    if (zstd) {
        to = store_u32(store_bytes(to, frame, sizeof frame), size);
        for (int i = 0; i < 3; i++, block >>= 8)
            *to++ = (uint8_t)block;
    }
    return (size_t)(to - head);
}

/* Encoded with numbers that take nine bytes each, which are then 0. They are the last keys and
 * values of their map: the distance between them is that of the keys. */
static int seal_open_meta(struct out *head, const struct ras_cdt_trace_meta *given,
                          const struct cdt_model *model, enum ras_cdt_style style, struct out *meta,
                          size_t *range_at, struct ras_error *err)
{
    struct ras_cdt_trace_meta m = *given;
    struct cdt_problem problem;
    uint8_t mark[RANGE_INT], chunk[META_HEAD];
    m.tick_range = (struct ras_cdt_trace_tick_range){
        .start_tick = INT64_MIN, .end_tick = INT64_MIN, .tick_count = INT64_MIN};
    if (!cdt_encode(model->meta, &m, style, meta, &problem))
        return cdt_refuse(&problem, RAS_NONE, err);
    put_range_int(mark, INT64_MIN);
    unsigned found = 0;
    for (size_t i = 0; i + RANGE_INT <= meta->len; i++)
        if (!memcmp(meta->at + i, mark, sizeof mark)) {
            if (!found++)
                *range_at = i;
            put_range_int(meta->at + i, 0);
        }
    if (found != RANGE_INTS)
        return fail(err, RAS_EUSAGE, RAS_NONE, "META has a number of -2^63 besides its range");
    if (meta->len >= META_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "META of %zu bytes, fewer than %d are possible",
                    meta->len, META_MOST);
    out_bytes(head, chunk, put_meta_head(meta, cdt_is_packed(model, style), chunk));
    out_bytes(head, meta->at, meta->len);
    return head->failed ? fail_memory(err) : RAS_OK;
}

/* The numbers that were left open, in their order: start, end, count. */
static int close_meta(struct ras_cdt_writer *w, struct ras_error *err)
{
    static const uint8_t zero[RANGE_INT] = {INT64_MARKER};
    const int64_t range[RANGE_INTS] = {w->bounds.first, w->bounds.last, (int64_t)w->bounds.rows};
    uint8_t chunk[META_HEAD];
    uint64_t at = w->start + RAS_CDT_HEADER_SIZE;
    unsigned n = 0;
    for (size_t i = w->range_at; n < RANGE_INTS && i + RANGE_INT <= w->meta.len; i++)
        if (!memcmp(w->meta.at + i, zero, sizeof zero)) {
            put_range_int(w->meta.at + i, range[n++]);
            i += RANGE_INT - 1;
        }
    size_t size = put_meta_head(&w->meta, cdt_is_packed(w->model, w->options.style), chunk);
    int status = ras_sink_patch(w->sink, at, chunk, size, err);
    return status < 0 ? status : ras_sink_patch(w->sink, at + size, w->meta.at, w->meta.len, err);
}

int ras_cdt_writer_open(struct ras_cdt_writer **out, struct ras_sink *sink,
                        const struct ras_cdt_trace_meta *meta,
                        const struct ras_cdt_writer_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_cdt_writer_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    const struct cdt_model *model = model_of_meta(meta, options->style, err);
    if (!model)
        return RAS_EVERSION;
    struct out head = {0};
    uint8_t *header = out_room(&head, RAS_CDT_HEADER_SIZE);
    if (!header)
        return fail_memory(err);
    cdt_header_put(model->container, header);
    head.len = RAS_CDT_HEADER_SIZE;
    enum ras_cdt_style style = options->style;
    struct out open_meta = {0};
    size_t range_at = 0;
    int status = options->range_at_close
                     ? seal_open_meta(&head, meta, model, style, &open_meta, &range_at, err)
                     : cdt_struct_seal(&head, RAS_CDT_META, meta, model, style, err);
    if (status == RAS_OK)
        status =
            cdt_writer_begin(out, sink, (struct ras_bytes){head.at, head.len}, model, options, err);
    out_free(&head);
    if (status < 0) {
        out_free(&open_meta);
        return status;
    }
    (*out)->any_order = false;
    (*out)->meta = open_meta;
    (*out)->range_at = range_at;
    (*out)->range = meta->tick_range;
    return RAS_OK;
}

struct out *cdt_writer_rows(struct ras_cdt_writer *w)
{
    return &w->rows;
}

/* Whether a row of this tick_index may come next. */
static int writer_check_order(const struct ras_cdt_writer *w, int64_t tick, struct ras_error *err)
{
    if (w->any_order)
        return RAS_OK;
    if ((w->given || w->row_count) && tick < w->last)
        return fail(err, RAS_EUSAGE, cdt_writer_at(w),
                    "tick rows must be in non-decreasing order, got %" PRId64 " after %" PRId64,
                    tick, w->last);
    if (w->model->container == 2 && (w->given || w->row_count) && tick != w->last + 1)
        return fail(err, RAS_EUSAGE, cdt_writer_at(w),
                    "tick rows must be contiguous, got %" PRId64 " after %" PRId64, tick, w->last);
    if (tick < 0 || tick > INT32_MAX)
        return fail(err, RAS_ELIMIT, cdt_writer_at(w),
                    "tick_index %" PRId64 " is not within 0 and %" PRId32, tick, INT32_MAX);
    return RAS_OK;
}

/* A row that would make its block too long starts the next one. */
static int make_way(struct ras_cdt_writer *w, size_t before, struct ras_error *err)
{
    size_t size = w->rows.len - before, most = w->options.chunk_bytes;
    if (size > most - HEAD || most < HEAD)
        return fail(err, RAS_ELIMIT, cdt_writer_at(w), "a row of %zu bytes, a chunk takes %zu",
                    size, most > HEAD ? most - HEAD : 0);
    if (w->rows.len <= most)
        return RAS_OK;
    int status = put_block(w, before, w->last, err);
    if (status < 0)
        return status;
    memmove(w->rows.at + HEAD, w->rows.at + before, size); /* the buffer is the same one */
    w->rows.len = HEAD + size;
    return RAS_OK;
}

int cdt_writer_take(struct ras_cdt_writer *w, size_t before, int64_t tick, struct ras_error *err)
{
    int64_t last = w->last;
    int status = writer_check_order(w, tick, err);
    if (status == RAS_OK)
        status = make_way(w, before, err);
    if (status < 0) {
        w->rows.len = before;
        return status;
    }
    if (!w->row_count)
        w->block_first = tick;
    w->row_count++;
    w->last = tick;
    if (w->row_count < w->options.chunk_ticks)
        return RAS_OK;
    status = put_block(w, w->rows.len, tick, err);
    if (status < 0) {
        w->row_count--;
        w->last = last;
        w->rows.len = w->row_count ? before : HEAD;
    }
    return status;
}

int ras_cdt_writer_tick(struct ras_cdt_writer *w, const struct ras_cdt_tick_record *tick,
                        struct ras_error *err)
{
    struct cdt_problem problem;
    if (!make_head(w))
        return fail_memory(err);
    size_t before = w->rows.len;
    if (!cdt_encode(w->model->rows[CDT_ROW_TICK], tick, w->options.style, &w->rows, &problem))
        return cdt_refuse(&problem, cdt_writer_at(w), err);
    return cdt_writer_take(w, before, tick->tick_index, err);
}

int cdt_writer_end_chunk(struct ras_cdt_writer *w, struct ras_error *err)
{
    return w->row_count ? put_block(w, w->rows.len, w->last, err) : RAS_OK;
}

int cdt_writer_chunk(struct ras_cdt_writer *w, const struct ras_cdt_chunk *chunk,
                     struct ras_bytes stored, int64_t first, int64_t last, uint64_t rows,
                     struct ras_error *err)
{
    if (!array_grow(&w->index, &w->index_room, w->index_count + 1, sizeof *w->index))
        return fail_memory(err);
    int status = undo(w, ras_sink_write(w->sink, stored.at, stored.len, err));
    if (status < 0)
        return status;
    w->index[w->index_count++] = cdt_index_entry(chunk, cdt_writer_at(w));
    w->end += stored.len;
    w->last = last;
    w->given += rows;
    cdt_bounds_add(&w->bounds, first, last, rows);
    return RAS_OK;
}

int cdt_writer_chunks(struct ras_cdt_writer *w, struct ras_bytes file, uint64_t from, uint64_t to,
                      struct ras_error *err)
{
    struct ras_cdt_chunk chunk;
    int status = undo(w, ras_sink_write(w->sink, file.at + from, (size_t)(to - from), err));
    while (status == RAS_OK && from < to) {
        if (!array_grow(&w->index, &w->index_room, w->index_count + 1, sizeof *w->index))
            return undo(w, fail_memory(err));
        status = ras_cdt_chunk_get(file, from, &chunk, err);
        w->index[w->index_count++] = cdt_index_entry(&chunk, cdt_writer_at(w));
        w->end += cdt_chunk_size(&chunk);
        w->last = chunk.end_tick;
        uint64_t rows = (uint64_t)((int64_t)chunk.end_tick - chunk.start_tick) + 1;
        w->given += rows;
        cdt_bounds_add(&w->bounds, chunk.start_tick, chunk.end_tick, rows);
        from += cdt_chunk_size(&chunk);
    }
    return status;
}

int ras_cdt_writer_flush(struct ras_cdt_writer *w, struct ras_error *err)
{
    int status = cdt_writer_end_chunk(w, err);
    if (status == RAS_OK)
        status = writer_settle(w, err);
    return status < 0 ? status : undo(w, ras_sink_flush(w->sink, err));
}

uint64_t ras_cdt_writer_count(const struct ras_cdt_writer *w)
{
    return w->given + w->row_count;
}

uint64_t ras_cdt_writer_stored(const struct ras_cdt_writer *w)
{
    (void)!writer_settle(w, NULL);
    return w->bounds.rows;
}

/* spec of container 2: META's range is that of the rows. */
static bool range_fits(const struct ras_cdt_writer *w)
{
    const struct ras_cdt_trace_tick_range *r = &w->range;
    return w->any_order || w->meta.len || w->model->container != 2 ||
           (r->start_tick == w->bounds.first && r->end_tick == w->bounds.last &&
            (uint64_t)r->tick_count == w->bounds.rows);
}

/* Writes the closing structures: all of them, or none. */
static int seal(struct ras_cdt_writer *w, struct ras_error *err)
{
    uint8_t trailer[RAS_CDT_TRAILER_SIZE];
    if (!w->bounds.rows)
        return fail(err, RAS_EUSAGE, cdt_writer_at(w), "trace must contain at least one tick");
    if (!range_fits(w))
        return fail(err, RAS_EUSAGE, RAS_CDT_HEADER_SIZE,
                    "META has ticks %" PRId64 " to %" PRId64 ", the rows are %" PRId64
                    " to %" PRId64,
                    w->range.start_tick, w->range.end_tick, w->bounds.first, w->bounds.last);
    struct ras_cdt_trace_footer footer = cdt_footer_of(&w->bounds, w->index, w->index_count);
    cdt_trailer_put(w->model->container, cdt_writer_at(w), trailer);
    int status = writer_put_struct(w, RAS_CDT_FOTR, &footer, err);
    if (status == RAS_OK)
        status = ras_sink_write(w->sink, trailer, sizeof trailer, err);
    if (status == RAS_OK)
        status = ras_sink_flush(w->sink, err);
    return undo(w, status);
}

int ras_cdt_writer_close(struct ras_cdt_writer *w, struct ras_error *err)
{
    if (!w)
        return RAS_OK;
    int status = ras_cdt_writer_flush(w, err);
    if (status == RAS_OK)
        status = seal(w, err);
    if (status == RAS_OK && w->meta.len)
        status = close_meta(w, err);
    if (status == RAS_OK && w->meta.len)
        status = ras_sink_flush(w->sink, err);
    ras_cdt_writer_drop(w);
    return status;
}

void ras_cdt_writer_drop(struct ras_cdt_writer *w)
{
    if (!w)
        return;
    relay_close(w->relay);
    zstd_maker_free(w->zstd);
    out_free(&w->rows);
    out_free(&w->stored);
    out_free(&w->meta);
    free(w->index);
    free(w);
}
