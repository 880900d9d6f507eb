/* atf_lane.c - how each of a thread's two files ends, readable or not. */
#include "formats/atf/atf_driver.h"
#include "formats/atf/atf_ring.h"

static bool ready(struct ras_atf_session *s, struct atf_thread *t, bool detail)
{
    return detail ? atf_detail_ready(s, t) : atf_index_ready(s, t);
}

/* A file whose header cannot be read. A crash before the first flush leaves it
 * empty, which loses nothing that was ever stored. */
static struct atf_verdict refused(const struct ras_atf_session *s,
                                  const struct atf_thread_file *file)
{
    struct atf_verdict v = {.kind = RAS_DAMAGED, .offset = 0};
    if (file->status == RAS_ECUT)
        v.kind = source_bytes(s->source, (size_t)file->part).len ? RAS_CUT : RAS_UNSEALED;
    snprintf(v.why, sizeof v.why, "%.150s", file->error.text);
    return v;
}

bool atf_file_gap(struct ras_atf_session *s, struct atf_thread *t, bool detail, struct atf_gap *gap)
{
    if (!ready(s, t, detail))
        return false;
    if (!detail)
        return atf_index_gap(&t->index, gap);
    const struct atf_walk *walk = atf_detail_walk(s, t);
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    return atf_detail_gap(&t->detail, bytes, walk->end, walk->count, gap);
}

/* Events that a killed recorder left in its lane are not in the file, however well that ends. */
static struct atf_verdict with_pending(struct ras_atf_session *s, struct atf_thread *t,
                                       struct atf_verdict v)
{
    struct atf_pending p = atf_pending(s, t);
    if (v.kind > RAS_UNSEALED || p.state <= RING_WRITTEN)
        return v;
    v.kind = RAS_CUT;
    char others[48] = "";
    if (p.bytes)
        snprintf(others, sizeof others, " and %" PRIu64 " bytes of others", p.bytes);
    if (p.state == RING_HOLDS)
        snprintf(v.why, sizeof v.why, "%s%s in " ATF_RING_NAME ", not here; repair moves them",
                 ras_counted(p.events, "event").text, others);
    else if (p.state == RING_APART)
        snprintf(v.why, sizeof v.why,
                 ATF_RING_NAME " continues at event %" PRIu64 ": %" PRIu64 " events are not here",
                 p.tail, p.events);
    else
        snprintf(v.why, sizeof v.why,
                 ATF_RING_NAME " %s: how many events are not here is not known",
                 p.state == RING_MISSING ? "is missing" : "cannot be followed");
    return v;
}

const char *atf_listed_lacks(const struct ras_atf_listed *l, const struct atf_thread *t)
{
    if (!t)
        return "file";
    if (t->index_file.part < 0)
        return "index.atf";
    return l->has_detail && t->detail_file.part < 0 ? "detail.atf" : NULL;
}

struct atf_verdict atf_file_verdict(struct ras_atf_session *s, struct atf_thread *t, bool detail)
{
    const struct atf_thread_file *file = detail ? &t->detail_file : &t->index_file;
    if (file->part < 0)
        return (struct atf_verdict){.kind = RAS_COMPLETE};
    if (!ready(s, t, detail))
        return detail ? refused(s, file) : with_pending(s, t, refused(s, file));
    struct ras_bytes bytes = source_bytes(s->source, (size_t)file->part);
    if (!detail)
        return with_pending(s, t, atf_index_verdict(&t->index, bytes.len));
    const struct atf_walk *walk = atf_detail_walk(s, t);
    return atf_detail_verdict(&t->detail, bytes, walk->end, walk->count);
}

uint64_t atf_file_records(struct ras_atf_session *s, struct atf_thread *t, bool detail)
{
    uint64_t records = 0;
    struct atf_gap gap;
    if (ready(s, t, detail))
        records = detail ? atf_detail_walk(s, t)->count : t->index.count;
    records += atf_file_gap(s, t, detail, &gap);
    return detail ? records : records + atf_drop_count(s, (size_t)(t - s->threads));
}
