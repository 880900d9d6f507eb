/* atf_repair.c - repairs the files of a session from the records in them.
 *
 * Header, footer and checksum are computed again from the events and details that exist, found by
 * the order of recovery in docs/formats/atf.md. Records are never changed: a link to a missing
 * record stays, unless the option to clear it is set. */
#include "codec/crc32.h"
#include "core/format.h"
#include "formats/atf/atf_repair.h"

#include <stdlib.h>

/* ---- both files -------------------------------------------------------------- */

/* Replace the 64 bytes of a header if they differ. */
static bool repair_header(struct atf_repairer *m, const struct atf_thread_file *file,
                          const uint8_t *want)
{
    struct ras_bytes bytes = atf_repair_bytes(m, file);
    if (!memcmp(bytes.at, want, RAS_ATF_HEADER_SIZE))
        return false;
    plan_patch(m->plan, atf_repair_name(m, file), 0, RAS_ATF_HEADER_SIZE, want,
               RAS_ATF_HEADER_SIZE);
    return true;
}

/* End the file at `end` with this footer. */
static bool repair_tail(struct atf_repairer *m, const struct atf_thread_file *file, uint64_t end,
                        const uint8_t *footer)
{
    struct ras_bytes bytes = atf_repair_bytes(m, file);
    uint64_t rest = bytes.len - end;
    if (rest == RAS_ATF_FOOTER_SIZE && !memcmp(bytes.at + end, footer, RAS_ATF_FOOTER_SIZE))
        return false;
    plan_patch(m->plan, atf_repair_name(m, file), end, rest, footer, RAS_ATF_FOOTER_SIZE);
    return true;
}

/* The same with records before the footer. */
static bool repair_more(struct atf_repairer *m, const struct atf_thread_file *file, uint64_t end,
                        struct ras_bytes records, const uint8_t *footer)
{
    struct out tail = {0};
    if (!records.len)
        return repair_tail(m, file, end, footer);
    out_bytes(&tail, records.at, records.len);
    out_bytes(&tail, footer, RAS_ATF_FOOTER_SIZE);
    plan_patch(m->plan, atf_repair_name(m, file), end, atf_repair_bytes(m, file).len - end, tail.at,
               tail.len);
    m->plan->nomem |= tail.failed;
    out_free(&tail);
    return true;
}

/* Replace the whole file. */
static void replace_file(struct atf_repairer *m, const struct atf_thread_file *file,
                         const uint8_t *header, struct ras_bytes records, const uint8_t *footer)
{
    struct out whole = {0};
    out_bytes(&whole, header, RAS_ATF_HEADER_SIZE);
    out_bytes(&whole, records.at, records.len);
    out_bytes(&whole, footer, RAS_ATF_FOOTER_SIZE);
    if (atf_repair_bytes(m, file).len) /* an empty file held nothing */
        plan_lose(m->plan, 0, RAS_NONE);
    plan_note(m->plan, "%s ends inside its header: rewritten, %s", atf_repair_name(m, file),
              records.len ? "with the records of its lane" : "without records");
    plan_patch(m->plan, atf_repair_name(m, file), 0, atf_repair_bytes(m, file).len, whole.at,
               whole.len);
    m->plan->nomem |= whole.failed;
    out_free(&whole);
}

/* The file was refused and cannot be repaired. */
static void repair_refuse(struct atf_repairer *m, const struct atf_thread_file *file)
{
    plan_note(m->plan, "%s cannot be repaired: %s", atf_repair_name(m, file), file->error.text);
    plan_lose(m->plan, atf_repair_bytes(m, file).len, RAS_NONE);
}

/* Note a stored checksum that is not that of the records. */
static void repair_doubt(struct atf_repairer *m, const struct atf_thread_file *file,
                         uint32_t stated, uint32_t found)
{
    if (stated && stated != found && !m->drop)
        plan_note(m->plan,
                  "%s: the checksum was 0x%08" PRIx32 ", that of the records is 0x%08" PRIx32
                  ": one of them may be damaged",
                  atf_repair_name(m, file), stated, found);
}

/* Whether a file was refused only because its header is incomplete. */
static bool repair_can_begin(const struct atf_repairer *m, const struct atf_thread *t,
                             const struct atf_thread_file *file)
{
    return m->dir && t->numbered && file->status == RAS_ECUT;
}

