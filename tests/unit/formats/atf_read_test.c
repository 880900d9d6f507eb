/* atf_read_test.c - a session as records: order, seeks, ranges, joining, following. */
#include "../calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { EVENTS = 50, DETAILS = 10, PER_THREAD = EVENTS + DETAILS };

/* Two threads, each with 50 events and 10 details; every fifth event has one. */
static void put_thread(struct out *index, struct out *detail, uint32_t thread)
{
    uint32_t link = 0;
    put_index_header(index, thread, EVENTS, 64 + 32 * EVENTS);
    put_detail_header(detail, DETAILS, DETAILS * 30);
    for (uint32_t i = 0; i < EVENTS; i++) {
        uint64_t time = 1000 + 10 * i + thread;
        bool linked = i % 5 == 2;
        put_event(index, time, i, i % 2 ? RAS_ATF_RETURN : RAS_ATF_CALL, 1,
                  linked ? link++ : RAS_ATF_NO_DETAIL);
        if (linked)
            put_detail(detail, i, time, 6);
    }
    put_index_footer(index, EVENTS);
    put_detail_footer(detail, DETAILS, DETAILS * 30);
}

struct made_session {
    struct out files[4];
    struct ras_part parts[4];
    struct ras_trace *trace;
};

static int set_up(void **state)
{
    static const char *const names[] = {"thread_0/index.atf", "thread_0/detail.atf",
                                        "thread_1/index.atf", "thread_1/detail.atf"};
    struct made_session *m = calloc(1, sizeof *m);
    put_thread(&m->files[0], &m->files[1], 0);
    put_thread(&m->files[2], &m->files[3], 1);
    for (size_t i = 0; i < 4; i++)
        m->parts[i] = (struct ras_part){names[i], made(&m->files[i])};
    *state = m;
    return ras_open_parts(&m->trace, m->parts, 4, NULL, NULL);
}

static int tear_down(void **state)
{
    struct made_session *m = *state;
    ras_close(m->trace);
    for (size_t i = 0; i < 4; i++)
        out_free(&m->files[i]);
    free(m);
    return 0;
}

static struct ras_cursor *open_cursor(struct ras_trace *t, const struct ras_scan *scan)
{
    struct ras_cursor *c;
    assert_int_equal(ras_cursor_open(&c, t, scan, NULL), RAS_OK);
    return c;
}

static const struct ras_record *next(struct ras_cursor *c)
{
    const struct ras_record *r;
    int status = ras_next(c, &r, NULL);
    assert_true(status == RAS_OK || status == RAS_END);
    return status == RAS_OK ? r : NULL;
}

static const struct ras_value *cell(const struct ras_cursor *c, const char *field)
{
    const struct ras_schema *s = ras_schema_of(c);
    size_t n;
    const struct ras_value *v = ras_values(c, &n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(s->fields[v[i].field].name, field))
            return &v[i];
    return NULL;
}

/* What record `seq` must be. */
static void is_record(const struct ras_record *r, uint64_t seq)
{
    uint64_t in_thread = seq % PER_THREAD, thread = seq / PER_THREAD;
    bool event = in_thread < EVENTS;
    uint64_t place = event ? in_thread : (in_thread - EVENTS) * 5 + 2;
    assert_non_null(r);
    assert_int_equal(r->seq, seq);
    assert_int_equal(r->stream, thread);
    assert_int_equal(r->time_ns, 1000 + 10 * place + thread);
    assert_int_equal(r->raw_len, event ? 32 : 30);
}

static void events_come_before_details_thread_by_thread(void **state)
{
    struct made_session *m = *state;
    struct ras_cursor *c = open_cursor(m->trace, NULL);
    for (uint64_t seq = 0; seq < 2 * PER_THREAD; seq++)
        is_record(next(c), seq);
    assert_null(next(c));
    assert_int_equal(ras_ending(m->trace).kind, RAS_COMPLETE);
    ras_cursor_close(c);
}

static void a_seek_by_seq_is_exact(void **state)
{
    struct made_session *m = *state;
    struct ras_cursor *c = open_cursor(m->trace, NULL);
    for (uint64_t i = 0; i < 2 * PER_THREAD; i++) {
        uint64_t seq = i * 37 % (2 * PER_THREAD);
        assert_int_equal(ras_seek(c, RAS_AXIS_SEQ, seq, NULL), RAS_OK);
        is_record(next(c), seq);
        if (seq + 1 < 2 * PER_THREAD)
            is_record(next(c), seq + 1);
    }
    assert_int_equal(ras_seek(c, RAS_AXIS_SEQ, 2 * PER_THREAD, NULL), RAS_OK);
    assert_null(next(c));
    ras_cursor_close(c);
}

