/* stream.h - dial9 streams put together frame by frame, for tests. */
#ifndef UNIT_STREAM_H
#define UNIT_STREAM_H

#include "base/out.h"
#include <rastrum/dial9.h>

#include <stdarg.h>

static inline void put_le(struct out *o, uint64_t value, unsigned size)
{
    while (size--) {
        out_byte(o, (uint8_t)value);
        value >>= 8;
    }
}

static inline void put_varint(struct out *o, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        out_byte(o, (uint8_t)(value | 0x80));
    out_byte(o, (uint8_t)value);
}

static inline void put_short(struct out *o, const char *text)
{
    put_le(o, strlen(text), 2);
    out_text(o, text);
}

static inline void put_long(struct out *o, const char *text)
{
    put_le(o, strlen(text), 4);
    out_text(o, text);
}

static inline void put_header(struct out *o)
{
    out_bytes(o, "TRC\0\1", 5);
}

/* Fields follow as name, type, name, type ...; count of them. */
static inline void put_schema(struct out *o, unsigned id, const char *name, bool timed,
                              unsigned count, ...)
{
    va_list args;
    out_byte(o, RAS_DIAL9_SCHEMA);
    put_le(o, id, 2);
    put_short(o, name);
    out_byte(o, timed);
    put_le(o, count, 2);
    va_start(args, count);
    while (count--) {
        put_short(o, va_arg(args, const char *));
        out_byte(o, (uint8_t)va_arg(args, int));
    }
    va_end(args);
}

static inline void put_event(struct out *o, unsigned id, uint64_t delta)
{
    out_byte(o, RAS_DIAL9_EVENT);
    put_le(o, id, 2);
    put_le(o, delta, 3);
}

static inline void put_string(struct out *o, uint32_t id, const char *text)
{
    out_byte(o, RAS_DIAL9_STRING_POOL);
    put_le(o, 1, 4);
    put_le(o, id, 4);
    put_long(o, text);
}

/* A stack of `count` addresses: first, first + 1, ... */
static inline void put_stack(struct out *o, uint32_t id, uint64_t first, uint32_t count)
{
    out_byte(o, RAS_DIAL9_STACK_POOL);
    put_le(o, 1, 4);
    put_le(o, id, 4);
    put_le(o, count, 4);
    for (uint32_t i = 0; i < count; i++)
        put_le(o, first + i, 8);
}

static inline void put_reset(struct out *o, uint64_t time_ns)
{
    out_byte(o, RAS_DIAL9_TIMESTAMP_RESET);
    put_le(o, time_ns, 8);
}

/* "Ev" {v Varint} as type 0, and one such event. */
static inline void put_ev_schema(struct out *o)
{
    put_schema(o, 0, "Ev", true, 1, "v", RAS_DIAL9_VARINT);
}

static inline void put_ev(struct out *o, uint64_t delta, uint64_t v)
{
    put_event(o, 0, delta);
    put_varint(o, v);
}
#endif
