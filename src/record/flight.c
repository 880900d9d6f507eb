/* flight.c - a flight recorder: the drain searches lanes for triggers, stores the events of windows
 * and drops events that no window can need any more.
 *
 * A lane holds the events [kept, head): those before `tail` were moved from its ring to its
 * history, to make room. Events keep their numbers; in the file they have others, since dropped
 * events before them are missing. So links are renumbered when they are stored. */
#include "base/memory.h"
#include "record/recorder.h"

#include <string.h>
#include <sys/mman.h>

/* ---- memory of the history ------------------------------------------------------- */

static struct history_chunk *history_take_chunk(struct history_pool *pool, uint64_t most)
{
    struct history_chunk *chunk = pool->spare;
    if (pool->bytes + HISTORY_CHUNK > most)
        return NULL;
    if (chunk) {
        pool->spare = chunk->next;
    } else {
        chunk =
            mmap(NULL, HISTORY_CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk == MAP_FAILED)
            return NULL;
    }
    pool->bytes += HISTORY_CHUNK;
    *chunk = (struct history_chunk){.from = HISTORY_HEAD, .to = HISTORY_HEAD};
    return chunk;
}

static void *history_add(struct history *h, struct history_pool *pool, size_t n, uint64_t most)
{
    if (!h->last || HISTORY_CHUNK - h->last->to < n) {
        struct history_chunk *chunk =
            n <= HISTORY_CHUNK - HISTORY_HEAD ? history_take_chunk(pool, most) : NULL;
        if (!chunk)
            return NULL;
        if (h->last)
            h->last->next = chunk;
        else
            h->first = chunk;
        h->last = chunk;
    }
    h->last->to += n;
    return (uint8_t *)h->last + h->last->to - n;
}

static struct ras_bytes history_bytes(const struct history_chunk *chunk)
{
    return (struct ras_bytes){(const uint8_t *)chunk + chunk->from, chunk->to - chunk->from};
}

static void history_drop(struct history *h, struct history_pool *pool, size_t n)
{
    struct history_chunk *chunk = h->first;
    chunk->from += n;
    if (chunk->from < chunk->to)
        return;
    h->first = chunk->next;
    if (!h->first)
        h->last = NULL;
    chunk->next = pool->spare;
    pool->spare = chunk;
    pool->bytes -= HISTORY_CHUNK;
}

static void history_clear(struct history *h, struct history_pool *pool)
{
    while (h->first)
        history_drop(h, pool, history_bytes(h->first).len);
}

static void history_trim(struct history_pool *pool)
{
    for (struct history_chunk *chunk; (chunk = pool->spare);) {
        pool->spare = chunk->next;
        munmap(chunk, HISTORY_CHUNK);
    }
}

/* ---- events of a lane, by time --------------------------------------------------- */

enum { STEP = 2048, EVENT = sizeof(struct ras_record_event) }; /* events copied at a time */

/* A trigger that the drain has not seen is at most this old. */
#define LATE_NS UINT64_C(1000000000)

static const struct ras_record_event *event_at(const struct lane *lane, uint64_t i)
{
    return &lane->hot.ring[i & (lane->capacity - 1)];
}

static const struct ras_record_event *events_of(const struct history_chunk *chunk, uint64_t *count)
{
    struct ras_bytes bytes = history_bytes(chunk);
    *count = bytes.len / EVENT;
    return (const struct ras_record_event *)(const void *)bytes.at;
}

/* The first event of the ring from `from` to `to` that is not before time_ns. */
static uint64_t ring_index_at_time(const struct lane *lane, uint64_t from, uint64_t to,
                                   uint64_t time_ns)
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

/* The same for all events that the lane holds. */
static uint64_t index_at_time(const struct lane *lane, uint64_t head, uint64_t time_ns)
{
    uint64_t at = lane->kept, count, i = 0;
    for (const struct history_chunk *c = lane->events.first; c; c = c->next, at += count) {
        const struct ras_record_event *events = events_of(c, &count);
        if (events[count - 1].timestamp_ns < time_ns)
            continue;
        while (events[i].timestamp_ns < time_ns)
            i++;
        return at + i;
    }
    return ring_index_at_time(lane, at, head, time_ns);
}

