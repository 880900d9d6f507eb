/* atf_write.c - writes the two files of a thread: events, and their details beside them.
 *
 * Records gather in a block per file; events are checksummed step by step, while they are in the
 * cache. A full block is written to the sink; only then does it count as written, so a block that
 * fails is kept and tried again. */
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

/* One call of the writer: its first step that fails is its result, the steps after it do nothing.
 */
struct attempt {
    struct ras_error *err;
    int status;
};

/* ---- the two files ---------------------------------------------------------- */

static void rewind_file(struct atf_out_file *file)
{
    (void)!ras_sink_rewind(file->sink, file->end, NULL); /* a pipe cannot: it stays failed */
}

/* Write bytes that belong together; when that fails, none of them stay. */
static void pass_bytes(struct attempt *a, struct atf_out_file *file, const void *head,
                       size_t head_size, const void *body, size_t body_size)
{
    if (a->status < 0)
        return;
    a->status = ras_sink_write(file->sink, head, head_size, a->err);
    if (a->status == RAS_OK && body_size)
        a->status = ras_sink_write(file->sink, body, body_size, a->err);
    if (a->status < 0)
        rewind_file(file);
    else
        file->end += head_size + body_size;
}

/* The same with records, which the checksum covers. */
static void pass_records(struct attempt *a, struct atf_out_file *file, const void *head,
                         size_t head_size, const void *body, size_t body_size)
{
    uint32_t crc = crc32_update(crc32_update(file->crc, head, head_size), body, body_size);
    pass_bytes(a, file, head, head_size, body, body_size);
    if (a->status < 0)
        return;
    file->crc = crc;
    file->bytes += head_size + body_size;
}

/* What events add to the checksum and the times. */
static void ahead_see(struct atf_ahead *a, const uint8_t *events, size_t size)
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
    ahead_see(a, a->upto, (size_t)(w->index.at - a->upto));
    a->upto = w->index.at;
}

/* Events that `ahead` has seen, with all events before them. */
static void pass_seen(struct attempt *a, struct ras_atf_writer *w, const struct atf_ahead *ahead,
                      const uint8_t *events, size_t size)
{
    struct atf_out_file *file = &w->index;
    pass_bytes(a, file, events, size, NULL, 0);
    if (a->status < 0)
        return;
    file->crc = ahead->crc;
    file->bytes += size;
    w->times = ahead->times;
    w->ahead = *ahead;
    w->ahead.upto = file->block;
}

/* Write the block to the sink. */
static void drain_block(struct attempt *a, struct ras_atf_writer *w, struct atf_out_file *file)
{
    if (a->status < 0 || !atf_kept(file))
        return;
    if (file == &w->index) {
        see_kept(w);
        const struct atf_ahead all = w->ahead;
        pass_seen(a, w, &all, file->block, atf_kept(file));
    } else {
        pass_records(a, file, file->block, atf_kept(file), NULL, 0);
    }
    if (a->status == RAS_OK)
        file->at = file->stop = file->block;
}

/* Room for `size` more bytes in the block, which must not be more than it has. Events have room
 * up to their limit, so that a caller that finds room need not check it, and no further than a
 * step: new events are checksummed while they are in the nearest cache. */
static void make_block_room(struct attempt *a, struct ras_atf_writer *w, struct atf_out_file *file,
                            size_t size)
{
    if (a->status < 0 || (file->block && (size_t)(file->stop - file->at) >= size))
        return;
    if (!file->block && !(file->block = file->at = malloc(BLOCK))) {
        a->status = fail_memory(a->err);
        return;
    }
    if (BLOCK - atf_kept(file) < size)
        drain_block(a, w, file);
    if (a->status < 0)
        return;
    uint64_t room = BLOCK - atf_kept(file);
    if (file == &w->index) {
        uint64_t left = (w->events_max - atf_events_taken(w)) * RAS_ATF_INDEX_EVENT_SIZE;
        uint64_t step = size > STEP ? size : STEP;
        see_kept(w);
        room = room < step ? room : step;
        room = room < left ? room : left;
    }
    file->stop = file->at + room;
}

