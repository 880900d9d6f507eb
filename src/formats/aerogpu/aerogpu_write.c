/* aerogpu_write.c - a trace to a sink, record by record, each completely or not at all. */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "formats/aerogpu/aerogpu_wire.h"

#include <stdlib.h>

struct ras_aero_writer {
    struct ras_sink *sink;
    uint64_t start, end; /* in the sink: of the trace, of its last whole record */
    uint32_t container_version;
    struct ras_aero_frame *frames;
    size_t frame_count, frame_room;
    bool open; /* the last of them */
    bool finished;
    uint64_t last_id; /* the largest so far */
    struct aero_ids ids;
    int status; /* of the call under way: after the first failure nothing is checked or written */
    bool wrote; /* the call has given bytes to the sink */
    struct ras_error *err;
};

/* Where the next record goes, as the TOC counts. */
static uint64_t writer_place(const struct ras_aero_writer *w)
{
    return w->end - w->start;
}

/* ---- bytes ----------------------------------------------------------------------- */

static void begin_call(struct ras_aero_writer *w, struct ras_error *err)
{
    w->status = RAS_OK;
    w->wrote = false;
    w->err = err;
}

/* The bytes of a call are complete, or removed as far as the sink can rewind. */
static int end_call(struct ras_aero_writer *w)
{
    if (w->status < 0 && w->wrote)
        (void)!ras_sink_rewind(w->sink, w->end, NULL); /* a pipe cannot: it stays failed */
    else if (w->status == RAS_OK)
        w->end = ras_sink_size(w->sink);
    return w->status;
}

static void write_bytes(struct ras_aero_writer *w, const void *bytes, size_t size)
{
    if (w->status < 0 || !size)
        return;
    w->wrote = true;
    w->status = ras_sink_write(w->sink, bytes, size, w->err);
}

static void write_head(struct ras_aero_writer *w, uint8_t type, uint64_t payload_len)
{
    uint8_t head[RAS_AERO_RECORD_HEADER_SIZE];
    struct ras_aero_record r = {.record_type = type, .payload_len = (uint32_t)payload_len};
    ras_aero_record_put(&r, head);
    write_bytes(w, head, sizeof head);
}

static void write_marker(struct ras_aero_writer *w, uint8_t type, uint32_t index)
{
    uint8_t bytes[4];
    aero_word_put(index, bytes);
    write_head(w, type, sizeof bytes);
    write_bytes(w, bytes, sizeof bytes);
}

static void write_blob(struct ras_aero_writer *w, uint64_t id, uint32_t kind, struct ras_bytes data)
{
    uint8_t head[RAS_AERO_BLOB_HEADER_SIZE];
    struct ras_aero_blob b = {.blob_id = id, .kind = kind};
    ras_aero_blob_put(&b, head);
    write_head(w, RAS_AERO_BLOB, sizeof head + (uint64_t)data.len);
    write_bytes(w, head, sizeof head);
    write_bytes(w, data.at, data.len);
}

/* ---- checks before writing ------------------------------------------------------- */

static void check_open(struct ras_aero_writer *w)
{
    if (w->status == RAS_OK && w->finished)
        w->status =
            fail(w->err, RAS_EUSAGE, writer_place(w), "the trace is finished: nothing can follow");
}

static void check_inside(struct ras_aero_writer *w, const char *what)
{
    check_open(w);
    if (w->status == RAS_OK && !w->open)
        w->status = fail(w->err, RAS_EUSAGE, writer_place(w), "%s outside any frame", what);
}

static void check_size(struct ras_aero_writer *w, uint64_t head, uint64_t size, const char *what)
{
    if (w->status == RAS_OK && size > RAS_AERO_PAYLOAD_MAX - head)
        w->status = fail(w->err, RAS_ELIMIT, writer_place(w),
                         "%s of %" PRIu64 " bytes, a record holds %" PRIu64, what, size,
                         RAS_AERO_PAYLOAD_MAX - head);
}