/* The checksum of a file while links in it are cleared. */
struct repair_sum {
    const struct atf_thread_file *file;
    uint64_t at; /* computed up to here */
    uint32_t crc;
};

static uint32_t repair_sum_upto(struct atf_repairer *m, struct repair_sum *sum, uint64_t end)
{
    if (end > sum->at)
        sum->crc = crc32_update(sum->crc, atf_repair_bytes(m, sum->file).at + sum->at,
                                (size_t)(end - sum->at));
    sum->at = end;
    return sum->crc;
}

static void repair_unlink(struct atf_repairer *m, struct repair_sum *sum, uint64_t at)
{
    static const uint8_t none[4] = {0xff, 0xff, 0xff, 0xff}; /* RAS_ATF_NO_DETAIL */
    (void)repair_sum_upto(m, sum, at);
    sum->crc = crc32_update(sum->crc, none, sizeof none);
    sum->at = at + sizeof none;
    plan_patch(m->plan, atf_repair_name(m, sum->file), at, sizeof none, none, sizeof none);
}

/* ---- index ------------------------------------------------------------------- */

static bool is_zero(struct ras_bytes bytes, uint64_t from)
{
    for (uint64_t i = from; i < bytes.len; i++)
        if (bytes.at[i])
            return false;
    return true;
}

/* Events that a finished header counts and that are missing. */
static uint64_t missing_events(const struct ras_atf_index_file *f)
{
    const struct ras_atf_index_header *h = &f->header;
    uint64_t length = (uint64_t)h->event_count * RAS_ATF_INDEX_EVENT_SIZE;
    if (f->footer_at != RAS_NONE || h->event_count <= f->count)
        return 0;
    return f->at + length == h->footer_offset ? h->event_count - f->count : RAS_NONE;
}

/* The bytes between the last event and the end of the file are lost, except those of a footer. */
static void lose_index_tail(struct atf_repairer *m, const struct ras_atf_index_file *f,
                            const struct atf_repaired *out, struct ras_bytes bytes)
{
    uint64_t size = bytes.len, gone = missing_events(f);
    if (f->footer_at != RAS_NONE) {
        uint64_t gap = f->limit - f->end, trailing = size - f->footer_at - RAS_ATF_FOOTER_SIZE;
        if (gap + trailing)
            plan_lose(m->plan, gap + trailing, RAS_NONE);
    } else if (f->counted == RAS_ATF_BY_HEADER) {
        if (size - f->limit > RAS_ATF_FOOTER_SIZE)
            plan_lose(m->plan, size - f->limit - RAS_ATF_FOOTER_SIZE, RAS_NONE);
    } else if (f->limit == size && f->end < size && !is_zero(bytes, f->end) &&
               !atf_magic_at(bytes, f->end, ATF_INDEX_FOOTER_MAGIC)) {
        if (!out->more_events) /* else the lane has it complete */
            plan_lose(m->plan, size - f->end, gone ? gone : 1);
    } else {
        plan_lose(m->plan, 0, gone);
    }
}

/* In a file that was not closed, events of zeros at its end are blocks that were never written. */
static uint64_t without_zeros(struct atf_repairer *m, const struct atf_thread_file *file,
                              const struct ras_atf_index_file *f)
{
    static const uint8_t zero[RAS_ATF_INDEX_EVENT_SIZE];
    const uint8_t *events = atf_repair_bytes(m, file).at + f->at;
    uint64_t count = f->count;
    while (f->footer_at == RAS_NONE && count &&
           !memcmp(events + (count - 1) * sizeof zero, zero, sizeof zero))
        count--;
    if (count == f->count)
        return count;
    plan_note(m->plan,
              "%s: the last %" PRIu64
              " events are zeros: removed as blocks that were never written",
              atf_repair_name(m, file), f->count - count);
    plan_lose(m->plan, (f->count - count) * sizeof zero, f->count - count);
    return count;
}

