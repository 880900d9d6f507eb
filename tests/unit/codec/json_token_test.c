/* json_token_test.c - what JSON strings and numbers mean. */
#include "codec/json_read.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

static struct json_token token_of(struct json_read *in, const char *text, size_t len)
{
    struct json_token token;
    *in = json_read_bytes((struct ras_bytes){(const uint8_t *)text, len});
    assert_int_not_equal(json_read_next(in, &token), JSON_BAD);
    return token;
}

static struct json_token token(const char *text)
{
    struct json_read in;
    return token_of(&in, text, strlen(text));
}

static void half_a_surrogate_pair_is_a_fault(void **state)
{
    (void)state;
    static const char *const rows[] = {"\"ab\\ud800\"",        "\"ab\\udc00\"",
                                       "\"ab\\ud800\\u0041\"", "\"ab\\ud800\\ud800\"",
                                       "\"ab\\udc00\\ud800\"", "\"ab\\ud800x\\udc00\"",
                                       "\"ab\\udbff\\ue000\"", "\"ab\\ud800\\ndc00\""};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_read in;
        struct json_token string = token_of(&in, rows[i], strlen(rows[i]));
        char text[32];
        size_t len = 9;
        assert_true(string.escaped);
        assert_false(json_read_text(&in, &string, text, sizeof text, &len));
        assert_int_equal(len, 0);
        assert_string_equal(in.why, "half of a surrogate pair in a string");
        assert_int_equal(in.fault_at, 3);
        assert_int_equal(json_read_next(&in, &string), JSON_BAD);
    }
}

static void text_needs_the_room_of_its_span(void **state)
{
    (void)state;
    struct json_read in;
    struct json_token string = token_of(&in, "\"a\\u0062\"", 9);
    size_t len;
    uint8_t *room = malloc(7);
    assert_false(json_read_text(&in, &string, room, 6, &len));
    assert_int_equal(in.fault, JSON_FINE);
    assert_true(json_read_text(&in, &string, room, 7, &len));
    assert_int_equal(len, 2);
    assert_memory_equal(room, "ab", 2);
    free(room);
    string = token_of(&in, "\"\"", 2);
    assert_true(json_read_text(&in, &string, NULL, 0, &len));
    assert_int_equal(len, 0);
}

static void text_compares_with_escapes_resolved(void **state)
{
    (void)state;
    struct json_token key = token("\"t\\u0069ck\\n\\ud83d\\ude00\"");
    assert_true(JSON_IS(&key, "tick\n\xf0\x9f\x98\x80"));
    assert_false(JSON_IS(&key, "tick\n\xf0\x9f\x98\x81"));
    assert_false(JSON_IS(&key, "tick\n\xf0\x9f\x98"));
    assert_false(JSON_IS(&key, "tick\n"));
    assert_false(JSON_IS(&key, ""));
    struct json_token nul = token("\"a\\u0000\"");
    assert_true(json_text_is(&nul, "a\0", 2));
    assert_false(json_text_is(&nul, "a", 1));
    struct json_token number = token("12");
    assert_false(JSON_IS(&number, "12"));
    struct json_token half = token("\"\\ud800\"");
    assert_false(JSON_IS(&half, "\xed\xa0\x80"));
}

static void integers_are_exact_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_u64, is_i64;
        uint64_t u;
        int64_t i;
    } rows[] = {
        {"0", true, true, 0, 0},
        {"-0", true, true, 0, 0},
        {"9007199254740993", true, true, 9007199254740993, 9007199254740993},
        {"9223372036854775807", true, true, INT64_MAX, INT64_MAX},
        {"9223372036854775808", true, false, UINT64_C(1) << 63, 0},
        {"18446744073709551615", true, false, UINT64_MAX, 0},
        {"18446744073709551616", false, false, 0, 0},
        {"99999999999999999999999", false, false, 0, 0},
        {"-1", false, true, 0, -1},
        {"-9223372036854775808", false, true, 0, INT64_MIN},
        {"-9223372036854775809", false, false, 0, 0},
        {"-18446744073709551616", false, false, 0, 0},
        {"1.0", false, false, 0, 0},
        {"1e3", false, false, 0, 0},
        {"true", false, false, 0, 0},
        {"\"1\"", false, false, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_token number = token(rows[i].text);
        uint64_t u = 0;
        int64_t s = 0;
        assert_int_equal(json_u64_of(&number, &u), rows[i].is_u64);
        assert_int_equal(json_i64_of(&number, &s), rows[i].is_i64);
        assert_true(u == rows[i].u);
        assert_true(s == rows[i].i);
    }
}

