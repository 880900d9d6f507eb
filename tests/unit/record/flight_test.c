/* flight_test.c - a flight recorder: windows around triggers are stored, all else is counted. */
#include "script.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A window this long has what was played before it, on a busy machine too. */
enum { RING = 1 << 16, KEPT = RING / 32 / 2, DETAIL_EVERY = 7, LONG_MS = 60000 };

static uint64_t played;

static size_t history; /* of the next recordings; 0: the default */

static void start(const char *dir, unsigned pre_ms)
{
    struct ras_error err = {0};
    const struct ras_record_options options = {.exact = dir,
                                               .ring_bytes = RING,
                                               .detail_bytes = 1 << 20,
                                               .flush_ms = 2,
                                               .flight = true,
                                               .pre_ms = pre_ms,
                                               .history_bytes = history,
                                               .post_ms = 20};
    played = 0;
    if (ras_record_start(&options, &err) < 0)
        fail_msg("%s", err.text);
}

/* Event i has function_id i + 1; some have details that say so. */
static void play_one(void)
{
    uint64_t id = ++played;
    if (id % DETAIL_EVERY == 0)
        ras_trace_detail(id % 2 ? RAS_TRACE_CALL : RAS_TRACE_RETURN, id,
                         &(struct ras_detail){.regs = {id}});
    else if (id % 2)
        ras_trace_call(id);
    else
        ras_trace_return(id);
}

static void play_for_ms(unsigned ms)
{
    uint64_t end = ras_record_now() + (uint64_t)ms * 1000000;
    for (unsigned i = 0; ras_record_now() < end || i < 100; i++) {
        play_one();
        if (i % 64 == 0)
            nanosleep(&(struct timespec){0, 50000}, NULL);
    }
}

static void check_detail(struct ras_atf_session *s, const struct ras_atf_index_event *e)
{
    struct ras_atf_detail_event d;
    struct ras_atf_payload p = {0};
    if (e->function_id % DETAIL_EVERY) {
        assert_int_equal(e->detail_seq, RAS_ATF_NO_DETAIL);
        return;
    }
    assert_int_equal(ras_atf_detail_of(s, 0, e, &d, NULL), RAS_OK);
    assert_int_equal(ras_atf_payload_get(&d, RAS_ATF_SPEC, &p), RAS_ATF_SPEC);
    assert_int_equal(p.x_regs[0], e->function_id);
    assert_int_equal(p.function_id, e->function_id);
}

/* Runs of events that follow each other; how many there are, and how many events. */
static unsigned runs_in(struct ras_atf_session *s, uint64_t *events)
{
    struct ras_atf_index_event e;
    uint64_t next = 0, i = 0;
    unsigned runs = 0;
    for (; ras_atf_index_at(s, 0, i, &e, NULL) == RAS_OK; i++) {
        assert_true(e.function_id >= next);
        runs += e.function_id != next;
        next = e.function_id + 1;
        check_detail(s, &e);
    }
    *events = i;
    return runs;
}

/* The last `room` bytes of it, where the windows are. */
static void read_manifest(const char *dir, char *text, size_t room)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file), from = size < (long)room ? 0 : size - (long)room + 1;
    assert_int_equal(fseek(file, from, SEEK_SET), 0);
    assert_int_equal(fread(text, 1, (size_t)(size - from), file), size - from);
    text[size - from] = 0;
    fclose(file);
}

