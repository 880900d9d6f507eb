/* grid.h - the fields of a grid world: published, staged, and what is done to them each tick. */
#ifndef WORLD_GRID_H
#define WORLD_GRID_H

#include "world/recipe.h"

struct grid_field {
    uint32_t *published, *staged; /* f32 as bits */
    uint64_t count;
    bool fresh; /* staged by a propagator of this tick */
};

struct grid {
    struct recipe recipe;
    struct neighbours near;
    struct grid_field *fields;
    uint64_t *calls; /* of each propagator, ever */
};

/* What propagators may ask of the world around the grid. */
struct grid_user {
    void *world;
    float (*param)(const void *world, uint32_t key);
    uint64_t (*random)(const void *world, uint64_t n);
    uint64_t (*digest)(const void *world);
};

int grid_make(struct grid *, struct ras_bytes recipe, bool full, struct ras_error *);
void grid_free(struct grid *);
/* Staging for a new tick: fields of a tick are zero, others are as published. */
void grid_stage(struct grid *);
/* Run the propagators; the one that failed, or NULL. */
const struct recipe_prop *grid_propagate(struct grid *, const struct grid_user *);
void grid_publish(struct grid *);
struct ras_world_field grid_field(const struct grid *, uint32_t index);
struct ras_world_shape grid_shape(const struct grid *);
/* The field when commands may write to it, else NULL. */
struct grid_field *grid_writable(struct grid *, uint32_t id);
#endif
