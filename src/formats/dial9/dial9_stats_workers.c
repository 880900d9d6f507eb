/* dial9_stats_workers.c - what each worker did: polls, parks, and the time between. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

struct worker *dial9_stats_worker(struct dial9_stats *d, uint64_t id)
{
    if (id < 64 && d->worker_low[id])
        return &d->workers[d->worker_low[id] - 1];
    uint32_t found = id_table_find(&d->worker_ids, id);
    if (found != ID_TABLE_NONE)
        return &d->workers[found];
    /* Recorders write 255 for a thread that is no worker, 254 for the blocking pool. */
    if (id == 254 || id == 255 || id == RAS_NONE)
        return NULL;
    if (d->worker_count >= WORKERS_MOST) {
        d->workers_untold++;
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

struct site *dial9_stats_site(struct dial9_stats *d, uint32_t text)
{
    if (text < d->site_count)
        return &d->sites[text];
    if (text >= SITES_MOST) {
        d->sites_untold++;
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

void dial9_worst_add(struct dial9_stats *d, struct worst_list *list, const struct worst *one)
{
    if (one->length_ns < list->least)
        return;
    if (list->count == 2 * WORST_KEPT)
        dial9_worst_sort(list);
    if (!array_grow(&list->at, &list->room, list->count + 1, sizeof *list->at)) {
        stats_nomem(d);
        return;
    }
    list->at[list->count++] = *one;
}

/* ---- polls ------------------------------------------------------------------------ */

static void poll_begins(struct dial9_stats *d, struct worker *w, const struct fact *f)
{
    if (w->polling) { /* the end was lost with a segment: the poll is none */
        w->polls_unended++;
        dial9_stats_poll_ends(d, w, f->time_ns, false);
    }
    w->polling = true;
    w->poll_at = f->time_ns;
    w->poll_task = f->id;
    w->poll_text = f->ref;
    w->poll_on = w->poll_off = w->poll_spans = 0;
    w->poll_stack[0] = w->poll_stack[1] = NO_STACK;
    w->poll_delay = dial9_stats_poll_begins(d, f);
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
    stats_add(d->s, &w->polls, took);
    struct site *site = dial9_stats_site(d, w->poll_text);
    if (site)
        stats_add(d->s, &site->polls, took);
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
    stats_add(d->s, &w->actives, wall);
    if (f->id == RAS_NONE || w->active_cpu == RAS_NONE)
        return; /* nobody has said how long it had the CPU */
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
    stats_add(d->s, &w->parks, took);
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

/* A park that was going on when the trace ended lasted until then. */
void dial9_stats_end_workers(struct dial9_stats *d)
{
    for (size_t i = 0; i < d->worker_count; i++) {
        struct worker *w = &d->workers[i];
        park_ends(d, w, d->time_last);
        w->polls_unended += w->polling;
    }
}
