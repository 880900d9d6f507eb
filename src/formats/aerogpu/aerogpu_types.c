/* aerogpu_types.c - the record types of a trace, and how each is filled. */
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_fields.h"

enum { FRAME_INDEX, START_OFFSET, PRESENT_OFFSET, END_OFFSET };
static const struct ras_field frame_fields[] = {
    [FRAME_INDEX] = {"frame_index", RAS_UINT, 32, 0},
    [START_OFFSET] = {"start_offset", RAS_UINT, 64, 0},
    [PRESENT_OFFSET] = {"present_offset", RAS_UINT, 64, 0},
    [END_OFFSET] = {"end_offset", RAS_UINT, 64, 0},
};

enum { OPCODE, NAME, FIELDS };
static const struct ras_field packet_fields[] = {
    [OPCODE] = {"opcode", RAS_UINT, 32, RAS_NULLABLE},
    [NAME] = {"name", RAS_STR, 0, RAS_NULLABLE},
    [FIELDS] = {"fields", RAS_MAP, 0, RAS_NULLABLE},
};

enum { BLOB_ID, KIND, KIND_NAME, SIZE, TEXT, BYTES };
static const struct ras_field blob_fields[] = {
    [BLOB_ID] = {"blob_id", RAS_UINT, 64, 0},
    [KIND] = {"kind", RAS_UINT, 32, 0},
    [KIND_NAME] = {"kind_name", RAS_STR, 0, RAS_NULLABLE},
    [SIZE] = {"size", RAS_UINT, 32, 0},
    /* A shader has these too: text, or bytes where it is bytecode. */
    [TEXT] = {"text", RAS_STR, 0, RAS_NULLABLE},
    [BYTES] = {"bytes", RAS_BLOB, 0, RAS_NULLABLE},
};

enum {
    RECORD_VERSION,
    SUBMIT_FLAGS,
    CONTEXT_ID,
    ENGINE_ID,
    SIGNAL_FENCE,
    CMD_STREAM_BLOB_ID,
    ALLOC_TABLE_BLOB_ID,
    MEMORY_RANGE_COUNT,
    MEMORY_RANGES,
    SUBMISSION_FIELDS,
};
static const struct ras_field submission_fields[] = {
    [RECORD_VERSION] = {"record_version", RAS_UINT, 32, 0},
    [SUBMIT_FLAGS] = {"submit_flags", RAS_UINT, 32, 0},
    [CONTEXT_ID] = {"context_id", RAS_UINT, 32, 0},
    [ENGINE_ID] = {"engine_id", RAS_UINT, 32, 0},
    [SIGNAL_FENCE] = {"signal_fence", RAS_UINT, 64, 0},
    [CMD_STREAM_BLOB_ID] = {"cmd_stream_blob_id", RAS_UINT, 64, 0},
    [ALLOC_TABLE_BLOB_ID] = {"alloc_table_blob_id", RAS_UINT, 64, 0},
    [MEMORY_RANGE_COUNT] = {"memory_range_count", RAS_UINT, 32, 0},
    [MEMORY_RANGES] = {"memory_ranges", RAS_LIST, 0, 0},
};

const struct ras_schema aero_frame_schema = {"frame", frame_fields, 4, 0};
const struct ras_schema aero_packet_schema = {"packet", packet_fields, 3, 0};
const struct ras_schema aero_blob_schema = {"blob", blob_fields, 4, 0};
const struct ras_schema aero_submission_schema = {"submission", submission_fields,
                                                  SUBMISSION_FIELDS, 0};
const struct ras_schema aero_shader_schema = {"shader", blob_fields, 6, RAS_ON_REQUEST | RAS_CHILD};
const struct ras_schema aero_bytes_schema = {"blob_bytes", blob_fields, 6,
                                             RAS_ON_REQUEST | RAS_CHILD};

bool aero_schemas_add(struct ras_trace *t)
{
    return schema_add(t, &aero_frame_schema) == AERO_FRAME_TYPE &&
           schema_add(t, &aero_packet_schema) == AERO_PACKET_TYPE &&
           schema_add(t, &aero_blob_schema) == AERO_BLOB_TYPE &&
           schema_add(t, &aero_submission_schema) == AERO_SUBMISSION_TYPE &&
           schema_add(t, &aero_command_schema) == AERO_COMMAND_TYPE &&
           schema_add(t, &aero_shader_schema) == AERO_SHADER_TYPE &&
           schema_add(t, &aero_bytes_schema) == AERO_BLOB_BYTES_TYPE;
}

