/* run.h - run a world and write it down with every pen that it can feed.
 *
 * A run directory holds what the pens wrote of one execution: its inputs, its state, its GPU
 * commands, its events and its calls; and run.json, which tells how their axes belong
 * together. */
#ifndef RASTRUM_RUN_H
#define RASTRUM_RUN_H

#include <rastrum/world.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ras_trace;

/* Who records the calls of a world's functions: librastrum-record, which a program that wants
 * them links beside this library. ras_run() names each function once. */
struct ras_run_calls {
    int (*start)(const char *dir, struct ras_error *err); /* the session is this directory */
    int (*stop)(struct ras_error *err);
    uint64_t (*function)(const char *module, const char *name); /* 0: there is no memory */
    void (*call)(uint64_t function);
    void (*leave)(uint64_t function);
    /* A call with its arguments, at most RAS_WORLD_ARGS words. */
    void (*call_with)(uint64_t function, const uint64_t *args, uint32_t count);
};

/* Zero-initialised but for the world: one player of the world's own, every pen. */
struct ras_run_options {
    const struct ras_world_type *world;
    struct ras_bytes recipe;    /* of no bytes: the world's own */
    uint64_t seed, ticks;       /* ticks 0: as many as `commands` has, else 600 */
    struct ras_trace *commands; /* play the commands of this replay; NULL: the world plays */
    const char *const *pens;    /* names of formats; NULL: every pen that the world feeds */
    size_t pen_count;
    enum ras_perturbation perturb;
    uint64_t perturb_tick;
    const struct ras_run_calls *calls; /* NULL: calls are not recorded */
    bool replace;                      /* a run directory that is there */
    ras_progress *progress;            /* ticks */
    void *user;
};

#ifdef __cplusplus
}
#endif
#endif
