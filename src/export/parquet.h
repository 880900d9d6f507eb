/* parquet.h - a table of column batches as a Parquet file. */
#ifndef EXPORT_PARQUET_H
#define EXPORT_PARQUET_H

#include <rastrum/columns.h>

/* What is stated of the whole file: text by key. */
struct parquet_fact {
    const char *key, *value;
};

struct parquet;

/* Whether a file must have room for null: a field's value may be one that its type cannot hold,
 * whatever its schema says; only common columns never are. */
static inline bool column_may_be_null(const struct ras_column_about *c)
{
    return c->flags & RAS_NULLABLE || c->field;
}

/* Whether an item of a list is null: in these files items are not, so the whole list is. */
static inline bool list_has_null(const struct ras_column *c, size_t row)
{
    const uint8_t *valid = c->items ? c->items->valid : NULL;
    for (uint32_t i = c->offsets[row]; valid && i < c->offsets[row + 1]; i++)
        if (!(valid[i / 8] >> i % 8 & 1))
            return true;
    return false;
}

/* Columns of the table, in the order of the batches that follow. The sink stays the caller's. */
int parquet_open(struct parquet **out, struct ras_sink *, const struct ras_table_about *,
                 const uint16_t *columns, size_t column_count, struct ras_error *) RAS_CHECKED;
/* Batches of another reader follow: its names may be where those of the last one were. */
void parquet_new_reader(struct parquet *);
/* The rows of a batch that its tests selected. */
int parquet_write(struct parquet *, const struct ras_batch *, struct ras_error *) RAS_CHECKED;
/* The last rows, the indexes and the footer. */
int parquet_finish(struct parquet *, const struct parquet_fact *, size_t fact_count,
                   struct ras_error *) RAS_CHECKED;
void parquet_free(struct parquet *); /* NULL is fine */
/* Rows written so far; bytes that wait for their row group to be full. */
uint64_t parquet_rows(const struct parquet *);
size_t parquet_held(const struct parquet *);
/* Texts that are not UTF-8, which Parquet wants, and have U+FFFD instead: each once a row group. */
uint64_t parquet_not_utf8(const struct parquet *);
/* Write them as a row group now. */
int parquet_flush(struct parquet *, struct ras_error *) RAS_CHECKED;
#endif
