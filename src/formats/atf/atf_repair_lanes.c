/* atf_repair_lanes.c - events that the lanes of a killed recorder held and its files do not.
 *
 * Values in a lane are not trusted: all are checked. */
#include "base/memory.h"
#include "formats/atf/atf_repair.h"
#include "formats/atf/atf_session.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- calls --------------------------------------------------------------------------- */

/* A durable recording keeps each lane in a file beside index.atf. Events of the ring have the
 * numbers that follow those of the file; if a write was in progress some are in both. */

bool atf_repair_find(struct atf_repairer *m, const char *dir, size_t dir_len, const char *file,
                     struct ras_bytes *out)
{
    return m->dir && atf_beside(m->session, dir, dir_len, file, out);
}

/* The lane of a thread whose files were not closed. */
static bool atf_repair_lane(struct atf_repairer *m, struct atf_thread *t, struct ras_bytes *out)
{
    struct source *s = m->session->source;
    if (t->ring_part < 0 || atf_index_sealed(m->session, t) ||
        source_load(s, (size_t)t->ring_part, NULL) < 0)
        return false;
    *out = source_bytes(s, (size_t)t->ring_part);
    return true;
}

static bool ring_take_events(const struct atf_ring *r, struct atf_repaired *out)
{
    uint64_t count = r->head - out->events;
    out->more = malloc((size_t)count * RAS_ATF_INDEX_EVENT_SIZE);
    if (!out->more)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = (r->base.events + out->events + i) & (r->capacity - 1);
        const uint8_t *e = r->file.at + r->events_at + place * RAS_ATF_INDEX_EVENT_SIZE;
        uint32_t kind = load_u32(e + EVENT_KIND);
        if (load_u32(e + EVENT_THREAD_ID) != r->thread_id || kind < RAS_ATF_CALL ||
            kind > RAS_ATF_EXCEPTION)
            break; /* not an event of this thread: nor are the following ones */
        uint8_t *event = out->more + i * RAS_ATF_INDEX_EVENT_SIZE;
        uint32_t link = load_u32(e + EVENT_DETAIL_SEQ);
        memcpy(event, e, RAS_ATF_INDEX_EVENT_SIZE);
        if (link != RAS_ATF_NO_DETAIL && link >= r->base.details)
            store_u32(event + EVENT_DETAIL_SEQ, link - (uint32_t)r->base.details);
        out->more_events++;
    }
    return true;
}

/* ---- details ----------------------------------------------------------------------- */

/* The number of the event that the file's last detail belongs to; RAS_NONE: it has none. */
static uint64_t last_detail(const struct atf_repairer *m, const struct atf_thread *t,
                            const struct atf_repaired *out)
{
    struct ras_atf_detail_event d;
    uint64_t at = t->detail.at, last = RAS_NONE;
    if (!out->details)
        return RAS_NONE;
    struct ras_bytes bytes = atf_repair_bytes(m, &t->detail_file);
    while (ras_atf_detail_step(&t->detail, bytes, &at, &d) == RAS_OK)
        last = d.index_seq;
    return last;
}

static void take_piece(const struct atf_ring *r, struct ras_bytes piece, uint64_t last,
                       struct atf_repaired *out)
{
    struct ras_atf_detail_event d;
    for (size_t at = 0; at < piece.len; at += d.total_length) {
        struct ras_bytes rest = {piece.at + at, piece.len - at};
        if (!ras_atf_detail_event_get(rest, &d))
            return;
        uint64_t seq = d.index_seq - r->base.events;
        if (d.index_seq < r->base.events || (last != RAS_NONE && seq <= last) ||
            seq >= out->events + out->more_events)
            continue;
        uint8_t *detail = out->more_details + out->more_detail_size;
        memcpy(detail, rest.at, d.total_length);
        store_u32(detail + RECORD_INDEX_SEQ, (uint32_t)seq);
        out->more_detail_size += d.total_length;
        out->more_detail_count++;
    }
}

static bool take_details(const struct atf_ring *r, uint64_t last, struct atf_repaired *out)
{
    const uint8_t *bytes = r->file.at + r->detail_at;
    uint64_t at = r->detail_tail & (r->detail_size - 1), lap = r->detail_tail - at + r->detail_size;
    uint64_t end = r->detail_head < lap ? r->detail_head : lap;
    bool wrapped = r->detail_wrap >= r->detail_tail && r->detail_wrap < lap;
    out->more_details = malloc((size_t)(r->detail_head - r->detail_tail) + 1);
    if (!out->more_details)
        return false;
    if (r->detail_head >= lap && wrapped)
        end = r->detail_wrap;
    take_piece(r, (struct ras_bytes){bytes + at, (size_t)(end - r->detail_tail)}, last, out);
    if (r->detail_head > lap)
        take_piece(r, (struct ras_bytes){bytes, (size_t)(r->detail_head - lap)}, last, out);
    out->details += out->more_detail_count;
    return true;
}

