/* aerogpu_check_toc.c - verify: the TOC and the footer against the stream. */
#include "formats/aerogpu/aerogpu_check.h"
#include "base/memory.h"

#include <stdlib.h>

/* A footer where the file ends, or what stands there instead. */
void aero_check_footer(struct aero_checker *k)
{
    struct aero_seal *s = &k->aero->seal;
    aero_seal_find(s, k->all, k->trace->body);
    k->end = s->sealed ? s->footer.toc_offset : k->all.len;
    if (!s->claimed) {
        FINDING(k, RULE_FOOTER_MISSING, k->all.len, 0,
                "no footer in the last 32 of %zu bytes: the recording was not finished or bytes "
                "were added",
                k->all.len);
        return;
    }
    if (!s->sealed)
        FINDING(k, RULE_FOOTER_WRONG, s->why.offset, 4, "%s", s->why.text);
    uint64_t toc_end = s->footer.toc_offset + s->footer.toc_len;
    uint64_t footer = k->all.len - RAS_AERO_FOOTER_SIZE;
    if (s->sealed && toc_end != footer)
        FINDING(k, RULE_FOOTER_GAP, toc_end, footer - toc_end,
                "%" PRIu64 " bytes between the TOC and the footer", footer - toc_end);
}

/* Without a good footer the records end at the TOC's magic, or where it should be. */
static bool closes(const struct aero_checker *k, uint64_t at)
{
    const struct aero_seal *s = &k->aero->seal;
    struct ras_bytes rest = aero_slice(k->all, at, UINT64_MAX);
    return !s->sealed &&
           (aero_magic_begins(rest, AERO_MAGIC_TOC) || aero_magic_begins(rest, AERO_MAGIC_FOOTER) ||
            (s->claimed && s->footer.toc_offset == at));
}

bool aero_walk(const struct aero_checker *k, uint64_t *at, struct ras_aero_record *r,
               struct aero_checker *told)
{
    struct aero_seal *s = &k->aero->seal;
    struct ras_bytes records = aero_slice(k->all, 0, k->end);
    struct ras_error why;
    while (*at < k->end && !closes(k, *at)) {
        if (ras_aero_record_get(records, at, r, &why) == RAS_OK)
            return true;
        uint64_t to = k->end;
        if (aero_seal_ordered(s, k->all, k->trace->body)) {
            uint32_t i = aero_toc_behind(s, k->all, *at);
            if (i < s->toc.frame_count)
                to = ras_aero_toc_entry(k->all, &s->footer, i).start_offset;
        }
        if (told)
            FINDING(told, s->sealed ? RULE_RECORD_BOUNDS : RULE_RECORD_CUT, *at, to - *at,
                    "%s; %" PRIu64 " bytes are no records", why.text, to - *at);
        *at = to;
    }
    return false;
}

/* ---- the entries against the frames of the stream ------------------------------- */

/* An offset of an entry that matches no frame: is it a record boundary at all? */
struct doubt {
    uint64_t offset;
    uint32_t entry;
    bool end;
};

struct doubts {
    struct doubt *items;
    size_t count, room;
};

static bool doubt(struct doubts *d, uint64_t offset, uint32_t entry, bool end)
{
    if (!array_grow(&d->items, &d->room, d->count + 1, sizeof *d->items))
        return false;
    d->items[d->count++] = (struct doubt){offset, entry, end};
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct doubt *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* No record boundary lies between the last one told and this one. */
static void settle_up_to(struct aero_checker *k, const struct doubts *d, size_t *i,
                         uint64_t boundary)
{
    for (; *i < d->count && d->items[*i].offset <= boundary; ++*i) {
        const struct doubt *item = &d->items[*i];
        uint64_t at = k->end + RAS_AERO_TOC_HEADER_SIZE +
                      (uint64_t)item->entry * RAS_AERO_TOC_ENTRY_SIZE + (item->end ? 24 : 8);
        if (item->offset != boundary)
            FINDING(k, RULE_TOC_BOUNDARY, at, 8,
                    "TOC entry %" PRIu32 ": %s %" PRIu64 " lies inside a record", item->entry,
                    item->end ? "end_offset" : "start_offset", item->offset);
    }
}

/* One pass over the records settles all doubts. */
static void settle(struct aero_checker *k, const struct doubts *d)
{
    struct ras_aero_record r;
    uint64_t at = k->trace->body;
    size_t i = 0;
    if (!d->count)
        return;
    qsort(d->items, d->count, sizeof *d->items, by_offset);
    settle_up_to(k, d, &i, at);
    while (i < d->count && aero_walk(k, &at, &r, NULL)) {
        settle_up_to(k, d, &i, at - RAS_AERO_RECORD_HEADER_SIZE - r.payload_len);
        settle_up_to(k, d, &i, at);
    }
    settle_up_to(k, d, &i, k->end);
}

static struct aero_seen *frame_at(const struct aero_checker *k, uint64_t start)
{
    size_t low = 0, high = k->seen_count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (k->seen[mid].f.start_offset < start)
            low = mid + 1;
        else
            high = mid;
    }
    return low < k->seen_count && k->seen[low].f.start_offset == start ? &k->seen[low] : NULL;
}

