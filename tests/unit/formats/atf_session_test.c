/* atf_session_test.c - the native session: threads, links both ways, times, merging. */
#include "../calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* Thread 0: six events, of which 1 and 4 have details; thread 2: three events. */
struct made_session {
    struct out index, detail, other;
    struct ras_part parts[4];
    struct ras_trace *trace;
    struct ras_atf_session *session;
};

static const char manifest[] =
    "{\"threads\":[{\"id\":0,\"has_detail\":true},{\"id\":2,\"has_detail\":false}],"
    "\"modules\":[{\"module_id\":0,\"path\":\"/bin/demo\"}],"
    "\"symbols\":[{\"function_id\":1,\"name\":\"one\"}]}";

static int set_up(void **state)
{
    struct made_session *m = calloc(1, sizeof *m);
    static const uint32_t links[] = {RAS_ATF_NO_DETAIL, 0, 7,
                                     RAS_ATF_NO_DETAIL, 1, RAS_ATF_NO_DETAIL};
    put_index_header(&m->index, 0, 6, 64 + 192);
    for (uint32_t i = 0; i < 6; i++)
        put_event(&m->index, 100 + 10 * i, i, RAS_ATF_CALL, 1, links[i]);
    put_index_footer(&m->index, 6);
    put_detail_header(&m->detail, 3, 24 + 30 + 24);
    put_detail(&m->detail, 1, 110, 0);
    put_detail(&m->detail, 4, 140, 6);
    put_detail(&m->detail, 99, 150, 0); /* names an event that is not there */
    put_detail_footer(&m->detail, 3, 24 + 30 + 24);
    put_index_header(&m->other, 2, 3, 64 + 96);
    put_event(&m->other, 120, 1, RAS_ATF_CALL, 1, RAS_ATF_NO_DETAIL);
    put_event(&m->other, 105, 1, RAS_ATF_CALL, 1, RAS_ATF_NO_DETAIL); /* steps back */
    put_event(&m->other, 120, 1, RAS_ATF_CALL, 1, RAS_ATF_NO_DETAIL);
    put_index_footer(&m->other, 3);
    m->parts[0] = (struct ras_part){"thread_2/index.atf", made(&m->other)};
    m->parts[1] = (struct ras_part){"thread_0/index.atf", made(&m->index)};
    m->parts[2] = (struct ras_part){"thread_0/detail.atf", made(&m->detail)};
    m->parts[3] =
        (struct ras_part){"manifest.json", {(const uint8_t *)manifest, sizeof manifest - 1}};
    if (ras_open_parts(&m->trace, m->parts, 4, NULL, NULL) < 0)
        return -1;
    m->session = ras_atf_session(m->trace);
    *state = m;
    return 0;
}

static int tear_down(void **state)
{
    struct made_session *m = *state;
    ras_close(m->trace);
    out_free(&m->index);
    out_free(&m->detail);
    out_free(&m->other);
    free(m);
    return 0;
}

static void threads_come_by_number(void **state)
{
    struct made_session *m = *state;
    struct ras_atf_thread t;
    assert_int_equal(ras_atf_thread_count(m->session), 2);
    assert_int_equal(ras_atf_thread_at(m->session, 0, &t, NULL), RAS_OK);
    assert_int_equal(t.thread_id, 0);
    assert_true(t.has_index);
    assert_true(t.has_detail);
    assert_int_equal(t.index.count, 6);
    assert_int_equal(ras_atf_thread_at(m->session, 1, &t, NULL), RAS_OK);
    assert_int_equal(t.thread_id, 2);
    assert_int_equal(t.stream, 2);
    assert_false(t.has_detail);
    assert_string_equal(t.process, "");
    assert_int_equal(ras_atf_thread_at(m->session, 2, &t, NULL), RAS_EUSAGE);
}

static void events_are_found_by_their_place(void **state)
{
    struct made_session *m = *state;
    struct ras_atf_index_event e, many[4];
    for (uint64_t i = 0; i < 6; i++) {
        assert_int_equal(ras_atf_index_at(m->session, 0, i, &e, NULL), RAS_OK);
        assert_int_equal(e.timestamp_ns, 100 + 10 * i);
    }
    assert_int_equal(ras_atf_index_at(m->session, 0, 6, &e, NULL), RAS_END);
    assert_int_equal(ras_atf_index_at(m->session, 5, 0, &e, NULL), RAS_EUSAGE);
    assert_int_equal(ras_atf_index_read(m->session, 0, 1, many, 4), 4);
    assert_int_equal(many[3].function_id, 4);
    assert_int_equal(ras_atf_index_read(m->session, 0, 5, many, 4), 1);
    assert_int_equal(ras_atf_index_read(m->session, 0, 6, many, 4), 0);
    assert_int_equal(ras_atf_index_read(m->session, 9, 0, many, 4), 0);
}

