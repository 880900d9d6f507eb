/* dial9_process.c - what the process used: CPU time and memory, queues of sockets, and what its
 * runtimes say of themselves. Events may come in any order. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

enum { USAGE_FIGURES = 9 };
#define PROCESS_MOST ((size_t)1 << 18) /* of each: samples of usage, moments of runtimes */

static const char *const usage_names[USAGE_FIGURES] = {"user_cpu_ns",
                                                       "system_cpu_ns",
                                                       "max_rss_bytes",
                                                       "minor_faults",
                                                       "major_faults",
                                                       "block_input_ops",
                                                       "block_output_ops",
                                                       "voluntary_context_switches",
                                                       "involuntary_context_switches"};
enum { USER_CPU, SYSTEM_CPU, MAX_RSS };

struct usage_sample {
    uint64_t time_ns, order;
    uint64_t figures[USAGE_FIGURES]; /* RAS_NONE: not there */
};

struct accept_queue {
    uint64_t cookie, inode, ip_version, port, backlog;
    uint32_t address;
    uint64_t samples, pending_max, pending_sum, full, last_ns, last;
};

struct runtime_sum {
    uint32_t name;
    uint64_t samples, queue_max, queue_sum, alive_max, first_ns, first, last_ns, last;
};

struct runtime_moment {
    uint64_t time_ns, runtimes, queue, alive;
};

struct process {
    struct usage_sample *usage;
    size_t usage_count, usage_room;
    struct id_table queue_ids; /* by cookie */
    struct accept_queue *queues;
    size_t queue_count, queue_room;
    struct runtime_sum *runtimes;
    size_t runtime_count, runtime_room;
    struct id_table moment_ids; /* by time */
    struct runtime_moment *moments;
    size_t moment_count, moment_room;
    uint64_t dropped; /* events beyond these limits */
    uint64_t pending_max, accept_samples;
};

/* ---- events ----------------------------------------------------------------------------- */

static void take_usage(struct dial9_stats *d, const struct fact_event *e,
                       const struct ras_dial9_value *const *v)
{
    struct process *p = d->process;
    if (p->usage_count >= PROCESS_MOST) {
        p->dropped++;
        return;
    }
    if (!array_grow(&p->usage, &p->usage_room, p->usage_count + 1, sizeof *p->usage)) {
        stats_nomem(d);
        return;
    }
    struct usage_sample *u = &p->usage[p->usage_count];
    *u = (struct usage_sample){.time_ns = e->time_ns, .order = p->usage_count++};
    for (int i = 0; i < USAGE_FIGURES; i++)
        u->figures[i] = dial9_fact_number(v[ROLE_FIGURES + i], RAS_NONE);
}

static struct accept_queue *queue_of(struct dial9_stats *d, uint64_t cookie)
{
    struct process *p = d->process;
    uint32_t found = id_table_find(&p->queue_ids, cookie);
    if (found != ID_TABLE_NONE)
        return &p->queues[found];
    if (p->queue_count >= SITES_MOST) {
        p->dropped++;
        return NULL;
    }
    if (!array_grow(&p->queues, &p->queue_room, p->queue_count + 1, sizeof *p->queues) ||
        !id_table_add(&p->queue_ids, cookie, (uint32_t)p->queue_count)) {
        stats_nomem(d);
        return NULL;
    }
    p->queues[p->queue_count] = (struct accept_queue){.cookie = cookie, .address = NO_TEXT};
    return &p->queues[p->queue_count++];
}

static void take_accept(struct dial9_stats *d, const struct fact_event *e,
                        const struct ras_dial9_value *const *v)
{
    const struct ras_dial9_value *const *f = v + ROLE_FIGURES;
    uint64_t pending = dial9_fact_number(f[5], RAS_NONE);
    struct accept_queue *q = queue_of(d, dial9_fact_number(f[0], RAS_NONE));
    if (!q || pending == RAS_NONE)
        return;
    if (!q->samples || e->time_ns >= q->last_ns) {
        q->last_ns = e->time_ns;
        q->last = pending;
        q->inode = dial9_fact_number(f[1], RAS_NONE);
        q->ip_version = dial9_fact_number(f[2], RAS_NONE);
        q->address = dial9_fact_text(d, e, f[3]);
        q->port = dial9_fact_number(f[4], RAS_NONE);
        q->backlog = dial9_fact_number(f[6], RAS_NONE);
    }
    q->samples++;
    q->pending_sum += pending;
    q->pending_max = q->pending_max > pending ? q->pending_max : pending;
    q->full += pending && pending >= dial9_fact_number(f[6], RAS_NONE);
    d->process->accept_samples++;
    d->process->pending_max = d->process->pending_max > pending ? d->process->pending_max : pending;
}

