/* aerogpu_write.c - a trace to a sink, record by record, each whole or not at all. */
#include "base/error.h"
#include "base/memory.h"
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
};

/* Where the next record goes, as the TOC counts. */
static uint64_t place(const struct ras_aero_writer *w)
{
    return w->end - w->start;
}

/* ---- bytes ----------------------------------------------------------------------- */

/* What a call wrote stays as a whole, or is taken back as far as the sink can. */
static int settle(struct ras_aero_writer *w, int status)
{
    if (status < 0)
        (void)!ras_sink_rewind(w->sink, w->end, NULL); /* a pipe cannot: it stays failed */
    else
        w->end = ras_sink_size(w->sink);
    return status;
}

static int pass(struct ras_aero_writer *w, struct ras_bytes b, struct ras_error *err)
{
    return b.len ? ras_sink_write(w->sink, b.at, b.len, err) : RAS_OK;
}

static int pass_record(struct ras_aero_writer *w, uint8_t type, uint64_t payload_len,
                       struct ras_error *err)
{
    uint8_t head[RAS_AERO_RECORD_HEADER_SIZE];
    struct ras_aero_record r = {.record_type = type, .payload_len = (uint32_t)payload_len};
    ras_aero_record_put(&r, head);
    return ras_sink_write(w->sink, head, sizeof head, err);
}

static int pass_marker(struct ras_aero_writer *w, uint8_t type, uint32_t index,
                       struct ras_error *err)
{
    uint8_t bytes[4];
    aero_word_put(index, bytes);
    int status = pass_record(w, type, sizeof bytes, err);
    return status < 0 ? status : ras_sink_write(w->sink, bytes, sizeof bytes, err);
}

static int pass_blob(struct ras_aero_writer *w, uint64_t id, uint32_t kind, struct ras_bytes data,
                     struct ras_error *err)
{
    uint8_t head[RAS_AERO_BLOB_HEADER_SIZE];
    struct ras_aero_blob b = {.blob_id = id, .kind = kind};
    ras_aero_blob_put(&b, head);
    int status = pass_record(w, RAS_AERO_BLOB, sizeof head + (uint64_t)data.len, err);
    if (status == RAS_OK)
        status = ras_sink_write(w->sink, head, sizeof head, err);
    return status < 0 ? status : pass(w, data, err);
}

/* ---- what may be written now ------------------------------------------------------- */

static int check_open(const struct ras_aero_writer *w, struct ras_error *err)
{
    if (w->finished)
        return fail(err, RAS_EUSAGE, place(w), "the trace is finished: nothing can follow");
    return RAS_OK;
}

static int check_inside(const struct ras_aero_writer *w, const char *what, struct ras_error *err)
{
    int status = check_open(w, err);
    if (status == RAS_OK && !w->open)
        return fail(err, RAS_EUSAGE, place(w), "%s outside any frame", what);
    return status;
}

static int check_size(const struct ras_aero_writer *w, uint64_t head, uint64_t size,
                      const char *what, struct ras_error *err)
{
    if (size > RAS_AERO_PAYLOAD_MAX - head)
        return fail(err, RAS_ELIMIT, place(w), "%s of %" PRIu64 " bytes, a record holds %" PRIu64,
                    what, size, RAS_AERO_PAYLOAD_MAX - head);
    return RAS_OK;
}

static int check_version(const struct ras_aero_writer *w, const char *what, struct ras_error *err)
{
    if (w->container_version < 2)
        return fail(err, RAS_EUNSUPPORTED, place(w),
                    "%s stands in container version 2, this trace is %" PRIu32, what,
                    w->container_version);
    return RAS_OK;
}

static int check_blob(const struct ras_aero_writer *w, uint32_t kind, struct ras_bytes data,
                      struct ras_error *err)
{
    const char *name = ras_aero_blob_kind_name(kind);
    int status = check_open(w, err);
    if (status < 0)
        return status;
    if (!name)
        return fail(err, RAS_EUSAGE, place(w), "a blob of unknown kind 0x%" PRIx32, kind);
    status = kind >= RAS_AERO_CMD_STREAM ? check_version(w, name, err) : RAS_OK;
    return status < 0 ? status : check_size(w, RAS_AERO_BLOB_HEADER_SIZE, data.len, name, err);
}

