/* sqlite_copy.h - rows of a table in memory, ordered by key: for GROUP BY, and for joins. */
#ifndef SQL_SQLITE_COPY_H
#define SQL_SQLITE_COPY_H

#include "sql/sqlite_reader.h"

/* How the cells of a column are kept: eight bytes each. */
enum copy_kind {
    COPY_NONE,
    COPY_INTEGER,
    COPY_REAL,
    COPY_TEXT,  /* an index into the texts of the copy */
    COPY_BYTES, /* an offset into its bytes: a length, and as many bytes */
};

struct copy_column {
    enum copy_kind kind;
    bool is_blob; /* of COPY_BYTES: not text */
    uint64_t *cells;
    uint8_t *nulls; /* one for each row; NULL: none is null */
    size_t room, null_room;
    /* From the codes of a reader to the texts of the copy. */
    const struct ras_names *names;
    uint32_t *codes;
    size_t code_room, code_count;
};

struct copy_text {
    const char *at;
    uint32_t len, next; /* next: with the same hash, 1 + index */
};

struct copy {
    struct copy *next;
    struct module *module;
    /* What it holds: plans with the same columns, keys and constants share it. */
    struct plan plan;
    uint64_t constants; /* a hash of the constants of its conditions */
    struct copy_column *columns;
    size_t column_count, row_count;
    uint16_t key_columns[PLAN_KEYS];
    size_t key_count;
    uint64_t bytes; /* that it was charged for */
    /* Texts, each once. */
    struct copy_text *texts;
    size_t text_count, text_room;
    uint32_t *text_slots;
    size_t text_slot_count;
    struct arena text_bytes;
    struct out other_bytes;
    /* Groups of rows that have the same key. */
    uint32_t *groups; /* of each row, while it is made */
    size_t group_room_rows;
    uint32_t *starts; /* of each group, and the end */
    uint32_t *heads;  /* a row of each group */
    size_t group_count, head_room;
    struct copy_slot {
        uint64_t hash;
        uint32_t group; /* 1 + group; 0: free */
    } * slots;
    size_t slot_count;
};

/* Read a table: rows sorted by the keys of the plan. RAS_EMEMORY: more than `most` bytes. The
 * result is charged to the module until copy_free(). */
int copy_make(struct copy **, struct reader *, const struct plan *, const uint16_t *wanted,
              size_t wanted_count, uint64_t most, struct ras_error *);
void copy_free(struct copy *);

/* The rows whose keys equal the values, half-open: [*from, *to). */
void copy_find(const struct copy *, const struct ras_value *keys, size_t *from, size_t *to);
/* A text of the copy that is the same; UINT32_MAX: none. */
uint32_t copy_text_find(const struct copy *, const void *at, size_t len);
/* The bytes of a cell of COPY_BYTES. */
struct ras_bytes copy_bytes(const struct copy *, uint64_t cell);
#endif
