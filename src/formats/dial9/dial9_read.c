/* dial9_read.c - dial9 as records: one per event, in stored order.
 *
 * Frames without a record (schemas, pools, resets, headers) are skipped in a loop, however many
 * there are. State changed by such a step is kept separate and becomes the cursor's only when a
 * record is delivered, so that a step without a record can be repeated when more bytes have
 * come. */
#include "formats/dial9/dial9_rows.h"

/* Not inlined, so that the fast path needs no stack frame. */
#define COLD __attribute__((noinline, cold))

static inline void fill_record(struct ras_cursor *c, const struct place *place, uint32_t schema,
                               struct ras_bytes raw, bool timed)
{
    /* The rest is the same for every record: no tick, part 0, no parent. */
    c->record.time_ns = place->base_ns;
    c->record.offset = (uint64_t)(raw.at - c->base);
    c->record.raw = raw.at;
    c->record.raw_len = (uint32_t)raw.len;
    c->record.flags = timed ? RAS_HAS_TIME : 0;
    c->record.schema = (uint16_t)schema;
    c->record.stream = place->batch->number;
}

/* A record is delivered: the cursor moves here. */
static void commit(struct ras_cursor *c, struct dial9_cursor *d, const struct place *place)
{
    if (place->batch != d->at.batch)
        dial9_batch_leave(c->trace->priv, d->at.batch);
    d->at = *place;
}

/* The event at p was decoded up to `next`, if that is not NULL: deliver it. */
static inline bool read_finish(struct ras_cursor *c, struct place *place, const struct shape *shape,
                               const uint8_t *p, const uint8_t *next)
{
    const struct dial9_cursor *d = c->priv;
    uint64_t time_ns = place->base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & shape->layout.delta_mask);
    if (!next || time_ns < place->base_ns || (uint64_t)(next - p) > d->record_bytes) {
        c->values.count = 0;
        return false;
    }
    place->base_ns = time_ns;
    struct ras_bytes raw = {p, (size_t)(next - p)};
    fill_record(c, place, shape->schema, raw, shape->native.has_timestamp);
    c->in.at = next;
    return true;
}

/* Every field, those the scan selected, or none: separate loops, since checking each field costs
 * time. */
static bool finish_all(struct ras_cursor *c, struct place *place, const struct shape *shape)
{
    struct dial9_cursor *d = c->priv;
    const uint8_t *p = c->in.at;
    d->expanded = 0;
    const uint8_t *next = layout_row(c, row_start(c, place->batch, shape, p, NULL));
    return read_finish(c, place, shape, p, next);
}

static bool finish_some(struct ras_cursor *c, struct place *place, const struct shape *shape)
{
    const struct dial9 *d = c->trace->priv;
    const struct view *view = cursor_view(c, shape->schema);
    const uint8_t *p = c->in.at, *next;
    struct dial9_cursor *at = c->priv;
    at->expanded = 0;
    if (view->values)
        next = layout_row(c, row_start(c, place->batch, shape, p, view->fields));
    else
        next = dial9_layout_skip(shape->steps, p + shape->layout.head, c->in.end, d->rules.depth);
    return read_finish(c, place, shape, p, next);
}

/* The shape of the event at c->in, if its layout can decode it; NULL: take the slow path. */
static inline const struct shape *laid_out(const struct ras_cursor *c, const struct place *place)
{
    const uint8_t *p = c->in.at, *end = c->in.end;
    if (end - p < (ptrdiff_t)DIAL9_EVENT_SIZE || *p != RAS_DIAL9_EVENT)
        return NULL;
    const struct shape *shape = dial9_batch_shape(place->batch, load_u16(p + 1));
    return shape && end - p >= (ptrdiff_t)shape->layout.need ? shape : NULL;
}

/* The event at c->in, if its layout can decode it. */
static bool take_event(struct ras_cursor *c, struct place *place)
{
    const struct shape *shape = laid_out(c, place);
    if (!shape || !cells_room(&c->values, shape->native.field_count + 1u))
        return false;
    const struct view *view = cursor_view(c, shape->schema);
    return view->values && !view->fields ? finish_all(c, place, shape)
                                         : finish_some(c, place, shape);
}

/* ---- the slow path ---------------------------------------------------------- */

static enum step read_refuse(struct ras_cursor *c, const struct ras_error *err)
{
    c->passed = cursor_offset(c);
    if (err->status == RAS_EMEMORY)
        return STEP_NOMEM;
    if (err->status == RAS_ECUT)
        return cut(c, "%s", err->text);
    return damaged(c, c->passed, "%s", err->text);
}

static enum step careful_event(struct ras_cursor *c, struct place *place,
                               const struct ras_dial9_frame *frame)
{
    const struct shape *shape = dial9_batch_shape(place->batch, frame->event.type_id);
    const struct view *view = cursor_view(c, shape->schema);
    struct row row = {.c = c, .batch = place->batch, .at = frame->offset};
    struct dial9_cursor *d = c->priv;
    d->expanded = 0;
    if (view->values && !dial9_put_event(&row, view, frame)) {
        if (d->expanded <= DIAL9_EXPANSION_MOST)
            return STEP_NOMEM;
        c->passed = frame->offset;
        return damaged(c, frame->offset,
                       "the pooled stacks of one event hold more than %" PRIu32 " addresses",
                       DIAL9_EXPANSION_MOST);
    }
    place->base_ns = frame->event.time_ns;
    fill_record(c, place, shape->schema, frame->raw, shape->native.has_timestamp);
    return STEP_RECORD;
}

