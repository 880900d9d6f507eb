/* detail.c - events with details: two rings, both sequence numbers reserved together. */
#include "record/recorder.h"

#include <string.h>

/* A record of detail.atf as it is stored: this, then the payload. */
struct head {
    uint32_t total_length;
    uint16_t event_type, flags;
    uint32_t index_seq, thread_id;
    uint64_t timestamp;
};
_Static_assert(sizeof(struct head) == DETAIL_HEAD, "spec: Detail Event Header");

/* spec "Detail Function Payload"; the stack follows. */
struct payload {
    uint64_t function_id, regs[8], lr, fp, sp;
    uint16_t stack_size, reserved;
};
_Static_assert(offsetof(struct payload, reserved) + 2 == DETAIL_PAYLOAD, "spec: 100 bytes");

enum { STACK_MOST = 256, TYPE_CALL = 3, TYPE_RETURN = 4 };

static uint32_t detail_size(const struct ras_detail *d)
{
    if (d->payload_size)
        return DETAIL_HEAD + d->payload_size;
    uint32_t stack = d->stack_size < STACK_MOST ? d->stack_size : STACK_MOST;
    return DETAIL_HEAD + DETAIL_PAYLOAD + stack;
}

/* Room for n bytes in the ring of details, waiting for it if that is the policy. */
static bool find_detail_room(struct lane *lane, uint32_t n)
{
    struct byte_ring *r = &lane->detail;
    if (n > recorder.options.detail_bytes / 4 || lane->detail_next >= LANE_EVENTS_MOST ||
        !lane_make_ring(r))
        return false;
    if (LOAD(&r->head) - LOAD(&r->tail) >= r->size / 4)
        drain_notify();
    return lane_await_bytes(lane, r, n);
}

static void detail_put(struct lane *lane, uint32_t size, uint64_t time_ns, uint32_t kind,
                       uint64_t function_id, const struct ras_detail *d)
{
    uint8_t *to = byte_ring_reserve(&lane->detail, size);
    const struct head head = {.total_length = size,
                              .event_type = kind == RAS_TRACE_RETURN ? TYPE_RETURN : TYPE_CALL,
                              .index_seq = (uint32_t)LOAD(&lane->hot.head),
                              .thread_id = lane->hot.thread_id,
                              .timestamp = time_ns};
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    if (d->payload_size) {
        memcpy(to, d->payload, d->payload_size);
    } else {
        struct payload p = {function_id, {0}, d->lr, d->fp, d->sp, 0, 0};
        memcpy(p.regs, d->regs, sizeof p.regs);
        p.stack_size = (uint16_t)(size - DETAIL_HEAD - DETAIL_PAYLOAD);
        memcpy(to, &p, DETAIL_PAYLOAD);
        if (p.stack_size)
            memcpy(to + DETAIL_PAYLOAD, d->stack, p.stack_size);
    }
    byte_ring_commit(&lane->detail, size, size);
}

/* The detail is published first, so that a reader of the event finds it. */
static void detail_trace(struct lane *lane, uint32_t kind, uint64_t function_id,
                         const struct ras_detail *d)
{
    struct ras_lane *hot = &lane->hot;
    uint32_t size = detail_size(d), seq = UINT32_MAX;
    bool fits = find_detail_room(lane, size);
    uint64_t time_ns = ras_lane_time_(hot);
    if (fits) {
        seq = lane->detail_next;
        lane->pending = (struct lane_detail){0, kind, seq, lane->detail.head, time_ns, function_id};
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        STORE(&lane->pending.is_due, 1);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        detail_put(lane, size, time_ns, kind, function_id, d);
        STORE(&lane->detail_next, seq + 1);
    } else {
        ADD(&lane->details_dropped, 1);
    }
    ras_lane_put_(hot, LOAD(&hot->head), time_ns, function_id, kind, seq);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    STORE(&lane->pending.is_due, 0);
}

void detail_abandon(struct lane *lane, bool stored)
{
    const struct lane_detail *d = &lane->pending;
    if (!LOAD(&d->is_due))
        return;
    if (!stored && LOAD(&lane->detail.head) != d->from) {
        STORE(&lane->detail_next, d->seq + 1);
        ras_lane_put_(&lane->hot, LOAD(&lane->hot.head), d->time_ns, d->function_id, d->kind,
                      d->seq);
    }
    STORE(&lane->pending.is_due, 0);
}

void ras_trace_detail(enum ras_trace_kind kind, uint64_t function_id, const struct ras_detail *d)
{
    if (RAS_LANE == &lane_none && LOAD_ACQUIRE(&recorder.on))
        (void)lane_take();
    struct ras_lane *hot = RAS_LANE;
    if (lane_is_busy(hot, ras_stack_())) {
        ras_record_busy(function_id, kind);
        return;
    }
    struct lane *lane = lane_of(hot);
    if (ras_lane_begin_(hot) >= LOAD(&hot->limit) && !lane_slow_path(lane, kind))
        return;
    detail_trace(lane, kind, function_id, d);
    lane_done(lane);
}