/* ---- records ------------------------------------------------------------------ */

static void text_or_null(struct ras_cursor *c, unsigned field, const char *text)
{
    if (text)
        value_text(&c->values, field, text);
    else
        value_null(&c->values, field);
}

/* The frame that the Present record at `start` closes. */
enum step aero_frame_record(struct ras_cursor *c, struct aero_cursor *a, const uint8_t *start)
{
    uint64_t present = (uint64_t)(start - c->base), end = cursor_offset(c);
    aero_begin(c, a, AERO_FRAME_TYPE, c->base + a->frame_start, end - a->frame_start, RAS_NONE);
    if (end - a->frame_start > UINT32_MAX)
        c->record.raw_len = UINT32_MAX;
    a->tick_flag = 0;
    const struct view *view = cursor_view(c, AERO_FRAME_TYPE);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 4))
        return STEP_NOMEM;
    if (view_has(view, FRAME_INDEX))
        value_uint(&c->values, FRAME_INDEX, 32, a->frame_index);
    if (view_has(view, START_OFFSET))
        value_uint(&c->values, START_OFFSET, 64, a->frame_start);
    if (view_has(view, PRESENT_OFFSET))
        value_uint(&c->values, PRESENT_OFFSET, 64, present);
    if (view_has(view, END_OFFSET))
        value_uint(&c->values, END_OFFSET, 64, end);
    return STEP_RECORD;
}

static bool put_stream(struct ras_cursor *c, const struct view *view, struct ras_bytes payload)
{
    struct in in = in_bytes(payload);
    struct ras_aero_stream s = {0};
    aero_stream_get(&in, &s);
    if (view_has(view, OPCODE))
        value_null(&c->values, OPCODE);
    if (view_has(view, NAME))
        value_text(&c->values, NAME, AERO_MAGIC_STREAM);
    return !view_has(view, FIELDS) || aero_stream_put(&c->values, FIELDS, &s);
}

static bool put_packet(struct ras_cursor *c, const struct view *view, struct ras_bytes payload)
{
    struct in in = in_bytes(payload);
    struct ras_aero_packet p;
    aero_packet_get(&in, &p);
    const struct ras_aero_op *op = in.cut ? NULL : ras_aero_packet_op(p.opcode);
    if (view_has(view, OPCODE))
        value_put(&c->values, in.cut ? RAS_NULL : RAS_UINT, 32, OPCODE, 0, in.cut ? 0 : p.opcode);
    if (view_has(view, NAME))
        value_span(&c->values, op ? RAS_STR : RAS_NULL, NAME, op ? op->name : NULL,
                   op ? op->name_len : 0);
    return !view_has(view, FIELDS) ||
           aero_fields_put(&c->values, FIELDS, op, in.cut ? payload : p.payload, 0);
}

enum step aero_packet_values(struct ras_cursor *c)
{
    const struct view *view = cursor_view(c, AERO_PACKET_TYPE);
    struct ras_bytes record = {c->record.raw, c->record.raw_len};
    struct ras_bytes payload = aero_slice(record, RAS_AERO_RECORD_HEADER_SIZE, UINT64_MAX);
    bool ok =
        cells_room(&c->values, 3) &&
        (ras_aero_is_stream(payload) ? put_stream(c, view, payload) : put_packet(c, view, payload));
    return ok ? STEP_RECORD : STEP_NOMEM;
}

static void put_blob(struct ras_cursor *c, const struct view *view, const struct ras_aero_blob *b)
{
    if (view_has(view, BLOB_ID))
        value_uint(&c->values, BLOB_ID, 64, b->blob_id);
    if (view_has(view, KIND))
        value_uint(&c->values, KIND, 32, b->kind);
    if (view_has(view, KIND_NAME))
        text_or_null(c, KIND_NAME, ras_aero_blob_kind_name(b->kind));
    if (view_has(view, SIZE))
        value_uint(&c->values, SIZE, 32, b->data.len);
}

static bool is_shader(uint32_t kind)
{
    return kind >= RAS_AERO_SHADER_DXBC && kind <= RAS_AERO_SHADER_GLSL_ES300;
}

