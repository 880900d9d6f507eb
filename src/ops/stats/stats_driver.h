/* stats_driver.h - the driver's part in the figures of a trace: tables of scalars.
 *
 * A driver's stats() walks the trace once, or as often as it must, and puts its tables in the order
 * in which people read them. Each states what its figures cover and, for a figure that cannot be
 * measured, why. */
#ifndef OPS_STATS_STATS_DRIVER_H
#define OPS_STATS_STATS_DRIVER_H

#include "codec/quantiles.h"
#include "core/document.h"
#include <rastrum/rastrum.h>

enum { STATS_TABLES_MOST = 64, STATS_COLUMNS_MOST = 128, STATS_WIDTH_MOST = 32 };

struct stats;

/* The value of a column, from a row that is a struct of the driver. */
enum stats_cell {
    STATS_PUT,  /* written by `put` into s->doc */
    STATS_SAME, /* written together with the column before it */
    STATS_U32,  /* a member of the row, at `at` */
    STATS_U64,
    STATS_BOOL,
    STATS_NAME, /* static text */
};

struct stats_column {
    const char *name;
    enum stats_cell cell;
    size_t at;
    void (*put)(struct stats *, void *row, void *user);
};

struct stats {
    struct ras_trace *trace;
    const struct ras_stats_options *options;
    struct ras_stats *out;
    struct document doc;
    size_t budget; /* values that may still be kept exactly */

    /* Private to core. */
    size_t top;                       /* the map of tables */
    size_t key, table, rows;          /* of the open one, in doc */
    size_t column_count;              /* of it */
    const char *const *names;         /* of its columns */
    const struct stats_column *cells; /* of a row for stats_put() */
    void *row_user;
    const char *width[STATS_WIDTH_MOST + 1]; /* names of `cells` */
    const char *order;                       /* sort by this column, unless another is requested */
    bool upwards;                            /* numbers from the smallest */
    const char *tables[STATS_TABLES_MOST];   /* all rows, shown or not */
    size_t table_count;
    const char *columns[STATS_COLUMNS_MOST]; /* of the requested tables, each once */
    size_t all_columns;
    size_t *held; /* of the requested tables, whether each was there */
    bool sorted;  /* a table had the column to sort by */
};

/* Begin a table; its columns end with NULL. Returns whether it was requested: one that was not may
 * be left without rows. */
bool stats_table(struct stats *, const char *name, const char *const *columns);
/* Sort its rows by a column unless the user names one: numbers descending, or ascending. */
void stats_order(struct stats *, const char *column, bool upwards);
/* End it, with what its figures cover. */
void stats_table_end(struct stats *, const char *coverage, ...)
    __attribute__((format(printf, 2, 3)));
/* A row: as many scalars as there are columns come between the two. */
size_t stats_row(struct stats *);
void stats_row_end(struct stats *, size_t row);

/* The same with columns that describe where their values are; they end with a row without name. */
bool stats_columns(struct stats *, const char *name, const struct stats_column *, void *user);
/* A row of such a table; or several, `size` bytes each. */
void stats_put(struct stats *, void *row);
void stats_put_rows(struct stats *, void *rows, size_t count, size_t size);

/* The columns of a set of durations: its count, then quantiles, which are null when nothing was
 * counted. */
#define STATS_DURATIONS                                                                            \
    "count", "min_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "max_ns", "total_ns"
void stats_put_quantiles(struct stats *, struct quantiles *);
/* One more value; lack of memory is reported at the end. */
static inline void stats_add(struct stats *s, struct quantiles *q, uint64_t value)
{
    if (!quantiles_add(q, &s->budget, value))
        s->doc.cells.nomem = true;
}
/* The precision of the quantiles of a table: "exact", or within how much. */
const char *stats_exactness(bool all_exact);

/* Walk all records of a scan within the requested range; `take` may stop it with an error. The
 * ending of the trace is noted in s->out. */
typedef int stats_take(void *user, const struct ras_cursor *, const struct ras_record *,
                       struct ras_error *);
int stats_walk(struct stats *, const struct ras_scan *, stats_take *, void *user,
               struct ras_error *);
/* The result of a walk over all records: ras_first_time() of the trace, which then needs no walk of
 * its own. */
void stats_found_first(struct stats *, uint64_t time_ns);
/* Whether a place on the requested axis is in the range. */
bool stats_in_range(const struct stats *, enum ras_axis, uint64_t at);
#endif
