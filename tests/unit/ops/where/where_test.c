/* where_test.c - conditions: every operator on every pair of types, paths, words, limits. */
#include "core/format.h"
#include "ops/where/where_tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

/* ---- a record of every kind of value -------------------------------------------------- */

enum { U, I, F32, F64, S, B, T, N, LIST, MAP, HASH, BIG, NAN_, ODD, FIELDS };

static const struct ras_field fields[FIELDS] = {
    [U] = {"u", RAS_UINT},     [I] = {"i", RAS_INT},      [F32] = {"f32", RAS_F32},
    [F64] = {"f64", RAS_F64},  [S] = {"s", RAS_STR},      [B] = {"b", RAS_BLOB},
    [T] = {"t", RAS_BOOL},     [N] = {"n", RAS_NULL},     [LIST] = {"list", RAS_LIST},
    [MAP] = {"map", RAS_MAP},  [BIG] = {"big", RAS_UINT}, [HASH] = {"hash", RAS_UINT, 64, RAS_HEX},
    [NAN_] = {"nan", RAS_F64}, [ODD] = {"tick", RAS_STR},
};
static const struct ras_schema schemas[] = {
    {"gap", NULL, 0, 0}, {"thing", fields, FIELDS, 0}, {"other", fields, 2, 0}};

struct place {
    struct ras_trace trace;
    struct ras_cursor cursor;
    struct ras_value cells[40];
    const struct ras_schema *list[3];
};

static struct ras_value *put(struct place *p, unsigned field, struct ras_value v)
{
    v.field = (uint16_t)field;
    p->cursor.values.items = p->cells;
    p->cells[p->cursor.values.count] = v;
    return &p->cells[p->cursor.values.count++];
}

static void put_text(struct place *p, unsigned field, enum ras_kind kind, const char *text)
{
    put(p, field, (struct ras_value){.kind = (uint8_t)kind, .count = (uint32_t)strlen(text)})->at =
        text;
}

static void put_uint(struct place *p, unsigned field, uint64_t u)
{
    put(p, field, (struct ras_value){.kind = RAS_UINT, .u = u});
}

/* list: [7, -1, {"x": 2.5}]; map: {"x": 3, "deep": {"y": "z"}, 9: true} */
static void put_containers(struct place *p)
{
    put(p, LIST, (struct ras_value){.kind = RAS_LIST, .count = 5});
    put_uint(p, LIST, 7);
    put(p, LIST, (struct ras_value){.kind = RAS_INT, .i = -1});
    put(p, LIST, (struct ras_value){.kind = RAS_MAP, .count = 2});
    put_text(p, LIST, RAS_STR, "x");
    put(p, LIST, (struct ras_value){.kind = RAS_F64, .f64 = 2.5});
    put(p, MAP, (struct ras_value){.kind = RAS_MAP, .count = 8});
    put_text(p, MAP, RAS_STR, "x");
    put_uint(p, MAP, 3);
    put_text(p, MAP, RAS_STR, "deep");
    put(p, MAP, (struct ras_value){.kind = RAS_MAP, .count = 2});
    put_text(p, MAP, RAS_STR, "y");
    put_text(p, MAP, RAS_STR, "z");
    put_uint(p, MAP, 9);
    put(p, MAP, (struct ras_value){.kind = RAS_BOOL, .u = 1});
}

static void make(struct place *p)
{
    *p = (struct place){.list = {&schemas[0], &schemas[1], &schemas[2]}};
    p->trace.schemas = p->list;
    p->trace.schema_count = 3;
    p->cursor.trace = &p->trace;
    p->cursor.shown = &p->cursor;
    p->cursor.record = (struct ras_record){.seq = 4,
                                           .tick = 12,
                                           .parent = 1,
                                           .offset = 100,
                                           .flags = RAS_HAS_TICK,
                                           .schema = 1,
                                           .stream = 2};
    put_uint(p, U, 5);
    put(p, I, (struct ras_value){.kind = RAS_INT, .i = -5});
    put(p, F32, (struct ras_value){.kind = RAS_F32, .f32 = 0.1f});
    put(p, F64, (struct ras_value){.kind = RAS_F64, .f64 = 5.5});
    put_text(p, S, RAS_STR, "hello");
    put_text(p, B, RAS_BLOB, "\x01\xff");
    put(p, T, (struct ras_value){.kind = RAS_BOOL, .u = 1});
    put(p, N, (struct ras_value){.kind = RAS_NULL});
    put_containers(p);
    put_uint(p, HASH, 0xabc);
    put_uint(p, BIG, UINT64_MAX);
    put(p, NAN_, (struct ras_value){.kind = RAS_F64, .f64 = (double)NAN});
    put_text(p, ODD, RAS_STR, "a field");
}

