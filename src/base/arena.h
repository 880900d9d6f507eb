/* arena.h - memory that is taken piece by piece and given back all at once.
 *
 * What was taken stays where it is until the reset. After a reset one block
 * holds as much as was ever needed, so a user that resets between equal jobs
 * soon stops allocating. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* the newest first */
    uint8_t *at, *end;          /* what is left of it */
    uint64_t limit;             /* of all blocks together; 0: none */
    uint64_t total;             /* their size */
};

void arena_reset(struct arena *arena);
void arena_free(struct arena *arena);
void *arena_more(struct arena *arena, uint64_t size);

/* Room for `size` bytes, aligned for any type here; NULL when memory or the
 * limit is exhausted. Zero bytes give a pointer that must not be followed. */
static inline void *arena_take(struct arena *arena, uint64_t size)
{
    if (size > (uint64_t)(arena->end - arena->at))
        return arena_more(arena, size);
    void *taken = arena->at;
    arena->at += (size + 7) & ~(uint64_t)7; /* blocks end on such a number, too */
    return taken;
}
#endif
