/* dial9_span_rows.c - spans and their segments as records on request, with attributes.
 *
 * The attributes of a modern span are those of its close. Those of a legacy span, and the place in
 * the program that the name of its type says, are read again from its events, as are those of a
 * span that is one event. */
#include "formats/dial9/dial9_row_put.h"

/* ---- the types ------------------------------------------------------------------------------- */

enum {
    SEGMENT_F_NAME,
    SEGMENT_F_SPAN_ID,
    SEGMENT_F_PARENT_SPAN_ID,
    SEGMENT_F_WORKER_ID,
    SEGMENT_F_START_NS,
    SEGMENT_F_END_NS,
    SEGMENT_F_DURATION_NS,
    SEGMENT_F_SOURCE,
    SEGMENT_F_DIALECT,
    SEGMENT_F_THREAD_ID,
    SEGMENT_FIELDS
};
enum {
    SPAN_F_NAME,
    SPAN_F_SPAN_ID,
    SPAN_F_PARENT_SPAN_ID,
    SPAN_F_START_NS,
    SPAN_F_END_NS,
    SPAN_F_DURATION_NS,
    SPAN_F_ACTIVE_NS,
    SPAN_F_SEGMENTS,
    SPAN_F_SOURCE,
    SPAN_F_REASON,
    SPAN_F_DIALECT,
    SPAN_F_KIND,
    SPAN_F_TARGET,
    SPAN_F_FILE,
    SPAN_F_LINE,
    SPAN_F_FIRST_ENTER_NS,
    SPAN_F_CLOSE_NS,
    SPAN_F_OBSERVED_ACTIVE_WALL_NS,
    SPAN_F_THREAD_TIME_NS,
    SPAN_F_IDLE_NS,
    SPAN_F_CONCURRENT,
    SPAN_F_UNBALANCED_ENTERS,
    SPAN_F_UNBALANCED_EXITS,
    SPAN_F_DETAILS_COMPLETE,
    SPAN_F_IDENTITY_QUALITY,
    SPAN_F_ON_CPU_NS,
    SPAN_F_BLOCKED_NS,
    SPAN_F_ASYNC_WAIT_NS,
    SPAN_F_SCHEDULER_DELAY_NS,
    SPAN_F_UNKNOWN_NS,
    SPAN_F_ATTRIBUTION_FLAGS,
    SPAN_F_TASK_ID,
    SPAN_F_THREAD_ID,
    SPAN_F_WORKER_ID,
    SPAN_F_ATTRIBUTES,
    SPAN_FIELDS
};

