/* png_test.c - pictures go through PNG unchanged; damaged and foreign PNGs are reported. */
#include "codec/crc32.h"
#include "codec/png.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const uint8_t png_magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static uint8_t *noise(size_t len)
{
    uint8_t *bytes = malloc(len);
    uint32_t x = 12345;
    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    return bytes;
}

static void png_round_trips(void **state)
{
    (void)state;
    static const uint32_t sides[][2] = {{1, 1}, {1, 9}, {7, 3}, {64, 64}, {300, 2}, {33, 257}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        uint32_t w, h;
        size_t len, size = (size_t)sides[i][0] * sides[i][1] * 4;
        uint8_t *rgba = noise(size), *file, *back;
        assert_int_equal(png_put(sides[i][0], sides[i][1], rgba, &file, &len, NULL), RAS_OK);
        assert_int_equal(png_get((struct ras_bytes){file, len}, &w, &h, &back, NULL), RAS_OK);
        assert_int_equal(w, sides[i][0]);
        assert_int_equal(h, sides[i][1]);
        assert_memory_equal(back, rgba, size);
        free(rgba);
        free(file);
        free(back);
    }
}

static void png_refuses_a_picture_without_pixels(void **state)
{
    (void)state;
    struct ras_error err;
    uint8_t *file;
    size_t len;
    assert_int_equal(png_put(0, 5, NULL, &file, &len, &err), RAS_EUSAGE);
    assert_null(file);
    assert_int_equal(png_put(PNG_SIDE_MAX + 1, 1, NULL, &file, &len, &err), RAS_EUSAGE);
    assert_string_equal(err.text, "cannot write a picture of 32769x1 as PNG");
}

/* Every prefix and every flipped byte of a file ends with a status, and never with another
 * picture: each chunk has its CRC. */
static void png_damage_is_reported(void **state)
{
    (void)state;
    uint32_t w, h;
    size_t len;
    uint8_t *rgba = noise(5 * 4 * 4), *file, *back;
    assert_int_equal(png_put(5, 4, rgba, &file, &len, NULL), RAS_OK);
    for (size_t i = 0; i < len; i++) {
        uint8_t *part = malloc(i ? i : 1);
        assert_non_null(part);
        memcpy(part, file, i);
        assert_true(png_get((struct ras_bytes){part, i}, &w, &h, &back, NULL) < 0);
        assert_null(back);
        free(part);
        for (int bit = 0; bit < 8; bit++) {
            file[i] ^= (uint8_t)(1 << bit);
            assert_true(png_get((struct ras_bytes){file, len}, &w, &h, &back, NULL) < 0);
            file[i] ^= (uint8_t)(1 << bit);
        }
    }
    free(rgba);
    free(file);
}

/* ---- PNGs of other kinds, put together by hand ----------------------------------------- */

struct made {
    uint8_t at[512];
    size_t len;
};

static void big(struct made *m, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        m->at[m->len++] = (uint8_t)(v >> shift);
}

static void chunk(struct made *m, const char *type, const void *data, size_t len)
{
    size_t from = m->len + 4;
    big(m, (uint32_t)len);
    memcpy(m->at + m->len, type, 4);
    memcpy(m->at + m->len + 4, data, len);
    m->len += 4 + len;
    big(m, crc32_update(0, m->at + from, len + 4));
}

/* Rows as one stored deflate block. */
static void stored(struct made *m, const uint8_t *rows, size_t len)
{
    uint8_t data[256] = {0x78, 0x01, 1, (uint8_t)len, 0, (uint8_t)~len, 0xff};
    uint32_t a = 1, b = 0;
    memcpy(data + 7, rows, len);
    for (size_t i = 0; i < len; i++) {
        a = (a + rows[i]) % 65521;
        b = (b + a) % 65521;
    }
    const uint8_t adler[] = {(uint8_t)(b >> 8), (uint8_t)b, (uint8_t)(a >> 8), (uint8_t)a};
    memcpy(data + 7 + len, adler, 4);
    chunk(m, "IDAT", data, 3); /* in two pieces, as files of other programs are */
    chunk(m, "IDAT", data + 3, 8 + len);
}

static struct made begin(uint8_t width, uint8_t height, uint8_t bits, uint8_t color, uint8_t laced)
{
    struct made m = {.len = sizeof png_magic};
    const uint8_t head[] = {0, 0, 0, width, 0, 0, 0, height, bits, color, 0, 0, laced};
    memcpy(m.at, png_magic, sizeof png_magic);
    chunk(&m, "IHDR", head, sizeof head);
    return m;
}

static int get(struct made *m, uint8_t **rgba, struct ras_error *err)
{
    uint32_t w, h;
    chunk(m, "tEXt", "a\0b", 3);
    chunk(m, "IEND", "", 0);
    return png_get((struct ras_bytes){m->at, m->len}, &w, &h, rgba, err);
}

