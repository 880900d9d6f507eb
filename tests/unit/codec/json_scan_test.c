/* json_scan_test.c - runs and numbers of text that a NUL ends. */
#include "codec/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* The text with its padding; each call uses the same room. */
static const uint8_t *padded(const char *text)
{
    static uint8_t room[256];
    size_t len = strlen(text);
    memset(room, 0x55, sizeof room);
    memcpy(room, text, len + 1);
    return room;
}

static void scan_number_ends_where_it_ends(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        uint64_t digits;
        int exponent;
        bool negative, integer, exact;
    } rows[] = {
        {"0", 1, 0, 0, false, true, true},
        {"-0", 2, 0, 0, true, true, true},
        {"0.0", 3, 0, -1, false, false, true},
        {"12345678", 8, 12345678, 0, false, true, true},
        {"123456789,", 9, 123456789, 0, false, true, true},
        {"-1.25e+2]", 8, 125, 0, true, false, true},
        {"1e-7}", 4, 1, -7, false, false, true},
        {"0.01666666753590107", 19, 1666666753590107, -17, false, false, true},
        {"9999999999999999999", 19, 9999999999999999999u, 0, false, true, true},
        {"10000000000000000000", 20, 10000000000000000000u, 0, false, true, false},
        {"0.0000000000000000000000001", 27, 1, -25, false, false, true},
        {"1E999999999999999999", 20, 1, 999999, false, false, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_number n;
        const uint8_t *at = padded(rows[i].text), *fault;
        const uint8_t *end = json_number(at, &n, &fault);
        assert_non_null(end);
        assert_int_equal(end - at, rows[i].length);
        assert_int_equal(n.digits, rows[i].digits);
        assert_int_equal(n.exponent, rows[i].exponent);
        assert_int_equal(n.negative, rows[i].negative);
        assert_int_equal(n.integer, rows[i].integer);
        assert_int_equal(n.exact, rows[i].exact);
    }
}

static void scan_number_reports_where_it_breaks_off(void **state)
{
    static const struct {
        const char *text;
        size_t fault;
    } rows[] = {{"-", 1},  {"-x", 1},  {"01", 2},  {"1.", 2},   {"1.e5", 2},
                {"1e", 2}, {"1e+", 3}, {"-00", 3}, {"1.5e-", 5}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_number n;
        const uint8_t *at = padded(rows[i].text), *fault;
        assert_null(json_number(at, &n, &fault));
        assert_int_equal(fault - at, rows[i].fault);
    }
}

static void scan_run_stops_at_the_first_that_is_not_plain(void **state)
{
    static const uint8_t stops[] = {'"', '\\', 0, 1, 0x1f, 0x80, 0xff};
    char text[64];
    (void)state;
    for (size_t length = 0; length < 30; length++)
        for (size_t i = 0; i < sizeof stops; i++) {
            memset(text, 'a' + (int)length % 20, sizeof text - 1);
            text[sizeof text - 1] = 0;
            text[length] = (char)stops[i];
            text[length + 3] = '"';
            const uint8_t *at = (const uint8_t *)text;
            assert_int_equal(json_plain_run(at, at + sizeof text) - at, length);
            assert_int_equal(json_plain_run(at, at + length) - at, length);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_number_ends_where_it_ends),
        cmocka_unit_test(scan_number_reports_where_it_breaks_off),
        cmocka_unit_test(scan_run_stops_at_the_first_that_is_not_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
