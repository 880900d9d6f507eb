/* aerogpu_repair.c - repair a trace: rebuild its TOC and footer.
 *
 * The records that the reader delivers stay unchanged. Bytes between them that it cannot follow are
 * removed; a TOC and a footer, made from the frames, are added after the last one. A frame that was
 * open where bytes are missing is closed by a Present record, which is noted; a trace that has its
 * TOC never gets one. */
#include "base/memory.h"
#include "base/out.h"
#include "formats/aerogpu/aerogpu_driver.h"

#include <stdlib.h>

struct span {
    uint64_t at, len;
};

struct repairer {
    struct ras_trace *trace;
    struct plan *plan;
    struct ras_bytes all;
    struct span *gaps; /* between records, ascending */
    size_t gap_count, gap_room;
    uint64_t removed; /* bytes taken out so far */
    uint64_t added;   /* bytes put in */
    struct ras_aero_frame *frames;
    size_t frame_count, frame_room;
    bool open; /* the last of them */
    bool nomem;
};

/* ---- bytes that the reader cannot follow -------------------------------------------- */

static uint64_t gap_value(const struct ras_value *values, size_t count, unsigned field)
{
    for (size_t i = 0; i < count; i++)
        if (values[i].field == field && values[i].kind == RAS_UINT)
            return values[i].u;
    return 0;
}

/* A gap inside a record that was passed is a stream that cannot be followed: the record is
 * complete, and stays. */
static void take_gap(struct repairer *m, const struct ras_cursor *c, uint64_t *passed)
{
    size_t count;
    const struct ras_value *values = ras_values(c, &count);
    struct span gap = {gap_value(values, count, 0), gap_value(values, count, 1)};
    if (gap.at < *passed) {
        plan_note(m->plan, "the commands at %" PRIu64 " cannot be followed; their record stays",
                  gap.at);
        return;
    }
    *passed = gap.at + gap.len;
    if (!array_grow(&m->gaps, &m->gap_room, m->gap_count + 1, sizeof *m->gaps))
        m->nomem = true;
    else
        m->gaps[m->gap_count++] = gap;
}

static int find_gaps(struct repairer *m, struct ras_error *err)
{
    struct ras_cursor *c;
    const struct ras_record *r;
    uint64_t passed = m->trace->body;
    int status = ras_cursor_open(&c, m->trace, NULL, err);
    if (status < 0)
        return status;
    while ((status = ras_next(c, &r, err)) == RAS_OK && !m->nomem &&
           plan_progress(m->plan, r->offset)) {
        uint64_t end = r->offset + r->raw_len;
        if (r->schema == RAS_SCHEMA_GAP)
            take_gap(m, c, &passed);
        else if (r->schema != AERO_COMMAND_TYPE && end > passed)
            passed = end;
    }
    ras_cursor_close(c);
    if (m->nomem)
        return fail_memory(err);
    return status < 0 ? status : RAS_OK;
}

/* ---- frames ----------------------------------------------------------------------- */

/* The open frame ends at this offset of the repaired file. */
static void repair_end_frame(struct repairer *m, uint64_t at)
{
    if (m->open)
        m->frames[m->frame_count - 1].end_offset = at;
    m->open = false;
}

static void take_marker(struct repairer *m, const struct ras_aero_record *r, uint64_t at)
{
    uint32_t index;
    if (ras_aero_frame_index_get(r->payload, &index, NULL) < 0)
        return;
    if (r->record_type == RAS_AERO_PRESENT) {
        if (m->open)
            m->frames[m->frame_count - 1].present_offset = at;
        repair_end_frame(m, at + RAS_AERO_RECORD_HEADER_SIZE + 4);
        return;
    }
    repair_end_frame(m, at);
    if (m->frame_count == UINT32_MAX ||
        !array_grow(&m->frames, &m->frame_room, m->frame_count + 1, sizeof *m->frames)) {
        m->nomem = true;
        return;
    }
    m->frames[m->frame_count++] = (struct ras_aero_frame){.frame_index = index, .start_offset = at};
    m->open = true;
}

enum { MARKER_SIZE = RAS_AERO_RECORD_HEADER_SIZE + 4 };