static void check(unsigned windows, const char *kind, uint64_t least)
{
    struct ras_trace *t;
    struct ras_report *report;
    struct ras_record_counts c;
    struct ras_error err = {0};
    uint64_t events;
    char path[8192], text[8192] = "";
    if (ras_open(&t, ras_record_dir(), NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(ras_verify(&report, t, &(struct ras_verify_options){.deep = true}, &err), 0);
    assert_int_equal(report->by_severity[RAS_ERROR], 0);
    ras_report_free(report);
    assert_int_equal(runs_in(ras_atf_session(t), &events), windows);
    ras_close(t);
    if (played) { /* else it was another process */
        ras_record_counts(&c);
        assert_int_equal(c.stored, events);
        assert_int_equal(c.produced, played);
        assert_int_equal(c.stored + c.dropped[RAS_RECORD_OUTSIDE], played);
        assert_int_equal(c.details + c.details_dropped, played / DETAIL_EVERY);
    }
    assert_true(events >= least);
    read_manifest(ras_record_dir(), text, sizeof text);
    assert_non_null(strstr(text, "\"windows\": ["));
    assert_null(strstr(text, "\"crash\""));
    snprintf(path, sizeof path, "\"triggerKind\": \"%s\"", kind);
    if (windows)
        assert_non_null(strstr(text, path));
    else
        assert_null(strstr(text, "triggerKind"));
}

static void without_a_trigger_nothing_is_stored(void **state)
{
    const char *dir = scratch();
    (void)state;
    start(dir, 0);
    play_for_ms(30);
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    check(0, "", 0);
    remove_all(dir);
}

static void a_call_stores_two_windows(void **state)
{
    const char *dir = scratch();
    (void)state;
    start(dir, 0);
    play_for_ms(60);
    ras_record_trigger_now();
    play_for_ms(150);
    for (unsigned i = 0; i < 100000; i++) /* more than a ring: older events are dropped */
        play_one();
    play_for_ms(60);
    ras_record_trigger_now();
    play_for_ms(40);
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    check(2, "api", KEPT);
    remove_all(dir);
}

static void a_function_triggers_by_id_and_by_name(void **state)
{
    const char *dir = scratch();
    (void)state;
    start(dir, LONG_MS);
    assert_int_equal(ras_record_trigger_on(5000, true, NULL), RAS_OK);
    while (played < 6000)
        play_for_ms(5);
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    assert_int_equal(ras_record_trigger_on(5000, false, NULL), RAS_OK);
    check(1, "symbol", 10);
    remove_all(dir);
    dir = scratch();
    assert_int_equal(ras_record_trigger_matching("^boom$", true, NULL), RAS_OK);
    uint64_t boom = ras_record_function(ras_record_module("/lib/flight.so"), "boom");
    start(dir, LONG_MS);
    play_for_ms(20);
    struct ras_record_counts c;
    ras_trace_call(boom);
    play_for_ms(60);
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    ras_record_counts(&c);
    assert_true(c.stored > 10);
    remove_all(dir);
}

static void a_time_and_a_signal_trigger(void **state)
{
    const char *dir = scratch();
    (void)state;
    start(dir, LONG_MS);
    play_for_ms(1);
    ras_record_trigger_at(ras_record_now() + 20000000);
    play_for_ms(100);
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    check(1, "time", 10);
    remove_all(dir);
    dir = scratch();
    assert_int_equal(ras_record_trigger_on_signal(SIGUSR2, NULL), RAS_OK);
    start(dir, LONG_MS);
    play_for_ms(20);
    raise(SIGUSR2);
    play_for_ms(100);
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    check(1, "signal", 10);
    remove_all(dir);
}

static int *volatile nowhere = (int *)(uintptr_t)8;

/* Sanitizers must not handle crashes here. */
RAS_API const char *__asan_default_options(void);
RAS_API const char *__tsan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:detect_leaks=0";
}
const char *__tsan_default_options(void)
{
    return "handle_segv=0";
}

/* A child plays, waits and crashes; how many events are left. */
static uint64_t crash(unsigned pre_ms, unsigned play_ms, unsigned wait_ms)
{
    const char *dir = scratch();
    char path[4200];
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0};
        const struct sigaction usual = {.sa_handler = SIG_DFL};
        setrlimit(RLIMIT_CORE, &no_core);
        sigaction(SIGSEGV, &usual, NULL); /* the test program's own */
        start(dir, pre_ms);
        play_for_ms(play_ms);
        nanosleep(&(struct timespec){0, (long)wait_ms * 1000000}, NULL);
        *nowhere = 1;
        _exit(1);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    snprintf(path, sizeof path, "%s/pid_%d", dir, (int)child);
    struct ras_trace *t;
    uint64_t events;
    assert_int_equal(ras_open(&t, path, NULL, NULL), RAS_OK);
    assert_int_equal(runs_in(ras_atf_session(t), &events), 1);
    ras_close(t);
    static char text[1 << 18];
    read_manifest(path, text, sizeof text);
    assert_non_null(strstr(text, "\"crash\": {\"signal\": 11, \"name\": \"SIGSEGV\", "
                                 "\"code\": 1, \"thread_id\": 0, \"time_ns\": "));
    remove_all(dir);
    return events;
}

static void a_crash_is_a_trigger(void **state)
{
    (void)state;
    assert_true(crash(0, 20, 0) >= 100);
}

/* Even if they are much older than the window. */
static void the_last_calls_before_a_crash_are_stored(void **state)
{
    (void)state;
    assert_true(crash(1, 0, 20) >= 100);
}

/* ---- threads that have ended ------------------------------------------------------------ */

enum { SHORT_THREADS = 40, SHORT_EVENTS = 50 };

static void *live_shortly(void *unused)
{
    for (uint64_t i = 0; i < SHORT_EVENTS; i++)
        ras_trace_call(i + 1);
    return unused;
}

static void run_shortly(unsigned threads)
{
    pthread_t thread;
    for (unsigned i = 0; i < threads; i++) {
        assert_int_equal(pthread_create(&thread, NULL, live_shortly, NULL), 0);
        pthread_join(thread, NULL);
        if (i % 8 == 0) /* the drain sees that the threads have ended */
            assert_int_equal(ras_record_flush(NULL), RAS_OK);
    }
}

static void ended_threads_are_in_the_window(void **state)
{
    const char *dir = scratch();
    struct ras_record_counts c;
    (void)state;
    for (unsigned pre_ms = 0; pre_ms <= 3600000; pre_ms += 3600000) {
        start(dir, pre_ms);
        run_shortly(SHORT_THREADS);
        ras_record_trigger_now();
        assert_int_equal(ras_record_stop(NULL), RAS_OK);
        ras_record_counts(&c);
        assert_int_equal(c.produced, SHORT_THREADS * SHORT_EVENTS);
        assert_int_equal(c.stored, c.produced);
    }
    remove_all(dir);
}