static bool holds(struct place *p, const char *text)
{
    struct ras_where *w;
    struct ras_error err = {0};
    bool matches = false;
    if (ras_where_parse(&w, text, &err) != RAS_OK)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(ras_where_begin(w, &p->trace, &err), RAS_OK);
    for (int i = 0; i < 2; i++) /* the second time everything is bound */
        assert_int_equal(ras_where_matches(w, &p->cursor, &p->cursor.record, &matches, &err),
                         RAS_OK);
    ras_where_free(w);
    return matches;
}

static void check(struct place *p, const char *const *texts, bool want)
{
    for (; *texts; texts++)
        if (holds(p, *texts) != want)
            fail_msg("%s is%s to hold", *texts, want ? "" : " not");
}

#define HOLD(...)    check(&p, (const char *const[]){__VA_ARGS__, NULL}, true)
#define NO_HOLD(...) check(&p, (const char *const[]){__VA_ARGS__, NULL}, false)

/* ---- every operator on every pair of types ----------------------------------------------- */

/* Types whose values are never equal to those of another. */
enum type { NUMBER, TEXT, BYTES, BOOLEAN, NOTHING, FLOATING_NONE };

static const struct {
    const char *text;
    enum type type;
    double rank; /* within its type */
    bool written;
} operands[] = {
    {"u", NUMBER, 5},
    {"i", NUMBER, -5},
    {"f64", NUMBER, 5.5},
    {"5", NUMBER, 5, true},
    {"-5", NUMBER, -5, true},
    {"5.5", NUMBER, 5.5, true},
    {"0x5", NUMBER, 5, true},
    {"Infinity", NUMBER, 1e300, true},
    {"5.0", NUMBER, 5, true},
    {"s", TEXT, 2},
    {"\"hello\"", TEXT, 2, true},
    {"'hello!'", TEXT, 3, true},
    {"''", TEXT, 0, true},
    {"type", TEXT, 4},
    {"b", BYTES, 2},
    {"x'01ff'", BYTES, 2, true},
    {"x\"01\"", BYTES, 1, true},
    {"t", BOOLEAN, 1},
    {"true", BOOLEAN, 1, true},
    {"false", BOOLEAN, 0, true},
    {"n", NOTHING, 0},
    {"gone", NOTHING, 0},
    {"map.gone", NOTHING, 0},
    {"list[3]", NOTHING, 0},
    {"nan", FLOATING_NONE, 0},
    {"seq", NUMBER, 4},
    {"tick", NUMBER, 12},
    {"stream", NUMBER, 2},
    {"offset", NUMBER, 100},
    {"time_ns", NOTHING, 0},
};
enum { OPERANDS = sizeof operands / sizeof *operands };

static bool expected(size_t i, size_t k, const char *op)
{
    enum type a = operands[i].type, b = operands[k].type;
    double x = operands[i].rank, y = operands[k].rank;
    if (a == NOTHING || b == NOTHING)
        return false;
    if (a != b || a == FLOATING_NONE)
        return !strcmp(op, "!=");
    if (!strcmp(op, "==") || !strcmp(op, "!="))
        return (x == y) == (op[0] == '=');
    if (a == BOOLEAN) /* equal is neither less nor greater, but <= and >= hold of equals */
        return x == y && op[1] == '=';
    return op[0] == '<' ? (op[1] ? x <= y : x < y) : (op[1] ? x >= y : x > y);
}

