/* aerogpu_build.c - a trace from rows of values: records, and the frames that close after them.
 *
 * A blob's bytes are `data` or `text`. A command stream may have neither: it is made of the
 * commands that follow the submission naming it, so records wait in a queue until then. A file of
 * commands only becomes a bare stream, a file of allocs only a bare table. */
#include "base/memory.h"
#include "core/row.h"
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_op.h"

#include <stdlib.h>

enum aero_what {
    AERO_CALL_BEGIN,
    AERO_CALL_PRESENT,
    AERO_CALL_END,
    AERO_CALL_PACKET,
    AERO_CALL_BLOB,
    AERO_CALL_SUBMISSION
};

/* A call of the writer that waits in the queue. */
struct aero_call {
    enum aero_what what;
    bool waits;      /* its bytes are not there yet */
    bool made_up;    /* they are unknown: `len` zeros */
    uint32_t number; /* frame_index; kind */
    uint64_t blob_id;
    size_t at, len; /* in data */
    struct ras_aero_submission submission;
    struct ras_aero_stream stream; /* of one that waits for its commands */
};

struct aero_maker {
    struct ras_aero_writer *writer;
    struct ras_aero_writer_options start;
    struct out text; /* of the header row, which the start points into */
    bool has_notes;
    struct ras_bytes notes;
    struct aero_call *calls;
    size_t head, count, room;
    struct out data;
    uint8_t *zeros;
    size_t zero_room;
    bool open; /* a frame is open once the queue is written */
    uint32_t index, next;
    enum {
        AERO_NO_COMMANDS,
        AERO_PASS_COMMANDS,
        AERO_TAKE_COMMANDS
    } commands;         /* of what follows */
    size_t stream_call; /* the call whose bytes they become */
    struct out stream;
    enum { AERO_TRACE, AERO_BARE_STREAM, AERO_BARE_TABLE } shape;
    bool any;
    uint64_t made_up; /* bytes of blobs without data */
    uint64_t allocs;
};

/* ---- calls ---------------------------------------------------------------------------- */

static int replay_submission(struct aero_maker *m, const struct aero_call *c, struct ras_error *err)
{
    struct ras_aero_submission s = c->submission;
    s.ranges = (struct ras_bytes){m->data.at + c->at, c->len};
    struct ras_aero_range *ranges = calloc(s.memory_range_count + 1u, sizeof *ranges);
    if (!ranges)
        return fail_memory(err);
    for (uint32_t i = 0; i < s.memory_range_count; i++)
        ranges[i] = ras_aero_range_at(&s, i);
    int status = ras_aero_writer_submission(m->writer, &s, ranges, err);
    free(ranges);
    return status;
}

/* The bytes of a call; zeros are made when the call is written. */
static bool data_of(struct aero_maker *m, const struct aero_call *c, struct ras_bytes *data)
{
    size_t old = m->zero_room;
    *data = (struct ras_bytes){c->len && !c->made_up ? m->data.at + c->at : NULL, c->len};
    if (!c->made_up || !c->len)
        return true;
    if (!array_grow(&m->zeros, &m->zero_room, c->len, 1))
        return false;
    memset(m->zeros + old, 0, m->zero_room - old);
    data->at = m->zeros;
    return true;
}

static int write_call(struct aero_maker *m, const struct aero_call *c, struct ras_error *err)
{
    struct ras_bytes data;
    if (!data_of(m, c, &data))
        return fail_memory(err);
    switch (c->what) {
    case AERO_CALL_BEGIN:
        return ras_aero_writer_begin_frame(m->writer, c->number, err);
    case AERO_CALL_PRESENT:
        return ras_aero_writer_present(m->writer, c->number, err);
    case AERO_CALL_END:
        return ras_aero_writer_end_frame(m->writer, err);
    case AERO_CALL_PACKET:
        return ras_aero_writer_packet(m->writer, data, err);
    case AERO_CALL_BLOB:
        return c->blob_id ? ras_aero_writer_blob_as(m->writer, c->blob_id, c->number, data, err)
                          : ras_aero_writer_blob(m->writer, c->number, data, NULL, err);
    default:
        return replay_submission(m, c, err);
    }
}

