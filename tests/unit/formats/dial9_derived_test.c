/* dial9_derived_test.c - polls, span segments and spans on request, held against stats. */
#include "../figures.h"
#include "../runtime.h"

enum { TEXT = 100 };

/* All records of the derived types, as lines. */
struct lines {
    char *at;
    size_t len, room, count;
};

static void line_add(struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void line_add(struct lines *l, const char *fmt, ...)
{
    va_list args;
    if (l->room - l->len < 256) {
        l->room = 2 * l->room + 4096;
        l->at = realloc(l->at, l->room);
        assert_non_null(l->at);
    }
    va_start(args, fmt);
    l->len += (size_t)vsnprintf(l->at + l->len, l->room - l->len, fmt, args);
    va_end(args);
}

static void line_of(struct lines *l, const struct ras_cursor *c)
{
    const struct ras_schema *s = ras_schema_of(c);
    size_t count;
    const struct ras_value *v = ras_values(c, &count);
    line_add(l, "%s", s->name);
    for (size_t i = 0; i < count; i++)
        if (v[i].kind == RAS_STR)
            line_add(l, " %.*s", v[i].count < TEXT ? (int)v[i].count : TEXT, (const char *)v[i].at);
        else if (v[i].kind == RAS_UINT)
            line_add(l, " %llu", (unsigned long long)v[i].u);
        else
            line_add(l, " -");
    line_add(l, "\n");
    l->count++;
}

static bool is_derived(const struct ras_cursor *c)
{
    return ras_schema_of(c)->flags & RAS_ON_REQUEST;
}

static const struct ras_pick derived[] = {
    {.type = "poll"}, {.type = "span_segment"}, {.type = "span"}, {.type = NULL}};

static struct ras_cursor *derived_of(struct ras_trace *t, size_t picks, bool merged)
{
    struct ras_cursor *c;
    const struct ras_scan scan = {.picks = derived, .pick_count = picks, .merged = merged};
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    return c;
}

static struct lines read_lines(struct ras_trace *t, size_t picks, bool merged)
{
    struct ras_cursor *c = derived_of(t, picks, merged);
    struct lines l = {0};
    const struct ras_record *r;
    int status;
    while ((status = ras_next(c, &r, NULL)) == RAS_OK)
        if (is_derived(c))
            line_of(&l, c);
    assert_int_equal(status, RAS_END);
    ras_cursor_close(c);
    line_add(&l, "%s", "");
    return l;
}

static struct ras_trace *trace_of(struct ras_dial9_writer *w)
{
    struct ras_bytes bytes = ras_dial9_writer_bytes(w);
    struct ras_trace *t;
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len, NULL, NULL), RAS_OK);
    return t;
}

