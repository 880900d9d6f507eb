/* aerogpu_read.c - a trace as records: packets, blobs, submissions with their commands, and each
 * frame when it closes.
 *
 * Records are followed by their own lengths up to the TOC's magic, so that a file reads the same
 * while it is written and afterwards, and a crash loses no complete record. Only where they cannot
 * be followed the footer is used: the trace ends there, or continues with the next frame of the
 * TOC. */
#include "formats/aerogpu/aerogpu_driver.h"

/* ---- the TOC ------------------------------------------------------------------------- */

void aero_seal_find(struct aero_seal *s, struct ras_bytes file, uint64_t body)
{
    if (s->searched && s->size == file.len)
        return;
    *s = (struct aero_seal){.size = file.len, .searched = true};
    int status = ras_aero_footer_get(file, &s->footer, &s->why);
    s->claimed =
        file.len >= RAS_AERO_FOOTER_SIZE &&
        aero_magic_begins(aero_slice(file, file.len - RAS_AERO_FOOTER_SIZE, RAS_AERO_FOOTER_SIZE),
                          AERO_MAGIC_FOOTER);
    if (status == RAS_OK)
        status = ras_aero_toc_get(file, &s->footer, &s->toc, &s->why);
    if (status == RAS_OK && s->footer.toc_offset < body)
        status =
            fail(&s->why, RAS_EFORMAT, file.len - 16,
                 "TOC at %" PRIu64 ", the records start at %" PRIu64, s->footer.toc_offset, body);
    s->sealed = status == RAS_OK;
}

uint64_t aero_second_trace(struct ras_bytes file, uint64_t toc)
{
    struct in in = in_bytes(aero_slice(file, toc, UINT64_MAX));
    struct ras_aero_toc t;
    struct ras_aero_footer f;
    if (!aero_toc_get(&in, &t))
        return RAS_NONE;
    in_take(&in, (uint64_t)t.frame_count * RAS_AERO_TOC_ENTRY_SIZE);
    if (!aero_footer_get(&in, &f))
        return RAS_NONE;
    uint64_t at = (uint64_t)(in.at - file.at);
    return aero_magic_get(&in, AERO_MAGIC_HEADER) ? at : RAS_NONE;
}

const char *aero_entry_fault(const struct ras_aero_frame *f, uint64_t body, uint64_t toc_offset)
{
    if (f->start_offset < body || f->start_offset > toc_offset)
        return "start_offset lies outside the records";
    if (f->end_offset < f->start_offset || f->end_offset > toc_offset)
        return "end_offset is before the start or after the records";
    if (f->present_offset &&
        (f->present_offset < f->start_offset || f->present_offset > f->end_offset))
        return "present_offset lies outside the frame";
    return NULL;
}

bool aero_seal_ordered(struct aero_seal *s, struct ras_bytes file, uint64_t body)
{
    if (s->ordered_known)
        return s->ordered;
    s->ordered_known = true;
    s->ordered = s->sealed;
    struct ras_aero_frame last = {0};
    for (uint32_t i = 0; s->ordered && i < s->toc.frame_count; i++) {
        struct ras_aero_frame f = ras_aero_toc_entry(file, &s->footer, i);
        s->ordered =
            !aero_entry_fault(&f, body, s->footer.toc_offset) &&
            (i == 0 || (f.frame_index > last.frame_index && f.start_offset > last.start_offset));
        last = f;
    }
    return s->ordered;
}

/* No BeginFrame among the records from `at` to `to`. */
static bool frameless(struct ras_bytes file, uint64_t at, uint64_t to)
{
    struct ras_aero_record r;
    struct ras_bytes records = aero_slice(file, 0, to);
    int status;
    while ((status = ras_aero_record_get(records, &at, &r, NULL)) == RAS_OK)
        if (r.record_type == RAS_AERO_BEGIN_FRAME)
            return false;
    return status == RAS_END;
}

