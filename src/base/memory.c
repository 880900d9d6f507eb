/* memory.c - growing arrays without overflow, aligned blocks, arenas. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_grow(void *items, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return true;
    size_t more = *room ? *room * 2 : 16;
    if (more < need)
        more = need;
    if (more > SIZE_MAX / 2 / size)
        return false;
    void *old;
    memcpy(&old, items, sizeof old);
    void *bigger = realloc(old, more * size);
    if (!bigger)
        return false;
    memcpy(items, &bigger, sizeof bigger);
    *room = more;
    return true;
}

char *text_copy(const void *bytes, size_t len)
{
    char *text = malloc(len + 1);
    if (!text)
        return NULL;
    if (len)
        memcpy(text, bytes, len);
    text[len] = 0;
    return text;
}

#ifdef _WIN32
void *aligned_take(size_t alignment, size_t size)
{
    return _aligned_malloc(size, alignment);
}

void aligned_free(void *block)
{
    _aligned_free(block);
}
#else
void *aligned_take(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

void aligned_free(void *block)
{
    free(block);
}
#endif

struct arena_block {
    struct arena_block *older;
    uint64_t size;
    uint64_t bytes[]; /* aligned for any type */
};

enum { FIRST_BLOCK = 16384 };

static void start_block(struct arena *arena, struct arena_block *block)
{
    arena->at = (uint8_t *)block->bytes;
    arena->end = arena->at + block->size;
}

void *arena_more(struct arena *arena, uint64_t size)
{
    uint64_t want = arena->total < FIRST_BLOCK ? FIRST_BLOCK : arena->total;
    if (want < size)
        want = size;
    uint64_t left = !arena->limit                 ? UINT64_MAX
                    : arena->limit > arena->total ? arena->limit - arena->total
                                                  : 0;
    if (want > left)
        want = size;
    if (size > left || want > SIZE_MAX / 2)
        return NULL;
    want = (want + 7) & ~(uint64_t)7;
    struct arena_block *block = malloc(sizeof *block + (size_t)want);
    if (!block)
        return NULL;
    *block = (struct arena_block){.older = arena->blocks, .size = want};
    arena->blocks = block;
    arena->total += want;
    start_block(arena, block);
    arena->at += (size + 7) & ~(uint64_t)7;
    return block->bytes;
}

void arena_reset(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    if (!block)
        return;
    if (!block->older) {
        start_block(arena, block);
        return;
    }
    uint64_t total = arena->total;
    arena_free(arena);
    /* One block instead of many; if it cannot be allocated now, arena_take() tries again. */
    if (arena_more(arena, total))
        start_block(arena, arena->blocks);
}

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *older = arena->blocks->older;
        free(arena->blocks);
        arena->blocks = older;
    }
    arena->at = arena->end = NULL;
    arena->total = 0;
}
