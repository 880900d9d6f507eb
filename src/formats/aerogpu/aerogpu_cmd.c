/* aerogpu_cmd.c - packets of Appendix A, the minimal command ABI v1. */
#include "base/error.h"
#include "formats/aerogpu/aerogpu_op.h"

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
