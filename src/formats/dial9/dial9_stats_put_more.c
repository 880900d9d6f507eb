/* dial9_stats_put_more.c - samples, clocks, types, and the summary as tables. */
#include "formats/dial9/dial9_stats.h"

enum { STACKS_LISTED = 100 };

static void figure(struct dial9_stats *d, const char *name, uint64_t value)
{
    size_t row = stats_row(d->s);
    document_name(&d->s->doc, name);
    document_uint(&d->s->doc, value);
    stats_row_end(d->s, row);
}

/* ---- samples ----------------------------------------------------------------------- */

static const char *const sources[] = {"on-CPU", "off-CPU"};

static void put_sources(struct dial9_stats *d)
{
    static const char *const columns[] = {"source", "samples",    "in_poll",    "outside",
                                          "stacks", "tree_nodes", "tree_depth", NULL};
    struct document *doc = &d->s->doc;
    stats_table(d->s, "cpu_samples", columns);
    for (int i = 0; i < 2; i++) {
        size_t row = stats_row(d->s);
        document_name(doc, sources[i]);
        document_uint(doc, d->samples[i]);
        document_uint(doc, d->samples_in_poll[i]);
        document_uint(doc, d->samples[i] - d->samples_in_poll[i]);
        document_uint(doc, d->flames[i].leaf_count);
        document_uint(doc, d->flames[i].kept);
        document_uint(doc, d->flames[i].deepest);
        stats_row_end(d->s, row);
    }
    if (!d->samples[0] && !d->samples[1])
        stats_table_end(d->s, "not measurable: the trace has no CpuSampleEvent");
    else
        stats_table_end(
            d->s,
            "off-CPU samples outside polls are mostly idle parks, not blocking; %" PRIu64
            " samples found their worker by thread id, %" PRIu64 " none; %" PRIu64
            " without a stack; the tree leaves out nodes below 0.1 %%",
            d->samples_by_tid, d->samples_alone, d->samples_untold);
}

static void put_stacks(struct dial9_stats *d)
{
    static const char *const columns[] = {"source", "samples", "share_percent", "in_poll", "frames",
                                          "leaf",   NULL};
    struct document *doc = &d->s->doc;
    uint64_t all = d->samples[0] + d->samples[1];
    stats_table(d->s, "stacks", columns);
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < d->flames[i].leaf_count && k < STACKS_LISTED; k++) {
            const struct flame_node *n = d->flames[i].leaves[k];
            size_t row = stats_row(d->s);
            document_name(doc, sources[i]);
            document_uint(doc, n->self);
            document_f64(doc, 100 * (double)n->self / (double)d->samples[i]);
            document_uint(doc, n->self_in_poll);
            document_uint(doc, n->depth);
            dial9_stats_put_text(d, n->name);
            stats_row_end(d->s, row);
        }
    stats_table_end(d->s,
                    "%zu + %zu different stacks by name, of each source the %d most frequent; %s, "
                    "%s with symbols",
                    d->flames[0].leaf_count, d->flames[1].leaf_count, STACKS_LISTED,
                    ras_counted(all, "sample").text,
                    ras_counted(d->symbol_addresses, "address").text);
}

static void put_threads(struct dial9_stats *d)
{
    static const char *const columns[] = {"tid", "name", NULL};
    stats_table(d->s, "threads", columns);
    stats_order(d->s, "tid", true);
    for (size_t i = 0; i < d->threads.size; i++) {
        if (!d->threads.slots[i].index)
            continue;
        size_t row = stats_row(d->s);
        document_uint(&d->s->doc, d->threads.slots[i].id);
        dial9_stats_put_text(d, d->threads.slots[i].index - 1);
        stats_row_end(d->s, row);
    }
    stats_table_end(d->s, "as samples name them");
}

static void put_interest(struct dial9_stats *d)
{
    static const char *const columns[] = {"point", "count", NULL};
    stats_table(d->s, "points_of_interest", columns);
    figure(d, "long-poll (over 1 ms)", d->polls_over_1ms);
    figure(d, "cpu-sampled (polls with a sample)", d->polls_any);
    figure(d, "wake-delay (over 100 us)", d->delays_over_100us);
    figure(d, "kernel wait over 100 us", d->waits_over_100us);
    figure(d, "kernel wait over 100 ns", d->waits_over_100ns);
    stats_table_end(d->s, "what a viewer of the timeline stops at");
}

void dial9_stats_put_samples(struct dial9_stats *d)
{
    put_sources(d);
    put_stacks(d);
    put_threads(d);
    put_interest(d);
}

/* ---- clocks and types ----------------------------------------------------------------- */

