/* tar.h - several files as one: an archive in the format "ustar" of POSIX. */
#ifndef VIEW_TAR_H
#define VIEW_TAR_H

#include "base/out.h"

/* Append a file; the name is relative, without dots as components. False: the name is longer than
 * 99 bytes, or the file larger than 8 GiB. The same files give the same bytes: the date is 0. */
bool tar_put(struct out *, const char *name, struct ras_bytes bytes);
void tar_end(struct out *);
#endif