static void are(const struct made *m, size_t count, const char *wanted)
{
    struct ras_dial9_writer *w = writer();
    for (size_t i = 0; i < count; i++)
        put(w, &m[i]);
    struct ras_trace *t = trace_of(w);
    for (size_t picks = 3; picks <= 4; picks++) { /* without the events, and after them */
        struct lines l = read_lines(t, picks, false);
        assert_string_equal(l.at, wanted);
        free(l.at);
    }
    ras_close(t);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

#define ARE(wanted, ...)                                                                           \
    are((const struct made[]){__VA_ARGS__},                                                        \
        sizeof((const struct made[]){__VA_ARGS__}) / sizeof(struct made), wanted)

/* worker_id task_id spawn_loc local_queue start end duration woken delay reason */
static void a_poll_has_its_wake_and_its_delay(void **state)
{
    (void)state;
    ARE("poll 0 5 text 1 - 150 200 50 100 50 ended\n"
        "poll 0 5 text 1 - 230 240 10 160 30 ended\n",
        {100, WAKE, 5}, {150, START, 0, 5, 1}, {160, WAKE, 5}, {200, END, 0}, {230, START, 0, 5, 1},
        {240, END, 0});
    /* Not woken; woken more than a second before; of no task. */
    ARE("poll 0 6 text 1 - 10 20 10 - - ended\n"
        "poll 0 7 text 1 - 2000000000 2000000005 5 30 - ended\n"
        "poll 1 0 text 1 - 2000000001 2000000009 8 - - ended\n",
        {10, START, 0, 6, 1}, {20, END, 0}, {30, WAKE, 7}, {2000000000, START, 0, 7, 1},
        {2000000001, START, 1, 0, 1}, {2000000005, END, 0}, {2000000009, END, 1});
}

static void a_poll_without_an_end_is_unended(void **state)
{
    (void)state;
    ARE("poll 0 5 text 1 - 10 - - 5 - unended\n"
        "poll 0 6 text 1 - 20 30 10 - - ended\n"
        "poll 1 7 text 2 - 25 - - - - unended\n",
        {3, END, 4}, {5, WAKE, 5}, {10, START, 0, 5, 1}, {20, START, 0, 6, 1}, {25, START, 1, 7, 2},
        {30, END, 0});
}

/* name span_id parent worker start end duration source; and of spans active, segments, reason */
static void spans_have_segments(void **state)
{
    (void)state;
    ARE("span_segment text 3 1 - - 10 15 5 enter_exit legacy -\n"
        "span_segment text 4 2 1 - 20 22 2 enter_exit legacy -\n"
        "span_segment text 3 1 - - 18 30 12 enter_exit legacy -\n"
        "span text 3 1 - 10 30 20 17 2 enter_exit ended legacy tracing "
        "- - - 10 31 17 17 3 - 0 0 - legacy - - - - 20 15 - - - -\n"
        "span_segment text 5 3 - - 40 - - enter_exit legacy -\n"
        "span text 5 3 - 40 - - 0 0 enter_exit unended legacy tracing "
        "- - - 40 50 0 0 - - 1 0 - legacy - - - - - 15 - - - -\n"
        "span_segment text 4 2 1 - 35 - - enter_exit legacy -\n"
        "span text 4 2 1 20 22 2 2 1 enter_exit unended legacy tracing "
        "- - - 20 - 2 2 0 - 1 0 - legacy - - - - 2 15 - - - -\n",
        {5, EXIT, 9}, {10, ENTER, 1, NONE, 3}, {15, EXIT, 1}, {18, ENTER, 1, NONE, 3},
        {20, ENTER, 2, 1, 4}, {22, EXIT, 2}, {30, EXIT, 1}, {31, CLOSE, 1}, {35, ENTER, 2, 1, 4},
        {40, ENTER, 3, NONE, 5}, {50, CLOSE, 3}, {51, CLOSE, 8});
}

/* ---- the same as stats ----------------------------------------------------------------- */

struct sum {
    uint64_t count, total, max, least;
};

static void sum_add(struct sum *s, const struct ras_value *v)
{
    if (v->kind != RAS_UINT)
        return;
    s->least = s->count && s->least < v->u ? s->least : v->u;
    s->max = s->max > v->u ? s->max : v->u;
    s->total += v->u;
    s->count++;
}

static void sum_is(const struct ras_stats *s, const char *table, const char *row,
                   const struct sum *sum)
{
    uint64_t count = figures_uint(s, table, row, "count");
    assert_int_equal(count == RAS_NONE ? 0 : count, sum->count);
    if (!sum->count)
        return;
    assert_int_equal(figures_uint(s, table, row, "total_ns"), sum->total);
    assert_int_equal(figures_uint(s, table, row, "max_ns"), sum->max);
    assert_int_equal(figures_uint(s, table, row, "min_ns"), sum->least);
}

static void equals_stats(struct ras_trace *t)
{
    struct ras_stats *s;
    struct ras_cursor *c = derived_of(t, 3, false);
    const struct ras_record *r;
    struct sum polls[4] = {{0}}, delays = {0}, segments = {0}, spans = {0}, active = {0};
    uint64_t unended[4] = {0};
    char worker[8];
    int status;
    assert_int_equal(ras_stats(&s, t, NULL, NULL), RAS_OK);
    while ((status = ras_next(c, &r, NULL)) == RAS_OK) {
        const char *type = ras_schema_of(c)->name;
        const struct ras_value *took = ras_value_of(c, "duration_ns");
        if (!strcmp(type, "poll")) {
            uint64_t id = ras_value_of(c, "worker_id")->u;
            assert_true(id < 4);
            sum_add(&polls[id], took);
            sum_add(&delays, ras_value_of(c, "delay_ns"));
            unended[id] += took->kind == RAS_NULL;
        } else if (!figures_shows(ras_value_of(c, "name"), "text 9")) {
            continue;
        } else if (!strcmp(type, "span")) {
            sum_add(&spans, took);
            if (took->kind == RAS_UINT)
                sum_add(&active, ras_value_of(c, "active_ns"));
        } else {
            sum_add(&segments, took);
        }
    }
    assert_int_equal(status, RAS_END);
    assert_int_equal(ras_ending(t).kind, s->ending.kind);
    assert_int_equal(ras_ending(t).offset, s->ending.offset);
    for (unsigned i = 0; i < 4; i++) {
        snprintf(worker, sizeof worker, "%u", i);
        sum_is(s, "polls", worker, &polls[i]);
        uint64_t open = figures_uint(s, "workers", worker, "polls_unended");
        assert_int_equal(open == RAS_NONE ? 0 : open, unended[i]);
    }
    sum_is(s, "scheduling_delays", "wake to poll", &delays);
    sum_is(s, "spans", "text 9", &spans);
    sum_is(s, "span_active", "text 9", &active);
    sum_is(s, "span_segments", "text 9", &segments);
    ras_cursor_close(c);
    ras_stats_free(s);
}

static void put_batches(struct ras_dial9_writer *w, uint64_t each)
{
    for (unsigned i = 0; i < 16; i++) {
        put_thread(w, (i * 7 + 3) % 4, (15 - i) / 4 * each, ((15 - i) / 4 + 1) * each);
        assert_int_equal(ras_dial9_writer_batch(w, NULL), RAS_OK);
    }
}

/* Sums, counts, smallest and largest, with batches that overlap and several slabs. */
static void figures_are_those_of_stats(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = writer();
    put_batches(w, 3000);
    struct ras_trace *t = trace_of(w);
    equals_stats(t);
    ras_close(t);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

/* A trace that is cut anywhere, or has a byte changed. */
static void so_they_are_in_a_damaged_trace(void **state)
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
        struct ras_trace *t;
        copy[at] ^= i % 2 ? 1 : 0;
        if (ras_open_memory(&t, copy, size, NULL, NULL) == RAS_OK) {
            if (i % 2 == 0)
                equals_stats(t);
            struct lines alone = read_lines(t, 3, false);
            struct ras_ending ending = ras_ending(t);
            struct lines after = read_lines(t, 4, false);
            assert_string_equal(alone.at, after.at);
            assert_int_equal(ras_ending(t).kind, ending.kind);
            assert_int_equal(ras_ending(t).offset, ending.offset);
            struct lines merged = read_lines(t, 3, true);
            assert_int_equal(merged.count, alone.count);
            assert_int_equal(ras_ending(t).kind, ending.kind);
            free(alone.at);
            free(after.at);
            free(merged.at);
        }
        ras_close(t);
        copy[at] ^= i % 2 ? 1 : 0;
    }
    free(copy);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

/* ---- as records ------------------------------------------------------------------------ */

static void marks_lead_back_to_them(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = writer();
    put_batches(w, 3);
    struct ras_trace *t = trace_of(w);
    for (size_t picks = 3; picks <= 4; picks++) {
        struct ras_cursor *c = derived_of(t, picks, false), *other = derived_of(t, picks, false);
        struct lines all = {0}, rest = {0};
        struct ras_mark marks[1000];
        size_t starts[1000], count = 0;
        const struct ras_record *r;
        for (;; count++) {
            ras_mark(c, &marks[count]);
            starts[count] = all.len;
            if (ras_next(c, &r, NULL) != RAS_OK)
                break;
            line_of(&all, c);
        }
        assert_true(count > 100 && count < 1000);
        for (size_t i = 0; i <= count; i++) {
            size_t at = i % 2 ? i : count - i;
            rest.len = 0;
            line_add(&rest, "%s", "");
            assert_int_equal(ras_jump(other, &marks[at], NULL), RAS_OK);
            while (ras_next(other, &r, NULL) == RAS_OK)
                line_of(&rest, other);
            rest.at[rest.len] = 0;
            assert_string_equal(rest.at, all.at + starts[at]);
        }
        free(all.at);
        free(rest.at);
        ras_cursor_close(c);
        ras_cursor_close(other);
    }
    ras_close(t);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

/* The event that begins it gives time, offset, bytes and stream; ranges and fields select. */
static void a_record_is_where_it_begins(void **state)
{
    (void)state;
    static const char *const fields[] = {"start_ns", "reason"};
    struct ras_dial9_writer *w = writer();
    put_batches(w, 20);
    struct ras_bytes bytes = ras_dial9_writer_bytes(w);
    struct ras_trace *t = trace_of(w);
    struct ras_pick pick = {.type = "poll", .fields = fields, .field_count = 2};
    struct ras_scan scan = {
        .picks = &pick, .pick_count = 1, .axis = RAS_AXIS_TIME, .from = 10000, .to = 30000};
    struct ras_cursor *c;
    const struct ras_record *r;
    size_t count = 0, values;
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    while (ras_next(c, &r, NULL) == RAS_OK) {
        const struct ras_value *v = ras_values(c, &values);
        assert_int_equal(values, 2);
        assert_int_equal(v[0].u, r->time_ns);
        assert_true(r->time_ns >= 10000 && r->time_ns < 30000);
        assert_true(r->raw_len > 4 && r->raw == bytes.at + r->offset && *r->raw == 2);
        count++;
    }
    assert_int_equal(count, 4 * 20);
    ras_cursor_close(c);
    uint32_t stream = 3;
    scan =
        (struct ras_scan){.picks = &pick, .pick_count = 1, .streams = &stream, .stream_count = 1};
    assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
    for (count = 0; ras_next(c, &r, NULL) == RAS_OK; count++)
        assert_int_equal(r->stream, 3);
    assert_int_equal(count, 20);
    ras_cursor_close(c);
    ras_close(t);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

/* Events of the trace that are called poll are no less there; a schema id tells them apart. */
static void an_event_may_have_the_same_name(void **state)
{
    (void)state;
    static const struct ras_dial9_field field = {"worker", V};
    static const struct ras_dial9_schema own = {"poll", &field, 1, true};
    const struct ras_dial9_value value = {.type = V, .u = 77};
    struct ras_dial9_writer *w = writer();
    uint16_t id;
    assert_int_equal(ras_dial9_writer_schema(w, &own, &id, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(w, id, 5, &value, 1, NULL), RAS_OK);
    put(w, &(struct made){10, START, 0, 5, 1});
    put(w, &(struct made){20, END, 0, 0, 0});
    struct ras_trace *t = trace_of(w);
    for (int way = 0; way < 2; way++) {
        struct ras_pick pick = {.type = "poll"};
        for (uint32_t i = 0; way && i < ras_schema_count(t); i++)
            if (!strcmp(ras_schema_at(t, i)->name, "poll") &&
                ras_schema_at(t, i)->flags & RAS_ON_REQUEST)
                pick = (struct ras_pick){.schema = i};
        const struct ras_scan scan = {.picks = &pick, .pick_count = 1};
        struct ras_cursor *c;
        const struct ras_record *r;
        assert_int_equal(ras_cursor_open(&c, t, &scan, NULL), RAS_OK);
        if (!way) {
            assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
            assert_int_equal(ras_value_of(c, "worker")->u, 77);
        }
        assert_int_equal(ras_next(c, &r, NULL), RAS_OK);
        assert_int_equal(ras_value_of(c, "duration_ns")->u, 10);
        assert_int_equal(ras_next(c, &r, NULL), RAS_END);
        ras_cursor_close(c);
    }
    ras_close(t);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

/* While bytes may still come, they wait for the end. */
static void a_growing_trace_has_them_at_its_end(void **state)
{
    (void)state;
    struct ras_dial9_writer *w = writer();
    put_thread(w, 0, 0, 3);
    struct ras_bytes bytes = ras_dial9_writer_bytes(w);
    struct ras_trace *t;
    const struct ras_record *r;
    assert_int_equal(ras_open_memory(&t, bytes.at, bytes.len / 2, NULL, NULL), RAS_OK);
    assert_int_equal(ras_trace_grow(t, bytes.len / 2, true, NULL), RAS_OK);
    struct ras_cursor *c = derived_of(t, 4, false);
    int status;
    size_t events = 0, polls = 0;
    while ((status = ras_next(c, &r, NULL)) == RAS_OK)
        events += !is_derived(c);
    assert_int_equal(status, RAS_WAIT);
    assert_int_equal(ras_trace_grow(t, bytes.len, false, NULL), RAS_OK);
    while ((status = ras_next(c, &r, NULL)) == RAS_OK) {
        events += !is_derived(c);
        polls += !strcmp(ras_schema_of(c)->name, "poll");
    }
    assert_int_equal(status, RAS_END);
    assert_int_equal(events, 18);
    assert_int_equal(polls, 3);
    ras_cursor_close(c);
    ras_close(t);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
}

/* An event without fields ends with its three bytes of time: nothing after them is read. */
static void the_last_event_may_have_no_fields(void **state)
{
    (void)state;
    struct ras_sink *sink;
    struct ras_dial9_writer *w;
    struct ras_trace *t;
    struct ras_stats *stats;
    uint16_t id;
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_open(&w, sink, NULL, NULL), RAS_OK);
    const struct ras_dial9_schema schema = {"bare", NULL, 0, true};
    assert_int_equal(ras_dial9_writer_schema(w, &schema, &id, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_event(w, id, 5, NULL, 0, NULL), RAS_OK);
    assert_int_equal(ras_dial9_writer_close(w, NULL), RAS_OK);
    struct ras_bytes made = ras_sink_bytes(sink);
    uint8_t *exact = malloc(made.len); /* so that a sanitizer sees what is read after it */
    assert_non_null(exact);
    memcpy(exact, made.at, made.len);
    assert_int_equal(ras_open_memory(&t, exact, made.len, NULL, NULL), RAS_OK);
    assert_int_equal(ras_stats(&stats, t, NULL, NULL), RAS_OK);
    assert_int_equal(stats->ending.kind, RAS_COMPLETE);
    assert_int_equal(stats->time_first, 5);
    ras_stats_free(stats);
    ras_close(t);
    free(exact);
    ras_sink_drop(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_event_may_have_no_fields),
        cmocka_unit_test(a_poll_has_its_wake_and_its_delay),
        cmocka_unit_test(a_poll_without_an_end_is_unended),
        cmocka_unit_test(spans_have_segments),
        cmocka_unit_test(figures_are_those_of_stats),
        cmocka_unit_test(so_they_are_in_a_damaged_trace),
        cmocka_unit_test(marks_lead_back_to_them),
        cmocka_unit_test(a_record_is_where_it_begins),
        cmocka_unit_test(an_event_may_have_the_same_name),
        cmocka_unit_test(a_growing_trace_has_them_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