static int call_flush(struct aero_maker *m, struct ras_sink *sink, struct ras_error *err)
{
    int status = m->writer ? RAS_OK : ras_aero_writer_open(&m->writer, sink, &m->start, err);
    while (status == RAS_OK && m->head < m->count && !m->calls[m->head].waits)
        status = write_call(m, &m->calls[m->head++], err);
    if (status == RAS_OK && m->head == m->count)
        m->head = m->count = m->data.len = 0;
    return status;
}

static struct aero_call *call_add(struct aero_maker *m, enum aero_what what, struct ras_error *err)
{
    if (!array_grow(&m->calls, &m->room, m->count + 1, sizeof *m->calls)) {
        (void)fail_memory(err);
        return NULL;
    }
    m->calls[m->count] = (struct aero_call){.at = m->data.len};
    m->calls[m->count].what = what;
    return &m->calls[m->count++];
}

/* ---- command streams ----------------------------------------------------------------- */

static int commands_end(struct aero_maker *m, struct ras_error *err)
{
    uint8_t head[RAS_AERO_STREAM_HEADER_SIZE];
    bool take = m->commands == AERO_TAKE_COMMANDS;
    m->commands = AERO_NO_COMMANDS;
    if (!take)
        return RAS_OK;
    struct aero_call *c = &m->calls[m->stream_call];
    if (m->stream.len > UINT32_MAX - sizeof head)
        return fail(err, RAS_ELIMIT, RAS_NONE, "a stream of %zu bytes", m->stream.len);
    c->stream.size_bytes = (uint32_t)(sizeof head + m->stream.len);
    ras_aero_stream_put(&c->stream, head);
    c->at = m->data.len;
    c->len = c->stream.size_bytes;
    c->waits = false;
    out_bytes(&m->data, head, sizeof head);
    out_bytes(&m->data, m->stream.at, m->stream.len);
    m->stream.len = 0;
    return m->data.failed ? fail_memory(err) : RAS_OK;
}

static void commands_await(struct aero_maker *m, uint64_t blob_id)
{
    m->commands = AERO_PASS_COMMANDS;
    for (size_t i = m->count; i > m->head; i--) {
        const struct aero_call *c = &m->calls[i - 1];
        if (c->what != AERO_CALL_BLOB || c->blob_id != blob_id)
            continue;
        if (c->waits) {
            m->commands = AERO_TAKE_COMMANDS;
            m->stream_call = i - 1;
        }
        return;
    }
}

/* ---- unknown bytes ------------------------------------------------ */

static void make_up(struct aero_maker *m, struct aero_call *c, uint64_t size)
{
    c->made_up = true;
    c->len = (size_t)size;
    m->made_up += size;
}

static void make_up_waiting(struct aero_maker *m)
{
    for (size_t i = m->head; i < m->count; i++)
        if (m->calls[i].waits) {
            m->calls[i].waits = false;
            make_up(m, &m->calls[i], m->calls[i].stream.size_bytes);
        }
}

enum { MADE_UP_MAX = 256 << 20, ABI_NOW = 0x00010004 };

/* ---- the beginning ---------------------------------------------------------------------- */

/* Set when all of them are read: the buffer may move. */
static struct ras_bytes keep_text(struct aero_maker *m, struct row_get *g, const char *name)
{
    struct ras_bytes given = row_get_text_or_none(g, name);
    out_bytes(&m->text, given.at, given.len);
    if (m->text.failed)
        row_get_nomem(g);
    return (struct ras_bytes){NULL, given.len};
}

static void header(struct ras_trace *t, struct document *d)
{
    const struct aero *a = t->priv;
    if (a->shape != AERO_CONTAINER)
        return;
    struct ras_bytes meta = ras_aero_meta(source_bytes(t->source, 0), &a->header);
    document_put_uint(d, "command_abi_version", a->header.command_abi_version);
    document_name(d, "meta_json");
    document_text(d, meta.at, meta.len);
}

