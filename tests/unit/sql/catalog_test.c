/* catalog_test.c - which tables there are: of one trace, of several of them together. */
#include "ask.h"

static void named_traces_have_schemas(void **state)
{
    (void)state;
    struct asked *a = ask_new(NULL, NULL);
    ask_add(a, "good", "murk/all_payloads.murk");
    ask_add(a, "bad", "murk/cut_frame.murk");
    assert_int_equal(ask_open(a, NULL), RAS_OK);
    ask_want(a, "SELECT count(*) FROM good.frame", "3\n");
    ask_want(a, "SELECT count(*) FROM bad.frame", "1\n");
    ask_want(a, "SELECT trace, count(*) FROM murk_frame GROUP BY trace ORDER BY trace",
             "bad|1\ngood|3\n");
    ask_want(a, "SELECT count(*) FROM murk_frame WHERE trace = 'bad'", "1\n");
    ask_want(a, "SELECT trace, tick FROM main.murk_frame ORDER BY seq, trace LIMIT 2",
             "bad|1\ngood|1\n");
    ask_want(a, "SELECT a.tick FROM good.frame a JOIN bad.frame b USING (tick)", "1\n");
    ask_close(a);
}

static void a_single_named_trace_is_in_main_too(void **state)
{
    (void)state;
    struct asked *a = ask_new(NULL, NULL);
    ask_add(a, "it", "murk/all_payloads.murk");
    assert_int_equal(ask_open(a, NULL), RAS_OK);
    ask_want(a, "SELECT (SELECT count(*) FROM it.frame) + count(*) FROM main.frame", "6\n");
    ask_close(a);
}

static void many_traces_have_only_tables_of_all(void **state)
{
    (void)state;
    struct asked *a = ask_new(NULL, NULL);
    size_t notes;
    for (size_t i = 0; i < 11; i++)
        ask_add(a, NULL, "murk/all_payloads.murk");
    assert_int_equal(ask_open(a, NULL), RAS_OK);
    ask_want(a, "SELECT count(*), count(DISTINCT trace) FROM murk_frame", "33|11\n");
    assert_int_equal(ask(a, "SELECT 1 FROM t1.frame"), RAS_EUSAGE);
    ras_sql_notes(a->sql, &notes);
    assert_int_equal(notes, 1);
    ask_close(a);
}

static void names_must_differ(void **state)
{
    (void)state;
    const char *const pairs[][2] = {{"a", "A"}, {"a", "main"}, {"temp", "b"}, {"t2", NULL}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct asked *a = ask_new(NULL, NULL);
        ask_add(a, pairs[i][0], "murk/all_payloads.murk");
        ask_add(a, pairs[i][1], "murk/all_payloads.murk");
        assert_int_equal(ask_open(a, NULL), RAS_EUSAGE);
        ask_close(a);
    }
}

/* Traces of one format whose types differ: a column that one of them lacks is NULL there. */
static void tables_of_several_traces_have_all_columns(void **state)
{
    (void)state;
    struct asked *a = ask_new(NULL, NULL);
    ask_add(a, "a", "dial9/all_types.trc");
    ask_add(a, "b", "dial9/clock.trc");
    assert_int_equal(ask_open(a, NULL), RAS_OK);
    ask_want(a, "SELECT trace, f1 FROM \"dial9_All\"", "a|-5\n");
    ask_want(a, "SELECT count(DISTINCT trace) FROM dial9_record", "2\n");
    ask_close(a);
}

static void nothing_to_query_is_an_error(void **state)
{
    (void)state;
    struct asked *a = ask_new(NULL, NULL);
    assert_int_equal(ask_open(a, NULL), RAS_EUSAGE);
    ask_close(a);
}

static void tables_are_listed(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    const struct ras_sql_table *t;
    size_t found = 0;
    for (size_t i = 0; (t = ras_sql_table_at(a->sql, i)); i++)
        if (!strcmp(t->name, "command")) {
            found++;
            assert_string_equal(t->schema, "main");
            assert_string_equal(t->columns[0].name, "seq");
            assert_string_equal(ras_sql_type(&t->columns[0]), "UBIGINT");
        }
    assert_int_equal(found, 1);
    ask_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_traces_have_schemas),
        cmocka_unit_test(a_single_named_trace_is_in_main_too),
        cmocka_unit_test(many_traces_have_only_tables_of_all),
        cmocka_unit_test(names_must_differ),
        cmocka_unit_test(tables_of_several_traces_have_all_columns),
        cmocka_unit_test(nothing_to_query_is_an_error),
        cmocka_unit_test(tables_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
