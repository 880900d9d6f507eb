/* dial9_intern.c - the ids of strings, stacks and schemas by their bytes. */
#include "formats/dial9/dial9_intern.h"
#include "base/in.h"
#include "base/memory.h"

#include <stdlib.h>

void intern_free(struct intern *n)
{
    free(n->entries);
    free(n->slots);
    free(n->taken);
    arena_free(&n->arena);
}

void intern_clear(struct intern *n)
{
    if (n->slots)
        memset(n->slots, 0, n->slot_room * sizeof *n->slots);
    if (n->taken)
        memset(n->taken, 0, n->taken_room * sizeof *n->taken);
    n->count = n->taken_count = 0;
    n->taken_last = false;
    n->next = n->bytes = 0;
    arena_reset(&n->arena);
}

static uint64_t intern_mix(uint64_t hash)
{
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Stacks are long, and hashing a word at a time is good enough; the last one may overlap. */
uint64_t intern_hash(struct ras_bytes bytes)
{
    uint64_t hash = bytes.len;
    if (bytes.len < 8)
        return intern_mix(intern_mix(hash ^ intern_word(bytes.at, bytes.len) << 8));
    for (size_t i = 0; i + 8 < bytes.len; i += 8)
        hash = intern_mix(hash ^ load_u64(bytes.at + i));
    return intern_mix(intern_mix(hash ^ load_u64(bytes.at + bytes.len - 8)));
}

bool intern_find(const struct intern *n, uint64_t hash, struct ras_bytes bytes, uint32_t *id)
{
    for (size_t i = hash; n->slot_room; i++) {
        uint32_t slot = n->slots[i & (n->slot_room - 1)];
        if (slot == 0)
            return false;
        const struct intern_entry *e = &n->entries[slot - 1];
        if (e->hash == hash && e->at && e->len == bytes.len &&
            (!bytes.len || !memcmp(e->at, bytes.at, bytes.len))) {
            *id = e->id;
            return true;
        }
    }
    return false;
}

/* ---- ids that the caller has taken ------------------------------------------------ */

/* The slot of an id, or the empty one where it belongs. There is always an empty one. */
static uint32_t *taken_place(uint32_t *taken, size_t room, uint32_t id)
{
    size_t i = intern_mix(id);
    while (taken[i & (room - 1)] && taken[i & (room - 1)] != id + 1)
        i++;
    return &taken[i & (room - 1)];
}

static bool is_taken(const struct intern *n, uint32_t id)
{
    if (id == UINT32_MAX)
        return n->taken_last;
    return n->taken_count && *taken_place(n->taken, n->taken_room, id);
}

static bool taken_grow(struct intern *n)
{
    size_t room = n->taken_room ? n->taken_room * 2 : 64;
    uint32_t *bigger = calloc(room, sizeof *bigger);
    if (!bigger)
        return false;
    for (size_t i = 0; i < n->taken_room; i++)
        if (n->taken[i])
            *taken_place(bigger, room, n->taken[i] - 1) = n->taken[i];
    free(n->taken);
    n->taken = bigger;
    n->taken_room = room;
    return true;
}

/* The first entry whose id is not below this one. */
static size_t entry_place(const struct intern *n, uint32_t id)
{
    size_t low = 0, high = n->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (n->entries[mid].id < id)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool intern_take(struct intern *n, uint32_t id)
{
    if (is_taken(n, id))
        return true;
    if (n->taken_count * 2 >= n->taken_room && !taken_grow(n))
        return false;
    if (id == UINT32_MAX) {
        n->taken_last = true;
    } else {
        *taken_place(n->taken, n->taken_room, id) = id + 1;
        n->taken_count++;
    }
    size_t place = entry_place(n, id);
    if (place < n->count && n->entries[place].id == id)
        n->entries[place].at = NULL;
    return true;
}

bool intern_free_id(struct intern *n, uint32_t most, uint32_t *id)
{
    while (n->next <= most && is_taken(n, (uint32_t)n->next))
        n->next++;
    *id = (uint32_t)n->next;
    return n->next <= most;
}

/* ---- entries ---------------------------------------------------------------------- */

static bool intern_grow_slots(struct intern *n)
{
    size_t room = n->slot_room ? n->slot_room * 2 : 64;
    uint32_t *bigger = calloc(room, sizeof *bigger);
    if (!bigger)
        return false;
    for (size_t k = 0; k < n->count; k++) {
        size_t i = n->entries[k].hash;
        while (bigger[i & (room - 1)])
            i++;
        bigger[i & (room - 1)] = (uint32_t)k + 1;
    }
    free(n->slots);
    n->slots = bigger;
    n->slot_room = room;
    return true;
}

bool intern_add(struct intern *n, uint64_t hash, struct ras_bytes bytes, uint32_t id)
{
    if (n->count == UINT32_MAX - 1 ||
        !array_grow(&n->entries, &n->room, n->count + 1, sizeof *n->entries) ||
        (n->count * 2 >= n->slot_room && !intern_grow_slots(n)))
        return false;
    uint8_t *copy = arena_take(&n->arena, bytes.len + 1);
    if (!copy)
        return false;
    if (bytes.len)
        memcpy(copy, bytes.at, bytes.len);
    n->entries[n->count++] = (struct intern_entry){hash, copy, (uint32_t)bytes.len, id};
    size_t i = hash;
    while (n->slots[i & (n->slot_room - 1)])
        i++;
    n->slots[i & (n->slot_room - 1)] = (uint32_t)n->count;
    n->next = (uint64_t)id + 1;
    n->bytes += bytes.len + sizeof *n->entries + sizeof *n->slots;
    return true;
}
