/* blake2b_rounds.h - the rounds of BLAKE2b, for words of one message or of several at once.
 *
 * Who includes it says what a word is: WORD(i) of the block, SUM, OTHER (exclusive or) and the four
 * TURNs to the right. Macros, not functions: all indexes are constants then, and the sixteen words
 * of v stay out of memory as far as there are registers. */
#ifndef CODEC_BLAKE2B_ROUNDS_H
#define CODEC_BLAKE2B_ROUNDS_H

#include "codec/blake2b.h"

#define BLAKE2B_BLOCK 128

extern const uint64_t blake2b_iv[8];

/* The state before the first block. */
void blake2b_begin(uint64_t h[8], size_t digest_len);
/* The last bytes of a message, at least one if it has any, behind `total` of them. */
void blake2b_finish(uint64_t h[8], const uint8_t *at, size_t len, uint64_t total);

/* RFC 7693, section 3.1: the mixing function G. */
#define BLAKE2B_MIX(a, b, c, d, x, y)                                                              \
    do {                                                                                           \
        v[a] = SUM(v[a], SUM(v[b], WORD(x)));                                                      \
        v[d] = TURN32(OTHER(v[d], v[a]));                                                          \
        v[c] = SUM(v[c], v[d]);                                                                    \
        v[b] = TURN24(OTHER(v[b], v[c]));                                                          \
        v[a] = SUM(v[a], SUM(v[b], WORD(y)));                                                      \
        v[d] = TURN16(OTHER(v[d], v[a]));                                                          \
        v[c] = SUM(v[c], v[d]);                                                                    \
        v[b] = TURN63(OTHER(v[b], v[c]));                                                          \
    } while (0)

#define BLAKE2B_ROUND(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, ma, mb, mc, md, me, mf)              \
    do {                                                                                           \
        BLAKE2B_MIX(0, 4, 8, 12, m0, m1);                                                          \
        BLAKE2B_MIX(1, 5, 9, 13, m2, m3);                                                          \
        BLAKE2B_MIX(2, 6, 10, 14, m4, m5);                                                         \
        BLAKE2B_MIX(3, 7, 11, 15, m6, m7);                                                         \
        BLAKE2B_MIX(0, 5, 10, 15, m8, m9);                                                         \
        BLAKE2B_MIX(1, 6, 11, 12, ma, mb);                                                         \
        BLAKE2B_MIX(2, 7, 8, 13, mc, md);                                                          \
        BLAKE2B_MIX(3, 4, 9, 14, me, mf);                                                          \
    } while (0)

/* RFC 7693, section 2.7: the message schedule; rounds 10 and 11 repeat 0 and 1. */
#define BLAKE2B_ROUNDS                                                                             \
    do {                                                                                           \
        BLAKE2B_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);                       \
        BLAKE2B_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);                       \
        BLAKE2B_ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);                       \
        BLAKE2B_ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);                       \
        BLAKE2B_ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);                       \
        BLAKE2B_ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);                       \
        BLAKE2B_ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);                       \
        BLAKE2B_ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);                       \
        BLAKE2B_ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);                       \
        BLAKE2B_ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);                       \
        BLAKE2B_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);                       \
        BLAKE2B_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);                       \
    } while (0)
#endif
