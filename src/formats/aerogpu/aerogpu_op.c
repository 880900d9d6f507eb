/* aerogpu_op.c - fields of packets and commands by their tables, and the table of the packets of
 * Appendix A, the minimal command ABI v1. */
#include "base/error.h"
#include "formats/aerogpu/aerogpu_op.h"

const struct ras_aero_op *aero_op_find(const struct ras_aero_op *rows, size_t count,
                                       uint32_t opcode)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (rows[mid].opcode < opcode)
            low = mid + 1;
        else
            high = mid;
    }
    return low < count && rows[low].opcode == opcode ? &rows[low] : NULL;
}

uint32_t aero_field_width(const struct ras_aero_field *f)
{
    static const uint8_t widths[] = {
        [RAS_AERO_U8] = 1,  [RAS_AERO_U32] = 4,   [RAS_AERO_I32] = 4,  [RAS_AERO_F32] = 4,
        [RAS_AERO_U64] = 8, [RAS_AERO_BYTES] = 1, [RAS_AERO_TEXT] = 1, [RAS_AERO_STRUCT] = 0,
    };
    if (f->type == RAS_AERO_STRUCT)
        return f->item_size;
    return widths[f->type];
}

/* Zero where the payload ends before the number. */
static uint64_t number_at(struct ras_bytes payload, uint64_t at, unsigned width)
{
    struct in in = in_bytes(aero_slice(payload, at, width));
    uint64_t value = width == 1 ? in_u8(&in) : width == 4 ? in_u32(&in) : in_u64(&in);
    return in.cut ? 0 : value;
}

static bool is_layout(struct ras_bytes payload, const struct ras_aero_field *f)
{
    return number_at(payload, f->at - 16u, 4) == AERO_MAGIC_LAYOUT;
}

uint64_t aero_field_promised(const struct ras_aero_field *f, struct ras_bytes payload)
{
    if (f->flags & RAS_AERO_ABSENT || (f->flags & RAS_AERO_LAYOUT && !is_layout(payload, f)))
        return 0;
    if (f->type == RAS_AERO_TEXT)
        return payload.len;
    if (f->flags & RAS_AERO_COUNTED) {
        uint64_t count = number_at(payload, f->count_at, f->flags & RAS_AERO_COUNT64 ? 8 : 4);
        uint64_t per = f->flags & RAS_AERO_LIST ? f->per : 1;
        return count > UINT64_MAX / per ? UINT64_MAX : count * per;
    }
    return f->flags & RAS_AERO_LIST ? f->per : 1;
}

uint64_t aero_field_present(const struct ras_aero_field *f, struct ras_bytes payload)
{
    uint64_t promised = aero_field_promised(f, payload);
    uint64_t room = payload.len < f->at ? 0 : (payload.len - f->at) / aero_field_width(f);
    return promised < room ? promised : room;
}

uint64_t aero_field_number(const struct ras_aero_field *f, struct ras_bytes item)
{
    return number_at(item, f->at, aero_field_width(f));
}

uint64_t aero_field_whole(const struct ras_aero_field *f, struct ras_bytes item)
{
    return number_at(item, f->at - 4u, 8);
}

bool aero_stage_ex_counts(const struct ras_aero_op *op, struct ras_bytes payload, uint32_t minor)
{
    uint64_t stage;
    if (minor < AERO_STAGE_EX_MINOR)
        return false;
    if (!ras_aero_field_uint(op, payload, "stage", &stage) &&
        !ras_aero_field_uint(op, payload, "shader_stage", &stage))
        return true; /* DISPATCH has no stage: it is always compute */
    return stage == AERO_STAGE_COMPUTE;
}

static bool is_alias(const struct ras_aero_field *f, const char *name)
{
    return f->flags & RAS_AERO_HAS_LO && !strcmp(f->alias, name);
}

static const struct ras_aero_field *find_field(const struct ras_aero_op *op, const char *name)
{
    for (const struct ras_aero_field *f = op->fields; f->type != RAS_AERO_END; f++)
        if (!strcmp(f->name, name) || is_alias(f, name))
            return f;
    return NULL;
}

bool ras_aero_field_uint(const struct ras_aero_op *op, struct ras_bytes payload, const char *name,
                         uint64_t *value)
{
    const struct ras_aero_field *f = find_field(op, name);
    if (!f || f->type > RAS_AERO_U64 || f->flags & RAS_AERO_LIST ||
        payload.len < f->at + aero_field_width(f))
        return false;
    *value = is_alias(f, name) ? aero_field_whole(f, payload) : aero_field_number(f, payload);
    if (f->flags & RAS_AERO_ABSENT)
        *value = 0;
    return true;
}

