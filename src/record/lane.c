/* lane.c - a thread's lane: taken with its first event, given back when the thread is dead. */
#include "base/error.h"
#include "record/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Lanes that take nothing: their being busy leads to ras_record_busy(). */
const struct ras_lane lane_none = {.busy = 1};   /* of a thread that has none yet */
const struct ras_lane lane_hushed = {.busy = 1}; /* while one is being taken */
const struct ras_lane lane_deaf = {.busy = 1};   /* of the recorder's own thread */

#ifndef HOOKS_MINE_H
__thread struct ras_lane *ras_lane_1 = (struct ras_lane *)(uintptr_t)&lane_none;
#endif

static struct ras_lane *as_lane(const struct ras_lane *lane)
{
    return (struct ras_lane *)(uintptr_t)lane;
}

/* Whatever this thread does inside the recorder that is itself recorded, a malloc() built
 * with hooks, is left aside until the recorder is done. */
struct ras_lane *lane_hush(void)
{
    struct ras_lane *hot = RAS_LANE;
    if (hot == &lane_none)
        RAS_LANE = as_lane(&lane_hushed);
    else if (!LOAD(&hot->busy))
        STORE(&hot->busy, 1);
    else
        return NULL;
    return hot;
}

void lane_unhush(struct ras_lane *hot)
{
    if (!hot)
        return;
    if (hot == &lane_none) {
        RAS_LANE = hot;
        return;
    }
    STORE_RELEASE(&hot->busy, 0);
    if (LOAD(&lane_of(hot)->aside_count))
        STORE(&hot->limit, 0);
}

/* ---- memory -------------------------------------------------------------------- */

static void *map(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* A lane's last thread ended with the mutex locked, on purpose. The thread sanitizer is told that
 * it is free; everybody else makes it anew. */
static void forget_dead(struct lane *lane)
{
#ifdef __SANITIZE_THREAD__
    int status = pthread_mutex_trylock(&lane->alive);
    if (status == EOWNERDEAD)
        pthread_mutex_consistent(&lane->alive);
    if (!status || status == EOWNERDEAD)
        pthread_mutex_unlock(&lane->alive);
#else
    (void)lane;
#endif
}

static bool init_alive(struct lane *lane)
{
    forget_dead(lane);
    pthread_mutexattr_t how;
    if (pthread_mutexattr_init(&how))
        return false;
    bool done = !pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST) &&
                !pthread_mutex_init(&lane->alive, &how);
    pthread_mutexattr_destroy(&how);
    return done;
}

static struct lane *lane_new(void)
{
    struct lane *lane = map(sizeof *lane);
    if (!lane)
        return NULL;
    lane->state = LANE_TAKEN;
    lane->next = LOAD(&recorder.lanes);
    while (!SWAP_IF(&recorder.lanes, &lane->next, lane)) {
    }
    return lane;
}

/* One that another thread has left, or a new one. */
static struct lane *lane_find(void)
{
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        uint32_t free_state = LANE_FREE;
        if (LOAD_ACQUIRE(&l->state) == LANE_FREE && SWAP_IF(&l->state, &free_state, LANE_TAKEN))
            return l;
    }
    return lane_new();
}

static bool fit_ring(struct lane *lane)
{
    uint64_t capacity = recorder.options.ring_bytes / sizeof *lane->hot.ring;
    if (lane->hot.ring && lane->capacity == capacity)
        return true;
    if (lane->hot.ring)
        munmap(lane->hot.ring, lane->capacity * sizeof *lane->hot.ring);
    lane->hot.ring = map(recorder.options.ring_bytes);
    lane->capacity = lane->hot.ring ? capacity : 0;
    return lane->hot.ring;
}

/* ---- taking -------------------------------------------------------------------- */

void lane_take_anchor(struct lane *lane)
{
    struct anchor a = clock_anchor(&recorder.clock);
    lane->hot.ticks = a.ticks;
    lane->hot.base_ns = a.ns;
    lane->hot.rate = a.rate;
}

