/* map_posix.c - files as memory, on Linux. */
#include "base/map.h"

#include <sys/mman.h>

void *map_open(int fd, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

void *map_resize(void *at, size_t old, size_t size, int fd, bool may_move)
{
    (void)fd; /* the kernel knows */
    at = mremap(at, old, size, may_move ? MREMAP_MAYMOVE : 0);
    return at == MAP_FAILED ? NULL : at;
}

void map_close(void *at, size_t size)
{
    munmap(at, size);
}
