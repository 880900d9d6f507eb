/* columns_driver.h - what a driver does for batches of columns: it puts many records of one type
 * into them at once.
 *
 * `columns` of a format's row is called between two records. The driver puts as many records as it
 * can, up to `rows`, of those that ras_next() would deliver next, all of the schema, from one
 * stream and equally far apart: their fields into the buffers that are there, and their times. It
 * moves the cursor behind them, numbers included, and describes them. 0 means that the next record
 * comes by ras_next(): the driver never decides what a range, a gap or the end means. */
#ifndef OPS_COLUMNS_COLUMNS_DRIVER_H
#define OPS_COLUMNS_COLUMNS_DRIVER_H

#include "ops/columns/column_buffer.h"

enum { FILL_TEXTS = 1024 };

/* The code of the text of an id, which does not change while the names are the same. */
struct fill_text {
    uint64_t id;
    uint32_t code; /* 1 + the code; 0: not known, UINT32_MAX: null */
};
struct fill_texts {
    const struct column_names *names;
    const void *of; /* whose ids these are */
    struct fill_text at[FILL_TEXTS];
};

struct column_fill {
    uint32_t schema;
    size_t rows;
    struct column_buffer **fields; /* by field of the schema; NULL: not wanted */
    struct fill_texts **texts;     /* of those that are TEXT */
    struct column_buffer *time;    /* U64; NULL: not wanted */
    /* The records that were put, as the first one describes them. */
    struct ras_record first;
    uint32_t stride; /* bytes from one to the next */
};

/* Where the next rows of a buffer of fixed width go; fill_done() counts them. */
static inline void *fill_room(const struct column_buffer *b, size_t width)
{
    return b->values.at + b->row * width;
}

static inline void fill_done(struct column_buffer *b, size_t rows)
{
    b->row += rows;
}

/* The texts of these ids, emptied where they are of others. */
static inline struct fill_texts *fill_texts(struct column_fill *f, unsigned field, const void *of)
{
    struct fill_texts *t = f->texts[field];
    const struct column_names *names = f->fields[field]->names;
    if (t->names != names || t->of != of) {
        memset(t, 0, sizeof *t);
        t->names = names;
        t->of = of;
    }
    return t;
}

/* Put the text of an id, if it is known. */
static inline bool fill_known(struct column_buffer *b, const struct fill_texts *t, uint64_t id)
{
    const struct fill_text *k = &t->at[(id ^ id >> 20) % FILL_TEXTS];
    if (k->id != id || !k->code)
        return false;
    if (k->code == UINT32_MAX)
        column_null(b);
    else
        column_u32(b, k->code - 1);
    return true;
}

/* Put it, and know it from now on; NULL: it has none. */
static inline void fill_text(struct column_buffer *b, struct fill_texts *t, uint64_t id,
                             const char *text, size_t len)
{
    struct fill_text *k = &t->at[(id ^ id >> 20) % FILL_TEXTS];
    *k = (struct fill_text){id, UINT32_MAX};
    if (!text) {
        column_null(b);
        return;
    }
    column_text(b, text, len);
    uint32_t code = ((const uint32_t *)(const void *)b->values.at)[b->row - 1];
    k->code = b->nomem ? 0 : code + 1;
}
#endif