static const struct ras_field segment_fields[SEGMENT_FIELDS] = {
    [SEGMENT_F_NAME] = {"name", RAS_STR, 0, RAS_NULLABLE},
    [SEGMENT_F_SPAN_ID] = {"span_id", RAS_UINT, 64, RAS_NULLABLE},
    [SEGMENT_F_PARENT_SPAN_ID] = {"parent_span_id", RAS_UINT, 64, RAS_NULLABLE},
    [SEGMENT_F_WORKER_ID] = {"worker_id", RAS_UINT, 64, RAS_NULLABLE},
    [SEGMENT_F_START_NS] = {"start_ns", RAS_UINT, 64, 0},
    [SEGMENT_F_END_NS] = {"end_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SEGMENT_F_DURATION_NS] = {"duration_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SEGMENT_F_SOURCE] = {"source", RAS_STR, 0, 0},
    [SEGMENT_F_DIALECT] = {"dialect", RAS_STR, 0, 0},
    [SEGMENT_F_THREAD_ID] = {"thread_id", RAS_UINT, 64, RAS_NULLABLE},
};
static const struct ras_field span_fields[SPAN_FIELDS] = {
    [SPAN_F_NAME] = {"name", RAS_STR, 0, RAS_NULLABLE},
    [SPAN_F_SPAN_ID] = {"span_id", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_PARENT_SPAN_ID] = {"parent_span_id", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_START_NS] = {"start_ns", RAS_UINT, 64, 0},
    [SPAN_F_END_NS] = {"end_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_DURATION_NS] = {"duration_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_ACTIVE_NS] = {"active_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_SEGMENTS] = {"segments", RAS_UINT, 32, 0},
    [SPAN_F_SOURCE] = {"source", RAS_STR, 0, 0},
    [SPAN_F_REASON] = {"reason", RAS_STR, 0, 0},
    [SPAN_F_DIALECT] = {"dialect", RAS_STR, 0, 0},
    [SPAN_F_KIND] = {"kind", RAS_STR, 0, 0},
    [SPAN_F_TARGET] = {"target", RAS_STR, 0, RAS_NULLABLE},
    [SPAN_F_FILE] = {"file", RAS_STR, 0, RAS_NULLABLE},
    [SPAN_F_LINE] = {"line", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_FIRST_ENTER_NS] = {"first_enter_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_CLOSE_NS] = {"close_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_OBSERVED_ACTIVE_WALL_NS] = {"observed_active_wall_ns", RAS_UINT, 64, 0},
    [SPAN_F_THREAD_TIME_NS] = {"thread_time_ns", RAS_UINT, 64, 0},
    [SPAN_F_IDLE_NS] = {"idle_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_CONCURRENT] = {"concurrent", RAS_BOOL, 8, 0},
    [SPAN_F_UNBALANCED_ENTERS] = {"unbalanced_enters", RAS_UINT, 64, 0},
    [SPAN_F_UNBALANCED_EXITS] = {"unbalanced_exits", RAS_UINT, 64, 0},
    [SPAN_F_DETAILS_COMPLETE] = {"details_complete", RAS_BOOL, 8, 0},
    [SPAN_F_IDENTITY_QUALITY] = {"identity_quality", RAS_STR, 0, 0},
    [SPAN_F_ON_CPU_NS] = {"on_cpu_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_BLOCKED_NS] = {"blocked_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_ASYNC_WAIT_NS] = {"async_wait_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_SCHEDULER_DELAY_NS] = {"scheduler_delay_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_UNKNOWN_NS] = {"unknown_ns", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_ATTRIBUTION_FLAGS] = {"attribution_flags", RAS_UINT, 32, 0},
    [SPAN_F_TASK_ID] = {"task_id", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_THREAD_ID] = {"thread_id", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_WORKER_ID] = {"worker_id", RAS_UINT, 64, RAS_NULLABLE},
    [SPAN_F_ATTRIBUTES] = {"attributes", RAS_MAP, 0, RAS_NULLABLE},
};
_Static_assert((int)SPAN_FIELDS <= (int)ROW_FIELDS_MOST, "room for any of them");

const struct ras_schema dial9_segment_schema = {"span_segment", segment_fields, SEGMENT_FIELDS,
                                                RAS_ON_REQUEST};
const struct ras_schema dial9_span_schema = {"span", span_fields, SPAN_FIELDS, RAS_ON_REQUEST};

/* ---- events again ---------------------------------------------------------------------------- */

/* An event by its place, with the batch that it is of; `batch` NULL: it cannot be read. */
struct event_again {
    struct dial9_batch *batch;
    const struct shape *shape;
    const uint8_t *roles;
    struct in in; /* before its values */
    uint64_t offset;
};

static void event_open(struct ras_trace *t, const struct dial9_stats *d, uint64_t event,
                       struct event_again *e)
{
    struct dial9 *trace = t->priv;
    struct ras_bytes all = source_arrived(t->source, 0);
    struct ras_error err;
    *e = (struct event_again){.offset = event >> 16};
    if (e->offset + DIAL9_EVENT_SIZE > all.len)
        return;
    uint32_t number = dial9_batch_at(trace, e->offset);
    e->batch = dial9_batch_take(t, number, trace->places[number].offset);
    if (!e->batch)
        return;
    const uint8_t *at = all.at + e->offset;
    if (dial9_batch_learn(e->batch, &trace->rules, all, e->offset, &err) == RAS_OK)
        e->shape = dial9_batch_shape(e->batch, load_u16(at + 1));
    if (e->shape && e->shape->schema < d->schema_count)
        e->roles = d->schemas[e->shape->schema].roles;
    if (!e->shape || !e->roles) {
        dial9_batch_leave(trace, e->batch);
        e->batch = NULL;
        return;
    }
    e->in = (struct in){at + e->shape->layout.head, all.at + all.len, false};
}

static void event_close(struct ras_trace *t, struct event_again *e)
{
    if (e->batch)
        dial9_batch_leave(t->priv, e->batch);
    e->batch = NULL;
}

/* Put its fields that are attributes as pairs; how many. */
static size_t put_pairs_of(struct ras_cursor *c, struct event_again *e, unsigned field, bool single)
{
    const struct dial9 *trace = c->trace->priv;
    const struct row row = {c, e->batch, e->offset};
    const struct ras_dial9_schema *s = &e->shape->native;
    size_t count = 0;
    ((struct dial9_cursor *)c->priv)->expanded = 0;
    for (unsigned i = 0; i < s->field_count; i++) {
        struct ras_dial9_value v;
        if (dial9_value_get(&e->in, s->fields[i].type, trace->rules.depth, &v) || e->in.cut)
            break;
        bool shown = e->roles[i] == ROLE_NONE || (single && e->roles[i] == ROLE_TEXT);
        if (!shown || (!single && !v.type))
            continue;
        size_t before = c->values.count;
        if (!cells_room(&c->values, 1))
            return count;
        value_text(&c->values, field, s->fields[i].name);
        if (!dial9_put_value(&row, &v, field)) { /* too many addresses, or memory is short */
            c->values.count = before;
            return count;
        }
        count++;
    }
    return count;
}

/* ---- attributes ------------------------------------------------------------------------------ */

struct ras_bytes dial9_close_pairs(const struct ras_trace *t, const struct span_more *m)
{
    struct ras_bytes all = source_arrived(t->source, 0);
    if (m->attributes > all.len || m->attribute_bytes > all.len - m->attributes)
        return (struct ras_bytes){NULL, 0};
    return (struct ras_bytes){all.at + m->attributes, m->attribute_bytes};
}

static void put_close_pairs(struct ras_cursor *c, const struct span_more *m, unsigned field)
{
    struct ras_bytes pairs = dial9_close_pairs(c->trace, m);
    const struct ras_dial9_value map = {
        .type = RAS_DIAL9_STRING_MAP, .count = m->attribute_count, .at = pairs.at};
    if (!pairs.at)
        return;
    struct ras_dial9_items items = dial9_items(&map, pairs.at + pairs.len);
    struct ras_dial9_value item;
    while (ras_dial9_next_item(&items, &item) && cells_room(&c->values, 1))
        value_span(&c->values, RAS_STR, field, item.at, item.count);
}

/* Those of the last exit that has some, or else of the first enter. */
static void put_event_pairs(struct ras_cursor *c, const struct dial9_stats *d,
                            const struct derived_row *row, unsigned field)
{
    const uint64_t events[] = {row->more.last_event, row->event};
    bool single = row->more.dialect == SPAN_SINGLE;
    size_t count = 0;
    for (size_t i = single ? 1 : 0; i < 2 && !count; i++) {
        struct event_again e = {0};
        if (events[i])
            event_open(c->trace, d, events[i], &e);
        if (e.batch)
            count = put_pairs_of(c, &e, field, single);
        event_close(c->trace, &e);
    }
}

static void put_attribute_map(struct row_put *p, const struct dial9_stats *d,
                              const struct derived_row *row)
{
    struct ras_cursor *c = p->c;
    unsigned field = p->field++;
    if (!view_has(p->view, field))
        return;
    bool modern = row->more.dialect == SPAN_MODERN;
    if (modern && row->more.attributes == RAS_NONE) {
        value_null(&c->values, field);
        return;
    }
    size_t open = c->values.count;
    value_put(&c->values, RAS_MAP, 0, field, 0, 0);
    if (modern)
        put_close_pairs(c, &row->more, field);
    else
        put_event_pairs(c, d, row, field);
    value_close(&c->values, open);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *row_source(const struct derived_row *row)
{
    return row->whole ? "event" : "enter_exit";
}

void dial9_put_segment_row(struct row_put *p, struct dial9_stats *d, const struct derived_row *row)
{
    dial9_row_interned(p, d, row->text);
    dial9_row_number(p, row->has_id, 64, row->id);
    dial9_row_number(p, row->parent != RAS_NONE, 64, row->parent);
    dial9_row_number(p, row->worker != RAS_NONE, 64, row->worker);
    dial9_row_time(p, row->start);
    dial9_row_time(p, row->end);
    dial9_row_time(p, row->duration);
    dial9_row_word(p, row_source(row));
    dial9_row_word(p, dial9_dialect_name(row->more.dialect));
    dial9_row_time(p, row->more.thread);
}

static void put_legacy_place(struct row_put *p, const struct dial9_stats *d,
                             const struct derived_row *row)
{
    struct span_callsite site = {.line = RAS_NONE};
    struct event_again e = {0};
    if (view_has(p->view, SPAN_F_TARGET) || view_has(p->view, SPAN_F_FILE) ||
        view_has(p->view, SPAN_F_LINE))
        event_open(p->c->trace, d, row->event, &e);
    if (e.batch)
        dial9_span_callsite(e.shape->native.name, &site);
    event_close(p->c->trace, &e);
    dial9_row_bytes(p, site.target);
    dial9_row_bytes(p, site.file);
    dial9_row_time(p, site.line);
}

/* Target, file and line: of a legacy span the name of its type says them. */
static void put_place(struct row_put *p, struct dial9_stats *d, const struct derived_row *row)
{
    if (row->more.dialect == SPAN_LEGACY) {
        put_legacy_place(p, d, row);
        return;
    }
    dial9_row_interned(p, d, row->more.target);
    dial9_row_interned(p, d, row->more.file);
    dial9_row_time(p, row->more.line);
}

static void put_kind(struct row_put *p, const struct dial9_stats *d, const struct derived_row *row)
{
    if (row->more.kind != NO_TEXT)
        dial9_row_interned(p, d, row->more.kind);
    else
        dial9_row_word(p, row->whole ? "single-event" : "tracing");
}

/* Where the time of a span went: five parts, which together are all of it. Events of today do not
 * say it: all of it is unknown. */
static void put_attribution(struct row_put *p, const struct derived_row *row)
{
    for (int known = 0; known < 4; known++)
        dial9_row_time(p, RAS_NONE);
    dial9_row_time(p, row->duration);
    dial9_row_number(p, true, 32, row->more.flags);
}

void dial9_put_span_row(struct row_put *p, struct dial9_stats *d, const struct derived_row *row)
{
    const struct span_more *m = &row->more;
    bool timed = row->duration != RAS_NONE;
    dial9_row_interned(p, d, row->text);
    dial9_row_number(p, row->has_id, 64, row->id);
    dial9_row_number(p, row->parent != RAS_NONE, 64, row->parent);
    dial9_row_time(p, row->start);
    dial9_row_time(p, row->end);
    dial9_row_time(p, row->duration);
    dial9_row_time(p, row->active);
    dial9_row_number(p, true, 32, row->segments);
    dial9_row_word(p, row_source(row));
    dial9_row_word(p, row->unended ? "unended" : "ended");
    dial9_row_word(p, dial9_dialect_name(m->dialect));
    put_kind(p, d, row);
    put_place(p, d, row);
    dial9_row_time(p, m->first_enter);
    dial9_row_time(p, m->close);
    dial9_row_number(p, true, 64, m->wall);
    dial9_row_number(p, true, 64, m->thread_ns);
    dial9_row_number(p, timed, 64, timed && row->duration > m->wall ? row->duration - m->wall : 0);
    dial9_row_bool(p, m->concurrent);
    dial9_row_number(p, true, 64, m->unbalanced_enters);
    dial9_row_number(p, true, 64, m->unbalanced_exits);
    dial9_row_bool(p, m->complete);
    dial9_row_word(p, dial9_identity_name(m->identity));
    put_attribution(p, row);
    dial9_row_time(p, m->task);
    dial9_row_time(p, m->thread);
    dial9_row_number(p, row->whole && row->worker != RAS_NONE, 64, row->worker);
    put_attribute_map(p, d, row);
}
