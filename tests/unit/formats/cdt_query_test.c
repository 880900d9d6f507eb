/* cdt_query_test.c - Python's literals, and how a query compares values. */
#include "codec/json_python.h"
#include "formats/cdt/cdt_query.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct ras_bytes bytes(const char *text)
{
    return (struct ras_bytes){(const uint8_t *)text, strlen(text)};
}

static void literals_are_read(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"25", "25"},
        {"-  7", "-7"},
        {"+3", "3"},
        {"1_000", "1000"},
        {"0x1F", "31"},
        {"0o17", "15"},
        {"0b1_01", "5"},
        {"00", "0"},
        {"1.", "1.0"},
        {".5", "0.5"},
        {"1e3", "1000.0"},
        {"007.5", "7.5"},
        {"9223372036854775808", "9223372036854775808"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"18446744073709551616", "1.8446744073709552e+19"},
        {"1e999", "inf"},
        {"'a'", "'a'"},
        {"\"it's\"", "\"it's\""},
        {"'a' \"b\"", "'ab'"},
        {"'''x'y'''", "\"x'y\""},
        {"'\\x41\\n\\101\\u00e9\\q'", "'A\\nA\xc3\xa9\\\\q'"},
        {"r'\\n'", "'\\\\n'"},
        {"True", "True"},
        {"[1, [2, 'x'], None,]", "[1, [2, 'x'], None]"},
        {"{'a': 1, 2: []}", "{'a': 1, 2: []}"},
        {"(3)", "3"},
        {"[]", "[]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct document doc = {0};
        struct out out = {0};
        if (!python_literal(bytes(rows[i][0]), &doc))
            fail_msg("%s is not read", rows[i][0]);
        python_repr(&out, doc.cells.items);
        out_byte(&out, 0);
        assert_string_equal((const char *)out.at, rows[i][1]);
        out_free(&out);
        document_free(&doc);
    }
}

static void invalid_literals_are_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {"creature", "007",      "1__0",  "0x",    "1 2",      "'a",
                                       "--5",      "[1,,2]",   "[1 2]", "{1: }", "nan",      "1e",
                                       "f'a'",     "'\\N{x}'", "",      "-",     "'\\ud800'"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct document doc = {0};
        if (python_literal(bytes(rows[i]), &doc))
            fail_msg("%s is read", rows[i]);
        document_free(&doc);
    }
    char deep[200];
    struct document doc = {0};
    memset(deep, '[', sizeof deep);
    assert_false(python_literal((struct ras_bytes){(uint8_t *)deep, sizeof deep}, &doc));
    document_free(&doc);
}

static void text_reads_as_a_number(void **state)
{
    (void)state;
    double value;
    assert_true(python_float(bytes(" 1_0.5e1 "), &value) && value == 105);
    assert_true(python_float(bytes("-inf"), &value) && value < 0 && isinf(value));
    assert_true(python_float(bytes("+Infinity"), &value) && isinf(value));
    assert_true(python_float(bytes("NaN"), &value) && isnan(value));
    assert_true(python_float(bytes("007"), &value) && value == 7);
    static const char *const none[] = {"", " ", "1_", "_1", "0x10", "1e", "e5", ".", "1 2", "true"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (python_float(bytes(none[i]), &value))
            fail_msg("'%s' is %g", none[i], value);
}

static void assert_holds(const char *left, enum query_op op, const char *right, bool want)
{
    struct document a = {0}, b = {0};
    assert_true(python_literal(bytes(left), &a) && python_literal(bytes(right), &b));
    if (query_holds(op, a.cells.items, b.cells.items) != want)
        fail_msg("%s, %d, %s", left, op, right);
    document_free(&a);
    document_free(&b);
}

static void values_compare_as_numbers_by_value_or_by_text(void **state)
{
    (void)state;
    assert_holds("1", QUERY_EQ, "1.0", true);
    assert_holds("True", QUERY_EQ, "1", true);
    assert_holds("'25'", QUERY_EQ, "25", true);
    assert_holds("'9'", QUERY_LT, "'10'", true);
    assert_holds("'nan'", QUERY_EQ, "'nan'", false);
    assert_holds("None", QUERY_GT, "25", true);
    assert_holds("None", QUERY_EQ, "0", false);
    assert_holds("None", QUERY_NE, "'None'", true);
    assert_holds("None", QUERY_GE, "'None'", true);
    assert_holds("'b'", QUERY_GT, "'a'", true);
    assert_holds("[1, 2]", QUERY_EQ, "[1.0, True]", false);
    assert_holds("[1, 2]", QUERY_EQ, "[True, 2.0]", true);
    assert_holds("[1, 2]", QUERY_NE, "(1, 2)", true);
    assert_holds("{'a': 1, 'b': 2}", QUERY_EQ, "{'b': 2, 'a': 1}", true);
    assert_holds("{'a': 1}", QUERY_EQ, "{'a': 1, 'b': 2}", false);
    assert_holds("[9007199254740993]", QUERY_EQ, "[9007199254740992.0]", false);
    assert_holds("9007199254740993", QUERY_EQ, "9007199254740992", true); /* both as floats */
}

static void edge_cases_of_the_grammar(void **state)
{
    (void)state;
    struct query q;
    struct ras_error err;
    assert_int_equal(query_parse(&q, "ticks where a >=", &err), RAS_OK);
    assert_int_equal(q.op, QUERY_GT); /* the remainder of >= is a field */
    query_free(&q);
    assert_int_equal(query_parse(&q, " entities  where pool_kind==creature ", &err), RAS_OK);
    assert_true(q.entities && q.operands[1].kind == OPERAND_FIELD);
    query_free(&q);
    assert_int_equal(query_parse(&q, "ticks where a == NULL", &err), RAS_OK);
    assert_int_equal(q.operands[1].kind, OPERAND_LITERAL);
    query_free(&q);
    assert_int_equal(query_parse(&q, "ticks where a\n== 1", &err), RAS_EREFUSED);
    assert_int_equal(query_parse(&q, "ticks where prev( ) == 1", &err), RAS_EREFUSED);
    assert_string_equal(err.text, "empty prev(...) field path");
    query_free(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_are_read),
        cmocka_unit_test(invalid_literals_are_refused),
        cmocka_unit_test(text_reads_as_a_number),
        cmocka_unit_test(values_compare_as_numbers_by_value_or_by_text),
        cmocka_unit_test(edge_cases_of_the_grammar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
