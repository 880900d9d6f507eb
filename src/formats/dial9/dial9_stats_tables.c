/* dial9_stats_tables.c - the figures as tables: workers, tasks, spans, samples, types, summary. */
#include "base/memory.h"
#include "formats/dial9/dial9_profile.h"

/* ---- runtimes -------------------------------------------------------------------- */

static void keep(struct dial9_stats *d, uint32_t name, uint64_t worker)
{
    for (size_t i = 0; i < d->member_count; i++)
        if (d->members[i].worker == worker && d->members[i].runtime == name)
            return;
    if (name == NO_TEXT || d->member_count >= WORKERS_MOST)
        return;
    if (!array_grow(&d->members, &d->member_room, d->member_count + 1, sizeof *d->members)) {
        stats_nomem(d);
        return;
    }
    d->members[d->member_count++] = (struct member){name, worker};
}

/* Numbers separated by commas; anything else is skipped. */
static void keep_list(struct dial9_stats *d, uint32_t name, const uint8_t *at, size_t len)
{
    uint64_t number = 0;
    size_t digits = 0;
    for (size_t i = 0; i <= len; i++) {
        bool digit = i < len && at[i] >= '0' && at[i] <= '9';
        if (digit && digits < 19) {
            number = number * 10 + (uint64_t)(at[i] - '0');
            digits++;
        } else if (!digit) {
            if (digits)
                keep(d, name, number);
            number = digits = 0;
        }
    }
}

void dial9_stats_on_metadata(struct dial9_stats *d, const struct ras_dial9_value *entries,
                             const uint8_t *end)
{
    static const char prefix[] = "runtime.", rate[] = "memory.sample_rate_bytes";
    const size_t skip = sizeof prefix - 1;
    struct ras_dial9_value key, value;
    if (!entries || entries->type != RAS_DIAL9_STRING_MAP)
        return;
    struct ras_dial9_items items = dial9_items(entries, end);
    while (ras_dial9_next_item(&items, &key) && ras_dial9_next_item(&items, &value)) {
        d->unclean += dial9_entry_unclean((struct ras_bytes){key.at, key.count},
                                          (struct ras_bytes){value.at, value.count});
        if (key.count > skip && !memcmp(key.at, prefix, skip))
            keep_list(d, dial9_stats_new_text(d, key.at + skip, key.count - skip), value.at,
                      value.count);
        else if (key.count == sizeof rate - 1 && !memcmp(key.at, rate, key.count))
            dial9_heap_rate(d, value.at, value.count);
    }
}

/* ---- the table ------------------------------------------------------------------------- */

static bool is_first(const struct dial9_stats *d, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (d->members[k].runtime == d->members[i].runtime)
            return false;
    return true;
}

static const struct worker *find(const struct dial9_stats *d, uint64_t id)
{
    for (size_t i = 0; i < d->worker_count; i++)
        if (d->workers[i].id == id)
            return &d->workers[i];
    return NULL;
}

/* All workers of the runtime whose first member is number i. */
static void put_runtime(struct dial9_stats *d, size_t first)
{
    struct document *doc = &d->s->doc;
    uint64_t workers = 0, seen = 0, polls = 0, busy = 0, active = 0, parked = 0;
    for (size_t i = first; i < d->member_count; i++) {
        if (d->members[i].runtime != d->members[first].runtime)
            continue;
        const struct worker *w = find(d, d->members[i].worker);
        workers++;
        seen += w != NULL;
        polls += w ? w->polls.count : 0;
        busy += w ? w->polls.sum : 0;
        active += w ? w->actives.sum : 0;
        parked += w ? w->parks.sum : 0;
    }
    size_t row = stats_row(d->s);
    dial9_stats_put_text(d, d->members[first].runtime);
    document_uint(doc, workers);
    document_uint(doc, seen);
    if (active + parked)
        document_f64(doc, 100 * (double)active / (double)(active + parked));
    else
        document_null(doc);
    document_uint(doc, polls);
    document_uint(doc, busy);
    stats_row_end(d->s, row);
}

