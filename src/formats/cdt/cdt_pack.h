/* cdt_pack.h - msgpack tokens of a padded payload, read without checking its end.
 *
 * codec/msgpack.h reads any bytes; this is the fast path of the typed decoder. It is fast because a
 * key and a scalar are at most 41 bytes and CDT_PADDING readable bytes follow the payload: both are
 * read first, and one comparison per member afterwards checks the bounds. Only values of variable
 * length check that length at once. */
#ifndef FORMATS_CDT_PACK_H
#define FORMATS_CDT_PACK_H

#include "base/in.h"

enum {
    PACK_NIL = 0xc0,
    PACK_FALSE = 0xc2,
    PACK_TRUE = 0xc3,
    PACK_F32 = 0xca,
    PACK_F64 = 0xcb,
};

static inline uint16_t pack_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t pack_u32(const uint8_t *p)
{
    return __builtin_bswap32(load_u32(p));
}

static inline uint64_t pack_u64(const uint8_t *p)
{
    return __builtin_bswap64(load_u64(p));
}

/* An int of any width. NULL: not an int. */
static inline const uint8_t *pack_int(const uint8_t *p, uint64_t *value, bool *wide)
{
    uint8_t tag = *p;
    *wide = false;
    if (tag < 0x80 || tag >= 0xe0) {
        *value = (uint64_t)(int8_t)tag;
        return p + 1;
    }
    switch (tag) {
    case 0xcc:
        *value = p[1];
        return p + 2;
    case 0xcd:
        *value = pack_u16(p + 1);
        return p + 3;
    case 0xce:
        *value = pack_u32(p + 1);
        return p + 5;
    case 0xcf:
        *value = pack_u64(p + 1);
        *wide = *value >> 63;
        return p + 9;
    case 0xd0:
        *value = (uint64_t)(int8_t)p[1];
        return p + 2;
    case 0xd1:
        *value = (uint64_t)(int16_t)pack_u16(p + 1);
        return p + 3;
    case 0xd2:
        *value = (uint64_t)(int32_t)pack_u32(p + 1);
        return p + 5;
    case 0xd3:
        *value = pack_u64(p + 1);
        return p + 9;
    default:
        return NULL;
    }
}

/* A float of any width, or an int in its place. NULL: neither. */
static inline const uint8_t *pack_float(const uint8_t *p, double *value)
{
    if (*p == PACK_F64) {
        uint64_t bits = pack_u64(p + 1);
        memcpy(value, &bits, sizeof bits);
        return p + 9;
    }
    if (*p == PACK_F32) {
        uint32_t bits = pack_u32(p + 1);
        float f;
        memcpy(&f, &bits, sizeof bits);
        *value = f;
        return p + 5;
    }
    uint64_t number = 0;
    bool wide;
    p = pack_int(p, &number, &wide);
    *value = wide ? (double)number : (double)(int64_t)number;
    return p;
}

/* The head of a str, its length. NULL: not a str. */
static inline const uint8_t *pack_str(const uint8_t *p, uint32_t *length)
{
    uint8_t tag = *p;
    if ((tag & 0xe0) == 0xa0) {
        *length = tag & 31;
        return p + 1;
    }
    switch (tag) {
    case 0xd9:
        *length = p[1];
        return p + 2;
    case 0xda:
        *length = pack_u16(p + 1);
        return p + 3;
    case 0xdb:
        *length = pack_u32(p + 1);
        return p + 5;
    default:
        return NULL;
    }
}

static inline const uint8_t *pack_bin(const uint8_t *p, uint32_t *length)
{
    switch (*p) {
    case 0xc4:
        *length = p[1];
        return p + 2;
    case 0xc5:
        *length = pack_u16(p + 1);
        return p + 3;
    case 0xc6:
        *length = pack_u32(p + 1);
        return p + 5;
    default:
        return NULL;
    }
}

static inline const uint8_t *pack_sized(const uint8_t *p, uint8_t fix, uint8_t tag16,
                                        uint32_t *count)
{
    if ((*p & 0xf0) == fix) {
        *count = *p & 15;
        return p + 1;
    }
    if (*p == tag16) {
        *count = pack_u16(p + 1);
        return p + 3;
    }
    if (*p != tag16 + 1)
        return NULL;
    *count = pack_u32(p + 1);
    return p + 5;
}

/* The head of a map or array, its count. NULL: not one. */
static inline const uint8_t *pack_map(const uint8_t *p, uint32_t *count)
{
    return pack_sized(p, 0x80, 0xde, count);
}

static inline const uint8_t *pack_array(const uint8_t *p, uint32_t *count)
{
    return pack_sized(p, 0x90, 0xdc, count);
}
#endif
