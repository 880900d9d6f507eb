/* marks.h - resume points: seek in formats that have no index of their own. */
#ifndef CORE_MARKS_H
#define CORE_MARKS_H

#include <rastrum/rastrum.h>

struct marks;

static inline uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct marks *marks_new(void);
void marks_free(struct marks *);

/* One walker at a time collects. True: it is `walker` now, from *next on. */
bool marks_take(struct marks *, const void *walker, uint64_t *next);
/* Keep a mark; the records since the last one reached these times and ticks at
 * most. Returns the offset from which the next mark is due. */
uint64_t marks_add(struct marks *, const struct ras_mark *, uint64_t time_max, uint64_t tick_max);
/* The walker has seen every record of the trace, whose bytes were of this generation, and how it
 * ends; `ascends`: the axes on which none was below the one before it. */
void marks_complete(struct marks *, const void *walker, uint64_t generation, unsigned ascends,
                    const struct ras_ending *);
/* Whether all of the trace is known: how it ends, and on which axes it ascends. The ending's `why`
 * lives as long as the marks. */
bool marks_known(const struct marks *, uint64_t generation, unsigned *ascends, struct ras_ending *);
/* The walker stops at `offset`. */
void marks_leave(struct marks *, const void *walker, uint64_t offset, uint64_t time_max,
                 uint64_t tick_max);
/* The mark from which the first record >= to on the axis is reached soonest;
 * NULL: from the start. */
const struct ras_mark *marks_find(const struct marks *, enum ras_axis, uint64_t to);
/* Whether records >= to on the axis are among those that the marks know. */
bool marks_reach(const struct marks *, enum ras_axis, uint64_t to);
#endif
