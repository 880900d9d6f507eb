/* dial9_stats_tasks.c - how long tasks wait for a worker, and how long they live.
 *
 * The scheduling delay of a poll is the time since the task was last woken, or, when that
 * was inside an earlier poll of it, since that poll ended; delays of a second and more are
 * no delays. So a task that nobody has spawned or woken within a second may be forgotten. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

#define DELAY_MOST_NS UINT64_C(1000000000)
enum { LEAK_AFTER = 10 };

static struct task *task_find(struct dial9_stats *d, uint64_t id)
{
    uint32_t found = id_table_find(&d->task_ids, id);
    return found == ID_TABLE_NONE ? NULL : &d->tasks[found];
}

static void task_remove(struct dial9_stats *d, struct task *t)
{
    id_table_remove(&d->task_ids, t->id);
    *t = (struct task){.next_free = d->task_free};
    d->task_free = (uint32_t)(t - d->tasks) + 1;
}

/* Make room: those without a known life whose last wake no poll can count from. */
static void forget(struct dial9_stats *d, uint64_t now)
{
    for (size_t i = 0; i < d->task_count; i++) {
        struct task *t = &d->tasks[i];
        if (t->used && !t->spawned && !t->polled && t->seen_at + DELAY_MOST_NS < now)
            task_remove(d, t);
    }
}

/* The task, made when it is new; NULL: there are too many. */
static struct task *task_get(struct dial9_stats *d, uint64_t id, uint64_t now)
{
    struct task *t = task_find(d, id);
    if (t) {
        t->seen_at = now;
        return t;
    }
    if (!d->task_free && d->task_count >= LIVE_MOST)
        forget(d, now);
    if (!d->task_free && d->task_count >= LIVE_MOST) {
        d->tasks_untold++;
        return NULL;
    }
    size_t at = d->task_free ? d->task_free - 1 : d->task_count;
    if (!array_grow(&d->tasks, &d->task_room, at + 1, sizeof *d->tasks) ||
        !id_table_add(&d->task_ids, id, (uint32_t)at)) {
        stats_nomem(d);
        return NULL;
    }
    if (d->task_free)
        d->task_free = d->tasks[at].next_free;
    else
        d->task_count++;
    d->tasks[at] = (struct task){.id = id, .used = true, .seen_at = now, .text = NO_TEXT};
    return &d->tasks[at];
}

/* ---- delays --------------------------------------------------------------------- */

static void woken(struct dial9_stats *d, const struct fact *f)
{
    struct task *t = f->id ? task_get(d, f->id, f->time_ns) : NULL;
    if (!t)
        return;
    t->woken = true;
    t->woken_inside = t->polled > 0;
    t->woken_at = t->wait_from = f->time_ns;
}

uint64_t dial9_stats_poll_begins(struct dial9_stats *d, const struct fact *f)
{
    struct task *t = f->id ? task_get(d, f->id, f->time_ns) : NULL;
    if (!t)
        return RAS_NONE;
    t->polled++;
    bool first = !t->polled_before;
    t->polled_before = true;
    if (t->woken && t->woken_inside)
        return 0; /* the poll that it was woken in has not ended, or ends later */
    if (t->woken)
        return f->time_ns >= t->wait_from ? f->time_ns - t->wait_from : 0;
    if (first && t->spawned && f->time_ns >= t->spawned_at)
        stats_add(d->s, &d->first_delays, f->time_ns - t->spawned_at);
    return RAS_NONE;
}

static void keep_delay(struct dial9_stats *d, const struct worker *w)
{
    uint64_t delay = w->poll_delay;
    stats_add(d->s, &d->delays, delay);
    d->delays_over_100us += delay > 100000;
    d->delays_over_1ms += delay > 1000000;
    d->delays_over_5ms += delay > 5000000;
    d->delays_over_50ms += delay > 50000000;
    if (delay > 1000000)
        dial9_worst_add(d, &d->long_delays,
                        &(struct worst){.length_ns = delay,
                                        .time_ns = w->poll_at,
                                        .task = w->poll_task,
                                        .text = w->poll_text,
                                        .worker = (uint16_t)(w - d->workers)});
}

void dial9_stats_poll_ends(struct dial9_stats *d, const struct worker *w, uint64_t end_ns,
                           bool whole)
{
    struct task *t = w->poll_task ? task_find(d, w->poll_task) : NULL;
    if (whole && !w->poll_task)
        d->polls_of_none++;
    else if (whole && w->poll_delay == RAS_NONE)
        d->polls_unwoken++;
    else if (whole && !w->poll_delay)
        d->delays_zero++;
    else if (whole && w->poll_delay >= DELAY_MOST_NS)
        d->delays_beyond++;
    else if (whole)
        keep_delay(d, w);
    if (!t)
        return;
    if (whole && t->woken_inside && w->poll_at <= t->woken_at)
        t->wait_from = end_ns;
    t->polled -= t->polled > 0;
    t->woken_inside = t->woken_inside && t->polled;
    t->seen_at = end_ns;
    if (t->terminated && !t->polled)
        task_remove(d, t);
}

/* ---- lives ----------------------------------------------------------------------- */

static void counted(struct dial9_stats *d)
{
    d->tasks_counted_most =
        d->tasks_counted_most > d->tasks_counted ? d->tasks_counted_most : d->tasks_counted;
    if (!d->tasks_changes)
        d->tasks_first = d->tasks_counted;
    d->tasks_changes++;
}

static void spawned(struct dial9_stats *d, const struct fact *f)
{
    struct site *site = dial9_stats_site(d, f->ref);
    if (site)
        site->spawned++;
    d->tasks_counted++;
    counted(d);
    struct task *t = task_get(d, f->id, f->time_ns);
    if (!t)
        return;
    d->tasks_alive += !t->spawned;
    d->tasks_alive_most =
        d->tasks_alive_most > d->tasks_alive ? d->tasks_alive_most : d->tasks_alive;
    t->spawned = true;
    t->spawned_at = f->time_ns;
    t->text = f->ref;
}

static void terminated(struct dial9_stats *d, const struct fact *f)
{
    d->tasks_counted -= d->tasks_counted > 0;
    counted(d);
    struct task *t = task_find(d, f->id);
    if (!t || !t->spawned) {
        d->tasks_unspawned++; /* before the trace began */
    } else {
        struct site *site = dial9_stats_site(d, t->text);
        if (site)
            site->terminated++;
        if (site && f->time_ns >= t->spawned_at)
            stats_add(d->s, &site->lifetimes, f->time_ns - t->spawned_at);
        d->tasks_alive -= d->tasks_alive > 0;
    }
    if (t && t->polled)
        t->terminated = true; /* its last poll is going on */
    else if (t)
        task_remove(d, t);
}

void dial9_stats_on_task(struct dial9_stats *d, const struct fact *f)
{
    if (f->kind == FACT_WAKE)
        woken(d, f);
    else if (f->kind == FACT_SPAWN)
        spawned(d, f);
    else
        terminated(d, f);
}
