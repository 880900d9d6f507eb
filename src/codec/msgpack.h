/* msgpack.h - pull items out of MessagePack bytes: no allocation, no recursion.
 *
 * The reader hands out one head at a time; strings, binaries and extensions are
 * views into the input, an array or map is just a count and its items follow.
 * The first fault sticks and empties the reader, so a decoder may read on and
 * ask once. A count is believed only if the bytes left could hold that many
 * items, so a caller may allocate by it. */
#ifndef CODEC_MSGPACK_H
#define CODEC_MSGPACK_H

#include "base/in.h"

/* The speed of a decoder depends on these being inlined: a predicted key becomes
 * two compares instead of a call of memcmp(). */
#define MSGPACK_INLINE static inline __attribute__((always_inline))

enum msgpack_kind {
    MSGPACK_NONE, /* at the end, or after a fault */
    MSGPACK_NIL,
    MSGPACK_BOOL,
    MSGPACK_UINT,
    MSGPACK_INT, /* below zero; a signed encoding of zero and above is MSGPACK_UINT */
    MSGPACK_F32,
    MSGPACK_F64,
    MSGPACK_STR,
    MSGPACK_BIN,
    MSGPACK_EXT,
    MSGPACK_ARRAY,
    MSGPACK_MAP,
};

enum msgpack_fault {
    MSGPACK_FINE,
    MSGPACK_SHORT,   /* the bytes end too early: a longer input might go on */
    MSGPACK_INVALID, /* no input that starts so is MessagePack */
};

struct msgpack {
    const uint8_t *at, *end, *start;
    enum msgpack_fault fault;
    size_t fault_at; /* offset of the head of the item at fault */
    const char *why; /* static, "" while fine */
};

struct msgpack_item {
    uint8_t kind;    /* enum msgpack_kind */
    uint8_t width;   /* bytes of the head; of a number, of all of it */
    int8_t ext_type; /* MSGPACK_EXT; below zero is reserved to MessagePack, -1 is its timestamp */
    union {
        uint64_t u;             /* MSGPACK_UINT, MSGPACK_BOOL */
        int64_t i;              /* MSGPACK_INT, and MSGPACK_UINT up to INT64_MAX */
        uint64_t bits;          /* MSGPACK_F32 and MSGPACK_F64, as stored */
        uint64_t count;         /* MSGPACK_ARRAY: items, MSGPACK_MAP: pairs */
        struct ras_bytes bytes; /* MSGPACK_STR, MSGPACK_BIN, MSGPACK_EXT */
    };
};

static inline struct msgpack msgpack_bytes(struct ras_bytes in)
{
    const uint8_t *end = in.len ? in.at + in.len : in.at; /* NULL + 0 is undefined */
    return (struct msgpack){in.at, end, in.at, MSGPACK_FINE, 0, ""};
}

static inline size_t msgpack_left(const struct msgpack *in)
{
    return (size_t)(in->end - in->at);
}

static inline size_t msgpack_offset(const struct msgpack *in)
{
    return (size_t)(in->at - in->start);
}

/* The kind of the next item, which is not consumed; never a fault. 0xc1 is MSGPACK_NONE. */
enum msgpack_kind msgpack_peek(const struct msgpack *in);

/* The general cases of the functions below. */
bool msgpack_next_slow(struct msgpack *in, struct msgpack_item *item);
bool msgpack_key_is_slow(struct msgpack *in, const char *key, size_t len);
bool msgpack_u64_slow(struct msgpack *in, uint64_t *value);
bool msgpack_i64_slow(struct msgpack *in, int64_t *value);
bool msgpack_f64_slow(struct msgpack *in, double *value);
bool msgpack_bool_slow(struct msgpack *in, bool *value);
bool msgpack_bytes_slow(struct msgpack *in, enum msgpack_kind kind, struct ras_bytes *bytes);
bool msgpack_count_slow(struct msgpack *in, enum msgpack_kind kind, uint64_t *count);

/* The common unsigned numbers. A branch for each width lets the processor
 * guess where the next item starts; computing it would make it wait. */
MSGPACK_INLINE bool msgpack_common_uint(struct msgpack *in, uint64_t *value)
{
    size_t left = msgpack_left(in);
    if (left >= 5 && *in->at == 0xce) {
        *value = __builtin_bswap32(load_u32(in->at + 1));
        in->at += 5;
        return true;
    }
    if (left >= 3 && *in->at == 0xcd) {
        *value = __builtin_bswap16(load_u16(in->at + 1));
        in->at += 3;
        return true;
    }
    return false;
}

