/* lane.c - a thread's lane: taken with its first event, drained to a file, free when the thread
 * is dead. */
#include "base/error.h"
#include "record/recorder.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Lanes that are always busy: their events go to ras_record_busy(). */
const struct ras_lane lane_none = {.busy = 1};      /* of a thread that has none yet */
const struct ras_lane lane_suspended = {.busy = 1}; /* while one is being taken */
const struct ras_lane lane_ignored = {.busy = 1};   /* of the recorder's own thread */

#ifndef HOOKS_THREAD_H
__thread struct ras_lane *ras_lane_1 = (struct ras_lane *)(uintptr_t)&lane_none;
#endif

static struct ras_lane *as_lane(const struct ras_lane *lane)
{
    return (struct ras_lane *)(uintptr_t)lane;
}

/* If the recorder calls something that is itself recorded, such as a malloc() built with hooks,
 * its events are deferred until the recorder returns. */
struct ras_lane *lane_suspend(void)
{
    struct ras_lane *hot = RAS_LANE;
    if (hot == &lane_none)
        RAS_LANE = as_lane(&lane_suspended);
    else if (!LOAD(&hot->busy))
        STORE(&hot->busy, 1);
    else
        return NULL;
    return hot;
}

void lane_resume(struct ras_lane *hot)
{
    if (!hot)
        return;
    if (hot == &lane_none) {
        RAS_LANE = hot;
        return;
    }
    STORE_RELEASE(&hot->busy, 0);
    if (LOAD(&lane_of(hot)->deferred_count))
        STORE(&hot->limit, 0);
}

/* ---- memory -------------------------------------------------------------------- */

static void *map_private(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* A lane's last thread ended with the mutex locked, on purpose. For the thread sanitizer it is
 * unlocked; everywhere else it is initialised again. */
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
    struct lane *lane = map_private(sizeof *lane);
    if (!lane)
        return NULL;
    lane->state = LANE_TAKEN;
    lane->next = LOAD(&recorder.lanes);
    while (!SWAP_IF(&recorder.lanes, &lane->next, lane)) {
    }
    return lane;
}

/* A lane that another thread has left, or a new one. */
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
    lane->hot.ring = map_private(recorder.options.ring_bytes);
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

/* Reset everything that it held and counted for another thread. */
static void lane_clear(struct lane *lane)
{
    struct ras_lane *hot = &lane->hot;
    STORE(&hot->head, 0);
    STORE(&hot->limit, 0);
    hot->last_ns = hot->depth = 0;
    memset(lane->dropped, 0, sizeof lane->dropped);
    memset(lane->lost, 0, sizeof lane->lost);
    lane->tail = lane->seen = lane->stored = lane->stored_before = 0;
    lane->tail_before = lane->details_before = 0;
    lane->detail_next = 0;
    lane->details = lane->details_dropped = lane->details_outside = 0;
    lane->searched = lane->gone = lane->details_gone = lane->kept = 0;
    lane->ended = false;
    memset(&lane->stream.mark, 0,
           offsetof(struct event_stream, used) - offsetof(struct event_stream, mark));
    memset(lane->stream.used, 0, LOAD_ACQUIRE(&recorder.type_count) * sizeof *lane->stream.used);
    lane->stream.standalone = true;
    byte_ring_clear(&lane->stream.ring);
    byte_ring_clear(&lane->detail);
    lane->begun = lane->broken = false;
    lane->file = NULL;
    STORE(&lane->ending, 0);
    STORE(&lane->deferred_count, 0);
    STORE(&lane->deferred_taking, 0);
    memset(lane->deferred, 0, sizeof lane->deferred);
    STORE(&lane->requests, REQUEST_ANCHOR | REQUEST_NOTIFY);
    STORE(&lane->waiting, 0);
}

/* Give it to this thread; it is empty before it is mapped to a file, since the process may be
 * killed at any time. */
