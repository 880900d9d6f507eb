/* lost.h - values that are NULL in a query because their column, or SQLite, cannot hold them. */
#ifndef SQL_LOST_H
#define SQL_LOST_H

#include "base/thread.h"
#include "sql/catalog.h"

/* Of one column. */
struct lost_count {
    uint64_t unfit, nan;
};

/* Those of all queries of a connection; threads add to it. */
struct lost {
    struct os_mutex mutex;
    struct lost_column {
        const struct sql_table *table;
        size_t column;
        struct lost_count count;
    } * columns;
    size_t count, room;
    bool has_mutex, keeps_nan;
};

bool lost_open(struct lost *);
void lost_close(struct lost *);
/* Counts of one reading of a table, by column: of several readings the largest is kept, since a
 * join reads a table again and again. */
void lost_note(struct lost *, const struct sql_table *, const struct lost_count *);
/* The values of a column of a batch. */
void lost_add(struct lost_count *, const struct ras_column *, enum ras_type, size_t rows,
              bool keeps_nan);
#endif
