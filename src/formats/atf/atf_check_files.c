/* atf_check_files.c - the rules of index.atf and detail.atf, and the links both ways. */
#include "base/memory.h"
#include "formats/atf/atf_check.h"
#include "formats/atf/atf_stack.h"

#include <stdlib.h>

/* ---- index.atf ----------------------------------------------------------------------- */

/* The fields that both headers have. */
static void check_common_header(struct atf_checker *k, unsigned arch, unsigned os,
                                uint32_t thread_id)
{
    const struct atf_thread *t = k->thread;
    if (!ras_atf_arch_name(arch))
        FINDING(k, HEADER_CODES, HEADER_ARCH, 1, "arch is %u, not 1 or 2", arch);
    if (!ras_atf_os_name(os))
        FINDING(k, HEADER_CODES, HEADER_OS, 1, "os is %u, not 1 to 5", os);
    if (t->numbered && thread_id != t->thread_id)
        FINDING(k, HEADER_THREAD, HEADER_THREAD_ID, 4,
                "thread_id is %u, the directory is thread_%u", thread_id, t->thread_id);
}

static void check_index_header(struct atf_checker *k)
{
    const struct ras_atf_index_header *h = &k->thread->index.header;
    check_common_header(k, h->arch, h->os, h->thread_id);
    if (!ras_atf_clock_name(h->clock_type))
        FINDING(k, HEADER_CODES, INDEX_CLOCK_TYPE, 1, "clock_type is %u, not 1 to 3",
                h->clock_type);
    if (h->flags & ~RAS_ATF_HAS_DETAIL)
        FINDING(k, RESERVED_ZERO, HEADER_FLAGS, 4,
                "flags is 0x%08" PRIx32 ", only bit 0 is defined", h->flags);
    atf_check_zero(k, INDEX_RESERVED1, 3, "_reserved1");
    atf_check_zero(k, INDEX_RESERVED2, 4, "_reserved2");
}

/* What a finished header promises. A placeholder promises nothing; that it was left is reported
 * by the rules of the footer. */
static void check_promises(struct atf_checker *k)
{
    const struct atf_thread *t = k->thread;
    const struct ras_atf_index_file *f = &t->index;
    const struct ras_atf_index_header *h = &f->header;
    bool placeholder = !h->event_count && h->footer_offset == h->events_offset;
    if (placeholder && (f->count || f->footer_at == RAS_NONE))
        return;
    bool there = t->detail_file.part >= 0;
    bool promised = h->flags & RAS_ATF_HAS_DETAIL;
    if (source_is_dir(k->session->source) && there != promised)
        FINDING(k, there ? HEADER_HAS_DETAIL : HEADER_DETAIL_LOST, HEADER_FLAGS, 4,
                "flag bit 0 is %u, detail.atf is %s", promised, there ? "there" : "not there");
    if (h->event_count != f->count)
        FINDING(k, HEADER_COUNT, INDEX_EVENT_COUNT, 4,
                "event_count is %" PRIu32 ", %" PRIu64 " events are there", h->event_count,
                f->count);
    if (h->footer_offset != f->end)
        FINDING(k, HEADER_FOOTER_OFFSET, INDEX_FOOTER_OFFSET, 8,
                "footer_offset is %" PRIu64 ", the events end at %" PRIu64, h->footer_offset,
                f->end);
}

