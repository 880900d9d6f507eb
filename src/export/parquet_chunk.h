/* parquet_chunk.h - one column of one row group of a Parquet file: values are gathered, then
 * encoded as pages. */
#ifndef EXPORT_PARQUET_CHUNK_H
#define EXPORT_PARQUET_CHUNK_H

#include "base/out.h"
#include "export/parquet_encode.h"
#include <rastrum/columns.h>

enum {
    PARQUET_PAGE_ROWS = 128 << 10,
    PARQUET_GROUP_ROWS = 1 << 20,
    PARQUET_GROUP_PAGES = PARQUET_GROUP_ROWS / PARQUET_PAGE_ROWS + 1,
};
#define PARQUET_GROUP_BYTES ((size_t)128 << 20)

/* As the format numbers them. */
enum parquet_physical {
    PARQUET_BOOLEAN = 0,
    PARQUET_INT32 = 1,
    PARQUET_INT64 = 2,
    PARQUET_FLOAT = 4,
    PARQUET_DOUBLE = 5,
    PARQUET_BYTE_ARRAY = 6,
};

/* How the values of a type are stored and ordered. */
struct parquet_kind {
    enum parquet_physical physical;
    uint8_t width;    /* bytes of a value that is gathered; 0: its length varies */
    int8_t bits;      /* of an integer that its logical type names; 0: none */
    bool is_signed;   /* by which integers are ordered */
    bool is_text;     /* UTF-8 */
    int8_t converted; /* the older name of the logical type; -1: none */
};
const struct parquet_kind *parquet_kind_of(enum ras_type);

/* The smallest and largest value: a number in `number`, bytes in `bytes`. */
struct parquet_bound {
    uint64_t number;
    struct ras_bytes bytes;
};
struct parquet_range {
    bool known;
    struct parquet_bound least, most;
};

/* Where a page ends: rows, levels and values up to there. */
struct parquet_cut {
    size_t rows, levels, values;
};

struct parquet_page {
    uint64_t offset; /* in the file */
    uint32_t stored; /* bytes, with the head */
    uint64_t nulls;
    struct parquet_range range;
};

struct parquet_chunk {
    const struct ras_column_about *about;
    const struct parquet_kind *kind; /* of the values, or of a list's items */
    bool is_list, is_optional;
    /* What was gathered. */
    struct out values;  /* `width` bytes each; of bytes and text: those themselves */
    struct out lengths; /* uint32_t: of each value of bytes; of text: its entry in the dictionary */
    struct out levels, repeats; /* one byte each: definition and repetition */
    size_t rows, value_count, level_count;
    struct parquet_cut cuts[PARQUET_GROUP_PAGES]; /* where pages end, but for the last */
    size_t cut_count;
    /* Text: its own dictionary, of `values`. */
    struct out entry_ends; /* uint32_t: where each entry ends in `values` */
    uint32_t entry_count;
    const struct ras_names *names; /* to which `local` belongs */
    uint32_t *local;               /* 1 + the entry of each code; 0: not seen */
    size_t local_room;
    uint64_t not_utf8; /* entries of all row groups that had bytes replaced */
    /* What was written, for the footer. */
    bool has_dictionary;
    enum parquet_encoding encoding;
    uint64_t dictionary_at, data_at, stored, plain;
    uint64_t nulls;
    struct parquet_range range;
    struct parquet_page pages[PARQUET_GROUP_PAGES];
    size_t page_count;
};

/* Bytes that it holds. */
size_t parquet_chunk_size(const struct parquet_chunk *);
/* Add rows of a column: the selected ones, or all where that is NULL. False: memory is short. */
bool parquet_chunk_add(struct parquet_chunk *, const struct ras_column *, const uint32_t *selected,
                       size_t count);
/* Codes of text mean other texts from here on. */
void parquet_chunk_forget(struct parquet_chunk *);
/* Rows from here on belong to the next page. */
void parquet_chunk_cut(struct parquet_chunk *);
/* Empty, for the next row group. */
void parquet_chunk_reset(struct parquet_chunk *);
void parquet_chunk_free(struct parquet_chunk *);

/* What encoding needs besides, of all columns. */
struct parquet_tools {
    struct zstd_maker *zstd;
    struct parquet_entries entries;
    uint32_t *indexes; /* PARQUET_GROUP_ROWS or more */
    size_t index_room;
    uint8_t *seen; /* whether a page has each entry */
    size_t seen_room;
    struct out plain, packed, trial; /* a page, and what became of it */
};
bool parquet_tools_new(struct parquet_tools *);
void parquet_tools_free(struct parquet_tools *);

/* Write its pages to the sink; fills in what the footer needs. */
int parquet_chunk_write(struct parquet_chunk *, struct parquet_tools *, struct ras_sink *,
                        struct ras_error *) RAS_CHECKED;
/* A bound as statistics have it: at most 64 bytes. False: it cannot be stated. */
bool parquet_bound_put(const struct parquet_chunk *, const struct parquet_bound *, bool is_most,
                       struct out *);
#endif
