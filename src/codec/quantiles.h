/* quantiles.h - count, extremes, sum and quantiles of values.
 *
 * Count, smallest, largest and sum are exact. A quantile is one of the values (nearest
 * rank) as long as there are at most QUANTILES_EXACT of them and the budget that several
 * sets share has room; beyond that values are counted by size in buckets that are at most
 * 1/128 of their value wide, so that a reported quantile is within 0.4 % of the true
 * value. Memory is bounded either way. */
#ifndef CODEC_QUANTILES_H
#define CODEC_QUANTILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUANTILES_EXACT  65536u
#define QUANTILES_BUDGET ((size_t)4 << 20) /* values kept by all sets together: 32 MiB */

/* Zero-initialised: empty. */
struct quantiles {
    uint64_t count, min, max, sum; /* a sum beyond 64 bits stays at their largest */
    uint64_t *values;              /* all; with buckets those that are not counted yet */
    uint32_t kept, room;
    uint64_t **groups; /* of buckets */
    uint64_t ready;    /* which groups there are, a bit each */
};

/* Values below QUANTILES_SMALL have a bucket each; each doubling above has QUANTILES_STEPS of them.
 * So many buckets are a group, which is allocated when a value falls into it: durations of one
 * function are in few groups, and all of them would be 58 KiB for each function. */
enum {
    QUANTILES_SMALL_BITS = 8,
    QUANTILES_SMALL = 1 << QUANTILES_SMALL_BITS,
    QUANTILES_STEP_BITS = 7,
    QUANTILES_STEPS = 1 << QUANTILES_STEP_BITS,
};

static inline size_t quantiles_bucket(uint64_t value)
{
    if (value < QUANTILES_SMALL)
        return (size_t)value;
    unsigned top = 63u - (unsigned)__builtin_clzll(value);
    uint64_t step = value >> (top - QUANTILES_STEP_BITS) & (QUANTILES_STEPS - 1);
    return QUANTILES_SMALL + (size_t)(top - QUANTILES_SMALL_BITS) * QUANTILES_STEPS + (size_t)step;
}

/* Room for one more value, or buckets; and a group of them. False: memory is short. */
bool quantiles_grow(struct quantiles *, size_t *budget);
bool quantiles_open_group(struct quantiles *, size_t group);

/* One more value. `budget` is how many values may still be kept as they are. False: memory is
 * short. Analyses do this several times an event, hence here. */
static inline bool quantiles_add(struct quantiles *q, size_t *budget, uint64_t value)
{
    if (q->kept == q->room && !quantiles_grow(q, budget))
        return false;
    if (q->groups) {
        size_t group = quantiles_bucket(value) / QUANTILES_STEPS;
        if (!(q->ready >> group & 1) && !quantiles_open_group(q, group))
            return false;
    }
    q->values[q->kept++] = value;
    q->min = q->count && q->min < value ? q->min : value;
    q->max = q->max > value ? q->max : value;
    q->sum = UINT64_MAX - q->sum < value ? UINT64_MAX : q->sum + value;
    q->count++;
    return true;
}
/* Add all values of another set. From then on values are counted in buckets, as if there were too
 * many of them. False: memory is short. */
bool quantiles_add_set(struct quantiles *, const struct quantiles *);
/* The smallest value that at least N per thousand of all do not exceed; 0 of none. */
uint64_t quantiles_at(struct quantiles *, unsigned per_mille);
/* How many values exceed `value`; among those counted in buckets, of buckets that begin
 * above it. */
uint64_t quantiles_above(struct quantiles *, uint64_t value);
static inline bool quantiles_exact(const struct quantiles *q)
{
    return !q->groups;
}
void quantiles_free(struct quantiles *);
#endif
