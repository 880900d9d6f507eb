/* duckdb_engine.h - DuckDB as the engine: what its files share. */
#ifndef SQL_DUCKDB_ENGINE_H
#define SQL_DUCKDB_ENGINE_H

#include "base/out.h"
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

struct duckdb {
    duckdb_handle database, connection;
    struct module module; /* deadline and cancelling; SQLite does not use it */
    /* The same tables in SQLite: the names and types of a result, and the tables of a run. */
    struct ras_sql names;
    struct duckdb_table *tables;
    size_t table_count, live;
};

/* duckdb_scan.c: make the function rastrum_N of a table. */
int duckdb_scan_register(struct duckdb *, size_t table, struct ras_error *);

/* A text as DuckDB takes it: what is not UTF-8 is \udcXX, as in JSON. *copy holds it where it
 * differs. */
struct ras_bytes duckdb_text(struct ras_bytes, struct out *copy);
/* The type of a column; destroy_logical_type() it. */
duckdb_handle duckdb_type_of(const struct duckdb_table *, size_t column);

/* duckdb_views.c: schemas, views, functions and tables of a run; then its own settings. */
int duckdb_views_make(struct ras_sql *, struct ras_error *);
/* Execute a statement of our own. */
int duckdb_run_own(struct duckdb *, const char *text, struct ras_error *);

/* duckdb_cells.c: the cells of a result. */
struct duckdb_column {
    int kind;   /* enum duckdb_kind */
    bool known; /* SQLite knows its type, or that it has none */
    const char *declared;
    duckdb_handle type, vector; /* vector: of the chunk */
    struct out text;            /* made of lists and large numbers */
};
bool duckdb_column_can_show(int kind);
/* The cell of a row of the chunk. */
struct ras_value duckdb_cell(struct duckdb_column *, uint64_t row);
#endif
