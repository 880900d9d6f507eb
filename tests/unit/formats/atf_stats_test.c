/* atf_stats_test.c - functions and call trees of made sessions, compared with a count by hand. */
#include "../figures.h"
#include "../tree.h"

static struct script a, b;

static struct ras_stats *stats_of(struct session *m)
{
    struct ras_stats *s;
    assert_int_equal(ras_stats(&s, m->trace, NULL, NULL), RAS_OK);
    return s;
}

static struct ras_stats *tree_of(struct session *m, const struct ras_tree_options *how)
{
    struct ras_stats *s;
    assert_int_equal(ras_tree(&s, m->trace, how, NULL), RAS_OK);
    return s;
}

/* Two threads of few functions that recurse: as counted by hand, together and each. */
static void functions_of_any_trees(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 20; seed++) {
        uint32_t random = seed;
        const struct script *threads[2] = {&a, &b};
        struct session m;
        make_tree(&a, &random, 80, 6);
        make_tree(&b, &random, 120, 6);
        record(&m, threads, 2, 0, true);
        struct ras_stats *s = stats_of(&m);
        for (uint64_t f = 1; f <= 6; f++) {
            char name[16];
            const struct cost p = cost_of(&a, f), q = cost_of(&b, f);
            snprintf(name, sizeof name, "f%d", (int)f);
            assert_int_equal(figures_uint(s, "functions", name, "count"), p.count + q.count);
            assert_int_equal(figures_uint(s, "functions", name, "total_ns"),
                             p.total_ns + q.total_ns);
            assert_int_equal(figures_uint(s, "functions", name, "self_ns"), p.self_ns + q.self_ns);
            assert_int_equal(figures_uint(s, "functions", name, "unfinished"), 0);
        }
        const struct ras_value *rows = figures_rows(s, "functions_by_thread");
        assert_int_equal(rows->count, 2 * 6 * 12);
        for (const struct ras_value *r = rows + 1; r < figures_next(rows); r = figures_next(r)) {
            uint64_t f = strtoull((const char *)r[2].at + 1, NULL, 10);
            const struct cost c = cost_of(r[1].u ? &b : &a, f);
            assert_int_equal(r[4].u, c.count);
            assert_int_equal(r[5].u, c.total_ns);
            assert_int_equal(r[6].u, c.self_ns);
        }
        ras_stats_free(s);
        forget(&m);
    }
}

/* Durations 10, 20, ... of one function: nearest ranks. */
static void percentiles_of_a_function(void **state)
{
    (void)state;
    const struct script *threads[] = {&a};
    struct session m;
    a = (struct script){.count = 0};
    uint64_t at = 1000;
    for (uint64_t i = 1; i <= 100; i++) {
        add(&a, 7, RAS_ATF_CALL, 1);
        a.steps[a.count - 1].event.timestamp_ns = at;
        add(&a, 7, RAS_ATF_RETURN, 1);
        a.steps[a.count - 1].event.timestamp_ns = at += 10 * i;
    }
    record(&m, threads, 1, 0, true);
    struct ras_stats *s = stats_of(&m);
    assert_int_equal(figures_uint(s, "functions", "f7", "p50_ns"), 500);
    assert_int_equal(figures_uint(s, "functions", "f7", "p95_ns"), 950);
    assert_int_equal(figures_uint(s, "functions", "f7", "p99_ns"), 990);
    assert_int_equal(figures_uint(s, "functions", "f7", "max_ns"), 1000);
    assert_int_equal(figures_uint(s, "threads", "0", "busy_ns"), 50500);
    ras_stats_free(s);
    forget(&m);
}

/* `count` calls of a function in a thread, which take 1 to 1000 ns in turn. */
static void put_calls(struct ras_atf_session_writer *s, uint32_t thread, uint64_t function,
                      size_t count)
{
    struct ras_atf_writer *w;
    uint64_t at = 1000;
    assert_int_equal(ras_atf_session_writer_thread(s, thread, &w, NULL), RAS_OK);
    for (size_t i = 0; i < count; i++) {
        struct step call = {.event = {.timestamp_ns = at,
                                      .function_id = function,
                                      .event_kind = RAS_ATF_CALL,
                                      .thread_id = thread,
                                      .call_depth = 1}};
        put_step(w, &call);
        call.event.event_kind = RAS_ATF_RETURN;
        call.event.timestamp_ns = at += 1 + i % 1000;
        put_step(w, &call);
    }
}

/* More calls than are kept one by one: percentiles are those of all threads together, whichever of
 * the threads has more of them than that by itself. */
static void percentiles_of_more_calls_than_are_kept(void **state)
{
    (void)state;
    static const size_t in_first[] = {40000, 70000}, in_second = 30000;
    for (int i = 0; i < 2; i++) {
        struct ras_atf_session_writer *w;
        struct ras_atf_session_options how = {.header.arch = RAS_ATF_X86_64};
        const struct ras_atf_manifest manifest = {.format_version = ""};
        const char *f = "0x0000000000000007";
        struct session m;
        size_t parts;
        assert_int_equal(ras_folder_memory(&m.folder, NULL), RAS_OK);
        assert_int_equal(ras_atf_session_writer_open(&w, m.folder, &how, NULL), RAS_OK);
        put_calls(w, 0, 7, in_first[i]);
        put_calls(w, 1, 7, in_second);
        assert_int_equal(ras_atf_session_writer_finalize(w, &manifest, NULL), RAS_OK);
        assert_int_equal(ras_atf_session_writer_close(w, NULL), RAS_OK);
        const struct ras_part *at = ras_folder_parts(m.folder, &parts);
        assert_int_equal(ras_open_parts(&m.trace, at, parts, NULL, NULL), RAS_OK);
        struct ras_stats *s = stats_of(&m);
        assert_int_equal(figures_uint(s, "functions", f, "count"), in_first[i] + in_second);
        assert_int_equal(figures_uint(s, "functions", f, "total_ns"),
                         (in_first[i] + in_second) / 1000 * 500500);
        assert_in_range(figures_uint(s, "functions", f, "p50_ns"), 498, 502);
        assert_in_range(figures_uint(s, "functions", f, "p99_ns"), 986, 994);
        assert_int_equal(figures_uint(s, "functions", f, "max_ns"), 1000);
        assert_true(figures_cover(s, "functions", "within 0.4 %"));
        ras_stats_free(s);
        forget(&m);
    }
}