/* The header with the values of the events; other fields stay. */
static void wanted_index_header(const struct atf_repairer *m, const struct atf_thread *t,
                                uint64_t count, const uint8_t *events,
                                const struct atf_repaired *more, struct ras_atf_index_header *h)
{
    *h = t->index.header;
    h->flags &= RAS_ATF_HAS_DETAIL;
    bool detail = t->detail_file.part >= 0 || more->more_detail_count;
    if (m->dir && !detail && h->flags) {
        plan_note(m->plan, "thread %" PRIu32 ": detail.atf is missing, its contents are lost",
                  t->thread_id);
        plan_lose(m->plan, 0, RAS_NONE);
    }
    if (m->dir)
        h->flags = detail ? RAS_ATF_HAS_DETAIL : 0;
    memset(h->reserved1, 0, sizeof h->reserved1);
    h->reserved2 = 0;
    if (t->numbered && (!count || load_u32(events + EVENT_THREAD_ID) == t->thread_id))
        h->thread_id = t->thread_id;
    h->event_count = (uint32_t)count;
    h->footer_offset = t->index.at + count * RAS_ATF_INDEX_EVENT_SIZE;
    if (count) {
        h->time_start_ns = load_u64(events);
        h->time_end_ns = load_u64(events + (count - 1) * RAS_ATF_INDEX_EVENT_SIZE);
    }
    if (!more->more_events)
        return;
    h->event_count += (uint32_t)more->more_events;
    h->footer_offset += more->more_events * RAS_ATF_INDEX_EVENT_SIZE;
    h->time_start_ns = count ? h->time_start_ns : load_u64(more->more);
    h->time_end_ns = load_u64(more->more + (more->more_events - 1) * RAS_ATF_INDEX_EVENT_SIZE);
}

static struct ras_atf_index_footer wanted_index_footer(const struct ras_atf_index_file *f,
                                                       const struct ras_atf_index_header *h,
                                                       uint32_t crc)
{
    struct ras_atf_index_footer footer = {.checksum = crc,
                                          .event_count = h->event_count,
                                          .time_start_ns = h->time_start_ns,
                                          .time_end_ns = h->time_end_ns,
                                          .bytes_written = h->footer_offset - h->events_offset};
    memcpy(footer.magic, ATF_INDEX_FOOTER_MAGIC, 4);
    if (f->footer_at == RAS_NONE)
        return footer;
    if (!f->count) { /* times of a file without events are kept */
        footer.time_start_ns = f->footer.time_start_ns;
        footer.time_end_ns = f->footer.time_end_ns;
    }
    bool same = f->footer.event_count == footer.event_count &&
                f->footer.time_start_ns == footer.time_start_ns &&
                f->footer.time_end_ns == footer.time_end_ns &&
                f->footer.bytes_written == footer.bytes_written;
    if (same && !f->footer.checksum)
        footer.checksum = 0; /* it was not computed, and nothing else is wrong */
    return footer;
}

static void see_time(struct atf_repaired *out, uint64_t time)
{
    out->time_min = time < out->time_min ? time : out->time_min;
    out->time_max = time > out->time_max ? time : out->time_max;
}

/* One pass: times, links, checksum. */
static uint32_t repair_see_events(struct atf_repairer *m, const struct atf_thread *t,
                                  struct atf_repaired *out)
{
    struct repair_sum sum = {.file = &t->index_file, .at = t->index.at};
    const uint8_t *bytes = atf_repair_bytes(m, &t->index_file).at;
    out->time_min = UINT64_MAX;
    for (uint64_t i = 0; i < out->events; i++) {
        uint64_t at = t->index.at + i * RAS_ATF_INDEX_EVENT_SIZE;
        if (!plan_progress(m->plan, m->done + at))
            break;
        uint32_t link = load_u32(bytes + at + EVENT_DETAIL_SEQ);
        see_time(out, load_u64(bytes + at + EVENT_TIMESTAMP));
        if (!m->dir || link == RAS_ATF_NO_DETAIL || link < out->details)
            continue;
        if (m->drop)
            repair_unlink(m, &sum, at + EVENT_DETAIL_SEQ);
        out->links_out++;
    }
    uint32_t crc = repair_sum_upto(m, &sum, t->index.at + out->events * RAS_ATF_INDEX_EVENT_SIZE);
    for (uint64_t i = 0; i < out->more_events; i++)
        see_time(out, load_u64(out->more + i * RAS_ATF_INDEX_EVENT_SIZE));
    return crc32_update(crc, out->more, (size_t)out->more_events * RAS_ATF_INDEX_EVENT_SIZE);
}

