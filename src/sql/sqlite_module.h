/* sqlite_module.h - the virtual tables of SQLite over the tables of a trace. */
#ifndef SQL_SQLITE_MODULE_H
#define SQL_SQLITE_MODULE_H

#include "sql/catalog.h"
#include "sql/sqlite_api.h"

#include <stdatomic.h>

struct copy;
struct module_table;

/* A connection: what its tables share. */
struct module {
    struct catalog *catalog;
    struct ras_sql_options options;
    bool is_extension;    /* statements are not ours: they begin and end unseen */
    bool ungrouped;       /* after grouping ran out of memory */
    bool grouping_failed; /* it just did */
    struct lost *lost;    /* NULL: not counted */
    bool timed_out, canceled;
    /* Where several threads read: they obey this, in place of the clock and the caller. */
    const atomic_int *stop;
    bool declaring;              /* our own CREATE TABLE, which the authorizer must not deny */
    const char *text;            /* of the statement that is prepared */
    uint64_t deadline_ms;        /* of the clock; 0: none */
    uint64_t statement;          /* counts them */
    uint64_t copy_bytes;         /* of all copies */
    struct module_table *tables; /* all that are connected */
    struct retired *retired;     /* readers whose text a statement may still use */
    size_t retired_count;
    struct ras_error err;        /* of the last failure in a table */
    struct ras_symbols *symbols; /* for demangle(); NULL: not used yet */
    struct run_ticks *ticks;     /* run_ticks.c; NULL: not used yet */
};

/* Whether to go on: false after the deadline or when the caller cancels. */
bool module_goes_on(struct module *);
/* The same as a ras_progress. */
bool module_progress(void *module, uint64_t done, uint64_t total);
/* A statement begins or has ended: what it could still use is freed. */
void module_between(struct module *);
/* Register the module under a name. */
int module_register(sqlite3 *, struct module *, const char *name);
/* Its functions; xConnect takes the number of a table of the catalog. */
extern const sqlite3_module module_rows;
int module_connect(sqlite3 *, void *module, int argc, const char *const *argv, sqlite3_vtab **,
                   char **message);
/* "CREATE TABLE x(...)" with the columns of a table, for sqlite3_declare_vtab(); sqlite3_free(). */
char *module_declaration(const struct ras_column_about *, size_t count);
/* The SELECT functions: hex64, u64, wall, ... */
int functions_register(sqlite3 *, struct module *);
#endif
