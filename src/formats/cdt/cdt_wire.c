/* cdt_wire.c - the bytes of the container: header, chunk headers, trailer, and payloads checked and
 * decompressed. */
#include "formats/cdt/cdt_wire.h"
#include "base/error.h"
#include "base/in.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/blake2b.h"
#include "codec/zstd_chunk.h"
#include "formats/cdt/cdt_model.h"

#include <stdio.h>
#include <string.h>

static const char kinds[][5] = {[RAS_CDT_UNKNOWN] = "",
                                [RAS_CDT_META] = "META",
                                [RAS_CDT_TICK] = "TICK",
                                [RAS_CDT_FOTR] = "FOTR"};

bool cdt_magic_family(struct ras_bytes file)
{
    enum { FAMILY = RAS_CDT_MAGIC_SIZE - 2 }; /* without the number and the line feed */
    return !memcmp(file.at, RAS_CDT_MAGIC, file.len < FAMILY ? file.len : FAMILY);
}

bool cdt_magic_starts(struct ras_bytes file)
{
    size_t n = file.len < RAS_CDT_MAGIC_SIZE ? file.len : RAS_CDT_MAGIC_SIZE;
    return !n || !memcmp(file.at, cdt_container(file) == 2 ? RAS_CDT_MAGIC_2 : RAS_CDT_MAGIC, n);
}

enum ras_cdt_kind cdt_kind_starts(const uint8_t *p, size_t left)
{
    enum ras_cdt_kind kind = *p == 'T' ? RAS_CDT_TICK : *p == 'F' ? RAS_CDT_FOTR : RAS_CDT_META;
    return memcmp(p, kinds[kind], left < 4 ? left : 4) ? RAS_CDT_UNKNOWN : kind;
}

const char *cdt_kind_show(const struct ras_cdt_chunk *chunk, char *text, size_t room)
{
    const uint8_t *k = (const uint8_t *)chunk->kind_text;
    bool plain = true;
    for (int i = 0; i < 4; i++)
        plain &= k[i] > ' ' && k[i] < 127;
    if (plain)
        snprintf(text, room, "'%s'", chunk->kind_text);
    else
        snprintf(text, room, "0x%02x%02x%02x%02x", k[0], k[1], k[2], k[3]);
    return text;
}

const char *cdt_kind_python(const struct ras_cdt_chunk *chunk, char text[20])
{
    size_t n = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t c = (uint8_t)chunk->kind_text[i];
        bool plain = c >= 0x20 && c < 0x7f && c != '\'' && c != '\\';
        n += (size_t)snprintf(text + n, 20 - n, plain ? "%c" : "\\x%02x", c);
    }
    return text;
}

int ras_cdt_header_get(struct ras_bytes file, uint32_t *version, struct ras_error *err)
{
    if (!cdt_magic_starts(file))
        return fail(err, RAS_EFORMAT, 0, "unsupported trace magic: containers 1 and 2 are known");
    struct in in = in_bytes(file);
    in_span(&in, RAS_CDT_MAGIC_SIZE);
    *version = in_u32(&in);
    if (in.cut)
        return fail(err, RAS_ECUT, file.len, "the header has %d bytes, the file %zu",
                    RAS_CDT_HEADER_SIZE, file.len);
    return RAS_OK;
}

int ras_cdt_chunk_get(struct ras_bytes file, uint64_t offset, struct ras_cdt_chunk *chunk,
                      struct ras_error *err)
{
    struct in in = in_bytes(file);
    in_take(&in, offset);
    uint64_t left = in_left(&in);
    const uint8_t *kind = in_take(&in, 4);
    *chunk = (struct ras_cdt_chunk){
        .start_tick = (int32_t)in_u32(&in),
        .end_tick = (int32_t)in_u32(&in),
        .flags = in_u32(&in),
        .compressed_len = in_u32(&in),
        .uncompressed_len = in_u32(&in),
        .checksum64 = in_u64(&in),
    };
    if (in.cut)
        return fail(err, RAS_ECUT, offset, "truncated chunk header: %d bytes, %" PRIu64 " left",
                    RAS_CDT_CHUNK_HEADER_SIZE, offset > file.len ? 0 : left);
    memcpy(chunk->kind_text, kind, 4);
    chunk->kind = cdt_kind_starts(kind, 4);
    return RAS_OK;
}

