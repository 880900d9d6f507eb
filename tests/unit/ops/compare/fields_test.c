/* fields_test.c - two values field by field, and paths that leave some of them out. */
#include "codec/json_python.h"
#include "core/row.h"
#include "ops/compare/compare_driver.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void a_pattern_covers_what_is_below_it(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool covers;
    } rows[] = {
        {"kills", "kills", true},
        {"kills", "kills_more", false},
        {"players", "players[0].pos.x", true},
        {"players[0]", "players[0].pos.x", true},
        {"players[0]", "players[10].pos.x", false},
        {"players[*].pos", "players[10].pos.x", true},
        {"players[*].pos", "players[10].ammo", false},
        {"players.*", "players", false},
        {"*.pos", "a.pos", true},
        {"*", "anything.at[3].all", true},
        {"creatures[uid=*].hp", "creatures[uid=33].hp", true},
        {"creatures[uid=*].hp", "creatures[uid=33].hpx", false},
        {"timers[\"9\"]", "timers[\"9\"]", true},
        {"timers[*]", "timers[\"a.b\"]", true},
        {"a.b", "a", false},
        {"", "a", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (path_covers(rows[i].pattern, rows[i].path) != rows[i].covers)
            fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].path);
}

/* The cells of a line of JSON: {"v": ...}. */
static const struct ras_value *cells_of(struct row_reader *r, const char *text)
{
    char line[512];
    struct json_row row;
    int n = snprintf(line, sizeof line, "{\"type\":\"t\",\"values\":{\"v\":%s}}", text);
    assert_int_equal(row_read(r, (struct ras_bytes){(uint8_t *)line, (size_t)n}, &row, NULL),
                     RAS_OK);
    const struct ras_value *found = row_find(&row, "v");
    assert_non_null(found);
    return found;
}

static void assert_rows(const char *a, const char *b, const struct ras_compare_options *options,
                        unsigned how, const char *want)
{
    struct row_reader x = {0}, y = {0};
    struct document doc = {0};
    struct out out = {0};
    size_t list = document_open(&doc, RAS_LIST);
    const struct ras_value *p = cells_of(&x, a), *q = cells_of(&y, b);
    size_t rows = fields_compare(&doc, options, "point", "", p, q, how);
    document_close(&doc, list);
    assert_false(doc.cells.nomem);
    for (size_t i = 1; i < doc.cells.count; i += 1 + doc.cells.items[i].count) {
        rows--;
        python_str(&out, map_find(&doc.cells.items[i], "path"));
        out_byte(&out, ' ');
        python_str(&out, map_find(&doc.cells.items[i], "kind"));
        out_byte(&out, ' ');
        python_str(&out, map_find(&doc.cells.items[i], "expected"));
        out_byte(&out, ' ');
        python_str(&out, map_find(&doc.cells.items[i], "actual"));
        out_byte(&out, '\n');
    }
    out_byte(&out, 0);
    assert_string_equal((const char *)out.at, want);
    assert_int_equal(rows, 0);
    out_free(&out);
    document_free(&doc);
    row_reader_free(&x);
    row_reader_free(&y);
}

static void equal_values_have_no_rows(void **state)
{
    (void)state;
    assert_rows("{\"a\":[1,2,{\"b\":null}]}", "{\"a\":[1,2,{\"b\":null}]}", NULL, 0, "");
    assert_rows("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", NULL, 0, "");
    assert_rows("0.0", "-0.0", NULL, 0, "");
}

static void every_difference_has_a_row(void **state)
{
    (void)state;
    assert_rows("1", "2", NULL, 0, "<root> value_mismatch 1 2\n");
    assert_rows("{\"a\":1}", "{\"a\":null}", NULL, 0, "a type_mismatch int NoneType\n");
    assert_rows("{\"a\":{}}", "{\"a\":[]}", NULL, 0, "a type_mismatch dict list\n");
    assert_rows("[1,2,3]", "[1,5]", NULL, 0,
                "<root> length_mismatch 3 2\n[1] value_mismatch 2 5\n[2] missing_actual 3 None\n");
    assert_rows("{\"m\":{\"9\":1,\"x\":2}}", "{\"m\":{\"9\":2,\"y\":3}}", NULL, 0,
                "m[\"9\"] value_mismatch 1 2\nm.x missing_actual 2 None\n"
                "m.y missing_expected None 3\n");
}

static void sorted_keys_are_in_the_order_of_their_repr(void **state)
{
    (void)state;
    assert_rows("{\"perk_pending\":1,\"perk\":1,\"2\":1,\"11\":1,\"perk x\":1}",
                "{\"perk_pending\":2,\"perk\":2,\"2\":2,\"11\":2,\"perk x\":2}", NULL,
                FIELDS_SORTED,
                "[\"11\"] value_mismatch 1 2\n[\"2\"] value_mismatch 1 2\n"
                "[\"perk x\"] value_mismatch 1 2\n"
                "perk value_mismatch 1 2\nperk_pending value_mismatch 1 2\n");
}

static void paths_are_ignored_and_tolerated(void **state)
{
    (void)state;
    static const char *const ignored[] = {"a.b", "point.c"};
    static const struct ras_tolerance near[] = {{"a.d", 0.5}};
    const struct ras_compare_options options = {
        .ignored = ignored, .ignored_count = 2, .tolerances = near, .tolerance_count = 1};
    assert_rows("{\"a\":{\"b\":[1,2],\"d\":1.0},\"c\":1}", "{\"a\":{\"b\":[3],\"d\":1.5},\"c\":2}",
                &options, 0, "");
    assert_rows("{\"a\":{\"b\":1,\"d\":1.0},\"e\":1}", "{\"a\":{\"d\":1.75},\"e\":2}", &options, 0,
                "a.d value_mismatch 1.0 1.75\ne value_mismatch 1 2\n");
}

/* A map as long as a payload may hold: pairwise search would take hours. */
static void long_maps_do_not_take_quadratic_time(void **state)
{
    (void)state;
    enum { KEYS = 200000 };
    struct document sides[2] = {0}, doc = {0};
    for (int side = 0; side < 2; side++) {
        size_t map = document_open(&sides[side], RAS_MAP);
        for (int i = 0; i < KEYS; i++) {
            document_format(&sides[side], "%d", side ? KEYS - 1 - i : i);
            document_int(&sides[side], side && i == 7 ? -1 : 0);
        }
        document_close(&sides[side], map);
    }
    assert_int_equal(fields_compare(&doc, NULL, NULL, "", sides[0].cells.items,
                                    sides[1].cells.items, FIELDS_SORTED),
                     1);
    document_free(&sides[0]);
    document_free(&sides[1]);
    document_free(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_covers_what_is_below_it),
        cmocka_unit_test(equal_values_have_no_rows),
        cmocka_unit_test(every_difference_has_a_row),
        cmocka_unit_test(sorted_keys_are_in_the_order_of_their_repr),
        cmocka_unit_test(paths_are_ignored_and_tolerated),
        cmocka_unit_test(long_maps_do_not_take_quadratic_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
