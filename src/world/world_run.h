/* world_run.h - a run under way: its world, its player, its perturbation, its pens. */
#ifndef WORLD_WORLD_RUN_H
#define WORLD_WORLD_RUN_H

#include "world/run_pens.h"

/* Where the commands of a tick come from. */
struct run_commands {
    struct ras_bytes rest;              /* frames of a replay that are not yet taken */
    bool recorded;                      /* from a replay */
    struct ras_world_command *commands; /* of the tick that comes */
    size_t room;
    uint32_t count;
    uint8_t *bytes; /* payloads of a world's own player */
};

/* One tick that goes wrong. A second world, which is not perturbed, shows which commands have an
 * effect and whether it is visible. */
struct run_stray {
    enum ras_perturbation what; /* RAS_PERTURB_NOTHING: there is none, or it is over */
    uint64_t tick;              /* not before this one */
    const struct ras_world_type *type;
    void *spared;
    struct ras_step step;
    uint64_t hash; /* of the spared world, or 0 */
    bool tried;    /* in this tick */
    struct ras_world_command *commands;
    size_t room, receipt_room;
};
int run_stray_open(struct run_stray *, const struct pen_run *, struct ras_error *);
/* Before a tick: change what is executed, or the world. */
int run_stray_before(struct run_stray *, void *world, uint64_t tick, struct ras_step *,
                     struct ras_error *);
/* After it: true when the result of the tick has changed. */
bool run_stray_after(struct run_stray *, uint64_t hash);
void run_stray_free(struct run_stray *);

/* When ticks began, for show: at most RUN_TIMES of them, evenly spread. */
enum { RUN_TIMES = 1024 };
struct run_times {
    uint64_t begin_ns[RUN_TIMES];
    uint64_t every; /* ticks between two of them */
    uint32_t count;
};
void run_times_add(struct run_times *, uint64_t tick, uint64_t begin_ns);

/* Write run.json, all other files being there. */
int run_json(const struct pen_run *, const struct ras_run *, const struct run_times *,
             struct ras_error *);
extern const char run_json_name[], run_order_name[];
#endif
