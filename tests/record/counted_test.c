/* counted_test.c - a recorder that drops events is killed: each of them was stored or is counted.
 *
 * Threads with small rings play as fast as they can; others play little and end, over and over.
 * All count in shared memory what they have played. After the kill, repair must report as many
 * events as that, and at most one more for each thread that was playing. For a recording that is
 * not durable it must report that the number is not known. With RASTRUM_EFFORT=full ten times as
 * often. */
#include "script.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PLAYERS = 2, SHORT_LIVES = 100000, ROUNDS = 8, SHORT_EVENTS = 700 };

struct played_by {
    _Alignas(64) uint64_t events;
};
static struct played_by *played; /* by player; the last is those that end */

static void play_pair(struct played_by *by)
{
    ras_trace_call(1);
    __atomic_store_n(&by->events, by->events + 1, __ATOMIC_RELEASE);
    ras_trace_return(1);
    __atomic_store_n(&by->events, by->events + 1, __ATOMIC_RELEASE);
}

static void *play_on(void *user)
{
    for (;;)
        play_pair(user);
    return NULL;
}

static void *play_shortly(void *user)
{
    for (unsigned i = 0; i < SHORT_EVENTS / 2; i++)
        play_pair(user);
    return NULL;
}

static void be_killed(const char *dir, bool durable)
{
    const struct ras_record_options options = {.exact = dir,
                                               .ring_bytes = 4096,
                                               .detail_bytes = 4096,
                                               .policy = RAS_RECORD_DROP,
                                               .durable = durable};
    pthread_t thread;
    if (ras_record_start(&options, NULL) < 0)
        _exit(3);
    for (unsigned i = 0; i < PLAYERS; i++)
        if (pthread_create(&thread, NULL, play_on, &played[i]))
            _exit(3);
    if (ras_record_flush(NULL) < 0)
        _exit(3);
    for (unsigned i = 0; i < SHORT_LIVES; i++)
        if (pthread_create(&thread, NULL, play_shortly, &played[PLAYERS]) ||
            pthread_join(thread, NULL))
            _exit(3);
    _exit(3);
}

static uint64_t sum_played(void)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i <= PLAYERS; i++)
        sum += __atomic_load_n(&played[i].events, __ATOMIC_ACQUIRE);
    return sum;
}

/* A few threads have ended, however slow the machine is. */
static bool kill_one(const char *dir, bool durable, unsigned round)
{
    memset(played, 0, (PLAYERS + 1) * sizeof *played);
    pid_t child = fork();
    if (child == 0)
        be_killed(dir, durable);
    for (unsigned ms = 0;
         ms < 120000 &&
         __atomic_load_n(&played[PLAYERS].events, __ATOMIC_ACQUIRE) < (1 + round) * SHORT_EVENTS;
         ms++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    nanosleep(&(struct timespec){0, rand() % 20000000}, NULL);
    int status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) || complain("it ended by itself");
}

/* ---- what is left ----------------------------------------------------------------- */

static bool check_known(struct ras_trace *t, const struct ras_repair *r)
{
    struct ras_atf_session *s = ras_atf_session(t);
    const struct ras_atf_manifest *m = ras_atf_manifest(s, 0);
    struct ras_atf_thread thread;
    uint64_t stored = 0, dropped = 0, made = sum_played();
    for (size_t i = 0; i < ras_atf_thread_count(s); i++)
        if (ras_atf_thread_at(s, i, &thread, NULL) == RAS_OK)
            stored += thread.index.count;
    for (size_t i = 0; i < m->drop_count; i++)
        dropped += m->drops[i].events;
    if (m->unfinished || r->plan.lost_records)
        return complain("it is not known how many are missing");
    if (!dropped)
        return complain("nothing was dropped");
    return (made <= stored + dropped && stored + dropped <= made + PLAYERS + 1) ||
           complain("%" PRIu64 " played, %" PRIu64 " stored, %" PRIu64 " dropped in %zu threads",
                    made, stored, dropped, ras_atf_thread_count(s));
}

static bool check_unknown(struct ras_trace *t, const struct ras_repair *r)
{
    const struct ras_atf_manifest *m = ras_atf_manifest(ras_atf_session(t), 0);
    return (m->unfinished && r->plan.lost_records == RAS_NONE && r->after.kind == RAS_CUT) ||
           complain("nothing says that nobody knows what is missing");
}

static bool check(const char *dir, bool durable, struct ras_error *err)
{
    struct ras_trace *t, *repaired = NULL;
    struct ras_folder *folder = NULL;
    struct ras_repair *r = NULL;
    size_t count;
    if (ras_open(&t, dir, NULL, err) < 0)
        return false;
    bool good = ras_folder_memory(&folder, err) == RAS_OK &&
                ras_repair(&r, t, &(struct ras_repair_options){.folder = folder}, err) == RAS_OK;
    if (good) {
        const struct ras_part *parts = ras_folder_parts(folder, &count);
        good = ras_open_parts(&repaired, parts, count, NULL, err) == RAS_OK &&
               (durable ? check_known(repaired, r) : check_unknown(repaired, r));
    }
    ras_close(repaired);
    ras_repair_free(r);
    ras_folder_drop(folder);
    ras_close(t);
    return good;
}

int main(void)
{
    const char *effort = getenv("RASTRUM_EFFORT");
    unsigned failed = 0, rounds = effort && !strcmp(effort, "full") ? 10 * ROUNDS : ROUNDS;
    played = mmap(NULL, (PLAYERS + 1) * sizeof *played, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    srand((unsigned)time(NULL));
    for (unsigned i = 0; i < rounds && played != MAP_FAILED; i++) {
        struct ras_error err = {0};
        const char *dir = scratch();
        bool durable = i % 4 != 3;
        if (!kill_one(dir, durable, i % 8) || !check(dir, durable, &err)) {
            printf("counted: round %u: %s\n", i, err.text);
            failed++;
        }
        remove_all(dir);
    }
    printf("%u passed, %u failed\n", rounds - failed, failed);
    return failed != 0;
}
