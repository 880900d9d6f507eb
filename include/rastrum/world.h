/* world.h - a deterministic simulation, so that a replay can be executed again.
 *
 * A world is made from a recipe and a seed, takes the commands of one tick at a time and
 * answers each with a receipt. It has no clock, no files and no threads of its own: the same
 * recipe, seed and commands give the same fields, bit for bit. The worlds that come with
 * rastrum are found by the first line of their recipe; another is a shared object that
 * defines `const struct ras_world_type ras_world_type` (examples/world_life.c).
 *
 *     const struct ras_world_type *type;
 *     const struct ras_bytes recipe = {(const uint8_t *)"murkworld 2 arena\n", 18};
 *     if (ras_world_type_of(&type, recipe, err) < 0)
 *         fprintf(stderr, "%s\n", err->text); */
#ifndef RASTRUM_WORLD_H
#define RASTRUM_WORLD_H

#include <rastrum/murk.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAS_WORLD_ABI        3u
#define RAS_WORLD_RECIPE_MAX 65536u     /* bytes of a recipe */
#define RAS_WORLD_BYTES_MAX  268435456u /* bytes of all fields together */

/* A command as it is in a replay, and its payload taken apart. */
struct ras_world_command {
    struct ras_murk_command wire;
    struct ras_murk_payload typed;
};

/* Why a command did nothing. */
enum ras_receipt_reason {
    RAS_RECEIPT_APPLIED,
    RAS_RECEIPT_QUEUE_FULL,
    RAS_RECEIPT_STALE,
    RAS_RECEIPT_TICK_ROLLBACK,
    RAS_RECEIPT_TICK_DISABLED,
    RAS_RECEIPT_SHUTTING_DOWN,
    RAS_RECEIPT_UNSUPPORTED,
    RAS_RECEIPT_NOT_APPLIED,
    RAS_RECEIPT_UNKNOWN_ENTITY,
    RAS_RECEIPT_ENTITY_CAPACITY,
    RAS_RECEIPT_REASONS,
};
/* "QueueFull", "Stale", ...; NULL for RAS_RECEIPT_APPLIED and beyond. */
RAS_API const char *ras_receipt_reason_name(enum ras_receipt_reason reason);

struct ras_receipt {
    uint32_t command_index; /* place among the commands of the tick */
    bool accepted;
    uint8_t reason;        /* enum ras_receipt_reason */
    uint64_t applied_tick; /* RAS_NONE: it was not applied */
};

enum ras_step_result {
    RAS_STEP_OK,
    RAS_STEP_ROLLED_BACK, /* the tick failed: nothing of it is left, the tick count stays */
    RAS_STEP_DISABLED,    /* it failed too often: no more ticks */
};

/* One tick: what goes in, then what comes out. */
struct ras_step {
    const struct ras_world_command *commands; /* in the order of the file */
    uint32_t command_count;
    bool recorded_order; /* ties by the recorded arrival_seq, not by the order of the file */
    struct ras_receipt *receipts; /* room for command_count */
    uint32_t receipt_count;       /* out; rejected ones, expired ones, then as executed */
    enum ras_step_result result;  /* out */
    uint64_t tick;                /* out: the world's own count, the first tick being 1 */
    char why[160];                /* out: what failed; empty where nothing did */
};

/* What the snapshot hash and a header are about. */
struct ras_world_shape {
    uint64_t dt_bits; /* seconds a tick, an f64 as bits */
    uint32_t field_count;
    uint64_t cell_count;
};

/* A field as it was last published: values in storage order, f32 as bits. */
struct ras_world_field {
    const char *name;
    const uint32_t *values;
    uint64_t count;
    uint32_t components; /* values of one cell, which are adjacent */
};

/* Commands that a world makes for itself, in the caller's memory. What is `typed` in them is
 * read from their bytes. */
