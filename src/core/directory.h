/* directory.h - the regular files below a directory, as a flat list. */
#ifndef CORE_DIRECTORY_H
#define CORE_DIRECTORY_H

#include <rastrum/rastrum.h>

struct directory;

/* List the files below path, at most `limit` of them, sorted by name. Links to
 * directories are not followed. */
int directory_open(struct directory **, const char *path, uint32_t limit, struct ras_error *);
void directory_close(struct directory *);
/* Append files that have appeared since. */
int directory_refresh(struct directory *, struct ras_error *);
size_t directory_count(const struct directory *);
/* A directory below that cannot be listed: permission denied. NULL: none. */
const char *directory_unlisted(const struct directory *);
const char *directory_name(const struct directory *, size_t i);
uint64_t directory_size(const struct directory *, size_t i);
/* An open descriptor and the size it has now. */
int directory_open_file(const struct directory *, size_t i, uint64_t *size, struct ras_error *);
#endif