static void repair_index(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    struct atf_repaired *out = &m->threads[thread];
    const struct ras_atf_index_file *f = &t->index;
    struct ras_bytes bytes = atf_repair_bytes(m, &t->index_file);
    struct ras_atf_index_header h;
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    wanted_index_header(m, t, out->events, bytes.at + f->at, out, &h);
    const struct ras_bytes more = {out->more, out->more_events * RAS_ATF_INDEX_EVENT_SIZE};
    uint64_t end = h.footer_offset - more.len;
    ras_atf_index_header_put(&h, header);
    bool patched = repair_header(m, &t->index_file, header);
    size_t before = m->plan->out.patch_count;
    uint32_t crc = repair_see_events(m, t, out);
    patched |= m->plan->out.patch_count > before;
    struct ras_atf_index_footer want = wanted_index_footer(f, &h, crc);
    if (f->footer_at != RAS_NONE && f->footer.event_count == out->events)
        repair_doubt(m, &t->index_file, f->footer.checksum, crc);
    ras_atf_index_footer_put(&want, footer);
    lose_index_tail(m, f, out, bytes);
    out->patched |= repair_more(m, &t->index_file, end, more, footer) || patched;
}

/* An index with an incomplete header, beside others that are complete. Its lane may hold events. */
static void begin_index(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    struct atf_repaired *out = &m->threads[thread];
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    atf_repair_ring(m, thread);
    const struct ras_bytes more = {out->more, out->more_events * RAS_ATF_INDEX_EVENT_SIZE};
    bool detail = t->detail_file.part >= 0 || out->more_detail_count;
    struct ras_atf_index_header h = {.endian = RAS_ATF_LITTLE_ENDIAN,
                                     .version = RAS_ATF_VERSION,
                                     .arch = out->arch,
                                     .os = out->os,
                                     .clock_type = out->clock_type,
                                     .flags = detail ? RAS_ATF_HAS_DETAIL : 0,
                                     .thread_id = t->thread_id,
                                     .event_size = RAS_ATF_INDEX_EVENT_SIZE,
                                     .event_count = (uint32_t)out->more_events,
                                     .events_offset = RAS_ATF_HEADER_SIZE,
                                     .footer_offset = RAS_ATF_HEADER_SIZE + more.len};
    struct ras_atf_index_footer f = {.checksum = crc32_update(0, more.at, more.len),
                                     .event_count = out->more_events,
                                     .bytes_written = more.len};
    out->time_min = out->more_events ? UINT64_MAX : 0;
    for (uint64_t i = 0; i < out->more_events; i++)
        see_time(out, load_u64(more.at + i * RAS_ATF_INDEX_EVENT_SIZE));
    if (out->more_events) {
        h.time_start_ns = f.time_start_ns = load_u64(more.at);
        h.time_end_ns = f.time_end_ns = load_u64(more.at + more.len - RAS_ATF_INDEX_EVENT_SIZE);
    }
    memcpy(h.magic, ATF_INDEX_MAGIC, 4);
    memcpy(f.magic, ATF_INDEX_FOOTER_MAGIC, 4);
    ras_atf_index_header_put(&h, header);
    ras_atf_index_footer_put(&f, footer);
    replace_file(m, &t->index_file, header, more, footer);
    out->patched = true;
}

/* ---- detail.atf ---------------------------------------------------------------------- */

/* The result of one walk over the details. */
struct seen {
    uint64_t count, end;
    uint64_t first_time, last_time;
    uint64_t seq_min, seq_max; /* of existing links */
    uint64_t more;             /* bytes from a lane */
};

/* The details of a file that can be read. */
static void repair_count(struct atf_repairer *m, size_t thread)
{
    m->threads[thread].details = atf_detail_walk(m->session, &m->session->threads[thread])->count;
}