static int build_begin(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct aero_maker *m = b->priv;
    struct row_get g = {row, err, RAS_OK};
    bool old = !strcmp(b->target, "v1");
    m->start.container_version = old ? 1 : 2;
    m->has_notes = row_has(&g, "notes");
    m->start.emulator_version = keep_text(m, &g, "emulator_version");
    m->notes = keep_text(m, &g, "notes");
    m->start.meta_json = keep_text(m, &g, "meta_json");
    m->start.command_abi_version = row_get_u32_or(&g, "command_abi_version", old ? 1 : ABI_NOW);
    if (g.status < 0)
        return g.status;
    size_t meta = m->start.meta_json.len;
    m->start.emulator_version.at = m->text.at;
    if (m->has_notes) {
        m->notes.at = m->text.at + m->start.emulator_version.len;
        m->start.notes = &m->notes;
    }
    m->start.meta_json.at = meta ? m->text.at + m->text.len - meta : NULL;
    if (!row)
        build_note(b, "there is no header line: command_abi_version is 0x%08" PRIx32,
                   m->start.command_abi_version);
    return RAS_OK;
}

/* ---- packets and commands ---------------------------------------------------- */

/* A packet or command with its header, to the end of out. */
static int encode(const struct json_row *row, bool packet, struct out *out, struct ras_error *err)
{
    uint8_t head[RAS_AERO_COMMAND_HEADER_SIZE] = {0};
    size_t start = out->len;
    struct row_get g = {row, err, RAS_OK};
    uint64_t size = row_get_uint_or(&g, "size_bytes", MADE_UP_MAX, RAS_NONE);
    if (size != RAS_NONE && (size < sizeof head || size % 4))
        row_get_fail(&g, "size_bytes", "is %" PRIu64 ", not a multiple of 4 that is at least 8",
                     size);
    const struct ras_aero_op *op = g.status < 0 ? NULL : aero_op_of_row(row, packet, size);
    uint32_t opcode = op ? op->opcode : row_get_u32(&g, "opcode");
    if (g.status < 0)
        return g.status;
    out_bytes(out, head, sizeof head);
    int status = aero_encode(row, op, row_find(row, "fields"),
                             size == RAS_NONE ? size : size - sizeof head, out, err);
    if (status < 0 || out->failed)
        return status < 0 ? status : fail_memory(err);
    size_t len = out->len - start;
    if (len % 4 || len > UINT32_MAX)
        return row_fail(row, "fields", err, "take %zu bytes, not a multiple of 4", len);
    struct ras_aero_command c = {opcode, (uint32_t)(packet ? len / 4 : len), {0}};
    ras_aero_command_put(&c, out->at + start); /* of a packet the same, in dwords */
    return RAS_OK;
}

static int build_command(struct aero_maker *m, const struct json_row *row, struct ras_error *err)
{
    if (!m->any)
        m->shape = AERO_BARE_STREAM;
    if (m->shape != AERO_BARE_STREAM && m->commands == AERO_NO_COMMANDS)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "line %" PRIu64 ": a command after neither a packet nor a submission",
                    row->line);
    if (m->shape != AERO_BARE_STREAM && m->commands == AERO_PASS_COMMANDS)
        return RAS_OK; /* the record that it belongs to has its bytes */
    return encode(row, false, &m->stream, err);
}

/* ---- frames -------------------------------------------------------------------------- */

static int build_begin_frame(struct aero_maker *m, uint64_t index, const struct json_row *row,
                             struct ras_error *err)
{
    struct aero_call *c;
    if (index > UINT32_MAX)
        return row_fail(row, "tick", err, "is %" PRIu64 ", more than %" PRIu32, index, UINT32_MAX);
    if (m->open && !(c = call_add(m, AERO_CALL_END, err)))
        return RAS_EMEMORY;
    c = call_add(m, AERO_CALL_BEGIN, err);
    if (!c)
        return RAS_EMEMORY;
    c->number = m->index = (uint32_t)index;
    m->next = m->index + 1;
    m->open = true;
    return RAS_OK;
}

