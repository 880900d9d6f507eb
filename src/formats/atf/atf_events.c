/* atf_events.c - index events as records, as fast as they can be read. */
#include "formats/atf/atf_driver.h"

#include <stdlib.h>

/* Every field has its cell. */
static const uint8_t every_cell[EVENT_FIELDS] = {
    [EVENT_F_TIMESTAMP_NS] = EVENT_F_TIMESTAMP_NS, [EVENT_F_FUNCTION_ID] = EVENT_F_FUNCTION_ID,
    [EVENT_F_THREAD_ID] = EVENT_F_THREAD_ID,       [EVENT_F_KIND] = EVENT_F_KIND,
    [EVENT_F_CALL_DEPTH] = EVENT_F_CALL_DEPTH,     [EVENT_F_DETAIL_SEQ] = EVENT_F_DETAIL_SEQ,
    [EVENT_F_FUNCTION] = EVENT_F_FUNCTION,         [EVENT_F_MODULE] = EVENT_F_MODULE,
};

/* What an event needs beyond its header: the arguments are constants, so the compiler removes
 * unused parts. */
struct wish {
    bool values, names;
    const uint8_t *cells; /* where each field goes */
};

static inline void set_event(struct ras_cursor *c, const uint8_t *p, uint64_t offset,
                             struct wish wish)
{
    const uint8_t *cells = wish.cells;
    uint64_t time = load_u64(p + EVENT_TIMESTAMP);
    __builtin_prefetch(p + ATF_AHEAD, 0, 2); /* not so near that it displaces data in use */
    c->in.at = p + RAS_ATF_INDEX_EVENT_SIZE;
    c->record.time_ns = time;
    c->record.offset = offset;
    c->record.raw = p;
    if (!wish.values)
        return;
    struct ras_value *v = c->values.items;
    uint64_t function_id = load_u64(p + EVENT_FUNCTION_ID);
    uint32_t detail_seq = load_u32(p + EVENT_DETAIL_SEQ);
    struct ras_value *link = &v[cells[EVENT_F_DETAIL_SEQ]];
    v[cells[EVENT_F_TIMESTAMP_NS]].u = time;
    v[cells[EVENT_F_FUNCTION_ID]].u = function_id;
    v[cells[EVENT_F_THREAD_ID]].u = load_u32(p + EVENT_THREAD_ID);
    v[cells[EVENT_F_KIND]].u = load_u32(p + EVENT_KIND);
    v[cells[EVENT_F_CALL_DEPTH]].u = load_u32(p + EVENT_CALL_DEPTH);
    if (detail_seq != RAS_ATF_NO_DETAIL) {
        link->kind = RAS_UINT;
        link->u = detail_seq;
    } else if (link->kind != RAS_NULL) { /* mostly it is null and stays so */
        link->kind = RAS_NULL;
        link->u = 0;
    }
    if (wish.names)
        atf_rename_event(&v[cells[EVENT_F_FUNCTION]], &v[cells[EVENT_F_MODULE]], atf_process_of(c),
                         function_id);
}

static inline int give(struct ras_cursor *c, const struct ras_record **record, struct wish wish,
                       struct ras_error *err)
{
    const struct atf_cursor *a = c->priv;
    const uint8_t *p = c->in.at;
    uint64_t offset = (uint64_t)(p - c->base);
    if (offset >= a->stop) {
        c->deliver = cursor_deliver;
        return cursor_deliver(c, record, err);
    }
    c->record.seq = c->seq++;
    *record = &c->record;
    set_event(c, p, offset, wish);
    return RAS_OK;
}

static int deliver_event(struct ras_cursor *c, const struct ras_record **record,
                         struct ras_error *err)
{
    const struct atf_cursor *a = c->priv;
    return give(c, record, (struct wish){a->values, a->names, every_cell}, err);
}

static int deliver_nameless(struct ras_cursor *c, const struct ras_record **record,
                            struct ras_error *err)
{
    return give(c, record, (struct wish){true, false, every_cell}, err);
}