static void a_seek_by_time_finds_the_first_in_stored_order(void **state)
{
    struct made_session *m = *state;
    struct ras_cursor *c = open_cursor(m->trace, NULL);
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 1241, NULL), RAS_OK);
    is_record(next(c), 25);
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 0, NULL), RAS_OK);
    is_record(next(c), 0);
    /* Only thread 1 reaches this time. */
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 1000 + 10 * 49 + 1, NULL), RAS_OK);
    is_record(next(c), PER_THREAD + 49);
    assert_int_equal(ras_seek(c, RAS_AXIS_TIME, 99999, NULL), RAS_OK);
    assert_null(next(c));
    ras_cursor_close(c);
}

static void a_range_has_the_same_numbers(void **state)
{
    struct made_session *m = *state;
    struct ras_scan scan = {.axis = RAS_AXIS_TIME, .from = 1200, .to = 1250};
    struct ras_cursor *c = open_cursor(m->trace, &scan);
    static const uint64_t want[] = {20, 21, 22, 23, 24, 54, 80, 81, 82, 83, 84, 114};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        is_record(next(c), want[i]);
    assert_null(next(c));
    ras_cursor_close(c);
}

static void a_merged_walk_is_sorted_and_numbered_as_stored(void **state)
{
    struct made_session *m = *state;
    struct ras_cursor *c = open_cursor(m->trace, &(struct ras_scan){.merged = true});
    const struct ras_record *r;
    uint64_t time = 0, count = 0;
    while ((r = next(c))) {
        assert_true(r->time_ns >= time);
        time = r->time_ns;
        is_record(r, r->seq);
        count++;
    }
    assert_int_equal(count, 2 * PER_THREAD);
    assert_int_equal(ras_ending(m->trace).kind, RAS_COMPLETE);
    ras_cursor_close(c);
}

static void an_event_carries_its_detail(void **state)
{
    struct made_session *m = *state;
    struct ras_pick pick = {.type = "event"};
    struct ras_scan scan = {.choices = &(struct ras_choice){"with-detail", 0},
                            .choice_count = 1,
                            .picks = &pick,
                            .pick_count = 1};
    struct ras_cursor *c = open_cursor(m->trace, &scan);
    for (uint64_t i = 0; i < 2 * EVENTS; i++) {
        bool linked = i % EVENTS % 5 == 2;
        assert_non_null(next(c));
        assert_int_equal(cell(c, "function_id")->u, i % EVENTS);
        assert_int_equal(cell(c, "detail_seq")->kind, linked ? RAS_UINT : RAS_NULL);
        assert_int_equal(cell(c, "index_seq")->kind, linked ? RAS_UINT : RAS_NULL);
        assert_int_equal(cell(c, "payload")->kind, linked ? RAS_BLOB : RAS_NULL);
        if (linked)
            assert_int_equal(cell(c, "index_seq")->u, i % EVENTS);
    }
    assert_null(next(c));
    ras_cursor_close(c);
}

/* Marks hold no stack, so spans after a jump show that it was rebuilt. */
static void spans_go_on_after_a_jump(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    put_index_header(&o, 0, 0, 64);
    for (uint32_t i = 0; i < 10; i++)
        put_event(&o, i, i, RAS_ATF_CALL, i + 1, RAS_ATF_NO_DETAIL);
    for (uint32_t i = 10; i-- > 0;)
        put_event(&o, 20 - i, i, RAS_ATF_RETURN, i + 1, RAS_ATF_NO_DETAIL);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    struct ras_pick pick = {.type = "span"};
    struct ras_scan scan = {.picks = &pick, .pick_count = 1};
    struct ras_cursor *c = open_cursor(t, &scan), *other = open_cursor(t, &scan);
    struct ras_mark mark;
    for (unsigned i = 0; i < 10; i++) {
        ras_mark(c, &mark);
        assert_non_null(next(c));
        assert_int_equal(cell(c, "call_seq")->u, 9 - i);
        assert_int_equal(ras_jump(other, &mark, NULL), RAS_OK);
        for (unsigned j = i; j < 10; j++) {
            assert_non_null(next(other));
            assert_int_equal(cell(other, "call_seq")->u, 9 - j);
            assert_int_equal(cell(other, "return_seq")->u, 10 + j);
        }
        assert_null(next(other));
    }
    ras_cursor_close(c);
    ras_cursor_close(other);
    ras_close(t);
    out_free(&o);
}

static void an_unsorted_file_is_filtered_and_says_so(void **state)
{
    (void)state;
    struct out o = {0};
    struct ras_trace *t;
    size_t notes;
    put_index_header(&o, 0, 0, 64);
    for (uint32_t i = 0; i < 6; i++)
        put_event(&o, i == 3 ? 0 : 100 * i, i, RAS_ATF_CALL, 1, RAS_ATF_NO_DETAIL);
    assert_int_equal(ras_open_memory(&t, o.at, o.len, NULL, NULL), RAS_OK);
    struct ras_scan scan = {.axis = RAS_AXIS_TIME, .from = 0, .to = 150};
    struct ras_cursor *c = open_cursor(t, &scan);
    static const uint64_t want[] = {0, 1, 3};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(next(c)->seq, want[i]);
    assert_null(next(c));
    const char *const *said = ras_notes(t, &notes);
    assert_int_equal(notes, 1);
    assert_non_null(strstr(said[0], "event 3 steps back"));
    ras_cursor_close(c);
    ras_close(t);
    out_free(&o);
}

