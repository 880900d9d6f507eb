/* atf_span_read.c - spans as records: each after the event that ended it.
 *
 * A mark cannot hold a stack, but the next span depends only on its top and on the events that
 * follow. After a jump only the top is restored. When that call ends, its events are read again
 * for the time inside it; the rest of the stack is replayed from the start of the thread once more
 * spans are requested. */
#include "formats/atf/atf_stack.h"

/* The event whose spans are being reported: RAS_NONE after the last one of the thread. */
static uint64_t span_event(const struct ras_cursor *c, struct ras_atf_index_event *event)
{
    struct atf_cursor *a = c->priv;
    struct atf_thread *t = atf_thread_of(c);
    if (a->stage == STAGE_OPEN_SPANS)
        return RAS_NONE;
    uint64_t seq = atf_place_of(a)->event - atf_left(c) - 1;
    *event = atf_event(atf_events(atf_session_of(c), t) + seq * RAS_ATF_INDEX_EVENT_SIZE);
    return seq;
}

/* Feed a stack with the events from `from` on, before `to`. False: memory is short. */
static bool replay(const struct ras_cursor *c, struct ras_atf_stack *stack, uint64_t from,
                   uint64_t to)
{
    const uint8_t *events = atf_events(atf_session_of(c), atf_thread_of(c));
    struct ras_atf_span span;
    int status = RAS_END;
    for (uint64_t i = from; i < to && status >= 0; i++) {
        struct ras_atf_index_event event = atf_event(events + i * RAS_ATF_INDEX_EVENT_SIZE);
        do
            status = ras_atf_stack_step(stack, &event, i, &span, NULL);
        while (status == RAS_OK);
    }
    return status >= 0;
}

static bool rebuild(const struct ras_cursor *c, struct atf_cursor *a)
{
    struct atf_place *place = atf_place_of(a);
    struct ras_atf_index_event event;
    struct ras_atf_span span;
    uint64_t last = span_event(c, &event);
    bool open = last == RAS_NONE;
    atf_stack_clear(place->stack);
    if (!replay(c, place->stack, 0, open ? atf_thread_of(c)->index.count : last))
        return false;
    for (uint64_t i = 0; i < place->reported; i++)
        if (ras_atf_stack_step(place->stack, open ? NULL : &event, last, &span, NULL) < 0)
            return false;
    a->stack_state = STACK_WHOLE;
    return true;
}

/* The time of a call that was open at the mark. What is inside it does not depend on the calls
 * around it. */
static bool read_again(const struct ras_cursor *c, struct atf_cursor *a, uint64_t call_seq,
                       struct atf_time *time)
{
    struct ras_atf_index_event event;
    struct ras_atf_span span = {.call_seq = RAS_NONE};
    uint64_t last = span_event(c, &event);
    bool open = last == RAS_NONE;
    int status = RAS_OK;
    if (!a->again)
        a->again = ras_atf_stack_new();
    if (!a->again)
        return false;
    atf_stack_clear(a->again);
    if (!replay(c, a->again, call_seq, open ? atf_thread_of(c)->index.count : last))
        return false;
    while (status == RAS_OK && span.call_seq != call_seq)
        status = ras_atf_stack_step(a->again, open ? NULL : &event, last, &span, NULL);
    *time = a->again->time;
    time->parent_seq = a->top.parent_seq;
    return status >= 0;
}

/* ---- one by one ---------------------------------------------------------------------- */

static enum step fill_span(struct ras_cursor *c, const struct ras_atf_span *span,
                           const struct atf_time *time)
{
    struct atf_thread *t = atf_thread_of(c);
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
    return !view->values || atf_put_span(&c->values, view, atf_process_of(c), span, time)
               ? STEP_RECORD
               : STEP_NOMEM;
}

static void give_spans(struct ras_cursor *, struct atf_cursor *, enum ras_atf_reason);

