/* recorder_test.c - starting, stopping, names, the layout of a session, signals on top. */
#include "formats/atf/atf_wire.h"
#include "script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static void start(const char *dir)
{
    struct ras_error err = {0};
    if (ras_record_start(&(struct ras_record_options){.dir = dir}, &err) < 0)
        fail_msg("%s", err.text);
}

static void stop(void)
{
    struct ras_error err = {0};
    if (ras_record_stop(&err) < 0)
        fail_msg("%s", err.text);
}

static struct ras_trace *trace_of(const char *dir)
{
    struct ras_trace *t;
    struct ras_error err = {0};
    if (ras_open(&t, dir, NULL, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static void a_session_has_the_layout_of_the_specification(void **state)
{
    const char *dir = scratch();
    struct stat st;
    char path[8192];
    int year, month, day, hour, minute, second, pid = 0;
    (void)state;
    start(dir);
    ras_trace_call(1);
    stop();
    assert_memory_equal(ras_record_dir(), dir, strlen(dir));
    assert_int_equal(sscanf(ras_record_dir() + strlen(dir), "/session_%4d%2d%2d_%2d%2d%2d/pid_%d",
                            &year, &month, &day, &hour, &minute, &second, &pid),
                     7);
    assert_int_equal(pid, getpid());
    snprintf(path, sizeof path, "%s/manifest.json", ras_record_dir());
    assert_int_equal(stat(path, &st), 0);
    snprintf(path, sizeof path, "%s/thread_0/index.atf", ras_record_dir());
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 64 + 32 + 64);
    snprintf(path, sizeof path, "%s/thread_0/detail.atf", ras_record_dir());
    assert_int_not_equal(stat(path, &st), 0);
    remove_all(dir);
}

static void there_is_one_recording_at_a_time(void **state)
{
    const char *dir = scratch();
    struct ras_error err = {0};
    char first[4096];
    (void)state;
    assert_int_equal(ras_record_stop(&err), RAS_EUSAGE);
    assert_int_equal(ras_record_flush(&err), RAS_EUSAGE);
    start(dir);
    assert_true(ras_record_is_on());
    assert_int_equal(ras_record_start(NULL, &err), RAS_EUSAGE);
    ras_trace_call(1);
    stop();
    assert_false(ras_record_is_on());
    snprintf(first, sizeof first, "%s", ras_record_dir());
    ras_trace_call(2); /* nobody listens */
    start(dir);
    ras_trace_call(3);
    stop();
    assert_string_not_equal(first, ras_record_dir());
    struct ras_trace *t = trace_of(ras_record_dir());
    struct ras_atf_index_event e;
    assert_int_equal(ras_atf_index_at(ras_atf_session(t), 0, 0, &e, NULL), RAS_OK);
    assert_int_equal(e.function_id, 3);
    assert_int_equal(ras_atf_index_at(ras_atf_session(t), 0, 1, &e, NULL), RAS_END);
    ras_close(t);
    remove_all(dir);
}

static void a_directory_that_cannot_be_created_is_reported(void **state)
{
    struct ras_error err = {0};
    (void)state;
    assert_int_equal(ras_record_start(&(struct ras_record_options){.dir = "/proc/nowhere"}, &err),
                     RAS_EIO);
    assert_false(ras_record_is_on());
    char dir[5000];
    memset(dir, 'x', sizeof dir);
    dir[sizeof dir - 1] = 0;
    assert_int_equal(ras_record_start(&(struct ras_record_options){.exact = dir}, &err),
                     RAS_EUSAGE);
}

static void names_reach_the_manifest(void **state)
{
    const char *dir = scratch();
    (void)state;
    uint32_t module = ras_record_module("/usr/lib/libnamed.so");
    uint64_t quoted = ras_record_function(module, "weird\"name\\{}");
    assert_int_equal(ras_record_module("/usr/lib/libnamed.so"), module);
    assert_int_equal(ras_record_function(module + 100, "nowhere"), 0);
    start(dir);
    ras_trace_call(quoted);
    ras_trace_return(quoted);
    stop();
    struct ras_trace *t = trace_of(ras_record_dir());
    const struct ras_atf_symbol *s = ras_atf_symbol_of(ras_atf_session(t), 0, quoted);
    const struct ras_atf_module *m = ras_atf_module_of(ras_atf_session(t), 0, quoted);
    assert_non_null(s);
    assert_string_equal(s->name, "weird\"name\\{}");
    assert_non_null(m);
    assert_string_equal(m->path, "/usr/lib/libnamed.so");
    ras_close(t);
    remove_all(dir);
}

static void depth_follows_calls_and_can_be_unwound(void **state)
{
    const char *dir = scratch();
    static const uint32_t depths[] = {1, 2, 3, 2, 2};
    (void)state;
    start(dir);
    ras_trace_call(1);
    ras_trace_call(2);
    ras_trace_call(3);
    assert_int_equal(ras_trace_depth(), 3);
    ras_trace_unwind(1); /* longjmp: two frames are gone */
    ras_trace_call(4);
    ras_trace_exception(4);
    ras_trace_return(1);
    assert_int_equal(ras_trace_depth(), 0);
    stop();
    struct ras_trace *t = trace_of(ras_record_dir());
    for (unsigned i = 0; i < 5; i++) {
        struct ras_atf_index_event e;
        assert_int_equal(ras_atf_index_at(ras_atf_session(t), 0, i, &e, NULL), RAS_OK);
        assert_int_equal(e.call_depth, depths[i]);
    }
    ras_close(t);
    remove_all(dir);
}

/* ---- signals on top of events ------------------------------------------------------ */

static volatile uint64_t handled;

static void on_alarm(int number)
{
    (void)number;
    for (unsigned i = 0; i < 4; i++) {
        ras_trace_call(UINT64_C(2) << 32 | handled);
        ras_trace_return(UINT64_C(2) << 32 | handled);
        handled = handled + 1;
    }
}

static void check_interleaved(struct ras_atf_session *s, uint64_t count)
{
    uint64_t next[3] = {0}, time = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct ras_atf_index_event e;
        assert_int_equal(ras_atf_index_at(s, 0, i, &e, NULL), RAS_OK);
        uint64_t who = e.function_id >> 32;
        assert_in_range(who, 1, 2);
        assert_int_equal(e.function_id & UINT32_MAX, next[who] / 2);
        assert_int_equal(e.event_kind, next[who]++ % 2 ? RAS_ATF_RETURN : RAS_ATF_CALL);
        assert_true(e.timestamp_ns >= time);
        time = e.timestamp_ns;
    }
}

static void a_signal_handler_may_interrupt_an_event(void **state)
{
    const char *dir = scratch();
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {0};
    struct sigaction was, now = {.sa_handler = on_alarm};
    struct ras_record_counts c;
    uint64_t played = 0;
    (void)state;
    start(dir);
    sigaction(SIGPROF, &now, &was);
    setitimer(ITIMER_PROF, &often, NULL);
    uint64_t alarms = 0;
    for (; played < 40000000 && alarms < 60; played++) {
        ras_trace_call(UINT64_C(1) << 32 | played);
        ras_trace_return(UINT64_C(1) << 32 | played);
        alarms = handled / 4;
    }
    setitimer(ITIMER_PROF, &never, NULL);
    sigaction(SIGPROF, &was, NULL);
    stop();
    ras_record_counts(&c);
    assert_true(handled > 0);
    assert_int_equal(c.produced, 2 * (played + handled));
    assert_int_equal(c.stored, c.produced);
    struct ras_trace *t = trace_of(ras_record_dir());
    check_interleaved(ras_atf_session(t), c.stored);
    ras_close(t);
    remove_all(dir);
}

/* ---- an idle recorder -------------------------------------------------------------- */

/* How often the drain went to sleep so far. */
static long drain_sleeps(void)
{
    char path[300], line[256];
    long count = -1;
    bool drain = false;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *e; tasks && !drain && (e = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file)) {
            drain |= !strcmp(line, "Name:\trastrum-record\n");
            if (drain && sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1)
                break;
        }
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return count;
}

