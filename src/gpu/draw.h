/* draw.h - a draw from its parts: what each shader reads, and the triangles in batches. */
#ifndef GPU_DRAW_H
#define GPU_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include "gpu/raster.h"
#include "gpu/texture.h"
#include "gpu/vertex.h"

/* ---- topology ---------------------------------------------------------------------------- */

/* Which vertices make which triangle. */

struct topology {
    uint32_t id;          /* AEROGPU_TOPOLOGY */
    uint32_t first, next; /* vertices that the first triangle takes, and each other */
    /* The vertices of triangle i, counted from the draw's first. */
    void (*corners)(uint64_t i, uint64_t corners[3]);
};

/* NULL: no triangles, or not known. */
const struct topology *topology_find(uint32_t id);
static inline uint64_t topology_triangles(const struct topology *t, uint64_t vertices)
{
    return vertices < t->first ? 0 : 1 + (vertices - t->first) / t->next;
}

/* ---- draws ------------------------------------------------------------------------------- */

/* One shader of a draw with what it reads. */
struct draw_stage {
    const struct program *program;
    struct lanes *file;
    size_t room; /* in lanes */
    struct texture_unit units[GPU_TEXTURES];
    struct gpu_sampling samplers[GPU_SAMPLERS];
    struct shader_env env;
    uint64_t taint; /* of what it reads */
};

/* Vertices that the shader runs over at once, and the triangles they make. */
struct batch {
    uint32_t count, triangle_count;
    int64_t ids[LANES];
    uint8_t lane_of[2 * LANES]; /* by the low bits of an id; 1 + lane, 0: none */
    uint8_t corners[2 * LANES][3];
    struct vertex vertices[LANES];
};

/* Memory that one draw after the other uses. */
struct draw {
    struct draw_stage stages[2];
    struct program *fixed[2]; /* of draws without shaders */
    struct vertex_inputs inputs;
    struct raster raster;
    struct triangle triangle;
    struct batch batch;
    uint32_t varying_from[RASTER_VARYINGS]; /* components of the vertex shader's file */
    uint32_t position_from;
    bool not_a_number; /* a position was */
    uint64_t vertex_cost;
};

struct draw_call {
    uint32_t count, instances, first, first_instance;
    int64_t base;
    bool indexed;
    const uint8_t *indices;
    uint64_t index_count; /* that the buffer has from its offset on */
    bool wide;
};

int draw_new(struct draw **out, struct ras_error *err);
void draw_free(struct draw *draw); /* NULL is fine */

/* ---- pipeline.c: state to what a draw needs ---------------------------------------------- */

/* What the draw cannot do, in words for a remark; "": it can. */
struct draw_refusal {
    char why[200];
};

/* Targets, and the pixels of them that are drawn. */
int pipeline_targets(struct gpu *gpu, const struct gpu_call *call, const struct gpu_state *state,
                     struct raster *raster);
/* Shaders, their constants and textures, what goes from one to the other. */
int pipeline_shaders(struct gpu *gpu, const struct gpu_call *call, struct draw *draw,
                     struct draw_refusal *refusal);
/* The last part of it: both stages are prepared, and the targets known. */
int pipeline_link(struct draw *draw, struct draw_refusal *refusal);
/* Commands that were not executed may have changed every target, too. */
void pipeline_taint(struct raster *raster, uint64_t taint);

/* ---- stage.c ----------------------------------------------------------------------------- */

int stage_prepare(struct gpu *gpu, const struct gpu_call *call, enum gpu_stage number,
                  const struct program *program, struct draw_stage *stage);

/* ---- draw.c ------------------------------------------------------------------------------ */

/* Everything is linked: fetch, shade, draw. */
int draw_batches(struct gpu *gpu, const struct gpu_call *call, struct draw *draw,
                 const struct topology *topology, const struct draw_call *args);
#endif