/* ---- following ------------------------------------------------------------- */

static void append(const char *dir, const char *name, const struct out *o, size_t from, size_t to)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "ab");
    assert_non_null(f);
    assert_int_equal(fwrite(o->at + from, 1, to - from, f), to - from);
    assert_int_equal(fclose(f), 0);
}

static void make_dir(const char *dir, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static unsigned drain(struct ras_cursor *c, int last)
{
    const struct ras_record *r;
    unsigned count = 0;
    int status;
    while ((status = ras_next(c, &r, NULL)) == RAS_OK)
        count++;
    assert_int_equal(status, last);
    return count;
}

static void remove_all(const char *dir)
{
    static const char *const names[] = {"thread_0/index.atf", "thread_0/detail.atf", "thread_0",
                                        "thread_1/index.atf", "thread_1"};
    char path[300];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        remove(path);
    }
    rmdir(dir);
}

/* Files grow, details come later, a thread appears, footers end it all. */
static void a_growing_session_is_followed(void **state)
{
    (void)state;
    char dir[] = "/tmp/rastrum-follow-XXXXXX";
    struct out index = {0}, detail = {0}, other = {0};
    put_index_header(&index, 0, 0, 64);
    for (uint32_t i = 0; i < 4; i++)
        put_event(&index, 10 * i, i, RAS_ATF_CALL, 1, i == 1 ? 0 : RAS_ATF_NO_DETAIL);
    put_index_footer(&index, 4);
    put_detail_header(&detail, 0, 0);
    put_detail(&detail, 1, 10, 4);
    put_detail_footer(&detail, 1, 28);
    put_index_header(&other, 1, 0, 64);
    put_event(&other, 15, 9, RAS_ATF_CALL, 1, RAS_ATF_NO_DETAIL);
    put_index_footer(&other, 1);

    assert_non_null(mkdtemp(dir));
    make_dir(dir, "thread_0");
    append(dir, "thread_0/index.atf", &index, 0, 64 + 32 + 7);
    struct ras_trace *t;
    assert_int_equal(ras_open(&t, dir, &(struct ras_options){.live = true}, NULL), RAS_OK);
    struct ras_cursor *c = open_cursor(t, &(struct ras_scan){.follow = true});
    assert_int_equal(drain(c, RAS_WAIT), 1);
    append(dir, "thread_0/index.atf", &index, 64 + 32 + 7, 64 + 96);
    assert_int_equal(ras_wait(t, 1000, NULL), RAS_OK);
    assert_int_equal(drain(c, RAS_WAIT), 2);
    append(dir, "thread_0/detail.atf", &detail, 0, 64 + 28);
    assert_int_equal(ras_wait(t, 1000, NULL), RAS_OK);
    assert_int_equal(drain(c, RAS_WAIT), 1);
    make_dir(dir, "thread_1");
    append(dir, "thread_1/index.atf", &other, 0, 64 + 32);
    assert_int_equal(ras_wait(t, 1000, NULL), RAS_OK);
    assert_int_equal(drain(c, RAS_WAIT), 1);
    append(dir, "thread_0/index.atf", &index, 64 + 96, index.len);
    append(dir, "thread_0/detail.atf", &detail, 64 + 28, detail.len);
    append(dir, "thread_1/index.atf", &other, 64 + 32, other.len);
    assert_int_equal(ras_wait(t, 1000, NULL), RAS_OK);
    assert_int_equal(drain(c, RAS_END), 1);
    assert_int_equal(ras_ending(t).kind, RAS_UNSEALED); /* headers were never finished */
    ras_cursor_close(c);
    ras_close(t);
    remove_all(dir);
    out_free(&index);
    out_free(&detail);
    out_free(&other);
}

#define SESSION_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SESSION_TEST(events_come_before_details_thread_by_thread),
        SESSION_TEST(a_seek_by_seq_is_exact),
        SESSION_TEST(a_seek_by_time_finds_the_first_in_stored_order),
        SESSION_TEST(a_range_has_the_same_numbers),
        SESSION_TEST(a_merged_walk_is_sorted_and_numbered_as_stored),
        SESSION_TEST(an_event_carries_its_detail),
        cmocka_unit_test(spans_go_on_after_a_jump),
        cmocka_unit_test(an_unsorted_file_is_filtered_and_says_so),
        cmocka_unit_test(a_growing_session_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
