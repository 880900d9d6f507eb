/* dial9_found.c - what the matcher found, as rows for whoever takes them. */
#include "formats/dial9/dial9_stats.h"

void dial9_found_poll(struct dial9_stats *d, const struct worker *w, uint64_t end_ns,
                      uint64_t delay_ns)
{
    if (!d->take)
        return;
    bool unended = end_ns == RAS_NONE;
    d->take(d->taker, &(struct derived_row){.start = w->poll_at,
                                            .end = end_ns,
                                            .duration = unended ? RAS_NONE : end_ns - w->poll_at,
                                            .id = w->poll_task,
                                            .worker = w->id,
                                            .woken = w->poll_woken,
                                            .delay = delay_ns,
                                            .queue = w->poll_queue,
                                            .event = w->poll_event,
                                            .text = w->poll_text,
                                            .worker_index = (uint16_t)(w - d->workers),
                                            .kind = DERIVED_POLL,
                                            .has_id = true,
                                            .unended = unended});
}

void dial9_found_park(struct dial9_stats *d, const struct worker *w, uint64_t end_ns)
{
    if (!d->take)
        return;
    bool unended = end_ns == RAS_NONE;
    d->take(d->taker, &(struct derived_row){.start = w->park_at,
                                            .end = end_ns,
                                            .duration = unended ? RAS_NONE : end_ns - w->park_at,
                                            .worker = w->id,
                                            .text = NO_TEXT,
                                            .worker_index = (uint16_t)(w - d->workers),
                                            .kind = DERIVED_PARK,
                                            .unended = unended});
}

static uint64_t found_worker(const struct dial9_stats *d, uint16_t worker)
{
    return worker == NO_WORKER ? RAS_NONE : d->workers[worker].id;
}

void dial9_found_segment(struct dial9_stats *d, const struct span *s, uint64_t end_ns)
{
    if (!d->take)
        return;
    bool unended = end_ns == RAS_NONE;
    d->take(d->taker, &(struct derived_row){.start = s->opened,
                                            .end = end_ns,
                                            .duration = unended ? RAS_NONE : end_ns - s->opened,
                                            .id = s->id,
                                            .parent = s->parent,
                                            .worker = found_worker(d, s->worker),
                                            .event = s->opened_event,
                                            .text = s->text,
                                            .worker_index = s->worker,
                                            .kind = DERIVED_SEGMENT,
                                            .has_id = true,
                                            .unended = unended,
                                            .more = {.thread = RAS_NONE}});
}

void dial9_found_span(struct dial9_stats *d, const struct span *s, uint64_t close_ns)
{
    struct derived_row row = {.start = s->first,
                              .end = s->segments ? s->last : RAS_NONE,
                              .duration = s->segments ? s->last - s->first : RAS_NONE,
                              .id = s->id,
                              .parent = s->parent,
                              .active = s->active_ns,
                              .event = s->event,
                              .text = s->text,
                              .segments = s->segments,
                              .worker_index = NO_WORKER,
                              .kind = DERIVED_SPAN,
                              .has_id = true,
                              .unended = s->open,
                              .more = {.first_enter = s->first,
                                       .close = close_ns,
                                       .wall = s->active_ns,
                                       .thread_ns = s->active_ns,
                                       .line = RAS_NONE,
                                       .task = RAS_NONE,
                                       .thread = RAS_NONE,
                                       .unbalanced_enters = s->open + s->again,
                                       .unbalanced_exits = s->exits,
                                       .attributes = RAS_NONE,
                                       .last_event = s->exit_event,
                                       .target = NO_TEXT,
                                       .file = NO_TEXT,
                                       .kind = NO_TEXT,
                                       .flags = SPAN_LACKS_ALL,
                                       .dialect = SPAN_LEGACY,
                                       .identity = IDENTITY_LEGACY}};
    dial9_span_count(d, &row);
    if (d->take)
        d->take(d->taker, &row);
}

void dial9_found_whole(struct dial9_stats *d, const struct fact *f)
{
    const struct span_note *note = dial9_span_note(d->book, f->id);
    uint64_t start = note ? note->start : f->time_ns > f->other ? f->time_ns - f->other : 0;
    struct derived_row row = {.start = start,
                              .end = start + f->other,
                              .duration = f->other,
                              .parent = RAS_NONE,
                              .worker = found_worker(d, f->worker),
                              .active = f->other,
                              .event = dial9_event_of(f),
                              .text = f->ref,
                              .segments = 1,
                              .worker_index = f->worker,
                              .kind = DERIVED_SEGMENT,
                              .whole = true,
                              .more = {.first_enter = RAS_NONE,
                                       .close = RAS_NONE,
                                       .wall = f->other,
                                       .thread_ns = f->other,
                                       .line = RAS_NONE,
                                       .task = note ? note->task : RAS_NONE,
                                       .thread = note ? note->thread : RAS_NONE,
                                       .attributes = RAS_NONE,
                                       .target = NO_TEXT,
                                       .file = NO_TEXT,
                                       .kind = note ? note->kind : NO_TEXT,
                                       .flags = SPAN_LACKS_ALL,
                                       .dialect = SPAN_SINGLE,
                                       .identity = IDENTITY_FLAT}};
    if (d->take)
        d->take(d->taker, &row);
    row.kind = DERIVED_SPAN;
    dial9_span_count(d, &row);
    if (d->take)
        d->take(d->taker, &row);
}