static void check_index_footer(struct atf_checker *k)
{
    const struct ras_atf_index_file *f = &k->thread->index;
    uint64_t at = f->footer_at;
    if (at == RAS_NONE) {
        FINDING(k, FOOTER_MISSING, f->end, k->bytes.len - f->end,
                "no footer: events counted by the %s", ras_atf_counted_name(f->counted));
        return;
    }
    if (f->counted == RAS_ATF_BY_LAST_BYTES)
        FINDING(k, FOOTER_PLACE, INDEX_FOOTER_OFFSET, 8,
                "the footer is at %" PRIu64 ", the header says %" PRIu64, at,
                f->header.footer_offset);
    if (f->footer.event_count != (f->limit - f->at) / RAS_ATF_INDEX_EVENT_SIZE)
        FINDING(k, FOOTER_COUNT, at + INDEX_FOOTER_COUNT, 8,
                "event_count is %" PRIu64 ", before the footer there is room for %" PRIu64,
                f->footer.event_count, (f->limit - f->at) / RAS_ATF_INDEX_EVENT_SIZE);
    if (f->footer.bytes_written != f->end - f->at)
        FINDING(k, FOOTER_BYTES, at + INDEX_FOOTER_BYTES, 8,
                "bytes_written is %" PRIu64 ", the events take %" PRIu64, f->footer.bytes_written,
                f->end - f->at);
    atf_check_zero(k, at + INDEX_FOOTER_RESERVED, sizeof f->footer.reserved, "reserved");
    atf_check_crc(k, at, f->footer.checksum, f->at, f->end);
}

/* A time range that was never filled in belongs to a placeholder or to a file without events. */
static void check_index_ranges(struct atf_checker *k)
{
    const struct ras_atf_index_file *f = &k->thread->index;
    const struct ras_atf_index_header *h = &f->header;
    if (!f->count)
        return;
    const uint8_t *events = k->bytes.at + f->at;
    uint64_t found[2] = {load_u64(events), load_u64(k->bytes.at + f->end - 32)};
    uint64_t header[2] = {h->time_start_ns, h->time_end_ns};
    uint64_t footer[2] = {f->footer.time_start_ns, f->footer.time_end_ns};
    if (h->event_count)
        atf_check_times(k, HEADER_TIME, INDEX_TIME_START, header, found);
    if (f->footer_at != RAS_NONE)
        atf_check_times(k, FOOTER_TIME, f->footer_at + INDEX_FOOTER_TIME_START, footer, found);
}

/* ---- events ---------------------------------------------------------------------- */

struct index_scan {
    struct atf_tally back, thread, depth, lost, dangling;
    uint64_t zeros_from; /* first of an unbroken row of zero events; RAS_NONE: none */
    uint64_t details;    /* how many there are */
    bool details_sealed;
    struct ras_atf_index_event last;
};

static void check_index_event(struct atf_checker *k, struct index_scan *scan, uint64_t i,
                              uint64_t at, const struct ras_atf_index_event *e)
{
    static const struct ras_atf_index_event zero = {0};
    if (!ras_atf_kind_name(e->event_kind))
        FINDING(k, EVENT_BAD_KIND, at + EVENT_KIND, 4,
                "event_kind of event %" PRIu64 " is %" PRIu32 ", not 1 to 3", i, e->event_kind);
    if (memcmp(e, &zero, sizeof zero) != 0)
        scan->zeros_from = RAS_NONE;
    else if (scan->zeros_from == RAS_NONE)
        scan->zeros_from = i;
    if (e->thread_id != k->thread->index.header.thread_id)
        atf_tally(&scan->thread, i);
    if (i && e->timestamp_ns < scan->last.timestamp_ns)
        atf_tally(&scan->back, i);
    if (i && e->call_depth > scan->last.call_depth && e->call_depth - scan->last.call_depth > 1)
        atf_tally(&scan->depth, i);
    if (e->detail_seq != RAS_ATF_NO_DETAIL && e->detail_seq >= scan->details) {
        if (!scan->details_sealed)
            atf_tally(&scan->lost, i);
        else
            FINDING(k, LINK_DANGLING, at + EVENT_DETAIL_SEQ, 4,
                    "event %" PRIu64 " links to detail %" PRIu32 ", there are %" PRIu64, i,
                    e->detail_seq, scan->details);
    }
    scan->last = *e;
}

static uint64_t event_at(const struct atf_checker *k, uint64_t i)
{
    return k->thread->index.at + i * RAS_ATF_INDEX_EVENT_SIZE;
}