/* The offset in the repaired file of this offset. */
static uint64_t repaired_place(const struct repairer *m, uint64_t at)
{
    return at - m->removed + m->added;
}

/* The Present that closes the open frame, at this place. */
static void close_frame(struct repairer *m, uint64_t place, uint8_t to[MARKER_SIZE])
{
    const struct ras_aero_record record = {.record_type = RAS_AERO_PRESENT, .payload_len = 4};
    struct ras_aero_frame *frame = &m->frames[m->frame_count - 1];
    ras_aero_record_put(&record, to);
    store_u32(to + RAS_AERO_RECORD_HEADER_SIZE, frame->frame_index);
    frame->present_offset = place;
    plan_note(m->plan,
              "frame %" PRIu32 " is not complete: it is closed by a Present record that was not"
              " in the trace",
              frame->frame_index);
    plan_lose(m->plan, 0, RAS_NONE); /* the rest of its content is unknown */
    m->added += MARKER_SIZE;
    repair_end_frame(m, place + MARKER_SIZE);
}

/* ---- records ---------------------------------------------------------------------- */

/* A TOC or a footer, valid or not, or only zeros. */
static bool is_closing(const struct repairer *m, uint64_t at)
{
    struct ras_bytes tail = aero_slice(m->all, at, UINT64_MAX);
    const struct aero *a = m->trace->priv;
    return aero_magic_begins(tail, AERO_MAGIC_TOC) || aero_magic_begins(tail, AERO_MAGIC_FOOTER) ||
           (a->seal.claimed && a->seal.footer.toc_offset == at) || aero_zeros(tail) == tail.len;
}

/* A complete and plausible record at *at; *at moves after it. */
static bool pass_one(const struct repairer *m, uint64_t *at, struct ras_aero_record *r)
{
    struct ras_aero_submission s;
    uint64_t after = *at;
    if (ras_aero_record_get(m->all, &after, r, NULL) != RAS_OK ||
        r->payload_len > m->trace->limits.record_bytes || !ras_aero_record_name(r->record_type))
        return false;
    bool fits = r->record_type <= RAS_AERO_PRESENT ? r->payload_len == 4
                : r->record_type == RAS_AERO_BLOB  ? r->payload_len >= RAS_AERO_BLOB_HEADER_SIZE
                : r->record_type == RAS_AERO_SUBMISSION
                    ? ras_aero_submission_get(r->payload, &s, NULL) == RAS_OK
                    : true;
    if (fits)
        *at = after;
    return fits;
}

/* A frame whose end was in the gap is closed where the next one begins. */
static void take_out(struct repairer *m, const struct span *gap)
{
    struct ras_bytes bytes = aero_slice(m->all, gap->at, gap->len);
    struct ras_aero_record next;
    uint64_t after = gap->at + gap->len;
    bool closed = m->open && pass_one(m, &after, &next) && next.record_type == RAS_AERO_BEGIN_FRAME;
    uint8_t present[MARKER_SIZE];
    uint64_t place = repaired_place(m, gap->at);
    if (aero_zeros(bytes) < bytes.len)
        plan_lose(m->plan, gap->len, RAS_NONE);
    if (closed)
        close_frame(m, place, present);
    plan_patch(m->plan, "", gap->at, gap->len, present, closed ? sizeof present : 0);
    m->removed += gap->len;
}

/* Whether a frame of a later index begins at `at`, followed by a record or the end. */
static bool begins_frame(const struct repairer *m, uint64_t at)
{
    struct ras_aero_record r;
    uint32_t index;
    if (!pass_one(m, &at, &r) || ras_aero_frame_index_get(r.payload, &index, NULL) < 0)
        return false;
    if (m->frame_count && index <= m->frames[m->frame_count - 1].frame_index)
        return false;
    struct ras_bytes rest = aero_slice(m->all, at, UINT64_MAX);
    return !rest.len || (rest.len >= AERO_MAGIC_SIZE && aero_magic_begins(rest, AERO_MAGIC_TOC)) ||
           pass_one(m, &at, &r);
}

/* Without a TOC the next record after damage is unknown, but a BeginFrame can be recognised: twelve
 * bytes, of which only the index varies. */
