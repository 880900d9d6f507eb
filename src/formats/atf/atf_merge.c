/* atf_merge.c - all index events of a session in one order.
 *
 * A heap of threads, the one whose event comes next on top. The top thread goes on
 * without touching the heap while it stays ahead of its two children. An index
 * that is not sorted is read through a list of its places, sorted once. */
#include "base/error.h"
#include "base/sort.h"
#include "formats/atf/atf_session.h"

#include <stdlib.h>

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
    *l = (struct list){.thread = thread, .events = atf_events(s, t), .count = t->index.count};
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
