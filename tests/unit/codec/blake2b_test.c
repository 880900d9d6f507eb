/* blake2b_test.c - published digests, and libb2 where it is installed. */
#include "codec/blake2b.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#ifdef HAVE_LIBB2
#define blake2b libb2_blake2b /* its one-call function bears the name of ours */
#include <blake2.h>
#undef blake2b
#endif

static void digest_is(const char *text, size_t digest_len, const char *want)
{
    uint8_t digest[BLAKE2B_DIGEST_MOST];
    char hex[2 * BLAKE2B_DIGEST_MOST + 1];
    blake2b(digest, digest_len, text, strlen(text));
    for (size_t i = 0; i < digest_len; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, want);
}

/* "abc" is RFC 7693's own example (appendix A), the others are in many test suites. */
static void blake2b_of_the_rfc(void **state)
{
    (void)state;
    digest_is("abc", 64,
              "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
              "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
    digest_is("", 64,
              "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419"
              "d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce");
    digest_is("The quick brown fox jumps over the lazy dog", 64,
              "a8add4bdddfd93e4877d2746e62817b116364a1fa7bc148d95090bc7333b3673"
              "f82401cf7aa2e4cb1ecd90296e3f14cb5413f8ed77be73045b13914cdcd6a918");
}

/* The checksums of CDT: eight digest bytes in file order, a number when read. */
static void blake2b_of_eight_bytes(void **state)
{
    (void)state;
    digest_is("", 8, "e4a6a0577479b2b4");
    digest_is("abc", 8, "d8bb14d833d59559");
    assert_true(blake2b64("", 0) == 0xb4b2797457a0a6e4);
    assert_true(blake2b64(NULL, 0) == 0xb4b2797457a0a6e4);
    assert_true(blake2b64("abc", 3) == 0x5995d533d814bbd8);
}

/* RFC 7693, appendix E: one digest over digests of many lengths. The keyed half of
 * that test is left out, so the sum is that of the unkeyed half, by hashlib. */
static void blake2b_over_all_lengths(void **state)
{
    (void)state;
    static const size_t digests[] = {20, 32, 48, 64};
    static const size_t inputs[] = {0, 3, 128, 129, 255, 1024};
    uint8_t input[1024], all[6 * (20 + 32 + 48 + 64)];
    size_t n = 0;
    for (size_t d = 0; d < 4; d++) {
        for (size_t i = 0; i < 6; i++) {
            uint32_t a = (uint32_t)(0xdead4bad * inputs[i]), b = 1;
            for (size_t k = 0; k < inputs[i]; k++) {
                uint32_t t = a + b;
                a = b;
                b = t;
                input[k] = (uint8_t)(t >> 24);
            }
            blake2b(all + n, digests[d], input, inputs[i]);
            n += digests[d];
        }
    }
    assert_int_equal(n, sizeof all);
    assert_true(blake2b64(all, n) == 0x9bbc24329a3d48ef);
}

static void four_at_once_are_four(void **state)
{
    (void)state;
    static uint8_t input[4][1100];
    static const size_t apart[][4] = {{0, 0, 0, 0}, {0, 1, 2, 3}, {700, 0, 129, 128}, {9, 0, 0, 0}};
    for (size_t i = 0; i < 4 * sizeof input[0]; i++)
        input[i / sizeof input[0]][i % sizeof input[0]] = (uint8_t)(i * 31 + (i >> 7));
    for (size_t len = 0; len <= 400; len++)
        for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
            struct ras_bytes in[4];
            uint64_t out[4];
            for (size_t i = 0; i < 4; i++)
                in[i] = (struct ras_bytes){input[i], len + apart[k][i]};
            blake2b64_four(in, out);
            for (size_t i = 0; i < 4; i++)
                assert_true(out[i] == blake2b64(in[i].at, in[i].len));
        }
}

#ifdef HAVE_LIBB2
static void blake2b_equals_libb2(void **state)
{
    (void)state;
    static uint8_t input[1500];
    for (size_t i = 0; i < sizeof input; i++)
        input[i] = (uint8_t)(i * 31 + (i >> 8));
    for (size_t len = 0; len <= sizeof input; len++) {
        size_t digest_len = len % BLAKE2B_DIGEST_MOST + 1;
        uint8_t ours[BLAKE2B_DIGEST_MOST], theirs[BLAKE2B_DIGEST_MOST];
        blake2b_state s;
        assert_int_equal(blake2b_init(&s, digest_len), 0);
        blake2b_update(&s, input, len);
        blake2b_final(&s, theirs, digest_len);
        blake2b(ours, digest_len, input, len);
        assert_memory_equal(ours, theirs, digest_len);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blake2b_of_the_rfc),       cmocka_unit_test(blake2b_of_eight_bytes),
        cmocka_unit_test(blake2b_over_all_lengths), cmocka_unit_test(four_at_once_are_four),
#ifdef HAVE_LIBB2
        cmocka_unit_test(blake2b_equals_libb2),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
