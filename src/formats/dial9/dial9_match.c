/* dial9_match.c - what workers, tasks and spans did: events matched.
 *
 * The scheduling delay of a poll is the time since the task was last woken, or, if that was
 * inside its last poll, since the end of that poll. Spans last from the first enter to the last
 * exit; enters and exits are paired by span id. */
#include "base/memory.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

struct site *dial9_new_site(struct dial9_stats *d, uint32_t text)
{
    if (text >= SITES_MOST) {
        d->sites_dropped++;
        return NULL;
    }
    if (!array_grow(&d->sites, &d->site_room, text + 1u, sizeof *d->sites)) {
        stats_nomem(d);
        return NULL;
    }
    while (d->site_count <= text)
        d->sites[d->site_count++] = (struct site){0};
    return &d->sites[text];
}

/* ---- the longest ---------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
    const struct worst *x = a, *y = b;
    if (x->length_ns != y->length_ns)
        return x->length_ns > y->length_ns ? -1 : 1;
    return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

void dial9_worst_sort(struct worst_list *list)
{
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_length);
    if (list->count > WORST_KEPT) {
        list->count = WORST_KEPT;
        list->least = list->at[WORST_KEPT - 1].length_ns;
    }
}

static void dial9_worst_add(struct dial9_stats *d, struct worst_list *list, const struct worst *one)
{
    if (one->length_ns < list->least || !d->s)
        return;
    if (list->count == 2 * WORST_KEPT)
        dial9_worst_sort(list);
    if (!array_grow(&list->at, &list->room, list->count + 1, sizeof *list->at)) {
        stats_nomem(d);
        return;
    }
    list->at[list->count++] = *one;
}

/* ---- tasks ----------------------------------------------------------------------- */

#define DELAY_MOST_NS UINT64_C(1000000000)

static struct task *task_find(struct dial9_stats *d, uint64_t id)
{
    uint32_t found = id_table_find(&d->task_ids, id);
    return found == ID_TABLE_NONE ? NULL : &d->tasks[found];
}

static void task_remove(struct dial9_stats *d, struct task *t)
{
    if (t->polls)
        dial9_task_cpu_add(d, t);
    id_table_remove(&d->task_ids, t->id);
    *t = (struct task){.next_free = d->task_free};
    d->task_free = (uint32_t)(t - d->tasks) + 1;
}

/* Make room: drop tasks without a known spawn whose last wake is too old for a poll. */
static void forget(struct dial9_stats *d, uint64_t now)
{
    for (size_t i = 0; i < d->task_count; i++) {
        struct task *t = &d->tasks[i];
        if (t->used && !t->spawned && !t->polled && t->seen_at + DELAY_MOST_NS < now)
            task_remove(d, t);
    }
}

/* The task, created when it is new; NULL: too many. */
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
        d->tasks_dropped++;
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
    d->tasks[at] = (struct task){
        .id = id, .used = true, .seen_at = now, .ended_at = RAS_NONE, .text = NO_TEXT};
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

/* A poll of the task begins: how long it waited, or RAS_NONE; and when it was woken. */
static uint64_t dial9_stats_poll_begins(struct dial9_stats *d, const struct fact *f,
                                        uint64_t *woken_ns)
{
    struct task *t = f->id ? task_get(d, f->id, f->time_ns) : NULL;
    *woken_ns = t && t->woken ? t->woken_at : RAS_NONE;
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
        dial9_figure(d, &d->first_delays, f->time_ns - t->spawned_at);
    return RAS_NONE;
}

static void keep_delay(struct dial9_stats *d, const struct worker *w)
{
    uint64_t delay = w->poll_delay;
    dial9_figure(d, &d->delays, delay);
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

/* A poll has ended: complete, or without an end. */
static void dial9_stats_poll_ends(struct dial9_stats *d, const struct worker *w, uint64_t end_ns,
                                  bool whole)
{
    struct task *t = w->poll_task ? task_find(d, w->poll_task) : NULL;
    uint64_t delay = RAS_NONE;
    if (whole && !w->poll_task) {
        d->polls_of_none++;
    } else if (whole && w->poll_delay == RAS_NONE) {
        d->polls_unwoken++;
    } else if (whole && !w->poll_delay) {
        d->delays_zero++;
    } else if (whole && w->poll_delay >= DELAY_MOST_NS) {
        d->delays_beyond++;
    } else if (whole) {
        delay = w->poll_delay;
        keep_delay(d, w);
    }
    dial9_found_poll(d, w, whole ? end_ns : RAS_NONE, delay);
    if (!t)
        return;
    if (whole && t->woken_inside && w->poll_at <= t->woken_at)
        t->wait_from = end_ns;
    if (whole) {
        t->polls++;
        t->busy_ns += end_ns - w->poll_at;
        t->ended_at = end_ns;
        t->poll_text = w->poll_text;
    }
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
            dial9_figure(d, &site->lifetimes, f->time_ns - t->spawned_at);
        d->tasks_alive -= d->tasks_alive > 0;
    }
    if (t && t->polled)
        t->terminated = true; /* its last poll is going on */
    else if (t)
        task_remove(d, t);
}

