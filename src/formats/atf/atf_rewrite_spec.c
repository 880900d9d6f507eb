/* atf_rewrite_spec.c - converts a thread as the public tracer writes it to the published text.
 *
 * That tracer stores an event twice where it has a detail: once without the link, and once with
 * it, after others and with the time at which the detail was taken, a moment later. It copies a
 * structure of 516 bytes as the payload. Here the two become one event, in order of time, and the
 * payload becomes the specified one. */
#include "formats/atf/atf_rewrite.h"
#include "base/memory.h"
#include "formats/atf/atf_write.h"

#include <stdlib.h>

/* An event and those around it: see gather_slots(). */
struct slot {
    struct ras_atf_index_event event;
    uint32_t seq;
    bool linked; /* as stored */
    bool twice;  /* its link was moved to its twin */
};

struct conversion {
    struct rewrite *rw;
    struct atf_copy *copy;
    struct atf_thread *thread;
    struct slot *slots;
    size_t slot_room;
    bool *used; /* details, by number */
    uint64_t folded, payloads, opaque, lost, orphans;
};

/* ---- twins ---------------------------------------------------------------------- */

static int by_call(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->event.function_id != y->event.function_id)
        return x->event.function_id < y->event.function_id ? -1 : 1;
    if (x->event.event_kind != y->event.event_kind)
        return x->event.event_kind < y->event.event_kind ? -1 : 1;
    if (x->event.call_depth != y->event.call_depth)
        return x->event.call_depth < y->event.call_depth ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int slot_time_order(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->event.timestamp_ns != y->event.timestamp_ns)
        return x->event.timestamp_ns < y->event.timestamp_ns ? -1 : 1;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static bool slots_same_call(const struct slot *x, const struct slot *y)
{
    return x->event.function_id == y->event.function_id &&
           x->event.event_kind == y->event.event_kind && x->event.call_depth == y->event.call_depth;
}

/* The n-th event with a link is the twin of the n-th without one. */
static void pair_twins(struct conversion *v, struct slot *slots, size_t count)
{
    size_t plain = 0;
    for (size_t i = 0; i < count; i++) {
        if (!slots[i].linked)
            continue;
        while (plain < count && slots[plain].linked)
            plain++;
        if (plain == count)
            return;
        slots[plain++].event.detail_seq = slots[i].event.detail_seq;
        slots[i].twice = true;
        v->folded++;
    }
}

static void fold_all(struct conversion *v, size_t count)
{
    struct slot *s = v->slots;
    if (count < 2)
        return;
    qsort(s, count, sizeof *s, by_call);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && slots_same_call(&s[i], &s[end]);)
            end++;
        pair_twins(v, s + i, end - i);
    }
    qsort(s, count, sizeof *s, slot_time_order);
}

/* ---- records ---------------------------------------------------------------------- */

/* Converts the detail to the specified form; `room` is for its payload. */
static bool find_detail(struct conversion *v, uint32_t seq, struct ras_atf_detail_event *d,
                        uint8_t *room, size_t size)
{
    struct ras_atf_session *s = atf_copy_session(v->rw, v->copy);
    struct ras_atf_payload payload;
    if (ras_atf_detail_at(s, v->copy->thread, seq, d, NULL) != RAS_OK)
        return false;
    if (ras_atf_payload_get(d, RAS_ATF_OPAQUE, &payload) != RAS_ATF_PRODUCTION) {
        v->opaque += payload.form == RAS_ATF_OPAQUE;
        return true;
    }
    payload.form = RAS_ATF_SPEC;
    payload.reserved = 0;
    d->payload.at = room;
    v->payloads++;
    return ras_atf_payload_put(&payload, room, size, &d->payload.len);
}

static int write_slot(struct conversion *v, const struct slot *slot, struct ras_error *err)
{
    struct atf_rewrite *k = v->rw->priv;
    uint8_t room[RAS_ATF_PAYLOAD_SIZE + RAS_ATF_STACK_MAX];
    struct ras_atf_index_event e = slot->event;
    struct ras_atf_detail_event d;
    bool linked = e.detail_seq != RAS_ATF_NO_DETAIL;
    bool found = linked && e.detail_seq < v->thread->detail_count && !v->used[e.detail_seq] &&
                 find_detail(v, e.detail_seq, &d, room, sizeof room);
    v->lost += linked && !found;
    if (found)
        v->used[e.detail_seq] = v->copy->has_detail = true;
    v->copy->event_count++;
    v->copy->time_min = e.timestamp_ns < v->copy->time_min ? e.timestamp_ns : v->copy->time_min;
    v->copy->time_max = e.timestamp_ns > v->copy->time_max ? e.timestamp_ns : v->copy->time_max;
    return atf_writer_put(k->writer, &e, found ? &d : NULL, err);
}

