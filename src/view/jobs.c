/* jobs.c - the workers of a view, their queue and the results that are kept. */
#include "view/jobs.h"

#include "base/memory.h"
#include "base/thread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MOST = 64, DONE_SCALE = 10000, WORKERS = 2 };

struct job {
    uint64_t id;
    uint64_t epoch;  /* of the traces it was requested for */
    unsigned claims; /* requests for it that were not cancelled */
    enum job_state state;
    struct request request; /* the arguments, copied, and what came of it */
    uint8_t *body;
    struct out out;
    atomic_bool cancelled;
    atomic_uint done; /* in parts of DONE_SCALE */
};

/* A thread with traces of its own. */
struct worker {
    struct jobs *jobs;
    struct os_thread thread;
    bool started;
    bool quick;         /* takes no long job, so that others do not wait for one */
    struct shown shown; /* the worker's alone */
    uint64_t shown_epoch;
};

/* `lock` guards everything but what the comments give to one thread. */
struct jobs {
    struct os_mutex lock;
    struct os_condition changed;
    struct worker workers[WORKERS];
    bool threads, quit;
    uint64_t result_bytes; /* limit of results that are kept */
    uint64_t last_id, epoch;
    struct job *list[JOBS_MOST]; /* the oldest first; only the view's thread adds and removes */
    size_t count;
    unsigned running; /* jobs */
    const struct origin *origins;
    size_t origin_count;
};

/* ---- one job ------------------------------------------------------------------------------- */

static void job_free(struct job *job)
{
    for (size_t i = 0; i < ROUTE_ARGS_MOST; i++)
        free((void *)(uintptr_t)job->request.args[i].list);
    free(job->body);
    out_free(&job->out);
    free(job);
}

static bool job_copy_args(struct job *job)
{
    for (size_t i = 0; i < ROUTE_ARGS_MOST; i++) {
        struct arg *a = &job->request.args[i];
        const uint32_t *from = a->list;
        a->list = NULL;
        if (!from)
            continue;
        uint32_t *to = malloc(a->count * sizeof *to);
        if (!to)
            return false;
        memcpy(to, from, a->count * sizeof *to);
        a->list = to;
    }
    return true;
}

static struct job *job_new(const struct request *r)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->request = *r;
    job->request.view = NULL;
    bool whole = job_copy_args(job);
    if (whole && r->body.len) {
        job->body = malloc(r->body.len);
        if (job->body)
            memcpy(job->body, r->body.at, r->body.len);
        whole = job->body;
    }
    if (!whole) {
        job_free(job);
        return NULL;
    }
    job->request.body = (struct ras_bytes){job->body, r->body.len};
    job->request.out = &job->out;
    return job;
}

static bool job_ended(const struct job *job)
{
    return job->state >= JOB_READY;
}

static bool arg_equal(const struct arg *a, const struct arg *b)
{
    return a->given == b->given && a->value == b->value && a->count == b->count &&
           (!a->count || !memcmp(a->list, b->list, a->count * sizeof *a->list));
}

static bool job_is(const struct job *job, const struct request *r)
{
    const struct request *q = &job->request;
    if (q->route != r->route || q->body.len != r->body.len ||
        (r->body.len && memcmp(q->body.at, r->body.at, r->body.len) != 0))
        return false;
    for (size_t i = 0; i < ROUTE_ARGS_MOST; i++)
        if (!arg_equal(&q->args[i], &r->args[i]))
            return false;
    return true;
}

/* The same route for the same traces, for the same page: a newer one replaces it. */
static bool job_is_of_kind(const struct job *job, const struct request *r)
{
    if (job->request.route != r->route || job->request.page != r->page)
        return false;
    for (size_t i = 0; i < ROUTE_ARGS_MOST && r->route->args[i].key; i++) {
        enum arg_kind kind = r->route->args[i].kind;
        if ((kind == ARG_SIDE || kind == ARG_SOURCE) &&
            !arg_equal(&job->request.args[i], &r->args[i]))
            return false;
    }
    return true;
}

/* ---- the worker ---------------------------------------------------------------------------- */