static void assert_real(const char *text, double want)
{
    struct json_token number = token(text);
    double got = 77;
    assert_true(json_f64_of(&number, &got));
    assert_memory_equal(&got, &want, sizeof want);
}

static void reals_are_the_nearest_double(void **state)
{
    (void)state;
    assert_real("0", 0.0);
    assert_real("-0.000e9", -0.0);
    assert_real("123456789012345", 123456789012345.0);
    assert_real("0.1", 0.1);
    assert_real("1e22", 1e22);
    assert_real("1e23", 1e23);
    assert_real("8.5e-23", 8.5e-23);
    assert_real("18446744073709551615", 18446744073709551616.0);
    assert_real("9007199254740993", 9007199254740992.0);
    assert_real("9007199254740993.0000000000000000000000000000000001", 9007199254740994.0);
    assert_real("2.2250738585072011e-308", 2.2250738585072011e-308);
    assert_real("4.9e-324", 0x1p-1074);
    assert_real("2.4e-324", 0.0);
    assert_real("-1e-99999999999999999999999999", -0.0);
    assert_real("1.7976931348623157e308", DBL_MAX);
    assert_real("1.7976931348623158e308", DBL_MAX);
    struct json_token huge = token("1.7976931348623159e308");
    double got = 77;
    assert_false(json_f64_of(&huge, &got));
    huge = token("-1e99999999999999999999999999");
    assert_false(json_f64_of(&huge, &got));
    huge = token("null");
    assert_false(json_f64_of(&huge, &got));
    assert_true(got == 77);
}

/* Digits without end on both sides of the point cost no memory and no accuracy. */
static void endless_digits_round_rightly(void **state)
{
    (void)state;
    enum { ZEROS = 300000 };
    char *text = malloc(ZEROS + 64);
    struct json_read in;
    double got = 0;
    /* 0.00...01e300001 */
    memcpy(text, "0.", 2);
    memset(text + 2, '0', ZEROS);
    size_t len = 2 + ZEROS + (size_t)snprintf(text + 2 + ZEROS, 32, "1e%d", ZEROS + 1);
    struct json_token number = token_of(&in, text, len);
    assert_true(json_f64_of(&number, &got) && got == 1.0);
    /* 1000...0e-300000 */
    text[0] = '1';
    memset(text + 1, '0', ZEROS);
    len = 1 + ZEROS + (size_t)snprintf(text + 1 + ZEROS, 32, "e-%d", ZEROS);
    number = token_of(&in, text, len);
    assert_true(json_f64_of(&number, &got) && got == 1.0);
    /* Halfway between 1 and its successor, and one digit more far behind. */
    static const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    assert_real(half, 1.0);
    memcpy(text, half, sizeof half - 1);
    memset(text + sizeof half - 1, '0', ZEROS);
    number = token_of(&in, text, sizeof half - 1 + ZEROS);
    assert_true(json_f64_of(&number, &got) && got == 1.0);
    text[sizeof half - 1 + ZEROS] = '1';
    number = token_of(&in, text, sizeof half + ZEROS);
    assert_true(json_f64_of(&number, &got) && got == 1.0 + DBL_EPSILON);
    free(text);
}

/* Some locales write 1,5; the text of a trace does not. */
static void reals_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip();
    assert_real("1.50000000000000000000000001", 1.5);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_a_surrogate_pair_is_a_fault),
        cmocka_unit_test(text_needs_the_room_of_its_span),
        cmocka_unit_test(text_compares_with_escapes_resolved),
        cmocka_unit_test(integers_are_exact_or_refused),
        cmocka_unit_test(reals_are_the_nearest_double),
        cmocka_unit_test(endless_digits_round_rightly),
        cmocka_unit_test(reals_do_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests_name("codec/json_token", tests, NULL, NULL);
}
