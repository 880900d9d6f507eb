/* sqlite_functions_test.c - functions of SQL that traces need. */
#include "ask.h"

static void numbers_and_lists(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    ask_want(a, "SELECT hex64(-1), u64(-1), u64(5), hex64(NULL), u64(NULL)",
             "0xffffffffffffffff|18446744073709551615|5|NULL|NULL\n");
    ask_want(a, "SELECT at('[1,-2,3.5]', 0), at('[1,-2,3.5]', 1), at('[1,-2,3.5]', 2)",
             "1|-2|3.5\n");
    ask_want(a, "SELECT at('[1]', 1), at('[1]', -1), at('x', 0), at(NULL, 0), at('[', 0)",
             "NULL|NULL|NULL|NULL|NULL\n");
    ask_want(a,
             "SELECT at('[\"a\\u0041\",null,true,[1,2],{\"k\":1}]', 0),"
             " at('[\"a\",null,true,[1,2]]', 2), at('[\"a\",null,true,[1,2]]', 3)",
             "aA|1|[1,2]\n");
    ask_want(a, "SELECT at('[18446744073709551615]', 0)", "-1\n");
    ask_want(a, "SELECT at(coord, 0) FROM command WHERE coord IS NOT NULL ORDER BY seq LIMIT 1",
             "3\n");
    ask_close(a);
}

/* By nearest rank, as `stats` has it. */
static void percentiles_are_values(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    ask_want(a,
             "SELECT percentile(column1, 50), percentile(column1, 0), percentile(column1, 100),"
             " percentile(column1, 75) FROM (VALUES (4), (1), (3), (2), (NULL))",
             "2|1|4|3\n");
    ask_want(a, "SELECT percentile(1.5, 50), percentile(tick, 50) FROM frame", "1.5|2\n");
    ask_want(a, "SELECT percentile(tick, 50) FROM frame WHERE tick > 1000", "NULL\n");
    assert_int_equal(ask(a, "SELECT percentile(tick, 101) FROM frame"), RAS_EUSAGE);
    ask_close(a);
}

static void names_are_demangled(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    ask_want(a, "SELECT demangle('main'), demangle(NULL)", "main|NULL\n");
    ask_close(a);
}

static void ticks_need_a_run(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    assert_int_equal(ask(a, "SELECT tick_of(1)"), RAS_EUSAGE);
    ask_want(a, "SELECT wall(1), time_of(NULL)", "NULL|NULL\n");
    ask_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_lists),
        cmocka_unit_test(percentiles_are_values),
        cmocka_unit_test(names_are_demangled),
        cmocka_unit_test(ticks_need_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
