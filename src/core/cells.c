/* cells.c - values under construction: room for them, and texts of their own. */
#include "core/cells.h"
#include "base/memory.h"

#include <stdlib.h>

void cells_free(struct cells *c)
{
    free(c->items);
    *c = (struct cells){0};
}

bool cells_grow(struct cells *c, size_t more)
{
    bool grown = array_grow(&c->items, &c->room, c->count + more, sizeof *c->items);
    c->nomem |= !grown;
    return grown;
}

const struct ras_value *cells_find(const struct cells *c, int field)
{
    if (!c->count)
        return NULL; /* no offset may be added to a null pointer, not even zero */
    const struct ras_value *v = c->items, *end = v + c->count;
    for (; v < end; v = ras_value_next(v))
        if (v->field == field)
            return v;
    return NULL;
}

void cells_text(struct cells *c, struct arena *arena, enum ras_kind kind, unsigned field,
                const void *at, size_t len)
{
    char *copy = arena && len <= UINT32_MAX ? arena_take(arena, len + 1) : NULL;
    if (arena && !copy) {
        c->nomem = true;
        return;
    }
    if (copy && len)
        memcpy(copy, at, len);
    if (copy)
        copy[len] = 0;
    struct ras_value *cell = cells_add(c, kind, 0, field, 0);
    cell->at = copy ? copy : at;
    cell->count = (uint32_t)len;
}
