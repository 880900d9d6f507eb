/* pens.h - write a run of your own program with all five pens.
 *
 * For a program that owns its loop. The result is a run directory. Link with rastrum-pens.
 *
 * Where nothing is recorded, ras_pens_open() gives NULL, and every function here accepts NULL and
 * does nothing: a program calls them without a condition. Nothing here fails in the middle of a
 * tick: the first failure ends the recording, and ras_pens_close() reports it.
 *
 * A tick is written by one thread, the one that opened the pens; ras_pens_event() and
 * ras_pens_draw() may come from any thread. What is handed over is copied; a thread of the
 * library's own encodes and writes it.
 *
 *     struct ras_pens *pens; // NULL where nothing is recorded: all below does nothing then
 *     const struct ras_pens_options options = {.dir = "run"};
 *     if (ras_pens_open(&pens, &options, err) < 0)
 *         fprintf(stderr, "%s\n", err->text);
 *     const uint32_t hp = ras_pens_name(pens, "hp");
 *     for (uint64_t tick = 1; tick <= 600; tick++) {
 *         ras_pens_tick(pens, tick);
 *         ras_pens_int(pens, hp, 0, 100);
 *     }
 *     if (ras_pens_close(pens, err) < 0)
 *         fprintf(stderr, "%s\n", err->text); */
#ifndef RASTRUM_PENS_H
#define RASTRUM_PENS_H

#include <rastrum/murk.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ras_pens;

enum ras_pens_keep {
    RAS_PENS_FLUSH,   /* what kill -9 leaves: all ticks but those of the last flush_ms */
    RAS_PENS_DURABLE, /* all ticks that have ended: they are in a mapped file until written */
};

/* Zero-initialised: every default. */
struct ras_pens_options {
    size_t struct_size;  /* sizeof, or 0: see docs/abi.md */
    const char *dir;     /* the run directory; NULL: the variable RASTRUM_PENS */
    const char *program; /* its name in every header; NULL: the name of the executable */
    uint64_t seed;
    struct ras_bytes settings; /* what decides the run beside the seed: compared as `recipe` */
    uint64_t first_tick;       /* 0: that of the first ras_pens_tick() */
    double dt_seconds;         /* of a tick; 0: not known */
    const char *pens;          /* "murk,cdt": these; NULL: those that are fed */
    enum ras_pens_keep keep;
    unsigned flush_ms; /* 0: 100 */
    bool replace;      /* a run directory that is there */
};

/* RAS_END and *out NULL: dir is NULL and the variable is not set. RAS_EUSAGE: the directory has
 * other files, or a run that must not be replaced or that another program is writing. */
RAS_API int ras_pens_open(struct ras_pens **out, const struct ras_pens_options *options,
                          struct ras_error *err) RAS_CHECKED;
/* End the open tick, seal the files, write run.json. NULL is fine. exit() does the same. */
RAS_API int ras_pens_close(struct ras_pens *pens, struct ras_error *err) RAS_CHECKED;
/* The child of a fork(): free, and leave the files to the parent. A child that does not call it
 * records nothing either. */
RAS_API void ras_pens_leave(struct ras_pens *pens);
RAS_API bool ras_pens_is_on(const struct ras_pens *pens);

/* ---- ticks ---------------------------------------------------------------- */

/* A tick begins; the one before, with all that came since, ends. Numbers ascend. */
RAS_API void ras_pens_tick(struct ras_pens *pens, uint64_t tick);
/* The simulation's part of it is over: calls and events from here to the next tick (drawing,
 * waiting) are of this tick, but are compared only with `--outside`. Not needed. */
RAS_API void ras_pens_settled(struct ras_pens *pens);
RAS_API void ras_pens_flush(struct ras_pens *pens);

/* ---- inputs: Murk --------------------------------------------------------- */

/* Bytes of the program's own, as Custom `type`; or a command of Murk. */
RAS_API void ras_pens_input(struct ras_pens *pens, uint32_t type, const void *bytes, size_t size);
RAS_API void ras_pens_command(struct ras_pens *pens, const struct ras_murk_command *command);

/* ---- state: the snapshot hash, dial9 `state`, CDT -------------------------- */

/* A name has one number in a run; the names of a tick come in any order. Bytes that are not UTF-8
 * are written as U+FFFD. 0: no memory, or nothing is recorded. */
RAS_API uint32_t ras_pens_name(struct ras_pens *pens, const char *name);
/* Bytes without padding and addresses; their hash goes into the snapshot hash and into an event
 * `state` {tick, name, index, size, hash}. `index` distinguishes elements of one name. */
RAS_API void ras_pens_bytes(struct ras_pens *pens, uint32_t name, uint64_t index, const void *bytes,
                            size_t size);
/* Members of a struct that has padding or addresses: {offset, size} pairs. */
struct ras_pens_span {
    uint32_t offset, size;
};
RAS_API void ras_pens_members(struct ras_pens *pens, uint32_t name, uint64_t index,
                              const void *object, const struct ras_pens_span *spans, size_t count);
