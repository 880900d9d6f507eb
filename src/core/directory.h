/* directory.h - the regular files below a directory, here or on a server, as a flat list. */
#ifndef CORE_DIRECTORY_H
#define CORE_DIRECTORY_H

#include "base/spool.h"

struct directory;

/* List the files below path, at most `limit` of them, sorted by name. Links to
 * directories are not followed. */
int directory_open(struct directory **, const char *path, uint32_t limit, struct ras_error *);
/* The same of a URL that ends with '/': its files have no descriptors, see directory_fetch(). */
int directory_open_url(struct directory **, const char *url, const struct ras_options *,
                       uint32_t limit, struct ras_error *);
bool directory_is_remote(const struct directory *); /* NULL: it is not */
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
/* All bytes of a remote file, into an empty spool. */
int directory_fetch(const struct directory *, size_t i, struct spool *, struct ras_error *);
#endif
