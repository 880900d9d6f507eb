/* sqlite_reader.h - the rows of a table for one execution of a plan, batch by batch. */
#ifndef SQL_SQLITE_READER_H
#define SQL_SQLITE_READER_H

#include "sql/cell_text.h"
#include "sql/lost.h"
#include "sql/sqlite_plan.h"

/* The value of a condition. */
struct condition_value {
    bool usable; /* it narrows what is read; else only SQLite knows what it means */
    struct ras_value value;
    char *text;           /* a copy of the value's own, which SQLite may change */
    struct ras_value *in; /* sorted; of RAS_TEST_IN */
    size_t in_count;
};

struct reader {
    struct module_table *table;
    const struct plan_condition *conditions; /* borrowed, like the values */
    const struct condition_value *values;
    size_t condition_count;
    const uint16_t *wanted; /* columns of the table, borrowed */
    size_t wanted_count;
    uint16_t *slots;  /* of each column of the table: its place in a batch, or SQL_NO_COLUMN */
    uint16_t *picked; /* columns of the member */
    size_t member;    /* the next one */
    size_t last;      /* after the last one; 0: all are read */
    struct ras_tables *tables;          /* those of another thread; NULL: the member's own */
    const struct ras_mark *begin, *end; /* a share of the member; NULL: all of it */
    const struct sql_member *current;
    struct ras_columns *columns;
    const struct ras_batch *batch;
    struct lost_count *lost; /* by column of the table; NULL: not counted */
    bool is_share;           /* the caller adds what is lost to that of other shares */
    struct cell_text text;
};

/* Take the arguments of xFilter. false: no row can match. `memory`: it is short. The lists are to
 * be freed with values_free(). */
bool values_take(struct condition_value *, const struct module_table *,
                 const struct plan_condition *, size_t count, sqlite3_value **, bool *memory);
void values_free(struct condition_value *, size_t count);

/* Columns of `used`, as sqlite3_index_info has them, and those of the keys: their number. */
size_t reader_wanted(const struct module_table *, const struct plan *, uint16_t *wanted);

int reader_open(struct reader *, struct module_table *, struct ras_error *);
/* RAS_OK with at least one selected row, RAS_END, or an error. */
int reader_next(struct reader *, struct ras_error *);
void reader_close(struct reader *);
/* Report what was lost since it was opened: it is opened again. */
void reader_settle(struct reader *);
/* The same, but its texts stay valid until module_between(). */
void reader_retire(struct reader *);

/* ---- cells --------------------------------------------------------------------------------- */

/* The column of the batch that holds a column of the table; NULL: all its rows are NULL. */
static inline const struct ras_column *reader_column(const struct reader *r, size_t column)
{
    uint16_t slot = r->slots[column];
    return slot == SQL_NO_COLUMN ? NULL : &r->batch->columns[slot];
}

/* The description of that column in the member. */
static inline const struct ras_column_about *reader_about(const struct reader *r, size_t column)
{
    const struct sql_member *m = r->current;
    return &m->about->columns[m->map ? m->map[column] : column];
}
#endif
