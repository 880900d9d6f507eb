/* duckdb_engine.h - DuckDB as the engine: what its files share.
 *
 * DuckDB reads a table with several threads. A trace belongs to one thread at a time: what reads
 * the traces of the catalog, or SQLite's tables of them, holds `lock`; shares of large traces are
 * read over traces of their own (duckdb_shares.c), without it. */
#ifndef SQL_DUCKDB_ENGINE_H
#define SQL_DUCKDB_ENGINE_H

#include "base/out.h"
#include "base/thread.h"
#include "sql/duckdb_api.h"
#include "sql/engine.h"
#include "sql/sqlite_plan.h"

/* A table of the catalog as a table function, or a query to `names` as one. */
struct duckdb_table {
    struct duckdb *duckdb;
    struct module_table read; /* for the reader; its `table` is NULL for a query */
    const char *query;
    const struct ras_column_about *columns; /* of either */
    size_t column_count;
};

/* Why no more is read. */
enum duckdb_stop { DUCKDB_GOES_ON, DUCKDB_TIMED_OUT, DUCKDB_CANCELED };

struct duckdb {
    duckdb_handle database, connection;
    struct module module; /* of the readers; SQLite does not use it */
    /* The same tables in SQLite: the names and types of a result, and the tables of a run. */
    struct ras_sql names;
    struct duckdb_table *tables;
    size_t table_count, live;
    unsigned threads;
    struct os_mutex lock;
    bool has_lock;
    struct duckdb_trace *traces;      /* duckdb_shares.c: one for each trace of the catalog */
    atomic_int stop;                  /* enum duckdb_stop */
    atomic_uint_fast64_t done, total; /* bytes, for the progress of a query */
};

/* Keep the first failure of a statement, whichever thread it is of. */
void duckdb_note_failure(struct duckdb *, const struct ras_error *);

/* ---- duckdb_watch.c ------------------------------------------------------------------------ */

/* A thread that stops and interrupts DuckDB at the deadline, or when the caller cancels: one step
 * of an execution can take any time. */
struct duckdb_watch {
    struct duckdb *duckdb;
    duckdb_handle connection;
    struct os_mutex mutex;
    struct os_condition changed;
    struct os_thread thread;
    uint64_t deadline_ns; /* of os_boot_ns(); 0: none */
    bool runs, done;
};
bool duckdb_watch_start(struct duckdb_watch *, struct duckdb *, duckdb_handle connection);
void duckdb_watch_stop(struct duckdb_watch *); /* twice is fine */
/* For the thread of the caller: report the progress to it; false: stop. */
bool duckdb_goes_on(struct duckdb *);

/* ---- duckdb_shares.c ----------------------------------------------------------------------- */

int duckdb_traces_open(struct duckdb *, struct ras_error *);
void duckdb_traces_close(struct duckdb *);
/* Marks that cut a member of a table in shares, one less than these; NULL: it is read as a whole,
 * over the trace of the catalog. With the lock. They stay until the engine is closed. */
const struct ras_mark *duckdb_shares_of(struct duckdb *, const struct sql_member *, size_t *count);
/* The tables of a trace for a thread; give them back with how a share of them ended. */
int duckdb_tables_take(struct duckdb *, const struct sql_trace *, struct ras_tables **,
                       struct ras_error *);
void duckdb_tables_give(struct duckdb *, const struct sql_trace *, struct ras_tables *);
/* A query has ended: walk the traces of which a share did not end well, for their endings. */
int duckdb_traces_end(struct duckdb *, struct ras_error *);

/* ---- duckdb_scan.c, duckdb_vectors.c ------------------------------------------------------- */

/* Make the function rastrum_N of a table. */
int duckdb_scan_register(struct duckdb *, size_t table, struct ras_error *);
/* The type of a column; destroy_logical_type() it. */
duckdb_handle duckdb_type_of(const struct duckdb_table *, size_t column);
/* A text as DuckDB takes it: what is not UTF-8 is \udcXX, as in JSON. *copy holds it where it
 * differs. */
struct ras_bytes duckdb_text(struct ras_bytes, struct out *copy);

struct reader;
/* Rows from..from+count of the reader's batch to a vector, for a column of the table. */
bool duckdb_fill(const struct duckdb_table *, struct reader *, duckdb_handle vector, size_t column,
                 size_t from, size_t count, struct out *text);
/* A cell of a query to a row of a vector. */
void duckdb_put_cell(duckdb_handle vector, size_t row, enum ras_type, const struct ras_value *,
                     struct out *text);
void duckdb_set_null(duckdb_handle vector, size_t row);

/* ---- duckdb_views.c, duckdb_functions.c ---------------------------------------------------- */

/* Schemas, views, functions and tables of a run; then its own settings. */
int duckdb_views_make(struct ras_sql *, struct ras_error *);
/* Execute a statement of our own. */
int duckdb_run_own(struct duckdb *, const char *text, struct ras_error *);
/* at, demangle, wall, tick_of, time_of. */
int duckdb_functions_make(struct duckdb *, struct ras_error *);

/* ---- duckdb_cells.c: the cells of a result ------------------------------------------------- */

struct duckdb_column {
    int kind;   /* enum duckdb_kind */
    bool known; /* SQLite knows its type, or that it has none */
    const char *declared;
    duckdb_handle type, vector; /* vector: of the chunk */
    struct out text;            /* made of lists and large numbers */
};
bool duckdb_column_can_show(int kind);
bool duckdb_is_null(duckdb_handle vector, uint64_t row);
/* The bytes of a VARCHAR or BLOB. */
struct ras_bytes duckdb_bytes_at(duckdb_handle vector, uint64_t row);
/* The cell of a row of the chunk. */
struct ras_value duckdb_cell(struct duckdb_column *, uint64_t row);
#endif
