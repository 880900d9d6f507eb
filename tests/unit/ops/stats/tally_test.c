/* tally_test.c - things counted in total and by unit, in bounded memory. */
#include "ops/stats/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void units_are_counted_in_which_a_thing_occurs(void **state)
{
    (void)state;
    struct stats s = {.budget = QUANTILES_BUDGET};
    struct tally t = {0};
    for (uint64_t unit = 0; unit < 10; unit++) {
        for (uint64_t i = 0; i <= unit; i++)
            tally_add(&s, &t, 7, "seven", 3, unit);
        if (unit == 4)
            tally_add(&s, &t, 8, NULL, 1, unit);
        tally_unit_end(&s, &t);
    }
    tally_add(&s, &t, 8, NULL, 1, 99);
    tally_unit_none(&t);
    tally_unit_end(&s, &t);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.rows[0].count, 55);
    assert_int_equal(t.rows[0].bytes, 165);
    assert_int_equal(t.rows[0].units, 10);
    assert_int_equal(quantiles_at(&t.rows[0].per_unit, 500), 5);
    assert_int_equal(t.rows[1].count, 2);
    assert_int_equal(t.rows[1].units, 1);
    assert_int_equal(t.rows[1].first, 4);
    assert_int_equal(t.rows[1].last, 99);
    assert_false(s.doc.cells.nomem);
    tally_free(&t);
}

static void too_many_things_are_one(void **state)
{
    (void)state;
    struct stats s = {.budget = QUANTILES_BUDGET};
    struct tally t = {0};
    for (uint64_t i = 0; i < 3 * TALLY_MOST; i++)
        tally_add(&s, &t, i, NULL, 1, 0);
    assert_int_equal(t.count, TALLY_MOST + 1);
    assert_int_equal(t.rows[TALLY_MOST].id, TALLY_OTHERS);
    assert_int_equal(t.rows[TALLY_MOST].count, 2 * TALLY_MOST);
    tally_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_counted_in_which_a_thing_occurs),
        cmocka_unit_test(too_many_things_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
