/* versus.h - two runs or traces against each other: the lines of the staff, the verdict and its
 * cause in words. The page and the report are made from it. */
#ifndef VIEW_VERSUS_H
#define VIEW_VERSUS_H

#include "view/evidence.h"
#include "view/shown.h"

/* Lines in the order of the staff; a format that names none of these comes after them. */
enum { LINE_INPUTS, LINE_STATE, LINE_PICTURES, LINE_EVENTS, LINE_CALLS, LINE_OTHER };

struct comparison_line {
    const char *format, *name, *maker; /* "inputs", "Murk" */
    int kind;                          /* LINE_INPUTS ... */
    const char *file[2];               /* of the trace; NULL: there is none */
    const char *missing[2];            /* why there is none, or it cannot be read; NULL: it is */
    bool unread[2];                    /* run.json names it, but it cannot be read */
    struct ras_ending ending[2];
    uint64_t last[2];     /* of a trace that is cut or damaged: its last place; RAS_NONE: none */
    const char *failed;   /* why the two were not compared; NULL: they were */
    bool broken;          /* both can be read, but comparing them failed */
    uint64_t first;       /* place of its first divergence; RAS_NONE: none, or none is known */
    bool diverged, about; /* about: the place is not exact */
    uint64_t checked;
    const char *counts;          /* what the activity counts; NULL until it was counted */
    const struct ras_diff *diff; /* to its first divergence; NULL: it was not compared */
    const struct ras_diff *here; /* all that differs at that place */
};

struct comparison {
    const char *name[2];
    struct ras_rundir *run[2];   /* NULL: traces */
    struct ras_trace *single[2]; /* NULL: runs */
    const char *word;            /* of places: "tick", "frame", "event" */
    uint32_t stream;             /* where the places of calls are counted */
    size_t stream_count;         /* of streams with places of their own; 0: all have the same */
    uint64_t range[2][2];        /* places of each side, both included; RAS_NONE: not known */
    uint64_t from, to;           /* of both; from > to: none */
    struct comparison_line *lines;
    size_t line_count, compared, divergent;
    bool diverged, exact; /* exact: ticks are known by the order of records */
    bool unison;          /* all before the first divergence is known to be the same */
    bool lost;            /* a trace is missing, cut or damaged: not all is known */
    uint64_t first;       /* the first divergent place; RAS_NONE */
    uint64_t checked;
    const struct ras_value *settings; /* rows; NULL: the same */
    /* "The two runs diverge in ", "tick 300", ".": the place may be "". */
    const char *title[3];
    const char *cause; /* one or more sentences */
    const char *order; /* how ticks are known, where that is not exact; "" */

    /* Private. */
    struct arena texts;
    struct ras_rundiff *rundiff;
    struct ras_diff *diff, *here;
};

/* Compare what is shown: two sides. `how`: progress and the like; NULL: none. */
int comparison_new(struct comparison **out, const struct shown *,
                   const struct ras_compare_options *how, struct ras_error *) RAS_CHECKED;
void comparison_free(struct comparison *);

/* The window of the staff around the place in question, within what there is. */
void comparison_window(const struct comparison *, uint64_t place, unsigned width,
                       uint64_t window[2]);
/* Count a window: ras_rundiff_window() or ras_diff_window(), its lines in the order of ours. */
int comparison_count(const struct comparison *, uint64_t first, uint64_t last,
                     const struct ras_compare_options *how, struct ras_staff **out,
                     struct ras_error *) RAS_CHECKED;
/* All divergences at a place, line by line: an array of line_count, NULL where there is none. */
struct evidence {
    struct ras_rundiff *rundiff; /* of runs */
    struct ras_diff *diff;       /* of traces */
    const struct ras_diff **lines;
};
int comparison_at(const struct comparison *, uint64_t place, const struct ras_compare_options *how,
                  struct evidence *out, struct ras_error *) RAS_CHECKED;
void comparison_at_free(struct evidence *);
/* Up to which place both sides of a line are known; RAS_NONE: to their ends. */
uint64_t comparison_reach(const struct comparison_line *);
/* Whether a divergence is at this place; of runs all of the evidence are. */
bool comparison_is_at(const struct comparison *, const struct ras_divergence *, uint64_t place);

/* verdict.c: title and cause. */
void comparison_words(struct comparison *);
/* What the divergence has become some places later, from a window that was counted; "": nothing
 * can be said. */
const char *comparison_later(struct comparison *, const struct ras_staff *);
/* "1,234,567" */
const char *arena_count(struct arena *, uint64_t number);
#endif
