/* catalog.h - which tables there are: of one trace, of a run, of several of them together. */
#ifndef SQL_CATALOG_H
#define SQL_CATALOG_H

#include "base/memory.h"
#include <rastrum/sql.h>

enum { SQL_SCHEMAS_MOST = 10, SQL_COLUMNS_MOST = 2000, SQL_NO_COLUMN = UINT16_MAX };

/* A trace, with its tables. */
struct sql_trace {
    const char *name; /* in the column `trace` */
    struct ras_trace *trace;
    const struct ras_rundir *run;
    struct ras_tables *tables;
};

/* A table of one trace as a part of a table. */
struct sql_member {
    const struct sql_trace *trace;
    const struct ras_table_about *about;
    const uint16_t *map; /* its column for each one; SQL_NO_COLUMN: none; NULL: the same */
};

struct sql_table {
    struct ras_sql_table shown;
    const struct sql_member *members;
    size_t member_count;
    bool has_trace; /* column 0 is the name of the trace */
};

struct catalog {
    struct sql_trace *traces;
    size_t trace_count, trace_room;
    struct sql_table *tables;
    size_t table_count, table_room;
    const char **schemas; /* besides main */
    size_t schema_count, schema_room;
    const char **notes;
    size_t note_count, note_room;
    struct arena texts;
};

int catalog_open(struct catalog *, const struct ras_sql_source *, size_t count,
                 const struct ras_sql_options *, struct ras_error *);
void catalog_close(struct catalog *);

/* views.c: a view that people expect beside some tables. */
struct sql_view {
    const char *name;
    const char *needs[4]; /* tables */
    const char *column;   /* of the first one */
    const char *select;
};
/* The i-th, NULL past the last; and whether the tables of a trace allow it. */
const struct sql_view *sql_view_at(size_t i);
bool sql_view_fits(const struct sql_view *, const struct ras_tables *);
/* views.c: the views that the tables of a schema allow; false: memory is short. */
bool catalog_add_views(struct catalog *, const char *schema, const struct ras_tables *);
bool catalog_add(struct catalog *, const struct sql_table *);
#endif
