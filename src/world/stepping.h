/* stepping.h - calls into any world, a user's own too. */
#ifndef WORLD_STEPPING_H
#define WORLD_STEPPING_H

#include <rastrum/world.h>

/* The functions of a world that can fail. A failure always has a text: where the world gives none,
 * its name, the function and the status in words. */
int world_create(const struct ras_world_type *, void **world, struct ras_bytes recipe,
                 uint64_t seed, struct ras_error *);
int world_state(const struct ras_world_type *, const void *world, struct ras_cdt_tick_record *row,
                struct ras_error *);
int world_perturb(const struct ras_world_type *, void *world, enum ras_perturbation,
                  struct ras_error *);
int world_keep(const struct ras_world_type *, void *world, struct ras_world_keeper *,
               struct ras_error *);
/* A tick, whose receipts are then checked: RAS_EFORMAT when there are more than commands, or
 * one is of a command that there is not. */
int world_step(const struct ras_world_type *, void *world, struct ras_step *, struct ras_error *);
#endif