static void report_index_tallies(struct atf_checker *k, const struct index_scan *scan)
{
    uint64_t count = k->thread->index.count;
    if (scan->back.count)
        FINDING(k, k->production ? EVENT_ORDER_PRODUCTION : EVENT_ORDER,
                event_at(k, scan->back.first), 8,
                "%" PRIu64 " of %" PRIu64 " events step back in time, event %" PRIu64 " first",
                scan->back.count, count, scan->back.first);
    if (scan->thread.count)
        FINDING(k, EVENT_THREAD, event_at(k, scan->thread.first) + EVENT_THREAD_ID, 4,
                "%" PRIu64 " of %" PRIu64 " events have another thread_id than the header's %u, "
                "event %" PRIu64 " first",
                scan->thread.count, count, k->thread->index.header.thread_id, scan->thread.first);
    if (scan->depth.count)
        FINDING(k, EVENT_DEPTH, event_at(k, scan->depth.first) + EVENT_CALL_DEPTH, 4,
                "call_depth grows by more than one at %s, event %" PRIu64 " first",
                ras_counted(scan->depth.count, "event").text, scan->depth.first);
    if (scan->lost.count)
        FINDING(k, LINK_LOST, event_at(k, scan->lost.first) + EVENT_DETAIL_SEQ, 4,
                "%" PRIu64 " events link to details that were not stored, event %" PRIu64 " first",
                scan->lost.count, scan->lost.first);
    if (scan->zeros_from != RAS_NONE)
        FINDING(k, TAIL_ZERO, event_at(k, scan->zeros_from),
                (count - scan->zeros_from) * RAS_ATF_INDEX_EVENT_SIZE,
                "the last %" PRIu64 " events are all zero", count - scan->zeros_from);
}

/* Calls and returns that have no partner, reported once. */
static void check_calls(struct atf_checker *k)
{
    const struct ras_atf_index_file *f = &k->thread->index;
    struct ras_atf_stack *stack = ras_atf_stack_new();
    struct ras_atf_span span;
    struct atf_tally calls = {0}, returns = {0};
    int status = stack ? RAS_OK : RAS_EMEMORY;
    for (uint64_t i = 0; status >= 0 && i <= f->count; i++) {
        struct ras_atf_index_event e;
        const struct atf_frame *ended;
        if (i < f->count && atf_stack_usual(stack, k->bytes.at + event_at(k, i), i, &ended))
            continue;
        if (i < f->count)
            e = atf_event(k->bytes.at + event_at(k, i));
        while ((status = ras_atf_stack_step(stack, i < f->count ? &e : NULL, i, &span, NULL)) ==
               RAS_OK) {
            if (span.call_seq == RAS_NONE)
                atf_tally(&returns, span.return_seq);
            else if (span.return_seq == RAS_NONE)
                atf_tally(&calls, span.call_seq);
        }
    }
    ras_atf_stack_free(stack);
    if (status < 0)
        k->report->nomem = true;
    if (calls.count)
        FINDING(k, CALL_UNMATCHED, event_at(k, calls.first), RAS_ATF_INDEX_EVENT_SIZE,
                "%s without a return, event %" PRIu64 " first",
                ras_counted(calls.count, "call").text, calls.first);
    if (returns.count)
        FINDING(k, CALL_UNMATCHED, event_at(k, returns.first), RAS_ATF_INDEX_EVENT_SIZE,
                "%s without a call, event %" PRIu64 " first",
                ras_counted(returns.count, "return").text, returns.first);
}

void atf_check_index(struct atf_checker *k)
{
    struct atf_thread *t = k->thread;
    const struct ras_atf_index_file *f = &t->index;
    check_index_header(k);
    check_promises(k);
    check_index_footer(k);
    check_index_ranges(k);
    atf_check_ending(k, false);
    bool details = atf_detail_ready(k->session, t);
    bool lone = !source_is_dir(k->session->source); /* its details are elsewhere */
    struct index_scan scan = {.zeros_from = RAS_NONE,
                              .details = details ? atf_detail_walk(k->session, t)->count
                                         : lone  ? UINT64_MAX
                                                 : 0,
                              .details_sealed =
                                  atf_file_sealed(k, true) && atf_file_sealed(k, false)};
    for (uint64_t i = 0; i < f->count; i++) {
        struct ras_atf_index_event e = atf_event(k->bytes.at + event_at(k, i));
        check_index_event(k, &scan, i, event_at(k, i), &e);
        if (!report_progress(k->report, k->done + event_at(k, i)))
            return;
    }
    report_index_tallies(k, &scan);
    check_calls(k);
}

