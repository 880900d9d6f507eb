/* json_write_test.c - strings, numbers and nested values as JSON text. */
#include "codec/json_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Compare what was written, then start over. */
static void said(struct out *out, const char *want)
{
    assert_false(out->failed);
    out_byte(out, 0);
    assert_string_equal((const char *)out->at, want);
    out_free(out);
}

static void string_is(const char *text, size_t len, const char *want)
{
    struct out out = {0};
    json_put_string(&out, text, len);
    said(&out, want);
}

#define STRING_IS(text, want) string_is(text, sizeof text - 1, want)

static void json_escapes_what_json_must(void **state)
{
    (void)state;
    string_is(NULL, 0, "\"\"");
    STRING_IS("plain text, longer than a word", "\"plain text, longer than a word\"");
    STRING_IS("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    STRING_IS("\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"");
    STRING_IS("\0\1\x1f\x7f", "\"\\u0000\\u0001\\u001f\\u007f\"");
    STRING_IS("12345678\n2345678", "\"12345678\\n2345678\"");
}

static void json_keeps_utf8_and_escapes_the_rest(void **state)
{
    (void)state;
    STRING_IS("caf\xc3\xa9 \xf0\x9f\x8e\xbc", "\"caf\xc3\xa9 \xf0\x9f\x8e\xbc\"");
    STRING_IS("\x80\xff", "\"\\udc80\\udcff\"");
    STRING_IS("\xed\xa0\x80", "\"\\udced\\udca0\\udc80\"");
    STRING_IS("a\xe2\x82", "\"a\\udce2\\udc82\"");
    STRING_IS("\xf0\x91\x92z\xc3\xa9", "\"\\udcf0\\udc91\\udc92z\xc3\xa9\"");
}

static void json_escapes_what_controls_a_terminal(void **state)
{
    (void)state;
    STRING_IS("plain text\x7f", "\"plain text\\u007f\"");
    STRING_IS("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "\"\\u0080\\u009b\\u009f\xc2\xa0\"");
    STRING_IS("\xd8\x9c\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\x90",
              "\"\\u061c\xe2\x80\x8d\\u200e\\u200f\xe2\x80\x90\"");
    STRING_IS("\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf",
              "\"\xe2\x80\xa9\\u202a\\u202e\xe2\x80\xaf\"");
    STRING_IS("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa",
              "\"\xe2\x81\xa5\\u2066\\u2069\xe2\x81\xaa\"");
}

static void json_name_knows_the_nul(void **state)
{
    (void)state;
    struct out out = {0};
    json_put_name(&out, "a" RAS_NAME_NUL "b" RAS_NAME_NUL);
    said(&out, "\"a\\u0000b\\u0000\"");
}

/* The eight-byte steps must neither skip, repeat nor overrun. */
static void json_escapes_at_every_place(void **state)
{
    (void)state;
    static const char specials[] = {'"', '\\', '\n', '\x1f', '\x80', '\xff'};
    for (size_t s = 0; s < sizeof specials; s++) {
        for (size_t at = 0; at < 25; at++) {
            char *text = malloc(at + 9);
            assert_non_null(text);
            memset(text, '!', at + 9);
            text[at] = specials[s];
            struct out out = {0}, want = {0}, one = {0};
            json_put_string(&out, text, at + 9);
            json_put_string(&one, &specials[s], 1);
            out_byte(&want, '"');
            out_bytes(&want, text, at);
            out_bytes(&want, one.at + 1, one.len - 2);
            out_bytes(&want, text + at + 1, 8);
            out_text(&want, "\"");
            out_byte(&want, 0);
            said(&out, (const char *)want.at);
            out_free(&want);
            out_free(&one);
            free(text);
        }
    }
}

static void json_hex_is_lower_case(void **state)
{
    (void)state;
    struct out out = {0};
    json_put_blob(&out, NULL, 0);
    json_put_blob(&out, "\x00\x9f\xAB\xff", 4);
    said(&out, "\"\"\"009fabff\"");

    static uint8_t many[10000];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (uint8_t)(i * 7);
    json_put_blob(&out, many, sizeof many);
    assert_int_equal(out.len, 2 + 2 * sizeof many);
    for (size_t i = 0; i < sizeof many; i++) {
        char pair[3] = {(char)out.at[1 + 2 * i], (char)out.at[2 + 2 * i], 0};
        assert_int_equal(strtoul(pair, NULL, 16), many[i]);
    }
    out_free(&out);
}