/* The type on request that has the bytes of such a blob; 0: none was requested. The bytes of a
 * command stream are its commands. */
static uint32_t bytes_type(struct ras_cursor *c, uint32_t kind)
{
    if (kind != RAS_AERO_CMD_STREAM && cursor_view(c, AERO_BLOB_BYTES_TYPE)->wanted)
        return AERO_BLOB_BYTES_TYPE;
    return is_shader(kind) && cursor_view(c, AERO_SHADER_TYPE)->wanted ? AERO_SHADER_TYPE : 0;
}

enum step aero_blob_record(struct ras_cursor *c, struct aero_cursor *a, const uint8_t *start,
                           const struct ras_aero_blob *b)
{
    uint64_t offset = (uint64_t)(start - c->base);
    aero_begin(c, a, AERO_BLOB_TYPE, start, (uint64_t)(c->in.at - start), RAS_NONE);
    aero_remember(a, b, offset);
    if (bytes_type(c, b->kind)) {
        a->pending = AERO_TEXT_OF;
        a->stream = offset;
        a->limit = c->record.raw_len;
        a->parent = c->seq;
    }
    const struct view *view = cursor_view(c, AERO_BLOB_TYPE);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 4))
        return STEP_NOMEM;
    put_blob(c, view, b);
    return STEP_RECORD;
}

/* The shader, or the bytes, in the Blob record just delivered. */
enum step aero_shader_record(struct ras_cursor *c, struct aero_cursor *a)
{
    struct ras_bytes bytes = {c->base + a->stream, a->limit};
    struct in in = in_bytes(aero_slice(bytes, RAS_AERO_RECORD_HEADER_SIZE, UINT64_MAX));
    struct ras_aero_blob b;
    aero_blob_get(&in, &b);
    uint32_t type = bytes_type(c, b.kind);
    aero_begin(c, a, type, bytes.at, bytes.len, a->parent);
    a->pending = AERO_NOTHING;
    const struct view *view = cursor_view(c, type);
    if (!view->values)
        return STEP_RECORD;
    if (!cells_room(&c->values, 6))
        return STEP_NOMEM;
    put_blob(c, view, &b);
    bool text = is_shader(b.kind) && b.kind != RAS_AERO_SHADER_DXBC;
    if (view_has(view, TEXT))
        value_span(&c->values, text ? RAS_STR : RAS_NULL, TEXT, b.data.at, text ? b.data.len : 0);
    if (view_has(view, BYTES))
        value_span(&c->values, text ? RAS_NULL : RAS_BLOB, BYTES, b.data.at, text ? 0 : b.data.len);
    return STEP_RECORD;
}

bool aero_submission_values(struct cells *c, const struct view *view,
                            const struct ras_aero_submission *s)
{
    const uint64_t values[] = {
        [RECORD_VERSION] = s->record_version,
        [SUBMIT_FLAGS] = s->submit_flags,
        [CONTEXT_ID] = s->context_id,
        [ENGINE_ID] = s->engine_id,
        [SIGNAL_FENCE] = s->signal_fence,
        [CMD_STREAM_BLOB_ID] = s->cmd_stream_blob_id,
        [ALLOC_TABLE_BLOB_ID] = s->alloc_table_blob_id,
        [MEMORY_RANGE_COUNT] = s->memory_range_count,
    };
    if (!cells_room(c, SUBMISSION_FIELDS))
        return false;
    for (unsigned i = 0; i < MEMORY_RANGES; i++)
        if (view_has(view, i))
            value_uint(c, i, submission_fields[i].bits, values[i]);
    return !view_has(view, MEMORY_RANGES) || aero_ranges_put(c, MEMORY_RANGES, s);
}

enum step aero_submission_record(struct ras_cursor *c, struct aero_cursor *a, const uint8_t *start,
                                 const struct ras_aero_submission *s)
{
    aero_begin(c, a, AERO_SUBMISSION_TYPE, start, (uint64_t)(c->in.at - start), RAS_NONE);
    if (!aero_await_submission(c, a, s, c->record.offset))
        return STEP_NOMEM;
    const struct view *view = cursor_view(c, AERO_SUBMISSION_TYPE);
    return !view->values || aero_submission_values(&c->values, view, s) ? STEP_RECORD : STEP_NOMEM;
}