/* The placeholder of the final header, and zeros up to the first record. */
static void begin_out_file(struct attempt *a, struct atf_out_file *file, struct ras_sink *sink,
                           const uint8_t *header, uint64_t offset)
{
    uint8_t *filled = a->status == RAS_OK ? calloc(1, (size_t)offset) : NULL;
    if (!filled) {
        a->status = a->status < 0 ? a->status : fail_memory(a->err);
        return;
    }
    memcpy(filled, header, RAS_ATF_HEADER_SIZE);
    file->base = file->end = ras_sink_size(sink);
    file->sink = sink;
    pass_bytes(a, file, filled, (size_t)offset, NULL, 0);
    if (a->status < 0)
        file->sink = NULL;
    free(filled);
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
    struct attempt a = {err, fill_headers(w, header, err)};
    ras_atf_index_header_put(&w->header, bytes);
    begin_out_file(&a, &w->index, index, bytes, w->header.events_offset);
    if (a.status < 0) {
        free(w);
        return a.status;
    }
    *out = w;
    return RAS_OK;
}

/* The detail file is created with the first detail (spec: "Created only when"). */
static void begin_details(struct attempt *a, struct ras_atf_writer *w)
{
    uint8_t bytes[RAS_ATF_HEADER_SIZE];
    struct ras_sink *sink = w->detail_sink;
    if (a->status < 0 || w->detail.sink)
        return;
    if (!sink && !w->options.detail)
        a->status = fail(a->err, RAS_EUSAGE, RAS_NONE,
                         "thread %" PRIu32 " has no place for details", w->header.thread_id);
    else if (!sink)
        a->status = w->options.detail(w->options.user, &sink, a->err);
    if (a->status < 0)
        return;
    w->detail_sink = sink;
    ras_atf_detail_header_put(&w->detail_header, bytes);
    begin_out_file(a, &w->detail, sink, bytes, RAS_ATF_HEADER_SIZE);
}

int atf_writer_begin_details(struct ras_atf_writer *w, struct ras_error *err)
{
    struct attempt a = {err, RAS_OK};
    begin_details(&a, w);
    return a.status;
}

/* ---- events ----------------------------------------------------------------- */

static void check_open(struct attempt *a, const struct ras_atf_writer *w)
{
    if (a->status == RAS_OK && (w->index.sealed || w->detail.sealed))
        a->status = fail(a->err, RAS_EUSAGE, RAS_NONE, "thread %" PRIu32 " is finalized",
                         w->header.thread_id);
}

