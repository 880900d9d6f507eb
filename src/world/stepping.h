/* stepping.h - one tick of any world, a user's own too. */
#ifndef WORLD_STEPPING_H
#define WORLD_STEPPING_H

#include <rastrum/world.h>

/* A tick, whose receipts are then looked at: RAS_EFORMAT when there are more than commands, or
 * one is of a command that there is not. */
int world_step(const struct ras_world_type *, void *world, struct ras_step *, struct ras_error *);
#endif
