/* dial9_rows.h - an event's values as the cells of a row: the fast path. */
#ifndef DIAL9_ROWS_H
#define DIAL9_ROWS_H

#include "formats/dial9/dial9_driver.h"

/* State of decoding, kept in registers. */
struct fast_row {
    const uint8_t *p;
    const struct layout_step *s;
    struct ras_value *cell;
    const uint8_t *base;
    const struct dial9_batch *batch;
    uint64_t at;
    const uint8_t *keep;
};

LAYOUT_INLINE void row_step(struct fast_row *f)
{
    f->cell += f->keep ? f->keep[f->s->field] : 1;
    f->s++;
}

LAYOUT_INLINE void row_put(struct fast_row *f, uint64_t u)
{
    memcpy(f->cell, f->s->row, 8);
    f->cell->u = u;
    row_step(f);
}

LAYOUT_INLINE void row_null(struct fast_row *f)
{
    *f->cell = (struct ras_value){.field = f->s->field};
    row_step(f);
}

LAYOUT_INLINE bool row_varint(struct fast_row *f)
{
    uint64_t u;
    f->p = varint_take(f->p, &u);
    if (!f->p)
        return false;
    row_put(f, u);
    return true;
}

/* A pooled string, or null if the id is not defined. */
LAYOUT_INLINE void row_string(struct fast_row *f)
{
    uint32_t id = (uint32_t)take_u32(&f->p);
    const struct pool_entry *entry = dial9_pool_find(&f->batch->strings, id, f->at);
    if (__builtin_expect(!entry, 0)) {
        row_null(f);
        return;
    }
    memcpy(f->cell, f->s->row, 8);
    f->cell->count = entry->length;
    f->cell->at = f->base + entry->offset;
    row_step(f);
}

/* The presence byte; if it is 0 the value's own step is skipped too. */
LAYOUT_INLINE bool row_absent(struct fast_row *f)
{
    bool present = take_u8(&f->p);
    if (!present)
        row_null(f);
    f->s++;
    return !present;
}

/* Values of more than one cell go through the cursor; afterwards there is room for one cell a
 * field again. */
LAYOUT_INLINE bool row_long(struct fast_row *f, struct ras_cursor *c)
{
    bool kept = !f->keep || f->keep[f->s->field];
    c->values.count = (size_t)(f->cell - c->values.items);
    f->p = dial9_put_long(c, f->batch, f->at, f->s++, f->p, kept);
    f->cell = c->values.items + c->values.count;
    return f->p != NULL;
}

LAYOUT_INLINE struct fast_row row_start(const struct ras_cursor *c, const struct dial9_batch *batch,
                                        const struct shape *shape, const uint8_t *p,
                                        const uint8_t *keep)
{
    return (struct fast_row){.p = p + shape->layout.head,
                             .s = shape->steps,
                             .cell = c->values.items,
                             .base = c->base,
                             .batch = batch,
                             .at = (uint64_t)(p - c->base),
                             .keep = keep};
}

/* Decode an event into cells, as layout_native does; the cursor has room for one cell
 * a field and for one that is written but not kept. */
LAYOUT_INLINE const uint8_t *layout_row(struct ras_cursor *c, struct fast_row row)
{
    struct fast_row *f = &row;
    for (;;) {
        switch ((enum step_code)f->s->code) {
        case DO_END:
            c->values.count = (size_t)(f->cell - c->values.items);
            return f->p;
        case DO_BOOL:
            row_put(f, take_u8(&f->p) != 0);
            continue;
        case DO_VARINT_U8:
            if (!row_varint(f))
                return NULL;
            /* fallthrough */
        case DO_U8:
            row_put(f, take_u8(&f->p));
            continue;
        case DO_U16:
            row_put(f, take_u16(&f->p));
            continue;
        case DO_VARINT_U32:
            if (!row_varint(f))
                return NULL;
            /* fallthrough */
        case DO_U32:
            row_put(f, take_u32(&f->p));
            continue;
        case DO_U64:
            row_put(f, take_u64(&f->p));
            continue;
        case DO_VARINT_VARINT:
            if (!row_varint(f))
                return NULL;
            /* fallthrough */
        case DO_VARINT:
            if (!row_varint(f))
                return NULL;
            continue;
        case DO_VARINT_STRING_ID:
            if (!row_varint(f))
                return NULL;
            /* fallthrough */
        case DO_STRING_ID:
            row_string(f);
            continue;
        case DO_OPTIONAL:
            (void)row_absent(f);
            continue;
        case DO_OPTIONAL_STRING_ID:
            if (!row_absent(f))
                row_string(f);
            continue;
        case DO_NEED:
            if (c->in.end - f->p < (ptrdiff_t)f->s++->need)
                return NULL;
            continue;
        case DO_STACK_ID:
        case DO_SPAN:
        case DO_STACK:
        case DO_TREE:
            if (!row_long(f, c))
                return NULL;
            continue;
        default:
            __builtin_unreachable(); /* saves the range check of every step */
        }
    }
}
#endif