struct ras_play {
    struct ras_world_command *commands;
    uint32_t room;  /* commands there is room for; RAS_PLAY_COMMANDS are enough */
    uint8_t *bytes; /* for their payloads */
    size_t bytes_room;
    uint32_t count; /* out: commands that were made */
};
#define RAS_PLAY_COMMANDS 64u
#define RAS_PLAY_BYTES    4096u

/* What happens inside a tick, for struct ras_world_watch. */
enum ras_world_event_kind { RAS_WORLD_SPAWN, RAS_WORLD_HIT, RAS_WORLD_PICKUP, RAS_WORLD_EVENTS };
struct ras_world_event {
    enum ras_world_event_kind kind;
    const char *what; /* kind of creature, weapon or bonus; of static life */
    uint64_t entity;  /* who came, was hit or was picked up */
    int64_t by;       /* who did it; -1: unknown */
    float x, y;
    float amount;  /* hit points, or what a bonus is worth */
    float seconds; /* how long it lasts; 0: it does not */
};

/* One that the world reports; `marked` ones come with their arguments. */
struct ras_world_function {
    const char *name;
    bool marked;
};
#define RAS_WORLD_ARGS 8u

struct ras_world_watch {
    void *user;
    /* A function, by its number, is entered and left again; `args` NULL: it is not marked. */
    void (*enter)(void *user, uint32_t function, const uint64_t *args, uint32_t count);
    void (*leave)(void *user, uint32_t function);
    void (*event)(void *user, const struct ras_world_event *event);
};

/* One realistic way for a run to come out otherwise than its commands say. */
enum ras_perturbation {
    RAS_PERTURB_NOTHING,
    RAS_PERTURB_RNG,   /* a random number is drawn that should not be */
    RAS_PERTURB_FLOAT, /* a float is off by its last bit */
    RAS_PERTURB_ORDER, /* two commands are executed in the wrong order */
    RAS_PERTURB_DROP,  /* a command is lost */
    RAS_PERTURBATIONS,
};

struct ras_cdt_tick_record;

/* A corner of a triangle: x and y from -1 to 1, y up; a colour from 0 to 1. */
struct ras_vertex {
    float x, y, r, g, b, a;
};

/* A picture: triangles, each three vertices, which are painted over each other in their order.
 * A layer is a run of them that belong together, and ends where the next one begins. */
#define RAS_DRAW_LAYERS   16u
#define RAS_DRAW_VERTICES 1048576u /* of one picture */
struct ras_drawing {
    struct ras_vertex *vertices; /* the caller's memory */
    uint32_t room;               /* vertices there is room for */
    uint32_t count;              /* out: of the picture; those beyond room are only counted */
    uint32_t layer_count;        /* out */
    uint32_t layer_end[RAS_DRAW_LAYERS]; /* out: vertices up to the end of each */
    float backdrop[4];                   /* out: the colour where nothing is painted */
};

/* The state of a world goes through this number by number, in an order of the world's own: the same
 * function writes and restores it. */
struct ras_world_keeper {
    bool restoring; /* the numbers are filled in; else they are written */
    /* `count` numbers of `width` bytes each: 1, 2, 4 or 8. False: there are no more, or there is
     * no memory. */
    bool (*numbers)(struct ras_world_keeper *keeper, void *at, unsigned width, size_t count);
};

