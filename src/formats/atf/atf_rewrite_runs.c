/* atf_rewrite_runs.c - which records of a thread are taken, and their new numbers. */
#include "formats/atf/atf_rewrite.h"
#include "base/memory.h"

bool atf_runs_add(struct atf_runs *r, uint64_t from, uint64_t to)
{
    struct atf_run *last = r->count ? &r->at[r->count - 1] : NULL;
    if (from >= to)
        return true;
    if (last && last->to == from) {
        last->to = to;
    } else {
        if (!array_grow(&r->at, &r->room, r->count + 1, sizeof *r->at))
            return false;
        r->at[r->count++] = (struct atf_run){from, to, r->total};
    }
    r->total += to - from;
    return true;
}

uint32_t atf_runs_find(struct atf_runs *r, uint64_t seq)
{
    size_t low = 0, high = r->count;
    if (r->hint < r->count && seq >= r->at[r->hint].from && seq < r->at[r->hint].to)
        low = r->hint, high = r->hint + 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct atf_run *run = &r->at[middle];
        if (seq >= run->from && seq < run->to) {
            r->hint = middle;
            return (uint32_t)(run->at + (seq - run->from));
        }
        if (seq < run->from)
            high = middle;
        else
            low = middle + 1;
    }
    return RAS_ATF_NO_DETAIL;
}

/* ---- without a walk ----------------------------------------------------------------- */

/* Half-open; RAS_NONE as `to` is no bound. */
bool atf_copy_in_time(const struct ras_rewrite_options *o, uint64_t time)
{
    return o->axis == RAS_AXIS_NONE || (time >= o->from && (time < o->to || o->to == RAS_NONE));
}

static bool settle_events(const struct rewrite *rw, struct atf_copy *c)
{
    struct ras_atf_session *s = atf_copy_session(rw, c);
    struct atf_thread *t = atf_copy_thread(rw, c);
    const struct ras_rewrite_options *o = rw->asked;
    if (!atf_index_ready(s, t))
        return true;
    uint64_t count = t->index.count;
    if (o->axis == RAS_AXIS_NONE)
        return atf_runs_add(&c->events, 0, count);
    if (count && atf_times(s, t)->back == RAS_NONE)
        return atf_runs_add(&c->events, atf_time_place(s, t, o->from),
                            o->to == RAS_NONE ? count : atf_time_place(s, t, o->to));
    const uint8_t *events = atf_events(s, t);
    for (uint64_t i = 0; i < count; i++)
        if (atf_copy_in_time(o,
                             load_u64(events + i * RAS_ATF_INDEX_EVENT_SIZE + EVENT_TIMESTAMP)) &&
            !atf_runs_add(&c->events, i, i + 1))
            return false;
    return true;
}

static bool settle_details(const struct rewrite *rw, struct atf_copy *c)
{
    struct ras_atf_session *s = atf_copy_session(rw, c);
    struct atf_thread *t = atf_copy_thread(rw, c);
    struct ras_atf_detail_event d;
    if (!atf_detail_ready(s, t))
        return true;
    if (rw->asked->axis == RAS_AXIS_NONE)
        return atf_runs_add(&c->details, 0, atf_detail_walk(s, t)->count);
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    uint64_t at = t->detail.at;
    for (uint64_t i = 0; ras_atf_detail_step(&t->detail, bytes, &at, &d) == RAS_OK; i++)
        if (atf_copy_in_time(rw->asked, d.timestamp) && !atf_runs_add(&c->details, i, i + 1))
            return false;
    return true;
}

bool atf_copy_settle(const struct rewrite *rw, struct atf_copy *c)
{
    const struct ras_rewrite_options *o = rw->asked;
    if (c->converted || !rewrite_asks_stream(o, atf_copy_thread(rw, c)->stream))
        return true;
    return (!rewrite_asks_type(o, "event") || settle_events(rw, c)) &&
           (!rewrite_asks_type(o, "detail") || settle_details(rw, c));
}
