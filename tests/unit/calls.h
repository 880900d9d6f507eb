/* calls.h - small ATF files, made in memory for tests. */
#ifndef UNIT_CALLS_H
#define UNIT_CALLS_H

#include "base/out.h"
#include <rastrum/atf.h>

static inline void put_le(struct out *o, uint64_t v, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        out_byte(o, (uint8_t)(v >> 8 * i));
}

static inline void put_zeros(struct out *o, unsigned count)
{
    while (count--)
        out_byte(o, 0);
}

/* An index header; count 0 and footer 64 are a placeholder's. */
static inline void put_index_header(struct out *o, uint32_t thread, uint32_t count, uint64_t footer)
{
    out_bytes(o, "ATI2\1\1\1\4", 8); /* little-endian, version 1, x86_64, Linux */
    put_le(o, 0, 4);                 /* flags */
    put_le(o, thread, 4);
    put_le(o, RAS_ATF_BOOTTIME, 8);
    put_le(o, 32, 4);
    put_le(o, count, 4);
    put_le(o, 64, 8);
    put_le(o, footer, 8);
    put_le(o, 0, 8);
    put_le(o, 0, 8);
}

static inline void put_event(struct out *o, uint64_t time, uint64_t function, uint32_t kind,
                             uint32_t depth, uint32_t detail)
{
    put_le(o, time, 8);
    put_le(o, function, 8);
    put_le(o, 0, 4);
    put_le(o, kind, 4);
    put_le(o, depth, 4);
    put_le(o, detail, 4);
}

static inline void put_index_footer(struct out *o, uint64_t count)
{
    out_bytes(o, "2ITA", 4);
    put_le(o, 0, 4);
    put_le(o, count, 8);
    put_zeros(o, 16);
    put_le(o, 32 * count, 8);
    put_zeros(o, 24);
}

/* A closed index of `count` calls of functions 1, 2, ... at times 100, 110, ... */
static inline void put_index(struct out *o, uint32_t thread, uint32_t count)
{
    put_index_header(o, thread, count, 64 + 32 * (uint64_t)count);
    for (uint32_t i = 0; i < count; i++)
        put_event(o, 100 + 10 * (uint64_t)i, i + 1, RAS_ATF_CALL, i + 1, RAS_ATF_NO_DETAIL);
    put_index_footer(o, count);
}

static inline void put_detail_header(struct out *o, uint64_t count, uint64_t length)
{
    out_bytes(o, "ATD2\1\1\1\4", 8);
    put_zeros(o, 12);
    put_le(o, 64, 8);
    put_le(o, count, 8);
    put_le(o, length, 8);
    put_zeros(o, 20);
}

/* A detail of `payload` opaque bytes. */
static inline void put_detail(struct out *o, uint32_t index_seq, uint64_t time, unsigned payload)
{
    put_le(o, 24 + payload, 4);
    put_le(o, RAS_ATF_FUNCTION_CALL, 2);
    put_le(o, 0, 2);
    put_le(o, index_seq, 4);
    put_le(o, 0, 4);
    put_le(o, time, 8);
    put_zeros(o, payload);
}

static inline void put_detail_footer(struct out *o, uint64_t count, uint64_t length)
{
    out_bytes(o, "2DTA", 4);
    put_le(o, 0, 4);
    put_le(o, count, 8);
    put_le(o, length, 8);
    put_zeros(o, 40);
}

static inline struct ras_bytes made(const struct out *o)
{
    return (struct ras_bytes){o->at, o->len};
}
#endif
