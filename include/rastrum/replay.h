/* replay.h - execute a replay again, and see whether it comes out as recorded.
 *
 *     const struct ras_replay_options options = {.worlds = ras_worlds()};
 *     struct ras_replay *replay;
 *     if (ras_replay(&replay, trace, &options, err) == RAS_OK) {
 *         if (replay->verdict == RAS_REPLAY_MISMATCH)
 *             printf("tick %" PRIu64 " came out otherwise\n", replay->tick_id);
 *         ras_replay_free(replay);
 *     } */
#ifndef RASTRUM_REPLAY_H
#define RASTRUM_REPLAY_H

#include <rastrum/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One executed frame; all of it is the callee's and valid until the next. */
struct ras_replay_tick {
    uint64_t frame_index, offset; /* of the frame, in the file */
    uint64_t tick_id;             /* as recorded */
    uint64_t recorded, replayed;  /* hashes */
    const struct ras_step *step;
    const struct ras_world_type *type;
    const void *world;
    uint64_t seed, config_hash; /* of the world: computed, whatever the header says */
};

struct ras_replay_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    /* What executes a replay: ras_worlds() of librastrum-world. NULL: RAS_EUNSUPPORTED. */
    const struct ras_worlds *worlds;
    const struct ras_world_type *world; /* NULL: the one that the recipe names */
    const struct ras_bytes *recipe;     /* NULL: the recording's own */
    struct ras_bytes state; /* ras_world_save() of the tick before the first; none: tick 1 is it */
    struct ras_trace *against; /* executed beside it, to find the fields that differ; or NULL */
    bool keep_going;           /* after a mismatch, to count them all */
    bool recorded_order;       /* ties between commands by their recorded arrival_seq */
    bool lenient_ticks;        /* tick ids need not follow each other */
    bool has_until;
    uint64_t until; /* the last tick id to execute */
    /* Every frame that was executed; false ends the replay. May be NULL. */
    bool (*tick)(void *user, const struct ras_replay_tick *tick);
    void *user;
    ras_progress *progress; /* bytes of the trace that were executed, with `user`; NULL: none */
};

enum ras_replay_verdict {
    RAS_REPLAY_OK,
    RAS_REPLAY_MISMATCH, /* a tick came out otherwise than recorded */
    RAS_REPLAY_HEADER,   /* the header does not belong to this world */
    RAS_REPLAY_TICKS,    /* tick ids do not follow each other */
    RAS_REPLAY_PAYLOAD,  /* a command cannot be understood */
    RAS_REPLAY_START,    /* nothing was executed: the world before the first tick is not known */
};

/* A value that two executions disagree on. */
struct ras_field_difference {
    uint32_t field;
    char name[64];
    uint64_t cell;
    uint32_t component;
    uint32_t axes; /* of coord */
    int32_t coord[RAS_WORLD_AXES];
    uint32_t replayed, other; /* f32 as bits */
};
#define RAS_REPLAY_DIFFERENCES 64u

struct ras_replay {
    enum ras_replay_verdict verdict;
    char why[200];            /* of a verdict but OK and MISMATCH: what, and both numbers */
    uint64_t ticks, commands; /* executed */
    uint64_t mismatches;
    uint64_t rolled_back; /* ticks that failed, as such of a recording may */
    uint64_t drift;       /* ticks by which the world's count ended below the tick ids */
    /* The first mismatch, or the frame that a verdict is about. */
    uint64_t frame_index, offset, tick_id, recorded, replayed;
    bool has_agreed;
    uint64_t last_agreed;   /* tick id before it */
    struct ras_step step;   /* that tick: its commands and their receipts */
    uint64_t against_ticks; /* that `against` was executed for beside it */
    uint64_t differences;   /* of fields, with `against`; the first of them are reported */
    struct ras_field_difference differing[RAS_REPLAY_DIFFERENCES];
    bool config_unknown; /* the recording does not say for what configuration it was made */
    bool reordered;      /* recorded arrival numbers would have given another order */
    void *memory;        /* of the step */
};

/* RAS_EUNSUPPORTED: the trace cannot be executed: no recipe, no such world, no such format. */
RAS_API int ras_replay(struct ras_replay **out, struct ras_trace *trace,
                       const struct ras_replay_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_replay_free(struct ras_replay *replay); /* NULL is fine */
/* Save the world of a replay as it is before `tick_id`, the first tick not to be executed, so that
 * the rest can be executed without what comes before. `out` as of ras_replay() up to there: where
 * its verdict is not RAS_REPLAY_OK nothing was saved. RAS_EUNSUPPORTED: no state can be saved. */
RAS_API int ras_replay_save(struct ras_replay **out, struct ras_trace *trace, uint64_t tick_id,
                            const struct ras_replay_options *options, struct ras_sink *sink,
                            struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
