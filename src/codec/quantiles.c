/* quantiles.c - count, extremes, sum and quantiles of values. */
#include "codec/quantiles.h"

#include <stdlib.h>

enum {
    SMALL = QUANTILES_SMALL,
    STEPS = QUANTILES_STEPS,
    BUCKETS = SMALL + (64 - QUANTILES_SMALL_BITS) * STEPS,
    GROUPS = BUCKETS / STEPS,
    FIRST_ROOM = 16,
    RADIX_FROM = 512,
};

/* Values go to their buckets WAITING at a time: buckets of thousands of functions are in no cache,
 * and the loads of some together take about as long as one. */
enum { WAITING = FIRST_ROOM };

static uint64_t first_of(size_t bucket, uint64_t *width)
{
    *width = 1;
    if (bucket < SMALL)
        return bucket;
    unsigned top = (unsigned)((bucket - SMALL) / STEPS) + QUANTILES_SMALL_BITS;
    *width = UINT64_C(1) << (top - QUANTILES_STEP_BITS);
    return (UINT64_C(1) << top) + (bucket - SMALL) % STEPS * *width;
}

bool quantiles_open_group(struct quantiles *q, size_t group)
{
    if (q->ready >> group & 1)
        return true;
    q->groups[group] = calloc(STEPS, sizeof *q->groups[group]);
    q->ready |= (uint64_t)(q->groups[group] != NULL) << group;
    return q->groups[group];
}

static void count_waiting(struct quantiles *q)
{
    for (uint32_t i = 0; i < q->kept; i++) {
        size_t bucket = quantiles_bucket(q->values[i]);
        q->groups[bucket / STEPS][bucket % STEPS]++;
    }
    q->kept = 0;
}

static uint64_t held_in(const struct quantiles *q, size_t bucket)
{
    return q->ready >> bucket / STEPS & 1 ? q->groups[bucket / STEPS][bucket % STEPS] : 0;
}

static void groups_free(struct quantiles *q)
{
    for (size_t i = 0; q->groups && i < GROUPS; i++)
        free(q->groups[i]);
    free((void *)q->groups);
    q->groups = NULL;
    q->ready = 0;
}

/* From here on values are counted in buckets. After a failure they are kept as before. */
static bool to_buckets(struct quantiles *q)
{
    uint64_t *waiting = malloc(WAITING * sizeof *waiting);
    bool good = waiting && (q->groups = (uint64_t **)calloc(GROUPS, sizeof *q->groups));
    for (uint32_t i = 0; good && i < q->kept; i++)
        good = quantiles_open_group(q, quantiles_bucket(q->values[i]) / STEPS);
    if (!good) {
        groups_free(q);
        free(waiting);
        return false;
    }
    count_waiting(q);
    free(q->values);
    q->values = waiting;
    q->room = WAITING;
    return true;
}

bool quantiles_grow(struct quantiles *q, size_t *budget)
{
    if (q->groups) {
        count_waiting(q);
        return true;
    }
    uint32_t room = q->room ? 2 * q->room : FIRST_ROOM;
    if (room > QUANTILES_EXACT || room - q->room > *budget) {
        size_t held = q->room;
        bool good = to_buckets(q);
        *budget += good ? held : 0;
        return good;
    }
    uint64_t *bigger = realloc(q->values, room * sizeof *bigger);
    if (!bigger)
        return false;
    *budget -= room - q->room;
    q->values = bigger;
    q->room = room;
    return true;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return UINT64_MAX - a < b ? UINT64_MAX : a + b;
}

/* The values that `from` keeps, and the buckets that it has. */
static bool add_counts(struct quantiles *q, const struct quantiles *from)
{
    for (uint32_t i = 0; i < from->kept; i++) {
        size_t bucket = quantiles_bucket(from->values[i]);
        if (!quantiles_open_group(q, bucket / STEPS))
            return false;
        q->groups[bucket / STEPS][bucket % STEPS]++;
    }
    for (size_t group = 0; from->groups && group < GROUPS; group++) {
        if (!from->groups[group])
            continue;
        if (!quantiles_open_group(q, group))
            return false;
        for (size_t i = 0; i < STEPS; i++)
            q->groups[group][i] += from->groups[group][i];
    }
    return true;
}

bool quantiles_add_set(struct quantiles *q, const struct quantiles *from)
{
    if (!from->count)
        return true;
    if ((!q->groups && !to_buckets(q)) || !add_counts(q, from))
        return false;
    q->min = q->count && q->min < from->min ? q->min : from->min;
    q->max = q->max > from->max ? q->max : from->max;
    q->sum = sum_of(q->sum, from->sum);
    q->count += from->count;
    return true;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* One digit of all values, the smaller ones first. */
static void sort_digit(const uint64_t *from, uint64_t *to, uint32_t count, unsigned shift)
{
    uint32_t places[256] = {0}, place = 0;
    for (uint32_t i = 0; i < count; i++)
        places[from[i] >> shift & 255]++;
    for (int i = 0; i < 256; i++) {
        uint32_t n = places[i];
        places[i] = place;
        place += n;
    }
    for (uint32_t i = 0; i < count; i++)
        to[places[from[i] >> shift & 255]++] = from[i];
}

/* Digit by digit, as far as the largest value has any: an even number of them. */
static void sort_values(struct quantiles *q)
{
    uint64_t *spare = q->kept > RADIX_FROM ? malloc(q->kept * sizeof *spare) : NULL;
    if (!spare) {
        qsort(q->values, q->kept, sizeof *q->values, by_size);
        return;
    }
    for (unsigned shift = 0; shift < 64 && (!shift || q->max >> shift); shift += 16) {
        sort_digit(q->values, spare, q->kept, shift);
        sort_digit(spare, q->values, q->kept, shift + 8);
    }
    free(spare);
}

static uint64_t counted_at(const struct quantiles *q, uint64_t rank)
{
    uint64_t passed = 0, width;
    size_t i = 0;
    while (i + 1 < BUCKETS && passed + held_in(q, i) < rank)
        passed += held_in(q, i++);
    uint64_t value = first_of(i, &width) + width / 2;
    if (value < q->min)
        return q->min;
    return value > q->max ? q->max : value;
}

uint64_t quantiles_at(struct quantiles *q, unsigned per_mille)
{
    if (!q->count)
        return 0;
    uint64_t whole = q->count / 1000 * per_mille;
    uint64_t rank = whole + (q->count % 1000 * per_mille + 999) / 1000;
    rank = rank ? rank : 1;
    if (q->groups)
        count_waiting(q);
    if (q->groups)
        return rank == q->count ? q->max : counted_at(q, rank);
    for (uint32_t i = 1; i < q->kept; i++)
        if (q->values[i] < q->values[i - 1]) {
            sort_values(q);
            break;
        }
    return q->values[rank - 1];
}

uint64_t quantiles_above(struct quantiles *q, uint64_t value)
{
    uint64_t above = 0, width;
    if (q->groups)
        count_waiting(q);
    for (uint32_t i = 0; i < q->kept; i++)
        above += q->values[i] > value;
    for (size_t i = 0; q->groups && i < BUCKETS; i++)
        above += first_of(i, &width) > value ? held_in(q, i) : 0;
    return above;
}

void quantiles_free(struct quantiles *q)
{
    groups_free(q);
    free(q->values);
    *q = (struct quantiles){0};
}
