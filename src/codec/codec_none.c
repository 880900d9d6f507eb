/* codec_none.c - no compression libraries: what the module for WebAssembly has instead.
 *
 * Everything is read. What is written is valid but not compressed, since nothing there is written
 * to a disk; no output has a name, hence none that asks for compression. */
#include "codec/compress.h"
#include "codec/crc32.h"
#include "codec/seekable.h"
#include "codec/inflate.h"
#include "codec/zlib_block.h"
#include "codec/zstd_chunk.h"
#include "codec/zstd_frame.h"

#include <stdlib.h>
#include <string.h>

uint32_t crc32_update(uint32_t crc, const void *bytes, size_t len)
{
    return crc32_plain(crc, bytes, len);
}

struct inflate *gzip_inflate_new(void)
{
    return gzip_plain_new();
}

bool gzip_inflate_all(struct ras_bytes in, size_t cap, uint8_t **out, size_t *len,
                      uint64_t *members)
{
    (void)in, (void)cap, (void)out, (void)len, (void)members;
    return false; /* the streaming form does it */
}

size_t zlib_bound(size_t len)
{
    return zlib_plain_bound(len);
}

size_t zlib_put(struct ras_bytes in, uint8_t *out)
{
    return zlib_plain_put(in, out);
}

int zlib_get(struct ras_bytes in, uint8_t *out, size_t len)
{
    return zlib_plain_get(in, out, len);
}

enum compression compression_of(const char *path)
{
    (void)path;
    return COMPRESS_NONE;
}

struct compress *compress_new(enum compression kind)
{
    (void)kind;
    return NULL;
}

void compress_free(struct compress *c)
{
    (void)c;
}

size_t compress_step(struct compress *c, struct ras_bytes *in, bool last, uint8_t *out, size_t room,
                     bool *done)
{
    (void)c, (void)in, (void)last, (void)out, (void)room;
    *done = false;
    return SIZE_MAX;
}

/* Sinks that compress as they are written do not exist here. */
struct frames_writer *frames_open(size_t head, frames_store *store, void *user)
{
    (void)head, (void)store, (void)user;
    return NULL;
}

int frames_put(struct frames_writer *w, const void *bytes, size_t size, struct ras_error *err)
{
    (void)w, (void)bytes, (void)size, (void)err;
    return RAS_EUNSUPPORTED;
}

int frames_flush(struct frames_writer *w, struct ras_error *err)
{
    (void)w, (void)err;
    return RAS_EUNSUPPORTED;
}

int frames_end(struct frames_writer *w, struct ras_error *err)
{
    (void)w, (void)err;
    return RAS_EUNSUPPORTED;
}

void frames_free(struct frames_writer *w)
{
    (void)w;
}

bool frames_patch(struct frames_writer *w, uint64_t at, const void *bytes, size_t size,
                  struct ras_bytes *again)
{
    (void)w, (void)at, (void)bytes, (void)size, (void)again;
    return false;
}

uint64_t frames_kept(const struct frames_writer *w)
{
    (void)w;
    return 0;
}

uint64_t frames_give_back(struct frames_writer *w, uint64_t most)
{
    (void)w, (void)most;
    return 0;
}

uint64_t frames_stored(const struct frames_writer *w)
{
    (void)w;
    return 0;
}

struct zstd_maker {
    int level;
};

struct zstd_maker *zstd_maker_new(int level)
{
    struct zstd_maker *maker = malloc(sizeof *maker);
    if (maker)
        maker->level = level;
    return maker;
}

void zstd_maker_free(struct zstd_maker *maker)
{
    free(maker);
}

size_t zstd_chunk_bound(size_t size)
{
    return zstd_raw_bound(size);
}

size_t zstd_chunk_put(struct zstd_maker *maker, struct ras_bytes in, uint8_t *out, size_t room)
{
    (void)maker;
    return room < zstd_raw_bound(in.len) ? 0 : zstd_raw_put(in, out);
}
