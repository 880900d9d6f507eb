/* dial9_stats_put.c - the figures of workers, tasks and spans as tables. */
#include "formats/dial9/dial9_stats.h"

void dial9_stats_put_text(struct dial9_stats *d, uint32_t text)
{
    if (text >= d->texts.count)
        document_null(&d->s->doc);
    else
        document_text(&d->s->doc, d->texts.entries[text].at, d->texts.entries[text].len);
}

/* ---- workers --------------------------------------------------------------------- */

static const char *no_workers(const struct dial9_stats *d)
{
    return d->worker_count ? "" : "; not measurable: no event names a worker";
}

static double ratio(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : 0;
}

static void put_worker(struct dial9_stats *d, const struct worker *w)
{
    struct document *doc = &d->s->doc;
    uint64_t spent = w->actives.sum + w->parks.sum;
    size_t row = stats_row(d->s);
    document_uint(doc, w->id);
    if (spent)
        document_f64(doc, 100 * ratio(w->actives.sum, spent));
    else
        document_null(doc);
    document_uint(doc, w->polls.count);
    document_uint(doc, w->parks.count);
    document_uint(doc, w->actives.count);
    if (w->ratio_count)
        document_f64(doc, w->ratio_sum / (double)w->ratio_count);
    else
        document_null(doc);
    if (w->queue_told)
        document_uint(doc, w->queue_max);
    else
        document_null(doc);
    document_uint(doc, w->polls_unended);
    document_uint(doc, w->ends_unbegun);
    if (w->tid == RAS_NONE)
        document_null(doc);
    else
        document_uint(doc, w->tid);
    stats_row_end(d->s, row);
}

static void put_durations(struct dial9_stats *d, const char *name, size_t member, const char *what)
{
    static const char *const columns[] = {"worker", STATS_DURATIONS, NULL};
    bool exact = true;
    stats_table(d->s, name, columns);
    stats_order(d->s, "worker", true);
    for (size_t i = 0; i < d->worker_count; i++) {
        struct worker *w = &d->workers[i];
        struct quantiles *q = (struct quantiles *)((char *)w + member);
        size_t row = stats_row(d->s);
        document_uint(&d->s->doc, w->id);
        stats_put_quantiles(d->s, q);
        stats_row_end(d->s, row);
        exact = exact && quantiles_exact(q);
    }
    stats_table_end(d->s, "%s; %s%s", what, stats_exactness(exact), no_workers(d));
}

static void put_sites(struct dial9_stats *d, const char *name, const char *const *columns,
                      size_t member, const char *what)
{
    bool exact = true;
    stats_table(d->s, name, columns);
    stats_order(d->s, "total_ns", false);
    for (uint32_t i = 0; i < d->site_count; i++) {
        struct quantiles *q = (struct quantiles *)((char *)&d->sites[i] + member);
        if (!q->count)
            continue;
        size_t row = stats_row(d->s);
        dial9_stats_put_text(d, i);
        stats_put_quantiles(d->s, q);
        stats_row_end(d->s, row);
        exact = exact && quantiles_exact(q);
    }
    stats_table_end(d->s, "%s; %s%s", what, stats_exactness(exact),
                    d->sites_untold ? "; left out: what has no name, or is beyond 65,536 names"
                                    : "");
}

void dial9_stats_put_workers(struct dial9_stats *d)
{
    static const char *const columns[] = {
        "worker",    "utilization_percent", "polls",         "parks",        "active_periods",
        "cpu_ratio", "local_queue_max",     "polls_unended", "ends_unbegun", "tid",
        NULL};
    static const char *const sites[] = {"spawn_loc", STATS_DURATIONS, NULL};
    stats_table(d->s, "workers", columns);
    stats_order(d->s, "worker", true);
    for (size_t i = 0; i < d->worker_count; i++)
        put_worker(d, &d->workers[i]);
    stats_table_end(d->s,
                    "utilization is active time of active and parked time; cpu_ratio is CPU time of"
                    " active time, averaged over periods; a poll without an end is left out%s",
                    no_workers(d));
    put_durations(d, "polls", offsetof(struct worker, polls), "from PollStart to PollEnd");
    put_durations(d, "parks", offsetof(struct worker, parks),
                  "from Park to Unpark; one open at the end lasts until the last event");
    put_durations(d, "active_periods", offsetof(struct worker, actives), "from Unpark to Park");
    put_durations(d, "kernel_waits", offsetof(struct worker, waits),
                  "sched_wait_ns of Unpark where it is not 0");
    put_sites(d, "polls_by_location", sites, offsetof(struct site, polls),
              "polls by where their task was spawned");
    dial9_stats_put_long_polls(d);
}

/* ---- tasks ------------------------------------------------------------------------ */

static void put_named(struct dial9_stats *d, const char *name, struct quantiles *q)
{
    size_t row = stats_row(d->s);
    document_key(&d->s->doc, name);
    stats_put_quantiles(d->s, q);
    stats_row_end(d->s, row);
}

