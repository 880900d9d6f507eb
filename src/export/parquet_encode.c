/* parquet_encode.c - the encodings of values in pages of Parquet: runs and bit-packed groups,
 * differences, bits, and the distinct numbers for a dictionary. */
#include "base/memory.h"
#include "export/parquet_encode.h"
#include "export/thrift.h"

#include <stdlib.h>

enum {
    GROUP = 8,         /* numbers that are packed together, and the shortest run */
    DELTA_BLOCK = 128, /* differences of a block */
    DELTA_MINI = 32,   /* of a part of it, with a width of its own */
    SLOTS = 4 * PARQUET_ENTRIES_MOST,
    SLOTS_FIRST = SLOTS / 64,
};

unsigned parquet_width(uint32_t most)
{
    return most ? 32 - (unsigned)__builtin_clz(most) : 0;
}

/* Numbers of up to 16 bits: pairs of pairs are joined, and eight numbers are `width` bytes, for
 * which up to 16 are written. */
static inline uint8_t *put_eight(uint8_t *to, const uint64_t *v, unsigned width)
{
    uint64_t low = (v[0] | v[1] << width) | (v[2] | v[3] << width) << 2 * width;
    uint64_t high = (v[4] | v[5] << width) | (v[6] | v[7] << width) << 2 * width;
    if (width <= 8) {
        store_u64(to, low | high << 4 * width);
        return to + width;
    }
    store_u64(to, low | high << (4 * width - 1) << 1); /* by up to 64 bits */
    store_u64(to + 8, high >> (64 - 4 * width));
    return to + width;
}

/* Numbers of up to 64 bits one after the other. */
static uint8_t *put_each(uint8_t *to, const uint64_t *values, size_t count, unsigned width)
{
    uint64_t held = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) {
        held |= values[i] << bits;
        bits += width;
        if (bits >= 64) {
            to = store_u64(to, held);
            bits -= 64;
            held = bits ? values[i] >> (width - bits) : 0;
        }
    }
    for (; bits; bits = bits > 8 ? bits - 8 : 0) {
        *to++ = (uint8_t)held;
        held >>= 8;
    }
    return to;
}

/* The lowest bit first; `count` is a multiple of 8, so that whole bytes come out. */
static void put_packed(struct out *out, const uint64_t *values, size_t count, unsigned width)
{
    uint8_t *to = out_reserve(out, count * width / 8 + 16);
    if (!to || !width)
        return;
    if (width > 16)
        put_each(to, values, count, width);
    else
        for (size_t i = 0; i < count; i += GROUP)
            to = put_eight(to, values + i, width);
    out->len += count * width / 8;
}

/* ---- runs and groups -------------------------------------------------------------------- */

/* Where numbers are read from: bytes or words. */
struct numbers {
    const uint8_t *bytes;
    const uint32_t *words;
    size_t count;
};

static inline uint32_t number_at(const struct numbers *n, size_t i)
{
    return n->bytes ? n->bytes[i] : n->words[i];
}

/* How many numbers from i on are the same, counted up to the end. */
static size_t equal_from(const struct numbers *n, size_t i)
{
    uint32_t first = number_at(n, i);
    size_t k = i + 1;
    while (k < n->count && number_at(n, k) == first)
        k++;
    return k - i;
}

static void put_run(struct out *out, uint32_t value, size_t length, unsigned width)
{
    thrift_varint(out, (uint64_t)length << 1);
    for (unsigned bits = 0; bits < width; bits += 8)
        out_byte(out, (uint8_t)(value >> bits));
}

