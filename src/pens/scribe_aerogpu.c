/* scribe_aerogpu.c - the pictures of a run: a frame every tick, its pixels as they were handed
 * over.
 *
 * A frame is a submission of an ACMD stream: the texture when it has another size, its rows that
 * have changed, and PRESENT, which shows color target 0 unchanged. */
#include "base/error.h"
#include "codec/json_write.h"
#include "core/tick_index.h"
#include "pens/scribe.h"
#include <rastrum/aerogpu.h>

#include <stdlib.h>
#include <string.h>

enum opcode {
    CREATE_TEXTURE2D = 0x101,
    DESTROY_RESOURCE = 0x102,
    UPLOAD_RESOURCE = 0x104,
    SET_RENDER_TARGETS = 0x400,
    PRESENT = 0x700,
};
enum {
    COMMAND_ABI = 0x00010000,
    FORMAT_RGBA = 3,
    USAGE = 0x8 | 0x10, /* texture, render target */
    SPANS_MOST = 16,
    WORDS_MOST = 12,
    SKIPPED_MOST = 1024,
};

struct aerogpu {
    struct ras_folder *folder;
    struct ras_sink *sink;
    struct ras_aero_writer *writer;
    uint64_t first_tick, frame; /* of the last tick */
    bool begun;                 /* there was one */
    uint32_t texture;           /* handle of the current one; 0: none yet */
    uint32_t width, height;
    struct out shown, next; /* RGBA */
    struct out stream;
};

/* ---- streams ------------------------------------------------------------------------------- */

static void put_command(struct aerogpu *a, enum opcode opcode, const uint32_t *words,
                        uint32_t count, uint32_t data)
{
    uint8_t bytes[RAS_AERO_COMMAND_HEADER_SIZE + 4 * WORDS_MOST], *to = bytes;
    uint32_t size = RAS_AERO_COMMAND_HEADER_SIZE + 4 * count + data;
    const struct ras_aero_command head = {.opcode = opcode, .size_bytes = (size + 3) & ~3u};
    ras_aero_command_put(&head, bytes);
    to += RAS_AERO_COMMAND_HEADER_SIZE;
    for (uint32_t i = 0; i < count; i++)
        to = store_u32(to, words[i]);
    out_bytes(&a->stream, bytes, (size_t)(to - bytes));
}
#define PUT(a, opcode, data, ...)                                                                  \
    put_command(a, opcode, (const uint32_t[]){__VA_ARGS__},                                        \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), data)

static void begin_stream(struct aerogpu *a)
{
    static const uint8_t nothing[RAS_AERO_STREAM_HEADER_SIZE];
    a->stream.len = 0;
    out_bytes(&a->stream, nothing, sizeof nothing);
}

static int end_stream(struct aerogpu *a, struct ras_error *err)
{
    PUT(a, PRESENT, 0, 0, 0);
    if (a->stream.failed)
        return fail_memory(err);
    if (a->stream.len > RAS_AERO_PAYLOAD_MAX / 2)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a picture of %zu bytes", a->stream.len);
    const struct ras_aero_stream head = {.abi_version = COMMAND_ABI,
                                         .size_bytes = (uint32_t)a->stream.len};
    ras_aero_stream_put(&head, a->stream.at);
    const struct ras_aero_capture submission = {.cmd_stream = {a->stream.at, a->stream.len},
                                                .signal_fence = a->frame + 1};
    return ras_aero_writer_capture(a->writer, &submission, err);
}

/* ---- pixels -------------------------------------------------------------------------------- */

static void from_bgra(const uint8_t *from, uint8_t *to, size_t cells)
{
    for (size_t i = 0; i < cells; i++, from += 4, to += 4) {
        uint32_t v = load_u32(from);
        store_u32(to, (v & 0xff00ff00u) | (v >> 16 & 0xff) | (v & 0xff) << 16);
    }
}

static void from_indexed(const uint8_t *from, uint8_t *to, size_t cells)
{
    const uint8_t *palette = from + cells;
    for (size_t i = 0; i < cells; i++)
        memcpy(to + 4 * i, palette + (size_t)4 * from[i], 4);
}

