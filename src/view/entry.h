/* entry.h - what a bucket of a row shows: slices, instants or values, merged. */
#ifndef VIEW_ENTRY_H
#define VIEW_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bucket: of slices the longest, the sum of their lengths and how many; of values their sum,
 * range and number. */
struct entry {
    uint64_t start; /* of the longest slice; of the first value */
    union {
        uint64_t dur;
        double sum;
    };
    union {
        float busy;
        float min;
    };
    uint32_t count;
    union {
        uint32_t name;
        float max;
    };
    uint32_t seq; /* from that of the track's first record on */
};
_Static_assert(sizeof(struct entry) == 32, "half a cache line");

/* In `name`: the slice has not ended. */
#define ENTRY_OPEN UINT32_C(0x80000000)

struct entry_list {
    struct entry *at;
    size_t count, room;
};
bool entry_list_add(struct entry_list *, const struct entry *); /* false: memory is short */
void entry_list_sort(struct entry_list *);                      /* by start */

/* Sort entries and merge those of one bucket of 2^shift; of those in buckets before the one of
 * `from` only the last is kept. */
void entry_list_fold(struct entry_list *, unsigned shift, uint64_t from, bool values);

/* The longest, of equal ones the first. */
static inline bool entry_leads(const struct entry *b, const struct entry *a)
{
    bool first = (b->start < a->start) | ((b->start == a->start) & (b->seq < a->seq));
    return (b->dur > a->dur) | ((b->dur == a->dur) & first);
}

/* Without branches, which could not be predicted. */
static inline void merge_slices(struct entry *a, const struct entry *b)
{
    bool leads = entry_leads(b, a);
    uint32_t count = a->count + b->count;
    a->start = leads ? b->start : a->start;
    a->dur = leads ? b->dur : a->dur;
    a->busy += b->busy;
    a->count = count < a->count ? UINT32_MAX : count;
    a->name = leads ? b->name : a->name;
    a->seq = leads ? b->seq : a->seq;
}

static inline void merge_values(struct entry *a, const struct entry *b)
{
    if (b->start < a->start || (b->start == a->start && b->seq < a->seq)) {
        a->start = b->start;
        a->seq = b->seq;
    }
    a->sum += b->sum;
    a->min = b->min < a->min ? b->min : a->min;
    a->max = b->max > a->max ? b->max : a->max;
    a->count = a->count + b->count < a->count ? UINT32_MAX : a->count + b->count;
}

/* b joins a, which is in the same bucket; the result does not depend on their order, but for the
 * rounding of `busy` and `sum`. */
static inline void entry_merge(struct entry *a, const struct entry *b, bool values)
{
    if (values)
        merge_values(a, b);
    else
        merge_slices(a, b);
}
#endif
