/* fixed_clock.c - every clock of the program, as one that begins at a fixed second.
 *
 * It goes on by each look at it, and by what the program has waited for, so that a loop that waits
 * for a time ends. Times that the program waits until are translated to those of the system. */
#include "conditions/condition.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SECOND  UINT64_C(1000000000)
#define UP_TIME (UINT64_C(1000) * SECOND) /* of the system, at the first look */

/* A loop that waits for a time looks often: later looks are further apart. How long something took
 * is seen by few looks: changed, it took milliseconds more. */
enum { LOOKS_NEAR = 1000, LOOK_FAR_NS = 1000000, LOOKS_SLOW = 16, SPENT_LOOKS = 12 };

/* Each kind has looks of its own: how often a library inspects one does not change another. */
enum clock_kind { KIND_CALENDAR, KIND_SINCE_START, KIND_PROCESSOR, CLOCK_KINDS };
static uint64_t looks[CLOCK_KINDS], waited_ns;

static bool clock_is_fixed(uintptr_t caller)
{
    return setting(SET_CLOCK) && !condition_is_own(caller);
}
#define IS_FIXED() clock_is_fixed((uintptr_t)__builtin_return_address(0))

void condition_waited(uint64_t ns)
{
    __atomic_fetch_add(&waited_ns, ns, __ATOMIC_RELAXED);
}

static uint64_t passed(uint64_t count)
{
    uint64_t near = count < LOOKS_NEAR ? count : LOOKS_NEAR;
    uint64_t slow = count < LOOKS_SLOW ? count : LOOKS_SLOW;
    return near * setting(SET_STEP) + (count - near) * LOOK_FAR_NS + slow * setting(SET_SLOW) +
           __atomic_load_n(&waited_ns, __ATOMIC_RELAXED);
}

/* Nanoseconds since the first look, which is 0. */
static uint64_t look(enum clock_kind kind)
{
    return passed(__atomic_fetch_add(&looks[kind], 1, __ATOMIC_RELAXED));
}

static bool is_calendar(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
           clock == CLOCK_REALTIME_ALARM;
}

