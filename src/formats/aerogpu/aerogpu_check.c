/* aerogpu_check.c - verify: the header, meta_json and the stream of records. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/aerogpu/aerogpu_check.h"

#include <stdlib.h>

const struct ras_rule aero_rules[] = {AERO_RULES(RULE_ROW) RULES_END};

/* ---- the TOC ------------------------------------------------------------------------- */

/* The footer at the end of the file, or the bytes that are there instead. */
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

/* The record at *at, past damage that the TOC leads around; false at the end. The last argument, if
 * given, gets findings about that damage. */
static bool next_checked(const struct aero_checker *k, uint64_t *at, struct ras_aero_record *r,
                         struct aero_checker *findings)
{
    struct aero_seal *s = &k->aero->seal;
    struct ras_bytes records = aero_slice(k->all, 0, k->end);
    struct ras_error why;
    while (*at < k->end && !closes(k, *at)) {
        uint64_t zeros = aero_zeros(aero_slice(records, *at, UINT64_MAX));
        if (zeros >= RAS_AERO_RECORD_HEADER_SIZE) {
            if (*at + zeros < k->end)
                zeros -= zeros % RAS_AERO_RECORD_HEADER_SIZE;
            if (findings)
                FINDING(findings, RULE_RECORD_ZERO, *at, zeros, "%" PRIu64 " zero bytes%s", zeros,
                        *at + zeros == k->end ? " up to the end" : "");
            *at += zeros;
            continue;
        }
        if (ras_aero_record_get(records, at, r, &why) == RAS_OK)
            return true;
        uint64_t to = k->end;
        if (aero_seal_ordered(s, k->all, k->trace->body)) {
            uint32_t i = aero_toc_after(s, k->all, *at);
            if (i < s->toc.frame_count)
                to = ras_aero_toc_entry(k->all, &s->footer, i).start_offset;
        }
        if (findings)
            FINDING(findings, s->sealed ? RULE_RECORD_BOUNDS : RULE_RECORD_CUT, *at, to - *at,
                    "%s; %" PRIu64 " bytes are not records", why.text, to - *at);
        *at = to;
    }
    return false;
}

/* ---- each entry by itself --------------------------------------------------- */

static struct ras_aero_frame entry_of(const struct aero_checker *k, uint32_t i)
{
    return ras_aero_toc_entry(k->all, &k->aero->seal.footer, i);
}

static uint64_t entry_place(const struct aero_checker *k, uint32_t i)
{
    return k->end + RAS_AERO_TOC_HEADER_SIZE + (uint64_t)i * RAS_AERO_TOC_ENTRY_SIZE;
}

static const char *fault_of(const struct aero_checker *k, const struct ras_aero_frame *f)
{
    return aero_entry_fault(f, k->trace->body, k->end);
}