/* It is awake for a few flushes after an event, then sleeps; on a busy machine that takes
 * longer. */
static bool drain_rests(void)
{
    long before = 0, after = drain_sleeps();
    for (unsigned i = 0; i < 1200 && (after != before || !after); i++) {
        before = after;
        usleep(100000);
        after = drain_sleeps();
    }
    return before > 0 && after == before;
}

static void a_recorder_without_events_sleeps(void **state)
{
    const char *dir = scratch();
    (void)state;
    assert_int_equal(
        ras_record_start(&(struct ras_record_options){.dir = dir, .flush_ms = 5}, NULL), RAS_OK);
    ras_trace_call(1);
    assert_true(drain_rests());
    ras_trace_return(1);
    stop();
    struct ras_record_counts c;
    ras_record_counts(&c);
    assert_int_equal(c.stored, 2);
    remove_all(dir);
}

/* An event is written soon without a call of flush. */
static void an_event_is_flushed_without_a_call(void **state)
{
    const char *dir = scratch();
    char path[8192];
    struct stat st = {0};
    (void)state;
    assert_int_equal(
        ras_record_start(&(struct ras_record_options){.dir = dir, .flush_ms = 5}, NULL), RAS_OK);
    for (unsigned round = 1; round <= 3; round++) {
        ras_trace_call(1);
        snprintf(path, sizeof path, "%s/thread_0/index.atf", ras_record_dir());
        for (unsigned i = 0; i < 120000; i++) {
            if (stat(path, &st) == 0 && st.st_size == 64 + 32 * (off_t)round)
                break;
            usleep(1000);
        }
        assert_int_equal(st.st_size, 64 + 32 * round);
        assert_true(drain_rests());
    }
    stop();
    remove_all(dir);
}

/* Repair reads the counts of a recorder: both use the same names of reasons. */
static void reasons_have_one_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        assert_string_equal(ras_record_reason_name((enum ras_record_reason)i), atf_reason(i));
    assert_null(ras_record_reason_name(RAS_RECORD_REASONS));
    assert_string_equal(atf_reason(RAS_RECORD_REASONS), "not_told");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_has_the_layout_of_the_specification),
        cmocka_unit_test(there_is_one_recording_at_a_time),
        cmocka_unit_test(a_directory_that_cannot_be_created_is_reported),
        cmocka_unit_test(names_reach_the_manifest),
        cmocka_unit_test(depth_follows_calls_and_can_be_unwound),
        cmocka_unit_test(a_signal_handler_may_interrupt_an_event),
        cmocka_unit_test(a_recorder_without_events_sleeps),
        cmocka_unit_test(an_event_is_flushed_without_a_call),
        cmocka_unit_test(reasons_have_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
