/* map.h - the bytes of an open file as read-only memory.
 *
 * RAS_EUNSUPPORTED, through fail_os(), where files cannot be mapped: they are read then. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

/* NULL: see errno. The file may be closed. A map may be longer than its file: the pages after its
 * end are not touched until the file has grown. A system that cannot do that extends the file,
 * which must be open for writing then. */
void *map_open(int fd, size_t size);
/* Change the size. The map moves only if it may; NULL: it is unchanged. */
void *map_resize(void *at, size_t old, size_t size, int fd, bool may_move);
void map_close(void *at, size_t size);
#endif
