/* id_table.c - a hash table of 64-bit ids: the index of each. */
#include "base/id_table.h"

#include <stdlib.h>

enum { FIRST_SHIFT = 58, FIRST_SIZE = 1 << (64 - FIRST_SHIFT) };

static void slot_put(struct id_table *t, uint64_t id, uint32_t index)
{
    size_t at = id_table_home(t, id);
    while (t->slots[at].index)
        at = (at + 1) & (t->size - 1);
    t->slots[at] = (struct id_slot){.id = id, .index = index};
}

bool id_table_room(struct id_table *t, size_t more)
{
    struct id_table bigger = {.size = t->size ? t->size : FIRST_SIZE,
                              .count = t->count,
                              .shift = t->size ? t->shift : FIRST_SHIFT};
    if (more > SIZE_MAX / 4 - t->count)
        return false;
    for (; bigger.size / 2 < t->count + more; bigger.size *= 2)
        bigger.shift--;
    if (bigger.size == t->size)
        return true;
    bigger.slots = calloc(bigger.size, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < t->size; i++)
        if (t->slots[i].index)
            slot_put(&bigger, t->slots[i].id, t->slots[i].index);
    free(t->slots);
    *t = bigger;
    return true;
}

bool id_table_add(struct id_table *t, uint64_t id, uint32_t index)
{
    if (t->count >= t->size / 2 && !id_table_room(t, 1))
        return false;
    slot_put(t, id, index + 1);
    t->count++;
    return true;
}

void id_table_remove(struct id_table *t, uint64_t id)
{
    if (id_table_find(t, id) == ID_TABLE_NONE)
        return;
    size_t mask = t->size - 1, hole = id_table_home(t, id);
    while (t->slots[hole].id != id || !t->slots[hole].index)
        hole = (hole + 1) & mask;
    /* Entries that were displaced by the removed one move up. */
    for (size_t at = (hole + 1) & mask; t->slots[at].index; at = (at + 1) & mask) {
        size_t home = id_table_home(t, t->slots[at].id);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        t->slots[hole] = t->slots[at];
        hole = at;
    }
    t->slots[hole].index = 0;
    t->count--;
}

void id_table_free(struct id_table *t)
{
    free(t->slots);
    *t = (struct id_table){0};
}