void dial9_stats_put_runtimes(struct dial9_stats *d)
{
    static const char *const columns[] = {
        "runtime", "workers", "workers_seen", "utilization_percent", "polls", "busy_ns", NULL};
    uint64_t others = 0;
    for (size_t i = 0; i < d->worker_count; i++) {
        bool listed = false;
        for (size_t k = 0; k < d->member_count && !listed; k++)
            listed = d->members[k].worker == d->workers[i].id;
        others += !listed;
    }
    stats_table(d->s, "runtimes", columns);
    for (size_t i = 0; i < d->member_count; i++)
        if (is_first(d, i))
            put_runtime(d, i);
    if (d->member_count)
        stats_table_end(
            d->s, "workers as metadata lists them; %" PRIu64 " more belong to no runtime", others);
    else
        stats_table_end(d->s, "not measurable: no metadata says which workers a runtime has");
}

/* ---- tables ---------------------------------------------------------------------- */

enum { STACKS_LISTED = 100, STACKS_SHOWN = 10 };

void dial9_stats_put_text(struct dial9_stats *d, uint32_t text)
{
    if (text >= d->texts.count)
        document_null(&d->s->doc);
    else
        document_text(&d->s->doc, d->texts.entries[text].at, d->texts.entries[text].len);
}

static void put_uint_if(struct stats *s, bool known, uint64_t value)
{
    if (known)
        document_uint(&s->doc, value);
    else
        document_null(&s->doc);
}

/* `factor` times the quotient; null if it is not defined. */
static void put_quotient(struct stats *s, double factor, double part, double all)
{
    if (all > 0)
        document_f64(&s->doc, factor * (part / all));
    else
        document_null(&s->doc);
}

/* ---- the longest polls and delays ------------------------------------------------------ */

static void put_worst_worker(struct stats *s, void *row, void *user)
{
    const struct dial9_stats *d = user;
    document_uint(&s->doc, d->workers[((const struct worst *)row)->worker].id);
}

static void put_worst_text(struct stats *s, void *row, void *user)
{
    (void)s;
    dial9_stats_put_text(user, ((const struct worst *)row)->text);
}

void dial9_stats_put_frame_text(struct dial9_stats *d, const struct frame_text *t)
{
    if (t->len)
        document_text(&d->s->doc, t->text, t->len);
    else
        document_null(&d->s->doc);
}

/* The most useful stack: where it was blocked, else where it was busy. */
static bool has_off_stack(const struct worst *p)
{
    return p->stack[1] != NO_STACK;
}

static void put_poll_words(struct stats *s, void *row, void *user)
{
    const struct worst *p = row;
    struct stack_words words;
    dial9_stack_explain(user, p->stack[has_off_stack(p)], &words);
    dial9_stats_put_frame_text(user, &words.blocked_by);
    dial9_stats_put_frame_text(user, &words.syscall);
    dial9_stats_put_frame_text(user, &words.called_from);
    if (p->stack[has_off_stack(p)] == NO_STACK)
        document_null(&s->doc);
    else
        dial9_put_folded(user, p->stack[has_off_stack(p)]);
}

static void put_frame(struct dial9_stats *d, const struct worst *p, uint64_t number,
                      const struct frame *f)
{
    struct document *doc = &d->s->doc;
    struct frame_text text;
    size_t row = stats_row(d->s);
    document_uint(doc, p->time_ns);
    document_uint(doc, d->workers[p->worker].id);
    document_name(doc, has_off_stack(p) ? "off-CPU" : "on-CPU");
    document_uint(doc, number);
    document_name(doc, f->kernel ? "kernel" : f->inlined ? "inlined" : "user");
    dial9_frame_name(d, f, &text);
    document_text(doc, text.text, text.len);
    dial9_frame_place(d, f, &text);
    dial9_stats_put_frame_text(d, &text);
    stats_row_end(d->s, row);
}