static void put_clock(struct dial9_stats *d)
{
    static const char *const columns[] = {"time_ns", "realtime", "offset", NULL};
    struct document *doc = &d->s->doc;
    size_t room = sizeof d->clocks / sizeof *d->clocks;
    stats_table(d->s, "clock", columns);
    stats_order(d->s, "time_ns", true);
    for (size_t i = 0; i < d->clock_count && i < room; i++) {
        size_t row = stats_row(d->s);
        document_uint(doc, d->clocks[i].time_ns);
        document_uint(doc, d->clocks[i].realtime_ns);
        document_int(doc, (int64_t)(d->clocks[i].realtime_ns - d->clocks[i].time_ns));
        stats_row_end(d->s, row);
    }
    if (d->clock_count)
        stats_table_end(d->s, "%s of the wall clock, Unix time in ns, exact",
                        ras_counted(d->clock_count, "anchor").text);
    else
        stats_table_end(d->s, "no wall clock: the trace has no ClockSyncEvent");
}

void dial9_stats_put_types(struct dial9_stats *d)
{
    static const char *const columns[] = {"type",       "records", "size_bytes", "per_record_bytes",
                                          "per_second", NULL};
    struct document *doc = &d->s->doc;
    double seconds = d->spanned ? (double)(d->time_last - d->time_first) / 1e9 : 0;
    put_clock(d);
    stats_table(d->s, "types", columns);
    stats_order(d->s, "records", false);
    for (size_t i = 0; i < d->schema_count; i++) {
        const struct fact_schema *f = &d->schemas[i];
        if (!f->records)
            continue;
        size_t row = stats_row(d->s);
        document_key(doc, ras_schema_at(d->s->trace, i)->name);
        document_uint(doc, f->records);
        document_uint(doc, f->bytes);
        document_f64(doc, (double)f->bytes / (double)f->records);
        if (seconds > 0 && f->kind && fact_is_timed(f->kind))
            document_f64(doc, (double)f->records / seconds);
        else
            document_null(doc);
        stats_row_end(d->s, row);
    }
    stats_table_end(d->s, "event frames only, without pools and schemas; a type that has other"
                          " fields in another batch has a row for each");
}

/* ---- summary ------------------------------------------------------------------------- */

static void sum_up_events(struct dial9_stats *d)
{
    const uint64_t *n = d->counts;
    figure(d, "records", d->records);
    figure(d, "runtime_events",
           n[FACT_POLL_START] + n[FACT_POLL_END] + n[FACT_PARK] + n[FACT_UNPARK] + n[FACT_QUEUE] +
               n[FACT_WAKE]);
    figure(d, "custom_events",
           n[FACT_NONE] + n[FACT_SPAN_ENTER] + n[FACT_SPAN_EXIT] + n[FACT_SPAN_CLOSE] +
               n[FACT_SPAN_WHOLE]);
    if (d->spanned) {
        figure(d, "first_time_ns", d->time_first);
        figure(d, "last_time_ns", d->time_last);
        figure(d, "duration_ns", d->time_last - d->time_first);
    }
    figure(d, "workers", d->worker_count);
    figure(d, "cpu_samples", n[FACT_SAMPLE]);
    figure(d, "on_cpu_samples", d->samples[0]);
    figure(d, "off_cpu_samples", d->samples[1]);
    figure(d, "polls_with_on_cpu_samples", d->polls_on);
    figure(d, "polls_with_off_cpu_samples", d->polls_off);
    figure(d, "symbols", d->symbol_addresses);
    figure(d, "task_dumps", n[FACT_DUMP]);
    figure(d, "tasks_dumped", d->dumped.count);
}

static void sum_up_tasks(struct dial9_stats *d)
{
    uint64_t local = 0;
    for (size_t i = 0; i < d->worker_count; i++)
        local = local > d->workers[i].queue_max ? local : d->workers[i].queue_max;
    figure(d, "task_spawns", d->counts[FACT_SPAWN]);
    figure(d, "task_terminates", d->counts[FACT_TERMINATE]);
    figure(d, "task_spawns_uninstrumented", d->uninstrumented);
    figure(d, "active_tasks_changes", d->tasks_changes);
    figure(d, "active_tasks_peak", d->tasks_counted_most);
    figure(d, "active_tasks_last", d->tasks_counted);
    figure(d, "tasks_alive_at_end", d->tasks_alive);
    figure(d, "local_queue_max", local);
    figure(d, "idle_with_work", d->idle_with_work);
    figure(d, "polls_over_1ms", d->polls_over_1ms);
    figure(d, "delays_over_1ms", d->delays_over_1ms);
    figure(d, "delays_over_5ms", d->delays_over_5ms);
    figure(d, "spans", d->spans_told);
    figure(d, "spans_unmatched", d->spans_unexited + d->exits_unentered);
    figure(d, "span_depth_max", d->spans_deepest);
}

void dial9_stats_put_summary(struct dial9_stats *d)
{
    static const char *const columns[] = {"figure", "value", NULL};
    char late[160] = "";
    if (d->late)
        snprintf(late, sizeof late,
                 "; %" PRIu64 " events lie so far from their place in time that they were looked"
                 " at out of order",
                 d->late);
    stats_table(d->s, "summary", columns);
    sum_up_events(d);
    sum_up_tasks(d);
    stats_table_end(d->s,
                    "%s; active tasks count +1 and -1 and never fall below 0, those spawned before"
                    " the trace being unknown%s%s",
                    d->s->asked->axis ? "events within the range" : "all events", late,
                    d->lacking ? "; some events lack fields that the analyses need" : "");
}
