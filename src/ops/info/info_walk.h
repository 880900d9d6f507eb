/* info_walk.h - the counts of ras_info() in steps, for a caller that does other work meanwhile. */
#ifndef OPS_INFO_INFO_WALK_H
#define OPS_INFO_INFO_WALK_H

#include <rastrum/rastrum.h>

struct info_walk;
/* `follow`: the trace may grow; the walk then waits at its end. The trace must outlive it. */
int info_walk_open(struct info_walk **out, struct ras_trace *trace, bool follow,
                   struct ras_error *err);
void info_walk_close(struct info_walk *); /* NULL is fine */

/* Count at most this many records. RAS_OK: there may be more; RAS_END: all of them are counted;
 * RAS_WAIT: all that are there now. */
int info_walk_step(struct info_walk *, uint64_t most, struct ras_error *err);
/* What was counted; `ending` only after RAS_END, and nothing of what a trace carries. Streams have
 * names after RAS_END or RAS_WAIT. Until the next step. */
const struct ras_info *info_walk_counts(const struct info_walk *);
/* How far it has come, as ras_cursor_progress(). */
uint64_t info_walk_progress(const struct info_walk *, uint64_t *total);
#endif
