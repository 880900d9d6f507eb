/* aerogpu_ids_test.c - ids that were seen, and those that were not. */
#include "formats/aerogpu/aerogpu_ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static bool again(struct aero_ids *ids, uint64_t id)
{
    bool seen;
    assert_true(aero_ids_add(ids, id, &seen));
    return seen;
}

static void ascending_ids_take_no_memory(void **state)
{
    (void)state;
    struct aero_ids ids = {0};
    for (uint64_t id = 1; id <= 100000; id++)
        assert_false(again(&ids, id));
    assert_null(ids.table.slots);
    assert_true(again(&ids, 1));
    assert_true(again(&ids, 100000));
    assert_false(again(&ids, 100001));
    aero_ids_free(&ids);
}

/* Every id once in an order without runs, then every id again. */
static void scattered_ids_are_all_remembered(void **state)
{
    (void)state;
    struct aero_ids ids = {0};
    for (unsigned pass = 0; pass < 2; pass++) {
        uint64_t id = 1;
        for (unsigned i = 0; i < 5000; i++) {
            id = id * 6364136223846793005u + 1442695040888963407u;
            assert_int_equal(again(&ids, id | 1), pass);
        }
    }
    assert_true(ids.table.count > 4000);
    aero_ids_free(&ids);
}

static void ends_of_the_number_line(void **state)
{
    (void)state;
    struct aero_ids ids = {0};
    assert_false(again(&ids, UINT64_MAX));
    assert_false(again(&ids, 1));
    assert_false(again(&ids, UINT64_MAX - 1));
    assert_true(again(&ids, UINT64_MAX));
    assert_true(again(&ids, UINT64_MAX - 1));
    assert_false(again(&ids, 2));
    assert_true(again(&ids, 1));
    aero_ids_free(&ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascending_ids_take_no_memory),
        cmocka_unit_test(scattered_ids_are_all_remembered),
        cmocka_unit_test(ends_of_the_number_line),
    };
    return cmocka_run_group_tests_name("formats/aerogpu_ids", tests, NULL, NULL);
}
