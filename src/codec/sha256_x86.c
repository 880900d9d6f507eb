/* sha256_x86.c - SHA-256 by the processor's own instructions, where it has them. */
#include "codec/sha256.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#include <stdbool.h>

#define TARGET __attribute__((target("sha,sse4.1,ssse3")))

/* Four rounds on the words w + constants: the instruction does two of them. */
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

TARGET static void one_block(__m128i *abef, __m128i *cdgh, const uint8_t *at)
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
TARGET static void blocks(uint32_t state[8], const uint8_t *at, size_t count)
{
    uint32_t *s = state;
    __m128i abef = _mm_set_epi32((int)s[0], (int)s[1], (int)s[4], (int)s[5]);
    __m128i cdgh = _mm_set_epi32((int)s[2], (int)s[3], (int)s[6], (int)s[7]);
    for (; count; count--, at += SHA256_BLOCK)
        one_block(&abef, &cdgh, at);
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
    return wide && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA ? blocks : NULL;
}
#else
sha256_blocks *sha256_fast(void)
{
    return NULL;
}
#endif
