/* pixel_history.c - what changed one pixel of a frame. A draw that leaves it unchanged is not
 * listed: the picture before and after the draw decides. */
#include "base/memory.h"
#include <rastrum/render.h>

#include <stdlib.h>

static const uint8_t *pixel_in(const struct ras_pixel_history *h, const struct ras_picture *p)
{
    bool inside = p->rgba && h->x < p->width && h->y < p->height;
    return inside ? p->rgba + 4 * ((size_t)h->y * p->width + h->x) : NULL;
}

static void pixel_changed(struct ras_pixel_history *h, uint64_t draw, uint64_t offset,
                          const uint8_t *before, const uint8_t *after)
{
    if (!memcmp(before, after, 4) || h->nomem)
        return;
    if (!array_grow(&h->changes, &h->room, h->count + 1, sizeof *h->changes)) {
        h->nomem = true;
        return;
    }
    struct ras_pixel_change *c = &h->changes[h->count++];
    *c = (struct ras_pixel_change){.draw = draw, .offset = offset};
    memcpy(c->before, before, 4);
    memcpy(c->after, after, 4);
}

void ras_pixel_drawn(struct ras_pixel_history *h, const struct ras_drawn *d)
{
    const uint8_t *before = pixel_in(h, &d->before), *after = pixel_in(h, &d->after);
    if (!before || !after)
        return;
    if (h->any)
        pixel_changed(h, 0, d->offset, h->now, before);
    pixel_changed(h, d->draw, d->offset, before, after);
    memcpy(h->now, after, 4);
    h->any = true;
}

bool ras_pixel_shown(struct ras_pixel_history *h, const struct ras_picture *p)
{
    const uint8_t *now = pixel_in(h, p);
    if (!now)
        return false;
    if (h->any)
        pixel_changed(h, 0, RAS_NONE, h->now, now);
    memcpy(h->now, now, 4);
    h->any = false;
    return true;
}

void ras_pixel_history_free(struct ras_pixel_history *h)
{
    free(h->changes);
    h->changes = NULL;
    h->count = h->room = 0;
}