static uint64_t repair_next_frame(const struct repairer *m, uint64_t at)
{
    static const uint8_t marker[RAS_AERO_RECORD_HEADER_SIZE] = {RAS_AERO_BEGIN_FRAME, 0, 0, 0, 4};
    const struct aero *a = m->trace->priv;
    if (a->seal.sealed || is_closing(m, at))
        return RAS_NONE;
    while (++at < m->all.len) {
        const uint8_t *found =
            memmem(m->all.at + at, m->all.len - (size_t)at, marker, sizeof marker);
        if (!found)
            return RAS_NONE;
        at = (uint64_t)(found - m->all.at);
        if (begins_frame(m, at))
            return at;
    }
    return RAS_NONE;
}

/* Bytes that cannot be followed are skipped up to the next frame, if one is found. */
static bool resume(struct repairer *m, uint64_t at, uint64_t *after)
{
    uint64_t to = repair_next_frame(m, at);
    if (to == RAS_NONE)
        return false;
    struct span gap = {at, to - at};
    plan_note(m->plan,
              "%" PRIu64 " bytes at %" PRIu64 " cannot be followed: frames go on at %" PRIu64,
              gap.len, at, to);
    take_out(m, &gap);
    *after = to;
    return true;
}

/* Where the records end: like the reader, by their own lengths and over the gaps; and further, if
 * frames are found after the bytes that stopped it. */
static uint64_t repair_records(struct repairer *m)
{
    uint64_t at = m->trace->body, after = at;
    struct ras_aero_record r;
    size_t i = 0;
    for (; plan_progress(m->plan, at); at = after) {
        if (i < m->gap_count && m->gaps[i].at == at) {
            take_out(m, &m->gaps[i]);
            after = at + m->gaps[i++].len;
        } else if (pass_one(m, &after, &r)) {
            if (r.record_type <= RAS_AERO_PRESENT)
                take_marker(m, &r, repaired_place(m, at));
        } else if (!resume(m, at, &after)) {
            break;
        }
    }
    return at;
}

/* ---- the end ------------------------------------------------------------------------ */

/* The bytes of the tail besides one TOC and one footer, valid or not. */
static struct ras_bytes beside_closing(const struct repairer *m, uint64_t at)
{
    const struct aero_seal *s = &((const struct aero *)m->trace->priv)->seal;
    uint64_t second = aero_second_trace(m->all, at);
    if (second != RAS_NONE)
        return aero_slice(m->all, second, UINT64_MAX);
    if (s->sealed) {
        uint64_t end = s->footer.toc_offset + s->footer.toc_len;
        return aero_slice(m->all, end, m->all.len - RAS_AERO_FOOTER_SIZE - end);
    }
    struct in in = in_bytes(aero_slice(m->all, at, UINT64_MAX));
    struct ras_aero_toc toc;
    struct ras_aero_footer footer;
    if (aero_toc_get(&in, &toc))
        in_take(&in, (uint64_t)toc.frame_count * RAS_AERO_TOC_ENTRY_SIZE);
    if (s->claimed || !aero_footer_get(&in, &footer) || in.cut)
        return (struct ras_bytes){0};
    return (struct ras_bytes){in.at, (size_t)in_left(&in)};
}

/* The bytes of the tail that may have been content. */
static struct ras_bytes strange_part(const struct repairer *m, uint64_t at)
{
    struct ras_bytes tail = aero_slice(m->all, at, UINT64_MAX);
    if (aero_zeros(tail) == tail.len)
        return (struct ras_bytes){0};
    return is_closing(m, at) ? beside_closing(m, at) : tail;
}

static void put_seal(struct repairer *m, uint64_t at, const struct out *seal)
{
    struct ras_bytes tail = aero_slice(m->all, at, UINT64_MAX);
    struct ras_bytes strange = strange_part(m, at);
    size_t same = 0;
    while (same < tail.len && same < seal->len && tail.at[same] == seal->at[same])
        same++;
    if (same == tail.len && same == seal->len)
        return;
    if (strange.len)
        plan_lose(m->plan, strange.len, RAS_NONE);
    if (strange.len >= AERO_MAGIC_SIZE && aero_magic_begins(strange, AERO_MAGIC_HEADER))
        plan_note(m->plan,
                  "another trace of %zu bytes begins at %" PRIu64 " and is cut off: it is a trace "
                  "of its own",
                  strange.len, (uint64_t)(strange.at - m->all.at));
    plan_patch(m->plan, "", at + same, tail.len - same, seal->at + same, seal->len - same);
}

