/* pyramid.h - what rows show at every width of a bucket, within a budget of memory.
 *
 * A row is disjoint slices, instants, or values of a counter. A bucket is 2^shift units wide; an
 * entry belongs to that in which its longest slice starts. When the budget is used up, the finest
 * shift that is kept, the base, becomes larger for all rows. */
#ifndef VIEW_PYRAMID_H
#define VIEW_PYRAMID_H

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

void entry_list_sort(struct entry_list *); /* by start */

/* b joins a, which is in the same bucket; the result does not depend on their order, but for the
 * rounding of `busy` and `sum`. */
void entry_merge(struct entry *a, const struct entry *b, bool values);
/* Sort entries and merge those of one bucket of 2^shift; of those in buckets before the one of
 * `from` only the last is kept. */
void entry_list_fold(struct entry_list *, unsigned shift, uint64_t from, bool values);

struct pyramid;

/* The first base is `floor`. NULL: memory is short. */
struct pyramid *pyramid_new(size_t budget_bytes, unsigned floor);
void pyramid_free(struct pyramid *); /* NULL is fine */

#define PYRAMID_NONE UINT32_MAX
/* A new row; PYRAMID_NONE: memory is short, or there are too many for the budget. */
uint32_t pyramid_row(struct pyramid *, bool values);
/* Add one slice or value, of count 1. False: memory is short. */
bool pyramid_add(struct pyramid *, uint32_t row, const struct entry *);
bool pyramid_add_many(struct pyramid *, const uint32_t *rows, const struct entry *, size_t count);
unsigned pyramid_base(const struct pyramid *);
/* Append the entries of a row in buckets of 2^shift, at least the base, that start in [from, last],
 * and the last one before; folded. False: memory is short. */
bool pyramid_read(struct pyramid *, uint32_t row, unsigned shift, uint64_t from, uint64_t last,
                  struct entry_list *);
/* What the first reading of a row would do. False: memory is short. */
bool pyramid_settle(struct pyramid *, uint32_t row);
size_t pyramid_rows(const struct pyramid *);
/* Bytes held. */
size_t pyramid_bytes(const struct pyramid *);
#endif