static void check_version(struct ras_aero_writer *w, const char *what)
{
    if (w->status == RAS_OK && w->container_version < 2)
        w->status = fail(w->err, RAS_EUNSUPPORTED, writer_place(w),
                         "%s needs container version 2, this trace is version %" PRIu32, what,
                         w->container_version);
}

static void check_blob(struct ras_aero_writer *w, uint32_t kind, struct ras_bytes data)
{
    const char *name = ras_aero_blob_kind_name(kind);
    check_open(w);
    if (w->status == RAS_OK && !name)
        w->status =
            fail(w->err, RAS_EUSAGE, writer_place(w), "a blob of unknown kind 0x%" PRIx32, kind);
    if (kind >= RAS_AERO_CMD_STREAM)
        check_version(w, name);
    check_size(w, RAS_AERO_BLOB_HEADER_SIZE, data.len, name);
}

/* `count` new ids, the first of them after the largest so far. */
static void check_ids(struct ras_aero_writer *w, uint64_t count)
{
    if (w->status == RAS_OK && count > UINT64_MAX - w->last_id)
        w->status = fail(w->err, RAS_ELIMIT, writer_place(w),
                         "%" PRIu64 " blob ids wanted, %" PRIu64 " are left", count,
                         UINT64_MAX - w->last_id);
}

static void check_id_room(struct ras_aero_writer *w, uint64_t count)
{
    if (w->status == RAS_OK && !aero_ids_room(&w->ids, (size_t)count))
        w->status = fail_memory(w->err);
}

/* A submission of `range_count` ranges. */
static void check_submission(struct ras_aero_writer *w, uint32_t range_count)
{
    check_inside(w, "AerogpuSubmission");
    check_version(w, "AerogpuSubmission");
    check_size(w, RAS_AERO_SUBMISSION_SIZE, (uint64_t)range_count * RAS_AERO_RANGE_SIZE,
               "list of memory ranges");
}

/* ---- the beginning ------------------------------------------------------------------ */

static int check_meta(const struct ras_aero_writer_options *s, struct ras_error *err)
{
    struct aero_meta meta = aero_meta_get(s->meta_json);
    uint64_t at = RAS_AERO_HEADER_SIZE;
    if (!meta.object)
        return fail(err, RAS_EUSAGE, at + meta.fault_at, "meta_json of %zu bytes: %s",
                    s->meta_json.len, meta.why);
    if (!meta.has_emulator_version || !meta.has_abi_version)
        return fail(err, RAS_EUSAGE, at, "meta_json lacks emulator_version or command_abi_version");
    if (meta.abi_version != s->command_abi_version)
        return fail(err, RAS_EUSAGE, at,
                    "command_abi_version is %" PRIu64 " in meta_json, %" PRIu32 " in the header",
                    meta.abi_version, s->command_abi_version);
    if (s->meta_json.len > UINT32_MAX)
        return fail(err, RAS_ELIMIT, at, "meta_json of %zu bytes, %" PRIu32 " can be stored",
                    s->meta_json.len, UINT32_MAX);
    return RAS_OK;
}

/* Header and meta_json as one piece; free() it. */
static int make_front(const struct ras_aero_writer_options *s, uint8_t **front, size_t *size,
                      struct ras_error *err)
{
    size_t len = s->meta_json.len;
    int status = s->meta_json.at ? check_meta(s, err)
                                 : ras_aero_meta_put(s->emulator_version, s->command_abi_version,
                                                     s->notes, NULL, 0, &len, err);
    if (status < 0)
        return status;
    *size = RAS_AERO_HEADER_SIZE + len;
    *front = malloc(*size);
    if (!*front)
        return fail_memory(err);
    struct ras_aero_header h = {.header_size = RAS_AERO_HEADER_SIZE,
                                .container_version = s->container_version,
                                .command_abi_version = s->command_abi_version,
                                .meta_len = (uint32_t)len};
    ras_aero_header_put(&h, *front);
    if (s->meta_json.at)
        memcpy(*front + RAS_AERO_HEADER_SIZE, s->meta_json.at, len);
    else
        status = ras_aero_meta_put(s->emulator_version, s->command_abi_version, s->notes,
                                   *front + RAS_AERO_HEADER_SIZE, len, &len, err);
    return status;
}

