/* steps_test.c - a signal handler that records, between any two instructions of an event.
 *
 * The processor traps after every instruction; the handler of the trap is the one that records.
 * Everything that both have played is stored or counted, and in order. With
 * RASTRUM_EFFORT=reduced there are fewer runs. */
#include "script.h"
#include "steps.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 6000, MARKED = 16 };
enum { PLAYER = 1, HANDLER = 2 };

static unsigned every; /* so many instructions from one handler to the next */
static volatile uint64_t steps, played, handled, marked;

static void play_pair(uint64_t who, uint64_t number)
{
    ras_trace_call(who << 32 | number);
    ras_trace_return(who << 32 | number);
}

static void play_detail(uint64_t number)
{
    const struct ras_detail detail = {.payload = "detail", .payload_size = 6};
    ras_trace_detail(RAS_TRACE_CALL, (uint64_t)PLAYER << 32 | number, &detail);
    ras_trace_return((uint64_t)PLAYER << 32 | number);
}

static void on_step(int number)
{
    (void)number;
    steps = steps + 1;
    if (steps % every)
        return;
    play_pair(HANDLER, handled);
    handled = handled + 1;
    if (handled % MARKED == 0) {
        marked = marked + 1;
        ras_marker("handler");
    }
}

/* The recorder takes a trap for a crash, unless a handler is installed after it. */
static void play_stepped(void)
{
    struct sigaction was, act = {.sa_handler = on_step};
    sigaction(SIGTRAP, &act, &was);
    step(true);
    while (steps < STEPS) {
        if (played % 4 == 1)
            play_detail(played);
        else
            play_pair(PLAYER, played);
        played = played + 1;
        if (played % MARKED == 0) {
            marked = marked + 1;
            ras_marker("player");
        }
    }
    step(false);
    sigaction(SIGTRAP, &was, NULL);
}

/* ---- what was recorded ---------------------------------------------------------------- */

static uint64_t sum_of(const uint64_t *reasons)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        sum += reasons[i];
    return sum;
}

static bool check_counts(const struct ras_record_counts *c)
{
    uint64_t made = 2 * (played + handled);
    if (c->produced != made || c->stored + sum_of(c->dropped) != made)
        return complain("%" PRIu64 " events: %" PRIu64 " produced, %" PRIu64 " stored, %" PRIu64
                        " dropped",
                        made, c->produced, c->stored, sum_of(c->dropped));
    if (c->events + sum_of(c->events_dropped) != marked)
        return complain("%" PRIu64 " markers: %" PRIu64 " stored, %" PRIu64 " dropped", marked,
                        c->events, sum_of(c->events_dropped));
    return true;
}

/* Both sides' events are in order; none is missing where none was dropped. */
static bool check_order(struct ras_atf_session *s, const struct ras_record_counts *c)
{
    uint64_t next[3] = {0}, time = 0;
    bool whole = c->stored == c->produced;
    for (uint64_t i = 0; i < c->stored; i++) {
        struct ras_atf_index_event e;
        if (ras_atf_index_at(s, 0, i, &e, NULL) < 0)
            return complain("event %" PRIu64 " cannot be had", i);
        uint64_t who = e.function_id >> 32;
        if (who != PLAYER && who != HANDLER)
            return complain("event %" PRIu64 " is nobody's", i);
        uint64_t at = 2 * (e.function_id & UINT32_MAX) + (e.event_kind == RAS_ATF_RETURN);
        if (at < next[who] || (whole && at > next[who]))
            return complain("event %" PRIu64 " is the wrong one", i);
        if (e.timestamp_ns < time)
            return complain("event %" PRIu64 " is of an earlier time", i);
        next[who] = at + 1;
        time = e.timestamp_ns;
    }
    return true;
}

static bool check(void)
{
    struct ras_record_counts c;
    struct ras_trace *trace;
    struct ras_error err = {0};
    ras_record_counts(&c);
    if (!handled)
        return complain("no instruction was stepped over");
    if (!check_counts(&c))
        return false;
    if (ras_open(&trace, ras_record_dir(), NULL, &err) < 0)
        return complain("open: %s", err.text);
    bool good = check_order(ras_atf_session(trace), &c);
    ras_close(trace);
    return good;
}

static bool record(const char *dir, unsigned run)
{
    const struct ras_record_options options = {
        .exact = dir,
        .ring_bytes = 4096,
        .detail_bytes = 4096,
        .policy = run % 2 ? RAS_RECORD_DROP : RAS_RECORD_BLOCK,
        .durable = run % 4 >= 2,
        .flight = run % 5 == 4,
    };
    struct ras_error err = {0};
    steps = played = handled = marked = 0;
    if (ras_record_start(&options, &err) < 0)
        return complain("start: %s", err.text);
    play_stepped();
    return ras_record_stop(&err) == RAS_OK || complain("stop: %s", err.text);
}

int main(void)
{
    unsigned passed = 0, failed = 0;
    const char *effort = getenv("RASTRUM_EFFORT");
    if (!steps_work("steps"))
        return STEPS_SKIP;
    unsigned share = effort && !strcmp(effort, "reduced") ? 1 : 8;
    for (every = 1; every <= 400; every += every / share + 1) {
        const char *dir = scratch();
        if (record(dir, passed + failed) && check()) {
            passed++;
        } else {
            printf("steps: a handler every %u instructions\n", every);
            failed++;
        }
        remove_all(dir);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
