/* jobs.h - verbs that take long: two workers, each with traces of its own, and results that are
 * kept a while.
 *
 * A job is a route and its arguments. One worker runs any, the other one those whose route is not
 * long, so that a picture does not wait for the check of a whole trace; others wait. A new one of
 * the same route for the same source or side replaces the one before of the same page, which is
 * cancelled; a request that is equal to one that waits, runs or is kept gets that, and it ends when
 * all of those requests are cancelled. Results are kept within a number of bytes, the oldest goes
 * first.
 *
 * Functions here are called by the thread of the view; the workers only run route functions. */
#ifndef VIEW_JOBS_H
#define VIEW_JOBS_H

#include "view/route.h"

enum { JOBS_WAITING_MOST = 16 };

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_READY, JOB_FAILED, JOB_CANCELLED };

struct jobs;
/* `threads`: false: jobs_step() runs them. */
int jobs_open(struct jobs **out, uint64_t result_bytes, bool threads, struct ras_error *err);
/* Cancels what runs and waits for its end. NULL is fine. */
void jobs_close(struct jobs *);

/* Other sides are shown: what runs is cancelled, results are dropped, and the next job opens the
 * traces. It waits for the end of the job that runs. The origins are borrowed until the next
 * jobs_restart() or the close. */
void jobs_restart(struct jobs *, const struct origin *origins, size_t count);
/* Traces have grown: the next job opens them again, and results of before are not for new
 * requests. */
void jobs_grown(struct jobs *);

/* Add the job of a request whose arguments were parsed, or find it. RAS_ELIMIT: too many wait. */
int jobs_add(struct jobs *, const struct request *, uint64_t *id, struct ras_error *);

/* What is known of a job. The bytes are valid until the next call on jobs. */
struct job_report {
    enum job_state state;
    double done; /* 0 to 1 */
    int status;  /* of the answer, once it is ready or failed */
    const char *type, *file_name, *hint;
    struct ras_bytes bytes;
    struct ras_error err;
};
/* False: there is none of that number, or its result is no longer kept. */
bool jobs_report(struct jobs *, uint64_t id, struct job_report *);
/* One of the requests for the job is cancelled, and the job with the last one. */
bool jobs_cancel(struct jobs *, uint64_t id);

/* Without threads: run the next one, with the traces of the view; NULL: with its own. False: none
 * waits. */
bool jobs_step(struct jobs *, struct shown *);
/* Bytes of results that are kept. */
uint64_t jobs_memory(struct jobs *);
#endif