/* Whether the entries can be searched and every frame of the stream has one; checked once. */
static bool seal_covers_all(struct aero_seal *s, struct ras_bytes file, uint64_t body)
{
    if (s->covers_known)
        return s->covers;
    s->covers_known = true;
    s->covers = aero_seal_ordered(s, file, body);
    uint64_t at = body;
    for (uint32_t i = 0; s->covers && i < s->toc.frame_count; i++) {
        struct ras_aero_frame f = ras_aero_toc_entry(file, &s->footer, i);
        s->covers = f.start_offset >= at && frameless(file, at, f.start_offset);
        at = f.end_offset;
    }
    s->covers = s->covers && frameless(file, at, s->footer.toc_offset);
    return s->covers;
}

uint32_t aero_toc_after(const struct aero_seal *s, struct ras_bytes file, uint64_t offset)
{
    uint32_t low = 0, high = s->toc.frame_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ras_aero_toc_entry(file, &s->footer, mid).start_offset <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The first frame entry with an index from `index` on; frame_count when there is none. Only where
 * ordered. */
static uint32_t toc_frame_from(const struct aero_seal *s, struct ras_bytes file, uint32_t index)
{
    uint32_t low = 0, high = s->toc.frame_count;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ras_aero_toc_entry(file, &s->footer, mid).frame_index < index)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* ---- records ------------------------------------------------------------------------- */

static bool is_spread(const struct ras_cursor *c)
{
    return source_is_spread(c->trace->source);
}

/* What is read next is there now; only a server can fail, which ends the step. */
static bool reach(const struct ras_cursor *c, uint64_t from, uint64_t to)
{
    return source_need(c->trace->source, 0, from, to, NULL, NULL) == RAS_OK;
}

static struct ras_bytes cursor_file(const struct ras_cursor *c)
{
    if (is_spread(c)) /* c->in ends before what was not fetched */
        return source_arrived(c->trace->source, 0);
    return (struct ras_bytes){c->base, (size_t)(c->in.end - c->base)};
}

static struct aero_seal *seal_of(const struct ras_cursor *c)
{
    struct aero *t = c->trace->priv;
    struct ras_bytes file = cursor_file(c);
    struct ras_aero_footer f;
    uint64_t end = file.len > RAS_AERO_FOOTER_SIZE ? file.len - RAS_AERO_FOOTER_SIZE : 0;
    if (is_spread(c) && reach(c, 0, RAS_AERO_HEADER_SIZE) && reach(c, end, file.len) &&
        ras_aero_footer_get(file, &f, NULL) == RAS_OK)
        (void)reach(c, f.toc_offset, file.len);
    aero_seal_find(&t->seal, file, c->trace->body);
    return &t->seal;
}

/* ---- of a spread source --------------------------------------------------------- */

/* c->in ends where the bytes from the cursor on do that are there: a step that comes to this end
 * has more fetched. By index it ends with the range. */
enum { AERO_WINDOW = 512 };

/* The first record that the range does not need: the frame after it. */
static uint64_t range_end(struct ras_cursor *c)
{
    const struct ras_scan *scan = &c->scan;
    struct ras_bytes file = cursor_file(c);
    if (!scan->by_index || scan->axis != RAS_AXIS_TICK || scan->to > UINT32_MAX)
        return file.len;
    struct aero_seal *s = seal_of(c);
    if (!aero_seal_ordered(s, file, c->trace->body))
        return file.len;
    uint32_t i = toc_frame_from(s, file, (uint32_t)scan->to);
    return i < s->toc.frame_count ? ras_aero_toc_entry(file, &s->footer, i).start_offset : file.len;
}

/* False: there is no more, or it cannot be fetched. */
static bool widen(struct ras_cursor *c, uint64_t to)
{
    uint64_t end = (uint64_t)(c->in.end - c->base);
    uint64_t last = is_spread(c) ? range_end(c) : end;
    if (end >= last)
        return false;
    to = to > end + AERO_WINDOW ? to : end + AERO_WINDOW;
    to = to < last ? to : last;
    if (!reach(c, end, to))
        return false;
    c->in.end = c->base + to;
    return true;
}

/* After c->in was set: it ends at the cursor, and what a mark leads back to is there. */
static void end_at_cursor(struct ras_cursor *c)
{
    const struct aero_cursor *a = c->priv;
    const struct aero *t = c->trace->priv;
    if (!is_spread(c) || t->shape != AERO_CONTAINER)
        return;
    if (a->tick_flag && a->frame_start < cursor_offset(c))
        (void)reach(c, a->frame_start, cursor_offset(c));
    if (a->pending)
        (void)reach(c, a->stream, a->stream + a->limit);
    c->in.end = c->in.at;
}

/* The range ends here: what follows is not fetched. */
static bool ends_range(struct ras_cursor *c)
{
    if (!c->scan.by_index || cursor_offset(c) < range_end(c) ||
        cursor_offset(c) >= cursor_file(c).len)
        return false;
    cursor_stop_collecting(c);
    c->sealed = true;
    return true;
}

/* ---- where the records end ------------------------------------------------------ */

/* The end of a sealed trace: complete, unless its TOC is inconsistent. */
static enum step end_sealed(struct ras_cursor *c, const struct aero_seal *s)
{
    struct ras_bytes all = cursor_file(c);
    c->sealed = !source_growing(c->trace->source); /* a pipe may deliver more until it closes */
    for (uint32_t i = 0; i < s->toc.frame_count; i++) {
        struct ras_aero_frame f = ras_aero_toc_entry(all, &s->footer, i);
        const char *fault = aero_entry_fault(&f, c->trace->body, s->footer.toc_offset);
        if (!fault)
            continue;
        ending_note(c, RAS_UNSEALED, 0, cursor_offset(c), "TOC entry %" PRIu32 ": %s", i, fault);
        break;
    }
    c->in.at = c->in.end;
    return STEP_END;
}

/* The end of a trace without a valid footer, at a record boundary. */
static enum step end_unsealed(struct ras_cursor *c, const struct aero_seal *s)
{
    uint64_t at = cursor_offset(c), left = in_left(&c->in);
    struct in in = c->in;
    struct ras_aero_toc toc;
    struct ras_aero_footer footer;
    bool toc_there = aero_toc_get(&in, &toc) &&
                     in_take(&in, (uint64_t)toc.frame_count * RAS_AERO_TOC_ENTRY_SIZE);
    uint64_t after = in_left(&in);
    if (!left)
        ending_note(c, RAS_UNSEALED, 0, at, "no TOC and no footer follow the records");
    else if (!s->claimed && !toc_there)
        ending_note(c, RAS_UNSEALED, 0, at, "TOC breaks off after %" PRIu64 " bytes", left);
    else if (!s->claimed && after < RAS_AERO_FOOTER_SIZE)
        ending_note(c, RAS_UNSEALED, 0, at, "footer of 32 bytes, %" PRIu64 " are there", after);
    else if (!s->claimed && aero_footer_get(&in, &footer))
        ending_note(c, RAS_UNSEALED, 0, at, "%" PRIu64 " byte%s the footer", in_left(&in),
                    in_left(&in) == 1 ? " follows" : "s follow");
    else
        ending_note(c, RAS_UNSEALED, 0, at, "%s", s->why.text);
    return STEP_END;
}

bool aero_closes(struct ras_bytes rest)
{
    return aero_magic_begins(rest, AERO_MAGIC_TOC) || aero_magic_begins(rest, AERO_MAGIC_FOOTER);
}

static bool closing_here(const struct ras_cursor *c)
{
    return aero_closes((struct ras_bytes){c->in.at, (size_t)in_left(&c->in)});
}

uint64_t aero_resume_at(struct aero_seal *s, struct ras_bytes file, uint64_t body, uint64_t at)
{
    if (aero_seal_ordered(s, file, body)) {
        uint32_t i = aero_toc_after(s, file, at);
        if (i < s->toc.frame_count)
            return ras_aero_toc_entry(file, &s->footer, i).start_offset;
    }
    return at < s->footer.toc_offset ? s->footer.toc_offset : file.len;
}

/* Skip damage up to the next frame in the TOC, or to the TOC. */
static enum step resume_behind(struct ras_cursor *c, struct aero_cursor *a, struct aero_seal *s,
                               const char *why)
{
    uint64_t at = cursor_offset(c);
    uint64_t to = aero_resume_at(s, cursor_file(c), c->trace->body, at);
    c->in.at = c->base + to;
    a->tick_flag = 0;
    return gap_record(c, at, to - at, RAS_NONE, "%s", why);
}

/* More bytes may come: unexpected last bytes mean nothing yet. */
static bool more_may_come(const struct ras_cursor *c, const struct aero_seal *s)
{
    const struct source *source = c->trace->source;
    return source_growing(source) || (c->scan.follow && source_can_grow(source) && !s->sealed);
}

/* Another header after the TOC and its footer: two traces in one file. */
static enum step second_trace(struct ras_cursor *c, const struct aero_seal *s, uint64_t second)
{
    uint64_t left = cursor_file(c).len - second;
    if (more_may_come(c, s))
        return cut(c, "a second trace begins at %" PRIu64, second);
    c->passed = second;
    return damaged(c, second,
                   "a second trace begins here: %" PRIu64 " bytes are not part of this one", left);
}

/* The records cannot be followed any further. */
static enum step stuck(struct ras_cursor *c, struct aero_cursor *a)
{
    if (ends_range(c))
        return STEP_END;
    if (widen(c, RAS_NONE)) /* where it goes on depends on all that follows */
        return aero_next(c);
    struct aero_seal *s = seal_of(c);
    uint64_t at = cursor_offset(c), after = at;
    bool here = s->claimed && at == s->footer.toc_offset;
    if (s->sealed && (here || at == cursor_file(c).len))
        return end_sealed(c, s);
    uint64_t second = s->sealed ? RAS_NONE : aero_second_trace(cursor_file(c), at);
    if (second != RAS_NONE)
        return second_trace(c, s, second);
    if (!s->sealed && (here || closing_here(c)))
        return end_unsealed(c, s);
    struct ras_aero_record r;
    struct ras_error why;
    uint64_t end =
        s->sealed && at < s->footer.toc_offset ? s->footer.toc_offset : cursor_file(c).len;
    if (ras_aero_record_get(aero_slice(cursor_file(c), 0, end), &after, &r, &why) == RAS_OK)
        fail(&why, RAS_EFORMAT, at, "TOC or footer, which does not belong here");
    if (more_may_come(c, s) || !s->claimed)
        return cut(c, "%s", why.text);
    if (!s->sealed) /* the TOC is there, but not where the records end */
        return damaged(c, at, "%s", why.text);
    return resume_behind(c, a, s, why.text);
}

/* A complete record of an unknown type, or malformed. */
static enum step odd_record(struct ras_cursor *c, const uint8_t *start, const char *why)
{
    uint64_t at = (uint64_t)(start - c->base);
    uint64_t size = RAS_AERO_RECORD_HEADER_SIZE + (uint64_t)aero_len_at(start);
    const char *name = ras_aero_record_name(aero_type_at(start));
    c->in.at = start + size;
    if (!name)
        return gap_record(c, at, size, 1, "record of unknown type 0x%02x", aero_type_at(start));
    return gap_record(c, at, size, 1, "%s record: %s", name, why);
}

/* Eight zero bytes or more, which a crash leaves in a file that was extended before it was written.
 * Inside a file they are one gap, not one for each eight. */
static enum step zeros(struct ras_cursor *c)
{
    struct ras_bytes rest = {c->in.at, (size_t)in_left(&c->in)};
    uint64_t at = cursor_offset(c), n = aero_zeros(rest);
    if (n == rest.len && widen(c, RAS_NONE))
        return aero_next(c);
    if (n == rest.len && more_may_come(c, seal_of(c)))
        return cut(c, "%" PRIu64 " zero bytes", n);
    if (n == rest.len)
        return damaged(c, at, "%" PRIu64 " zero bytes up to the end", n);
    n -= n % RAS_AERO_RECORD_HEADER_SIZE;
    c->in.at += n;
    return gap_record(c, at, n, RAS_NONE, "%" PRIu64 " zero bytes", n);
}

/* The unusual case: too few bytes, an unknown type, the end. */
static enum step unusual(struct ras_cursor *c, struct aero_cursor *a)
{
    const uint8_t *p = c->in.at;
    uint64_t left = in_left(&c->in);
    uint64_t wanted = RAS_AERO_RECORD_HEADER_SIZE;
    if (left >= wanted && !closing_here(c))
        wanted += aero_len_at(p);
    if (left < wanted && widen(c, cursor_offset(c) + wanted))
        return aero_next(c);
    if (left < RAS_AERO_RECORD_HEADER_SIZE || aero_len_at(p) > left - RAS_AERO_RECORD_HEADER_SIZE ||
        closing_here(c))
        return stuck(c, a);
    if (aero_type_at(p) == 0 && aero_zeros((struct ras_bytes){p, 8}) == 8)
        return zeros(c);
    if (aero_len_at(p) > a->record_limit)
        return odd_record(c, p, "its payload exceeds the limit of a record");
    return odd_record(c, p, "version 1 has no such type");
}

/* ---- next ------------------------------------------------------------------------ */

/* A record that is delivered, at `start`; c->in is after it. */
static enum step record(struct ras_cursor *c, struct aero_cursor *a, const uint8_t *start,
                        struct ras_bytes payload)
{
    struct ras_aero_blob b;
    struct ras_aero_submission s;
    struct ras_error why;
    if (aero_type_at(start) == RAS_AERO_BLOB) {
        if (ras_aero_blob_get(payload, &b, &why) == RAS_OK)
            return aero_blob_record(c, a, start, &b);
    } else if (ras_aero_submission_get(payload, &s, &why) == RAS_OK) {
        return aero_submission_record(c, a, start, &s);
    }
    return odd_record(c, start, why.text);
}

/* Pass a frame marker. True: the frame is complete and is delivered. A step may read the same
 * markers again, so a Present does not close a frame that begins after it. */
static bool frame_marker(struct ras_cursor *c, struct aero_cursor *a, const uint8_t *start,
                         struct ras_bytes payload)
{
    uint64_t at = (uint64_t)(start - c->base);
    if (aero_type_at(start) == RAS_AERO_PRESENT)
        return a->tick_flag && a->frame_start < at;
    struct in in = in_bytes(payload);
    a->frame_index = in_u32(&in);
    a->frame_start = at;
    a->tick_flag = RAS_HAS_TICK;
    return false;
}

static enum step pending(struct ras_cursor *c, struct aero_cursor *a)
{
    if (a->pending == AERO_BARE)
        return aero_bare_next(c);
    return a->pending == AERO_TEXT_OF ? aero_shader_record(c, a) : aero_next_pending(c, a);
}

/* A Packet that is not a packet of Appendix A: a stream, or unreadable. */
static enum step odd_packet(struct ras_cursor *c, struct aero_cursor *a, const uint8_t *start,
                            struct ras_bytes payload)
{
    aero_begin(c, a, AERO_PACKET_TYPE, start, RAS_AERO_RECORD_HEADER_SIZE + payload.len, RAS_NONE);
    if (ras_aero_is_stream(payload))
        aero_await_stream(c, a, payload);
    return c->views[AERO_PACKET_TYPE].values ? aero_packet_values(c) : STEP_RECORD;
}

/* Every record that the fast path of aero_next does not handle. */
static __attribute__((noinline)) enum step next_any(struct ras_cursor *c, struct aero_cursor *a)
{
    if (a->pending)
        return pending(c, a);
    for (;;) {
        const uint8_t *p = c->in.at;
        if (!aero_is_usual(a, p, in_left(&c->in)))
            return unusual(c, a);
        struct ras_bytes payload = {p + RAS_AERO_RECORD_HEADER_SIZE, aero_len_at(p)};
        if (aero_type_at(p) == RAS_AERO_PACKET && aero_is_packet(payload.at, aero_len_at(p)))
            return aero_next(c);
        c->in.at = payload.at + payload.len;
        if (aero_type_at(p) == RAS_AERO_PACKET)
            return odd_packet(c, a, p, payload);
        if (aero_type_at(p) >= RAS_AERO_BLOB)
            return record(c, a, p, payload);
        if (payload.len != 4)
            return odd_record(c, p, "its payload is not a frame_index of 4 bytes");
        if (frame_marker(c, a, p, payload))
            return aero_frame_record(c, a, p);
        c->passed = cursor_offset(c);
    }
}

/* The command that the packet before it is, where its values are not wanted: the record of the
 * packet has its frame already. All other records go the long way. */
static int give_command(struct ras_cursor *c, const struct ras_record **record,
                        struct ras_error *err)
{
    struct aero_cursor *a = c->priv;
    if (a->pending != AERO_ONE || c->generation != *c->source_generation)
        return cursor_deliver(c, record, err);
    a->pending = AERO_NOTHING;
    c->record.parent = a->parent;
    c->record.seq = c->seq++;
    c->record.offset = a->stream;
    c->record.raw = c->base + a->stream;
    c->record.raw_len = a->limit;
    c->record.schema = AERO_COMMAND_TYPE;
    *record = &c->record;
    return RAS_OK;
}

/* The fast path: a packet of Appendix A, then the one command that it is. */
enum step aero_next(struct ras_cursor *c)
{
    struct aero_cursor *a = c->priv;
    const uint8_t *p = c->in.at;
    if (a->pending == AERO_ONE) {
        a->pending = AERO_NOTHING;
        aero_begin(c, a, AERO_COMMAND_TYPE, c->base + a->stream, a->limit, a->parent);
        return c->views[AERO_COMMAND_TYPE].values ? aero_one_values(c) : STEP_RECORD;
    }
    if (a->pending || !aero_is_usual(a, p, in_left(&c->in)) || aero_type_at(p) != RAS_AERO_PACKET ||
        !aero_is_packet(p + RAS_AERO_RECORD_HEADER_SIZE, aero_len_at(p)))
        return next_any(c, a);
    a->limit = aero_len_at(p);
    aero_begin(c, a, AERO_PACKET_TYPE, p, RAS_AERO_RECORD_HEADER_SIZE + (uint64_t)a->limit,
               RAS_NONE);
    c->in.at = p + RAS_AERO_RECORD_HEADER_SIZE + a->limit;
    a->pending = AERO_ONE;
    a->stream = c->record.offset + RAS_AERO_RECORD_HEADER_SIZE;
    a->parent = c->seq;
    if (c->plain && !c->live && c->deliver == cursor_deliver && !c->views[AERO_COMMAND_TYPE].values)
        c->deliver = give_command;
    return c->views[AERO_PACKET_TYPE].values ? aero_packet_values(c) : STEP_RECORD;
}

int aero_start(struct ras_cursor *c, struct ras_error *err)
{
    struct aero_cursor *a = c->priv;
    const struct aero *t = c->trace->priv;
    if (!cursor_enter(c, 0, c->trace->body))
        return fail(err, RAS_EIO, RAS_NONE, "%s", c->why);
    uint64_t most = UINT32_MAX - RAS_AERO_RECORD_HEADER_SIZE;
    a->pending = t->shape == AERO_CONTAINER ? AERO_NOTHING : AERO_BARE;
    a->types = t->v1 ? RAS_AERO_BLOB : RAS_AERO_SUBMISSION;
    a->record_limit =
        (uint32_t)(c->trace->limits.record_bytes < most ? c->trace->limits.record_bytes : most);
    end_at_cursor(c);
    for (uint32_t i = 0; i < c->trace->schema_count; i++)
        (void)cursor_view(c, i); /* so that the fast path need not check */
    return c->view_count < c->trace->schema_count ? fail_memory(err) : RAS_OK;
}

/* The record at an entry's start is a BeginFrame of the entry's index. */
static bool entry_holds(const struct ras_cursor *c, struct ras_bytes all,
                        const struct ras_aero_frame *f)
{
    enum { MARKER = RAS_AERO_RECORD_HEADER_SIZE + 4 };
    struct ras_aero_record r;
    uint32_t index;
    uint64_t at = f->start_offset;
    return reach(c, at, at + MARKER) && all.len - at >= MARKER &&
           aero_len_at(all.at + at) <= MARKER - RAS_AERO_RECORD_HEADER_SIZE &&
           ras_aero_record_get(all, &at, &r, NULL) == RAS_OK &&
           r.record_type == RAS_AERO_BEGIN_FRAME &&
           ras_aero_frame_index_get(r.payload, &index, NULL) == RAS_OK && index == f->frame_index;
}

/* Nothing that a range from entry `i` on would miss is before it: the TOC may lack a frame. To
 * check all of a spread source would fetch it. */
static bool follows(const struct ras_cursor *c, const struct aero_seal *s, struct ras_bytes all,
                    uint32_t i)
{
    uint64_t from = i ? ras_aero_toc_entry(all, &s->footer, i - 1).end_offset : c->trace->body;
    uint64_t to = i < s->toc.frame_count ? ras_aero_toc_entry(all, &s->footer, i).start_offset
                                         : s->footer.toc_offset;
    return from <= to && reach(c, from, to) && frameless(all, from, to);
}

bool aero_seek(struct ras_cursor *c, enum ras_axis axis, uint64_t to)
{
    struct aero_cursor *a = c->priv;
    const struct aero *t = c->trace->priv;
    struct ras_bytes all = cursor_file(c);
    if (axis != RAS_AXIS_TICK || t->shape != AERO_CONTAINER)
        return false;
    struct aero_seal *s = seal_of(c);
    if (is_spread(c) ? !aero_seal_ordered(s, all, c->trace->body)
                     : !seal_covers_all(s, all, c->trace->body))
        return false;
    uint64_t at = s->footer.toc_offset;
    uint32_t i = to > UINT32_MAX ? s->toc.frame_count : toc_frame_from(s, all, (uint32_t)to);
    if (is_spread(c) && !follows(c, s, all, i))
        return false;
    if (i < s->toc.frame_count) {
        struct ras_aero_frame f = ras_aero_toc_entry(all, &s->footer, i);
        if (!entry_holds(c, all, &f))
            return false; /* the TOC is wrong: walk */
        at = f.start_offset;
    }
    if (!cursor_enter(c, 0, at))
        return false;
    c->seq = at == c->trace->body ? 0 : RAS_NONE;
    a->tick_flag = 0;
    a->pending = AERO_NOTHING;
    a->recent_count = 0;
    end_at_cursor(c);
    return true;
}

void aero_save(const struct ras_cursor *c, struct ras_mark *mark)
{
    const struct aero_cursor *a = c->priv;
    mark->state[0] = a->frame_start;
    mark->state[1] = (uint64_t)a->frame_index << 32 | (uint64_t)a->tick_flag << 8 | a->pending;
    mark->state[2] = a->stream;
    mark->state[3] = (uint64_t)a->at << 32 | a->limit;
    mark->state[4] = a->parent;
}

void aero_load(struct ras_cursor *c, const struct ras_mark *mark)
{
    struct aero_cursor *a = c->priv;
    a->frame_start = mark->state[0];
    a->frame_index = (uint32_t)(mark->state[1] >> 32);
    a->tick_flag = mark->state[1] >> 8 & RAS_HAS_TICK;
    a->pending = (uint8_t)mark->state[1];
    a->stream = mark->state[2];
    a->at = (uint32_t)(mark->state[3] >> 32);
    a->limit = (uint32_t)mark->state[3];
    a->parent = mark->state[4];
    a->recent_count = 0;
    end_at_cursor(c);
}
