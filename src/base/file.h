/* file.h - whole reads and writes, temporary files. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <rastrum/rastrum.h>

/* An open, unlinked temporary file in $TMPDIR or the system's place for large
 * ones; negative status on failure. */
int file_temporary(struct ras_error *);
/* A temporary name in the directory of the final one, so that a rename stays on one disk; short,
 * since the final name may be as long as a name can be. free() it; NULL when memory is short. */
char *file_name_beside(const char *path);
/* Whether a name, without a directory, is such a one. */
bool file_is_beside(const char *name);
/* The folder beside `path` that has such a name: it is being written and becomes `path`. NULL:
 * there is none, or there are several. free() it. */
char *file_pending(const char *path);
/* All bytes; waits where the descriptor is non-blocking. */
int file_write_all(int fd, const void *bytes, size_t n, struct ras_error *);
int file_write_at(int fd, const void *bytes, size_t n, uint64_t offset, struct ras_error *);
/* Up to n bytes at `offset`; the count, fewer only at the end of the file. */
int64_t file_read_at(int fd, void *bytes, size_t n, uint64_t offset, struct ras_error *);
/* All bytes of a regular file as read-only memory; `at` is NULL where it cannot be mapped, or is
 * empty. */
struct ras_bytes file_map(const char *path);
void file_unmap(struct ras_bytes);
/* Make a new name survive a loss of power, where the file system can promise that. */
void file_sync_name(const char *path);
#endif