static void links_lead_both_ways(void **state)
{
    struct made_session *m = *state;
    struct ras_atf_index_event e, back;
    struct ras_atf_detail_event d;
    uint64_t count;
    assert_int_equal(ras_atf_detail_count(m->session, 0, &count, NULL), RAS_OK);
    assert_int_equal(count, 3);
    assert_int_equal(ras_atf_index_at(m->session, 0, 4, &e, NULL), RAS_OK);
    assert_int_equal(ras_atf_detail_of(m->session, 0, &e, &d, NULL), RAS_OK);
    assert_int_equal(d.index_seq, 4);
    assert_int_equal(d.payload.len, 6);
    assert_int_equal(ras_atf_index_of(m->session, 0, &d, &back, NULL), RAS_OK);
    assert_memory_equal(&back, &e, sizeof e);
    assert_int_equal(ras_atf_detail_at(m->session, 0, 0, &d, NULL), RAS_OK);
    assert_int_equal(d.timestamp, 110);
}

static void links_that_lead_nowhere_end(void **state)
{
    struct made_session *m = *state;
    struct ras_atf_index_event e;
    struct ras_atf_detail_event d;
    uint64_t count;
    assert_int_equal(ras_atf_index_at(m->session, 0, 0, &e, NULL), RAS_OK);
    assert_int_equal(ras_atf_detail_of(m->session, 0, &e, &d, NULL), RAS_END); /* none */
    assert_int_equal(ras_atf_index_at(m->session, 0, 2, &e, NULL), RAS_OK);
    assert_int_equal(ras_atf_detail_of(m->session, 0, &e, &d, NULL), RAS_END); /* dangling */
    assert_int_equal(ras_atf_detail_at(m->session, 0, 2, &d, NULL), RAS_OK);
    assert_int_equal(ras_atf_index_of(m->session, 0, &d, &e, NULL), RAS_END);
    assert_int_equal(ras_atf_detail_at(m->session, 0, 3, &d, NULL), RAS_END);
    assert_int_equal(ras_atf_detail_count(m->session, 1, &count, NULL), RAS_END); /* no file */
}

static void times_are_those_of_the_events(void **state)
{
    struct made_session *m = *state;
    uint64_t first, last;
    bool sorted;
    assert_int_equal(ras_atf_time_range(m->session, 0, &first, &last, &sorted, NULL), RAS_OK);
    assert_int_equal(first, 100);
    assert_int_equal(last, 150);
    assert_true(sorted);
    assert_int_equal(ras_atf_time_range(m->session, 1, &first, &last, &sorted, NULL), RAS_OK);
    assert_int_equal(first, 105);
    assert_int_equal(last, 120);
    assert_false(sorted);
}

/* By time, then stream, then place; also out of a file that is not sorted. */
static void merging_sorts_with_fixed_ties(void **state)
{
    struct made_session *m = *state;
    static const struct {
        uint64_t time, seq;
        size_t thread;
    } want[] = {{100, 0, 0}, {105, 1, 1}, {110, 1, 0}, {120, 2, 0}, {120, 0, 1},
                {120, 2, 1}, {130, 3, 0}, {140, 4, 0}, {150, 5, 0}};
    struct ras_atf_merge *merge;
    struct ras_atf_merged next;
    assert_int_equal(ras_atf_merge_open(&merge, m->session, NULL), RAS_OK);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_true(ras_atf_merge_next(merge, &next));
        assert_int_equal(next.event.timestamp_ns, want[i].time);
        assert_int_equal(next.thread, want[i].thread);
        assert_int_equal(next.index_seq, want[i].seq);
    }
    assert_false(ras_atf_merge_next(merge, &next));
    ras_atf_merge_close(merge);
    ras_atf_merge_close(NULL);
}

static void names_come_from_the_manifest(void **state)
{
    struct made_session *m = *state;
    assert_true(ras_atf_manifest(m->session, 0)->present);
    assert_string_equal(ras_atf_symbol_of(m->session, 0, 1)->name, "one");
    assert_null(ras_atf_symbol_of(m->session, 0, 2));
    assert_string_equal(ras_atf_module_of(m->session, 1, 2)->path, "/bin/demo");
    assert_null(ras_atf_module_of(m->session, 1, (uint64_t)5 << 32));
    assert_false(ras_atf_manifest(m->session, 9)->present);
}

/* ---- which files make a session ------------------------------------------ */

