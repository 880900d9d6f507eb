/* sha256.c - SHA-256 (FIPS 180-4), piece by piece; with the instructions of x86 where there are
 * some. */
#include "codec/sha256.h"

#include <stdbool.h>
#include <string.h>

static const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The word of this round; the schedule is kept in its last sixteen words. */
static inline uint32_t schedule_word(uint32_t w[16], unsigned i)
{
    if (i >= 16) {
        uint32_t a = w[(i + 1) & 15], b = w[(i + 14) & 15];
        w[i & 15] += (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[(i + 9) & 15] +
                     (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    return w[i & 15];
}

/* 6.2.2, step 3. The standard rotates the eight variables from round to round; here they stay in
 * place and `round` selects them. */
static inline void one_round(const uint32_t s[8], uint32_t *d, uint32_t *h, unsigned round,
                             uint32_t input)
{
    uint32_t a = s[(0 - round) & 7], b = s[(1 - round) & 7], c = s[(2 - round) & 7];
    uint32_t e = s[(4 - round) & 7], f = s[(5 - round) & 7], g = s[(6 - round) & 7];
    uint32_t one =
        *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (g ^ (e & (f ^ g))) + input;
    *d += one;
    *h = one + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (c & (a ^ b)));
}

static void plain_block(uint32_t state[8], const uint8_t *at)
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
        one_round(s, &s[(3 - i) & 7], &s[(7 - i) & 7], i,
                  sha256_constants[i] + schedule_word(w, i));
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_plain(uint32_t state[8], const uint8_t *at, size_t count)
{
    for (; count; count--, at += SHA256_BLOCK)
        plain_block(state, at);
}

/* ---- the instructions of x86 -------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1,ssse3")))

/* Four rounds on the words w + constants; one instruction does two of them. */
TARGET static inline void four_rounds(__m128i *abef, __m128i *cdgh, __m128i w, int round)
{
    const __m128i *k = (const __m128i *)(const void *)(sha256_constants + round);
    __m128i sum = _mm_add_epi32(w, _mm_loadu_si128(k));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

/* The next four words of the schedule, from the sixteen before them. */
TARGET static inline __m128i next_words(__m128i a, __m128i b, __m128i c, __m128i d)
{
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4));
    return _mm_sha256msg2_epu32(sum, d);
}

TARGET static void x86_block(__m128i *abef, __m128i *cdgh, const uint8_t *at)
{
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i w[4], before = *abef, others = *cdgh;
    for (int i = 0; i < 4; i++) {
        w[i] = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
        w[i] = _mm_shuffle_epi8(w[i], order);
        four_rounds(abef, cdgh, w[i], 4 * i);
    }
#pragma GCC unroll 12
    for (int i = 4; i < 16; i++) {
        w[i & 3] = next_words(w[i & 3], w[(i + 1) & 3], w[(i + 2) & 3], w[(i + 3) & 3]);
        four_rounds(abef, cdgh, w[i & 3], 4 * i);
    }
    *abef = _mm_add_epi32(*abef, before);
    *cdgh = _mm_add_epi32(*cdgh, others);
}

/* The instructions want the state as (a, b, e, f) and (c, d, g, h), the last one lowest. */
TARGET static void x86_blocks(uint32_t state[8], const uint8_t *at, size_t count)
{
    uint32_t *s = state;
    __m128i abef = _mm_set_epi32((int)s[0], (int)s[1], (int)s[4], (int)s[5]);
    __m128i cdgh = _mm_set_epi32((int)s[2], (int)s[3], (int)s[6], (int)s[7]);
    for (; count; count--, at += SHA256_BLOCK)
        x86_block(&abef, &cdgh, at);
    s[0] = (uint32_t)_mm_extract_epi32(abef, 3);
    s[1] = (uint32_t)_mm_extract_epi32(abef, 2);
    s[4] = (uint32_t)_mm_extract_epi32(abef, 1);
    s[5] = (uint32_t)_mm_extract_epi32(abef, 0);
    s[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
    s[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
    s[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
    s[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

sha256_blocks *sha256_fast(void)
{
    unsigned a, b, c, d;
    bool wide = __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSE4_1 && c & bit_SSSE3;
    return wide && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA ? x86_blocks : NULL;
}
#else
sha256_blocks *sha256_fast(void)
{
    return NULL;
}
#endif

/* ---- messages ----------------------------------------------------------------------------- */

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