/* Of which each process or thread has its own. */
static bool is_cpu_time(clockid_t clock)
{
    return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

static enum clock_kind kind_of(clockid_t clock)
{
    return is_calendar(clock)   ? KIND_CALENDAR
           : is_cpu_time(clock) ? KIND_PROCESSOR
                                : KIND_SINCE_START;
}

/* Time of the processor that the program has taken before the first look. */
static uint64_t spent(void)
{
    return SPENT_LOOKS * setting(SET_SLOW);
}

static uint64_t base_of(clockid_t clock)
{
    if (is_cpu_time(clock))
        return spent();
    uint64_t fraction = setting(SET_SLOW) ? condition_mix(setting(SET_CLOCK)) % SECOND : 0;
    return (is_calendar(clock) ? setting(SET_CLOCK) * SECOND
                               : UP_TIME + setting(SET_CLOCK) % 86400 * SECOND) +
           fraction;
}

static void put_time(uint64_t ns, struct timespec *to)
{
    to->tv_sec = (time_t)(ns / SECOND);
    to->tv_nsec = (long)(ns % SECOND);
}

static uint64_t ns_of(const struct timespec *t)
{
    return t->tv_sec < 0 ? 0 : (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

/* ---- looks -------------------------------------------------------------------------------- */

WRAP int clock_gettime(clockid_t clock, struct timespec *time)
{
    REAL(clock_gettime);
    if (!IS_FIXED() || clock > 15)
        return real(clock, time);
    put_time(base_of(clock) + look(kind_of(clock)), time);
    return 0;
}

WRAP time_t time(time_t *to)
{
    REAL(time);
    if (!IS_FIXED())
        return real(to);
    time_t now = (time_t)((base_of(CLOCK_REALTIME) + look(KIND_CALENDAR)) / SECOND);
    if (to)
        *to = now;
    return now;
}

WRAP int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    REAL(gettimeofday);
    if (!IS_FIXED())
        return real(to, zone);
    uint64_t ns = base_of(CLOCK_REALTIME) + look(KIND_CALENDAR);
    *to = (struct timeval){(time_t)(ns / SECOND), (suseconds_t)(ns % SECOND / 1000)};
    if (zone)
        memset(zone, 0, sizeof(struct timezone));
    return 0;
}

WRAP int timespec_get(struct timespec *to, int base)
{
    REAL(timespec_get);
    if (!IS_FIXED() || base != TIME_UTC)
        return real(to, base);
    put_time(base_of(CLOCK_REALTIME) + look(KIND_CALENDAR), to);
    return base;
}

WRAP clock_t clock(void)
{
    REAL(clock);
    return IS_FIXED() ? (clock_t)((spent() + look(KIND_PROCESSOR)) / 1000) : real();
}

WRAP clock_t times(struct tms *to)
{
    REAL(times);
    if (!IS_FIXED())
        return real(to);
    uint64_t ns = look(KIND_PROCESSOR);
    clock_t ticks = (clock_t)(ns / (SECOND / 100));
    if (to)
        *to = (struct tms){.tms_utime = (clock_t)((spent() + ns) / (SECOND / 100))};
    return (clock_t)(base_of(CLOCK_MONOTONIC) / (SECOND / 100)) + ticks;
}

uint64_t condition_up_ns(void)
{
    return base_of(CLOCK_BOOTTIME) + look(KIND_SINCE_START);
}

WRAP int sysinfo(struct sysinfo *to)
{
    REAL(sysinfo);
    int status = real(to);
    if (!status && IS_FIXED())
        to->uptime = (long)(condition_up_ns() / SECOND);
    return status;
}

/* Times alone: the other figures are the kernel's. */
WRAP int getrusage(__rusage_who_t who, struct rusage *to)
{
    REAL(getrusage);
    int status = real(who, to);
    if (status || !IS_FIXED())
        return status;
    uint64_t ns = spent() + look(KIND_PROCESSOR);
    *to = (struct rusage){.ru_utime = {(time_t)(ns / SECOND), (suseconds_t)(ns % SECOND / 1000)},
                          .ru_maxrss = to->ru_maxrss};
    return 0;
}

/* ---- waits ---------------------------------------------------------------------------------- */

/* What remains until a time of the program's clock; `*until` becomes the system's. */
static uint64_t translate(clockid_t clock, const struct timespec *time, struct timespec *until)
{
    struct timespec now;
    uint64_t here =
        base_of(clock) + passed(__atomic_load_n(&looks[kind_of(clock)], __ATOMIC_RELAXED));
    uint64_t there = ns_of(time), left = there > here ? there - here : 0;
    syscall(SYS_clock_gettime, clock, &now);
    put_time(ns_of(&now) + left, until);
    return left;
}

/* The clock of a condition variable: a bit that the C library keeps in it (nptl, __wrefs). */
static clockid_t condition_clock_of(const pthread_cond_t *c)
{
    const unsigned *words = (const unsigned *)(const void *)c;
    return words[9] & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/* A wait until a time, whose function returns `over` when it has come. */
#define WAIT_UNTIL(name, parameters, clock, time, arguments, over)                                 \
    WRAP int name parameters                                                                       \
    {                                                                                              \
        REAL(name);                                                                                \
        struct timespec until = *(time);                                                           \
        uint64_t left = IS_FIXED() ? translate(clock, time, &until) : 0;                           \
        int status = real arguments;                                                               \
        if (left && (over))                                                                        \
            condition_waited(left);                                                                \
        return status;                                                                             \
    }
WAIT_UNTIL(pthread_cond_timedwait,
           (pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
            const struct timespec *restrict t),
           condition_clock_of(c), t, (c, m, &until), status == ETIMEDOUT)
WAIT_UNTIL(pthread_cond_clockwait,
           (pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock,
            const struct timespec *restrict t),
           clock, t, (c, m, clock, &until), status == ETIMEDOUT)
WAIT_UNTIL(pthread_mutex_timedlock,
           (pthread_mutex_t *restrict m, const struct timespec *restrict t), CLOCK_REALTIME, t,
           (m, &until), status == ETIMEDOUT)
WAIT_UNTIL(pthread_mutex_clocklock,
           (pthread_mutex_t *restrict m, clockid_t clock, const struct timespec *restrict t), clock,
           t, (m, clock, &until), status == ETIMEDOUT)
WAIT_UNTIL(sem_timedwait, (sem_t *restrict s, const struct timespec *restrict t), CLOCK_REALTIME, t,
           (s, &until), status < 0 && errno == ETIMEDOUT)
WAIT_UNTIL(sem_clockwait, (sem_t *restrict s, clockid_t clock, const struct timespec *restrict t),
           clock, t, (s, clock, &until), status < 0 && errno == ETIMEDOUT)
WAIT_UNTIL(cnd_timedwait, (cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict t),
           CLOCK_REALTIME, t, (c, m, &until), status == thrd_timedout)
WAIT_UNTIL(mtx_timedlock, (mtx_t *restrict m, const struct timespec *restrict t), CLOCK_REALTIME, t,
           (m, &until), status == thrd_timedout)

WRAP int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                         struct timespec *rest)
{
    REAL(clock_nanosleep);
    struct timespec until = *t;
    bool fixed = IS_FIXED();
    uint64_t left = ns_of(t);
    if (fixed && flags & TIMER_ABSTIME)
        left = translate(clock, t, &until);
    int status = real(clock, flags, &until, rest);
    if (fixed && !status)
        condition_waited(left);
    return status;
}

WRAP int nanosleep(const struct timespec *t, struct timespec *rest)
{
    REAL(nanosleep);
    int status = real(t, rest);
    if (!status && IS_FIXED())
        condition_waited(ns_of(t));
    return status;
}

WRAP int usleep(useconds_t us)
{
    REAL(usleep);
    int status = real(us);
    if (!status && IS_FIXED())
        condition_waited(us * UINT64_C(1000));
    return status;
}

WRAP unsigned sleep(unsigned seconds)
{
    REAL(sleep);
    unsigned left = real(seconds);
    if (left < seconds && IS_FIXED())
        condition_waited((seconds - left) * SECOND);
    return left;
}

WRAP int poll(struct pollfd *files, nfds_t count, int ms)
{
    REAL(poll);
    int status = real(files, count, ms);
    if (!status && ms > 0 && IS_FIXED())
        condition_waited((uint64_t)ms * 1000000);
    return status;
}

WRAP int ppoll(struct pollfd *files, nfds_t count, const struct timespec *t, const sigset_t *mask)
{
    REAL(ppoll);
    int status = real(files, count, t, mask);
    if (!status && t && IS_FIXED())
        condition_waited(ns_of(t));
    return status;
}

/* The kernel writes what remains of it. */
WRAP int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict not,
                struct timeval *restrict t)
{
    REAL(select);
    uint64_t ns =
        t && t->tv_sec >= 0 ? (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_usec * 1000 : 0;
    int status = real(count, in, out, not, t);
    if (!status && IS_FIXED())
        condition_waited(ns);
    return status;
}

WRAP int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict not,
                 const struct timespec *restrict t, const sigset_t *restrict mask)
{
    REAL(pselect);
    int status = real(count, in, out, not, t, mask);
    if (!status && t && IS_FIXED())
        condition_waited(ns_of(t));
    return status;
}

WRAP int epoll_wait(int fd, struct epoll_event *events, int count, int ms)
{
    REAL(epoll_wait);
    int status = real(fd, events, count, ms);
    if (!status && ms > 0 && IS_FIXED())
        condition_waited((uint64_t)ms * 1000000);
    return status;
}

WRAP int epoll_pwait(int fd, struct epoll_event *events, int count, int ms, const sigset_t *mask)
{
    REAL(epoll_pwait);
    int status = real(fd, events, count, ms, mask);
    if (!status && ms > 0 && IS_FIXED())
        condition_waited((uint64_t)ms * 1000000);
    return status;
}

WRAP int timerfd_settime(int fd, int flags, const struct itimerspec *set, struct itimerspec *was)
{
    REAL(timerfd_settime);
    struct itimerspec there = *set;
    if (flags & TFD_TIMER_ABSTIME && ns_of(&set->it_value) && IS_FIXED()) {
        bool calendar = (uint64_t)set->it_value.tv_sec >= setting(SET_CLOCK);
        (void)translate(calendar ? CLOCK_REALTIME : CLOCK_MONOTONIC, &set->it_value,
                        &there.it_value);
    }
    return real(fd, flags, &there, was);
}