int ras_aero_writer_open(struct ras_aero_writer **out, struct ras_sink *sink,
                         const struct ras_aero_writer_options *start, struct ras_error *err)
{
    *out = NULL;
    uint8_t *front = NULL;
    size_t size = 0;
    struct ras_aero_writer_options own;
    start = OPTIONS(&own, start, err);
    if (!start)
        return RAS_EUSAGE;
    if (start->container_version < 1 || start->container_version > 2)
        return fail(err, RAS_EVERSION, 12, "container_version %" PRIu32 ", 1 and 2 are written",
                    start->container_version);
    struct ras_aero_writer *w = calloc(1, sizeof *w);
    int status = w ? make_front(start, &front, &size, err) : fail_memory(err);
    if (status == RAS_OK) {
        w->sink = sink;
        w->start = w->end = ras_sink_size(sink);
        w->container_version = start->container_version;
        begin_call(w, err);
        write_bytes(w, front, size);
        status = end_call(w);
    }
    free(front);
    if (status < 0)
        free(w);
    else
        *out = w;
    return status;
}

/* ---- frames -------------------------------------------------------------------------- */

/* A frame without a Present is not closed by the stream: it has all blobs that follow, up to the
 * next BeginFrame or the end. */
static void extend_last(struct ras_aero_writer *w)
{
    if (w->frame_count && !w->frames[w->frame_count - 1].present_offset)
        w->frames[w->frame_count - 1].end_offset = writer_place(w);
}

static void check_begin(struct ras_aero_writer *w, uint32_t index)
{
    const struct ras_aero_frame *last = w->frame_count ? &w->frames[w->frame_count - 1] : NULL;
    check_open(w);
    if (w->status < 0)
        return;
    if (w->open)
        w->status = fail(w->err, RAS_EUSAGE, writer_place(w),
                         "frame %" PRIu32 " inside frame %" PRIu32, index, last->frame_index);
    else if (last && last->frame_index == index)
        w->status = fail(w->err, RAS_EUSAGE, writer_place(w),
                         "frame %" PRIu32 " was written just before", index);
    else if (w->frame_count == UINT32_MAX)
        w->status = fail(w->err, RAS_ELIMIT, writer_place(w),
                         "%" PRIu32 " frames are all that a TOC can hold", UINT32_MAX);
    else if (!array_grow(&w->frames, &w->frame_room, w->frame_count + 1, sizeof *w->frames))
        w->status = fail_memory(w->err);
}

int ras_aero_writer_begin_frame(struct ras_aero_writer *w, uint32_t index, struct ras_error *err)
{
    uint64_t at = writer_place(w);
    begin_call(w, err);
    check_begin(w, index);
    if (w->status < 0)
        return w->status;
    extend_last(w);
    write_marker(w, RAS_AERO_BEGIN_FRAME, index);
    if (end_call(w) < 0)
        return w->status;
    w->frames[w->frame_count++] = (struct ras_aero_frame){.frame_index = index, .start_offset = at};
    w->open = true;
    return RAS_OK;
}

int ras_aero_writer_present(struct ras_aero_writer *w, uint32_t index, struct ras_error *err)
{
    uint64_t at = writer_place(w);
    begin_call(w, err);
    check_inside(w, "Present");
    if (w->status < 0)
        return w->status;
    struct ras_aero_frame *f = &w->frames[w->frame_count - 1];
    if (f->frame_index != index)
        return fail(err, RAS_EUSAGE, writer_place(w),
                    "Present of frame %" PRIu32 " in frame %" PRIu32, index, f->frame_index);
    write_marker(w, RAS_AERO_PRESENT, index);
    if (end_call(w) < 0)
        return w->status;
    f->present_offset = at;
    f->end_offset = writer_place(w);
    w->open = false;
    return RAS_OK;
}

