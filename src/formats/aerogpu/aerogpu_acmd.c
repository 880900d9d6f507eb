/* aerogpu_acmd.c - ACMD command streams: framing and the lookup of opcodes. */
#include "base/error.h"
#include "formats/aerogpu/aerogpu_op.h"

bool ras_aero_is_stream(struct ras_bytes payload)
{
    return payload.len >= 4 && !memcmp(payload.at, AERO_MAGIC_STREAM, 4);
}

int ras_aero_stream_get(struct ras_bytes bytes, struct ras_aero_stream *s, struct ras_error *err)
{
    struct in in = in_bytes(bytes);
    bool ours = aero_stream_get(&in, s);
    s->commands = s->trailing = (struct ras_bytes){0};
    if (bytes.len >= 4 && !ours)
        return fail(err, RAS_EFORMAT, 0, "command stream magic is not ACMD");
    if (in.cut)
        return fail(err, RAS_ECUT, 0, "stream header of 24 bytes in %zu", bytes.len);
    if (aero_major(s->abi_version) != AERO_ABI_MAJOR)
        return fail(err, RAS_EVERSION, 4, "stream of ABI %" PRIu32 ".%" PRIu32 ", 1.x is read",
                    aero_major(s->abi_version), aero_minor(s->abi_version));
    if (s->size_bytes < RAS_AERO_STREAM_HEADER_SIZE || s->size_bytes % 4)
        return fail(err, RAS_EFORMAT, 8,
                    "stream size_bytes is %" PRIu32 ", a multiple of 4 from 24 on wanted",
                    s->size_bytes);
    if (s->size_bytes > bytes.len)
        return fail(err, RAS_ECUT, 8, "stream of %" PRIu32 " bytes in %zu", s->size_bytes,
                    bytes.len);
    s->commands =
        aero_slice(bytes, RAS_AERO_STREAM_HEADER_SIZE, s->size_bytes - RAS_AERO_STREAM_HEADER_SIZE);
    s->trailing = aero_slice(bytes, s->size_bytes, UINT64_MAX);
    return RAS_OK;
}

int ras_aero_command_get(struct ras_bytes commands, uint64_t *offset, struct ras_aero_command *c,
                         struct ras_error *err)
{
    uint64_t at = *offset;
    struct in in = in_bytes(aero_slice(commands, at, UINT64_MAX));
    uint64_t left = in_left(&in);
    if (!left)
        return RAS_END;
    aero_command_get(&in, c);
    if (in.cut)
        return fail(err, RAS_EFORMAT, at, "command header of 8 bytes, %" PRIu64 " are left", left);
    if (c->size_bytes < RAS_AERO_COMMAND_HEADER_SIZE || c->size_bytes % 4)
        return fail(err, RAS_EFORMAT, at,
                    "command size_bytes is %" PRIu32 ", a multiple of 4 from 8 on wanted",
                    c->size_bytes);
    if (c->size_bytes > left)
        return fail(err, RAS_EFORMAT, at, "command of %" PRIu32 " bytes, %" PRIu64 " are left",
                    c->size_bytes, left);
    c->payload = in_span(&in, c->size_bytes - RAS_AERO_COMMAND_HEADER_SIZE);
    *offset = at + c->size_bytes;
    return RAS_OK;
}

const struct ras_aero_op *ras_aero_command_op(uint32_t opcode, uint32_t size_bytes)
{
    const struct ras_aero_op *op = aero_op_find(aero_command_ops, aero_command_op_count, opcode);
    const struct ras_aero_op *end = aero_command_ops + aero_command_op_count;
    while (op && op + 1 < end && op[1].opcode == opcode && op[1].size_bytes <= size_bytes)
        op++; /* BIND_SHADERS: the longest form that fits */
    return op;
}

const struct ras_aero_op *ras_aero_command_op_at(size_t i)
{
    return i < aero_command_op_count ? &aero_command_ops[i] : NULL;
}
