/* map.h - the bytes of an open file as memory that is read.
 *
 * RAS_EUNSUPPORTED, by way of fail_os(), where nothing can be mapped: then files are read. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

/* NULL: errno says why. The file may be closed.
 * A map may be longer than its file: the pages after its end are not touched until the file has
 * grown. A system that cannot do that makes the file as long; it must be open to write then. */
void *map_open(int fd, size_t size);
/* The same with another size. It moves only if it may; NULL: it is as it was. */
void *map_resize(void *at, size_t old, size_t size, int fd, bool may_move);
void map_close(void *at, size_t size);
#endif
