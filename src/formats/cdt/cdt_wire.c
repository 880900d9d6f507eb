/* cdt_wire.c - the container's bytes: header, chunk headers, trailer, read and written. Pure, no
 * memory. */
#include "formats/cdt/cdt_wire.h"
#include "base/error.h"
#include "base/in.h"
#include "base/store.h"

#include <stdio.h>

static const char kinds[][5] = {[RAS_CDT_UNKNOWN] = "",
                                [RAS_CDT_META] = "META",
                                [RAS_CDT_TICK] = "TICK",
                                [RAS_CDT_FOTR] = "FOTR"};

bool cdt_magic_starts(struct ras_bytes file)
{
    size_t n = file.len < RAS_CDT_MAGIC_SIZE ? file.len : RAS_CDT_MAGIC_SIZE;
    return !n || !memcmp(file.at, RAS_CDT_MAGIC, n);
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

int ras_cdt_header_get(struct ras_bytes file, uint32_t *version, struct ras_error *err)
{
    if (!cdt_magic_starts(file))
        return fail(err, RAS_EFORMAT, 0, "unsupported trace magic");
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
    if (memcmp(in_take(&in, 8), RAS_CDT_TRAILER_MAGIC, 8))
        return fail(err, RAS_EFORMAT, at, "missing trace trailer");
    *footer_offset = in_u64(&in);
    return RAS_OK;
}

void ras_cdt_header_put(void *to)
{
    store_u32(store_bytes(to, RAS_CDT_MAGIC, RAS_CDT_MAGIC_SIZE), RAS_CDT_FORMAT_VERSION);
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

void ras_cdt_trailer_put(uint64_t footer_offset, void *to)
{
    store_u64(store_bytes(to, RAS_CDT_TRAILER_MAGIC, 8), footer_offset);
}
