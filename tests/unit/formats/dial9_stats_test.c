/* dial9_stats_test.c - synthetic runs of a runtime: each analysis reports what was put in. */
#include "../figures.h"
#include "../runtime.h"

/* The stats of what was written; the trace is closed. */
static struct ras_stats *stats_of(struct ras_dial9_writer *w, const struct ras_stats_options *how)
{
    struct ras_bytes bytes = ras_dial9_writer_bytes(w);
    struct ras_trace *t;
    struct ras_stats *s;
    struct ras_error err = {0};
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, &err), RAS_OK);
    int status = ras_stats(&s, t, how, &err);
    if (status < 0)
        print_message("%s\n", err.text);
    assert_int_equal(status, RAS_OK);
    ras_close(t);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
    return s;
}

static struct ras_stats *made(const struct made *m, size_t count)
{
    struct ras_dial9_writer *w = writer();
    for (size_t i = 0; i < count; i++)
        put(w, &m[i]);
    return stats_of(w, NULL);
}

#define MADE(...)                                                                                  \
    made((const struct made[]){__VA_ARGS__},                                                       \
         sizeof((const struct made[]){__VA_ARGS__}) / sizeof(struct made))

static void expect(const struct ras_stats *s, const char *table, const char *row,
                   const char *column, uint64_t value)
{
    uint64_t got = figures_uint(s, table, row, column);
    if (got != value)
        print_message("%s %s %s\n", table, row, column);
    assert_int_equal(got, value);
}

/* ---- polls and delays ------------------------------------------------------------------ */

static void a_wake_inside_a_poll_counts_from_its_end(void **state)
{
    (void)state;
    struct ras_stats *s =
        MADE({100, WAKE, 5}, {150, START, 0, 5, 1}, {160, WAKE, 5}, {200, END, 0},
             {230, START, 0, 5, 1}, {240, END, 0}, {300, START, 0, 5, 1}, {310, END, 0});
    expect(s, "scheduling_delays", "wake to poll", "count", 3);
    expect(s, "scheduling_delays", "wake to poll", "min_ns", 30);
    expect(s, "scheduling_delays", "wake to poll", "max_ns", 100);
    expect(s, "scheduling_delays", "wake to poll", "total_ns", 180);
    ras_stats_free(s);
}

static void delays_without_a_wake_or_of_a_second_do_not_count(void **state)
{
    (void)state;
    struct ras_stats *s =
        MADE({90, START, 0, 4, 1}, {95, END, 0}, {100, WAKE, 5}, {1000000100, START, 0, 5, 1},
             {1000000200, END, 0}, {1000000300, START, 0, 0, 1}, {1000000400, END, 0},
             {1000000500, WAKE, 5}, {1000000500, START, 0, 5, 1}, {1000000600, END, 0});
    expect(s, "scheduling_delays", "wake to poll", "count", 0);
    assert_true(figures_cover(s, "scheduling_delays",
                              "0 of 4 polls; not for 1 without a wake, 1 of no known task, 1 at"
                              " once, 1 after a second or more"));
    ras_stats_free(s);
}

/* The end of a poll is recorded when the task already runs elsewhere. */
static void a_poll_that_ends_late_adds_no_delay(void **state)
{
    (void)state;
    struct ras_stats *s = MADE({100, WAKE, 5}, {110, START, 0, 5, 1}, {120, WAKE, 5},
                               {130, START, 1, 5, 1}, {140, END, 0}, {150, END, 1});
    expect(s, "scheduling_delays", "wake to poll", "count", 1);
    expect(s, "scheduling_delays", "wake to poll", "max_ns", 10);
    assert_true(figures_cover(s, "scheduling_delays", "1 at once"));
    ras_stats_free(s);
}

static void a_poll_without_an_end_is_left_out(void **state)
{
    (void)state;
    struct ras_stats *s = MADE({100, END, 0}, {110, START, 0, 5, 1}, {120, START, 0, 6, 1},
                               {150, END, 0}, {160, START, 0, 6, 1});
    expect(s, "polls", "0", "count", 1);
    expect(s, "polls", "0", "max_ns", 30);
    expect(s, "workers", "0", "polls_unended", 2);
    expect(s, "workers", "0", "ends_unbegun", 1);
    ras_stats_free(s);
}

static void parks_and_what_lies_between(void **state)
{
    (void)state;
    struct ras_stats *s = MADE({100, UNPARK, 3, 1000, 9}, {200, PARK, 3, 1050, 9},
                               {500, UNPARK, 3, 1060, 9}, {500, PARK, 3, 1060, 9}, {900, QUEUE, 2});
    expect(s, "active_periods", "3", "count", 2);
    expect(s, "active_periods", "3", "total_ns", 100);
    expect(s, "parks", "3", "count", 2);
    expect(s, "parks", "3", "total_ns", 700); /* the last one until the end */
    assert_true(figures_cell(s, "workers", "3", "cpu_ratio")->f64 == 0.75);
    assert_true(figures_cell(s, "workers", "3", "utilization_percent")->f64 == 12.5);
    ras_stats_free(s);
}

