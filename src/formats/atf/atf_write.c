/* atf_write.c - the two files of a thread: events, and their details beside them.
 *
 * Records gather in a block per file; events are checksummed step by step, while they are
 * still warm. A full block is handed to the sink; only then does it count as written, so a
 * block that fails is kept and tried again. */
#include "base/error.h"
#include "base/struct_size.h"
#include "codec/crc32.h"
#include "formats/atf/atf_write.h"

#include <stdlib.h>

#define COUNT_MAX UINT32_C(0xfffffffe) /* 2^32 - 2: the last number means none */

enum {
    BLOCK = 256 << 10, /* larger writes are no faster */
    STEP = 16 << 10,
    FILLER_MAX = 1 << 20, /* between a header and its events */
};
_Static_assert(BLOCK % RAS_ATF_INDEX_EVENT_SIZE == 0 && STEP % RAS_ATF_INDEX_EVENT_SIZE == 0,
               "they hold whole events");

/* ---- lanes ------------------------------------------------------------------ */

/* Hand over bytes that belong together; when that fails, none of them stay. */
int atf_lane_pass(struct atf_written_lane *lane, const void *head, size_t head_size,
                  const void *body, size_t body_size, struct ras_error *err)
{
    int status = ras_sink_write(lane->sink, head, head_size, err);
    if (status == RAS_OK && body_size)
        status = ras_sink_write(lane->sink, body, body_size, err);
    if (status < 0)
        (void)!ras_sink_rewind(lane->sink, lane->end, NULL); /* a pipe cannot: it stays failed */
    else
        lane->end += head_size + body_size;
    return status;
}

/* The same with records, which the checksum covers. */
static int pass_records(struct atf_written_lane *lane, const void *head, size_t head_size,
                        const void *body, size_t body_size, struct ras_error *err)
{
    uint32_t crc = crc32_update(crc32_update(lane->crc, head, head_size), body, body_size);
    int status = atf_lane_pass(lane, head, head_size, body, body_size, err);
    if (status == RAS_OK) {
        lane->crc = crc;
        lane->bytes += head_size + body_size;
    }
    return status;
}

/* What events add to the checksum and the times. */
static void see_events(struct atf_ahead *a, const uint8_t *events, size_t size)
{
    struct atf_written_times *t = &a->times;
    if (!a->any && size)
        t->first = t->last = t->min = t->max = load_u64(events + EVENT_TIMESTAMP);
    a->any |= size > 0;
    uint64_t last = t->last;
    for (size_t at = 0; at < size;) {
        size_t end = size - at < STEP ? size : at + STEP;
        a->crc = crc32_update(a->crc, events + at, end - at);
        for (; at < end; at += RAS_ATF_INDEX_EVENT_SIZE) {
            uint64_t time = load_u64(events + at + EVENT_TIMESTAMP);
            if (__builtin_expect(time < last, 0)) { /* mostly they ascend */
                t->max = last > t->max ? last : t->max;
                t->min = time < t->min ? time : t->min;
            }
            last = time;
        }
    }
    t->last = last;
    t->max = last > t->max ? last : t->max;
}

/* The events in the block that are new. */
static void see_kept(struct ras_atf_writer *w)
{
    struct atf_ahead *a = &w->ahead;
    if (!a->upto)
        a->upto = w->index.block;
    see_events(a, a->upto, (size_t)(w->index.at - a->upto));
    a->upto = w->index.at;
}

/* Events that were seen by `ahead`, all that there are up to them. */
static int pass_events(struct ras_atf_writer *w, const struct atf_ahead *ahead,
                       const uint8_t *events, size_t size, struct ras_error *err)
{
    struct atf_written_lane *lane = &w->index;
    int status = atf_lane_pass(lane, events, size, NULL, 0, err);
    if (status < 0)
        return status;
    lane->crc = ahead->crc;
    lane->bytes += size;
    w->times = ahead->times;
    w->ahead = *ahead;
    w->ahead.upto = lane->block;
    return RAS_OK;
}