/* ---- detail.atf ---------------------------------------------------------------------- */

static void check_detail_header(struct atf_checker *k, uint64_t count, uint64_t end)
{
    struct atf_thread *t = k->thread;
    const struct ras_atf_detail_file *f = &t->detail;
    const struct ras_atf_detail_header *h = &f->header;
    check_common_header(k, h->arch, h->os, h->thread_id);
    if (atf_index_ready(k->session, t)) {
        const struct ras_atf_index_header *i = &t->index.header;
        if (i->arch != h->arch || i->os != h->os || i->thread_id != h->thread_id)
            FINDING(k, HEADER_PAIR, HEADER_ARCH, 10,
                    "arch %u, os %u, thread_id %u; the index has %u, %u, %u", h->arch, h->os,
                    h->thread_id, i->arch, i->os, i->thread_id);
    }
    atf_check_zero(k, HEADER_FLAGS, 4, "flags");
    atf_check_zero(k, DETAIL_RESERVED1, 4, "_reserved1");
    atf_check_zero(k, DETAIL_PADDING, 4, "the padding of the header");
    if (!h->event_count && !h->bytes_length && count)
        return; /* a placeholder; the rules of the index and the footer report it */
    if (h->event_count != count)
        FINDING(k, HEADER_COUNT, DETAIL_EVENT_COUNT, 8,
                "event_count is %" PRIu64 ", %" PRIu64 " details are there", h->event_count, count);
    if (h->bytes_length != end - f->at)
        FINDING(k, HEADER_BYTES, DETAIL_BYTES_LENGTH, 8,
                "bytes_length is %" PRIu64 ", the details take %" PRIu64, h->bytes_length,
                end - f->at);
}

static void check_detail_footer(struct atf_checker *k, uint64_t count, uint64_t end)
{
    const struct ras_atf_detail_file *f = &k->thread->detail;
    uint64_t at = f->footer_at;
    if (at == RAS_NONE) {
        FINDING(k, FOOTER_MISSING, end, k->bytes.len - end, "no footer after %s",
                ras_counted(count, "detail").text);
        return;
    }
    if (!f->header.event_count && count)
        FINDING(k, FOOTER_PLACE, DETAIL_EVENT_COUNT, 8,
                "the header was not finished: it counts 0 details, the footer %" PRIu64,
                f->footer.event_count);
    if (f->footer.event_count != count)
        FINDING(k, FOOTER_COUNT, at + DETAIL_FOOTER_COUNT, 8,
                "event_count is %" PRIu64 ", %" PRIu64 " details are there", f->footer.event_count,
                count);
    if (f->footer.bytes_length != end - f->at)
        FINDING(k, FOOTER_BYTES, at + DETAIL_FOOTER_BYTES, 8,
                "bytes_length is %" PRIu64 ", the details take %" PRIu64, f->footer.bytes_length,
                end - f->at);
    atf_check_zero(k, at + DETAIL_FOOTER_RESERVED, sizeof f->footer.reserved, "reserved");
    atf_check_crc(k, at, f->footer.checksum, f->at, f->limit);
}

/* ---- details ----------------------------------------------------------------------- */

struct detail_scan {
    enum ras_atf_form form;
    struct atf_tally back, thread, lost, other_form;
    uint64_t first_time, last_time;
    uint64_t seq_min, seq_max;
    uint64_t count, at;
};