void dial9_stats_task_sampled(struct dial9_stats *d, uint64_t task, bool off)
{
    struct task *t = task ? task_find(d, task) : NULL;
    if (t)
        *(off ? &t->off : &t->on) += 1;
    else if (task) /* at the last moment of its last poll */
        dial9_task_cpu_add(
            d, &(struct task){.id = task, .on = !off, .off = off, .poll_text = NO_TEXT});
}

void dial9_stats_on_task(struct dial9_stats *d, const struct fact *f)
{
    if (f->kind == FACT_WAKE)
        woken(d, f);
    else if (f->kind == FACT_DUMP)
        dial9_dumps_on(d, f, task_find(d, f->id));
    else if (f->kind == FACT_SPAWN)
        spawned(d, f);
    else
        terminated(d, f);
}

/* ---- workers --------------------------------------------------------------------- */

struct worker *dial9_stats_worker(struct dial9_stats *d, uint64_t id)
{
    if (id < 64 && d->worker_low[id])
        return &d->workers[d->worker_low[id] - 1];
    uint32_t found = id_table_find(&d->worker_ids, id);
    if (found != ID_TABLE_NONE)
        return &d->workers[found];
    /* Recorders write 255 for a thread that is not a worker, 254 for the blocking pool. */
    if (id == 254 || id == 255 || id == RAS_NONE)
        return NULL;
    if (d->worker_count >= WORKERS_MOST) {
        d->workers_dropped++;
        return NULL;
    }
    if (!array_grow(&d->workers, &d->worker_room, d->worker_count + 1, sizeof *d->workers) ||
        !id_table_add(&d->worker_ids, id, (uint32_t)d->worker_count)) {
        stats_nomem(d);
        return NULL;
    }
    d->workers[d->worker_count++] = (struct worker){.id = id, .tid = RAS_NONE};
    if (id < 64)
        d->worker_low[id] = (uint16_t)d->worker_count;
    return &d->workers[d->worker_count - 1];
}

/* ---- polls ------------------------------------------------------------------------ */

static void poll_begins(struct dial9_stats *d, struct worker *w, const struct fact *f)
{
    if (w->polling) { /* the end was lost with a segment: the poll does not count */
        w->polls_unended++;
        dial9_stats_poll_ends(d, w, f->time_ns, false);
    }
    w->polling = true;
    w->poll_at = f->time_ns;
    w->poll_task = f->id;
    w->poll_text = f->ref;
    w->poll_on = w->poll_off = w->poll_spans = 0;
    w->poll_stack[0] = w->poll_stack[1] = NO_STACK;
    w->poll_queue = f->other;
    w->poll_event = dial9_event_of(f);
    w->poll_delay = dial9_stats_poll_begins(d, f, &w->poll_woken);
}

static void keep_poll(struct dial9_stats *d, const struct worker *w, uint64_t took)
{
    d->polls_over_1ms += took > 1000000;
    d->polls_over_10ms += took > 10000000;
    d->polls_over_50ms += took > 50000000;
    if (took > 1000000)
        dial9_worst_add(d, &d->long_polls,
                        &(struct worst){.length_ns = took,
                                        .time_ns = w->poll_at,
                                        .task = w->poll_task,
                                        .text = w->poll_text,
                                        .on = w->poll_on,
                                        .off = w->poll_off,
                                        .stack = {w->poll_stack[0], w->poll_stack[1]},
                                        .worker = (uint16_t)(w - d->workers)});
}

