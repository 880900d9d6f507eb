/* dial9_layout.h - how to decode the events of one schema, computed once.
 *
 * A layout is a sequence of small steps. Before a range of fields whose size has an upper bound
 * the bytes are counted once; within it no step checks again, and the cell's first word is
 * copied from the layout. That, and varints without a loop, is what makes event decoding fast.
 * What a layout cannot finish (the last bytes of a stream, damage) takes the slow path through
 * dial9_wire. */
#ifndef DIAL9_LAYOUT_H
#define DIAL9_LAYOUT_H

#include "formats/dial9/dial9_wire.h"

enum step_code {
    DO_END,
    DO_BOOL,
    DO_U8,
    DO_U16,
    DO_U32,
    DO_U64,
    DO_VARINT,
    DO_STRING_ID,
    DO_STACK_ID,
    /* A varint together with the step after it: most fields follow a varint. */
    DO_VARINT_U8,
    DO_VARINT_U32,
    DO_VARINT_VARINT,
    DO_VARINT_STRING_ID,
    DO_OPTIONAL,           /* a presence byte; the next step is its value */
    DO_OPTIONAL_STRING_ID, /* both at once */
    DO_NEED,               /* from here on so many bytes must be there */
    DO_SPAN,               /* String, Bytes */
    DO_STACK,              /* StackFrames */
    DO_TREE,               /* StringMap, DynamicList, DynamicMap */
    DO_CODES,
};

struct layout_step {
    uint8_t code; /* enum step_code */
    uint8_t type; /* of the field, without the optional bit */
    uint16_t field;
    uint32_t need;     /* DO_NEED: bytes; others: cells for all fields, and one more */
    uint8_t row[8];    /* first word of a struct ras_value */
    uint8_t native[8]; /* first word of a struct ras_dial9_value */
};

struct dial9_layout {
    uint32_t need;       /* bytes of a frame that must be there to start */
    uint32_t head;       /* bytes before the values */
    uint32_t delta_mask; /* of the four bytes after type_id */
};

/* The most steps a schema takes: three a field (optional, value, need), the end. */
#define LAYOUT_STEPS(field_count) (3u * (field_count) + 1u)

/* Step over the values at p: returns the byte after them, or NULL: take the slow path. */
const uint8_t *dial9_layout_skip(const struct layout_step *steps, const uint8_t *p,
                                 const uint8_t *end, unsigned depth);
/* The same for one value without an upper bound. */
const uint8_t *dial9_layout_skip_long(const struct layout_step *step, const uint8_t *p,
                                      const uint8_t *end, unsigned depth);

/* Everything below is one loop to the compiler: a step that is not inlined sends
 * the loop's variables through memory, which costs a third of the speed. */
#define LAYOUT_INLINE static inline __attribute__((always_inline))

