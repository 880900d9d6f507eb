/* columns.h - a trace as tables: names, types, and batches of columns.
 *
 * A table is a record type, a list inside one (a child table), a table of `stats`, or one of the
 * system tables (_tables, _columns, _facts, _ending, _streams). Names, columns and types are
 * decided here, once; SQL, Arrow, Parquet, ClickHouse and CSV show the same. See docs/columns.md.
 *
 *     const struct ras_columns_scan scan = {.table = "command"};
 *     struct ras_columns *columns = NULL;
 *     const struct ras_batch *batch;
 *     uint64_t rows = 0;
 *     int status = ras_tables_open(&tables, trace, NULL, err);
 *     if (status == RAS_OK)
 *         status = ras_columns_open(&columns, tables, &scan, err);
 *     while (status == RAS_OK && (status = ras_columns_next(columns, &batch, err)) == RAS_OK)
 *         rows += batch->selected ? batch->selected_count : batch->rows;
 *     ras_columns_close(columns);
 *     ras_tables_close(tables); */
#ifndef RASTRUM_COLUMNS_H
#define RASTRUM_COLUMNS_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables ---------------------------------------------------------------- */

enum ras_type {
    RAS_T_BOOL,
    RAS_T_U8,
    RAS_T_U16,
    RAS_T_U32,
    RAS_T_U64,
    RAS_T_I64,
    RAS_T_F32,
    RAS_T_F64,
    RAS_T_TEXT,
    RAS_T_BLOB,
    RAS_T_JSON,
    RAS_T_LIST,
};
/* "bool", "u8", ..., "json", "list". */
RAS_API const char *ras_type_name(enum ras_type type);

/* Besides RAS_NULLABLE and RAS_HEX of enum ras_field_flags. */
enum ras_column_flags {
    RAS_HIDDEN = 64, /* can be named; neither in `*` nor in files */
    RAS_ALIAS = 128, /* holds what the column `alias_of` holds: a common one, or a field's newest
                      * name */
};

struct ras_column_about {
    const char *name;
    const char *field;        /* as the trace has it, "pos.x"; NULL for a common column */
    const char *unit;         /* "ns", "ms", "s", "tick", "bytes", "percent"; NULL: none */
    enum ras_type type, item; /* item: of a LIST */
    unsigned flags;           /* RAS_NULLABLE, RAS_HEX, RAS_HIDDEN, RAS_ALIAS */
    /* The common columns seq, time_ns, tick, and their aliases: a range of the scan. */
    enum ras_axis axis;
    uint16_t alias_of; /* if RAS_ALIAS: the index of that column, which comes before */
    const char *note;  /* why it is as it is; NULL: nothing to say */
    uint64_t reserved[2];
};

enum ras_table_kind {
    RAS_TABLE_RECORDS,
    RAS_TABLE_ON_REQUEST,
    RAS_TABLE_CHILD,
    RAS_TABLE_STATS,
    RAS_TABLE_SYSTEM,
};
/* "records", "on_request", "child", "stats", "system". */
RAS_API const char *ras_table_kind_name(enum ras_table_kind kind);

struct ras_table_about {
    const char *name;
    const char *type; /* of the records; NULL for `record`, stats and system tables */
    enum ras_table_kind kind;
    const struct ras_column_about *columns;
    size_t column_count;
    uint64_t rows;      /* RAS_NONE: not known without a walk */
    unsigned ascends;   /* 1 << RAS_AXIS_*: never descends in stored order, known for certain */
    const char *parent; /* of a child table: the table whose seq is parent_seq; else NULL */
};

struct ras_rundir; /* <rastrum/rundir.h> */
struct ras_tables; /* of one trace, which must outlive it */

struct ras_tables_options {
    size_t struct_size;           /* sizeof, or 0: see docs/abi.md */
    const struct ras_rundir *run; /* the trace is pens[pen] of it: a column run_tick; NULL: none */
    size_t pen;
    const char *trace; /* a first column `trace` with this text; NULL: none */
    bool no_survey;    /* only `record`, types that the format defines and system tables */
    ras_progress *progress;
    void *user;
    bool stats; /* tables stats_NAME, too: the trace is walked for them */
};
/* A format whose traces define their types is walked once, headers only, unless `no_survey`. */
RAS_API int ras_tables_open(struct ras_tables **out, struct ras_trace *trace,
                            const struct ras_tables_options *options,
                            struct ras_error *err) RAS_CHECKED;
RAS_API void ras_tables_close(struct ras_tables *tables); /* NULL is fine */
/* The i-th table; NULL past the last. It lives as long as the tables. */
RAS_API const struct ras_table_about *ras_table_at(const struct ras_tables *tables, size_t i);
/* By its name, ASCII case folded; NULL: none. */
RAS_API const struct ras_table_about *ras_table_of(const struct ras_tables *tables,
                                                   const char *name);
RAS_API struct ras_trace *ras_tables_trace(const struct ras_tables *tables);

