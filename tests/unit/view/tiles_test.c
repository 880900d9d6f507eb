/* tiles_test.c - the bytes of a tile, one by one. */
#include "view/tiles.h"
#include "view/tracks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_tile_covers_its_buckets(void **unused)
{
    uint64_t from, last;
    (void)unused;
    assert_true(tile_range(0, 3, &from, &last));
    assert_int_equal(from, 3 * 1024);
    assert_int_equal(last, 4 * 1024 - 1);
    assert_true(tile_range(20, 1, &from, &last));
    assert_int_equal(from, UINT64_C(1) << 30);
    assert_true(tile_range(53, 1, &from, &last));
    assert_int_equal(from, UINT64_C(1) << 63);
    assert_int_equal(last, UINT64_MAX);
    assert_true(tile_range(54, 0, &from, &last));
    assert_true(tile_range(63, 0, &from, &last));
    assert_int_equal(from, 0);
    assert_int_equal(last, UINT64_MAX);
}

static void places_outside_of_64_bits_are_refused(void **unused)
{
    uint64_t from, last;
    (void)unused;
    assert_false(tile_range(-1, 0, &from, &last));
    assert_false(tile_range(64, 0, &from, &last));
    assert_false(tile_range(53, 2, &from, &last));
    assert_false(tile_range(54, 1, &from, &last));
    assert_false(tile_range(0, UINT64_MAX >> 10 << 1, &from, &last));
}

static void slices_are_laid_out_byte_by_byte(void **unused)
{
    /* Buckets of 256, from 2^18 on. */
    const uint64_t from = 1 << 18;
    const struct entry first[] = {
        {.start = from - 100, .dur = 228, .busy = 228, .count = 1, .name = 5, .seq = 7},
        {.start = from + 256, .dur = 64, .busy = 128, .count = 9, .name = 6, .seq = 0x01020304},
    };
    const struct entry second[] = {
        {.start = from - 600, .dur = 600, .busy = 600, .count = 1, .name = 1}, /* ends before */
        {.start = from + 1023 * 256 + 4,
         .dur = 4000,
         .busy = 4000,
         .count = 1,
         .name = 0x11223344,
         .seq = 2},
        {.start = from + 1024 * 256, .dur = 1, .count = 1}, /* begins after */
    };
    const struct tile tile = {.track = 0xa1b2,
                              .shift = 8,
                              .index = 1,
                              .seq_base = 0x0102030405060708,
                              .kind = TILE_SLICES,
                              .flags = TILE_PARTIAL,
                              .rows = 3,
                              .generation = 77};
    static const uint8_t want[] = {
        'R',  'T',  'L', '1', 112,  0,    0,    0,
        0xb2, 0xa1, 0,   0,   8,    0,    0,    0, /* */
        1,    0,    0,   0,   0,    0,    0,    0,
        8,    7,    6,   5,   4,    3,    2,    1, /* index, seq_base */
        1,    0,    1,   0,   3,    0,    0,    0,
        3,    0,    0,   0,   77,   0,    0,    0, /* kind .. generation */
        0,    0,    0,   0,   2,    0,    0,    0,
        3,    0,    0,   0,   3,    0,    0,    0, /* rows */
        0,    0,    32,  0,   5,    0,    0,    0,
        7,    0,    0,   0,   0,    0,    227,  1 | 4, /* began before */
        64,   0,    16,  0,   6,    0,    0,    0,
        4,    3,    2,   1,   0,    0,    128,  3 << 3, /* of nine */
        0xc1, 0xff, 63,  0,   0x44, 0x33, 0x22, 0x11,
        2,    0,    0,   0,   1,    0,    255,  2 | 4,
    };
    struct out out = {0};
    struct tile_writer w;
    (void)unused;
    tile_begin(&w, &out, &tile);
    tile_row(&w, first, 2);
    tile_row(&w, second, 3);
    tile_row(&w, NULL, 0);
    assert_true(tile_end(&w));
    assert_int_equal(out.len, sizeof want);
    assert_memory_equal(out.at, want, sizeof want);
    out_free(&out);
}

