/* row_test.c - records as JSON lines: what their values mean, and what is refused. */
#include "core/row.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static int read_line(struct row_reader *r, const char *text, struct json_row *row,
                     struct ras_error *err)
{
    return row_read(r, (struct ras_bytes){(const uint8_t *)text, strlen(text)}, row, err);
}

static void a_line_is_taken_apart(void **state)
{
    (void)state;
    struct row_reader r = {0};
    struct json_row row;
    struct ras_bytes bytes;
    uint64_t u;
    assert_int_equal(
        read_line(&r,
                  "{\"seq\":9,\"type\":\"a\\u00e9\",\"tick\":18446744073709551615,\"stream\":3,"
                  "\"offset\":1,\"values\":{\"n\":null,\"l\":[1,[2]],\"h\":\"0xFf\",\"b\":\"00fF\","
                  "\"t\":\"x\\udc80\\n\"}}",
                  &row, NULL),
        RAS_OK);
    assert_string_equal(row.type, "a\xc3\xa9");
    assert_true(row.has_tick && !row.has_time && row.tick == UINT64_MAX && row.stream == 3);
    assert_null(row_find(&row, "n"));
    assert_null(row_find(&row, "absent"));
    const struct ras_value *list = row_find(&row, "l");
    assert_int_equal(list->kind, RAS_LIST);
    assert_int_equal(list->count, 3);
    assert_int_equal(row_uint(&row, "h", 255, &u, NULL), RAS_OK);
    assert_int_equal(u, 255);
    assert_int_equal(row_uint(&row, "h", 254, &u, NULL), RAS_EFORMAT);
    assert_int_equal(row_bytes(&row, "b", &bytes, NULL), RAS_OK);
    assert_int_equal(bytes.len, 2);
    assert_memory_equal(bytes.at, "\x00\xff", 2);
    assert_int_equal(row_bytes(&row, "h", &bytes, NULL), RAS_EFORMAT);
    assert_int_equal(row_text(&row, "t", &bytes, NULL), RAS_OK);
    assert_int_equal(bytes.len, 3);
    assert_memory_equal(bytes.at, "x\x80\n", 3);
    row_reader_free(&r);
}

static void numbers_keep_their_values(void **state)
{
    (void)state;
    struct row_reader r = {0};
    struct json_row row;
    double d;
    uint32_t bits;
    int64_t i;
    assert_int_equal(
        read_line(
            &r,
            "{\"type\":\"t\",\"values\":{\"a\":-9223372036854775808,\"b\":1e300,\"c\":\"NaN\","
            "\"d\":\"-Infinity\",\"e\":{\"bits\":\"0x7fc00001\",\"text\":\"NaN\"},\"f\":0.1,"
            "\"g\":-5,\"h\":-0}}",
            &row, NULL),
        RAS_OK);
    assert_true(cell_int(row_find(&row, "a"), &i) && i == INT64_MIN);
    assert_true(cell_f64(row_find(&row, "b"), &d) && d > 9e299);
    assert_true(cell_f64(row_find(&row, "c"), &d) && isnan(d));
    assert_true(cell_f64(row_find(&row, "d"), &d) && isinf(d) && d < 0);
    assert_true(cell_f32(row_find(&row, "e"), &bits) && bits == 0x7fc00001);
    assert_true(cell_f32(row_find(&row, "f"), &bits) && bits == 0x3dcccccd);
    assert_true(cell_int(row_find(&row, "g"), &i) && i == -5);
    assert_true(cell_f64(row_find(&row, "h"), &d) && d == 0 && signbit(d));
    assert_false(cell_int(row_find(&row, "b"), &i));
    row_reader_free(&r);
}

static void what_is_no_record_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{",
        "{\"type\":1}",
        "{\"values\":{}}",
        "{\"type\":\"t\",\"values\":[]}",
        "{\"type\":\"t\",\"values\":{\"a\":}}",
        "{\"type\":\"t\",\"tick\":-1}",
        "{\"type\":\"t\",\"stream\":4294967296}",
        "{\"type\":\"t\"} x",
        "{\"type\":\"t\",\"values\":{\"a\":\"\\ud800\"}}",
    };
    struct row_reader r = {0};
    struct json_row row;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ras_error err = {0};
        char line[32];
        snprintf(line, sizeof line, "line %zu", i + 1);
        assert_int_equal(read_line(&r, bad[i], &row, &err), RAS_EFORMAT);
        assert_non_null(strstr(err.text, line));
    }
    row_reader_free(&r);
}

static void nesting_is_limited(void **state)
{
    (void)state;
    struct row_reader r = {0};
    struct json_row row;
    char text[600] = "{\"type\":\"t\",\"values\":{\"a\":";
    size_t len = strlen(text);
    for (int i = 0; i < 100; i++)
        text[len++] = '[';
    for (int i = 0; i < 100; i++)
        text[len++] = ']';
    memcpy(text + len, "}}", 3);
    assert_int_equal(read_line(&r, text, &row, NULL), RAS_EFORMAT);
    row_reader_free(&r);
}

static void the_first_wrong_field_is_the_one_that_is_said(void **state)
{
    (void)state;
    struct row_reader r = {0};
    struct json_row row;
    struct ras_error err = {0};
    assert_int_equal(
        read_line(&r, "{\"type\":\"t\",\"values\":{\"a\":7,\"b\":300,\"c\":\"x\"}}", &row, NULL),
        RAS_OK);
    struct row_get g = {&row, &err, RAS_OK};
    assert_int_equal(row_get_u32(&g, "a"), 7);
    assert_int_equal(row_get_u32_or(&g, "absent", 5), 5);
    assert_int_equal(row_get_text_or_none(&g, "absent").len, 0);
    assert_int_equal(g.status, RAS_OK);
    assert_int_equal(row_get_uint(&g, "b", 255), 0);
    assert_int_equal(row_get_u64(&g, "a"), 0); /* nothing is read any more */
    assert_int_equal(row_get_text(&g, "c").len, 0);
    row_get_fail(&g, "c", "is wrong too");
    assert_int_equal(g.status, RAS_EFORMAT);
    assert_string_equal(err.text, "line 1: t.b is 300, more than 255");
    struct row_get none = {NULL, &err, RAS_OK};
    assert_int_equal(row_get_u64_or(&none, "a", 3), 3);
    assert_false(row_has(&none, "a"));
    row_reader_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_taken_apart),
        cmocka_unit_test(numbers_keep_their_values),
        cmocka_unit_test(what_is_no_record_is_refused),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(the_first_wrong_field_is_the_one_that_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
