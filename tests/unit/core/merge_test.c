/* merge_test.c - one order over all runs, sorted even where a run is not. */
#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { FAKE_MORE = sizeof fake_schemas / sizeof *fake_schemas };

/* What a merged walk delivers: "time:stream:seq ..." */
static void walks(const char *bytes, size_t size, size_t runs, const struct ras_scan *scan,
                  const char *want)
{
    struct ras_trace *t = fake_open(bytes, size, runs, false);
    struct ras_scan merged = scan ? *scan : (struct ras_scan){0};
    struct ras_cursor *c;
    const struct ras_record *r;
    struct ras_error err;
    char got[1000] = "";
    size_t len = 0;
    merged.merged = true;
    assert_int_equal(ras_cursor_open(&c, t, &merged, &err), RAS_OK);
    int status;
    while ((status = ras_next(c, &r, &err)) == RAS_OK)
        len += (size_t)snprintf(got + len, sizeof got - len, "%s%" PRIu64 ":%u:%" PRIu64,
                                len ? " " : "", r->time_ns, r->stream, r->seq);
    assert_int_equal(status, RAS_END);
    assert_int_equal(ras_next(c, &r, &err), RAS_END);
    assert_string_equal(got, want);
    ras_cursor_close(c);
    ras_close(t);
}

#define WALKS(text, runs, scan, want) walks(text, sizeof(text) - 1, runs, scan, want)

static void runs_in_order_are_interleaved(void **state)
{
    (void)state;
    WALKS("r\1\1xr\4\1xr\6\1x"
          "r\2\2xr\3\2xr\5\2x",
          2, NULL, "1:1:0 2:2:3 3:2:4 4:1:1 5:2:5 6:1:2");
}

static void equal_times_go_by_stream_then_place(void **state)
{
    (void)state;
    WALKS("r\5\2xr\5\2x"
          "r\5\1xr\5\3x",
          2, NULL, "5:1:2 5:2:0 5:2:1 5:3:3");
}

static void a_run_out_of_order_is_sorted(void **state)
{
    (void)state;
    WALKS("r\5\1xr\1\1xr\3\1x"
          "r\2\2xr\4\2xr\6\2x",
          2, NULL, "1:1:1 2:2:3 3:1:2 4:2:4 5:1:0 6:2:5");
}

static void streams_out_of_order_at_one_time_are_sorted(void **state)
{
    (void)state;
    WALKS("r\1\3xr\1\2xr\1\1x", 1, NULL, "1:1:2 1:2:1 1:3:0");
}

static void one_run_of_a_format_without_runs_is_sorted(void **state)
{
    (void)state;
    WALKS("r\3\1xr\2\1xr\1\1x", 0, NULL, "1:1:2 2:1:1 3:1:0");
}

static void an_empty_trace_has_nothing_to_merge(void **state)
{
    (void)state;
    WALKS("", 0, NULL, "");
    WALKS("....", 1, NULL, "");
}

static void a_run_without_records_is_passed_over(void **state)
{
    (void)state;
    WALKS("r\2\1x"
          "...."
          "r\1\3x",
          3, NULL, "1:3:1 2:1:0");
}

static void picks_and_ranges_filter_before_the_order(void **state)
{
    (void)state;
    struct ras_pick pick = {.type = "sub"};
    struct ras_scan subs = {.picks = &pick, .pick_count = 1};
    WALKS("r\3\1xs\3\1xr\1\1xs\1\1x", 1, &subs, "1:1:3 3:1:1");
    struct ras_scan range = {.axis = RAS_AXIS_TIME, .from = 2, .to = 4};
    WALKS("r\4\1xr\3\1xr\2\1xr\1\1x", 1, &range, "2:1:2 3:1:1");
}

static void types_on_request_count_for_themselves(void **state)
{
    (void)state;
    struct ras_pick pick = {.type = "extra"};
    struct ras_scan extra = {.picks = &pick, .pick_count = 1};
    WALKS("r\1\1xq\2\1x"
          "q\1\2xr\2\2x",
          2, &extra, "1:2:0 2:1:1");
}

