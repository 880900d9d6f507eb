/* aerogpu_types.c - the types of records, and the cells of each. */
#include "formats/aerogpu/aerogpu_driver.h"
#include "formats/aerogpu/aerogpu_op.h"

/* ---- packets and commands ------------------------------------------------------------ */

/* The field that is put. */
struct put {
    struct cells *c;
    unsigned field;
    const struct ras_aero_op *op;
    struct ras_bytes payload;
    uint32_t minor;
};

static void key(const struct put *p, const char *name, size_t len)
{
    value_span(p->c, RAS_STR, p->field, name, len);
}

#define KEY(p, name) key(p, name, sizeof name - 1)

static const char *name_of(const struct ras_aero_name *names, uint64_t value)
{
    for (; names->name; names++)
        if (names->value == value)
            return names->name;
    return NULL;
}

/* One number by its type; a narrow signed one is sign-extended. */
static void put_number(const struct put *p, uint8_t type, uint64_t bits)
{
    static const struct {
        uint8_t kind, bits;
    } as[] = {
        [RAS_AERO_U8] = {RAS_UINT, 8},
        [RAS_AERO_U32] = {RAS_UINT, 32},
        [RAS_AERO_I32] = {RAS_INT, 32},
        [RAS_AERO_U64] = {RAS_UINT, 64},
    };
    if (type == RAS_AERO_F32) {
        value_f32(p->c, p->field, (uint32_t)bits);
        return;
    }
    if (type == RAS_AERO_I32)
        bits = (uint64_t)(int64_t)(int32_t)bits;
    value_put(p->c, as[type].kind, as[type].bits, p->field, 0, bits);
}

static void put_name(const struct put *p, const struct ras_aero_field *f, uint64_t value)
{
    const char *name = name_of(f->names, value);
    if (!name)
        return;
    key(p, f->alias, f->alias_len);
    value_text(p->c, p->field, name);
}

/* A field that is one number, and the values derived from it: the name of an
 * enumerated value, a blob id from its halves, a float from its bits. */
static void put_single(const struct put *p, const struct ras_aero_field *f, struct ras_bytes item)
{
    uint64_t value = f->flags & RAS_AERO_ABSENT ? 0 : aero_field_number(f, item);
    if (f->flags & RAS_AERO_RESERVED && value == 0)
        return;
    if (f->flags & RAS_AERO_STAGE_EX && aero_stage_ex_counts(p->op, p->payload, p->minor)) {
        const char *name = name_of(f->names, value);
        KEY(p, "stage_ex");
        value_uint(p->c, p->field, 32, value);
        KEY(p, "stage_ex_name");
        value_text(p->c, p->field, name ? name : "Unknown");
        return;
    }
    key(p, f->name, f->name_len);
    put_number(p, f->type, value);
    if (f->flags & RAS_AERO_BITS) {
        key(p, f->alias, f->alias_len);
        put_number(p, RAS_AERO_F32, value);
    } else if (f->flags & RAS_AERO_HAS_LO) {
        key(p, f->alias, f->alias_len);
        value_uint(p->c, p->field, 64, aero_field_whole(f, item));
    } else if (f->names && !(f->flags & RAS_AERO_STAGE_EX)) {
        put_name(p, f, value);
    }
}

enum { SINGLE_CELLS = 4 }; /* the most that put_single adds */

static bool put_items(const struct put *p, const struct ras_aero_field *f, uint64_t count)
{
    size_t fields = 0;
    for (const struct ras_aero_field *i = f->item; i->type != RAS_AERO_END; i++)
        fields++;
    for (uint64_t i = 0; i < count; i++) {
        struct ras_bytes item = aero_slice(p->payload, f->at + i * f->item_size, f->item_size);
        if (!cells_room(p->c, 1 + fields * SINGLE_CELLS))
            return false;
        size_t open = p->c->count;
        value_put(p->c, RAS_MAP, 0, p->field, 0, 0);
        for (const struct ras_aero_field *at = f->item; at->type != RAS_AERO_END; at++)
            put_single(p, at, item);
        value_close(p->c, open);
    }
    return true;
}