int ras_aero_writer_end_frame(struct ras_aero_writer *w, struct ras_error *err)
{
    begin_call(w, err);
    check_inside(w, "end of a frame");
    w->open &= w->status < 0;
    return w->status;
}

uint32_t ras_aero_writer_count(const struct ras_aero_writer *w)
{
    return (uint32_t)w->frame_count;
}

/* ---- packets, blobs, submissions ------------------------------------------------------ */

int ras_aero_writer_packet(struct ras_aero_writer *w, struct ras_bytes packet,
                           struct ras_error *err)
{
    begin_call(w, err);
    check_inside(w, "Packet");
    check_size(w, 0, packet.len, "Packet");
    write_head(w, RAS_AERO_PACKET, packet.len);
    write_bytes(w, packet.at, packet.len);
    return end_call(w);
}

/* The ids from `first` on were written. */
static void take_ids(struct ras_aero_writer *w, uint64_t first, uint64_t count)
{
    bool again;
    for (uint64_t i = 0; i < count; i++)
        (void)!aero_ids_add(&w->ids, first + i, &again); /* there is room */
    if (count && first + count - 1 > w->last_id)
        w->last_id = first + count - 1;
}

int ras_aero_writer_blob_as(struct ras_aero_writer *w, uint64_t blob_id, uint32_t kind,
                            struct ras_bytes data, struct ras_error *err)
{
    begin_call(w, err);
    check_blob(w, kind, data);
    if (w->status < 0)
        return w->status;
    if (!blob_id)
        return fail(err, RAS_EUSAGE, writer_place(w), "blob_id is 0, which names no blob");
    if (aero_ids_has(&w->ids, blob_id))
        return fail(err, RAS_EUSAGE, writer_place(w), "blob %" PRIu64 " was written before",
                    blob_id);
    check_id_room(w, 1);
    write_blob(w, blob_id, kind, data);
    if (end_call(w) == RAS_OK)
        take_ids(w, blob_id, 1);
    return w->status;
}

int ras_aero_writer_blob(struct ras_aero_writer *w, uint32_t kind, struct ras_bytes data,
                         uint64_t *blob_id, struct ras_error *err)
{
    uint64_t id = w->last_id + 1;
    begin_call(w, err);
    check_ids(w, 1);
    int status = w->status < 0 ? w->status : ras_aero_writer_blob_as(w, id, kind, data, err);
    if (status == RAS_OK && blob_id)
        *blob_id = id;
    return status;
}

/* The record up to its ranges, with the values that the specification fixes. */
static void write_submission(struct ras_aero_writer *w, const struct ras_aero_submission *given)
{
    uint8_t head[RAS_AERO_SUBMISSION_SIZE];
    struct ras_aero_submission s = *given;
    s.record_version = 1;
    s.header_size = RAS_AERO_SUBMISSION_SIZE;
    s.reserved0 = s.reserved1 = 0;
    ras_aero_submission_put(&s, head);
    write_head(w, RAS_AERO_SUBMISSION,
               sizeof head + (uint64_t)s.memory_range_count * RAS_AERO_RANGE_SIZE);
    write_bytes(w, head, sizeof head);
}

static void write_range(struct ras_aero_writer *w, const struct ras_aero_range *r)
{
    uint8_t bytes[RAS_AERO_RANGE_SIZE];
    ras_aero_range_put(r, bytes);
    write_bytes(w, bytes, sizeof bytes);
}

