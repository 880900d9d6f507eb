/* number_test.c - floats as text and digits as floats: known cases, round trips, no text longer
 * than needed. */
#include "codec/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void f64_is(double value, const char *want)
{
    char text[NUMBER_TEXT_SIZE + 1];
    text[f64_text(text, value)] = 0;
    assert_string_equal(text, want);
}

static void f32_is(float value, const char *want)
{
    char text[NUMBER_TEXT_SIZE + 1];
    text[f32_text(text, value)] = 0;
    assert_string_equal(text, want);
}

static void f64_reads_like_python(void **state)
{
    (void)state;
    f64_is(0.0, "0.0");
    f64_is(-0.0, "-0.0");
    f64_is(1.0, "1.0");
    f64_is(-1.5, "-1.5");
    f64_is(0.1, "0.1");
    f64_is(0.1 + 0.2, "0.30000000000000004");
    f64_is(123456.0, "123456.0");
    f64_is(1e15, "1000000000000000.0");
    f64_is(1e16, "1e+16");
    f64_is(9007199254740992.0, "9007199254740992.0");
    f64_is(9007199254740993e1, "9.007199254740994e+16");
    f64_is(0.0001, "0.0001");
    f64_is(0.00012345, "0.00012345");
    f64_is(0.00001, "1e-05");
    f64_is(1e22, "1e+22");
    f64_is(1e23, "1e+23");
    f64_is(1e100, "1e+100");
    f64_is(5e-324, "5e-324");
    f64_is(2.2250738585072014e-308, "2.2250738585072014e-308");
    f64_is(2.225073858507201e-308, "2.225073858507201e-308");
    f64_is(1.7976931348623157e308, "1.7976931348623157e+308");
    f64_is(9.5367431640625e-07, "9.5367431640625e-07");
    f64_is((double)NAN, "nan");
    f64_is(-(double)NAN, "nan");
    f64_is((double)INFINITY, "inf");
    f64_is(-(double)INFINITY, "-inf");
}

static void f32_has_its_own_shortest_digits(void **state)
{
    (void)state;
    f32_is(0.0f, "0.0");
    f32_is(-0.0f, "-0.0");
    f32_is(0.1f, "0.1");
    f32_is(3.25f, "3.25");
    f32_is(16777216.0f, "16777216.0");
    f32_is(33554432.0f, "33554432.0");
    f32_is(1e10f, "10000000000.0");
    f32_is(1e16f, "1e+16");
    f32_is(1e-5f, "1e-05");
    f32_is(3.4028235e38f, "3.4028235e+38");
    f32_is(1.1754944e-38f, "1.1754944e-38");
    f32_is(1e-45f, "1e-45");
    f32_is(8.5899346e9f, "8589935000.0"); /* 2^33: its lower neighbour is nearer */
    f32_is(NAN, "nan");
    f32_is(-INFINITY, "-inf");
}

static float f32_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static unsigned digit_count(const char *text)
{
    unsigned count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text == '0') {
            zeros += count != 0;
        } else if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

static int exponent_of(const char *text)
{
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

/* printf's correctly rounded digits are the independent implementation: the text
 * reads back; with one digit fewer the nearest decimal does not, nor, since the
 * interval is lopsided at powers of two, do the two decimals beside it; and no
 * decimal as short lies nearer. */
static void check_f32(uint32_t bits)
{
    char text[NUMBER_TEXT_SIZE + 1], shorter[64], exact[64];
    float value = f32_of(bits);
    text[f32_text(text, value)] = 0;
    if (strtof(text, NULL) != value)
        fail_msg("%08x: %s does not read back", bits, text);
    unsigned digits = digit_count(text);
    snprintf(exact, sizeof exact, "%.*e", (int)digits - 1, (double)value);
    if (strtof(exact, NULL) == value && strtod(exact, NULL) != strtod(text, NULL))
        fail_msg("%08x: %s is nearer than %s", bits, exact, text);
    if (digits < 2)
        return;
    snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, (double)value);
    double step = pow(10, exponent_of(shorter) - (int)digits + 2);
    for (int i = -1; i <= 1; i++) {
        snprintf(exact, sizeof exact, "%.*e", (int)digits - 2, strtod(shorter, NULL) + i * step);
        if (strtof(exact, NULL) == value)
            fail_msg("%08x: %s is shorter than %s", bits, exact, text);
    }
}

static void f32_is_short_and_near(void **state)
{
    (void)state;
    for (uint32_t exponent = 0; exponent < 255; exponent++) {
        for (uint32_t i = 0; i < 8; i++) {
            check_f32(exponent << 23 | i);
            check_f32(exponent << 23 | (0x7fffff - i));
        }
    }
    /* A stride that is prime meets every exponent and all low bits: 300,000 floats. */
    for (uint32_t bits = 1; bits < 0x7f800000; bits += 7103)
        check_f32(bits);
}

static void f64_reads_back(void **state)
{
    (void)state;
    uint64_t bits = 1;
    for (int i = 0; i < 300000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double value;
        memcpy(&value, &bits, sizeof value);
        char text[NUMBER_TEXT_SIZE + 1];
        text[f64_text(text, value)] = 0;
        double back = strtod(text, NULL);
        if (!isnan(value) && memcmp(&back, &value, sizeof back) != 0)
            fail_msg("%016llx: %s does not read back", (unsigned long long)bits, text);
    }
}

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
        cmocka_unit_test(f64_reads_like_python),  cmocka_unit_test(f32_has_its_own_shortest_digits),
        cmocka_unit_test(f32_is_short_and_near),  cmocka_unit_test(f64_reads_back),
        cmocka_unit_test(decimal_is_the_nearest), cmocka_unit_test(decimal_leaves_halves_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