static void operators_on_every_pair_of_types(void **state)
{
    (void)state;
    static const char *const ops[] = {"==", "!=", "<", "<=", ">", ">="};
    struct place p;
    make(&p);
    for (size_t i = 0; i < OPERANDS; i++)
        for (size_t k = 0; k < OPERANDS; k++)
            for (size_t o = 0; o < 6; o++) {
                char text[80];
                snprintf(text, sizeof text, "%s %s %s", operands[i].text, ops[o], operands[k].text);
                if (holds(&p, text) != expected(i, k, ops[o]))
                    fail_msg("%s is%s to hold", text, expected(i, k, ops[o]) ? "" : " not");
            }
}

static void in_is_equal_to_one_of_them(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    for (size_t i = 0; i < OPERANDS; i++)
        for (size_t k = 0; k < OPERANDS; k++) {
            char text[80];
            if (!operands[k].written) /* lists hold what is written */
                continue;
            snprintf(text, sizeof text, "%s in ['no such thing', %s]", operands[i].text,
                     operands[k].text);
            assert_int_equal(holds(&p, text), expected(i, k, "=="));
        }
    HOLD("u in [1, 5]", "u in (5)", "u in 5..6", "u in [1..2, 5..6]", "i in -6..0", "s in 'h'..'i'",
         "u not in [1, 2]", "f64 in 5..6", "'x' in map", "9 in map", "7 in list", "-1 in list",
         "s in ['hello']", "8 not in list");
    NO_HOLD("u in []", "u in 4..5", "u in [1]", "gone in [1]", "gone not in [1]", "n not in [1]",
            "'q' in map", "8 in list", "5 in s", "u in gone", "'5' in [5]");
}

/* ---- exactness ------------------------------------------------------------------------------ */

static void numbers_are_exact(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    HOLD("big == 18446744073709551615", "big != 18446744073709551614",
         "big < 18446744073709551616.0", "big > 18446744073709549568.0",
         "big != 18446744073709551616.0", "i < 0.0", "i > -5.5", "i < -4.5", "i == -5.0",
         "u < 5.000001", "u > 4.999999", "i > -1e300", "u < 1e300", "big > -1", "i < big",
         "i != 18446744073709551611", "f32 == 0.1", "f32 >= 0.1", "f32 <= 0.1", "f32 < f64",
         "f32 != 0.2", "nan != nan", "nan != NaN", "u < Infinity", "i > -Infinity", "hash == 0xabc",
         "hash == '0xabc'", "'0x0000000000000abc' == hash", "hash in ['0xabc']", "u == 5ns",
         "u < 5us", "-9223372036854775808 < i");
    NO_HOLD("nan == NaN", "nan < 1", "nan >= 1", "f32 != 0.1", "f32 < 0.1", "f32 == f64",
            "u == '0x5'", "hash == '0xabd'", "s == '0xabc'", "i == 18446744073709551611",
            "big == 18446744073709551616.0");
}

/* ---- null and missing ---------------------------------------------------------------- */

static void missing_is_only_matched_by_is_missing(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    HOLD("n is null", "n == null", "null == n", "n is missing", "gone is missing",
         "u is not missing", "u is not null", "u != null", "gone is not null", "has(u)",
         "has(map.deep.y)", "not has(n)", "not has(gone)", "not has(map.deep.y.z)",
         "not has(list[9])", "not has(s[0])", "time_ns is missing", "has(tick)", "not (gone == 5)",
         "not gone", "not (n < 5)");
    NO_HOLD("gone == null", "gone != null", "gone is null", "has(n)", "n == n", "n != n",
            "n == gone", "gone == gone", "n != 5", "gone != 5", "u is missing", "u is null",
            "s ~ 'x' or n ~ ''", "gone !~ 'x'", "gone", "n");
}

/* ---- paths, words, structure --------------------------------------------------------- */

