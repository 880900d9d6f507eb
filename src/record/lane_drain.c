/* lane_drain.c - what a lane holds goes to its file; what cannot is counted. */
#include "record/recorder.h"

enum { PIECE_MOST = 1 << 15 }; /* events at a time: 1 MiB, so that room appears early */

void recorder_failed(const struct ras_error *err)
{
    if (!recorder.failure.status)
        recorder.failure = *err;
}

static bool begin(struct lane *lane)
{
    struct ras_error err = {0};
    if (lane->begun)
        return !lane->broken;
    lane->begun = true;
    if (recorder.ops->begin(recorder.pen, lane->hot.thread_id, &lane->file, &err) < 0) {
        lane->broken = true;
        recorder_failed(&err);
    }
    recorder.books_changed++;
    return !lane->broken;
}

/* Once a file has failed, what comes later would not follow what it holds. */
void lane_store(struct lane *lane, const struct ras_record_event *events, uint64_t count)
{
    struct ras_error err = {0};
    ADD(&recorder.progress, 1);
    if (recorder.watch)
        recorder.watch->map();
    bool good = begin(lane) && recorder.ops->events(lane->file, events, count, &err) == RAS_OK;
    if (good && recorder.options.durable) /* the ring gives up only what the system has */
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
    if (bytes.len && begin(lane) &&
        recorder.ops->details(lane->file, bytes.at, bytes.len, &count, &err) < 0) {
        lane->broken = true;
        recorder_failed(&err);
    }
    if (recorder.options.durable && !lane->broken && lane->file)
        (void)!recorder.ops->flush(lane->file, NULL); /* the events after it tell */
    STORE(&lane->details, lane->details + count);
}

/* Details up to `head`, which was read after the events' so that none of theirs is missing. */
static void drain_details(struct lane *lane, uint64_t head)
{
    struct byte_ring *r = &lane->detail;
    while (r->tail < head) {
        uint64_t next;
        lane_store_details(lane, byte_ring_take(r, head, &next));
        STORE_ORDERED(&r->tail, next);
    }
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
    bool some = stream_drain(&lane->stream, all || LOAD(&lane->waiting));
    if (some)
        lane_give_room(lane, tail);
    if (recorder.options.flight)
        return flight_drain(lane, false) || some;
    if (head == tail || (!all && !is_worth_it(lane, head - tail, detail_head - lane->detail.tail)))
        return some;
    drain_details(lane, detail_head);
    while (tail < head) {
        uint64_t at = tail & (lane->capacity - 1), count = head - tail;
        count = count < lane->capacity - at ? count : lane->capacity - at;
        count = count < PIECE_MOST ? count : PIECE_MOST;
        lane_store(lane, lane->hot.ring + at, count);
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
    if (lane->broken) /* of what was published the rest is lost */
        out->details_dropped +=
            LOAD(&lane->detail_next) - LOAD(&lane->details) - LOAD(&lane->details_outside);
    out->details_dropped += LOAD(&lane->details_outside);
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        uint64_t dropped = LOAD(&lane->dropped[i]);
        out->produced += dropped;
        out->dropped[i] = dropped + LOAD(&lane->lost[i]);
        out->events_dropped[i] = LOAD(&lane->stream.dropped[i]);
    }
    if (lane->stream.broken) /* of what was published the rest is lost */
        out->events_dropped[RAS_RECORD_WRITE] += LOAD(&lane->stream.count) - out->events;
}

/* What was taken but cannot be written after all is lost. */
static void end(struct lane *lane)
{
    struct ras_error err = {0};
    uint64_t events = lane->stored;
    if (recorder.ops->end(lane->file, &events, &err) < 0)
        recorder_failed(&err);
    if (events < lane->stored) {
        lane->lost[RAS_RECORD_WRITE] += lane->stored - events;
        lane->stored = events;
    }
}

/* Its thread is dead or deaf: take the rest, seal the files, keep the counts. */
void lane_close(struct lane *lane)
{
    ADD(&recorder.progress, 1);
    lane_drain(lane, true);
    if (LOAD(&lane->aside_count)) {
        lane_take_aside(lane);
        lane_drain(lane, true);
    }
    if (recorder.options.flight)
        flight_drain(lane, true);
    if (recorder.options.durable)
        durable_ended(lane);
    if (begin(lane) || lane->file)
        end(lane);
    lane->file = NULL;
    struct pen_book *book = recorder_book(lane->hot.thread_id);
    if (book)
        recorder_fill(book, lane);
    recorder.books_changed++;
}
