/* call_nodes_test.c - call trees of a trace and of two, and verbs whose JSON goes out as it is. */
#include "viewed.h"

/* The node with this name at this depth; -1: none. */
static int find_node(const struct viewed *v, const char *name, unsigned depth)
{
    char path[48];
    for (size_t i = 0; i < viewed_count(v, "nodes"); i++) {
        snprintf(path, sizeof path, "nodes[%zu].name", i);
        const struct ras_value *text = viewed_find(v, path);
        snprintf(path, sizeof path, "nodes[%zu].depth", i);
        if (text->count == strlen(name) && !memcmp(text->at, name, text->count) &&
            viewed_number(v, path) == depth)
            return (int)i;
    }
    return -1;
}

/* As docs/commands/tree.md has it. */
static void the_tree_is_that_of_the_command(void **state)
{
    struct ras_view *view = viewed_open("golden:atf/two_threads", NULL);
    struct viewed v = viewed_get(view, "/v1/tree?src=0");
    (void)state;
    assert_int_equal(viewed_count(&v, "nodes"), 3);
    assert_true(viewed_is(&v, "unit", "ns"));
    assert_true(viewed_is(&v, "total", "140"));
    assert_true(viewed_is(&v, "nodes[0].name", "main"));
    assert_true(viewed_is(&v, "nodes[1].total", "100"));
    assert_true(viewed_is(&v, "nodes[1].self", "60"));
    assert_int_equal(viewed_number(&v, "nodes[2].count"), 4);
    assert_int_equal(viewed_number(&v, "nodes[2].parent"), viewed_number(&v, "nodes[1].id"));
    assert_null(viewed_find(&v, "nodes[0].other_count"));
    viewed_free(&v);
    v = viewed_get(view, "/v1/tree?src=0&stream=1");
    assert_true(viewed_is(&v, "total", "70"));
    viewed_free(&v);
    v = viewed_get(view, "/v1/tree?src=0&stream=7");
    assert_int_equal(v.status, 400);
    viewed_free(&v);
    ras_view_close(view);
}

static void two_trees_meet_by_path(void **state)
{
    struct ras_view *view = viewed_open("golden:atf/two_threads", "golden:atf/spans");
    struct viewed v = viewed_get(view, "/v1/tree?src=0&against=1");
    (void)state;
    int at = find_node(&v, "main", 0), only = find_node(&v, "0x0000000500000003", 0);
    assert_true(at >= 0 && only >= 0);
    char path[48];
    snprintf(path, sizeof path, "nodes[%d].other_count", at);
    assert_int_equal(viewed_number(&v, path), 0);
    snprintf(path, sizeof path, "nodes[%d].count", only);
    assert_int_equal(viewed_number(&v, path), 0);
    snprintf(path, sizeof path, "nodes[%d].other_count", only);
    assert_int_equal(viewed_number(&v, path), 1);
    assert_true(viewed_is(&v, "other_total", "10"));
    viewed_free(&v);
    ras_view_close(view);
    view = viewed_open("golden:atf/two_threads", "golden:atf/two_threads");
    v = viewed_get(view, "/v1/tree?src=0&against=1");
    assert_int_equal(viewed_count(&v, "nodes"), 3);
    assert_true(viewed_is(&v, "nodes[1].other_self", "60"));
    viewed_free(&v);
    ras_view_close(view);
}

static void samples_are_trees_by_kind(void **state)
{
    struct ras_view *view = viewed_open("golden:dial9/runtime.trc", NULL);
    struct viewed v = viewed_get(view, "/v1/tree?src=0");
    (void)state;
    assert_true(viewed_is(&v, "unit", "samples"));
    assert_int_equal(viewed_count(&v, "nodes"), 9);
    assert_true(viewed_is(&v, "nodes[0].group", "on-CPU"));
    assert_true(viewed_is(&v, "nodes[4].group", "off-CPU"));
    assert_int_equal(viewed_number(&v, "nodes[5].parent"), 0);
    viewed_free(&v);
    v = viewed_get(view, "/v1/tree?src=0&by=task");
    assert_true(viewed_is(&v, "nodes[0].group", "on-CPU, task 5"));
    viewed_free(&v);
    v = viewed_get(view, "/v1/tree?src=0&by=nobody");
    assert_int_equal(v.status, 400);
    viewed_free(&v);
    ras_view_close(view);
}

static void a_trace_without_calls_is_refused(void **state)
{
    struct ras_view *view = viewed_open("golden:murk/world.murk", NULL);
    struct viewed v = viewed_get(view, "/v1/tree?src=0");
    (void)state;
    assert_int_equal(v.status, 409);
    viewed_free(&v);
    ras_view_close(view);
}

/* Their documents are those of the commands, but for the path, which is only a name. */
static void verify_and_stats_are_those_of_the_commands(void **state)
{
    struct ras_view *view = viewed_open("golden:murk/zero_tail.murk", NULL);
    struct viewed v = viewed_get(view, "/v1/verify?src=0");
    (void)state;
    assert_true(viewed_is(&v, "path", "zero_tail.murk"));
    assert_int_equal(viewed_count(&v, "findings"), 3);
    assert_true(viewed_is(&v, "findings[0].rule", "murk.tail.zero"));
    assert_int_equal(viewed_number(&v, "findings[0].offset"), 187);
    viewed_free(&v);
    v = viewed_get(view, "/v1/stats?src=0");
    assert_true(viewed_is(&v, "format", "murk"));
    assert_non_null(viewed_find(&v, "tables"));
    viewed_free(&v);
    ras_view_close(view);
}

/* A finding has the number of the record in which it is; one of bytes that are not in a record,
 * such as a header, has none. */
static void a_finding_has_its_record(void **state)
{
    static const char *const goldens[] = {"golden:murk/lints.murk",
                                          "golden:aerogpu/marker_size.aerogputrace",
                                          "golden:dial9/batches.trc", "golden:murk/ticks_odd.murk"};
    size_t placed = 0;
    (void)state;
    for (size_t g = 0; g < sizeof goldens / sizeof *goldens; g++) {
        struct ras_view *view = viewed_open(goldens[g], NULL);
        struct viewed v = viewed_get(view, "/v1/verify?src=0");
        for (size_t i = 0; i < viewed_count(&v, "findings"); i++) {
            char path[40], uri[80];
            snprintf(path, sizeof path, "findings[%zu].seq", i);
            const struct ras_value *seq = viewed_find(&v, path);
            if (!seq)
                continue;
            snprintf(path, sizeof path, "findings[%zu].offset", i);
            double at = viewed_number(&v, path);
            snprintf(uri, sizeof uri, "/v1/record?src=0&seq=%.*s", (int)seq->count,
                     (const char *)seq->at);
            struct viewed record = viewed_get(view, uri);
            assert_int_equal(record.status, 200);
            double from = strtod(viewed_find(&record, "offset")->at, NULL);
            assert_true(at >= from);
            viewed_free(&record);
            placed++;
        }
        viewed_free(&v);
        ras_view_close(view);
    }
    assert_true(placed > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_is_that_of_the_command),
        cmocka_unit_test(a_finding_has_its_record),
        cmocka_unit_test(two_trees_meet_by_path),
        cmocka_unit_test(samples_are_trees_by_kind),
        cmocka_unit_test(a_trace_without_calls_is_refused),
        cmocka_unit_test(verify_and_stats_are_those_of_the_commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
