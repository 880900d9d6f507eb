/* pyramid.h - what rows show at every width of a bucket, within a budget of memory.
 *
 * A row is disjoint slices, instants, or values of a counter. A bucket is 2^shift units wide; an
 * entry belongs to that in which its longest slice starts. When the budget is used up, the finest
 * shift that is kept, the base, becomes larger for all rows. */
#ifndef VIEW_PYRAMID_H
#define VIEW_PYRAMID_H

#include "view/entry.h"

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
/* This share of all items was added, 0 to 1: where the rest would not fit, the base becomes coarser
 * now, while there is little to make coarser. */
void pyramid_plan(struct pyramid *, double share);
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