static void poll_ends(struct dial9_stats *d, struct worker *w, const struct fact *f)
{
    if (!w->polling || f->time_ns < w->poll_at) {
        w->ends_unbegun++;
        return;
    }
    uint64_t took = f->time_ns - w->poll_at;
    dial9_figure(d, &w->polls, took);
    struct site *site = dial9_stats_site(d, w->poll_text);
    if (site)
        dial9_figure(d, &site->polls, took);
    keep_poll(d, w, took);
    w->last_end = f->time_ns;
    w->last_on = w->poll_on > 0;
    w->last_off = w->poll_off > 0;
    w->last_any = true;
    d->polls_on += w->last_on;
    d->polls_off += w->last_off;
    d->polls_any += w->last_on || w->last_off;
    w->spans_most = w->spans_most > w->poll_spans ? w->spans_most : w->poll_spans;
    dial9_stats_poll_ends(d, w, f->time_ns, true);
    w->polling = false;
}

bool dial9_stats_in_poll(struct dial9_stats *d, struct worker *w, const struct fact *f)
{
    bool off = f->small != 0;
    if (w->polling && w->poll_at <= f->time_ns) {
        *(off ? &w->poll_off : &w->poll_on) += 1;
        return true;
    }
    if (!w->last_any || w->last_end != f->time_ns)
        return false;
    bool *had = off ? &w->last_off : &w->last_on;
    d->polls_any += !w->last_on && !w->last_off;
    *(off ? &d->polls_off : &d->polls_on) += !*had;
    *had = true;
    return true;
}

/* ---- parks and what lies between ---------------------------------------------------- */

static void active_ends(struct dial9_stats *d, struct worker *w, const struct fact *f)
{
    if (!w->active || f->time_ns < w->active_at)
        return;
    uint64_t wall = f->time_ns - w->active_at;
    w->active = false;
    dial9_figure(d, &w->actives, wall);
    if (f->id == RAS_NONE || w->active_cpu == RAS_NONE)
        return; /* its CPU time is not known */
    uint64_t cpu = f->id >= w->active_cpu ? f->id - w->active_cpu : 0;
    double ratio = !wall ? 1 : cpu >= wall ? 1 : (double)cpu / (double)wall;
    w->ratio_sum += ratio;
    w->ratio_count++;
    w->actives_long += wall > 1000000;
    w->actives_short_of_cpu += wall > 1000000 && ratio < 0.5;
}

static void park_ends(struct dial9_stats *d, struct worker *w, uint64_t time_ns)
{
    if (!w->parked || time_ns < w->park_at)
        return;
    uint64_t took = time_ns - w->park_at;
    w->parked = false;
    dial9_found_park(d, w, time_ns);
    dial9_figure(d, &w->parks, took);
    d->idle_with_work += took > 1000000 && d->queue_seen && d->queue_last > 0;
}

void dial9_stats_on_worker(struct dial9_stats *d, const struct fact *f)
{
    if (f->worker == NO_WORKER)
        return;
    struct worker *w = &d->workers[f->worker];
    switch (f->kind) {
    case FACT_POLL_START:
        poll_begins(d, w, f);
        break;
    case FACT_POLL_END:
        poll_ends(d, w, f);
        break;
    case FACT_PARK:
        active_ends(d, w, f);
        w->active = false;
        w->parked = true;
        w->park_at = f->time_ns;
        w->tid = f->other;
        break;
    default:
        park_ends(d, w, f->time_ns);
        w->parked = false;
        w->active = true;
        w->active_at = f->time_ns;
        w->active_cpu = f->id;
        w->tid = f->other;
    }
}

/* A park that was open when the trace ended lasted until then. */
void dial9_stats_end_workers(struct dial9_stats *d)
{
    for (size_t i = 0; i < d->worker_count; i++) {
        struct worker *w = &d->workers[i];
        park_ends(d, w, d->time_last);
        w->polls_unended += w->polling;
        if (w->polling)
            dial9_found_poll(d, w, RAS_NONE, RAS_NONE);
        w->polling = false;
    }
}

/* ---- spans ----------------------------------------------------------------------- */

enum { DEPTH_MOST = 1000000 };

struct span *dial9_stats_span(struct dial9_stats *d, uint64_t id)
{
    uint32_t found = id_table_find(&d->span_ids, id);
    return found == ID_TABLE_NONE ? NULL : &d->spans[found];
}

/* Parents are alive when their children begin, so that the depth is known immediately. */
static uint32_t depth_of(struct dial9_stats *d, const struct fact *f)
{
    if (f->other == RAS_NONE)
        return 0;
    const struct span *parent = f->other == f->id ? NULL : dial9_stats_span(d, f->other);
    if (!parent) {
        d->parents_unknown++;
        return 0;
    }
    return parent->depth < DEPTH_MOST ? parent->depth + 1 : parent->depth;
}

