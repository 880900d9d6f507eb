/* sample.h - texels by coordinates, many lanes at a time. */
#ifndef GPU_SAMPLE_H
#define GPU_SAMPLE_H

#include "gpu/machine.h"
#include "gpu/program.h"

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
