/* dial9_span_lanes.c - the spans that are entered on each worker, the innermost last.
 *
 * A sample belongs to the innermost one. Exits name a span, not a worker: a span that is left is
 * found by its id; one that is left out of order stays in its lane until those above it are left,
 * without a meaning. */
#include "base/memory.h"
#include "formats/dial9/dial9_profile.h"

#include <stdlib.h>

struct entered_span {
    uint64_t id;
    uint32_t text;
    uint32_t below; /* 1 + the one under it in its lane; of a free one, the next free one */
    uint16_t lane;
    bool left;
};

struct span_lanes {
    uint32_t *tops; /* by worker: 1 + its innermost span */
    size_t top_room;
    struct entered_span *spans;
    size_t count, room;
    uint32_t free;
    struct id_table ids; /* of those that are not left */
};

static struct span_lanes *lanes_of(struct dial9_stats *d, uint16_t lane)
{
    if (!d->lanes)
        d->lanes = calloc(1, sizeof *d->lanes);
    struct span_lanes *l = d->lanes;
    size_t had = l ? l->top_room : 0;
    if (!l || !array_grow(&l->tops, &l->top_room, lane + 1u, sizeof *l->tops)) {
        stats_nomem(d);
        return NULL;
    }
    if (l->top_room > had)
        memset(l->tops + had, 0, (l->top_room - had) * sizeof *l->tops);
    return l;
}

/* Modern spans have the thread, legacy ones the worker. */
static uint16_t lane_of(struct dial9_stats *d, const struct fact *f)
{
    if (f->worker != NO_WORKER || f->small != SPAN_MODERN)
        return f->worker;
    const struct worker *w = dial9_worker_on(d, f->other);
    return w ? (uint16_t)(w - d->workers) : NO_WORKER;
}

static void worker_enter(struct dial9_stats *d, const struct fact *f)
{
    uint16_t lane = lane_of(d, f);
    struct span_lanes *l = lane == NO_WORKER ? NULL : lanes_of(d, lane);
    if (!l || id_table_find(&l->ids, f->id) != ID_TABLE_NONE || (!l->free && l->count >= LIVE_MOST))
        return;
    uint32_t at = l->free ? l->free - 1 : (uint32_t)l->count;
    if (!array_grow(&l->spans, &l->room, at + 1u, sizeof *l->spans) ||
        !id_table_add(&l->ids, f->id, at)) {
        stats_nomem(d);
        return;
    }
    if (l->free)
        l->free = l->spans[at].below;
    else
        l->count++;
    l->spans[at] =
        (struct entered_span){.id = f->id, .text = f->ref, .below = l->tops[lane], .lane = lane};
    l->tops[lane] = at + 1;
}

static void worker_exit(struct dial9_stats *d, uint64_t id)
{
    struct span_lanes *l = d->lanes;
    uint32_t at = l ? id_table_find(&l->ids, id) : ID_TABLE_NONE;
    if (at == ID_TABLE_NONE)
        return;
    id_table_remove(&l->ids, id);
    l->spans[at].left = true;
    uint32_t *top = &l->tops[l->spans[at].lane];
    while (*top && l->spans[*top - 1].left) {
        uint32_t gone = *top;
        *top = l->spans[gone - 1].below;
        l->spans[gone - 1].below = l->free;
        l->free = gone;
    }
}

void dial9_lanes_span(struct dial9_stats *d, const struct fact *f)
{
    if (f->kind == FACT_SPAN_ENTER)
        worker_enter(d, f);
    else if (f->kind != FACT_SPAN_WHOLE)
        worker_exit(d, f->id);
}

uint32_t dial9_lanes_top(const struct dial9_stats *d, uint16_t worker)
{
    const struct span_lanes *l = d->lanes;
    uint32_t top = l && worker < l->top_room ? l->tops[worker] : 0;
    return top ? l->spans[top - 1].text : NO_TEXT;
}

void dial9_lanes_free(struct dial9_stats *d)
{
    if (!d->lanes)
        return;
    free(d->lanes->tops);
    free(d->lanes->spans);
    id_table_free(&d->lanes->ids);
    free(d->lanes);
}
