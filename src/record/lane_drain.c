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
static void store(struct lane *lane, const struct ras_record_event *events, uint64_t count)
{
    struct ras_error err = {0};
    if (begin(lane) && recorder.ops->events(lane->file, events, count, &err) < 0) {
        lane->broken = true;
        recorder_failed(&err);
    }
    if (lane->broken)
        STORE(&lane->lost[RAS_RECORD_WRITE], lane->lost[RAS_RECORD_WRITE] + count);
    else
        STORE(&lane->stored, lane->stored + count);
}

static void give_room(struct lane *lane, uint64_t tail)
{
    STORE_ORDERED(&lane->tail, tail);
    if (LOAD_ORDERED(&lane->waiting)) {
        STORE_ORDERED(&lane->waiting, 0);
        word_wake(&lane->waiting);
    }
}

bool lane_drain(struct lane *lane, bool all)
{
    uint64_t tail = lane->tail, head = LOAD_ACQUIRE(&lane->hot.head);
    if (head == tail || (!all && head - tail < lane->capacity / 4 && !LOAD(&lane->waiting)))
        return false;
    while (tail < head) {
        uint64_t at = tail & (lane->capacity - 1), count = head - tail;
        count = count < lane->capacity - at ? count : lane->capacity - at;
        count = count < PIECE_MOST ? count : PIECE_MOST;
        store(lane, lane->hot.ring + at, count);
        tail += count;
        give_room(lane, tail);
    }
    return true;
}

void recorder_count(const struct lane *lane, struct ras_record_counts *out)
{
    out->produced = LOAD_ACQUIRE(&lane->hot.head);
    out->stored = LOAD(&lane->stored);
    for (unsigned i = 0; i < RAS_RECORD_REASONS; i++) {
        uint64_t dropped = LOAD(&lane->dropped[i]);
        out->produced += dropped;
        out->dropped[i] = dropped + LOAD(&lane->lost[i]);
    }
}

/* Its thread is dead or deaf: take the rest, seal the files, keep the counts. */
void lane_close(struct lane *lane)
{
    struct ras_error err = {0};
    lane_drain(lane, true);
    if (LOAD(&lane->aside_count)) {
        lane_take_aside(lane);
        lane_drain(lane, true);
    }
    if (begin(lane) || lane->file)
        if (recorder.ops->end(lane->file, &err) < 0)
            recorder_failed(&err);
    lane->file = NULL;
    struct pen_book *book = recorder_book(lane->hot.thread_id);
    if (book)
        recorder_fill(book, lane);
    recorder.books_changed++;
}
