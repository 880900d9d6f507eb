/* atf_repair_ring.c - what the lane of a killed recorder held and its files do not.
 *
 * A durable recording keeps each lane in a file beside index.atf. Events of the ring have
 * the numbers that follow those of the file; where a write was on its way some are in
 * both. Nothing that the lane says of itself is trusted. */
#include "formats/atf/atf_repair.h"
#include "formats/atf/atf_ring.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

bool atf_repair_find(struct atf_repairer *m, const char *dir, size_t dir_len, const char *file,
                     struct ras_bytes *out)
{
    struct source *s = m->session->source;
    char name[4200];
    size_t part;
    int len = snprintf(name, sizeof name, "%.*s%s%s", (int)dir_len, dir, dir_len ? "/" : "", file);
    if (!m->dir || len < 0 || (size_t)len >= sizeof name || !source_find(s, name, &part) ||
        source_load(s, part, NULL) < 0)
        return false;
    *out = source_bytes(s, part);
    return true;
}

bool atf_repair_lane(struct atf_repairer *m, struct atf_thread *t, struct ras_bytes *out)
{
    struct source *s = m->session->source;
    if (t->ring_part < 0 || atf_index_sealed(m->session, t) ||
        source_load(s, (size_t)t->ring_part, NULL) < 0)
        return false;
    *out = source_bytes(s, (size_t)t->ring_part);
    return true;
}

/* ---- events ------------------------------------------------------------------------ */

static bool ring_take_events(const struct atf_ring *r, struct atf_repaired *out)
{
    uint64_t count = r->head - out->events;
    out->more = malloc((size_t)count * RAS_ATF_INDEX_EVENT_SIZE);
    if (!out->more)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = (out->events + i) & (r->capacity - 1);
        const uint8_t *e = r->file.at + r->events_at + place * RAS_ATF_INDEX_EVENT_SIZE;
        uint32_t kind = load_u32(e + EVENT_KIND);
        if (load_u32(e + EVENT_THREAD_ID) != r->thread_id || kind < RAS_ATF_CALL ||
            kind > RAS_ATF_EXCEPTION)
            break; /* not an event of this thread: what follows is not either */
        memcpy(out->more + i * RAS_ATF_INDEX_EVENT_SIZE, e, RAS_ATF_INDEX_EVENT_SIZE);
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

static void take_piece(struct ras_bytes piece, uint64_t last, struct atf_repaired *out)
{
    struct ras_atf_detail_event d;
    for (size_t at = 0; at < piece.len; at += d.total_length) {
        struct ras_bytes rest = {piece.at + at, piece.len - at};
        if (!ras_atf_detail_event_get(rest, &d))
            return;
        if ((last != RAS_NONE && d.index_seq <= last) ||
            d.index_seq >= out->events + out->more_events)
            continue;
        memcpy(out->more_details + out->more_detail_size, rest.at, d.total_length);
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
    take_piece((struct ras_bytes){bytes + at, (size_t)(end - r->detail_tail)}, last, out);
    if (r->detail_head > lap)
        take_piece((struct ras_bytes){bytes, (size_t)(r->detail_head - lap)}, last, out);
    out->details += out->more_detail_count;
    return true;
}

/* The lane cannot be used, and what it held is lost. */
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
    bool good = atf_repair_lane(m, t, &r.file) && atf_ring_open(&r);
    if (!good || out->events < r.tail) {
        lose_lane(m, t, out);
        if (good)
            atf_repair_count_lane(r.file, r.head, out);
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
        plan_note(m->plan, "%s/" ATF_RING_NAME ": the last %" PRIu64 " events are not events",
                  t->dir, wanted - out->more_events);
        plan_lose(m->plan, 0, wanted - out->more_events);
    }
    atf_repair_count_lane(r.file, r.head, out);
}
