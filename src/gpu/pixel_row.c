/* pixel_row.c - whole rows of texels as RGBA, for pictures that are shown. */
#include "base/store.h"
#include "gpu/pixel.h"

/* Channels of a byte each: red and blue change places or not, alpha is there or not. */
static void row_of_words(const struct pixel_format *f, const uint8_t *restrict from, uint32_t width,
                         uint8_t *restrict to)
{
    uint32_t alpha = f->opaque ? 0xff000000u : 0;
    if (!f->shift[0]) {
        for (uint32_t x = 0; x < width; x++)
            store_u32(to + 4 * (size_t)x, load_u32(from + 4 * (size_t)x) | alpha);
        return;
    }
    for (uint32_t x = 0; x < width; x++) {
        uint32_t raw = load_u32(from + 4 * (size_t)x);
        uint32_t turned = (raw & 0xff00ff00u) | (raw >> 16 & 255) | (raw & 255) << 16;
        store_u32(to + 4 * (size_t)x, turned | alpha);
    }
}

void pixel_row_to_rgba(const struct pixel_format *f, const uint8_t *from, uint32_t width,
                       uint8_t *to)
{
    if (f->bytes == 4) {
        row_of_words(f, from, width, to);
        return;
    }
    for (uint32_t x = 0; x < width; x++)
        store_u32(to + 4 * (size_t)x, pixel_to_rgba(f, load_u16(from + 2 * (size_t)x)));
}
