/* atf_file.c - what the files of a thread hold and how they end: index.atf, detail.atf, lane.ring.
 */
#include "base/error.h"
#include "formats/atf/atf_driver.h"
#include "formats/atf/atf_file.h"

const char *ras_atf_counted_name(enum ras_atf_counted counted)
{
    static const char *const names[] = {"footer", "footer at the end of the file", "header",
                                        "file size"};
    return (unsigned)counted < sizeof names / sizeof *names ? names[counted] : "unknown";
}

static struct ras_bytes rest(struct ras_bytes bytes, uint64_t at)
{
    return (struct ras_bytes){bytes.at + at, bytes.len - (size_t)at};
}

/* Both headers begin with the same fields. */
static int check_identity(const uint8_t magic[4], const char *want, unsigned endian,
                          unsigned version, struct ras_error *err)
{
    if (memcmp(magic, want, 4))
        return fail(err, RAS_EFORMAT, HEADER_MAGIC,
                    "magic is %02x %02x %02x %02x, not that of \"%s\"", magic[0], magic[1],
                    magic[2], magic[3], want);
    if (endian != RAS_ATF_LITTLE_ENDIAN)
        return fail(err, RAS_EFORMAT, HEADER_ENDIAN, "endian is %u, only 1 (little) is specified",
                    endian);
    if (version != RAS_ATF_VERSION)
        return fail(err, RAS_EVERSION, HEADER_VERSION, "%s version is %u, only 1 is specified",
                    want, version);
    return RAS_OK;
}

static int check_offset(uint64_t events_offset, uint64_t size, uint64_t at, struct ras_error *err)
{
    if (events_offset < RAS_ATF_HEADER_SIZE)
        return fail(err, RAS_EFORMAT, at, "events_offset is %" PRIu64 ", inside the header of 64",
                    events_offset);
    if (events_offset > size)
        return fail(err, RAS_ECUT, at, "events_offset is %" PRIu64 ", the file ends at %" PRIu64,
                    events_offset, size);
    return RAS_OK;
}

/* ---- index -------------------------------------------------------------- */

static bool footer_fits(const struct ras_atf_index_file *f, struct ras_bytes bytes, uint64_t at)
{
    return at >= f->at && at <= bytes.len && bytes.len - at >= RAS_ATF_FOOTER_SIZE &&
           atf_magic_at(bytes, at, ATF_INDEX_FOOTER_MAGIC);
}

/* A crash while the footer is written leaves its first half where an event could be. It is
 * recognised by its magic and, if that much was written, by its count of the events before it. */
static bool half_footer(const struct ras_atf_index_file *f, struct ras_bytes bytes, uint64_t at)
{
    uint64_t before = (at - f->at) / RAS_ATF_INDEX_EVENT_SIZE;
    return atf_magic_at(bytes, at, ATF_INDEX_FOOTER_MAGIC) &&
           (bytes.len - at < 16 || load_u64(bytes.at + at + INDEX_FOOTER_COUNT) == before);
}

static void count_by_size(struct ras_atf_index_file *f, struct ras_bytes bytes)
{
    f->counted = RAS_ATF_BY_SIZE;
    f->limit = bytes.len;
    uint64_t whole = (bytes.len - f->at) / RAS_ATF_INDEX_EVENT_SIZE;
    uint64_t end = f->at + whole * RAS_ATF_INDEX_EVENT_SIZE;
    if (half_footer(f, bytes, end))
        f->limit = end;
    else if (whole && half_footer(f, bytes, end - RAS_ATF_INDEX_EVENT_SIZE))
        f->limit = end - RAS_ATF_INDEX_EVENT_SIZE;
    f->promised = f->header.event_count;
}

static bool header_is_final(const struct ras_atf_index_file *f, uint64_t size)
{
    const struct ras_atf_index_header *h = &f->header;
    uint64_t length = (uint64_t)h->event_count * RAS_ATF_INDEX_EVENT_SIZE;
    return h->event_count && h->footer_offset <= size && h->footer_offset >= f->at &&
           h->footer_offset - f->at == length;
}