/* Numbers from `from` to `to`, in groups; the last one is filled up with zeros. */
static void put_groups(struct out *out, const struct numbers *n, size_t from, size_t to,
                       unsigned width)
{
    uint64_t group[64 * GROUP];
    if (from == to)
        return;
    thrift_varint(out, (to - from + GROUP - 1) / GROUP << 1 | 1);
    for (size_t count; from < to; from += count) {
        count = to - from < 64 * GROUP ? to - from : 64 * GROUP;
        if (n->bytes)
            for (size_t i = 0; i < count; i++)
                group[i] = n->bytes[from + i];
        else
            for (size_t i = 0; i < count; i++)
                group[i] = n->words[from + i];
        size_t whole = count;
        while (whole % GROUP)
            group[whole++] = 0;
        put_packed(out, group, whole, width);
    }
}

/* A run is begun where a group would, and only where it is worth its head. */
static inline void put_hybrid(struct out *out, const struct numbers *n, unsigned width)
{
    size_t from = 0, i = 0;
    while (i < n->count) {
        size_t equal = equal_from(n, i);
        if (equal < (size_t)2 * GROUP) {
            i += GROUP; /* up to the end of the group, whatever is in it */
            continue;
        }
        put_groups(out, n, from, i, width);
        put_run(out, number_at(n, i), equal, width);
        from = i += equal;
    }
    put_groups(out, n, from, n->count, width);
}

void parquet_put_levels(struct out *out, const uint8_t *levels, size_t count, unsigned width)
{
    struct numbers n = {levels, NULL, count};
    if (count >= (size_t)2 * GROUP && !memcmp(levels, levels + 1, count - 1)) /* most are */
        put_run(out, levels[0], count, width);
    else
        put_hybrid(out, &n, width);
}

void parquet_put_indexes(struct out *out, const uint32_t *indexes, size_t count, unsigned width)
{
    struct numbers n = {NULL, indexes, count};
    put_hybrid(out, &n, width);
}

void parquet_put_bits(struct out *out, const uint8_t *values, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        unsigned byte = 0;
        for (size_t k = i; k < count && k < i + 8; k++)
            byte |= (unsigned)(values[k] != 0) << (k - i);
        out_byte(out, (uint8_t)byte);
    }
}

/* ---- differences ------------------------------------------------------------------------ */

/* The differences of `count` numbers, of which the first is at values[1], to the one before them.
 * They wrap around at the width of the numbers, which is how readers add them up. */
static void long_deltas(uint64_t *restrict deltas, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        deltas[i] = values[i + 1] - values[i];
}

static void word_deltas(uint64_t *restrict deltas, const uint32_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        deltas[i] = (uint64_t)(int64_t)(int32_t)(values[i + 1] - values[i]);
}

static unsigned width_of(uint64_t bits)
{
    return bits ? 64 - (unsigned)__builtin_clzll(bits) : 0;
}

/* What each is above the least one, filled up with zeros; the width of each part. */
static int64_t above_least(uint64_t *deltas, size_t count, uint64_t mask, uint8_t *widths)
{
    int64_t least = (int64_t)deltas[0];
    for (size_t i = 1; i < count; i++)
        least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
    for (size_t i = count; i < DELTA_BLOCK; i++)
        deltas[i] = (uint64_t)least;
    for (size_t part = 0; part < DELTA_BLOCK; part += DELTA_MINI) {
        uint64_t bits = 0;
        for (size_t i = part; i < part + DELTA_MINI; i++)
            bits |= deltas[i] = (deltas[i] - (uint64_t)least) & mask;
        widths[part / DELTA_MINI] = (uint8_t)width_of(bits);
    }
    return least;
}

static void put_delta_block(struct out *out, uint64_t *deltas, size_t count, size_t size)
{
    uint8_t widths[DELTA_BLOCK / DELTA_MINI];
    thrift_zigzag(out, above_least(deltas, count, size == 8 ? UINT64_MAX : UINT32_MAX, widths));
    out_bytes(out, widths, sizeof widths);
    for (size_t i = 0; i < count; i += DELTA_MINI)
        put_packed(out, deltas + i, DELTA_MINI, widths[i / DELTA_MINI]);
}

