/* picture_test.c - pictures: their hash, how they differ, through a PNG and back. */
#include <rastrum/render.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WIDTH = 5, HEIGHT = 3, SIZE = WIDTH * HEIGHT * 4 };

/* The red frame of the public triangle, whose hash its manifest names. */
static void picture_hash_is_that_of_the_public_tools(void **state)
{
    (void)state;
    static const uint8_t want[] = {0x11, 0x71, 0xa4, 0xa5, 0x62, 0x61, 0x4d, 0x26};
    uint8_t rgba[64 * 64 * 4], digest[RAS_SHA256_SIZE];
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = i % 4 == 0 || i % 4 == 3 ? 255 : 0;
    ras_picture_sha256(&(struct ras_picture){64, 64, rgba}, digest);
    assert_memory_equal(digest, want, sizeof want);
    ras_picture_sha256(&(struct ras_picture){32, 128, rgba}, digest); /* the size counts */
    assert_memory_not_equal(digest, want, sizeof want);
}

static void picture_same_is_told(void **state)
{
    (void)state;
    uint8_t a[SIZE] = {1, 2, 3, 4};
    struct ras_picture_difference d;
    const struct ras_picture p = {WIDTH, HEIGHT, a};
    assert_false(ras_picture_compare(&p, &p, &d));
    assert_int_equal(d.pixels, 0);
}

static void picture_difference_has_a_box_and_a_size(void **state)
{
    (void)state;
    uint8_t a[SIZE] = {0}, b[SIZE] = {0}, where[SIZE];
    struct ras_picture_difference d;
    b[(1 * WIDTH + 3) * 4 + 2] = 200;
    b[(2 * WIDTH + 1) * 4 + 3] = 7; /* alpha counts, too */
    a[(2 * WIDTH + 1) * 4 + 0] = 9;
    const struct ras_picture p = {WIDTH, HEIGHT, a}, q = {WIDTH, HEIGHT, b};
    assert_true(ras_picture_compare(&p, &q, &d));
    assert_false(d.sizes);
    assert_int_equal(d.pixels, 2);
    assert_int_equal(d.left, 1);
    assert_int_equal(d.top, 1);
    assert_int_equal(d.right, 4);
    assert_int_equal(d.bottom, 3);
    assert_int_equal(d.most, 200);
    ras_picture_differences(&p, &q, where);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        bool differs = i == 1 * WIDTH + 3 || i == 2 * WIDTH + 1;
        assert_int_equal(where[4 * i], differs ? 255 : 0);
        assert_int_equal(where[4 * i + 1], 0);
        assert_int_equal(where[4 * i + 3], 255);
    }
}

static void picture_of_another_size_differs(void **state)
{
    (void)state;
    uint8_t a[SIZE] = {0};
    struct ras_picture_difference d;
    const struct ras_picture p = {WIDTH, HEIGHT, a}, q = {HEIGHT, WIDTH, a};
    assert_true(ras_picture_compare(&p, &q, &d));
    assert_true(d.sizes);
    assert_int_equal(d.pixels, 0);
}

static void picture_through_png(void **state)
{
    (void)state;
    uint8_t a[SIZE];
    struct ras_picture back;
    struct ras_picture_difference d;
    struct ras_sink *sink;
    for (size_t i = 0; i < SIZE; i++)
        a[i] = (uint8_t)(i * 37);
    const struct ras_picture p = {WIDTH, HEIGHT, a};
    assert_int_equal(ras_sink_memory(&sink, NULL), RAS_OK);
    assert_int_equal(ras_png_put(sink, &p, NULL), RAS_OK);
    assert_int_equal(ras_png_get(ras_sink_bytes(sink), &back, NULL), RAS_OK);
    assert_false(ras_picture_compare(&p, &back, &d));
    ras_picture_free(&back);
    assert_null(back.rgba);
    assert_int_equal(ras_png_get((struct ras_bytes){a, SIZE}, &back, NULL), RAS_EFORMAT);
    assert_null(back.rgba);
    ras_picture_free(&back);
    ras_sink_drop(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picture_hash_is_that_of_the_public_tools),
        cmocka_unit_test(picture_same_is_told),
        cmocka_unit_test(picture_difference_has_a_box_and_a_size),
        cmocka_unit_test(picture_of_another_size_differs),
        cmocka_unit_test(picture_through_png),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
