/* leaps_test.c - a signal handler that leaves by siglongjmp(), at any instruction of an event
 * that finds the drain asleep: threads that wait for the drain are still served, and the thread
 * continues with its next event, which is a call, a call with a detail or an event of a schema.
 * Every other handler records something itself before it leaves. */
#include "script.h"
#include "steps.h"
#include <rastrum/dial9.h>

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LEAPS = 300, PATIENCE = 120 /* s */, AFTER = 10 /* pairs */ };
enum what { CALL, DETAIL, EVENT, WHATS };
static const unsigned apart[WHATS] = {1, 7,
                                      9}; /* longer paths are tried at every n-th instruction */
static const unsigned most[WHATS] = {LEAPS, 700, 900};

static enum what what;
static uint32_t schema;
static unsigned threads, event_threads;
static volatile unsigned steps, last, left, aside;
static sigjmp_buf back;

static void on_step(int number)
{
    (void)number;
    steps = steps + 1;
    if (steps < last)
        return;
    if (last % 2 == 0) {
        ras_trace_call(2);
        ras_trace_return(2);
        aside = aside + 2;
    }
    left = left + 1;
    siglongjmp(back, 1);
}

static void record_detail(enum ras_trace_kind kind, uint64_t function)
{
    const struct ras_detail detail = {.regs = {1, 2, 3}, .sp = 4};
    ras_trace_detail(kind, function, &detail);
}

static void record_event(uint64_t number)
{
    const struct ras_dial9_value value = {.type = RAS_DIAL9_VARINT, .u = number};
    (void)ras_event(schema, &value, 1);
}

static void *leap(void *unused)
{
    ras_trace_call(1); /* the first takes a lane */
    const struct timespec until_it_sleeps = {0, 8000000};
    nanosleep(&until_it_sleeps, NULL);
    steps = 0;
    if (sigsetjmp(back, 1) == 0) {
        step(true);
        if (what == CALL)
            ras_trace_return(1);
        else if (what == DETAIL)
            record_detail(RAS_TRACE_RETURN, 1);
        else
            record_event(1);
        step(false);
    }
    ras_trace_unwind(0);
    for (unsigned i = 0; i < AFTER; i++) {
        if (what == DETAIL)
            record_detail(RAS_TRACE_CALL, 3);
        else
            ras_trace_call(3);
        ras_trace_return(3);
        if (what == EVENT)
            record_event(2);
    }
    return unused;
}

static bool leap_all(void)
{
    struct ras_error err = {0};
    for (last = 1; last < most[what]; last += apart[what]) {
        pthread_t thread;
        threads++;
        event_threads += what == EVENT;
        if (pthread_create(&thread, NULL, leap, NULL))
            return complain("no thread");
        pthread_join(thread, NULL);
        alarm(PATIENCE); /* it ends a test that hangs */
        int status = ras_record_flush(&err);
        alarm(0);
        if (status < 0)
            return complain("flush: %s", err.text);
    }
    return true;
}

/* Every thread has its call and the events after the jump; its return is there, or was
 * abandoned, or never begun. */
static bool check_counts(void)
{
    struct ras_record_counts c;
    ras_record_counts(&c);
    uint64_t sure = (uint64_t)threads * (1 + 2 * AFTER) + aside;
    uint64_t given_up = c.dropped[RAS_RECORD_ABANDONED];
    if (c.stored + given_up != c.produced || given_up > left)
        return complain("%" PRIu64 " events produced, %" PRIu64 " stored, %" PRIu64 " given up",
                        c.produced, c.stored, given_up);
    return (c.stored >= sure && c.produced <= sure + threads) ||
           complain("%" PRIu64 " events produced, %" PRIu64 " stored, at least %" PRIu64,
                    c.produced, c.stored, sure);
}

/* The events after the jump are complete, and have the right depth. */
static bool check_thread(struct ras_atf_session *s, size_t thread)
{
    struct ras_atf_index_event e;
    uint64_t after = 0;
    for (uint64_t i = 0; ras_atf_index_at(s, thread, i, &e, NULL) == RAS_OK; i++)
        if (e.function_id == 3 && e.call_depth == 1)
            after++;
    return after == 2 * AFTER ||
           complain("thread %zu: %" PRIu64 " events after the leap", thread, after);
}

/* Details belong to their events, and the events of the schema are complete: those after the
 * jump and perhaps the one that was left. */
static bool check_rules(struct ras_trace *trace)
{
    struct ras_report *report;
    struct ras_info *info;
    struct ras_error err = {0};
    const struct ras_verify_options how = {.deep = true};
    if (ras_verify(&report, trace, &how, &err) < 0 || ras_info(&info, trace, NULL, NULL, &err) < 0)
        return complain("verify: %s", err.text);
    bool good = !report->by_severity[RAS_ERROR] && !report->by_severity[RAS_WARNING];
    for (size_t i = 0; !good && i < report->finding_count && i < 5; i++)
        complain("%s: %s", report->findings[i].rule->id, report->findings[i].text);
    uint64_t events = info->carried_count ? info->carried[0].records : 0;
    uint64_t sure = (uint64_t)event_threads * AFTER;
    if (events < sure || events > sure + event_threads)
        good = complain("%" PRIu64 " events, at least %" PRIu64, events, sure);
    ras_info_free(info);
    ras_report_free(report);
    return good;
}

static bool check(void)
{
    struct ras_trace *trace;
    struct ras_error err = {0};
    if (!check_counts())
        return false;
    if (ras_open(&trace, ras_record_dir(), NULL, &err) < 0)
        return complain("open: %s", err.text);
    struct ras_atf_session *s = ras_atf_session(trace);
    bool good = ras_atf_thread_count(s) == threads || complain("a thread is missing");
    for (size_t i = 0; good && i < ras_atf_thread_count(s); i++)
        good = check_thread(s, i);
    good = good && check_rules(trace);
    ras_close(trace);
    return good;
}

int main(void)
{
    if (!steps_work("leaps"))
        return STEPS_SKIP;
    const char *dir = scratch();
    const struct ras_record_options options = {.exact = dir, .flush_ms = 1};
    struct ras_error err = {0};
    static const struct ras_dial9_field field = {"number", RAS_DIAL9_VARINT};
    static const struct ras_dial9_schema numbers = {"Number", &field, 1, true};
    if (ras_event_schema(&numbers, &schema, &err) < 0 || ras_record_start(&options, &err) < 0)
        return complain("start: %s", err.text) || 1;
    struct sigaction was, act = {.sa_handler = on_step};
    sigaction(SIGTRAP, &act, &was); /* otherwise the recorder takes a trap for a crash */
    bool good = true;
    for (what = CALL; good && what < WHATS; what++)
        good = leap_all();
    sigaction(SIGTRAP, &was, NULL);
    alarm(PATIENCE);
    good = (ras_record_stop(&err) == RAS_OK || complain("stop: %s", err.text)) && good && check();
    alarm(0);
    remove_all(dir);
    printf("%d passed, %d failed\n", good, !good);
    return !good;
}
