/* walk.h - what passes over a whole trace. */
#ifndef CORE_WALK_H
#define CORE_WALK_H

#include <rastrum/rastrum.h>

/* ras_next that waits for a source which is still being written. */
int walk_next(struct ras_trace *, struct ras_cursor *, const struct ras_record **,
              struct ras_error *);
#endif