static void check_payload(struct atf_checker *k, struct detail_scan *scan,
                          const struct ras_atf_detail_event *d, struct ras_atf_payload *payload)
{
    uint64_t at = scan->at + RECORD_PAYLOAD;
    enum ras_atf_form form = ras_atf_payload_get(d, scan->form, payload);
    if (form != (k->production ? RAS_ATF_PRODUCTION : RAS_ATF_SPEC))
        atf_tally(&scan->other_form, scan->at);
    if (form == RAS_ATF_SPEC && payload->stack_size > RAS_ATF_STACK_MAX)
        FINDING(k, DETAIL_STACK, at + PAYLOAD_STACK_SIZE, 2,
                "stack_size of detail %" PRIu64 " is %" PRIu32 ", at most 256 are specified",
                scan->count, payload->stack_size);
    if (form == RAS_ATF_PRODUCTION && payload->stack_size > PRODUCTION_STACK_ROOM)
        FINDING(k, DETAIL_STACK, at + PRODUCTION_STACK_SIZE, 4,
                "stack_size of detail %" PRIu64 " is %" PRIu32 ", there is room for 128",
                scan->count, payload->stack_size);
    if (form == RAS_ATF_SPEC && payload->reserved)
        FINDING(k, RESERVED_ZERO, at + PAYLOAD_RESERVED, 2,
                "_reserved of detail %" PRIu64 " is 0x%04x", scan->count, payload->reserved);
}

static void check_detail(struct atf_checker *k, struct detail_scan *scan,
                         const struct ras_atf_detail_event *d)
{
    struct ras_atf_payload payload;
    if (!ras_atf_type_name(d->event_type))
        FINDING(k, DETAIL_TYPE, scan->at + RECORD_EVENT_TYPE, 2,
                "event_type of detail %" PRIu64 " is %u, not 3 or 4", scan->count, d->event_type);
    if (d->thread_id != k->thread->detail.header.thread_id)
        atf_tally(&scan->thread, scan->at);
    if (scan->count && d->timestamp < scan->last_time)
        atf_tally(&scan->back, scan->at);
    if (!scan->count)
        scan->first_time = d->timestamp;
    scan->last_time = d->timestamp;
    if (d->index_seq != RAS_ATF_NO_DETAIL) {
        scan->seq_min = d->index_seq < scan->seq_min ? d->index_seq : scan->seq_min;
        scan->seq_max = d->index_seq > scan->seq_max ? d->index_seq : scan->seq_max;
    }
    check_payload(k, scan, d, &payload);
}

/* ---- links ------------------------------------------------------------------------ */

/* Two details name one event, and the event links to the other one. */
static bool is_duplicate(struct atf_checker *k, const struct ras_atf_detail_event *d,
                         const struct ras_atf_index_event *e)
{
    struct ras_atf_detail_event other;
    size_t thread = (size_t)(k->thread - k->session->threads);
    if (e->detail_seq == RAS_ATF_NO_DETAIL ||
        e->detail_seq >= atf_detail_walk(k->session, k->thread)->count)
        return false;
    int status = ras_atf_detail_at(k->session, thread, e->detail_seq, &other, NULL);
    k->report->nomem |= status == RAS_EMEMORY;
    return status == RAS_OK && other.index_seq == d->index_seq;
}

static void check_pair(struct atf_checker *k, const struct detail_scan *scan,
                       const struct ras_atf_detail_event *d, const struct ras_atf_index_event *e)
{
    struct ras_atf_payload payload;
    if (d->timestamp != e->timestamp_ns)
        FINDING(k, LINK_TIME, scan->at + RECORD_TIMESTAMP, 8,
                "timestamp of detail %" PRIu64 " is %" PRIu64 ", that of event %" PRIu32
                " is %" PRIu64,
                scan->count, d->timestamp, d->index_seq, e->timestamp_ns);
    if (ras_atf_payload_get(d, scan->form, &payload) != RAS_ATF_OPAQUE &&
        payload.function_id != e->function_id)
        FINDING(k, LINK_FUNCTION, scan->at + RECORD_PAYLOAD, 8,
                "function_id of detail %" PRIu64 " is 0x%016" PRIx64 ", that of event %" PRIu32
                " is 0x%016" PRIx64,
                scan->count, payload.function_id, d->index_seq, e->function_id);
    /* The writer has no type for an exception: it is stored as a call. */
    unsigned type =
        e->event_kind == RAS_ATF_RETURN ? RAS_ATF_FUNCTION_RETURN : RAS_ATF_FUNCTION_CALL;
    if (ras_atf_type_name(d->event_type) && d->event_type != type)
        FINDING(k, LINK_TYPE, scan->at + RECORD_EVENT_TYPE, 2,
                "detail %" PRIu64 " is a %s, event %" PRIu32 " a %s", scan->count,
                ras_atf_type_name(d->event_type), d->index_seq,
                ras_atf_kind_name(e->event_kind) ? ras_atf_kind_name(e->event_kind) : "riddle");
}

