/* atf_repair_counts.c - what a killed recorder had counted: every event was stored, or dropped.
 *
 * The manifest of a killed recorder is that of an earlier moment. A durable recording has its
 * counts in the lanes, and those of lanes that are no more in a file beside the manifest. Without
 * them it is not known how many events are missing. */
#include "formats/atf/atf_repair.h"
#include "base/memory.h"
#include "formats/atf/atf_ring.h"

#include <stdlib.h>

/* `count` numbers that lie where the header's field says. */
static bool numbers_at(struct ras_bytes file, uint64_t at, uint64_t count, uint64_t *out)
{
    if (at > file.len || file.len - at < count * sizeof *out)
        return false;
    for (uint64_t i = 0; i < count; i++)
        out[i] = load_u64(file.at + at + i * sizeof *out);
    return true;
}

static uint64_t counted_reasons_sum(const uint64_t *reasons)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < ATF_REASONS_MOST; i++)
        sum += reasons[i];
    return sum;
}

/* Of what was published and is not stored the drain has told some; a kill may have come between
 * its telling and its doing. */
void atf_repair_count_lane(struct ras_bytes lane, uint64_t head, struct atf_repaired *out)
{
    struct atf_counted *c = &out->counted;
    uint64_t lost[ATF_REASONS_MOST] = {0}, events_dropped[ATF_REASONS_MOST] = {0};
    uint64_t stored = out->events + out->more_events;
    uint64_t reasons = atf_ring_counts(lane) ? load_u64(lane.at + RING_REASONS) : UINT64_MAX;
    bool good =
        reasons <= ATF_REASONS_MOST && stored <= head &&
        numbers_at(lane, load_u64(lane.at + RING_DROPPED_AT), reasons, c->dropped) &&
        numbers_at(lane, load_u64(lane.at + RING_LOST_AT), reasons, lost) &&
        numbers_at(lane, load_u64(lane.at + RING_STREAM_DROPPED_AT), reasons, events_dropped);
    if (!good)
        return;
    c->events = atf_ring_number(lane, RING_STREAM_COUNT_AT, &good);
    c->details_dropped = atf_ring_number(lane, RING_DETAILS_DROPPED_AT, &good);
    c->events_dropped = counted_reasons_sum(events_dropped);
    c->produced = head + counted_reasons_sum(c->dropped);
    c->left = head - stored;
    for (unsigned i = 0; i < ATF_REASONS_MOST; i++) {
        uint64_t told = lost[i] < c->left ? lost[i] : c->left;
        c->dropped[i] += told;
        c->left -= told;
    }
    c->known = good;
}

/* ---- threads that had ended ----------------------------------------------------------- */

struct by_id {
    uint64_t id;
    size_t thread;
};

static int counted_id_order(const void *a, const void *b)
{
    const struct by_id *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* What they have counted is what their sealed files lack. */
static void take_ended(const uint8_t *record, uint64_t reasons, struct atf_repaired *out)
{
    struct atf_counted *c = &out->counted;
    uint64_t stored = out->events + out->more_events;
    if (c->known)
        return; /* its lane says it, which is newer */
    c->produced = load_u64(record + ENDED_PRODUCED);
    c->events = load_u64(record + ENDED_EVENTS);
    c->events_dropped = load_u64(record + ENDED_EVENTS_DROPPED);
    c->details_dropped = load_u64(record + ENDED_DETAILS_DROPPED);
    for (uint64_t i = 0; i < reasons; i++)
        c->dropped[i] = load_u64(record + ENDED_DROPPED + i * sizeof(uint64_t));
    uint64_t told = stored + counted_reasons_sum(c->dropped);
    c->left = c->produced > told ? c->produced - told : 0;
    c->known = c->produced >= told;
}

static void take_all(struct atf_repairer *m, struct ras_bytes file, uint64_t reasons,
                     const struct by_id *ids, size_t count)
{
    size_t size = ENDED_DROPPED + (size_t)reasons * sizeof(uint64_t);
    for (uint64_t at = load_u64(file.at + COUNTS_RECORDS_AT);
         at <= file.len && file.len - at >= size; at += size) {
        const struct by_id want = {.id = load_u64(file.at + at + ENDED_THREAD_ID)};
        const struct by_id *found = bsearch(&want, ids, count, sizeof *ids, counted_id_order);
        if (found)
            take_ended(file.at + at, reasons, &m->threads[found->thread]);
    }
}

static bool process_is_counted(const struct atf_repairer *m, size_t process)
{
    for (FROM_THREAD(m->session, process, i))
        if (m->session->threads[i].process == process && !m->threads[i].counted.known)
            return false;
    return true;
}

bool atf_repair_counts(struct atf_repairer *m, size_t process, struct atf_strays *strays)
{
    const struct ras_atf_session *s = m->session;
    const struct atf_process *p = &s->processes[process];
    struct ras_bytes file;
    size_t count = 0;
    if (!atf_repair_find(m, p->dir, p->dir_len, ATF_COUNTS_NAME, &file) ||
        file.len < COUNTS_HEADER_SIZE || memcmp(file.at, ATF_COUNTS_MAGIC, 8) != 0)
        return false;
    uint64_t reasons = load_u64(file.at + COUNTS_REASONS);
    uint64_t stray_at = load_u64(file.at + COUNTS_STRAY_AT);
    if (reasons > ATF_REASONS_MOST || !numbers_at(file, stray_at, reasons, strays->calls) ||
        !numbers_at(file, stray_at + reasons * sizeof(uint64_t), reasons, strays->events))
        return false;
    struct by_id *ids = calloc(p->thread_to - p->thread_from + 1, sizeof *ids);
    if (!ids) {
        m->plan->nomem = true;
        return false;
    }
    for (FROM_THREAD(s, process, i))
        if (s->threads[i].process == process)
            ids[count++] = (struct by_id){s->threads[i].thread_id, i};
    if (count)
        qsort(ids, count, sizeof *ids, counted_id_order);
    take_all(m, file, reasons, ids, count);
    free(ids);
    return process_is_counted(m, process);
}
