/* run.h - run a world and write it down with every pen that it can feed.
 *
 * A run directory holds what the pens wrote of one execution: its inputs, its state, its GPU
 * commands, its events and its calls; run.json, which says how their axes belong together;
 * and ticks.idx, which lists the records of every tick.
 *
 *     struct ras_run run;
 *     const struct ras_run_options options = {.world = ras_world_types()[0], .ticks = 100};
 *     if (ras_run(&run, "good", &options, err) == RAS_OK)
 *         printf("%" PRIu64 " ticks, hash %016" PRIx64 "\n", run.ticks, run.hash); */
#ifndef RASTRUM_RUN_H
#define RASTRUM_RUN_H

#include <rastrum/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who records the calls of a world's functions: librastrum-record, which a program that wants
 * them links beside this library. */
struct ras_run_calls {
    size_t struct_size;                                   /* sizeof, or 0: see docs/abi.md */
    int (*start)(const char *dir, struct ras_error *err); /* the session is this directory */
    int (*stop)(struct ras_error *err);
    uint64_t (*function)(const char *module, const char *name); /* 0: there is no memory */
    void (*call)(uint64_t function);
    void (*leave)(uint64_t function);
    /* A call with its arguments, at most RAS_WORLD_ARGS words. */
    void (*call_with)(uint64_t function, const uint64_t *args, uint32_t count);
    /* How many events this thread has recorded, and its number in the session. */
    uint64_t (*recorded)(uint32_t *thread);
};

/* Zero-initialised but for the world: it plays itself, for every pen that it can feed. */
struct ras_run_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const struct ras_world_type *world;
    struct ras_bytes recipe; /* of no bytes: that of `commands`, else the world's own */
    bool has_seed;           /* else that of `commands`, else 0 */
    uint64_t seed;
    uint64_t ticks;             /* 0: as many as `commands` has, else RAS_RUN_TICKS */
    struct ras_trace *commands; /* a replay to take commands from; NULL: the world plays */
    const char *const *pens;    /* names of formats; NULL: every pen that the world feeds */
    size_t pen_count;
    /* Let the tick go wrong; one whose commands do not allow it leaves that to the next. */
    enum ras_perturbation perturb;
    uint64_t perturb_tick;
    const struct ras_run_calls *calls;                       /* NULL: calls are not recorded */
    bool replace;                                            /* a run directory that is there */
    bool (*tick)(void *user, uint64_t done, uint64_t total); /* false: end it; or NULL */
    void *user;
};
#define RAS_RUN_TICKS 600u
#define RAS_RUN_PENS  8u /* room; fewer are there */

struct ras_run_pen {
    const char *name, *file; /* format, and file in the directory */
    const char *lacks;       /* why it was left out; NULL: it wrote */
    bool requested;          /* false: it was left out because others were requested */
    uint64_t reserved[2];
};

/* What came of it. */
struct ras_run {
    uint64_t seed, ticks, commands, applied;
    uint64_t hash;                 /* of the last tick */
    uint64_t perturbed_tick;       /* RAS_NONE: none */
    uint64_t begin_ns, elapsed_ns; /* CLOCK_BOOTTIME, of all ticks with their pens */
    bool commands_cut;             /* the replay ends inside a frame */
    struct ras_run_pen pens[RAS_RUN_PENS];
    size_t pen_count;
    uint64_t reserved[4];
};

/* RAS_END: `tick` ended it. RAS_EUNSUPPORTED: the world cannot feed a pen that was requested,
 * or cannot go wrong that way. The directory has its name only when all of it is there; one
 * that exists must be empty or, with `replace`, a run directory. */
RAS_API int ras_run(struct ras_run *out, const char *dir, const struct ras_run_options *options,
                    struct ras_error *err) RAS_CHECKED;

struct ras_replay;
struct ras_replay_options;

/* The state of a recording: execute it again, and write to the sink what its run would have
 * written as state, byte for byte. *out says how it was executed; unless its verdict is
 * RAS_REPLAY_OK what the sink got is not whole, and to be dropped. Of the options `against`,
 * `keep_going`, `until` and `tick` are ignored; what the sink got before `progress` canceled it is
 * to be dropped, too. RAS_EUNSUPPORTED as ras_replay() has it, and when the world has no state. */
RAS_API int ras_replay_state(struct ras_replay **out, struct ras_trace *replay,
                             const struct ras_replay_options *options, struct ras_sink *sink,
                             struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
