/* dial9_pool.h - the definitions of ids in the string or stack pool of one batch.
 *
 * An append-only log of definitions, each an offset into the source. An id may be defined again;
 * a reader at some offset sees the last definition before it, also after it has jumped back. */
#ifndef DIAL9_POOL_H
#define DIAL9_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_NONE UINT32_MAX

struct pool_entry {
    uint64_t offset; /* of its data, which ends before the events that use it */
    uint32_t id;
    uint32_t newest;  /* on an id's first entry: index of its last; else POOL_NONE */
    uint32_t length;  /* bytes of a string, addresses of a stack */
    uint32_t earlier; /* the previous definition of the same id */
    uint32_t jump;    /* one further back, so that a search takes log n steps */
    uint32_t depth;   /* definitions of this id before this one */
};

struct dial9_pool {
    struct pool_entry *entries;
    size_t count, room;
    uint32_t *slots; /* first entries of ids that are not their own index */
    size_t slot_room, slot_count;
};

void dial9_pool_free(struct dial9_pool *pool);
void dial9_pool_clear(struct dial9_pool *pool); /* keeps its memory */
/* Bytes it holds. */
size_t dial9_pool_bytes(const struct dial9_pool *pool);
/* False, with nothing changed, when memory is short. Offsets must increase. */
bool dial9_pool_add(struct dial9_pool *pool, uint32_t id, uint64_t offset, uint32_t length);
const struct pool_entry *dial9_pool_search(const struct dial9_pool *pool, uint32_t id, uint64_t at);

/* The last definition of `id` before the event at an offset; NULL: none. Encoders number
 * from 0 upwards, so that the id is nearly always the entry's index. */
static inline const struct pool_entry *dial9_pool_find(const struct dial9_pool *pool, uint32_t id,
                                                       uint64_t at)
{
    if (id < pool->count) {
        const struct pool_entry *entry = &pool->entries[id];
        if (entry->id == id && entry->newest == id && entry->offset <= at)
            return entry;
    }
    return dial9_pool_search(pool, id, at);
}
#endif
