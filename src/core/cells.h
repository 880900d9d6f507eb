/* cells.h - values under construction: what a cursor, a document and a row of JSON are made of.
 *
 * Cells move while they grow, so a place among them is an index. There are two ways to put one:
 * cells_room() for several, then value_put() for each, where a record's fields are counted; or
 * cells_add(), which makes room itself. Memory that is short sticks in `nomem`, so that a
 * producer may ask for it once, at the end. */
#ifndef CORE_CELLS_H
#define CORE_CELLS_H

#include <rastrum/rastrum.h>
#include <string.h>

struct arena;

struct cells {
    struct ras_value *items;
    size_t count, room;
    bool nomem;
    struct ras_value spare; /* what is put when memory is short */
};

void cells_free(struct cells *);
/* Room for `more` cells; false, and `nomem`, when memory is short. */
bool cells_grow(struct cells *, size_t more);

static inline bool cells_room(struct cells *c, size_t n)
{
    return c->room - c->count >= n || cells_grow(c, n);
}

/* Append one cell. Call cells_room() first. */
static inline struct ras_value *value_put(struct cells *c, enum ras_kind kind, unsigned bits,
                                          unsigned field, uint32_t count, uint64_t u)
{
    struct ras_value *v = &c->items[c->count++];
    *v = (struct ras_value){.kind = (uint8_t)kind,
                            .bits = (uint8_t)bits,
                            .field = (uint16_t)field,
                            .count = count,
                            .u = u};
    return v;
}

/* F32 is only in `f32`: its bits in `u` would be another number where bytes are big-endian. */
static inline void value_f32(struct cells *c, unsigned field, uint32_t bits)
{
    memcpy(&value_put(c, RAS_F32, 32, field, 0, 0)->f32, &bits, sizeof bits);
}

static inline void value_uint(struct cells *c, unsigned field, unsigned bits, uint64_t u)
{
    value_put(c, RAS_UINT, bits, field, 0, u);
}

static inline void value_null(struct cells *c, unsigned field)
{
    value_put(c, RAS_NULL, 0, field, 0, 0);
}

static inline void value_span(struct cells *c, enum ras_kind kind, unsigned field, const void *at,
                              size_t len)
{
    value_put(c, kind, 0, field, (uint32_t)len, 0)->at = at;
}

/* NULL is null. */
static inline void value_text(struct cells *c, unsigned field, const char *text)
{
    value_span(c, text ? RAS_STR : RAS_NULL, field, text, text ? strlen(text) : 0);
}

/* Close a LIST or MAP opened as cell `open` (an index): count what lies inside. */
static inline void value_close(struct cells *c, size_t open)
{
    c->items[open].count = (uint32_t)(c->count - open - 1);
}

/* Append one cell, and room for it; the spare one when memory is short. */
static inline struct ras_value *cells_add(struct cells *c, enum ras_kind kind, unsigned bits,
                                          unsigned field, uint64_t u)
{
    if (__builtin_expect(!cells_room(c, 1), 0))
        return &c->spare;
    return value_put(c, kind, bits, field, 0, u);
}

/* The value of a field of the schema; NULL: it is not there. */
const struct ras_value *cells_find(const struct cells *, int field);

/* A text or bytes, borrowed: or copied, with a NUL after, where there is an arena. */
void cells_text(struct cells *, struct arena *, enum ras_kind, unsigned field, const void *at,
                size_t len);

/* Begin a RAS_LIST or RAS_MAP: its index, for cells_close(). */
static inline size_t cells_open(struct cells *c, enum ras_kind kind, unsigned field)
{
    size_t open = c->count;
    (void)cells_add(c, kind, 0, field, 0);
    return open;
}

static inline void cells_close(struct cells *c, size_t open)
{
    if (!c->nomem)
        value_close(c, open);
}
#endif
