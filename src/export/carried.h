/* carried.h - what tables in files do not carry as it is, counted while rows are written. */
#ifndef EXPORT_CARRIED_H
#define EXPORT_CARRIED_H

#include <rastrum/columns.h>

struct carried {
    uint64_t unfit;      /* values that their column cannot hold are null */
    uint64_t null_lists; /* lists that are null */
    uint64_t null_items; /* lists with an item that is null */
    uint64_t nans;
    uint64_t not_utf8; /* texts; the writer counts them */
};
#define CARRIED_UNFIT      "values that their column cannot hold are null"
#define CARRIED_NULL_ITEMS "lists with an item that is null are null"
#define CARRIED_NOT_UTF8   "texts that are not UTF-8 have U+FFFD instead"

/* Count the rows of a column of a batch that its tests selected; NaN only where `nans`. */
void carried_column(struct carried *, const struct ras_batch *, const struct ras_column *,
                    enum ras_type, bool nans);
#endif
