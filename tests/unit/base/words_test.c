/* words_test.c - counts with their nouns; known names that resemble an unknown one. */
#include <rastrum/rastrum.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
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

static const char *const verbs[] = {"info",   "stats", "tree", "tick", "reduce",
                                    "record", "cat",   "diff", "run",  "verify"};

static const char *near_to(const char *word, char *text, size_t size)
{
    struct ras_near near;
    ras_near_start(&near, word);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        ras_near_add(&near, verbs[i]);
    return ras_near_text(&near, text, size);
}

static void a_typing_error_finds_the_name(void **state)
{
    (void)state;
    char text[200];
    assert_string_equal(near_to("infos", text, sizeof text), "; did you mean 'info'?");
    assert_string_equal(near_to("idff", text, sizeof text), "; did you mean 'diff'?");
    assert_string_equal(near_to("STATS", text, sizeof text), "; did you mean 'stats'?");
    assert_string_equal(near_to("recrod", text, sizeof text), "; did you mean 'record'?");
}

static void a_part_of_a_name_finds_it(void **state)
{
    (void)state;
    char text[200];
    assert_string_equal(near_to("red", text, sizeof text), "; did you mean 'reduce'?");
    assert_string_equal(near_to("verifying", text, sizeof text), "; did you mean 'verify'?");
}

static void without_similar_names_the_text_is_empty(void **state)
{
    (void)state;
    char text[200];
    assert_string_equal(near_to("zzzzzz", text, sizeof text), "");
    assert_string_equal(near_to("", text, sizeof text), "");
    assert_string_equal(near_to("q", text, sizeof text), "");
    char long_word[300];
    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = 0;
    assert_string_equal(near_to(long_word, text, sizeof text), "");
}

static void at_most_three_and_none_twice(void **state)
{
    (void)state;
    struct ras_near near;
    char text[200];
    ras_near_start(&near, "field_a");
    for (int i = 0; i < 2; i++) {
        ras_near_add(&near, "field_abcd");
        ras_near_add(&near, "field_b");
        ras_near_add(&near, "field_ab");
        ras_near_add(&near, "fieldA");
    }
    assert_string_equal(ras_near_text(&near, text, sizeof text),
                        "; did you mean 'field_b', 'field_ab' or 'fieldA'?");
}

static void a_short_buffer_holds_whole_names(void **state)
{
    (void)state;
    char text[200];
    for (size_t size = 1; size < sizeof text; size++) {
        memset(text, '#', sizeof text);
        near_to("infos", text, size);
        assert_true(strlen(text) < size);
        assert_true(!*text || strstr(text, "'info'"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_singular_all_others_are_plural),
        cmocka_unit_test(endings_follow_the_noun),
        cmocka_unit_test(long_nouns_are_cut),
        cmocka_unit_test(a_typing_error_finds_the_name),
        cmocka_unit_test(a_part_of_a_name_finds_it),
        cmocka_unit_test(without_similar_names_the_text_is_empty),
        cmocka_unit_test(at_most_three_and_none_twice),
        cmocka_unit_test(a_short_buffer_holds_whole_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