/* ---- the beginning ------------------------------------------------------------------ */

static int check_meta(const struct ras_aero_start *s, struct ras_error *err)
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
static int make_front(const struct ras_aero_start *s, uint8_t **front, size_t *size,
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
                         const struct ras_aero_start *start, struct ras_error *err)
{
    *out = NULL;
    uint8_t *front = NULL;
    size_t size = 0;
    if (start->container_version < 1 || start->container_version > 2)
        return fail(err, RAS_EVERSION, 12, "container_version %" PRIu32 ", 1 and 2 are written",
                    start->container_version);
    struct ras_aero_writer *w = calloc(1, sizeof *w);
    int status = w ? make_front(start, &front, &size, err) : fail_memory(err);
    if (status == RAS_OK) {
        w->sink = sink;
        w->start = w->end = ras_sink_size(sink);
        w->container_version = start->container_version;
        status = settle(w, ras_sink_write(sink, front, size, err));
    }
    free(front);
    if (status < 0)
        free(w);
    else
        *out = w;
    return status;
}

/* ---- frames -------------------------------------------------------------------------- */

/* Nothing in the stream closes a frame without a Present: blobs that follow are its
 * own, up to the next BeginFrame or the end. */
static void extend_last(struct ras_aero_writer *w)
{
    if (w->frame_count && !w->frames[w->frame_count - 1].present_offset)
        w->frames[w->frame_count - 1].end_offset = place(w);
}

int ras_aero_writer_begin_frame(struct ras_aero_writer *w, uint32_t index, struct ras_error *err)
{
    int status = check_open(w, err);
    if (status < 0)
        return status;
    if (w->open)
        return fail(err, RAS_EUSAGE, place(w), "frame %" PRIu32 " inside frame %" PRIu32, index,
                    w->frames[w->frame_count - 1].frame_index);
    if (w->frame_count && w->frames[w->frame_count - 1].frame_index == index)
        return fail(err, RAS_EUSAGE, place(w), "frame %" PRIu32 " was written just before", index);
    if (w->frame_count == UINT32_MAX)
        return fail(err, RAS_ELIMIT, place(w), "%" PRIu32 " frames are all that a TOC can hold",
                    UINT32_MAX);
    if (!array_grow(&w->frames, &w->frame_room, w->frame_count + 1, sizeof *w->frames))
        return fail_memory(err);
    uint64_t at = place(w);
    extend_last(w);
    status = settle(w, pass_marker(w, RAS_AERO_BEGIN_FRAME, index, err));
    if (status < 0)
        return status;
    w->frames[w->frame_count++] = (struct ras_aero_frame){.frame_index = index, .start_offset = at};
    w->open = true;
    return RAS_OK;
}

int ras_aero_writer_present(struct ras_aero_writer *w, uint32_t index, struct ras_error *err)
{
    int status = check_inside(w, "Present", err);
    if (status < 0)
        return status;
    struct ras_aero_frame *f = &w->frames[w->frame_count - 1];
    if (f->frame_index != index)
        return fail(err, RAS_EUSAGE, place(w), "Present of frame %" PRIu32 " in frame %" PRIu32,
                    index, f->frame_index);
    uint64_t at = place(w);
    status = settle(w, pass_marker(w, RAS_AERO_PRESENT, index, err));
    if (status < 0)
        return status;
    f->present_offset = at;
    f->end_offset = place(w);
    w->open = false;
    return RAS_OK;
}

int ras_aero_writer_end_frame(struct ras_aero_writer *w, struct ras_error *err)
{
    int status = check_inside(w, "end of a frame", err);
    if (status < 0)
        return status;
    w->open = false;
    return RAS_OK;
}

