/* atf_query.c - the published query methods as tables: summary, findings, spans, events.
 *
 * Spans and events are listed from the first one on: as many as `limit` and `offset` need, 1,000 by
 * default as the published methods have it, and at most 65,536. */
#include "base/memory.h"
#include "formats/atf/atf_stats.h"

#include <stdlib.h>

enum { ROWS_DEFAULT = 1000, ROWS_MOST = 65536 };

static bool is_requested(const struct ras_stats_options *o, const char *table)
{
    for (size_t i = 0; i < o->table_count; i++)
        if (!strcmp(o->tables[i], table))
            return true;
    return !o->table_count;
}

size_t atf_query_most(const struct stats *s, const char *table)
{
    const struct ras_stats_options *o = s->options;
    if (!is_requested(o, table) || o->no_rows)
        return 0;
    uint64_t wanted = o->limit ? o->limit : ROWS_DEFAULT;
    if (o->offset >= ROWS_MOST || wanted >= ROWS_MOST - o->offset)
        return ROWS_MOST;
    return (size_t)(wanted + o->offset);
}

/* "All 12 events", or how many of them are listed. */
static const char *listed(char text[80], size_t count, uint64_t total, const char *what)
{
    if (count < total)
        snprintf(text, 80, "the first %zu of %" PRIu64 " %s", count, total, what);
    else
        snprintf(text, 80, "%" PRIu64 " %s", total, what);
    return text;
}

/* ---- summary --------------------------------------------------------------- */

static void put_figure(struct atf_stats *a, const char *name, bool there, uint64_t value)
{
    size_t row = stats_row(a->s);
    document_name(&a->s->doc, name);
    atf_stats_uint(&a->s->doc, there, value);
    stats_row_end(a->s, row);
}

static void put_figure_text(struct atf_stats *a, const char *name, const char *text)
{
    size_t row = stats_row(a->s);
    document_name(&a->s->doc, name);
    atf_put_text(&a->s->doc, text);
    stats_row_end(a->s, row);
}

/* The sums over all threads. */
static struct thread_row sum_threads(const struct atf_stats *a, bool *timed)
{
    struct thread_row sum = {0};
    *timed = false;
    for (size_t i = 0; i < a->session->thread_count; i++) {
        const struct thread_row *t = &a->threads[i];
        sum.details += t->details;
        sum.calls += t->calls;
        sum.lost += t->lost;
        sum.unmatched += t->unmatched;
        if (!t->events)
            continue;
        sum.time_first = *timed && sum.time_first < t->time_first ? sum.time_first : t->time_first;
        sum.time_last = sum.time_last > t->time_last ? sum.time_last : t->time_last;
        sum.events += t->events;
        *timed = true;
    }
    return sum;
}

static uint64_t count_spans(const struct atf_stats *a)
{
    uint64_t spans = 0;
    for (int i = RAS_ATF_MATCHED; i < REASONS; i++)
        spans += a->reasons[i].count;
    return spans;
}

void atf_query_summary(struct atf_stats *a)
{
    static const char *const columns[] = {"figure", "value", NULL};
    const struct ras_atf_manifest *m = ras_atf_manifest(a->session, 0);
    bool timed;
    const struct thread_row sum = sum_threads(a, &timed);
    stats_table(a->s, "summary", columns);
    put_figure_text(a, "module_path", m->module_count ? m->modules[0].path : NULL);
    put_figure_text(a, "module_uuid", m->module_count ? m->modules[0].uuid : NULL);
    put_figure(a, "thread_count", true, a->session->thread_count);
    put_figure(a, "symbol_count", m->present, m->symbol_count);
    put_figure(a, "total_events", true, sum.events);
    put_figure(a, "detail_count", true, sum.details);
    put_figure(a, "call_count", true, sum.calls);
    put_figure(a, "span_count", true, count_spans(a));
    put_figure(a, "unmatched_spans", true, sum.unmatched);
    put_figure(a, "lost_records", true, sum.lost);
    put_figure(a, "start_time_ns", timed, sum.time_first);
    put_figure(a, "end_time_ns", timed, sum.time_last);
    put_figure(a, "duration_ns", timed, sum.time_last - sum.time_first);
    stats_table_end(a->s, "times are of the events; the module is the first of the manifest");
}

/* ---- findings --------------------------------------------------------------- */

