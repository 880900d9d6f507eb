/* bc.h - block compressed textures to texels: BC1, BC2, BC3 and BC7. */
#ifndef GPU_BC_H
#define GPU_BC_H

#include "gpu/pixel.h"

/* A level of width x height texels, blocks row by row, as RGBA bytes with R lowest. A format
 * without blocks gives transparent black. */
void bc_decode(const struct pixel_format *format, const uint8_t *blocks, uint32_t pitch,
               uint32_t width, uint32_t height, uint32_t *to);

/* One block, row by row (bc7.c). */
void bc7_decode(const uint8_t *block, uint32_t texels[16]);
#endif
