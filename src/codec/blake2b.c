/* blake2b.c - BLAKE2b as RFC 7693 states it, one call over memory. */
#include "base/in.h"
#include "codec/blake2b_rounds.h"

#include <assert.h>

/* RFC 7693, section 2.6: the initialization vector. */
const uint64_t blake2b_iv[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

#define TURN(x, n)  ((x) >> (n) | (x) << (64 - (n)))
#define TURN32(x)   TURN(x, 32)
#define TURN24(x)   TURN(x, 24)
#define TURN16(x)   TURN(x, 16)
#define TURN63(x)   TURN(x, 63)
#define SUM(x, y)   ((x) + (y))
#define OTHER(x, y) ((x) ^ (y))
#define WORD(i)     load_u64(block + 8 * (i))

/* RFC 7693, section 3.2: the compression function F. `total` counts the bytes up
 * to and including this block; memory never holds 2^64 of them. */
static void compress(uint64_t h[8], const uint8_t *block, uint64_t total, bool last)
{
    uint64_t v[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        v[i] = h[i];
        v[i + 8] = blake2b_iv[i];
    }
    v[12] ^= total;
    if (last)
        v[14] = ~v[14];
    BLAKE2B_ROUNDS;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[i + 8];
}

void blake2b_begin(uint64_t h[8], size_t digest_len)
{
    memcpy(h, blake2b_iv, sizeof blake2b_iv);
    h[0] ^= 0x01010000 ^ digest_len;
}

void blake2b_finish(uint64_t h[8], const uint8_t *at, size_t len, uint64_t total)
{
    for (; len > BLAKE2B_BLOCK; at += BLAKE2B_BLOCK, len -= BLAKE2B_BLOCK) {
        total += BLAKE2B_BLOCK;
        compress(h, at, total, false);
    }
    uint8_t block[BLAKE2B_BLOCK] = {0};
    if (len)
        memcpy(block, at, len);
    compress(h, block, total + len, true);
}

void blake2b(void *digest, size_t digest_len, const void *bytes, size_t len)
{
    assert(digest_len >= 1);
    assert(digest_len <= BLAKE2B_DIGEST_MOST);
    uint64_t h[8];
    blake2b_begin(h, digest_len);
    blake2b_finish(h, bytes, len, 0);
    uint8_t *out = digest;
    for (size_t i = 0; i < digest_len; i++)
        out[i] = (uint8_t)(h[i / 8] >> 8 * (i % 8));
}

uint64_t blake2b64(const void *bytes, size_t len)
{
    uint64_t h[8];
    blake2b_begin(h, 8);
    blake2b_finish(h, bytes, len, 0);
    return h[0];
}