/* ---- samples --------------------------------------------------------------------------- */

static void samples_belong_to_the_poll_they_fall_in(void **state)
{
    (void)state;
    struct ras_stats *s =
        MADE({50, PARK, 0, 0, 70}, {100, START, 0, 5, 1}, {200, END, 0}, {300, START, 0, 5, 1},
             {400, END, 0}, {100, SAMPLE, 0, 0, 70}, {200, SAMPLE, 0, 1, 70},
             {250, SAMPLE, 0, 1, 70}, {350, SAMPLE, 255, 1, 70}, {360, SAMPLE, 255, 1, 71});
    expect(s, "summary", "polls_with_on_cpu_samples", "value", 1);
    expect(s, "summary", "polls_with_off_cpu_samples", "value", 2);
    expect(s, "points_of_interest", "cpu-sampled (polls with a sample)", "count", 2);
    expect(s, "cpu_samples", "off-CPU", "in_poll", 2);
    expect(s, "cpu_samples", "off-CPU", "outside", 2);
    assert_true(
        figures_cover(s, "cpu_samples", "1 samples found their worker by thread id, 1 none"));
    ras_stats_free(s);
}

/* ---- tasks and spans ------------------------------------------------------------------- */

static void tasks_are_counted_as_sets_too(void **state)
{
    (void)state;
    struct ras_stats *s = MADE({10, TERMINATE, 99}, {20, SPAWN, 1, 7}, {30, SPAWN, 2, 7},
                               {40, TERMINATE, 98}, {90, TERMINATE, 1});
    expect(s, "summary", "active_tasks_peak", "value", 2);
    expect(s, "summary", "active_tasks_last", "value", 0);
    expect(s, "summary", "tasks_alive_at_end", "value", 1);
    expect(s, "tasks", "text 7", "spawned", 2);
    expect(s, "tasks", "text 7", "terminated", 1);
    expect(s, "tasks", "text 7", "max_ns", 70);
    assert_true(figures_cover(s, "tasks", "2 that ended were spawned before the trace"));
    ras_stats_free(s);
}

static void spans_have_segments_and_ids_come_again(void **state)
{
    (void)state;
    struct ras_stats *s = MADE({10, ENTER, 1, NONE, 3}, {12, ENTER, 1, NONE, 3}, {20, EXIT, 1},
                               {40, ENTER, 1, NONE, 3}, {45, EXIT, 1}, {50, CLOSE, 1},
                               {60, ENTER, 1, NONE, 3}, {61, EXIT, 1}, {62, CLOSE, 1});
    expect(s, "spans", "text 3", "count", 2);
    expect(s, "spans", "text 3", "max_ns", 35);
    expect(s, "span_active", "text 3", "max_ns", 15);
    expect(s, "span_segments", "text 3", "count", 3);
    expect(s, "summary", "spans_unmatched", "value", 0);
    assert_true(figures_cover(s, "spans", "1 entered again while open"));
    ras_stats_free(s);
}

static void unmatched_spans_are_counted_by_kind(void **state)
{
    (void)state;
    struct ras_stats *s = MADE({5, EXIT, 8}, {6, CLOSE, 9}, {10, ENTER, 1, 1, 3},
                               {11, ENTER, 2, 1, 3}, {12, ENTER, 3, 2, 4}, {20, EXIT, 3});
    expect(s, "summary", "spans", "value", 3);
    expect(s, "summary", "spans_unmatched", "value", 3);
    expect(s, "summary", "span_depth_max", "value", 2);
    expect(s, "spans", "text 4", "count", 1);
    assert_true(figures_cover(s, "spans",
                              "1 exit without an enter, 2 spans never left; 3 not closed, 1 closed"
                              " that began before the trace"));
    assert_true(figures_cover(s, "spans", "1 with a parent that is not there"));
    ras_stats_free(s);
}

/* ---- order ------------------------------------------------------------------------------ */

static char *json_of(struct ras_stats *s)
{
    struct ras_sink *sink;
    struct ras_trace *t;
    static const uint8_t header[] = {'T', 'R', 'C', 0, 1};
    assert_int_equal(ras_open_memory(&t, header, sizeof header, NULL, NULL), RAS_OK);
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_stats_json(sink, "x", t, s, NULL), RAS_OK);
    struct ras_bytes bytes = ras_sink_bytes(sink);
    char *text = calloc(bytes.len + 1, 1);
    assert_non_null(text);
    memcpy(text, bytes.at, bytes.len);
    ras_sink_drop(sink);
    ras_close(t);
    ras_stats_free(s);
    return text;
}

