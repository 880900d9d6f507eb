/* blake2b_four.c - BLAKE2b of four messages at once.
 *
 * One message keeps a processor waiting for itself: each step needs the one before. The words of
 * four messages go through the same steps side by side, in one register each. */
#include "base/in.h"
#include "codec/blake2b_rounds.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* The same is compiled twice: where a processor has twice as many registers, the words of messages
 * and state all stay in them. Every index is a constant: to have each of them checked makes one
 * compiler work for minutes. */
#define PLAIN  no_sanitize("undefined")
#define INLINE static inline __attribute__((always_inline, target("avx2"), PLAIN))
#define WIDE   __attribute__((target("avx2"), PLAIN))
#define WIDER  __attribute__((target("avx2,avx512f,avx512vl"), PLAIN))

#define SUM(x, y)   _mm256_add_epi64(x, y)
#define OTHER(x, y) _mm256_xor_si256(x, y)
#define TURN32(x)   _mm256_shuffle_epi32(x, 0xb1)
#define TURN24(x)   _mm256_shuffle_epi8(x, by24)
#define TURN16(x)   _mm256_shuffle_epi8(x, by16)
#define TURN63(x)   turn_left(x)
#define WORD(i)     m[i]

/* Written so that a compiler finds the one instruction for it, where there is one. */
INLINE __m256i turn_left(__m256i x)
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
    v[12] = OTHER(v[12], _mm256_set1_epi64x((long long)total));
    BLAKE2B_ROUNDS;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        h[i] = OTHER(h[i], OTHER(v[i], v[i + 8]));
}

/* So many blocks of each message; the state of each behind them. */
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

/* NULL: the processor has no such registers. */
static blocks_function *blocks_here(void)
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
    blocks_function *hash = blocks_here();
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
