/* cdt_chunk.c - one chunk: found, checked and decompressed into memory that is used again. */
#include "formats/cdt/cdt_chunk.h"
#include "base/error.h"
#include "base/memory.h"
#include "codec/blake2b.h"
#include "codec/zstd_chunk.h"
#include "formats/cdt/cdt_model.h"

#include <string.h>

void cdt_buffer_free(struct cdt_buffer *buffer)
{
    free(buffer->at);
    zstd_chunk_ctx_free(buffer->zstd);
    *buffer = (struct cdt_buffer){0};
}

/* Room for the payload and its padding. The allocator is asked only for sizes
 * that the stored bytes can account for. */
static int make_room(struct cdt_buffer *buffer, uint64_t size, struct ras_error *err)
{
    if (size > SIZE_MAX - CDT_PADDING ||
        !array_grow(&buffer->at, &buffer->room, (size_t)size + CDT_PADDING, 1))
        return fail_memory(err);
    memset(buffer->at + size, 0, CDT_PADDING);
    return RAS_OK;
}

static int inflate_body(struct cdt_buffer *buffer, struct ras_bytes body, uint64_t offset,
                        struct cdt_loaded *out, struct ras_error *err)
{
    uint32_t size = out->chunk.uncompressed_len;
    uint64_t stated = zstd_content_size(body);
    const char *why;
    if (stated == RAS_NONE)
        return fail(err, RAS_EFORMAT, offset, "zstd: no content size in the frame header");
    if (stated != size)
        return fail(err, RAS_EFORMAT, offset,
                    "chunk size mismatch: uncompressed_len %" PRIu32 ", the frame says %" PRIu64,
                    size, stated);
    /* A zstd block of 4 bytes makes 128 KiB at most. */
    if (size / 32768 > body.len)
        return fail(err, RAS_EFORMAT, offset, "%zu bytes cannot hold %" PRIu32 " decompressed",
                    body.len, size);
    int status = make_room(buffer, size, err);
    if (status < 0)
        return status;
    if (!buffer->zstd && !(buffer->zstd = zstd_chunk_ctx_new()))
        return fail_memory(err);
    status = zstd_chunk_get(buffer->zstd, body, buffer->at, size, &out->after, &why);
    if (status == RAS_EMEMORY)
        return fail_memory(err);
    /* A frame that ends early inside a whole chunk is damage, not a cut file. */
    return status < 0 ? fail(err, RAS_EFORMAT, offset, "zstd: %s", why) : RAS_OK;
}

static int copy_body(struct cdt_buffer *buffer, struct ras_bytes body, uint64_t offset,
                     struct cdt_loaded *out, struct ras_error *err)
{
    uint32_t size = out->chunk.uncompressed_len;
    if (size != body.len)
        return fail(err, RAS_EFORMAT, offset,
                    "chunk size mismatch: uncompressed_len %" PRIu32 ", %zu bytes stored", size,
                    body.len);
    int status = make_room(buffer, size, err);
    if (status < 0)
        return status;
    if (size)
        memcpy(buffer->at, body.at, size);
    return RAS_OK;
}

static int load_body(struct cdt_buffer *buffer, struct ras_bytes body, uint64_t offset,
                     uint64_t limit, struct cdt_loaded *out, struct ras_error *err)
{
    const struct ras_cdt_chunk *chunk = &out->chunk;
    if (chunk->uncompressed_len > limit)
        return fail(err, RAS_ELIMIT, offset, "a chunk of %" PRIu32 " bytes, the limit is %" PRIu64,
                    chunk->uncompressed_len, limit);
    int status = chunk->flags & RAS_CDT_FLAG_ZSTD ? inflate_body(buffer, body, offset, out, err)
                                                  : copy_body(buffer, body, offset, out, err);
    if (status < 0)
        return status;
    if (!(chunk->flags & RAS_CDT_FLAG_MSGPACK))
        return fail(err, RAS_EFORMAT, offset,
                    "unsupported chunk payload encoding: flags 0x%" PRIx32, chunk->flags);
    uint64_t checksum =
        buffer->sure ? chunk->checksum64 : blake2b64(buffer->at, chunk->uncompressed_len);
    out->hashed = true;
    if (checksum != chunk->checksum64)
        return fail(err, RAS_EFORMAT, offset,
                    "chunk checksum mismatch: 0x%016" PRIx64 " stored, 0x%016" PRIx64 " computed",
                    chunk->checksum64, checksum);
    out->payload = (struct ras_bytes){buffer->at, chunk->uncompressed_len};
    return RAS_OK;
}

int cdt_chunk_load(struct cdt_buffer *buffer, struct ras_bytes file, uint64_t offset,
                   uint64_t limit, struct cdt_loaded *out, struct ras_error *err)
{
    *out = (struct cdt_loaded){0};
    int status = ras_cdt_chunk_get(file, offset, &out->chunk, err);
    if (status < 0)
        return status;
    if (out->chunk.kind == RAS_CDT_UNKNOWN) {
        char kind[12];
        return fail(err, RAS_EFORMAT, offset, "unknown chunk kind: %s",
                    cdt_kind_show(&out->chunk, kind, sizeof kind));
    }
    uint64_t start = offset + RAS_CDT_CHUNK_HEADER_SIZE;
    uint64_t left = file.len - start;
    if (out->chunk.compressed_len > left)
        return fail(err, RAS_ECUT, offset,
                    "truncated chunk payload: %" PRIu32 " bytes, %" PRIu64 " left",
                    out->chunk.compressed_len, left);
    struct ras_bytes body = {file.at + start, out->chunk.compressed_len};
    return load_body(buffer, body, offset, limit, out, err);
}
