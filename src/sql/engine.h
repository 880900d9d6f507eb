/* engine.h - the interface to what executes SQL: a row of functions for each engine. */
#ifndef SQL_ENGINE_H
#define SQL_ENGINE_H

#include "sql/catalog.h"

#include <stdatomic.h>

struct sql_engine {
    const char *name;
    /* Whether it can be used, else why not; NULL: it is always there. */
    bool (*find)(char *why, size_t room);
    /* Each reports its own failure; `state` of struct ras_sql is
     * the engine's own. */
    int (*open)(struct ras_sql *, struct ras_error *);
    void (*close)(struct ras_sql *);
    int (*prepare)(struct ras_sql_query **, struct ras_sql *, const char *text, size_t len,
                   size_t *used, struct ras_error *);
    int (*next)(struct ras_sql_query *, struct ras_error *);
    void (*query_close)(struct ras_sql_query *); /* frees what is its own, not the query */
};

extern const struct sql_engine sqlite_engine, duckdb_engine;

struct ras_sql {
    const struct sql_engine *engine;
    struct ras_sql_options options;
    struct catalog catalog;
    struct lost *lost; /* NULL: not counted */
    struct ras_sql_lost lost_shown;
    const atomic_int *stop; /* for an engine that serves another one: struct module */
    void *state;
};

/* The beginning of an engine's query. */
struct ras_sql_query {
    struct ras_sql *sql;
    struct ras_sql_column *columns;
    struct ras_value *cells;
    size_t column_count;
};
#endif