static void json_floats_without_number_are_strings(void **state)
{
    (void)state;
    struct out out = {0};
    json_put_f64(&out, 0.1);
    out_byte(&out, ' ');
    json_put_f32(&out, 0.1f);
    out_byte(&out, ' ');
    json_put_f64(&out, -0.0);
    out_byte(&out, ' ');
    json_put_f64(&out, 1e300);
    out_byte(&out, ' ');
    json_put_f64(&out, (double)NAN);
    json_put_f64(&out, (double)INFINITY);
    json_put_f32(&out, -INFINITY);
    said(&out, "0.1 0.1 -0.0 1e+300 \"NaN\"\"Infinity\"\"-Infinity\"");
}

static struct ras_value text_cell(const char *text)
{
    return (struct ras_value){.kind = RAS_STR, .count = (uint32_t)strlen(text), .at = text};
}

static struct ras_value uint_cell(uint64_t value)
{
    return (struct ras_value){.kind = RAS_UINT, .u = value};
}

static struct ras_value group(enum ras_kind kind, uint32_t count)
{
    return (struct ras_value){.kind = (uint8_t)kind, .count = count};
}

static void value_is(const struct ras_value *cell, unsigned flags, bool float_bits,
                     const char *want)
{
    struct out out = {0};
    json_put_value(&out, cell, flags, float_bits);
    said(&out, want);
}

static void json_scalars(void **state)
{
    (void)state;
    value_is(&(struct ras_value){.kind = RAS_NULL}, 0, false, "null");
    value_is(&(struct ras_value){.kind = RAS_BOOL, .u = 1}, RAS_HEX, false, "true");
    value_is(&(struct ras_value){.kind = RAS_BOOL}, 0, false, "false");
    value_is(&(struct ras_value){.kind = RAS_UINT, .u = UINT64_MAX}, 0, false,
             "18446744073709551615");
    value_is(&(struct ras_value){.kind = RAS_INT, .i = INT64_MIN}, 0, false,
             "-9223372036854775808");
    value_is(&(struct ras_value){.kind = RAS_UINT, .u = 0xABC}, RAS_HEX, false,
             "\"0x0000000000000abc\"");
    value_is(&(struct ras_value){.kind = RAS_INT, .i = -1}, RAS_HEX, false,
             "\"0xffffffffffffffff\"");
    value_is(&(struct ras_value){.kind = RAS_F32, .f32 = 0.1f}, 0, false, "0.1");
    value_is(&(struct ras_value){.kind = RAS_F64, .f64 = 2.5}, RAS_HEX, false, "2.5");
    value_is(&(struct ras_value){.kind = RAS_BLOB, .count = 2, .at = "\x01\xfe"}, 0, false,
             "\"01fe\"");
    struct ras_value text = text_cell("a\nb");
    value_is(&text, RAS_HEX, true, "\"a\\nb\"");
}

static void json_float_bits_survive(void **state)
{
    (void)state;
    value_is(&(struct ras_value){.kind = RAS_F32, .f32 = 1.0f}, 0, true,
             "{\"bits\":\"0x3f800000\",\"text\":\"1.0\"}");
    value_is(&(struct ras_value){.kind = RAS_F64, .f64 = -2.5}, 0, true,
             "{\"bits\":\"0xc004000000000000\",\"text\":\"-2.5\"}");
    value_is(&(struct ras_value){.kind = RAS_F64, .u = 0x7ff0000000000001}, 0, true,
             "{\"bits\":\"0x7ff0000000000001\",\"text\":\"NaN\"}");
    /* A signalling NaN: its bits must not pass through a register that quiets it. */
    struct ras_value signalling = {.kind = RAS_F32};
    memcpy(&signalling.f32, &(uint32_t){0xff800001}, 4);
    value_is(&signalling, 0, true, "{\"bits\":\"0xff800001\",\"text\":\"NaN\"}");
}

static void json_containers_nest(void **state)
{
    (void)state;
    const struct ras_value empty[] = {group(RAS_LIST, 2), group(RAS_LIST, 0), group(RAS_MAP, 0)};
    value_is(empty, 0, false, "[[],{}]");
    value_is(empty + 2, 0, false, "{}");

    const struct ras_value deep[] = {
        group(RAS_MAP, 9), text_cell("a"),    group(RAS_LIST, 3), uint_cell(1),    uint_cell(2),
        uint_cell(3),      text_cell("b\"c"), group(RAS_MAP, 2),  text_cell("\n"), uint_cell(4),
    };
    value_is(deep, 0, false, "{\"a\":[1,2,3],\"b\\\"c\":{\"\\n\":4}}");
}