static bool lane_set_up(struct lane *lane)
{
    struct ras_lane *hot = &lane->hot;
    STORE(&lane->state, LANE_TAKEN);
    lane->generation = LOAD_ACQUIRE(&recorder.generation);
    hot->thread_id = ADD(&recorder.thread_next, 1);
    lane_clear(lane);
    if (recorder.options.durable ? !durable_make(lane) : !fit_ring(lane))
        return false;
    hot->mask = lane->capacity - 1;
    lane->os_tid = (int)syscall(SYS_gettid);
    if (prctl(PR_GET_NAME, lane->name) < 0)
        lane->name[0] = 0;
    snprintf(lane->path, sizeof lane->path, "%s", recorder.watch ? recorder.watch->path() : "");
    lane->stack[0] = lane->stack[1] = 0;
    if (recorder.watch)
        recorder.watch->stack(lane->stack);
    STORE_ORDERED(&lane->state, LANE_LIVE);
    return true;
}

/* A lane that is made in a file is in one segment from its beginning. */
bool lane_begin(struct lane *lane)
{
    bool durable = recorder.options.durable;
    if (durable)
        lock_take(&recorder.place);
    bool begun = lane_set_up(lane);
    if (durable)
        lock_give(&recorder.place);
    return begun;
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

/* A limit of the size of files signals the thread that reaches it, which is the program's where a
 * lane is made in a file. The signals are blocked. */
static void take_back_limit_signal(bool was_pending)
{
    static const struct timespec at_once = {0};
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (!was_pending)
        (void)sigtimedwait(&limit, NULL, &at_once);
}

static bool limit_signal_is_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

/* Where none could be made, as on a full disk, not every event tries again. */
static bool lane_may_be_made(void)
{
    uint64_t retry = LOAD(&recorder.lane_retry_ns);
    return !retry || clock_system_ns() >= retry;
}

/* The calling thread gets a lane; events meanwhile are not recorded. */
struct lane *lane_take(void)
{
    enum { RETRY_NS = 100000000 };
    int was = errno;
    sigset_t mask;
    if (!lane_may_be_made())
        return NULL;
    lane_hold_signals(&mask);
    RAS_LANE = as_lane(&lane_suspended);
    bool limited = recorder.options.durable && limit_signal_is_pending();
    struct lane *lane = lane_find();
    if (lane)
        STORE(&lane->hot.busy, 0); /* its last thread may have died while storing an event */
    bool alive = lane && init_alive(lane) && !pthread_mutex_lock(&lane->alive);
    if (lane && (!alive || !lane_begin(lane))) {
        if (alive)
            pthread_mutex_unlock(&lane->alive);
        STORE_RELEASE(&lane->state, LANE_FREE);
        lane = NULL;
        if (recorder.options.durable)
            take_back_limit_signal(limited);
    }
    if (lane) {
        if (recorder.has_key)
            pthread_setspecific(recorder.key, lane);
        crash_give_stack(lane);
    }
    STORE(&recorder.lane_retry_ns, lane ? 0 : clock_system_ns() + RETRY_NS);
    RAS_LANE = lane ? &lane->hot : as_lane(&lane_none);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = was;
    return lane;
}

/* Called when a thread ends. Destructors that run later are still recorded: the robust mutex
 * shows when the thread is dead. */
void lane_thread_ends(struct lane *lane)
{
    if (prctl(PR_GET_NAME, lane->name) < 0)
        lane->name[0] = 0;
    STORE_RELEASE(&lane->ending, 1);
    drain_notify();
}

static void thread_ends(void *user)
{
    lane_thread_ends(user);
}

/* Hooks notice the end of a thread themselves. */
int lane_key_make(struct ras_error *err)
{
    if (recorder.has_key || recorder.watch)
        return RAS_OK;
    errno = pthread_key_create(&recorder.key, thread_ends);
    recorder.has_key = !errno;
    return recorder.has_key ? RAS_OK : fail_os(err, "thread key");
}

/* The word of a robust mutex that the kernel changes when its owner ends. */
#ifdef __GLIBC__
#define OWNER_OF(mutex) ((mutex).__data.__lock)
#else /* musl */
#define OWNER_OF(mutex) ((mutex).__u.__vi[1])
#endif

/* Reads the word itself: the drain may not be a thread that can lock mutexes. */
bool lane_is_dead(struct lane *lane)
{
    uint32_t word = (uint32_t)LOAD_ACQUIRE(&OWNER_OF(lane->alive));
    return !word || word & FUTEX_OWNER_DIED;
}

/* ---- depth and time ------------------------------------------------------------- */

static bool has_lane(void)
{
    return RAS_LANE != &lane_none && RAS_LANE != &lane_suspended && RAS_LANE != &lane_ignored;
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

/* ---- the drain ------------------------------------------------------------------- */

void recorder_failed(const struct ras_error *err)
{
    if (!recorder.failure.status)
        recorder.failure = *err;
}

bool lane_file_begin(struct lane *lane)
{
    struct ras_error err = {0};
    if (lane->begun)
        return !lane->broken;
    lane->begun = true;
    if (recorder.ops->begin(recorder.output, lane->hot.thread_id, &lane->file, &err) < 0) {
        lane->broken = true;
        recorder_failed(&err);
    }
    recorder.threads_changed++;
    return !lane->broken;
}

/* Once a write has failed, later events would not follow those in the file. */
void lane_store(struct lane *lane, const struct ras_record_event *events, uint64_t count)
{
    struct ras_error err = {0};
    ADD(&recorder.progress, 1);
    if (recorder.watch)
        recorder.watch->map();
    bool good =
        lane_file_begin(lane) && recorder.ops->events(lane->file, events, count, &err) == RAS_OK;
    if (good && recorder.options.durable) /* the ring drops only what the kernel has */
        good = recorder.ops->flush(lane->file, &err) == RAS_OK;
    if (!good && !lane->broken) {
        lane->broken = true;
        recorder_failed(&err);
    }
    if (lane->broken)
        STORE(&lane->lost[RAS_RECORD_WRITE], lane->lost[RAS_RECORD_WRITE] + count);
    else
        STORE(&lane->stored, lane->stored + count);
}

void lane_give_room(struct lane *lane, uint64_t tail)
{
    STORE_ORDERED(&lane->tail, tail);
    if (LOAD_ORDERED(&lane->waiting)) {
        STORE_ORDERED(&lane->waiting, 0);
        word_wake(&lane->waiting);
    }
}

void lane_store_details(struct lane *lane, struct ras_bytes bytes)
{
    struct ras_error err = {0};
    uint64_t count = 0;
    if (bytes.len && lane_file_begin(lane) &&
        recorder.ops->details(lane->file, bytes.at, bytes.len, &count, &err) < 0) {
        lane->broken = true;
        recorder_failed(&err);
    }
    if (recorder.options.durable && !lane->broken && lane->file)
        (void)!recorder.ops->flush(lane->file, NULL); /* the events after it report a failure */
    STORE(&lane->details, lane->details + count);
}

/* Details name events by their number in the file: of those before `events`, that of the segment.
 * A copy of the bytes up to the first detail of a later event: the ring keeps what `repair`
 * expects. */
static struct ras_bytes number_details(const struct lane *lane, struct ras_bytes bytes,
                                       uint64_t events, uint8_t *copy)
{
    size_t at = 0;
    memcpy(copy, bytes.at, bytes.len);
    for (uint32_t size, seq; bytes.len - at >= DETAIL_HEAD; at += size) {
        uint8_t *record = copy + at;
        memcpy(&size, record, sizeof size);
        memcpy(&seq, record + DETAIL_INDEX_SEQ, sizeof seq);
        if (seq >= events)
            break;
        seq -= (uint32_t)lane->tail_before;
        memcpy(record + DETAIL_INDEX_SEQ, &seq, sizeof seq);
    }
    return (struct ras_bytes){copy, at};
}

/* Details up to `head`, which was read after the head of the events, so that no detail of theirs
 * is missing. In a recording in segments, those of later events stay: they may belong to the next.
 */
static void drain_details(struct lane *lane, uint64_t head, uint64_t events)
{
    struct byte_ring *r = &lane->detail;
    bool whole = true, rotates = recorder_rotates();
    uint8_t *copy = rotates && r->tail < head ? rotate_scratch() : NULL;
    while (r->tail < head && whole && (copy || !rotates)) {
        uint64_t next;
        struct ras_bytes bytes = byte_ring_take(r, head, &next), own = bytes;
        if (rotates)
            own = number_details(lane, bytes, events, copy);
        whole = own.len == bytes.len;
        lane_store_details(lane, own);
        STORE_ORDERED(&r->tail, whole ? next : r->tail + own.len);
    }
}

/* Events name details likewise; NULL: memory is short. */
static const struct ras_record_event *number_links(const struct lane *lane,
                                                   const struct ras_record_event *events,
                                                   uint64_t count)
{
    struct ras_record_event *copy = (void *)rotate_scratch();
    if (copy)
        memcpy(copy, events, count * sizeof *copy);
    for (uint64_t i = 0; copy && i < count; i++)
        if (copy[i].detail_seq != UINT32_MAX)
            copy[i].detail_seq -= (uint32_t)lane->details_before;
    return copy;
}

static bool is_worth_it(const struct lane *lane, uint64_t events, uint64_t bytes)
{
    return events >= lane->capacity / 4 || (bytes && bytes >= lane->detail.size / 4) ||
           LOAD(&lane->waiting);
}

bool lane_drain(struct lane *lane, bool all)
{
    uint64_t tail = lane->tail, head = LOAD_ACQUIRE(&lane->hot.head);
    uint64_t detail_head = LOAD_ACQUIRE(&lane->detail.head);
    bool some = event_stream_drain(&lane->stream, all || LOAD(&lane->waiting));
    if (some)
        lane_give_room(lane, tail);
    if (recorder.options.flight)
        return flight_drain(lane, false) || some;
    if (head == tail || (!all && !is_worth_it(lane, head - tail, detail_head - lane->detail.tail)))
        return some;
    drain_details(lane, detail_head, head);
    while (tail < head) {
        uint64_t at = tail & (lane->capacity - 1), count = head - tail;
        count = count < lane->capacity - at ? count : lane->capacity - at;
        count = count < PIECE_MOST ? count : PIECE_MOST;
        const struct ras_record_event *events = lane->hot.ring + at;
        if (lane->details_before && !(events = number_links(lane, events, count)))
            return true;
        lane_store(lane, events, count);
        tail += count;
        lane_give_room(lane, tail);
    }
    return true;
}

void recorder_count(const struct lane *lane, struct ras_record_counts *out)
{
    out->produced = LOAD_ACQUIRE(&lane->hot.head);
    out->stored = LOAD(&lane->stored);
    out->events = LOAD(&lane->stream.stored);
    out->details = LOAD(&lane->details);
    out->details_dropped = LOAD(&lane->details_dropped);
    if (lane->broken) /* the rest of what was published is lost */
        out->details_dropped +=
            LOAD(&lane->detail_next) - LOAD(&lane->details) - LOAD(&lane->details_outside);
    out->details_dropped += LOAD(&lane->details_outside);
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        uint64_t dropped = LOAD(&lane->dropped[i]);
        out->produced += dropped;
        out->dropped[i] = dropped + LOAD(&lane->lost[i]);
        out->events_dropped[i] = LOAD(&lane->stream.dropped[i]);
    }
    if (lane->stream.broken) /* the rest of what was published is lost */
        out->events_dropped[RAS_RECORD_WRITE] += LOAD(&lane->stream.count) - out->events;
}

/* Events that were taken but could not be written are lost. */
static void lane_file_end(struct lane *lane)
{
    struct ras_error err = {0};
    uint64_t taken = lane->stored - lane->stored_before, events = taken;
    recorder.segments.ended_bytes += recorder.ops->stored(lane->file);
    if (recorder.ops->end(lane->file, &events, &err) < 0)
        recorder_failed(&err);
    if (events < taken) {
        lane->lost[RAS_RECORD_WRITE] += taken - events;
        lane->stored -= taken - events;
    }
    lane->stored_before = lane->stored;
}

/* The next event begins another file. */
void lane_end_segment(struct lane *lane)
{
    if (lane->file)
        lane_file_end(lane);
    lane->file = NULL;
    lane->begun = lane->broken; /* what failed is not tried again */
    lane->tail_before = lane->tail;
    lane->details_before = lane->details;
}

/* Its thread is dead or ignored: take the rest, seal the files, keep the counts. */
void lane_close(struct lane *lane)
{
    ADD(&recorder.progress, 1);
    lane_drain(lane, true);
    if (LOAD(&lane->deferred_count)) {
        lane_take_deferred(lane);
        lane_drain(lane, true);
    }
    if (recorder.options.flight)
        flight_drain(lane, true);
    if (recorder.options.durable)
        durable_ended(lane);
    if (lane_file_begin(lane) || lane->file)
        lane_file_end(lane);
    lane->file = NULL;
    struct thread_info *thread = recorder_thread(lane->hot.thread_id);
    if (thread)
        recorder_fill_thread(thread, lane);
    recorder.threads_changed++;
}
