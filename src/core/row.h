/* row.h - a record as JSON, for drivers that make traces of values.
 *
 * One line as `cat --format jsonl` prints it. Its values are cells as a cursor delivers
 * them (a list or map is followed by its content), of the kinds that JSON has: what a
 * driver expects of a field decides whether a text is bytes in hexadecimal, a 64-bit
 * number such as "0x00ff", or "NaN". */
#ifndef CORE_ROW_H
#define CORE_ROW_H

#include "base/memory.h"
#include "core/cells.h"

struct row_reader;

struct json_row {
    const char *type;
    const char *format, *dialect; /* of a header; NULL: it does not say */
    bool has_time, has_tick, has_stream;
    uint64_t time_ns, tick;
    uint32_t stream;
    uint64_t line;                 /* in the text, from 1 */
    const struct ras_value *cells; /* name, value, name, value ... */
    size_t cell_count;
    struct arena *arena;       /* where texts and decoded bytes live, until the next row */
    struct row_reader *reader; /* which remembers the fields that were looked for; or NULL */
};

/* Take a line apart. The row borrows the arena, which is reset. */
enum { ROW_NAMES = 96 };
struct row_reader {
    struct arena arena;
    struct cells cells;
    uint64_t line;
    bool
        *taken; /* of the cells: the names of fields that were found, the maps that were searched */
    size_t taken_room;
    bool all_taken;
    const char *names[ROW_NAMES]; /* that were looked for, the first of them */
    const char *inner[ROW_NAMES]; /* in maps */
    size_t name_count, inner_count;
    bool searched_inside; /* any map */
};
int row_read(struct row_reader *, struct ras_bytes line, struct json_row *, struct ras_error *);
/* Any JSON text as cells, valid until the reader is used again or freed. */
int row_read_value(struct row_reader *, struct ras_bytes text, const struct ras_value **,
                   struct ras_error *);
void row_reader_free(struct row_reader *);

/* The value of a field; NULL: it is not there, or null. */
const struct ras_value *row_find(const struct json_row *, const char *name);
/* The same for a key of a map that is in the row; NULL also where it is not a map. A map that is
 * searched may have no other keys than those that were looked for. */
const struct ras_value *row_find_in(const struct json_row *, const struct ras_value *map,
                                    const char *key);
/* All fields are taken, by another way than row_find(). */
void row_take_all(const struct json_row *);
/* Every field was looked for, or is one of its type in `schemas`, which ends with NULL or is NULL:
 * not all that is printed says something new. Else a failure that says what is near. */
int row_check(const struct json_row *, const struct ras_schema *const *schemas, struct ras_error *);
/* That failure: a name that the record, or `inside` of it ("" where it is the record), has not. */
int row_unknown(const struct json_row *, const char *inside, const char *name,
                const struct ras_near *, struct ras_error *);
/* A failure that names the line, the type and the field. */
int row_fail(const struct json_row *, const char *field, struct ras_error *, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A field that must be there, as what it must be. */
int row_uint(const struct json_row *, const char *field, uint64_t max, uint64_t *,
             struct ras_error *);
int row_f64(const struct json_row *, const char *field, double *, struct ras_error *);
int row_bytes(const struct json_row *, const char *field, struct ras_bytes *, struct ras_error *);
int row_text(const struct json_row *, const char *field, struct ras_bytes *, struct ras_error *);

/* A cell as what it must be; false: it is something else, or does not fit. */
bool cell_uint(const struct ras_value *, uint64_t *); /* 12, "0x0c" */
bool cell_int(const struct ras_value *, int64_t *);
bool cell_bool(const struct ras_value *, bool *);
bool cell_f64(const struct ras_value *, double *); /* 1.5, "NaN", {"bits":...} */
bool cell_f32(const struct ras_value *, uint32_t *bits);
bool cell_text(const struct ras_value *, struct ras_bytes *);
bool cell_bytes(const struct ras_value *, struct arena *, struct ras_bytes *); /* "00ff" */

/* The value of a key in a map; NULL: none. */
const struct ras_value *map_find(const struct ras_value *map, const char *key);

/* ---- fields, read one after the other and judged once ------------------------ */

/* After the first field that is wrong the rest read as nothing: a driver reads a whole record and
 * then inspects `status`, as with `cut` of struct in. A row that is NULL has no fields. */
struct row_get {
    const struct json_row *row;
    struct ras_error *err;
    int status; /* RAS_OK, or what was wrong first; err says it */
};

/* Whether the field is there and not null. */
bool row_has(const struct row_get *, const char *field);
/* A field that must be there; 0 or no bytes when something was wrong. */
uint64_t row_get_uint(struct row_get *, const char *field, uint64_t max);
struct ras_bytes row_get_text(struct row_get *, const char *field);
struct ras_bytes row_get_bytes(struct row_get *, const char *field);
/* A field that may be left out: `usual`, or no bytes, then. */
uint64_t row_get_uint_or(struct row_get *, const char *field, uint64_t max, uint64_t usual);
struct ras_bytes row_get_text_or_none(struct row_get *, const char *field);
struct ras_bytes row_get_bytes_or_none(struct row_get *, const char *field);
/* The field is wrong, unless something was before. */
void row_get_fail(struct row_get *, const char *field, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Memory is short, unless something was wrong before. */
void row_get_nomem(struct row_get *);

static inline uint32_t row_get_u32(struct row_get *g, const char *field)
{
    return (uint32_t)row_get_uint(g, field, UINT32_MAX);
}

static inline uint32_t row_get_u32_or(struct row_get *g, const char *field, uint32_t usual)
{
    return (uint32_t)row_get_uint_or(g, field, UINT32_MAX, usual);
}

static inline uint64_t row_get_u64(struct row_get *g, const char *field)
{
    return row_get_uint(g, field, UINT64_MAX);
}

static inline uint64_t row_get_u64_or(struct row_get *g, const char *field, uint64_t usual)
{
    return row_get_uint_or(g, field, UINT64_MAX, usual);
}
#endif
