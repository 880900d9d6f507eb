/* work.h - how much a replay may do in all, and how long one submission or packet may take.
 *
 * Work is counted down by slices: a clock is read only where a slice is used up, so that counting
 * costs a comparison and a subtraction. */
#ifndef GPU_WORK_H
#define GPU_WORK_H

#include "gpu/backends.h"

struct work {
    uint64_t left; /* of the slice; 0: work was refused */
    uint64_t rest; /* of the replay, apart from the slice */
    uint64_t limit;
    uint64_t wanted;           /* what was done and the piece that was refused */
    uint32_t time_ms, took_ms; /* at most; of what was refused for it, otherwise 0 */
    int64_t began_ms;
};

void work_start(struct work *work, const struct gpu_limits *limits);
/* A submission or packet begins: its time is counted from now on. */
void work_begin(struct work *work);
/* A new slice that holds `cost`. False: that is too much, or the time is over. */
bool work_more(struct work *work, uint64_t cost);
int64_t work_now_ms(void);

/* False: nothing more will be done. */
static inline bool work_take(struct work *work, uint64_t cost)
{
    if (work->left <= cost)
        return work_more(work, cost);
    work->left -= cost;
    return true;
}

/* Why work was refused, with both numbers, for a message. */
const char *work_refusal(const struct work *work, char text[120]);
#endif
