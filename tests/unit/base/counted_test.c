/* counted_test.c - counts and their nouns. */
#include <rastrum/rastrum.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void one_is_singular_all_others_are_plural(void **state)
{
    (void)state;
    assert_string_equal(ras_counted(0, "frame").text, "0 frames");
    assert_string_equal(ras_counted(1, "frame").text, "1 frame");
    assert_string_equal(ras_counted(2, "frame").text, "2 frames");
    assert_string_equal(ras_counted(UINT64_MAX, "byte").text, "18446744073709551615 bytes");
}

static void endings_follow_the_noun(void **state)
{
    (void)state;
    assert_string_equal(ras_counted(3, "patch").text, "3 patches");
    assert_string_equal(ras_counted(3, "process").text, "3 processes");
    assert_string_equal(ras_counted(3, "blob_bytes").text, "3 blob_bytes");
    assert_string_equal(ras_counted(3, "bonus").text, "3 bonuses");
    assert_string_equal(ras_counted(3, "index").text, "3 indexes");
    assert_string_equal(ras_counted(3, "entity").text, "3 entities");
    assert_string_equal(ras_counted(1, "entity").text, "1 entity");
    assert_string_equal(ras_counted(3, "key").text, "3 keys");
    assert_string_equal(ras_counted(2, "").text, "2 s");
}

static void long_nouns_are_cut(void **state)
{
    (void)state;
    char noun[300];
    memset(noun, 'y', sizeof noun - 1);
    noun[sizeof noun - 1] = 0;
    assert_true(strlen(ras_counted(UINT64_MAX, noun).text) < sizeof(struct ras_counted));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_singular_all_others_are_plural),
        cmocka_unit_test(endings_follow_the_noun),
        cmocka_unit_test(long_nouns_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
