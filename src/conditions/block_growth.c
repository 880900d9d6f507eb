/* block_growth.c - what realloc() adds to a block holds what new blocks do.
 *
 * MALLOC_PERTURB_ fills new and freed blocks, but not the part by which one grows. */
#include "conditions/condition.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static size_t room_of(void *block)
{
    static size_t (*room)(void *);
    if (!room)
        condition_next(&room, "malloc_usable_size");
    return block && room ? room(block) : 0;
}

/* Of an empty one, all of it is new, and filled by the C library. */
static void *fill_growth(void *block, size_t before)
{
    size_t now = before ? room_of(block) : 0;
    if (now > before && setting(SET_FILL))
        memset((char *)block + before, (int)setting(SET_FILL) - 1, now - before);
    return block;
}

WRAP void *realloc(void *block, size_t size)
{
    REAL(realloc);
    size_t before = room_of(block);
    return fill_growth(real(block, size), before);
}

WRAP void *reallocarray(void *block, size_t count, size_t size)
{
    REAL(reallocarray);
    size_t before = room_of(block);
    return fill_growth(real(block, count, size), before);
}
