/* row_get.h - fields of a row of JSON, read one after the other and judged once.
 *
 * After the first field that is wrong the rest read as nothing: a driver reads a whole record and
 * then looks at `status`, as with `cut` of struct in. A row that is NULL has no fields. */
#ifndef CORE_ROW_GET_H
#define CORE_ROW_GET_H

#include "core/row.h"

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