/* Some fields alone, or one type of record alone. */
static int deliver_picked(struct ras_cursor *c, const struct ras_record **record,
                          struct ras_error *err)
{
    const struct atf_cursor *a = c->priv;
    return give(c, record, (struct wish){true, a->names, a->cells}, err);
}

static enum step next_event(struct ras_cursor *c, const struct atf_cursor *a, const uint8_t *p)
{
    set_event(c, p, (uint64_t)(p - c->base), (struct wish){a->values, a->names, a->cells});
    c->values.count = a->value_count;
    if (c->deliver == cursor_deliver && !c->live && !a->order) { /* from the second event on */
        if (c->plain)
            c->deliver = a->values && !a->names ? deliver_nameless : deliver_event;
        else if (cursor_takes_all(c, ATF_EVENT, c->record.stream))
            c->deliver = a->values ? deliver_picked : deliver_event;
    }
    return STEP_RECORD;
}

static void fill_event_record(struct ras_cursor *c, uint32_t schema)
{
    c->record = (struct ras_record){.flags = RAS_HAS_TIME,
                                    .parent = RAS_NONE,
                                    .raw_len = RAS_ATF_INDEX_EVENT_SIZE,
                                    .part = c->part,
                                    .schema = (uint16_t)schema,
                                    .stream = atf_thread_of(c)->stream};
}

/* The template of each event. Fields that are not requested go to an unused cell after the
 * others. */
static bool lay_out(struct ras_cursor *c, struct atf_cursor *a)
{
    static const struct ras_atf_index_event none = {.detail_seq = 0};
    const struct view *view = cursor_view(c, ATF_EVENT);
    const struct atf_manifest *m = &atf_process_of(c)->manifest;
    fill_event_record(c, ATF_EVENT);
    a->values = view->values;
    a->slow = a->spans || a->join || a->source;
    a->names = (m->out.symbol_count || m->out.module_count) &&
               (view_has(view, EVENT_F_FUNCTION) || view_has(view, EVENT_F_MODULE));
    a->value_count = 0;
    c->values.count = 0;
    if (!a->values)
        return true;
    for (unsigned field = 0; field < EVENT_FIELDS; field++)
        a->cells[field] = (uint8_t)(view_has(view, field) ? a->value_count++ : EVENT_FIELDS);
    bool ok = cells_room(&c->values, EVENT_FIELDS + 1) &&
              atf_put_event(&c->values, view, atf_process_of(c), &none);
    c->values.count = 0;
    if (ok)
        c->values.items[EVENT_FIELDS] = (struct ras_value){0};
    return ok;
}

static bool put_joined(struct ras_cursor *c, struct atf_cursor *a,
                       const struct ras_atf_index_event *event)
{
    struct atf *atf = c->trace->priv;
    enum atf_cpu cpu = atf_cpu_of(&atf->session, atf_thread_of(c));
    const struct view *view = cursor_view(c, atf->joined[cpu]);
    c->record.schema = (uint16_t)atf->joined[cpu];
    if (!view->values)
        return true;
    struct ras_atf_detail_event detail;
    bool found = atf_detail_near(&atf->session, a->thread, &a->hint, event->detail_seq, &detail);
    return atf_put_event(&c->values, view, atf_process_of(c), event) &&
           atf_put_detail(&c->values, view, EVENT_FIELDS, cpu, atf->form, found ? &detail : NULL);
}

static bool put_sourced(struct ras_cursor *c, const struct ras_atf_index_event *event)
{
    const struct atf *atf = c->trace->priv;
    const struct view *view = cursor_view(c, atf->sourced);
    c->record.schema = (uint16_t)atf->sourced;
    return !view->values ||
           (atf_put_event(&c->values, view, atf_process_of(c), event) &&
            atf_put_source(&c->values, view, atf_process_of(c), event->function_id));
}

