/* aerogpu_ids.c - sets of ids, and maps from ids to numbers.
 *
 * Writers number blobs 1, 2, 3: a map keeps those in a row of eight bytes each. Ids that do not
 * continue the row are in a hash table. */
#include "formats/aerogpu/aerogpu_ids.h"
#include "base/memory.h"

#include <stdlib.h>

bool aero_ids_room(struct aero_ids *ids, size_t more)
{
    return id_table_room(&ids->table, more);
}

bool aero_ids_has(const struct aero_ids *ids, uint64_t id)
{
    for (unsigned i = 0; i < ids->run_count; i++)
        if (id >= ids->runs[i].first && id <= ids->runs[i].last)
            return true;
    return id_table_find(&ids->table, id) != ID_TABLE_NONE;
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
    return id_table_add(&ids->table, id, 0);
}

void aero_ids_free(struct aero_ids *ids)
{
    id_table_free(&ids->table);
}

/* ---- a number for each id ------------------------------------------------------------ */

uint64_t aero_map_get(const struct aero_map *m, uint64_t id)
{
    if (id - m->first < m->count)
        return m->row[id - m->first];
    uint32_t i = id_table_find(&m->table, id);
    return i == ID_TABLE_NONE ? 0 : m->others[i];
}

bool aero_map_set(struct aero_map *m, uint64_t id, uint64_t value)
{
    if (id - m->first < m->count) {
        m->row[id - m->first] = value;
        return true;
    }
    uint32_t i = id_table_find(&m->table, id);
    if (i != ID_TABLE_NONE) {
        m->others[i] = value;
    } else if (!m->count || (id - m->first == m->count && id)) {
        if (!array_grow(&m->row, &m->room, m->count + 1, sizeof *m->row))
            return false;
        m->first = m->count ? m->first : id;
        m->row[m->count++] = value;
    } else {
        i = (uint32_t)m->table.count;
        if (!array_grow(&m->others, &m->other_room, m->table.count + 1, sizeof *m->others) ||
            !id_table_add(&m->table, id, i))
            return false;
        m->others[i] = value;
    }
    return true;
}

void aero_map_free(struct aero_map *m)
{
    free(m->row);
    free(m->others);
    id_table_free(&m->table);
    *m = (struct aero_map){0};
}
