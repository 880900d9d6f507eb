/* query_test.c - SQL through a view, and the tables that it lists. */
#include "viewed.h"

enum { TICKS = 10, AT = 4 };

static void a_query_has_columns_and_rows(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    struct viewed v = viewed_body(view, "/v1/sql",
                                  "SELECT tick, command_count, snapshot_hash FROM murk.frame "
                                  "ORDER BY tick DESC");
    (void)state;
    assert_int_equal(v.status, 200);
    assert_true(viewed_is(&v, "columns[0].name", "tick"));
    assert_int_equal(viewed_find(&v, "columns[0].hex")->u, false);
    assert_int_equal(viewed_find(&v, "columns[2].hex")->u, true);
    assert_int_equal(viewed_count(&v, "rows"), TICKS);
    assert_int_equal(viewed_number(&v, "rows[0][0]"), TICKS);
    assert_int_equal(viewed_find(&v, "rows[0][2]")->kind, RAS_STR);
    assert_int_equal(viewed_find(&v, "more")->u, false);
    assert_true(viewed_number(&v, "ms") > 0);
    viewed_free(&v);
    ras_view_close(view);
}

static void rows_beyond_the_limit_are_left_out(void **state)
{
    struct ras_view *view = viewed_open("golden:murk/world.murk", NULL);
    struct viewed v = viewed_body(view, "/v1/sql",
                                  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                                  "LIMIT 10001) SELECT i FROM n");
    (void)state;
    assert_int_equal(viewed_count(&v, "rows"), 10000);
    assert_int_equal(viewed_find(&v, "more")->u, true);
    viewed_free(&v);
    ras_view_close(view);
}

static void the_last_of_several_statements_is_shown(void **state)
{
    struct ras_view *view = viewed_open("golden:murk/world.murk", NULL);
    struct viewed v = viewed_body(view, "/v1/sql",
                                  "CREATE TEMP TABLE a AS SELECT 1 x UNION SELECT 2;\n"
                                  "SELECT sum(x) s FROM a; -- of both\n");
    (void)state;
    assert_int_equal(v.status, 200);
    assert_true(viewed_is(&v, "columns[0].name", "s"));
    assert_int_equal(viewed_count(&v, "rows"), 1);
    assert_int_equal(viewed_number(&v, "rows[0][0]"), 3);
    viewed_free(&v);
    ras_view_close(view);
}

static void a_mistake_is_a_sentence_with_its_place(void **state)
{
    static const struct {
        const char *sql;
        int status;
    } cases[] = {
        {"SELECT tick,\n  wrong FROM frame", 400},
        {" -- nothing\n", 400},
        {"SELECT 1; SELECT from", 400},
        {"ATTACH 'x.db' AS y", 400},
        {"DELETE FROM frame", 400},
    };
    struct ras_view *view = viewed_open("golden:murk/world.murk", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct viewed v = viewed_body(view, "/v1/sql", cases[i].sql);
        if (v.status != cases[i].status)
            print_error("%s: %d\n", cases[i].sql, v.status);
        assert_true(v.status >= 400);
        assert_true(viewed_find(&v, "error")->count > 0);
        if (!i)
            assert_true(viewed_is(&v, "error",
                                  "line 2, column 3: no such column: wrong; frame has seq, tick, "
                                  "stream, offset, parent, command_count, snapshot_hash"));
        viewed_free(&v);
    }
    ras_view_close(view);
}

static void two_runs_have_schemas_by_their_names(void **state)
{
    struct ras_view *view = viewed_open("run", "bad");
    struct viewed v = viewed_body(view, "/v1/sql",
                                  "SELECT a.tick FROM run_murk.frame a JOIN bad_murk.frame b "
                                  "USING (tick) WHERE a.snapshot_hash <> b.snapshot_hash "
                                  "ORDER BY 1 LIMIT 1");
    (void)state;
    assert_int_equal(v.status, 200);
    assert_true(viewed_number(&v, "rows[0][0]") >= AT);
    viewed_free(&v);
    v = viewed_body(view, "/v1/sql?side=1", "SELECT count(*) FROM murk.frame");
    assert_int_equal(viewed_number(&v, "rows[0][0]"), TICKS);
    viewed_free(&v);
    ras_view_close(view);
}

static void tables_are_counted(void **state)
{
    struct ras_view *view = viewed_open("run", NULL);
    struct viewed v = viewed_get(view, "/v1/tables");
    unsigned found = 0;
    (void)state;
    assert_int_equal(viewed_find(&v, "sql")->u, true);
    for (size_t i = 0; i < viewed_count(&v, "tables"); i++) {
        char path[64], sql[160];
        snprintf(path, sizeof path, "tables[%zu].rows", i);
        const struct ras_value *rows = viewed_find(&v, path);
        if (rows->kind == RAS_NULL)
            continue;
        double n = viewed_number(&v, path);
        snprintf(path, sizeof path, "tables[%zu].schema", i);
        const struct ras_value *schema = viewed_find(&v, path);
        snprintf(path, sizeof path, "tables[%zu].name", i);
        const struct ras_value *name = viewed_find(&v, path);
        snprintf(sql, sizeof sql, "SELECT count(*) FROM \"%.*s\".\"%.*s\"", (int)schema->count,
                 (const char *)schema->at, (int)name->count, (const char *)name->at);
        struct viewed counted = viewed_body(view, "/v1/sql", sql);
        if (viewed_number(&counted, "rows[0][0]") != n)
            print_error("%s: %g\n", sql, n);
        assert_true(viewed_number(&counted, "rows[0][0]") == n);
        viewed_free(&counted);
        found++;
    }
    assert_true(found > 20);
    viewed_free(&v);
    ras_view_close(view);
}

static void without_sql_it_is_refused(void **state)
{
    struct ras_view *view;
    struct ras_view_options how = {.no_threads = true};
    char path[512];
    (void)state;
    snprintf(path, sizeof path, "%s/murk/world.murk", getenv("GOLDEN"));
    assert_int_equal(ras_view_open(&view, &how, NULL), RAS_OK);
    assert_int_equal(ras_view_add(view, path, NULL, NULL), RAS_OK);
    struct viewed v = viewed_body(view, "/v1/sql", "SELECT 1");
    assert_int_equal(v.status, 409);
    assert_true(viewed_is(&v, "error", "there is no SQL here"));
    viewed_free(&v);
    v = viewed_get(view, "/v1/tables");
    assert_int_equal(viewed_find(&v, "sql")->u, false);
    assert_true(viewed_count(&v, "tables") > 1);
    viewed_free(&v);
    ras_view_close(view);
}

static int enter(void **state)
{
    if (viewed_enter(state))
        return -1;
    viewed_run("run", TICKS, 0);
    viewed_run("bad", TICKS, AT);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_has_columns_and_rows),
        cmocka_unit_test(rows_beyond_the_limit_are_left_out),
        cmocka_unit_test(the_last_of_several_statements_is_shown),
        cmocka_unit_test(a_mistake_is_a_sentence_with_its_place),
        cmocka_unit_test(two_runs_have_schemas_by_their_names),
        cmocka_unit_test(tables_are_counted),
        cmocka_unit_test(without_sql_it_is_refused),
    };
    return cmocka_run_group_tests(tests, enter, viewed_leave);
}
