/* atf_calls.c - spans as records: what the shadow stack tells after each event.
 *
 * A mark cannot hold a stack, but the next span depends only on its top and on the
 * events that follow. After a jump the top alone is restored; the rest is replayed
 * from the start of the thread once that span was told and more are wanted. */
#include "formats/atf/atf_driver.h"

/* Replay the thread up to where the walk stands. */
static bool rebuild(struct ras_cursor *c, struct atf_cursor *a)
{
    const struct atf_thread *t = atf_thread_of(c);
    struct atf_place *place = atf_place_of(a);
    const uint8_t *events = atf_events(atf_session_of(c), t);
    bool open = a->stage == STAGE_OPEN_SPANS;
    uint64_t last = open ? t->index.count : place->event - atf_left(c) - 1;
    struct ras_atf_span span;
    struct ras_atf_index_event event;
    int status = RAS_OK;
    atf_stack_clear(place->stack);
    for (uint64_t i = 0; i < last; i++) {
        event = atf_event(events + i * RAS_ATF_INDEX_EVENT_SIZE);
        do
            status = ras_atf_stack_step(place->stack, &event, i, &span, NULL);
        while (status == RAS_OK);
        if (status < 0)
            return false;
    }
    if (!open)
        event = atf_event(events + last * RAS_ATF_INDEX_EVENT_SIZE);
    for (uint64_t i = 0; i < place->told; i++)
        if (ras_atf_stack_step(place->stack, open ? NULL : &event, last, &span, NULL) < 0)
            return false;
    a->stale = false;
    return true;
}

static enum step fill_span(struct ras_cursor *c, const struct ras_atf_span *span)
{
    const struct atf_thread *t = atf_thread_of(c);
    bool start = span->call_seq != RAS_NONE;
    uint64_t seq = start ? span->call_seq : span->return_seq;
    uint64_t offset = t->index.at + seq * RAS_ATF_INDEX_EVENT_SIZE;
    size_t part = (size_t)t->index_file.part;
    c->record = (struct ras_record){.time_ns = start ? span->start_ns : span->end_ns,
                                    .flags = RAS_HAS_TIME,
                                    .parent = RAS_NONE,
                                    .offset = offset,
                                    .raw = source_bytes(c->trace->source, part).at + offset,
                                    .raw_len = RAS_ATF_INDEX_EVENT_SIZE,
                                    .part = (uint32_t)part,
                                    .schema = ATF_SPAN,
                                    .stream = t->stream};
    const struct view *view = cursor_view(c, ATF_SPAN);
    return !view->values || atf_put_span(&c->values, view, atf_process_of(c), span) ? STEP_RECORD
                                                                                    : STEP_NOMEM;
}

bool atf_read_span(struct ras_cursor *c, enum step *step)
{
    struct atf_cursor *a = c->priv;
    struct atf_place *place = atf_place_of(a);
    bool open = a->stage == STAGE_OPEN_SPANS;
    if (open && !place->stack)
        return false;
    if (!place->stack)
        place->stack = ras_atf_stack_new();
    *step = STEP_NOMEM;
    if (!place->stack)
        return true;
    struct ras_atf_index_event event;
    struct ras_atf_span span;
    if (!open)
        event = atf_event(c->in.at - RAS_ATF_INDEX_EVENT_SIZE);
    int status = ras_atf_stack_step(place->stack, open ? NULL : &event,
                                    place->event - atf_left(c) - 1, &span, NULL);
    if (status == RAS_END) {
        place->due = false;
        place->told = 0;
        return false;
    }
    place->told++;
    if (status == RAS_OK && (!a->stale || rebuild(c, a)))
        *step = fill_span(c, &span);
    return true;
}

void atf_restore_top(struct ras_cursor *c, struct atf_stack_top top)
{
    struct atf_cursor *a = c->priv;
    const struct atf_thread *t = atf_thread_of(c);
    struct atf_place *place = atf_place_of(a);
    a->stale = true;
    if (!place->stack)
        place->stack = ras_atf_stack_new();
    if (!place->stack)
        return; /* asked for again, and refused, by atf_read_span() */
    struct ras_atf_index_event call;
    bool open = top.call_seq < t->index.count;
    if (open)
        call =
            atf_event(atf_events(atf_session_of(c), t) + top.call_seq * RAS_ATF_INDEX_EVENT_SIZE);
    atf_stack_restore(place->stack, open ? &call : NULL, top);
}
