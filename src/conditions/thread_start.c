/* thread_start.c - when new threads and processes begin to run, and how many processors there are.
 *
 * Pinned, a new thread runs until it waits for something or ends, before its creator goes on: the
 * order of two threads does not depend on the load of the machine. Changed, it starts late. */
#include "conditions/condition.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))

enum {
    LEAD_CPU_MS = 20,          /* how long a new thread computes until its creator goes on */
    LEAD_PROCESS_CPU_MS = 500, /* a process, which may load another program */
    LEAD_MOST_MS = 2000,       /* the same if the machine is busy */
    LATE_FIRST_NS = 60000000,  /* of the first thread; later ones are less late */
    LATE_ANY_NS = 20000000,
    TOGETHER_NS = 40000000, /* those of such a time begin at its end */
    PAUSE_NS = 100000,
    WAITS_THREAD = 30,  /* looks at one that waits, until it is believed */
    WAITS_LESS = 8,     /* of these, if it then computes */
    WAITS_PROCESS = 40, /* the recorder in it waits now and then, too */
};

LOCAL uint64_t thread_number; /* 0: the first */
LOCAL uint32_t thread_children;
static uint32_t started; /* threads of the process */

uint64_t condition_thread(void)
{
    return thread_number;
}

/* ---- floating point ----------------------------------------------------------------------- */

void condition_float(void)
{
#if defined(__x86_64__)
    if (setting(SET_FLOAT))
        _mm_setcsr(_mm_getcsr() | 0x8040); /* FTZ and DAZ */
#endif
}

/* ---- pinned --------------------------------------------------------------------------------- */

static uint64_t system_ns(void)
{
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool read_small(const char *path, char *text, size_t room)
{
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    long got = syscall(SYS_read, fd, text, room - 1);
    syscall(SYS_close, fd);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

enum run_state { RUN_ENDED, RUN_WAITS, RUN_COMPUTES };

/* What that at /proc/`place` does, which has computed for *ms so far. */
static enum run_state state_of(const char *place, uint64_t *ms)
{
    char path[96], text[512];
    snprintf(path, sizeof path, "/proc/%s/stat", place);
    if (!read_small(path, text, sizeof text))
        return RUN_ENDED;
    const char *name_end = strrchr(text, ')');
    char state = name_end && name_end[1] ? name_end[2] : 'R';
    if (state == 'Z' || state == 'X')
        return RUN_ENDED;
    snprintf(path, sizeof path, "/proc/%s/schedstat", place);
    if (read_small(path, text, sizeof text))
        *ms = strtoull(text, NULL, 10) / 1000000;
    return state == 'R' || state == 'D' ? RUN_COMPUTES : RUN_WAITS;
}

/* Wait until it waits for something, has ended, or has computed for a while. */
static void let_run(const char *place, uint64_t most_ms, unsigned waits)
{
    const struct timespec pause = {0, PAUSE_NS};
    uint64_t begun = system_ns(), ms = 0;
    for (unsigned waited = 0; waited < waits;) {
        enum run_state state = state_of(place, &ms);
        if (state == RUN_ENDED || ms >= most_ms ||
            system_ns() - begun > LEAD_MOST_MS * UINT64_C(1000000))
            return;
        /* One that waits with a timeout, as for a lock of an interpreter, runs now and then. */
        unsigned less = waited > WAITS_LESS ? waited - WAITS_LESS : 0;
        waited = state == RUN_WAITS ? waited + 1 : less;
        syscall(SYS_nanosleep, &pause, NULL);
    }
}

/* ---- changed ------------------------------------------------------------------------------- */

/* In the reverse order; in any order; all at once, so that short ones meet. */
static void start_late(uint64_t number)
{
    uint64_t how = setting(SET_THREADS), ns;
    if (how <= 1)
        return;
    if (how % 2)
        ns = TOGETHER_NS - system_ns() % TOGETHER_NS;
    else
        ns = how == 2 ? LATE_FIRST_NS / (number + 1)
                      : condition_mix(how * 1000003 + number) % LATE_ANY_NS;
    const struct timespec pause = {0, (long)ns};
    syscall(SYS_nanosleep, &pause, NULL);
}

/* ---- threads ------------------------------------------------------------------------------- */

/* What a new thread needs; its creator frees it. */
struct start {
    struct start *next;
    union {
        void *(*run)(void *);
        int (*run_c11)(void *);
    };
    void *user;
    uint64_t number;
    uint32_t order; /* among the threads of the process */
    uint32_t users; /* who still needs this */
    uint32_t begun;
    char place[48]; /* below /proc: numbers of processes are those of its mount */
};
static struct start *spare_starts;
static struct condition_lock spare_lock;
enum { STARTS_AT_ONCE = 64 };

static struct start *start_new(void)
{
    condition_take(&spare_lock);
    if (!spare_starts) {
        struct start *more = condition_memory(STARTS_AT_ONCE * sizeof *more);
        for (size_t i = 0; more && i < STARTS_AT_ONCE; i++) {
            more[i].next = spare_starts;
            spare_starts = &more[i];
        }
    }
    struct start *s = spare_starts;
    if (s)
        spare_starts = s->next;
    condition_give(&spare_lock);
    if (!s)
        return NULL;
    *s = (struct start){.users = 2,
                        .number = condition_mix(thread_number + ++thread_children),
                        .order = __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED)};
    return s;
}

static void start_free(struct start *s)
{
    if (__atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL))
        return;
    condition_take(&spare_lock);
    s->next = spare_starts;
    spare_starts = s;
    condition_give(&spare_lock);
}

