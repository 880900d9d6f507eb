/* dial9_stats.c - analyses of what an async runtime recorded, from facts in order to tables. */
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

void dial9_stats_feed(struct dial9_stats *d, const struct fact *f)
{
    switch ((enum fact_kind)f->kind) {
    case FACT_POLL_START:
    case FACT_POLL_END:
    case FACT_PARK:
    case FACT_UNPARK:
        dial9_stats_on_worker(d, f);
        break;
    case FACT_WAKE:
    case FACT_SPAWN:
    case FACT_TERMINATE:
        dial9_stats_on_task(d, f);
        break;
    case FACT_SPAN_ENTER:
    case FACT_SPAN_EXIT:
    case FACT_SPAN_CLOSE:
    case FACT_SPAN_WHOLE:
        if (d->groups[BY_SPAN] && d->counts[FACT_SAMPLE]) /* or nothing belongs to a span */
            dial9_lanes_span(d, f);
        if (f->small == SPAN_MODERN)
            dial9_spans_on(d, f);
        else
            dial9_stats_on_span(d, f);
        break;
    case FACT_DUMP:
        dial9_stats_on_task(d, f);
        break;
    case FACT_ALLOC:
        dial9_heap_on(d, f);
        break;
    case FACT_SAMPLE:
        dial9_stats_on_sample(d, f);
        break;
    case FACT_QUEUE:
        d->queue_seen = true;
        d->queue_last = f->id;
        break;
    default:
        break;
    }
}

/* ---- all of it ------------------------------------------------------------------- */

static void free_lists(struct dial9_stats *d)
{
    for (size_t i = 0; i < d->schema_count; i++) {
        free((void *)(uintptr_t)d->schemas[i].roles);
        free(d->schemas[i].places);
        dial9_metric_schema_free(d->schemas[i].metrics);
    }
    dial9_spans_free(d->book);
    free(d->segments);
    free(d->schemas);
    free(d->slabs);
    free(d->long_polls.at);
    free(d->long_delays.at);
    free(d->tasks);
    free(d->spans);
    free(d->stacks);
    free(d->addresses);
    free(d->symbols);
    free(d->members);
    intern_free(&d->texts);
    intern_free(&d->stack_ids);
}

void dial9_stats_free(struct dial9_stats *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->worker_count; i++) {
        struct worker *w = &d->workers[i];
        quantiles_free(&w->polls);
        quantiles_free(&w->parks);
        quantiles_free(&w->actives);
        quantiles_free(&w->waits);
    }
    for (size_t i = 0; i < d->site_count; i++) {
        struct site *s = &d->sites[i];
        quantiles_free(&s->polls);
        quantiles_free(&s->lifetimes);
        quantiles_free(&s->spans);
        quantiles_free(&s->actives);
        quantiles_free(&s->segments);
    }
    free(d->workers);
    free(d->sites);
    free_lists(d);
    dial9_groups_free(d);
    dial9_lanes_free(d);
    dial9_task_cpu_free(d);
    dial9_dumps_free(d);
    dial9_heap_free(d);
    dial9_process_free(d);
    dial9_metrics_free(d);
    struct id_table *const tables[] = {&d->worker_ids, &d->task_ids, &d->dumped, &d->span_ids,
                                       &d->threads};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        id_table_free(tables[i]);
    struct quantiles *const sets[] = {&d->delays, &d->first_delays, &d->queue};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        quantiles_free(sets[i]);
    for (int i = 0; i < 2; i++)
        dial9_flame_free(&d->flames[i]);
    free(d);
}

static void sum_schemas(struct dial9_stats *d)
{
    for (size_t i = 0; i < d->schema_count; i++) {
        const struct fact_schema *f = &d->schemas[i];
        d->counts[f->kind] += f->records;
        d->records += f->records;
        d->lacking += f->lacking ? f->records : 0;
    }
}

static void put_tables(struct dial9_stats *d)
{
    dial9_stats_put_flags(d);
    dial9_stats_put_summary(d);
    dial9_stats_put_workers(d);
    dial9_stats_put_runtimes(d);
    dial9_stats_put_tasks(d);
    dial9_stats_put_spans(d);
    dial9_span_put_tables(d);
    dial9_stats_put_samples(d);
    dial9_stats_put_folded(d);
    dial9_stats_put_task_cpu(d);
    dial9_stats_put_dumps(d);
    dial9_stats_put_heap(d);
    dial9_stats_put_process(d);
    dial9_stats_put_metrics(d);
    dial9_segments_put(d);
    dial9_stats_put_types(d);
}

static int feed_all(struct dial9_stats *d, struct ras_error *err)
{
    struct ras_ending ending = d->s->out->ending;
    struct replay *r;
    int status = dial9_order_open(&r, d, err);
    if (status == RAS_OK)
        status = dial9_order_all(r, err);
    dial9_order_close(r);
    d->s->out->ending = ending; /* the first walk saw all of it */
    return status < 0 ? status : RAS_OK;
}

struct dial9_stats *dial9_stats_new(struct ras_trace *t)
{
    struct dial9_stats *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->trace = t;
    d->book = dial9_spans_new();
    if (!d->book) {
        free(d);
        return NULL;
    }
    return d;
}

bool dial9_stats_wants(const struct dial9_stats *d, const char *table)
{
    const struct ras_stats_options *o = d->s->options;
    for (size_t i = 0; i < o->table_count; i++)
        if (!strcmp(o->tables[i], table))
            return true;
    return !o->table_count;
}

static bool want_groups(struct dial9_stats *d, unsigned groups)
{
    bool ok = true;
    for (int by = 0; by < BY_COUNT && ok; by++)
        if (groups >> by & 1)
            ok = dial9_groups_want(d, (enum stack_by)by);
    return ok;
}

int dial9_stats_run(struct ras_trace *t, struct stats *s, struct tree_samples *tree,
                    unsigned groups, void (*put)(struct dial9_stats *), struct ras_error *err)
{
    struct dial9_stats *d = dial9_stats_new(t);
    if (!d)
        return fail_memory(err);
    d->s = s;
    d->axis = s->options->axis;
    d->tree = tree;
    if (!tree && !dial9_stats_wants(d, "folded"))
        groups = 0;
    bool ok = want_groups(d, groups) && (tree || dial9_task_cpu_want(d));
    int status = ok ? dial9_stats_survey(d, err) : fail_memory(err);
    if (status == RAS_OK)
        sum_schemas(d);
    if (status == RAS_OK)
        status = feed_all(d, err);
    if (status == RAS_OK && (d->nomem || s->doc.cells.nomem))
        status = fail_memory(err);
    if (status == RAS_OK) {
        dial9_stats_end_workers(d);
        dial9_stats_end_spans(d);
        dial9_stats_end_samples(d);
        dial9_task_cpu_end(d);
        put(d);
    }
    s->doc.cells.nomem |= d->nomem;
    dial9_stats_free(d);
    return status;
}

int dial9_stats(struct ras_trace *t, struct stats *s, struct ras_error *err)
{
    return dial9_stats_run(t, s, NULL, (1u << BY_COUNT) - 1, put_tables, err);
}