/* The items of a list; a short payload gives as many as it has. */
static bool put_list(const struct put *p, const struct ras_aero_field *f)
{
    uint64_t count = aero_field_present(f, p->payload);
    if (f->flags & RAS_AERO_LAYOUT && !aero_field_promised(f, p->payload))
        return true;
    if (!cells_room(p->c, 2 + (f->type == RAS_AERO_STRUCT ? 0 : (size_t)count)))
        return false;
    key(p, f->name, f->name_len);
    size_t open = p->c->count;
    value_put(p->c, RAS_LIST, 0, p->field, 0, 0);
    if (f->type == RAS_AERO_STRUCT) {
        if (!put_items(p, f, count))
            return false;
    } else {
        struct in in = in_bytes(aero_slice(p->payload, f->at, 4 * count));
        for (uint64_t i = 0; i < count; i++)
            put_number(p, f->type, in_u32(&in));
    }
    value_close(p->c, open);
    return true;
}

static bool put_field(const struct put *p, const struct ras_aero_field *f)
{
    if (f->flags & RAS_AERO_LIST)
        return put_list(p, f);
    if (!cells_room(p->c, SINGLE_CELLS))
        return false;
    if (f->type == RAS_AERO_BYTES || f->type == RAS_AERO_TEXT) {
        struct ras_bytes b = aero_slice(p->payload, f->at, aero_field_present(f, p->payload));
        bool text = f->type == RAS_AERO_TEXT;
        key(p, f->name, f->name_len);
        value_span(p->c, text ? RAS_STR : RAS_BLOB, p->field, b.at,
                   text ? aero_text_len(b) : b.len);
    } else if (f->flags & RAS_AERO_ABSENT || aero_field_present(f, p->payload)) {
        put_single(p, f, p->payload);
    }
    return true;
}

/* Most fields are one number of four bytes, and nothing else. */
static bool is_plain(const struct ras_aero_field *f, struct ras_bytes payload)
{
    return !f->flags && !f->names && f->type >= RAS_AERO_U32 && f->type <= RAS_AERO_F32 &&
           f->at + 4u <= payload.len;
}

bool aero_fields_put(struct cells *c, unsigned field, const struct ras_aero_op *op,
                     struct ras_bytes payload, uint32_t minor)
{
    struct put p = {.c = c, .field = field, .op = op, .payload = payload, .minor = minor};
    if (!cells_room(c, 3))
        return false;
    size_t open = c->count;
    value_put(c, RAS_MAP, 0, field, 0, 0);
    if (!op) {
        KEY(&p, "payload");
        value_span(c, RAS_BLOB, field, payload.at, payload.len);
    }
    for (const struct ras_aero_field *f = op ? op->fields : NULL; f && f->type != RAS_AERO_END;
         f++) {
        if (!is_plain(f, payload)) {
            if (!put_field(&p, f))
                return false;
            continue;
        }
        if (!cells_room(c, 2))
            return false;
        key(&p, f->name, f->name_len);
        put_number(&p, f->type, aero_word_at(payload.at + f->at));
    }
    value_close(c, open);
    return true;
}

enum { NUMBER_CELLS = 11 }; /* the most that put_numbers adds */

/* A map of all numbers of a structure. */
static void put_numbers(struct cells *c, unsigned field, const struct aero_number *n,
                        const void *structure)
{
    size_t open = c->count;
    value_put(c, RAS_MAP, 0, field, 0, 0);
    for (; n->name; n++) {
        value_text(c, field, n->name);
        value_uint(c, field, 8u * n->size, aero_number_of(n, structure));
    }
    value_close(c, open);
}

static bool stream_cells(struct cells *c, unsigned field, const struct ras_aero_stream *s)
{
    if (!cells_room(c, NUMBER_CELLS))
        return false;
    put_numbers(c, field, aero_stream_numbers, s);
    return true;
}

static bool ranges_cells(struct cells *c, unsigned field, const struct ras_aero_submission *s)
{
    if (!cells_room(c, 1 + (size_t)s->memory_range_count * NUMBER_CELLS))
        return false;
    size_t list = c->count;
    value_put(c, RAS_LIST, 0, field, 0, 0);
    for (uint32_t i = 0; i < s->memory_range_count; i++) {
        struct ras_aero_range r = ras_aero_range_at(s, i);
        put_numbers(c, field, aero_range_numbers, &r);
    }
    value_close(c, list);
    return true;
}

/* ---- records ------------------------------------------------------------------------- */

