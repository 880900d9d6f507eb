/* aerogpu_ids.c - which ids were seen, in little memory where they ascend. */
#include "formats/aerogpu/aerogpu_ids.h"

#include <stdlib.h>

/* Where the id is in the table, or the free place it would have. */
static size_t slot_of(const struct aero_ids *ids, uint64_t id)
{
    uint64_t hash = id * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(hash ^ hash >> 32) & (ids->size - 1);
    while (ids->table[at] && ids->table[at] != id)
        at = (at + 1) & (ids->size - 1);
    return at;
}

bool aero_ids_room(struct aero_ids *ids, size_t more)
{
    if (more <= ids->size / 2 && ids->count <= ids->size / 2 - more)
        return true;
    struct aero_ids bigger = *ids;
    bigger.size = ids->size ? ids->size * 2 : 256;
    while (more > bigger.size / 2 || ids->count > bigger.size / 2 - more) {
        if (bigger.size > SIZE_MAX / 4)
            return false;
        bigger.size *= 2;
    }
    bigger.table = calloc(bigger.size, sizeof *bigger.table);
    if (!bigger.table)
        return false;
    for (size_t i = 0; i < ids->size; i++)
        if (ids->table[i])
            bigger.table[slot_of(&bigger, ids->table[i])] = ids->table[i];
    free(ids->table);
    *ids = bigger;
    return true;
}

bool aero_ids_has(const struct aero_ids *ids, uint64_t id)
{
    for (unsigned i = 0; i < ids->run_count; i++)
        if (id >= ids->runs[i].first && id <= ids->runs[i].last)
            return true;
    return ids->count && ids->table[slot_of(ids, id)];
}

bool aero_ids_add(struct aero_ids *ids, uint64_t id, bool *again)
{
    *again = aero_ids_has(ids, id);
    if (*again)
        return true;
    for (unsigned i = 0; i < ids->run_count; i++)
        if (id - 1 == ids->runs[i].last) {
            ids->runs[i].last = id;
            return true;
        }
    if (ids->run_count < AERO_ID_RUNS) {
        ids->runs[ids->run_count].first = ids->runs[ids->run_count].last = id;
        ids->run_count++;
        return true;
    }
    if (!aero_ids_room(ids, 1))
        return false;
    ids->table[slot_of(ids, id)] = id;
    ids->count++;
    return true;
}

void aero_ids_free(struct aero_ids *ids)
{
    free(ids->table);
    ids->table = NULL;
}
