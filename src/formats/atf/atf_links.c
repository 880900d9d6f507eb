/* atf_links.c - single events by place, by time and along the links.
 *
 * Index events have a fixed stride, so their place is their offset. Details tell
 * only their length: one walk remembers where each begins, and from then on both
 * directions of a link take constant time. */
#include "base/error.h"
#include "base/memory.h"
#include "formats/atf/atf_session.h"

#include <stdlib.h>

static int no_thread(const struct ras_atf_session *s, size_t thread, struct ras_error *err)
{
    return fail(err, RAS_EUSAGE, RAS_NONE, "thread %zu asked for, the session has %zu", thread,
                s->thread_count);
}

static int no_file(const struct ras_atf_session *s, const struct atf_thread_file *file,
                   struct ras_error *err)
{
    if (file->part < 0)
        return RAS_END;
    return fail(err, file->status, file->error.offset, "%s: %s",
                source_name(s->source, (size_t)file->part), file->error.text);
}

/* ---- times -------------------------------------------------------------- */

static uint64_t time_at(const uint8_t *events, uint64_t i)
{
    return load_u64(events + i * RAS_ATF_INDEX_EVENT_SIZE + EVENT_TIMESTAMP);
}

/* Whether times only rise from event `from` on, starting at `last`. A range then
 * follows from its ends, so this is all that most files need: one compare an event. */
static bool rises(const uint8_t *events, uint64_t from, uint64_t to, uint64_t last)
{
    enum { AHEAD = 2048 };
    bool back = false;
    for (uint64_t i = from; i < to; i++) {
        uint64_t time = time_at(events, i);
        __builtin_prefetch(events + i * RAS_ATF_INDEX_EVENT_SIZE + AHEAD);
        back |= time < last;
        last = time;
    }
    return !back;
}

static void look_closely(struct atf_times *t, const uint8_t *events, uint64_t count)
{
    for (; t->seen < count; t->seen++) {
        uint64_t time = time_at(events, t->seen);
        if (time < t->last && t->back == RAS_NONE)
            t->back = t->seen;
        t->min = time < t->min ? time : t->min;
        t->max = time > t->max ? time : t->max;
        t->last = time;
    }
}

const struct atf_times *atf_times(struct ras_atf_session *s, struct atf_thread *t)
{
    struct atf_times *times = &t->times;
    uint64_t count = t->index.count;
    if (times->seen > count) /* the last of a growing file turned out to be its footer */
        *times = (struct atf_times){.back = RAS_NONE};
    if (times->seen == count)
        return times;
    const uint8_t *events = atf_events(s, t);
    if (!times->seen)
        times->min = times->max = times->last = time_at(events, 0);
    if (times->back == RAS_NONE && rises(events, times->seen, count, times->last)) {
        times->max = times->last = time_at(events, count - 1);
        times->seen = count;
    }
    look_closely(times, events, count);
    return times;
}