static void find_count(struct ras_atf_index_file *f, struct ras_bytes bytes)
{
    uint64_t last = bytes.len - RAS_ATF_FOOTER_SIZE; /* the header alone has that length */
    if (footer_fits(f, bytes, f->header.footer_offset)) {
        f->counted = RAS_ATF_BY_FOOTER;
        f->footer_at = f->header.footer_offset;
    } else if (footer_fits(f, bytes, last)) {
        f->counted = RAS_ATF_BY_LAST_BYTES;
        f->footer_at = last;
    } else if (header_is_final(f, bytes.len)) {
        f->counted = RAS_ATF_BY_HEADER;
        f->limit = f->header.footer_offset;
        f->promised = f->header.event_count;
    } else {
        count_by_size(f, bytes);
    }
    if (f->footer_at != RAS_NONE &&
        ras_atf_index_footer_get(rest(bytes, f->footer_at), &f->footer)) {
        f->limit = f->footer_at;
        f->promised = f->footer.event_count;
    }
}

int ras_atf_index_open(struct ras_atf_index_file *out, struct ras_bytes bytes,
                       struct ras_error *err)
{
    struct ras_atf_index_file f = {.footer_at = RAS_NONE};
    if (!ras_atf_index_header_get(bytes, &f.header)) {
        if (bytes.len >= 4 && !atf_magic_at(bytes, 0, ATF_INDEX_MAGIC))
            return fail(err, RAS_EFORMAT, 0, "not an ATF index file");
        return fail(err, RAS_ECUT, bytes.len, "file of %zu bytes ends inside its header of 64",
                    bytes.len);
    }
    const struct ras_atf_index_header *h = &f.header;
    int status = check_identity(h->magic, ATF_INDEX_MAGIC, h->endian, h->version, err);
    if (status == RAS_OK && h->event_size != RAS_ATF_INDEX_EVENT_SIZE)
        status = fail(err, RAS_EFORMAT, INDEX_EVENT_SIZE, "event_size is %u, only 32 is specified",
                      h->event_size);
    if (status == RAS_OK)
        status = check_offset(h->events_offset, bytes.len, INDEX_EVENTS_OFFSET, err);
    if (status < 0)
        return status;
    f.at = h->events_offset;
    find_count(&f, bytes);
    f.count = (f.limit - f.at) / RAS_ATF_INDEX_EVENT_SIZE;
    /* The footer is the authority, but where the bytes contradict it the header decides. */
    if (f.footer_at != RAS_NONE && f.promised < f.count && f.promised &&
        f.promised == h->event_count)
        f.count = f.promised;
    f.end = f.at + f.count * RAS_ATF_INDEX_EVENT_SIZE;
    *out = f;
    return RAS_OK;
}

/* No footer: either it was never written, or it was cut off with events before it. */
static void judge_by_size(const struct ras_atf_index_file *f, uint64_t size, struct atf_verdict *v)
{
    if (f->promised > f->count) {
        v->kind = RAS_CUT;
        snprintf(v->why, sizeof v->why, "header counts %s, the file ends after %" PRIu64,
                 ras_counted(f->promised, "event").text, f->count);
    } else if (f->limit < size) {
        v->kind = RAS_UNSEALED;
        snprintf(v->why, sizeof v->why, "ends inside the footer, after %" PRIu64 " of 64 bytes",
                 size - f->limit);
    } else if (f->end < size) {
        v->kind = RAS_CUT;
        snprintf(v->why, sizeof v->why,
                 "ends inside event %" PRIu64 ", after %" PRIu64 " of 32 bytes", f->count,
                 size - f->end);
    } else {
        v->kind = RAS_UNSEALED;
        snprintf(v->why, sizeof v->why, "no footer: %" PRIu64 " whole events up to the end",
                 f->count);
    }
}

