/* reducing.h - the course of a reduction: candidates, tests, what is told of them. */
#ifndef CLI_REDUCING_H
#define CLI_REDUCING_H

#include "cli/reduce_journal.h"
#include "cli/reduce_trials.h"
#include "cli/session.h"

struct reducing {
    const struct common *common;
    const char *path; /* of the trace */
    struct ras_trace *trace;
    struct ras_reduce *reduce;
    struct trials trials;
    struct journal journal;
    uint64_t test_most; /* 0: no bound */
    uint64_t tests, failed, timed_out, resumed;
    bool fails;   /* the whole does */
    bool minimal; /* nothing more can be left out */
    bool line_wanted;
    double line_at;
    int caught; /* the signal that interrupted it */
};

/* Go through the outcomes of an earlier run, then test until nothing can be left out or a bound
 * is met. 0, EXIT_NO when the trace does not fail, or EXIT_TROUBLE; both are said. */
int reducing_run(struct reducing *);
/* Write the smallest trace that is known to fail, and tell of it; the exit status. */
int reducing_finish(struct reducing *);
#endif
