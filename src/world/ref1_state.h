/* ref1_state.h - what the world ref-1 has beside its fields: parameters and entities. */
#ifndef WORLD_REF1_STATE_H
#define WORLD_REF1_STATE_H

#include "world/grid.h"
#include <rastrum/world.h>

struct ref1_entity {
    uint64_t id, cell;
};

/* Entities by ascending id; values[i * slots] on are those of the i-th, a slot for each
 * field of entities, present[] likewise. */
struct ref1_state {
    uint64_t version; /* of the parameters */
    struct recipe_param *params;
    uint64_t next_id;
    struct ref1_entity *entities;
    uint32_t *values;
    bool *present;
    size_t entity_count, param_count, slots;
    size_t entity_room, value_room, present_room;
};

bool ref1_state_make(struct ref1_state *, const struct recipe *);
void ref1_state_free(struct ref1_state *);
/* False: memory is short. */
bool ref1_state_copy(struct ref1_state *to, const struct ref1_state *from);
/* Write or restore it; `entities` is the most there may be. NULL: done; else what is wrong. */
const char *ref1_state_keep(struct ref1_state *, struct ras_world_keeper *, uint64_t entities,
                            uint64_t cells);
struct recipe_param *ref1_param(const struct ref1_state *, uint32_t key);
/* Where the entity is; SIZE_MAX: nowhere. */
size_t ref1_find(const struct ref1_state *, uint64_t id);
bool ref1_spawn(struct ref1_state *, uint64_t cell);
void ref1_despawn(struct ref1_state *, size_t at);
uint64_t ref1_digest(const struct ref1_state *, const uint32_t *field_of);
#endif
