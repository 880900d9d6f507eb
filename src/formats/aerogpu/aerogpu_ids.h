/* aerogpu_ids.h - sets of ids and maps from ids to numbers, small where ids ascend. */
#ifndef AEROGPU_IDS_H
#define AEROGPU_IDS_H

#include "base/id_table.h"

enum { AERO_ID_RUNS = 16 };

/* Writers number blobs 1, 2, 3: a few runs hold them all, however many there are.
 * Ids that extend no run go to a hash table. Zero-initialised: empty. */
struct aero_ids {
    struct {
        uint64_t first, last;
    } runs[AERO_ID_RUNS];
    unsigned run_count;
    struct id_table table;
};

bool aero_ids_has(const struct aero_ids *, uint64_t id);
/* Make room, so that adding `more` ids cannot fail. */
bool aero_ids_room(struct aero_ids *, size_t more);
/* Add an id that is not 0. False: out of memory. *again: it was there already. */
bool aero_ids_add(struct aero_ids *, uint64_t id, bool *again);
void aero_ids_free(struct aero_ids *);

/* A number for each id, small where ids ascend by one. Zero-initialised: 0 for each. */
struct aero_map {
    uint64_t first; /* of the ids in the row */
    uint64_t *row;
    size_t count, room;
    struct id_table table; /* of the other ids */
    uint64_t *others;      /* their numbers */
    size_t other_room;
};
uint64_t aero_map_get(const struct aero_map *, uint64_t id);
bool aero_map_set(struct aero_map *, uint64_t id, uint64_t value); /* false: no memory */
void aero_map_free(struct aero_map *);
#endif