/* One pass: times, links, checksum. */
static uint32_t see_details(struct atf_repairer *m, const struct atf_thread *t,
                            struct atf_repaired *out, struct seen *seen)
{
    struct repair_sum sum = {.file = &t->detail_file, .at = t->detail.at};
    struct ras_bytes bytes = atf_repair_bytes(m, &t->detail_file);
    struct ras_atf_detail_event d;
    *seen = (struct seen){.end = t->detail.at, .seq_min = UINT64_MAX};
    for (uint64_t at = seen->end;; seen->count++, at = seen->end) {
        if (ras_atf_detail_step(&t->detail, bytes, &seen->end, &d) != RAS_OK ||
            !plan_progress(m->plan, m->done + at))
            break;
        seen->first_time = seen->count ? seen->first_time : d.timestamp;
        seen->last_time = d.timestamp;
        bool none = d.index_seq == RAS_ATF_NO_DETAIL;
        bool lost = m->dir && t->index_file.part >= 0 && !none &&
                    d.index_seq >= out->events + out->more_events;
        if (lost && m->drop)
            repair_unlink(m, &sum, at + RECORD_INDEX_SEQ);
        out->links_back += lost;
        if (none || (lost && m->drop))
            continue;
        seen->seq_min = d.index_seq < seen->seq_min ? d.index_seq : seen->seq_min;
        seen->seq_max = d.index_seq > seen->seq_max ? d.index_seq : seen->seq_max;
    }
    return repair_sum_upto(m, &sum, seen->end);
}

/* Those of a lane, which were checked before. */
static uint32_t see_more(const struct atf_repaired *out, struct seen *seen, uint32_t crc)
{
    struct ras_atf_detail_event d;
    for (size_t at = 0; at < out->more_detail_size; at += d.total_length, seen->count++) {
        struct ras_bytes rest = {out->more_details + at, out->more_detail_size - at};
        if (!ras_atf_detail_event_get(rest, &d))
            break;
        seen->first_time = seen->count ? seen->first_time : d.timestamp;
        seen->last_time = d.timestamp;
        seen->seq_min = d.index_seq < seen->seq_min ? d.index_seq : seen->seq_min;
        seen->seq_max = d.index_seq > seen->seq_max ? d.index_seq : seen->seq_max;
    }
    seen->more = out->more_detail_size;
    return crc32_update(crc, out->more_details, out->more_detail_size);
}

static void wanted_detail_header(const struct atf_repairer *m, const struct atf_thread *t,
                                 const struct seen *seen, bool relinked,
                                 struct ras_atf_detail_header *h)
{
    struct ras_bytes bytes = atf_repair_bytes(m, &t->detail_file);
    *h = t->detail.header;
    h->flags = h->reserved1 = 0;
    memset(h->padding, 0, sizeof h->padding);
    uint64_t first = t->detail.at + RECORD_THREAD_ID; /* all may be in the lane that was left */
    bool some = seen->count && bytes.len >= 4 && first <= bytes.len - 4;
    if (t->numbered && (!some || load_u32(bytes.at + first) == t->thread_id))
        h->thread_id = t->thread_id;
    /* Other writers fill in the range of numbers differently; it is kept where the rest of the
     * header was right. */
    if (h->event_count != seen->count || relinked) {
        h->index_seq_start = seen->seq_min != UINT64_MAX ? seen->seq_min : 0;
        h->index_seq_end = seen->seq_max;
    }
    h->event_count = seen->count;
    h->bytes_length = seen->end - t->detail.at + seen->more;
}

static struct ras_atf_detail_footer wanted_detail_footer(const struct ras_atf_detail_file *f,
                                                         const struct seen *seen, uint32_t crc)
{
    struct ras_atf_detail_footer footer = {.checksum = crc,
                                           .event_count = seen->count,
                                           .bytes_length = seen->end - f->at + seen->more,
                                           .time_start_ns = seen->first_time,
                                           .time_end_ns = seen->last_time};
    memcpy(footer.magic, ATF_DETAIL_FOOTER_MAGIC, 4);
    if (f->footer_at == RAS_NONE)
        return footer;
    if (!seen->count) {
        footer.time_start_ns = f->footer.time_start_ns;
        footer.time_end_ns = f->footer.time_end_ns;
    }
    bool same = f->footer.event_count == footer.event_count &&
                f->footer.bytes_length == footer.bytes_length &&
                f->footer.time_start_ns == footer.time_start_ns &&
                f->footer.time_end_ns == footer.time_end_ns;
    if (same && !f->footer.checksum)
        footer.checksum = 0;
    return footer;
}

