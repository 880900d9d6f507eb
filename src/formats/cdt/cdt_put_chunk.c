/* cdt_put_chunk.c - payloads to chunks: checksum, compression, header. */
#include "base/error.h"
#include "codec/blake2b.h"
#include "codec/zstd_chunk.h"
#include "formats/cdt/cdt_put.h"

int cdt_refuse(const struct cdt_problem *problem, uint64_t at, struct ras_error *err)
{
    if (problem->status == RAS_EMEMORY)
        return fail_memory(err);
    return fail(err, problem->status, at, "%s at %s", problem->what, problem->path);
}

int cdt_chunk_seal(struct out *out, struct ras_cdt_chunk *chunk, struct ras_bytes payload,
                   struct zstd_maker *zstd, struct ras_error *err)
{
    if (payload.len > UINT32_MAX)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a chunk of %zu bytes, the most are %" PRIu32,
                    payload.len, UINT32_MAX);
    size_t size = zstd ? zstd_chunk_bound(payload.len) : payload.len;
    uint8_t *head = out_room(out, RAS_CDT_CHUNK_HEADER_SIZE + size);
    if (!head)
        return fail_memory(err);
    uint8_t *body = head + RAS_CDT_CHUNK_HEADER_SIZE;
    if (!zstd)
        memcpy(body, payload.at, size);
    else if (!(size = zstd_chunk_put(zstd, payload, body, size)))
        return fail_memory(err);
    chunk->flags = RAS_CDT_FLAG_MSGPACK | (zstd ? RAS_CDT_FLAG_ZSTD : 0u);
    chunk->compressed_len = (uint32_t)size;
    chunk->uncompressed_len = (uint32_t)payload.len;
    chunk->checksum64 = blake2b64(payload.at, payload.len);
    ras_cdt_chunk_put(chunk, head);
    out->len += RAS_CDT_CHUNK_HEADER_SIZE + size;
    return RAS_OK;
}

int cdt_struct_seal(struct out *out, enum ras_cdt_kind kind, const void *from,
                    enum ras_cdt_style style, struct ras_error *err)
{
    struct ras_cdt_chunk chunk = {.kind = kind, .start_tick = -1, .end_tick = -1};
    struct zstd_maker *zstd = style == RAS_CDT_PYTHON ? zstd_maker_new(CDT_ZSTD_LEVEL) : NULL;
    struct out payload = {0};
    struct cdt_problem problem;
    int status = RAS_OK;
    if (style == RAS_CDT_PYTHON && !zstd)
        status = fail_memory(err);
    else if (!cdt_encode(kind == RAS_CDT_META ? &cdt_trace_meta : &cdt_trace_footer, from, style,
                         &payload, &problem))
        status = cdt_refuse(&problem, RAS_NONE, err);
    if (status == RAS_OK)
        status =
            cdt_chunk_seal(out, &chunk, (struct ras_bytes){payload.at, payload.len}, zstd, err);
    zstd_maker_free(zstd);
    out_free(&payload);
    return status;
}

struct ras_cdt_tick_block_index_entry cdt_index_entry(const struct ras_cdt_chunk *chunk,
                                                      uint64_t offset)
{
    enum { CHECKSUM = 5 };
    return (struct ras_cdt_tick_block_index_entry){.node = {.wide = 1u << CHECKSUM},
                                                   .start_tick = chunk->start_tick,
                                                   .end_tick = chunk->end_tick,
                                                   .file_offset = (int64_t)offset,
                                                   .compressed_len = chunk->compressed_len,
                                                   .uncompressed_len = chunk->uncompressed_len,
                                                   .checksum = chunk->checksum64};
}

struct ras_cdt_trace_meta cdt_meta_plain(enum ras_cdt_style style, int64_t first, int64_t last,
                                         uint64_t rows)
{
    const char *impl = style == RAS_CDT_ZIG ? "zig" : "python";
    return (struct ras_cdt_trace_meta){
        .trace_format_version = RAS_CDT_FORMAT_VERSION,
        .trace_schema_version = RAS_CDT_SCHEMA_VERSION,
        .producer = {.impl = {(const uint8_t *)impl, strlen(impl)}},
        .tick_range = {.start_tick = first, .end_tick = last, .tick_count = (int64_t)rows}};
}

void cdt_bounds_add(struct cdt_bounds *b, int64_t first, int64_t last, uint64_t rows)
{
    int64_t low = first < last ? first : last, high = first < last ? last : first;
    b->first = b->rows ? b->first : first;
    b->last = last;
    b->low = b->rows && b->low < low ? b->low : low;
    b->high = b->rows && b->high > high ? b->high : high;
    b->rows += rows;
}

struct ras_cdt_trace_footer cdt_footer_of(const struct cdt_bounds *b,
                                          const struct ras_cdt_tick_block_index_entry *index,
                                          size_t count)
{
    bool ordered = b->first <= b->last;
    int64_t first = ordered ? b->first : b->low, last = ordered ? b->last : b->high;
    return (struct ras_cdt_trace_footer){.tick_blocks = {index, count},
                                         .tick_count = (int64_t)b->rows,
                                         .first_tick = first < 0 ? 0 : first,
                                         .last_tick = last < 0 ? 0 : last};
}