/* Whether the entries of a pool or annotations frame are wanted as records. */
static bool wants_entries(struct ras_cursor *c, uint8_t tag)
{
    uint32_t schema = tag == RAS_DIAL9_STRING_POOL  ? DIAL9_STRING_RECORD
                      : tag == RAS_DIAL9_STACK_POOL ? DIAL9_STACK_RECORD
                                                    : DIAL9_ANNOTATION_RECORD;
    return cursor_view(c, schema)->wanted;
}

static enum step enter_entries(struct ras_cursor *c, struct dial9_cursor *d,
                               const struct place *place, const struct ras_dial9_frame *frame)
{
    commit(c, d, place);
    d->tag = frame->tag;
    d->special = true;
    d->entries_left = (uint32_t)frame->entries.left;
    d->annotated = frame->type_id;
    c->in.at = frame->entries.at;
    return dial9_next_entry(c);
}

/* A header: the next batch, or the end of a run. STEP_RECORD: continue. */
static enum step read_enter_batch(struct ras_cursor *c, struct dial9_cursor *d, struct place *place,
                                  const struct ras_dial9_frame *frame)
{
    struct dial9 *trace = c->trace->priv;
    if (d->one_batch) {
        c->in.at = frame->raw.at;
        return STEP_END;
    }
    struct dial9_batch *batch = dial9_batch_take(c->trace, place->batch->number + 1, frame->offset);
    if (!batch)
        return STEP_NOMEM;
    if (place->batch != d->at.batch)
        dial9_batch_leave(trace, place->batch);
    *place = (struct place){batch, 0};
    return STEP_RECORD;
}

/* One frame. *shown: it is a record. */
static enum step careful_frame(struct ras_cursor *c, struct dial9_cursor *d, struct place *place,
                               bool *shown)
{
    const struct dial9 *trace = c->trace->priv;
    struct ras_dial9_frame frame;
    struct ras_error err;
    if (dial9_frame_read(place->batch, &trace->rules, c->base, place->base_ns, &c->in, &frame,
                         &err) < 0)
        return read_refuse(c, &err);
    switch (frame.tag) {
    case RAS_DIAL9_EVENT:
        *shown = true;
        return careful_event(c, place, &frame);
    case RAS_DIAL9_TIMESTAMP_RESET:
        place->base_ns = frame.timestamp_ns;
        return STEP_RECORD;
    case RAS_DIAL9_HEADER:
        return read_enter_batch(c, d, place, &frame);
    case RAS_DIAL9_SCHEMA:
        *shown = cursor_view(c, DIAL9_SCHEMA_RECORD)->wanted;
        if (!*shown)
            return STEP_RECORD;
        fill_record(c, place, DIAL9_SCHEMA_RECORD, frame.raw, false);
        return dial9_schema_record(c, &frame);
    default:
        *shown = frame.entries.left && wants_entries(c, frame.tag);
        return *shown ? enter_entries(c, d, place, &frame) : STEP_RECORD;
    }
}

static COLD enum step careful_next(struct ras_cursor *c, struct dial9_cursor *d)
{
    struct place place = d->at;
    enum step step = STEP_RECORD;
    bool shown = false;
    while (step == STEP_RECORD && !shown) {
        if (c->in.at == c->in.end)
            step = STEP_END;
        else if (!(shown = take_event(c, &place)))
            step = careful_frame(c, d, &place, &shown);
    }
    if (step == STEP_RECORD)
        commit(c, d, &place);
    else if (place.batch != d->at.batch)
        dial9_batch_leave(c->trace->priv, place.batch);
    return step;
}

static COLD enum step special_next(struct ras_cursor *c, struct dial9_cursor *d)
{
    if (d->no_records)
        return STEP_END;
    if (d->entries_left)
        return dial9_next_entry(c);
    if (d->failed == RAS_EMEMORY)
        return STEP_NOMEM;
    return damaged(c, RAS_NONE, "the mark does not belong to this trace");
}

static enum step next_all(struct ras_cursor *c, struct dial9_cursor *d, const struct shape *shape)
{
    return finish_all(c, &d->at, shape) ? STEP_RECORD : careful_next(c, d);
}

static enum step next_some(struct ras_cursor *c, struct dial9_cursor *d, const struct shape *shape)
{
    return finish_some(c, &d->at, shape) ? STEP_RECORD : careful_next(c, d);
}

/* Nearly every step is an event whose view is known and for which there is room: this path is
 * kept short. careful_next() handles the rest. */