static void check_toc_entry(struct aero_checker *k, uint32_t i, const struct ras_aero_frame *f,
                            const struct ras_aero_frame *before)
{
    uint64_t at = entry_place(k, i);
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

/* The order of the entries in the stream, where it is not the stored one. */
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

/* The footer and the entries by themselves. False: out of memory. */
static bool toc_start(struct aero_checker *k)
{
    check_footer(k);
    const struct aero_seal *s = &k->aero->seal;
    struct ras_aero_frame before = {0};
    bool sorted = true;
    for (uint32_t i = 0; s->sealed && i < s->toc.frame_count; i++) {
        struct ras_aero_frame f = entry_of(k, i);
        check_toc_entry(k, i, &f, &before);
        sorted = sorted && f.start_offset >= before.start_offset;
        before = f;
    }
    return sorted || sort_entries(k);
}

/* ---- the entries against the frames of the stream ------------------------------- */

enum { DOUBTS_MAX = 65536 }; /* more findings than anyone reads */

static bool doubt(struct aero_checker *k, uint64_t offset, uint32_t entry, bool end)
{
    if (k->doubt_count == DOUBTS_MAX)
        return true;
    if (!array_grow(&k->doubts, &k->doubt_room, k->doubt_count + 1, sizeof *k->doubts))
        return false;
    k->doubts[k->doubt_count++] = (struct aero_doubt){offset, entry, end};
    return true;
}

/* An entry without a frame in the stream. */
static bool check_stranger(struct aero_checker *k, uint32_t i, const struct ras_aero_frame *f)
{
    if (fault_of(k, f))
        return true;
    FINDING(k, RULE_TOC_START, entry_place(k, i) + 8, 8,
            "TOC entry %" PRIu32 ": no BeginFrame at %" PRIu64, i, f->start_offset);
    return doubt(k, f->start_offset, i, false) && doubt(k, f->end_offset, i, true);
}

/* An entry for a frame of the stream. */
static bool compare(struct aero_checker *k, uint32_t i, const struct ras_aero_frame *f,
                    const struct ras_aero_frame *seen, bool broken)
{
    uint64_t at = entry_place(k, i);
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

/* The entries that start up to `start`: those that start before it have no frame. */
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

/* A frame of the stream ends, `broken` when damage is in it. False: out of memory. */
static bool toc_frame_ends(struct aero_checker *k, const struct ras_aero_frame *seen, bool broken)
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

/* Whether the TOC knows that this frame has no Present and ends at `at`. */
static bool toc_grants(const struct aero_checker *k, const struct ras_aero_frame *seen, uint64_t at)
{
    const struct aero_seal *s = &k->aero->seal;
    for (uint32_t n = k->entry; s->sealed && n < s->toc.frame_count; n++) {
        struct ras_aero_frame f = entry_of(k, k->order ? k->order[n] : n);
        if (f.start_offset >= seen->start_offset)
            return f.start_offset == seen->start_offset && !f.present_offset && f.end_offset == at;
    }
    return false;
}

static int doubt_by_offset(const void *a, const void *b)
{
    const struct aero_doubt *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* No record boundary is between the last one reported and this one. */
static void settle_up_to(struct aero_checker *k, size_t *i, uint64_t boundary)
{
    for (; *i < k->doubt_count && k->doubts[*i].offset <= boundary; ++*i) {
        const struct aero_doubt *d = &k->doubts[*i];
        if (d->offset != boundary)
            FINDING(k, RULE_TOC_BOUNDARY, entry_place(k, d->entry) + (d->end ? 24 : 8), 8,
                    "TOC entry %" PRIu32 ": %s %" PRIu64 " lies inside a record", d->entry,
                    d->end ? "end_offset" : "start_offset", d->offset);
    }
}

/* Two traces in one file: the footer at its end is that of the second. */
static void check_second(struct aero_checker *k)
{
    struct ras_aero_record r;
    uint64_t at = k->trace->body;
    while (next_checked(k, &at, &r, NULL))
        ;
    uint64_t second = aero_second_trace(k->all, at);
    if (second != RAS_NONE)
        FINDING(k, RULE_HEADER_SECOND, second, k->all.len - second,
                "a second trace begins here: %" PRIu64 " bytes are not part of this one",
                k->all.len - second);
}

/* One pass over the records decides all doubtful offsets. */
static bool toc_finish(struct aero_checker *k)
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
    qsort(k->doubts, k->doubt_count, sizeof *k->doubts, doubt_by_offset);
    settle_up_to(k, &i, at);
    while (i < k->doubt_count && next_checked(k, &at, &r, NULL)) {
        settle_up_to(k, &i, at - RAS_AERO_RECORD_HEADER_SIZE - r.payload_len);
        settle_up_to(k, &i, at);
    }
    settle_up_to(k, &i, k->end);
    return true;
}

/* ---- records ------------------------------------------------------------------------- */

static void check_header(struct aero_checker *k)
{
    const struct ras_aero_header *h = &k->aero->header;
    uint32_t abi = h->command_abi_version;
    if (k->aero->v1 && h->container_version != 1)
        FINDING(k, RULE_HEADER_VERSION, 12, 4, "container_version is %" PRIu32 ", v1 wants 1",
                h->container_version);
    if (h->flags)
        FINDING(k, RULE_HEADER_FLAGS, 20, 4, "flags are 0x%08" PRIx32 ", 0 wanted", h->flags);
    if (h->reserved)
        FINDING(k, RULE_HEADER_RESERVED, 28, 4, "reserved is 0x%08" PRIx32 ", 0 wanted",
                h->reserved);
    if (abi != 1 && aero_major(abi) != AERO_ABI_MAJOR)
        FINDING(k, RULE_HEADER_ABI, 16, 4,
                "command_abi_version is 0x%08" PRIx32 ", 1 or 0x0001xxxx known", abi);
}

static void check_meta_json(struct aero_checker *k)
{
    const struct ras_aero_header *h = &k->aero->header;
    struct ras_bytes bytes = ras_aero_meta(k->all, h);
    struct aero_meta meta = aero_meta_get(bytes);
    uint64_t at = RAS_AERO_HEADER_SIZE;
    if (!meta.object) {
        FINDING(k, RULE_META_JSON, at + meta.fault_at, bytes.len - meta.fault_at,
                "meta_json of %zu bytes: %s", bytes.len, meta.why);
        return;
    }
    if (!k->aero->v1 && meta.first_frame != RAS_NONE)
        k->first_frame = meta.first_frame; /* the published specification has only 0 */
    if (!meta.has_emulator_version)
        FINDING(k, RULE_META_KEYS, at, bytes.len, "meta_json has no string emulator_version");
    if (!meta.has_abi_version)
        FINDING(k, RULE_META_KEYS, at, bytes.len, "meta_json has no number command_abi_version");
    else if (meta.abi_version != h->command_abi_version)
        FINDING(k, RULE_META_ABI, at, bytes.len,
                "command_abi_version is %" PRIu64 " in meta_json, %" PRIu32 " in the header",
                meta.abi_version, h->command_abi_version);
}

/* ---- frames ------------------------------------------------------------------ */

/* The open frame ends at `at`. One that never closed ends where the next begins, or
 * where the records end. */
static bool check_end_frame(struct aero_checker *k, uint64_t at, bool broken)
{
    if (!k->frame_open)
        return true;
    k->frame_open = false;
    k->frame.end_offset = at;
    return toc_frame_ends(k, &k->frame, broken);
}

static void check_unclosed(struct aero_checker *k)
{
    FINDING(k, RULE_FRAME_UNCLOSED, k->frame.start_offset, 12,
            "frame %" PRIu32 " is not closed by a Present record", k->frame.frame_index);
}

static bool check_begin_frame(struct aero_checker *k, uint32_t index, uint64_t at)
{
    if (k->frame_open && toc_grants(k, &k->frame, at))
        check_unclosed(k);
    else if (k->frame_open)
        FINDING(k, RULE_FRAME_NESTED, at, 12,
                "frame %" PRIu32 " begins inside frame %" PRIu32 " of offset %" PRIu64, index,
                k->frame.frame_index, k->frame.start_offset);
    if (!check_end_frame(k, at, false))
        return false;
    uint64_t want = k->first_frame + k->frames;
    if (index != want)
        FINDING(k, RULE_FRAME_INDEX, at + 8, 4, "frame_index is %" PRIu32 ", %" PRIu64 " wanted",
                index, want);
    k->frames++;
    k->frame = (struct ras_aero_frame){.frame_index = index, .start_offset = at};
    k->frame_open = true;
    return true;
}

static bool present(struct aero_checker *k, uint32_t index, uint64_t at)
{
    if (!k->frame_open) {
        FINDING(k, RULE_FRAME_PRESENT, at, 12, "Present of frame %" PRIu32 " outside any frame",
                index);
        return true;
    }
    if (k->frame.frame_index != index)
        FINDING(k, RULE_FRAME_PRESENT, at + 8, 4,
                "Present of frame %" PRIu32 " closes frame %" PRIu32, index, k->frame.frame_index);
    k->frame.present_offset = at;
    return check_end_frame(k, at + 12, false);
}

static bool check_marker(struct aero_checker *k, const struct ras_aero_record *r, uint64_t at)
{
    uint32_t index;
    if (ras_aero_frame_index_get(r->payload, &index, NULL) < 0) {
        FINDING(k, RULE_RECORD_SIZE, at, 8 + (uint64_t)r->payload_len,
                "%s payload of %" PRIu32 " bytes, 4 wanted", ras_aero_record_name(r->record_type),
                r->payload_len);
        return true;
    }
    if (r->record_type == RAS_AERO_BEGIN_FRAME)
        return check_begin_frame(k, index, at);
    return present(k, index, at);
}

/* ---- records ------------------------------------------------------------------- */

/* Whether the id is new. False: out of memory. */
static bool check_blob_id(struct aero_checker *k, uint64_t blob_id, uint64_t at)
{
    bool again = false;
    if (!blob_id)
        FINDING(k, RULE_BLOB_ID, at, 8, "blob_id is 0");
    else if (!aero_ids_add(&k->ids, blob_id, &again))
        return false;
    if (again)
        FINDING(k, RULE_BLOB_DUPLICATE, at, 8, "blob %" PRIu64 " was defined before", blob_id);
    return true;
}

static bool check_blob_record(struct aero_checker *k, const struct ras_aero_record *r, uint64_t at)
{
    struct ras_aero_blob b;
    uint64_t size = 8 + (uint64_t)r->payload_len;
    if (ras_aero_blob_get(r->payload, &b, NULL) < 0) {
        FINDING(k, RULE_RECORD_SIZE, at, size,
                "Blob payload of %" PRIu32 " bytes, 16 or more wanted", r->payload_len);
        return true;
    }
    if (!ras_aero_blob_kind_name(b.kind))
        FINDING(k, RULE_BLOB_KIND, at + 16, 4, "blob %" PRIu64 " is of unknown kind 0x%" PRIx32,
                b.blob_id, b.kind);
    else if (k->v1 && b.kind >= RAS_AERO_CMD_STREAM)
        FINDING(k, RULE_BLOB_VERSION, at + 16, 4,
                "blob %" PRIu64 " is of kind 0x%" PRIx32 " (%s), which version 1 lacks", b.blob_id,
                b.kind, ras_aero_blob_kind_name(b.kind));
    if (b.reserved)
        FINDING(k, RULE_BLOB_RESERVED, at + 20, 4, "reserved is 0x%08" PRIx32 ", 0 wanted",
                b.reserved);
    aero_check_blob_content(k, &b, at + 8 + RAS_AERO_BLOB_HEADER_SIZE);
    return check_blob_id(k, b.blob_id, at + 8);
}

static bool check_record(struct aero_checker *k, const struct ras_aero_record *r, uint64_t at)
{
    const char *name = ras_aero_record_name(r->record_type);
    uint64_t size = 8 + (uint64_t)r->payload_len;
    if (!name) {
        FINDING(k, RULE_RECORD_TYPE, at, size, "record of unknown type 0x%02x", r->record_type);
        return true;
    }
    if (r->flags)
        FINDING(k, RULE_RECORD_FLAGS, at + 1, 1, "flags are 0x%02x, 0 wanted", r->flags);
    if (r->reserved)
        FINDING(k, RULE_RECORD_RESERVED, at + 2, 2, "reserved is 0x%04x, 0 wanted", r->reserved);
    if (k->v1 && r->record_type == RAS_AERO_SUBMISSION)
        FINDING(k, RULE_RECORD_VERSION, at, 1, "%s record, which version 1 lacks", name);
    bool inside = r->record_type == RAS_AERO_PACKET || r->record_type == RAS_AERO_SUBMISSION;
    if (inside && !k->frame_open)
        FINDING(k, RULE_FRAME_OUTSIDE, at, size, "%s outside any frame", name);
    if (r->record_type == RAS_AERO_PACKET)
        aero_check_packet(k, r->payload, at + 8);
    else if (r->record_type == RAS_AERO_BLOB)
        return check_blob_record(k, r, at);
    else if (r->record_type == RAS_AERO_SUBMISSION)
        aero_check_submission(k, r->payload, at + 8);
    else
        return check_marker(k, r, at);
    return true;
}

/* Zeros in the stream, not damage that hides how the frame continued. */
static bool only_zeros(const struct aero_checker *k, uint64_t from, uint64_t to)
{
    struct ras_bytes hole = aero_slice(k->all, from, to - from);
    return aero_zeros(hole) == hole.len;
}

static bool check_records(struct aero_checker *k)
{
    struct ras_aero_record r;
    uint64_t at = k->trace->body, after = at; /* the last record */
    while (next_checked(k, &at, &r, k)) {
        uint64_t start = at - RAS_AERO_RECORD_HEADER_SIZE - r.payload_len;
        if (start != after && !only_zeros(k, after, start) && !check_end_frame(k, start, true))
            return false;
        if (!check_record(k, &r, start))
            return false;
        after = at;
        if (!report_progress(k->report, at))
            return true;
    }
    if (at != after && !check_end_frame(k, at, true))
        return false;
    if (k->frame_open)
        check_unclosed(k);
    if (!k->frames)
        FINDING(k, RULE_FRAME_NONE, k->trace->body, 0, "the trace holds no frame");
    return check_end_frame(k, after, false);
}

static int check_container(struct aero_checker *k, struct ras_error *err)
{
    check_header(k);
    check_meta_json(k);
    int status = k->report->deep ? ras_aero_blobs_open(&k->blobs, k->all, err) : RAS_OK;
    if (status == RAS_OK && !(toc_start(k) && check_records(k) && toc_finish(k)))
        status = fail_memory(err);
    ras_aero_blobs_close(k->blobs);
    aero_ids_free(&k->ids);
    aero_ids_free(&k->broken);
    free(k->order);
    free(k->doubts);
    return status;
}

int aero_check(struct ras_trace *t, struct report *report, struct ras_error *err)
{
    struct aero *a = t->priv;
    struct aero_checker k = {.report = report,
                             .trace = t,
                             .aero = a,
                             .all = source_bytes(t->source, 0),
                             .v1 = a->v1 || a->header.container_version == 1};
    if (a->shape == AERO_CONTAINER)
        return check_container(&k, err);
    aero_check_bare(&k);
    return RAS_OK;
}