/* In the new thread. */
static struct start start_here(struct start *s)
{
    struct start copy = *s;
    thread_number = s->number;
    condition_float();
    long len = syscall(SYS_readlink, "/proc/thread-self", s->place, sizeof s->place - 1);
    s->place[len > 0 ? len : 0] = 0;
    __atomic_store_n(&s->begun, 1, __ATOMIC_RELEASE);
    start_free(s);
    start_late(copy.order);
    return copy;
}

/* In its creator. */
static void start_there(struct start *s)
{
    const struct timespec pause = {0, 50000};
    uint64_t begun = system_ns();
    int error = errno;
    while (setting(SET_THREADS) == 1 && !__atomic_load_n(&s->begun, __ATOMIC_ACQUIRE) &&
           system_ns() - begun < LEAD_MOST_MS * UINT64_C(1000000))
        syscall(SYS_nanosleep, &pause, NULL);
    if (setting(SET_THREADS) == 1 && __atomic_load_n(&s->begun, __ATOMIC_ACQUIRE))
        let_run(s->place, LEAD_CPU_MS, WAITS_THREAD);
    start_free(s);
    errno = error;
}

static void *start_run(void *user)
{
    struct start s = start_here(user);
    return s.run(s.user);
}

static int start_run_c11(void *user)
{
    struct start s = start_here(user);
    return s.run_c11(s.user);
}

static void start_undo(struct start *s)
{
    thread_children--;
    s->users = 1;
    start_free(s);
}

WRAP int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attributes,
                        void *(*routine)(void *), void *restrict user)
{
    REAL(pthread_create);
    struct start *s = IS_OWN_CALL() ? NULL : start_new();
    if (!s)
        return real(id, attributes, routine, user);
    s->run = routine;
    s->user = user;
    int status = real(id, attributes, start_run, s);
    if (status)
        start_undo(s);
    else
        start_there(s);
    return status;
}

WRAP int thrd_create(thrd_t *id, thrd_start_t routine, void *user)
{
    REAL(thrd_create);
    struct start *s = IS_OWN_CALL() ? NULL : start_new();
    if (!s)
        return real(id, routine, user);
    s->run_c11 = routine;
    s->user = user;
    int status = real(id, start_run_c11, s);
    if (status != thrd_success)
        start_undo(s);
    else
        start_there(s);
    return status;
}

/* ---- processes ------------------------------------------------------------------------------ */

/* The same for a child; its creator goes on when it waits. */
static pid_t start_process(void)
{
    static pid_t (*real)(void);
    if (!real)
        condition_next(&real, "fork");
    char(*place)[48] = condition_memory(sizeof *place);
    int ends[2];
    bool lead = setting(SET_THREADS) == 1 && place && syscall(SYS_pipe2, ends, O_CLOEXEC) == 0;
    uint32_t order = setting(SET_THREADS) ? __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED) : 0;
    pid_t pid = real();
    int error = errno;
    if (pid == 0) {
        thread_number = condition_mix(thread_number + ((order + UINT64_C(1)) << 40));
        if (lead) {
            long len = syscall(SYS_readlink, "/proc/self", *place, sizeof *place);
            (void)!write(ends[1], *place, len > 0 ? (size_t)len : 0);
        }
        start_late(order);
    }
    if (lead) {
        syscall(SYS_close, ends[1]);
        if (pid > 0 && read(ends[0], *place, sizeof *place - 1) > 0)
            let_run(*place, LEAD_PROCESS_CPU_MS, WAITS_PROCESS);
        syscall(SYS_close, ends[0]);
    }
    condition_memory_free(place, sizeof *place);
    errno = error;
    return pid;
}

WRAP pid_t fork(void)
{
    return start_process();
}

/* A child that shares memory with its creator cannot be waited for. */
WRAP pid_t vfork(void)
{
    return start_process();
}

/* ---- processors --------------------------------------------------------------------------- */

#define PROCESSORS(name)                                                                           \
    WRAP int name(void)                                                                            \
    {                                                                                              \
        REAL(name);                                                                                \
        return setting(SET_CPUS) && !IS_OWN_CALL() ? (int)setting(SET_CPUS) : real();              \
    }
PROCESSORS(get_nprocs)
PROCESSORS(get_nprocs_conf)

WRAP long sysconf(int name)
{
    REAL(sysconf);
    if ((name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) && setting(SET_CPUS) &&
        !IS_OWN_CALL())
        return (long)setting(SET_CPUS);
    return real(name);
}
