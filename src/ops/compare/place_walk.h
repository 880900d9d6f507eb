/* place_walk.h - two sides by place: what stands at one place on both is a pair, what only one side
 * has is alone.
 *
 * A place is a tick, a frame or a thread; both sides have them in ascending order. A side that
 * was cut says nothing of what would have followed, so that the walk ends there. */
#ifndef OPS_COMPARE_PLACE_WALK_H
#define OPS_COMPARE_PLACE_WALK_H

#include "ops/compare/compare_driver.h"

struct place_walk_ops {
    /* Go to the next place of a side, whose last one was compared: RAS_OK, RAS_END when it has no
     * more. Any other status ends the walk. */
    int (*next)(void *user, int side, struct ras_error *);
    /* Of a side that has no more: whether what would have followed is not known. NULL: never. */
    bool (*is_cut)(const void *user, int side);
    /* Which of two places comes first: below, at or above zero, as for memcmp. */
    int (*order)(const void *user);
    /* Compare what only one side has, or what both have. RAS_OK, RAS_END: no more is wanted. */
    int (*lone)(void *user, int side, struct ras_error *);
    int (*pair)(void *user, struct ras_error *);
    /* How much of the first side was passed, and all; NULL: nothing is reported. */
    uint64_t (*progress)(const void *user, uint64_t *total);
};

/* From the first places to the ends of both sides, or until no more is wanted: RAS_OK. */
int place_walk_run(struct compare *, const struct place_walk_ops *, void *user,
                   struct ras_error *) RAS_CHECKED;
#endif