static bool job_progress(void *user, uint64_t done, uint64_t total)
{
    struct job *job = user;
    if (total) {
        double part = (double)done / (double)total;
        atomic_store(&job->done, (unsigned)((part < 1 ? part : 1) * DONE_SCALE));
    }
    return !atomic_load(&job->cancelled);
}

/* The traces of the worker, as they are now. */
static int worker_open_traces(struct worker *w, const struct job *job, struct ras_error *err)
{
    int status = RAS_OK;
    if (w->shown_epoch == job->epoch)
        return RAS_OK;
    shown_clear(&w->shown);
    for (size_t i = 0; i < w->jobs->origin_count && status >= 0; i++)
        status = shown_add(&w->shown, &w->jobs->origins[i], err);
    if (status >= 0)
        w->shown_epoch = job->epoch;
    else
        shown_clear(&w->shown);
    return status;
}

/* A source that could be opened when it was requested may have vanished since. */
static int job_check_sources(struct request *r)
{
    for (size_t i = 0; i < ROUTE_ARGS_MOST && r->route->args[i].key; i++) {
        enum arg_kind kind = r->route->args[i].kind;
        uint64_t value = r->args[i].value;
        if (kind == ARG_SIDE && value >= r->shown->side_count)
            return fail(&r->err, RAS_ENOTHING, RAS_NONE, "there is no side %" PRIu64, value);
        if (kind == ARG_SOURCE && (r->args[i].given || !r->route->args[i].optional) &&
            (value >= r->shown->source_count || !r->shown->sources[value].trace))
            return fail(&r->err, RAS_EIO, RAS_NONE, "the trace can no longer be opened");
    }
    return RAS_OK;
}

/* With the traces of the worker, or with these. */
static enum job_state job_run(struct worker *w, struct job *job, struct shown *shown)
{
    const struct jobs *jobs = w->jobs;
    struct request *r = &job->request;
    int status = RAS_OK;
    if (!shown)
        status = worker_open_traces(w, job, &r->err);
    r->shown = shown ? shown : &w->shown;
    r->progress = job_progress;
    r->user = job;
    if (status >= 0)
        status = job_check_sources(r);
    if (status >= 0)
        status = r->route->answer(r);
    if (status >= 0 && job->out.failed)
        status = fail_memory(&r->err);
    if (status >= 0 && job->out.len > jobs->result_bytes)
        status = fail(&r->err, RAS_ELIMIT, RAS_NONE,
                      "the result has %zu bytes; %" PRIu64 " are the most", job->out.len,
                      jobs->result_bytes);
    if (status >= 0)
        return JOB_READY;
    out_free(&job->out);
    job->out = (struct out){0};
    r->err.status = status;
    return atomic_load(&job->cancelled) ? JOB_CANCELLED : JOB_FAILED;
}

/* The next one that waits, which runs from now on: the oldest that is not long, else the oldest.
 * `lock` is held. */
static struct job *jobs_take(struct jobs *jobs, bool quick)
{
    struct job *taken = NULL;
    for (size_t i = 0; i < jobs->count; i++) {
        struct job *job = jobs->list[i];
        bool is_long = job->request.route->is_long;
        if (job->state == JOB_QUEUED && !(quick && is_long) &&
            (!taken || (taken->request.route->is_long && !is_long)))
            taken = job;
    }
    if (!taken)
        return NULL;
    taken->state = JOB_RUNNING;
    jobs->running++;
    return taken;
}

static void jobs_put_back(struct jobs *jobs, struct job *job, enum job_state state)
{
    job->state = state;
    jobs->running--;
    condition_notify_all(&jobs->changed);
}

static void *worker_run(void *user)
{
    struct worker *w = user;
    struct jobs *jobs = w->jobs;
    mutex_lock(&jobs->lock);
    while (!jobs->quit) {
        struct job *job = jobs_take(jobs, w->quick);
        if (!job) {
            condition_wait(&jobs->changed, &jobs->lock);
            continue;
        }
        mutex_unlock(&jobs->lock);
        enum job_state state = job_run(w, job, NULL);
        mutex_lock(&jobs->lock);
        jobs_put_back(jobs, job, state);
    }
    mutex_unlock(&jobs->lock);
    return NULL;
}