/* From the detail to its event. Events have a fixed size, so this needs no table. */
static void check_back_link(struct atf_checker *k, struct detail_scan *scan,
                            const struct ras_atf_detail_event *d)
{
    struct atf_thread *t = k->thread;
    uint64_t events = t->index.count;
    if (d->index_seq == RAS_ATF_NO_DETAIL)
        return; /* cleared by repair */
    if (d->index_seq >= events) {
        if (!atf_file_sealed(k, false))
            atf_tally(&scan->lost, scan->at);
        else
            FINDING(k, LINK_DANGLING, scan->at + RECORD_INDEX_SEQ, 4,
                    "detail %" PRIu64 " names event %" PRIu32 ", there are %" PRIu64, scan->count,
                    d->index_seq, events);
        return;
    }
    if (!report_wants(k->report, &atf_rules[LINK_ORPHAN]))
        return;
    struct ras_atf_index_event e =
        atf_event(atf_events(k->session, t) + d->index_seq * (uint64_t)RAS_ATF_INDEX_EVENT_SIZE);
    if (e.detail_seq == scan->count)
        check_pair(k, scan, d, &e);
    else if (is_duplicate(k, d, &e))
        FINDING(k, LINK_DUPLICATE, scan->at + RECORD_INDEX_SEQ, 4,
                "details %" PRIu64 " and %" PRIu32 " both name event %" PRIu32, scan->count,
                e.detail_seq, d->index_seq);
    else if (e.detail_seq == RAS_ATF_NO_DETAIL)
        FINDING(k, LINK_ORPHAN, scan->at + RECORD_INDEX_SEQ, 4,
                "detail %" PRIu64 " names event %" PRIu32 ", which has no detail", scan->count,
                d->index_seq);
    else
        FINDING(k, LINK_ORPHAN, scan->at + RECORD_INDEX_SEQ, 4,
                "detail %" PRIu64 " names event %" PRIu32 ", which links to detail %" PRIu32,
                scan->count, d->index_seq, e.detail_seq);
}

/* From the event to its detail, for events that the walk over the details does not reach: an
 * event that claims the detail of another. Forward links mostly ascend, so one walk over the
 * details keeps up; only backward links need the table. */
static int check_forward_links(struct atf_checker *k, struct ras_error *err)
{
    struct atf_thread *t = k->thread;
    size_t thread = (size_t)(t - k->session->threads);
    const uint8_t *events = atf_events(k->session, t);
    uint64_t details = atf_detail_walk(k->session, t)->count, seq = 0, at = t->detail.at;
    struct ras_atf_detail_event d;
    uint32_t part = k->part;
    k->part = (uint32_t)t->index_file.part;
    int status = RAS_OK;
    for (uint64_t i = 0; status >= 0 && i < t->index.count; i++) {
        uint32_t link = load_u32(events + i * RAS_ATF_INDEX_EVENT_SIZE + EVENT_DETAIL_SEQ);
        if (link == RAS_ATF_NO_DETAIL || link >= details)
            continue;
        if (link < seq)
            status = ras_atf_detail_at(k->session, thread, link, &d, err);
        for (; status >= 0 && link >= seq; seq++)
            status = ras_atf_detail_step(&t->detail, k->bytes, &at, &d);
        if (status == RAS_OK && d.index_seq != i)
            FINDING(k, LINK_ORPHAN, t->index.at + i * RAS_ATF_INDEX_EVENT_SIZE + EVENT_DETAIL_SEQ,
                    4, "event %" PRIu64 " links to detail %" PRIu32 ", which names event %" PRIu32,
                    i, link, d.index_seq);
    }
    k->part = part;
    return status < 0 ? status : RAS_OK;
}

