/* pixels.c - pictures of every format and of unusual sizes, one a tick: pixels DIR [K X Y]. With
 * three numbers, the second component of a pixel of picture K is another. */
#include <rastrum/pens.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct size {
    uint32_t width, height, stride; /* stride: bytes of a row beyond its pixels */
    enum ras_pens_pixel format;
};

/* As tests/pens/run has them. */
static const struct size sizes[] = {
    {1, 1, 0, RAS_PENS_RGBA},     {1, 1, 3, RAS_PENS_BGRA},      {1, 1, 0, RAS_PENS_INDEXED},
    {33, 7, 0, RAS_PENS_RGBA},    {33, 7, 0, RAS_PENS_RGBA},     {33, 7, 12, RAS_PENS_BGRA},
    {33, 7, 5, RAS_PENS_INDEXED}, {64, 48, 0, RAS_PENS_INDEXED}, {64, 48, 64, RAS_PENS_RGBA},
    {3, 200, 0, RAS_PENS_BGRA},   {640, 400, 0, RAS_PENS_RGBA},  {17, 1, 7, RAS_PENS_RGBA},
    {1, 90, 0, RAS_PENS_INDEXED}};

/* Component c of a pixel. Rows that do not change are those that 3 divides. */
static uint8_t component(uint32_t tick, uint32_t x, uint32_t y, uint32_t c)
{
    uint32_t t = y % 3 ? tick : 0;
    return (uint8_t)(x * 7 + y * 13 + c * 31 + t * 5);
}

int main(int argc, char **argv)
{
    struct ras_pens *pens;
    struct ras_error err;
    uint32_t palette[256];
    if (argc != 2 && argc != 5)
        return 2;
    uint32_t changed[3] = {UINT32_MAX};
    for (int i = 2; i < argc; i++)
        changed[i - 2] = (uint32_t)strtoul(argv[i], NULL, 10);
    const struct ras_pens_options how = {.dir = argv[1], .program = "pixels"};
    if (ras_pens_open(&pens, &how, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 3;
    }
    for (uint32_t i = 0; i < 256; i++)
        palette[i] = i | (255 - i) << 8 | (i ^ 0x55) << 16 | 0xff000000u;
    ras_pens_tick(pens, 1);
    for (uint32_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const struct size *s = &sizes[k];
        bool indexed = s->format == RAS_PENS_INDEXED;
        size_t row = indexed ? s->width : s->width * 4, stride = row + s->stride;
        uint8_t *pixels = malloc(stride * s->height);
        memset(pixels, 0xa5, stride * s->height);
        for (uint32_t y = 0; y < s->height; y++)
            for (uint32_t x = 0; x < s->width; x++)
                for (uint32_t c = 0; c < (indexed ? 1u : 4u); c++)
                    pixels[y * stride + x * (indexed ? 1u : 4u) + c] = component(k + 2, x, y, c);
        if (k == changed[0])
            pixels[changed[2] * stride + (size_t)changed[1] * 4 + 1] ^= 0x80;
        ras_pens_tick(pens, k + 2);
        ras_pens_pixels(pens, s->format, 5, 5, 20, palette, palette); /* the last one counts */
        ras_pens_pixels(pens, s->format, s->width, s->height, stride, pixels, palette);
        memset(pixels, 0, stride * s->height);
        free(pixels);
    }
    ras_pens_tick(pens, 100);
    return ras_pens_close(pens, NULL) < 0 ? 4 : 0;
}