static void paths_go_into_lists_and_maps(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    HOLD("map.x == 3", "map['x'] == 3", "map.deep.y == 'z'", "map[9] == true", "list[0] == 7",
         "list[1] == -1", "list[2].x == 2.5", "values.u == 5", "values.tick == 'a field'",
         "`tick` == 'a field'", "tick == 12", "`u` == u", "map . x == 3", "parent == 1",
         "values.map.deep[\"y\"] == 'z'", "map.`x` == 3");
    NO_HOLD("list.x == 7", "map[0] == 3", "list[3] == 7", "map.deep == 'z'", "map.in == 1",
            "list == [7]", "list == [7, -1]", "s == ['hello']");
    HOLD("list != [7]", "values == 1 or u == 5");
}

static void lists_are_equal_item_by_item(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    p.cells[8].count = 2; /* [7, -1]; the cells after it belong to no requested field */
    HOLD("list == [7, -1]", "list != [7, -2]", "list != [7]", "list != [7, -1, 0]", "list != []",
         "u != [5]");
    NO_HOLD("list == [7]", "list != [7, -1]", "gone != [1]", "n != []");
}

static void and_or_not_bind_as_usual(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    HOLD("true", "not false", "not not true", "! false", "true or false and false",
         "(true or false) and true", "false or false or true", "true and true and true",
         "not false and true", "not (true and false)", "true && !false || false", "t",
         "not false or false", "u == 5 and s == 'hello' and t and not n");
    NO_HOLD("false", "not true", "(true or false) and false", "false or false", "true and false",
            "not (true or false)", "not true or false", "u", "s", "false and true or false");
}

static void a_regular_expression_is_for_text(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    HOLD("s ~ 'ell'", "s ~ '^h.*o$'", "s !~ 'x'", "s ~ ''", "type ~ '^th'", "s ~ '(?i)HELLO'",
         "map.deep.y ~ 'z'", "s ~ \"\\x65\"");
    NO_HOLD("s ~ 'x'", "s !~ 'ell'", "u ~ '5'", "u !~ '5'", "b ~ ''", "list ~ '7'", "map ~ 'x'");
}

/* A type that cannot match is known beforehand; others with the same name are tested. */
static void a_schema_without_the_field_never_matches(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    p.cursor.record.schema = 2;
    p.cursor.values.count = 2;
    HOLD("u == 5", "type == 'other'", "s is missing", "not s == 'hello'", "u == 5 or s == 'x'",
         "type == 'other' and u == 5", "type != 'thing' or gone == 3");
    NO_HOLD("s == 'hello'", "type == 'thing' and u == 5", "s != 'x' and u == 5", "type == 'thing'");
}

static void strings_have_escapes(void **state)
{
    (void)state;
    struct place p;
    make(&p);
    HOLD("s == 'hel\\x6co'", "s == 'hell\\u006f'", "s == \"hello\"", "'\\n\\r\\t\\\\\\'\\\"' != s",
         "'\\u00e9' == '\\xc3\\xa9'", "'\\u20ac' == '\\xe2\\x82\\xac'");
}

/* ---- what is wrong ------------------------------------------------------------------- */

static void refuse(const char *text, const char *why)
{
    struct ras_where *w;
    struct ras_error err = {0};
    assert_int_equal(ras_where_parse(&w, text, &err), RAS_EUSAGE);
    assert_null(w);
    assert_string_equal(err.text, why);
}

