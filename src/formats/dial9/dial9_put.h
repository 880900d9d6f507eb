/* dial9_put.h - dial9 frames and values to bytes: pure put, no memory of their own.
 *
 * An event whose fields all have a largest size is put by a plan, worked out once a
 * schema: its room is looked at once, each field is one wide store, and what is wrong
 * with any of the values is gathered and asked for once. Whatever a plan refuses or
 * cannot take goes the careful way, which measures first and says what is wrong. */
#ifndef DIAL9_PUT_H
#define DIAL9_PUT_H

#include "base/store.h"
#include "formats/dial9/dial9_wire.h"

/* A plan stores eight bytes where fewer are meant. */
#define PUT_SLACK 8u

enum put_code {
    PUT_VARINT,
    PUT_FIXED,
    PUT_CAREFUL, /* String, Bytes, StackFrames, containers */
};

struct put_step {
    uint8_t code;  /* enum put_code */
    uint8_t type;  /* of the field, without the optional bit */
    uint8_t width; /* the most bytes, without a presence byte */
    uint8_t field; /* its type as the schema has it */
    bool optional;
    uint64_t over; /* bits that do not fit */
};

struct put_plan {
    uint32_t head;      /* tag and type_id: the first three bytes of an event */
    uint32_t head_size; /* with the delta, if there is one */
    uint64_t time_mask; /* all ones where there is a timestamp, else 0 */
    uint64_t most;      /* a reset, the event and the slack; UINT64_MAX: the careful way */
    uint32_t field_count;
    struct put_step steps[]; /* one a field */
};

/* Where something cannot be written: why. */
struct put_fault {
    int status;
    char text[160];
};

/* ---- frames: `put` takes what was checked, and room that is there ------------ */

/* Names, types and lengths of a schema: the bytes of its frame, or 0 and the fault. */
uint64_t dial9_schema_size(const struct ras_dial9_schema *schema, enum ras_dial9_dialect dialect,
                           struct put_fault *fault);
uint8_t *dial9_schema_put(uint8_t *p, uint16_t type_id, const struct ras_dial9_schema *schema);
void dial9_put_plan_fill(struct put_plan *plan, uint16_t type_id,
                         const struct ras_dial9_schema *schema);

/* The bytes of a value of a field type, or RAS_NONE and the fault. `depth` is how many
 * levels may still be nested. */
uint64_t dial9_value_size(const struct ras_dial9_value *value, uint8_t type, unsigned depth,
                          struct put_fault *fault);
uint8_t *dial9_value_put(uint8_t *p, const struct ras_dial9_value *value, uint8_t type);
uint8_t *dial9_leb128_put(uint8_t *p, uint64_t value);

/* ---- the plan, inlined where events are written ------------------------------- */

#define PUT_INLINE static inline __attribute__((always_inline))

/* Give each group of seven bits a byte: varint_squeeze, backwards. */
PUT_INLINE uint64_t varint_spread(uint64_t x)
{
    x = (x & 0x000000000fffffff) | (x & 0x00fffffff0000000) << 4;
    x = (x & 0x00003fff00003fff) | (x & 0x0fffc0000fffc000) << 2;
    return (x & 0x007f007f007f007f) | (x & 0x3f803f803f803f80) << 1;
}

/* A varint where ten bytes and the slack are known to be there. Beyond two bytes the
 * length is computed, not branched on: the lengths of ids change at random, but an id
 * hashed into 64 bits has nine or ten bytes, and a clock less than nine. */
PUT_INLINE uint8_t *varint_store(uint8_t *p, uint64_t value)
{
    if (value < 0x80)
        return store_u8(p, (uint8_t)value);
    if (value < 0x4000)
        return store_u16(p, (uint16_t)((value & 0x7f) | 0x80 | (value << 1 & 0x7f00)));
    if (value < UINT64_C(1) << 56) {
        unsigned last = (unsigned)(63 - __builtin_clzll(value)) * 37 >> 8; /* divided by 7 */
        uint64_t more = (UINT64_C(1) << last * 8) - 1;
        store_u64(p, varint_spread(value) | (more & 0x8080808080808080));
        return p + last + 1;
    }
    unsigned tenth = (unsigned)(value >> 63);
    store_u64(p, varint_spread(value) | 0x8080808080808080);
    store_u16(p + 8, (uint16_t)((value >> 56 & 0x7f) | tenth << 7 | tenth << 8));
    return p + 9 + tenth;
}

/* One event's fields. The byte behind them; *wrong is not 0 when they must not stay. */
PUT_INLINE uint8_t *plan_put(const struct put_plan *plan, const struct ras_dial9_value *v,
                             uint8_t *p, uint64_t *wrong)
{
    const struct put_step *s = plan->steps, *end = s + plan->field_count;
    uint64_t bad = 0;
    for (; s < end; s++, v++) {
        uint64_t other = (uint64_t)(v->type ^ s->type), u = v->u;
        if (s->optional) {
            uint64_t there = v->type != 0;
            other &= -there;
            p = store_u8(p, (uint8_t)there);
            if (!there)
                continue;
        }
        bad |= other | (u & s->over);
        if (s->code == PUT_VARINT) {
            p = varint_store(p, u);
        } else {
            store_u64(p, u);
            p += s->width;
        }
    }
    *wrong = bad;
    return p;
}
#endif
