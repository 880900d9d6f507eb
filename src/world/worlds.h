/* worlds.h - calls into any world, a user's own too. */
#ifndef WORLD_WORLDS_H
#define WORLD_WORLDS_H

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
 * one is of a command that does not exist. */
int world_step(const struct ras_world_type *, void *world, struct ras_step *, struct ras_error *);

/* ---- murk019 ----------------------------------------------------------------------------- */

/* The world of the public engine, version 0.1.9. */

extern const struct ras_world_type murk019_world;

/* ---- ref1 -------------------------------------------------------------------------------- */

/* A reference world in which all seven commands act. */

extern const struct ras_world_type ref1_world;

/* ---- ingress ----------------------------------------------------------------------------- */

/* The commands of a tick: which are accepted, which have expired, and in what order. */

struct ingress {
    uint64_t room;     /* commands of one tick */
    uint64_t arrivals; /* accepted so far, in all ticks */
    struct arrival *queue;
    size_t queue_room;
    uint32_t count; /* to be executed, in their order */
};

struct arrival {
    uint64_t source, source_seq, arrival;
    uint32_t index; /* in the step's commands */
    uint8_t priority;
};

/* Sort the commands for the tick that is about to run; those that are not executed get
 * their receipts. */
int ingress_take(struct ingress *, struct ras_step *, uint64_t tick, struct ras_error *);
void ingress_free(struct ingress *);

void receipt_add(struct ras_step *, uint32_t index, bool accepted, enum ras_receipt_reason,
                 uint64_t tick);
#endif
