/* sqlite_module_test.c - what is read does not depend on who checks conditions, groups and joins.
 */
#include "ask.h"

static const char *const questions[] = {
    "SELECT seq, tick FROM command WHERE tick = 2",
    "SELECT seq, tick FROM command WHERE tick = '2'",
    "SELECT seq, tick FROM command WHERE tick = 2.0",
    "SELECT seq, tick FROM command WHERE tick < 2.5",
    "SELECT seq, tick FROM command WHERE tick = NULL",
    "SELECT seq, tick FROM command WHERE tick IS NULL",
    "SELECT seq, tick FROM command WHERE tick > 2 AND seq < 100",
    "SELECT seq FROM command WHERE seq BETWEEN 3 AND 5",
    "SELECT seq FROM command WHERE seq >= 3 AND seq > 4",
    "SELECT seq FROM command WHERE seq > -1",
    "SELECT seq FROM command WHERE seq > 5 AND seq < 3",
    "SELECT seq FROM command WHERE seq IN (2, 3, 900, NULL)",
    "SELECT seq FROM command WHERE seq IN ('3', 4)",
    "SELECT seq FROM command WHERE seq NOT IN (2, 3)",
    "SELECT seq FROM command WHERE source_id IS NOT NULL",
    "SELECT seq FROM command WHERE source_id IS NULL",
    "SELECT seq FROM command WHERE source_id <> 0",
    "SELECT seq FROM command WHERE payload_name = 'Move'",
    "SELECT seq FROM command WHERE payload_name = 'move'",
    "SELECT seq FROM command WHERE payload_name = 'move' COLLATE NOCASE",
    "SELECT seq FROM command WHERE payload_name IN ('Move', 'Spawn')",
    "SELECT seq FROM command WHERE value > 1",
    "SELECT hex64(snapshot_hash) FROM frame WHERE snapshot_hash = 0x1111111111111111",
    "SELECT seq FROM command ORDER BY seq",
    "SELECT seq FROM command ORDER BY seq DESC",
    "SELECT seq FROM command ORDER BY tick, seq LIMIT 3 OFFSET 2",
    "SELECT payload_name, count(*) FROM command GROUP BY payload_name",
    "SELECT payload_name, count(*) FROM command GROUP BY payload_name ORDER BY payload_name",
    "SELECT payload_name, count(*) FROM command GROUP BY payload_name ORDER BY payload_name DESC",
    "SELECT payload_name, count(*) n FROM command GROUP BY 1 ORDER BY n DESC, 1",
    "SELECT source_id, count(*) FROM command GROUP BY source_id ORDER BY source_id",
    "SELECT source_id, count(*) FROM command GROUP BY source_id ORDER BY source_id DESC",
    "SELECT source_id, tick, count(*), min(payload_name) FROM command GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT source_id, tick, count(*) FROM command GROUP BY 1, 2 ORDER BY 1 DESC, 2",
    "SELECT DISTINCT source_id FROM command ORDER BY 1",
    "SELECT DISTINCT tick, priority_class FROM command ORDER BY 2 DESC, 1",
    "SELECT count(DISTINCT payload_name) FROM command",
    "SELECT tick, count(*) FROM command WHERE payload_name <> 'Move' GROUP BY tick HAVING"
    " count(*) > 1 ORDER BY tick",
    "SELECT f.tick, count(c.seq) FROM frame f LEFT JOIN command c ON c.tick = f.tick GROUP BY 1"
    " ORDER BY 1",
    "SELECT f.tick, c.payload_name, x.value FROM frame f JOIN command c ON c.parent = f.seq JOIN"
    " command_coord x ON x.parent_seq = c.seq AND x.idx = 0 ORDER BY c.seq",
    "SELECT f.tick, (SELECT group_concat(payload_name) FROM command c WHERE c.tick = f.tick)"
    " FROM frame f",
    "SELECT a.seq, b.seq FROM command a JOIN command b ON a.payload_name = b.payload_name AND"
    " a.seq < b.seq ORDER BY 1, 2",
    "SELECT a.seq, b.seq FROM command a, command b WHERE b.seq > a.seq AND b.seq < a.seq + 3"
    " ORDER BY 1, 2",
    "SELECT f.tick FROM frame f WHERE NOT EXISTS (SELECT 1 FROM command c WHERE c.tick = f.tick)",
    "SELECT max(payload_name), min(payload_name) FROM command",
    "SELECT tick_id FROM frame WHERE tick_id = 3",
    "SELECT a.tick FROM frame a LEFT JOIN command b ON a.tick = b.source_id ORDER BY a.tick",
    "SELECT lag(seq) OVER (PARTITION BY tick ORDER BY seq) FROM command ORDER BY seq",
    "SELECT payload_name, data, params, field_values FROM command ORDER BY seq",
};

static void answers_are_the_same_without_our_help(void **state)
{
    (void)state;
    const struct ras_sql_options plain = {
        .no_grouping = true, .no_lookup = true, .no_push_down = true};
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    struct asked *b = ask_new("murk/all_payloads.murk", &plain);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        if (ask(a, questions[i]) != RAS_END || ask(b, questions[i]) != RAS_END)
            fail_msg("%s: %s%s", questions[i], a->err.text, b->err.text);
        if (strcmp(a->text, b->text) != 0)
            fail_msg("%s:\n%snot\n%s", questions[i], a->text, b->text);
    }
    ask_close(a);
    ask_close(b);
}

/* SQLite drops an ORDER BY that repeats the GROUP BY: groups must come sorted. */
static void groups_come_in_the_order_of_their_keys(void **state)
{
    (void)state;
    struct asked *a = ask_new("murk/all_payloads.murk", NULL);
    ask_want(a, "SELECT source_id, count(*) FROM command GROUP BY source_id ORDER BY source_id",
             "NULL|2\n0|1\n2|1\n3|1\n4|1\n5|1\n6|1\n");
    ask_want(a,
             "SELECT source_id, count(*) FROM command GROUP BY source_id ORDER BY source_id DESC",
             "6|1\n5|1\n4|1\n3|1\n2|1\n0|1\nNULL|2\n");
    assert_int_equal(
        ask(a, "EXPLAIN QUERY PLAN SELECT payload_name, count(*) FROM command GROUP BY 1"),
        RAS_END);
    assert_non_null(strstr(a->text, "GROUPED BY payload_name"));
    assert_null(strstr(a->text, "TEMP B-TREE"));
    ask_close(a);
}

/* Too many rows to group in memory: SQLite's sorter does it, and the answer is the same. */
static void grouping_falls_back_when_memory_is_short(void **state)
{
    (void)state;
    struct ras_sql_options little = {.max_memory = 3 << 19};
    const char *text = "SELECT source_id, count(*) FROM command GROUP BY 1 ORDER BY 1 LIMIT 3";
    struct asked *a = ask_new("murk/big-steady.murk", NULL);
    assert_int_equal(ask(a, text), RAS_END);
    char *want = strdup(a->text);
    ask_close(a);
    a = ask_new("murk/big-steady.murk", &little);
    ask_want(a, text, want);
    free(want);
    ask_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_without_our_help),
        cmocka_unit_test(groups_come_in_the_order_of_their_keys),
        cmocka_unit_test(grouping_falls_back_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