/* The frame of a record: by its tick, or the next one. */
static int build_enter_frame(struct aero_maker *m, const struct json_row *row, bool must,
                             struct ras_error *err)
{
    if (row->has_tick && !(m->open && m->index == row->tick))
        return build_begin_frame(m, row->tick, row, err);
    return must && !m->open ? build_begin_frame(m, m->next, row, err) : RAS_OK;
}

static int put_frame(struct aero_maker *m, const struct json_row *row, struct ras_error *err)
{
    struct row_get g = {row, err, RAS_OK};
    uint64_t here = row->has_tick ? row->tick : m->open ? m->index : m->next;
    uint64_t index = row_get_uint_or(&g, "frame_index", UINT32_MAX, here);
    uint64_t present = row_get_u64_or(&g, "present_offset", 1);
    if (m->open && m->index != index)
        row_get_fail(&g, "frame_index", "is %" PRIu64 ", frame %" PRIu32 " is open", index,
                     m->index);
    int status = g.status;
    if (status == RAS_OK && !m->open)
        status = build_begin_frame(m, index, row, err);
    struct aero_call *c =
        status == RAS_OK ? call_add(m, present ? AERO_CALL_PRESENT : AERO_CALL_END, err) : NULL;
    if (!c)
        return status < 0 ? status : RAS_EMEMORY;
    c->number = m->index;
    m->open = false;
    return RAS_OK;
}

/* ---- records ------------------------------------------------------------------------- */

/* A number of the map in `field`, if the map has it. */
static void get_u32(struct row_get *g, const char *field, const struct ras_value *map,
                    const char *name, uint32_t *value)
{
    uint64_t wide;
    const struct ras_value *v = row_find_in(g->row, map, name);
    if (!v || v->kind == RAS_NULL)
        return;
    if (cell_uint(v, &wide) && wide <= UINT32_MAX)
        *value = (uint32_t)wide;
    else
        row_get_fail(g, field, "has a %s that is not a number up to %" PRIu32, name, UINT32_MAX);
}

/* A Packet that holds a stream, which follows as commands. */
static int put_stream_packet(struct aero_maker *m, const struct json_row *row,
                             struct ras_error *err)
{
    struct aero_call *c = call_add(m, AERO_CALL_PACKET, err);
    const struct ras_value *fields = row_find(row, "fields");
    struct row_get g = {row, err, RAS_OK};
    if (!c)
        return RAS_EMEMORY;
    c->waits = true;
    c->stream.abi_version = m->start.command_abi_version;
    get_u32(&g, "fields", fields, "abi_version", &c->stream.abi_version);
    get_u32(&g, "fields", fields, "flags", &c->stream.flags);
    get_u32(&g, "fields", fields, "reserved0", &c->stream.reserved0);
    get_u32(&g, "fields", fields, "reserved1", &c->stream.reserved1);
    (void)row_find_in(row, fields, "size_bytes"); /* follows from the commands */
    m->commands = AERO_TAKE_COMMANDS;
    m->stream_call = m->count - 1;
    return g.status;
}

static int build_packet(struct aero_maker *m, const struct json_row *row, struct ras_error *err)
{
    const struct ras_value *name = row_find(row, "name"), *fields = row_find(row, "fields");
    struct ras_bytes raw = {0};
    int status = build_enter_frame(m, row, true, err);
    if (status < 0)
        return status;
    if (!row_find(row, "opcode") && name && name->kind == RAS_STR && !strcmp(name->at, "ACMD"))
        return put_stream_packet(m, row, err);
    struct aero_call *c = call_add(m, AERO_CALL_PACKET, err);
    if (!c)
        return RAS_EMEMORY;
    m->commands = AERO_PASS_COMMANDS;
    if (row_find(row, "opcode") || name) {
        status = encode(row, true, &m->data, err);
    } else { /* not a packet of Appendix A, only bytes */
        const struct ras_value *cell = row_find_in(row, fields, "payload");
        if (!cell || !cell_bytes(cell, row->arena, &raw))
            return row_fail(row, "opcode", err, "is missing");
        out_bytes(&m->data, raw.at, raw.len);
    }
    c->len = m->data.len - c->at;
    return status == RAS_OK && m->data.failed ? fail_memory(err) : status;
}

