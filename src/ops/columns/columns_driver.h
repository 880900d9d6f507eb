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

enum { FILL_TEXTS = 1024, FILL_TEXTS_MOST = 64 << 10 };

/* The code of the text of an id, which does not change while the names are the same. */
struct fill_text {
    uint64_t id;
    uint32_t code; /* 1 + the code; 0: not known, UINT32_MAX: null */
};

/* A place for each id that is known, by its low bits. There are more places when ids have pushed
 * out each other so often that more would have cost less. */
struct fill_texts {
    const struct column_names *names;
    const void *of; /* whose ids these are */
    struct fill_text *at;
    size_t count, replaced; /* `count` is a power of two */
};
struct fill_texts *fill_texts_new(void);
void fill_texts_free(struct fill_texts *);
/* Twice as many places, if there is memory for them. */
void fill_texts_grow(struct fill_texts *);
/* None is known any more, and few places are used. */
void fill_texts_forget(struct fill_texts *);

static inline struct fill_text *fill_place(const struct fill_texts *t, uint64_t id)
{
    return &t->at[(id ^ id >> 20) & (t->count - 1)];
}

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
        fill_texts_forget(t);
        t->names = names;
        t->of = of;
    }
    return t;
}

/* Put the text of an id, if it is known. */
static inline bool fill_known(struct column_buffer *b, const struct fill_texts *t, uint64_t id)
{
    const struct fill_text *k = fill_place(t, id);
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
    struct fill_text *k = fill_place(t, id);
    if (k->code && ++t->replaced > t->count && t->count < FILL_TEXTS_MOST) {
        fill_texts_grow(t);
        k = fill_place(t, id);
    }
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