/* The lane cannot be used, and its events are lost. */
static void lose_lane(struct atf_repairer *m, struct atf_thread *t, struct atf_repaired *out)
{
    struct atf_pending p = atf_pending(m->session, t);
    if (p.state == RING_BROKEN || p.state == RING_MISSING) {
        plan_note(m->plan, "%s/" ATF_RING_NAME " %s: events that were not written yet are lost",
                  t->dir, p.state == RING_MISSING ? "is missing" : "cannot be followed");
        plan_lose(m->plan, 0, RAS_NONE);
    } else if (p.state == RING_APART) {
        plan_note(m->plan,
                  "%s/" ATF_RING_NAME " continues at event %" PRIu64 ", the file ends at %" PRIu64
                  ": lost %s",
                  t->dir, p.tail, out->events, ras_counted(p.events, "event").text);
        plan_lose(m->plan, 0, p.events);
    }
}

void atf_repair_ring(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    struct atf_repaired *out = &m->threads[thread];
    struct atf_ring r = {0};
    (void)atf_lane_base(m->session, t, &r.base);
    bool good = atf_repair_lane(m, t, &r.file) && atf_ring_open(&r);
    if (!good || out->events < r.tail) {
        lose_lane(m, t, out);
        if (good)
            atf_repair_count_lane(&r, out);
        return;
    }
    uint64_t last = last_detail(m, t, out);
    if (r.head > out->events && (!ring_take_events(&r, out) || !take_details(&r, last, out)))
        m->plan->nomem = true;
    if (out->more_events)
        plan_note(m->plan, "thread %" PRIu32 ": %s and %" PRIu64 " details come from its lane",
                  t->thread_id, ras_counted(out->more_events, "event").text,
                  out->more_detail_count);
    uint64_t wanted = r.head > out->events ? r.head - out->events : 0;
    if (out->more_events < wanted) {
        plan_note(m->plan, "%s/" ATF_RING_NAME ": the last %" PRIu64 " events are malformed",
                  t->dir, wanted - out->more_events);
        plan_lose(m->plan, 0, wanted - out->more_events);
    }
    atf_repair_count_lane(&r, out);
}

/* ---- events of their own schemas ----------------------------------------------------- */

/* They are complete frames; the preambles of their batches are in a file beside the manifest. A
 * batch that was being written when the recorder was killed is still in its lane and is removed
 * from the file. */

struct stream {
    struct ras_bytes file;
    uint64_t head, tail, wrap, at, size;
    uint64_t base, standing, taken_at, used_at, used_size;
};

/* The events of all threads of a process. */
struct events {
    struct ras_bytes types;
    struct out more;
    uint64_t cut; /* the file is incomplete from here on; RAS_NONE: it is complete */
    uint64_t lanes;
};

static bool is_in(const struct stream *s, uint64_t at, uint64_t size)
{
    return at <= s->file.len && s->file.len - at >= size;
}

static bool open_stream(struct stream *s)
{
    const uint8_t *p = s->file.at;
    bool good = true;
    if (!atf_ring_is(s->file))
        return false;
    s->at = load_u64(p + RING_STREAM_AT);
    s->size = load_u64(p + RING_STREAM_SIZE);
    s->taken_at = load_u64(p + RING_TAKEN_AT);
    s->used_at = load_u64(p + RING_USED_AT);
    s->used_size = load_u64(p + RING_USED_SIZE);
    s->head = atf_ring_number(s->file, RING_STREAM_HEAD_AT, &good);
    s->tail = atf_ring_number(s->file, RING_STREAM_TAIL_AT, &good);
    s->wrap = atf_ring_number(s->file, RING_STREAM_WRAP_AT, &good);
    s->base = atf_ring_number(s->file, RING_BASE_AT, &good);
    s->standing = atf_ring_number(s->file, RING_STANDING_AT, &good);
    return good && s->size && !(s->size & (s->size - 1)) && is_in(s, s->at, s->size) &&
           is_in(s, s->taken_at, TAKEN_SIZE) && is_in(s, s->used_at, s->used_size);
}

