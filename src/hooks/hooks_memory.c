/* hooks_memory.c - memory for hooks, which cannot call malloc(). */
#include "hooks/hooks.h"

#include <sys/mman.h>

enum { CHUNK = 256 << 10 };

/* With hooks.lock held. */
void *hooks_memory(size_t size)
{
    static char *at;
    static size_t left;
    size = (size + 15) / 16 * 16;
    if (size > left) {
        size_t chunk = size > CHUNK ? size : CHUNK;
        void *more = mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return NULL;
        at = more;
        left = chunk;
    }
    void *got = at;
    at += size;
    left -= size;
    return got;
}