static int drain_events(struct ras_atf_writer *w, struct ras_error *err)
{
    see_kept(w);
    const struct atf_ahead all = w->ahead;
    return pass_events(w, &all, w->index.block, atf_kept(&w->index), err);
}

/* Hand over what is kept back. */
int atf_lane_drain(struct ras_atf_writer *w, struct atf_written_lane *lane, struct ras_error *err)
{
    if (!atf_kept(lane))
        return RAS_OK;
    int status = lane == &w->index ? drain_events(w, err)
                                   : pass_records(lane, lane->block, atf_kept(lane), NULL, 0, err);
    if (status == RAS_OK)
        lane->at = lane->stop = lane->block;
    return status;
}

/* Room for `size` more bytes in the block, which must not be more than it has. Events have room up
 * to their limit, so that whoever finds some need not look at it, and no further than a step: what
 * was put into it is seen while it is in the nearest cache. */
static int make_room(struct ras_atf_writer *w, struct atf_written_lane *lane, size_t size,
                     struct ras_error *err)
{
    if (lane->block && (size_t)(lane->stop - lane->at) >= size)
        return RAS_OK;
    if (!lane->block && !(lane->block = lane->at = malloc(BLOCK)))
        return fail_memory(err);
    if (BLOCK - atf_kept(lane) < size) {
        int status = atf_lane_drain(w, lane, err);
        if (status < 0)
            return status;
    }
    uint64_t room = BLOCK - atf_kept(lane);
    if (lane == &w->index) {
        uint64_t left = (w->events_max - atf_events_taken(w)) * RAS_ATF_INDEX_EVENT_SIZE;
        uint64_t step = size > STEP ? size : STEP;
        see_kept(w);
        room = room < step ? room : step;
        room = room < left ? room : left;
    }
    lane->stop = lane->at + room;
    return RAS_OK;
}

/* The header that stands for the final one, and zeros up to the first record. */
static int begin(struct atf_written_lane *lane, struct ras_sink *sink, const uint8_t *header,
                 uint64_t offset, struct ras_error *err)
{
    uint8_t *filled = calloc(1, (size_t)offset);
    if (!filled)
        return fail_memory(err);
    memcpy(filled, header, RAS_ATF_HEADER_SIZE);
    lane->base = lane->end = ras_sink_size(sink);
    lane->sink = sink;
    int status = atf_lane_pass(lane, filled, (size_t)offset, NULL, 0, err);
    if (status < 0)
        lane->sink = NULL;
    free(filled);
    return status;
}

/* ---- opening ---------------------------------------------------------------- */

static uint8_t this_arch(void)
{
#if defined(__aarch64__)
    return RAS_ATF_ARM64;
#else
    return RAS_ATF_X86_64;
#endif
}

static int fill_headers(struct ras_atf_writer *w, const struct ras_atf_index_header *like,
                        struct ras_error *err)
{
    struct ras_atf_index_header *h = &w->header;
    *h = *like;
    memcpy(h->magic, ATF_INDEX_MAGIC, 4);
    h->endian = RAS_ATF_LITTLE_ENDIAN;
    h->version = RAS_ATF_VERSION;
    h->arch = like->arch ? like->arch : this_arch();
    h->os = like->os ? like->os : RAS_ATF_LINUX;
    h->clock_type = like->clock_type ? like->clock_type : RAS_ATF_BOOTTIME;
    if (w->options.detail) /* else they are elsewhere, if there are any */
        h->flags &= ~RAS_ATF_HAS_DETAIL;
    h->event_size = RAS_ATF_INDEX_EVENT_SIZE;
    h->event_count = 0;
    h->events_offset = like->events_offset ? like->events_offset : RAS_ATF_HEADER_SIZE;
    h->footer_offset = h->events_offset;
    h->time_start_ns = h->time_end_ns = 0;
    if (h->events_offset < RAS_ATF_HEADER_SIZE || h->events_offset > FILLER_MAX)
        return fail(err, RAS_EUSAGE, INDEX_EVENTS_OFFSET,
                    "events_offset is %" PRIu64 ", not 64 to %u", h->events_offset, FILLER_MAX);
    w->detail_header = (struct ras_atf_detail_header){.endian = h->endian,
                                                      .version = h->version,
                                                      .arch = h->arch,
                                                      .os = h->os,
                                                      .thread_id = h->thread_id,
                                                      .events_offset = RAS_ATF_HEADER_SIZE};
    memcpy(w->detail_header.magic, ATF_DETAIL_MAGIC, 4);
    return RAS_OK;
}

