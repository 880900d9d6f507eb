/* texture.h - textures as memory: their levels, surfaces of them, their texels decoded. */
#ifndef GPU_TEXTURE_H
#define GPU_TEXTURE_H

#include "gpu/pixel.h"
#include "gpu/program.h"
#include "gpu/machine.h"

/* One level of one layer, as a target or to be copied. */
struct gpu_surface {
    struct gpu_texture *texture;
    const struct pixel_format *format;
    uint8_t *at;
    uint32_t width, height, pitch;
};

struct gpu_texture_shape {
    const struct pixel_format *format;
    uint32_t width, height, mips, layers, row_pitch;
};

/* Where each level lies, for a shape within the limits; nothing is allocated. */
int texture_layout(struct gpu *gpu, const struct gpu_call *call,
                   const struct gpu_texture_shape *shape, struct gpu_texture *texture);
/* What is drawn on where no target is set. */
int texture_canvas(struct gpu *gpu, const struct gpu_call *call, uint32_t width, uint32_t height);
/* Its memory. */
void texture_empty(struct gpu *gpu, struct gpu_texture *texture);
void texture_free(struct gpu *gpu, struct gpu_texture *texture); /* NULL is fine */

/* The level of that layer; both exist. */
struct gpu_surface texture_surface(struct gpu_texture *texture, const struct pixel_format *format,
                                   uint32_t mip, uint32_t layer);
/* A texture or view by its handle: a view of it, whole if it is a texture. */
int texture_resolve(struct gpu *gpu, const struct gpu_call *call, uint32_t handle, const char *what,
                    struct gpu_view *view);
/* Its texels as RGBA where the format is not one of 4 bytes; a no-op when they are fresh. */
int texture_decode(struct gpu *gpu, const struct gpu_call *call, struct gpu_texture *texture);
/* All of a level of such a format, as RGBA with R lowest. */
void surface_decode(const struct gpu_surface *surface, uint32_t *to);
/* The same texel everywhere. */
void surface_fill(const struct gpu_surface *surface, uint32_t raw);
/* Of decode's result: the first texel of a level. */
const uint32_t *texture_decoded(const struct gpu_texture *texture, uint32_t mip, uint32_t layer);

/* ---- bc ---------------------------------------------------------------------------------- */

/* Block compressed textures to texels: BC1, BC2, BC3 and BC7. */

/* A level of width x height texels, blocks row by row, as RGBA bytes with R lowest. A format
 * without blocks gives transparent black. */
void bc_decode(const struct pixel_format *format, const uint8_t *blocks, uint32_t pitch,
               uint32_t width, uint32_t height, uint32_t *to);

/* ---- sample ------------------------------------------------------------------------------ */

/* Texels by coordinates, many lanes at a time. */

enum texel_kind { TEXEL_RGBA, TEXEL_BGRA, TEXEL_DEPTH24, TEXEL_FLOAT };

/* A texture as a shader sees it. */
struct texture_unit {
    enum texel_kind kind;
    bool srgb, opaque;
    uint32_t level_count;
    struct texel_level {
        const uint8_t *at;
        uint32_t width, height, pitch;
    } levels[GPU_MIPS];
};

/* For all lanes, whether they matter or not. Texels by integer coordinates and level, which are the
 * bits of the lanes; outside: zero. */
void texel_load(const struct texture_unit *unit, const float *x, const float *y, const float *level,
                struct lanes texel[4]);
/* Filtered texels by coordinates from 0 to 1. */
void texel_sample(const struct texture_unit *unit, const struct gpu_sampling *sampling,
                  const float *u, const float *v, const struct shader_env *env,
                  struct lanes texel[4]);
#endif
