/* aerogpu_check_toc.c - verify: the TOC and the footer against the stream. */
#include "formats/aerogpu/aerogpu_check.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>

/* A footer where the file ends, or what stands there instead. */
static void check_footer(struct aero_checker *k)
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
        uint64_t zeros = aero_zeros(aero_slice(records, *at, UINT64_MAX));
        if (zeros >= RAS_AERO_RECORD_HEADER_SIZE) {
            if (*at + zeros < k->end)
                zeros -= zeros % RAS_AERO_RECORD_HEADER_SIZE;
            if (told)
                FINDING(told, RULE_RECORD_ZERO, *at, zeros, "%" PRIu64 " zero bytes%s", zeros,
                        *at + zeros == k->end ? " up to the end" : "");
            *at += zeros;
            continue;
        }
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

/* ---- the entries for themselves --------------------------------------------------- */

static struct ras_aero_frame entry_of(const struct aero_checker *k, uint32_t i)
{
    return ras_aero_toc_entry(k->all, &k->aero->seal.footer, i);
}

static uint64_t place_of(const struct aero_checker *k, uint32_t i)
{
    return k->end + RAS_AERO_TOC_HEADER_SIZE + (uint64_t)i * RAS_AERO_TOC_ENTRY_SIZE;
}

static const char *fault_of(const struct aero_checker *k, const struct ras_aero_frame *f)
{
    return aero_entry_fault(f, k->trace->body, k->end);
}

static void check_entry(struct aero_checker *k, uint32_t i, const struct ras_aero_frame *f,
                        const struct ras_aero_frame *before)
{
    uint64_t at = place_of(k, i);
    const char *fault = fault_of(k, f);
    if (f->flags)
        FINDING(k, RULE_TOC_FLAGS, at + 4, 4, "TOC entry %" PRIu32 " has flags 0x%08" PRIx32, i,
                f->flags);
    if (f->frame_index != k->first_frame + i)
        FINDING(k, RULE_TOC_ORDER, at, 4, "TOC entry %" PRIu32 " has frame_index %" PRIu32, i,
                f->frame_index);
    if (fault)
        FINDING(k, RULE_TOC_BOUNDS, at + 8, 24,
                "TOC entry %" PRIu32 ": %s (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")", i, fault,
                f->start_offset, f->present_offset, f->end_offset);
    else if (i && f->start_offset < before->end_offset)
        FINDING(k, RULE_TOC_ORDER, at + 8, 8,
                "TOC entry %" PRIu32 " starts at %" PRIu64 ", the one before ends at %" PRIu64, i,
                f->start_offset, before->end_offset);
}

