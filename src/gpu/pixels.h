/* pixels.h - a tile of a surface's texels as numbers of 32 bits, read and written.
 *
 * Inline, so that the loops over whole tiles are unrolled with their bounds known. */
#ifndef GPU_PIXELS_H
#define GPU_PIXELS_H

#include "base/store.h"
#include "gpu/raster.h"

static inline uint8_t *pixels_row(const struct gpu_surface *s, const struct tile *tile, uint32_t y)
{
    return s->at + (size_t)((uint32_t)tile->y + y) * s->pitch +
           (size_t)(uint32_t)tile->x * s->format->bytes;
}

/* What is beyond the target stays as it is. */
static inline void pixels_read(const struct gpu_surface *s, const struct tile *tile,
                               uint32_t raw[LANES])
{
    if (s->format->bytes == 4 && tile->width == TILE && tile->height == TILE) {
        for (uint32_t y = 0; y < TILE; y++)
            memcpy(&raw[y * TILE], pixels_row(s, tile, y), TILE * sizeof *raw);
        return;
    }
    for (uint32_t y = 0; y < tile->height; y++) {
        const uint8_t *row = pixels_row(s, tile, y);
        for (uint32_t x = 0; x < tile->width; x++)
            raw[y * TILE + x] = s->format->bytes == 4 ? load_u32(row + 4 * (size_t)x)
                                                      : load_u16(row + 2 * (size_t)x);
    }
}

static inline void pixels_write(const struct gpu_surface *s, const struct tile *tile,
                                const uint32_t raw[LANES])
{
    if (s->format->bytes == 4 && tile->width == TILE && tile->height == TILE) {
        for (uint32_t y = 0; y < TILE; y++)
            memcpy(pixels_row(s, tile, y), &raw[y * TILE], TILE * sizeof *raw);
        return;
    }
    for (uint32_t y = 0; y < tile->height; y++) {
        uint8_t *row = pixels_row(s, tile, y);
        for (uint32_t x = 0; x < tile->width; x++)
            if (s->format->bytes == 4)
                store_u32(row + 4 * (size_t)x, raw[y * TILE + x]);
            else
                store_u16(row + 2 * (size_t)x, (uint16_t)raw[y * TILE + x]);
    }
}
#endif