/* As RGBA, in `next`. */
static bool convert(struct aerogpu *a, const struct desk_picture *p)
{
    size_t cells = (size_t)p->about.width * p->about.height;
    a->next.len = 0;
    uint8_t *to = out_room(&a->next, cells * 4);
    if (!to)
        return false;
    if (p->about.format == RAS_PENS_BGRA)
        from_bgra(p->bytes.at, to, cells);
    else if (p->about.format == RAS_PENS_INDEXED)
        from_indexed(p->bytes.at, to, cells);
    else
        memcpy(to, p->bytes.at, cells * 4);
    a->next.len = cells * 4;
    return true;
}

static void upload(struct aerogpu *a, uint64_t offset, uint64_t size)
{
    PUT(a, UPLOAD_RESOURCE, (uint32_t)size, a->texture, 0, (uint32_t)offset,
        (uint32_t)(offset >> 32), (uint32_t)size, 0);
    out_bytes(&a->stream, a->next.at + offset, (size_t)size);
}

/* Rows that have changed, at most SPANS_MOST runs of them: the last reaches to the last change. */
static void upload_changes(struct aerogpu *a, bool all)
{
    size_t pitch = (size_t)a->width * 4, row = 0, spans = 0;
    const uint8_t *was = a->shown.at, *is = a->next.at;
    if (all) {
        upload(a, 0, a->next.len);
        return;
    }
    size_t end = a->height;
    while (end && !memcmp(was + (end - 1) * pitch, is + (end - 1) * pitch, pitch))
        end--;
    while (row < end) {
        if (!memcmp(was + row * pitch, is + row * pitch, pitch)) {
            row++;
            continue;
        }
        size_t from = row;
        while (row < end &&
               (spans + 1 == SPANS_MOST || memcmp(was + row * pitch, is + row * pitch, pitch) != 0))
            row++;
        upload(a, from * pitch, (row - from) * pitch);
        spans++;
    }
}

static int put_picture(struct aerogpu *a, const struct desk_picture *p, struct ras_error *err)
{
    bool other = !a->texture || a->width != p->about.width || a->height != p->about.height;
    if (!convert(a, p))
        return fail_memory(err);
    if (other) {
        uint32_t old = a->texture++;
        a->width = p->about.width;
        a->height = p->about.height;
        PUT(a, CREATE_TEXTURE2D, 0, a->texture, USAGE, FORMAT_RGBA, a->width, a->height, 1, 1,
            a->width * 4, 0, 0, 0, 0);
        PUT(a, SET_RENDER_TARGETS, 0, 1, 0, a->texture, 0, 0, 0, 0, 0, 0, 0);
        if (old)
            PUT(a, DESTROY_RESOURCE, 0, old, 0);
    }
    upload_changes(a, other);
    struct out was = a->shown;
    a->shown = a->next;
    a->next = was;
    return RAS_OK;
}

/* A picture, or the one before again. */
static int put_frame(struct aerogpu *a, const struct desk_tick *t, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < t->stream_count; i++) {
        const struct ras_aero_capture given = {.cmd_stream = t->streams[i],
                                               .signal_fence = a->frame + 1};
        status = ras_aero_writer_capture(a->writer, &given, err);
    }
    if (status < 0 || (!t->picture && (!a->texture || t->stream_count)))
        return status;
    begin_stream(a);
    if (t->picture)
        status = put_picture(a, t->picture, err);
    return status < 0 ? status : end_stream(a, err);
}

static int add_frame(struct aerogpu *a, uint64_t frame, const struct desk_tick *t,
                     struct ras_error *err)
{
    a->frame = frame;
    int status = ras_aero_writer_begin_frame(a->writer, (uint32_t)frame, err);
    if (status == RAS_OK)
        status = put_frame(a, t, err);
    return status < 0 ? status : ras_aero_writer_present(a->writer, (uint32_t)frame, err);
}