struct ras_world_type {
    uint32_t abi; /* RAS_WORLD_ABI */
    const char *name, *title;
    /* A recipe of no bytes is a user's own default. */
    int (*create)(void **world, struct ras_bytes recipe, uint64_t seed, struct ras_error *err);
    void (*destroy)(void *world); /* NULL is fine */
    struct ras_world_shape (*shape)(const void *world);
    /* Fails only where the world itself cannot go on, for memory say: a tick that fails is
     * a result. */
    int (*step)(void *world, struct ras_step *step, struct ras_error *err);
    struct ras_world_field (*field)(const void *world, uint32_t index);
    /* The coordinate of a cell, at most RAS_WORLD_AXES numbers; how many. NULL: none. */
    uint32_t (*coord)(const void *world, uint64_t cell, int32_t *coord);
    /* The commands of a player of the world's own for the tick that comes, from the state of
     * only the world; RAS_ELIMIT: there is not room for them. NULL: it has none. */
    int (*play)(const void *world, uint64_t tick, struct ras_play *play);
    /* The world from above, as it is now: its scenery, which stays as it is from the first
     * tick to the last, or the objects on it. NULL: it cannot be drawn. */
    void (*draw)(const void *world, bool scenery, struct ras_drawing *drawing);
    const char *recipe; /* to play in when none is given; NULL: none */
    /* The last tick as a row of a CDT trace; before the first one, the state it begins with.
     * Lists are in memory of the world, until it is stepped, called again or destroyed.
     * NULL: it has no such state. */
    int (*state)(const void *world, struct ras_cdt_tick_record *row, struct ras_error *err);
    /* Report all that happens from now on; NULL: no longer. Watching changes nothing. The
     * functions are numbered from 0; one without a name ends them. NULL both: it cannot be
     * watched. */
    void (*watch)(void *world, const struct ras_world_watch *watch);
    const struct ras_world_function *functions;
    /* Let the next tick go wrong, in its numbers or its arithmetic: RAS_PERTURB_RNG or
     * RAS_PERTURB_FLOAT. NULL: it cannot. */
    int (*perturb)(void *world, enum ras_perturbation what, struct ras_error *err);
    /* Write all that decides the ticks to come, or restore it into a world made from the same
     * recipe and seed; what a file says is not to be trusted. NULL: it cannot be restored. */
    int (*keep)(void *world, struct ras_world_keeper *keeper, struct ras_error *err);
};
#define RAS_WORLD_AXES 8u

/* All functions below are in librastrum-world, which librastrum does not need for reading. */

/* For ras_replay_options.worlds: what executes replays. Constant. */
struct ras_worlds;
RAS_API const struct ras_worlds *ras_worlds(void);

/* The worlds that are built in; the table ends with NULL. */
RAS_API const struct ras_world_type *const *ras_world_types(void);
/* The one that a recipe names: `murkworld 1 NAME` or `murkworld 2 NAME`. RAS_EUNSUPPORTED when it
 * is not a recipe (a foreign recording), or names a world that there is not. */
RAS_API int ras_world_type_of(const struct ras_world_type **type, struct ras_bytes recipe,
                              struct ras_error *err) RAS_CHECKED;
/* One from a shared object, which stays loaded. */
RAS_API int ras_world_load(const struct ras_world_type **type, const char *path,
                           struct ras_error *err) RAS_CHECKED;

/* The hash of a frame: field_count fields in order, each its index and its values. */
RAS_API uint64_t ras_snapshot_hash(const struct ras_world_field *fields, uint32_t field_count);
/* The hash of a world's fields as they are published now. */
RAS_API uint64_t ras_world_hash(const struct ras_world_type *type, const void *world);
/* The hash of a header. */
RAS_API uint64_t ras_config_hash(uint64_t seed, const struct ras_world_shape *shape,
                                 struct ras_bytes descriptor);

/* What a saved state belongs to. */
struct ras_world_state {
    uint64_t tick_id; /* of the last frame that was executed */
    uint64_t seed, config_hash;
    uint64_t snapshot_hash; /* of the world as it was saved; ras_world_save() computes it */
    char world[65];         /* its type's name; likewise */
    uint64_t reserved[4];
};
/* RAS_EUNSUPPORTED: this world cannot be restored. */
RAS_API int ras_world_save(const struct ras_world_type *type, const void *world,
                           const struct ras_world_state *about, struct ras_sink *sink,
                           struct ras_error *err) RAS_CHECKED;
/* Into a world that was just created; after a failure it can only be destroyed. The restored
 * world has the hash of the saved one. */
RAS_API int ras_world_restore(const struct ras_world_type *type, void *world,
                              struct ras_bytes state, struct ras_world_state *about,
                              struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
