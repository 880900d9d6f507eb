/* grid.h - the fields of a grid world: published, staged, and what is done to them each tick. */
#ifndef WORLD_GRID_H
#define WORLD_GRID_H

#include "world/grid.h"
#include "world/worlds.h"
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
    uint32_t *queue; /* of cells, for a propagator that goes from neighbour to neighbour */
};

/* What propagators read of the world around the grid. */
struct grid_user {
    void *world;
    uint64_t tick; /* that is being made, from 1 */
    float (*param)(const void *world, uint32_t key);
    uint64_t (*random)(const void *world, uint64_t n);
    uint64_t (*digest)(const void *world);
};

/* Run the propagators; the one that failed, or NULL. */
const struct recipe_prop *grid_propagate(struct grid *, const struct grid_user *);
struct ras_world_field grid_field(const struct grid *, uint32_t index);
/* The field when commands may write to it, else NULL. */
struct grid_field *grid_writable(struct grid *, uint32_t id);

/* ---- grid world -------------------------------------------------------------------------- */

/* How a world of grid fields goes from tick to tick. */

/* A world of this kind begins with one of these. */
struct grid_world {
    struct grid grid;
    struct ingress ingress;
    uint64_t tick, seed;
    unsigned failures; /* one after another */
    bool disabled;
};

/* What differs between such worlds. */
struct grid_rules {
    /* Before the first command, and again when the tick has failed; NULL: nothing. */
    bool (*save)(struct grid_world *);
    void (*restore)(struct grid_world *);
    enum ras_receipt_reason (*apply)(struct grid_world *, const struct ras_world_command *,
                                     uint32_t index);
    void (*applied)(struct grid_world *); /* all commands; NULL: nothing */
    struct grid_user user;                /* but for its world */
};

int grid_world_make(struct grid_world *, struct ras_bytes recipe, uint64_t seed, bool full,
                    struct ras_error *);
int grid_world_step(struct grid_world *, const struct grid_rules *, struct ras_step *,
                    struct ras_error *);
void grid_world_free(struct grid_world *);

/* Everything but the world's own additions; false: the data ended, or memory is short. */
bool grid_world_keep(struct grid_world *, struct ras_world_keeper *);

/* Rows of struct ras_world_type. */
struct ras_world_shape grid_world_shape(const void *world);
struct ras_world_field grid_world_field(const void *world, uint32_t index);
uint32_t grid_world_coord(const void *world, uint64_t cell, int32_t *coord);
#endif
