/* propagate.h - what a propagator has to work with. */
#ifndef WORLD_PROPAGATE_H
#define WORLD_PROPAGATE_H

#include "world/grid.h"

struct work {
    const struct grid *grid;
    const struct recipe_prop *prop;
    const struct grid_user *user;
    const struct grid_field *from;
    const uint32_t *in; /* published */
    uint32_t *out;      /* staged */
    uint64_t count;     /* values */
    uint64_t calls;     /* before this one */
};
/* False: the propagator failed. */
typedef bool propagator(const struct work *);

/* standard.c: those of the public engine, of recipes of version 2. */
propagator propagate_scalardiff, propagate_gradient, propagate_flow, propagate_wave,
    propagate_resource, propagate_emission, propagate_noise, propagate_morph,
    propagate_refdiffusion, propagate_movement, propagate_reward;

/* A value mixed with the mean of its neighbours'; `k` is the factor times the step. Components of
 * a cell are adjacent. */
uint32_t propagate_blend(const struct neighbours *, const uint32_t *in, uint64_t cell,
                         uint32_t component, uint32_t components, double k);
#endif
