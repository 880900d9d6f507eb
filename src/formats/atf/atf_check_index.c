/* atf_check_index.c - the rules of an index.atf. */
#include "formats/atf/atf_check.h"

static void check_index_header(struct atf_checker *k)
{
    const struct atf_thread *t = k->thread;
    const struct ras_atf_index_header *h = &t->index.header;
    if (!ras_atf_arch_name(h->arch))
        FINDING(k, HEADER_CODES, HEADER_ARCH, 1, "arch is %u, not 1 or 2", h->arch);
    if (!ras_atf_os_name(h->os))
        FINDING(k, HEADER_CODES, HEADER_OS, 1, "os is %u, not 1 to 5", h->os);
    if (!ras_atf_clock_name(h->clock_type))
        FINDING(k, HEADER_CODES, INDEX_CLOCK_TYPE, 1, "clock_type is %u, not 1 to 3",
                h->clock_type);
    if (t->numbered && h->thread_id != t->thread_id)
        FINDING(k, HEADER_THREAD, HEADER_THREAD_ID, 4,
                "thread_id is %u, the directory is thread_%u", h->thread_id, t->thread_id);
    if (h->flags & ~RAS_ATF_HAS_DETAIL)
        FINDING(k, RESERVED_ZERO, HEADER_FLAGS, 4,
                "flags is 0x%08" PRIx32 ", only bit 0 is defined", h->flags);
    atf_check_zero(k, INDEX_RESERVED1, 3, "_reserved1");
    atf_check_zero(k, INDEX_RESERVED2, 4, "_reserved2");
}

/* What a finished header promises. A placeholder promises nothing; that it was left
 * is told by the footer that is missing or not where it says. */
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

/* A range that was never filled in is that of a placeholder, or of no events. */
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

struct scan {
    struct atf_tally back, thread, depth, lost, dangling;
    uint64_t zeros_from; /* first of an unbroken row of zero events, RAS_NONE: none */
    uint64_t details;    /* how many there are */
    bool details_sealed;
    uint64_t opened, matched, unmatched_first;
    struct ras_atf_index_event last;
};

static void check_index_event(struct atf_checker *k, struct scan *scan, uint64_t i, uint64_t at,
                              const struct ras_atf_index_event *e)
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

static void report_index_tallies(struct atf_checker *k, const struct scan *scan)
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

/* Calls and returns that have no partner, told once. */
static void check_calls(struct atf_checker *k)
{
    const struct ras_atf_index_file *f = &k->thread->index;
    struct ras_atf_stack *stack = ras_atf_stack_new();
    struct ras_atf_span span;
    struct atf_tally calls = {0}, returns = {0};
    int status = stack ? RAS_OK : RAS_EMEMORY;
    for (uint64_t i = 0; status >= 0 && i <= f->count; i++) {
        struct ras_atf_index_event e;
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
    bool alone = !source_is_dir(k->session->source); /* its details are elsewhere */
    struct scan scan = {.zeros_from = RAS_NONE,
                        .details = details ? atf_detail_walk(k->session, t)->count
                                   : alone ? UINT64_MAX
                                           : 0,
                        .details_sealed = atf_file_sealed(k, true) && atf_file_sealed(k, false)};
    for (uint64_t i = 0; i < f->count; i++) {
        struct ras_atf_index_event e = atf_event(k->bytes.at + event_at(k, i));
        check_index_event(k, &scan, i, event_at(k, i), &e);
        if (!report_progress(k->report, k->done + event_at(k, i)))
            return;
    }
    report_index_tallies(k, &scan);
    check_calls(k);
}