static int open_named(const char *const *names, size_t count, struct ras_trace **t,
                      struct ras_error *err)
{
    static struct out index;
    struct ras_part parts[8];
    index.len = 0;
    put_index(&index, 5, 2);
    for (size_t i = 0; i < count; i++)
        parts[i] = (struct ras_part){names[i], made(&index)};
    int status = ras_open_parts(t, parts, count, &(struct ras_options){.format = "atf"}, err);
    return status;
}

static void processes_are_separate(void **state)
{
    (void)state;
    static const char *const names[] = {"s/pid_10/thread_0/index.atf", "s/pid_9/thread_1/index.atf",
                                        "s/pid_9/thread_0/index.atf", "other/thread_x/index.atf"};
    static const struct {
        uint32_t id, stream;
        const char *process;
    } want[] = {{5, 5, "other"}, {0, 0, "pid_9"}, {1, 1, "pid_9"}, {0, 6, "pid_10"}};
    struct ras_trace *t;
    assert_int_equal(open_named(names, 4, &t, NULL), RAS_OK);
    struct ras_atf_session *s = ras_atf_session(t);
    for (size_t i = 0; i < 4; i++) {
        struct ras_atf_thread thread;
        assert_int_equal(ras_atf_thread_at(s, i, &thread, NULL), RAS_OK);
        assert_int_equal(thread.thread_id, want[i].id);
        assert_int_equal(thread.stream, want[i].stream);
        assert_string_equal(thread.process, want[i].process);
    }
    ras_close(t);
}

static void a_directory_without_threads_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"thread_0/index.atf.bak", "manifest.json"};
    struct ras_trace *t;
    struct ras_error err;
    assert_int_equal(open_named(names, 2, &t, &err), RAS_EFORMAT);
    assert_null(t);
}

/* More than 16 bits count; the files are one piece of memory. */
static void a_record_knows_its_part_among_many(void **state)
{
    (void)state;
    enum { MANY = 65540, ROOM = 32 };
    struct out index = {0};
    struct ras_trace *t;
    struct ras_cursor *c;
    const struct ras_record *r;
    char(*names)[ROOM] = calloc(MANY, ROOM);
    struct ras_part *parts = calloc(MANY, sizeof *parts);
    assert_true(names && parts);
    put_index(&index, 0, 1);
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], ROOM, "thread_%d/index.atf", i);
        parts[i] = (struct ras_part){names[i], made(&index)};
    }
    assert_int_equal(ras_open_parts(&t, parts, MANY, NULL, NULL), RAS_OK);
    assert_int_equal(ras_cursor_open(&c, t, NULL, NULL), RAS_OK);
    uint32_t seen = 0;
    while (ras_next(c, &r, NULL) == RAS_OK)
        if (r->schema > RAS_SCHEMA_GAP)
            assert_int_equal(r->part, seen++);
    assert_int_equal(seen, MANY);
    ras_cursor_close(c);
    ras_close(t);
    out_free(&index);
    free(parts);
    free(names);
}

static void one_good_thread_suffices(void **state)
{
    (void)state;
    struct out index = {0};
    struct ras_trace *t;
    struct ras_error err;
    put_index(&index, 0, 2);
    struct ras_part parts[] = {{"thread_0/index.atf", {(const uint8_t *)"rubbish", 7}},
                               {"thread_1/index.atf", {NULL, 0}},
                               {"thread_2/index.atf", made(&index)}};
    assert_int_equal(ras_open_parts(&t, parts, 3, NULL, &err), RAS_OK);
    struct ras_atf_index_event e;
    assert_int_equal(ras_atf_index_at(ras_atf_session(t), 0, 0, &e, &err), RAS_EFORMAT);
    assert_int_equal(ras_atf_index_at(ras_atf_session(t), 1, 0, &e, &err), RAS_ECUT);
    assert_int_equal(ras_atf_index_at(ras_atf_session(t), 2, 0, &e, &err), RAS_OK);
    ras_close(t);
    assert_int_equal(ras_open_parts(&t, parts, 2, NULL, &err), RAS_EFORMAT);
    assert_int_equal(ras_open_parts(&t, parts + 1, 1, NULL, &err), RAS_ECUT);
    out_free(&index);
}

#define SESSION_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SESSION_TEST(threads_come_by_number),
        SESSION_TEST(events_are_found_by_their_place),
        SESSION_TEST(links_lead_both_ways),
        SESSION_TEST(links_that_lead_nowhere_end),
        SESSION_TEST(times_are_those_of_the_events),
        SESSION_TEST(merging_sorts_with_fixed_ties),
        SESSION_TEST(names_come_from_the_manifest),
        cmocka_unit_test(processes_are_separate),
        cmocka_unit_test(a_directory_without_threads_is_refused),
        cmocka_unit_test(a_record_knows_its_part_among_many),
        cmocka_unit_test(one_good_thread_suffices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