int ras_atf_writer_open(struct ras_atf_writer **out, struct ras_sink *index,
                        const struct ras_atf_index_header *header,
                        const struct ras_atf_writer_options *options, struct ras_error *err)
{
    *out = NULL;
    struct ras_atf_writer_options own;
    options = OPTIONS(&own, options, err);
    if (!options)
        return RAS_EUSAGE;
    uint8_t bytes[RAS_ATF_HEADER_SIZE];
    struct ras_atf_writer *w = calloc(1, sizeof *w);
    if (!w)
        return fail_memory(err);
    w->options = *options;
    uint32_t events = w->options.events_max, details = w->options.details_max;
    w->events_max = events && events < COUNT_MAX ? events : COUNT_MAX;
    w->details_max = details && details < COUNT_MAX ? details : COUNT_MAX;
    int status = fill_headers(w, header, err);
    if (status == RAS_OK) {
        ras_atf_index_header_put(&w->header, bytes);
        status = begin(&w->index, index, bytes, w->header.events_offset, err);
    }
    if (status < 0) {
        free(w);
        return status;
    }
    *out = w;
    return RAS_OK;
}

/* The detail file is made when the first detail comes (spec: "Created only when"). */
int atf_writer_begin_details(struct ras_atf_writer *w, struct ras_error *err)
{
    uint8_t bytes[RAS_ATF_HEADER_SIZE];
    struct ras_sink *sink = w->detail_sink;
    if (w->detail.sink)
        return RAS_OK;
    if (!sink && !w->options.detail)
        return fail(err, RAS_EUSAGE, RAS_NONE, "thread %" PRIu32 " has no place for details",
                    w->header.thread_id);
    int status = sink ? RAS_OK : w->options.detail(w->options.user, &sink, err);
    if (status < 0)
        return status;
    w->detail_sink = sink;
    ras_atf_detail_header_put(&w->detail_header, bytes);
    return begin(&w->detail, sink, bytes, RAS_ATF_HEADER_SIZE, err);
}

/* ---- events ----------------------------------------------------------------- */

static int check_open(const struct ras_atf_writer *w, struct ras_error *err)
{
    if (w->index.sealed || w->detail.sealed)
        return fail(err, RAS_EUSAGE, RAS_NONE, "thread %" PRIu32 " is finalized",
                    w->header.thread_id);
    return RAS_OK;
}

static int check_count(const struct ras_atf_writer *w, bool detail, uint64_t more,
                       struct ras_error *err)
{
    uint64_t have = detail ? w->details : atf_events_taken(w),
             max = detail ? w->details_max : w->events_max;
    if (more <= max - have)
        return RAS_OK;
    return fail(err, RAS_ELIMIT, RAS_NONE,
                "thread %" PRIu32 " has %" PRIu64 " %s, %" PRIu64
                " more exceed the limit of %" PRIu64,
                w->header.thread_id, have, detail ? "details" : "events", more, max);
}

static void see_detail(struct ras_atf_writer *w, uint64_t time, uint64_t index_seq)
{
    struct ras_atf_detail_header *h = &w->detail_header;
    if (!w->details++) {
        w->detail_first = time;
        h->index_seq_start = h->index_seq_end = index_seq;
    }
    w->detail_last = time;
    h->index_seq_start = index_seq < h->index_seq_start ? index_seq : h->index_seq_start;
    h->index_seq_end = index_seq > h->index_seq_end ? index_seq : h->index_seq_end;
}

