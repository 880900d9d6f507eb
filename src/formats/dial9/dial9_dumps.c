/* dial9_dumps.c - where tasks were suspended: their dumps, by stack.
 *
 * The time of a TaskDumpEvent is the start of the poll that follows; it has the stack of the task
 * as it was suspended. The task was idle since the end of its last poll. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

struct dump_site {
    uint32_t stack;
    uint64_t dumps, tasks;
    struct quantiles idle;
};

struct task_dumps {
    struct id_table sites; /* by stack */
    struct dump_site *at;
    size_t count, room;
    struct id_table seen; /* a task at a site, hashed */
    uint64_t unknown;     /* of tasks without a poll before */
};

static struct dump_site *dump_site(struct dial9_stats *d, uint32_t stack)
{
    struct task_dumps *t = d->dumps;
    uint32_t found = id_table_find(&t->sites, stack);
    if (found != ID_TABLE_NONE)
        return &t->at[found];
    if (t->count >= SITES_MOST && stack != NO_STACK)
        return dump_site(d, NO_STACK);
    if (!array_grow(&t->at, &t->room, t->count + 1, sizeof *t->at) ||
        !id_table_add(&t->sites, stack, (uint32_t)t->count)) {
        stats_nomem(d);
        return NULL;
    }
    t->at[t->count] = (struct dump_site){.stack = stack};
    return &t->at[t->count++];
}

/* Whether this task is new at the site; by a hash of 64 bits, as there are many. */
static bool is_new_task(struct dial9_stats *d, uint32_t stack, uint64_t task)
{
    struct id_table *seen = &d->dumps->seen;
    uint64_t key = (task ^ task >> 32) * UINT64_C(0x9e3779b97f4a7c15) ^
                   (uint64_t)stack * UINT64_C(0xc2b2ae3d27d4eb4f);
    if (id_table_find(seen, key) != ID_TABLE_NONE || seen->count >= LIVE_MOST)
        return false;
    if (!id_table_add(seen, key, 0))
        stats_nomem(d);
    return true;
}

void dial9_dumps_on(struct dial9_stats *d, const struct fact *f, const struct task *task)
{
    if (!d->s)
        return;
    if (!d->dumps)
        d->dumps = calloc(1, sizeof *d->dumps);
    struct dump_site *site = d->dumps ? dump_site(d, f->ref) : NULL;
    if (!site) {
        stats_nomem(d);
        return;
    }
    site->dumps++;
    site->tasks += is_new_task(d, f->ref, f->id);
    if (task && task->ended_at != RAS_NONE && task->ended_at <= f->time_ns)
        dial9_figure(d, &site->idle, f->time_ns - task->ended_at);
    else
        d->dumps->unknown++;
}

/* ---- the table -------------------------------------------------------------------------- */

static int by_idle(const void *a, const void *b, void *context)
{
    const struct dump_site *x = a, *y = b;
    (void)context;
    if (x->idle.sum != y->idle.sum)
        return x->idle.sum > y->idle.sum ? -1 : 1;
    if (x->dumps != y->dumps)
        return x->dumps > y->dumps ? -1 : 1;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static void put_dump_site(struct dial9_stats *d, struct dump_site *site)
{
    struct document *doc = &d->s->doc;
    struct frame_text name, place;
    struct stack_words words;
    dial9_stack_leaf(d, site->stack, &name, &place);
    dial9_stack_explain(d, site->stack, &words);
    size_t row = stats_row(d->s);
    dial9_stats_put_frame_text(d, &name);
    dial9_stats_put_frame_text(d, &place);
    dial9_stats_put_frame_text(d, &words.called_from);
    document_uint(doc, site->dumps);
    document_uint(doc, site->tasks);
    stats_put_quantiles(d->s, &site->idle);
    dial9_put_folded(d, site->stack);
    stats_row_end(d->s, row);
}

void dial9_stats_put_dumps(struct dial9_stats *d)
{
    static const char *const columns[] = {"waiting_on", "location",      "called_from", "dumps",
                                          "tasks",      STATS_DURATIONS, "stack",       NULL};
    struct task_dumps *t = d->dumps;
    bool exact = true, wanted = stats_table(d->s, "waiting_on", columns);
    if (t && t->count)
        sort_with(t->at, t->count, sizeof *t->at, by_idle, NULL);
    for (size_t i = 0; wanted && t && i < t->count; i++) {
        exact = exact && quantiles_exact(&t->at[i].idle);
        put_dump_site(d, &t->at[i]);
    }
    if (t)
        stats_table_end(d->s,
                        "task dumps by stack, the leaf is the place that was waited for; idle "
                        "since the end of the task's last poll, not known of %" PRIu64 "; %s",
                        t->unknown, stats_exactness(exact));
    else
        stats_table_end(d->s, "not measurable: the %s has no TaskDumpEvent",
                        d->s->options->axis ? "range" : "trace");
}

void dial9_dumps_free(struct dial9_stats *d)
{
    struct task_dumps *t = d->dumps;
    if (!t)
        return;
    for (size_t i = 0; i < t->count; i++)
        quantiles_free(&t->at[i].idle);
    id_table_free(&t->sites);
    id_table_free(&t->seen);
    free(t->at);
    free(t);
}
