/* profile_pair.h - one table of the statistics of two traces, its rows paired by what they are
 * about. */
#ifndef OPS_COMPARE_PROFILE_PAIR_H
#define OPS_COMPARE_PROFILE_PAIR_H

#include "core/document.h"
#include <rastrum/rastrum.h>

enum { PAIR_COLUMNS_MOST = 64 };

/* A row of each side; NULL: it has none. Cells are counted from 1. */
struct profile_pair {
    const struct ras_value *row[2];
};

struct profile_pairs {
    const struct ras_value *table[2]; /* NULL: the side has no such table */
    const char *names[PAIR_COLUMNS_MOST];
    size_t column_count;
    bool is_key[PAIR_COLUMNS_MOST];
    /* Where each column is on both sides, from 1; 0: not there. */
    size_t at[2][PAIR_COLUMNS_MOST];
    struct profile_pair *pairs;
    size_t count;
};

/* The rows of a table, in no particular order; `keys` ends with NULL. Without keys a row is known
 * by its texts, or by its first column where it has none. RAS_OK or RAS_EMEMORY; free it in any
 * case. */
int profile_pairs_make(struct profile_pairs *, const struct ras_value *a, const struct ras_value *b,
                       const char *const *keys, struct ras_error *);
void profile_pairs_free(struct profile_pairs *);
/* The number of a column; SIZE_MAX: there is none. */
size_t profile_column(const struct profile_pairs *, const char *name);
/* The cell of a pair; NULL: that side has none. */
static inline const struct ras_value *profile_cell(const struct profile_pairs *p,
                                                   const struct profile_pair *pair, int side,
                                                   size_t column)
{
    size_t at = p->at[side][column];
    return pair->row[side] && at ? &pair->row[side][at] : NULL;
}
/* A cell as a number; false: it is not one. NULL is fine. */
bool profile_number(const struct ras_value *, double *);
/* The second less the first; a missing one is 0. False: neither is a number. */
bool profile_change(const struct ras_value *a, const struct ras_value *b, double *change);
/* The same as a value: whole where both are. */
void profile_put_change(struct document *, const struct ras_value *a, const struct ras_value *b);
/* What a row is about: its keys, joined by commas, clipped. */
const char *profile_row_name(const struct profile_pairs *, const struct profile_pair *, char *text,
                             size_t size);
#endif
