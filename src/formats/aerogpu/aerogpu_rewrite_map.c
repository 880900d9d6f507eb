/* aerogpu_rewrite_map.c - a number for each blob id.
 *
 * Writers number blobs 1, 2, 3: those make a row, eight bytes each. Ids that do not go on
 * with the row are in a hash table. */
#include "base/memory.h"
#include "formats/aerogpu/aerogpu_rewrite.h"

#include <stdlib.h>

struct aero_pair {
    uint64_t id, value; /* id + 1, so that 0 is free */
};

static size_t slot_of(const struct aero_map *m, uint64_t id)
{
    uint64_t hash = (id + 1) * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(hash ^ hash >> 32) & (m->size - 1);
    while (m->table[at].id && m->table[at].id != id + 1)
        at = (at + 1) & (m->size - 1);
    return at;
}

static bool make_room(struct aero_map *m)
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
            bigger.table[slot_of(&bigger, m->table[i].id - 1)] = m->table[i];
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
    return m->used ? m->table[slot_of(m, id)].value : 0;
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
    bool known = m->used && m->table[slot_of(m, id)].id;
    if (!known && (!m->count || (id - m->first == m->count && id))) {
        if (!array_grow(&m->row, &m->room, m->count + 1, sizeof *m->row))
            return false;
        m->first = m->count ? m->first : id;
        m->row[m->count++] = value;
        return true;
    }
    if (!known && !make_room(m))
        return false;
    size_t at = slot_of(m, id);
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