static const struct finding {
    const char *severity, *name, *about;
} by_reason[REASONS] = {
    [RAS_ATF_RAISED] = {"note", "exception", "calls that an exception ended"},
    [RAS_ATF_UNWOUND] = {"warning", "unwind", "calls that never returned although a caller did"},
    [RAS_ATF_TAIL_CALL] = {"note", "tail-call", "calls that another call replaced"},
    [RAS_ATF_STILL_OPEN] = {"note", "open-at-end", "calls that were open at the end"},
    [RAS_ATF_NO_CALL] = {"warning", "no-call", "returns whose call was not recorded"},
};

/* The evidence is the first event of its kind: `cat` shows it by thread and number. */
static void put_finding(struct atf_stats *a, const struct finding *f, const struct unmatched *u)
{
    struct document *doc = &a->s->doc;
    size_t row = stats_row(a->s);
    document_name(doc, f->severity);
    document_name(doc, f->name);
    document_uint(doc, u->count);
    document_uint(doc, a->session->threads[u->thread].stream);
    atf_cost_put(doc, &a->costs.at[u->example]);
    document_uint(doc, u->time_ns);
    atf_stats_uint(doc, u->event != RAS_NONE, u->event);
    document_name(doc, f->about);
    stats_row_end(a->s, row);
}

static void put_lost(struct atf_stats *a, size_t thread)
{
    struct document *doc = &a->s->doc;
    size_t row = stats_row(a->s);
    document_name(doc, "warning");
    document_name(doc, "lost-records");
    document_uint(doc, a->threads[thread].lost);
    document_uint(doc, a->session->threads[thread].stream);
    for (int i = 0; i < 4; i++) /* function, module, time_ns, event */
        document_null(doc);
    document_name(doc, "records that are damaged, or that the recorder dropped");
    stats_row_end(a->s, row);
}

void atf_query_findings(struct atf_stats *a)
{
    static const char *const columns[] = {"severity", "finding", "count", "thread",   "function",
                                          "module",   "time_ns", "event", "evidence", NULL};
    stats_table(a->s, "findings", columns);
    for (size_t i = 0; i < a->session->thread_count; i++)
        if (a->threads[i].lost)
            put_lost(a, i);
    for (int i = RAS_ATF_MATCHED; i < REASONS; i++)
        if (by_reason[i].name && a->reasons[i].count)
            put_finding(a, &by_reason[i], &a->reasons[i]);
    stats_table_end(a->s,
                    "thread, function, time and event are of the first of each kind; event is "
                    "its number in the thread; rastrum verify has the faults of the files");
}

/* ---- spans --------------------------------------------------------------- */

bool atf_query_leave(struct atf_stats *a, const struct atf_left_call *call, size_t cost)
{
    bool called = call->span->reason != RAS_ATF_NO_CALL;
    a->span_total++;
    if (a->span_count >= a->span_most)
        return true;
    if (!array_grow(&a->spans, &a->span_room, a->span_count + 1, sizeof *a->spans))
        return false;
    a->spans[a->span_count++] =
        (struct span_row){.span = *call->span,
                          .thread = a->thread,
                          .cost = (uint32_t)cost,
                          .children = called ? a->open[call->level + 1].children : 0};
    return true;
}

static void put_span(struct atf_stats *a, const struct span_row *r)
{
    const struct ras_atf_span *span = &r->span;
    struct document *doc = &a->s->doc;
    bool called = span->call_seq != RAS_NONE, returned = span->return_seq != RAS_NONE;
    bool whole = called && returned && span->end_ns >= span->start_ns;
    uint32_t stream = a->session->threads[r->thread].stream;
    size_t row = stats_row(a->s);
    document_format(doc, "%" PRIu32 ":%" PRIu64 ":%" PRIu64, stream,
                    called ? span->start_ns : span->end_ns,
                    called ? span->call_seq : span->return_seq);
    atf_cost_put(doc, &a->costs.at[r->cost]);
    atf_stats_uint(doc, called, span->start_ns);
    atf_stats_uint(doc, returned, span->end_ns);
    atf_stats_uint(doc, whole, span->end_ns - span->start_ns);
    document_uint(doc, stream);
    document_uint(doc, span->call_depth);
    document_uint(doc, r->children);
    document_name(doc, ras_atf_reason_name(span->reason));
    if (a->costs.sourced)
        atf_cost_put_source(doc, &a->costs.at[r->cost]);
    stats_row_end(a->s, row);
}

