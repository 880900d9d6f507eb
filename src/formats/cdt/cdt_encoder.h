/* cdt_encoder.h - encodes members as msgpack, inline: for the encoder and the tables.
 *
 * Structs that occur by the thousand get an encoder of their own next to their table: there the
 * compiler knows the table, and no member is looked up at run time. */
#ifndef CDT_ENCODER_H
#define CDT_ENCODER_H

#include "base/out.h"
#include "codec/utf8.h"
#include "formats/cdt/cdt_model.h"
#include "formats/cdt/cdt_pack.h"

struct cdt_encoder {
    struct out *out;
    uint8_t *end; /* end of the available room */
    bool zig;
    struct cdt_problem *problem;
};

/* A key is stored 32 bytes at a time, a scalar takes at most 9 bytes, a short text 34, a pair of
 * floats 83: with this much room a member is written without another check. */
enum { ROOM = 128, SHORT_TEXT = 32 };

/* cdt_put.c */
uint8_t *cdt_put_grow(struct cdt_encoder *e, const uint8_t *p, size_t n);
uint8_t *cdt_put_text(struct cdt_encoder *e, uint8_t *p, struct ras_bytes text);
uint8_t *cdt_put_other(struct cdt_encoder *e, uint8_t *p, const struct cdt_field *f,
                       const uint8_t *from);

/* Returns where to continue, with at least n bytes of room; NULL: out of memory. */
static inline uint8_t *room(struct cdt_encoder *e, uint8_t *p, size_t n)
{
    return (size_t)(e->end - p) >= n ? p : cdt_put_grow(e, p, n);
}

static inline uint8_t *put_tagged(uint8_t *p, uint8_t tag, uint64_t value, unsigned size)
{
    uint64_t big = __builtin_bswap64(value << (64 - 8 * size));
    *p = tag;
    memcpy(p + 1, &big, sizeof big);
    return p + 1 + size;
}

static inline uint8_t *put_uint(uint8_t *p, uint64_t v)
{
    if (v < 128) {
        *p = (uint8_t)v;
        return p + 1;
    }
    if (v <= UINT16_MAX)
        return v <= UINT8_MAX ? put_tagged(p, 0xcc, v, 1) : put_tagged(p, 0xcd, v, 2);
    return v <= UINT32_MAX ? put_tagged(p, 0xce, v, 4) : put_tagged(p, 0xcf, v, 8);
}

static inline uint8_t *put_signed(uint8_t *p, int64_t v)
{
    if (v >= -32 && v < 128) {
        *p = (uint8_t)v;
        return p + 1;
    }
    if (v >= INT16_MIN && v <= INT16_MAX)
        return v >= INT8_MIN && v <= INT8_MAX ? put_tagged(p, 0xd0, (uint64_t)v, 1)
                                              : put_tagged(p, 0xd1, (uint64_t)v, 2);
    return v >= INT32_MIN && v <= INT32_MAX ? put_tagged(p, 0xd2, (uint64_t)v, 4)
                                            : put_tagged(p, 0xd3, (uint64_t)v, 8);
}

/* `family`: zig's signed types, where only values that do not fit are unsigned. */
static inline uint8_t *put_int(uint8_t *p, int64_t v, bool wide, bool family)
{
    return wide || (v >= 0 && !family) ? put_uint(p, (uint64_t)v) : put_signed(p, v);
}

static inline uint8_t *put_f64(uint8_t *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return put_tagged(p, PACK_F64, bits, 8);
}

static inline uint8_t *put_count(uint8_t *p, size_t count, uint8_t fix, uint8_t tag16)
{
    if (count < 16) {
        *p = (uint8_t)(fix | count);
        return p + 1;
    }
    return count <= UINT16_MAX ? put_tagged(p, tag16, count, 2)
                               : put_tagged(p, (uint8_t)(tag16 + 1), count, 4);
}

static inline bool text_ok(const uint8_t *p, size_t length)
{
    uint64_t high = 0;
    size_t i = 0;
    for (; i + 8 <= length; i += 8)
        high |= load_u64(p + i);
    if (length >= 8)
        high |= load_u64(p + length - 8);
    else
        for (; i < length; i++)
            high |= p[i];
    return !(high & 0x8080808080808080u) || utf8_check(p, length, NULL);
}

