/* replaying_pixel.c - which draws of a frame changed a pixel: its history, a line for each change.
 *
 * A draw that leaves a pixel as it was is not seen: what counts is the picture before and after. */
#include "cli/replaying_pixel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int pixel_read(const char *text, struct pixel_history *h)
{
    int end = 0;
    if (text[0] < '0' || text[0] > '9' ||
        sscanf(text, "%" SCNu32 ",%" SCNu32 "%n", &h->x, &h->y, &end) != 2 || text[end])
        return trouble("--pixel takes X,Y from the top left, as 320,200: not '%s'", text);
    return 0;
}

static const uint8_t *pixel_of(const struct pixel_history *h, const struct ras_picture *p)
{
    bool inside = p->rgba && h->x < p->width && h->y < p->height;
    return inside ? p->rgba + 4 * ((size_t)h->y * p->width + h->x) : NULL;
}

static void add_change(struct pixel_history *h, uint64_t draw, uint64_t offset,
                       const uint8_t *before, const uint8_t *after)
{
    if (!memcmp(before, after, 4) || h->nomem)
        return;
    if (h->count == h->room) {
        size_t room = h->room * 2 + 16;
        struct pixel_change *more = realloc(h->changes, room * sizeof *more);
        h->nomem = !more;
        if (!more)
            return;
        h->changes = more;
        h->room = room;
    }
    struct pixel_change *c = &h->changes[h->count++];
    *c = (struct pixel_change){.draw = draw, .offset = offset};
    memcpy(c->before, before, 4);
    memcpy(c->after, after, 4);
}

void pixel_drawn(struct pixel_history *h, const struct ras_drawn *d)
{
    const uint8_t *before = pixel_of(h, &d->before), *after = pixel_of(h, &d->after);
    if (!before || !after)
        return;
    if (h->any)
        add_change(h, 0, d->offset, h->last, before);
    add_change(h, d->draw, d->offset, before, after);
    memcpy(h->last, after, 4);
    h->any = true;
}

/* What came behind the last draw; the last draw that changed it, 0: none. */
static uint64_t pixel_finish(struct pixel_history *h, const struct ras_picture *p)
{
    const uint8_t *now = pixel_of(h, p);
    if (h->any && now)
        add_change(h, 0, RAS_NONE, h->last, now);
    h->any = false;
    return h->count ? h->changes[h->count - 1].draw : 0;
}

static void put_color(struct answer *a, const uint8_t *c)
{
    answer_format(a, "#%02x%02x%02x%02x", c[0], c[1], c[2], c[3]);
}

void put_pixel(struct answer *a, struct pixel_history *h, const struct ras_picture *p)
{
    uint64_t draw = pixel_finish(h, p);
    answer_format(a, "  pixel %" PRIu32 ",%" PRIu32 ": ", h->x, h->y);
    put_color(a, pixel_of(h, p));
    if (draw)
        answer_format(a, " last changed by draw %" PRIu64 "\n", draw);
    else
        answer_format(a, h->count ? " last changed by a command that is not a draw\n"
                                  : " not changed by a draw of this frame\n");
    for (size_t i = 0; i < h->count; i++) {
        const struct pixel_change *c = &h->changes[i];
        if (c->draw)
            answer_format(a, "    draw %" PRIu64 " (offset %" PRIu64 "): ", c->draw, c->offset);
        else
            answer_format(a, "    another command: ");
        put_color(a, c->before);
        answer_format(a, " to ");
        put_color(a, c->after);
        answer_format(a, "\n");
    }
}

static void put_json_color(struct ras_json *j, const char *key, const uint8_t *c)
{
    char text[12];
    snprintf(text, sizeof text, "#%02x%02x%02x%02x", c[0], c[1], c[2], c[3]);
    ras_json_text(j, key, text);
}

void put_json_pixel(struct ras_json *j, struct pixel_history *h, const struct ras_picture *p)
{
    uint64_t draw = pixel_finish(h, p);
    ras_json_object(j, "pixel");
    ras_json_uint(j, "x", h->x);
    ras_json_uint(j, "y", h->y);
    put_json_color(j, "rgba", pixel_of(h, p));
    ras_json_uint_or_null(j, "last_draw", draw ? draw : RAS_NONE);
    ras_json_array(j, "changes");
    for (size_t i = 0; i < h->count; i++) {
        const struct pixel_change *c = &h->changes[i];
        ras_json_object(j, NULL);
        ras_json_uint_or_null(j, "draw", c->draw ? c->draw : RAS_NONE);
        ras_json_uint_or_null(j, "offset", c->draw ? c->offset : RAS_NONE);
        put_json_color(j, "before", c->before);
        put_json_color(j, "after", c->after);
        ras_json_end(j);
    }
    ras_json_end(j);
    ras_json_end(j);
}
