/* place_walk.h - two sides by place: a place that both have is a pair, one that only one side has
 * is one-sided.
 *
 * A place is a tick, a frame or a thread; both sides have them in ascending order. How a cut side
 * would have continued is not known, so that the walk ends there. */
#ifndef OPS_COMPARE_PLACE_WALK_H
#define OPS_COMPARE_PLACE_WALK_H

#include "ops/compare/compare_driver.h"

struct place_walk_ops {
    /* Advance a side to its next place: RAS_OK, RAS_END when it has no more. Any other status ends
     * the walk. */
    int (*next)(void *user, int side, struct ras_error *);
    /* For a side that has ended: whether it was cut, so that the rest is not known. NULL: never. */
    bool (*is_cut)(const void *user, int side);
    /* Which of two places comes first: below, at or above zero, as for memcmp. */
    int (*order)(const void *user);
    /* Compare a place that one side has, or both. RAS_OK, RAS_END: stop here. */
    int (*lone)(void *user, int side, struct ras_error *);
    int (*pair)(void *user, struct ras_error *);
    /* How much of the first side was passed, and the total; NULL: no progress is reported. */
    uint64_t (*progress)(const void *user, uint64_t *total);
};

/* From the first places to the ends of both sides, or until a callback stops: RAS_OK. */
int place_walk_run(struct compare *, const struct place_walk_ops *, void *user,
                   struct ras_error *) RAS_CHECKED;
#endif