/* Start the worker of all jobs, and the one of those that are not long once they might wait. `lock`
 * is held. Where no thread can be started, jobs_step() runs them. */
static void jobs_start(struct jobs *jobs)
{
    struct worker *all = &jobs->workers[0], *quick = &jobs->workers[1];
    if (!jobs->threads)
        return;
    if (!all->started)
        jobs->threads = all->started = thread_start(&all->thread, worker_run, all);
    if (jobs->running && !quick->started)
        quick->started = thread_start(&quick->thread, worker_run, quick);
}

/* ---- the queue ----------------------------------------------------------------------------- */

static void jobs_remove(struct jobs *jobs, size_t i)
{
    job_free(jobs->list[i]);
    jobs->count--;
    memmove(jobs->list + i, jobs->list + i + 1, (jobs->count - i) * sizeof *jobs->list);
}

static void jobs_cancel_one(struct job *job)
{
    atomic_store(&job->cancelled, true);
    if (job->state == JOB_QUEUED)
        job->state = JOB_CANCELLED;
}

/* One of the requests for it is cancelled; it ends with the last. */
static void jobs_let_go(struct job *job)
{
    if (job->claims && !--job->claims)
        jobs_cancel_one(job);
}

static uint64_t jobs_bytes(const struct jobs *jobs)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < jobs->count; i++)
        bytes += job_ended(jobs->list[i]) ? jobs->list[i]->out.room : 0;
    return bytes;
}

/* Drop results, the oldest first, until all of them are within the limit and there is a place. The
 * newest is kept: it was not fetched yet. */
static void jobs_trim(struct jobs *jobs)
{
    uint64_t bytes = jobs_bytes(jobs);
    for (size_t i = 0; i + 1 < jobs->count;) {
        if (bytes <= jobs->result_bytes && jobs->count < JOBS_MOST)
            return;
        if (!job_ended(jobs->list[i])) {
            i++;
            continue;
        }
        bytes -= jobs->list[i]->out.room;
        jobs_remove(jobs, i);
    }
}

static struct job *jobs_find(struct jobs *jobs, uint64_t id)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->list[i]->id == id)
            return jobs->list[i];
    return NULL;
}

static struct job *jobs_find_equal(struct jobs *jobs, const struct request *r)
{
    for (size_t i = 0; i < jobs->count; i++) {
        struct job *job = jobs->list[i];
        if (job->state <= JOB_READY && job->epoch == jobs->epoch && !atomic_load(&job->cancelled) &&
            job_is(job, r))
            return job;
    }
    return NULL;
}

/* Cancel what the request replaces; how many are left that wait. */
static size_t jobs_replace(struct jobs *jobs, const struct request *r)
{
    size_t waiting = 0;
    for (size_t i = 0; i < jobs->count; i++) {
        struct job *job = jobs->list[i];
        if (!job_ended(job) && job_is_of_kind(job, r))
            jobs_let_go(job);
        waiting += job->state == JOB_QUEUED;
    }
    return waiting;
}

static int jobs_append(struct jobs *jobs, const struct request *r, uint64_t *id,
                       struct ras_error *err)
{
    if (jobs_replace(jobs, r) >= JOBS_WAITING_MOST)
        return fail(err, RAS_ELIMIT, RAS_NONE, "%d jobs are waiting", (int)JOBS_WAITING_MOST);
    jobs_trim(jobs);
    struct job *job = jobs->count < JOBS_MOST ? job_new(r) : NULL;
    if (!job)
        return fail_memory(err);
    *id = job->id = ++jobs->last_id;
    job->epoch = jobs->epoch;
    job->claims = 1;
    jobs->list[jobs->count++] = job;
    jobs_start(jobs);
    condition_notify_all(&jobs->changed);
    return RAS_OK;
}