#define SPAN_COLUMNS                                                                               \
    "span_id", "function", "module", "start_time_ns", "end_time_ns", "duration_ns", "thread",      \
        "depth", "child_count", "reason"

void atf_query_spans(struct atf_stats *a)
{
    static const char *const plain[] = {SPAN_COLUMNS, NULL};
    static const char *const sourced[] = {SPAN_COLUMNS, ATF_SOURCE_COLUMNS, NULL};
    char text[80];
    if (stats_table(a->s, "spans", a->costs.sourced ? sourced : plain))
        for (size_t i = 0; i < a->span_count; i++)
            put_span(a, &a->spans[i]);
    stats_table_end(
        a->s,
        "%s, thread by thread, in the order of their ends; span_id is "
        "thread:start:event",
        listed(text, a->span_count, a->span_most ? a->span_total : count_spans(a), "spans"));
}

/* ---- events --------------------------------------------------------------- */

static bool put_event(struct atf_stats *a, const struct ras_record *r)
{
    const struct ras_atf_index_event event = atf_event(r->raw);
    struct document *doc = &a->s->doc;
    a->thread = atf_next_thread(a->session, a->thread, r->stream);
    const struct atf_thread *thread = &a->session->threads[a->thread];
    struct atf_cost *cost = atf_cost_of(&a->costs, &a->session->processes[thread->process],
                                        IN_ALL_THREADS, event.function_id);
    if (!cost)
        return false;
    size_t row = stats_row(a->s);
    document_uint(doc, event.timestamp_ns);
    document_uint(doc, thread->stream);
    document_uint(doc, event.call_depth);
    const char *kind = ras_atf_kind_name(event.event_kind);
    atf_put_text(doc, kind);
    atf_cost_put(doc, cost);
    document_format(doc, "0x%" PRIx64, event.function_id);
    if (a->costs.sourced)
        atf_cost_put_source(doc, cost);
    stats_row_end(a->s, row);
    return true;
}

static int list_events(struct atf_stats *a, size_t most, size_t *count, struct ras_error *err)
{
    static const char *const none[] = {""};
    static const struct ras_pick pick = {"event", none, 0};
    const struct ras_stats_options *o = a->s->options;
    const struct ras_scan scan = {.picks = &pick,
                                  .pick_count = 1,
                                  .axis = o->axis,
                                  .from = o->from,
                                  .to = o->to,
                                  .merged = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    int status = ras_cursor_open(&c, a->s->trace, &scan, err);
    while (status == RAS_OK && *count < most && (status = ras_next(c, &r, err)) == RAS_OK) {
        if (r->schema != ATF_EVENT)
            continue;
        if (!put_event(a, r))
            status = fail_memory(err);
        ++*count;
    }
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

#define EVENT_COLUMNS "time_ns", "thread", "depth", "kind", "function", "module", "function_id"

/* Whether the order of time costs little, or is wanted: a session of many events may have to be
 * walked for it once more. */
static bool is_listed(const struct atf_stats *a, uint64_t total)
{
    return total <= ROWS_MOST || a->s->options->table_count;
}

int atf_query_events(struct atf_stats *a, struct ras_error *err)
{
    static const char *const plain[] = {EVENT_COLUMNS, NULL};
    static const char *const sourced[] = {EVENT_COLUMNS, ATF_SOURCE_COLUMNS, NULL};
    size_t most = atf_query_most(a->s, "events"), count = 0;
    uint64_t total = 0;
    char text[80];
    int status = RAS_OK;
    for (size_t i = 0; i < a->session->thread_count; i++)
        total += a->threads[i].events;
    stats_table(a->s, "events", a->costs.sourced ? sourced : plain);
    if (most && is_listed(a, total))
        status = list_events(a, most, &count, err);
    if (status < 0 && status != RAS_EMEMORY)
        stats_table_end(a->s, "cannot be listed: %s", err ? err->text : "no order");
    else if (!is_listed(a, total))
        stats_table_end(a->s, "%" PRIu64 " events, which are listed if the table is named", total);
    else
        stats_table_end(a->s, "%s, all threads in the order of time",
                        listed(text, count, total, "events"));
    return status == RAS_EMEMORY ? status : RAS_OK;
}
