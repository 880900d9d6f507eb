/* thrift.h - values in Thrift's compact protocol, as the metadata of Parquet has them.
 *
 * A field is written as its distance from the field before it in the same struct; each struct that
 * is open keeps the id of its last field. */
#ifndef EXPORT_THRIFT_H
#define EXPORT_THRIFT_H

#include "base/out.h"

enum thrift_type {
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_I8 = 3,
    THRIFT_I16 = 4,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12,
};
enum { THRIFT_DEPTH = 8 };

/* Zero-initialised but for `out`: inside the outermost struct. */
struct thrift {
    struct out *out;
    int last[THRIFT_DEPTH];
    unsigned depth;
};

static inline void thrift_varint(struct out *out, uint64_t value)
{
    while (value >= 0x80) {
        out_byte(out, (uint8_t)(value | 0x80));
        value >>= 7;
    }
    out_byte(out, (uint8_t)value);
}

static inline void thrift_zigzag(struct out *out, int64_t value)
{
    thrift_varint(out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static inline void thrift_field(struct thrift *t, int id, enum thrift_type type)
{
    int step = id - t->last[t->depth];
    t->last[t->depth] = id;
    if (step > 0 && step < 16) {
        out_byte(t->out, (uint8_t)((unsigned)step << 4 | type));
        return;
    }
    out_byte(t->out, (uint8_t)type);
    thrift_zigzag(t->out, id);
}

static inline void thrift_bool(struct thrift *t, int id, bool value)
{
    thrift_field(t, id, value ? THRIFT_TRUE : THRIFT_FALSE);
}

static inline void thrift_i8(struct thrift *t, int id, int8_t value)
{
    thrift_field(t, id, THRIFT_I8);
    out_byte(t->out, (uint8_t)value);
}

static inline void thrift_i32(struct thrift *t, int id, int32_t value)
{
    thrift_field(t, id, THRIFT_I32);
    thrift_zigzag(t->out, value);
}

static inline void thrift_i64(struct thrift *t, int id, uint64_t value)
{
    thrift_field(t, id, THRIFT_I64);
    thrift_zigzag(t->out, (int64_t)value);
}

/* The length and the bytes, as an item of a list has them. */
static inline void thrift_item(struct out *out, const void *bytes, size_t len)
{
    thrift_varint(out, len);
    out_bytes(out, bytes, len);
}

static inline void thrift_binary(struct thrift *t, int id, const void *bytes, size_t len)
{
    thrift_field(t, id, THRIFT_BINARY);
    thrift_item(t->out, bytes, len);
}

static inline void thrift_text(struct thrift *t, int id, const char *text)
{
    thrift_binary(t, id, text, strlen(text));
}

/* A list of so many items, which the caller writes: structs between thrift_open() and
 * thrift_close(), numbers and bytes by themselves. */
static inline void thrift_list(struct thrift *t, int id, enum thrift_type item, size_t count)
{
    thrift_field(t, id, THRIFT_LIST);
    if (count < 15) {
        out_byte(t->out, (uint8_t)(count << 4 | item));
        return;
    }
    out_byte(t->out, (uint8_t)(0xf0 | item));
    thrift_varint(t->out, count);
}

/* A struct as an item of a list. */
static inline void thrift_open(struct thrift *t)
{
    t->last[++t->depth] = 0;
}

/* A struct as a field. */
static inline void thrift_struct(struct thrift *t, int id)
{
    thrift_field(t, id, THRIFT_STRUCT);
    thrift_open(t);
}

static inline void thrift_close(struct thrift *t)
{
    out_byte(t->out, 0);
    if (t->depth)
        t->depth--;
}
#endif