/* Copies a short text without calling memcpy(), which would cost more than everything else here. */
static inline uint8_t *put_short(uint8_t *p, const uint8_t *text, size_t n)
{
    if (n >= 16) {
        memcpy(p, text, 16);
        memcpy(p + n - 16, text + n - 16, 16);
    } else if (n >= 8) {
        memcpy(p, text, 8);
        memcpy(p + n - 8, text + n - 8, 8);
    } else {
        for (size_t i = 0; i < n; i++)
            p[i] = text[i];
    }
    return p + n;
}

static inline uint8_t *put_text(struct cdt_encoder *e, uint8_t *p, struct ras_bytes text)
{
    if (text.len >= SHORT_TEXT || !text_ok(text.at, text.len))
        return cdt_put_text(e, p, text);
    *p++ = (uint8_t)(0xa0 | text.len);
    return put_short(p, text.at, text.len);
}

/* The key as the table holds it: a fixstr. If the compiler does not know its length, more bytes are
 * stored than count. */
__attribute__((always_inline)) static inline uint8_t *put_key(uint8_t *p, const struct cdt_field *f)
{
    size_t size = 1u + (f->head & 31u);
    if (__builtin_constant_p(size))
        memcpy(p, f, size);
    else
        memcpy(p, f, 1 + sizeof f->name);
    return p + size;
}

/* Plain structs are two floats each, and there are many of them. */
static inline uint8_t *put_pair(uint8_t *p, const struct cdt_struct *s, const uint8_t *from)
{
    const double *pair = (const double *)from;
    *p++ = 0x82;
    p = put_f64(put_key(p, &s->fields[0]), pair[0]);
    return put_f64(put_key(p, &s->fields[1]), pair[1]);
}

static inline uint8_t *put_bool(uint8_t *p, bool value)
{
    *p = value ? PACK_TRUE : PACK_FALSE;
    return p + 1;
}

/* Returns NULL after adding one more step to the path. */
#define inside(e, ...) (cdt_problem_inside((e)->problem, __VA_ARGS__), (uint8_t *)NULL)

/* A struct as python writes it. The caller provides room for all members; room is made again after
 * each member of variable length. */
__attribute__((always_inline)) static inline uint8_t *put_members(struct cdt_encoder *e, uint8_t *p,
                                                                  const struct cdt_struct *s,
                                                                  const uint8_t *from)
{
    const struct ras_cdt_node *node = (const struct ras_cdt_node *)(const void *)from;
    uint32_t present = s->plain ? 0 : node->present, wides = s->plain ? 0 : node->wide;
    p = put_count(p, s->count, 0x80, 0xde);
#pragma GCC unroll 18
    for (unsigned i = 0; i < s->count; i++) {
        const struct cdt_field *f = &s->fields[i];
        const uint8_t *at = from + f->offset;
        p = put_key(p, f);
        if (cdt_may_be_nil(f->need) && !(present >> cdt_bit(f, i) & 1)) {
            *p++ = PACK_NIL;
        } else if (f->type == CDT_FLOAT) {
            p = put_f64(p, *(const double *)(const void *)at);
        } else if (f->type == CDT_INT) {
            p = put_int(p, *(const int64_t *)(const void *)at, wides >> cdt_bit(f, i) & 1, false);
        } else if (f->type == CDT_BOOL) {
            p = put_bool(p, *(const bool *)at);
        } else if (f->type == CDT_STRUCT && f->of->plain && f->of->count == 2 && !f->of->f32) {
            p = put_pair(p, f->of, at);
        } else {
            p = f->type == CDT_STR ? put_text(e, p, *(const struct ras_bytes *)(const void *)at)
                                   : cdt_put_other(e, p, f, at);
            p = p ? room(e, p, (size_t)ROOM * (s->count - i)) : NULL;
            if (!p)
                return inside(e, ".%s", f->name);
        }
    }
    return p;
}
#endif