void parquet_put_delta(struct out *out, const void *values, size_t count, size_t size)
{
    const uint64_t *longs = values;
    const uint32_t *words = values;
    uint64_t deltas[DELTA_BLOCK];
    int64_t first = 0;
    if (count && size == 8)
        first = (int64_t)longs[0];
    else if (count)
        first = (int32_t)words[0];
    thrift_varint(out, DELTA_BLOCK);
    thrift_varint(out, DELTA_BLOCK / DELTA_MINI);
    thrift_varint(out, count);
    thrift_zigzag(out, first);
    for (size_t i = 1, n; i < count; i += n) {
        n = count - i < DELTA_BLOCK ? count - i : DELTA_BLOCK;
        if (size == 8)
            long_deltas(deltas, longs + i - 1, n);
        else
            word_deltas(deltas, words + i - 1, n);
        put_delta_block(out, deltas, n, size);
    }
}

/* ---- distinct numbers ------------------------------------------------------------------- */

bool parquet_entries_new(struct parquet_entries *e)
{
    e->values = malloc(PARQUET_ENTRIES_MOST * sizeof *e->values);
    e->slots = malloc(SLOTS * sizeof *e->slots);
    return e->values && e->slots;
}

void parquet_entries_free(struct parquet_entries *e)
{
    free(e->values);
    free(e->slots);
}

/* The uppermost bits of the product have all of the value: doubles that are whole numbers differ in
 * theirs only. */
static inline size_t slot_of(const struct parquet_entries *e, uint64_t value)
{
    return (size_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> e->shift);
}

/* More slots, all of them empty; then those of the entries. Few entries have few slots, which stay
 * in the cache. */
static void use_slots(struct parquet_entries *e, size_t slots)
{
    e->mask = slots - 1;
    e->shift = (unsigned)__builtin_clzll(e->mask);
    memset(e->slots, 0, slots * sizeof *e->slots);
    for (uint32_t i = 0; i < e->count; i++) {
        size_t at = slot_of(e, e->values[i]);
        while (e->slots[at])
            at = (at + 1) & e->mask;
        e->slots[at] = i + 1;
    }
}

/* The entry of a value that is not in its first slot. */
static uint32_t find_entry(struct parquet_entries *e, uint64_t value, uint32_t most)
{
    size_t at = slot_of(e, value);
    while (e->slots[at]) {
        if (e->values[e->slots[at] - 1] == value)
            return e->slots[at] - 1;
        at = (at + 1) & e->mask;
    }
    if (e->count == most)
        return UINT32_MAX;
    e->values[e->count++] = value;
    e->slots[at] = e->count;
    if (2 * e->count > e->mask && e->mask + 1 < SLOTS)
        use_slots(e, 4 * (e->mask + 1));
    return e->count - 1;
}

static inline uint32_t entry_of(struct parquet_entries *e, uint64_t value, uint32_t most)
{
    uint32_t slot = e->slots[slot_of(e, value)];
    return slot && e->values[slot - 1] == value ? slot - 1 : find_entry(e, value, most);
}

/* Compiled for each size, so that the loop has no branch on it. */
static inline __attribute__((always_inline)) bool find_values(struct parquet_entries *e,
                                                              const void *values, size_t count,
                                                              size_t size, uint32_t most,
                                                              uint32_t *indexes)
{
    const uint64_t *longs = values;
    const uint32_t *words = values;
    uint32_t index = UINT32_MAX;
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = size == 8 ? longs[i] : words[i];
        if (!i || value != last)
            index = entry_of(e, value, most);
        if (index == UINT32_MAX)
            return false;
        indexes[i] = index;
        last = value;
    }
    return true;
}

bool parquet_entries_find(struct parquet_entries *e, const void *values, size_t count, size_t size,
                          uint32_t most, uint32_t *indexes)
{
    e->count = 0;
    use_slots(e, SLOTS_FIRST);
    return size == 8 ? find_values(e, values, count, 8, most, indexes)
                     : find_values(e, values, count, 4, most, indexes);
}