static uint32_t get_kind(struct row_get *g)
{
    static const uint32_t kinds[] = {1, 2, 3, 4, 5, 0x100, 0x101, 0x102};
    const struct ras_value *name = row_find(g->row, "kind_name");
    if (!row_has(g, "kind") && name && name->kind == RAS_STR)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (!strcmp(ras_aero_blob_kind_name(kinds[i]), name->at))
                return kinds[i];
    return row_get_u32(g, "kind");
}

/* The bytes of a blob, if the row has them. */
static struct ras_bytes get_data(struct row_get *g, bool *there)
{
    *there = true;
    if (row_has(g, "data"))
        return row_get_bytes(g, "data");
    if (row_has(g, "text"))
        return row_get_text(g, "text");
    *there = row_has(g, "bytes");
    return row_get_bytes_or_none(g, "bytes");
}

static int build_blob(struct aero_maker *m, const struct json_row *row, struct ras_error *err)
{
    struct row_get g = {row, err, build_enter_frame(m, row, false, err)};
    bool there;
    uint32_t kind = get_kind(&g);
    uint64_t id = row_get_u64_or(&g, "blob_id", 0), size = 0;
    struct ras_bytes data = get_data(&g, &there);
    bool sized = row_has(&g, "size") || kind != RAS_AERO_CMD_STREAM;
    if (!there && sized)
        size = row_get_uint(&g, "size", MADE_UP_MAX);
    struct aero_call *c = g.status == RAS_OK ? call_add(m, AERO_CALL_BLOB, err) : NULL;
    if (!c)
        return g.status < 0 ? g.status : RAS_EMEMORY;
    c->number = kind;
    c->blob_id = id;
    c->stream.abi_version = m->start.command_abi_version;
    c->stream.size_bytes = (uint32_t)size;
    c->waits = !there && kind == RAS_AERO_CMD_STREAM && (size || !sized);
    if (!there && !c->waits)
        make_up(m, c, size);
    if (!there)
        return RAS_OK;
    out_bytes(&m->data, data.at, data.len);
    c->len = data.len;
    return m->data.failed ? fail_memory(err) : RAS_OK;
}

/* `cat --type shader` prints the bytes of the blob before. */
static int put_shader(struct aero_maker *m, const struct json_row *row, struct ras_error *err)
{
    struct row_get g = {row, err, RAS_OK};
    bool there;
    uint64_t id = row_get_u64(&g, "blob_id");
    struct ras_bytes data = get_data(&g, &there);
    struct aero_call *c = m->count ? &m->calls[m->count - 1] : NULL;
    if (g.status < 0 || !there || !c || c->what != AERO_CALL_BLOB || c->blob_id != id ||
        c->len != data.len)
        return g.status;
    if (!c->made_up)
        return RAS_OK;
    m->made_up -= c->len;
    c->made_up = false;
    c->at = m->data.len;
    out_bytes(&m->data, data.at, data.len);
    return m->data.failed ? fail_memory(err) : RAS_OK;
}

