/* event_stream.c - frames of a thread's events, on their way to the file that all threads share. */
#include "record/recorder.h"

#include <time.h>

/* ---- the thread ------------------------------------------------------------------- */

/* Count an event that a busy lane cannot take, or of a thread without a lane. */
static void event_stream_miss(struct ras_lane *hot)
{
    struct lane *lane = lane_of(hot);
    if (hot == &lane_ignored || !LOAD_ACQUIRE(&recorder.on))
        return;
    if (hot == &lane_none)
        ADD(&recorder.stray_events[RAS_RECORD_NO_MEMORY], 1);
    else if (hot == &lane_suspended || lane_is_outdated(lane))
        ADD(&recorder.stray_events[RAS_RECORD_REENTRANT], 1);
    else if (lane_is_recorded(lane))
        ADD(&lane->stream.dropped[RAS_RECORD_REENTRANT], 1);
}

struct event_stream *event_stream_hold(uint64_t *time_ns)
{
    if (RAS_LANE == &lane_none && (LOAD_ACQUIRE(&recorder.on) || child_begin()))
        (void)lane_take();
    struct ras_lane *hot = RAS_LANE;
    struct lane *lane = lane_of(hot);
    if (lane_is_busy(hot, ras_stack_())) {
        event_stream_miss(hot);
        return NULL;
    }
    struct event_stream *s = &lane->stream;
    STORE(&hot->begun, BEGUN_COUNTED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    STORE(&hot->busy, ras_stack_());
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->held = s->ring.head;
    s->held_base = s->base_ns;
    s->held_count = s->count;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    STORE(&hot->begun, BEGUN_STREAM);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!LOAD(&hot->limit) && !lane_handle_requests(lane)) {
        STORE(&hot->begun, BEGUN_COUNTED);
        return NULL;
    }
    if (time_ns)
        *time_ns = ras_lane_time_(hot);
    return s;
}

