/* flat.h - tables of FlatBuffers, written from front to back: a table first, then what it refers
 * to, whose place is stored into it when it is known. */
#ifndef EXPORT_FLAT_H
#define EXPORT_FLAT_H

#include "base/out.h"

enum { FLAT_SLOTS = 8 };

/* A field of a table: `size` bytes, 0 where it is left out. A reference has 4 bytes, which
 * flat_refer() fills in. */
struct flat_slot {
    uint8_t size;
    uint64_t value;
};

/* Where a table's fields are, for flat_refer(). */
struct flat_table {
    size_t at, fields[FLAT_SLOTS];
};

static inline void flat_align(struct out *out, size_t alignment)
{
    while (out->len % alignment && !out->failed)
        out_byte(out, 0);
}

/* The reference at `field` is to what is written next. */
static inline void flat_refer(struct out *out, size_t field)
{
    if (!out->failed)
        store_u32(out->at + field, (uint32_t)(out->len - field));
}

static inline void flat_put(struct out *out, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    store_u64(bytes, value);
    out_bytes(out, bytes, size);
}

/* Its field table, then the table, to which `field` refers. */
static inline struct flat_table flat_table(struct out *out, size_t field,
                                           const struct flat_slot *slots, size_t count)
{
    struct flat_table t = {0, {0}};
    uint16_t places[FLAT_SLOTS] = {0};
    size_t len = 4;
    for (size_t i = 0; i < count; i++) {
        if (!slots[i].size)
            continue;
        len = (len + slots[i].size - 1) / slots[i].size * slots[i].size;
        places[i] = (uint16_t)len;
        len += slots[i].size;
    }
    flat_align(out, 8);
    size_t vtable = out->len;
    flat_put(out, 4 + 2 * count, 2);
    flat_put(out, len, 2);
    for (size_t i = 0; i < count; i++)
        flat_put(out, places[i], 2);
    flat_align(out, 8);
    flat_refer(out, field);
    t.at = out->len;
    flat_put(out, t.at - vtable, 4);
    for (size_t i = 0; i < count; i++) {
        while (slots[i].size && out->len < t.at + places[i] && !out->failed)
            out_byte(out, 0);
        t.fields[i] = out->len;
        flat_put(out, slots[i].value, slots[i].size);
    }
    return t;
}

static inline void flat_text(struct out *out, size_t field, const char *text)
{
    flat_align(out, 4);
    flat_refer(out, field);
    flat_put(out, strlen(text), 4);
    out_bytes(out, text, strlen(text) + 1);
}

/* The same of a name of the trace. */
static inline void flat_name(struct out *out, size_t field, const char *name)
{
    flat_align(out, 4);
    flat_refer(out, field);
    size_t head = out->len;
    flat_put(out, 0, 4);
    out_name(out, name);
    if (!out->failed)
        store_u32(out->at + head, (uint32_t)(out->len - head - 4));
    out_byte(out, 0);
}

/* The head of a vector; its items, of that alignment, follow. */
static inline void flat_vector(struct out *out, size_t field, size_t count, size_t alignment)
{
    flat_align(out, 4);
    while (alignment == 8 && (out->len + 4) % 8 && !out->failed)
        out_byte(out, 0);
    flat_refer(out, field);
    flat_put(out, count, 4);
}
#endif