static int get_ranges(struct aero_maker *m, const struct json_row *row, struct aero_call *c,
                      struct ras_error *err)
{
    const struct ras_value *list = row_find(row, "memory_ranges");
    struct row_get g = {row, err, RAS_OK};
    uint8_t bytes[RAS_AERO_RANGE_SIZE];
    if (list && list->kind != RAS_LIST)
        return row_fail(row, "memory_ranges", err, "is not a list");
    for (const struct ras_value *r = list ? list + 1 : NULL; r && r < ras_value_next(list);
         r = ras_value_next(r)) {
        struct ras_aero_range range = {0};
        const struct ras_value *gpa = row_find_in(row, r, "gpa");
        const struct ras_value *size = row_find_in(row, r, "size_bytes");
        const struct ras_value *id = row_find_in(row, r, "blob_id");
        if (!gpa || !size || !id || !cell_uint(gpa, &range.gpa) ||
            !cell_uint(size, &range.size_bytes) || !cell_uint(id, &range.blob_id))
            return row_fail(row, "memory_ranges", err, "needs gpa, size_bytes and blob_id");
        get_u32(&g, "memory_ranges", r, "alloc_id", &range.alloc_id);
        get_u32(&g, "memory_ranges", r, "flags", &range.flags);
        ras_aero_range_put(&range, bytes);
        out_bytes(&m->data, bytes, sizeof bytes);
        c->submission.memory_range_count++;
    }
    c->len = m->data.len - c->at;
    return m->data.failed ? fail_memory(err) : g.status;
}

static int build_submission(struct aero_maker *m, const struct json_row *row, struct ras_error *err)
{
    struct ras_aero_submission s = {0};
    struct row_get g = {row, err, build_enter_frame(m, row, true, err)};
    s.cmd_stream_blob_id = row_get_u64(&g, "cmd_stream_blob_id");
    s.submit_flags = row_get_u32_or(&g, "submit_flags", 0);
    s.context_id = row_get_u32_or(&g, "context_id", 0);
    s.engine_id = row_get_u32_or(&g, "engine_id", 0);
    s.signal_fence = row_get_u64_or(&g, "signal_fence", 0);
    s.alloc_table_blob_id = row_get_u64_or(&g, "alloc_table_blob_id", 0);
    struct aero_call *c = g.status == RAS_OK ? call_add(m, AERO_CALL_SUBMISSION, err) : NULL;
    if (!c)
        return g.status < 0 ? g.status : RAS_EMEMORY;
    c->submission = s;
    int status = get_ranges(m, row, c, err);
    commands_await(m, s.cmd_stream_blob_id);
    return status;
}

/* ---- bare tables --------------------------------------------------------- */

static int put_alloc(struct aero_maker *m, const struct json_row *row, struct ras_error *err)
{
    uint8_t bytes[RAS_AERO_ALLOC_SIZE];
    struct row_get g = {row, err, RAS_OK};
    struct ras_aero_alloc a = {0};
    if (!m->any)
        m->shape = AERO_BARE_TABLE;
    a.alloc_id = row_get_u32(&g, "alloc_id");
    a.flags = row_get_u32_or(&g, "flags", 0);
    a.gpa = row_get_u64(&g, "gpa");
    a.size_bytes = row_get_u64(&g, "size_bytes");
    ras_aero_alloc_put(&a, bytes);
    out_bytes(&m->stream, bytes, sizeof bytes);
    m->allocs++;
    if (m->stream.failed)
        row_get_nomem(&g);
    return g.status;
}

static int end_bare(struct aero_maker *m, struct ras_sink *sink, struct ras_error *err)
{
    uint8_t head[RAS_AERO_STREAM_HEADER_SIZE];
    uint64_t size = sizeof head + (uint64_t)m->stream.len;
    if (size > UINT32_MAX)
        return fail(err, RAS_ELIMIT, 8, "%" PRIu64 " bytes, size_bytes holds %" PRIu32, size,
                    UINT32_MAX);
    struct ras_aero_stream s = {.abi_version = m->start.command_abi_version,
                                .size_bytes = (uint32_t)size};
    struct ras_aero_alloc_table t = {.abi_version = m->start.command_abi_version,
                                     .size_bytes = (uint32_t)size,
                                     .entry_count = (uint32_t)m->allocs,
                                     .entry_stride = RAS_AERO_ALLOC_SIZE};
    if (m->shape == AERO_BARE_STREAM)
        ras_aero_stream_put(&s, head);
    else
        ras_aero_alloc_table_put(&t, head);
    int status = ras_sink_write(sink, head, sizeof head, err);
    return status < 0 || !m->stream.len ? status
                                        : ras_sink_write(sink, m->stream.at, m->stream.len, err);
}

