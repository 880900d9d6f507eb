/* run_tables.h - what only run directories have: run.json as a table, and when each tick was. */
#ifndef SQL_RUN_TABLES_H
#define SQL_RUN_TABLES_H

#include "sql/sqlite_module.h"

/* main.run and main.run_ticks, where there is a run directory. */
int run_tables_make(sqlite3 *, struct module *, struct ras_error *);
/* The same as tables that hold their rows, for a database without this module. */
int run_tables_store(sqlite3 *, struct module *, struct ras_error *);
void run_tables_free(struct module *);

/* When the ticks of a run began. */
struct run_tick {
    uint64_t tick, begin_ns, end_ns;
};
/* Of the run of that name (NULL: the first one); NULL with *status < 0, or RAS_END: there is none.
 */
const struct run_tick *run_ticks_of(struct module *, const char *name, size_t *count, int *status,
                                    struct ras_error *);
#endif