/* Read one head, with the bytes of a string, binary or extension. False: fault. */
MSGPACK_INLINE bool msgpack_next(struct msgpack *in, struct msgpack_item *item)
{
    if (in->at == in->end)
        return msgpack_next_slow(in, item);
    uint8_t head = *in->at;
    size_t left = msgpack_left(in) - 1;
    item->width = 1;
    if (head < 0x80) {
        item->kind = MSGPACK_UINT;
        item->u = head;
        in->at++;
        return true;
    }
    if ((head & 0xe0) == 0xa0 && (head & 31u) <= left) {
        item->kind = MSGPACK_STR;
        item->bytes = (struct ras_bytes){in->at + 1, head & 31u};
        in->at += 1 + (head & 31u);
        return true;
    }
    if ((head & 0xf0) == 0x80 && 2 * (head & 15u) <= left) {
        item->kind = MSGPACK_MAP;
        item->count = head & 15u;
        in->at++;
        return true;
    }
    if (head == 0xcb && left >= 8) {
        item->kind = MSGPACK_F64;
        item->bits = __builtin_bswap64(load_u64(in->at + 1));
        item->width = 9;
        in->at += 9;
        return true;
    }
    if (msgpack_common_uint(in, &item->u)) {
        item->kind = MSGPACK_UINT;
        item->width = head == 0xce ? 5 : 3;
        return true;
    }
    return msgpack_next_slow(in, item);
}

/* Skip one item with all that it contains. False: fault. */
bool msgpack_skip(struct msgpack *in);

/* Is the next item the string `key`? Then consume it. Anything else, a fault
 * included, is left for other calls to find. With a literal key and the order
 * of keys predicted this is a compare or two. */
MSGPACK_INLINE bool msgpack_key_is(struct msgpack *in, const char *key, size_t len)
{
    if (msgpack_left(in) > len && len < 32 && *in->at == (0xa0 | len)) {
        if (memcmp(in->at + 1, key, len) != 0)
            return false;
        in->at += 1 + len;
        return true;
    }
    return msgpack_key_is_slow(in, key, len);
}

#define MSGPACK_KEY(in, literal) msgpack_key_is((in), "" literal, sizeof(literal) - 1)

/* Typed reads. True: consumed. False and no fault: the item is of another kind
 * (or, for integers, out of range) and still there. */

MSGPACK_INLINE bool msgpack_u64(struct msgpack *in, uint64_t *value)
{
    if (in->at < in->end && *in->at < 0x80) {
        *value = *in->at++;
        return true;
    }
    return msgpack_common_uint(in, value) || msgpack_u64_slow(in, value);
}

MSGPACK_INLINE bool msgpack_i64(struct msgpack *in, int64_t *value)
{
    if (in->at < in->end && (*in->at < 0x80 || *in->at >= 0xe0)) {
        *value = (int8_t)*in->at++;
        return true;
    }
    uint64_t common;
    if (msgpack_common_uint(in, &common)) {
        *value = (int64_t)common;
        return true;
    }
    return msgpack_i64_slow(in, value);
}

/* A float of either width; a 32-bit NaN is widened as the processor does it. */
MSGPACK_INLINE bool msgpack_f64(struct msgpack *in, double *value)
{
    if (msgpack_left(in) < 9 || *in->at != 0xcb)
        return msgpack_f64_slow(in, value);
    uint64_t bits = __builtin_bswap64(load_u64(in->at + 1));
    memcpy(value, &bits, sizeof bits);
    in->at += 9;
    return true;
}

MSGPACK_INLINE bool msgpack_bool(struct msgpack *in, bool *value)
{
    if (in->at == in->end || (*in->at | 1) != 0xc3)
        return msgpack_bool_slow(in, value);
    *value = *in->at++ & 1;
    return true;
}

/* Like msgpack_key_is(): the end is not a fault here. */
MSGPACK_INLINE bool msgpack_nil(struct msgpack *in)
{
    if (in->at == in->end || *in->at != 0xc0)
        return false;
    in->at++;
    return true;
}

MSGPACK_INLINE bool msgpack_str(struct msgpack *in, struct ras_bytes *text)
{
    if (in->at == in->end || (*in->at & 0xe0) != 0xa0 || (*in->at & 31u) >= msgpack_left(in))
        return msgpack_bytes_slow(in, MSGPACK_STR, text);
    *text = (struct ras_bytes){in->at + 1, *in->at & 31u};
    in->at += 1 + text->len;
    return true;
}

static inline bool msgpack_bin(struct msgpack *in, struct ras_bytes *bytes)
{
    return msgpack_bytes_slow(in, MSGPACK_BIN, bytes);
}

MSGPACK_INLINE bool msgpack_array(struct msgpack *in, uint64_t *count)
{
    if (in->at == in->end || (*in->at & 0xf0) != 0x90 || (*in->at & 15u) >= msgpack_left(in))
        return msgpack_count_slow(in, MSGPACK_ARRAY, count);
    *count = *in->at++ & 15u;
    return true;
}

MSGPACK_INLINE bool msgpack_map(struct msgpack *in, uint64_t *count)
{
    if (in->at == in->end || (*in->at & 0xf0) != 0x80 || 2 * (*in->at & 15u) >= msgpack_left(in))
        return msgpack_count_slow(in, MSGPACK_MAP, count);
    *count = *in->at++ & 15u;
    return true;
}

/* A float item's value. */
static inline double msgpack_real(const struct msgpack_item *item)
{
    if (item->kind == MSGPACK_F32) {
        uint32_t bits = (uint32_t)item->bits;
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        return (double)narrow;
    }
    double wide;
    memcpy(&wide, &item->bits, sizeof wide);
    return wide;
}
#endif
