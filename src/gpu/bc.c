/* bc.c - block compressed textures: 4x4 texels in 8 bytes (BC1) or 16 (BC2, BC3, BC7). */
#include "gpu/bc.h"

#include "base/in.h"

static uint32_t from_565(uint32_t c)
{
    uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;
    r = r << 3 | r >> 2;
    g = g << 2 | g >> 4;
    b = b << 3 | b >> 2;
    return r | g << 8 | b << 16 | 0xff000000u;
}

/* (a * wa + b * wb) / (wa + wb) for each channel, rounded down; opaque. */
static uint32_t bc_between(uint32_t a, uint32_t b, uint32_t wa, uint32_t wb)
{
    uint32_t mixed = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8)
        mixed |= ((a >> shift & 255) * wa + (b >> shift & 255) * wb) / (wa + wb) << shift;
    return mixed;
}

/* The eight bytes that BC1 is, and that BC2 and BC3 end with; these always have four colours. */
static void decode_colors(const uint8_t *block, bool may_be_clear, uint32_t texels[16])
{
    uint32_t first = load_u16(block), second = load_u16(block + 2);
    uint32_t colors[4] = {from_565(first), from_565(second)};
    if (first > second || !may_be_clear) {
        colors[2] = bc_between(colors[0], colors[1], 2, 1);
        colors[3] = bc_between(colors[0], colors[1], 1, 2);
    } else {
        colors[2] = bc_between(colors[0], colors[1], 1, 1);
        colors[3] = 0;
    }
    uint32_t picks = load_u32(block + 4);
    for (int i = 0; i < 16; i++)
        texels[i] = colors[picks >> (2 * i) & 3];
}

static void decode_bc1(const uint8_t *block, uint32_t texels[16])
{
    decode_colors(block, true, texels);
}

/* Alpha of 4 bits a texel. */
static void decode_bc2(const uint8_t *block, uint32_t texels[16])
{
    decode_colors(block + 8, false, texels);
    uint64_t alpha = load_u64(block);
    for (int i = 0; i < 16; i++)
        texels[i] = (texels[i] & 0xffffff) | (uint32_t)(alpha >> (4 * i) & 15) * 17 << 24;
}

/* Alpha as 3 bits that pick among eight, two of which are given. */
static void decode_bc3(const uint8_t *block, uint32_t texels[16])
{
    decode_colors(block + 8, false, texels);
    uint64_t bits = load_u64(block);
    uint32_t alphas[8] = {bits & 255, bits >> 8 & 255};
    uint32_t steps = alphas[0] > alphas[1] ? 7 : 5;
    for (uint32_t i = 1; i < steps; i++)
        alphas[i + 1] = ((steps - i) * alphas[0] + i * alphas[1]) / steps;
    if (steps == 5) {
        alphas[6] = 0;
        alphas[7] = 255;
    }
    for (int i = 0; i < 16; i++)
        texels[i] = (texels[i] & 0xffffff) | alphas[bits >> (16 + 3 * i) & 7] << 24;
}

static void decode_none(const uint8_t *block, uint32_t texels[16])
{
    (void)block;
    memset(texels, 0, 16 * sizeof *texels);
}

void bc_decode(const struct pixel_format *f, const uint8_t *blocks, uint32_t pitch, uint32_t width,
               uint32_t height, uint32_t *to)
{
    static void (*const decoders[])(const uint8_t *, uint32_t[16]) = {
        [PIXEL_COLOR] = decode_none, [PIXEL_DEPTH] = decode_none, [PIXEL_BC1] = decode_bc1,
        [PIXEL_BC2] = decode_bc2,    [PIXEL_BC3] = decode_bc3,    [PIXEL_BC7] = bc7_decode,
    };
    for (uint32_t y = 0; y < height; y += 4)
        for (uint32_t x = 0; x < width; x += 4) {
            uint32_t texels[16];
            decoders[f->kind](blocks + (size_t)(y / 4) * pitch + (size_t)(x / 4) * f->bytes,
                              texels);
            for (uint32_t j = 0; j < 4 && y + j < height; j++)
                for (uint32_t i = 0; i < 4 && x + i < width; i++)
                    to[(size_t)(y + j) * width + x + i] = texels[4 * j + i];
        }
}