/* ---- rows ---------------------------------------------------------------------------- */

struct route {
    const char *type;
    int (*put)(struct aero_maker *, const struct json_row *, struct ras_error *);
};

static const struct route routes[] = {
    {"frame", put_frame},       {"packet", build_packet},
    {"blob", build_blob},       {"submission", build_submission},
    {"command", build_command}, {"shader", put_shader},
    {"blob_bytes", put_shader}, {"alloc", put_alloc},
};

static int put(struct build *b, const struct json_row *row, struct ras_error *err)
{
    struct aero_maker *m = b->priv;
    size_t i = 0;
    while (i < sizeof routes / sizeof *routes && strcmp(routes[i].type, row->type))
        i++;
    if (i == sizeof routes / sizeof *routes)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "line %" PRIu64 ": a GPU trace has no records of type %s", row->line,
                    row->type);
    bool command = routes[i].put == build_command, alloc = routes[i].put == put_alloc;
    bool fits = m->shape == AERO_BARE_STREAM  ? command
                : m->shape == AERO_BARE_TABLE ? alloc
                                              : !alloc;
    if (m->any && !fits)
        return fail(err, RAS_EFORMAT, RAS_NONE,
                    "line %" PRIu64 ": %s does not fit the records before it", row->line,
                    row->type);
    int status = command ? RAS_OK : commands_end(m, err);
    /* The bytes of a shader row belong to the blob before it, so that blob is kept until then. */
    if (status == RAS_OK && m->any && m->shape == AERO_TRACE && !command &&
        routes[i].put != put_shader)
        status = call_flush(m, b->sink, err);
    if (status == RAS_OK)
        status = routes[i].put(m, row, err);
    m->any = true;
    return status;
}

static int build_end(struct build *b, struct ras_error *err)
{
    struct aero_maker *m = b->priv;
    if (m->shape != AERO_TRACE)
        return end_bare(m, b->sink, err);
    int status = commands_end(m, err);
    make_up_waiting(m);
    if (status == RAS_OK && m->open && !call_add(m, AERO_CALL_END, err))
        status = RAS_EMEMORY;
    if (status == RAS_OK)
        status = call_flush(m, b->sink, err);
    b->out->made_up_bytes = m->made_up;
    if (status == RAS_OK && m->made_up)
        build_note(b, "blobs have no data in JSON Lines: zeros are written for %" PRIu64 " bytes",
                   m->made_up);
    return status < 0 ? status : ras_aero_writer_finish(m->writer, err);
}

static void build_stop(struct build *b)
{
    struct aero_maker *m = b->priv;
    (void)!ras_aero_writer_close(m->writer, NULL); /* closing the sink reports it */
    out_free(&m->text);
    out_free(&m->data);
    out_free(&m->stream);
    free(m->zeros);
    free(m->calls);
}

const struct build_ops aero_build = {
    .header = header,
    .blob_types = (const char *const[]){"blob_bytes", NULL},
    .targets = (const char *const[]){"v2", "v1", NULL},
    .types = (const char *const[]){"frame", "packet", "blob", "submission", "command", "shader",
                                   "blob_bytes", "alloc", NULL},
    .schemas = (const struct ras_schema *const[]){&aero_frame_schema, &aero_packet_schema,
                                                  &aero_blob_schema, &aero_submission_schema,
                                                  &aero_command_schema, &aero_shader_schema,
                                                  &aero_bytes_schema, &aero_alloc_schema, NULL},
    .size = sizeof(struct aero_maker),
    .begin = build_begin,
    .put = put,
    .end = build_end,
    .stop = build_stop,
};
