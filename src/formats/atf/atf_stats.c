/* atf_stats.c - statistics of a session: functions, threads, modules, calls without an end. */
#include "base/memory.h"
#include "formats/atf/atf_stats.h"

#include <stdlib.h>

/* ---- the walk ----------------------------------------------------------------------- */

static const struct atf_process *stats_process(const struct atf_stats *a)
{
    return &a->session->processes[a->session->threads[a->thread].process];
}

/* The function in this thread, linked with that in all threads; NULL: memory is short. */
static struct atf_cost *cost_in_thread(struct atf_stats *a, uint64_t function_id)
{
    const struct atf_process *p = stats_process(a);
    struct atf_cost *cost = atf_cost_of(&a->costs, p, a->thread, function_id);
    if (!cost || cost->whole)
        return cost;
    size_t here = (size_t)(cost - a->costs.at);
    struct atf_cost *whole = atf_cost_of(&a->costs, p, IN_ALL_THREADS, function_id);
    if (!whole)
        return NULL;
    a->costs.at[here].whole = (uint32_t)(whole - a->costs.at) + 1;
    return &a->costs.at[here];
}

static bool stats_enter(void *user, const struct ras_atf_index_event *event, size_t level)
{
    struct atf_stats *a = user;
    struct atf_cost *cost = cost_in_thread(a, event->function_id);
    struct thread_row *t = &a->threads[a->thread];
    if (!cost || !array_grow(&a->open, &a->open_room, level + 1, sizeof *a->open))
        return false;
    cost->count++;
    cost->open++;
    a->open[level] = (struct open_call){.cost = (uint32_t)(cost - a->costs.at)};
    if (level > 1)
        a->open[level - 1].children++;
    t->calls++;
    t->depth_most = t->depth_most > level ? t->depth_most : (uint32_t)level;
    return true;
}

static void note_unmatched(struct atf_stats *a, const struct ras_atf_span *span, size_t cost)
{
    struct unmatched *u = &a->reasons[span->reason];
    if (!u->count++) {
        bool called = span->call_seq != RAS_NONE;
        u->example = (uint32_t)cost;
        u->time_ns = called ? span->start_ns : span->end_ns;
        u->event = called ? span->call_seq : span->return_seq;
        u->thread = a->thread;
    }
    a->threads[a->thread].unmatched += span->reason > RAS_ATF_RAISED;
}

/* Times of a function in all threads are added as they come only while they are kept one by one: in
 * buckets they are the sum of those in each thread, and that is made once (sum_times). */
static void take_time(struct atf_stats *a, struct atf_cost *cost, uint64_t took)
{
    struct quantiles *whole = &a->costs.at[cost->whole - 1].times;
    stats_add(a->s, &cost->times, took);
    if (quantiles_exact(whole))
        stats_add(a->s, whole, took);
}

static bool stats_leave(void *user, const struct atf_left_call *call)
{
    struct atf_stats *a = user;
    bool called = call->span->reason != RAS_ATF_NO_CALL;
    struct atf_cost *cost = called ? &a->costs.at[a->open[call->level + 1].cost]
                                   : cost_in_thread(a, call->span->function_id);
    if (!cost)
        return false;
    note_unmatched(a, call->span, cost->whole - 1);
    if (a->span_most && !atf_query_leave(a, call, cost->whole - 1))
        return false;
    if (!called)
        return true;
    atf_cost_take(cost, call);
    if (!call->level)
        a->threads[a->thread].busy_ns += call->time.timed ? call->time.took : call->time.inner;
    if (call->time.timed)
        take_time(a, cost, call->time.took);
    return true;
}

/* Change to the record's thread: records of one thread are adjacent, and mostly the next thread
 * follows. */
static bool stats_enter_thread(struct atf_stats *a, const struct ras_record *r)
{
    if (a->thread != SIZE_MAX && a->session->threads[a->thread].stream == r->stream)
        return true;
    if (a->thread != SIZE_MAX && !atf_call_walk_event(&a->walk, NULL, a->next_seq))
        return false;
    a->thread = atf_next_thread(a->session, a->thread, r->stream);
    atf_call_walk_thread(&a->walk);
    return true;
}

