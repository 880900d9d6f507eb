/* dial9_task_cpu.c - what each task cost: polls, time in them, and samples of the profiler.
 *
 * The CPU time of a task is not recorded; samples on the CPU in its polls are in proportion to it.
 * Tasks are counted where they live, and come here when they are forgotten. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

enum { TASKS_LISTED = 10000 };

struct task_row {
    uint64_t id, polls, busy_ns, on, off;
    uint32_t text;
};

struct task_cpu {
    struct id_table ids;
    struct task_row *rows;
    size_t count, room;
    uint64_t dropped; /* tasks beyond LIVE_MOST */
    uint64_t on;      /* samples of all */
};

bool dial9_task_cpu_want(struct dial9_stats *d)
{
    if (!dial9_stats_wants(d, "task_cpu"))
        return true;
    d->task_cpu = calloc(1, sizeof *d->task_cpu);
    return d->task_cpu;
}

static struct task_row *task_row(struct dial9_stats *d, uint64_t id)
{
    struct task_cpu *c = d->task_cpu;
    uint32_t found = id_table_find(&c->ids, id);
    if (found != ID_TABLE_NONE)
        return &c->rows[found];
    if (c->count >= LIVE_MOST) {
        c->dropped++;
        return NULL;
    }
    if (!array_grow(&c->rows, &c->room, c->count + 1, sizeof *c->rows) ||
        !id_table_add(&c->ids, id, (uint32_t)c->count)) {
        stats_nomem(d);
        return NULL;
    }
    c->rows[c->count] = (struct task_row){.id = id, .text = NO_TEXT};
    return &c->rows[c->count++];
}

void dial9_task_cpu_add(struct dial9_stats *d, const struct task *t)
{
    struct task_row *row = d->task_cpu ? task_row(d, t->id) : NULL;
    if (!row)
        return;
    row->polls += t->polls;
    row->busy_ns += t->busy_ns;
    row->on += t->on;
    row->off += t->off;
    row->text = t->poll_text != NO_TEXT ? t->poll_text : row->text;
    d->task_cpu->on += t->on;
}

void dial9_task_cpu_end(struct dial9_stats *d)
{
    for (size_t i = 0; i < d->task_count; i++)
        if (d->tasks[i].used && (d->tasks[i].polls || d->tasks[i].on || d->tasks[i].off))
            dial9_task_cpu_add(d, &d->tasks[i]);
}

/* ---- the table -------------------------------------------------------------------------- */

static int by_cost(const void *a, const void *b, void *context)
{
    const struct task_row *x = a, *y = b;
    (void)context;
    if (x->on != y->on)
        return x->on > y->on ? -1 : 1;
    if (x->busy_ns != y->busy_ns)
        return x->busy_ns > y->busy_ns ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void put_spawn(struct stats *s, void *row, void *user)
{
    (void)s;
    dial9_stats_put_text(user, ((const struct task_row *)row)->text);
}

static void put_share(struct stats *s, void *row, void *user)
{
    const struct dial9_stats *d = user;
    if (d->task_cpu->on)
        document_f64(&s->doc,
                     100 * (double)((const struct task_row *)row)->on / (double)d->task_cpu->on);
    else
        document_null(&s->doc);
}

void dial9_stats_put_task_cpu(struct dial9_stats *d)
{
    static const struct stats_column columns[] = {
        {"task", STATS_U64, offsetof(struct task_row, id)},
        {"spawn_loc", .put = put_spawn},
        {"polls", STATS_U64, offsetof(struct task_row, polls)},
        {"busy_ns", STATS_U64, offsetof(struct task_row, busy_ns)},
        {"on_cpu_samples", STATS_U64, offsetof(struct task_row, on)},
        {"off_cpu_samples", STATS_U64, offsetof(struct task_row, off)},
        {"share_percent", .put = put_share},
        {0}};
    struct task_cpu *c = d->task_cpu;
    char more[80] = "";
    stats_columns(d->s, "task_cpu", columns, d);
    size_t count = c ? c->count : 0, listed = count < TASKS_LISTED ? count : TASKS_LISTED;
    if (count)
        sort_with(c->rows, count, sizeof *c->rows, by_cost, NULL);
    for (size_t i = 0; i < listed; i++)
        stats_put(d->s, &c->rows[i]);
    if (c && c->dropped)
        snprintf(more, sizeof more, "; tasks beyond 1,048,576 are left out");
    stats_table_end(d->s,
                    "%zu of %s that were polled, those with the most samples on the CPU first; "
                    "shares are of such samples; busy is the time in polls, on the CPU or not%s",
                    listed, ras_counted(count, "task").text, more);
}

void dial9_task_cpu_free(struct dial9_stats *d)
{
    if (!d->task_cpu)
        return;
    id_table_free(&d->task_cpu->ids);
    free(d->task_cpu->rows);
    free(d->task_cpu);
}