/* ---- the whole -------------------------------------------------------------------- */

static void report_detail_tallies(struct atf_checker *k, const struct detail_scan *scan)
{
    if (scan->back.count)
        FINDING(k, k->production ? DETAIL_ORDER_PRODUCTION : DETAIL_ORDER,
                scan->back.first + RECORD_TIMESTAMP, 8,
                "%" PRIu64 " of %" PRIu64 " details step back in time", scan->back.count,
                scan->count);
    if (scan->thread.count)
        FINDING(k, DETAIL_THREAD, scan->thread.first + RECORD_THREAD_ID, 4,
                "%" PRIu64 " of %" PRIu64 " details have another thread_id than the header's %u",
                scan->thread.count, scan->count, k->thread->detail.header.thread_id);
    if (scan->lost.count)
        FINDING(k, LINK_LOST, scan->lost.first + RECORD_INDEX_SEQ, 4,
                "%" PRIu64 " of %" PRIu64 " details name events that were not stored",
                scan->lost.count, scan->count);
    if (scan->other_form.count)
        FINDING(k, k->production ? DETAIL_PAYLOAD_PRODUCTION : DETAIL_PAYLOAD,
                scan->other_form.first + RECORD_PAYLOAD, 0,
                "%" PRIu64 " of %" PRIu64 " payloads are of another form than the %s dialect's",
                scan->other_form.count, scan->count, k->production ? "production" : "spec");
}

static void check_detail_ranges(struct atf_checker *k, const struct detail_scan *scan)
{
    const struct ras_atf_detail_file *f = &k->thread->detail;
    const struct ras_atf_detail_header *h = &f->header;
    if (!scan->count)
        return;
    uint64_t found[2] = {scan->first_time, scan->last_time};
    uint64_t stated[2] = {f->footer.time_start_ns, f->footer.time_end_ns};
    if (f->footer_at != RAS_NONE)
        atf_check_times(k, FOOTER_TIME, f->footer_at + DETAIL_FOOTER_TIME_START, stated, found);
    if (h->event_count && scan->seq_min != RAS_NONE &&
        (h->index_seq_start != scan->seq_min || h->index_seq_end != scan->seq_max))
        FINDING(k, HEADER_SEQ_RANGE, DETAIL_SEQ_START, 16,
                "index_seq is %" PRIu64 " to %" PRIu64 ", the details name %" PRIu64 " to %" PRIu64,
                h->index_seq_start, h->index_seq_end, scan->seq_min, scan->seq_max);
}

int atf_check_details(struct atf_checker *k, struct ras_error *err)
{
    const struct atf *atf = k->trace->priv;
    struct atf_thread *t = k->thread;
    bool index = atf_index_ready(k->session, t);
    struct detail_scan scan = {.form = atf->form, .at = t->detail.at, .seq_min = RAS_NONE};
    struct ras_atf_detail_event d;
    for (uint64_t next = scan.at; ras_atf_detail_step(&t->detail, k->bytes, &next, &d) == RAS_OK;
         scan.at = next, scan.count++) {
        check_detail(k, &scan, &d);
        if (index)
            check_back_link(k, &scan, &d);
        if (!report_progress(k->report, k->done + scan.at))
            return RAS_OK;
    }
    check_detail_header(k, scan.count, scan.at);
    check_detail_footer(k, scan.count, scan.at);
    check_detail_ranges(k, &scan);
    atf_check_ending(k, true);
    report_detail_tallies(k, &scan);
    if (index && report_wants(k->report, &atf_rules[LINK_ORPHAN]))
        return check_forward_links(k, err);
    return RAS_OK;
}
