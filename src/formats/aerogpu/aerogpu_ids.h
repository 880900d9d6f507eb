/* aerogpu_ids.h - which ids were seen, in little memory where they ascend. */
#ifndef AEROGPU_IDS_H
#define AEROGPU_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AERO_ID_RUNS = 16 };

/* Writers number blobs 1, 2, 3: a few runs hold them all, however many there are.
 * Ids that extend no run go to a hash table. Zero-initialised: empty. */
struct aero_ids {
    struct {
        uint64_t first, last;
    } runs[AERO_ID_RUNS];
    unsigned run_count;
    uint64_t *table; /* 0: free */
    size_t size, count;
};

bool aero_ids_has(const struct aero_ids *, uint64_t id);
/* Make room, so that as many more can be taken in for sure. */
bool aero_ids_room(struct aero_ids *, size_t more);
/* Take in an id that is not 0. False: out of memory. *again: it was there. */
bool aero_ids_add(struct aero_ids *, uint64_t id, bool *again);
void aero_ids_free(struct aero_ids *);
#endif
