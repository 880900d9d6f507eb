/* decimal_test.c - digits and a power of ten to the nearest double, or not decided. */
#include "codec/decimal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void gives(uint64_t digits, int exponent, double want)
{
    double got = -1;
    assert_true(decimal_f64(digits, exponent, &got));
    assert_true(got == want);
}

static void decimal_is_the_nearest(void **state)
{
    (void)state;
    gives(0, 0, 0);
    gives(0, 999, 0);
    gives(1, 0, 1);
    gives(1, 22, 1e22);
    gives(1666666753590107, -17, 0.01666666753590107);
    gives(17976931348623157, 291, 1.7976931348623157e307);
    gives(22250738585072014, -308 + 20, 2.2250738585072014e-272);
    gives(UINT64_MAX, 0, 18446744073709551616.0);
}

static void decimal_leaves_halves_to_others(void **state)
{
    double got;
    (void)state;
    assert_false(decimal_f64(9007199254740993, 0, &got)); /* 2^53 + 1 */
    assert_false(decimal_f64(1, 23, &got));               /* 5^23 has 54 bits */
    assert_false(decimal_f64(1, 310, &got));
    assert_false(decimal_f64(1, -320, &got));
    assert_false(decimal_f64(1, 100000, &got));
    assert_false(decimal_f64(1, -100000, &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_is_the_nearest),
        cmocka_unit_test(decimal_leaves_halves_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
