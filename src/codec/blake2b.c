/* blake2b.c - BLAKE2b as RFC 7693 states it, one call over memory. */
#include "codec/blake2b.h"
#include "base/in.h"

#include <assert.h>

#define BLOCK 128

/* RFC 7693, section 2.6: the initialization vector. */
static const uint64_t iv[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

/* RFC 7693, section 2.7: the message schedule; rounds 10 and 11 repeat 0 and 1. */
static const uint8_t sigma[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};

#define TURN(x, n) ((x) >> (n) | (x) << (64 - (n)))
#define WORD(i)    load_u64(block + 8 * (i))

/* RFC 7693, section 3.1: the mixing function G. Macros, not functions: all
 * indexes are constants then, and the sixteen words stay out of memory as far as
 * there are registers. */
#define MIX(a, b, c, d, x, y)                                                                      \
    do {                                                                                           \
        v[a] += v[b] + (x);                                                                        \
        v[d] = TURN(v[d] ^ v[a], 32);                                                              \
        v[c] += v[d];                                                                              \
        v[b] = TURN(v[b] ^ v[c], 24);                                                              \
        v[a] += v[b] + (y);                                                                        \
        v[d] = TURN(v[d] ^ v[a], 16);                                                              \
        v[c] += v[d];                                                                              \
        v[b] = TURN(v[b] ^ v[c], 63);                                                              \
    } while (0)

#define ROUND(r)                                                                                   \
    do {                                                                                           \
        MIX(0, 4, 8, 12, WORD(sigma[r][0]), WORD(sigma[r][1]));                                    \
        MIX(1, 5, 9, 13, WORD(sigma[r][2]), WORD(sigma[r][3]));                                    \
        MIX(2, 6, 10, 14, WORD(sigma[r][4]), WORD(sigma[r][5]));                                   \
        MIX(3, 7, 11, 15, WORD(sigma[r][6]), WORD(sigma[r][7]));                                   \
        MIX(0, 5, 10, 15, WORD(sigma[r][8]), WORD(sigma[r][9]));                                   \
        MIX(1, 6, 11, 12, WORD(sigma[r][10]), WORD(sigma[r][11]));                                 \
        MIX(2, 7, 8, 13, WORD(sigma[r][12]), WORD(sigma[r][13]));                                  \
        MIX(3, 4, 9, 14, WORD(sigma[r][14]), WORD(sigma[r][15]));                                  \
    } while (0)

/* RFC 7693, section 3.2: the compression function F. `total` counts the bytes up
 * to and including this block; memory never holds 2^64 of them. */
static void compress(uint64_t h[8], const uint8_t *block, uint64_t total, bool last)
{
    uint64_t v[16];
    for (int i = 0; i < 8; i++) {
        v[i] = h[i];
        v[i + 8] = iv[i];
    }
    v[12] ^= total;
    if (last)
        v[14] = ~v[14];
    ROUND(0);
    ROUND(1);
    ROUND(2);
    ROUND(3);
    ROUND(4);
    ROUND(5);
    ROUND(6);
    ROUND(7);
    ROUND(8);
    ROUND(9);
    ROUND(10);
    ROUND(11);
    for (int i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[i + 8];
}

static void hash(uint64_t h[8], size_t digest_len, const uint8_t *at, size_t len)
{
    memcpy(h, iv, sizeof iv);
    h[0] ^= 0x01010000 ^ digest_len;
    uint64_t total = 0;
    for (; len > BLOCK; at += BLOCK, len -= BLOCK) {
        total += BLOCK;
        compress(h, at, total, false);
    }
    uint8_t block[BLOCK] = {0};
    if (len)
        memcpy(block, at, len);
    compress(h, block, total + len, true);
}

void blake2b(void *digest, size_t digest_len, const void *bytes, size_t len)
{
    assert(digest_len >= 1);
    assert(digest_len <= BLAKE2B_DIGEST_MOST);
    uint64_t h[8];
    hash(h, digest_len, bytes, len);
    uint8_t *out = digest;
    for (size_t i = 0; i < digest_len; i++)
        out[i] = (uint8_t)(h[i / 8] >> 8 * (i % 8));
}

uint64_t blake2b64(const void *bytes, size_t len)
{
    uint64_t h[8];
    hash(h, 8, bytes, len);
    return h[0];
}