static void what_is_wrong_names_its_column(void **state)
{
    (void)state;
    refuse("", "column 1: the expression ends, expected a value");
    refuse("u = 5", "column 3: '=' is not an operator: write ==");
    refuse("u == 5 u", "column 8: expected 'and', 'or' or the end, not 'u'");
    refuse("'\xc3\xa9' == 5 u", "column 10: expected 'and', 'or' or the end, not 'u'");
    refuse("(u == 5", "column 8: the expression ends, expected ')'");
    refuse("u ==", "column 5: the expression ends, expected a value");
    refuse("u == and", "column 6: expected a value, not 'and'");
    refuse("5", "column 1: this is a value, not a condition");
    refuse("u in 5", "column 7: the expression ends, expected '..', a list or a field");
    refuse("u in [5", "column 8: the expression ends, expected ',' or ']'");
    refuse("u in [5 6]", "column 9: expected ',' or ']', not '6'");
    refuse("u in [x]", "column 7: expected a value, not 'x'");
    refuse("u not 5", "column 7: expected 'in', not '5'");
    refuse("s ~ x", "column 5: expected a regular expression between quotes, not 'x'");
    refuse("s ~ 'a)'", "column 5: character 2 of the regular expression: the ) has no (");
    refuse("s == 'x", "column 6: the ' is not closed");
    refuse("s == '\\q'",
           "column 7: unknown escape; there are: \\n \\r \\t \\0 \\\\ \\\" \\' \\xNN \\uNNNN");
    refuse("b == x'0'", "column 8: bytes are pairs of hexadecimal digits");
    refuse("b == x'00", "column 6: the ' is not closed");
    refuse("`u == 5", "column 1: the ` is not closed");
    refuse("u == 18446744073709551616", "column 6: the number does not fit 64 bits");
    refuse("u == -9223372036854775809", "column 6: the number does not fit 64 bits");
    refuse("u == 0x10000000000000000", "column 6: the number does not fit 64 bits");
    refuse("u == 0xg", "column 6: '0xg' is not a valid number");
    refuse("u == 012", "column 6: a number must not begin with 0");
    refuse("u == -3s", "column 6: '-3s' is not a valid number");
    refuse("u == - 3", "column 6: '-' is not followed by a number");
    refuse("u == 3q",
           "column 6: '3q' is not a valid time: the unit is not one of ns, us, ms, s, m, h");
    refuse("u.5 == 3", "column 3: expected a name, not '5'");
    refuse("u[x] == 3", "column 3: expected a number from 0 on or a string, not 'x'");
    refuse("u is 3", "column 6: expected 'missing' or 'null', not '3'");
    refuse("has u", "column 5: expected '(', not 'u'");
    refuse("has(5)", "column 5: expected a field, not '5'");
    refuse("u == 5 & t", "column 8: unexpected '&'");
    refuse("u \x01", "column 3: unexpected control character");
}

static void refuse_long(const char *piece, size_t times, const char *why)
{
    size_t len = strlen(piece);
    char *text = calloc(times + 1, len);
    for (size_t i = 0; i < times * len; i++)
        text[i] = piece[i % len];
    struct ras_where *w;
    struct ras_error err = {0};
    assert_true(ras_where_parse(&w, text, &err) < 0);
    assert_string_equal(err.text, why);
    free(text);
}

static void length_and_depth_are_bounded(void **state)
{
    (void)state;
    refuse_long("(", 65, "column 65: the expression is nested deeper than 64");
    refuse_long("not ", 65, "column 257: the expression is nested deeper than 64");
    refuse_long(" ", 65537, "an expression of 65537 bytes is longer than 65536");
    refuse_long("a.", 40, "column 66: the path has more than 32 steps");
    refuse_long("true and ", 7000, "column 63001: the expression ends, expected a value");
    refuse_long("x in ['a','b',", 4000, "column 15: expected a value, not 'x'");
}

static void the_names_of_fields_are_reported(void **state)
{
    (void)state;
    struct ras_where *w;
    size_t count;
    assert_int_equal(
        ras_where_parse(&w, "u == 1 or values.tick == s and tick == 3 or u.v == 2", NULL), RAS_OK);
    const char *const *names = ras_where_fields(w, &count);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "u");
    assert_string_equal(names[1], "tick");
    assert_string_equal(names[2], "s");
    ras_where_free(w);
    ras_where_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_on_every_pair_of_types),
        cmocka_unit_test(in_is_equal_to_one_of_them),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(missing_is_only_matched_by_is_missing),
        cmocka_unit_test(paths_go_into_lists_and_maps),
        cmocka_unit_test(lists_are_equal_item_by_item),
        cmocka_unit_test(and_or_not_bind_as_usual),
        cmocka_unit_test(a_regular_expression_is_for_text),
        cmocka_unit_test(a_schema_without_the_field_never_matches),
        cmocka_unit_test(strings_have_escapes),
        cmocka_unit_test(what_is_wrong_names_its_column),
        cmocka_unit_test(length_and_depth_are_bounded),
        cmocka_unit_test(the_names_of_fields_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
