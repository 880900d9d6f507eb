/* rundirs.h - verbs on run directories: each of their traces, and all of them together. */
#ifndef CLI_RUNDIRS_H
#define CLI_RUNDIRS_H

#include "cli/comparison.h"

#include <rastrum/rundir.h>

/* Whether an operand is a run directory that is used as one. */
bool is_run(const struct common *, const char *path);
/* Whether the operands, two or more, are run directories: 1 all of them, 0 none; -1 some,
 * after saying so. */
int runs_among(const struct common *);
/* Open one; reports errors. */
struct ras_rundir *open_run(const struct common *, const char *path);
/* The one trace of a run that --input-format names, or that the verb supports; reports errors. */
struct ras_trace *open_in_run(const struct common *, const char *path);
/* Report a run that its program did not close, or that was repaired. */
void say_how_ended(const struct common *, const struct ras_rundir *);
/* Report which traces are missing or cannot be read, each in a line: EXIT_YES or EXIT_LOSS. */
int say_pens(const struct ras_rundir *);
/* The same, after a run that its program did not close. */
int say_missing(const struct ras_rundir *);

/* What run.json says, as text. */
void put_run(struct answer *, const struct ras_rundir *);
/* The beginning of a JSON document about it, up to the array of its traces. */
void put_run_open(struct ras_json *, const struct ras_rundir *);
/* A missing trace, in the place of its document. */
void put_run_gap(struct ras_json *, const struct ras_rundir_pen *);

/* The verbs, on operands that are run directories; they return the exit status. */
int diff_runs(const struct common *, const struct ras_compare_options *, const char *json_out);
int bisect_runs(const struct common *, const struct ras_bisect_options *, const char *json_out);
#endif
