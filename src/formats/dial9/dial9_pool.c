/* dial9_pool.c - the definitions of ids in the string or stack pool of one batch. */
#include "formats/dial9/dial9_pool.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void dial9_pool_free(struct dial9_pool *pool)
{
    free(pool->entries);
    free(pool->slots);
    *pool = (struct dial9_pool){0};
}

void dial9_pool_clear(struct dial9_pool *pool)
{
    pool->count = 0;
    if (pool->slot_count)
        memset(pool->slots, 0xff, pool->slot_room * sizeof *pool->slots);
    pool->slot_count = 0;
}

size_t dial9_pool_bytes(const struct dial9_pool *pool)
{
    return pool->room * sizeof *pool->entries + pool->slot_room * sizeof *pool->slots;
}

/* The slot of an id, or the free one where it belongs. Room is a power of two
 * and never full. */
static size_t pool_slot(const struct dial9_pool *pool, uint32_t id)
{
    size_t mask = pool->slot_room - 1;
    size_t slot = (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
    while (pool->slots[slot] != POOL_NONE && pool->entries[pool->slots[slot]].id != id)
        slot = (slot + 1) & mask;
    return slot;
}

static bool pool_grow_slots(struct dial9_pool *pool)
{
    if (pool->slot_room > 2 * pool->slot_count)
        return true;
    uint32_t *old = pool->slots;
    size_t old_room = pool->slot_room, room = old_room ? 2 * old_room : 64;
    uint32_t *slots = malloc(room * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, room * sizeof *slots);
    pool->slots = slots;
    pool->slot_room = room;
    for (size_t i = 0; i < old_room; i++)
        if (old[i] != POOL_NONE)
            slots[pool_slot(pool, pool->entries[old[i]].id)] = old[i];
    free(old);
    return true;
}

/* The first entry of an id: at its own index, or where a slot says. */
static uint32_t first_of(const struct dial9_pool *pool, uint32_t id)
{
    if (id < pool->count && pool->entries[id].id == id && pool->entries[id].newest != POOL_NONE)
        return id;
    return pool->slot_count ? pool->slots[pool_slot(pool, id)] : POOL_NONE;
}

/* Link a further definition after `last`. Jumps span skew-binary distances: twice as far
 * whenever the two jumps before are equally long. */
static void link_behind(struct dial9_pool *pool, struct pool_entry *entry, uint32_t last)
{
    const struct pool_entry *e = pool->entries;
    uint32_t far = e[e[last].jump].jump;
    bool equal = e[last].depth - e[e[last].jump].depth == e[e[last].jump].depth - e[far].depth;
    entry->earlier = last;
    entry->jump = equal ? far : last;
    entry->depth = e[last].depth + 1;
}

bool dial9_pool_add(struct dial9_pool *pool, uint32_t id, uint64_t offset, uint32_t length)
{
    if (pool->count >= POOL_NONE ||
        !array_grow(&pool->entries, &pool->room, pool->count + 1, sizeof *pool->entries))
        return false;
    uint32_t index = (uint32_t)pool->count, first = first_of(pool, id);
    bool slotted = first == POOL_NONE && id != index;
    if (slotted && !pool_grow_slots(pool))
        return false;
    struct pool_entry entry = {.offset = offset,
                               .length = length,
                               .id = id,
                               .newest = POOL_NONE,
                               .earlier = POOL_NONE,
                               .jump = index};
    if (first == POOL_NONE) {
        entry.newest = index;
    } else {
        link_behind(pool, &entry, pool->entries[first].newest);
        pool->entries[first].newest = index;
    }
    pool->entries[index] = entry;
    pool->count++;
    if (slotted) {
        pool->slots[pool_slot(pool, id)] = index;
        pool->slot_count++;
    }
    return true;
}

const struct pool_entry *dial9_pool_search(const struct dial9_pool *pool, uint32_t id, uint64_t at)
{
    uint32_t i = first_of(pool, id);
    if (i == POOL_NONE)
        return NULL;
    const struct pool_entry *e = pool->entries;
    for (i = e[i].newest; e[i].offset > at;) {
        if (e[i].earlier == POOL_NONE)
            return NULL;
        i = e[e[i].jump].offset > at ? e[i].jump : e[i].earlier;
    }
    return &e[i];
}