int jobs_add(struct jobs *jobs, const struct request *r, uint64_t *id, struct ras_error *err)
{
    int status = RAS_OK;
    mutex_lock(&jobs->lock);
    struct job *equal = jobs_find_equal(jobs, r);
    if (equal) {
        *id = equal->id;
        equal->claims++;
    } else {
        status = jobs_append(jobs, r, id, err);
    }
    mutex_unlock(&jobs->lock);
    return status;
}

bool jobs_report(struct jobs *jobs, uint64_t id, struct job_report *out)
{
    mutex_lock(&jobs->lock);
    const struct job *job = jobs_find(jobs, id);
    if (job) {
        *out = (struct job_report){.state = job->state,
                                   .done = atomic_load(&job->done) / (double)DONE_SCALE};
        if (job_ended(job)) {
            const struct request *r = &job->request;
            out->status = r->status;
            out->type = r->type;
            out->file_name = r->file_name;
            out->hint = r->hint;
            out->bytes = (struct ras_bytes){job->out.at, job->out.len};
            out->err = r->err;
        } else if (atomic_load(&job->cancelled)) {
            out->state = JOB_CANCELLED;
        }
    }
    mutex_unlock(&jobs->lock);
    return job;
}

bool jobs_cancel(struct jobs *jobs, uint64_t id)
{
    mutex_lock(&jobs->lock);
    struct job *job = jobs_find(jobs, id);
    if (job)
        jobs_let_go(job);
    mutex_unlock(&jobs->lock);
    return job;
}

bool jobs_step(struct jobs *jobs, struct shown *shown)
{
    if (jobs->threads)
        return false;
    struct job *job = jobs_take(jobs, false);
    if (job)
        jobs_put_back(jobs, job, job_run(&jobs->workers[0], job, shown));
    return job;
}

uint64_t jobs_memory(struct jobs *jobs)
{
    mutex_lock(&jobs->lock);
    uint64_t bytes = jobs_bytes(jobs);
    mutex_unlock(&jobs->lock);
    return bytes;
}

/* ---- beginning and end --------------------------------------------------------------------- */

void jobs_grown(struct jobs *jobs)
{
    mutex_lock(&jobs->lock);
    jobs->epoch++;
    mutex_unlock(&jobs->lock);
}

void jobs_restart(struct jobs *jobs, const struct origin *origins, size_t count)
{
    mutex_lock(&jobs->lock);
    for (size_t i = 0; i < jobs->count; i++)
        jobs_cancel_one(jobs->list[i]);
    while (jobs->running)
        condition_wait(&jobs->changed, &jobs->lock);
    while (jobs->count)
        jobs_remove(jobs, jobs->count - 1);
    jobs->epoch++;
    jobs->origins = origins;
    jobs->origin_count = count;
    mutex_unlock(&jobs->lock);
}

int jobs_open(struct jobs **out, uint64_t result_bytes, bool threads, struct ras_error *err)
{
    struct jobs *jobs = *out = calloc(1, sizeof *jobs);
    if (!jobs)
        return fail_memory(err);
    jobs->result_bytes = result_bytes;
    jobs->threads = threads;
    jobs->epoch = 1;
    for (size_t i = 0; i < WORKERS; i++) {
        jobs->workers[i] = (struct worker){.jobs = jobs, .quick = i > 0};
        jobs->workers[i].shown.is_still = true; /* verbs must not wait for what is not written */
    }
    if (!mutex_init(&jobs->lock))
        goto out;
    if (condition_init(&jobs->changed))
        return RAS_OK;
    mutex_free(&jobs->lock);
out:
    free(jobs);
    *out = NULL;
    return fail_memory(err);
}

void jobs_close(struct jobs *jobs)
{
    if (!jobs)
        return;
    jobs_restart(jobs, NULL, 0);
    mutex_lock(&jobs->lock);
    jobs->quit = true;
    condition_notify_all(&jobs->changed);
    mutex_unlock(&jobs->lock);
    for (size_t i = 0; i < WORKERS; i++) {
        if (jobs->workers[i].started)
            thread_join(&jobs->workers[i].thread);
        shown_clear(&jobs->workers[i].shown);
    }
    condition_free(&jobs->changed);
    mutex_free(&jobs->lock);
    free(jobs);
}