static struct runtime_sum *runtime_of(struct dial9_stats *d, uint32_t name)
{
    struct process *p = d->process;
    for (size_t i = 0; i < p->runtime_count; i++)
        if (p->runtimes[i].name == name)
            return &p->runtimes[i];
    if (p->runtime_count >= WORKERS_MOST) {
        p->dropped++;
        return NULL;
    }
    if (!array_grow(&p->runtimes, &p->runtime_room, p->runtime_count + 1, sizeof *p->runtimes)) {
        stats_nomem(d);
        return NULL;
    }
    p->runtimes[p->runtime_count] = (struct runtime_sum){.name = name};
    return &p->runtimes[p->runtime_count++];
}

/* Runtimes report at one time in each cycle: what they say then is added up. */
static struct runtime_moment *moment_of(struct dial9_stats *d, uint64_t time_ns)
{
    struct process *p = d->process;
    uint32_t found = id_table_find(&p->moment_ids, time_ns);
    if (found != ID_TABLE_NONE)
        return &p->moments[found];
    if (p->moment_count >= PROCESS_MOST) {
        p->dropped++;
        return NULL;
    }
    if (!array_grow(&p->moments, &p->moment_room, p->moment_count + 1, sizeof *p->moments) ||
        !id_table_add(&p->moment_ids, time_ns, (uint32_t)p->moment_count)) {
        stats_nomem(d);
        return NULL;
    }
    p->moments[p->moment_count] = (struct runtime_moment){.time_ns = time_ns};
    return &p->moments[p->moment_count++];
}

static void take_runtime(struct dial9_stats *d, const struct fact_event *e,
                         const struct ras_dial9_value *const *v)
{
    uint64_t queue = dial9_fact_number(v[ROLE_FIGURES + 1], 0);
    uint64_t alive = dial9_fact_number(v[ROLE_FIGURES + 2], 0);
    struct runtime_sum *r = runtime_of(d, dial9_fact_text(d, e, v[ROLE_FIGURES]));
    struct runtime_moment *m = moment_of(d, e->time_ns);
    if (m) {
        m->runtimes++;
        m->queue += queue;
        m->alive += alive;
    }
    if (!r)
        return;
    if (!r->samples || e->time_ns < r->first_ns) {
        r->first_ns = e->time_ns;
        r->first = alive;
    }
    if (!r->samples || e->time_ns >= r->last_ns) {
        r->last_ns = e->time_ns;
        r->last = alive;
    }
    r->samples++;
    r->queue_sum += queue;
    r->queue_max = r->queue_max > queue ? r->queue_max : queue;
    r->alive_max = r->alive_max > alive ? r->alive_max : alive;
}

void dial9_process_event(struct dial9_stats *d, unsigned kind, const struct fact_event *e,
                         const struct ras_dial9_value *const *v)
{
    if (!d->process)
        d->process = calloc(1, sizeof *d->process);
    if (!d->process)
        stats_nomem(d);
    else if (kind == FACT_USAGE)
        take_usage(d, e, v);
    else if (kind == FACT_ACCEPT)
        take_accept(d, e, v);
    else
        take_runtime(d, e, v);
}

/* ---- usage ------------------------------------------------------------------------------ */