/* Details that the header counts and that are missing. */
static uint64_t missing_details(const struct ras_atf_detail_file *f, const struct seen *seen)
{
    const struct ras_atf_detail_header *h = &f->header;
    if (h->event_count <= seen->count)
        return 0;
    bool sane = h->event_count <= h->bytes_length / RAS_ATF_DETAIL_EVENT_SIZE;
    return sane ? h->event_count - seen->count : RAS_NONE;
}

/* The bytes between the last complete detail and the end of the file, except a footer. */
static void lose_detail_tail(struct atf_repairer *m, const struct atf_thread *t,
                             const struct atf_repaired *out, const struct seen *seen)
{
    const struct ras_atf_detail_file *f = &t->detail;
    struct ras_bytes bytes = atf_repair_bytes(m, &t->detail_file);
    struct atf_gap gap;
    uint64_t gone = missing_details(f, seen);
    if (f->footer_at != RAS_NONE) {
        bool lost = atf_detail_gap(f, bytes, seen->end, seen->count, &gap);
        uint64_t trailing = bytes.len - f->footer_at - RAS_ATF_FOOTER_SIZE;
        if (lost || trailing)
            plan_lose(m->plan, (lost ? gap.length : 0) + trailing,
                      lost && !trailing ? gap.lost : RAS_NONE);
    } else if (f->limit == bytes.len && seen->end < bytes.len &&
               !atf_magic_at(bytes, seen->end, ATF_DETAIL_FOOTER_MAGIC)) {
        bool damaged = atf_detail_verdict(f, bytes, seen->end, seen->count).kind == RAS_DAMAGED;
        if (damaged || !out->more_detail_count) /* else the lane has it complete */
            plan_lose(m->plan, bytes.len - seen->end, damaged ? RAS_NONE : gone ? gone : 1);
    } else if (f->limit < bytes.len && seen->end < f->limit) {
        plan_lose(m->plan, f->limit - seen->end, RAS_NONE);
    } else if (seen->end == bytes.len) {
        plan_lose(m->plan, 0, gone); /* cut between two details */
    }
}

static void repair(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    struct atf_repaired *out = &m->threads[thread];
    struct seen seen;
    struct ras_atf_detail_header h;
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    /* The header comes first in the file, so it is repaired after the walk. */
    struct plan *plan = m->plan, none = {0};
    m->plan = &none;
    uint64_t back = out->links_back;
    uint32_t crc = see_more(out, &seen, see_details(m, t, out, &seen));
    m->plan = plan;
    bool relinked = none.out.patch_count;
    plan->nomem |= none.nomem;
    plan_free(&none.out);
    wanted_detail_header(m, t, &seen, relinked, &h);
    ras_atf_detail_header_put(&h, header);
    bool patched = repair_header(m, &t->detail_file, header) || relinked;
    if (relinked) {
        struct seen again;
        out->links_back = back;
        (void)see_details(m, t, out, &again);
    }
    struct ras_atf_detail_footer want = wanted_detail_footer(&t->detail, &seen, crc);
    ras_atf_detail_footer_put(&want, footer);
    if (t->detail.footer_at != RAS_NONE && t->detail.footer.event_count == seen.count)
        repair_doubt(m, &t->detail_file, t->detail.footer.checksum, crc);
    lose_detail_tail(m, t, out, &seen);
    const struct ras_bytes more = {out->more_details, out->more_detail_size};
    out->patched |= repair_more(m, &t->detail_file, seen.end, more, footer) || patched;
}

/* A detail file with an incomplete header. */
static void repair_begin_detail(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    struct atf_repaired *out = &m->threads[thread];
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    struct ras_atf_detail_header h = {.endian = RAS_ATF_LITTLE_ENDIAN,
                                      .version = RAS_ATF_VERSION,
                                      .arch = out->arch,
                                      .os = out->os,
                                      .thread_id = t->thread_id,
                                      .events_offset = RAS_ATF_HEADER_SIZE};
    struct ras_atf_detail_footer f = {0};
    memcpy(h.magic, ATF_DETAIL_MAGIC, 4);
    memcpy(f.magic, ATF_DETAIL_FOOTER_MAGIC, 4);
    ras_atf_detail_header_put(&h, header);
    ras_atf_detail_footer_put(&f, footer);
    replace_file(m, &t->detail_file, header, (struct ras_bytes){0}, footer);
    out->patched = true;
}