static void put_long_poll_stacks(struct dial9_stats *d)
{
    static const char *const columns[] = {"time_ns", "worker",   "source",   "frame",
                                          "kind",    "function", "location", NULL};
    uint64_t shown = 0;
    bool wanted = stats_table(d->s, "long_poll_stacks", columns);
    for (size_t i = 0; wanted && i < d->long_polls.count && i < STACKS_SHOWN; i++) {
        const struct worst *p = &d->long_polls.at[i];
        struct frame_walk w = {.stack = p->stack[has_off_stack(p)]};
        struct frame f;
        shown += w.stack != NO_STACK;
        for (uint64_t n = 0; dial9_frame_next(d, &w, &f); n++)
            put_frame(d, p, n, &f);
    }
    stats_table_end(d->s,
                    "the first sampled stack of the %d longest polls, its leaf first: off the CPU,"
                    " or on it where there is none; %" PRIu64 " of them have one",
                    STACKS_SHOWN, shown);
}

static void put_long_polls(struct dial9_stats *d)
{
    static const struct stats_column columns[] = {
        {"worker", .put = put_worst_worker},
        {"time_ns", STATS_U64, offsetof(struct worst, time_ns)},
        {"duration_ns", STATS_U64, offsetof(struct worst, length_ns)},
        {"task", STATS_U64, offsetof(struct worst, task)},
        {"spawn_loc", .put = put_worst_text},
        {"on_cpu_samples", STATS_U32, offsetof(struct worst, on)},
        {"off_cpu_samples", STATS_U32, offsetof(struct worst, off)},
        {"blocked_by", .put = put_poll_words},
        {"syscall", STATS_SAME},
        {"called_from", STATS_SAME},
        {"chain", STATS_SAME},
        {0}};
    dial9_worst_sort(&d->long_polls);
    stats_columns(d->s, "long_polls", columns, d);
    stats_put_rows(d->s, d->long_polls.at, d->long_polls.count, sizeof *d->long_polls.at);
    stats_table_end(d->s,
                    "polls longer than 1 ms: %" PRIu64
                    ", of which the longest %zu %s listed; %" PRIu64 " over 10 ms, %" PRIu64
                    " over 50 ms; blocked_by, syscall and called_from are of its first sample off"
                    " the CPU, or on it: long_poll_stacks has all frames",
                    d->polls_over_1ms, d->long_polls.count, d->long_polls.count == 1 ? "is" : "are",
                    d->polls_over_10ms, d->polls_over_50ms);
    put_long_poll_stacks(d);
}

static void put_long_delays(struct dial9_stats *d)
{
    static const struct stats_column columns[] = {
        {"task", STATS_U64, offsetof(struct worst, task)},
        {"time_ns", STATS_U64, offsetof(struct worst, time_ns)},
        {"delay_ns", STATS_U64, offsetof(struct worst, length_ns)},
        {"worker", .put = put_worst_worker},
        {"spawn_loc", .put = put_worst_text},
        {0}};
    dial9_worst_sort(&d->long_delays);
    stats_columns(d->s, "long_delays", columns, d);
    stats_put_rows(d->s, d->long_delays.at, d->long_delays.count, sizeof *d->long_delays.at);
    stats_table_end(d->s,
                    "delays over 1 ms: %" PRIu64 ", of which the longest %zu are listed; %" PRIu64
                    " over 5 ms",
                    d->delays_over_1ms, d->long_delays.count, d->delays_over_5ms);
}

/* ---- workers --------------------------------------------------------------------- */

static void put_utilization(struct stats *s, void *row, void *user)
{
    const struct worker *w = row;
    (void)user;
    put_quotient(s, 100, (double)w->actives.sum, (double)(w->actives.sum + w->parks.sum));
}

static void put_cpu_ratio(struct stats *s, void *row, void *user)
{
    const struct worker *w = row;
    (void)user;
    put_quotient(s, 1, w->ratio_sum, (double)w->ratio_count);
}

static void put_queue_max(struct stats *s, void *row, void *user)
{
    const struct worker *w = row;
    (void)user;
    put_uint_if(s, w->queue_known, w->queue_max);
}

static void put_tid(struct stats *s, void *row, void *user)
{
    const struct worker *w = row;
    (void)user;
    put_uint_if(s, w->tid != RAS_NONE, w->tid);
}

static const char *no_workers(const struct dial9_stats *d)
{
    return d->worker_count ? "" : "; not measurable: no event names a worker";
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
                    d->sites_dropped ? "; left out: those without a name, or beyond 65,536 names"
                                     : "");
}