static void find_triggers(struct lane *lane, uint64_t head)
{
    if (lane->searched < head && LOAD_ACQUIRE(&recorder.sets[SET_TRIGGER]))
        for (uint64_t i = lane->searched; i < head; i++) {
            const struct ras_record_event *e = event_at(lane, i);
            if (rules_has(SET_TRIGGER, e->function_id))
                flight_trigger(RAS_TRIGGER_FUNCTION, e->timestamp_ns, e->function_id);
        }
    lane->searched = head;
}

/* Takes deferred events of signal handlers too, if there is room. */
void flight_search(struct lane *lane)
{
    if (LOAD(&lane->hot.head) - lane->tail + DEFERRED_MOST <= lane->capacity)
        lane_take_deferred(lane);
    find_triggers(lane, LOAD_ACQUIRE(&lane->hot.head));
}

/* ---- details ------------------------------------------------------------------------ */

/* The first record of the ring, in one piece; false: there is none. */
static bool first_in_ring(struct byte_ring *r, struct ras_bytes *record)
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
        *record = (struct ras_bytes){bytes.at, length};
        return true;
    }
    return false;
}

/* The first record that the lane holds. */
static bool first_detail(struct lane *lane, struct ras_bytes *record, uint32_t *index_seq)
{
    if (lane->detail_events.first) {
        uint32_t length;
        *record = history_bytes(lane->detail_events.first);
        memcpy(&length, record->at, sizeof length);
        record->len = length;
    } else if (!first_in_ring(&lane->detail, record)) {
        return false;
    }
    memcpy(index_seq, record->at + DETAIL_INDEX_SEQ, sizeof *index_seq);
    return true;
}

static void flight_drop_detail(struct lane *lane, size_t length)
{
    if (lane->detail_events.first)
        history_drop(&lane->detail_events, &recorder.flight.pool, length);
    else
        STORE_ORDERED(&lane->detail.tail, lane->detail.tail + length);
}

static void give_up_details(struct lane *lane, uint64_t before)
{
    struct ras_bytes record;
    uint32_t seq;
    while (first_detail(lane, &record, &seq) && seq < before) {
        lane->details_gone++;
        STORE(&lane->details_outside, lane->details_outside + 1);
        flight_drop_detail(lane, record.len);
    }
}

static void store_details(struct lane *lane, uint64_t before)
{
    uint8_t copy[DETAIL_HEAD + DETAIL_PAYLOAD + 256];
    struct ras_bytes record;
    uint32_t seq;
    while (first_detail(lane, &record, &seq) && seq < before) {
        uint32_t renumbered = (uint32_t)(seq - lane->gone);
        uint8_t *at = record.len <= sizeof copy ? copy : (uint8_t *)(uintptr_t)record.at;
        if (at == copy)
            memcpy(copy, record.at, record.len);
        memcpy(at + DETAIL_INDEX_SEQ, &renumbered, sizeof renumbered);
        lane_store_details(lane, (struct ras_bytes){at, record.len});
        flight_drop_detail(lane, record.len);
    }
}

/* Half of the ring stays in it, the rest moves to the history if a window may need it. The ring
 * exists once something was published. */
static void make_room_for_details(struct lane *lane)
{
    struct byte_ring *r = &lane->detail;
    struct flight *f = &recorder.flight;
    struct ras_bytes record, oldest;
    uint32_t seq;
    uint64_t most = recorder.options.pre_ms ? recorder.options.history_bytes : 0;
    for (uint64_t head;
         (head = LOAD_ACQUIRE(&r->head)) != r->tail && head - r->tail > r->size / 2;) {
        if (!first_in_ring(r, &record))
            continue;
        void *to = history_add(&lane->detail_events, &f->pool, record.len, most);
        if (to) {
            memcpy(to, record.at, record.len);
            STORE_ORDERED(&r->tail, r->tail + record.len);
        } else if (first_detail(lane, &oldest, &seq)) {
            give_up_details(lane, (uint64_t)seq + 1);
        }
    }
}

/* ---- events ------------------------------------------------------------------------- */

/* The first events that the lane holds, as many as are contiguous. */
static const struct ras_record_event *first_events(const struct lane *lane, uint64_t *count)
{
    if (lane->events.first)
        return events_of(lane->events.first, count);
    *count = lane->capacity - (lane->tail & (lane->capacity - 1));
    return event_at(lane, lane->tail);
}