struct ras_bytes ras_aero_field_bytes(const struct ras_aero_op *op, struct ras_bytes payload,
                                      const char *name)
{
    const struct ras_aero_field *f = find_field(op, name);
    if (!f)
        return (struct ras_bytes){0};
    return aero_slice(payload, f->at, aero_field_present(f, payload) * aero_field_width(f));
}

/* ---- packets of Appendix A ----------------------------------------------------------- */

int ras_aero_packet_get(struct ras_bytes payload, struct ras_aero_packet *p, struct ras_error *err)
{
    struct in in = in_bytes(payload);
    aero_packet_get(&in, p);
    if (in.cut)
        return fail(err, RAS_EFORMAT, 0, "packet header of 8 bytes in %zu", payload.len);
    if ((uint64_t)p->total_dwords * 4 != payload.len)
        return fail(err, RAS_EFORMAT, 4, "total_dwords is %" PRIu32 ", the payload has %zu bytes",
                    p->total_dwords, payload.len);
    return RAS_OK;
}

/* Blob ids are u64 split into (lo, hi); floats are stored as their bits. */
#define BLOB_ID(prefix, at)                                                                        \
    U32(prefix "_lo", at),                                                                         \
        AERO_FIELD(prefix "_hi", U32, at + 4, AERO_ALIAS(prefix), .flags = RAS_AERO_HAS_LO)
#define BITS(channel, at)                                                                          \
    AERO_FIELD(channel "_f32_bits", U32, at, AERO_ALIAS(channel), .flags = RAS_AERO_BITS)

static const struct ras_aero_name stages[] = {{0, "VS"}, {1, "FS"}, {0, NULL}};

static const struct ras_aero_field create_buffer[] = {U32("buffer_id", 0), U32("size_bytes", 4),
                                                      U32("usage", 8), LAST};
static const struct ras_aero_field upload_buffer[] = {U32("buffer_id", 0), U32("offset_bytes", 4),
                                                      U32("data_len_bytes", 8),
                                                      BLOB_ID("blob_id", 12), LAST};
static const struct ras_aero_field create_shader[] = {
    U32("shader_id", 0),         NAMED("stage", 4, stages),   BLOB_ID("glsl_blob_id", 8),
    BLOB_ID("wgsl_blob_id", 16), BLOB_ID("dxbc_blob_id", 24), LAST};
static const struct ras_aero_field create_pipeline[] = {
    U32("pipeline_id", 0), U32("vs_shader_id", 4), U32("fs_shader_id", 8), LAST};
static const struct ras_aero_field set_pipeline[] = {U32("pipeline_id", 0), LAST};
static const struct ras_aero_field set_vertex_buffer[] = {
    U32("buffer_id", 0), U32("stride_bytes", 4), U32("position_offset_bytes", 8),
    U32("color_offset_bytes", 12), LAST};
static const struct ras_aero_field set_viewport[] = {U32("width_px", 0), U32("height_px", 4), LAST};
static const struct ras_aero_field clear[] = {BITS("r", 0), BITS("g", 4), BITS("b", 8),
                                              BITS("a", 12), LAST};
static const struct ras_aero_field draw[] = {U32("vertex_count", 0), U32("first_vertex", 4), LAST};
static const struct ras_aero_field present[] = {LAST};

static const struct ras_aero_op packet_ops[] = {
    AERO_OP(0x0001, 20, "CREATE_BUFFER", create_buffer),
    AERO_OP(0x0002, 28, "UPLOAD_BUFFER", upload_buffer),
    AERO_OP(0x0003, 40, "CREATE_SHADER", create_shader),
    AERO_OP(0x0004, 20, "CREATE_PIPELINE", create_pipeline),
    AERO_OP(0x0005, 12, "SET_PIPELINE", set_pipeline),
    AERO_OP(0x0006, 24, "SET_VERTEX_BUFFER", set_vertex_buffer),
    AERO_OP(0x0007, 16, "SET_VIEWPORT", set_viewport),
    AERO_OP(0x0008, 24, "CLEAR", clear),
    AERO_OP(0x0009, 16, "DRAW", draw),
    AERO_OP(0x000a, 8, "PRESENT", present),
};
enum { PACKET_OPS = sizeof packet_ops / sizeof *packet_ops };

const struct ras_aero_op *ras_aero_packet_op(uint32_t opcode)
{
    return opcode - 1 < PACKET_OPS ? &packet_ops[opcode - 1] : NULL; /* they count from 1 */
}

const struct ras_aero_op *ras_aero_packet_op_at(size_t i)
{
    return i < PACKET_OPS ? &packet_ops[i] : NULL;
}
