/* flight_ended.c - threads that have ended: a flight recorder keeps what they did for a while.
 *
 * A window may reach back to before their end. Their lanes are kept as they are, the oldest first
 * in a queue, until no window can want them; how many bytes they may take together is limited. */
#include "record/recorder.h"

/* Rings of full size that all of them together may take where windows have no length; what a lane
 * takes besides its ring. */
enum { KEPT_RINGS = 64, LANE_BYTES = 16 << 10 };

/* A trigger is seen by the drain at least so soon after it was pulled. */
#define SEEN_NS UINT64_C(10000000000)

/* What it takes of the memory; of a durable one, of the disk. */
static uint64_t bytes_of(const struct lane *lane)
{
    const struct ras_record_options *o = &recorder.options;
    if (o->durable)
        return o->ring_bytes + 2 * o->detail_bytes;
    uint64_t head = LOAD(&lane->hot.head), events = head < lane->capacity ? head : lane->capacity;
    return LANE_BYTES + events * sizeof *lane->hot.ring + (lane->detail.at ? lane->detail.size : 0);
}

void flight_keep(struct lane *lane)
{
    struct flight *f = &recorder.flight;
    lane->ended = true;
    lane->ended_next = NULL;
    lane->ended_bytes = bytes_of(lane);
    f->ended_bytes += lane->ended_bytes;
    if (f->ended)
        f->ended_last->ended_next = lane;
    else
        f->ended = lane;
    f->ended_last = lane;
}

static bool is_too_old(const struct lane *lane, uint64_t now_ns)
{
    uint64_t pre = (uint64_t)recorder.options.pre_ms * 1000000;
    return pre && !recorder.flight.open && now_ns > lane->hot.last_ns + pre + SEEN_NS;
}

static uint64_t bytes_allowed(void)
{
    const struct ras_record_options *o = &recorder.options;
    return o->pre_ms ? o->history_bytes : KEPT_RINGS * o->ring_bytes;
}

/* Whether there is nothing in it that a window might still want, or no room for it. */
static bool may_go(const struct lane *lane, uint64_t now_ns)
{
    return (lane->kept == LOAD(&lane->hot.head) && !LOAD(&lane->aside_count)) ||
           is_too_old(lane, now_ns) || recorder.flight.ended_bytes > bytes_allowed();
}

void flight_retire(uint64_t now_ns)
{
    struct flight *f = &recorder.flight;
    for (struct lane *lane; (lane = f->ended) && may_go(lane, now_ns);) {
        f->ended = lane->ended_next;
        f->ended_bytes -= lane->ended_bytes;
        lane_close(lane);
        STORE_RELEASE(&lane->state, LANE_FREE);
    }
}

void flight_forget_ended(void)
{
    recorder.flight.ended = NULL;
    recorder.flight.ended_bytes = 0;
}