/* Details that no event links to come last, without a link. */
static int put_orphans(struct conversion *v, struct ras_error *err)
{
    struct atf_rewrite *k = v->rw->priv;
    uint8_t room[RAS_ATF_PAYLOAD_SIZE + RAS_ATF_STACK_MAX];
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < v->thread->detail_count; i++) {
        struct ras_atf_detail_event d;
        if (v->used[i] || !find_detail(v, (uint32_t)i, &d, room, sizeof room))
            continue;
        d.total_length = RAS_ATF_DETAIL_EVENT_SIZE + (uint32_t)d.payload.len;
        d.index_seq = RAS_ATF_NO_DETAIL;
        uint8_t *bytes = malloc(d.total_length);
        if (!bytes)
            return fail_memory(err);
        (void)ras_atf_detail_event_put(&d, bytes, d.total_length);
        status = ras_atf_writer_append_details(k->writer, bytes, d.total_length, err);
        free(bytes);
        v->copy->has_detail = true;
        v->orphans++;
    }
    return status;
}

/* ---- the thread ---------------------------------------------------------------------- */

/* The events by time. */
struct sorted {
    const uint8_t *events;
    const uint32_t *order;
    uint64_t count;
};

static struct slot slot_at(const struct sorted *s, uint64_t i)
{
    struct slot slot = {.seq = s->order[i]};
    slot.event = atf_event(s->events + (uint64_t)slot.seq * RAS_ATF_INDEX_EVENT_SIZE);
    slot.linked = slot.event.detail_seq != RAS_ATF_NO_DETAIL;
    return slot;
}

/* Where the events of one time end, and whether one of them has no link. */
static uint64_t end_of_moment(const struct sorted *s, uint64_t from, bool *plain)
{
    uint64_t time = slot_at(s, from).event.timestamp_ns, to = from;
    *plain = false;
    for (; to < s->count; to++) {
        struct slot slot = slot_at(s, to);
        if (slot.event.timestamp_ns != time)
            break;
        *plain |= !slot.linked;
    }
    return to;
}

/* Gathers the events of one time, and those after them that have links: a hook stores both
 * events of a call before the thread continues, so the twins are among them. Returns where the
 * next ones begin; RAS_NONE: memory is short. */
static uint64_t gather_slots(struct conversion *v, const struct sorted *s, uint64_t from)
{
    enum { MANY = 1 << 16 };
    bool plain;
    uint64_t to = end_of_moment(s, from, &plain);
    for (bool more = plain; more && to < s->count && to - from < MANY;) {
        uint64_t end = end_of_moment(s, to, &plain);
        more = !plain;
        to = plain ? to : end;
    }
    if (!array_grow(&v->slots, &v->slot_room, (size_t)(to - from), sizeof *v->slots))
        return RAS_NONE;
    for (uint64_t i = from; i < to; i++)
        v->slots[i - from] = slot_at(s, i);
    return to;
}

static int put_events(struct conversion *v, struct ras_error *err)
{
    const uint8_t *events = /* without an index.atf there is no part to find them in */
        v->thread->index.count ? atf_events(atf_copy_session(v->rw, v->copy), v->thread) : NULL;
    uint64_t count = v->thread->index.count;
    uint32_t *order = count ? atf_order(events, count) : NULL;
    const struct sorted sorted = {events, order, count};
    int status = count && !order ? fail_memory(err) : RAS_OK;
    for (uint64_t from = 0, to; status == RAS_OK && from < count; from = to) {
        to = gather_slots(v, &sorted, from);
        if (to == RAS_NONE) {
            status = fail_memory(err);
            break;
        }
        fold_all(v, (size_t)(to - from));
        for (uint64_t i = 0; status == RAS_OK && i < to - from; i++)
            if (!v->slots[i].twice)
                status = write_slot(v, &v->slots[i], err);
    }
    free(order);
    return status;
}

static void note_losses(const struct conversion *v)
{
    struct rewrite *rw = v->rw;
    uint32_t id = v->thread->thread_id;
    if (v->folded)
        rewrite_note(rw, "thread %" PRIu32 ": %s that were stored twice are merged", id,
                     ras_counted(v->folded, "event").text);
    if (v->payloads)
        rewrite_note(rw,
                     "thread %" PRIu32 ": %" PRIu64
                     " payloads are converted to the specified form, without the operating "
                     "system's thread id",
                     id, v->payloads);
    if (v->opaque)
        rewrite_note(rw, "thread %" PRIu32 ": %" PRIu64 " payloads are of neither form: kept", id,
                     v->opaque);
    if (v->lost || v->orphans)
        rewrite_note(rw,
                     "thread %" PRIu32 ": %s and %" PRIu64
                     " details linked to missing records: unlinked",
                     id, ras_counted(v->lost, "event").text, v->orphans);
}

int atf_copy_to_spec(struct rewrite *rw, struct atf_copy *c, struct ras_error *err)
{
    struct atf_rewrite *k = rw->priv;
    struct ras_atf_session *s = atf_copy_session(rw, c);
    struct conversion v = {.rw = rw, .copy = c, .thread = atf_copy_thread(rw, c)};
    int status = RAS_OK;
    if (atf_detail_ready(s, v.thread))
        status = atf_detail_table(s, v.thread, err);
    v.used = calloc(v.thread->detail_count + 1, 1);
    if (status == RAS_OK && !v.used)
        status = fail_memory(err);
    if (status == RAS_OK)
        status = atf_copy_open(rw, c, err);
    if (status == RAS_OK)
        status = put_events(&v, err);
    if (status == RAS_OK)
        status = put_orphans(&v, err);
    if (status == RAS_OK)
        status = atf_copy_close(rw, err);
    note_losses(&v);
    k->folded += v.folded;
    free(v.used);
    free(v.slots);
    return status;
}
