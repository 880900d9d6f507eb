/* sha256_test.c - the digests of FIPS 180-4's examples, and that both implementations agree. */
#include "codec/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void digest_is(const char *text, size_t times, const char *hex)
{
    struct sha256 sha = sha256_start();
    uint8_t digest[SHA256_SIZE];
    char said[2 * SHA256_SIZE + 1];
    for (size_t i = 0; i < times; i++)
        sha256_add(&sha, text, strlen(text));
    sha256_end(&sha, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(said + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(said, hex);
}

static void sha256_examples(void **state)
{
    (void)state;
    digest_is("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    digest_is("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    digest_is("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void sha256_by_instruction_is_the_same(void **state)
{
    (void)state;
    uint8_t bytes[7 * SHA256_BLOCK];
    uint32_t a[8], b[8];
    if (!sha256_fast())
        skip();
    srand(7);
    for (int turn = 0; turn < 200; turn++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)rand();
        memcpy(a, bytes + 3, sizeof a);
        memcpy(b, a, sizeof b);
        sha256_plain(a, bytes, 1 + (size_t)turn % 7);
        sha256_fast()(b, bytes, 1 + (size_t)turn % 7);
        assert_memory_equal(a, b, sizeof a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_examples),
        cmocka_unit_test(sha256_by_instruction_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
