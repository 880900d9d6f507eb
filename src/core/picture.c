/* picture.c - pictures: hashed, compared with each other, and as PNG files. */
#include "base/out.h"
#include "codec/png.h"
#include "codec/sha256.h"
#include <rastrum/render.h>

#include <stdlib.h>
#include <string.h>

void ras_picture_sha256(const struct ras_picture *p, uint8_t digest[RAS_SHA256_SIZE])
{
    struct sha256 sha = sha256_start();
    uint8_t sides[8];
    store_u32(store_u32(sides, p->width), p->height);
    sha256_add(&sha, sides, sizeof sides);
    sha256_add(&sha, p->rgba, (size_t)p->width * p->height * 4);
    sha256_end(&sha, digest);
}

static void count_pixel(struct ras_picture_difference *d, uint32_t x, uint32_t y, const uint8_t *a,
                        const uint8_t *b)
{
    if (!d->pixels++) {
        d->left = x;
        d->top = y;
    }
    d->left = x < d->left ? x : d->left;
    d->right = x + 1 > d->right ? x + 1 : d->right;
    d->bottom = y + 1;
    for (int i = 0; i < 4; i++) {
        int apart = abs(a[i] - b[i]);
        d->most = apart > d->most ? (uint8_t)apart : d->most;
    }
}

bool ras_picture_compare(const struct ras_picture *a, const struct ras_picture *b,
                         struct ras_picture_difference *d)
{
    *d = (struct ras_picture_difference){.sizes = a->width != b->width || a->height != b->height};
    if (d->sizes)
        return true;
    size_t row = (size_t)a->width * 4;
    const uint8_t *p = a->rgba, *q = b->rgba;
    for (uint32_t y = 0; y < a->height; y++, p += row, q += row) {
        if (!memcmp(p, q, row))
            continue;
        for (uint32_t x = 0; x < a->width; x++)
            if (memcmp(p + (size_t)x * 4, q + (size_t)x * 4, 4) != 0)
                count_pixel(d, x, y, p + (size_t)x * 4, q + (size_t)x * 4);
    }
    return d->pixels != 0;
}

void ras_picture_differences(const struct ras_picture *a, const struct ras_picture *b,
                             uint8_t *rgba)
{
    const uint8_t *p = a->rgba, *q = b->rgba;
    for (size_t left = (size_t)a->width * a->height; left; left--, p += 4, q += 4, rgba += 4) {
        uint8_t gray = (uint8_t)((p[0] * 2 + p[1] * 5 + p[2]) / 32); /* a quarter of the luma */
        bool same = !memcmp(p, q, 4);
        rgba[0] = same ? gray : 255;
        rgba[1] = rgba[2] = same ? gray : 0;
        rgba[3] = 255;
    }
}

int ras_png_put(struct ras_sink *sink, const struct ras_picture *p, struct ras_error *err)
{
    uint8_t *file;
    size_t len;
    int status = png_put(p->width, p->height, p->rgba, &file, &len, err);
    if (status == RAS_OK)
        status = ras_sink_write(sink, file, len, err);
    free(file);
    return status;
}

int ras_png_get(struct ras_bytes file, struct ras_picture *p, struct ras_error *err)
{
    uint8_t *rgba;
    int status = png_get(file, &p->width, &p->height, &rgba, err);
    p->rgba = rgba;
    return status;
}

void ras_picture_free(struct ras_picture *p)
{
    free((void *)(uintptr_t)p->rgba);
    p->rgba = NULL;
}
