/* sha256.c - SHA-256 (FIPS 180-4), piece by piece. */
#include "codec/sha256.h"

#include <string.h>

const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The word of this round; the schedule is kept in its last sixteen words. */
static inline uint32_t word(uint32_t w[16], unsigned i)
{
    if (i >= 16) {
        uint32_t a = w[(i + 1) & 15], b = w[(i + 14) & 15];
        w[i & 15] += (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[(i + 9) & 15] +
                     (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    return w[i & 15];
}

/* 6.2.2, step 3. The variables take each other's places from round to round: here they stay,
 * and who calls names them in turn. */
static inline void one_round(const uint32_t s[8], uint32_t *d, uint32_t *h, unsigned turns,
                             uint32_t input)
{
    uint32_t a = s[(0 - turns) & 7], b = s[(1 - turns) & 7], c = s[(2 - turns) & 7];
    uint32_t e = s[(4 - turns) & 7], f = s[(5 - turns) & 7], g = s[(6 - turns) & 7];
    uint32_t one = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + input;
    *d += one;
    *h = one + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (c & (a ^ b)));
}

static void one_block(uint32_t state[8], const uint8_t *at)
{
    uint32_t w[16], s[8];
    memcpy(s, state, sizeof s);
    for (size_t i = 0; i < 16; i++) {
        memcpy(&w[i], at + 4 * i, 4);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        w[i] = __builtin_bswap32(w[i]);
#endif
    }
#pragma GCC unroll 64
    for (unsigned i = 0; i < 64; i++)
        one_round(s, &s[(3 - i) & 7], &s[(7 - i) & 7], i, sha256_constants[i] + word(w, i));
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_plain(uint32_t state[8], const uint8_t *at, size_t count)
{
    for (; count; count--, at += SHA256_BLOCK)
        one_block(state, at);
}

struct sha256 sha256_start(void)
{
    sha256_blocks *fast = sha256_fast();
    return (struct sha256){.blocks = fast ? fast : sha256_plain,
                           .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                     0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    size_t have = sha->length % SHA256_BLOCK;
    sha->length += len;
    if (have) {
        size_t take = len < SHA256_BLOCK - have ? len : SHA256_BLOCK - have;
        if (take)
            memcpy(sha->block + have, at, take);
        if (have + take < SHA256_BLOCK)
            return;
        sha->blocks(sha->state, sha->block, 1);
        at += take;
        len -= take;
    }
    if (len >= SHA256_BLOCK)
        sha->blocks(sha->state, at, len / SHA256_BLOCK);
    if (len % SHA256_BLOCK)
        memcpy(sha->block, at + len / SHA256_BLOCK * SHA256_BLOCK, len % SHA256_BLOCK);
}

/* 5.1.1: a one bit, zeros, the length in bits, big-endian. */
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_SIZE])
{
    uint8_t tail[2 * SHA256_BLOCK] = {0};
    size_t have = sha->length % SHA256_BLOCK, size = have < 56 ? 64 : 128;
    if (have)
        memcpy(tail, sha->block, have);
    tail[have] = 0x80;
    for (size_t i = 0; i < 8; i++)
        tail[size - 1 - i] = (uint8_t)(sha->length * 8 >> 8 * i);
    sha->blocks(sha->state, tail, size / SHA256_BLOCK);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}
