/* flight.c - a lane of a flight recorder: the drain looks, stores what is wanted, gives up
 * what is old.
 *
 * Events keep their numbers in the ring; in the file they have others, since what was
 * given up before them is not there. So links are renumbered as they are stored. */
#include "record/recorder.h"

#include <string.h>

enum { STEP = 2048 }; /* events renumbered at a time */

static const struct ras_record_event *event_at(const struct lane *lane, uint64_t i)
{
    return &lane->hot.ring[i & (lane->capacity - 1)];
}

/* The first event of [from, to) that is not before time_ns. */
static uint64_t place_of(const struct lane *lane, uint64_t from, uint64_t to, uint64_t time_ns)
{
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (event_at(lane, middle)->timestamp_ns < time_ns)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void look_for_triggers(struct lane *lane, uint64_t head)
{
    if (lane->looked < head && LOAD_ACQUIRE(&recorder.sets[SET_TRIGGER]))
        for (uint64_t i = lane->looked; i < head; i++) {
            const struct ras_record_event *e = event_at(lane, i);
            if (rules_has(SET_TRIGGER, e->function_id))
                flight_pull(RAS_TRIGGER_FUNCTION, e->timestamp_ns, e->function_id);
        }
    lane->looked = head;
}

/* What handlers left aside too, where there is room for it. */
void flight_search(struct lane *lane)
{
    if (LOAD(&lane->hot.head) - lane->tail + ASIDE_MOST <= lane->capacity)
        lane_take_aside(lane);
    look_for_triggers(lane, LOAD_ACQUIRE(&lane->hot.head));
}

/* ---- details ------------------------------------------------------------------------ */

/* The record at the tail of the ring, in one piece; false: there is none. */
static bool first_detail(struct byte_ring *r, struct ras_bytes *record, uint32_t *index_seq)
{
    uint64_t next, head = LOAD_ACQUIRE(&r->head);
    while (r->tail < head) {
        struct ras_bytes bytes = byte_ring_take(r, head, &next);
        uint32_t length;
        if (!bytes.len) {
            STORE_ORDERED(&r->tail, next);
            continue;
        }
        memcpy(&length, bytes.at, sizeof length);
        memcpy(index_seq, bytes.at + DETAIL_INDEX_SEQ, sizeof *index_seq);
        *record = (struct ras_bytes){bytes.at, length};
        return true;
    }
    return false;
}

static void give_up_details(struct lane *lane, uint64_t before)
{
    struct ras_bytes record;
    uint32_t seq;
    while (first_detail(&lane->detail, &record, &seq) && seq < before) {
        lane->details_gone++;
        STORE(&lane->details_outside, lane->details_outside + 1);
        STORE_ORDERED(&lane->detail.tail, lane->detail.tail + record.len);
    }
}

static void store_details(struct lane *lane, uint64_t before)
{
    uint8_t copy[DETAIL_HEAD + DETAIL_PAYLOAD + 256];
    struct ras_bytes record;
    uint32_t seq;
    while (first_detail(&lane->detail, &record, &seq) && seq < before) {
        uint32_t renumbered = (uint32_t)(seq - lane->gone);
        uint8_t *at = record.len <= sizeof copy ? copy : (uint8_t *)(uintptr_t)record.at;
        if (at == copy)
            memcpy(copy, record.at, record.len);
        memcpy(at + DETAIL_INDEX_SEQ, &renumbered, sizeof renumbered);
        lane_store_details(lane, (struct ras_bytes){at, record.len});
        STORE_ORDERED(&lane->detail.tail, lane->detail.tail + record.len);
    }
}

/* ---- events ------------------------------------------------------------------------- */

static void give_up(struct lane *lane, uint64_t to)
{
    uint64_t count = to - lane->tail;
    give_up_details(lane, to);
    STORE(&lane->lost[RAS_RECORD_OUTSIDE], lane->lost[RAS_RECORD_OUTSIDE] + count);
    lane->gone += count;
    lane_give_room(lane, to);
}

static void store(struct lane *lane, uint64_t to)
{
    struct ras_record_event events[STEP];
    store_details(lane, to);
    while (lane->tail < to) {
        uint64_t count = to - lane->tail < STEP ? to - lane->tail : STEP;
        for (uint64_t i = 0; i < count; i++) {
            events[i] = *event_at(lane, lane->tail + i);
            uint32_t link = events[i].detail_seq;
            if (link != UINT32_MAX)
                events[i].detail_seq =
                    link < lane->details_gone ? UINT32_MAX : (uint32_t)(link - lane->details_gone);
        }
        if (events[count - 1].timestamp_ns > recorder.flight.stored_ns)
            recorder.flight.stored_ns = events[count - 1].timestamp_ns;
        lane_store(lane, events, count);
        lane_give_room(lane, lane->tail + count);
    }
}

/* Half a ring of them is kept too. Once something is published the ring is there. */
static void give_up_old_details(struct lane *lane)
{
    struct byte_ring *r = &lane->detail;
    struct ras_bytes record;
    uint32_t seq;
    for (uint64_t head; (head = LOAD_ACQUIRE(&r->head)) != r->tail && head - r->tail > r->size / 2;)
        if (first_detail(r, &record, &seq))
            give_up_details(lane, (uint64_t)seq + 1);
}

/* Where the window begins in the lane. Of the thread that crashed the last calls are stored,
 * however long ago they were. */
static uint64_t first_wanted(const struct lane *lane, uint64_t head)
{
    const struct pen_crash *crash = crash_noted();
    uint64_t from = place_of(lane, lane->tail, head, recorder.flight.window.from_ns);
    if (!crash || crash->thread_id != lane->hot.thread_id || head - from >= CRASH_EVENTS)
        return from;
    return head - lane->tail < CRASH_EVENTS ? lane->tail : head - CRASH_EVENTS;
}

/* There is no room for these: a window that is opened later may miss them. */
static void give_up_for_room(struct lane *lane, uint64_t to)
{
    uint64_t newest = event_at(lane, to - 1)->timestamp_ns;
    if (newest > recorder.flight.gone_ns)
        recorder.flight.gone_ns = newest;
    give_up(lane, to);
}

bool flight_drain(struct lane *lane, bool last)
{
    const struct flight *f = &recorder.flight;
    uint64_t head = LOAD_ACQUIRE(&lane->hot.head);
    bool fresh = head != lane->looked;
    look_for_triggers(lane, head);
    flight_look(0);
    if (f->open) {
        uint64_t from = first_wanted(lane, head);
        if (from > lane->tail)
            give_up(lane, from);
        uint64_t to = place_of(lane, lane->tail, head, f->window.until_ns + 1);
        if (to > lane->tail)
            store(lane, to);
    }
    uint64_t keep = last ? 0 : lane->capacity / 2;
    if (head - lane->tail > keep)
        give_up_for_room(lane, head - keep);
    give_up_old_details(lane);
    return fresh;
}