/* An entry whose frame was found. */
static bool compare(struct aero_checker *k, const struct ras_aero_frame *f, uint32_t i, uint64_t at,
                    struct aero_seen *seen, struct doubts *d)
{
    seen->listed = true;
    if (f->frame_index != seen->f.frame_index)
        FINDING(k, RULE_TOC_START, at, 4,
                "TOC entry %" PRIu32 " has index %" PRIu32 ", its BeginFrame %" PRIu32, i,
                f->frame_index, seen->f.frame_index);
    if (seen->broken)
        return true;
    if (f->present_offset != seen->f.present_offset)
        FINDING(k, RULE_TOC_PRESENT, at + 16, 8,
                "TOC entry %" PRIu32 " has present_offset %" PRIu64 ", the stream %" PRIu64, i,
                f->present_offset, seen->f.present_offset);
    if (f->end_offset == seen->f.end_offset)
        return true;
    FINDING(k, RULE_TOC_END, at + 24, 8,
            "TOC entry %" PRIu32 " has end_offset %" PRIu64 ", the stream %" PRIu64, i,
            f->end_offset, seen->f.end_offset);
    return doubt(d, f->end_offset, i, true);
}

static bool check_entry(struct aero_checker *k, uint32_t i, struct ras_aero_frame *last,
                        struct doubts *d)
{
    const struct aero_seal *s = &k->aero->seal;
    struct ras_aero_frame f = ras_aero_toc_entry(k->all, &s->footer, i);
    uint64_t at =
        s->footer.toc_offset + RAS_AERO_TOC_HEADER_SIZE + (uint64_t)i * RAS_AERO_TOC_ENTRY_SIZE;
    struct ras_aero_frame before = *last;
    *last = f;
    if (f.flags)
        FINDING(k, RULE_TOC_FLAGS, at + 4, 4, "TOC entry %" PRIu32 " has flags 0x%08" PRIx32, i,
                f.flags);
    if (f.frame_index != i)
        FINDING(k, RULE_TOC_ORDER, at, 4, "TOC entry %" PRIu32 " has frame_index %" PRIu32, i,
                f.frame_index);
    const char *fault = aero_entry_fault(&f, k->trace->body, s->footer.toc_offset);
    if (fault) {
        FINDING(k, RULE_TOC_BOUNDS, at + 8, 24,
                "TOC entry %" PRIu32 ": %s (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", i, fault,
                f.start_offset, f.present_offset, f.end_offset);
        return true;
    }
    if (i && f.start_offset < before.end_offset)
        FINDING(k, RULE_TOC_ORDER, at + 8, 8,
                "TOC entry %" PRIu32 " starts at %" PRIu64 ", the one before ends at %" PRIu64, i,
                f.start_offset, before.end_offset);
    struct aero_seen *seen = frame_at(k, f.start_offset);
    if (seen)
        return compare(k, &f, i, at, seen, d);
    FINDING(k, RULE_TOC_START, at + 8, 8, "TOC entry %" PRIu32 ": no BeginFrame at %" PRIu64, i,
            f.start_offset);
    return doubt(d, f.start_offset, i, false) && doubt(d, f.end_offset, i, true);
}

bool aero_check_toc(struct aero_checker *k)
{
    const struct aero_seal *s = &k->aero->seal;
    struct doubts d = {0};
    struct ras_aero_frame last = {0};
    bool ok = true;
    if (!s->sealed)
        return true;
    for (uint32_t i = 0; ok && i < s->toc.frame_count; i++)
        ok = check_entry(k, i, &last, &d);
    if (ok)
        settle(k, &d);
    free(d.items);
    for (size_t i = 0; ok && i < k->seen_count; i++)
        if (!k->seen[i].listed)
            FINDING(k, RULE_TOC_COVERAGE, k->seen[i].f.start_offset, 12,
                    "frame %" PRIu32 " of the stream is not in the TOC of %" PRIu32 " entries",
                    k->seen[i].f.frame_index, s->toc.frame_count);
    return ok;
}
