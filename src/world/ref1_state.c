/* ref1_state.c - what the world ref-1 has beside its fields: parameters and entities. */
#include "world/ref1_state.h"
#include "base/memory.h"
#include "base/store.h"
#include "codec/fnv1a.h"

#include <stdlib.h>
#include <string.h>

bool ref1_state_make(struct ref1_state *s, const struct recipe *r)
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

void ref1_state_free(struct ref1_state *s)
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

bool ref1_state_copy(struct ref1_state *to, const struct ref1_state *from)
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
        uint8_t present = k->restoring ? 0 : s->present[i]; /* else nothing is there yet */
        uint32_t value = present ? s->values[i] : 0;
        ok = k->numbers(k, &present, 1, 1) && k->numbers(k, &value, 4, 1);
        s->present[i] = present != 0;
        s->values[i] = value;
    }
    return ok;
}

const char *ref1_state_keep(struct ref1_state *s, struct ras_world_keeper *k, uint64_t entities,
                            uint64_t cells)
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

struct recipe_param *ref1_param(const struct ref1_state *s, uint32_t key)
{
    const struct recipe_param *p = recipe_param(s->params, s->param_count, key);
    return p ? &s->params[p - s->params] : NULL;
}

size_t ref1_find(const struct ref1_state *s, uint64_t id)
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

bool ref1_spawn(struct ref1_state *s, uint64_t cell)
{
    if (!grow(s, s->entity_count + 1))
        return false;
    size_t at = s->entity_count++;
    s->entities[at] = (struct ref1_entity){s->next_id++, cell};
    memset(s->present + at * s->slots, 0, s->slots * sizeof *s->present);
    return true;
}

void ref1_despawn(struct ref1_state *s, size_t at)
{
    size_t behind = --s->entity_count - at, n = s->slots;
    memmove(&s->entities[at], &s->entities[at + 1], behind * sizeof *s->entities);
    memmove(&s->values[at * n], &s->values[(at + 1) * n], behind * n * sizeof *s->values);
    memmove(&s->present[at * n], &s->present[(at + 1) * n], behind * n * sizeof *s->present);
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
uint64_t ref1_digest(const struct ref1_state *s, const uint32_t *field_of)
{
    uint64_t hash = add(add(FNV1A_START, s->version, 8), s->param_count, 4);
    for (size_t i = 0; i < s->param_count; i++)
        hash = add(add(hash, s->params[i].key, 4), s->params[i].bits, 8);
    hash = add(add(hash, s->next_id, 8), s->entity_count, 4);
    for (size_t i = 0; i < s->entity_count; i++)
        hash = add_entity(hash, s, i, field_of);
    return hash;
}