uint32_t ras_aero_writer_count(const struct ras_aero_writer *w)
{
    return (uint32_t)w->frame_count;
}

/* ---- packets, blobs, submissions ------------------------------------------------------ */

int ras_aero_writer_packet(struct ras_aero_writer *w, struct ras_bytes packet,
                           struct ras_error *err)
{
    int status = check_inside(w, "Packet", err);
    if (status == RAS_OK)
        status = check_size(w, 0, packet.len, "Packet", err);
    if (status < 0)
        return status;
    status = pass_record(w, RAS_AERO_PACKET, packet.len, err);
    return settle(w, status < 0 ? status : pass(w, packet, err));
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
    int status = check_blob(w, kind, data, err);
    if (status < 0)
        return status;
    if (!blob_id)
        return fail(err, RAS_EUSAGE, place(w), "blob_id is 0, which names no blob");
    if (aero_ids_has(&w->ids, blob_id))
        return fail(err, RAS_EUSAGE, place(w), "blob %" PRIu64 " was written before", blob_id);
    if (!aero_ids_room(&w->ids, 1))
        return fail_memory(err);
    status = settle(w, pass_blob(w, blob_id, kind, data, err));
    if (status == RAS_OK)
        take_ids(w, blob_id, 1);
    return status;
}

static int check_ids(const struct ras_aero_writer *w, uint64_t count, struct ras_error *err)
{
    if (count > UINT64_MAX - w->last_id)
        return fail(err, RAS_ELIMIT, place(w), "%" PRIu64 " blob ids wanted, %" PRIu64 " are left",
                    count, UINT64_MAX - w->last_id);
    return RAS_OK;
}

int ras_aero_writer_blob(struct ras_aero_writer *w, uint32_t kind, struct ras_bytes data,
                         uint64_t *blob_id, struct ras_error *err)
{
    int status = check_ids(w, 1, err);
    uint64_t id = w->last_id + 1;
    if (status == RAS_OK)
        status = ras_aero_writer_blob_as(w, id, kind, data, err);
    if (status == RAS_OK && blob_id)
        *blob_id = id;
    return status;
}

/* A submission of so many ranges may be written now. */
static int check_submission(const struct ras_aero_writer *w, uint32_t range_count,
                            struct ras_error *err)
{
    int status = check_inside(w, "AerogpuSubmission", err);
    if (status == RAS_OK)
        status = check_version(w, "AerogpuSubmission", err);
    uint64_t size = (uint64_t)range_count * RAS_AERO_RANGE_SIZE;
    return status < 0 ? status
                      : check_size(w, RAS_AERO_SUBMISSION_SIZE, size, "list of memory ranges", err);
}

/* The record up to its ranges; what the specification fixes is filled in. */
static int pass_submission(struct ras_aero_writer *w, const struct ras_aero_submission *given,
                           struct ras_error *err)
{
    uint8_t head[RAS_AERO_SUBMISSION_SIZE];
    struct ras_aero_submission s = *given;
    s.record_version = 1;
    s.header_size = RAS_AERO_SUBMISSION_SIZE;
    s.reserved0 = s.reserved1 = 0;
    ras_aero_submission_put(&s, head);
    uint64_t size = sizeof head + (uint64_t)s.memory_range_count * RAS_AERO_RANGE_SIZE;
    int status = pass_record(w, RAS_AERO_SUBMISSION, size, err);
    return status < 0 ? status : ras_sink_write(w->sink, head, sizeof head, err);
}

static int pass_range(struct ras_aero_writer *w, const struct ras_aero_range *r,
                      struct ras_error *err)
{
    uint8_t bytes[RAS_AERO_RANGE_SIZE];
    ras_aero_range_put(r, bytes);
    return ras_sink_write(w->sink, bytes, sizeof bytes, err);
}