/* One value, kept as it is in an event `value` {tick, name, index, value}, and hashed. */
RAS_API void ras_pens_int(struct ras_pens *pens, uint32_t name, uint64_t index, int64_t value);
RAS_API void ras_pens_real(struct ras_pens *pens, uint32_t name, uint64_t index, double value);
RAS_API void ras_pens_text(struct ras_pens *pens, uint32_t name, uint64_t index, const char *value);
/* The program's own hash of all its state, in place of the one made here. */
RAS_API void ras_pens_snapshot(struct ras_pens *pens, uint64_t hash);

/* A random number was drawn: by whom (a number that is the same in every run, no address), and
 * the generator before and after. */
RAS_API void ras_pens_draw(struct ras_pens *pens, uint32_t caller, uint32_t value, uint32_t before,
                           uint32_t after);

enum ras_pens_pool { RAS_PENS_CREATURE, RAS_PENS_PROJECTILE, RAS_PENS_SECONDARY, RAS_PENS_BONUS };
/* Something that lives in a slot; `generation` counts who used it. */
struct ras_pens_entity {
    enum ras_pens_pool pool;
    uint32_t slot, generation;
    int32_t kind, flags, owner, target;
    double hp, x, y, vx, vy, heading, timer;
};
RAS_API void ras_pens_entity(struct ras_pens *pens, const struct ras_pens_entity *entity);
RAS_API void ras_pens_player(struct ras_pens *pens, uint32_t index, double x, double y,
                             double health, int64_t experience, int64_t level);
/* A row of CDT that the program fills itself, but for its tick_index and its checkpoint's: it is
 * taken in place of all of the above for this tick. */
struct ras_cdt_tick_record;
RAS_API void ras_pens_row(struct ras_pens *pens, const struct ras_cdt_tick_record *row);

/* ---- events: dial9 --------------------------------------------------------- */

/* A type is declared once, its fields by name; every event gets a field `tick` before them. A
 * PooledString is given as the number of a name. Fields of StringMap, DynamicList, DynamicMap and
 * PooledStackFrames are refused. 0: refused, or nothing is recorded. */
struct ras_dial9_schema;
struct ras_dial9_value;
RAS_API uint32_t ras_pens_event_type(struct ras_pens *pens, const struct ras_dial9_schema *schema);
RAS_API void ras_pens_event(struct ras_pens *pens, uint32_t type,
                            const struct ras_dial9_value *values, uint32_t count);
/* A part of the tick by name, with its time: {tick, name, duration_ns}; they nest. */
RAS_API void ras_pens_begin(struct ras_pens *pens, uint32_t name);
RAS_API void ras_pens_end(struct ras_pens *pens, uint32_t name);

/* ---- pictures: AeroGPU ------------------------------------------------------ */

enum ras_pens_pixel { RAS_PENS_RGBA, RAS_PENS_BGRA, RAS_PENS_INDEXED };
/* What is shown now, rows from the top. The last of a tick is its frame; a tick without one
 * shows what was shown before. `palette`: 256 RGBA words of RAS_PENS_INDEXED. */
RAS_API void ras_pens_pixels(struct ras_pens *pens, enum ras_pens_pixel format, uint32_t width,
                             uint32_t height, size_t stride, const void *pixels,
                             const uint32_t *palette);
/* Or the commands that draw it: a whole ACMD stream. */
RAS_API void ras_pens_commands(struct ras_pens *pens, struct ras_bytes acmd);

/* ---- after a kill ----------------------------------------------------------- */

/* What is known of a run that was not closed. */
struct ras_pens_reached {
    const char *format;
    uint64_t tick; /* the last that is whole in its file; RAS_NONE: none */
};
#define RAS_PENS_FORMATS 8u /* room; fewer are there */

struct ras_pens_repair_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const char *path;   /* of the repaired copy; NULL: nothing is written */
    bool replace;       /* a run that is there; the same path repairs in place */
};

struct ras_pens_repaired {
    bool complete;       /* the run was closed: nothing was to be repaired */
    uint64_t first_tick; /* of the run */
    uint64_t last_tick;  /* the last that all files have; RAS_NONE: there is none */
    uint64_t staged;     /* ticks that were only in the mapped file */
    struct ras_pens_reached reached[RAS_PENS_FORMATS];
    size_t reached_count;
    uint64_t reserved[4];
};

/* Complete the directory of a run whose program ended without ras_pens_close(): every trace ends
 * after the last tick that all of them have, and run.json says so. RAS_EUSAGE: it is not the
 * directory of such a run. RAS_EUNSUPPORTED: a program is still writing it. */
RAS_API int ras_pens_repair(struct ras_pens_repaired *out, const char *dir,
                            const struct ras_pens_repair_options *options,
                            struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