void event_stream_release(void)
{
    STORE(&RAS_LANE->begun, BEGUN_COUNTED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    lane_done(lane_of(RAS_LANE));
}

void event_stream_drop(struct event_stream *s, enum ras_record_reason why)
{
    STORE(&RAS_LANE->begun, BEGUN_COUNTED);
    ADD(&s->dropped[why], 1);
}

/* Not published, it never happened. The next frames are standalone, since a cut may have been
 * made already; the mark is stored last, since it validates the rest. */
void event_stream_abandon(struct event_stream *s)
{
    uint64_t head = LOAD(&s->ring.head);
    if (head != s->held)
        return;
    STORE_RELEASE(&s->base_ns, s->held_base);
    STORE_RELEASE(&s->count, s->held_count);
    s->cut_due = 0;
    STORE_RELEASE(&s->mark, head);
    ADD(&s->dropped[RAS_RECORD_ABANDONED], 1);
}

bool event_stream_room(struct event_stream *s, uint64_t n)
{
    struct byte_ring *r = &s->ring;
    if (__builtin_expect(!r->at, 0) && !lane_make_ring(r)) {
        event_stream_drop(s, RAS_RECORD_NO_MEMORY);
        return false;
    }
    if (n > r->size / 4) {
        event_stream_drop(s, RAS_RECORD_REFUSED);
        return false;
    }
    if (__builtin_expect(byte_ring_has_room(r, n), 1))
        return true;
    if (lane_await_bytes(lane_of(RAS_LANE), r, n))
        return true;
    event_stream_drop(s, RAS_RECORD_RING_FULL);
    return false;
}

/* ---- the drain -------------------------------------------------------------------- */

/* Up to where frames may be taken, and the state there. */
struct extent {
    uint64_t end, base_ns, count;
    uint32_t epoch;
    bool standalone;
};

/* The thread stores its mark first and publishes last: while they agree it is idle. */
static bool is_resting(const struct event_stream *s, struct extent *e)
{
    e->end = LOAD_ACQUIRE(&s->ring.head);
    e->base_ns = LOAD_ACQUIRE(&s->base_ns);
    e->count = LOAD_ACQUIRE(&s->count);
    e->epoch = LOAD_ACQUIRE(&s->epoch);
    e->standalone = false;
    return LOAD_ACQUIRE(&s->mark) == e->end;
}

static bool has_cut(const struct event_stream *s, struct extent *e)
{
    uint64_t cut = LOAD_ACQUIRE(&s->cut);
    e->count = LOAD_ACQUIRE(&s->cut_count);
    e->epoch = LOAD_ACQUIRE(&s->cut_epoch);
    e->end = cut;
    e->standalone = true;
    return cut > s->ring.tail && LOAD_ACQUIRE(&s->cut) == cut;
}

/* Spins on a thread that is storing an event, then sleeps, since it may be preempted: 100 ms. */
enum { LOOKS = 20000, NAPS = 1000, NAP_NS = 100000 };

/* All that was there at the request: a busy thread soon makes a cut. */
static bool find_extent(const struct event_stream *s, bool all, struct extent *e)
{
    uint64_t head = LOAD_ACQUIRE(&s->ring.head);
    if (head == s->ring.tail)
        return false;
    for (unsigned i = 0; all && i < LOOKS + NAPS; i++) {
        if (is_resting(s, e) || (has_cut(s, e) && e->end >= head))
            return e->end > s->ring.tail;
        if (i >= LOOKS)
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
    return has_cut(s, e);
}

static int open_file(struct ras_error *err)
{
    return recorder.stream_file
               ? RAS_OK
               : event_stream_format()->open(&recorder.stream_file, recorder.dir, err);
}

static int write_frames(const struct event_stream *s, uint64_t end, struct ras_error *err)
{
    const struct event_stream_ops *ops = event_stream_format();
    struct byte_ring rest = {
        .at = s->ring.at, .size = s->ring.size, .tail = s->ring.tail, .wrap = LOAD(&s->ring.wrap)};
    int status = ops->begin(recorder.stream_file, s, err);
    while (status == RAS_OK && rest.tail < end) {
        uint64_t next;
        struct ras_bytes bytes = byte_ring_take(&rest, end, &next);
        if (bytes.len)
            status = ops->frames(recorder.stream_file, bytes, err);
        rest.tail = next;
    }
    return status;
}

/* In a durable recording the ring drops only what the kernel has. */
static int write_out(struct event_stream *s, const struct extent *e, struct ras_error *err)
{
    const struct event_stream_ops *ops = event_stream_format();
    if (!recorder.options.durable)
        return write_frames(s, e->end, err);
    s->taken.file_at = ops->size(recorder.stream_file);
    STORE_RELEASE(&s->taken.step, STREAM_WRITING);
    int status = write_frames(s, e->end, err);
    if (status == RAS_OK)
        status = ops->flush(recorder.stream_file, err);
    s->taken.tail = e->end;
    s->taken.base_ns = e->base_ns;
    s->taken.standalone = e->standalone;
    STORE_RELEASE(&s->taken.step, STREAM_WRITTEN);
    return status;
}

static void event_stream_pass_on(struct event_stream *s, const struct extent *e)
{
    struct ras_error err = {0};
    int status = s->broken ? RAS_EIO : open_file(&err);
    if (status == RAS_OK)
        status = write_out(s, e, &err);
    if (status == RAS_OK)
        STORE(&s->stored, e->count);
    else if (err.status)
        recorder_failed(&err);
    s->broken |= status < 0;
    s->taken_base = e->base_ns;
    s->standalone = e->standalone;
    s->taken_epoch = e->epoch;
    STORE_ORDERED(&s->ring.tail, e->end);
    STORE_RELEASE(&s->taken.step, STREAM_IDLE);
}

bool event_stream_drain(struct event_stream *s, bool all)
{
    struct extent e = {0};
    if (!LOAD_ACQUIRE(&s->ring.at) || !event_stream_format())
        return false;
    if (!all && LOAD(&s->ring.head) - s->ring.tail < s->ring.size / 4)
        return false;
    if (!find_extent(s, all, &e))
        return false;
    event_stream_pass_on(s, &e);
    return true;
}

/* ---- types ------------------------------------------------------------------------ */

void event_stream_declare(void)
{
    if (!recorder.options.durable || !LOAD_ACQUIRE(&recorder.on) || !event_stream_format())
        return;
    if (recorder.declared_for != recorder.generation)
        recorder.declared = 0;
    recorder.declared_for = recorder.generation;
    event_stream_format()->declare(recorder.dir, recorder.declared);
    recorder.declared = recorder.type_count;
}
