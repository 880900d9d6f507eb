/* sql_test.c - traces are queried without an import: values, errors, names. */
#include "ask.h"

static void a_record_type_is_a_table(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    ask_want(a, "SELECT tick, command_count, snapshot_hash FROM frame",
             "1|0|0x1111111111111111\n2|7|0x2222222222222222\n3|1|0x3333333333333333\n");
    ask_want(a, "SELECT payload_name, coord, payload_type FROM command WHERE seq = 2",
             "Move|[3,-4]|0\n");
    ask_want(a, "SELECT idx, value FROM command_coord WHERE parent_seq = 2", "0|3\n1|-4\n");
    ask_want(a, "SELECT count(*) FROM record", "11\n");
    ask_close(a);
}

/* A u64 is stored by its bits: it joins and prints as what it is. */
static void numbers_above_2_63_keep_their_bits(void **state)
{
    (void)state;
    struct asked *a = ask_new("dial9/all_types.trc", NULL);
    ask_want(a, "SELECT f9, u64(f9), hex64(f9), f9 = 0x8000000000000000 FROM \"All\"",
             "9223372036854775808|9223372036854775808|0x8000000000000000|1\n");
    ask_want(a, "SELECT value FROM \"All_f8\"", "0x0000000000000001\n0xffffffffffffffff\n");
    ask_want(a, "SELECT f1, f2, f3, f4 FROM \"All\"", "-5|2.5|true|text\n");
    ask_close(a);
}

static void a_mistake_is_reported_at_its_place(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    assert_int_equal(ask(a, "SELECT tik FROM frame"), RAS_EUSAGE);
    assert_int_equal(a->err.offset, 7);
    assert_string_equal(a->err.text, "no such column: tik; did you mean 'tick'?");
    assert_int_equal(ask(a, "SELECT 1 FROM frames"), RAS_EUSAGE);
    assert_string_equal(a->err.text, "no such table: frames; did you mean 'frame'?");
    assert_int_equal(ask(a, "SELECT \"tik\" FROM frame"), RAS_EUSAGE);
    assert_int_equal(ask(a, "SELECT"), RAS_EUSAGE);
    ask_close(a);
}

static void blanks_and_comments_are_no_statement(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    struct ras_sql_query *query;
    const char *texts[] = {"", "  \n", "-- nothing\n", "/* nothing */", ";"};
    size_t used;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(
            ras_sql_prepare(&query, a->sql, texts[i], strlen(texts[i]), &used, &a->err), RAS_OK);
        assert_null(query);
    }
    ask_close(a);
}

static void a_quoted_name_doubles_quotes(void **state)
{
    (void)state;
    const char *pairs[][2] = {{"a", "\"a\""},     {"", "\"\""},         {"a\"b", "\"a\"\"b\""},
                              {"\"", "\"\"\"\""}, {"a;--", "\"a;--\""}, {"`", "\"`\""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *text = ras_sql_quote(pairs[i][0]);
        assert_string_equal(text, pairs[i][1]);
        free(text);
    }
}

static void an_unknown_engine_is_refused(void **state)
{
    (void)state;
    struct asked *a = ask_new(NULL, NULL);
    ask_add(a, NULL, "murk/all_payloads.murk");
    struct ras_sql_options how = {.engine = "oracle"};
    assert_int_equal(ask_open(a, &how), RAS_ENAME);
    assert_null(a->sql);
    struct ras_sql_engine_about engine;
    for (size_t i = 0; ras_sql_engine_at(i, &engine); i++) {
        how.engine = engine.name;
        int status = ask_open(a, &how);
        assert_int_equal(status, engine.missing[0] ? RAS_EUNSUPPORTED : RAS_OK);
        ras_sql_close(a->sql);
        a->sql = NULL;
    }
    ask_close(a);
}

static void statements_follow_each_other(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    struct ras_sql_query *query;
    const char *text = "SELECT 1; SELECT 2";
    size_t used;
    assert_int_equal(ras_sql_prepare(&query, a->sql, text, strlen(text), &used, &a->err), RAS_OK);
    assert_int_equal(used, 9);
    ras_sql_query_close(query);
    assert_true(ras_sql_is_complete("SELECT 1;"));
    assert_false(ras_sql_is_complete("SELECT 1"));
    assert_false(ras_sql_is_complete("SELECT ';"));
    ask_close(a);
}

/* Rows of a cut trace are those before the cut, and its ending says so. */
static void a_cut_trace_has_its_whole_records(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/cut_frame.murk", NULL);
    ask_want(a, "SELECT count(*) FROM frame", "1\n");
    assert_int_equal(ras_ending(a->traces[0]).kind, RAS_CUT);
    ask_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_type_is_a_table),
        cmocka_unit_test(numbers_above_2_63_keep_their_bits),
        cmocka_unit_test(a_mistake_is_reported_at_its_place),
        cmocka_unit_test(blanks_and_comments_are_no_statement),
        cmocka_unit_test(a_quoted_name_doubles_quotes),
        cmocka_unit_test(an_unknown_engine_is_refused),
        cmocka_unit_test(statements_follow_each_other),
        cmocka_unit_test(a_cut_trace_has_its_whole_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