/* More of them than there is room for: the window says from when on it is complete. */
static void a_window_reports_dropped_events(void **state)
{
    const char *dir = scratch();
    struct ras_record_counts c;
    char text[65536] = "";
    (void)state;
    if (getenv("MESON_EXE_WRAPPER")) {
        print_message("skipped: under an emulator robust mutexes do not say that a thread ended\n");
        skip();
    }
    start(dir, 0);
    run_shortly(600);
    ras_record_trigger_now();
    run_shortly(1);
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    ras_record_counts(&c);
    assert_int_equal(c.produced, 601 * SHORT_EVENTS);
    assert_int_equal(c.stored + c.dropped[RAS_RECORD_OUTSIDE], c.produced);
    assert_true(c.dropped[RAS_RECORD_OUTSIDE] > 0);
    assert_true(c.stored > SHORT_EVENTS);
    read_manifest(ras_record_dir(), text, sizeof text);
    assert_non_null(strstr(text, "\"wholeFromNs\": "));
    remove_all(dir);
}

/* ---- a window that is longer than a ring ------------------------------------------------ */

enum { RINGS = 60, MANY = RINGS * (RING / 32) };

static void play_many(void)
{
    while (played < MANY)
        play_one();
}

static void a_window_has_all_events_of_its_time(void **state)
{
    const char *dir = scratch();
    struct ras_record_counts c;
    char text[65536] = "";
    (void)state;
    start(dir, LONG_MS);
    play_many();
    ras_record_trigger_now();
    play_one();
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    check(1, "api", MANY); /* the last event may come after the window */
    ras_record_counts(&c);
    assert_int_equal(c.details, played / DETAIL_EVERY);
    read_manifest(ras_record_dir(), text, sizeof text);
    assert_null(strstr(text, "\"wholeFromNs\": "));
    remove_all(dir);
}

/* A second recording in the same process begins with an empty history. */
static void without_memory_the_oldest_events_are_dropped(void **state)
{
    (void)state;
    history = 1 << 20;
    for (unsigned i = 0; i < 2; i++) {
        const char *dir = scratch();
        char text[65536] = "";
        start(dir, LONG_MS);
        play_many();
        ras_record_trigger_now();
        play_one();
        assert_int_equal(ras_record_stop(NULL), RAS_OK);
        check(1, "api", (1 << 20) / 32 / 4); /* details take their share */
        struct ras_record_counts c;
        ras_record_counts(&c);
        assert_true(c.dropped[RAS_RECORD_OUTSIDE] > 0);
        read_manifest(ras_record_dir(), text, sizeof text);
        assert_non_null(strstr(text, "\"wholeFromNs\": "));
        remove_all(dir);
    }
    history = 0;
}

static pthread_barrier_t idle_barrier;

static void *be_idle(void *unused)
{
    for (uint64_t i = 0; i < 4 * RING / 32; i++)
        ras_trace_call(1);
    pthread_barrier_wait(&idle_barrier); /* it has done so much */
    pthread_barrier_wait(&idle_barrier); /* the others have done theirs */
    return unused;
}

/* Events of a thread that was idle for long are dropped before those of a busy one. */
static void the_oldest_events_of_all_threads_are_dropped_first(void **state)
{
    const char *dir = scratch();
    struct ras_record_counts idle, busy;
    pthread_t thread;
    (void)state;
    history = 1 << 20;
    start(dir, LONG_MS);
    assert_int_equal(pthread_barrier_init(&idle_barrier, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, be_idle, NULL), 0);
    pthread_barrier_wait(&idle_barrier);
    for (uint64_t i = 0; i < MANY; i++)
        ras_trace_call(i + 1);
    ras_record_trigger_now();
    assert_int_equal(ras_record_stop(NULL), RAS_OK);
    pthread_barrier_wait(&idle_barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&idle_barrier);
    assert_true(ras_record_thread_counts(0, &idle));
    assert_true(ras_record_thread_counts(1, &busy));
    assert_int_equal(idle.produced, 4 * RING / 32);
    assert_true(idle.stored <= KEPT);
    assert_true(busy.stored > (1 << 20) / 32 / 2);
    remove_all(dir);
    history = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_trigger_nothing_is_stored),
        cmocka_unit_test(a_call_stores_two_windows),
        cmocka_unit_test(a_function_triggers_by_id_and_by_name),
        cmocka_unit_test(a_time_and_a_signal_trigger),
        cmocka_unit_test(a_crash_is_a_trigger),
        cmocka_unit_test(the_last_calls_before_a_crash_are_stored),
        cmocka_unit_test(ended_threads_are_in_the_window),
        cmocka_unit_test(a_window_reports_dropped_events),
        cmocka_unit_test(a_window_has_all_events_of_its_time),
        cmocka_unit_test(without_memory_the_oldest_events_are_dropped),
        cmocka_unit_test(the_oldest_events_of_all_threads_are_dropped_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
