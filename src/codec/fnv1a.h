/* fnv1a.h - the 64-bit Fowler-Noll-Vo hash, variant 1a. */
#ifndef CODEC_FNV1A_H
#define CODEC_FNV1A_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FNV1A_START UINT64_C(0xcbf29ce484222325)
#define FNV1A_PRIME UINT64_C(0x00000100000001b3)

/* The hash with len more bytes; the first call passes FNV1A_START. */
static inline uint64_t fnv1a_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * FNV1A_PRIME;
    return hash;
}

static inline uint64_t fnv1a_text(const char *text)
{
    return fnv1a_bytes(FNV1A_START, text, strlen(text));
}
#endif