static void judge_footer(const struct ras_atf_index_file *f, struct atf_verdict *v)
{
    bool others_agree = f->header.event_count == f->count ||
                        f->footer.bytes_written == f->count * RAS_ATF_INDEX_EVENT_SIZE;
    if (f->promised != f->count) {
        v->kind = others_agree || f->promised < f->count ? RAS_UNSEALED : RAS_DAMAGED;
        snprintf(v->why, sizeof v->why, "footer counts %s, %" PRIu64 " are there",
                 ras_counted(f->promised, "event").text, f->count);
    } else if (f->counted == RAS_ATF_BY_LAST_BYTES) {
        v->kind = RAS_UNSEALED;
        snprintf(v->why, sizeof v->why,
                 "header was not finished: footer at %" PRIu64 ", header says %" PRIu64,
                 f->footer_at, f->header.footer_offset);
    } else if (f->header.event_count != f->count) {
        v->kind = RAS_UNSEALED;
        snprintf(v->why, sizeof v->why, "header counts %s, footer %" PRIu64,
                 ras_counted(f->header.event_count, "event").text, f->count);
    }
}

struct atf_verdict atf_index_verdict(const struct ras_atf_index_file *f, uint64_t size)
{
    struct atf_verdict v = {.kind = RAS_COMPLETE, .offset = f->end};
    struct atf_gap gap;
    uint64_t sealed = f->limit + RAS_ATF_FOOTER_SIZE;
    if (f->counted == RAS_ATF_BY_SIZE) {
        judge_by_size(f, size, &v);
    } else if (atf_index_gap(f, &gap)) {
        v.kind = RAS_DAMAGED;
        memcpy(v.why, gap.why, sizeof gap.why);
    } else if (sealed < size) {
        v.kind = RAS_DAMAGED;
        v.offset = f->footer_at == RAS_NONE ? f->limit : sealed;
        snprintf(v.why, sizeof v.why, "%" PRIu64 " bytes after the %s", size - v.offset,
                 f->footer_at == RAS_NONE ? "events, and no footer" : "footer");
    } else if (f->counted == RAS_ATF_BY_HEADER) {
        v.kind = RAS_UNSEALED;
        snprintf(v.why, sizeof v.why, "no footer at %" PRIu64 ", where the header says", f->limit);
    } else {
        judge_footer(f, &v);
    }
    if (v.kind == RAS_COMPLETE)
        v.offset = size;
    return v;
}

bool atf_index_gap(const struct ras_atf_index_file *f, struct atf_gap *gap)
{
    if (f->footer_at == RAS_NONE || f->limit == f->end)
        return false;
    *gap = (struct atf_gap){f->end, f->limit - f->end, RAS_NONE, ""};
    snprintf(gap->why, sizeof gap->why,
             "%" PRIu64 " bytes between the last counted event and the footer", gap->length);
    return true;
}

/* ---- detail ------------------------------------------------------------- */

static bool detail_footer_fits(const struct ras_atf_detail_file *f, struct ras_bytes bytes,
                               uint64_t at)
{
    return at >= f->at && at <= bytes.len && bytes.len - at >= RAS_ATF_FOOTER_SIZE &&
           atf_magic_at(bytes, at, ATF_DETAIL_FOOTER_MAGIC);
}

/* The footer is by definition the last 64 bytes; after the length that a finished header states
 * it is found even when other bytes follow it. */
static void find_limit(struct ras_atf_detail_file *f, struct ras_bytes bytes)
{
    uint64_t last = bytes.len - RAS_ATF_FOOTER_SIZE;
    bool fits = f->header.bytes_length <= bytes.len - f->at;
    uint64_t stated = fits ? f->at + f->header.bytes_length : RAS_NONE;
    if (detail_footer_fits(f, bytes, last))
        f->footer_at = last;
    else if (f->header.event_count && fits && detail_footer_fits(f, bytes, stated))
        f->footer_at = stated;
    f->limit = bytes.len;
    if (f->footer_at != RAS_NONE) {
        f->limit = f->footer_at;
        if (!ras_atf_detail_footer_get(rest(bytes, f->footer_at), &f->footer))
            f->footer_at = RAS_NONE;
    } else if (f->header.event_count && fits && bytes.len - stated <= RAS_ATF_FOOTER_SIZE) {
        f->limit = stated; /* a footer that was cut short or overwritten follows */
    }
}