static bool take_event(struct atf_stats *a, const struct ras_record *r)
{
    struct thread_row *t = &a->threads[a->thread];
    struct ras_atf_index_event event = atf_event(r->raw);
    uint64_t at = event.timestamp_ns;
    t->time_first = t->events && t->time_first < at ? t->time_first : at;
    t->time_last = t->time_last > at ? t->time_last : at;
    t->events++;
    a->next_seq =
        (r->offset - a->session->threads[a->thread].index.at) / RAS_ATF_INDEX_EVENT_SIZE + 1;
    return atf_call_walk_event(&a->walk, &event, a->next_seq - 1);
}

static int stats_take_record(void *user, const struct ras_cursor *c, const struct ras_record *r,
                             struct ras_error *err)
{
    struct atf_stats *a = user;
    size_t count;
    if (ras_has_time(c) && r->time_ns < a->time_first)
        a->time_first = r->time_ns;
    if (!stats_enter_thread(a, r))
        return fail_memory(err);
    if (r->schema == ATF_EVENT)
        return take_event(a, r) ? RAS_OK : fail_memory(err);
    if (r->schema != RAS_SCHEMA_GAP) {
        a->threads[a->thread].details++;
        return RAS_OK;
    }
    const struct ras_value *v = ras_values(c, &count); /* offset, length, why, lost */
    if (count == 4 && v[3].kind == RAS_UINT)
        a->threads[a->thread].lost += v[3].u;
    return RAS_OK;
}

/* Make the costs of functions in all threads, from those in each thread. False: memory is short. */
static bool sum_costs(struct atf_stats *a)
{
    for (size_t i = 0; i < a->costs.count; i++)
        if (a->costs.at[i].thread == IN_ALL_THREADS && !quantiles_exact(&a->costs.at[i].times))
            quantiles_free(&a->costs.at[i].times);
    for (size_t i = 0; i < a->costs.count; i++) {
        const struct atf_cost *cost = &a->costs.at[i];
        if (!cost->whole)
            continue;
        struct atf_cost *whole = &a->costs.at[cost->whole - 1];
        whole->count += cost->count;
        whole->total_ns += cost->total_ns;
        whole->self_ns += cost->self_ns;
        whole->untimed += cost->untimed;
        /* Times that were kept one by one are complete. */
        bool complete = whole->times.count && quantiles_exact(&whole->times);
        if (!complete && !quantiles_add_set(&whole->times, &cost->times))
            return false;
    }
    return true;
}

/* ---- tables -------------------------------------------------------------------------- */

void atf_stats_uint(struct document *doc, bool there, uint64_t u)
{
    if (there)
        document_uint(doc, u);
    else
        document_null(doc);
}

static void put_cost(struct atf_stats *a, struct atf_cost *cost)
{
    static const unsigned shares[] = {500, 950, 990};
    struct document *doc = &a->s->doc;
    size_t row = stats_row(a->s);
    if (cost->thread != IN_ALL_THREADS)
        document_uint(doc, a->session->threads[cost->thread].stream);
    atf_cost_put(doc, cost);
    document_uint(doc, cost->count);
    document_uint(doc, cost->total_ns);
    document_uint(doc, cost->self_ns);
    bool timed = cost->times.count;
    for (size_t i = 0; i < 3; i++)
        atf_stats_uint(doc, timed, timed ? quantiles_at(&cost->times, shares[i]) : 0);
    atf_stats_uint(doc, timed, cost->times.max);
    document_uint(doc, cost->untimed);
    if (a->costs.sourced)
        atf_cost_put_source(doc, cost);
    stats_row_end(a->s, row);
}

#define COST_COLUMNS                                                                               \
    "function", "module", "count", "total_ns", "self_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns",  \
        "unfinished"

