/* replaying_pixel.h - which draws of a frame changed a pixel. */
#ifndef CLI_REPLAYING_PIXEL_H
#define CLI_REPLAYING_PIXEL_H

#include "cli/session.h"
#include <rastrum/render.h>

struct pixel_change {
    uint64_t draw, offset; /* draw 0: another command, somewhere before the next draw */
    uint8_t before[4], after[4];
};

/* Zero-initialised but for x and y. */
struct pixel_history {
    uint32_t x, y;
    struct pixel_change *changes;
    size_t count, room;
    uint8_t last[4]; /* behind the last draw */
    bool any;        /* draw was seen in the frame */
    bool nomem;
};

/* "X,Y"; 0, or EXIT_TROUBLE after saying why. */
int pixel_read(const char *text, struct pixel_history *);
void pixel_drawn(struct pixel_history *, const struct ras_drawn *);
/* The history of the frame whose picture this is, which is over then. */
void put_pixel(struct answer *, struct pixel_history *, const struct ras_picture *);
void put_json_pixel(struct ras_json *, struct pixel_history *, const struct ras_picture *);
#endif
