/* calendar_test.c - dates are those of the C library, over four thousand years, and back. */
#include "codec/calendar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static void same_as_the_library(int64_t seconds)
{
    struct tm tm;
    time_t t = (time_t)seconds;
    struct calendar c = calendar_of(seconds);
    assert_non_null(gmtime_r(&t, &tm));
    assert_int_equal(c.year, tm.tm_year + 1900);
    assert_int_equal(c.month, tm.tm_mon + 1);
    assert_int_equal(c.day, tm.tm_mday);
    assert_int_equal(c.hour, tm.tm_hour);
    assert_int_equal(c.minute, tm.tm_min);
    assert_int_equal(c.second, tm.tm_sec);
    assert_int_equal(calendar_seconds(&c), seconds);
}

static void every_day_is_that_of_the_library(void **state)
{
    (void)state;
    for (int64_t day = -719528 - 366; day < 800000; day++) /* from the year -1 to 4160 */
        same_as_the_library(day * 86400 + (day & 1 ? 0 : 86399));
    for (int64_t s = -200000; s < 200000; s += 13)
        same_as_the_library(s);
    same_as_the_library(253402300799);
}

static void dates_are_read(void **state)
{
    static const struct {
        const char *text, *rest;
        int64_t seconds;
    } good[] = {
        {"1970-01-01", "", 0},
        {"2026-01-31T12:00:00Z", "Z", 1769860800},
        {"2026-01-31T12:00.5", ".5", 1769860800},
        {"2024-02-29T23:59:60", "", 1709251200},
        {"2000-2-29", "", 951782400},
        {"2026-01-31T24:00", "T24:00", 1769817600},
        {"2026-01-31T1:5:61", ":61", 1769821500},
        {"2026-01-311", "1", 1769817600},
    };
    static const char *const bad[] = {
        "",           "x",          "2026",        "2026-",      "2026-01",
        "2026-13-01", "2026-00-01", "2026-01-00",  "2026-01-32", "2026-02-29",
        "2100-02-29", "2026-04-31", "-2026-01-01", "20260-01-01"};
    struct calendar c;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const char *rest = calendar_parse(good[i].text, &c);
        assert_non_null(rest);
        assert_string_equal(rest, good[i].rest);
        assert_int_equal(calendar_seconds(&c), good[i].seconds);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(calendar_parse(bad[i], &c));
}

static void dates_are_written(void **state)
{
    char text[32], small[11];
    (void)state;
    assert_int_equal(calendar_write(text, sizeof text, 1769860800), 19);
    assert_string_equal(text, "2026-01-31T12:00:00");
    assert_int_equal(calendar_write(text, sizeof text, 253402300799), 19);
    assert_string_equal(text, "9999-12-31T23:59:59");
    assert_int_equal(calendar_write(small, sizeof small, 0), 10);
    assert_string_equal(small, "1970-01-01");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_is_that_of_the_library),
        cmocka_unit_test(dates_are_read),
        cmocka_unit_test(dates_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