static void values_are_laid_out_byte_by_byte(void **unused)
{
    const struct entry values[] = {
        {.start = 1, .sum = 100, .min = 3, .max = 4, .count = 1}, /* before */
        {.start = 1024 + 512, .sum = 6, .min = -1, .max = 3, .count = 4},
    };
    const struct tile tile = {.index = 1, .kind = TILE_COUNTER, .rows = 1};
    static const uint8_t item[] = {0x00, 0x80, 2,    0,    0, 0, 0x80, 0xbf,
                                   0,    0,    0x40, 0x40, 0, 0, 0xc0, 0x3f};
    struct out out = {0};
    struct tile_writer w;
    (void)unused;
    tile_begin(&w, &out, &tile);
    tile_row(&w, values, 2);
    assert_true(tile_end(&w));
    assert_int_equal(out.len, 48 + 16 + 16);
    assert_int_equal(out.at[32], TILE_COUNTER);
    assert_int_equal(out.at[40], 1);
    assert_memory_equal(out.at + 64, item, sizeof item);
    out_free(&out);
}

static void an_instant_has_no_width(void **unused)
{
    const struct entry e = {.start = 1023, .count = 2, .name = 3};
    const struct tile tile = {.kind = TILE_INSTANTS, .rows = 1};
    struct out out = {0};
    struct tile_writer w;
    (void)unused;
    tile_begin(&w, &out, &tile);
    tile_row(&w, &e, 1);
    assert_true(tile_end(&w));
    const uint8_t want[] = {0xc0, 0xff, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 3};
    assert_memory_equal(out.at + 64, want, sizeof want);
    out_free(&out);
}

static void what_has_not_ended_goes_on(void **unused)
{
    const struct entry e = {.start = 0, .dur = 10, .busy = 10, .count = 1, .name = 9 | ENTRY_OPEN};
    const struct tile tile = {.kind = TILE_SLICES, .rows = 1};
    struct out out = {0};
    struct tile_writer w;
    (void)unused;
    tile_begin(&w, &out, &tile);
    tile_row(&w, &e, 1);
    assert_true(tile_end(&w));
    assert_int_equal(out.at[64 + 4], 9);
    assert_int_equal(out.at[64 + 7], 0);
    assert_int_equal(out.at[64 + 15], 2 | 4);
    out_free(&out);
}

/* All of the tile is one more than 16 bits hold. */
static void a_slice_may_fill_the_tile(void **unused)
{
    const struct entry e = {.start = 0, .dur = UINT64_MAX, .busy = 1e20f, .count = UINT32_MAX};
    const struct tile tile = {.shift = 63, .kind = TILE_FILM, .rows = 1};
    struct out out = {0};
    struct tile_writer w;
    (void)unused;
    tile_begin(&w, &out, &tile);
    tile_row(&w, &e, 1);
    assert_true(tile_end(&w));
    const uint8_t want[] = {0, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 31 << 3};
    /* 2^64 - 1 is two buckets of 2^63, less one unit: 127 of 64ths, and rounded down. */
    assert_int_equal(out.at[64 + 2] | out.at[64 + 3] << 8, 127);
    assert_memory_equal(out.at + 64 + 4, want + 4, sizeof want - 4);
    out_free(&out);
    const struct tile all = {.shift = 0, .kind = TILE_SLICES, .rows = 1};
    out = (struct out){0};
    tile_begin(&w, &out, &all);
    tile_row(&w, &e, 1);
    assert_true(tile_end(&w));
    assert_int_equal(out.at[64 + 2] | out.at[64 + 3] << 8, 65535);
    out_free(&out);
}

static void a_tile_has_at_most_a_mebibyte(void **unused)
{
    static struct entry entries[1024];
    const struct tile tile = {.kind = TILE_SLICES, .rows = 100};
    struct out out = {0};
    struct tile_writer w;
    (void)unused;
    for (unsigned i = 0; i < 1024; i++)
        entries[i] = (struct entry){.start = i, .dur = 1, .busy = 1, .count = 1};
    tile_begin(&w, &out, &tile);
    for (unsigned i = 0; i < 100; i++)
        tile_row(&w, entries, 1024);
    assert_true(tile_end(&w));
    assert_in_range(out.len, TILE_BYTES_MOST - 1024 * 16, TILE_BYTES_MOST);
    assert_int_equal(out.at[34], TILE_LOSSY);
    assert_int_equal(out.at[36], 100); /* rows; the last have nothing */
    uint32_t last;
    memcpy(&last, out.at + 48 + 4 * 100, 4);
    assert_int_equal(last, w.items);
    out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tile_covers_its_buckets),
        cmocka_unit_test(places_outside_of_64_bits_are_refused),
        cmocka_unit_test(slices_are_laid_out_byte_by_byte),
        cmocka_unit_test(values_are_laid_out_byte_by_byte),
        cmocka_unit_test(an_instant_has_no_width),
        cmocka_unit_test(what_has_not_ended_goes_on),
        cmocka_unit_test(a_slice_may_fill_the_tile),
        cmocka_unit_test(a_tile_has_at_most_a_mebibyte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
