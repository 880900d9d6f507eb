/* zstd_chunk.h - exactly one zstd frame of known size, for chunked formats. */
#ifndef CODEC_ZSTD_CHUNK_H
#define CODEC_ZSTD_CHUNK_H

#include <rastrum/rastrum.h>

struct zstd_chunk_ctx; /* reusable, one thread at a time */

struct zstd_chunk_ctx *zstd_chunk_ctx_new(void); /* NULL: out of memory */
void zstd_chunk_ctx_free(struct zstd_chunk_ctx *ctx);

/* Decompress the frame at the start of `in` into out[expected]. Its header
 * must state a content size and that must be `expected`, so a hostile frame
 * costs no more memory than the caller has agreed to. Bytes after the frame are
 * ignored; *after, unless NULL, is their number.
 * RAS_OK; RAS_ECUT, RAS_EFORMAT or RAS_EMEMORY with a static *why, and then the
 * content of out is unspecified. */
int zstd_chunk_get(struct zstd_chunk_ctx *ctx, struct ras_bytes in, uint8_t *out, size_t expected,
                   size_t *after, const char **why) RAS_CHECKED;

/* What the header of the frame at the start states; RAS_NONE when it states
 * nothing, is cut or is not that of a zstd frame with content. */
uint64_t zstd_content_size(struct ras_bytes in);

/* ---- writing -------------------------------------------------------------- */

struct zstd_maker; /* reusable, one thread at a time */

struct zstd_maker *zstd_maker_new(int level); /* NULL: out of memory */
void zstd_maker_free(struct zstd_maker *maker);

/* The most bytes that `size` bytes can become. */
size_t zstd_chunk_bound(size_t size);

/* Compress `in` to one frame that states its content size and has no checksum.
 * The bytes it takes; 0 when `room` is below the bound, or memory is short. */
size_t zstd_chunk_put(struct zstd_maker *maker, struct ras_bytes in, uint8_t *out, size_t room);
#endif