/* 'Q' is a second type on request. */
static enum step next_with_more(struct ras_cursor *c)
{
    if (c->in.at < c->in.end && *c->in.at == 'Q')
        return fake_put(c, FAKE_MORE, in_take(&c->in, 4));
    return fake_next(c);
}

static void each_type_on_request_counts_for_itself(void **state)
{
    (void)state;
    static const struct ras_schema more = {"more", fake_fields, 2, RAS_ON_REQUEST};
    struct ras_format format = fake_format;
    struct ras_pick picks[] = {{.type = "extra"}, {.type = "more"}};
    struct ras_scan scan = {.picks = picks, .pick_count = 2, .merged = true};
    struct ras_trace *t = FAKE_OPEN("q\1\1xQ\2\1xq\3\1xQ\4\1x", 2);
    format.next = next_with_more;
    t->format = &format;
    assert_int_equal(schema_add(t, &more), FAKE_MORE);
    struct ras_cursor *c;
    const struct ras_record *r;
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        assert_int_equal(r->seq, i / 2);
    }
    ras_cursor_close(c);
    ras_close(t);
}

/* A range of numbers may end the walk of a run before the run ends. */
static void the_ending_of_another_cursor_is_not_told(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xr\2\1xr\3\1x!\0\0\0", 1);
    struct ras_scan scan = {.merged = true, .axis = RAS_AXIS_SEQ, .to = 1};
    struct ras_cursor *c;
    const struct ras_record *r;
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK)
        ;
    ras_cursor_close(c);
    assert_int_equal(ras_ending(t).kind, RAS_DAMAGED);
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
    assert_int_equal(ras_next(c, &r, NULL), RAS_END);
    assert_int_equal(ras_ending(t).kind, RAS_OPEN_END);
    ras_cursor_close(c);
    ras_close(t);
}

static void a_record_without_a_time_stays_where_it_is(void **state)
{
    (void)state;
    WALKS("r\2\1xg\0\0xr\4\1x"
          "r\1\2xr\3\2xd\0\0x",
          2, NULL, "1:2:3 2:1:0 0:0:1 3:2:4 0:0:5 4:1:2");
    WALKS("r\4\1xg\0\0xr\2\1x", 1, NULL, "2:1:2 4:1:0 0:0:1");
}

static void beyond_the_most_runs_all_is_one_run(void **state)
{
    (void)state;
    enum { RUNS = 5000 };
    char *bytes = malloc(4 * RUNS);
    assert_non_null(bytes);
    for (int i = 0; i < RUNS; i++)
        memcpy(bytes + 4 * i, (char[]){'r', (char)(i % 7), 1, 'x'}, 4);
    struct ras_trace *t = fake_open(bytes, 4 * RUNS, RUNS, false);
    struct ras_scan scan = {.merged = true};
    struct ras_cursor *c;
    const struct ras_record *r;
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    uint64_t last = 0;
    int n = 0;
    for (; ras_next(c, &r, NULL) == RAS_OK; n++, last = r->time_ns)
        assert_true(r->time_ns >= last);
    assert_int_equal(n, RUNS);
    ras_cursor_close(c);
    ras_close(t);
    free(bytes);
}

static void values_and_schema_are_those_of_the_record_shown(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\2\1Ar\1\1B", 1);
    struct ras_scan scan = {.merged = true};
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t n;
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    for (const char *want = "BA"; *want; want++) {
        assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        assert_string_equal(ras_schema_of(c)->name, "row");
        const struct ras_value *v = ras_values(c, &n);
        assert_int_equal(n, 2);
        assert_int_equal(v[0].u, *want);
    }
    ras_cursor_close(c);
    ras_close(t);
}

static void the_worst_ending_of_all_runs_is_told(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1xu\0\0\0"
                                    "r\2\2x!\0\0\0"
                                    "r\3\3x....",
                                    3);
    struct ras_scan scan = {.merged = true};
    struct ras_cursor *c;
    const struct ras_record *r;
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK)
        ;
    struct ras_ending end = ras_ending(t);
    assert_int_equal(end.kind, RAS_DAMAGED);
    assert_int_equal(end.offset, 12);
    assert_string_equal(end.why, "type 33");
    ras_cursor_close(c);
    ras_close(t);
}

