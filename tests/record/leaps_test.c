/* leaps_test.c - a signal handler that leaves by siglongjmp(), at any instruction of an event.
 *
 * The event it came upon is lost, and counted; whatever comes before and after is there, and so is
 * what the handler itself has recorded. */
#include "script.h"
#include "steps.h"

#include <inttypes.h>
#include <rastrum/dial9.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAPS = 700, AFTER = 4 };
enum { STEPPED = 1, HANDLER = 2, PLAIN = 3 };

static volatile unsigned steps, last, leaps;
static sigjmp_buf back;

static void play_pair(uint64_t who, uint64_t number)
{
    ras_trace_call(who << 32 | number);
    ras_trace_return(who << 32 | number);
}

static void on_step(int number)
{
    (void)number;
    steps = steps + 1;
    if (steps < last)
        return;
    play_pair(HANDLER, leaps);
    leaps = leaps + 1;
    siglongjmp(back, 1);
}

/* ---- what is stepped over ------------------------------------------------------------ */

static void play_call(void)
{
    play_pair(STEPPED, last);
}

static void play_detail(void)
{
    const struct ras_detail detail = {.payload = "stepped", .payload_size = 7};
    ras_trace_detail(RAS_TRACE_CALL, (uint64_t)STEPPED << 32 | last, &detail);
    ras_trace_return((uint64_t)STEPPED << 32 | last);
}

static void play_marker(void)
{
    ras_marker("stepped");
}

/* The same from one place, so that nothing is deeper than what was left. */
static __attribute__((noinline)) void play_plain(uint64_t i)
{
    const struct ras_detail detail = {.payload = &i, .payload_size = sizeof i};
    for (unsigned k = 0; k < AFTER; k++)
        play_pair(PLAIN, i * (AFTER + 1) + k);
    ras_trace_detail(RAS_TRACE_CALL, (uint64_t)PLAIN << 32 | (i * (AFTER + 1) + AFTER), &detail);
    ras_trace_return((uint64_t)PLAIN << 32 | (i * (AFTER + 1) + AFTER));
    ras_marker("plain");
}

static void leap(void (*what)(void))
{
    uint32_t depth = ras_trace_depth();
    steps = 0;
    if (sigsetjmp(back, 1) == 0) {
        step(true);
        what();
        step(false);
    }
    ras_trace_unwind(depth);
}

/* ---- what was recorded ---------------------------------------------------------------- */

static bool check_events(struct ras_atf_session *s, uint64_t count)
{
    uint64_t next[4] = {0}, time = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct ras_atf_index_event e;
        struct ras_atf_detail_event d;
        if (ras_atf_index_at(s, 0, i, &e, NULL) < 0)
            return complain("event %" PRIu64 " cannot be had", i);
        uint64_t who = e.function_id >> 32, number = e.function_id & UINT32_MAX;
        uint64_t at = 2 * number + (e.event_kind == RAS_ATF_RETURN);
        if (who < STEPPED || who > PLAIN || at < next[who] || (who != STEPPED && at != next[who]))
            return complain("event %" PRIu64 " is the wrong one", i);
        if (e.timestamp_ns < time)
            return complain("event %" PRIu64 " is of an earlier time", i);
        if (e.detail_seq != UINT32_MAX &&
            (ras_atf_detail_of(s, 0, &e, &d, NULL) < 0 || d.index_seq != i))
            return complain("event %" PRIu64 " has not its own detail", i);
        next[who] = at + 1;
        time = e.timestamp_ns;
    }
    if (next[HANDLER] != 2 * leaps || next[PLAIN] != 2 * LEAPS * (AFTER + 1))
        return complain("%" PRIu64 " events of the handler, %" PRIu64 " between", next[HANDLER],
                        next[PLAIN]);
    return true;
}

struct heard_markers {
    uint64_t all, plain, time;
    bool back; /* a time was earlier than the one before */
};

static int hear(void *user, const struct ras_dial9_event *e)
{
    struct heard_markers *h = user;
    h->all++;
    h->plain += e->values[1].count == 5 && !memcmp(e->values[1].at, "plain", 5);
    h->back |= e->time_ns < h->time;
    h->time = e->time_ns;
    return 0;
}

/* Every marker that was not left is there. */
static bool check_markers(const char *dir, uint64_t stored)
{
    static uint8_t bytes[1 << 20];
    char path[4200];
    struct ras_dial9 *reader = NULL;
    struct ras_error err = {0};
    struct heard_markers h = {0};
    snprintf(path, sizeof path, "%s/events.trc", dir);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    bool good = ras_dial9_open(&reader, bytes, size, NULL, &err) == RAS_OK &&
                ras_dial9_visit(reader, hear, &h, &err) == RAS_END;
    ras_dial9_close(reader);
    if (!good)
        return complain("markers: %s", err.text);
    return (h.all == stored && h.plain == LEAPS && !h.back) ||
           complain("markers: %" PRIu64 " of %" PRIu64 ", %" PRIu64 " of %d between", h.all, stored,
                    h.plain, LEAPS);
}

static bool check_findings(struct ras_trace *trace)
{
    struct ras_report *report;
    struct ras_error err = {0};
    const struct ras_verify_options how = {.deep = true};
    if (ras_verify(&report, trace, &how, &err) < 0)
        return complain("verify: %s", err.text);
    bool good = !report->by_severity[RAS_ERROR];
    for (size_t i = 0; !good && i < report->finding_count; i++)
        if (report->findings[i].severity == RAS_ERROR)
            complain("verify: %s: %s", report->findings[i].rule->id, report->findings[i].text);
    ras_report_free(report);
    return good;
}

static bool check(void)
{
    struct ras_record_counts c;
    struct ras_trace *trace;
    struct ras_error err = {0};
    ras_record_counts(&c);
    if (c.dropped[RAS_RECORD_REENTRANT] > leaps ||
        c.produced != c.stored + c.dropped[RAS_RECORD_REENTRANT])
        return complain("%" PRIu64 " events produced, %" PRIu64 " stored, %" PRIu64 " left",
                        c.produced, c.stored, c.dropped[RAS_RECORD_REENTRANT]);
    if (ras_open(&trace, ras_record_dir(), NULL, &err) < 0)
        return complain("open: %s", err.text);
    bool good = check_events(ras_atf_session(trace), c.stored) && check_findings(trace);
    ras_close(trace);
    return good && check_markers(ras_record_dir(), c.events);
}

static bool record(const char *dir, void (*what)(void))
{
    const struct ras_record_options options = {
        .exact = dir, .ring_bytes = 4096, .detail_bytes = 4096};
    struct sigaction was, act = {.sa_handler = on_step};
    struct ras_error err = {0};
    leaps = 0;
    if (ras_record_start(&options, &err) < 0)
        return complain("start: %s", err.text);
    sigaction(SIGTRAP, &act, &was); /* the recorder takes a trap for a crash, else */
    for (last = 1; last <= LEAPS; last++) {
        leap(what);
        play_plain(last - 1);
    }
    sigaction(SIGTRAP, &was, NULL);
    return ras_record_stop(&err) == RAS_OK || complain("stop: %s", err.text);
}

int main(void)
{
    static void (*const plays[])(void) = {play_call, play_detail, play_marker};
    unsigned passed = 0, failed = 0;
    for (unsigned i = 0; i < sizeof plays / sizeof *plays; i++) {
        const char *dir = scratch();
        if (record(dir, plays[i]) && check()) {
            passed++;
        } else {
            printf("leaps: out of play %u\n", i);
            failed++;
        }
        remove_all(dir);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
