/* stress_test.c - many threads, millions of events, compared one by one with what each played.
 *
 * With RASTRUM_EFFORT=full ten times as many; reduced, a tenth. */
#include "script.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct run {
    const char *name;
    unsigned threads; /* at a time */
    unsigned lives;   /* each is followed by so many others */
    uint64_t events;  /* of every thread */
    enum ras_record_policy policy;
    enum ras_record_clock clock;
    size_t ring;
    bool sleeps, stop_early, durable;
};

static const struct run runs[] = {
    {"one thread", 1, 1, 3000000, RAS_RECORD_BLOCK, RAS_RECORD_CLOCK_AUTO, 0, false, false, false},
    {"the system's clock", 2, 1, 500000, RAS_RECORD_BLOCK, RAS_RECORD_CLOCK_SYSTEM, 0, false, false,
     false},
    {"two small rings", 2, 1, 1000000, RAS_RECORD_BLOCK, RAS_RECORD_CLOCK_AUTO, 4096, false, false,
     false},
    {"sixteen threads", 16, 1, 200000, RAS_RECORD_BLOCK, RAS_RECORD_CLOCK_AUTO, 65536, true, false,
     false},
    {"sixty-four threads", 64, 1, 50000, RAS_RECORD_BLOCK, RAS_RECORD_CLOCK_AUTO, 0, true, false,
     false},
    {"threads that come and go", 8, 100, 500, RAS_RECORD_BLOCK, RAS_RECORD_CLOCK_AUTO, 16384, false,
     false, false},
    {"dropping", 4, 4, 300000, RAS_RECORD_DROP, RAS_RECORD_CLOCK_AUTO, 4096, true, false, false},
    {"durable", 4, 8, 20000, RAS_RECORD_BLOCK, RAS_RECORD_CLOCK_AUTO, 16384, true, false, true},
    {"stopped in the middle", 8, 1, 4000000, RAS_RECORD_BLOCK, RAS_RECORD_CLOCK_AUTO, 65536, false,
     true, false},
};

static uint64_t effort(uint64_t events)
{
    const char *set = getenv("RASTRUM_EFFORT");
    if (set && !strcmp(set, "full"))
        return events * 10;
    return set && !strcmp(set, "reduced") ? events / 10 + 1 : events;
}

/* ---- playing -------------------------------------------------------------------- */

struct player {
    const struct run *run;
    uint64_t number;
};

static void nap(struct script *s)
{
    const struct timespec t = {0, (long)(s->random % 200000)};
    nanosleep(&t, NULL);
}

static void *play_script(void *user)
{
    const struct player *p = user;
    struct script s = script_of(p->number);
    for (uint64_t i = 0, count = effort(p->run->events); i < count; i++) {
        struct played next = script_next(&s);
        play(&next);
        if (p->run->sleeps && s.random % 16384 == 0)
            nap(&s);
    }
    return NULL;
}

static void *play_lives(void *user)
{
    struct player *p = user;
    for (unsigned i = 0; i < p->run->lives; i++) {
        struct player one = {p->run, p->number + i};
        pthread_t thread;
        if (pthread_create(&thread, NULL, play_script, &one) == 0)
            pthread_join(thread, NULL);
    }
    return NULL;
}

static bool record(const struct run *run, const char *dir)
{
    const struct ras_record_options options = {.exact = dir,
                                               .policy = run->policy,
                                               .clock = run->clock,
                                               .ring_bytes = run->ring,
                                               .durable = run->durable};
    struct ras_error err = {0};
    struct player players[64];
    pthread_t threads[64];
    if (ras_record_start(&options, &err) < 0)
        return complain("start: %s", err.text);
    for (unsigned i = 0; i < run->threads; i++) {
        players[i] = (struct player){run, (uint64_t)i * run->lives + 1};
        if (pthread_create(&threads[i], NULL, play_lives, &players[i]))
            return complain("no thread");
    }
    if (run->stop_early) {
        const struct timespec while_they_play = {0, 50000000};
        nanosleep(&while_they_play, NULL);
        if (ras_record_stop(&err) < 0)
            return complain("stop: %s", err.text);
    }
    for (unsigned i = 0; i < run->threads; i++)
        pthread_join(threads[i], NULL);
    if (!run->stop_early && ras_record_stop(&err) < 0)
        return complain("stop: %s", err.text);
    return true;
}

/* ---- comparing ------------------------------------------------------------------ */

static uint64_t dropped_of(const struct ras_record_counts *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++)
        sum += c->dropped[i];
    return sum;
}

static bool check_thread(const struct run *run, struct ras_atf_session *s, size_t i)
{
    struct ras_atf_thread t;
    struct ras_record_counts c;
    struct heard heard;
    bool holes = run->policy == RAS_RECORD_DROP;
    if (ras_atf_thread_at(s, i, &t, NULL) < 0 || !ras_record_thread_counts(t.thread_id, &c))
        return complain("thread %zu cannot be had", i);
    if (!script_check(s, i, holes, &heard))
        return false;
    if (heard.events != c.stored || c.produced != c.stored + dropped_of(&c))
        return complain("thread %u: %" PRIu64 " in its file, %" PRIu64 " stored, %" PRIu64
                        " dropped, %" PRIu64 " produced",
                        t.thread_id, heard.events, c.stored, dropped_of(&c), c.produced);
    if (!holes && !heard.whole)
        return complain("thread %u does not begin with its script", t.thread_id);
    if (!run->stop_early && c.produced != effort(run->events))
        return complain("thread %u: %" PRIu64 " produced", t.thread_id, c.produced);
    return true;
}

static bool check_findings(struct ras_trace *trace)
{
    struct ras_report *report;
    struct ras_error err = {0};
    const struct ras_verify_options how = {.strict = true, .deep = true};
    if (ras_verify(&report, trace, &how, &err) < 0)
        return complain("verify: %s", err.text);
    bool good = true;
    /* A script ends in the middle of calls, which is a note. */
    for (size_t i = 0; good && i < report->finding_count; i++)
        if (report->findings[i].severity > RAS_NOTE &&
            !strstr(report->findings[i].rule->id, "depth"))
            good =
                complain("verify: %s: %s", report->findings[i].rule->id, report->findings[i].text);
    ras_report_free(report);
    return good;
}

static bool check(const struct run *run, const char *dir)
{
    struct ras_trace *trace;
    struct ras_error err = {0};
    if (ras_open(&trace, dir, NULL, &err) < 0)
        return complain("open: %s", err.text);
    struct ras_atf_session *s = ras_atf_session(trace);
    size_t count = s ? ras_atf_thread_count(s) : 0;
    bool good = run->stop_early || count == (size_t)run->threads * run->lives ||
                complain("%zu threads were recorded", count);
    for (size_t i = 0; good && i < count; i++)
        good = check_thread(run, s, i);
    good = good && check_findings(trace);
    ras_close(trace);
    return good;
}

int main(void)
{
    unsigned passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const char *dir = scratch();
        if (record(&runs[i], dir) && check(&runs[i], dir)) {
            passed++;
        } else {
            printf("stress: %s\n", runs[i].name);
            failed++;
        }
        remove_all(dir);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
