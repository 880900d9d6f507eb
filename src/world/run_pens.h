/* run_pens.h - the pens that write down a run: each writes one trace of it, tick by tick.
 *
 * A pen is a row. It is opened when the world has just been created, called after every tick, and
 * closed or dropped in the end. Each says which of its records is a tick's, so that ticks are known
 * by the order of the records and not by a clock. All of them write into one folder, which has its
 * name only when every pen has closed. What must be the same whenever a run is repeated (murk, the
 * payloads of cdt, aerogpu) is made of the run alone: no clock, host or path. */
#ifndef WORLD_RUN_PENS_H
#define WORLD_RUN_PENS_H

#include <rastrum/run.h>

struct tick_rows; /* core/tick_index.h, which does not go with the arena's own header */

/* A run that begins. All of it is valid until the pen is closed or dropped. */
struct pen_run {
    const struct ras_world_type *type;
    void *world; /* before its first tick; a pen may watch it */
    struct ras_bytes recipe;
    uint64_t seed, ticks; /* ticks that will be run */
    const struct ras_run_options *options;
    struct ras_folder *folder; /* where the pen's file is begun */
    struct ras_sink *sink;     /* of the caller's, to write to instead; NULL as a rule */
};

/* A tick that was run. */
struct pen_tick {
    uint64_t tick_id; /* the first is 1 */
    const struct ras_world_type *type;
    const void *world;                        /* as the tick left it */
    const struct ras_step *step;              /* what was executed, and the receipts */
    const struct ras_world_command *commands; /* as requested: a perturbed tick may have
                                               * executed something else */
    uint32_t command_count;
    uint64_t hash;                 /* of the world's fields */
    uint64_t begin_ns, elapsed_ns; /* CLOCK_BOOTTIME, of the step alone */
};

struct pen_type {
    const char *name; /* of the format */
    const char *file; /* in the folder */
    /* Paths, as a comparison has them, that differ between any two runs; NULL ends them. */
    const char *const *varies; /* NULL: nothing */
    /* What the world or the options lack for this pen, a constant string; NULL: nothing. */
    const char *(*lacks)(const struct ras_world_type *, const struct ras_run_options *);
    int (*open)(void **pen, const struct pen_run *, struct ras_error *); /* *pen NULL: failed */
    int (*tick)(void *pen, const struct pen_tick *, struct ras_error *);
    /* A tick begins, and its step is over: NULL where the pen does not mark it. */
    void (*begin)(void *pen);
    void (*settle)(void *pen);
    /* Where the last tick is in its file. */
    void (*place)(const void *pen, struct tick_rows *);
    int (*close)(void *pen, struct ras_error *); /* frees in any case */
    void (*drop)(void *pen);                     /* NULL is fine */
    /* Callbacks while a tick runs: NULL where the pen needs none. Failures are reported by the next
     * `tick`. */
    void (*enter)(void *pen, uint32_t function, const uint64_t *args, uint32_t count);
    void (*leave)(void *pen, uint32_t function);
    void (*event)(void *pen, const struct ras_world_event *);
};

extern const struct pen_type murk_pen, cdt_pen, aerogpu_pen, dial9_pen, atf_pen;
/* The pens there are, in the order of reports; NULL ends them. */
extern const struct pen_type *const pens[];

uint64_t pen_now(void); /* the clock of pens that have one: CLOCK_BOOTTIME in ns */

/* The pens of one run. */
struct pen_held {
    const struct pen_type *type;
    void *pen;
};
struct pen_set {
    struct pen_held pens[RAS_RUN_PENS], watchers[RAS_RUN_PENS];
    size_t count, watcher_count;
    struct ras_world_watch watch;
};
/* Open those that are requested and can be fed, and let them watch the world; `out` lists all. On
 * failure none is left open. The set stays where it is. */
int pen_set_open(struct pen_set *, const struct pen_run *, struct ras_run *out, struct ras_error *);
/* Before and after the step of a tick. */
void pen_set_begin(const struct pen_set *);
void pen_set_settle(const struct pen_set *);
int pen_set_tick(struct pen_set *, const struct pen_tick *, struct ras_error *);
/* The row of the last tick. */
int pen_set_row(const struct pen_set *, uint64_t tick, struct tick_rows *, struct ras_error *);
int pen_set_close(struct pen_set *, struct ras_error *);
void pen_set_drop(struct pen_set *);
#endif
