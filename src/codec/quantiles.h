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

/* One more value. `budget` is how many values may still be kept as they are. False:
 * memory is short. */
bool quantiles_add(struct quantiles *, size_t *budget, uint64_t value);
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
