/* memory.h - growing arrays without overflow, aligned blocks, arenas. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Make room for at least `need` items of `size` bytes in *items; *room counts
 * items. False, with everything as it was, when memory is short. */
bool array_grow(void *items, size_t *room, size_t need, size_t size);

/* A NUL-terminated copy of len bytes; NULL when memory is short. */
char *text_copy(const void *bytes, size_t len);

/* A block whose address is a multiple of `alignment`, as `size` must be; to be released by
 * aligned_free(). NULL when memory is short. */
void *aligned_take(size_t alignment, size_t size);
void aligned_free(void *);

/* An arena hands out pieces that are released all at once; they do not move until then. After a
 * reset one block holds as much as was ever needed, so that a user that resets between equal jobs
 * soon stops allocating. Zero-initialised: empty. */
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

/* Room for `size` bytes, aligned for any type here; NULL when memory or the limit is exhausted. A
 * pointer to zero bytes must not be dereferenced. */
static inline void *arena_take(struct arena *arena, uint64_t size)
{
    if (size > (uint64_t)(arena->end - arena->at))
        return arena_more(arena, size);
    void *taken = arena->at;
    arena->at += (size + 7) & ~(uint64_t)7; /* the end of a block is aligned, too */
    return taken;
}
#endif