enum { FRAME_INDEX, START_OFFSET, PRESENT_OFFSET, END_OFFSET };
static const struct ras_field frame_fields[] = {
    [FRAME_INDEX] = {"frame_index", RAS_UINT, 32, RAS_SAME},
    [START_OFFSET] = {"start_offset", RAS_UINT, 64, 0, .unit = RAS_UNIT_BYTES},
    [PRESENT_OFFSET] = {"present_offset", RAS_UINT, 64, 0, .unit = RAS_UNIT_BYTES},
    [END_OFFSET] = {"end_offset", RAS_UINT, 64, 0, .unit = RAS_UNIT_BYTES},
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
    [SIZE] = {"size", RAS_UINT, 32, 0, .unit = RAS_UNIT_BYTES},
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
static const struct ras_field range_fields[] = {{"alloc_id", RAS_UINT, 32, 0},
                                                {"flags", RAS_UINT, 32, 0},
                                                {"gpa", RAS_UINT, 64, 0},
                                                {"size_bytes", RAS_UINT, 64, 0},
                                                {"blob_id", RAS_UINT, 64, 0}};
static const struct ras_field submission_fields[] = {
    [RECORD_VERSION] = {"record_version", RAS_UINT, 32, 0},
    [SUBMIT_FLAGS] = {"submit_flags", RAS_UINT, 32, 0},
    [CONTEXT_ID] = {"context_id", RAS_UINT, 32, 0},
    [ENGINE_ID] = {"engine_id", RAS_UINT, 32, 0},
    [SIGNAL_FENCE] = {"signal_fence", RAS_UINT, 64, 0},
    [CMD_STREAM_BLOB_ID] = {"cmd_stream_blob_id", RAS_UINT, 64, 0},
    [ALLOC_TABLE_BLOB_ID] = {"alloc_table_blob_id", RAS_UINT, 64, 0},
    [MEMORY_RANGE_COUNT] = {"memory_range_count", RAS_UINT, 32, 0},
    [MEMORY_RANGES] = {"memory_ranges", RAS_LIST, 0, 0, NULL, range_fields, 5, RAS_MAP},
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

static bool stream_values(struct ras_cursor *c, const struct view *view, struct ras_bytes payload)
{
    struct in in = in_bytes(payload);
    struct ras_aero_stream s = {0};
    aero_stream_get(&in, &s);
    if (view_has(view, OPCODE))
        value_null(&c->values, OPCODE);
    if (view_has(view, NAME))
        value_text(&c->values, NAME, AERO_MAGIC_STREAM);
    return !view_has(view, FIELDS) || stream_cells(&c->values, FIELDS, &s);
}

static bool packet_values(struct ras_cursor *c, const struct view *view, struct ras_bytes payload)
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
    bool ok = cells_room(&c->values, 3) &&
              (ras_aero_is_stream(payload) ? stream_values(c, view, payload)
                                           : packet_values(c, view, payload));
    return ok ? STEP_RECORD : STEP_NOMEM;
}

static void blob_values(struct ras_cursor *c, const struct view *view,
                        const struct ras_aero_blob *b)
{
    if (view_has(view, BLOB_ID))
        value_uint(&c->values, BLOB_ID, 64, b->blob_id);
    if (view_has(view, KIND))
        value_uint(&c->values, KIND, 32, b->kind);
    if (view_has(view, KIND_NAME))
        value_text(&c->values, KIND_NAME, ras_aero_blob_kind_name(b->kind));
    if (view_has(view, SIZE))
        value_uint(&c->values, SIZE, 32, b->data.len);
}

/* The type on request that has the bytes of such a blob; 0: none was requested. The bytes of a
 * command stream are its commands. */
static uint32_t bytes_type(struct ras_cursor *c, uint32_t kind)
{
    if (kind != RAS_AERO_CMD_STREAM && cursor_view(c, AERO_BLOB_BYTES_TYPE)->wanted)
        return AERO_BLOB_BYTES_TYPE;
    return aero_is_shader(kind) && cursor_view(c, AERO_SHADER_TYPE)->wanted ? AERO_SHADER_TYPE : 0;
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
    blob_values(c, view, b);
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
    blob_values(c, view, &b);
    bool text = aero_is_shader(b.kind) && b.kind != RAS_AERO_SHADER_DXBC;
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
    return !view_has(view, MEMORY_RANGES) || ranges_cells(c, MEMORY_RANGES, s);
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