static struct span *span_new(struct dial9_stats *d, const struct fact *f)
{
    if (!d->span_free && d->span_count >= LIVE_MOST) {
        d->spans_dropped++;
        return NULL;
    }
    uint32_t depth = depth_of(d, f);
    size_t at = d->span_free ? d->span_free - 1 : d->span_count;
    if (!array_grow(&d->spans, &d->span_room, at + 1, sizeof *d->spans) ||
        !id_table_add(&d->span_ids, f->id, (uint32_t)at)) {
        stats_nomem(d);
        return NULL;
    }
    if (d->span_free)
        d->span_free = d->spans[at].next_free;
    else
        d->span_count++;
    d->spans_deepest = d->spans_deepest > depth ? d->spans_deepest : depth;
    d->spans[at] = (struct span){.id = f->id,
                                 .first = f->time_ns,
                                 .parent = f->other,
                                 .event = dial9_event_of(f),
                                 .text = f->ref,
                                 .depth = depth,
                                 .used = true};
    return &d->spans[at];
}

static void span_enter(struct dial9_stats *d, const struct fact *f)
{
    struct worker *w = f->worker == NO_WORKER ? NULL : &d->workers[f->worker];
    if (w && w->polling)
        w->poll_spans++;
    struct span *s = dial9_stats_span(d, f->id);
    if (s && s->open) {
        s->again++;
        d->enters_again++;
        return;
    }
    if (!s)
        s = span_new(d, f);
    if (!s)
        return;
    s->open = true;
    s->opened = f->time_ns;
    s->opened_event = dial9_event_of(f);
    s->worker = f->worker;
}

static void leave(struct dial9_stats *d, const struct fact *f)
{
    struct span *s = dial9_stats_span(d, f->id);
    if (!s || !s->open || f->time_ns < s->opened) {
        d->exits_unentered++;
        if (s)
            s->exits++;
        return;
    }
    uint64_t took = f->time_ns - s->opened;
    struct site *site = dial9_stats_site(d, s->text);
    if (site)
        dial9_figure(d, &site->segments, took);
    dial9_found_segment(d, s, f->time_ns);
    s->open = false;
    s->active_ns += took;
    s->segments++;
    s->exit_event = dial9_event_of(f);
    s->last = f->time_ns;
}

static void span_finish(struct dial9_stats *d, struct span *s, uint64_t close_ns)
{
    struct site *site = dial9_stats_site(d, s->text);
    d->spans_unexited += s->open;
    d->spans_counted++;
    if (s->open)
        dial9_found_segment(d, s, RAS_NONE);
    dial9_found_span(d, s, close_ns);
    if (s->segments && site) {
        dial9_figure(d, &site->spans, s->last - s->first);
        dial9_figure(d, &site->actives, s->active_ns);
    }
    id_table_remove(&d->span_ids, s->id);
    *s = (struct span){.next_free = d->span_free};
    d->span_free = (uint32_t)(s - d->spans) + 1;
}

static void span_whole(struct dial9_stats *d, const struct fact *f)
{
    struct site *site = f->other == RAS_NONE ? NULL : dial9_stats_site(d, f->ref);
    d->spans_unmeasured += f->other == RAS_NONE;
    if (f->other != RAS_NONE)
        dial9_found_whole(d, f);
    if (site) {
        d->spans_counted++;
        d->spans_whole++;
        dial9_figure(d, &site->spans, f->other);
        dial9_figure(d, &site->actives, f->other);
        dial9_figure(d, &site->segments, f->other);
    }
    dial9_span_note_free(d->book, f->id);
}

void dial9_stats_on_span(struct dial9_stats *d, const struct fact *f)
{
    if (f->kind == FACT_SPAN_WHOLE) {
        span_whole(d, f);
        return;
    }
    if (f->kind == FACT_SPAN_ENTER) {
        span_enter(d, f);
        return;
    }
    if (f->kind == FACT_SPAN_EXIT) {
        leave(d, f);
        return;
    }
    struct span *s = dial9_stats_span(d, f->id);
    if (s)
        span_finish(d, s, f->time_ns);
    else
        d->closes_unopened++;
}

void dial9_stats_end_span(struct dial9_stats *d, struct span *s)
{
    d->spans_unclosed += s->used;
    if (s->used)
        span_finish(d, s, RAS_NONE);
}

void dial9_stats_end_spans(struct dial9_stats *d)
{
    for (size_t i = 0; i < d->span_count; i++)
        dial9_stats_end_span(d, &d->spans[i]);
    for (size_t i = 0; i < dial9_spans_live(d); i++)
        dial9_spans_end(d, i);
}
