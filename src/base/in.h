/* in.h - bounds-checked little-endian input.
 *
 * Reading past the end yields zero and sets `cut` for good, so a decoder reads a whole structure
 * and checks once whether it was complete. */
#ifndef BASE_IN_H
#define BASE_IN_H

#include <rastrum/rastrum.h>
#include <string.h>

struct in {
    const uint8_t *at, *end;
    bool cut;
};

static inline bool bytes_same(struct ras_bytes a, struct ras_bytes b)
{
    return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

static inline struct in in_bytes(struct ras_bytes b)
{
    /* No offset may be added to a null pointer, not even zero. */
    const uint8_t *at = b.at ? b.at : (const uint8_t *)"";
    return (struct in){at, at + b.len, false};
}

static inline uint64_t in_left(const struct in *in)
{
    return (uint64_t)(in->end - in->at);
}

/* The next n bytes, or NULL with `cut` set. */
static inline const uint8_t *in_take(struct in *in, uint64_t n)
{
    if (in->cut || n > in_left(in)) {
        in->cut = true;
        return NULL;
    }
    const uint8_t *p = in->at;
    in->at += n;
    return p;
}

static inline struct ras_bytes in_span(struct in *in, uint64_t n)
{
    const uint8_t *p = in_take(in, n);
    return (struct ras_bytes){p, p ? (size_t)n : 0};
}

/* Little-endian loads from memory that is known to be there: one instruction
 * where the machine is little-endian too. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LITTLE16(v) (v)
#define LITTLE32(v) (v)
#define LITTLE64(v) (v)
#else
#define LITTLE16(v) __builtin_bswap16(v)
#define LITTLE32(v) __builtin_bswap32(v)
#define LITTLE64(v) __builtin_bswap64(v)
#endif

static inline uint16_t load_u16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return LITTLE16(v);
}

static inline uint32_t load_u24(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

static inline uint32_t load_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return LITTLE32(v);
}

static inline uint64_t load_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return LITTLE64(v);
}

static inline uint8_t in_u8(struct in *in)
{
    const uint8_t *p = in_take(in, 1);
    return p ? *p : 0;
}

static inline uint16_t in_u16(struct in *in)
{
    const uint8_t *p = in_take(in, 2);
    return p ? load_u16(p) : 0;
}

static inline uint32_t in_u24(struct in *in)
{
    const uint8_t *p = in_take(in, 3);
    return p ? load_u24(p) : 0;
}

static inline uint32_t in_u32(struct in *in)
{
    const uint8_t *p = in_take(in, 4);
    return p ? load_u32(p) : 0;
}

static inline uint64_t in_u64(struct in *in)
{
    const uint8_t *p = in_take(in, 8);
    return p ? load_u64(p) : 0;
}

/* 0 to 15, in either case; -1: not a hexadecimal digit. */
static inline int hex_digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}
#endif