int ras_atf_detail_open(struct ras_atf_detail_file *out, struct ras_bytes bytes,
                        struct ras_error *err)
{
    struct ras_atf_detail_file f = {.footer_at = RAS_NONE};
    if (!ras_atf_detail_header_get(bytes, &f.header)) {
        if (bytes.len >= 4 && !atf_magic_at(bytes, 0, ATF_DETAIL_MAGIC))
            return fail(err, RAS_EFORMAT, 0, "not an ATF detail file");
        return fail(err, RAS_ECUT, bytes.len, "file of %zu bytes ends inside its header of 64",
                    bytes.len);
    }
    const struct ras_atf_detail_header *h = &f.header;
    int status = check_identity(h->magic, ATF_DETAIL_MAGIC, h->endian, h->version, err);
    if (status == RAS_OK)
        status = check_offset(h->events_offset, bytes.len, DETAIL_EVENTS_OFFSET, err);
    if (status < 0)
        return status;
    f.at = h->events_offset;
    find_limit(&f, bytes);
    *out = f;
    return RAS_OK;
}

int ras_atf_detail_step(const struct ras_atf_detail_file *f, struct ras_bytes bytes, uint64_t *at,
                        struct ras_atf_detail_event *out)
{
    uint64_t limit = f->limit < bytes.len ? f->limit : bytes.len;
    if (*at >= limit)
        return RAS_END;
    struct ras_bytes left = {bytes.at + *at, (size_t)(limit - *at)};
    if (!ras_atf_detail_event_get(left, out)) {
        bool known = left.len >= 4;
        return known && load_u32(left.at) < RAS_ATF_DETAIL_EVENT_SIZE ? RAS_EFORMAT : RAS_ECUT;
    }
    *at += out->total_length;
    return RAS_OK;
}

/* The rest of a footer when the file ends inside it. */
static bool half_detail_footer(struct ras_bytes bytes, uint64_t end, uint64_t count)
{
    if (bytes.len - end >= RAS_ATF_FOOTER_SIZE ||
        !atf_magic_at(bytes, end, ATF_DETAIL_FOOTER_MAGIC))
        return false;
    return bytes.len - end < 16 || load_u64(bytes.at + end + DETAIL_FOOTER_COUNT) == count;
}

static void judge_open(const struct ras_atf_detail_file *f, struct ras_bytes bytes, uint64_t end,
                       uint64_t count, struct atf_verdict *v)
{
    uint64_t left = bytes.len - end;
    v->kind = RAS_UNSEALED;
    if (f->limit < bytes.len || half_detail_footer(bytes, end, count)) {
        snprintf(v->why, sizeof v->why, "no footer at %" PRIu64 ", where the events end", end);
    } else if (left) {
        v->kind = RAS_CUT;
        snprintf(v->why, sizeof v->why,
                 "ends inside detail %" PRIu64 ", after %" PRIu64 " bytes of it", count, left);
    } else if (f->header.event_count > count) {
        v->kind = RAS_CUT;
        snprintf(v->why, sizeof v->why, "header counts %s, the file ends after %" PRIu64,
                 ras_counted(f->header.event_count, "detail").text, count);
    } else {
        snprintf(v->why, sizeof v->why, "no footer: %" PRIu64 " whole details up to the end",
                 count);
    }
}

/* A length that leads outside the file. */
static void say_length(char *why, size_t room, struct ras_bytes bytes, uint64_t end, uint64_t limit,
                       uint64_t count)
{
    snprintf(why, room, "detail %" PRIu64 " has length %" PRIu32 ", %" PRIu64 " bytes are left",
             count, bytes.len - end >= 4 ? load_u32(bytes.at + end) : 0, limit - end);
}

