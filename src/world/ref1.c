/* ref1.c - a reference world in which all seven commands act. */
#include "base/error.h"
#include "base/in.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/fnv1a.h"
#include "world/float_bits.h"
#include "world/grid.h"
#include "world/worlds.h"
#include <rastrum/world.h>

#include <stdlib.h>
#include <string.h>

/* What the world ref-1 has beside its fields: parameters and entities. */

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

/* ---- ref1 state -------------------------------------------------------------------------- */

/* What the world ref-1 has beside its fields: parameters and entities. */

static bool ref1_state_make(struct ref1_state *s, const struct recipe *r)
{
    for (size_t i = 0; i < r->field_count; i++)
        s->slots += r->of_entities[i];
    s->next_id = 1;
    s->param_count = r->param_count;
    s->params = calloc(r->param_count + 1, sizeof *s->params);
    if (s->params && r->param_count)
        memcpy(s->params, r->params, r->param_count * sizeof *s->params);
    return s->params;
}

static void ref1_state_free(struct ref1_state *s)
{
    free(s->params);
    free(s->entities);
    free(s->values);
    free(s->present);
    *s = (struct ref1_state){0};
}

static bool grow(struct ref1_state *s, size_t count)
{
    size_t values = count * s->slots + 1;
    return array_grow(&s->entities, &s->entity_room, count, sizeof *s->entities) &&
           array_grow(&s->values, &s->value_room, values, sizeof *s->values) &&
           array_grow(&s->present, &s->present_room, values, sizeof *s->present);
}

static bool ref1_state_copy(struct ref1_state *to, const struct ref1_state *from)
{
    size_t count = from->entity_count, values = count * from->slots;
    if (count && !grow(to, count))
        return false;
    to->version = from->version;
    to->next_id = from->next_id;
    to->entity_count = count;
    if (from->param_count)
        memcpy(to->params, from->params, from->param_count * sizeof *to->params);
    if (count)
        memcpy(to->entities, from->entities, count * sizeof *to->entities);
    if (values) {
        memcpy(to->values, from->values, values * sizeof *to->values);
        memcpy(to->present, from->present, values * sizeof *to->present);
    }
    return true;
}

/* Entities by ascending id, each in a cell that there is. */
static bool entities_fit(const struct ref1_state *s, uint64_t cells)
{
    for (size_t i = 0; i < s->entity_count; i++)
        if (s->entities[i].cell >= cells || s->entities[i].id >= s->next_id ||
            (i && s->entities[i].id <= s->entities[i - 1].id))
            return false;
    return true;
}

static bool ref1_keep_entities(struct ref1_state *s, struct ras_world_keeper *k)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->entity_count; i++)
        ok = k->numbers(k, &s->entities[i].id, 8, 1) && k->numbers(k, &s->entities[i].cell, 8, 1);
    for (size_t i = 0; ok && i < s->entity_count * s->slots; i++) {
        uint8_t present = k->restoring ? 0 : s->present[i]; /* else there is no entity yet */
        uint32_t value = present ? s->values[i] : 0;
        ok = k->numbers(k, &present, 1, 1) && k->numbers(k, &value, 4, 1);
        s->present[i] = present != 0;
        s->values[i] = value;
    }
    return ok;
}

static const char *ref1_state_keep(struct ref1_state *s, struct ras_world_keeper *k,
                                   uint64_t entities, uint64_t cells)
{
    static const char ends[] = "an end before all of the world";
    uint64_t count = s->entity_count;
    if (!k->numbers(k, &s->version, 8, 1) || !k->numbers(k, &s->next_id, 8, 1) ||
        !k->numbers(k, &count, 8, 1))
        return ends;
    for (size_t i = 0; i < s->param_count; i++)
        if (!k->numbers(k, &s->params[i].bits, 8, 1))
            return ends;
    if (count > entities)
        return "more entities than the recipe allows";
    if (count && !grow(s, (size_t)count))
        return "more entities than memory takes";
    s->entity_count = (size_t)count;
    if (!ref1_keep_entities(s, k))
        return ends;
    return entities_fit(s, cells) ? NULL : "an entity that the world cannot have";
}

static struct recipe_param *ref1_param(const struct ref1_state *s, uint32_t key)
{
    const struct recipe_param *p = recipe_param(s->params, s->param_count, key);
    return p ? &s->params[p - s->params] : NULL;
}