/* ---- batches --------------------------------------------------------------- */

/* A condition that a batch is filtered by; text and bytes by their bytes. NULL fails every test
 * but IS_NULL, NaN every test but NOT_NULL. */
enum ras_test_op {
    RAS_TEST_EQ,
    RAS_TEST_NE,
    RAS_TEST_LT,
    RAS_TEST_LE,
    RAS_TEST_GT,
    RAS_TEST_GE,
    RAS_TEST_IS_NULL,
    RAS_TEST_NOT_NULL,
    RAS_TEST_IN,
};
struct ras_test {
    uint16_t column;
    uint8_t op;                 /* enum ras_test_op */
    bool is_unsigned;           /* compare u64 as such; else as int64, as SQLite does */
    struct ras_value value;     /* RAS_BOOL, RAS_UINT, RAS_INT, RAS_F64, RAS_STR, RAS_BLOB */
    const struct ras_value *in; /* RAS_TEST_IN: of one kind, ascending; integers as compared */
    size_t in_count;
};

/* Zero but for the table: every visible column of the whole table. What it points to is copied. */
struct ras_columns_scan {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const char *table;
    const uint16_t *columns; /* in the order of the batch; NULL: all that are not hidden */
    size_t column_count;
    bool no_columns;    /* rows are only counted */
    enum ras_axis axis; /* as in struct ras_scan; rows that are not on the axis are left out */
    uint64_t from, to;
    const uint32_t *streams;
    size_t stream_count;
    const struct ras_test *tests; /* all must pass */
    size_t test_count;
    const struct ras_mark *begin, *end; /* a share of the trace: ras_split() */
    size_t rows;                        /* of a batch, at most: 0 is 16384 */
    bool merged;                        /* one order by time over all streams */
    ras_progress *progress;
    void *user;
    struct ras_where *where; /* only records that match it; NULL: all. It outlives the reader */
    /* Tables of a run: only records of these ticks, as run_tick has them: half-open; 0, 0: all. */
    uint64_t run_from, run_to;
};

struct ras_names {
    const char *const *at;
    const uint32_t *len;
    uint32_t count;
};
struct ras_column {
    /* Fixed width (BOOL: a byte each); TEXT: uint32_t codes into names; BLOB, JSON: the bytes. */
    const void *values;
    const uint8_t *valid; /* NULL where none is null; bit i of byte i / 8 */
    uint64_t nulls;
    const uint32_t *offsets;        /* BLOB, JSON, LIST: rows + 1 */
    const struct ras_column *items; /* LIST; BLOB, JSON: its `values` are the bytes, too */
    /* TEXT. It only grows, and its texts do not move. When it is too large another one begins with
     * a batch; the replaced one lives until the next call. */
    const struct ras_names *names;
    uint64_t unfit; /* of `nulls`: values that the type cannot hold */
    uint64_t reserved[2];
};
struct ras_batch {
    size_t rows;
    const uint32_t *selected; /* rows that pass the tests, ascending; NULL: all */
    size_t selected_count;
    const struct ras_column *columns; /* in the order of the scan */
    size_t column_count;
};

struct ras_columns;
/* A reader of one table: what ras_columns_next() delivers is chosen here. The tables must outlive
 * it. */
RAS_API int ras_columns_open(struct ras_columns **out, struct ras_tables *tables,
                             const struct ras_columns_scan *scan,
                             struct ras_error *err) RAS_CHECKED;
/* RAS_OK with a batch, RAS_END, or an error. Buffers are 64-byte aligned and reused by the next
 * call. The first batch has at most 64 rows, each next one twice as many, up to `rows`; a batch
 * without selected rows is not delivered. After RAS_END ras_ending() of the trace is right; for a
 * share that ends before the trace does only if the share met something worse than RAS_COMPLETE. */
RAS_API int ras_columns_next(struct ras_columns *columns, const struct ras_batch **batch,
                             struct ras_error *err) RAS_CHECKED;
RAS_API void ras_columns_close(struct ras_columns *columns); /* NULL is fine */

/* Up to *count marks, ascending, that cut the trace in *count + 1 shares of similar size: up to the
 * first, between two, from the last on. Threads open the trace again. Types on request are not
 * read in shares: they are counted from the start. */
RAS_API int ras_split(struct ras_trace *trace, struct ras_mark *marks, size_t *count,
                      struct ras_error *err) RAS_CHECKED;
/* Whether ras_split() need not walk the trace: an index counts its records, or a cursor has walked
 * all of it. */
RAS_API bool ras_split_is_cheap(const struct ras_trace *trace);
/* The same tables for another thread, over a trace of their own that borrows the bytes of the first
 * one: that outlives them, and is opened again while no other thread uses it. RAS_EUNSUPPORTED:
 * they are those of a run or of types that the trace defines, or the trace still grows or is known
 * to be incomplete. */
RAS_API int ras_tables_again(struct ras_tables **out, const struct ras_tables *tables,
                             struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
