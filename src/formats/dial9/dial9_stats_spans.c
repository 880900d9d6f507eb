/* dial9_stats_spans.c - spans: from the first enter to the last exit, and the time inside.
 *
 * Enters and exits are paired by span id. An enter while the span is open is ignored; a
 * close ends the id, which recorders use again. A span that is one event is whole. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

enum { DEPTH_MOST = 1000000 };

static struct span *span_find(struct dial9_stats *d, uint64_t id)
{
    uint32_t found = id_table_find(&d->span_ids, id);
    return found == ID_TABLE_NONE ? NULL : &d->spans[found];
}

/* Parents live while their children begin, so that a depth is known at once. */
static uint32_t depth_of(struct dial9_stats *d, const struct fact *f)
{
    if (f->other == RAS_NONE)
        return 0;
    const struct span *parent = f->other == f->id ? NULL : span_find(d, f->other);
    if (!parent) {
        d->parents_unknown++;
        return 0;
    }
    return parent->depth < DEPTH_MOST ? parent->depth + 1 : parent->depth;
}

static struct span *span_new(struct dial9_stats *d, const struct fact *f)
{
    if (!d->span_free && d->span_count >= LIVE_MOST) {
        d->spans_untold++;
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
    d->spans[at] = (struct span){
        .id = f->id, .first = f->time_ns, .text = f->ref, .depth = depth, .used = true};
    return &d->spans[at];
}

static void enter(struct dial9_stats *d, const struct fact *f)
{
    struct worker *w = f->worker == NO_WORKER ? NULL : &d->workers[f->worker];
    if (w && w->polling)
        w->poll_spans++;
    struct span *s = span_find(d, f->id);
    if (s && s->open) {
        d->enters_again++;
        return;
    }
    if (!s)
        s = span_new(d, f);
    if (!s)
        return;
    s->open = true;
    s->opened = f->time_ns;
}

static void leave(struct dial9_stats *d, const struct fact *f)
{
    struct span *s = span_find(d, f->id);
    if (!s || !s->open || f->time_ns < s->opened) {
        d->exits_unentered++;
        return;
    }
    uint64_t took = f->time_ns - s->opened;
    struct site *site = dial9_stats_site(d, s->text);
    if (site)
        stats_add(d->s, &site->segments, took);
    s->open = false;
    s->active_ns += took;
    s->segments++;
    s->last = f->time_ns;
}

static void finish(struct dial9_stats *d, struct span *s)
{
    struct site *site = dial9_stats_site(d, s->text);
    d->spans_unexited += s->open;
    d->spans_told++;
    if (s->segments && site) {
        stats_add(d->s, &site->spans, s->last - s->first);
        stats_add(d->s, &site->actives, s->active_ns);
    }
    id_table_remove(&d->span_ids, s->id);
    *s = (struct span){.next_free = d->span_free};
    d->span_free = (uint32_t)(s - d->spans) + 1;
}

static void whole(struct dial9_stats *d, const struct fact *f)
{
    struct site *site = f->other == RAS_NONE ? NULL : dial9_stats_site(d, f->ref);
    d->spans_unmeasured += f->other == RAS_NONE;
    if (!site)
        return;
    d->spans_told++;
    d->spans_whole++;
    stats_add(d->s, &site->spans, f->other);
    stats_add(d->s, &site->actives, f->other);
    stats_add(d->s, &site->segments, f->other);
}

void dial9_stats_on_span(struct dial9_stats *d, const struct fact *f)
{
    if (f->kind == FACT_SPAN_WHOLE) {
        whole(d, f);
        return;
    }
    if (f->kind == FACT_SPAN_ENTER) {
        enter(d, f);
        return;
    }
    if (f->kind == FACT_SPAN_EXIT) {
        leave(d, f);
        return;
    }
    struct span *s = span_find(d, f->id);
    if (s)
        finish(d, s);
    else
        d->closes_unopened++;
}

void dial9_stats_end_spans(struct dial9_stats *d)
{
    for (size_t i = 0; i < d->span_count; i++)
        if (d->spans[i].used) {
            d->spans_unclosed++;
            finish(d, &d->spans[i]);
        }
}