/* The same events, their batches in any order: the same figures. */
static void the_order_of_batches_does_not_matter(void **state)
{
    (void)state;
    enum { EACH = 3000, PIECES = 4, WAYS = 4 };
    static const unsigned ways[WAYS][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};
    static const char *const tables[] = {"summary",       "polls", "scheduling_delays", "spans",
                                         "span_segments", "wakes", "polls_by_location"};
    const struct ras_stats_options how = {.tables = tables, .table_count = 7};
    char *first = NULL;
    for (int way = 0; way < WAYS; way++) {
        struct ras_dial9_writer *w = writer();
        for (unsigned i = 0; i < 4 * PIECES; i++) {
            unsigned thread = ways[way][i % 4], piece = way % 2 ? PIECES - 1 - i / 4 : i / 4;
            put_thread(w, thread, piece * EACH, (piece + 1) * EACH);
            assert_int_equal(ras_dial9_writer_batch(w, NULL), RAS_OK);
        }
        char *text = json_of(stats_of(w, &how));
        if (first)
            assert_string_equal(text, first);
        else
            first = strdup(text);
        free(text);
    }
    assert_non_null(strstr(first, "percentiles are exact"));
    assert_null(strstr(first, "out of order"));
    free(first);
}

static void beyond_so_many_values_percentiles_are_near(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = writer();
    for (uint64_t i = 0; i < 70000; i++) {
        put(w, &(struct made){10 * i, START, 0, 5, 1});
        put(w, &(struct made){10 * i + 1 + i % 7, END, 0, 0, 0});
    }
    struct ras_stats *s = stats_of(w, NULL);
    expect(s, "polls", "0", "count", 70000);
    expect(s, "polls", "0", "p50_ns", 4);
    expect(s, "polls", "0", "total_ns", 280000);
    assert_true(figures_cover(s, "polls", "within 0.4 %"));
    ras_stats_free(s);
}

/* A trace that is cut anywhere, or has a byte changed, is measured as far as it can be read. */
static void any_cut_and_any_change_is_measured(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = writer();
    put_thread(w, 0, 0, 2);
    assert_int_equal(ras_dial9_writer_batch(w, NULL), RAS_OK);
    put_thread(w, 1, 0, 2);
    struct ras_bytes bytes = ras_dial9_writer_bytes(w);
    uint8_t *copy = malloc(bytes.len);
    assert_non_null(copy);
    memcpy(copy, bytes.at, bytes.len);
    for (size_t i = 0; i < 2 * bytes.len; i++) {
        size_t at = i / 2, size = i % 2 ? bytes.len : at;
        copy[at] ^= i % 2 ? 0x41 : 0;
        struct ras_trace *t;
        struct ras_stats *s;
        if (ras_open_memory(&t, copy, size, NULL, NULL) == RAS_OK) {
            assert_int_equal(ras_stats(&s, t, NULL, NULL), RAS_OK);
            assert_true(s->ending.kind != RAS_OPEN_END);
            ras_stats_free(s);
        }
        ras_close(t);
        copy[at] ^= i % 2 ? 0x41 : 0;
    }
    free(copy);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

/* Fields that an older or newer recorder has otherwise. */
static void an_event_that_lacks_a_field_is_not_measured(void **state)
{
    (void)state;
    static const struct ras_dial9_field field = {"worker", V};
    static const struct ras_dial9_schema lacking = {"PollStartEvent", &field, 1, true};
    struct ras_dial9_writer *w = writer();
    struct ras_dial9_value value = {.type = V, .u = 3};
    uint16_t id;
    assert_int_equal(ras_dial9_writer_schema(w, &lacking, &id, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(w, id, 10, &value, 1, NULL), RAS_OK);
    struct ras_stats *s = stats_of(w, NULL);
    expect(s, "summary", "workers", "value", 0);
    expect(s, "summary", "custom_events", "value", 1);
    assert_true(figures_cover(s, "summary", "lack fields"));
    assert_true(figures_cover(s, "polls", "not measurable"));
    ras_stats_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wake_inside_a_poll_counts_from_its_end),
        cmocka_unit_test(delays_without_a_wake_or_of_a_second_do_not_count),
        cmocka_unit_test(a_poll_that_ends_late_adds_no_delay),
        cmocka_unit_test(a_poll_without_an_end_is_left_out),
        cmocka_unit_test(parks_and_what_lies_between),
        cmocka_unit_test(samples_belong_to_the_poll_they_fall_in),
        cmocka_unit_test(tasks_are_counted_as_sets_too),
        cmocka_unit_test(spans_have_segments_and_ids_come_again),
        cmocka_unit_test(unmatched_spans_are_counted_by_kind),
        cmocka_unit_test(the_order_of_batches_does_not_matter),
        cmocka_unit_test(beyond_so_many_values_percentiles_are_near),
        cmocka_unit_test(any_cut_and_any_change_is_measured),
        cmocka_unit_test(an_event_that_lacks_a_field_is_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