struct atf_verdict atf_detail_verdict(const struct ras_atf_detail_file *f, struct ras_bytes bytes,
                                      uint64_t end, uint64_t count)
{
    struct atf_verdict v = {.kind = RAS_COMPLETE, .offset = end};
    struct atf_gap gap;
    uint64_t sealed = f->footer_at + RAS_ATF_FOOTER_SIZE;
    bool short_length = f->limit - end >= 4 && load_u32(bytes.at + end) < RAS_ATF_DETAIL_EVENT_SIZE;
    if (atf_detail_gap(f, bytes, end, count, &gap) || short_length) {
        v.kind = RAS_DAMAGED;
        say_length(v.why, sizeof v.why, bytes, end, f->limit, count);
    } else if (f->footer_at == RAS_NONE) {
        judge_open(f, bytes, end, count, &v);
    } else if (sealed < bytes.len) {
        v.kind = RAS_DAMAGED;
        v.offset = sealed;
        snprintf(v.why, sizeof v.why, "%" PRIu64 " bytes after the footer", bytes.len - sealed);
    } else if (f->footer.event_count != count) {
        v.kind = RAS_UNSEALED;
        snprintf(v.why, sizeof v.why, "footer counts %s, %" PRIu64 " are there",
                 ras_counted(f->footer.event_count, "detail").text, count);
    } else if (f->header.event_count != count) {
        v.kind = RAS_UNSEALED;
        snprintf(v.why, sizeof v.why, "header was not finished: it counts %s, the footer %" PRIu64,
                 ras_counted(f->header.event_count, "detail").text, count);
    }
    if (v.kind == RAS_COMPLETE)
        v.offset = bytes.len;
    return v;
}

bool atf_detail_gap(const struct ras_atf_detail_file *f, struct ras_bytes bytes, uint64_t end,
                    uint64_t count, struct atf_gap *gap)
{
    bool delimited = f->footer_at != RAS_NONE || f->limit < bytes.len;
    if (!delimited || end >= f->limit)
        return false;
    uint64_t stated = f->footer_at != RAS_NONE ? f->footer.event_count : f->header.event_count;
    *gap = (struct atf_gap){end, f->limit - end, stated > count ? stated - count : RAS_NONE, ""};
    say_length(gap->why, sizeof gap->why, bytes, end, f->limit, count);
    return true;
}

/* ---- files that still grow ----------------------------------------------------------- */

/* Where the events of a file end depends on all of its bytes. While more may come, only those
 * events are reported that no continuation can take back: none that reaches into a possible
 * footer, none beyond what the header promises. So a file read while it grows gives what the
 * whole file gives. */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The first offset at which a footer that ends the file, now or later, may begin. */
static uint64_t footer_from(struct ras_bytes bytes, uint64_t at, const char *magic)
{
    uint64_t p = bytes.len > RAS_ATF_FOOTER_SIZE ? bytes.len - RAS_ATF_FOOTER_SIZE : 0;
    for (p = p > at ? p : at; p < bytes.len; p++)
        if (!memcmp(bytes.at + p, magic, (size_t)smaller(bytes.len - p, 4)))
            return p;
    return bytes.len;
}

/* Whether the magic is at `at`, or may still come there. */
static bool may_have(struct ras_bytes bytes, uint64_t at, const char *magic)
{
    if (at >= bytes.len)
        return true;
    return !memcmp(bytes.at + at, magic, (size_t)smaller(bytes.len - at, 4));
}

uint64_t atf_final_events(const struct ras_atf_index_file *f, struct ras_bytes bytes)
{
    const struct ras_atf_index_header *h = &f->header;
    uint64_t end = footer_from(bytes, f->at, ATF_INDEX_FOOTER_MAGIC);
    if (h->footer_offset >= f->at && may_have(bytes, h->footer_offset, ATF_INDEX_FOOTER_MAGIC))
        end = smaller(end, h->footer_offset);
    uint64_t count = (end - f->at) / RAS_ATF_INDEX_EVENT_SIZE;
    return h->event_count ? smaller(count, h->event_count) : count;
}

uint64_t atf_final_details(const struct ras_atf_detail_file *f, struct ras_bytes bytes)
{
    const struct ras_atf_detail_header *h = &f->header;
    uint64_t end = footer_from(bytes, f->at, ATF_DETAIL_FOOTER_MAGIC);
    if (!h->event_count || h->bytes_length > bytes.len - f->at)
        return end;
    uint64_t stated = f->at + h->bytes_length;
    bool passed = bytes.len - stated > RAS_ATF_FOOTER_SIZE &&
                  !may_have(bytes, stated, ATF_DETAIL_FOOTER_MAGIC);
    return passed ? end : smaller(end, stated);
}

