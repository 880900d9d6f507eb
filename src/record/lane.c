/* lane.c - a thread's lane: taken with its first event, given back when the thread is dead. */
#include "base/error.h"
#include "record/recorder.h"

#include <errno.h>
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

__thread struct ras_lane *ras_lane = (struct ras_lane *)(uintptr_t)&lane_none;

static struct ras_lane *as_lane(const struct ras_lane *lane)
{
    return (struct ras_lane *)(uintptr_t)lane;
}

/* Whatever this thread does inside the recorder that is itself recorded, a malloc() built
 * with hooks, is left aside until the recorder is done. */
struct ras_lane *lane_hush(void)
{
    struct ras_lane *hot = ras_lane;
    if (hot == &lane_none)
        ras_lane = as_lane(&lane_hushed);
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
        ras_lane = hot;
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

static bool init_alive(struct lane *lane)
{
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
    if (!init_alive(lane)) {
        munmap(lane, sizeof *lane);
        return NULL;
    }
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
        if (LOAD(&l->state) == LANE_FREE && SWAP_IF(&l->state, &free_state, LANE_TAKEN))
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

static void take_anchor(struct lane *lane)
{
    struct anchor a = clock_anchor(&recorder.clock);
    lane->hot.ticks = a.ticks;
    lane->hot.base_ns = a.ns;
    lane->hot.rate = a.rate;
}

/* Make it this thread's, empty. */
static bool lane_begin(struct lane *lane)
{
    struct ras_lane *hot = &lane->hot;
    STORE(&lane->state, LANE_TAKEN);
    lane->generation = LOAD_ACQUIRE(&recorder.generation);
    if (!fit_ring(lane))
        return false;
    hot->mask = lane->capacity - 1;
    STORE(&hot->head, 0);
    STORE(&hot->limit, 0);
    hot->last_ns = hot->depth = 0;
    STORE(&hot->busy, 0);
    hot->thread_id = ADD(&recorder.thread_next, 1);
    memset(lane->dropped, 0, sizeof lane->dropped);
    memset(lane->lost, 0, sizeof lane->lost);
    lane->tail = lane->seen = lane->stored = 0;
    lane->begun = lane->broken = lane->armed = false;
    lane->file = NULL;
    STORE(&lane->ending, 0);
    STORE(&lane->aside_count, 0);
    STORE(&lane->asks, ASK_ANCHOR | ASK_RING);
    STORE(&lane->waiting, 0);
    lane->os_tid = (int)syscall(SYS_gettid);
    if (prctl(PR_GET_NAME, lane->name) < 0)
        lane->name[0] = 0;
    STORE_ORDERED(&lane->state, LANE_LIVE);
    return true;
}

/* The calling thread gets a lane; what it does meanwhile is not recorded. */
static struct lane *lane_take(void)
{
    int was = errno;
    ras_lane = as_lane(&lane_hushed);
    struct lane *lane = lane_find();
    if (lane && (pthread_mutex_lock(&lane->alive) || !lane_begin(lane))) {
        STORE_RELEASE(&lane->state, LANE_FREE);
        lane = NULL;
    }
    if (lane)
        pthread_setspecific(recorder.key, lane);
    ras_lane = lane ? &lane->hot : as_lane(&lane_none);
    errno = was;
    return lane;
}

/* The last a thread does; destructors that come later are recorded all the same: the
 * system itself tells when it is dead. */
static void thread_ends(void *user)
{
    struct lane *lane = user;
    if (prctl(PR_GET_NAME, lane->name) < 0)
        lane->name[0] = 0;
    STORE_RELEASE(&lane->ending, 1);
    drain_ring();
}

int lane_key_make(struct ras_error *err)
{
    if (recorder.has_key)
        return RAS_OK;
    errno = pthread_key_create(&recorder.key, thread_ends);
    recorder.has_key = !errno;
    return recorder.has_key ? RAS_OK : fail_os(err, "thread key");
}

bool lane_is_dead(struct lane *lane)
{
    int status = pthread_mutex_trylock(&lane->alive);
    if (status == EOWNERDEAD)
        pthread_mutex_consistent(&lane->alive);
    else if (status)
        return false;
    pthread_mutex_unlock(&lane->alive);
    return true;
}

/* ---- the slow ways -------------------------------------------------------------- */

void lane_ask(struct lane *lane, uint32_t asks)
{
    SET_BITS(&lane->asks, asks);
    STORE_ORDERED(&lane->hot.limit, 0);
}

static void drop(struct lane *lane, enum ras_record_reason why, uint32_t kind)
{
    ADD(&lane->dropped[why], 1);
    (void)ras_lane_depth_(&lane->hot, kind);
    STORE_RELEASE(&lane->hot.busy, 0);
}

void lane_take_aside(struct lane *lane)
{
    struct ras_lane *hot = &lane->hot;
    uint32_t count = LOAD_ACQUIRE(&lane->aside_count),
             most = count < ASIDE_MOST ? count : ASIDE_MOST;
    uint64_t head = LOAD(&hot->head);
    for (uint32_t i = 0; i < most; i++) {
        const struct aside *a = &lane->aside[i];
        if (head - LOAD_ACQUIRE(&lane->tail) >= lane->capacity || head >= LANE_EVENTS_MOST) {
            ADD(&lane->dropped[RAS_RECORD_REENTRANT], 1);
            (void)ras_lane_depth_(hot, a->kind);
            continue;
        }
        hot->last_ns = a->time_ns > hot->last_ns ? a->time_ns : hot->last_ns;
        hot->ring[head++ & hot->mask] = (struct ras_record_event){
            hot->last_ns, a->function_id, hot->thread_id, a->kind, ras_lane_depth_(hot, a->kind),
            UINT32_MAX};
    }
    STORE_RELEASE(&hot->head, head);
    STORE_RELEASE(&lane->aside_count, 0);
}

/* Whether the recording that the lane was taken for goes on. */
static bool is_recorded(const struct lane *lane)
{
    return LOAD_ORDERED(&lane->state) == LANE_LIVE && LOAD_ORDERED(&recorder.on) &&
           lane->generation == LOAD_ACQUIRE(&recorder.generation);
}

static bool has_room(const struct lane *lane, uint64_t need)
{
    return LOAD(&lane->hot.head) + need - LOAD_ORDERED(&lane->tail) <= lane->capacity;
}

/* Wait for room; false: the recording ended meanwhile. */
static bool wait_for_room(struct lane *lane, uint64_t need)
{
    while (is_recorded(lane)) {
        STORE_ORDERED(&lane->waiting, 1);
        if (has_room(lane, need))
            return true;
        drain_ring();
        word_wait(&lane->waiting, 1, 100000000);
    }
    return false;
}

/* The ring up to where the lane need not look again. */
static void set_limit(struct lane *lane, uint64_t head, uint64_t tail)
{
    uint64_t good = head + lane->capacity / 4, full = tail + lane->capacity;
    uint64_t limit = good < full ? good : full;
    STORE_ORDERED(&lane->hot.limit, limit < LANE_EVENTS_MOST ? limit : LANE_EVENTS_MOST);
    /* Whoever asked before this store has its ask seen here; who asks later stores 0. */
    if (LOAD_ORDERED(&lane->asks) || !is_recorded(lane))
        STORE(&lane->hot.limit, 0);
}

static void answer(struct lane *lane)
{
    uint32_t asks = EXCHANGE(&lane->asks, 0);
    if (asks & ASK_ANCHOR)
        take_anchor(lane);
    if (asks & ASK_RING)
        drain_ring();
}

/* The recording the lane was taken for is over. If there is another one, it begins anew. */
static void leave(struct lane *lane, uint64_t function_id, uint32_t kind)
{
    if (!LOAD_ACQUIRE(&recorder.on) || lane->generation == LOAD_ACQUIRE(&recorder.generation)) {
        STORE_RELEASE(&lane->hot.busy, 0);
        return;
    }
    if (!lane_begin(lane)) {
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
        STORE_RELEASE(&lane->hot.busy, 0);
        return;
    }
    ras_trace_(function_id, kind);
}

__attribute__((noinline)) void ras_record_look(struct ras_lane *hot, uint64_t function_id,
                                               uint32_t kind)
{
    struct lane *lane = lane_of(hot);
    if (!is_recorded(lane)) {
        leave(lane, function_id, kind);
        return;
    }
    answer(lane);
    uint64_t need = 1 + (uint64_t)LOAD(&lane->aside_count);
    if (!has_room(lane, lane->capacity * 3 / 4))
        drain_ring();
    if (recorder.options.policy == RAS_RECORD_BLOCK && !has_room(lane, need) &&
        !wait_for_room(lane, need)) {
        STORE_RELEASE(&hot->busy, 0);
        return;
    }
    if (need > 1)
        lane_take_aside(lane);
    uint64_t head = LOAD(&hot->head);
    if (head >= LANE_EVENTS_MOST || !has_room(lane, 1)) {
        drop(lane, head >= LANE_EVENTS_MOST ? RAS_RECORD_FILE_FULL : RAS_RECORD_RING_FULL, kind);
        return;
    }
    set_limit(lane, head, LOAD_ACQUIRE(&lane->tail));
    ras_lane_put_(hot, head, function_id, kind, UINT32_MAX);
    if (LOAD(&lane->aside_count))
        STORE(&hot->limit, 0);
}

static void put_aside(struct lane *lane, uint64_t function_id, uint32_t kind)
{
    if (!is_recorded(lane))
        return;
    uint32_t i = LOAD(&lane->aside_count) < ASIDE_MOST ? ADD(&lane->aside_count, 1) : ASIDE_MOST;
    if (i >= ASIDE_MOST)
        ADD(&lane->dropped[RAS_RECORD_REENTRANT], 1);
    else
        lane->aside[i] = (struct aside){clock_system_ns(), function_id, kind};
    STORE(&lane->hot.limit, 0);
}

__attribute__((noinline)) void ras_record_busy(uint64_t function_id, uint32_t kind)
{
    struct ras_lane *hot = ras_lane;
    if (hot == &lane_deaf || !LOAD_ACQUIRE(&recorder.on))
        return;
    if (hot == &lane_hushed)
        ADD(&recorder.stray[RAS_RECORD_REENTRANT], 1);
    else if (hot != &lane_none)
        put_aside(lane_of(hot), function_id, kind);
    else if (lane_take())
        ras_trace_(function_id, kind);
    else
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
}

/* ---- small things --------------------------------------------------------------- */

static bool has_lane(void)
{
    return ras_lane != &lane_none && ras_lane != &lane_hushed && ras_lane != &lane_deaf;
}

uint32_t ras_trace_depth(void)
{
    return has_lane() ? ras_lane->depth : 0;
}

void ras_trace_unwind(uint32_t depth)
{
    if (has_lane())
        ras_lane->depth = depth;
}

uint64_t ras_record_now(void)
{
    struct anchor a = clock_anchor(&recorder.clock);
    if (!a.rate)
        return clock_system_ns();
    return a.ns + (uint64_t)((ras_u128_)(RAS_TICKS() - a.ticks) * a.rate >> 32);
}
