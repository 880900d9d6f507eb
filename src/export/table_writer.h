/* table_writer.h - what writes tables of column batches: a file for each, or one for all. The
 * interface between this library and librastrum-sql, which writes SQLite. */
#ifndef EXPORT_TABLE_WRITER_H
#define EXPORT_TABLE_WRITER_H

#include "base/error.h"
#include <rastrum/columns.h>
#include <rastrum/export.h>

/* The table that is written, and where it comes from. */
struct table_source {
    const struct ras_table_about *table;
    const uint16_t *columns; /* those of the batches, in their order */
    size_t column_count;
    const char *name;   /* FORMAT_TYPE: "atf_event" */
    const char *traces; /* which ones it was made of, as JSON */
    const struct ras_export_options *how;
    void *file; /* of all tables, where the writer has one */
};

static inline const struct ras_column_about *source_column(const struct table_source *s, size_t i)
{
    return &s->table->columns[s->columns[i]];
}

struct ras_table_writer {
    int (*open)(void **state, struct ras_sink *, const struct table_source *, struct ras_error *);
    /* The rows of a batch that its tests selected. */
    int (*write)(void *state, const struct ras_batch *, struct ras_error *);
    int (*finish)(void *state, struct ras_error *); /* NULL: nothing follows the rows */
    void (*close)(void *state);                     /* NULL is fine */
    /* Texts that the file has with U+FFFD, because it holds UTF-8 alone; NULL: it holds all. */
    uint64_t (*not_utf8)(const void *state);
    const char *null_lists; /* what becomes of a list that is null; NULL: it is null */
    bool has_null_items;    /* of lists; false: such a list is null */
    const char *nans;       /* what becomes of NaN; NULL: it is kept */
    /* A file that holds all tables, with those of the system; NULL: each table has its own. */
    int (*file_open)(void **file, struct ras_sink *, struct ras_error *);
    /* Such a file also has what depends on tables that it has: all of a trace, and what only a run
     * has. Views and tables are counted. */
    int (*file_views)(void *file, const struct ras_tables *, const char *format, uint64_t *views,
                      struct ras_error *);
    int (*file_run)(void *file, struct ras_rundir *, uint64_t *tables, struct ras_error *);
    int (*file_finish)(void *file, struct ras_error *);
    void (*file_close)(void *file); /* NULL is fine */
};

/* Rows of a batch that are written. */
static inline size_t batch_count(const struct ras_batch *b)
{
    return b->selected ? b->selected_count : b->rows;
}

static inline size_t batch_row(const struct ras_batch *b, size_t i)
{
    return b->selected ? b->selected[i] : i;
}

static inline bool column_is_null(const struct ras_column *c, size_t row)
{
    return c->valid && !(c->valid[row / 8] >> row % 8 & 1);
}

/* Files of columns have numbers as they are in memory, in the order that readers expect. */
static inline int check_number_order(struct ras_error *err)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
               ? RAS_OK
               : fail(err, RAS_EUNSUPPORTED, RAS_NONE,
                      "this build reads only: binary columns need a little-endian machine");
}

extern const struct ras_table_writer parquet_writer, arrow_writer, clickhouse_writer, csv_writer,
    jsonl_writer;
/* The columns of a table as _columns has them, as JSON. */
struct out;
void columns_put_json(struct out *, const struct table_source *);
#endif