int ras_aero_writer_submission(struct ras_aero_writer *w, const struct ras_aero_submission *s,
                               const struct ras_aero_range *ranges, struct ras_error *err)
{
    int status = check_submission(w, s->memory_range_count, err);
    if (status < 0)
        return status;
    status = pass_submission(w, s, err);
    for (uint32_t i = 0; status == RAS_OK && i < s->memory_range_count; i++)
        status = pass_range(w, &ranges[i], err);
    return settle(w, status);
}

/* ---- a submission with its blobs ---------------------------------------------------------- */

static int check_capture(struct ras_aero_writer *w, const struct ras_aero_capture *c,
                         uint64_t blobs, struct ras_error *err)
{
    int status = check_submission(w, c->memory_count, err);
    if (status == RAS_OK)
        status = check_blob(w, RAS_AERO_CMD_STREAM, c->cmd_stream, err);
    if (status == RAS_OK && c->alloc_table)
        status = check_blob(w, RAS_AERO_ALLOC_TABLE, *c->alloc_table, err);
    for (uint32_t i = 0; status == RAS_OK && i < c->memory_count; i++)
        status = check_blob(w, RAS_AERO_ALLOC_MEMORY, c->memory[i].data, err);
    if (status == RAS_OK)
        status = check_ids(w, blobs, err);
    if (status == RAS_OK && !aero_ids_room(&w->ids, (size_t)blobs))
        status = fail_memory(err);
    return status;
}

static int pass_capture_blobs(struct ras_aero_writer *w, const struct ras_aero_capture *c,
                              uint64_t id, struct ras_error *err)
{
    int status = pass_blob(w, id++, RAS_AERO_CMD_STREAM, c->cmd_stream, err);
    if (status == RAS_OK && c->alloc_table)
        status = pass_blob(w, id++, RAS_AERO_ALLOC_TABLE, *c->alloc_table, err);
    for (uint32_t i = 0; status == RAS_OK && i < c->memory_count; i++)
        status = pass_blob(w, id++, RAS_AERO_ALLOC_MEMORY, c->memory[i].data, err);
    return status;
}

int ras_aero_writer_capture(struct ras_aero_writer *w, const struct ras_aero_capture *c,
                            struct ras_error *err)
{
    uint64_t first = w->last_id + 1, tables = c->alloc_table ? 1 : 0;
    uint64_t blobs = 1 + tables + c->memory_count;
    int status = check_capture(w, c, blobs, err);
    if (status < 0)
        return status;
    struct ras_aero_submission s = {.submit_flags = c->submit_flags,
                                    .context_id = c->context_id,
                                    .engine_id = c->engine_id,
                                    .signal_fence = c->signal_fence,
                                    .cmd_stream_blob_id = first,
                                    .alloc_table_blob_id = tables ? first + 1 : 0,
                                    .memory_range_count = c->memory_count};
    status = pass_capture_blobs(w, c, first, err);
    if (status == RAS_OK)
        status = pass_submission(w, &s, err);
    for (uint32_t i = 0; status == RAS_OK && i < c->memory_count; i++) {
        const struct ras_aero_memory *m = &c->memory[i];
        struct ras_aero_range r = {m->alloc_id, m->flags, m->gpa, m->data.len,
                                   first + 1 + tables + i};
        status = pass_range(w, &r, err);
    }
    status = settle(w, status);
    if (status == RAS_OK)
        take_ids(w, first, blobs);
    return status;
}

/* ---- the end -------------------------------------------------------------------------------- */

int ras_aero_writer_finish(struct ras_aero_writer *w, struct ras_error *err)
{
    int status = check_open(w, err);
    if (status < 0)
        return status;
    if (w->open)
        return fail(err, RAS_EUSAGE, place(w), "frame %" PRIu32 " is open",
                    w->frames[w->frame_count - 1].frame_index);
    extend_last(w);
    struct out seal = {0};
    status = aero_seal_put(w->frames, w->frame_count, w->container_version, place(w), &seal)
                 ? ras_sink_write(w->sink, seal.at, seal.len, err)
                 : fail_memory(err);
    out_free(&seal);
    status = settle(w, status);
    w->finished = status == RAS_OK;
    return status;
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
