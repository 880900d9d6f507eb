/* grid_world.h - how a world of grid fields goes from tick to tick. */
#ifndef WORLD_GRID_WORLD_H
#define WORLD_GRID_WORLD_H

#include "world/grid.h"
#include "world/ingress.h"

/* A world of this kind begins with one of these. */
struct grid_world {
    struct grid grid;
    struct ingress ingress;
    uint64_t tick, seed;
    unsigned failures; /* one after another */
    bool disabled;
};

/* In what such worlds differ. */
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

/* All but what a world of this kind has beside it; false: there is no more, or no memory. */
bool grid_world_keep(struct grid_world *, struct ras_world_keeper *);

/* Rows of struct ras_world_type. */
struct ras_world_shape grid_world_shape(const void *world);
struct ras_world_field grid_world_field(const void *world, uint32_t index);
uint32_t grid_world_coord(const void *world, uint64_t cell, int32_t *coord);
#endif
