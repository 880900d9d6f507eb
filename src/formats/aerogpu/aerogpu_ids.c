/* aerogpu_ids.c - sets of ids, and maps from ids to numbers.
 *
 * Writers number blobs 1, 2, 3: a map keeps those in a row of eight bytes each. Ids that do not
 * continue the row are in a hash table. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_ids.h"
#include "formats/aerogpu/aerogpu_rewrite.h"

#include <stdlib.h>

/* The place of the id in the table, or the free place for it. */
static size_t ids_slot(const struct aero_ids *ids, uint64_t id)
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
            bigger.table[ids_slot(&bigger, ids->table[i])] = ids->table[i];
    free(ids->table);
    *ids = bigger;
    return true;
}

bool aero_ids_has(const struct aero_ids *ids, uint64_t id)
{
    for (unsigned i = 0; i < ids->run_count; i++)
        if (id >= ids->runs[i].first && id <= ids->runs[i].last)
            return true;
    return ids->count && ids->table[ids_slot(ids, id)];
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
    ids->table[ids_slot(ids, id)] = id;
    ids->count++;
    return true;
}

void aero_ids_free(struct aero_ids *ids)
{
    free(ids->table);
    ids->table = NULL;
}

/* ---- a number for each id ------------------------------------------------------------ */

struct aero_pair {
    uint64_t id, value; /* id + 1, so that 0 is free */
};

static size_t map_slot(const struct aero_map *m, uint64_t id)
{
    uint64_t hash = (id + 1) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(hash ^ hash >> 32) & (m->size - 1);
    while (m->table[at].id && m->table[at].id != id + 1)
        at = (at + 1) & (m->size - 1);
    return at;
}

static bool map_grow(struct aero_map *m)
{
    if (m->used < m->size / 2)
        return true;
    struct aero_map bigger = *m;
    bigger.size = m->size ? m->size * 2 : 64;
    bigger.table = calloc(bigger.size, sizeof *bigger.table);
    if (!bigger.table)
        return false;
    for (size_t i = 0; i < m->size; i++)
        if (m->table[i].id)
            bigger.table[map_slot(&bigger, m->table[i].id - 1)] = m->table[i];
    free(m->table);
    *m = bigger;
    return true;
}

uint64_t aero_map_get(const struct aero_map *m, uint64_t id)
{
    if (id - m->first < m->count)
        return m->row[id - m->first];
    if (id == UINT64_MAX)
        return m->top;
    return m->used ? m->table[map_slot(m, id)].value : 0;
}

bool aero_map_set(struct aero_map *m, uint64_t id, uint64_t value)
{
    if (id - m->first < m->count) {
        m->row[id - m->first] = value;
        return true;
    }
    if (id == UINT64_MAX) {
        m->top = value;
        return true;
    }
    bool known = m->used && m->table[map_slot(m, id)].id;
    if (!known && (!m->count || (id - m->first == m->count && id))) {
        if (!array_grow(&m->row, &m->room, m->count + 1, sizeof *m->row))
            return false;
        m->first = m->count ? m->first : id;
        m->row[m->count++] = value;
        return true;
    }
    if (!known && !map_grow(m))
        return false;
    size_t at = map_slot(m, id);
    m->used += !m->table[at].id;
    m->table[at] = (struct aero_pair){id + 1, value};
    return true;
}

void aero_map_free(struct aero_map *m)
{
    free(m->row);
    free(m->table);
    *m = (struct aero_map){0};
}
