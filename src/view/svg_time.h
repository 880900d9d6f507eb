/* svg_time.h - a part of a timeline as a static picture, from the tiles that the page draws. */
#ifndef VIEW_SVG_TIME_H
#define VIEW_SVG_TIME_H

#include "view/tracks.h"

struct svg_time {
    const char *label;      /* for readers who do not see it */
    uint64_t from, to;      /* on the axis of the tracks, half-open */
    const uint64_t *begins; /* of ticks, ascending; NULL: none are marked */
    size_t begin_count;
    uint64_t first_tick;
    uint64_t marked; /* tick that is tinted; RAS_NONE: none */
    /* Each tick is a column of one width, which shows so much of it: what two sides do in a tick is
     * in one place, however long ticks take. 0: from left to right as time goes. */
    uint64_t column;
};

enum { SVG_TIME_ITEMS = 2000 }; /* of a picture: wider ones first */

/* Append the picture; *drawn: whether there is anything in it. */
int svg_put_time(struct out *, struct tracks *, const struct svg_time *, bool *drawn,
                 struct ras_error *) RAS_CHECKED;
#endif
