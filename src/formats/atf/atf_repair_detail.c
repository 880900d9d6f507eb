/* atf_repair_detail.c - the detail file of a thread, from the details that can be walked. */
#include "formats/atf/atf_repair.h"
#include "codec/crc32.h"

/* What one walk over the details finds. */
struct seen {
    uint64_t count, end;
    uint64_t first_time, last_time;
    uint64_t seq_min, seq_max; /* of links that there are */
    uint64_t more;             /* bytes that come from elsewhere */
};

void atf_repair_count(struct atf_repairer *m, size_t thread)
{
    m->threads[thread].details = atf_detail_walk(m->session, &m->session->threads[thread])->count;
}

/* One pass: times, links, checksum. */
static uint32_t see_details(struct atf_repairer *m, const struct atf_thread *t,
                            struct atf_repaired *out, struct seen *seen)
{
    struct atf_repair_sum sum = {.file = &t->detail_file, .at = t->detail.at};
    struct ras_bytes bytes = atf_repair_bytes(m, &t->detail_file);
    struct ras_atf_detail_event d;
    *seen = (struct seen){.end = t->detail.at, .seq_min = UINT64_MAX};
    for (uint64_t at = seen->end;; seen->count++, at = seen->end) {
        if (ras_atf_detail_step(&t->detail, bytes, &seen->end, &d) != RAS_OK)
            break;
        seen->first_time = seen->count ? seen->first_time : d.timestamp;
        seen->last_time = d.timestamp;
        bool none = d.index_seq == RAS_ATF_NO_DETAIL;
        bool lost = m->dir && t->index_file.part >= 0 && !none &&
                    d.index_seq >= out->events + out->more_events;
        if (lost && m->drop)
            atf_repair_unlink(m, &sum, at + RECORD_INDEX_SEQ);
        out->links_back += lost;
        if (none || (lost && m->drop))
            continue;
        seen->seq_min = d.index_seq < seen->seq_min ? d.index_seq : seen->seq_min;
        seen->seq_max = d.index_seq > seen->seq_max ? d.index_seq : seen->seq_max;
    }
    return atf_repair_sum(m, &sum, seen->end);
}

/* Those of a lane, which were found good before. */
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
    if (t->numbered &&
        (!seen->count || load_u32(bytes.at + t->detail.at + RECORD_THREAD_ID) == t->thread_id))
        h->thread_id = t->thread_id;
    /* Which numbers the range covers is told differently by others; left alone where
     * the rest of the header was right. */
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

/* Details that the header counts and that are not there. */
static uint64_t missing_details(const struct ras_atf_detail_file *f, const struct seen *seen)
{
    const struct ras_atf_detail_header *h = &f->header;
    if (h->event_count <= seen->count)
        return 0;
    bool sane = h->event_count <= h->bytes_length / RAS_ATF_DETAIL_EVENT_SIZE;
    return sane ? h->event_count - seen->count : RAS_NONE;
}

/* What lies between the last whole detail and the end of the file, but for a footer. */
static void lose_detail_tail(struct atf_repairer *m, const struct atf_thread *t,
                             const struct atf_repaired *out, const struct seen *seen)
{
    const struct ras_atf_detail_file *f = &t->detail;
    struct ras_bytes bytes = atf_repair_bytes(m, &t->detail_file);
    struct atf_gap gap;
    uint64_t gone = missing_details(f, seen);
    if (f->footer_at != RAS_NONE) {
        bool lost = atf_detail_gap(f, bytes, seen->end, seen->count, &gap);
        uint64_t behind = bytes.len - f->footer_at - RAS_ATF_FOOTER_SIZE;
        if (lost || behind)
            plan_lose(m->plan, (lost ? gap.length : 0) + behind,
                      lost && !behind ? gap.lost : RAS_NONE);
    } else if (f->limit == bytes.len && seen->end < bytes.len &&
               !atf_magic_at(bytes, seen->end, ATF_DETAIL_FOOTER_MAGIC)) {
        bool damaged = atf_detail_verdict(f, bytes, seen->end, seen->count).kind == RAS_DAMAGED;
        if (damaged || !out->more_detail_count) /* else the lane has it whole */
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
    /* The header comes first in the file, so what the walk finds is looked at before. */
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
    bool patched = atf_repair_header(m, &t->detail_file, header) || relinked;
    if (relinked) {
        struct seen again;
        out->links_back = back;
        (void)see_details(m, t, out, &again);
    }
    struct ras_atf_detail_footer want = wanted_detail_footer(&t->detail, &seen, crc);
    ras_atf_detail_footer_put(&want, footer);
    if (t->detail.footer_at != RAS_NONE && t->detail.footer.event_count == seen.count)
        atf_repair_doubt(m, &t->detail_file, t->detail.footer.checksum, crc);
    lose_detail_tail(m, t, out, &seen);
    const struct ras_bytes more = {out->more_details, out->more_detail_size};
    out->patched |= atf_repair_more(m, &t->detail_file, seen.end, more, footer) || patched;
}

/* A detail file whose header is not all there. */
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
    atf_repair_anew(m, &t->detail_file, header, (struct ras_bytes){0}, footer);
    out->patched = true;
}

/* A file that was not begun, or not by more than a piece of its header, when the recorder was
 * killed. */
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

void atf_repair_detail(struct atf_repairer *m, size_t thread)
{
    struct atf_thread *t = &m->session->threads[thread];
    if (t->detail_file.part < 0) {
        make_detail(m, thread);
    } else if (atf_detail_ready(m->session, t)) {
        repair(m, thread);
    } else if (atf_repair_can_begin(m, t, &t->detail_file) &&
               m->threads[thread].more_detail_count) {
        make_detail(m, thread);
    } else if (atf_repair_can_begin(m, t, &t->detail_file)) {
        repair_begin_detail(m, thread);
    } else {
        atf_repair_refuse(m, &t->detail_file);
        m->threads[thread].broken = true;
    }
}