static void json_hex_flag_reaches_the_values_inside(void **state)
{
    (void)state;
    const struct ras_value cells[] = {group(RAS_LIST, 4), uint_cell(16), group(RAS_MAP, 2),
                                      uint_cell(7), uint_cell(17)};
    value_is(cells, RAS_HEX, false, "[\"0x0000000000000010\",{\"7\":\"0x0000000000000011\"}]");
}

static void json_keys_of_any_kind(void **state)
{
    (void)state;
    const struct ras_value cells[] = {
        group(RAS_MAP, 19), text_cell("x"),
        uint_cell(0),       text_cell("x"),
        uint_cell(1),       {.kind = RAS_INT, .i = -3},
        uint_cell(2),       {.kind = RAS_BOOL, .u = 1},
        uint_cell(3),       {.kind = RAS_NULL},
        uint_cell(4),       {.kind = RAS_F64, .f64 = 0.5},
        uint_cell(5),       {.kind = RAS_F64, .f64 = (double)INFINITY},
        uint_cell(6),       {.kind = RAS_BLOB, .count = 1, .at = "\xab"},
        uint_cell(7),       group(RAS_LIST, 1),
        text_cell("q"),     uint_cell(8),
    };
    value_is(cells, 0, false,
             "{\"x\":0,\"x\":1,\"-3\":2,\"true\":3,\"null\":4,\"0.5\":5,\"\\\"Infinity\\\"\":6,"
             "\"\\\"ab\\\"\":7,\"[\\\"q\\\"]\":8}");
}

static void json_key_without_value_gets_null(void **state)
{
    (void)state;
    const struct ras_value cells[] = {group(RAS_LIST, 3), group(RAS_MAP, 1), text_cell("k"),
                                      uint_cell(1)};
    value_is(cells, 0, false, "[{\"k\":null},1]");
}

/* Ever deeper lists: 64 are written, the next is null, and the neighbours stay. */
static void json_depth_is_bounded(void **state)
{
    (void)state;
    enum { DEEP = 1000 };
    static struct ras_value cells[DEEP + 2];
    for (uint32_t i = 0; i < DEEP; i++)
        cells[i] = group(RAS_LIST, DEEP - i - (i ? 1 : 0));
    cells[DEEP] = uint_cell(7);
    struct out want = {0};
    for (int i = 0; i < 64; i++)
        out_byte(&want, '[');
    out_text(&want, "null");
    for (int i = 0; i < 63; i++)
        out_byte(&want, ']');
    out_text(&want, ",7]");
    out_byte(&want, 0);
    value_is(cells, 0, false, (const char *)want.at);
    out_free(&want);
}

/* A key inside a key inside a key ... is escaped once per level: left to itself
 * the text would double with each of them. */
static void json_keys_in_keys_stay_small(void **state)
{
    (void)state;
    enum { DEEP = 200 };
    static struct ras_value cells[2 * DEEP + 1];
    for (uint32_t i = 0; i < DEEP; i++) {
        cells[i] = group(RAS_MAP, 2 * (DEEP - i - 1) + 2);
        cells[2 * DEEP - i] = uint_cell(i);
    }
    cells[DEEP] = text_cell("k");
    struct out out = {0};
    json_put_value(&out, cells, 0, false);
    assert_true(out.len < 200);
    said(&out, "{\"{\\\"{\\\\\\\"null\\\\\\\":2}\\\":1}\":0}");
}

static bool refuse(void *user, const uint8_t *bytes, size_t len)
{
    (void)user, (void)bytes, (void)len;
    return false;
}

static void json_failure_is_kept(void **state)
{
    (void)state;
    struct out out = {.drain = refuse};
    const struct ras_value cells[] = {group(RAS_LIST, 1), text_cell("some text")};
    for (int i = 0; i < 100000 && !out.failed; i++) {
        json_put_value(&out, cells, 0, false);
        json_put_blob(&out, "abcdefgh", 8);
    }
    assert_true(out.failed);
    out_free(&out);
}

/* ---- documents ------------------------------------------------------------------------ */

