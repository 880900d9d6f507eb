/* walk.h - what verbs that pass over a whole trace share. */
#ifndef OPS_WALK_H
#define OPS_WALK_H

#include <rastrum/rastrum.h>

/* ras_next that waits for a source which is still being written. */
int walk_next(struct ras_trace *, struct ras_cursor *, const struct ras_record **,
              struct ras_error *);
#endif
