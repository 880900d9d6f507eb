/* column_reader.h - a scan of a table while it is read; shared by the files that read. */
#ifndef OPS_COLUMNS_COLUMN_READER_H
#define OPS_COLUMNS_COLUMN_READER_H

#include "ops/columns/columns_driver.h"
#include "ops/columns/table_set.h"
#include "ops/rundir/rundir_axes.h"

/* Where the values of a schema go in this scan: as struct bind, with buffers for columns. */
struct slot {
    int32_t buffer, word; /* -1: none */
    uint32_t inner, inner_count;
    bool used; /* it, or something inside */
};
struct slots {
    struct slot *at;
    size_t count;
    uint32_t fields; /* of the schema */
    const struct ras_schema *schema;
    bool known;
    /* Child tables: which field holds the list, and the members inside. */
    uint16_t path[NEST_MOST + 1];
    unsigned depth;
};

/* A buffer that is filled from the record itself. */
struct head_column {
    enum column_from from;
    uint16_t buffer;
};

struct ras_columns {
    struct ras_tables *set;
    struct table *table;
    struct ras_cursor *cursor;
    struct column_buffer *buffers;
    uint16_t *columns; /* of the table, by buffer */
    size_t buffer_count;
    uint16_t *order; /* of the batch: buffers */
    size_t order_count;
    int32_t *buffer_of; /* by column of the table; -1: none */
    struct head_column *heads;
    size_t head_count;
    size_t field_count;  /* buffers that fields fill */
    struct slots *slots; /* by schema id */
    size_t slots_count;
    struct slots items; /* child tables: the members of an item */
    struct column_test *tests;
    size_t test_count;
    struct ras_column *out;
    struct ras_batch batch;
    struct aligned_bytes selected;
    size_t rows, next_rows, most_rows;
    bool has_end, ended, on_time, has_ticks;
    uint64_t tick_from, tick_to; /* has_ticks: of the run, half-open */
    bool has_long;               /* columns of values of any length */
    struct ras_mark end;
    ras_progress *progress;
    void *user;
    struct ras_where *where; /* NULL: every record */
    struct out scratch;
    struct rundir_place run_tick; /* of the last record */
    /* Child tables: the rest of the list of the current record. */
    const struct ras_record *record;
    const struct ras_value *item, *item_end;
    uint32_t idx;
    bool keyed;
    uint64_t cell_row; /* of a table that was made */
    /* For the driver; NULL: it does not fill columns, or not these. */
    size_t (*run)(struct ras_cursor *, struct column_fill *);
    struct column_fill fill;
};

/* column_fill.c: up to `rows` rows; RAS_OK, RAS_END after the last, or an error. */
int columns_fill(struct ras_columns *, size_t rows, struct ras_error *);
#endif
