/* raster.h - triangles to pixels: what stays the same for a draw, and the steps. */
#ifndef GPU_RASTER_H
#define GPU_RASTER_H

#include "gpu/machine.h"
#include "gpu/program.h"
#include "gpu/texture.h"

enum {
    TILE = 8,
    RASTER_VARYINGS = 4 * PROGRAM_SEMANTICS,
    RASTER_SUBPIXELS = 256, /* positions are rounded to 1/256 of a pixel */
    RASTER_REACH = 32000,   /* pixels from the origin that are drawn without clipping */
};
_Static_assert(TILE *TILE == LANES, "a tile is what a shader runs over");

/* What the vertex shader gives: position in clip space, and what goes to the pixel shader. */
struct vertex {
    float position[4];
    float varying[RASTER_VARYINGS];
};

/* A color target: where pixels go, which bits of them, and what the shader's output is. */
struct raster_target {
    struct gpu_surface surface;
    uint32_t bits;   /* that may be written */
    bool keeps;      /* some bits must not */
    uint32_t output; /* component of the shader's file: red */
};

/* Constant during a draw. */
struct raster {
    struct raster_target targets[GPU_COLORS];
    uint32_t target_count;
    struct gpu_surface depth_surface; /* at NULL: none */
    uint32_t width, height;           /* that all targets have */
    int32_t left, top, right, bottom; /* the pixels of them that may be drawn */
    double scale[3], move[3];         /* from clip space, divided, to pixels and depth */
    float depth_low, depth_high;
    struct gpu_blend blend;
    struct gpu_depth depth;
    struct gpu_raster rules;
    bool test_depth, test_stencil;
    const struct program *pixel;
    struct lanes *file; /* of the pixel shader */
    struct shader_env env;
    uint32_t varying_count;
    uint32_t varying_to[RASTER_VARYINGS]; /* components of the file */
    bool has_position;
    uint32_t position_to; /* component of the file: x of SV_Position */
    bool bottom_left;     /* ties: OpenGL counts rows from the bottom, and so its top edges */
    struct work *work;
    uint64_t tile_cost; /* of shading one */
};

/* A plane over the pixels: its value at the origin of a tile, and how it changes in one. */
struct plane {
    double origin, across, down; /* origin: at the middle of pixel 0,0 */
    struct lanes steps;
};

/* A triangle that is being drawn, or one of the pieces that clipping made of it. */
struct triangle {
    int64_t edge[3]; /* at the middle of the first pixel of the tile, in pixels */
    int32_t across[3], down[3];
    int32_t left, top, right, bottom; /* pixels, half-open */
    bool front;
    /* Of the whole triangle, whatever was cut off. */
    const struct vertex *const *corners;
    bool prepared;  /* what follows is known */
    bool flat;      /* the shader's results are the same for every pixel */
    bool projected; /* w differs: what varies is divided by it */
    struct plane depth, inverse_w;
    uint32_t varying_count;
    uint16_t varying[RASTER_VARYINGS]; /* which one each plane is of */
    struct plane planes[RASTER_VARYINGS];
    uint32_t flat_raw[GPU_COLORS];
};

/* One tile of a triangle. A lane of the mask is -1 where there is something to draw. */
struct tile {
    int32_t x, y;
    uint32_t width, height; /* of it that is on the target */
    bool whole;             /* on the target, and all of it covered */
    _Alignas(64) int32_t mask[LANES];
};

/* False: there is not so much left, and nothing will be drawn any more. */
static inline bool raster_work(const struct raster *raster, uint64_t cost)
{
    return work_take(raster->work, cost);
}

/* ---- pipeline.c: a triangle in clip space to triangles in view --------------------------- */

/* False: a position is not a number, and nothing was drawn. */
bool clip_triangle(struct raster *raster, struct triangle *memory, const struct vertex *const v[3]);

/* ---- triangle.c: edges of a piece; its tiles --------------------------------------------- */

/* Positions are in clip space. */
void triangle_draw(struct raster *raster, struct triangle *t, const double *const corners[3]);

/* ---- triangle.c: one tile, from covered to written --------------------------------------- */

/* The shader over a triangle on which nothing varies. */
void tile_flat(struct raster *raster, struct triangle *t);

/* ---- blend.c: depth and stencil ---------------------------------------------------------- */

/* Removes from the mask the lanes that fail the depth and stencil tests, and writes both. False:
 * nothing is left. */
bool depth_test(struct raster *raster, const struct triangle *t, struct tile *tile,
                struct lanes *z);

/* ---- blend.c ----------------------------------------------------------------------------- */

void blend_tile(const struct raster *raster, const struct raster_target *target,
                const struct tile *tile, const struct lanes color[4]);
/* The same pixel everywhere, without blending. */
void blend_fill(const struct raster_target *target, const struct tile *tile, uint32_t raw);
#endif