/* Ticks whose numbers are skipped are frames, too, which show what was shown before. */
static int aerogpu_scribe_tick(void *scribe, const struct desk_tick *t, struct ras_error *err)
{
    static const struct desk_tick skipped;
    struct aerogpu *a = scribe;
    uint64_t frame = t->tick - a->first_tick, next = a->begun ? a->frame + 1 : 0;
    int status = RAS_OK;
    if (frame > UINT32_MAX)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "frame %" PRIu64 " of the pictures: there may be 2^32", frame);
    for (; status == RAS_OK && next < frame && frame - next <= SKIPPED_MOST; next++)
        status = add_frame(a, next, &skipped, err);
    a->begun = true;
    return status < 0 ? status : add_frame(a, frame, t, err);
}

/* ---- the scribe ---------------------------------------------------------------------------- */

static void aerogpu_scribe_drop(void *scribe)
{
    struct aerogpu *a = scribe;
    if (!a)
        return;
    (void)!ras_aero_writer_close(a->writer, NULL);
    out_free(&a->shown);
    out_free(&a->next);
    out_free(&a->stream);
    free(a);
}

static int aerogpu_scribe_open(void **scribe, const struct scribe_run *run, struct ras_error *err)
{
    struct aerogpu *a = calloc(1, sizeof *a);
    *scribe = NULL;
    if (!a)
        return fail_memory(err);
    const struct ras_aero_writer_options start = {
        .container_version = 2,
        .command_abi_version = COMMAND_ABI,
        .emulator_version = {(const uint8_t *)run->program, strlen(run->program)}};
    a->folder = run->folder;
    a->first_tick = run->first_tick;
    int status = ras_folder_sink(run->folder, aerogpu_scribe.file, &a->sink, err);
    if (status == RAS_OK)
        status = ras_aero_writer_open(&a->writer, a->sink, &start, err);
    if (status < 0)
        aerogpu_scribe_drop(a);
    else
        *scribe = a;
    return status;
}

static int aerogpu_scribe_flush(void *scribe, struct ras_error *err)
{
    return ras_sink_flush(((struct aerogpu *)scribe)->sink, err);
}

static uint64_t aerogpu_scribe_size(const void *scribe)
{
    return ras_sink_size(((const struct aerogpu *)scribe)->sink);
}

static void aerogpu_scribe_place(const void *scribe, struct tick_rows *rows)
{
    tick_rows_put(rows, "aerogpu.frame", ((const struct aerogpu *)scribe)->frame);
}

static int aerogpu_scribe_close(void *scribe, struct ras_error *err)
{
    struct aerogpu *a = scribe;
    int status = ras_aero_writer_finish(a->writer, err);
    if (status == RAS_OK) {
        status = ras_aero_writer_close(a->writer, err);
        a->writer = NULL;
    }
    if (status == RAS_OK)
        status = ras_folder_finish(a->folder, a->sink, err);
    aerogpu_scribe_drop(a);
    return status;
}

/* ---- an old file --------------------------------------------------------------------------- */

/* The picture that a stream of ours leaves, so that the next frame has its differences. */
static void follow_stream(struct aerogpu *a, struct ras_bytes bytes)
{
    struct ras_aero_stream stream;
    struct ras_aero_command c;
    uint64_t offset = 0;
    if (ras_aero_stream_get(bytes, &stream, NULL) < 0)
        return;
    while (offset < stream.commands.len &&
           ras_aero_command_get(stream.commands, &offset, &c, NULL) == RAS_OK) {
        struct ras_bytes p = c.payload;
        if (c.opcode == CREATE_TEXTURE2D && p.len >= 20) {
            a->texture = load_u32(p.at);
            a->width = load_u32(p.at + 12);
            a->height = load_u32(p.at + 16);
            a->shown.len = 0;
            size_t size = (size_t)a->width * a->height * 4;
            if (a->width && a->height <= UINT32_MAX / 4 / a->width && out_room(&a->shown, size)) {
                memset(a->shown.at, 0, size);
                a->shown.len = size;
            }
        } else if (c.opcode == UPLOAD_RESOURCE && p.len >= 24) {
            uint64_t at = load_u64(p.at + 8), size = load_u64(p.at + 16);
            if (size <= p.len - 24 && at <= a->shown.len && size <= a->shown.len - at)
                memcpy(a->shown.at + at, p.at + 24, (size_t)size);
        }
    }
}