static void put_functions(struct atf_stats *a, bool by_thread)
{
    static const char *const plain[] = {"thread", COST_COLUMNS, NULL};
    static const char *const sourced[] = {"thread", COST_COLUMNS, ATF_SOURCE_COLUMNS, NULL};
    const char *const *columns = a->costs.sourced ? sourced : plain;
    bool exact = true;
    if (stats_table(a->s, by_thread ? "functions_by_thread" : "functions", columns + !by_thread)) {
        stats_order(a->s, "self_ns", false);
        for (size_t i = 0; i < a->costs.count; i++) {
            struct atf_cost *cost = &a->costs.at[i];
            if (!cost->count || (cost->thread == IN_ALL_THREADS) == by_thread)
                continue;
            put_cost(a, cost);
            exact = exact && quantiles_exact(&cost->times);
        }
    }
    stats_table_end(a->s,
                    "only calls that returned are timed; recursive time is counted once in total;"
                    " %s",
                    stats_exactness(exact));
}

static void put_threads_table(struct atf_stats *a)
{
    static const char *const columns[] = {
        "thread",  "process",   "events", "calls", "details", "depth_max", "duration_ns",
        "busy_ns", "unmatched", "lost",   "path",  "name",    NULL};
    struct document *doc = &a->s->doc;
    stats_table(a->s, "threads", columns);
    for (size_t i = 0; i < a->session->thread_count; i++) {
        const struct thread_row *t = &a->threads[i];
        const struct atf_thread *thread = &a->session->threads[i];
        size_t row = stats_row(a->s);
        document_uint(doc, thread->stream);
        const char *process = a->session->processes[thread->process].name;
        atf_put_text(doc, process && *process ? process : NULL);
        document_uint(doc, t->events);
        document_uint(doc, t->calls);
        document_uint(doc, t->details);
        document_uint(doc, t->depth_most);
        document_uint(doc, t->time_last - t->time_first);
        document_uint(doc, t->busy_ns);
        document_uint(doc, t->unmatched);
        document_uint(doc, t->lost);
        atf_put_text(doc, atf_thread_path(a->session, thread));
        atf_put_text(doc, atf_thread_name(a->session, thread));
        stats_row_end(a->s, row);
    }
    stats_table_end(a->s, "busy is the time inside outermost calls; lost are records that are"
                          " damaged, or that the recorder counted and could not store; path says "
                          "who created a thread: 0.2 is the second one that thread 0 created");
}

/* By name of the module; those without one are one row. */
static int by_module(const void *a, const void *b)
{
    const struct atf_cost *x = *(const struct atf_cost *const *)a;
    const struct atf_cost *y = *(const struct atf_cost *const *)b;
    if (!x->module || !y->module)
        return !x->module - !y->module;
    return strcmp(x->module->path, y->module->path);
}

static void put_module_row(struct atf_stats *a, const struct atf_cost *const *costs, size_t count)
{
    struct document *doc = &a->s->doc;
    uint64_t calls = 0, self = 0;
    for (size_t i = 0; i < count; i++) {
        calls += costs[i]->count;
        self += costs[i]->self_ns;
    }
    size_t row = stats_row(a->s);
    atf_put_text(doc, costs[0]->module ? costs[0]->module->path : NULL);
    document_uint(doc, count);
    document_uint(doc, calls);
    document_uint(doc, self);
    stats_row_end(a->s, row);
}

static void put_modules_table(struct atf_stats *a)
{
    static const char *const columns[] = {"module", "functions", "count", "self_ns", NULL};
    const struct atf_cost **costs = calloc(a->costs.count + 1, sizeof *costs);
    size_t count = 0;
    a->s->doc.cells.nomem |= !costs;
    for (size_t i = 0; costs && i < a->costs.count; i++)
        if (a->costs.at[i].thread == IN_ALL_THREADS && a->costs.at[i].count)
            costs[count++] = &a->costs.at[i];
    if (count)
        qsort((void *)costs, count, sizeof(struct atf_cost *), by_module);
    stats_table(a->s, "modules", columns);
    stats_order(a->s, "self_ns", false);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !by_module(&costs[i], &costs[end]);)
            end++;
        put_module_row(a, costs + i, end - i);
    }
    stats_table_end(a->s, "%s",
                    count && costs[0]->module
                        ? "functions that were called; time without calls inside"
                        : "the manifest names no module");
    free((void *)costs);
}

