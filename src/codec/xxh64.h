/* xxh64.h - XXH64 with seed 0, piece by piece: the checksum of a zstd frame is its lower half. */
#ifndef CODEC_XXH64_H
#define CODEC_XXH64_H

#include <stddef.h>
#include <stdint.h>

enum { XXH64_STRIPE = 32 };

struct xxh64 {
    uint64_t lane[4];
    uint64_t length; /* bytes so far */
    uint8_t rest[XXH64_STRIPE];
};

struct xxh64 xxh64_start(void);
void xxh64_add(struct xxh64 *, const void *bytes, size_t len);
uint64_t xxh64_end(const struct xxh64 *);
#endif
