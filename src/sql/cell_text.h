/* cell_text.h - the cells of a batch as SQLite holds them: integers, reals, texts, bytes. */
#ifndef SQL_CELL_TEXT_H
#define SQL_CELL_TEXT_H

#include "base/out.h"
#include <rastrum/columns.h>

static inline bool cell_is_null(const struct ras_column *c, size_t row)
{
    return c->valid && !(c->valid[row / 8] >> row % 8 & 1);
}

static inline int64_t cell_integer(const struct ras_column *c, enum ras_type type, size_t row)
{
    switch (type) {
    case RAS_T_BOOL:
    case RAS_T_U8:
        return ((const uint8_t *)c->values)[row];
    case RAS_T_U16:
        return ((const uint16_t *)c->values)[row];
    case RAS_T_U32:
        return ((const uint32_t *)c->values)[row];
    default:
        return ((const int64_t *)c->values)[row];
    }
}

static inline double cell_real(const struct ras_column *c, enum ras_type type, size_t row)
{
    if (type == RAS_T_F32)
        return (double)((const float *)c->values)[row];
    return type == RAS_T_F64 ? ((const double *)c->values)[row]
                             : (double)cell_integer(c, type, row);
}

/* JSON of lists and of values of several types. Zero-initialised: none was made. */
struct cell_text {
    struct ras_json *json;
    struct out out;
};
/* The bytes of a cell that is not a number: text, bytes, or JSON made of a list or of a value of
 * another type than the column's. They live until the next call. */
struct ras_bytes cell_text_of(struct cell_text *, const struct ras_column *,
                              const struct ras_column_about *, enum ras_type shown, size_t row);
void cell_text_free(struct cell_text *);
#endif
