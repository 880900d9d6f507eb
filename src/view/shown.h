/* shown.h - what a view shows: one or two sides, and the traces in them.
 *
 * A side is a trace or a run directory. Its traces are sources, numbered over both sides. The view
 * has one struct shown; the worker of jobs has another one of the same sides, opened again, since
 * a trace belongs to one thread. */
#ifndef VIEW_SHOWN_H
#define VIEW_SHOWN_H

#include <rastrum/rundir.h>

enum { SIDES_MOST = 2, FINGERPRINT_ROOM = 65 };

struct info_walk;
struct tracks;

/* Where a side comes from. Constant once it is made, so that both threads may read it. */
struct origin {
    char *path;                   /* NULL: in memory */
    char *name;                   /* its last component, for people */
    const struct ras_part *parts; /* borrowed */
    size_t part_count;
    struct ras_options options;
    char *format, *dialect; /* what the options refer to */
};

struct shown_source {
    unsigned side;
    const char *name;        /* of its file, without a directory that is not of the run */
    const char *pen;         /* the name of its format, also of one that cannot be opened */
    const char *path;        /* to be opened again, for people to type; NULL: in memory */
    size_t run_pen;          /* its number among the pens of a run */
    struct ras_trace *trace; /* NULL: `err` */
    const struct ras_error *err;
    struct info_walk *counts; /* of the view's thread, once it counts; NULL: not yet */
    bool counted, counting;   /* the counts can be shown; there is more to count */
};

struct side {
    const struct origin *origin;
    struct ras_rundir *run;             /* NULL: one trace */
    struct ras_trace *trace;            /* NULL: a run */
    struct tracks *tracks;              /* its timeline, once it is needed; NULL: not yet */
    struct ras_error err;               /* of a run whose trace there is not */
    unsigned first, count;              /* its sources */
    char fingerprint[FINGERPRINT_ROOM]; /* see fingerprint.h; "": not computed */
};

struct shown {
    struct side sides[SIDES_MOST];
    unsigned side_count;
    struct shown_source *sources;
    size_t source_room;
    unsigned source_count;
    bool is_still; /* traces end where they end now, also those that still grow */
};

int origin_path(struct origin *, const char *path, const struct ras_options *, struct ras_error *);
int origin_parts(struct origin *, const char *name, const struct ras_part *, size_t count,
                 const struct ras_options *, struct ras_error *);
void origin_free(struct origin *);

/* Open the next side. */
int shown_add(struct shown *, const struct origin *, struct ras_error *);
/* Close the sides; `is_still` stays. */
void shown_clear(struct shown *);

/* Whether a side is a run in progress, of which more can be opened now than is shown: further
 * traces, or its run.json. */
bool shown_is_old(const struct shown *);

/* The source of a side that a pen of this name wrote; NULL: there is none that can be read. */
const struct shown_source *shown_pen(const struct shown *, unsigned side, const char *pen);
#endif
