/* pixel.h - the formats of textures: how a texel is stored. */
#ifndef GPU_PIXEL_H
#define GPU_PIXEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pixel_kind {
    PIXEL_COLOR, /* packed into 2 or 4 bytes */
    PIXEL_DEPTH,
    PIXEL_BC1,
    PIXEL_BC2,
    PIXEL_BC3,
    PIXEL_BC7,
};

struct pixel_format {
    uint32_t id; /* AEROGPU_FORMAT */
    enum pixel_kind kind;
    uint8_t bytes;    /* of a texel, or of a block */
    uint8_t side;     /* of a block: 1 or 4 */
    uint8_t shift[4]; /* of R, G, B, A */
    uint8_t bits[4];  /* alpha 0: opaque */
    bool srgb, stencil, is_float;
    bool opaque;     /* the bits of alpha are there and mean nothing */
    uint32_t family; /* formats of one family may view each other: the id without sRGB */
};

/* NULL: no such format. */
const struct pixel_format *pixel_format_find(uint32_t id);

/* A texel of a color format as RGBA bytes, R lowest: narrow channels by bit replication, what
 * is not stored opaque. */
uint32_t pixel_to_rgba(const struct pixel_format *format, uint32_t raw);
/* A row of them, 4 bytes each, R first. */
void pixel_row_to_rgba(const struct pixel_format *format, const uint8_t *from, uint32_t width,
                       uint8_t *to);
/* The nearest texel of a colour; sRGB is encoded, not-a-number is 0. */
uint32_t pixel_from_color(const struct pixel_format *format, const float rgba[4]);
/* The bits of a texel that a write mask (R 1, G 2, B 4, A 8) lets through; an opaque format's
 * alpha is always written. */
uint32_t pixel_mask(const struct pixel_format *format, uint32_t write_mask);

/* ---- sRGB -------------------------------------------------------------------------------- */

extern const float srgb_linear[256]; /* of each byte */
/* The byte whose linear value is nearest in the encoded scale. */
uint8_t srgb_encode(float linear);
#endif
