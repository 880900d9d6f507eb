/* gles_pool.h - numbers for objects that an id stands for, used again when one is gone. */
#ifndef GPU_GLES_POOL_H
#define GPU_GLES_POOL_H

#include "base/id_table.h"
#include "base/memory.h"

#include <stdlib.h>

struct pool {
    struct id_table ids;
    uint32_t next;
    uint32_t *spare;
    size_t spare_count, spare_room;
};

/* False: `most` are in use. */
static inline bool pool_take(struct pool *pool, uint32_t most, uint32_t *to)
{
    if (pool->spare_count) {
        *to = pool->spare[--pool->spare_count];
        return true;
    }
    if (pool->next >= most)
        return false;
    *to = pool->next++;
    return true;
}

/* Where memory is short the number is just not used again. */
static inline void pool_give(struct pool *pool, uint32_t object)
{
    if (array_grow(&pool->spare, &pool->spare_room, pool->spare_count + 1, sizeof *pool->spare))
        pool->spare[pool->spare_count++] = object;
}

static inline void pool_free(struct pool *pool)
{
    id_table_free(&pool->ids);
    free(pool->spare);
}
#endif
