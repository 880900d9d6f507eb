/* pixel.c - the table of texture formats, and texels one at a time. */
#include "gpu/pixel.h"

static uint32_t pixel_widen(uint32_t value, uint32_t bits)
{
    static const uint8_t one_bit[2] = {0, 255};
    if (bits == 8)
        return value;
    if (bits == 1)
        return one_bit[value];
    return value << (8 - bits) | value >> (2 * bits - 8); /* 5 and 6 bits: replicate */
}

uint32_t pixel_to_rgba(const struct pixel_format *f, uint32_t raw)
{
    uint32_t rgba = 0;
    for (int c = 0; c < 4; c++) {
        uint32_t bits = f->bits[c];
        uint32_t value = bits ? pixel_widen(raw >> f->shift[c] & ((1u << bits) - 1), bits) : 255;
        rgba |= value << (8 * c);
    }
    return f->opaque ? rgba | 0xff000000u : rgba;
}

static uint32_t pixel_quantise(float value, uint32_t bits)
{
    float most = (float)((1u << bits) - 1);
    if (!(value > 0)) /* NaN too */
        return 0;
    if (value >= 1)
        return (uint32_t)most;
    return (uint32_t)(value * most + 0.5f);
}

uint32_t pixel_from_color(const struct pixel_format *f, const float rgba[4])
{
    uint32_t raw = 0;
    for (int c = 0; c < 4; c++) {
        uint32_t bits = f->bits[c];
        if (!bits)
            continue;
        uint32_t value = f->srgb && c < 3 ? srgb_encode(rgba[c]) : pixel_quantise(rgba[c], bits);
        if (c == 3 && f->opaque)
            value = (1u << bits) - 1;
        raw |= value << f->shift[c];
    }
    return raw;
}

uint32_t pixel_mask(const struct pixel_format *f, uint32_t write_mask)
{
    uint32_t mask = 0;
    for (int c = 0; c < 4; c++)
        if (f->bits[c] && ((write_mask >> c & 1) || (c == 3 && f->opaque)))
            mask |= ((1u << f->bits[c]) - 1) << f->shift[c];
    return mask;
}

#define BGRA                                                                                       \
    .kind = PIXEL_COLOR, .bytes = 4, .side = 1, .shift = {16, 8, 0, 24}, .bits = {8, 8, 8, 8}
#define RGBA                                                                                       \
    .kind = PIXEL_COLOR, .bytes = 4, .side = 1, .shift = {0, 8, 16, 24}, .bits = {8, 8, 8, 8}
#define BLOCK(bc, size) .kind = bc, .bytes = size, .side = 4

static const struct pixel_format formats[] = {
    {.id = 1, .family = 1, BGRA},
    {.id = 2, .family = 2, BGRA, .opaque = true},
    {.id = 3, .family = 3, RGBA},
    {.id = 4, .family = 4, RGBA, .opaque = true},
    {.id = 5,
     .family = 5,
     .kind = PIXEL_COLOR,
     .bytes = 2,
     .side = 1,
     .shift = {11, 5, 0, 0},
     .bits = {5, 6, 5, 0}},
    {.id = 6,
     .family = 6,
     .kind = PIXEL_COLOR,
     .bytes = 2,
     .side = 1,
     .shift = {10, 5, 0, 15},
     .bits = {5, 5, 5, 1}},
    {.id = 7, .family = 1, BGRA, .srgb = true},
    {.id = 8, .family = 2, BGRA, .srgb = true, .opaque = true},
    {.id = 9, .family = 3, RGBA, .srgb = true},
    {.id = 10, .family = 4, RGBA, .srgb = true, .opaque = true},
    {.id = 32, .family = 32, .kind = PIXEL_DEPTH, .bytes = 4, .side = 1, .stencil = true},
    {.id = 33, .family = 33, .kind = PIXEL_DEPTH, .bytes = 4, .side = 1, .is_float = true},
    {.id = 64, .family = 64, BLOCK(PIXEL_BC1, 8)},
    {.id = 65, .family = 64, BLOCK(PIXEL_BC1, 8), .srgb = true},
    {.id = 66, .family = 66, BLOCK(PIXEL_BC2, 16)},
    {.id = 67, .family = 66, BLOCK(PIXEL_BC2, 16), .srgb = true},
    {.id = 68, .family = 68, BLOCK(PIXEL_BC3, 16)},
    {.id = 69, .family = 68, BLOCK(PIXEL_BC3, 16), .srgb = true},
    {.id = 70, .family = 70, BLOCK(PIXEL_BC7, 16)},
    {.id = 71, .family = 70, BLOCK(PIXEL_BC7, 16), .srgb = true},
};

const struct pixel_format *pixel_format_find(uint32_t id)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].id == id)
            return &formats[i];
    return NULL;
}
