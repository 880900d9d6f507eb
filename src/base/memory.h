/* memory.h - growing arrays without overflow, aligned blocks. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Make room for at least `need` items of `size` bytes in *items; *room counts
 * items. False, with everything as it was, when memory is short. */
bool array_grow(void *items, size_t *room, size_t need, size_t size);

/* A NUL-terminated copy of len bytes; NULL when memory is short. */
char *text_copy(const void *bytes, size_t len);

/* A block whose address is a multiple of `alignment`, of which `size` is one, too; it has a free
 * of its own. NULL when memory is short. */
void *aligned_take(size_t alignment, size_t size);
void aligned_free(void *);
#endif
