/* column_buffer.h - one column of a batch while it is filled, and its dictionary of texts. */
#ifndef OPS_COLUMNS_COLUMN_BUFFER_H
#define OPS_COLUMNS_COLUMN_BUFFER_H

#include "base/memory.h"
#include "base/out.h"
#include <rastrum/columns.h>

/* ---- names ------------------------------------------------------------------------ */

enum { NAMES_CACHE = 1024 };

/* A text seen before, by its address: its bytes are compared, since buffers are reused. */
struct name_hit {
    const void *at;
    uint32_t len, code;
};

struct column_names {
    struct ras_names out;
    const char **at;
    uint32_t *len;
    size_t count, room, len_room;
    uint32_t *slots; /* 1 + code, by hash; a power of two of them */
    size_t slot_count;
    struct arena texts;
    uint64_t bytes;
    struct name_hit cache[NAMES_CACHE];
};

struct column_names *column_names_new(void);
void column_names_free(struct column_names *);
/* It holds as much as one may. */
bool column_names_full(const struct column_names *);
/* The code of a text that is not in the cache; UINT32_MAX: memory is short. */
uint32_t column_names_add(struct column_names *, const void *at, uint32_t len);

static inline uint32_t column_names_code(struct column_names *n, const void *at, uint32_t len)
{
    uintptr_t key = (uintptr_t)at;
    const struct name_hit *hit = &n->cache[(key >> 3 ^ key >> 13 ^ len) % NAMES_CACHE];
    if (hit->at == at && hit->len == len && at && !memcmp(n->at[hit->code], at, len))
        return hit->code;
    return column_names_add(n, at, len);
}

/* ---- columns ----------------------------------------------------------------------- */

struct aligned_bytes {
    uint8_t *at;
    size_t len, room;
};
/* Room for `size` bytes at a multiple of 64; what is there stays. */
bool aligned_grow(struct aligned_bytes *, size_t size);

struct column_buffer {
    struct ras_column out;
    struct ras_column bytes_out; /* out.items of BLOB and JSON */
    enum ras_type type;
    unsigned flags; /* enum ras_field_flags */
    size_t row;     /* filled so far */
    size_t room;    /* rows */
    struct aligned_bytes values, valid, offsets;
    uint64_t nulls, unfit;
    struct column_buffer *items; /* LIST */
    struct column_names *names, *old_names;
    struct out *scratch; /* for JSON: shared by all columns */
    bool nomem, too_long;
};

bool column_init(struct column_buffer *, enum ras_type, enum ras_type item, unsigned flags,
                 struct out *scratch);
void column_free(struct column_buffer *);
/* Empty, with room for so many rows. False: memory is short. */
bool column_begin(struct column_buffer *, size_t rows);
/* The batch is filled: `out` is right. */
void column_end(struct column_buffer *);

void column_null(struct column_buffer *);
/* As many of them, in a column of fixed width or text. */
void column_nulls(struct column_buffer *, size_t count);
/* A value that the type cannot hold. */
void column_unfit(struct column_buffer *);
/* Any cell, by its own kind. */
void column_cell(struct column_buffer *, const struct ras_value *);
void column_text(struct column_buffer *, const void *at, size_t len);
void column_bytes(struct column_buffer *, const void *at, size_t len);
/* Bytes that it holds, besides fixed ones. */
static inline size_t column_load(const struct column_buffer *b)
{
    return b->type >= RAS_T_BLOB ? b->values.len + (b->items ? b->items->values.len : 0) : 0;
}

static inline void column_u64(struct column_buffer *b, uint64_t u)
{
    ((uint64_t *)(void *)b->values.at)[b->row++] = u;
}

static inline void column_u32(struct column_buffer *b, uint32_t u)
{
    ((uint32_t *)(void *)b->values.at)[b->row++] = u;
}

/* The most frequent cells; column_cell() takes all. */
static inline void column_put(struct column_buffer *b, const struct ras_value *v)
{
    if (b->type == RAS_T_U64 && v->kind == RAS_UINT)
        column_u64(b, v->u);
    else if (b->type == RAS_T_U32 && v->kind == RAS_UINT && v->u <= UINT32_MAX)
        column_u32(b, (uint32_t)v->u);
    else if ((b->type == RAS_T_I64 && v->kind == RAS_INT) ||
             (b->type == RAS_T_F64 && v->kind == RAS_F64))
        column_u64(b, v->u);
    else
        column_cell(b, v);
}

/* ---- tests ------------------------------------------------------------------------------ */

/* Tests of a column, for a batch. */
struct column_test {
    struct ras_test test;
    struct ras_value *in; /* copied, with their texts after them */
    const struct column_buffer *of;
    /* TEXT: whether each code of `names` passes. */
    const struct column_names *names;
    uint8_t *passes;
    size_t known, room;
};

/* RAS_EUSAGE: the test is not one of the column's type. */
int column_test_init(struct column_test *, const struct ras_test *, const struct column_buffer *,
                     struct ras_error *);
void column_test_free(struct column_test *);
/* Of the rows in `selected`, those that pass; how many. With `all` the rows are all up to `count`,
 * and there is room for them. False: memory is short. */
bool column_test_run(struct column_test *, uint32_t *selected, size_t *count, bool all);
#endif