/* Remove the first events, which are contiguous. */
static void drop_events(struct lane *lane, uint64_t count)
{
    lane->kept += count;
    if (lane->events.first)
        history_drop(&lane->events, &recorder.flight.pool, count * EVENT);
    else
        lane_give_room(lane, lane->kept);
}

static void flight_give_up(struct lane *lane, uint64_t to)
{
    uint64_t count = to - lane->kept, piece;
    give_up_details(lane, to);
    STORE(&lane->lost[RAS_RECORD_OUTSIDE], lane->lost[RAS_RECORD_OUTSIDE] + count);
    lane->gone += count;
    while (lane->kept < to) {
        (void)first_events(lane, &piece);
        drop_events(lane, piece < to - lane->kept ? piece : to - lane->kept);
    }
}

static void flight_store(struct lane *lane, uint64_t to)
{
    struct ras_record_event events[STEP];
    uint64_t count;
    store_details(lane, to);
    while (lane->kept < to) {
        const struct ras_record_event *at = first_events(lane, &count);
        count = count < STEP ? count : STEP;
        count = count < to - lane->kept ? count : to - lane->kept;
        for (uint64_t i = 0; i < count; i++) {
            events[i] = at[i];
            uint32_t link = events[i].detail_seq;
            if (link != UINT32_MAX)
                events[i].detail_seq =
                    link < lane->details_gone ? UINT32_MAX : (uint32_t)(link - lane->details_gone);
        }
        if (events[count - 1].timestamp_ns > recorder.flight.stored_ns)
            recorder.flight.stored_ns = events[count - 1].timestamp_ns;
        lane_store(lane, events, count);
        drop_events(lane, count);
    }
}

/* Where the window begins in the lane. The last calls of the thread that crashed are always
 * stored, however old they are. */
static uint64_t first_wanted(const struct lane *lane, uint64_t head)
{
    const struct crash_info *crash = crash_noted();
    uint64_t from = index_at_time(lane, head, recorder.flight.window.from_ns);
    if (!crash || crash->thread_id != lane->hot.thread_id || head - from >= CRASH_EVENTS)
        return from;
    return head - lane->kept < CRASH_EVENTS ? lane->kept : head - CRASH_EVENTS;
}

/* A window that opens later lacks these. */
static void give_up_before_window(struct lane *lane, uint64_t to)
{
    uint64_t newest = 0, at = lane->kept, count;
    for (const struct history_chunk *c = lane->events.first; c && at < to; c = c->next) {
        const struct ras_record_event *events = events_of(c, &count);
        newest = events[(count < to - at ? count : to - at) - 1].timestamp_ns;
        at += count;
    }
    if (to > lane->tail)
        newest = event_at(lane, to - 1)->timestamp_ns;
    if (newest > recorder.flight.gone_ns)
        recorder.flight.gone_ns = newest;
    flight_give_up(lane, to);
}

/* ---- the history ---------------------------------------------------------------------- */

/* The lane whose history goes back furthest; NULL: all are empty. */
static struct lane *oldest_lane(void)
{
    struct lane *oldest = NULL;
    uint64_t count, first_ns = UINT64_MAX;
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next) {
        if (!l->events.first || events_of(l->events.first, &count)->timestamp_ns >= first_ns)
            continue;
        first_ns = events_of(l->events.first, &count)->timestamp_ns;
        oldest = l;
    }
    return oldest;
}

static void forget_oldest_chunk(struct lane *lane)
{
    uint64_t count;
    (void)events_of(lane->events.first, &count);
    give_up_before_window(lane, lane->kept + count);
}

/* Move events up to `to` from the ring to the history; if its memory is used up, the oldest
 * events of all lanes are dropped. */
static void move_to_history(struct lane *lane, uint64_t to)
{
    struct flight *f = &recorder.flight;
    while (lane->tail < to) {
        uint64_t left = lane->capacity - (lane->tail & (lane->capacity - 1)),
                 count = to - lane->tail;
        count = count < STEP ? count : STEP;
        count = count < left ? count : left;
        void *at =
            history_add(&lane->events, &f->pool, count * EVENT, recorder.options.history_bytes);
        struct lane *oldest = at ? NULL : oldest_lane();
        if (at) {
            memcpy(at, event_at(lane, lane->tail), count * EVENT);
            lane_give_room(lane, lane->tail + count);
        } else if (oldest) {
            forget_oldest_chunk(oldest);
        } else {
            give_up_before_window(lane, to);
        }
    }
}