/* How far the recorder had written the events that it took. */
static void read_progress(struct stream *s, struct events *e)
{
    const uint8_t *taken = s->file.at + s->taken_at;
    uint64_t step = load_u64(taken + TAKEN_STEP);
    if (step == TAKEN_WRITING)
        e->cut = load_u64(taken + TAKEN_FILE_AT);
    if (step != TAKEN_WRITTEN)
        return;
    s->tail = load_u64(taken + TAKEN_TAIL);
    s->base = load_u64(taken + TAKEN_BASE);
    s->standing = load_u64(taken + TAKEN_STANDING);
}

static bool is_used(const struct stream *s, uint64_t id)
{
    return id < s->used_size / 4 && load_u32(s->file.at + s->used_at + id * 4);
}

/* Appends the preambles that `wanted` names, in their order; returns their size. */
static uint64_t put_types(const struct stream *s, struct events *e,
                          bool (*wanted)(const struct stream *, uint64_t id))
{
    enum { HEAD = 8 };
    uint64_t count = 0;
    for (size_t at = 0; e->types.len - at >= HEAD;) {
        uint32_t size = load_u32(e->types.at + at + 4);
        if (e->types.len - at - HEAD < size)
            break;
        if (wanted(s, load_u32(e->types.at + at))) {
            out_bytes(&e->more, e->types.at + at + HEAD, size);
            count++;
        }
        at += HEAD + size;
    }
    return count;
}

static bool is_batch(const struct stream *s, uint64_t id)
{
    (void)s;
    return id == ATF_TYPES_BATCH;
}

static bool is_base(const struct stream *s, uint64_t id)
{
    (void)s;
    return id == ATF_TYPES_BASE;
}

/* False: a preamble that was used is missing. */
static bool put_beginning(const struct stream *s, struct events *e)
{
    uint8_t base[8];
    uint64_t used = 0;
    for (uint64_t i = 0; i < s->used_size / 4; i++)
        used += is_used(s, i);
    if (put_types(s, e, is_batch) != 1 || put_types(s, e, is_used) != used)
        return false;
    if (s->standing)
        return true;
    store_u64(base, s->base);
    bool good = put_types(s, e, is_base) == 1;
    out_bytes(&e->more, base, sizeof base);
    return good;
}

static void put_frames(const struct stream *s, struct events *e)
{
    const uint8_t *bytes = s->file.at + s->at;
    uint64_t at = s->tail & (s->size - 1), lap = s->tail - at + s->size, end = s->head;
    if (s->head >= lap)
        end = s->wrap >= s->tail && s->wrap < lap ? s->wrap : lap;
    out_bytes(&e->more, bytes + at, (size_t)(end - s->tail));
    if (s->head > lap)
        out_bytes(&e->more, bytes, (size_t)(s->head - lap));
}

static void repair_lane(struct atf_repairer *m, struct atf_thread *t, struct events *e)
{
    struct stream s = {0};
    if (!atf_repair_lane(m, t, &s.file) || !open_stream(&s))
        return; /* a lane that cannot be followed was noted with its calls */
    read_progress(&s, e);
    if (s.head == s.tail)
        return;
    size_t before = e->more.len;
    bool good = s.head > s.tail && s.head - s.tail <= s.size && put_beginning(&s, e);
    if (good) {
        put_frames(&s, e);
        e->lanes++;
        return;
    }
    e->more.len = before;
    plan_note(m->plan, "%s/" ATF_RING_NAME " holds malformed events", t->dir);
    plan_lose(m->plan, 0, RAS_NONE);
}

void atf_repair_stream(struct atf_repairer *m, size_t process)
{
    struct ras_atf_session *s = m->session;
    const struct atf_process *p = &s->processes[process];
    struct events e = {.cut = RAS_NONE};
    struct ras_bytes file = {0};
    char name[4200];
    if (!atf_repair_find(m, p->dir, p->dir_len, ATF_TYPES_NAME, &e.types))
        return;
    for (FROM_THREAD(s, process, i))
        if (s->threads[i].process == process)
            repair_lane(m, &s->threads[i], &e);
    (void)atf_repair_find(m, p->dir, p->dir_len, ATF_EVENTS_NAME, &file);
    uint64_t at = e.cut < file.len ? e.cut : file.len;
    int len = snprintf(name, sizeof name, "%.*s%s" ATF_EVENTS_NAME, (int)p->dir_len, p->dir,
                       p->dir_len ? "/" : "");
    m->plan->nomem |= e.more.failed;
    if ((e.more.len || at < file.len) && !e.more.failed && len > 0 && (size_t)len < sizeof name) {
        plan_patch(m->plan, name, at, file.len - at, e.more.at, e.more.len);
        plan_note(m->plan, "%s: %zu bytes of events come from %" PRIu64 " lanes", name, e.more.len,
                  e.lanes);
    }
    out_free(&e.more);
}
