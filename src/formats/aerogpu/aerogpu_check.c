/* aerogpu_check.c - verify: the header, meta_json and the stream of records. */
#include "formats/aerogpu/aerogpu_check.h"

#include <stdlib.h>

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

static void check_meta(struct aero_checker *k)
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
        k->first_frame = meta.first_frame; /* the published text knows only 0 */
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
static bool end_frame(struct aero_checker *k, uint64_t at, bool broken)
{
    if (!k->frame_open)
        return true;
    k->frame_open = false;
    k->frame.end_offset = at;
    return aero_toc_frame_ends(k, &k->frame, broken);
}

static void check_unclosed(struct aero_checker *k)
{
    FINDING(k, RULE_FRAME_UNCLOSED, k->frame.start_offset, 12,
            "frame %" PRIu32 " is not closed by a Present record", k->frame.frame_index);
}

static bool begin_frame(struct aero_checker *k, uint32_t index, uint64_t at)
{
    if (k->frame_open && aero_toc_grants(k, &k->frame, at))
        check_unclosed(k);
    else if (k->frame_open)
        FINDING(k, RULE_FRAME_NESTED, at, 12,
                "frame %" PRIu32 " begins inside frame %" PRIu32 " of offset %" PRIu64, index,
                k->frame.frame_index, k->frame.start_offset);
    if (!end_frame(k, at, false))
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
    return end_frame(k, at + 12, false);
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
        return begin_frame(k, index, at);
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

static bool check_blob(struct aero_checker *k, const struct ras_aero_record *r, uint64_t at)
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
        return check_blob(k, r, at);
    else if (r->record_type == RAS_AERO_SUBMISSION)
        aero_check_submission(k, r->payload, at + 8);
    else
        return check_marker(k, r, at);
    return true;
}

/* A hole in the stream, not damage that hides where the frame went on. */
static bool only_zeros(const struct aero_checker *k, uint64_t from, uint64_t to)
{
    struct ras_bytes hole = aero_slice(k->all, from, to - from);
    return aero_zeros(hole) == hole.len;
}

static bool check_records(struct aero_checker *k)
{
    struct ras_aero_record r;
    uint64_t at = k->trace->body, behind = at; /* the last record */
    while (aero_walk(k, &at, &r, k)) {
        uint64_t start = at - RAS_AERO_RECORD_HEADER_SIZE - r.payload_len;
        if (start != behind && !only_zeros(k, behind, start) && !end_frame(k, start, true))
            return false;
        if (!check_record(k, &r, start))
            return false;
        behind = at;
        if (!report_progress(k->report, at))
            return true;
    }
    if (at != behind && !end_frame(k, at, true))
        return false;
    if (k->frame_open)
        check_unclosed(k);
    if (!k->frames)
        FINDING(k, RULE_FRAME_NONE, k->trace->body, 0, "the trace holds no frame");
    return end_frame(k, behind, false);
}

static int check_container(struct aero_checker *k, struct ras_error *err)
{
    check_header(k);
    check_meta(k);
    int status = k->report->deep ? ras_aero_blobs_open(&k->blobs, k->all, err) : RAS_OK;
    if (status == RAS_OK && !(aero_toc_start(k) && check_records(k) && aero_toc_finish(k)))
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
