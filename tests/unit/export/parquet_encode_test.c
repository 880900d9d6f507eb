/* parquet_encode_test.c - what the encodings of Parquet write, read back bit by bit. */
#include "export/parquet_encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { COUNT = 1003 }; /* no multiple of a group, a part or a block */

/* A reader that shares no code with the writer: bits one by one, the lowest first. */
struct bits {
    const uint8_t *at;
    size_t len, bit;
};

static uint64_t take_bits(struct bits *b, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++, b->bit++) {
        assert_true(b->bit / 8 < b->len);
        value |= (uint64_t)(b->at[b->bit / 8] >> b->bit % 8 & 1) << i;
    }
    return value;
}

static uint64_t take_varint(struct bits *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = take_bits(b, 8);
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static uint64_t take_zigzag(struct bits *b)
{
    uint64_t value = take_varint(b);
    return value >> 1 ^ (0 - (value & 1));
}

static uint64_t noise(uint64_t i)
{
    uint64_t n = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return n ^ n >> 27;
}

static uint64_t low_bits(uint64_t value, unsigned width)
{
    return width == 64 ? value : value & (((uint64_t)1 << width) - 1);
}

/* Runs and groups of indexes, as the format describes them. */
static void expect_hybrid(struct bits *b, const uint32_t *want, size_t count, unsigned width)
{
    size_t i = 0;
    while (i < count) {
        uint64_t head = take_varint(b);
        size_t here = (size_t)(head >> 1) * (head & 1 ? 8 : 1);
        uint64_t run = head & 1 ? 0 : take_bits(b, (width + 7) / 8 * 8);
        assert_true(here > 0);
        for (size_t k = 0; k < here; k++, i++) {
            uint64_t value = head & 1 ? take_bits(b, width) : run;
            assert_int_equal(value, i < count ? want[i] : 0);
        }
    }
    assert_int_equal(b->bit, 8 * b->len);
}

static void indexes_of_every_width_are_read_back(void **state)
{
    static uint32_t values[COUNT];
    (void)state;
    for (unsigned width = 1; width <= 32; width++) {
        struct out out = {0};
        for (size_t i = 0; i < COUNT; i++) /* with runs among them */
            values[i] = (uint32_t)low_bits(noise(i % 200 < 40 ? 7 : i), width);
        parquet_put_indexes(&out, values, COUNT, width);
        assert_false(out.failed);
        struct bits b = {out.at, out.len, 0};
        expect_hybrid(&b, values, COUNT, width);
        out_free(&out);
    }
}

static void levels_are_read_back(void **state)
{
    static uint8_t levels[COUNT];
    static uint32_t want[COUNT];
    (void)state;
    for (unsigned width = 1; width <= 2; width++) {
        struct out out = {0};
        for (size_t i = 0; i < COUNT; i++)
            want[i] = levels[i] = (uint8_t)low_bits(noise(i / (1 + i / 100)), width);
        parquet_put_levels(&out, levels, COUNT, width);
        struct bits b = {out.at, out.len, 0};
        expect_hybrid(&b, want, COUNT, width);
        out_free(&out);
    }
}

/* Blocks of 128 differences in four parts, each with a width. */
static void expect_deltas(struct bits *b, const void *values, size_t count, size_t size)
{
    const uint64_t *longs = values;
    const uint32_t *words = values;
    uint64_t mask = size == 8 ? UINT64_MAX : UINT32_MAX;
    assert_int_equal(take_varint(b), 128);
    assert_int_equal(take_varint(b), 4);
    assert_int_equal(take_varint(b), count);
    uint64_t value = take_zigzag(b), widths[4];
    assert_true((value & mask) == (size == 8 ? longs[0] : words[0]));
    for (size_t i = 1; i < count;) {
        uint64_t least = take_zigzag(b);
        for (unsigned part = 0; part < 4; part++)
            widths[part] = take_bits(b, 8);
        for (unsigned k = 0; k < 128 && i < count; k++, i++) {
            value += least + take_bits(b, (unsigned)widths[k / 32]);
            assert_true((value & mask) == (size == 8 ? longs[i] : words[i]));
        }
    }
}

static void differences_of_every_width_are_read_back(void **state)
{
    static uint64_t longs[COUNT];
    static uint32_t words[COUNT];
    (void)state;
    for (unsigned width = 0; width <= 64; width++) {
        struct out out = {0};
        for (size_t i = 0; i < COUNT; i++)
            longs[i] = (i ? longs[i - 1] : 5) + low_bits(noise(i), i / 32 % 3 ? width : width / 2);
        parquet_put_delta(&out, longs, COUNT, 8);
        struct bits b = {out.at, out.len, 0};
        expect_deltas(&b, longs, COUNT, 8);
        out.len = 0;
        for (size_t i = 0; i < COUNT; i++)
            words[i] = (uint32_t)low_bits(noise(i), width < 32 ? width : 32);
        parquet_put_delta(&out, words, COUNT, 4);
        b = (struct bits){out.at, out.len, 0};
        expect_deltas(&b, words, COUNT, 4);
        out_free(&out);
    }
}

static void distinct_numbers_are_found_up_to_a_limit(void **state)
{
    enum { MANY = 50000, DISTINCT = 20000 };
    struct parquet_entries e = {0};
    uint64_t *values = malloc(MANY * sizeof *values);
    uint32_t *indexes = malloc(MANY * sizeof *indexes);
    (void)state;
    assert_true(values && indexes && parquet_entries_new(&e));
    for (size_t i = 0; i < MANY; i++)
        values[i] = noise(noise(i) % DISTINCT);
    assert_true(parquet_entries_find(&e, values, MANY, 8, DISTINCT, indexes));
    for (size_t i = 0; i < MANY; i++)
        assert_true(indexes[i] < e.count && e.values[indexes[i]] == values[i]);
    assert_false(parquet_entries_find(&e, values, MANY, 8, e.count - 1, indexes));
    parquet_entries_free(&e);
    free(values);
    free(indexes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indexes_of_every_width_are_read_back),
        cmocka_unit_test(levels_are_read_back),
        cmocka_unit_test(differences_of_every_width_are_read_back),
        cmocka_unit_test(distinct_numbers_are_found_up_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
