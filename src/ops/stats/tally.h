/* tally.h - how often things occur, in total and in each tick or frame.
 *
 * Things have a number and optionally a name. Beyond TALLY_MOST of them the rest is counted as
 * one. */
#ifndef OPS_STATS_TALLY_H
#define OPS_STATS_TALLY_H

#include "base/id_table.h"
#include "ops/stats/stats_driver.h"

#include <stddef.h>

enum { TALLY_MOST = 4096 };
#define TALLY_OTHERS UINT64_MAX

/* Ticks and frames that a table has a row for; more are in the figures over all only. */
enum { UNITS_LISTED = 65536 };
/* Whether such a table gets another row after `count` of them; there is room for it then. */
bool tally_lists(struct stats *, void *rows, size_t *room, size_t count, size_t size);

struct tally_row {
    uint64_t id;
    const char *name; /* static text; NULL: it has none */
    uint64_t count, bytes;
    uint64_t units;   /* ticks or frames in which it occurs */
    uint64_t in_unit; /* in the open one */
    uint64_t first, last;
    struct quantiles per_unit; /* of those in which it occurs */
};

struct tally {
    struct tally_row *rows;
    size_t count, room;
    struct id_table ids;
};

/* One more of them, in the tick or frame `at`. */
void tally_add(struct stats *, struct tally *, uint64_t id, const char *name, uint64_t bytes,
               uint64_t at);
/* The tick or frame has ended; or the things so far belong to none. */
void tally_unit_end(struct stats *, struct tally *);
void tally_unit_none(struct tally *);
void tally_free(struct tally *);

/* Columns and cells of a row: how many in each unit in which it occurs. */
#define TALLY_PER_UNIT                                                                             \
    {"p50", .put = tally_put_per_unit}, {"p95", STATS_SAME}, {"p99", STATS_SAME},                  \
    {                                                                                              \
        "max", STATS_SAME                                                                          \
    }
void tally_put_per_unit(struct stats *, void *tally_row, void *user);
/* A column of a tally's rows: `member` of struct tally_row. */
#define TALLY_COLUMN(name, member)                                                                 \
    {                                                                                              \
        name, STATS_U64, offsetof(struct tally_row, member)                                        \
    }
/* The share of a row in `user`, the total count (uint64_t); its name, which it has. */
void tally_put_share(struct stats *, void *tally_row, void *user);
/* A table of the things in one unit: a row {name, count, min, p50, ...} for each set. */
#define TALLY_SPREAD "count", "min", "p50", "p90", "p95", "p99", "max", "total"
void tally_put_spread(struct stats *, const char *name, struct quantiles *);
#endif