static void strict_tells_damage_at_opening(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1x!\0\0\0", 1);
    struct ras_scan scan = {.merged = true, .strict = true};
    struct ras_cursor *c;
    struct ras_error err;
    assert_int_equal(ras_cursor_open(&c, t, &scan, &err), RAS_EFORMAT);
    assert_null(c);
    assert_int_equal(err.offset, 5);
    ras_close(t);
}

static void a_growing_trace_is_refused(void **state)
{
    (void)state;
    struct ras_trace *t = fake_open("r\1\1x", 4, 1, true);
    struct ras_scan scan = {.merged = true};
    struct ras_cursor *c;
    struct ras_error err;
    assert_int_equal(ras_cursor_open(&c, t, &scan, &err), RAS_EUSAGE);
    assert_null(c);
    ras_close(t);
}

static void a_merged_cursor_neither_seeks_nor_jumps(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\1\1x", 1);
    struct ras_scan scan = {.merged = true};
    struct ras_cursor *c;
    struct ras_mark mark;
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    ras_mark(c, &mark);
    assert_int_equal(ras_jump(c, &mark, NULL), RAS_EUSAGE);
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 0, NULL), RAS_EUSAGE);
    ras_cursor_close(c);
    ras_close(t);
}

static void what_was_passed_goes_by_the_records(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\5\1xr\1\1xr\3\1x"
                                    "r\2\2xr\4\2xr\6\2x",
                                    2);
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t total;
    assert_int_equal(ras_cursor_open(&c, t, &(struct ras_scan){.merged = true}, NULL), RAS_OK);
    for (unsigned i = 1; i <= 6; i++) {
        assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        assert_int_equal(ras_cursor_progress(c, &total), 4 * i);
        assert_int_equal(total, 24);
    }
    ras_cursor_close(c);
    ras_close(t);
}

static void records_out_of_order_have_a_limit(void **state)
{
    (void)state;
    struct ras_trace *t = FAKE_OPEN("r\5\1xr\1\1xr\3\1x"
                                    "r\4\2xr\2\2xr\6\2x",
                                    2);
    struct ras_cursor *c;
    struct ras_error err;
    const struct ras_scan scan = {.merged = true};
    t->limits.pool_bytes = 8 * 96; /* three each, and where their run ends */
    assert_int_equal(ras_cursor_open(&c, t, &scan, &err), RAS_OK);
    ras_cursor_close(c);
    t->limits.pool_bytes--;
    assert_int_equal(ras_cursor_open(&c, t, &scan, &err), RAS_ELIMIT);
    assert_null(c);
    assert_string_equal(err.text, "8 records that are not in order take more than the limit of "
                                  "767 bytes to be merged");
    ras_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_in_order_are_interleaved),
        cmocka_unit_test(equal_times_go_by_stream_then_place),
        cmocka_unit_test(a_run_out_of_order_is_sorted),
        cmocka_unit_test(streams_out_of_order_at_one_time_are_sorted),
        cmocka_unit_test(one_run_of_a_format_without_runs_is_sorted),
        cmocka_unit_test(an_empty_trace_has_nothing_to_merge),
        cmocka_unit_test(a_run_without_records_is_passed_over),
        cmocka_unit_test(picks_and_ranges_filter_before_the_order),
        cmocka_unit_test(types_on_request_count_for_themselves),
        cmocka_unit_test(each_type_on_request_counts_for_itself),
        cmocka_unit_test(the_ending_of_another_cursor_is_not_told),
        cmocka_unit_test(a_record_without_a_time_stays_where_it_is),
        cmocka_unit_test(beyond_the_most_runs_all_is_one_run),
        cmocka_unit_test(values_and_schema_are_those_of_the_record_shown),
        cmocka_unit_test(the_worst_ending_of_all_runs_is_told),
        cmocka_unit_test(strict_tells_damage_at_opening),
        cmocka_unit_test(a_growing_trace_is_refused),
        cmocka_unit_test(a_merged_cursor_neither_seeks_nor_jumps),
        cmocka_unit_test(records_out_of_order_have_a_limit),
        cmocka_unit_test(what_was_passed_goes_by_the_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
