/* xxh64_test.c - XXH64: published values, and any split of the input. */
#include "codec/xxh64.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

static uint64_t sum_of(const char *text)
{
    struct xxh64 x = xxh64_start();
    xxh64_add(&x, text, strlen(text));
    return xxh64_end(&x);
}

/* From the test vectors of xxHash and of programs that use it. */
static void published_values(void **state)
{
    (void)state;
    assert_int_equal(sum_of(""), 0xef46db3751d8e999);
    assert_int_equal(sum_of("a"), 0xd24ec4f1a98c6e5b);
    assert_int_equal(sum_of("abc"), 0x44bc2cf5ad770999);
    assert_int_equal(sum_of("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1);
}

static void the_split_changes_nothing(void **state)
{
    (void)state;
    uint8_t bytes[200];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        struct xxh64 once = xxh64_start();
        xxh64_add(&once, bytes, len);
        for (size_t step = 1; step < 70; step += 3) {
            struct xxh64 x = xxh64_start();
            for (size_t at = 0; at < len; at += step)
                xxh64_add(&x, bytes + at, len - at < step ? len - at : step);
            assert_int_equal(xxh64_end(&x), xxh64_end(&once));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values),
        cmocka_unit_test(the_split_changes_nothing),
    };
    return cmocka_run_group_tests_name("codec/xxh64", tests, NULL, NULL);
}