static void a_document_has_its_commas_and_keys(void **state)
{
    (void)state;
    struct out out = {0};
    struct json j = json_start(&out, 0);
    const struct ras_value cell = {.kind = RAS_UINT, .u = 255};
    json_object(&j, NULL);
    json_text(&j, "a\"b", "c\\d");
    json_text(&j, "none", NULL);
    json_uint(&j, "u", UINT64_MAX);
    json_uint_or_null(&j, "n", RAS_NONE);
    json_uint_or_null(&j, "m", 1);
    json_int(&j, "i", INT64_MIN);
    json_f64(&j, "f", 0.1);
    json_f64(&j, "nan", (double)NAN);
    json_object(&j, "empty");
    json_close(&j);
    json_array(&j, "list");
    json_bool(&j, NULL, true);
    json_bool(&j, NULL, false);
    json_null(&j, NULL);
    json_array(&j, NULL);
    json_close(&j);
    json_close(&j);
    json_hex(&j, "x", 0x2a, 4);
    json_hex(&j, "y", 0x12345, 0);
    json_hex(&j, "zero", 0, 0);
    json_blob(&j, "b", "\x01\xff", 2);
    json_cell(&j, "cell", &cell, RAS_HEX);
    json_raw(&j, "raw", "[1, 2]", 6);
    json_members(&j, "", 0);
    json_key_name(&j, "x" RAS_NAME_NUL "y");
    json_string(&j, NULL, "\0", 1);
    json_key_quoted(&j, JSON_KEY("last"));
    json_uint(&j, NULL, 1);
    json_close(&j);
    json_newline(&j);
    json_object(&j, NULL);
    json_key_quoted(&j, JSON_KEY("first"));
    json_uint(&j, NULL, 2);
    json_close(&j);
    json_newline(&j);
    json_uint(&j, NULL, 3);
    json_newline(&j);
    json_uint(&j, NULL, 4);
    said(&out, "{\"a\\\"b\":\"c\\\\d\",\"none\":null,\"u\":18446744073709551615,\"n\":null,\"m\":1,"
               "\"i\":-9223372036854775808,\"f\":0.1,\"nan\":\"NaN\",\"empty\":{},"
               "\"list\":[true,false,null,[]],\"x\":\"0x002a\",\"y\":\"0x12345\",\"zero\":\"0x0\","
               "\"b\":\"01ff\",\"cell\":\"0x00000000000000ff\",\"raw\":[1, 2],"
               "\"x\\u0000y\":\"\\u0000\",\"last\":1}\n{\"first\":2}\n3\n4");
}

static void put_sample(struct json *j)
{
    json_object(j, NULL);
    json_uint(j, "a", 1);
    json_array(j, "b");
    json_object(j, NULL);
    json_text(j, "c", "\xc3\xa9\xf0\x9f\x8e\xbc\x7f\xff");
    json_close(j);
    json_uint(j, NULL, 2);
    json_close(j);
    json_object(j, "e");
    json_close(j);
    json_close(j);
}

static void a_style_puts_blanks_lines_and_escapes(void **state)
{
    (void)state;
    struct out out = {0};
    struct json j = json_start(&out, RAS_JSON_SPACED);
    put_sample(&j);
    said(&out,
         "{\"a\": 1, \"b\": [{\"c\": \"\xc3\xa9\xf0\x9f\x8e\xbc\\u007f\\udcff\"}, 2], \"e\": {}}");
    j = json_start(&out, RAS_JSON_SPACED | RAS_JSON_ASCII);
    put_sample(&j);
    said(&out,
         "{\"a\": 1, \"b\": [{\"c\": \"\\u00e9\\ud83c\\udfbc\\u007f\\udcff\"}, 2], \"e\": {}}");
    j = json_start(&out, RAS_JSON_LINES | RAS_JSON_ASCII);
    put_sample(&j);
    said(&out, "{\n  \"a\": 1,\n  \"b\": [\n    {\n      \"c\": "
               "\"\\u00e9\\ud83c\\udfbc\\u007f\\udcff\"\n    },\n    2\n  ],\n  \"e\": {}\n}");
}

