/* sqlite_engine_test.c - statements come from anybody: they read traces, and nothing else. */
#include "ask.h"

#include <unistd.h>

/* Each of these is refused, or stopped by a limit; none writes a file. */
static const char *const hostile[] = {
    "ATTACH '/tmp/rastrum-evil.db' AS evil",
    "ATTACH ':memory:' AS evil",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO '/tmp/rastrum-evil.db'",
    "PRAGMA journal_mode = WAL",
    "PRAGMA writable_schema = 1",
    "PRAGMA trusted_schema = 1",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA hard_heap_limit = 0",
    "SELECT load_extension('/tmp/evil.so')",
    "SELECT fts3_tokenizer('simple')",
    "CREATE VIRTUAL TABLE temp.x USING rastrum(0)",
    "CREATE VIRTUAL TABLE temp.x USING fts5(a)",
    "CREATE VIRTUAL TABLE temp.x USING csv(filename='/etc/passwd')",
    "CREATE TABLE main.x(a)",
    "CREATE TRIGGER temp.x AFTER INSERT ON y BEGIN SELECT 1; END",
    "INSERT INTO frame(tick) VALUES(1)",
    "INSERT INTO sqlite_schema VALUES('table','x','x',0,'')",
    "UPDATE frame SET tick = 1",
    "DELETE FROM frame",
    "DROP TABLE frame",
    "ALTER TABLE frame RENAME TO x",
    "CREATE INDEX x ON frame(tick)",
    "ANALYZE",
    "BEGIN",
    "SAVEPOINT x",
    "SELECT writefile('/tmp/rastrum-evil.db', 'x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT edit('x')",
    "SELECT length(randomblob(100000000))",
    "SELECT length(zeroblob(100000000))",
    "SELECT 'a' LIKE printf('%.10000c', '%')",
};

static void hostile_statements_are_refused(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        if (ask(a, hostile[i]) >= 0)
            fail_msg("%s: is done", hostile[i]);
    assert_int_not_equal(access("/tmp/rastrum-evil.db", F_OK), 0);
    ask_want(a, "SELECT count(*) FROM frame", "3\n"); /* the connection still works */
    ask_close(a);
}

/* What people need for their own work stays possible. */
static void temporary_tables_are_allowed(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    assert_int_equal(ask(a, "CREATE TEMP TABLE mine AS SELECT tick FROM frame"), RAS_END);
    assert_int_equal(ask(a, "CREATE TEMP VIEW seen AS SELECT * FROM mine"), RAS_END);
    ask_want(a, "SELECT sum(tick) FROM seen", "6\n");
    assert_int_equal(ask(a, "DELETE FROM mine WHERE tick = 1"), RAS_END);
    ask_want(a, "SELECT count(*) FROM mine", "2\n");
    assert_int_equal(ask(a, "DROP VIEW seen"), RAS_END);
    assert_int_equal(ask(a, "DROP TABLE mine"), RAS_END);
    assert_int_equal(ask(a, "SELECT name FROM pragma_table_info('frame')"), RAS_END);
    assert_int_equal(ask(a, "PRAGMA table_xinfo(frame)"), RAS_END);
    ask_want(a, "SELECT sum(j.value) FROM command, json_each(coord) j WHERE seq = 2", "-1\n");
    ask_close(a);
}

static void a_query_without_end_is_stopped(void **state)
{
    (void)state;
    struct ras_sql_options how = {.timeout_ms = 50};
    struct asked *a = ask_new("murk/all_payloads.murk", &how);
    const char *endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    assert_int_equal(ask(a, endless), RAS_ELIMIT);
    assert_string_equal(a->err.text, "the query ran longer than 50 ms");
    ask_want(a, "SELECT count(*) FROM frame", "3\n");
    ask_close(a);
}

static bool cancel(void *user, uint64_t done, uint64_t total)
{
    unsigned *left = user;
    (void)done;
    (void)total;
    return *left && (*left)--;
}

static void a_caller_can_cancel(void **state)
{
    (void)state;
    unsigned left = 1000;
    struct ras_sql_options how = {.progress = cancel, .user = &left};
    struct asked *a = ask_new("murk/all_payloads.murk", &how);
    left = 3;
    assert_int_equal(ask(a, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
                            " SELECT max(i) FROM n"),
                     RAS_ECANCELED);
    left = 1000;
    ask_want(a, "SELECT count(*) FROM frame", "3\n");
    ask_close(a);
}

static void memory_has_a_limit(void **state)
{
    (void)state;
    struct ras_sql_options how = {.max_memory = 8 << 20};
    struct asked *a = ask_new("murk/all_payloads.murk", &how);
    int status = ask(a, "WITH RECURSIVE n(i, t) AS (SELECT 1, zeroblob(1000000) UNION ALL"
                        " SELECT i + 1, zeroblob(1000000) FROM n WHERE i < 1000)"
                        " SELECT group_concat(hex(t)) FROM n");
    assert_true(status == RAS_EMEMORY || status == RAS_ELIMIT);
    ask_close(a);
    struct asked *b = ask_new("murk/all_payloads.murk", NULL); /* restores the limit */
    ask_close(b);
}

static void deep_and_long_statements_are_refused(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    char *text = malloc(2 << 20);
    size_t len = (size_t)snprintf(text, 64, "SELECT ");
    assert_non_null(text);
    for (int i = 0; i < 300; i++)
        len += (size_t)snprintf(text + len, 8, "(");
    len += (size_t)snprintf(text + len, 8, "1");
    for (int i = 0; i < 300; i++)
        len += (size_t)snprintf(text + len, 8, "+1)");
    assert_int_equal(ask(a, text), RAS_EUSAGE);
    memset(text, ' ', (2 << 20) - 1);
    text[(2 << 20) - 1] = 0;
    assert_int_equal(ask(a, text), RAS_ELIMIT);
    free(text);
    ask_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_statements_are_refused),
        cmocka_unit_test(temporary_tables_are_allowed),
        cmocka_unit_test(a_query_without_end_is_stopped),
        cmocka_unit_test(a_caller_can_cancel),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(deep_and_long_statements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
