/* remote_folder.h - the files below a URL that ends with '/', as its server lists them. */
#ifndef REMOTE_REMOTE_FOLDER_H
#define REMOTE_REMOTE_FOLDER_H

#include "base/spool.h"

struct remote_folder;

/* List the files, at most `limit` of them, sorted by name. s3 has a request for that; of http(s)
 * the links of the page at the URL are taken, and those of the directories below. */
int remote_folder_open(struct remote_folder **, const char *url, const struct ras_options *,
                       uint32_t limit, struct ras_error *);
void remote_folder_close(struct remote_folder *);
size_t remote_folder_count(const struct remote_folder *);
const char *remote_folder_name(const struct remote_folder *, size_t i);
uint64_t remote_folder_size(const struct remote_folder *, size_t i);
/* All bytes of a file, into an empty spool. */
int remote_folder_fetch(struct remote_folder *, size_t i, struct spool *, struct ras_error *);
#endif