/* Nothing of what it held and counted for another thread is left. */
static void empty(struct lane *lane)
{
    struct ras_lane *hot = &lane->hot;
    STORE(&hot->head, 0);
    STORE(&hot->limit, 0);
    hot->last_ns = hot->depth = 0;
    memset(lane->dropped, 0, sizeof lane->dropped);
    memset(lane->lost, 0, sizeof lane->lost);
    lane->tail = lane->seen = lane->stored = 0;
    lane->detail_next = 0;
    lane->details = lane->details_dropped = lane->details_outside = 0;
    lane->looked = lane->gone = lane->details_gone = lane->kept = 0;
    lane->ended = false;
    memset(&lane->stream.mark, 0, offsetof(struct stream, used) - offsetof(struct stream, mark));
    memset(lane->stream.used, 0, LOAD_ACQUIRE(&recorder.type_count) * sizeof *lane->stream.used);
    lane->stream.standing = true;
    byte_ring_clear(&lane->stream.ring);
    byte_ring_clear(&lane->detail);
    lane->begun = lane->broken = false;
    lane->file = NULL;
    STORE(&lane->ending, 0);
    STORE(&lane->aside_count, 0);
    STORE(&lane->aside_taking, 0);
    memset(lane->aside, 0, sizeof lane->aside);
    STORE(&lane->asks, ASK_ANCHOR | ASK_RING);
    STORE(&lane->waiting, 0);
}

/* Make it this thread's, empty before it lies in a file: a kill may come any time. */
bool lane_begin(struct lane *lane)
{
    struct ras_lane *hot = &lane->hot;
    STORE(&lane->state, LANE_TAKEN);
    lane->generation = LOAD_ACQUIRE(&recorder.generation);
    hot->thread_id = ADD(&recorder.thread_next, 1);
    empty(lane);
    if (recorder.options.durable ? !durable_make(lane) : !fit_ring(lane))
        return false;
    hot->mask = lane->capacity - 1;
    lane->os_tid = (int)syscall(SYS_gettid);
    if (prctl(PR_GET_NAME, lane->name) < 0)
        lane->name[0] = 0;
    snprintf(lane->path, sizeof lane->path, "%s", recorder.watch ? recorder.watch->path() : "");
    STORE_ORDERED(&lane->state, LANE_LIVE);
    return true;
}

void lane_hold_signals(sigset_t *was)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t most;
    sigfillset(&most);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&most, faults[i]);
    pthread_sigmask(SIG_BLOCK, &most, was);
}

/* The calling thread gets a lane; what it does meanwhile is not recorded. */
struct lane *lane_take(void)
{
    int was = errno;
    sigset_t mask;
    lane_hold_signals(&mask);
    RAS_LANE = as_lane(&lane_hushed);
    struct lane *lane = lane_find();
    if (lane)
        STORE(&lane->hot.busy, 0); /* its last thread may have ended in an event */
    bool alive = lane && init_alive(lane) && !pthread_mutex_lock(&lane->alive);
    if (lane && (!alive || !lane_begin(lane))) {
        if (alive)
            pthread_mutex_unlock(&lane->alive);
        STORE_RELEASE(&lane->state, LANE_FREE);
        lane = NULL;
    }
    if (lane) {
        if (recorder.has_key)
            pthread_setspecific(recorder.key, lane);
        crash_give_stack(lane);
    }
    RAS_LANE = lane ? &lane->hot : as_lane(&lane_none);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = was;
    return lane;
}

/* The last a thread does; destructors that come later are recorded all the same: the
 * system itself tells when it is dead. */
void lane_thread_ends(struct lane *lane)
{
    if (prctl(PR_GET_NAME, lane->name) < 0)
        lane->name[0] = 0;
    STORE_RELEASE(&lane->ending, 1);
    drain_ring();
}

static void thread_ends(void *user)
{
    lane_thread_ends(user);
}

/* Hooks know by themselves when a thread ends. */
int lane_key_make(struct ras_error *err)
{
    if (recorder.has_key || recorder.watch)
        return RAS_OK;
    errno = pthread_key_create(&recorder.key, thread_ends);
    recorder.has_key = !errno;
    return recorder.has_key ? RAS_OK : fail_os(err, "thread key");
}

/* The word itself is looked at: the drain need not be a thread that may take mutexes. */
bool lane_is_dead(struct lane *lane)
{
    uint32_t word = (uint32_t)LOAD_ACQUIRE(&lane->alive.__data.__lock);
    return !word || word & FUTEX_OWNER_DIED;
}

/* ---- small things --------------------------------------------------------------- */

static bool has_lane(void)
{
    return RAS_LANE != &lane_none && RAS_LANE != &lane_hushed && RAS_LANE != &lane_deaf;
}

uint32_t ras_trace_depth(void)
{
    return has_lane() ? RAS_LANE->depth : 0;
}

void ras_trace_unwind(uint32_t depth)
{
    if (has_lane())
        RAS_LANE->depth = depth;
}

uint64_t ras_record_now(void)
{
    struct anchor a = clock_anchor(&recorder.clock);
    if (!a.rate)
        return clock_system_ns();
    return a.ns + (uint64_t)((ras_u128_)(RAS_TICKS() - a.ticks) * a.rate >> 32);
}
