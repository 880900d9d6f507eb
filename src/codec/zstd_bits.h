/* zstd_bits.h - the bit streams of zstd, which are read from their end (RFC 8878, 4.1).
 *
 * A position is a number of bits from the start of the stream, so that nothing is buffered: a read
 * is one load. ZSTD_SLACK bytes after the stream must be readable. Reading more bits than there are
 * yields zeros and sets `over` for good. */
#ifndef CODEC_ZSTD_BITS_H
#define CODEC_ZSTD_BITS_H

#include "base/in.h"

enum { ZSTD_SLACK = 32 };

struct zstd_bits {
    const uint8_t *at;
    size_t left; /* bits */
    bool over;
};

/* The number of the highest bit that is set, of a value that is not 0. */
static inline unsigned zstd_high_bit(uint32_t value)
{
    return 31 - (unsigned)__builtin_clz(value);
}

static inline void skip_bytes(struct ras_bytes *in, size_t count)
{
    in->at += count;
    in->len -= count;
}

/* False: not a stream, which ends with a bit that is set. */
static inline bool zstd_bits_open(struct zstd_bits *bits, struct ras_bytes in)
{
    if (!in.len || !in.at[in.len - 1])
        return false;
    *bits = (struct zstd_bits){in.at, (in.len - 1) * 8 + zstd_high_bit(in.at[in.len - 1]), false};
    return true;
}

/* Up to 56 bits. */
static inline uint64_t zstd_bits_get(struct zstd_bits *bits, unsigned count)
{
    if (count > bits->left) {
        bits->over = true;
        bits->left = 0;
        return 0;
    }
    bits->left -= count;
    uint64_t word = load_u64(bits->at + bits->left / 8) >> (bits->left & 7);
    return word & (((uint64_t)1 << count) - 1);
}

/* All bits were read, and not more. */
static inline bool zstd_bits_done(const struct zstd_bits *bits)
{
    return !bits->left && !bits->over;
}
#endif