static int repair_container(struct repairer *m, struct ras_error *err)
{
    struct aero *a = m->trace->priv;
    struct out seal = {0};
    aero_seal_find(&a->seal, m->all, m->trace->body);
    int status = find_gaps(m, err);
    if (status < 0)
        return status;
    uint64_t at = repair_records(m);
    if (m->open && !a->seal.sealed && !m->nomem) {
        uint8_t present[MARKER_SIZE];
        close_frame(m, repaired_place(m, at), present);
        out_bytes(&seal, present, sizeof present);
    }
    repair_end_frame(m, repaired_place(m, at));
    bool ok = !m->nomem && aero_seal_put(m->frames, m->frame_count, a->header.container_version,
                                         repaired_place(m, at), &seal);
    if (ok)
        put_seal(m, at, &seal);
    out_free(&seal);
    return ok ? RAS_OK : fail_memory(err);
}

/* ---- bare streams and tables --------------------------------------------- */

/* The header gets the size of the complete commands. */
static void repair_stream(const struct repairer *m)
{
    struct in in = in_bytes(m->all);
    struct ras_aero_stream s;
    aero_stream_get(&in, &s);
    struct ras_bytes stream = aero_slice(m->all, 0, s.size_bytes);
    struct ras_aero_command c;
    uint64_t at = RAS_AERO_STREAM_HEADER_SIZE;
    while (ras_aero_command_get(stream, &at, &c, NULL) == RAS_OK)
        ;
    if (at == s.size_bytes)
        return;
    uint8_t bytes[RAS_AERO_STREAM_HEADER_SIZE];
    uint64_t lost = stream.len - at;
    s.size_bytes = (uint32_t)at;
    ras_aero_stream_put(&s, bytes);
    plan_lose(m->plan, lost, lost ? RAS_NONE : 0);
    plan_patch(m->plan, "", 8, 4, bytes + 8, 4); /* size_bytes */
    if (lost)
        plan_patch(m->plan, "", at, lost, NULL, 0);
}

static void repair_table(const struct repairer *m)
{
    const struct aero *a = m->trace->priv;
    struct ras_aero_alloc_table t = a->table;
    if (t.size_bytes <= m->all.len)
        return;
    uint64_t room = m->all.len - RAS_AERO_ALLOC_TABLE_HEADER_SIZE;
    uint64_t count = room / t.entry_stride;
    if (count > t.entry_count)
        count = t.entry_count;
    uint64_t end = RAS_AERO_ALLOC_TABLE_HEADER_SIZE + count * t.entry_stride;
    uint64_t lost = count < t.entry_count ? m->all.len - end : 0;
    uint8_t bytes[RAS_AERO_ALLOC_TABLE_HEADER_SIZE];
    plan_lose(m->plan, lost, t.entry_count - count);
    t.entry_count = (uint32_t)count;
    t.size_bytes = (uint32_t)(m->all.len - lost);
    ras_aero_alloc_table_put(&t, bytes);
    plan_patch(m->plan, "", 8, 8, bytes + 8, 8); /* size_bytes, entry_count */
    if (lost)
        plan_patch(m->plan, "", end, lost, NULL, 0);
}

int aero_repair(struct ras_trace *t, const struct ras_repair_options *options, struct plan *plan,
                struct ras_error *err)
{
    (void)options;
    const struct aero *a = t->priv;
    struct repairer m = {.trace = t, .plan = plan, .all = source_bytes(t->source, 0)};
    int status = RAS_OK;
    if (a->shape == AERO_STREAM)
        repair_stream(&m);
    else if (a->shape == AERO_TABLE)
        repair_table(&m);
    else
        status = repair_container(&m, err);
    free(m.gaps);
    free(m.frames);
    return status;
}
