/* svg.h - pictures of a report: the staff, and a timeline. Static, without scripts; colours are
 * custom properties of the page. */
#ifndef VIEW_SVG_H
#define VIEW_SVG_H

#include "base/out.h"

#include <rastrum/rundir.h>

struct svg_line {
    const char *name, *maker;
    int kind; /* as in versus.h */
    uint64_t first;
    const struct ras_staff_line *counts;
    uint64_t most;       /* the largest d of all ticks, as far as known; 0: that of the window */
    const char *rest[2]; /* why a side has nothing there: "cut", "missing"; NULL: unknown */
    const char *remark;  /* "not compared"; NULL: none */
};

struct svg_staff {
    const char *id;    /* unique in the page */
    const char *label; /* what a reader who does not see it is told */
    const struct svg_line *lines;
    size_t line_count;
    uint64_t from, to;         /* the window, both included */
    uint64_t run_from, run_to; /* all there is */
    uint64_t first;            /* divergence of all lines; RAS_NONE: none */
    bool unison;               /* all before it is known to be the same */
    const char *word;          /* "tick" */
    double width;
};
void svg_put_staff(struct out *, const struct svg_staff *);

/* The shape of a line: of the pens only these, so that colour is never alone. */
void svg_put_glyph(struct out *, int kind, double x, double y, double r);

/* A number with at most one decimal, whatever the locale. */
void svg_number(struct out *, double);
/* An attribute: x="12.5" after a space. */
void svg_attr(struct out *, const char *name, double);
#endif