void dial9_stats_put_workers(struct dial9_stats *d)
{
    static const struct stats_column columns[] = {
        {"worker", STATS_U64, offsetof(struct worker, id)},
        {"utilization_percent", .put = put_utilization},
        {"polls", STATS_U64, offsetof(struct worker, polls.count)},
        {"parks", STATS_U64, offsetof(struct worker, parks.count)},
        {"active_periods", STATS_U64, offsetof(struct worker, actives.count)},
        {"cpu_ratio", .put = put_cpu_ratio},
        {"local_queue_max", .put = put_queue_max},
        {"polls_unended", STATS_U64, offsetof(struct worker, polls_unended)},
        {"ends_unbegun", STATS_U64, offsetof(struct worker, ends_unbegun)},
        {"tid", .put = put_tid},
        {0}};
    static const char *const sites[] = {"spawn_loc", STATS_DURATIONS, NULL};
    stats_columns(d->s, "workers", columns, d);
    stats_order(d->s, "worker", true);
    stats_put_rows(d->s, d->workers, d->worker_count, sizeof *d->workers);
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
    put_long_polls(d);
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
                        d->tasks_dropped ? "; tasks beyond 1,048,576 at a time" : "",
                        stats_exactness(quantiles_exact(&d->delays)));
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
                    "lifetimes from spawn to end; %" PRIu64
                    " that ended were spawned before the trace,"
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
    else if (d->book->counts[SPAN_MODERN])
        snprintf(what + len, sizeof what - len, "; modern ones from creation to close");
    else if (!d->counts[FACT_SPAN_ENTER])
        snprintf(what, sizeof what, "not measurable: the trace has no SpanEnter events");
    put_sites(d, "spans", columns, offsetof(struct site, spans), what);
    put_sites(d, "span_active", columns, offsetof(struct site, actives),
              "time inside a span: the sum of its segments");
    put_sites(d, "span_segments", columns, offsetof(struct site, segments),
              "single segments of a span, from enter to exit");
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
            d->samples_by_tid, d->samples_unassigned, d->samples_dropped);
}

static void put_leaf_stacks(struct dial9_stats *d)
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
    stats_table_end(d->s, "names from samples");
}

static void figure(struct dial9_stats *d, const char *name, uint64_t value)
{
    size_t row = stats_row(d->s);
    document_name(&d->s->doc, name);
    document_uint(&d->s->doc, value);
    stats_row_end(d->s, row);
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
    stats_table_end(d->s, "points that a timeline viewer highlights");
}

void dial9_stats_put_samples(struct dial9_stats *d)
{
    put_sources(d);
    put_leaf_stacks(d);
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
        document_key(doc, ras_schema_at(d->trace, i)->name);
        document_uint(doc, f->records);
        document_uint(doc, f->bytes);
        document_f64(doc, (double)f->bytes / (double)f->records);
        if (seconds > 0 && fact_is_ranged(f->kind))
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
               n[FACT_SPAN_WHOLE] + n[FACT_ALLOC] + n[FACT_FREE] + n[FACT_OVERFLOW] +
               n[FACT_USAGE] + n[FACT_ACCEPT] + n[FACT_RUNTIME] + n[FACT_METRIC]);
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
    figure(d, "spans", d->spans_counted);
    figure(d, "spans_unmatched", d->spans_unexited + d->exits_unentered);
    figure(d, "span_depth_max", d->spans_deepest);
}

void dial9_stats_put_summary(struct dial9_stats *d)
{
    static const char *const columns[] = {"figure", "value", NULL};
    char late[160] = "";
    if (d->late)
        snprintf(late, sizeof late,
                 "; %" PRIu64 " events are so far out of order that they were processed late",
                 d->late);
    stats_table(d->s, "summary", columns);
    sum_up_events(d);
    sum_up_tasks(d);
    stats_table_end(d->s,
                    "%s; active tasks count +1 and -1 and never fall below 0, those spawned before"
                    " the trace being unknown%s%s",
                    d->s->options->axis ? "events within the range" : "all events", late,
                    d->lacking ? "; some events lack fields that the analyses need" : "");
}
