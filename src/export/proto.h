/* proto.h - the wire format of Protocol Buffers, as far as writers need it. */
#ifndef EXPORT_PROTO_H
#define EXPORT_PROTO_H

#include "base/out.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2 };
enum { PROTO_VARINT_MOST = 10 };

static inline uint8_t *proto_store_varint(uint8_t *p, uint64_t value)
{
    while (value >= 0x80) {
        *p++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *p++ = (uint8_t)value;
    return p;
}

static inline void proto_varint(struct out *out, uint64_t value)
{
    uint8_t *p = out_reserve(out, PROTO_VARINT_MOST);
    if (p)
        out->len = (size_t)(proto_store_varint(p, value) - out->at);
}

static inline void proto_tag(struct out *out, uint32_t field, enum proto_wire wire)
{
    proto_varint(out, (uint64_t)field << 3 | (uint64_t)wire);
}

static inline void proto_uint(struct out *out, uint32_t field, uint64_t value)
{
    uint8_t *p = out_reserve(out, (size_t)2 * PROTO_VARINT_MOST);
    if (p) {
        p = proto_store_varint(p, (uint64_t)field << 3 | PROTO_VARINT);
        out->len = (size_t)(proto_store_varint(p, value) - out->at);
    }
}

static inline void proto_fixed64(struct out *out, uint32_t field, uint64_t value)
{
    proto_tag(out, field, PROTO_FIXED64);
    uint8_t *p = out_reserve(out, sizeof value);
    if (p) {
        store_u64(p, value);
        out->len += sizeof value;
    }
}

static inline void proto_bytes(struct out *out, uint32_t field, const void *bytes, size_t len)
{
    proto_tag(out, field, PROTO_BYTES);
    proto_varint(out, len);
    out_bytes(out, bytes, len);
}

/* A message that was built in `inner`, which is emptied. */
static inline void proto_message(struct out *out, uint32_t field, struct out *inner)
{
    out->failed |= inner->failed;
    proto_bytes(out, field, inner->at, inner->len);
    inner->len = 0;
}
#endif
