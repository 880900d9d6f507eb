/* leaps_test.c - a signal handler that leaves by siglongjmp(), at any instruction of an event that
 * finds the drain asleep: whoever waits for the drain still gets it. */
#include "script.h"
#include "steps.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LEAPS = 300, PATIENCE = 30 /* s */ };

static volatile unsigned steps, last;
static sigjmp_buf back;

static void on_step(int number)
{
    (void)number;
    steps = steps + 1;
    if (steps >= last)
        siglongjmp(back, 1);
}

static void *leap(void *unused)
{
    ras_trace_call(1); /* the first takes a lane */
    const struct timespec until_it_sleeps = {0, 8000000};
    nanosleep(&until_it_sleeps, NULL);
    steps = 0;
    if (sigsetjmp(back, 1) == 0) {
        step(true);
        ras_trace_return(1);
        step(false);
    }
    return unused;
}

static bool leap_all(void)
{
    struct ras_error err = {0};
    for (last = 1; last < LEAPS; last++) {
        pthread_t thread;
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

/* Every thread has its call; its return is there unless it was left. */
static bool check(void)
{
    struct ras_record_counts c;
    ras_record_counts(&c);
    return (c.stored >= LEAPS - 1 && c.produced <= 2 * (LEAPS - 1)) ||
           complain("%" PRIu64 " events produced, %" PRIu64 " stored", c.produced, c.stored);
}

int main(void)
{
    if (!steps_work("leaps"))
        return STEPS_SKIP;
    const char *dir = scratch();
    const struct ras_record_options options = {.exact = dir, .flush_ms = 1};
    struct ras_error err = {0};
    if (ras_record_start(&options, &err) < 0)
        return complain("start: %s", err.text) || 1;
    struct sigaction was, act = {.sa_handler = on_step};
    sigaction(SIGTRAP, &act, &was); /* the recorder takes a trap for a crash, else */
    bool good = leap_all();
    sigaction(SIGTRAP, &was, NULL);
    alarm(PATIENCE);
    good = (ras_record_stop(&err) == RAS_OK || complain("stop: %s", err.text)) && good && check();
    alarm(0);
    remove_all(dir);
    printf("%d passed, %d failed\n", good, !good);
    return !good;
}