/* A file that did not exist, or had an incomplete header, when the recorder was killed. */
static void make_detail(struct atf_repairer *m, size_t thread)
{
    const struct atf_thread *t = &m->session->threads[thread];
    struct atf_repaired *out = &m->threads[thread];
    struct seen seen = {.seq_min = UINT64_MAX};
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    uint32_t crc = see_more(out, &seen, 0);
    const struct ras_atf_detail_file none = {.footer_at = RAS_NONE};
    struct ras_atf_detail_header h = {.endian = RAS_ATF_LITTLE_ENDIAN,
                                      .version = RAS_ATF_VERSION,
                                      .arch = out->arch,
                                      .os = out->os,
                                      .thread_id = t->thread_id,
                                      .events_offset = RAS_ATF_HEADER_SIZE,
                                      .event_count = seen.count,
                                      .bytes_length = seen.more,
                                      .index_seq_start = seen.seq_min,
                                      .index_seq_end = seen.seq_max};
    struct ras_atf_detail_footer f = wanted_detail_footer(&none, &seen, crc);
    struct out file = {0};
    struct out name = {0};
    memcpy(h.magic, ATF_DETAIL_MAGIC, 4);
    ras_atf_detail_header_put(&h, header);
    ras_atf_detail_footer_put(&f, footer);
    out_bytes(&file, header, sizeof header);
    out_bytes(&file, out->more_details, out->more_detail_size);
    out_bytes(&file, footer, sizeof footer);
    out_format(&name, "%s%sdetail.atf", t->dir, t->dir_len ? "/" : "");
    out_byte(&name, 0);
    m->plan->nomem |= file.failed || name.failed;
    uint64_t there = t->detail_file.part >= 0 ? atf_repair_bytes(m, &t->detail_file).len : 0;
    if (!name.failed && !file.failed)
        plan_patch(m->plan, (const char *)name.at, 0, there, file.at, file.len);
    out_free(&file);
    out_free(&name);
    out->patched = true;
}

static void repair_detail(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    if (t->detail_file.part < 0) {
        make_detail(m, thread);
    } else if (atf_detail_ready(m->session, t)) {
        repair(m, thread);
    } else if (repair_can_begin(m, t, &t->detail_file) && m->threads[thread].more_detail_count) {
        make_detail(m, thread);
    } else if (repair_can_begin(m, t, &t->detail_file)) {
        repair_begin_detail(m, thread);
    } else {
        repair_refuse(m, &t->detail_file);
        m->threads[thread].broken = true;
    }
}

/* ---- the whole --------------------------------------------------------------- */

/* The codes of a new file: those of its own thread, or of the next thread that has any. */
static void find_codes(struct atf_repairer *m)
{
    struct ras_atf_session *s = m->session;
    struct atf_repaired codes = {
        .arch = RAS_ATF_X86_64, .os = RAS_ATF_LINUX, .clock_type = RAS_ATF_BOOTTIME};
    for (size_t n = 2 * s->thread_count; n-- > 0;) { /* after the last comes the first */
        size_t thread = n % s->thread_count;
        struct atf_thread *t = &s->threads[thread];
        if (atf_index_ready(s, t)) {
            codes.arch = t->index.header.arch;
            codes.os = t->index.header.os;
            codes.clock_type = t->index.header.clock_type;
        }
        m->threads[thread] = codes;
    }
}

static uint64_t size_of(const struct atf_repairer *m, const struct atf_thread_file *file)
{
    return file->part < 0 ? 0 : atf_repair_bytes(m, file).len;
}

/* Of a compressed index the frames that can be decompressed are kept, also those after one that
 * cannot: they hold whole events. Where details name events by their number, which changes, what
 * follows the first damaged frame is lost. */