/* A detail that may be larger than a block goes to the sink by itself. */
static int put_detail(struct ras_atf_writer *w, const struct ras_atf_detail_event *d,
                      struct ras_error *err)
{
    struct atf_written_lane *lane = &w->detail;
    int status = atf_writer_begin_details(w, err);
    if (status < 0)
        return status;
    if (d->total_length > BLOCK) {
        uint8_t head[RAS_ATF_DETAIL_EVENT_SIZE];
        atf_detail_put(d, head);
        status = atf_lane_drain(w, lane, err);
        if (status == RAS_OK)
            status = pass_records(lane, head, sizeof head, d->payload.at, d->payload.len, err);
    } else {
        status = make_room(w, lane, d->total_length, err);
        if (status == RAS_OK) {
            ras_atf_detail_event_put(d, lane->at, (size_t)(lane->stop - lane->at));
            lane->at += d->total_length;
        }
    }
    if (status == RAS_OK)
        see_detail(w, d->timestamp, d->index_seq);
    return status;
}

static int check_event(const struct ras_atf_writer *w, const struct ras_atf_detail_event *d,
                       struct ras_error *err)
{
    int status = check_open(w, err);
    if (status == RAS_OK)
        status = check_count(w, false, 1, err);
    if (status == RAS_OK && d)
        status = check_count(w, true, 1, err);
    if (status == RAS_OK && d && d->payload.len > UINT32_MAX - RAS_ATF_DETAIL_EVENT_SIZE)
        status = fail(err, RAS_ELIMIT, RAS_NONE, "a payload of %zu bytes exceeds 2^32 - 25",
                      d->payload.len);
    return status;
}

/* Whatever can fail comes before the event is taken. */
__attribute__((noinline)) /* what is usual must not pay for this */
int atf_writer_put(struct ras_atf_writer *w, const struct ras_atf_index_event *e,
                   const struct ras_atf_detail_event *detail, struct ras_error *err)
{
    struct atf_written_lane *lane = &w->index;
    uint32_t link = detail ? (uint32_t)w->details : RAS_ATF_NO_DETAIL;
    int status = check_event(w, detail, err);
    if (status == RAS_OK)
        status = make_room(w, lane, RAS_ATF_INDEX_EVENT_SIZE, err);
    if (status == RAS_OK && detail) {
        bool call = e->event_kind != RAS_ATF_RETURN; /* an exception's is stored as a call */
        uint16_t type = call ? RAS_ATF_FUNCTION_CALL : RAS_ATF_FUNCTION_RETURN;
        struct ras_atf_detail_event d = {
            .total_length = RAS_ATF_DETAIL_EVENT_SIZE + (uint32_t)detail->payload.len,
            .event_type = detail->event_type ? detail->event_type : type,
            .flags = detail->flags,
            .index_seq = (uint32_t)atf_events_taken(w),
            .thread_id = e->thread_id,
            .timestamp = e->timestamp_ns,
            .payload = detail->payload,
        };
        status = put_detail(w, &d, err);
    }
    if (status < 0)
        return status;
    atf_event_put(e, link, lane->at);
    lane->at += RAS_ATF_INDEX_EVENT_SIZE;
    return RAS_OK;
}

static __attribute__((noinline)) int refuse_kind(const struct ras_atf_writer *w, uint32_t kind,
                                                 struct ras_error *err)
{
    int status = check_open(w, err);
    if (status < 0)
        return status;
    return fail(err, RAS_EUSAGE, RAS_NONE, "event_kind is %" PRIu32 ", not 1 to 3", kind);
}

int ras_atf_writer_event(struct ras_atf_writer *w, const struct ras_atf_index_event *e,
                         const struct ras_atf_detail_event *detail, struct ras_error *err)
{
    struct atf_written_lane *lane = &w->index;
    bool plain = !detail && lane->at < lane->stop;
    bool known = e->event_kind - 1u < RAS_ATF_EXCEPTION;
    if (__builtin_expect(!plain || !known, 0))
        return known ? atf_writer_put(w, e, detail, err) : refuse_kind(w, e->event_kind, err);
    atf_event_put(e, RAS_ATF_NO_DETAIL, lane->at);
    lane->at += RAS_ATF_INDEX_EVENT_SIZE;
    return RAS_OK;
}

/* ---- blocks ----------------------------------------------------------------- */