/* f1 is left without a return, f3 never returns, f9 returns without a call. */
static void unmatched_calls_are_explained(void **state)
{
    (void)state;
    const struct script *threads[] = {&a};
    struct session m;
    a = (struct script){.count = 0};
    add(&a, 9, RAS_ATF_RETURN, 5);
    add(&a, 1, RAS_ATF_CALL, 2);
    add(&a, 2, RAS_ATF_CALL, 1);
    add(&a, 2, RAS_ATF_EXCEPTION, 1);
    add(&a, 3, RAS_ATF_CALL, 1);
    record(&m, threads, 1, 0, true);
    struct ras_stats *s = stats_of(&m);
    static const char *const reasons[] = {"exception", "unwind", "process_exit", "no_call"};
    static const char *const examples[] = {"f2", "f1", "f3", "f9"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(figures_uint(s, "unmatched", reasons[i], "count"), 1);
        assert_true(text_is(figures_cell(s, "unmatched", reasons[i], "example"), examples[i]));
    }
    assert_true(figures_cover(s, "unmatched", "3 of 4 spans without an end"));
    assert_int_equal(figures_uint(s, "functions", "f2", "total_ns"), 10);
    assert_int_equal(figures_cell(s, "functions", "f3", "p50_ns")->kind, RAS_NULL);
    ras_stats_free(s);
    forget(&m);
}

/* The total of a row is its own and that of the rows below it. */
static void a_node_is_itself_and_what_is_below(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 20; seed++) {
        uint32_t random = seed;
        const struct script *threads[2] = {&a, &b};
        struct session m;
        make_tree(&a, &random, 200, 4);
        make_tree(&b, &random, 100, 4);
        record(&m, threads, 2, 0, true);
        for (int way = 0; way < 4; way++) {
            const struct ras_tree_options how = {
                .by_thread = way & 1, .fold_recursion = way & 2, .sort = (enum ras_tree_sort)way};
            struct ras_stats *s = tree_of(&m, &how);
            const struct ras_value *rows = figures_rows(s, "tree"), *end = figures_next(rows);
            uint64_t calls = 0;
            for (const struct ras_value *r = rows + 1; r < end; r += WIDTH) {
                uint64_t below = r[SELF].u;
                for (const struct ras_value *k = r + WIDTH; k < end && k[DEPTH].u > r[DEPTH].u;
                     k += WIDTH)
                    below += k[DEPTH].u == r[DEPTH].u + 1 ? k[TOTAL].u : 0;
                assert_int_equal(r[TOTAL].u, below);
                calls += r[COUNT].u;
            }
            assert_int_equal(calls, 300);
            ras_stats_free(s);
        }
        forget(&m);
    }
}

/* A recursion of a thousand levels is one line when it is folded. */
static void recursion_is_folded(void **state)
{
    (void)state;
    enum { DEEP = 900 };
    const struct script *threads[] = {&a};
    struct session m;
    a = (struct script){.count = 0};
    add(&a, 1, RAS_ATF_CALL, 1);
    for (uint32_t i = 0; i < DEEP; i++)
        add(&a, 2, RAS_ATF_CALL, 2 + i);
    for (uint32_t i = DEEP; i--;)
        add(&a, 2, RAS_ATF_RETURN, 2 + i);
    add(&a, 1, RAS_ATF_RETURN, 1);
    record(&m, threads, 1, 0, true);
    struct ras_stats *s = tree_of(&m, NULL);
    assert_int_equal(figures_rows(s, "tree")->count, (DEEP + 1) * WIDTH);
    ras_stats_free(s);
    s = tree_of(&m, &(struct ras_tree_options){.fold_recursion = true});
    const struct ras_value *rows = figures_rows(s, "tree");
    assert_int_equal(rows->count, 2 * WIDTH);
    assert_int_equal(rows[1 + WIDTH + COUNT].u, DEEP);
    assert_int_equal(rows[1 + WIDTH + TOTAL].u, 10 * (2 * DEEP - 1));
    assert_int_equal(rows[1 + WIDTH + SELF].u, 10 * (2 * DEEP - 1));
    ras_stats_free(s);
    s = tree_of(&m, &(struct ras_tree_options){.depth = 3});
    rows = figures_rows(s, "tree");
    assert_int_equal(rows->count, 3 * WIDTH);
    assert_int_equal(rows[1 + 2 * WIDTH + HIDDEN].u, 1);
    ras_stats_free(s);
    forget(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_any_trees),
        cmocka_unit_test(percentiles_of_a_function),
        cmocka_unit_test(percentiles_of_more_calls_than_are_kept),
        cmocka_unit_test(unmatched_calls_are_explained),
        cmocka_unit_test(a_node_is_itself_and_what_is_below),
        cmocka_unit_test(recursion_is_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