uint64_t atf_time_place(const struct ras_atf_session *s, const struct atf_thread *t,
                        uint64_t time_ns)
{
    const uint8_t *events = atf_events(s, t);
    uint64_t low = 0, high = t->index.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (time_at(events, middle) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int ras_atf_time_range(struct ras_atf_session *s, size_t thread, uint64_t *first, uint64_t *last,
                       bool *sorted, struct ras_error *err)
{
    if (thread >= s->thread_count)
        return no_thread(s, thread, err);
    struct atf_thread *t = &s->threads[thread];
    if (!atf_index_ready(s, t))
        return no_file(s, &t->index_file, err);
    if (!t->index.count)
        return RAS_END;
    const struct atf_times *times = atf_times(s, t);
    *first = times->min;
    *last = times->max;
    *sorted = times->back == RAS_NONE;
    return RAS_OK;
}

enum { AHEAD_MAX = 16384 }; /* bytes to fetch before they are asked for */

/* ---- index -------------------------------------------------------------- */

int ras_atf_index_at(struct ras_atf_session *s, size_t thread, uint64_t index_seq,
                     struct ras_atf_index_event *out, struct ras_error *err)
{
    if (thread >= s->thread_count)
        return no_thread(s, thread, err);
    struct atf_thread *t = &s->threads[thread];
    if (!atf_index_ready(s, t))
        return no_file(s, &t->index_file, err);
    if (index_seq >= t->index.count)
        return RAS_END;
    *out = atf_event(atf_events(s, t) + index_seq * RAS_ATF_INDEX_EVENT_SIZE);
    return RAS_OK;
}

size_t ras_atf_index_read(struct ras_atf_session *s, size_t thread, uint64_t index_seq,
                          struct ras_atf_index_event *out, size_t count)
{
    if (thread >= s->thread_count || !atf_index_ready(s, &s->threads[thread]))
        return 0;
    const struct atf_thread *t = &s->threads[thread];
    if (index_seq >= t->index.count)
        return 0;
    if (count > t->index.count - index_seq)
        count = (size_t)(t->index.count - index_seq);
    const uint8_t *events = atf_events(s, t) + index_seq * RAS_ATF_INDEX_EVENT_SIZE;
    atf_event_array(out, events, count);
    /* What will most likely be asked for next, while the caller looks at these. */
    const uint8_t *next = events + count * RAS_ATF_INDEX_EVENT_SIZE;
    for (size_t ahead = 0; ahead < count * RAS_ATF_INDEX_EVENT_SIZE && ahead < AHEAD_MAX;
         ahead += 64)
        __builtin_prefetch(next + ahead);
    return count;
}

/* ---- details ------------------------------------------------------------ */

const struct atf_walk *atf_detail_walk(struct ras_atf_session *s, struct atf_thread *t)
{
    struct atf_walk *walk = &t->walk;
    uint64_t generation = *source_generation(s->source);
    if (walk->done && walk->generation == generation)
        return walk;
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    struct ras_atf_detail_event event;
    *walk = (struct atf_walk){.end = t->detail.at};
    while (ras_atf_detail_step(&t->detail, bytes, &walk->end, &event) == RAS_OK) {
        walk->back |= event.timestamp < walk->last;
        walk->last = event.timestamp;
        walk->count++;
    }
    walk->done = true;
    walk->generation = generation;
    return walk;
}

int atf_detail_table(struct ras_atf_session *s, struct atf_thread *t, struct ras_error *err)
{
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    struct ras_atf_detail_event event;
    t->detail_end = t->detail.at;
    t->detail_count = 0;
    t->detail_generation = *source_generation(s->source);
    for (;;) {
        uint64_t at = t->detail_end, next = at;
        if (ras_atf_detail_step(&t->detail, bytes, &next, &event) != RAS_OK)
            return RAS_OK;
        if ((t->detail_count + 1) * sizeof *t->detail_at > s->limits.pool_bytes)
            return fail(err, RAS_ELIMIT, at, "more than %zu details to remember", t->detail_count);
        if (!array_grow(&t->detail_at, &t->detail_room, t->detail_count + 1, sizeof *t->detail_at))
            return fail_memory(err);
        t->detail_at[t->detail_count++] = at;
        t->detail_end = next;
    }
}

/* The thread with its table of details up to date; RAS_END when it has none. */
static int with_table(struct ras_atf_session *s, size_t thread, struct atf_thread **out,
                      struct ras_error *err)
{
    if (thread >= s->thread_count)
        return no_thread(s, thread, err);
    struct atf_thread *t = *out = &s->threads[thread];
    if (!atf_detail_ready(s, t))
        return no_file(s, &t->detail_file, err);
    bool known = t->detail_end && t->detail_generation == *source_generation(s->source);
    return known ? RAS_OK : atf_detail_table(s, t, err);
}

int ras_atf_detail_at(struct ras_atf_session *s, size_t thread, uint64_t detail_seq,
                      struct ras_atf_detail_event *out, struct ras_error *err)
{
    struct atf_thread *t = NULL;
    int status = with_table(s, thread, &t, err);
    if (status != RAS_OK)
        return status;
    if (detail_seq >= t->detail_count)
        return RAS_END;
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    uint64_t at = t->detail_at[detail_seq];
    return ras_atf_detail_step(&t->detail, bytes, &at, out);
}

bool atf_detail_near(struct ras_atf_session *s, size_t thread, struct atf_hint *hint,
                     uint32_t detail_seq, struct ras_atf_detail_event *out)
{
    enum { NEAR = 256 };
    struct atf_thread *t = &s->threads[thread];
    if (detail_seq == RAS_ATF_NO_DETAIL || !atf_detail_ready(s, t))
        return false;
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    if (!hint->at)
        hint->at = t->detail.at;
    if (detail_seq < hint->seq || detail_seq - hint->seq > NEAR) {
        struct ras_error err;
        return detail_seq < atf_detail_walk(s, t)->count &&
               ras_atf_detail_at(s, thread, detail_seq, out, &err) == RAS_OK;
    }
    for (;;) {
        uint64_t at = hint->at;
        if (ras_atf_detail_step(&t->detail, bytes, &at, out) != RAS_OK)
            return false;
        if (hint->seq == detail_seq)
            return true;
        hint->seq++;
        hint->at = at;
    }
}

int ras_atf_detail_count(struct ras_atf_session *s, size_t thread, uint64_t *count,
                         struct ras_error *err)
{
    struct atf_thread *t = NULL;
    *count = 0;
    int status = with_table(s, thread, &t, err);
    if (status == RAS_OK)
        *count = t->detail_count;
    return status;
}

int ras_atf_detail_of(struct ras_atf_session *s, size_t thread,
                      const struct ras_atf_index_event *event, struct ras_atf_detail_event *out,
                      struct ras_error *err)
{
    if (event->detail_seq == RAS_ATF_NO_DETAIL)
        return RAS_END;
    return ras_atf_detail_at(s, thread, event->detail_seq, out, err);
}

int ras_atf_index_of(struct ras_atf_session *s, size_t thread,
                     const struct ras_atf_detail_event *detail, struct ras_atf_index_event *out,
                     struct ras_error *err)
{
    return ras_atf_index_at(s, thread, detail->index_seq, out, err);
}