int ras_atf_writer_reserve(struct ras_atf_writer *w, struct ras_atf_index_event **events,
                           size_t *count, struct ras_error *err)
{
    *events = NULL;
    *count = 0;
    int status = check_open(w, err);
    if (status == RAS_OK)
        status = check_count(w, false, 1, err);
    if (status == RAS_OK)
        status = make_room(w, &w->index, RAS_ATF_INDEX_EVENT_SIZE, err);
    if (status < 0)
        return status;
    /* Blocks come from malloc and hold events only, so they are aligned for them. */
    *events = (struct ras_atf_index_event *)(void *)w->index.at;
    *count = (size_t)(w->index.stop - w->index.at) / RAS_ATF_INDEX_EVENT_SIZE;
    return RAS_OK;
}

int ras_atf_writer_commit(struct ras_atf_writer *w, size_t count, struct ras_error *err)
{
    size_t room = (size_t)(w->index.stop - w->index.at) / RAS_ATF_INDEX_EVENT_SIZE;
    if (count > room)
        return fail(err, RAS_EUSAGE, RAS_NONE, "%zu events are committed, %zu were reserved", count,
                    room);
    for (; __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ && count; count--) {
        struct ras_atf_index_event e; /* laid out as stored, but for the order of bytes */
        memcpy(&e, w->index.at, sizeof e);
        ras_atf_index_event_put(&e, w->index.at);
        w->index.at += sizeof e;
    }
    w->index.at += count * RAS_ATF_INDEX_EVENT_SIZE;
    return RAS_OK;
}

/* Short blocks join the one that is kept back, long ones go uncopied. */
static int append(struct ras_atf_writer *w, struct atf_written_lane *lane, const void *bytes,
                  size_t size, struct ras_error *err)
{
    int status = RAS_OK;
    if (size >= BLOCK / 4) {
        status = atf_lane_drain(w, lane, err);
        if (status < 0)
            return status;
        if (lane == &w->detail)
            return pass_records(lane, bytes, size, NULL, 0, err);
        struct atf_ahead ahead = w->ahead;
        see_events(&ahead, bytes, size);
        return pass_events(w, &ahead, bytes, size, err);
    }
    status = make_room(w, lane, size, err);
    if (status < 0)
        return status;
    lane->at = store_bytes(lane->at, bytes, size);
    return RAS_OK;
}

int ras_atf_writer_append(struct ras_atf_writer *w, const void *events, size_t count,
                          struct ras_error *err)
{
    int status = check_open(w, err);
    if (status == RAS_OK)
        status = check_count(w, false, count, err);
    if (status == RAS_OK)
        status = append(w, &w->index, events, count * RAS_ATF_INDEX_EVENT_SIZE, err);
    return status;
}

int ras_atf_writer_append_details(struct ras_atf_writer *w, const void *details, size_t size,
                                  struct ras_error *err)
{
    struct ras_atf_detail_event d;
    const uint8_t *bytes = details;
    uint64_t count = 0;
    for (size_t at = 0; at < size; at += d.total_length, count++)
        if (!ras_atf_detail_event_get((struct ras_bytes){bytes + at, size - at}, &d))
            return fail(err, RAS_EUSAGE, at,
                        "detail %" PRIu64 " of a block does not end inside its %zu bytes", count,
                        size);
    int status = check_open(w, err);
    if (status == RAS_OK)
        status = check_count(w, true, count, err);
    if (status == RAS_OK && size)
        status = atf_writer_begin_details(w, err);
    if (status == RAS_OK && size)
        status = append(w, &w->detail, details, size, err);
    for (size_t at = 0; status == RAS_OK && at < size; at += d.total_length) {
        (void)ras_atf_detail_event_get((struct ras_bytes){bytes + at, size - at}, &d);
        see_detail(w, d.timestamp, d.index_seq);
    }
    return status;
}

uint64_t ras_atf_writer_events(const struct ras_atf_writer *w)
{
    return atf_events_taken(w);
}

uint64_t ras_atf_writer_details(const struct ras_atf_writer *w)
{
    return w->details;
}