static int by_start(const void *a, const void *b, void *user)
{
    const uint32_t *x = a, *y = b;
    uint64_t left = entry_of(user, *x).start_offset, right = entry_of(user, *y).start_offset;
    if (left != right)
        return left < right ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* The order in which the stream meets the entries, where it is not the stored one. */
static bool sort_entries(struct aero_checker *k)
{
    uint32_t count = k->aero->seal.toc.frame_count;
    k->order = malloc((size_t)count * sizeof *k->order);
    if (!k->order)
        return false;
    for (uint32_t i = 0; i < count; i++)
        k->order[i] = i;
    sort_with(k->order, count, sizeof *k->order, by_start, k);
    return true;
}

bool aero_toc_start(struct aero_checker *k)
{
    check_footer(k);
    const struct aero_seal *s = &k->aero->seal;
    struct ras_aero_frame before = {0};
    bool sorted = true;
    for (uint32_t i = 0; s->sealed && i < s->toc.frame_count; i++) {
        struct ras_aero_frame f = entry_of(k, i);
        check_entry(k, i, &f, &before);
        sorted = sorted && f.start_offset >= before.start_offset;
        before = f;
    }
    return sorted || sort_entries(k);
}

/* ---- the entries against the frames of the stream ------------------------------- */

enum { DOUBTS_MAX = 65536 }; /* more than anyone reads */

static bool doubt(struct aero_checker *k, uint64_t offset, uint32_t entry, bool end)
{
    if (k->doubt_count == DOUBTS_MAX)
        return true;
    if (!array_grow(&k->doubts, &k->doubt_room, k->doubt_count + 1, sizeof *k->doubts))
        return false;
    k->doubts[k->doubt_count++] = (struct aero_doubt){offset, entry, end};
    return true;
}

/* An entry for which the stream has no frame. */
static bool check_stranger(struct aero_checker *k, uint32_t i, const struct ras_aero_frame *f)
{
    if (fault_of(k, f))
        return true;
    FINDING(k, RULE_TOC_START, place_of(k, i) + 8, 8,
            "TOC entry %" PRIu32 ": no BeginFrame at %" PRIu64, i, f->start_offset);
    return doubt(k, f->start_offset, i, false) && doubt(k, f->end_offset, i, true);
}

/* An entry for a frame of the stream. */
static bool compare(struct aero_checker *k, uint32_t i, const struct ras_aero_frame *f,
                    const struct ras_aero_frame *seen, bool broken)
{
    uint64_t at = place_of(k, i);
    if (fault_of(k, f))
        return true;
    if (f->frame_index != seen->frame_index)
        FINDING(k, RULE_TOC_START, at, 4,
                "TOC entry %" PRIu32 " has index %" PRIu32 ", its BeginFrame %" PRIu32, i,
                f->frame_index, seen->frame_index);
    if (broken)
        return true;
    if (f->present_offset != seen->present_offset)
        FINDING(k, RULE_TOC_PRESENT, at + 16, 8,
                "TOC entry %" PRIu32 " has present_offset %" PRIu64 ", the stream %" PRIu64, i,
                f->present_offset, seen->present_offset);
    if (f->end_offset == seen->end_offset)
        return true;
    FINDING(k, RULE_TOC_END, at + 24, 8,
            "TOC entry %" PRIu32 " has end_offset %" PRIu64 ", the stream %" PRIu64, i,
            f->end_offset, seen->end_offset);
    return doubt(k, f->end_offset, i, true);
}

/* The entries that start up to `start`: all but those that start there are strangers. */
static bool meet_entries(struct aero_checker *k, uint64_t start, const struct ras_aero_frame *seen,
                         bool broken, bool *listed)
{
    for (; k->entry < k->aero->seal.toc.frame_count; k->entry++) {
        uint32_t i = k->order ? k->order[k->entry] : k->entry;
        struct ras_aero_frame f = entry_of(k, i);
        if (f.start_offset > start)
            break;
        bool same = seen && f.start_offset == start;
        if (!(same ? compare(k, i, &f, seen, broken) : check_stranger(k, i, &f)))
            return false;
        *listed |= same;
    }
    return true;
}

bool aero_toc_frame_ends(struct aero_checker *k, const struct ras_aero_frame *seen, bool broken)
{
    bool listed = false;
    if (!k->aero->seal.sealed)
        return true;
    if (!meet_entries(k, seen->start_offset, seen, broken, &listed))
        return false;
    if (!listed)
        FINDING(k, RULE_TOC_COVERAGE, seen->start_offset, 12,
                "frame %" PRIu32 " of the stream is not in the TOC of %" PRIu32 " entries",
                seen->frame_index, k->aero->seal.toc.frame_count);
    return true;
}

bool aero_toc_grants(const struct aero_checker *k, const struct ras_aero_frame *seen, uint64_t at)
{
    const struct aero_seal *s = &k->aero->seal;
    for (uint32_t n = k->entry; s->sealed && n < s->toc.frame_count; n++) {
        struct ras_aero_frame f = entry_of(k, k->order ? k->order[n] : n);
        if (f.start_offset >= seen->start_offset)
            return f.start_offset == seen->start_offset && !f.present_offset && f.end_offset == at;
    }
    return false;
}

static int by_offset(const void *a, const void *b)
{
    const struct aero_doubt *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* No record boundary lies between the last one told and this one. */
static void settle_up_to(struct aero_checker *k, size_t *i, uint64_t boundary)
{
    for (; *i < k->doubt_count && k->doubts[*i].offset <= boundary; ++*i) {
        const struct aero_doubt *d = &k->doubts[*i];
        if (d->offset != boundary)
            FINDING(k, RULE_TOC_BOUNDARY, place_of(k, d->entry) + (d->end ? 24 : 8), 8,
                    "TOC entry %" PRIu32 ": %s %" PRIu64 " lies inside a record", d->entry,
                    d->end ? "end_offset" : "start_offset", d->offset);
    }
}

/* Two traces in a row: the footer at the end of the file is that of the other. */
static void check_second(struct aero_checker *k)
{
    struct ras_aero_record r;
    uint64_t at = k->trace->body;
    while (aero_walk(k, &at, &r, NULL))
        ;
    uint64_t second = aero_second_trace(k->all, at);
    if (second != RAS_NONE)
        FINDING(k, RULE_HEADER_SECOND, second, k->all.len - second,
                "a second trace begins here: %" PRIu64 " bytes are not part of this one",
                k->all.len - second);
}

/* One pass over the records settles all doubts. */
bool aero_toc_finish(struct aero_checker *k)
{
    struct ras_aero_record r;
    uint64_t at = k->trace->body;
    size_t i = 0;
    bool listed = false;
    if (!k->aero->seal.sealed) {
        check_second(k);
        return true;
    }
    if (!meet_entries(k, UINT64_MAX, NULL, false, &listed))
        return false;
    if (!k->doubt_count)
        return true;
    qsort(k->doubts, k->doubt_count, sizeof *k->doubts, by_offset);
    settle_up_to(k, &i, at);
    while (i < k->doubt_count && aero_walk(k, &at, &r, NULL)) {
        settle_up_to(k, &i, at - RAS_AERO_RECORD_HEADER_SIZE - r.payload_len);
        settle_up_to(k, &i, at);
    }
    settle_up_to(k, &i, k->end);
    return true;
}