static const char *const explained[REASONS] = {
    [RAS_ATF_MATCHED] = "a call and its return",
    [RAS_ATF_RAISED] = "left by an exception: its time is known",
    [RAS_ATF_UNWOUND] = "a caller continued, or an exception passed: longjmp, or lost events",
    [RAS_ATF_TAIL_CALL] = "another call or return at its depth took its place: a tail call",
    [RAS_ATF_STILL_OPEN] = "still open when the thread, the recording or the range ends",
    [RAS_ATF_NO_CALL] = "a return whose call is before the recording or the range, or lost",
};

static void put_unmatched(struct atf_stats *a)
{
    static const char *const columns[] = {"reason",  "count",       "example", "module",
                                          "time_ns", "explanation", NULL};
    struct document *doc = &a->s->doc;
    uint64_t all = 0, unmatched = 0;
    stats_table(a->s, "unmatched", columns);
    for (int i = RAS_ATF_MATCHED; i < REASONS; i++) {
        const struct unmatched *u = &a->reasons[i];
        all += u->count;
        unmatched += i > RAS_ATF_RAISED ? u->count : 0;
        if (!u->count || i == RAS_ATF_MATCHED)
            continue;
        size_t row = stats_row(a->s);
        document_key(doc, ras_atf_reason_name((enum ras_atf_reason)i));
        document_uint(doc, u->count);
        atf_cost_put(doc, &a->costs.at[u->example]);
        document_uint(doc, u->time_ns);
        document_name(doc, explained[i]);
        stats_row_end(a->s, row);
    }
    stats_table_end(a->s, "%" PRIu64 " of %s without an end; examples are the first of their kind",
                    unmatched, ras_counted(all, "span").text);
}

/* All records were read, so the first time need not be searched again. */
static void set_first_time(struct atf_stats *a)
{
    if (!a->s->options->axis && a->time_first != RAS_NONE)
        stats_found_first(a->s, a->time_first);
}

static void put_tables(struct atf_stats *a)
{
    set_first_time(a);
    atf_query_summary(a);
    atf_query_findings(a);
    put_functions(a, false);
    put_threads_table(a);
    put_modules_table(a);
    put_unmatched(a);
    put_functions(a, true);
    atf_query_spans(a);
}

static int stats_run(struct atf_stats *a, struct ras_error *err)
{
    static const char *const none[] = {""};
    static const struct ras_pick picks[] = {
        {"event", none, 0}, {"detail", none, 0}, {"gap", NULL, 0}};
    const struct ras_scan scan = {.picks = picks, .pick_count = 3};
    a->threads = calloc(a->session->thread_count + 1, sizeof *a->threads);
    if (!a->threads || !atf_call_walk_open(&a->walk))
        return fail_memory(err);
    int status = stats_walk(a->s, &scan, stats_take_record, a, err);
    if (status < 0)
        return status;
    if (a->thread != SIZE_MAX && !atf_call_walk_event(&a->walk, NULL, a->next_seq))
        return fail_memory(err);
    if (!sum_costs(a))
        return fail_memory(err);
    put_tables(a);
    return atf_query_events(a, err);
}

int atf_stats(struct ras_trace *t, struct stats *s, struct ras_error *err)
{
    struct atf_stats a = {.s = s, .session = &((struct atf *)t->priv)->session, .thread = SIZE_MAX};
    a.time_first = RAS_NONE;
    a.span_most = atf_query_most(s, "spans");
    a.walk = (struct atf_call_walk){.enter = stats_enter, .leave = stats_leave, .user = &a};
    int status = stats_run(&a, err);
    atf_call_walk_close(&a.walk);
    atf_costs_free(&a.costs);
    free(a.threads);
    free(a.spans);
    free(a.open);
    return status;
}
