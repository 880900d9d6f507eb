/* leb128.h - unsigned numbers in groups of seven bits, the lowest first. */
#ifndef CODEC_LEB128_H
#define CODEC_LEB128_H

#include "base/in.h"

#define LEB128_SIZE_MOST 10

/* More than one byte, or none. */
static inline uint64_t in_leb128_long(struct in *in, bool *bad)
{
    uint64_t left = in->cut ? 0 : in_left(in);
    if (left >= 8) {
        /* All groups at once: keep the bytes up to the first one without its high
         * bit, then close the gaps between pairs, fours and eights. */
        uint64_t word = load_u64(in->at);
        uint64_t last = ~word & 0x8080808080808080;
        if (last) {
            in->at += __builtin_ctzll(last) / 8 + 1;
            word &= last ^ (last - 1);
            word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
            word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
            return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
        }
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < left && i < LEB128_SIZE_MOST; i++) {
        uint64_t byte = in->at[i];
        if (i == LEB128_SIZE_MOST - 1 && byte > 1)
            break;
        value |= (byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            in->at += i + 1;
            return value;
        }
    }
    if (left >= LEB128_SIZE_MOST)
        *bad = true;
    else
        in->cut = true;
    return 0;
}

/* The next number. Where it does not fit 64 bits or ten bytes: 0, *bad is set (it
 * is never cleared) and nothing is taken. Needless leading zeros are accepted. */
static inline uint64_t in_leb128(struct in *in, bool *bad)
{
    if (in->at < in->end && *in->at < 0x80 && !in->cut)
        return *in->at++;
    return in_leb128_long(in, bad);
}

/* How many bytes the shortest form of value takes. */
static inline size_t leb128_size(uint64_t value)
{
    return (size_t)(63 - __builtin_clzll(value | 1)) / 7 + 1;
}
#endif
