/* atf_ring.c - the lanes of a durable recording, which lie beside the files of their threads.
 *
 * Nothing that a lane says of itself is trusted. */
#include "formats/atf/atf_ring.h"

uint64_t atf_ring_number(struct ras_bytes lane, unsigned field, bool *good)
{
    uint64_t at = load_u64(lane.at + field);
    if (at > lane.len || lane.len - at < sizeof(uint64_t)) {
        *good = false;
        return 0;
    }
    return load_u64(lane.at + at);
}

static bool is_ring(const struct atf_ring *r, uint64_t at, uint64_t count, uint64_t size)
{
    return count && !(count & (count - 1)) && at <= r->file.len &&
           count <= (r->file.len - at) / size;
}

bool atf_ring_open(struct atf_ring *r)
{
    const uint8_t *p = r->file.at;
    bool good = true;
    if (!atf_ring_is(r->file))
        return false;
    r->thread_id = load_u32(p + RING_THREAD_ID);
    r->events_at = load_u64(p + RING_EVENTS_AT);
    r->capacity = load_u64(p + RING_CAPACITY);
    r->detail_at = load_u64(p + RING_DETAIL_AT);
    r->detail_size = load_u64(p + RING_DETAIL_SIZE);
    r->head = atf_ring_number(r->file, RING_HEAD_AT, &good);
    r->tail = atf_ring_number(r->file, RING_TAIL_AT, &good);
    r->detail_head = atf_ring_number(r->file, RING_DETAIL_HEAD_AT, &good);
    r->detail_tail = atf_ring_number(r->file, RING_DETAIL_TAIL_AT, &good);
    r->detail_wrap = atf_ring_number(r->file, RING_DETAIL_WRAP_AT, &good);
    return good && is_ring(r, r->events_at, r->capacity, RAS_ATF_INDEX_EVENT_SIZE) &&
           is_ring(r, r->detail_at, r->detail_size, 1) && r->tail <= r->head &&
           r->head - r->tail <= r->capacity && r->head < RAS_ATF_NO_DETAIL &&
           r->detail_tail <= r->detail_head && r->detail_head - r->detail_tail <= r->detail_size;
}

/* ---- what is not written ------------------------------------------------------------- */

bool atf_index_sealed(struct ras_atf_session *s, struct atf_thread *t)
{
    return t->index_file.part >= 0 && atf_index_ready(s, t) && t->index.footer_at != RAS_NONE;
}

static uint64_t stream_bytes(struct ras_bytes lane)
{
    bool good = true;
    uint64_t head = atf_ring_number(lane, RING_STREAM_HEAD_AT, &good);
    uint64_t tail = atf_ring_number(lane, RING_STREAM_TAIL_AT, &good);
    return good && head > tail ? head - tail : 0;
}

struct atf_pending atf_pending(struct ras_atf_session *s, struct atf_thread *t)
{
    struct atf_pending p = {.state = RING_NONE};
    struct atf_ring r = {0};
    if (!source_is_dir(s->source) || t->index_file.part < 0 || atf_index_sealed(s, t))
        return p;
    if (t->ring_part < 0) {
        p.state = s->has_rings ? RING_MISSING : RING_NONE;
        return p;
    }
    p.state = RING_BROKEN;
    if (source_load(s->source, (size_t)t->ring_part, NULL) < 0)
        return p;
    r.file = source_bytes(s->source, (size_t)t->ring_part);
    if (!atf_ring_open(&r))
        return p;
    uint64_t written = atf_index_ready(s, t) ? t->index.count : 0;
    p.tail = r.tail;
    p.events = r.head > written ? r.head - written : 0;
    p.bytes = stream_bytes(r.file);
    p.state = written < r.tail ? RING_APART : p.events || p.bytes ? RING_HOLDS : RING_WRITTEN;
    return p;
}