static int take_submission(struct aerogpu *a, struct ras_bytes payload, struct ras_error *err)
{
    struct ras_aero_submission s;
    struct ras_aero_range *ranges;
    int status = ras_aero_submission_get(payload, &s, err);
    if (status < 0)
        return status;
    ranges = calloc(s.memory_range_count + 1u, sizeof *ranges);
    if (!ranges)
        return fail_memory(err);
    for (uint32_t i = 0; i < s.memory_range_count; i++)
        ranges[i] = ras_aero_range_at(&s, i);
    status = ras_aero_writer_submission(a->writer, &s, ranges, err);
    free(ranges);
    return status;
}

/* One record of a whole frame. */
static int take_record(struct aerogpu *a, const struct ras_aero_record *r, struct ras_error *err)
{
    struct ras_aero_blob blob;
    uint32_t index;
    int status;
    switch (r->record_type) {
    case RAS_AERO_BEGIN_FRAME:
        status = ras_aero_frame_index_get(r->payload, &index, err);
        a->frame = index;
        a->begun = true;
        return status < 0 ? status : ras_aero_writer_begin_frame(a->writer, index, err);
    case RAS_AERO_PRESENT:
        status = ras_aero_frame_index_get(r->payload, &index, err);
        return status < 0 ? status : ras_aero_writer_present(a->writer, index, err);
    case RAS_AERO_BLOB:
        status = ras_aero_blob_get(r->payload, &blob, err);
        if (status < 0)
            return status;
        if (blob.kind == RAS_AERO_CMD_STREAM)
            follow_stream(a, blob.data);
        return ras_aero_writer_blob_as(a->writer, blob.blob_id, blob.kind, blob.data, err);
    case RAS_AERO_SUBMISSION:
        return take_submission(a, r->payload, err);
    default:
        return RAS_OK;
    }
}

/* The end of the frame at `offset`; 0: it is not whole, or not a frame. */
static uint64_t whole_frame(struct ras_bytes old, uint64_t offset, uint32_t *index)
{
    struct ras_aero_record r;
    bool begun = false;
    while (offset < old.len && ras_aero_record_get(old, &offset, &r, NULL) == RAS_OK) {
        if (r.record_type == RAS_AERO_BEGIN_FRAME)
            begun = ras_aero_frame_index_get(r.payload, index, NULL) == RAS_OK;
        else if (r.record_type == RAS_AERO_PRESENT)
            return begun ? offset : 0;
        else if (!begun)
            return 0;
    }
    return 0;
}

static int aerogpu_scribe_resume(void *scribe, struct ras_bytes old, uint64_t first_tick,
                                 uint64_t *last, took_tick *took, void *user, struct ras_error *err)
{
    struct ras_aero_header header;
    struct ras_aero_record r;
    uint64_t limit = *last;
    uint32_t index = 0;
    int status = RAS_OK;
    *last = RAS_NONE;
    if (ras_aero_header_get(old, &header, NULL) < 0)
        return RAS_OK;
    uint64_t at = (uint64_t)header.header_size + header.meta_len, end;
    while (status == RAS_OK && at < old.len && (end = whole_frame(old, at, &index)) &&
           first_tick + index <= limit && (*last == RAS_NONE || first_tick + index > *last)) {
        while (at < end && status == RAS_OK && ras_aero_record_get(old, &at, &r, NULL) == RAS_OK)
            if (scribe)
                status = take_record(scribe, &r, err);
        *last = first_tick + index;
        took(user, *last, 0);
    }
    return status;
}

const struct scribe_type aerogpu_scribe = {
    .name = "aerogpu",
    .file = "gpu.aerogputrace",
    .lacks = "the program handed over no pictures",
    .open = aerogpu_scribe_open,
    .tick = aerogpu_scribe_tick,
    .flush = aerogpu_scribe_flush,
    .size = aerogpu_scribe_size,
    .place = aerogpu_scribe_place,
    .close = aerogpu_scribe_close,
    .drop = aerogpu_scribe_drop,
    .resume = aerogpu_scribe_resume,
};
