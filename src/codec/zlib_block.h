/* zlib_block.h - the zlib format (RFC 1950), at once: what a PNG holds. */
#ifndef CODEC_ZLIB_BLOCK_H
#define CODEC_ZLIB_BLOCK_H

#include <rastrum/rastrum.h>

/* The most bytes that `len` bytes become. */
size_t zlib_bound(size_t len);
/* Compress to out[zlib_bound()]: how many bytes; 0: out of memory. */
size_t zlib_put(struct ras_bytes in, uint8_t *out);
/* Decompress to exactly `len` bytes. RAS_OK, RAS_EFORMAT or RAS_EMEMORY. */
int zlib_get(struct ras_bytes in, uint8_t *out, size_t len) RAS_CHECKED;

/* The same without a library: what is written is stored, not compressed. */
size_t zlib_plain_bound(size_t len);
size_t zlib_plain_put(struct ras_bytes in, uint8_t *out);
int zlib_plain_get(struct ras_bytes in, uint8_t *out, size_t len) RAS_CHECKED;
#endif
