/* quantiles.c - count, extremes, sum and quantiles of values. */
#include "codec/quantiles.h"

#include <stdlib.h>

enum {
    BUCKETS = QUANTILES_SMALL + (64 - QUANTILES_SMALL_BITS) * QUANTILES_STEPS,
    FIRST_ROOM = 16,
    RADIX_FROM = 512,
};

static uint64_t first_of(size_t bucket, uint64_t *width)
{
    *width = 1;
    if (bucket < QUANTILES_SMALL)
        return bucket;
    size_t above = bucket - QUANTILES_SMALL;
    unsigned top = (unsigned)(above / QUANTILES_STEPS) + QUANTILES_SMALL_BITS;
    *width = UINT64_C(1) << (top - QUANTILES_STEP_BITS);
    return (UINT64_C(1) << top) + above % QUANTILES_STEPS * *width;
}

/* From here on values are counted in buckets. */
static bool to_buckets(struct quantiles *q, size_t *budget)
{
    q->buckets = calloc(BUCKETS, sizeof *q->buckets);
    if (!q->buckets)
        return false;
    for (uint32_t i = 0; i < q->kept; i++)
        q->buckets[quantiles_bucket(q->values[i])]++;
    free(q->values);
    *budget += q->room;
    q->values = NULL;
    q->kept = q->room = 0;
    return true;
}

bool quantiles_grow(struct quantiles *q, size_t *budget)
{
    uint32_t room = q->room ? 2 * q->room : FIRST_ROOM;
    if (room > QUANTILES_EXACT || room - q->room > *budget)
        return to_buckets(q, budget);
    uint64_t *bigger = realloc(q->values, room * sizeof *bigger);
    if (!bigger)
        return false;
    *budget -= room - q->room;
    q->values = bigger;
    q->room = room;
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
    while (i + 1 < BUCKETS && passed + q->buckets[i] < rank)
        passed += q->buckets[i++];
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
    if (q->buckets)
        return rank == q->count ? q->max : counted_at(q, rank);
    for (uint32_t i = 1; i < q->kept; i++)
        if (q->values[i] < q->values[i - 1]) {
            sort_values(q);
            break;
        }
    return q->values[rank - 1];
}

uint64_t quantiles_above(const struct quantiles *q, uint64_t value)
{
    uint64_t above = 0, width;
    for (uint32_t i = 0; i < q->kept; i++)
        above += q->values[i] > value;
    for (size_t i = 0; q->buckets && i < BUCKETS; i++)
        above += first_of(i, &width) > value ? q->buckets[i] : 0;
    return above;
}

void quantiles_free(struct quantiles *q)
{
    free(q->values);
    free(q->buckets);
    *q = (struct quantiles){0};
}
