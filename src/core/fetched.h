/* fetched.h - the files of a directory by URL, all of them fetched. */
#ifndef CORE_FETCHED_H
#define CORE_FETCHED_H

#include <rastrum/rastrum.h>

struct fetched;

bool fetched_is_url(const char *path);
/* Whether the URL is that of a directory, and a document of JSON of this name is in it. */
bool fetched_has(const char *url, const char *name);
/* List and fetch. *out is to be closed after a failure, too. */
int fetched_open(struct fetched **out, const char *url, const struct ras_options *,
                 struct ras_error *);
const struct ras_part *fetched_parts(const struct fetched *, size_t *count);
void fetched_close(struct fetched *);
#endif