/* ---- lanes of a durable recording ---------------------------------------------------- */

/* Values in a lane are not trusted: all are checked. */

uint64_t atf_ring_number(struct ras_bytes lane, unsigned field, bool *good)
{
    uint64_t at = load_u64(lane.at + field);
    if (at > lane.len || lane.len - at < sizeof(uint64_t)) {
        *good = false;
        return 0;
    }
    return load_u64(lane.at + at);
}

static bool is_ring(const struct atf_ring *r, uint64_t at, uint64_t count, uint64_t size)
{
    return count && !(count & (count - 1)) && at <= r->file.len &&
           count <= (r->file.len - at) / size;
}

bool atf_ring_open(struct atf_ring *r)
{
    const uint8_t *p = r->file.at;
    bool good = true;
    if (!atf_ring_is(r->file))
        return false;
    r->thread_id = load_u32(p + RING_THREAD_ID);
    r->events_at = load_u64(p + RING_EVENTS_AT);
    r->capacity = load_u64(p + RING_CAPACITY);
    r->detail_at = load_u64(p + RING_DETAIL_AT);
    r->detail_size = load_u64(p + RING_DETAIL_SIZE);
    r->head = atf_ring_number(r->file, RING_HEAD_AT, &good);
    r->tail = atf_ring_number(r->file, RING_TAIL_AT, &good);
    r->detail_head = atf_ring_number(r->file, RING_DETAIL_HEAD_AT, &good);
    r->detail_tail = atf_ring_number(r->file, RING_DETAIL_TAIL_AT, &good);
    r->detail_wrap = atf_ring_number(r->file, RING_DETAIL_WRAP_AT, &good);
    good = good && is_ring(r, r->events_at, r->capacity, RAS_ATF_INDEX_EVENT_SIZE) &&
           is_ring(r, r->detail_at, r->detail_size, 1) && r->tail <= r->head &&
           r->head - r->tail <= r->capacity && r->head < RAS_ATF_NO_DETAIL &&
           r->detail_tail <= r->detail_head && r->detail_head - r->detail_tail <= r->detail_size &&
           r->base.events <= r->tail && r->base.details < RAS_ATF_NO_DETAIL;
    r->head -= r->base.events;
    r->tail -= r->base.events;
    return good;
}

/* ---- unwritten events of a lane ------------------------------------------------------ */

bool atf_index_sealed(struct ras_atf_session *s, struct atf_thread *t)
{
    return t->index_file.part >= 0 && atf_index_ready(s, t) && t->index.footer_at != RAS_NONE;
}

static uint64_t stream_bytes(struct ras_bytes lane)
{
    bool good = true;
    uint64_t head = atf_ring_number(lane, RING_STREAM_HEAD_AT, &good);
    uint64_t tail = atf_ring_number(lane, RING_STREAM_TAIL_AT, &good);
    return good && head > tail ? head - tail : 0;
}

struct atf_pending atf_pending(struct ras_atf_session *s, struct atf_thread *t)
{
    struct atf_pending p = {.state = RING_NONE};
    struct atf_ring r = {0};
    if (!source_is_dir(s->source) || t->index_file.part < 0 || atf_index_sealed(s, t))
        return p;
    if (t->ring_part < 0) {
        p.state = s->has_rings && !atf_lane_is_elsewhere(s, t) ? RING_MISSING : RING_NONE;
        return p;
    }
    p.state = RING_BROKEN;
    if (source_load(s->source, (size_t)t->ring_part, NULL) < 0)
        return p;
    r.file = source_bytes(s->source, (size_t)t->ring_part);
    (void)atf_lane_base(s, t, &r.base);
    if (!atf_ring_open(&r))
        return p;
    uint64_t written = atf_index_ready(s, t) ? t->index.count : 0;
    p.tail = r.tail;
    p.events = r.head > written ? r.head - written : 0;
    p.bytes = stream_bytes(r.file);
    p.state = written < r.tail ? RING_APART : p.events || p.bytes ? RING_HOLDS : RING_WRITTEN;
    return p;
}