static void a_line_begins_where_it_is_due(void **state)
{
    (void)state;
    struct out out = {0};
    struct json j = json_start(&out, 0);
    json_object(&j, NULL);
    json_line(&j, 1);
    json_array(&j, "a");
    for (unsigned i = 0; i < 2; i++) {
        json_line(&j, 2);
        json_uint(&j, NULL, i);
    }
    json_line(&j, 1);
    json_close(&j);
    json_uint(&j, "b", 1);
    json_close(&j);
    said(&out, "{\n \"a\":[\n  0,\n  1\n ],\"b\":1}");
    j = json_start(&out, RAS_JSON_SPACED);
    json_array(&j, NULL);
    json_uint(&j, NULL, 1);
    json_line(&j, 4);
    json_uint(&j, NULL, 2);
    json_uint(&j, NULL, 3);
    json_close(&j);
    said(&out, "[1,\n    2, 3]");
}

static void the_inline_functions_write_the_same(void **state)
{
    (void)state;
    struct out out = {0};
    struct json j = json_start(&out, 0);
    for (unsigned i = 0; i < 2; i++) {
        json_open_quick(&j, true);
        json_key_quoted(&j, JSON_KEY("a"));
        json_lead_quick(&j);
        out_u64(j.out, i);
        json_object_quoted(&j, JSON_OBJECT("b"));
        json_key_quoted(&j, JSON_KEY("c"));
        json_open_quick(&j, false);
        json_end_line_quick(&j);
    }
    json_object(&j, NULL);
    json_object_quoted(&j, JSON_OBJECT("d"));
    json_put_quoted(&j, ",\"e\":1", 6, JSON_AFTER_ITEM);
    json_put_quoted(&j, ",\"f\":2", 6, JSON_AFTER_ITEM);
    json_end_line_quick(&j);
    said(&out, "{\"a\":0,\"b\":{\"c\":[]}}\n{\"a\":1,\"b\":{\"c\":[]}}\n"
               "{\"d\":{\"e\":1,\"f\":2}}\n");
    j = json_start_inside(&out, RAS_JSON_SPACED, true);
    json_uint(&j, "a", 1);
    json_line_between(&j, 2);
    json_members(&j, "\"b\": 2", 6);
    said(&out, ", \"a\": 1,\n  \"b\": 2");
    j = json_start_inside(&out, RAS_JSON_SPACED, false);
    json_line_between(&j, 2);
    json_uint(&j, NULL, 1);
    json_uint(&j, NULL, 2);
    said(&out, "1, 2");
}

static void too_deep_or_too_often_closed_fails(void **state)
{
    (void)state;
    struct out out = {0};
    struct json j = json_start(&out, 0);
    for (unsigned i = 0; i < JSON_LEVELS_MOST; i++)
        (i % 3 ? json_array : json_object)(&j, i % 3 == 1 ? "k" : NULL);
    assert_false(out.failed);
    for (unsigned i = 0; i < JSON_LEVELS_MOST; i++)
        json_close(&j);
    assert_false(out.failed);
    assert_int_equal(out.at[out.len - 1], '}');
    json_close(&j);
    assert_true(out.failed);
    out_free(&out);
    out = (struct out){0};
    j = json_start(&out, 0);
    for (unsigned i = 0; i <= JSON_LEVELS_MOST; i++)
        json_array(&j, NULL);
    assert_true(out.failed);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_has_its_commas_and_keys),
        cmocka_unit_test(a_style_puts_blanks_lines_and_escapes),
        cmocka_unit_test(a_line_begins_where_it_is_due),
        cmocka_unit_test(the_inline_functions_write_the_same),
        cmocka_unit_test(too_deep_or_too_often_closed_fails),
        cmocka_unit_test(json_escapes_what_json_must),
        cmocka_unit_test(json_keeps_utf8_and_escapes_the_rest),
        cmocka_unit_test(json_escapes_what_controls_a_terminal),
        cmocka_unit_test(json_name_knows_the_nul),
        cmocka_unit_test(json_escapes_at_every_place),
        cmocka_unit_test(json_hex_is_lower_case),
        cmocka_unit_test(json_floats_without_number_are_strings),
        cmocka_unit_test(json_scalars),
        cmocka_unit_test(json_float_bits_survive),
        cmocka_unit_test(json_containers_nest),
        cmocka_unit_test(json_hex_flag_reaches_the_values_inside),
        cmocka_unit_test(json_keys_of_any_kind),
        cmocka_unit_test(json_key_without_value_gets_null),
        cmocka_unit_test(json_depth_is_bounded),
        cmocka_unit_test(json_keys_in_keys_stay_small),
        cmocka_unit_test(json_failure_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