/* Drop events that no window can need, whenever its trigger is seen. */
static void forget_old(struct lane *lane)
{
    const struct flight *f = &recorder.flight;
    uint64_t before = (uint64_t)recorder.options.pre_ms * 1000000 + LATE_NS, count;
    if (f->open || f->pass_ns < before || LOAD_ACQUIRE(&recorder.crash.noted) != CRASH_NONE)
        return;
    before = f->pass_ns - before;
    while (lane->events.first) {
        const struct ras_record_event *events = events_of(lane->events.first, &count);
        if (events[count - 1].timestamp_ns >= before)
            return;
        forget_oldest_chunk(lane);
    }
}

/* Half of the ring stays in it. */
static void flight_make_room(struct lane *lane, uint64_t head)
{
    uint64_t keep = lane->capacity / 2;
    if (head - lane->tail > keep) {
        if (recorder.options.pre_ms)
            move_to_history(lane, head - keep);
        else
            give_up_before_window(lane, head - keep);
    }
    make_room_for_details(lane);
    forget_old(lane);
}

bool flight_drain(struct lane *lane, bool last)
{
    const struct flight *f = &recorder.flight;
    uint64_t head = LOAD_ACQUIRE(&lane->hot.head);
    bool fresh = head != lane->searched;
    find_triggers(lane, head);
    flight_take_triggers(0);
    if (f->open) {
        uint64_t from = first_wanted(lane, head);
        if (from > lane->kept)
            flight_give_up(lane, from);
        uint64_t to = index_at_time(lane, head, f->window.until_ns + 1);
        if (to > lane->kept)
            flight_store(lane, to);
    }
    if (!last)
        flight_make_room(lane, head);
    else if (head > lane->kept)
        give_up_before_window(lane, head);
    if (last)
        history_clear(&lane->detail_events, &recorder.flight.pool);
    return fresh;
}

void flight_clear(struct lane *lane)
{
    history_clear(&lane->events, &recorder.flight.pool);
    history_clear(&lane->detail_events, &recorder.flight.pool);
    lane->kept = 0;
}

/* ---- lanes of threads that have ended -------------------------------------------- */

/* Rings of full size that all ended lanes together may use if windows have no length; what a
 * lane uses besides its ring. */
enum { KEPT_RINGS = 64, LANE_BYTES = 16 << 10 };

/* The drain sees a trigger within this time. */
#define SEEN_NS UINT64_C(10000000000)

/* Memory that it uses; if it is durable, disk space. */
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

