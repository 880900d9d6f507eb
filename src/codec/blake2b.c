/* blake2b.c - BLAKE2b as RFC 7693 states it: one message, or four at once. */
#include "codec/blake2b.h"
#include "base/in.h"

#include <assert.h>

#define BLAKE2B_BLOCK 128

/* The rounds, for words of one message or of several at once: WORD(i) of the block, SUM, XOR and
 * the four rotations to the right are defined below for each. Macros, not functions: all indexes
 * are constants then, and the sixteen words of v stay out of memory as far as there are registers.
 */

/* RFC 7693, section 3.1: the mixing function G. */
#define BLAKE2B_MIX(a, b, c, d, x, y)                                                              \
    do {                                                                                           \
        v[a] = SUM(v[a], SUM(v[b], WORD(x)));                                                      \
        v[d] = ROTATE32(XOR(v[d], v[a]));                                                          \
        v[c] = SUM(v[c], v[d]);                                                                    \
        v[b] = ROTATE24(XOR(v[b], v[c]));                                                          \
        v[a] = SUM(v[a], SUM(v[b], WORD(y)));                                                      \
        v[d] = ROTATE16(XOR(v[d], v[a]));                                                          \
        v[c] = SUM(v[c], v[d]);                                                                    \
        v[b] = ROTATE63(XOR(v[b], v[c]));                                                          \
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

/* RFC 7693, section 2.6: the initialization vector. */
static const uint64_t blake2b_iv[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

#define ROTATE(x, n) ((x) >> (n) | (x) << (64 - (n)))
#define ROTATE32(x)  ROTATE(x, 32)
#define ROTATE24(x)  ROTATE(x, 24)
#define ROTATE16(x)  ROTATE(x, 16)
#define ROTATE63(x)  ROTATE(x, 63)
#define SUM(x, y)    ((x) + (y))
#define XOR(x, y)    ((x) ^ (y))
#define WORD(i)      load_u64(block + 8 * (i))

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

/* The state before the first block. */
static void blake2b_begin(uint64_t h[8], size_t digest_len)
{
    memcpy(h, blake2b_iv, sizeof blake2b_iv);
    h[0] ^= 0x01010000 ^ digest_len;
}

/* The last bytes of a message, at least one if it has any, after `total` of them. */
static void blake2b_finish(uint64_t h[8], const uint8_t *at, size_t len, uint64_t total)
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

/* ---- four messages ------------------------------------------------------------------------ */

/* One message keeps a processor waiting: each step needs the result of the one before. The words of
 * four messages go through the same steps side by side, in one register each. */

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* The same code is compiled twice: where a processor has twice as many registers, the words of
 * messages and state all stay in them. Every index is a constant: to have each of them checked
 * makes one compiler work for minutes. */
#define PLAIN  no_sanitize("undefined")
#define INLINE static inline __attribute__((always_inline, target("avx2"), PLAIN))
#define WIDE   __attribute__((target("avx2"), PLAIN))
#define WIDER  __attribute__((target("avx2,avx512f,avx512vl"), PLAIN))

#undef ROTATE32
#undef ROTATE24
#undef ROTATE16
#undef ROTATE63
#undef SUM
#undef XOR
#undef WORD
#define SUM(x, y)   _mm256_add_epi64(x, y)
#define XOR(x, y)   _mm256_xor_si256(x, y)
#define ROTATE32(x) _mm256_shuffle_epi32(x, 0xb1)
#define ROTATE24(x) _mm256_shuffle_epi8(x, by24)
#define ROTATE16(x) _mm256_shuffle_epi8(x, by16)
#define ROTATE63(x) rotate_left(x)
#define WORD(i)     m[i]

/* Written so that a compiler finds the one instruction for it, where there is one. */
INLINE __m256i rotate_left(__m256i x)
{
    typedef uint64_t words __attribute__((vector_size(32)));
    words w = (words)x;
    return (__m256i)(w << 1 | w >> 63);
}

INLINE __m256i load(const uint8_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* The sixteen words of a block of each message, those of one number in one register. */
INLINE void load_blocks(const uint8_t *const at[4], size_t offset, __m256i m[16])
{
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        size_t from = offset + 32 * i;
        __m256i a = load(at[0] + from), b = load(at[1] + from);
        __m256i c = load(at[2] + from), d = load(at[3] + from);
        __m256i ab = _mm256_unpacklo_epi64(a, b), cd = _mm256_unpacklo_epi64(c, d);
        __m256i ba = _mm256_unpackhi_epi64(a, b), dc = _mm256_unpackhi_epi64(c, d);
        m[4 * i] = _mm256_permute2x128_si256(ab, cd, 0x20);
        m[4 * i + 1] = _mm256_permute2x128_si256(ba, dc, 0x20);
        m[4 * i + 2] = _mm256_permute2x128_si256(ab, cd, 0x31);
        m[4 * i + 3] = _mm256_permute2x128_si256(ba, dc, 0x31);
    }
}

/* RFC 7693, section 3.2: the compression function F, of blocks that are not the last. */
INLINE void compress_four(__m256i h[8], const __m256i m[16], uint64_t total)
{
    const __m256i by24 = _mm256_setr_epi8(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10, 3,
                                          4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10);
    const __m256i by16 = _mm256_setr_epi8(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9, 2,
                                          3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9);
    __m256i v[16];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        v[i] = h[i];
        v[i + 8] = _mm256_set1_epi64x((long long)blake2b_iv[i]);
    }
    v[12] = XOR(v[12], _mm256_set1_epi64x((long long)total));
    BLAKE2B_ROUNDS;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        h[i] = XOR(h[i], XOR(v[i], v[i + 8]));
}

/* Hash `blocks` blocks of each message; the state of each after them. */
INLINE void hash_blocks(const uint8_t *const at[4], size_t blocks, uint64_t state[8][4])
{
    uint64_t start[8];
    __m256i h[8], m[16];
    blake2b_begin(start, 8);
    for (int i = 0; i < 8; i++)
        h[i] = _mm256_set1_epi64x((long long)start[i]);
    for (size_t i = 0; i < blocks; i++) {
        load_blocks(at, i * BLAKE2B_BLOCK, m);
        compress_four(h, m, (i + 1) * BLAKE2B_BLOCK);
    }
    for (int i = 0; i < 8; i++)
        _mm256_storeu_si256((__m256i *)(void *)state[i], h[i]);
}

typedef void blocks_function(const uint8_t *const at[4], size_t blocks, uint64_t state[8][4]);

WIDE static void blocks_wide(const uint8_t *const at[4], size_t blocks, uint64_t state[8][4])
{
    hash_blocks(at, blocks, state);
}

WIDER static void blocks_wider(const uint8_t *const at[4], size_t blocks, uint64_t state[8][4])
{
    hash_blocks(at, blocks, state);
}

/* NULL: the processor does not have such registers. */
static blocks_function *blocks_supported(void)
{
    if (!__builtin_cpu_supports("avx2"))
        return NULL;
    return __builtin_cpu_supports("avx512vl") ? blocks_wider : blocks_wide;
}

/* Blocks that all four have before their last. */
static size_t common_blocks(const struct ras_bytes in[4])
{
    size_t least = SIZE_MAX;
    for (int i = 0; i < 4; i++) {
        size_t blocks = in[i].len ? (in[i].len - 1) / BLAKE2B_BLOCK : 0;
        least = blocks < least ? blocks : least;
    }
    return least;
}

void blake2b64_four(const struct ras_bytes in[4], uint64_t out[4])
{
    const uint8_t *const at[4] = {in[0].at, in[1].at, in[2].at, in[3].at};
    blocks_function *hash = blocks_supported();
    size_t blocks = hash ? common_blocks(in) : 0;
    uint64_t state[8][4];
    if (blocks)
        hash(at, blocks, state);
    for (int i = 0; i < 4; i++) {
        uint64_t h[8];
        size_t done = blocks * BLAKE2B_BLOCK;
        blake2b_begin(h, 8);
        for (int k = 0; blocks && k < 8; k++)
            h[k] = state[k][i];
        blake2b_finish(h, done ? at[i] + done : at[i], in[i].len - done, done);
        out[i] = h[0];
    }
}
#else
void blake2b64_four(const struct ras_bytes in[4], uint64_t out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = blake2b64(in[i].at, in[i].len);
}
#endif