int ras_aero_writer_submission(struct ras_aero_writer *w, const struct ras_aero_submission *s,
                               const struct ras_aero_range *ranges, struct ras_error *err)
{
    begin_call(w, err);
    check_submission(w, s->memory_range_count);
    write_submission(w, s);
    for (uint32_t i = 0; w->status == RAS_OK && i < s->memory_range_count; i++)
        write_range(w, &ranges[i]);
    return end_call(w);
}

/* ---- a submission with its blobs ---------------------------------------------------------- */

static void check_capture(struct ras_aero_writer *w, const struct ras_aero_capture *c,
                          uint64_t blobs)
{
    check_submission(w, c->memory_count);
    check_blob(w, RAS_AERO_CMD_STREAM, c->cmd_stream);
    if (c->alloc_table)
        check_blob(w, RAS_AERO_ALLOC_TABLE, *c->alloc_table);
    for (uint32_t i = 0; w->status == RAS_OK && i < c->memory_count; i++)
        check_blob(w, RAS_AERO_ALLOC_MEMORY, c->memory[i].data);
    check_ids(w, blobs);
    check_id_room(w, blobs);
}

static void write_capture_blobs(struct ras_aero_writer *w, const struct ras_aero_capture *c,
                                uint64_t id)
{
    write_blob(w, id++, RAS_AERO_CMD_STREAM, c->cmd_stream);
    if (c->alloc_table)
        write_blob(w, id++, RAS_AERO_ALLOC_TABLE, *c->alloc_table);
    for (uint32_t i = 0; w->status == RAS_OK && i < c->memory_count; i++)
        write_blob(w, id++, RAS_AERO_ALLOC_MEMORY, c->memory[i].data);
}

int ras_aero_writer_capture(struct ras_aero_writer *w, const struct ras_aero_capture *c,
                            struct ras_error *err)
{
    uint64_t first = w->last_id + 1, tables = c->alloc_table ? 1 : 0;
    uint64_t blobs = 1 + tables + c->memory_count;
    begin_call(w, err);
    check_capture(w, c, blobs);
    struct ras_aero_submission s = {.submit_flags = c->submit_flags,
                                    .context_id = c->context_id,
                                    .engine_id = c->engine_id,
                                    .signal_fence = c->signal_fence,
                                    .cmd_stream_blob_id = first,
                                    .alloc_table_blob_id = tables ? first + 1 : 0,
                                    .memory_range_count = c->memory_count};
    write_capture_blobs(w, c, first);
    write_submission(w, &s);
    for (uint32_t i = 0; w->status == RAS_OK && i < c->memory_count; i++) {
        const struct ras_aero_memory *m = &c->memory[i];
        const struct ras_aero_range r = {m->alloc_id, m->flags, m->gpa, m->data.len,
                                         first + 1 + tables + i};
        write_range(w, &r);
    }
    if (end_call(w) == RAS_OK)
        take_ids(w, first, blobs);
    return w->status;
}

/* ---- the end -------------------------------------------------------------------------------- */

int ras_aero_writer_finish(struct ras_aero_writer *w, struct ras_error *err)
{
    begin_call(w, err);
    check_open(w);
    if (w->status < 0)
        return w->status;
    if (w->open)
        return fail(err, RAS_EUSAGE, writer_place(w), "frame %" PRIu32 " is open",
                    w->frames[w->frame_count - 1].frame_index);
    extend_last(w);
    struct out seal = {0};
    if (!aero_seal_put(w->frames, w->frame_count, w->container_version, writer_place(w), &seal))
        w->status = fail_memory(err);
    write_bytes(w, seal.at, seal.len);
    out_free(&seal);
    w->finished = end_call(w) == RAS_OK;
    return w->status;
}

int ras_aero_writer_close(struct ras_aero_writer *w, struct ras_error *err)
{
    if (!w)
        return RAS_OK;
    int status = ras_sink_flush(w->sink, err);
    if (status < 0)
        (void)!ras_sink_rewind(w->sink, w->end, NULL);
    aero_ids_free(&w->ids);
    free(w->frames);
    free(w);
    return status;
}
