/* sqlite_extension.h - traces that a connection of another program has opened. */
#ifndef SQL_SQLITE_EXTENSION_H
#define SQL_SQLITE_EXTENSION_H

#include "sql/sqlite_module.h"

struct extension;

/* A trace or run directory, opened once for each connection. */
struct opened {
    struct opened *next;
    char *path;
    struct ras_sql_source source;
    struct catalog catalog;
    struct module module;
    unsigned number; /* its module is rastrum_NUMBER */
};

/* Open a path, or find it opened; NULL after filling err. */
struct opened *extension_open(struct extension *, const char *path, struct ras_error *err);

/* sqlite_records.c: rastrum_records('PATH'[, 'type']). */
int records_register(sqlite3 *, struct extension *);
#endif
