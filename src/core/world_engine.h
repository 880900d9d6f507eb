/* world_engine.h - the interface between this library and librastrum-world, which executes replays.
 */
#ifndef CORE_WORLD_ENGINE_H
#define CORE_WORLD_ENGINE_H

#include <rastrum/world.h>

/* Counts up with every change to this header: both libraries must have the same. */
enum { WORLD_ENGINE_VERSION = 2 };

/* The functions of librastrum-world that a replay needs: ras_worlds() returns them, options carry
 * them. Those without a comment are the functions of world.h of the same name. */
struct ras_worlds {
    uint32_t version; /* WORLD_ENGINE_VERSION */
    int (*type_of)(const struct ras_world_type **type, struct ras_bytes recipe,
                   struct ras_error *err);
    /* The world's own create() and step(), with their results checked. */
    int (*create)(const struct ras_world_type *type, void **world, struct ras_bytes recipe,
                  uint64_t seed, struct ras_error *err);
    int (*step)(const struct ras_world_type *type, void *world, struct ras_step *step,
                struct ras_error *err);
    uint64_t (*hash)(const struct ras_world_type *type, const void *world);
    uint64_t (*config_hash)(uint64_t seed, const struct ras_world_shape *shape,
                            struct ras_bytes descriptor);
    int (*save)(const struct ras_world_type *type, const void *world,
                const struct ras_world_state *about, struct ras_sink *sink, struct ras_error *err);
    int (*restore)(const struct ras_world_type *type, void *world, struct ras_bytes state,
                   struct ras_world_state *about, struct ras_error *err);
    const char *(*receipt_text)(enum ras_receipt_reason reason);
};

/* RAS_EUNSUPPORTED: the caller set no engine in `member`, such as "ras_replay_options.worlds".
 * RAS_EVERSION: it is of another version of this header. */
int world_engine_check(const struct ras_worlds *worlds, const char *member, struct ras_error *err);

#endif