/* Gray with every filter; the rows come out as their filters say (RFC 2083, 6). */
static void png_undoes_every_filter(void **state)
{
    (void)state;
    static const uint8_t rows[] = {0, 10, 20, 30, 1, 5, 5, 5, 2, 1, 1, 1, 3, 4, 4, 4, 4, 1, 2, 250};
    static const uint8_t want[] = {10, 20, 30, 5, 10, 15, 6, 11, 16, 7, 13, 18, 8, 15, 12};
    struct made m = begin(3, 5, 8, 0, 0);
    uint8_t *rgba;
    stored(&m, rows, sizeof rows);
    assert_int_equal(get(&m, &rgba, NULL), RAS_OK);
    for (size_t i = 0; i < sizeof want; i++) {
        assert_int_equal(rgba[4 * i], want[i]);
        assert_int_equal(rgba[4 * i + 2], want[i]);
        assert_int_equal(rgba[4 * i + 3], 255);
    }
    free(rgba);
}

static void png_palette_and_transparency(void **state)
{
    (void)state;
    static const uint8_t colors[] = {1, 2, 3, 40, 50, 60}, clear[] = {7}, rows[] = {0, 1, 0};
    static const uint8_t want[] = {40, 50, 60, 255, 1, 2, 3, 7};
    struct made m = begin(2, 1, 8, 3, 0);
    struct ras_error err;
    uint8_t *rgba;
    chunk(&m, "PLTE", colors, sizeof colors);
    chunk(&m, "tRNS", clear, sizeof clear);
    stored(&m, rows, sizeof rows);
    assert_int_equal(get(&m, &rgba, NULL), RAS_OK);
    assert_memory_equal(rgba, want, sizeof want);
    free(rgba);
    m = begin(2, 1, 8, 3, 0);
    chunk(&m, "PLTE", colors, 3); /* now colour 1 is missing */
    stored(&m, rows, sizeof rows);
    assert_int_equal(get(&m, &rgba, &err), RAS_EFORMAT);
    assert_string_equal(err.text, "a PNG's pixel has colour 1, its palette 1");
    static const uint8_t rgb[] = {0, 1, 2, 3, 4, 5, 6}, key[] = {0, 4, 0, 5, 0, 6};
    static const uint8_t keyed[] = {1, 2, 3, 255, 4, 5, 6, 0};
    m = begin(2, 1, 8, 2, 0);
    chunk(&m, "tRNS", key, sizeof key);
    stored(&m, rgb, sizeof rgb);
    assert_int_equal(get(&m, &rgba, NULL), RAS_OK);
    assert_memory_equal(rgba, keyed, sizeof keyed);
    free(rgba);
}

static void png_of_other_kinds_is_refused(void **state)
{
    (void)state;
    static const uint8_t rows[] = {0, 1, 2, 3, 9, 1, 2, 3};
    struct ras_error err;
    uint8_t *rgba;
    struct made m = begin(2, 1, 16, 0, 0);
    stored(&m, rows, 5);
    assert_int_equal(get(&m, &rgba, &err), RAS_EUNSUPPORTED);
    m = begin(3, 1, 8, 0, 1);
    stored(&m, rows, 4);
    assert_int_equal(get(&m, &rgba, &err), RAS_EUNSUPPORTED);
    assert_string_equal(err.text,
                        "a PNG of 8 bits, interlaced: only 8 bits, not interlaced, are read");
    m = begin(3, 1, 8, 5, 0);
    stored(&m, rows, 4);
    assert_int_equal(get(&m, &rgba, &err), RAS_EFORMAT);
    m = begin(3, 2, 8, 0, 0); /* the second row has filter 9 */
    stored(&m, rows, 8);
    assert_int_equal(get(&m, &rgba, &err), RAS_EFORMAT);
    assert_string_equal(err.text, "row 1 of a PNG has filter 9");
    m = begin(3, 3, 8, 0, 0); /* a row is missing */
    stored(&m, rows, 8);
    assert_int_equal(get(&m, &rgba, &err), RAS_EFORMAT);
}

/* A header of 32768x32768 over a few bytes takes no 4 GiB. */
static void png_that_promises_too_much_is_refused(void **state)
{
    (void)state;
    static const uint8_t head[] = {0, 0, 0x80, 0, 0, 0, 0x80, 0, 8, 6, 0, 0, 0}, rows[] = {0};
    struct made m = {.len = sizeof png_magic};
    struct ras_error err;
    uint8_t *rgba;
    memcpy(m.at, png_magic, sizeof png_magic);
    chunk(&m, "IHDR", head, sizeof head);
    stored(&m, rows, 1);
    assert_int_equal(get(&m, &rgba, &err), RAS_EFORMAT);
    assert_non_null(strstr(err.text, "a PNG of 4295000064 bytes out of 12"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_round_trips),
        cmocka_unit_test(png_refuses_a_picture_without_pixels),
        cmocka_unit_test(png_damage_is_reported),
        cmocka_unit_test(png_undoes_every_filter),
        cmocka_unit_test(png_palette_and_transparency),
        cmocka_unit_test(png_of_other_kinds_is_refused),
        cmocka_unit_test(png_that_promises_too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
