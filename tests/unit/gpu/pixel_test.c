/* pixel_test.c - texels one at a time: every format, rounding, sRGB. */
#include "gpu/pixel.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct pixel_format *format(uint32_t id)
{
    const struct pixel_format *f = pixel_format_find(id);
    assert_non_null(f);
    assert_int_equal(f->id, id);
    return f;
}

static void every_format_is_there_once(void **state)
{
    (void)state;
    unsigned count = 0;
    for (uint32_t id = 0; id < 200; id++)
        count += pixel_format_find(id) != NULL;
    assert_int_equal(count, 20);
    assert_null(pixel_format_find(0));
    assert_int_equal(format(9)->family, 3);
    assert_int_equal(format(69)->family, 68);
}

static void colors_become_texels(void **state)
{
    (void)state;
    const float color[4] = {1, 0.5f, 0.25f, 0.125f};
    assert_int_equal(pixel_from_color(format(3), color), 0x204080ff);
    assert_int_equal(pixel_from_color(format(1), color), 0x20ff8040);
    assert_int_equal(pixel_from_color(format(2), color), 0xffff8040);
    assert_int_equal(pixel_from_color(format(5), color), 31 << 11 | 32 << 5 | 8);
    assert_int_equal(pixel_from_color(format(6), color), 31 << 10 | 16 << 5 | 8);
    assert_int_equal(pixel_from_color(format(9), color), 0x2089bcff);
    const float unusual[4] = {NAN, -3, INFINITY, 0.5f};
    assert_int_equal(pixel_from_color(format(3), unusual), 0x80ff0000);
    assert_int_equal(pixel_from_color(format(9), unusual), 0x80ff0000);
}

static void texels_become_bytes(void **state)
{
    (void)state;
    assert_int_equal(pixel_to_rgba(format(3), 0x04030201), 0x04030201);
    assert_int_equal(pixel_to_rgba(format(1), 0x04030201), 0x04010203);
    assert_int_equal(pixel_to_rgba(format(2), 0x04030201), 0xff010203);
    assert_int_equal(pixel_to_rgba(format(5), 16 << 11 | 32 << 5 | 16), 0xff848284);
    assert_int_equal(pixel_to_rgba(format(6), 0x7fff), 0x00ffffff);
    assert_int_equal(pixel_to_rgba(format(6), 0x8000), 0xff000000);
}

static void bytes_of_srgb_come_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        assert_int_equal(srgb_encode(srgb_linear[i]), i);
        double c = i / 255.0;
        double linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        assert_true(fabs((double)srgb_linear[i] - linear) < 1e-7);
    }
    assert_int_equal(srgb_encode(-1), 0);
    assert_int_equal(srgb_encode(2), 255);
    assert_int_equal(srgb_encode(NAN), 0);
}

static void masks_are_bits_of_the_texel(void **state)
{
    (void)state;
    assert_int_equal(pixel_mask(format(3), 5), 0x00ff00ff);
    assert_int_equal(pixel_mask(format(1), 1), 0x00ff0000);
    assert_int_equal(pixel_mask(format(2), 0), 0xff000000);
    assert_int_equal(pixel_mask(format(5), 2), 63 << 5);
    assert_int_equal(pixel_mask(format(6), 8), 0x8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_there_once),  cmocka_unit_test(colors_become_texels),
        cmocka_unit_test(texels_become_bytes),         cmocka_unit_test(bytes_of_srgb_come_back),
        cmocka_unit_test(masks_are_bits_of_the_texel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