static void close_holes(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    struct unpacked_hole hole;
    if (t->index_file.part < 0 || t->detail_file.part >= 0 || !atf_index_ready(m->session, t))
        return;
    uint64_t wanted = t->index.header.event_count, at = t->index.at;
    int status = source_close_holes(m->session->source, (size_t)t->index_file.part, at,
                                    RAS_ATF_INDEX_EVENT_SIZE, &hole, NULL);
    m->plan->nomem |= status == RAS_EMEMORY;
    if (status != RAS_OK || !atf_index_ready(m->session, t))
        return;
    uint64_t there = t->index.count;
    m->threads[thread].damaged =
        wanted > there ? wanted - there : hole.bytes / RAS_ATF_INDEX_EVENT_SIZE;
    plan_note(m->plan,
              "%s: %s cannot be decompressed, the first at stored byte %" PRIu64 " (%s): %" PRIu64
              " bytes, %s are lost, those after them are kept",
              atf_repair_name(m, &t->index_file), ras_counted(hole.frames, "frame").text,
              hole.stored_at, hole.why, hole.bytes,
              ras_counted(m->threads[thread].damaged, "event").text);
    plan_lose(m->plan, hole.bytes, m->threads[thread].damaged);
}

static void repair_thread(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    struct atf_repaired *out = &m->threads[thread];
    close_holes(m, thread);
    if (atf_detail_ready(m->session, t))
        repair_count(m, thread);
    if (atf_index_ready(m->session, t)) {
        out->events = without_zeros(m, &t->index_file, &t->index);
        atf_repair_ring(m, thread);
        repair_index(m, thread);
    } else if (t->index_file.part >= 0 && repair_can_begin(m, t, &t->index_file)) {
        begin_index(m, thread);
    } else if (t->index_file.part >= 0) {
        repair_refuse(m, &t->index_file);
        out->broken = true;
    }
    m->done += size_of(m, &t->index_file);
    if (t->detail_file.part >= 0 || out->more_detail_count)
        repair_detail(m, thread);
    m->done += size_of(m, &t->detail_file);
    if (!out->links_out && !out->links_back)
        return;
    plan_note(m->plan,
              "thread %" PRIu32 ": %" PRIu64 " events link to missing details, %" PRIu64
              " details name missing events: %s",
              t->thread_id, out->links_out, out->links_back, m->drop ? "unlinked" : "kept");
}

/* Threads that the manifest lists and that are gone: an unknown amount is lost. */
static void lose_threads(struct atf_repairer *m, size_t process)
{
    enum { NOTES_MAX = 16 }; /* a hostile manifest may list millions */
    const struct ras_atf_session *s = m->session;
    const struct ras_atf_manifest *manifest = &s->processes[process].manifest.out;
    unsigned missing = 0;
    for (size_t i = 0; i < manifest->thread_count && missing < NOTES_MAX; i++) {
        if (atf_thread_find(s, process, manifest->threads[i].id))
            continue;
        missing++;
        plan_note(m->plan, "thread %" PRIu32 " is listed and has no file: its contents are lost",
                  manifest->threads[i].id);
        plan_lose(m->plan, 0, RAS_NONE);
    }
}

int atf_repair(struct ras_trace *t, const struct ras_repair_options *options, struct plan *plan,
               struct ras_error *err)
{
    struct ras_atf_session *s = &((struct atf *)t->priv)->session;
    struct atf_repairer m = {
        .session = s,
        .plan = plan,
        .dir = source_is_dir(s->source),
        .drop = choice_made(options->choices, options->choice_count, "drop-dangling")};
    m.threads = calloc(s->thread_count + 1, sizeof *m.threads);
    if (!m.threads)
        return fail_memory(err);
    plan->cut_is_covered = s->has_rings; /* a lane drops only what its file has */
    find_codes(&m);
    for (size_t i = 0; i < s->thread_count && plan_progress(plan, m.done); i++)
        repair_thread(&m, i);
    int status = RAS_OK;
    for (size_t i = 0; m.dir && status == RAS_OK && i < s->process_count; i++) {
        lose_threads(&m, i);
        atf_repair_stream(&m, i);
        status = atf_repair_manifest(&m, i, err);
    }
    for (size_t i = 0; i < s->thread_count; i++) {
        free(m.threads[i].more);
        free(m.threads[i].more_details);
    }
    free(m.threads);
    return status;
}
