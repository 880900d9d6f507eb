/* arena_watch.h - what the arena tells of a tick while it runs, to who watches.
 *
 * Nobody watches as a rule: then each of these is one comparison with NULL. */
#ifndef WORLD_ARENA_WATCH_H
#define WORLD_ARENA_WATCH_H

#include "world/arena_world.h"
#include "world/float_bits.h"

enum arena_function {
    FN_STEP,
    FN_COMMANDS,
    FN_APPLY,
    FN_PERKS,
    FN_PLAYERS,
    FN_FIRE,
    FN_SHOTS,
    FN_HIT,
    FN_ROCKETS,
    FN_BLAST,
    FN_CREATURES,
    FN_THINK,
    FN_BITE,
    FN_DIE,
    FN_BONUSES,
    FN_DROP,
    FN_PICK,
    FN_QUEST,
    FN_SPAWNS,
    FN_SPAWN,
    FN_GIFT,
    FN_FIELDS,
    FN_DIGEST,
    ARENA_FUNCTIONS,
};

#define ARENA_ENTER(a, function)                                                                   \
    do {                                                                                           \
        if ((a)->watch)                                                                            \
            (a)->watch->enter((a)->watch->user, (function), NULL, 0);                              \
    } while (0)
/* A marked function, with its arguments as words. */
#define ARENA_ENTER_WITH(a, function, ...)                                                         \
    do {                                                                                           \
        if ((a)->watch) {                                                                          \
            const uint64_t args_[] = {__VA_ARGS__};                                                \
            (a)->watch->enter((a)->watch->user, (function), args_, sizeof args_ / sizeof *args_);  \
        }                                                                                          \
    } while (0)
#define ARENA_LEAVE(a, function)                                                                   \
    do {                                                                                           \
        if ((a)->watch)                                                                            \
            (a)->watch->leave((a)->watch->user, (function));                                       \
    } while (0)

void arena_tell_spawn(const struct arena *, const struct arena_creature *);
void arena_tell_hit(const struct arena *, uint32_t weapon, const struct arena_creature *,
                    int32_t by, struct arena_vec at, float damage);
void arena_tell_pickup(const struct arena *, uint32_t slot, uint32_t player);

void arena_watch(void *world, const struct ras_world_watch *);
extern const struct ras_world_function arena_functions[];
#endif
