/* join.h - the segments of a recording, which are files of a directory, as one run of bytes. */
#ifndef CORE_JOIN_H
#define CORE_JOIN_H

#include "core/part.h"
#include "core/segments.h"

struct join;

/* The joined bytes go to the view of `to`. The files, numbered as the directory numbers them, are
 * taken over, also on failure. `dir` is NULL where they are in memory. */
struct join_files {
    struct part *at;
    size_t count, room;
    struct directory *dir;
};
int join_open(struct join **, const struct join_files *, const struct segment_ops *,
              const struct ras_limits *, bool live, struct part *to, struct ras_error *);
void join_close(struct join *); /* NULL is fine */
/* The last segment has grown, or others have come: *changed. */
int join_refresh(struct join *, struct part *to, bool *changed, struct ras_error *);
const struct source_segment *join_segments(const struct join *, size_t *count);
#endif
