/* base64_test.c - the vectors of RFC 4648, and what is not base64. */
#include "base/out.h"
#include "codec/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static bool get(const char *text, uint8_t *out, size_t *len)
{
    return base64_get((struct ras_bytes){(const uint8_t *)text, strlen(text)}, out, len);
}

static void base64_vectors(void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"Zg==", "f"},
        {"Zm8=", "fo"},
        {"Zm9v", "foo"},
        {"Zm9vYg==", "foob"},
        {"Zm9vYmE=", "fooba"},
        {"Zm9vYmFy", "foobar"},
        {"+/+/", "\xfb\xff\xbf"},
    };
    uint8_t out[16];
    size_t len;
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_true(get(pairs[i][0], out, &len));
        assert_int_equal(len, strlen(pairs[i][1]));
        assert_memory_equal(out, pairs[i][1], len);
        struct out text = {0};
        base64_put(&text, (struct ras_bytes){(const uint8_t *)pairs[i][1], strlen(pairs[i][1])});
        assert_int_equal(text.len, strlen(pairs[i][0]));
        assert_true(!text.len || !memcmp(text.at, pairs[i][0], text.len));
        out_free(&text);
    }
}

static void base64_refuses_what_is_not_whole(void **state)
{
    static const char *const texts[] = {"Z",    "Zg",   "Zg=",  "=",    "==",   "===",    "====",
                                        "Z===", "Zg=A", "Z=g=", "Zm8 ", "Zm-v", "Zm9v\n", "Zm9vZ"};
    uint8_t out[16];
    size_t len;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(get(texts[i], out, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_vectors),
        cmocka_unit_test(base64_refuses_what_is_not_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