static int by_usage_time(const void *a, const void *b)
{
    const struct usage_sample *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* CPU time between two samples; false: the clock or a counter does not advance. */
static bool usage_between(const struct usage_sample *a, const struct usage_sample *b,
                          uint64_t *cpu_ns, uint64_t *wall_ns)
{
    *cpu_ns = 0;
    *wall_ns = b->time_ns - a->time_ns;
    for (int i = USER_CPU; i <= SYSTEM_CPU; i++) {
        if (a->figures[i] == RAS_NONE || b->figures[i] == RAS_NONE || b->figures[i] < a->figures[i])
            return false;
        *cpu_ns += b->figures[i] - a->figures[i];
    }
    return *wall_ns > 0;
}

static void put_maybe(struct document *doc, uint64_t value)
{
    if (value == RAS_NONE)
        document_null(doc);
    else
        document_uint(doc, value);
}

struct usage_row {
    uint64_t count, first, last, most, first_ns, last_ns;
};

static void put_usage_row(struct dial9_stats *d, int figure, const struct usage_row *r)
{
    struct document *doc = &d->s->doc;
    double seconds = (double)(r->last_ns - r->first_ns) / 1e9;
    size_t row = stats_row(d->s);
    document_name(doc, usage_names[figure]);
    document_uint(doc, r->count);
    document_uint(doc, r->first);
    document_uint(doc, r->last);
    document_int(doc, (int64_t)(r->last - r->first));
    document_uint(doc, r->most);
    if (seconds > 0)
        document_f64(doc, ((double)r->last - (double)r->first) / seconds);
    else
        document_null(doc);
    stats_row_end(d->s, row);
}

static void put_usage(struct dial9_stats *d)
{
    static const char *const columns[] = {"resource", "samples", "first",      "last",
                                          "change",   "max",     "per_second", NULL};
    const struct process *p = d->process;
    stats_table(d->s, "resource_usage", columns);
    for (int figure = 0; p && figure < USAGE_FIGURES; figure++) {
        struct usage_row r = {0};
        for (size_t i = 0; i < p->usage_count; i++) {
            uint64_t value = p->usage[i].figures[figure];
            if (value == RAS_NONE)
                continue;
            r.first = r.count ? r.first : value;
            r.first_ns = r.count ? r.first_ns : p->usage[i].time_ns;
            r.last = value;
            r.last_ns = p->usage[i].time_ns;
            r.most = r.most > value ? r.most : value;
            r.count++;
        }
        if (r.count)
            put_usage_row(d, figure, &r);
    }
    stats_table_end(d->s,
                    p && p->usage_count ? "counters of the process, by time%s"
                                        : "not measurable: no ProcessResourceUsageEvent%s",
                    p && p->dropped ? "; beyond 262,144 samples they are left out" : "");
}

static void put_cores(struct dial9_stats *d, uint64_t *cpu, uint64_t *wall, double *peak)
{
    static const char *const columns[] = {"time_ns", "interval_ns",   "cpu_ns",
                                          "cores",   "max_rss_bytes", NULL};
    struct document *doc = &d->s->doc;
    const struct process *p = d->process;
    uint64_t cpu_ns, wall_ns, skipped = 0;
    stats_table(d->s, "cpu_cores", columns);
    for (size_t i = 1; p && i < p->usage_count; i++) {
        if (!usage_between(&p->usage[i - 1], &p->usage[i], &cpu_ns, &wall_ns)) {
            skipped++;
            continue;
        }
        double cores = (double)cpu_ns / (double)wall_ns;
        *cpu += cpu_ns;
        *wall += wall_ns;
        *peak = *peak > cores ? *peak : cores;
        size_t row = stats_row(d->s);
        document_uint(doc, p->usage[i].time_ns);
        document_uint(doc, wall_ns);
        document_uint(doc, cpu_ns);
        document_f64(doc, cores);
        put_maybe(doc, p->usage[i].figures[MAX_RSS]);
        stats_row_end(d->s, row);
    }
    if (!p || !p->usage_count)
        stats_table_end(d->s, "not measurable: no ProcessResourceUsageEvent");
    else
        stats_table_end(d->s,
                        "CPU time by wall time between neighbouring samples; %" PRIu64
                        " are left out, as the time or a counter does not advance",
                        skipped);
}

/* ---- tables ------------------------------------------------------------------------------ */

static void figure_of(struct dial9_stats *d, const char *name, bool known, double value, bool real)
{
    size_t row = stats_row(d->s);
    document_name(&d->s->doc, name);
    if (!known)
        document_null(&d->s->doc);
    else if (real)
        document_f64(&d->s->doc, value);
    else
        document_uint(&d->s->doc, (uint64_t)value);
    stats_row_end(d->s, row);
}

static void put_process(struct dial9_stats *d, uint64_t cpu, uint64_t wall, double peak)
{
    static const char *const columns[] = {"figure", "value", NULL};
    const struct process *p = d->process;
    uint64_t rss = 0;
    bool has_rss = false;
    stats_table(d->s, "process", columns);
    for (size_t i = 0; p && i < p->usage_count; i++) {
        uint64_t value = p->usage[i].figures[MAX_RSS];
        has_rss |= value != RAS_NONE;
        rss = value != RAS_NONE && value > rss ? value : rss;
    }
    if (p) {
        figure_of(d, "usage_samples", true, (double)p->usage_count, false);
        figure_of(d, "cpu_ns", wall, (double)cpu, false);
        figure_of(d, "wall_ns", wall, (double)wall, false);
        figure_of(d, "average_cores", wall, wall ? (double)cpu / (double)wall : 0, true);
        figure_of(d, "peak_cores", wall, peak, true);
        figure_of(d, "max_rss_bytes", has_rss, (double)rss, false);
        figure_of(d, "accept_queue_peak", p->accept_samples, (double)p->pending_max, false);
    }
    stats_table_end(d->s, "%s",
                    p ? "cores: CPU time by wall time of the intervals of cpu_cores"
                      : "not measurable: no event says what the process used");
}

static int by_pending(const void *a, const void *b, void *context)
{
    const struct accept_queue *x = a, *y = b;
    (void)context;
    if (x->pending_max != y->pending_max)
        return x->pending_max > y->pending_max ? -1 : 1;
    return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

static void put_queue_row(struct dial9_stats *d, const struct accept_queue *q)
{
    struct document *doc = &d->s->doc;
    bool limited = q->backlog && q->backlog != RAS_NONE;
    size_t row = stats_row(d->s);
    put_maybe(doc, q->cookie);
    put_maybe(doc, q->inode);
    put_maybe(doc, q->ip_version);
    dial9_stats_put_text(d, q->address);
    put_maybe(doc, q->port);
    document_uint(doc, q->samples);
    document_uint(doc, q->last);
    document_f64(doc, q->samples ? (double)q->pending_sum / (double)q->samples : 0);
    document_uint(doc, q->pending_max);
    put_maybe(doc, q->backlog);
    if (limited)
        document_f64(doc, 100 * (double)q->pending_max / (double)q->backlog);
    else
        document_null(doc);
    document_uint(doc, q->full);
    stats_row_end(d->s, row);
}

static void put_accept_queues(struct dial9_stats *d)
{
    static const char *const columns[] = {"socket_cookie",
                                          "socket_inode",
                                          "ip_version",
                                          "local_addr",
                                          "local_port",
                                          "samples",
                                          "pending_last",
                                          "pending_mean",
                                          "pending_max",
                                          "backlog_limit",
                                          "peak_percent",
                                          "full_samples",
                                          NULL};
    struct process *p = d->process;
    stats_table(d->s, "accept_queues", columns);
    if (p && p->queue_count)
        sort_with(p->queues, p->queue_count, sizeof *p->queues, by_pending, NULL);
    for (size_t i = 0; p && i < p->queue_count; i++)
        if (p->queues[i].samples)
            put_queue_row(d, &p->queues[i]);
    stats_table_end(d->s, "%s",
                    p && p->queue_count
                        ? "connections that wait to be accepted, by socket; full: as many as the "
                          "backlog takes"
                        : "not measurable: no TcpAcceptQueueEvent");
}

static void put_runtime_metrics(struct dial9_stats *d)
{
    static const char *const columns[] = {"runtime",     "samples",    "queue_max", "queue_mean",
                                          "alive_first", "alive_last", "alive_max", NULL};
    struct document *doc = &d->s->doc;
    const struct process *p = d->process;
    stats_table(d->s, "runtime_metrics", columns);
    for (size_t i = 0; p && i < p->runtime_count; i++) {
        const struct runtime_sum *r = &p->runtimes[i];
        size_t row = stats_row(d->s);
        dial9_stats_put_text(d, r->name);
        document_uint(doc, r->samples);
        document_uint(doc, r->queue_max);
        document_f64(doc, (double)r->queue_sum / (double)r->samples);
        document_uint(doc, r->first);
        document_uint(doc, r->last);
        document_uint(doc, r->alive_max);
        stats_row_end(d->s, row);
    }
    stats_table_end(d->s, "%s",
                    p && p->runtime_count ? "queue: the global one; alive: tasks"
                                          : "not measurable: no RuntimeMetricsEvent");
}

static void put_runtime_series(struct dial9_stats *d)
{
    static const char *const columns[] = {"time_ns", "runtimes", "global_queue_depth",
                                          "alive_tasks", NULL};
    const struct process *p = d->process;
    stats_table(d->s, "runtime_series", columns);
    stats_order(d->s, "time_ns", true);
    for (size_t i = 0; p && i < p->moment_count; i++) {
        size_t row = stats_row(d->s);
        document_uint(&d->s->doc, p->moments[i].time_ns);
        document_uint(&d->s->doc, p->moments[i].runtimes);
        document_uint(&d->s->doc, p->moments[i].queue);
        document_uint(&d->s->doc, p->moments[i].alive);
        stats_row_end(d->s, row);
    }
    stats_table_end(d->s, "%s",
                    p && p->moment_count ? "all runtimes that report at one time, added up"
                                         : "not measurable: no RuntimeMetricsEvent");
}

void dial9_stats_put_process(struct dial9_stats *d)
{
    uint64_t cpu = 0, wall = 0;
    double peak = 0;
    if (d->process && d->process->usage_count)
        qsort(d->process->usage, d->process->usage_count, sizeof *d->process->usage, by_usage_time);
    put_usage(d);
    put_cores(d, &cpu, &wall, &peak);
    put_process(d, cpu, wall, peak);
    put_accept_queues(d);
    put_runtime_metrics(d);
    put_runtime_series(d);
}

void dial9_process_free(struct dial9_stats *d)
{
    struct process *p = d->process;
    if (!p)
        return;
    free(p->usage);
    free(p->queues);
    free(p->runtimes);
    free(p->moments);
    id_table_free(&p->queue_ids);
    id_table_free(&p->moment_ids);
    free(p);
}