int ras_cdt_trailer_get(struct ras_bytes file, uint64_t *footer_offset, struct ras_error *err)
{
    struct in in = in_bytes(file);
    uint64_t at = file.len - RAS_CDT_TRAILER_SIZE;
    if (file.len < RAS_CDT_HEADER_SIZE + RAS_CDT_TRAILER_SIZE)
        return fail(err, RAS_EFORMAT, file.len, "missing trace trailer: the file has %zu bytes",
                    file.len);
    in_take(&in, at);
    if (memcmp(in_take(&in, 8),
               cdt_container(file) == 2 ? RAS_CDT_TRAILER_MAGIC_2 : RAS_CDT_TRAILER_MAGIC, 8))
        return fail(err, RAS_EFORMAT, at, "missing trace trailer");
    *footer_offset = in_u64(&in);
    return RAS_OK;
}

void cdt_header_put(uint32_t container, void *to)
{
    store_u32(store_bytes(to, container == 2 ? RAS_CDT_MAGIC_2 : RAS_CDT_MAGIC, RAS_CDT_MAGIC_SIZE),
              container);
}

void ras_cdt_header_put(void *to)
{
    cdt_header_put(RAS_CDT_FORMAT_VERSION, to);
}

void ras_cdt_chunk_put(const struct ras_cdt_chunk *chunk, void *to)
{
    const char *kind = chunk->kind == RAS_CDT_UNKNOWN ? chunk->kind_text : kinds[chunk->kind];
    uint8_t *p = store_bytes(to, kind, 4);
    p = store_u32(p, (uint32_t)chunk->start_tick);
    p = store_u32(p, (uint32_t)chunk->end_tick);
    p = store_u32(p, chunk->flags);
    p = store_u32(p, chunk->compressed_len);
    p = store_u32(p, chunk->uncompressed_len);
    store_u64(p, chunk->checksum64);
}

void cdt_trailer_put(uint32_t container, uint64_t footer_offset, void *to)
{
    const char *magic = container == 2 ? RAS_CDT_TRAILER_MAGIC_2 : RAS_CDT_TRAILER_MAGIC;
    store_u64(store_bytes(to, magic, 8), footer_offset);
}

void ras_cdt_trailer_put(uint64_t footer_offset, void *to)
{
    cdt_trailer_put(RAS_CDT_FORMAT_VERSION, footer_offset, to);
}

/* ---- payloads ---------------------------------------------------------------------------- */

void cdt_buffer_free(struct cdt_buffer *buffer)
{
    free(buffer->at);
    zstd_chunk_ctx_free(buffer->zstd);
    *buffer = (struct cdt_buffer){0};
}

/* Allocates room for the payload and its padding, at most as much as the stored bytes can expand
 * to, in whole pages: chunks of a trace are about as long as each other. */
static int make_room(struct cdt_buffer *buffer, uint64_t size, struct ras_error *err)
{
    enum { PAGE = 4096 };
    if (size > SIZE_MAX - CDT_PADDING - PAGE)
        return fail_memory(err);
    size_t need = ((size_t)size + CDT_PADDING + PAGE - 1) / PAGE * PAGE;
    if (!array_grow(&buffer->at, &buffer->room, need, 1))
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
    /* A zstd block of 4 bytes expands to 128 KiB at most. */
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
    if (cdt_container(file) == 2 && out->chunk.flags != RAS_CDT_FLAG_MSGPACK)
        return fail(err, RAS_EFORMAT, offset,
                    "unsupported chunk flags: 0x%08" PRIx32 " (expected: 0x%08x)", out->chunk.flags,
                    RAS_CDT_FLAG_MSGPACK);
    return load_body(buffer, body, offset, limit, out, err);
}