/* ---- how the files of a thread end --------------------------------------------------- */

static bool ready(struct ras_atf_session *s, struct atf_thread *t, bool detail)
{
    return detail ? atf_detail_ready(s, t) : atf_index_ready(s, t);
}

/* A file whose header cannot be read. A crash before the first flush leaves it empty, which
 * loses nothing that was ever stored. */
static struct atf_verdict refused(const struct ras_atf_session *s,
                                  const struct atf_thread_file *file)
{
    struct atf_verdict v = {.kind = RAS_DAMAGED, .offset = 0};
    if (file->status == RAS_ECUT)
        v.kind = source_bytes(s->source, (size_t)file->part).len ? RAS_CUT : RAS_UNSEALED;
    snprintf(v.why, sizeof v.why, "%.150s", file->error.text);
    return v;
}

bool atf_file_gap(struct ras_atf_session *s, struct atf_thread *t, bool detail, struct atf_gap *gap)
{
    if (!ready(s, t, detail))
        return false;
    if (!detail)
        return atf_index_gap(&t->index, gap);
    const struct atf_walk *walk = atf_detail_walk(s, t);
    struct ras_bytes bytes = source_bytes(s->source, (size_t)t->detail_file.part);
    return atf_detail_gap(&t->detail, bytes, walk->end, walk->count, gap);
}

/* Events that a killed recorder left in its lane are not in the file, even if the file is
 * complete. */
static struct atf_verdict with_pending(struct ras_atf_session *s, struct atf_thread *t,
                                       struct atf_verdict v)
{
    struct atf_pending p = atf_pending(s, t);
    if (v.kind > RAS_UNSEALED || p.state <= RING_WRITTEN)
        return v;
    v.kind = RAS_CUT;
    char others[48] = "";
    if (p.bytes)
        snprintf(others, sizeof others, " and %" PRIu64 " bytes of others", p.bytes);
    if (p.state == RING_HOLDS)
        snprintf(v.why, sizeof v.why, "%.40s%s in " ATF_RING_NAME ", not here; repair moves them",
                 ras_counted(p.events, "event").text, others);
    else if (p.state == RING_APART)
        snprintf(v.why, sizeof v.why,
                 ATF_RING_NAME " continues at event %" PRIu64 ": %" PRIu64
                               " events are not in this file",
                 p.tail, p.events);
    else
        snprintf(v.why, sizeof v.why,
                 ATF_RING_NAME " %s: an unknown number of events are not in this file",
                 p.state == RING_MISSING ? "is missing" : "cannot be followed");
    return v;
}

const char *atf_listed_lacks(const struct ras_atf_listed *l, const struct atf_thread *t)
{
    if (!t)
        return "file";
    if (t->index_file.part < 0)
        return "index.atf";
    return l->has_detail && t->detail_file.part < 0 ? "detail.atf" : NULL;
}

struct atf_verdict atf_file_verdict(struct ras_atf_session *s, struct atf_thread *t, bool detail)
{
    const struct atf_thread_file *file = detail ? &t->detail_file : &t->index_file;
    if (file->part < 0)
        return (struct atf_verdict){.kind = RAS_COMPLETE};
    if (!ready(s, t, detail))
        return detail ? refused(s, file) : with_pending(s, t, refused(s, file));
    if (!detail)
        return with_pending(
            s, t, atf_index_verdict(&t->index, source_length(s->source, (size_t)file->part)));
    struct ras_bytes bytes = source_bytes(s->source, (size_t)file->part);
    const struct atf_walk *walk = atf_detail_walk(s, t);
    return atf_detail_verdict(&t->detail, bytes, walk->end, walk->count);
}

uint64_t atf_file_records(struct ras_atf_session *s, struct atf_thread *t, bool detail)
{
    uint64_t records = 0;
    struct atf_gap gap;
    if (ready(s, t, detail))
        records = detail ? atf_detail_walk(s, t)->count : t->index.count;
    records += atf_file_gap(s, t, detail, &gap);
    return detail ? records : records + atf_drop_count(s, (size_t)(t - s->threads));
}
