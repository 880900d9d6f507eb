/* dial9_stats_flags.c - problems in a trace: red flags, and how the recorder was set up. */
#include "formats/dial9/dial9_stats.h"

#include <stdarg.h>

enum { FLAGS_OF_POLLS = 100 };

/* The subject of a flag, how often, and when: RAS_NONE for more than one time. */
struct flagged {
    const char *severity, *name;
    uint64_t count, time_ns;
};

static void flag_at(struct dial9_stats *d, const struct flagged *f, const char *fmt, va_list args)
{
    struct document *doc = &d->s->doc;
    char text[400];
    vsnprintf(text, sizeof text, fmt, args);
    size_t row = stats_row(d->s);
    document_name(doc, f->severity);
    document_name(doc, f->name);
    document_uint(doc, f->count);
    if (f->time_ns == RAS_NONE)
        document_null(doc);
    else
        document_uint(doc, f->time_ns);
    document_key(doc, text);
    stats_row_end(d->s, row);
}

static void flag(struct dial9_stats *d, const char *severity, const char *name, uint64_t count,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

static void flag(struct dial9_stats *d, const char *severity, const char *name, uint64_t count,
                 const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    flag_at(d, &(struct flagged){severity, name, count, RAS_NONE}, fmt, args);
    va_end(args);
}

static void flag_moment(struct dial9_stats *d, const char *severity, const char *name,
                        uint64_t time_ns, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

static void flag_moment(struct dial9_stats *d, const char *severity, const char *name,
                        uint64_t time_ns, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    flag_at(d, &(struct flagged){severity, name, 1, time_ns}, fmt, args);
    va_end(args);
}

/* A text of the trace, clipped for a line. */
struct shown {
    char text[200];
};
static struct shown shown(const struct dial9_stats *d, uint32_t text)
{
    struct shown s = {"?"};
    if (text < d->texts.count) {
        const struct intern_entry *e = &d->texts.entries[text];
        size_t len = e->len < sizeof s.text ? e->len : sizeof s.text - 1;
        if (len)
            memcpy(s.text, e->at, len);
        s.text[len] = 0;
    }
    return s;
}

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static void flag_polls(struct dial9_stats *d)
{
    for (size_t i = 0; i < d->long_polls.count && i < FLAGS_OF_POLLS; i++) {
        const struct worst *p = &d->long_polls.at[i];
        if (p->length_ns <= 10000000)
            break;
        flag_moment(d, p->length_ns > 50000000 ? "critical" : "warning", "long-poll", p->time_ns,
                    "a poll of %.1f ms on worker %" PRIu64 ": task %" PRIu64 ", spawned at %s",
                    ms(p->length_ns), d->workers[p->worker].id, p->task, shown(d, p->text).text);
    }
}

static void flag_tasks(struct dial9_stats *d)
{
    if (d->delays_over_5ms)
        flag(d, d->delays_over_50ms ? "critical" : "warning", "sched-delay", d->delays_over_5ms,
             "%s over 5 ms, the longest %.1f ms: tasks wait for busy workers",
             ras_counted(d->delays_over_5ms, "scheduling delay").text, ms(d->delays.max));
    if (d->tasks_changes > 10 && d->tasks_counted > 2 * d->tasks_first &&
        d->tasks_counted == d->tasks_counted_most)
        flag(d, "warning", "task-leak", d->tasks_counted,
             "%s at the end, %" PRIu64 " at the beginning, and never more than at the end",
             ras_counted(d->tasks_counted, "task").text, d->tasks_first);
}

/* A thread that waits for work is off the CPU, too: only samples inside polls count. */
static void flag_blocking(struct dial9_stats *d)
{
    const struct flame *f = &d->flames[1];
    const struct flame_node *top = NULL;
    for (size_t i = 0; i < f->leaf_count; i++)
        if (!top || f->leaves[i]->self_in_poll > top->self_in_poll)
            top = f->leaves[i];
    if (!top || top->self_in_poll <= 5)
        return;
    flag(d, "warning", "blocking-calls", d->samples_in_poll[1],
         "%" PRIu64 " of %" PRIu64 " off-CPU samples lie inside polls, most often with one stack"
         " (%" PRIu64 ", leaf %s); the other %" PRIu64 " are idle",
         d->samples_in_poll[1], d->samples[1], top->self_in_poll, shown(d, top->name).text,
         d->samples[1] - d->samples_in_poll[1]);
}

static void flag_workers(struct dial9_stats *d)
{
    uint64_t most = 0, least = UINT64_MAX, busy = 0, starved = 0, spans = 0;
    for (size_t i = 0; i < d->worker_count; i++) {
        const struct worker *w = &d->workers[i];
        most = most > w->polls.count ? most : w->polls.count;
        least = least < w->polls.count ? least : w->polls.count;
        busy += w->actives_long;
        starved += w->actives_short_of_cpu;
        spans = spans > w->spans_most ? spans : w->spans_most;
    }
    if (d->worker_count > 1 && most > 3 * least)
        flag(d, "warning", "worker-imbalance", most,
             "the busiest worker polled %s, the idlest %" PRIu64, ras_counted(most, "time").text,
             least);
    if (busy && starved * 10 > busy)
        flag(d, "warning", "cpu-contention", starved,
             "%" PRIu64 " of %" PRIu64 " active periods over 1 ms had the CPU for less than half"
             " of the time",
             starved, busy);
    if (d->waits_over_1ms)
        flag(d, d->waits_over_10ms ? "warning" : "info", "kernel-sched-wait", d->waits_over_1ms,
             "%s for the kernel over 1 ms, %" PRIu64 " over 10 ms",
             ras_counted(d->waits_over_1ms, "wait").text, d->waits_over_10ms);
    if (d->queue.max > 100)
        flag(d, d->queue.max > 1000 ? "critical" : "warning", "queue-depth", d->queue.max,
             "the global queue held up to %s", ras_counted(d->queue.max, "task").text);
    if (spans > 20)
        flag(d, "info", "many-spans-per-poll", spans, "up to %s within one poll",
             ras_counted(spans, "span").text);
}

static void flag_spans(struct dial9_stats *d)
{
    for (uint32_t i = 0; i < d->site_count && d->s->key == SIZE_MAX; i++) {
        struct quantiles *q = &d->sites[i].segments;
        uint64_t middle = quantiles_at(q, 500);
        uint64_t most = middle < UINT64_MAX / 10 ? 10 * middle : UINT64_MAX;
        uint64_t beyond = q->count >= 10 ? quantiles_above(q, most) : 0;
        if (beyond)
            flag(d, "info", "span-duration-outlier", beyond,
                 "%s: %" PRIu64 " of %" PRIu64 " segments last over 10 times the median of %.1f us",
                 shown(d, i).text, beyond, q->count, (double)middle / 1e3);
    }
    uint64_t unmatched = d->exits_unentered + d->spans_unexited;
    if (unmatched)
        flag(d, "warning", "unmatched-spans", unmatched, "%s without an enter, %s never left",
             ras_counted(d->exits_unentered, "exit").text,
             ras_counted(d->spans_unexited, "span").text);
}

/* ---- how it was set up ----------------------------------------------------------------- */

static void check(struct dial9_stats *d, const char *name, const char *state, const char *text)
{
    size_t row = stats_row(d->s);
    document_name(&d->s->doc, name);
    document_name(&d->s->doc, state);
    document_name(&d->s->doc, text);
    stats_row_end(d->s, row);
}

static void put_setup(struct dial9_stats *d)
{
    static const char *const columns[] = {"check", "state", "text", NULL};
    const uint64_t *n = d->counts;
    bool shallow = d->stack_frames[0] < 3 * d->samples[0];
    bool some = d->symbol_addresses > 0;
    stats_table(d->s, "setup", columns);
    check(d, "frame-pointers",
          !d->samples[0] ? "unknown"
          : shallow      ? "problem"
                         : "ok",
          !d->samples[0] ? "no on-CPU samples: how deep their stacks are is not known"
          : shallow ? "on-CPU stacks have less than 3 frames on average: build with frame pointers"
                    : "on-CPU stacks have 3 frames and more on average");
    check(d, "wakes",
          n[FACT_WAKE]    ? "ok"
          : n[FACT_SPAWN] ? "problem"
                          : "unknown",
          n[FACT_WAKE]    ? "wakes are recorded"
          : n[FACT_SPAWN] ? "no wakes: scheduling delays cannot be measured"
                          : "no wakes and no tasks that could be woken");
    check(d, "symbols",
          !d->stack_count ? "unknown"
          : some          ? "ok"
                          : "problem",
          !d->stack_count ? "no stacks that need symbols"
          : some ? d->symbols_lined ? "addresses have names and lines" : "names, but no lines"
                 : "no symbols: stacks show addresses");
    check(d, "off-cpu",
          d->samples[1]   ? "ok"
          : d->samples[0] ? "problem"
                          : "unknown",
          d->samples[1]   ? "off-CPU samples are recorded"
          : d->samples[0] ? "no off-CPU samples: blocking calls cannot be seen"
                          : "no samples, on the CPU or off it");
    check(d, "polls",
          n[FACT_POLL_START]    ? "ok"
          : n[FACT_UNPARK] > 10 ? "problem"
                                : "unknown",
          n[FACT_POLL_START]    ? "polls are recorded"
          : n[FACT_UNPARK] > 10 ? "no polls although workers unpark"
                                : "no polls, and hardly any unparks");
    stats_table_end(d->s, "what the recorder was configured to record");
}

void dial9_stats_put_flags(struct dial9_stats *d)
{
    static const char *const columns[] = {"severity", "flag", "count", "time_ns", "text", NULL};
    dial9_worst_sort(&d->long_polls);
    stats_table(d->s, "red_flags", columns);
    flag_polls(d);
    flag_tasks(d);
    flag_blocking(d);
    flag_workers(d);
    flag_spans(d);
    if (d->s->out->ending.kind > RAS_UNSEALED)
        flag(d, "warning", "incomplete-file", 1, "the trace is %s: %.200s",
             ras_ending_name(d->s->out->ending.kind), d->s->out->ending.why);
    if (d->unclean)
        flag(d, "warning", "incomplete-file", d->unclean,
             "%s of metadata that events were lost (segment.sealed_clean or"
             " segment.prior_sealed_clean is false)",
             ras_counted(d->unclean, "statement").text);
    stats_table_end(d->s,
                    "polls over 10 ms (critical over 50), delays over 5 ms (50), blocking"
                    " inside polls, and more; of polls the longest"
                    " %d",
                    FLAGS_OF_POLLS);
    put_setup(d);
}
