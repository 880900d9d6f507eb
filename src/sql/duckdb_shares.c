/* duckdb_shares.c - traces for several threads: where they are cut, and tables for each thread.
 *
 * Only where cutting costs no walk: a trace whose index counts its records, or one that an earlier
 * query has read to its end. Tables that a thread has opened are kept for the next share. */
#include "base/error.h"
#include "base/memory.h"
#include "sql/duckdb_engine.h"

/* Records that are worth a share, where the caller does not say how many threads. */
enum { SHARES_PER_THREAD = 4, SHARE_RECORDS = 65536 };

struct duckdb_trace {
    struct ras_mark *marks;
    size_t mark_count;
    bool is_split, is_refused; /* refused: it is read as a whole */
    bool is_worse;             /* a share did not end well */
    struct ras_tables **idle;
    size_t idle_count, idle_room;
};

int duckdb_traces_open(struct duckdb *d, struct ras_error *err)
{
    d->traces = calloc(d->module.catalog->trace_count + 1, sizeof *d->traces);
    d->has_lock = mutex_init(&d->lock);
    return d->traces && d->has_lock ? RAS_OK : fail_memory(err);
}

void duckdb_traces_close(struct duckdb *d)
{
    for (size_t i = 0; d->traces && i < d->module.catalog->trace_count; i++) {
        struct duckdb_trace *t = &d->traces[i];
        for (size_t k = 0; k < t->idle_count; k++)
            ras_tables_close(t->idle[k]);
        free(t->idle);
        free(t->marks);
    }
    free(d->traces);
    if (d->has_lock)
        mutex_free(&d->lock);
}

static struct duckdb_trace *shared_trace(struct duckdb *d, const struct sql_trace *trace)
{
    return &d->traces[trace - d->module.catalog->traces];
}

/* ---- shares -------------------------------------------------------------------------------- */

/* Types on request are counted from the start, other tables are not of records. */
static bool is_of_records(const struct sql_member *m)
{
    const struct ras_table_about *of = m->about;
    if (of->kind == RAS_TABLE_CHILD)
        of = ras_table_of(m->trace->tables, of->parent);
    return of && of->kind == RAS_TABLE_RECORDS;
}

static void drop_small_shares(struct duckdb_trace *t)
{
    size_t kept = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < t->mark_count; i++)
        if (t->marks[i].seq - last >= SHARE_RECORDS) {
            last = t->marks[i].seq;
            t->marks[kept++] = t->marks[i];
        }
    t->mark_count = kept;
}

/* Cut the trace, and see that it can be opened again. */
static bool split_trace(struct duckdb *d, struct duckdb_trace *t, const struct sql_trace *trace)
{
    size_t count = (size_t)d->threads * SHARES_PER_THREAD - 1;
    struct ras_tables *tables;
    t->marks = calloc(count + 1, sizeof *t->marks);
    t->mark_count = count;
    if (!t->marks || ras_split(trace->trace, t->marks, &t->mark_count, NULL) < 0)
        return false;
    if (!d->module.options.threads)
        drop_small_shares(t);
    if (!t->mark_count || ras_tables_again(&tables, trace->tables, NULL) < 0)
        return false;
    if (!array_grow(&t->idle, &t->idle_room, 1, sizeof *t->idle)) {
        ras_tables_close(tables);
        return false;
    }
    t->idle[t->idle_count++] = tables;
    return true;
}

const struct ras_mark *duckdb_shares_of(struct duckdb *d, const struct sql_member *m, size_t *count)
{
    struct duckdb_trace *t = shared_trace(d, m->trace);
    if (d->threads < 2 || t->is_refused || !is_of_records(m) ||
        (!t->is_split && !ras_split_is_cheap(m->trace->trace)))
        return NULL;
    if (!t->is_split) {
        t->is_split = split_trace(d, t, m->trace);
        t->is_refused = !t->is_split;
    }
    *count = t->mark_count + 1;
    return t->is_split ? t->marks : NULL;
}

/* ---- tables of a thread -------------------------------------------------------------------- */

int duckdb_tables_take(struct duckdb *d, const struct sql_trace *trace, struct ras_tables **out,
                       struct ras_error *err)
{
    struct duckdb_trace *t = shared_trace(d, trace);
    int status = RAS_OK;
    mutex_lock(&d->lock);
    if (t->idle_count)
        *out = t->idle[--t->idle_count];
    else
        status = ras_tables_again(out, trace->tables, err);
    mutex_unlock(&d->lock);
    return status;
}

void duckdb_tables_give(struct duckdb *d, const struct sql_trace *trace, struct ras_tables *tables)
{
    struct duckdb_trace *t = shared_trace(d, trace);
    struct ras_ending ending = ras_ending(ras_tables_trace(tables));
    mutex_lock(&d->lock);
    t->is_worse = t->is_worse || ending.kind > RAS_COMPLETE;
    if (array_grow(&t->idle, &t->idle_room, t->idle_count + 1, sizeof *t->idle))
        t->idle[t->idle_count++] = tables;
    else
        ras_tables_close(tables);
    mutex_unlock(&d->lock);
}

/* ---- endings ------------------------------------------------------------------------------- */

int duckdb_traces_end(struct duckdb *d, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    int status = RAS_END;
    for (size_t i = 0; status == RAS_END && i < d->module.catalog->trace_count; i++) {
        const struct ras_record *r;
        struct ras_cursor *c;
        if (!d->traces[i].is_worse)
            continue;
        d->traces[i].is_worse = false;
        status = ras_cursor_open(&c, d->module.catalog->traces[i].trace, &scan, err);
        if (status < 0)
            break;
        while ((status = ras_next(c, &r, err)) == RAS_OK)
            ;
        ras_cursor_close(c);
    }
    return status < 0 ? status : RAS_OK;
}