bool atf_read_span(struct ras_cursor *c, enum step *step)
{
    struct atf_cursor *a = c->priv;
    struct atf_place *place = atf_place_of(a);
    if (a->stage == STAGE_OPEN_SPANS && !place->stack)
        return false;
    if (!place->stack)
        place->stack = ras_atf_stack_new();
    *step = STEP_NOMEM;
    if (!place->stack || (a->stack_state == STACK_GONE && !rebuild(c, a)))
        return true;
    struct ras_atf_index_event event;
    struct ras_atf_span span;
    uint64_t seq = span_event(c, &event);
    int status =
        ras_atf_stack_step(place->stack, seq == RAS_NONE ? NULL : &event, seq, &span, NULL);
    if (status == RAS_END) {
        place->due = false;
        place->reported = 0;
        return false;
    }
    place->reported++;
    if (status < 0)
        return true;
    struct atf_time time = place->stack->time;
    if (a->stack_state == STACK_TOP && span.call_seq == a->top.call_seq) {
        a->stack_state = STACK_GONE;
        if (!read_again(c, a, span.call_seq, &time))
            return true;
    }
    *step = fill_span(c, &span, &time);
    give_spans(c, a, span.reason);
    return true;
}

struct atf_stack_top atf_save_top(const struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    const struct atf_place *place = atf_place_of(a);
    size_t count = 0;
    if (!place->stack)
        return (struct atf_stack_top){RAS_NONE, RAS_NONE, 0};
    if (a->stack_state == STACK_GONE && !rebuild(c, a))
        return (struct atf_stack_top){RAS_NONE - 1, RAS_NONE, 0}; /* no memory: rebuilt later */
    struct atf_stack_top top = atf_stack_top(place->stack);
    (void)atf_stack_frames(place->stack, &count);
    if (a->stack_state == STACK_TOP && count == 1)
        top.parent_seq = a->top.parent_seq;
    return top;
}

void atf_restore_top(struct ras_cursor *c, struct atf_stack_top top)
{
    struct atf_cursor *a = c->priv;
    struct atf_thread *t = atf_thread_of(c);
    struct atf_place *place = atf_place_of(a);
    bool open = top.call_seq < t->index.count;
    a->top = top;
    a->stack_state = open ? STACK_TOP : top.call_seq == RAS_NONE ? STACK_WHOLE : STACK_GONE;
    if (!place->stack)
        place->stack = ras_atf_stack_new();
    if (!place->stack)
        return; /* requested again, and refused, by atf_read_span() */
    struct ras_atf_index_event call;
    if (open)
        call =
            atf_event(atf_events(atf_session_of(c), t) + top.call_seq * RAS_ATF_INDEX_EVENT_SIZE);
    if (!atf_stack_restore(place->stack, open ? &call : NULL, top))
        a->stack_state = STACK_GONE;
}

/* ---- without their events ------------------------------------------------------------ */

bool atf_pass_to_span(struct ras_cursor *c, enum step *step)
{
    struct atf_place *place = atf_place_of(c->priv);
    while (!place->due || !atf_read_span(c, step)) {
        if (!atf_left(c))
            return false;
        c->in.at += RAS_ATF_INDEX_EVENT_SIZE;
        c->seq++; /* an event keeps its number */
        place->due = true;
    }
    return true;
}

static inline void set_uint(struct ras_value *v, unsigned field, unsigned bits, uint64_t u)
{
    *v = (struct ras_value){
        .kind = RAS_UINT, .bits = (uint8_t)bits, .field = (uint16_t)field, .u = u};
}

