/* column_buffer_test.c - cells as columns: what fits a type, texts as codes, tests on them. */
#include "ops/columns/column_buffer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static struct out scratch;

static struct column_buffer open_column(enum ras_type type, enum ras_type item)
{
    struct column_buffer b;
    assert_true(column_init(&b, type, item, 0, &scratch));
    assert_true(column_begin(&b, 1000));
    return b;
}

static struct ras_value uint_cell(uint64_t u)
{
    return (struct ras_value){.kind = RAS_UINT, .u = u};
}

static struct ras_value int_cell(int64_t i)
{
    return (struct ras_value){.kind = RAS_INT, .i = i};
}

static struct ras_value text_cell(const char *text)
{
    return (struct ras_value){.kind = RAS_STR, .count = (uint32_t)strlen(text), .at = text};
}

static void a_value_that_does_not_fit_is_null_and_counted(void **state)
{
    static const struct {
        enum ras_type type;
        struct ras_value cell;
    } rows[] = {
        {RAS_T_U8, {.kind = RAS_UINT, .u = 256}},
        {RAS_T_U32, {.kind = RAS_INT, .i = -1}},
        {RAS_T_I64, {.kind = RAS_UINT, .u = UINT64_C(1) << 63}},
        {RAS_T_F64, {.kind = RAS_UINT, .u = (UINT64_C(1) << 53) + 1}},
        {RAS_T_F32, {.kind = RAS_F64, .f64 = 0.1}},
        {RAS_T_TEXT, {.kind = RAS_UINT, .u = 1}},
        {RAS_T_BOOL, {.kind = RAS_UINT, .u = 2}},
        {RAS_T_LIST, {.kind = RAS_MAP}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct column_buffer b = open_column(rows[i].type, RAS_T_U64);
        column_cell(&b, &rows[i].cell);
        column_end(&b);
        assert_int_equal(b.out.nulls, 1);
        assert_int_equal(b.out.unfit, 1);
        assert_int_equal(b.out.valid[0] & 1, 0);
        column_free(&b);
    }
}

static void validity_is_absent_until_the_first_null(void **state)
{
    struct column_buffer b = open_column(RAS_T_U64, 0);
    struct ras_value null = {.kind = RAS_NULL}, five = uint_cell(5);
    (void)state;
    for (int i = 0; i < 20; i++)
        column_put(&b, &five);
    column_end(&b);
    assert_null(b.out.valid);
    column_put(&b, &null);
    column_put(&b, &five);
    column_end(&b);
    assert_int_equal(b.out.nulls, 1);
    assert_int_equal(b.out.valid[2] & 0x30, 0x20);
    assert_int_equal(b.out.valid[0], 0xff);
    column_free(&b);
}

static void many_nulls_are_those_of_one_at_a_time(void **state)
{
    (void)state;
    for (size_t before = 0; before < 10; before++)
        for (size_t count = 0; count < 27; count++) {
            struct column_buffer one = open_column(RAS_T_U32, 0), many = open_column(RAS_T_U32, 0);
            for (size_t i = 0; i < before; i++) {
                column_u32(&one, 7);
                column_u32(&many, 7);
            }
            for (size_t i = 0; i < count; i++)
                column_null(&one);
            column_nulls(&many, count);
            column_u32(&one, 8);
            column_u32(&many, 8);
            column_end(&one);
            column_end(&many);
            assert_int_equal(one.row, many.row);
            assert_int_equal(one.out.nulls, many.out.nulls);
            assert_memory_equal(one.out.values, many.out.values, one.row * sizeof(uint32_t));
            assert_int_equal(!one.out.valid, !many.out.valid);
            for (size_t i = 0; one.out.valid && i < one.row; i++)
                assert_int_equal(one.out.valid[i / 8] >> i % 8 & 1,
                                 many.out.valid[i / 8] >> i % 8 & 1);
            column_free(&one);
            column_free(&many);
        }
}

static void equal_texts_have_one_code_wherever_they_lie(void **state)
{
    struct column_buffer b = open_column(RAS_T_TEXT, 0);
    char reused[8] = "one";
    (void)state;
    column_text(&b, reused, 3);
    memcpy(reused, "two", 3); /* the same address holds another text */
    column_text(&b, reused, 3);
    column_text(&b, "one", 3);
    column_text(&b, NULL, 0);
    column_end(&b);
    const uint32_t *codes = b.out.values;
    assert_int_equal(b.out.names->count, 3);
    assert_int_equal(codes[0], codes[2]);
    assert_int_not_equal(codes[0], codes[1]);
    assert_string_equal(b.out.names->at[codes[1]], "two");
    assert_int_equal(b.out.names->len[codes[3]], 0);
    column_free(&b);
}

static void a_list_keeps_its_items_and_their_nulls(void **state)
{
    struct column_buffer b = open_column(RAS_T_LIST, RAS_T_U64);
    enum { ITEMS = 500 };
    struct ras_value cells[ITEMS + 1] = {{.kind = RAS_LIST, .count = ITEMS}};
    struct ras_value empty = {.kind = RAS_LIST}, null = {.kind = RAS_NULL};
    (void)state;
    for (unsigned i = 0; i < ITEMS; i++)
        cells[i + 1] = i % 100 == 3 ? null : uint_cell(i);
    column_cell(&b, &empty);
    for (int i = 0; i < 10; i++)
        column_cell(&b, cells);
    column_cell(&b, &null);
    column_end(&b);
    assert_int_equal(b.out.offsets[1], 0);
    assert_int_equal(b.out.offsets[11], 10 * ITEMS);
    assert_int_equal(b.out.offsets[12], 10 * ITEMS);
    assert_int_equal(b.out.nulls, 1);
    assert_int_equal(b.out.items->nulls, 50);
    const uint64_t *items = b.out.items->values;
    for (size_t i = 0; i < 10 * ITEMS; i++) {
        bool valid = b.out.items->valid[i / 8] >> i % 8 & 1;
        assert_int_equal(valid, i % 100 != 3);
        if (valid)
            assert_int_equal(items[i], i % ITEMS);
    }
    column_free(&b);
}

static void a_dictionary_that_is_full_is_replaced_with_the_next_batch(void **state)
{
    struct column_buffer b = open_column(RAS_T_TEXT, 0);
    static char large[40 << 20];
    (void)state;
    memset(large, 'x', sizeof large);
    column_text(&b, large, sizeof large);
    column_text(&b, large, sizeof large - 1);
    column_end(&b);
    const struct ras_names *before = b.out.names;
    assert_true(column_begin(&b, 10));
    column_text(&b, "x", 1);
    column_end(&b);
    assert_ptr_not_equal(before, b.out.names);
    assert_int_equal(before->count, 2); /* it still lives */
    assert_int_equal(b.out.names->count, 1);
    column_free(&b);
}

/* ---- tests ------------------------------------------------------------------------------------
 */

static size_t passing(struct column_buffer *b, const struct ras_test *test)
{
    struct column_test t;
    uint32_t rows[100];
    size_t count = b->row;
    size_t again;
    assert_int_equal(column_test_init(&t, test, b, NULL), RAS_OK);
    assert_true(column_test_run(&t, rows, &count, true));
    again = count;
    assert_true(column_test_run(&t, rows, &again, false)); /* those that pass, pass again */
    assert_int_equal(again, count);
    column_test_free(&t);
    return count;
}

static void large_numbers_are_compared_as_requested(void **state)
{
    struct column_buffer b = open_column(RAS_T_U64, 0);
    (void)state;
    column_u64(&b, 1);
    column_u64(&b, UINT64_MAX);
    column_end(&b);
    struct ras_test t = {.op = RAS_TEST_LT, .value = int_cell(0)};
    assert_int_equal(passing(&b, &t), 1); /* -1, as SQLite has it */
    t.is_unsigned = true;
    assert_int_equal(passing(&b, &t), 0);
    t.op = RAS_TEST_GT;
    t.value = uint_cell(UINT64_MAX - 1);
    assert_int_equal(passing(&b, &t), 1);
    t.op = RAS_TEST_EQ;
    t.value = int_cell(-1);
    assert_int_equal(passing(&b, &t), 0);
    column_free(&b);
}

static void integers_and_floats_are_compared_exactly(void **state)
{
    struct column_buffer b = open_column(RAS_T_I64, 0);
    struct ras_value large = int_cell((INT64_C(1) << 53) + 1);
    (void)state;
    column_cell(&b, &large);
    column_end(&b);
    struct ras_test t = {.op = RAS_TEST_EQ, .value = {.kind = RAS_F64, .f64 = 0x1p53}};
    assert_int_equal(passing(&b, &t), 0);
    t.op = RAS_TEST_GT;
    assert_int_equal(passing(&b, &t), 1);
    t.value.f64 = (double)NAN;
    assert_int_equal(passing(&b, &t), 0);
    t.op = RAS_TEST_NE;
    assert_int_equal(passing(&b, &t), 0);
    t.value.f64 = (double)INFINITY;
    assert_int_equal(passing(&b, &t), 1);
    column_free(&b);
}

static void null_and_nan_fail_comparisons(void **state)
{
    struct column_buffer b = open_column(RAS_T_F64, 0);
    struct ras_value nan = {.kind = RAS_F64, .f64 = (double)NAN};
    (void)state;
    column_null(&b);
    column_cell(&b, &nan);
    column_end(&b);
    struct ras_test t = {.value = uint_cell(0)};
    for (t.op = RAS_TEST_EQ; t.op <= RAS_TEST_GE; t.op++)
        assert_int_equal(passing(&b, &t), 0);
    t.op = RAS_TEST_IS_NULL;
    assert_int_equal(passing(&b, &t), 1);
    t.op = RAS_TEST_NOT_NULL;
    assert_int_equal(passing(&b, &t), 1);
    column_free(&b);
}

static void texts_are_compared_by_their_bytes(void **state)
{
    struct column_buffer b = open_column(RAS_T_TEXT, 0);
    static const char *const texts[] = {"b", "a", "ab", "", "b"};
    (void)state;
    for (size_t i = 0; i < 5; i++)
        column_text(&b, texts[i], strlen(texts[i]));
    column_null(&b);
    column_end(&b);
    struct ras_test t = {.op = RAS_TEST_EQ, .value = text_cell("b")};
    assert_int_equal(passing(&b, &t), 2);
    t.op = RAS_TEST_LT;
    assert_int_equal(passing(&b, &t), 3);
    t.op = RAS_TEST_NE;
    assert_int_equal(passing(&b, &t), 3);
    const struct ras_value in[] = {text_cell(""), text_cell("a"), text_cell("zz")};
    t = (struct ras_test){.op = RAS_TEST_IN, .in = in, .in_count = 3};
    assert_int_equal(passing(&b, &t), 2);
    column_free(&b);
}

static void a_test_of_another_type_is_refused(void **state)
{
    struct column_buffer text = open_column(RAS_T_TEXT, 0), list = open_column(RAS_T_LIST, 0);
    struct column_test k;
    struct ras_test t = {.op = RAS_TEST_EQ, .value = uint_cell(1)};
    (void)state;
    assert_int_equal(column_test_init(&k, &t, &text, NULL), RAS_EUSAGE);
    assert_int_equal(column_test_init(&k, &t, &list, NULL), RAS_EUSAGE);
    t.op = 99;
    assert_int_equal(column_test_init(&k, &t, &text, NULL), RAS_EUSAGE);
    column_free(&text);
    column_free(&list);
}

static int close_all(void **state)
{
    (void)state;
    out_free(&scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_does_not_fit_is_null_and_counted),
        cmocka_unit_test(validity_is_absent_until_the_first_null),
        cmocka_unit_test(many_nulls_are_those_of_one_at_a_time),
        cmocka_unit_test(equal_texts_have_one_code_wherever_they_lie),
        cmocka_unit_test(a_list_keeps_its_items_and_their_nulls),
        cmocka_unit_test(a_dictionary_that_is_full_is_replaced_with_the_next_batch),
        cmocka_unit_test(large_numbers_are_compared_as_requested),
        cmocka_unit_test(integers_and_floats_are_compared_exactly),
        cmocka_unit_test(null_and_nan_fail_comparisons),
        cmocka_unit_test(texts_are_compared_by_their_bytes),
        cmocka_unit_test(a_test_of_another_type_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, close_all);
}
