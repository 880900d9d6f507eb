/* dial9_put.h - dial9 frames and values to bytes: pure put, no memory of their own.
 *
 * An event whose fields all have a maximal size is put by a layout, computed once per schema:
 * room is checked once, each field is one wide store, and errors of all values are collected and
 * checked once. Events that a layout cannot put take the slow path, which measures first and
 * reports what is wrong. */
#ifndef DIAL9_PUT_H
#define DIAL9_PUT_H

#include "base/out.h"
#include "formats/dial9/dial9_wire.h"

/* A layout stores eight bytes even for shorter values. */
#define PUT_SLACK 8u

enum put_code {
    PUT_VARINT, /* required: most fields are */
    PUT_FIXED,
    PUT_OPTIONAL_VARINT,
    PUT_CAREFUL, /* String, Bytes, StackFrames, containers */
};

struct put_step {
    uint8_t code;  /* enum put_code */
    uint8_t type;  /* of the field, without the optional bit */
    uint8_t width; /* the most bytes, without a presence byte */
    uint8_t field; /* its type in the schema */
    bool optional;
    uint64_t over; /* bits that do not fit */
};

struct put_layout {
    uint32_t head;      /* tag and type_id: the first three bytes of an event */
    uint32_t head_size; /* with the delta, if there is one */
    uint64_t most;      /* a reset, the event and the slack; UINT64_MAX: take the slow path */
    uint32_t field_count;
    bool timed;
    struct put_step steps[]; /* one a field */
};

/* Why something cannot be written. */
struct put_fault {
    int status;
    char text[160];
};

/* ---- frames: `put` takes what was checked, and room that is there ------------ */

/* Names, types and lengths of a schema: the bytes of its frame, or 0 and the fault. */
uint64_t dial9_schema_size(const struct ras_dial9_schema *schema, enum ras_dial9_dialect dialect,
                           struct put_fault *fault);
uint8_t *dial9_schema_put(uint8_t *p, uint16_t type_id, const struct ras_dial9_schema *schema);
void dial9_put_layout_fill(struct put_layout *layout, uint16_t type_id,
                           const struct ras_dial9_schema *schema);

/* The bytes of a value of a field type, or RAS_NONE and the fault. `depth` is how many
 * levels may still be nested. */
uint64_t dial9_value_size(const struct ras_dial9_value *value, uint8_t type, unsigned depth,
                          struct put_fault *fault);
uint8_t *dial9_value_put(uint8_t *p, const struct ras_dial9_value *value, uint8_t type);
uint8_t *dial9_leb128_put(uint8_t *p, uint64_t value);
/* One of more than two bytes, where ten and the slack are known to be there. */
uint8_t *dial9_varint_store_long(uint8_t *p, uint64_t value);

/* ---- the layout, inlined where events are written ------------------------------- */

#define PUT_INLINE static inline __attribute__((always_inline))

/* spec "Timestamp Encoding", 3: the reset, if one is needed, and the head of the event with its
 * delta. Needs room for both and the slack. */
PUT_INLINE uint8_t *put_head(uint8_t *p, const struct put_layout *layout, uint64_t *base_ns,
                             uint64_t time_ns)
{
    uint64_t head = layout->head;
    if (layout->timed) {
        uint64_t delta = time_ns - *base_ns;
        if (__builtin_expect(time_ns < *base_ns || delta > DIAL9_DELTA_MOST, 0)) {
            p = store_u64(store_u8(p, RAS_DIAL9_TIMESTAMP_RESET), time_ns);
            delta = 0;
        }
        head |= delta << 24;
        *base_ns = time_ns;
    }
    store_u64(p, head);
    return p + layout->head_size;
}

/* A varint where ten bytes and the slack are known to be there. Long ones are a call: their
 * constants would use registers that the loop over the fields needs. */
PUT_INLINE uint8_t *varint_store(uint8_t *p, uint64_t value)
{
    if (value < 0x80)
        return store_u8(p, (uint8_t)value);
    if (value < 0x4000)
        return store_u16(p, (uint16_t)((value & 0x7f) | 0x80 | (value << 1 & 0x7f00)));
    return dial9_varint_store_long(p, value);
}
/* One event's fields. Returns the byte after them; *v moves after its values; *wrong is not 0 if
 * they are not valid. */
PUT_INLINE uint8_t *put_by_layout(const struct put_layout *layout, const struct ras_dial9_value **v,
                                  uint8_t *p, uint64_t *wrong)
{
    const struct put_step *s = layout->steps, *end = s + layout->field_count;
    uint64_t bad = 0;
    for (; s < end; s++) {
        uint64_t other = (uint64_t)((*v)->type ^ s->type), u = (*v)++->u;
        if (s->code == PUT_VARINT) {
            bad |= other;
            p = varint_store(p, u);
            continue;
        }
        if (s->optional) {
            bool there = (*v)[-1].type != 0;
            p = store_u8(p, there);
            if (!there)
                continue;
        }
        bad |= other | (u & s->over);
        if (s->code == PUT_FIXED) {
            store_u64(p, u);
            p += s->width;
        } else {
            p = varint_store(p, u);
        }
    }
    *wrong = bad;
    return p;
}
#endif