enum step dial9_next(struct ras_cursor *c)
{
    struct dial9_cursor *d = c->priv;
    if (__builtin_expect(d->special, 0))
        return special_next(c, d);
    const struct shape *shape = laid_out(c, &d->at);
    if (!shape || shape->schema >= c->view_count ||
        c->values.room - c->values.count <= shape->native.field_count)
        return careful_next(c, d);
    const struct view *view = &c->views[shape->schema];
    if (view->values && !view->fields)
        return next_all(c, d, shape);
    return view->known ? next_some(c, d, shape) : careful_next(c, d);
}

/* ---- cursors and marks ------------------------------------------------------ */

int dial9_start(struct ras_cursor *c, struct ras_error *err)
{
    struct dial9_cursor *d = c->priv;
    int status = dial9_derived_start(c, err);
    if (status < 0)
        return status;
    if (!cursor_enter(c, 0, c->trace->body))
        return fail(err, RAS_EIO, RAS_NONE, "%s", c->why);
    c->record.parent = RAS_NONE;
    d->record_bytes = c->trace->limits.record_bytes;
    d->at.batch = dial9_batch_take(c->trace, 0, 0);
    return d->at.batch ? RAS_OK : fail_memory(err);
}

void dial9_stop(struct ras_cursor *c)
{
    struct dial9_cursor *d = c->priv;
    dial9_derived_stop(d->rows);
    dial9_batch_leave(c->trace->priv, d->at.batch);
}

enum { BASE_NS, BATCH, BATCH_AT, ENTRIES, ANNOTATED, DERIVED };

void dial9_save(const struct ras_cursor *c, struct ras_mark *mark)
{
    const struct dial9_cursor *d = c->priv;
    mark->state[BASE_NS] = d->at.base_ns;
    mark->state[BATCH] = d->at.batch->number;
    mark->state[BATCH_AT] = d->at.batch->offset;
    mark->state[ENTRIES] = (uint64_t)d->tag << 32 | d->entries_left;
    mark->state[ANNOTATED] = d->annotated;
    mark->state[DERIVED] = dial9_derived_save(d->rows);
    /* A reader here knows everything before it. */
    if (d->at.batch->learnt < mark->offset)
        d->at.batch->learnt = mark->offset;
}

struct ras_mark dial9_mark_of(const struct ras_trace *t, uint64_t seq, uint32_t batch,
                              uint64_t offset, uint64_t base_ns)
{
    const struct dial9 *d = t->priv;
    return (struct ras_mark){.seq = seq,
                             .offset = offset,
                             .state[BASE_NS] = base_ns,
                             .state[BATCH] = batch,
                             .state[BATCH_AT] = d->places[batch].offset};
}

/* Enter a batch at an offset; what it defines before that is learnt if needed. */
static void enter_at(struct ras_cursor *c, uint64_t number, uint64_t batch_at, uint64_t offset)
{
    struct dial9_cursor *d = c->priv;
    struct dial9 *trace = c->trace->priv;
    struct dial9_batch *batch = NULL;
    struct ras_error err;
    if (number < trace->place_count && offset >= batch_at + RAS_DIAL9_HEADER_SIZE)
        batch = dial9_batch_take(c->trace, (uint32_t)number, batch_at);
    bool known = number < trace->place_count && trace->places[number].offset == batch_at;
    d->failed = known ? RAS_EMEMORY : RAS_EUSAGE;
    d->special = true;
    if (!batch)
        return;
    dial9_batch_leave(trace, d->at.batch);
    d->at.batch = batch;
    struct ras_bytes bytes = source_arrived(c->trace->source, 0);
    d->failed = offset > bytes.len ? RAS_EUSAGE
                                   : dial9_batch_learn(batch, &trace->rules, bytes, offset, &err);
    d->special = d->failed != RAS_OK;
}

void dial9_place_load(struct ras_cursor *c, const struct ras_mark *mark)
{
    struct dial9_cursor *d = c->priv;
    enter_at(c, mark->state[BATCH], mark->state[BATCH_AT], mark->offset);
    d->at.base_ns = mark->state[BASE_NS];
    d->tag = (uint8_t)(mark->state[ENTRIES] >> 32);
    d->entries_left = d->failed ? 0 : (uint32_t)mark->state[ENTRIES];
    d->special = d->failed || d->entries_left;
    d->annotated = mark->state[ANNOTATED];
}

void dial9_load(struct ras_cursor *c, const struct ras_mark *mark)
{
    struct dial9_cursor *d = c->priv;
    dial9_place_load(c, mark);
    dial9_derived_load(d->rows, mark->state[DERIVED]);
}

void dial9_run_enter(struct ras_cursor *c, size_t run)
{
    struct dial9_cursor *d = c->priv;
    const struct dial9 *trace = c->trace->priv;
    uint64_t offset = run < trace->place_count ? trace->places[run].offset : 0;
    if (run == trace->batch_count) {
        d->no_records = d->special = !d->rows;
        if (d->rows)
            dial9_derived_run(d->rows);
        return;
    }
    d->one_batch = true;
    d->at.base_ns = 0;
    if (cursor_enter(c, 0, offset + RAS_DIAL9_HEADER_SIZE))
        enter_at(c, run, offset, offset + RAS_DIAL9_HEADER_SIZE);
}