static enum step next_event_slowly(struct ras_cursor *c, struct atf_cursor *a, const uint8_t *p)
{
    struct ras_atf_index_event event = atf_event(p);
    c->in.at = p + RAS_ATF_INDEX_EVENT_SIZE;
    fill_event_record(c, ATF_EVENT);
    c->record.time_ns = event.timestamp_ns;
    c->record.offset = (uint64_t)(p - c->base);
    c->record.raw = p;
    if (a->spans)
        atf_place_of(a)->due = true;
    if (a->join)
        return put_joined(c, a, &event) ? STEP_RECORD : STEP_NOMEM;
    if (a->source)
        return put_sourced(c, &event) ? STEP_RECORD : STEP_NOMEM;
    const struct view *view = cursor_view(c, ATF_EVENT);
    if (view->values && !atf_put_event(&c->values, view, atf_process_of(c), &event))
        return STEP_NOMEM;
    return STEP_RECORD;
}

enum step atf_read_event(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    return a->slow ? next_event_slowly(c, a, c->in.at) : next_event(c, a, c->in.at);
}

bool atf_enter_events(struct ras_cursor *c, uint64_t low, uint64_t high)
{
    struct atf_cursor *a = c->priv;
    struct atf_thread *t = atf_thread_of(c);
    struct ras_atf_session *s = atf_session_of(c);
    uint64_t to = high;
    bool some = !a->spans && !a->join && !a->source && !a->unsorted && !a->live;
    while (some && low < high &&
           !atf_some_events(s, t, low, to = atf_window(s, t, low, high), &a->pin))
        high = t->index.count > low ? t->index.count : low; /* damaged: the index has ended */
    if (!some && low < high) {
        (void)atf_events(s, t);
        high = t->index.count < high ? t->index.count : high;
    }
    to = some && low < high ? to : high;
    if (!cursor_enter(c, (uint32_t)t->index_file.part,
                      t->index.at + low * RAS_ATF_INDEX_EVENT_SIZE))
        return false;
    a->stage = STAGE_EVENTS;
    a->stop = t->index.at + to * RAS_ATF_INDEX_EVENT_SIZE;
    a->high = high;
    atf_place_of(a)->event = to;
    return lay_out(c, a);
}

bool atf_more_events(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    const struct atf_thread_file *index = &atf_thread_of(c)->index_file;
    uint64_t next = atf_place_of(a)->event;
    /* Without an index `high` is that of the thread before. */
    bool readable = index->part >= 0 && index->status == RAS_OK;
    return readable && next < a->high && atf_enter_events(c, next, a->high) && atf_left(c);
}

/* ---- events by time --------------------------------------------------------- */

bool atf_can_sort(const struct ras_cursor *c, const struct atf_thread *t)
{
    /* Core ends a range of seq at the first record after it. */
    return c->scan.axis != RAS_AXIS_SEQ && t->index.count <= UINT32_MAX;
}

bool atf_sort_events(struct ras_cursor *c)
{
    struct atf_cursor *a = c->priv;
    struct atf_thread *t = atf_thread_of(c);
    a->order = atf_order(atf_events(atf_session_of(c), t), t->index.count);
    a->order_at = 0;
    a->order_seq = c->seq;
    a->stop = 0; /* they are not at cursor->in */
    return a->order;
}

/* A record's number is its position in stored order, so it is set with each. */
bool atf_read_ordered(struct ras_cursor *c, enum step *step)
{
    struct atf_cursor *a = c->priv;
    const struct atf_thread *t = atf_thread_of(c);
    if (a->order_at == t->index.count) {
        c->seq = a->order_seq + t->index.count;
        free(a->order);
        a->order = NULL;
        return false;
    }
    uint64_t place = a->order[a->order_at++];
    const uint8_t *p = c->base + t->index.at + place * RAS_ATF_INDEX_EVENT_SIZE;
    c->seq = a->order_seq + place;
    *step = a->slow ? next_event_slowly(c, a, p) : next_event(c, a, p);
    return true;
}