static void check_count(struct attempt *a, const struct ras_atf_writer *w, bool detail,
                        uint64_t more)
{
    uint64_t have = detail ? w->details : atf_events_taken(w),
             max = detail ? w->details_max : w->events_max;
    if (a->status == RAS_OK && more > max - have)
        a->status = fail(a->err, RAS_ELIMIT, RAS_NONE,
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

/* A detail that is larger than a block is written to the sink directly. */
static void write_detail(struct attempt *a, struct ras_atf_writer *w,
                         const struct ras_atf_detail_event *d)
{
    struct atf_out_file *file = &w->detail;
    begin_details(a, w);
    if (d->total_length > BLOCK) {
        uint8_t head[RAS_ATF_DETAIL_EVENT_SIZE];
        atf_detail_put(d, head);
        drain_block(a, w, file);
        pass_records(a, file, head, sizeof head, d->payload.at, d->payload.len);
    } else {
        make_block_room(a, w, file, d->total_length);
        if (a->status == RAS_OK) {
            ras_atf_detail_event_put(d, file->at, (size_t)(file->stop - file->at));
            file->at += d->total_length;
        }
    }
    if (a->status == RAS_OK)
        see_detail(w, d->timestamp, d->index_seq);
}

/* Every step that can fail comes before the event is taken. */
__attribute__((noinline)) /* keep this out of the fast path */
int atf_writer_put(struct ras_atf_writer *w, const struct ras_atf_index_event *e,
                   const struct ras_atf_detail_event *detail, struct ras_error *err)
{
    struct attempt a = {err, RAS_OK};
    uint32_t link = detail ? (uint32_t)w->details : RAS_ATF_NO_DETAIL;
    check_open(&a, w);
    check_count(&a, w, false, 1);
    if (detail)
        check_count(&a, w, true, 1);
    if (detail && a.status == RAS_OK &&
        detail->payload.len > UINT32_MAX - RAS_ATF_DETAIL_EVENT_SIZE)
        a.status = fail(err, RAS_ELIMIT, RAS_NONE, "a payload of %zu bytes exceeds 2^32 - 25",
                        detail->payload.len);
    make_block_room(&a, w, &w->index, RAS_ATF_INDEX_EVENT_SIZE);
    if (detail && a.status == RAS_OK) {
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
        write_detail(&a, w, &d);
    }
    if (a.status < 0)
        return a.status;
    atf_event_put(e, link, w->index.at);
    w->index.at += RAS_ATF_INDEX_EVENT_SIZE;
    return RAS_OK;
}

static __attribute__((noinline)) int refuse_kind(const struct ras_atf_writer *w, uint32_t kind,
                                                 struct ras_error *err)
{
    struct attempt a = {err, RAS_OK};
    check_open(&a, w);
    return a.status < 0
               ? a.status
               : fail(err, RAS_EUSAGE, RAS_NONE, "event_kind is %" PRIu32 ", not 1 to 3", kind);
}

int ras_atf_writer_event(struct ras_atf_writer *w, const struct ras_atf_index_event *e,
                         const struct ras_atf_detail_event *detail, struct ras_error *err)
{
    struct atf_out_file *file = &w->index;
    bool plain = !detail && file->at < file->stop;
    bool known = e->event_kind - 1u < RAS_ATF_EXCEPTION;
    if (__builtin_expect(!plain || !known, 0))
        return known ? atf_writer_put(w, e, detail, err) : refuse_kind(w, e->event_kind, err);
    atf_event_put(e, RAS_ATF_NO_DETAIL, file->at);
    file->at += RAS_ATF_INDEX_EVENT_SIZE;
    return RAS_OK;
}

/* ---- blocks ----------------------------------------------------------------- */

int ras_atf_writer_reserve(struct ras_atf_writer *w, struct ras_atf_index_event **events,
                           size_t *count, struct ras_error *err)
{
    *events = NULL;
    *count = 0;
    struct attempt a = {err, RAS_OK};
    check_open(&a, w);
    check_count(&a, w, false, 1);
    make_block_room(&a, w, &w->index, RAS_ATF_INDEX_EVENT_SIZE);
    if (a.status < 0)
        return a.status;
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

/* Short blocks are copied into the buffered one, long ones go to the sink uncopied. */
static void append_block(struct attempt *a, struct ras_atf_writer *w, struct atf_out_file *file,
                         const void *bytes, size_t size)
{
    if (size < BLOCK / 4) {
        make_block_room(a, w, file, size);
        if (a->status == RAS_OK)
            file->at = store_bytes(file->at, bytes, size);
        return;
    }
    drain_block(a, w, file);
    if (a->status < 0)
        return;
    if (file == &w->detail) {
        pass_records(a, file, bytes, size, NULL, 0);
        return;
    }
    struct atf_ahead ahead = w->ahead;
    ahead_see(&ahead, bytes, size);
    pass_seen(a, w, &ahead, bytes, size);
}

int ras_atf_writer_append(struct ras_atf_writer *w, const void *events, size_t count,
                          struct ras_error *err)
{
    struct attempt a = {err, RAS_OK};
    check_open(&a, w);
    check_count(&a, w, false, count);
    append_block(&a, w, &w->index, events, count * RAS_ATF_INDEX_EVENT_SIZE);
    return a.status;
}

int ras_atf_writer_append_details(struct ras_atf_writer *w, const void *details, size_t size,
                                  struct ras_error *err)
{
    struct attempt a = {err, RAS_OK};
    struct ras_atf_detail_event d;
    const uint8_t *bytes = details;
    uint64_t count = 0;
    for (size_t at = 0; at < size; at += d.total_length, count++)
        if (!ras_atf_detail_event_get((struct ras_bytes){bytes + at, size - at}, &d))
            return fail(err, RAS_EUSAGE, at,
                        "detail %" PRIu64 " of a block does not end inside its %zu bytes", count,
                        size);
    check_open(&a, w);
    check_count(&a, w, true, count);
    if (size) {
        begin_details(&a, w);
        append_block(&a, w, &w->detail, details, size);
    }
    for (size_t at = 0; a.status == RAS_OK && at < size; at += d.total_length) {
        (void)ras_atf_detail_event_get((struct ras_bytes){bytes + at, size - at}, &d);
        see_detail(w, d.timestamp, d.index_seq);
    }
    return a.status;
}

uint64_t ras_atf_writer_events(const struct ras_atf_writer *w)
{
    return atf_events_taken(w);
}

uint64_t ras_atf_writer_details(const struct ras_atf_writer *w)
{
    return w->details;
}

/* ---- flush, seal, close ------------------------------------------------------ */

static void flush_file(struct attempt *a, struct ras_atf_writer *w, struct atf_out_file *file)
{
    if (a->status < 0 || !file->sink)
        return;
    drain_block(a, w, file);
    if (a->status == RAS_OK)
        a->status = ras_sink_flush(file->sink, a->err);
    if (a->status < 0)
        rewind_file(file);
}

/* Details go first: an event whose detail is missing is worse than no event. */
int ras_atf_writer_flush(struct ras_atf_writer *w, struct ras_error *err)
{
    struct attempt a = {err, RAS_OK};
    flush_file(&a, w, &w->detail);
    flush_file(&a, w, &w->index);
    return a.status;
}

/* Write the footer and, once that is done, the header over its placeholder. */
static void seal_file(struct attempt *a, struct ras_atf_writer *w, struct atf_out_file *file,
                      const uint8_t *footer, const uint8_t *header)
{
    if (!file->sealed)
        pass_bytes(a, file, footer, RAS_ATF_FOOTER_SIZE, NULL, 0);
    if (a->status < 0)
        return;
    file->sealed = true;
    file->stop = file->at;
    flush_file(a, w, file);
    if (a->status == RAS_OK)
        a->status = ras_sink_patch(file->sink, file->base, header, RAS_ATF_HEADER_SIZE, a->err);
    if (a->status < 0)
        rewind_file(file);
}

static void seal_details(struct attempt *a, struct ras_atf_writer *w)
{
    if (a->status < 0)
        return;
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    struct ras_atf_detail_header *h = &w->detail_header;
    h->event_count = w->details;
    h->bytes_length = w->detail.bytes;
    struct ras_atf_detail_footer f = {.checksum = w->options.no_checksum ? 0 : w->detail.crc,
                                      .event_count = w->details,
                                      .bytes_length = w->detail.bytes,
                                      .time_start_ns = w->detail_first,
                                      .time_end_ns = w->detail_last};
    memcpy(f.magic, ATF_DETAIL_FOOTER_MAGIC, 4);
    ras_atf_detail_header_put(h, header);
    ras_atf_detail_footer_put(&f, footer);
    seal_file(a, w, &w->detail, footer, header);
}

static void seal_index(struct attempt *a, struct ras_atf_writer *w)
{
    if (a->status < 0)
        return;
    uint8_t header[RAS_ATF_HEADER_SIZE], footer[RAS_ATF_FOOTER_SIZE];
    struct ras_atf_index_header *h = &w->header;
    h->flags |= w->detail.sink ? RAS_ATF_HAS_DETAIL : 0;
    h->event_count = (uint32_t)atf_events_taken(w);
    h->footer_offset = h->events_offset + w->index.bytes;
    h->time_start_ns = w->times.first;
    h->time_end_ns = w->times.last;
    struct ras_atf_index_footer f = {.checksum = w->options.no_checksum ? 0 : w->index.crc,
                                     .event_count = h->event_count,
                                     .time_start_ns = w->times.first,
                                     .time_end_ns = w->times.last,
                                     .bytes_written = w->index.bytes};
    memcpy(f.magic, ATF_INDEX_FOOTER_MAGIC, 4);
    ras_atf_index_header_put(h, header);
    ras_atf_index_footer_put(&f, footer);
    seal_file(a, w, &w->index, footer, header);
}

int ras_atf_writer_finalize(struct ras_atf_writer *w, struct ras_error *err)
{
    struct attempt a = {err, RAS_OK};
    if (w->finalized)
        return fail(err, RAS_EUSAGE, RAS_NONE, "thread %" PRIu32 " is finalized",
                    w->header.thread_id);
    drain_block(&a, w, &w->detail);
    drain_block(&a, w, &w->index);
    if (w->detail.sink)
        seal_details(&a, w);
    seal_index(&a, w);
    w->finalized = a.status == RAS_OK;
    return a.status;
}

int ras_atf_writer_close(struct ras_atf_writer *w, struct ras_error *err)
{
    if (!w)
        return RAS_OK;
    int status = w->finalized ? RAS_OK : ras_atf_writer_flush(w, err);
    free(w->index.block);
    free(w->detail.block);
    free(w);
    return status;
}

struct atf_written atf_writer_written(const struct ras_atf_writer *w)
{
    return (struct atf_written){.clock_type = w->header.clock_type,
                                .has_events = w->index.bytes,
                                .has_detail = w->detail.sink,
                                .finalized = w->finalized,
                                .times = w->times};
}

unsigned atf_writer_arch(struct ras_atf_writer *w, unsigned arch)
{
    if (arch)
        w->header.arch = w->detail_header.arch = (uint8_t)arch;
    return w->header.arch;
}

void atf_writer_codes(struct ras_atf_writer *w, const struct ras_atf_index_header *like)
{
    w->header.arch = w->detail_header.arch = like->arch;
    w->header.os = w->detail_header.os = like->os;
    w->header.clock_type = like->clock_type;
}
