/* memory.c - growing arrays without overflow, aligned blocks. */
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