/* Whether no window can need its events, or there is no room for it. */
static bool may_go(const struct lane *lane, uint64_t now_ns)
{
    return (lane->kept == LOAD(&lane->hot.head) && !LOAD(&lane->deferred_count)) ||
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

void flight_reset(void)
{
    struct flight *f = &recorder.flight;
    history_trim(&f->pool);
    f->count = 0;
    f->open = false;
    f->late_ns = f->gone_ns = f->stored_ns = f->pass_ns = 0;
    memset(f->waiting, 0, sizeof f->waiting);
    flight_forget_ended();
}

/* ---- triggers and windows -------------------------------------------------------- */

static uint64_t ms_to_ns(unsigned ms)
{
    return (uint64_t)ms * 1000000;
}

void flight_trigger(enum ras_record_trigger kind, uint64_t time_ns, uint64_t function_id)
{
    struct flight *f = &recorder.flight;
    struct trigger *t = &f->waiting[ADD(&f->trigger_count, 1) % TRIGGERS_WAITING];
    uint32_t none = 0;
    if (!SWAP_IF(&t->ready, &none,
                 1)) { /* too many at once: they count as one, at the time of the last */
        uint64_t late = LOAD(&f->late_ns);
        while (late < time_ns && !SWAP_IF(&f->late_ns, &late, time_ns)) {
        }
        return;
    }
    t->time_ns = time_ns;
    t->function_id = function_id;
    t->kind = kind;
    STORE_RELEASE(&t->ready, 2);
    drain_notify();
}

/* Triggers that come while a window is open extend it. */
static void flight_open_window(const struct trigger *t)
{
    struct flight *f = &recorder.flight;
    uint64_t pre = ms_to_ns(recorder.options.pre_ms);
    uint64_t until = t->time_ns + ms_to_ns(recorder.options.post_ms);
    if (t->kind == RAS_TRIGGER_CRASH)
        until = UINT64_MAX - 1; /* everything that is still recorded */
    if (!f->open) {
        f->open = true;
        f->window = (struct window){.from_ns = t->time_ns > pre && pre ? t->time_ns - pre : 0,
                                    .until_ns = until,
                                    .whole_ns = f->gone_ns ? f->gone_ns + 1 : 0,
                                    .by = *t};
    }
    if (until > f->window.until_ns)
        f->window.until_ns = until;
}

void flight_take_triggers(uint64_t now_ns)
{
    struct flight *f = &recorder.flight;
    for (unsigned i = 0; i < TRIGGERS_WAITING; i++) {
        if (LOAD_ACQUIRE(&f->waiting[i].ready) != 2)
            continue;
        flight_open_window(&f->waiting[i]);
        STORE_RELEASE(&f->waiting[i].ready, 0);
    }
    uint64_t late = LOAD(&f->late_ns) ? EXCHANGE(&f->late_ns, 0) : 0;
    if (late)
        flight_open_window(&(struct trigger){.time_ns = late, .kind = RAS_TRIGGER_CALL});
    uint64_t due = LOAD(&f->due_ns);
    if (due && now_ns >= due) {
        flight_open_window(&(struct trigger){.time_ns = due, .kind = RAS_TRIGGER_TIME});
        STORE(&f->due_ns, 0);
    }
}

static void close_window(struct flight *f)
{
    f->open = false;
    if (array_grow(&f->windows, &f->room, f->count + 1, sizeof *f->windows))
        f->windows[f->count++] = f->window;
    recorder.threads_changed++;
}

/* The lanes were drained after now_ns: all events of the window have been seen. */
void flight_end_pass(uint64_t now_ns)
{
    struct flight *f = &recorder.flight;
    if (f->open && now_ns > f->window.until_ns)
        close_window(f);
    f->pass_ns = now_ns;
}

/* ---- the end ---------------------------------------------------------------------- */

/* With the time of the crash: the drain may get here much later. */
void flight_finish_triggers(uint64_t now_ns)
{
    const struct crash_info *crash = crash_noted();
    for (struct lane *l = LOAD_ACQUIRE(&recorder.lanes); l; l = l->next)
        if (LOAD(&l->state) == LANE_CLOSED && l->generation == recorder.generation)
            flight_search(l);
    flight_take_triggers(now_ns);
    if (crash)
        flight_open_window(&(struct trigger){.time_ns = crash->time_ns, .kind = RAS_TRIGGER_CRASH});
}

/* A window that is still open ends with the recording. */
void flight_finish_windows(uint64_t now_ns)
{
    struct flight *f = &recorder.flight;
    uint64_t end = now_ns > f->stored_ns ? now_ns : f->stored_ns;
    if (f->open && f->window.until_ns > end)
        f->window.until_ns = end;
    if (f->open)
        close_window(f);
    history_trim(&f->pool);
}

void ras_record_trigger_now(void)
{
    if (LOAD_ACQUIRE(&recorder.on) && recorder.options.flight)
        flight_trigger(RAS_TRIGGER_CALL, ras_record_now(), 0);
}

void ras_record_trigger_at(uint64_t time_ns)
{
    STORE(&recorder.flight.due_ns, time_ns);
    drain_notify();
}

const char *ras_record_trigger_name(enum ras_record_trigger kind)
{
    static const char *const names[] = {[RAS_TRIGGER_CALL] = "api",
                                        [RAS_TRIGGER_FUNCTION] = "symbol",
                                        [RAS_TRIGGER_TIME] = "time",
                                        [RAS_TRIGGER_SIGNAL] = "signal",
                                        [RAS_TRIGGER_CRASH] = "crash"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}
