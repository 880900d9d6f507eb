/* memory.h - growing arrays without overflow. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Make room for at least `need` items of `size` bytes in *items; *room counts
 * items. False, with everything as it was, when memory is short. */
bool array_grow(void *items, size_t *room, size_t need, size_t size);

/* A NUL-terminated copy of len bytes; NULL when memory is short. */
char *text_copy(const void *bytes, size_t len);
#endif