/* Squeeze the 7-bit groups of eight bytes together. */
LAYOUT_INLINE uint64_t varint_squeeze(uint64_t x)
{
    x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
    x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
    return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/* A varint where ten bytes are known to be there; NULL when it does not fit 64 bits. Ids hashed
 * into 64 bits are 9 or 10 bytes long at random, so there the length is computed, not branched
 * on. */
LAYOUT_INLINE const uint8_t *varint_take(const uint8_t *p, uint64_t *value)
{
    uint64_t x = load_u64(p);
    if (!(x & 0x80)) {
        *value = x & 0x7f;
        return p + 1;
    }
    if (!(x & 0x8000)) {
        *value = (x & 0x7f) | (x >> 1 & 0x3f80);
        return p + 2;
    }
    uint64_t stop = ~x & 0x8080808080808080;
    if (stop) {
        *value = varint_squeeze(x & (stop ^ (stop - 1)));
        return p + __builtin_ctzll(stop) / 8 + 1;
    }
    uint64_t ninth = p[8], tenth = p[9] & -(ninth >> 7);
    if (__builtin_expect(tenth > 1, 0))
        return NULL;
    *value = varint_squeeze(x) | (ninth & 0x7f) << 56 | tenth << 63;
    return p + 9 + (ninth >> 7);
}

/* Step over a varint where ten bytes are known to be there; NULL as varint_take(). */
LAYOUT_INLINE const uint8_t *varint_skip(const uint8_t *p)
{
    uint64_t x = load_u64(p), stop = ~x & 0x8080808080808080;
    if (!(x & 0x80))
        return p + 1;
    if (!(x & 0x8000))
        return p + 2;
    if (stop)
        return p + __builtin_ctzll(stop) / 8 + 1;
    if (!(p[8] & 0x80))
        return p + 9;
    return p[9] > 1 ? NULL : p + 10;
}

/* Step over values and report those that a copy may have to change: pool ids at `p`, and values
 * without an upper bound, which `pass_long` steps over. NULL: take the slow path. */
typedef bool layout_see_id(void *user, const uint8_t *p, bool stack);
typedef const uint8_t *layout_pass_long(void *user, const struct layout_step *step,
                                        const uint8_t *p, const uint8_t *end, unsigned depth);

/* A varint before another step. */
LAYOUT_INLINE bool pass_varint(const struct layout_step **s, const uint8_t **p)
{
    *p = varint_skip(*p);
    (*s)++;
    return *p != NULL;
}

LAYOUT_INLINE const uint8_t *layout_pass(const struct layout_step *s, const uint8_t *p,
                                         const uint8_t *end, unsigned depth, layout_see_id *see_id,
                                         layout_pass_long *pass_long, void *user)
{
    for (;; s++) {
        switch ((enum step_code)s->code) {
        case DO_END:
            return p;
        case DO_OPTIONAL:
            s += !*p++; /* absent: not its value either */
            continue;
        case DO_OPTIONAL_STRING_ID:
            if (*p && !see_id(user, p + 1, false))
                return NULL;
            p += *p ? 5 : 1;
            s++;
            continue;
        case DO_BOOL:
        case DO_U8:
            p += 1;
            continue;
        case DO_U16:
            p += 2;
            continue;
        case DO_VARINT_U32:
            if (!pass_varint(&s, &p))
                return NULL;
            /* fallthrough */
        case DO_U32:
            p += 4;
            continue;
        case DO_VARINT_STRING_ID:
            if (!pass_varint(&s, &p))
                return NULL;
            /* fallthrough */
        case DO_STRING_ID:
        case DO_STACK_ID:
            if (!see_id(user, p, s->code == DO_STACK_ID))
                return NULL;
            p += 4;
            continue;
        case DO_U64:
            p += 8;
            continue;
        case DO_NEED:
            if (end - p < (ptrdiff_t)s->need)
                return NULL;
            continue;
        case DO_SPAN:
        case DO_STACK:
        case DO_TREE:
            p = pass_long(user, s, p, end, depth);
            break;
        case DO_VARINT_VARINT:
            if (!pass_varint(&s, &p))
                return NULL;
            /* fallthrough */
        case DO_VARINT:
        case DO_VARINT_U8: /* the next step is its own */
            p = varint_skip(p);
            break;
        default:
            __builtin_unreachable(); /* saves the range check of every step */
        }
        if (!p)
            return NULL;
    }
}

/* Step over a StringMap; NULL: it is cut. */
LAYOUT_INLINE const uint8_t *map_skip(const uint8_t *p, const uint8_t *end)
{
    if (end - p < (ptrdiff_t)sizeof(uint32_t))
        return NULL;
    uint64_t left = 2 * (uint64_t)load_u32(p);
    for (p += sizeof(uint32_t); left; left--) {
        if (end - p < (ptrdiff_t)sizeof(uint32_t))
            return NULL;
        uint32_t size = load_u32(p);
        p += sizeof(uint32_t);
        if ((uint64_t)(end - p) < size)
            return NULL;
        p += size;
    }
    return p;
}

LAYOUT_INLINE bool skip_id(void *user, const uint8_t *p, bool stack)
{
    (void)user, (void)p, (void)stack;
    return true;
}

LAYOUT_INLINE const uint8_t *skip_long(void *user, const struct layout_step *s, const uint8_t *p,
                                       const uint8_t *end, unsigned depth)
{
    (void)user;
    return s->type == RAS_DIAL9_STRING_MAP ? map_skip(p, end)
                                           : dial9_layout_skip_long(s, p, end, depth);
}

/* dial9_layout_skip() for loops that pass many events. */
LAYOUT_INLINE const uint8_t *layout_skip(const struct layout_step *s, const uint8_t *p,
                                         const uint8_t *end, unsigned depth)
{
    return layout_pass(s, p, end, depth, skip_id, skip_long, NULL);
}

LAYOUT_INLINE uint64_t take_u8(const uint8_t **p)
{
    return *(*p)++;
}

LAYOUT_INLINE uint64_t take_u16(const uint8_t **p)
{
    *p += 2;
    return load_u16(*p - 2);
}

LAYOUT_INLINE uint64_t take_u32(const uint8_t **p)
{
    *p += 4;
    return load_u32(*p - 4);
}

LAYOUT_INLINE uint64_t take_u64(const uint8_t **p)
{
    *p += 8;
    return load_u64(*p - 8);
}

/* ---- into native values: each takes one step ------------------------------- */

LAYOUT_INLINE void native_put(struct ras_dial9_value **v, const struct layout_step **s, uint64_t u)
{
    memcpy(*v, (*s)++->native, 8);
    (*v)++->u = u;
}

LAYOUT_INLINE bool native_varint(struct ras_dial9_value **v, const struct layout_step **s,
                                 const uint8_t **p)
{
    uint64_t u;
    *p = varint_take(*p, &u);
    if (!*p)
        return false;
    native_put(v, s, u);
    return true;
}

/* The presence byte; if it is 0 the value's own step is skipped too. */
LAYOUT_INLINE bool native_absent(struct ras_dial9_value **v, const struct layout_step **s,
                                 const uint8_t **p)
{
    bool present = take_u8(p);
    if (!present)
        native_put(v, s, 0);
    (*s)++;
    return !present;
}

LAYOUT_INLINE bool native_long(struct ras_dial9_value **v, const struct layout_step **s,
                               const uint8_t **p, const uint8_t *end, unsigned depth)
{
    struct in in = {*p, end, false};
    if (dial9_value_get(&in, (*s)->type, depth, *v) || in.cut)
        return false;
    (*v)++->field = (*s)++->field;
    *p = in.at;
    return true;
}

/* Decode the values at p into `v`. Returns the byte after them, or NULL: take the slow path. */
LAYOUT_INLINE const uint8_t *layout_native(const struct layout_step *s, const uint8_t *p,
                                           const uint8_t *end, struct ras_dial9_value *v,
                                           unsigned depth)
{
    for (;;) {
        switch ((enum step_code)s->code) {
        case DO_END:
            return p;
        case DO_BOOL:
            native_put(&v, &s, take_u8(&p) != 0);
            continue;
        case DO_VARINT_U8:
            if (!native_varint(&v, &s, &p))
                return NULL;
            /* fallthrough */
        case DO_U8:
            native_put(&v, &s, take_u8(&p));
            continue;
        case DO_U16:
            native_put(&v, &s, take_u16(&p));
            continue;
        case DO_VARINT_U32:
        case DO_VARINT_STRING_ID:
            if (!native_varint(&v, &s, &p))
                return NULL;
            /* fallthrough */
        case DO_U32:
        case DO_STRING_ID:
        case DO_STACK_ID:
            native_put(&v, &s, take_u32(&p));
            continue;
        case DO_U64:
            native_put(&v, &s, take_u64(&p));
            continue;
        case DO_VARINT_VARINT:
            if (!native_varint(&v, &s, &p))
                return NULL;
            /* fallthrough */
        case DO_VARINT:
            if (!native_varint(&v, &s, &p))
                return NULL;
            continue;
        case DO_OPTIONAL:
            (void)native_absent(&v, &s, &p);
            continue;
        case DO_OPTIONAL_STRING_ID:
            if (!native_absent(&v, &s, &p))
                native_put(&v, &s, take_u32(&p));
            continue;
        case DO_NEED:
            if (end - p < (ptrdiff_t)s++->need)
                return NULL;
            continue;
        case DO_SPAN:
        case DO_STACK:
        case DO_TREE:
            if (!native_long(&v, &s, &p, end, depth))
                return NULL;
            continue;
        default:
            __builtin_unreachable(); /* saves the range check of every step */
        }
    }
}

/* ---- into numbers: where only some fields are needed ------------------------ */

/* A varint before another step. */
LAYOUT_INLINE bool number_varint(const struct layout_step **s, const uint8_t **p,
                                 const uint8_t *places, uint64_t *numbers)
{
    *p = varint_take(*p, &numbers[places[(*s)++->field]]);
    return *p != NULL;
}

/* Decode the values at p: a number or an id into the place of its field, of a value without an
 * upper bound the distance from `base`. What is absent, and a number below 0, leaves its place as
 * it is; fields that are not needed share one. Returns as layout_native(). */
LAYOUT_INLINE const uint8_t *layout_numbers(const struct layout_step *s, const uint8_t *p,
                                            const uint8_t *end, const uint8_t *base, unsigned depth,
                                            const uint8_t *places, uint64_t *numbers)
{
    for (;; s++) {
        switch ((enum step_code)s->code) {
        case DO_END:
            return p;
        case DO_NEED:
            if (end - p < (ptrdiff_t)s->need)
                return NULL;
            continue;
        case DO_OPTIONAL:
            s += !*p++; /* absent: not its value either */
            continue;
        case DO_OPTIONAL_STRING_ID:
            s++;
            if (*p++)
                numbers[places[s->field]] = take_u32(&p);
            continue;
        case DO_BOOL:
            numbers[places[s->field]] = take_u8(&p) != 0;
            continue;
        case DO_VARINT_U8:
            if (!number_varint(&s, &p, places, numbers))
                return NULL;
            /* fallthrough */
        case DO_U8:
            numbers[places[s->field]] = take_u8(&p);
            continue;
        case DO_U16:
            numbers[places[s->field]] = take_u16(&p);
            continue;
        case DO_VARINT_U32:
        case DO_VARINT_STRING_ID:
            if (!number_varint(&s, &p, places, numbers))
                return NULL;
            /* fallthrough */
        case DO_U32:
        case DO_STRING_ID:
        case DO_STACK_ID:
            numbers[places[s->field]] = take_u32(&p);
            continue;
        case DO_U64: /* signed, or not needed */
            if (!(p[7] & 0x80))
                numbers[places[s->field]] = load_u64(p);
            p += 8;
            continue;
        case DO_SPAN:
        case DO_STACK:
        case DO_TREE:
            numbers[places[s->field]] = (uint64_t)(p - base);
            p = skip_long(NULL, s, p, end, depth);
            break;
        case DO_VARINT_VARINT:
            if (!number_varint(&s, &p, places, numbers))
                return NULL;
            /* fallthrough */
        case DO_VARINT:
            p = varint_take(p, &numbers[places[s->field]]);
            break;
        default:
            __builtin_unreachable();
        }
        if (!p)
            return NULL;
    }
}
#endif