static size_t ref1_find(const struct ref1_state *s, uint64_t id)
{
    size_t low = 0, high = s->entity_count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (s->entities[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low < s->entity_count && s->entities[low].id == id ? low : SIZE_MAX;
}

static bool ref1_spawn(struct ref1_state *s, uint64_t cell)
{
    if (!grow(s, s->entity_count + 1))
        return false;
    size_t at = s->entity_count++;
    s->entities[at] = (struct ref1_entity){s->next_id++, cell};
    memset(s->present + at * s->slots, 0, s->slots * sizeof *s->present);
    return true;
}

static void ref1_despawn(struct ref1_state *s, size_t at)
{
    size_t after = --s->entity_count - at, n = s->slots;
    memmove(&s->entities[at], &s->entities[at + 1], after * sizeof *s->entities);
    memmove(&s->values[at * n], &s->values[(at + 1) * n], after * n * sizeof *s->values);
    memmove(&s->present[at * n], &s->present[(at + 1) * n], after * n * sizeof *s->present);
}

static uint64_t add(uint64_t hash, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    store_u64(bytes, value);
    return fnv1a_bytes(hash, bytes, size);
}

static uint64_t add_entity(uint64_t hash, const struct ref1_state *s, size_t at,
                           const uint32_t *field_of)
{
    const bool *present = s->present + at * s->slots;
    uint32_t count = 0;
    for (size_t i = 0; i < s->slots; i++)
        count += present[i];
    hash = add(add(hash, s->entities[at].id, 8), s->entities[at].cell, 8);
    hash = add(hash, count, 4);
    for (size_t i = 0; i < s->slots; i++)
        if (present[i])
            hash = add(add(hash, field_of[i], 4), s->values[at * s->slots + i], 4);
    return hash;
}

/* So that parameters and entities reach the snapshot hash, which covers fields alone. */
static uint64_t ref1_digest(const struct ref1_state *s, const uint32_t *field_of)
{
    uint64_t hash = add(add(FNV1A_START, s->version, 8), s->param_count, 4);
    for (size_t i = 0; i < s->param_count; i++)
        hash = add(add(hash, s->params[i].key, 4), s->params[i].bits, 8);
    hash = add(add(hash, s->next_id, 8), s->entity_count, 4);
    for (size_t i = 0; i < s->entity_count; i++)
        hash = add_entity(hash, s, i, field_of);
    return hash;
}

enum { CUSTOM_NOTHING, CUSTOM_FILL, CUSTOM_SPRINKLE, CUSTOMS, SPRINKLE_MOST = 65536 };
#define ENTITY_VALUES_MOST (UINT64_C(1) << 24)

struct ref1 {
    struct grid_world base; /* first */
    struct ref1_state state, saved;
    bool may_fail;
    uint32_t slot_of[RECIPE_FIELDS], field_of[RECIPE_FIELDS];
};

typedef enum ras_receipt_reason command(struct ref1 *, const struct ras_murk_payload *,
                                        uint32_t index);
static command *const commands[RAS_MURK_PAYLOAD_TYPES];

/* A number for each use of each tick, whatever was drawn before. */
static uint64_t random_at(const void *world, uint64_t n)
{
    const struct grid_world *w = world;
    uint64_t z = w->seed + (w->tick + 1) * UINT64_C(0xD1B54A32D192ED03) +
                 (n + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static float param(const void *world, uint32_t key)
{
    const struct ref1 *w = world;
    return (float)double_of(ref1_param(&w->state, key)->bits);
}

static uint64_t world_digest(const void *world)
{
    const struct ref1 *w = world;
    return ref1_digest(&w->state, w->field_of);
}

/* ---- commands ---------------------------------------------------------------------------- */

static uint64_t cell_of(const struct ref1 *w, struct ras_bytes coord)
{
    return space_rank(&w->base.grid.recipe.space, coord);
}

static uint64_t components(const struct ref1 *w, uint32_t field)
{
    return w->base.grid.recipe.fields[field].components;
}

static enum ras_receipt_reason ref1_set_field(struct ref1 *w, const struct ras_murk_payload *p,
                                              uint32_t index)
{
    (void)index;
    uint64_t cell = cell_of(w, p->coord);
    struct grid_field *f = grid_writable(&w->base.grid, p->field_id);
    if (cell == RAS_NONE || !f)
        return RAS_RECEIPT_NOT_APPLIED;
    f->staged[cell * components(w, p->field_id)] = p->value_f32;
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason ref1_set_parameter(struct ref1 *w, const struct ras_murk_payload *p,
                                                  uint32_t index)
{
    (void)index;
    struct recipe_param *to = ref1_param(&w->state, p->key);
    if (!to)
        return RAS_RECEIPT_NOT_APPLIED;
    to->bits = p->value_f64;
    w->state.version++;
    return RAS_RECEIPT_APPLIED;
}

/* All or nothing. */
static enum ras_receipt_reason ref1_set_parameters(struct ref1 *w, const struct ras_murk_payload *p,
                                                   uint32_t index)
{
    (void)index;
    for (size_t i = 0; i + 12 <= p->params.len; i += 12)
        if (!ref1_param(&w->state, load_u32(p->params.at + i)))
            return RAS_RECEIPT_NOT_APPLIED;
    for (size_t i = 0; i + 12 <= p->params.len; i += 12)
        ref1_param(&w->state, load_u32(p->params.at + i))->bits = load_u64(p->params.at + i + 4);
    w->state.version += p->params.len >= 12;
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason apply_spawn(struct ref1 *w, const struct ras_murk_payload *p,
                                           uint32_t index)
{
    (void)index;
    const struct recipe *r = &w->base.grid.recipe;
    struct ref1_state *s = &w->state;
    if (!r->entities)
        return RAS_RECEIPT_UNSUPPORTED;
    uint64_t cell = cell_of(w, p->coord);
    for (size_t i = 0; i + 8 <= p->field_values.len; i += 8) {
        uint32_t field = load_u32(p->field_values.at + i);
        if (field >= r->field_count || !r->of_entities[field])
            return RAS_RECEIPT_NOT_APPLIED;
    }
    if (cell == RAS_NONE)
        return RAS_RECEIPT_NOT_APPLIED;
    if (s->entity_count >= r->entities || !ref1_spawn(s, cell))
        return RAS_RECEIPT_ENTITY_CAPACITY;
    size_t first = (s->entity_count - 1) * s->slots;
    for (size_t i = 0; i + 8 <= p->field_values.len; i += 8) {
        size_t at = first + w->slot_of[load_u32(p->field_values.at + i)];
        s->values[at] = load_u32(p->field_values.at + i + 4);
        s->present[at] = true;
    }
    return RAS_RECEIPT_APPLIED;
}

/* Where a living entity is; RAS_RECEIPT_APPLIED, or why there is none. */
static enum ras_receipt_reason find(const struct ref1 *w, uint64_t id, size_t *at)
{
    *at = ref1_find(&w->state, id);
    return !w->base.grid.recipe.entities ? RAS_RECEIPT_UNSUPPORTED
           : *at == SIZE_MAX             ? RAS_RECEIPT_UNKNOWN_ENTITY
                                         : RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason ref1_move(struct ref1 *w, const struct ras_murk_payload *p,
                                         uint32_t index)
{
    (void)index;
    size_t at;
    enum ras_receipt_reason reason = find(w, p->entity_id, &at);
    if (reason != RAS_RECEIPT_APPLIED)
        return reason;
    uint64_t cell = cell_of(w, p->coord);
    if (cell == RAS_NONE)
        return RAS_RECEIPT_NOT_APPLIED;
    w->state.entities[at].cell = cell;
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason apply_despawn(struct ref1 *w, const struct ras_murk_payload *p,
                                             uint32_t index)
{
    (void)index;
    size_t at;
    enum ras_receipt_reason reason = find(w, p->entity_id, &at);
    if (reason == RAS_RECEIPT_APPLIED)
        ref1_despawn(&w->state, at);
    return reason;
}

/* A value to all of a field, or to randomly picked cells of it. */
static enum ras_receipt_reason ref1_custom(struct ref1 *w, const struct ras_murk_payload *p,
                                           uint32_t index)
{
    static const uint8_t sizes[CUSTOMS] = {[CUSTOM_FILL] = 8, [CUSTOM_SPRINKLE] = 12};
    const uint64_t cells = w->base.grid.recipe.space.cells;
    if (p->type_id >= CUSTOMS)
        return RAS_RECEIPT_UNSUPPORTED;
    if (p->type_id == CUSTOM_NOTHING)
        return RAS_RECEIPT_APPLIED;
    if (p->data.len != sizes[p->type_id])
        return RAS_RECEIPT_NOT_APPLIED;
    uint32_t field = load_u32(p->data.at), bits = load_u32(p->data.at + 4);
    struct grid_field *f = grid_writable(&w->base.grid, field);
    uint32_t times = p->type_id == CUSTOM_SPRINKLE ? load_u32(p->data.at + 8) : 0;
    if (!f || times > SPRINKLE_MOST)
        return RAS_RECEIPT_NOT_APPLIED;
    for (uint64_t i = 0; p->type_id == CUSTOM_FILL && i < f->count; i++)
        f->staged[i] = bits;
    for (uint32_t i = 0; i < times; i++)
        f->staged[random_at(w, ((uint64_t)index << 20) + i) % cells * components(w, field)] = bits;
    return RAS_RECEIPT_APPLIED;
}

static enum ras_receipt_reason ref1_apply(struct grid_world *world,
                                          const struct ras_world_command *c, uint32_t index)
{
    return c->wire.payload_type < RAS_MURK_PAYLOAD_TYPES
               ? commands[c->wire.payload_type]((struct ref1 *)(void *)world, &c->typed, index)
               : RAS_RECEIPT_UNSUPPORTED;
}

/* Entities write their values: a field of theirs holds nothing else. */
static void applied(struct grid_world *world)
{
    struct ref1 *w = (struct ref1 *)(void *)world;
    const struct ref1_state *s = &w->state;
    for (size_t i = 0; i < s->entity_count; i++)
        for (size_t slot = 0; slot < s->slots; slot++) {
            uint32_t field = w->field_of[slot];
            if (s->present[i * s->slots + slot])
                w->base.grid.fields[field].staged[s->entities[i].cell * components(w, field)] =
                    s->values[i * s->slots + slot];
        }
}

/* ---- the world --------------------------------------------------------------------------- */

static bool save(struct grid_world *world)
{
    struct ref1 *w = (struct ref1 *)(void *)world;
    return !w->may_fail || ref1_state_copy(&w->saved, &w->state);
}

/* The saved state is no larger than the present one, so there is room for it. */
static void restore(struct grid_world *world)
{
    struct ref1 *w = (struct ref1 *)(void *)world;
    struct ref1_state failed = w->state;
    w->state = w->saved;
    w->saved = failed;
}

static const struct grid_rules rules = {
    .save = save,
    .restore = restore,
    .apply = ref1_apply,
    .applied = applied,
    .user = {.param = param, .random = random_at, .digest = world_digest},
};

static void ref1_destroy(void *world)
{
    struct ref1 *w = world;
    if (w) {
        ref1_state_free(&w->state);
        ref1_state_free(&w->saved);
        grid_world_free(&w->base);
    }
    free(w);
}

static int prepare(struct ref1 *w, struct ras_error *err)
{
    const struct recipe *r = &w->base.grid.recipe;
    uint32_t slot = 0;
    for (uint32_t i = 0; i < r->field_count; i++)
        if (r->of_entities[i]) {
            w->slot_of[i] = slot;
            w->field_of[slot++] = i;
        }
    for (size_t i = 0; i < r->prop_count; i++)
        w->may_fail |= r->props[i].kind == PROP_FAIL;
    if (r->entities * slot > ENTITY_VALUES_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "recipe: %" PRIu64 " entities of %u fields, at most %" PRIu64 " values",
                    r->entities, slot, ENTITY_VALUES_MOST);
    return ref1_state_make(&w->state, r) && ref1_state_make(&w->saved, r) ? RAS_OK
                                                                          : fail_memory(err);
}

static int ref1_create(void **world, struct ras_bytes recipe, uint64_t seed, struct ras_error *err)
{
    struct ref1 *w = calloc(1, sizeof *w);
    int status = w ? grid_world_make(&w->base, recipe, seed, true, err) : fail_memory(err);
    if (status == RAS_OK)
        status = prepare(w, err);
    if (status < 0) {
        ref1_destroy(w);
        w = NULL;
    }
    *world = w;
    return status;
}

static int ref1_step(void *world, struct ras_step *s, struct ras_error *err)
{
    return grid_world_step(world, &rules, s, err);
}

static int ref1_keep(void *world, struct ras_world_keeper *keeper, struct ras_error *err)
{
    struct ref1 *w = world;
    const struct recipe *r = &w->base.grid.recipe;
    const char *wrong = "an end before all of the fields";
    if (grid_world_keep(&w->base, keeper))
        wrong = ref1_state_keep(&w->state, keeper, r->entities, r->space.cells);
    if (!wrong)
        return RAS_OK;
    return keeper->restoring ? fail(err, RAS_EFORMAT, RAS_NONE, "state: %s", wrong)
                             : fail_memory(err);
}

static command *const commands[RAS_MURK_PAYLOAD_TYPES] = {
    [RAS_MURK_MOVE] = ref1_move,
    [RAS_MURK_SPAWN] = apply_spawn,
    [RAS_MURK_DESPAWN] = apply_despawn,
    [RAS_MURK_SET_FIELD] = ref1_set_field,
    [RAS_MURK_CUSTOM] = ref1_custom,
    [RAS_MURK_SET_PARAMETER] = ref1_set_parameter,
    [RAS_MURK_SET_PARAMETER_BATCH] = ref1_set_parameters,
};

const struct ras_world_type ref1_world = {
    .abi = RAS_WORLD_ABI,
    .name = "ref-1",
    .title = "a reference world in which all seven commands act",
    .create = ref1_create,
    .destroy = ref1_destroy,
    .shape = grid_world_shape,
    .step = ref1_step,
    .field = grid_world_field,
    .coord = grid_world_coord,
    .keep = ref1_keep,
};
