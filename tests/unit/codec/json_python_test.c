/* json_python_test.c - values laid out as Python's json.dumps and repr do it. */
#include "codec/json_python.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct ras_value text(const char *at)
{
    return (struct ras_value){.kind = RAS_STR, .count = (uint32_t)strlen(at), .at = at};
}

static struct ras_value number(double f)
{
    return (struct ras_value){.kind = RAS_F64, .f64 = f};
}

static struct ras_value integer(int64_t i)
{
    return (struct ras_value){.kind = RAS_INT, .i = i};
}

static struct ras_value holder(enum ras_kind kind, uint32_t count)
{
    return (struct ras_value){.kind = (uint8_t)kind, .count = count};
}

static void assert_says(const struct ras_value *cell, unsigned how, const char *want)
{
    struct out out = {0};
    json_python(&out, cell, how);
    out_byte(&out, 0);
    assert_false(out.failed);
    assert_string_equal((const char *)out.at, want);
    out_free(&out);
}

static void assert_repr(const struct ras_value *cell, const char *want)
{
    struct out out = {0};
    python_repr(&out, cell);
    out_byte(&out, 0);
    assert_string_equal((const char *)out.at, want);
    out_free(&out);
}

static void only_printable_ascii_is_unescaped(void **state)
{
    (void)state;
    const struct ras_value cells[] = {
        text("plain ~"),
        text("q\" b\\ /"),
        text("\b\f\n\r\t\x01\x7f"),
        text("\xc3\xa9\xe2\x82\xac"),
        text("\xf0\x9f\x98\x80"),
        text("a\xff"),
    };
    static const char *const want[] = {
        "\"plain ~\"",        "\"q\\\" b\\\\ /\"",  "\"\\b\\f\\n\\r\\t\\u0001\\u007f\"",
        "\"\\u00e9\\u20ac\"", "\"\\ud83d\\ude00\"", "\"a\\udcff\"",
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        assert_says(&cells[i], 0, want[i]);
}

static void numbers_are_as_repr_has_them(void **state)
{
    (void)state;
    const struct ras_value cells[] = {number(1),
                                      number(1e-5),
                                      number(1e16),
                                      number(-0.0),
                                      number(0.1),
                                      integer(-7),
                                      {.kind = RAS_UINT, .u = UINT64_MAX},
                                      {.kind = RAS_BOOL, .u = 1},
                                      {.kind = RAS_NULL}};
    static const char *const want[] = {
        "1.0", "1e-05", "1e+16", "-0.0", "0.1", "-7", "18446744073709551615", "true", "null"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        assert_says(&cells[i], 0, want[i]);
}

static void nan_and_infinity_are_words_or_strings(void **state)
{
    (void)state;
    const struct ras_value cells[] = {number((double)NAN), number((double)INFINITY),
                                      number(-(double)INFINITY)};
    static const char *const bare[] = {"NaN", "Infinity", "-Infinity"};
    static const char *const quoted[] = {"\"NaN\"", "\"Infinity\"", "\"-Infinity\""};
    for (size_t i = 0; i < 3; i++) {
        assert_says(&cells[i], 0, bare[i]);
        assert_says(&cells[i], JSON_NAN_QUOTED, quoted[i]);
    }
}

static void keys_are_sorted_on_request(void **state)
{
    (void)state;
    const struct ras_value cells[] = {holder(RAS_MAP, 8), text("b"),           integer(1),
                                      text("a"),          holder(RAS_LIST, 2), integer(2),
                                      text("x"),          text("aa"),          holder(RAS_MAP, 0)};
    assert_says(cells, 0, "{\"b\": 1, \"a\": [2, \"x\"], \"aa\": {}}");
    assert_says(cells, JSON_SORTED, "{\"a\": [2, \"x\"], \"aa\": {}, \"b\": 1}");
    assert_says(cells, JSON_SORTED | JSON_INDENTED,
                "{\n  \"a\": [\n    2,\n    \"x\"\n  ],\n  \"aa\": {},\n  \"b\": 1\n}");
}

static void repr_quotes_as_python_does(void **state)
{
    (void)state;
    const struct ras_value cells[] = {text("a"), text("it's"), text("both ' and \""),
                                      text("\n\x01\\")};
    static const char *const want[] = {"'a'", "\"it's\"", "'both \\' and \"'", "'\\n\\x01\\\\'"};
    for (size_t i = 0; i < 4; i++)
        assert_repr(&cells[i], want[i]);
    /* Bytes that are not UTF-8 and characters that control a terminal are escaped; blobs are
     * hexadecimal. */
    assert_repr(&(const struct ras_value){.kind = RAS_STR,
                                          .count = 11,
                                          .at = "\xff\xc3\xa4\xc2\x9b\xe2\x80\xae"
                                                "a\xd8\x9c"},
                "'\\xff\xc3\xa4\\x9b\\u202ea\\u061c'");
    assert_repr(&(const struct ras_value){.kind = RAS_BLOB, .count = 3, .at = "\xff\0a"}, "ff0061");
    const struct ras_value map[] = {
        holder(RAS_MAP, 6), text("k"), holder(RAS_LIST, 2), {.kind = RAS_BOOL, .u = 1}, {0},
        text("f"),          number(2)};
    assert_repr(map, "{'k': [True, None], 'f': 2.0}");
    struct out out = {0};
    python_str(&out, &cells[1]);
    assert_memory_equal(out.at, "it's", 4);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_printable_ascii_is_unescaped),
        cmocka_unit_test(numbers_are_as_repr_has_them),
        cmocka_unit_test(nan_and_infinity_are_words_or_strings),
        cmocka_unit_test(keys_are_sorted_on_request),
        cmocka_unit_test(repr_quotes_as_python_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
