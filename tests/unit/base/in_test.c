/* in_test.c - bounded input: what is read, and that nothing beyond the end ever is. */
#include "base/in.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Exactly these bytes on the heap, so that a sanitizer sees one byte too many. */
static struct in exactly(uint8_t **memory, const char *bytes, size_t len)
{
    *memory = malloc(len ? len : 1);
    assert_non_null(*memory);
    memcpy(*memory, bytes, len);
    return in_bytes((struct ras_bytes){*memory, len});
}

static void in_reads_little_endian(void **state)
{
    (void)state;
    uint8_t *memory;
    struct in in = exactly(&memory,
                           "\x81"
                           "\x01\x82"
                           "\x01\x02\x83"
                           "\x01\x02\x03\x84"
                           "\x01\x02\x03\x04\x05\x06\x07\x88",
                           18);
    assert_int_equal(in_u8(&in), 0x81);
    assert_int_equal(in_u16(&in), 0x8201);
    assert_int_equal(in_u24(&in), 0x830201);
    assert_int_equal(in_u32(&in), 0x84030201);
    assert_true(in_u64(&in) == 0x8807060504030201);
    assert_int_equal(in_left(&in), 0);
    assert_false(in.cut);
    free(memory);
}

static uint64_t read_width(struct in *in, unsigned width)
{
    switch (width) {
    case 1:
        return in_u8(in);
    case 2:
        return in_u16(in);
    case 3:
        return in_u24(in);
    case 4:
        return in_u32(in);
    default:
        return in_u64(in);
    }
}

static void in_short_reads_are_zero_and_take_nothing(void **state)
{
    (void)state;
    static const unsigned widths[] = {1, 2, 3, 4, 8};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (size_t len = 0; len < widths[w]; len++) {
            uint8_t *memory;
            struct in in = exactly(&memory, "\xff\xff\xff\xff\xff\xff\xff", len);
            assert_true(read_width(&in, widths[w]) == 0);
            assert_true(in.cut);
            assert_int_equal(in_left(&in), len);
            free(memory);
        }
    }
}

/* A decoder checks once, at the end: nothing after a cut may be read. */
static void in_stays_cut(void **state)
{
    (void)state;
    uint8_t *memory;
    struct in in = exactly(&memory, "\x11\x22\x33", 3);
    assert_int_equal(in_u32(&in), 0);
    assert_int_equal(in_u8(&in), 0);
    assert_null(in_take(&in, 0));
    assert_true(in.cut);
    assert_int_equal(in_left(&in), 3);
    free(memory);
}

static void in_span_borrows(void **state)
{
    (void)state;
    uint8_t *memory;
    struct in in = exactly(&memory, "abcdef", 6);
    struct ras_bytes head = in_span(&in, 4), none = in_span(&in, 0), tail = in_span(&in, 2);
    assert_ptr_equal(head.at, memory);
    assert_int_equal(head.len, 4);
    assert_ptr_equal(none.at, memory + 4);
    assert_int_equal(none.len, 0);
    assert_ptr_equal(tail.at, memory + 4);
    assert_int_equal(tail.len, 2);
    assert_false(in.cut);
    free(memory);
}

/* Lengths are untrusted: the largest must not wrap around an address. */
static void in_refuses_any_length_beyond_the_end(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {4, UINT32_MAX, (uint64_t)1 << 63, UINT64_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint8_t *memory;
        struct in in = exactly(&memory, "abc", 3);
        struct ras_bytes span = in_span(&in, lengths[i]);
        assert_null(span.at);
        assert_int_equal(span.len, 0);
        assert_true(in.cut);
        free(memory);
    }
}

static void in_of_no_memory_is_empty(void **state)
{
    (void)state;
    struct in in = in_bytes((struct ras_bytes){NULL, 0});
    assert_int_equal(in_left(&in), 0);
    assert_int_equal(in_u8(&in), 0);
    assert_true(in.cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_reads_little_endian),
        cmocka_unit_test(in_short_reads_are_zero_and_take_nothing),
        cmocka_unit_test(in_stays_cut),
        cmocka_unit_test(in_span_borrows),
        cmocka_unit_test(in_refuses_any_length_beyond_the_end),
        cmocka_unit_test(in_of_no_memory_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