static void put_delays(struct dial9_stats *d)
{
    static const char *const columns[] = {"delay", STATS_DURATIONS, NULL};
    uint64_t polls = 0;
    for (size_t i = 0; i < d->worker_count; i++)
        polls += d->workers[i].polls.count;
    stats_table(d->s, "scheduling_delays", columns);
    put_named(d, "wake to poll", &d->delays);
    put_named(d, "spawn to first poll", &d->first_delays);
    if (!d->schemas || !d->counts[FACT_WAKE])
        stats_table_end(d->s, "not measurable: the trace has no WakeEventEvent");
    else
        stats_table_end(d->s,
                        "measured for %" PRIu64 " of %s; not for %" PRIu64
                        " without a wake, %" PRIu64 " of no known task, %" PRIu64
                        " at once, %" PRIu64 " after a second or more%s; %s",
                        d->delays.count, ras_counted(polls, "poll").text, d->polls_unwoken,
                        d->polls_of_none, d->delays_zero, d->delays_beyond,
                        d->tasks_untold ? "; tasks beyond 1,048,576 at a time" : "",
                        stats_exactness(quantiles_exact(&d->delays)));
}

static void put_long_delays(struct dial9_stats *d)
{
    static const char *const columns[] = {"task",   "time_ns",   "delay_ns",
                                          "worker", "spawn_loc", NULL};
    struct document *doc = &d->s->doc;
    dial9_worst_sort(&d->long_delays);
    stats_table(d->s, "long_delays", columns);
    for (size_t i = 0; i < d->long_delays.count; i++) {
        const struct worst *p = &d->long_delays.at[i];
        size_t row = stats_row(d->s);
        document_uint(doc, p->task);
        document_uint(doc, p->time_ns);
        document_uint(doc, p->length_ns);
        document_uint(doc, d->workers[p->worker].id);
        dial9_stats_put_text(d, p->text);
        stats_row_end(d->s, row);
    }
    stats_table_end(d->s,
                    "delays over 1 ms: %" PRIu64 ", of which the longest %zu are listed; %" PRIu64
                    " over 5 ms",
                    d->delays_over_1ms, d->long_delays.count, d->delays_over_5ms);
}

static void put_wakes(struct dial9_stats *d)
{
    static const char *const columns[] = {"target_worker", "wakes", NULL};
    stats_table(d->s, "wakes", columns);
    for (size_t i = 0; i < 256; i++) {
        if (!d->wakes_to[i])
            continue;
        size_t row = stats_row(d->s);
        document_uint(&d->s->doc, i);
        document_uint(&d->s->doc, d->wakes_to[i]);
        stats_row_end(d->s, row);
    }
    stats_table_end(d->s, "target 255 is not known; %" PRIu64 " tasks woke themselves",
                    d->wakes_by_self);
}

static void put_queue(struct dial9_stats *d)
{
    static const char *const columns[] = {"queue", "count", "min", "p50",   "p90",
                                          "p95",   "p99",   "max", "total", NULL};
    stats_table(d->s, "queues", columns);
    put_named(d, "global", &d->queue);
    stats_table_end(d->s, "%s; local queues: local_queue_max of workers",
                    d->queue.count ? "samples of QueueSampleEvent"
                                   : "not measurable: the trace has no QueueSampleEvent");
}

void dial9_stats_put_tasks(struct dial9_stats *d)
{
    static const char *const columns[] = {"spawn_loc", "spawned", "terminated", STATS_DURATIONS,
                                          NULL};
    put_delays(d);
    put_long_delays(d);
    put_wakes(d);
    put_queue(d);
    bool exact = true;
    stats_table(d->s, "tasks", columns);
    stats_order(d->s, "spawned", false);
    for (uint32_t i = 0; i < d->site_count; i++) {
        struct site *site = &d->sites[i];
        if (!site->spawned)
            continue;
        size_t row = stats_row(d->s);
        dial9_stats_put_text(d, i);
        document_uint(&d->s->doc, site->spawned);
        document_uint(&d->s->doc, site->terminated);
        stats_put_quantiles(d->s, &site->lifetimes);
        stats_row_end(d->s, row);
        exact = exact && quantiles_exact(&site->lifetimes);
    }
    stats_table_end(d->s,
                    "lives from spawn to end; %" PRIu64 " ended that were spawned before the trace,"
                    " %" PRIu64 " were alive at its end; %s",
                    d->tasks_unspawned, d->tasks_alive, stats_exactness(exact));
}

/* ---- spans ------------------------------------------------------------------------- */

void dial9_stats_put_spans(struct dial9_stats *d)
{
    static const char *const columns[] = {"span", STATS_DURATIONS, NULL};
    char what[500];
    snprintf(
        what, sizeof what,
        "from the first enter to the last exit; unmatched: %s without an enter, %s never left; "
        "%" PRIu64 " not closed, %" PRIu64 " closed that began before the trace, %" PRIu64
        " entered again while open, %" PRIu64 " with a parent that is not there",
        ras_counted(d->exits_unentered, "exit").text, ras_counted(d->spans_unexited, "span").text,
        d->spans_unclosed, d->closes_unopened, d->enters_again, d->parents_unknown);
    size_t len = strlen(what);
    if (d->counts[FACT_SPAN_WHOLE])
        snprintf(what + len, sizeof what - len,
                 "; %" PRIu64 " are one event each, %" PRIu64 " more of these lack a length",
                 d->spans_whole, d->spans_unmeasured);
    else if (!d->counts[FACT_SPAN_ENTER])
        snprintf(what, sizeof what, "not measurable: the trace has no SpanEnter events");
    put_sites(d, "spans", columns, offsetof(struct site, spans), what);
    put_sites(d, "span_active", columns, offsetof(struct site, actives),
              "time inside a span: the sum of its segments");
    put_sites(d, "span_segments", columns, offsetof(struct site, segments),
              "single stays inside a span, from enter to exit");
}
