/* dial9_stats_put_polls.c - the longest polls as tables: what each was doing, frame by frame. */
#include "formats/dial9/dial9_stats.h"

enum { STACKS_SHOWN = 10 };

static void put_words(struct document *doc, const struct frame_text *t)
{
    if (t->len)
        document_text(doc, t->text, t->len);
    else
        document_null(doc);
}

/* The stack that says most: where it was blocked, else where it was busy. */
static bool told_off(const struct worst *p)
{
    return p->stack[1] != NO_STACK;
}

static void put_poll(struct dial9_stats *d, const struct worst *p)
{
    struct document *doc = &d->s->doc;
    struct stack_words words;
    dial9_stack_explain(d, p->stack[told_off(p)], &words);
    size_t row = stats_row(d->s);
    document_uint(doc, d->workers[p->worker].id);
    document_uint(doc, p->time_ns);
    document_uint(doc, p->length_ns);
    document_uint(doc, p->task);
    dial9_stats_put_text(d, p->text);
    document_uint(doc, p->on);
    document_uint(doc, p->off);
    put_words(doc, &words.blocked_by);
    put_words(doc, &words.syscall);
    put_words(doc, &words.called_from);
    stats_row_end(d->s, row);
}

static void put_frame(struct dial9_stats *d, const struct worst *p, uint64_t number,
                      const struct frame *f)
{
    struct document *doc = &d->s->doc;
    struct frame_text text;
    size_t row = stats_row(d->s);
    document_uint(doc, p->time_ns);
    document_uint(doc, d->workers[p->worker].id);
    document_name(doc, told_off(p) ? "off-CPU" : "on-CPU");
    document_uint(doc, number);
    document_name(doc, f->kernel ? "kernel" : f->inlined ? "inlined" : "user");
    dial9_frame_name(d, f, &text);
    document_text(doc, text.text, text.len);
    dial9_frame_place(d, f, &text);
    put_words(doc, &text);
    stats_row_end(d->s, row);
}

static void put_stacks(struct dial9_stats *d)
{
    static const char *const columns[] = {"time_ns", "worker",   "source",   "frame",
                                          "kind",    "function", "location", NULL};
    uint64_t shown = 0;
    bool wanted = stats_table(d->s, "long_poll_stacks", columns);
    for (size_t i = 0; wanted && i < d->long_polls.count && i < STACKS_SHOWN; i++) {
        const struct worst *p = &d->long_polls.at[i];
        struct frame_walk w = {.stack = p->stack[told_off(p)]};
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

void dial9_stats_put_long_polls(struct dial9_stats *d)
{
    static const char *const columns[] = {"worker",
                                          "time_ns",
                                          "duration_ns",
                                          "task",
                                          "spawn_loc",
                                          "on_cpu_samples",
                                          "off_cpu_samples",
                                          "blocked_by",
                                          "syscall",
                                          "called_from",
                                          NULL};
    dial9_worst_sort(&d->long_polls);
    stats_table(d->s, "long_polls", columns);
    for (size_t i = 0; i < d->long_polls.count; i++)
        put_poll(d, &d->long_polls.at[i]);
    stats_table_end(d->s,
                    "polls longer than 1 ms: %" PRIu64
                    ", of which the longest %zu %s listed; %" PRIu64 " over 10 ms, %" PRIu64
                    " over 50 ms; blocked_by, syscall and called_from are of its first sample off"
                    " the CPU, or on it: long_poll_stacks has all frames",
                    d->polls_over_1ms, d->long_polls.count, d->long_polls.count == 1 ? "is" : "are",
                    d->polls_over_10ms, d->polls_over_50ms);
    put_stacks(d);
}
