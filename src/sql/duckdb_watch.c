/* duckdb_watch.c - deadlines and cancelling while DuckDB works: a thread that watches. */
#include "base/os.h"
#include "sql/duckdb_engine.h"

enum { WATCH_MS = 20 };

static void *watch_run(void *user)
{
    struct duckdb_watch *w = user;
    struct duckdb *d = w->duckdb;
    const struct ras_sql_options *o = &d->module.options;
    mutex_lock(&w->mutex);
    while (!w->done) {
        condition_wait_ms(&w->changed, &w->mutex, WATCH_MS);
        if (w->done)
            break;
        if (w->deadline_ns && os_boot_ns() >= w->deadline_ns)
            atomic_store(&d->stop, DUCKDB_TIMED_OUT);
        else if (o->progress && !o->progress(o->user, 0, 0))
            atomic_store(&d->stop, DUCKDB_CANCELED);
        if (atomic_load(&d->stop))
            duck.interrupt(w->connection);
    }
    mutex_unlock(&w->mutex);
    return NULL;
}

bool duckdb_watch_start(struct duckdb_watch *w, struct duckdb *d, duckdb_handle connection)
{
    uint64_t ms = d->module.options.timeout_ms;
    *w = (struct duckdb_watch){
        .duckdb = d, .connection = connection, .deadline_ns = ms ? os_boot_ns() + ms * 1000000 : 0};
    if (!mutex_init(&w->mutex))
        return false;
    if (condition_init(&w->changed)) {
        w->runs = thread_start(&w->thread, watch_run, w);
        if (w->runs)
            return true;
        condition_free(&w->changed);
    }
    mutex_free(&w->mutex);
    return false;
}

void duckdb_watch_stop(struct duckdb_watch *w)
{
    if (!w->runs)
        return;
    mutex_lock(&w->mutex);
    w->done = true;
    condition_notify_all(&w->changed);
    mutex_unlock(&w->mutex);
    thread_join(&w->thread);
    condition_free(&w->changed);
    mutex_free(&w->mutex);
    w->runs = false;
}

bool duckdb_goes_on(struct duckdb *d)
{
    const struct ras_sql_options *o = &d->module.options;
    if (!atomic_load(&d->stop) && o->progress &&
        !o->progress(o->user, atomic_load(&d->done), atomic_load(&d->total)))
        atomic_store(&d->stop, DUCKDB_CANCELED);
    return !atomic_load(&d->stop);
}
