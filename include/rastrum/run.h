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

/* One realistic way for a run to come out otherwise than its inputs say. */
enum ras_perturbation {
    RAS_PERTURB_NOTHING,
    RAS_PERTURB_RNG,   /* a random number is drawn that nobody asked for */
    RAS_PERTURB_FLOAT, /* a float is off by its last bit */
    RAS_PERTURB_ORDER, /* two commands are executed in the wrong order */
    RAS_PERTURB_DROP,  /* a command is lost */
    RAS_PERTURBATIONS,
};

/* Who records the calls of a world's functions: librastrum-record, which a program that wants
 * them links beside this library. ras_run() names each function once. */
struct ras_run_calls {
    int (*start)(const char *dir, struct ras_error *err); /* the session is this directory */
    int (*stop)(struct ras_error *err);
    uint64_t (*function)(const char *module, const char *name); /* 0: there is no memory */
    void (*call)(uint64_t function);
    void (*leave)(uint64_t function);
    /* The same with words of the caller's. */
    void (*call_with)(uint64_t function, const void *bytes, uint32_t size);
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