/* A call that has returned. Fields that are not requested go to an unused cell after the others. */
static void set_span(struct ras_cursor *c, const struct atf_cursor *a, const struct atf_frame *call,
                     const struct atf_time *time, uint64_t return_seq)
{
    static const char matched[] = "matched";
    struct ras_value *v = c->values.items;
    const uint8_t *cells = a->span_cells;
    uint64_t parent = time->parent_seq;
    set_uint(&v[cells[SPAN_F_START_NS]], SPAN_F_START_NS, 64, call->start_ns);
    set_uint(&v[cells[SPAN_F_END_NS]], SPAN_F_END_NS, 64, call->start_ns + time->took);
    set_uint(&v[cells[SPAN_F_DURATION_NS]], SPAN_F_DURATION_NS, 64, time->took);
    set_uint(&v[cells[SPAN_F_THREAD_ID]], SPAN_F_THREAD_ID, 32, call->thread_id);
    set_uint(&v[cells[SPAN_F_CALL_DEPTH]], SPAN_F_CALL_DEPTH, 32, call->depth);
    set_uint(&v[cells[SPAN_F_FUNCTION_ID]], SPAN_F_FUNCTION_ID, 64, call->function_id);
    set_uint(&v[cells[SPAN_F_CALL_SEQ]], SPAN_F_CALL_SEQ, 64, call->seq);
    set_uint(&v[cells[SPAN_F_RETURN_SEQ]], SPAN_F_RETURN_SEQ, 64, return_seq);
    set_uint(&v[cells[SPAN_F_SELF_NS]], SPAN_F_SELF_NS, 64, time->self);
    v[cells[SPAN_F_PARENT_CALL_SEQ]] =
        (struct ras_value){.kind = parent == RAS_NONE ? RAS_NULL : RAS_UINT,
                           .bits = 64,
                           .field = SPAN_F_PARENT_CALL_SEQ,
                           .u = parent == RAS_NONE ? 0 : parent};
    v[cells[SPAN_F_REASON]] = (struct ras_value){
        .kind = RAS_STR, .field = SPAN_F_REASON, .count = sizeof matched - 1, .at = matched};
    v[cells[SPAN_F_FUNCTION]].field = SPAN_F_FUNCTION;
    v[cells[SPAN_F_MODULE]].field = SPAN_F_MODULE;
    if (cells[SPAN_F_FUNCTION] < SPAN_FIELDS || cells[SPAN_F_MODULE] < SPAN_FIELDS)
        atf_rename_event(&v[cells[SPAN_F_FUNCTION]], &v[cells[SPAN_F_MODULE]], atf_process_of(c),
                         call->function_id);
}

/* The next span of the thread while its events are usual: most are. */
static int deliver_span(struct ras_cursor *c, const struct ras_record **record,
                        struct ras_error *err)
{
    struct atf_cursor *a = c->priv;
    struct atf_place *place = atf_place_of(a);
    const uint8_t *from = c->in.at, *p = from, *end = c->base + a->stop;
    const struct atf_frame *call = NULL;
    uint64_t seq = place->event - (uint64_t)(end - p) / RAS_ATF_INDEX_EVENT_SIZE;
    bool usual = true;
    while (p < end && !call && usual) {
        __builtin_prefetch(p + ATF_AHEAD, 0, 2);
        usual = atf_stack_usual(place->stack, p, seq, &call);
        p += usual ? RAS_ATF_INDEX_EVENT_SIZE : 0;
        seq += usual;
    }
    c->in.at = p;
    c->seq += (uint64_t)(p - from) / RAS_ATF_INDEX_EVENT_SIZE;
    if (!call) {
        c->deliver = cursor_deliver;
        return cursor_deliver(c, record, err);
    }
    uint64_t offset = a->stop - (place->event - call->seq) * RAS_ATF_INDEX_EVENT_SIZE;
    c->record.seq = c->requests_lost ? RAS_NONE : c->request_seq[ATF_SPAN]++;
    c->record.time_ns = call->start_ns;
    c->record.offset = offset;
    c->record.raw = c->base + offset;
    *record = &c->record;
    if (c->values.count)
        set_span(c, a, call, &place->stack->time, seq - 1);
    return RAS_OK;
}

/* After a span that was read on the slow path, which has filled the record and its cells. */
static void give_spans(struct ras_cursor *c, struct atf_cursor *a, enum ras_atf_reason reason)
{
    const struct view *view = cursor_view(c, ATF_SPAN);
    bool last = reason == RAS_ATF_MATCHED || reason == RAS_ATF_RAISED; /* that its event ended */
    if (!last || !a->pass || a->stage != STAGE_EVENTS || a->stack_state != STACK_WHOLE || c->live ||
        c->deliver != cursor_deliver || !cursor_takes_all(c, ATF_SPAN, c->record.stream) ||
        !(c->requests_lost || c->request_room > ATF_SPAN) || /* from the second span on */
        !cells_room(&c->values, SPAN_FIELDS + 1 - c->values.count))
        return;
    uint8_t count = 0;
    for (unsigned field = 0; field < SPAN_FIELDS; field++)
        a->span_cells[field] = (uint8_t)(view_has(view, field) ? count++ : SPAN_FIELDS);
    atf_place_of(a)->due = false;
    atf_place_of(a)->reported = 0;
    c->deliver = deliver_span;
}
