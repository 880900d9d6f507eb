/* lane_slow.c - the slow paths of an event: the lane has requests or no room, is busy or
 * missing. */
#include "record/recorder.h"

#include <sys/mman.h>

void lane_request(struct lane *lane, uint32_t requests)
{
    SET_BITS(&lane->requests, requests);
    STORE_ORDERED(&lane->hot.limit, 0);
}

static void lane_drop(struct lane *lane, enum ras_record_reason why, uint32_t kind)
{
    STORE(&lane->hot.begun, BEGUN_COUNTED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    ADD(&lane->dropped[why], 1);
    (void)ras_lane_depth_(&lane->hot, kind);
    STORE_RELEASE(&lane->hot.busy, 0);
}

/* An incomplete one is of a handler that another handler left by longjmp(). */
static void take_one(struct lane *lane, const struct deferred_event *a)
{
    struct ras_lane *hot = &lane->hot;
    uint64_t head = LOAD(&hot->head);
    if (!a->kind || head - LOAD_ACQUIRE(&lane->tail) >= lane->capacity ||
        head >= LANE_EVENTS_MOST) {
        STORE(&lane->deferred_lost, lane->deferred_lost + 1);
        ADD(&lane->dropped[a->kind ? RAS_RECORD_REENTRANT : RAS_RECORD_ABANDONED], 1);
        if (a->kind)
            (void)ras_lane_depth_(hot, a->kind);
        return;
    }
    hot->last_ns = a->time_ns > hot->last_ns ? a->time_ns : hot->last_ns;
    ras_lane_put_(hot, head, hot->last_ns, a->function_id, a->kind, UINT32_MAX);
}

/* How many of them were taken. */
static uint32_t deferred_taken(const struct lane *lane)
{
    if (!LOAD(&lane->deferred_taking))
        return 0;
    return (uint32_t)(LOAD(&lane->hot.head) - lane->deferred_mark) + LOAD(&lane->deferred_lost);
}

/* Events that handlers add meanwhile are taken too. If a handler leaves by longjmp(), the next
 * call continues where this one was, since the head shows what was taken. */
void lane_take_deferred(struct lane *lane)
{
    uint32_t count = LOAD_ACQUIRE(&lane->deferred_count);
    if (!count)
        return;
    if (!LOAD(&lane->deferred_taking)) {
        lane->deferred_mark = LOAD(&lane->hot.head);
        STORE(&lane->deferred_lost, 0);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        STORE(&lane->deferred_taking, 1);
    }
    do {
        uint32_t most = count < DEFERRED_MOST ? count : DEFERRED_MOST;
        for (uint32_t i; (i = deferred_taken(lane)) < most;)
            take_one(lane, &lane->deferred[i]);
        for (uint32_t i = 0; i < most; i++)
            STORE(&lane->deferred[i].kind, 0);
    } while (!SWAP_IF(&lane->deferred_count, &count, 0));
    STORE(&lane->deferred_taking, 0);
}

/* Of those not yet taken: calls minus returns. */
static uint32_t deferred_depth(const struct lane *lane)
{
    uint32_t count = LOAD(&lane->deferred_count), depth = 0;
    for (uint32_t i = deferred_taken(lane); i < count && i < DEFERRED_MOST; i++)
        if (lane->deferred[i].kind)
            depth += lane->deferred[i].kind == RAS_TRACE_CALL ? 1 : UINT32_MAX;
    return depth;
}

void lane_set_open(uint32_t open)
{
    struct lane *lane = lane_of(RAS_LANE);
    uint32_t depth = open - deferred_depth(lane);
    lane->hot.depth = (int32_t)depth < 0 ? 0 : depth;
}

/* Whether the recording that the lane was taken for is still on. */
bool lane_is_recorded(const struct lane *lane)
{
    return LOAD_ORDERED(&lane->state) == LANE_LIVE && LOAD_ORDERED(&recorder.on) &&
           lane->generation == LOAD_ACQUIRE(&recorder.generation);
}

bool lane_is_outdated(const struct lane *lane)
{
    return LOAD_ACQUIRE(&recorder.on) && lane->generation != LOAD_ACQUIRE(&recorder.generation);
}

static bool has_room(const struct lane *lane, uint64_t need)
{
    return LOAD(&lane->hot.head) + need - LOAD_ORDERED(&lane->tail) <= lane->capacity;
}

bool lane_make_ring(struct byte_ring *r)
{
    size_t size = recorder.options.detail_bytes;
    if (r->at && r->size == size)
        return true;
    if (r->at)
        munmap(r->at, r->size);
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    r->size = size;
    STORE_RELEASE(&r->at, at == MAP_FAILED ? NULL : at);
    return r->at;
}

bool lane_await_bytes(struct lane *lane, const struct byte_ring *r, uint64_t n)
{
    while (!byte_ring_has_room(r, n)) {
        if (recorder.options.policy == RAS_RECORD_DROP || !lane_is_recorded(lane))
            return false;
        STORE_ORDERED(&lane->waiting, 1);
        if (byte_ring_has_room(r, n))
            break;
        drain_wake();
        word_wait(&lane->waiting, 1, 100000000);
    }
    return true;
}

/* Wait for room, if that is the policy; false: the recording ended meanwhile. */
static bool await_room(struct lane *lane, uint64_t need)
{
    if (recorder.options.policy != RAS_RECORD_BLOCK || has_room(lane, need))
        return true;
    while (lane_is_recorded(lane)) {
        STORE_ORDERED(&lane->waiting, 1);
        if (has_room(lane, need))
            return true;
        drain_wake();
        word_wait(&lane->waiting, 1, 100000000);
    }
    return false;
}

/* A ring, of which a flight recorder keeps half, may be smaller than all deferred events. */
static bool lane_make_room(struct lane *lane)
{
    uint64_t aside = LOAD(&lane->deferred_count), most = lane->capacity / 2;
    if (aside) {
        if (!await_room(lane, aside < most ? aside : most))
            return false;
        lane_take_deferred(lane);
    }
    return await_room(lane, 1);
}

/* Set the position up to which events take the fast path. */
static void set_limit(struct lane *lane, uint64_t head, uint64_t tail)
{
    uint64_t good = head + lane->capacity / 4, full = tail + lane->capacity;
    uint64_t limit = good < full ? good : full;
    STORE_ORDERED(&lane->hot.limit, limit < LANE_EVENTS_MOST ? limit : LANE_EVENTS_MOST);
    /* A request made before this store is seen here; one made later stores 0. */
    if (LOAD_ORDERED(&lane->requests) || !lane_is_recorded(lane) || LOAD(&lane->deferred_count))
        STORE(&lane->hot.limit, 0);
}

static void take_requests(struct lane *lane)
{
    uint32_t requests = EXCHANGE(&lane->requests, 0);
    if (requests & REQUEST_ANCHOR)
        lane_take_anchor(lane);
    if (requests & REQUEST_NOTIFY)
        drain_notify();
}

/* Events from signal handlers during lane setup are counted as stray. */
static bool begin_again(struct lane *lane)
{
    sigset_t was;
    lane_hold_signals(&was);
    RAS_LANE = (struct ras_lane *)(uintptr_t)&lane_suspended;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    bool begun = lane_begin(lane);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    RAS_LANE = &lane->hot;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    return begun;
}

/* The recording the lane was taken for has ended. If there is another one, the lane begins
 * again. */
static bool lane_leave(struct lane *lane)
{
    bool another = lane_is_outdated(lane);
    if (another && begin_again(lane))
        return true;
    if (another)
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
    STORE_RELEASE(&lane->hot.busy, 0);
    return false;
}

/* Room for an event at head; false: it was dropped, or belongs to no recording. The lane is busy
 * before, and after if there is room. */
static bool find_room(struct lane *lane, uint32_t kind)
{
    struct ras_lane *hot = &lane->hot;
    if (!has_room(lane, lane->capacity * 3 / 4))
        drain_notify();
    if (!lane_make_room(lane)) {
        STORE_RELEASE(&hot->busy, 0);
        return false;
    }
    uint64_t head = LOAD(&hot->head);
    if (head >= LANE_EVENTS_MOST || !has_room(lane, 1)) {
        lane_drop(lane, head >= LANE_EVENTS_MOST ? RAS_RECORD_FILE_FULL : RAS_RECORD_RING_FULL,
                  kind);
        return false;
    }
    set_limit(lane, head, LOAD_ACQUIRE(&lane->tail));
    STORE(&hot->begun, head | (uint64_t)hot->depth << 32);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

bool lane_handle_requests(struct lane *lane)
{
    if (!lane_is_recorded(lane) && !lane_leave(lane))
        return false;
    take_requests(lane);
    set_limit(lane, LOAD(&lane->hot.head), LOAD_ACQUIRE(&lane->tail));
    return true;
}

/* Deferred events are stored first: the head says nothing about this event. */
bool lane_slow_path(struct lane *lane, uint32_t kind)
{
    STORE(&lane->hot.begun, BEGUN_NOT_STORED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return lane_handle_requests(lane) && find_room(lane, kind);
}

void lane_done(struct lane *lane)
{
    STORE_RELEASE(&lane->hot.busy, 0);
    if (LOAD(&lane->deferred_count))
        STORE(&lane->hot.limit, 0);
}

__attribute__((noinline)) void ras_record_put_slow(struct ras_lane *hot, uint64_t function_id,
                                                   uint32_t kind)
{
    struct lane *lane = lane_of(hot);
    if (!lane_slow_path(lane, kind))
        return;
    ras_lane_put_(hot, LOAD(&hot->head), ras_lane_time_(hot), function_id, kind, UINT32_MAX);
    lane_done(lane);
}

static void defer_event(struct lane *lane, uint64_t function_id, uint32_t kind)
{
    if (lane_is_outdated(lane))
        ADD(&recorder.stray[RAS_RECORD_REENTRANT], 1);
    if (!lane_is_recorded(lane))
        return;
    uint32_t count = LOAD(&lane->deferred_count);
    if (!count) /* all earlier ones were taken */
        STORE(&lane->deferred_taking, 0);
    uint32_t i = count < DEFERRED_MOST ? ADD(&lane->deferred_count, 1) : DEFERRED_MOST;
    if (i >= DEFERRED_MOST) {
        ADD(&lane->dropped[RAS_RECORD_REENTRANT], 1);
    } else {
        lane->deferred[i].time_ns = clock_system_ns();
        lane->deferred[i].function_id = function_id;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        STORE(&lane->deferred[i].kind, kind);
    }
    STORE(&lane->hot.limit, 0);
}

__attribute__((noinline)) void ras_record_busy(uint64_t function_id, uint32_t kind)
{
    struct ras_lane *hot = RAS_LANE;
    if (hot == &lane_ignored)
        return;
    if (!LOAD_ACQUIRE(&recorder.on) && (hot != &lane_none || !child_begin()))
        return;
    /* The caller's stack pointer: an event that it began itself and did not finish was
     * abandoned. */
    uint64_t sp = (uint64_t)(uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *);
    if (hot == &lane_suspended)
        ADD(&recorder.stray[RAS_RECORD_REENTRANT], 1);
    else if (hot != &lane_none && lane_is_busy(hot, sp))
        defer_event(lane_of(hot), function_id, kind);
    else if (hot != &lane_none || lane_take())
        ras_trace_(function_id, kind);
    else
        ADD(&recorder.stray[RAS_RECORD_NO_MEMORY], 1);
}

/* The lane of this thread, taken if need be; NULL: it has none, or is busy. */
static struct lane *lane_now(void)
{
    if (RAS_LANE == &lane_none && LOAD_ACQUIRE(&recorder.on))
        (void)lane_take();
    return lane_is_busy(RAS_LANE, ras_stack_()) ? NULL : lane_of(RAS_LANE);
}

void recorder_trace_at(uint64_t function_id, uint32_t kind, uint64_t time_ns)
{
    struct lane *lane = lane_now();
    if (!lane) {
        ras_record_busy(function_id, kind);
        return;
    }
    struct ras_lane *hot = &lane->hot;
    if (ras_lane_begin_(hot) >= LOAD(&hot->limit) && !lane_slow_path(lane, kind))
        return;
    uint64_t head = LOAD(&hot->head);
    uint64_t before = head ? hot->ring[(head - 1) & hot->mask].timestamp_ns : 0;
    time_ns = time_ns > before ? time_ns : before; /* times of a thread never decrease */
    hot->last_ns = time_ns > hot->last_ns ? time_ns : hot->last_ns;
    ras_lane_put_(hot, head, time_ns, function_id, kind, UINT32_MAX);
    lane_done(lane);
}

void recorder_drop(enum ras_record_reason why, uint64_t count)
{
    struct lane *lane = lane_now();
    ADD(lane ? &lane->dropped[why] : &recorder.stray[why], count);
}
