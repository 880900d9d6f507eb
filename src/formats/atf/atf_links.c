/* atf_links.c - single events by place, by time and along the links; all of them in one order. */
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/atf/atf_session.h"

#include <stdlib.h>

static int no_thread(const struct ras_atf_session *s, size_t thread, struct ras_error *err)
{
    return fail(err, RAS_EUSAGE, RAS_NONE, "thread %zu requested, the session has %zu", thread,
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

/* Whether times only rise from event `from` on, starting at `last`. Then a range follows from
 * its ends: this is all that most files need, one comparison per event. */
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

static void scan_times(struct atf_times *t, const uint8_t *events, uint64_t count)
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

static void see_times(struct atf_times *t, const uint8_t *events, uint64_t to)
{
    if (!t->seen)
        t->min = t->max = t->last = time_at(events, 0);
    if (t->back == RAS_NONE && rises(events, t->seen, to, t->last)) {
        t->max = t->last = time_at(events, to - 1);
        t->seen = to;
    }
    scan_times(t, events, to);
}

const struct atf_times *atf_times(struct ras_atf_session *s, struct atf_thread *t)
{
    struct atf_times *times = &t->times;
    uint64_t count = t->index.count;
    if (times->seen > count) /* the last of a growing file turned out to be its footer */
        *times = (struct atf_times){.back = RAS_NONE};
    if (times->seen == count)
        return times;
    while (times->seen < t->index.count) {
        uint64_t to = atf_window(s, t, times->seen, t->index.count);
        const uint8_t *events = atf_some_events(s, t, times->seen, to, &s->pin);
        if (events)
            see_times(times, events, to);
    }
    return times;
}

uint64_t atf_time_place(struct ras_atf_session *s, struct atf_thread *t, uint64_t time_ns)
{
    uint64_t low = 0, high = t->index.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        const uint8_t *events = atf_some_events(s, t, middle, middle + 1, &s->pin);
        if (events && time_at(events, middle) < time_ns)
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

enum { AHEAD_MAX = 16384 }; /* bytes to prefetch */

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
    const uint8_t *events = atf_some_events(s, t, index_seq, index_seq + 1, &s->pin);
    if (!events)
        return RAS_END;
    *out = atf_event(events + index_seq * RAS_ATF_INDEX_EVENT_SIZE);
    return RAS_OK;
}

size_t ras_atf_index_read(struct ras_atf_session *s, size_t thread, uint64_t index_seq,
                          struct ras_atf_index_event *out, size_t count)
{
    if (thread >= s->thread_count || !atf_index_ready(s, &s->threads[thread]))
        return 0;
    struct atf_thread *t = &s->threads[thread];
    if (index_seq >= t->index.count)
        return 0;
    if (count > t->index.count - index_seq)
        count = (size_t)(t->index.count - index_seq);
    const uint8_t *all = atf_some_events(s, t, index_seq, index_seq + count, &s->pin);
    if (!all)
        return 0;
    const uint8_t *events = all + index_seq * RAS_ATF_INDEX_EVENT_SIZE;
    atf_event_array(out, events, count);
    /* Prefetch the events that are most likely read next, while the caller works on these. */
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

/* ---- all events in one order --------------------------------------------------------- */

/* A heap of threads; the one with the next event is on top. The top thread continues without
 * touching the heap while it stays before its two children. An index that is not sorted is read
 * through a list of its positions, sorted once. */

struct head {
    uint64_t time;
    uint32_t stream;
    uint32_t source; /* into merge->lists */
};

struct list {
    size_t thread;
    const uint8_t *events;
    uint64_t next, count;
    uint32_t *places; /* of an index that is not sorted; else NULL */
};

struct ras_atf_merge {
    struct head *heap;
    size_t count;
    struct list *lists;
    size_t list_count;
};

static bool before(const struct head *a, const struct head *b)
{
    return a->time != b->time ? a->time < b->time : a->stream < b->stream;
}

static uint64_t list_place(const struct list *l, uint64_t i)
{
    return l->places ? l->places[i] : i;
}

static uint64_t time_of(const struct list *l, uint64_t i)
{
    return load_u64(l->events + list_place(l, i) * RAS_ATF_INDEX_EVENT_SIZE + EVENT_TIMESTAMP);
}

static int event_time_order(const void *a, const void *b, void *events)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint8_t *at = events;
    uint64_t p = load_u64(at + (uint64_t)x * RAS_ATF_INDEX_EVENT_SIZE + EVENT_TIMESTAMP);
    uint64_t q = load_u64(at + (uint64_t)y * RAS_ATF_INDEX_EVENT_SIZE + EVENT_TIMESTAMP);
    if (p != q)
        return p < q ? -1 : 1;
    return x < y ? -1 : x > y;
}

uint32_t *atf_order(const uint8_t *events, uint64_t count)
{
    uint32_t *order = malloc(count * sizeof *order);
    for (uint32_t i = 0; order && i < count; i++)
        order[i] = i;
    if (order)
        sort_with(order, (size_t)count, sizeof *order, event_time_order, (void *)(uintptr_t)events);
    return order;
}

static void sift_down(struct ras_atf_merge *m, size_t at)
{
    struct head moving = m->heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= m->count)
            break;
        if (child + 1 < m->count && before(&m->heap[child + 1], &m->heap[child]))
            child++;
        if (!before(&m->heap[child], &moving))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = moving;
}

static int merge_add_thread(struct ras_atf_merge *m, struct ras_atf_session *s, size_t thread,
                            struct ras_error *err)
{
    struct atf_thread *t = &s->threads[thread];
    if (!atf_index_ready(s, t) || !t->index.count)
        return RAS_OK;
    struct list *l = &m->lists[m->list_count++];
    const uint8_t *events = atf_events(s, t);
    *l = (struct list){.thread = thread, .events = events, .count = t->index.count};
    if (atf_times(s, t)->back != RAS_NONE) {
        if (l->count > UINT32_MAX)
            return fail(err, RAS_ELIMIT, RAS_NONE, "%s out of order",
                        ras_counted(l->count, "event").text);
        l->places = atf_order(l->events, l->count);
        if (!l->places)
            return fail_memory(err);
    }
    m->heap[m->count++] = (struct head){time_of(l, 0), t->stream, (uint32_t)(m->list_count - 1)};
    return RAS_OK;
}

int ras_atf_merge_open(struct ras_atf_merge **out, struct ras_atf_session *s, struct ras_error *err)
{
    *out = NULL;
    struct ras_atf_merge *m = calloc(1, sizeof *m);
    if (!m)
        return fail_memory(err);
    m->heap = calloc(s->thread_count + 1, sizeof *m->heap);
    m->lists = calloc(s->thread_count + 1, sizeof *m->lists);
    int status = m->heap && m->lists ? RAS_OK : fail_memory(err);
    for (size_t i = 0; status == RAS_OK && i < s->thread_count; i++)
        status = merge_add_thread(m, s, i, err);
    if (status < 0) {
        ras_atf_merge_close(m);
        return status;
    }
    for (size_t i = m->count / 2; i-- > 0;)
        sift_down(m, i);
    *out = m;
    return RAS_OK;
}

bool ras_atf_merge_next(struct ras_atf_merge *m, struct ras_atf_merged *out)
{
    if (!m->count)
        return false;
    struct head *top = &m->heap[0];
    struct list *l = &m->lists[top->source];
    out->thread = l->thread;
    out->index_seq = list_place(l, l->next);
    out->event = atf_event(l->events + out->index_seq * RAS_ATF_INDEX_EVENT_SIZE);
    if (++l->next < l->count)
        top->time = time_of(l, l->next);
    else
        *top = m->heap[--m->count];
    if (m->count > 1)
        sift_down(m, 0);
    return true;
}

void ras_atf_merge_close(struct ras_atf_merge *m)
{
    if (!m)
        return;
    for (size_t i = 0; m->lists && i < m->list_count; i++)
        free(m->lists[i].places);
    free(m->lists);
    free(m->heap);
    free(m);
}
