/* id_table.h - a hash table of 64-bit ids: the index of each.
 *
 * Open addressing; a removed id leaves no tombstone, so that a table through which many ids pass
 * stays as small as the largest number it holds at one time. */
#ifndef BASE_ID_TABLE_H
#define BASE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_slot {
    uint64_t id;
    uint32_t index; /* 1 + the index; 0: free */
    uint32_t spare;
};

/* Zero-initialised: empty. */
struct id_table {
    struct id_slot *slots;
    size_t size, count; /* size is a power of two, or 0 */
    unsigned shift;     /* 64 minus its exponent */
};

#define ID_TABLE_NONE UINT32_MAX

/* Ids count up, or are hashes already, or differ in a few of their bits, as those of Rust's
 * tracing, which are a slot and, from bit 51 on, how often it was used. A multiplication carries
 * bits upwards only: all of them are in the uppermost ones. */
static inline size_t id_table_home(const struct id_table *t, uint64_t id)
{
    return (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> t->shift);
}

/* The index of an id; ID_TABLE_NONE: it is not there. */
static inline uint32_t id_table_find(const struct id_table *t, uint64_t id)
{
    if (!t->size)
        return ID_TABLE_NONE;
    size_t at = id_table_home(t, id);
    while (t->slots[at].index && t->slots[at].id != id)
        at = (at + 1) & (t->size - 1);
    return t->slots[at].index - 1; /* a free slot: ID_TABLE_NONE */
}

/* Make room, so that adding `more` ids cannot fail. False: memory is short. */
bool id_table_room(struct id_table *, size_t more);
/* Add an id that is not there, with an index below UINT32_MAX. False: memory is short. */
bool id_table_add(struct id_table *, uint64_t id, uint32_t index);
/* Remove an id, if it is there. */
void id_table_remove(struct id_table *, uint64_t id);
void id_table_free(struct id_table *);
#endif
