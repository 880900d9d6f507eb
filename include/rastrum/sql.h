/* sql.h - questions to traces in SQL, without an import: every record type is a table.
 *
 * The tables are those of columns.h. One trace has its tables in the schema `main`; a run directory
 * has a schema for each of its traces; of several sources each has a schema of its name, and `main`
 * has tables of all traces of a format together. docs/sql.md has examples.
 *
 *     const struct ras_sql_source source = {.trace = trace};
 *     const char text[] = "SELECT count(*) FROM command";
 *     struct ras_sql *sql;
 *     struct ras_sql_query *query;
 *     const struct ras_value *cells;
 *     size_t used;
 *     if (ras_sql_open(&sql, &source, 1, NULL, err) == RAS_OK) {
 *         if (ras_sql_prepare(&query, sql, text, strlen(text), &used, err) == RAS_OK) {
 *             if (ras_sql_next(query, &cells, err) == RAS_OK)
 *                 printf("%" PRId64 "\n", cells[0].i);
 *             ras_sql_query_close(query);
 *         }
 *         ras_sql_close(sql);
 *     } */
#ifndef RASTRUM_SQL_H
#define RASTRUM_SQL_H

#include <rastrum/columns.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Traces of a run, or one trace; both stay the caller's and must outlive the struct ras_sql. */
struct ras_sql_source {
    const char *name;        /* of its schema; NULL: t1, t2, ... where there are several */
    struct ras_trace *trace; /* NULL: `run` */
    struct ras_rundir *run;
    uint64_t reserved[2];
};

struct ras_sql_options {
    size_t struct_size;     /* sizeof, or 0: see docs/abi.md */
    const char *engine;     /* a name of ras_sql_engine_at(); NULL: the first */
    uint64_t max_memory;    /* bytes that queries may use; 0: 1 GiB */
    uint64_t timeout_ms;    /* of one query; 0: none */
    bool no_grouping;       /* leave GROUP BY to the engine: for measurements and tests */
    bool no_lookup;         /* read the table again for every row of a join: likewise */
    bool no_push_down;      /* leave every condition to the engine: likewise */
    ras_progress *progress; /* called while a query works; false cancels it. With DuckDB also by a
                             * thread of its own, as (user, 0, 0) */
    void *user;
    unsigned threads; /* DuckDB: that read large tables in shares; 0: one for each processor. Set,
                       * small ones are shared out, too */
    bool stats; /* tables stats_NAME, too: the traces are walked for them when they are opened */
};

struct ras_sql;
RAS_API int ras_sql_open(struct ras_sql **out, const struct ras_sql_source *sources, size_t count,
                         const struct ras_sql_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_sql_close(struct ras_sql *sql); /* NULL is fine */
/* Remarks that a user should see, one line each: tables that were left out, for example. */
RAS_API const char *const *ras_sql_notes(const struct ras_sql *sql, size_t *count);

/* Values that queries so far found NULL because their column cannot hold them; NULL: past the last
 * column that has such. It lives until the next call. Of a table that was read several times the
 * largest counts are given. */
struct ras_sql_lost {
    const char *schema, *table, *column;
    const char *type; /* of the column, as declared */
    uint64_t unfit; /* values that the type does not have; `values` of the table record has them */
    uint64_t nan;   /* NaN, which SQLite does not have */
};
RAS_API const struct ras_sql_lost *ras_sql_lost_at(struct ras_sql *sql, size_t i);

/* The i-th engine; false: past the last one. */
struct ras_sql_engine_about {
    const char *name;
    char missing[200]; /* why it cannot be used; "": it can */
    uint64_t reserved[2];
};
RAS_API bool ras_sql_engine_at(size_t i, struct ras_sql_engine_about *out);

/* A table or a view; NULL past the last one. */
struct ras_sql_table {
    const char *schema, *name;
    const char *view;                       /* its SELECT; NULL: a table */
    const struct ras_column_about *columns; /* of a table */
    size_t column_count;
};
RAS_API const struct ras_sql_table *ras_sql_table_at(const struct ras_sql *sql, size_t i);

/* The type of a column as it is declared: "UBIGINT", "TEXT". */
RAS_API const char *ras_sql_type(const struct ras_column_about *column);
/* A name as SQL has it: in double quotes, doubled inside; free() it. NULL: memory is short. */
RAS_API char *ras_sql_quote(const char *name);

/* For ras_export_options.sqlite: the tables of a trace or a run as a database of SQLite. */
struct ras_table_writer;
RAS_API const struct ras_table_writer *ras_sql_table_writer(void);

/* For ras_view_options.sql: queries of a view. Constant. */
struct ras_sql_queries;
RAS_API const struct ras_sql_queries *ras_sql_queries(void);

/* ---- queries ------------------------------------------------------------------------------- */

struct ras_sql_query;

/* A column of the result. */
struct ras_sql_column {
    const char *name;
    const char *type; /* as declared: "UBIGINT", "TEXT"; NULL: an expression */
    unsigned flags;   /* RAS_HEX: a hash or an address */
    uint64_t reserved[2];
};

/* Prepare the first statement of a text; *used is how many bytes of it that is. *out is NULL where
 * only blanks and comments are left. RAS_EUSAGE: a mistake in the SQL at err->offset of the text,
 * where the engine tells. DuckDB executes the statement here, SQLite with the first row. */
RAS_API int ras_sql_prepare(struct ras_sql_query **out, struct ras_sql *sql, const char *text,
                            size_t len, size_t *used, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_sql_query_close(struct ras_sql_query *query); /* NULL is fine */
RAS_API const struct ras_sql_column *ras_sql_columns(const struct ras_sql_query *query,
                                                     size_t *count);
/* The next row: RAS_OK, RAS_END or an error. Cells are scalars and live until the next call:
 * RAS_NULL, RAS_BOOL, RAS_UINT, RAS_INT, RAS_F32, RAS_F64, RAS_STR, RAS_BLOB. After RAS_END
 * ras_ending() of a trace that was read says whether it was cut. */
RAS_API int ras_sql_next(struct ras_sql_query *query, const struct ras_value **cells,
                         struct ras_error *err) RAS_CHECKED;
/* Whether a text ends a statement: an editor then runs it. */
RAS_API bool ras_sql_is_complete(const char *text);

#ifdef __cplusplus
}
#endif
#endif
