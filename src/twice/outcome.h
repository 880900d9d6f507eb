/* outcome.h - what a run has done, and the first place where two runs differ, line by line: calls,
 * pens, standard output and error, exit status, files. */
#ifndef TWICE_OUTCOME_H
#define TWICE_OUTCOME_H

#include "twice/launch.h"
#include <rastrum/rastrum.h>
#include <rastrum/rundir.h>

struct ras_symbols;

enum { OUTCOME_LINE = 160 };

struct outcome {
    char dir[PATH_MAX]; /* stdout, stderr, and what was recorded */
    struct launched how;
    bool is_finished; /* its calls can be read */
    bool has_calls, has_pens;
    uint64_t events;
    size_t threads;
    char incomplete[240]; /* why the recording is not all; "": it is */
    struct tree files;
};

/* The first line of a text that differs. */
struct line_difference {
    bool differs;
    uint64_t line;              /* from 1 */
    char text[2][OUTCOME_LINE]; /* shortened */
    bool none[2];               /* the text has no such line */
};

struct divergence {
    struct ras_diff *calls; /* NULL: they do not differ, or were not compared */
    struct ras_rundiff *pens;
    bool calls_missing;              /* only one of the runs has calls, or pens */
    struct line_difference texts[2]; /* standard output, standard error */
    bool exit_differs;
    struct launched how[2];
    size_t file_count; /* that differ */
    char file[PATH_MAX];
    const char *file_what;
    char failed[240]; /* calls could not be compared; "": they were */
    /* What the above borrow from. */
    struct ras_trace *traces[2];
    struct ras_rundir *runs[2];
};

/* Take what the run in the directory "run" has left, which becomes `name`. False: see errno. */
bool outcome_take(struct outcome *, struct launch *, const struct launched *, const char *name);
/* Finish the recording of its calls, unless that was done. */
void outcome_finish(struct outcome *, struct ras_symbols *);
void outcome_free(struct outcome *); /* and its directory */
/* Whether two runs differ in anything but their calls; to be freed in any case. */
bool outcome_differs(const struct outcome *expected, const struct outcome *actual,
                     struct divergence *);
/* Whether the calls differ of runs that are finished, by these options. */
bool outcome_calls_differ(const struct outcome *expected, const struct outcome *actual,
                          const struct ras_compare_options *, struct divergence *);
void divergence_free(struct divergence *);
#endif
