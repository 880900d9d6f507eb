/* leb128_test.c - numbers in groups of seven bits: every size, every end, every excess. */
#include "codec/leb128.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum outcome { FITS, CUT, TOO_LARGE };

/* Read from memory that ends directly after the bytes, then from longer memory. */
static void reads(const char *bytes, size_t len, enum outcome outcome, uint64_t want, size_t size)
{
    static const uint8_t fill[] = {0x00, 0xff};
    for (size_t f = 0; f < 3; f++) {
        size_t room = f < 2 && outcome != CUT ? len + 16 : len;
        uint8_t *memory = malloc(room ? room : 1);
        assert_non_null(memory);
        memset(memory, f < 2 ? fill[f] : 0, room);
        memcpy(memory, bytes, len);
        struct in in = in_bytes((struct ras_bytes){memory, room});
        bool bad = false;
        assert_true(in_leb128(&in, &bad) == want);
        assert_int_equal(in.at - memory, size);
        assert_int_equal(in.cut, outcome == CUT);
        assert_int_equal(bad, outcome == TOO_LARGE);
        free(memory);
    }
}

#define READS(bytes, want) reads(bytes, sizeof bytes - 1, FITS, want, sizeof bytes - 1)
#define REFUSES(bytes)     reads(bytes, sizeof bytes - 1, TOO_LARGE, 0, 0)

static void leb128_known_values(void **state)
{
    (void)state;
    READS("\x00", 0);
    READS("\x7f", 127);
    READS("\x80\x01", 128);
    READS("\xe5\x8e\x26", 624485); /* the DWARF standard's example */
    READS("\xff\xff\xff\xff\x0f", UINT32_MAX);
    READS("\xff\xff\xff\xff\xff\xff\xff\x7f", ((uint64_t)1 << 56) - 1);
    READS("\x80\x80\x80\x80\x80\x80\x80\x80\x01", (uint64_t)1 << 56);
    READS("\xff\xff\xff\xff\xff\xff\xff\xff\x7f", ((uint64_t)1 << 63) - 1);
    READS("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", UINT64_MAX);
}

static void leb128_padded_values(void **state)
{
    (void)state;
    READS("\x80\x00", 0);
    READS("\x81\x80\x80\x00", 1);
    READS("\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00", 5);
}

static void leb128_too_large(void **state)
{
    (void)state;
    REFUSES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
    REFUSES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f");
    REFUSES("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00");
    REFUSES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
}

static void leb128_cut_anywhere(void **state)
{
    (void)state;
    for (size_t len = 0; len < LEB128_SIZE_MOST; len++)
        reads("\xff\xff\xff\xff\xff\xff\xff\xff\xff", len, CUT, 0, 0);
}

static size_t put(uint8_t *at, uint64_t value)
{
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        at[n++] = (uint8_t)(value | 0x80);
    at[n++] = (uint8_t)value;
    return n;
}

static void leb128_round_trips_at_every_width(void **state)
{
    (void)state;
    uint64_t noise = 88172645463325252u;
    for (unsigned width = 0; width <= 64; width++) {
        for (int i = 0; i < 200; i++) {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            uint64_t value = width ? noise >> (64 - width) | (uint64_t)1 << (width - 1) : 0;
            uint8_t bytes[LEB128_SIZE_MOST];
            size_t n = put(bytes, value);
            assert_int_equal(leb128_size(value), n);
            reads((const char *)bytes, n, FITS, value, n);
        }
    }
}

static void leb128_stays_cut(void **state)
{
    (void)state;
    struct in in = in_bytes((struct ras_bytes){(const uint8_t *)"\x05\x80\x01", 3});
    bool bad = false;
    in_u64(&in);
    assert_true(in.cut);
    assert_true(in_leb128(&in, &bad) == 0);
    in.at++;
    assert_true(in_leb128(&in, &bad) == 0);
    assert_false(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leb128_known_values),
        cmocka_unit_test(leb128_padded_values),
        cmocka_unit_test(leb128_too_large),
        cmocka_unit_test(leb128_cut_anywhere),
        cmocka_unit_test(leb128_round_trips_at_every_width),
        cmocka_unit_test(leb128_stays_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
