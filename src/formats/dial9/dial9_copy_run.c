/* dial9_copy_run.c - events that follow each other, copied in one loop.
 *
 * Their types have been written before, so they are stepped over by their plans, once, and
 * copied with the ids that changed. Pools and resets between them are learnt on the way.
 * Whatever else comes ends the run, and is shown as any record. */
#include "base/store.h"
#include "formats/dial9/dial9_copy_run.h"

enum {
    RUN_BYTES = 1 << 20, /* at one go */
    ROOM = 64 << 10,
};

/* ---- ids ------------------------------------------------------------------------------- */

/* The pool id at p. */
PLAN_INLINE bool see_id(struct run *r, const uint8_t *event, const uint8_t *p, bool stack)
{
    uint32_t was = load_u32(p), id;
    if (!dial9_run_id(r, event, was, stack, &id) || r->place_count == RUN_PLACES) {
        r->unknown = true;
        return false;
    }
    if (id != was)
        r->places[r->place_count++] = (struct patch_place){(uint32_t)(p - event), id};
    return true;
}

/* An event whose values are stepped over. */
struct seen_event {
    struct run *r;
    const uint8_t *event;
};

PLAN_INLINE bool see_event_id(void *user, const uint8_t *p, bool stack)
{
    const struct seen_event *e = user;
    return see_id(e->r, e->event, p, stack);
}

/* A value without an upper bound: one of no fixed type may hold ids. */
PLAN_INLINE const uint8_t *see_event_long(void *user, const struct plan_step *s, const uint8_t *p,
                                          const uint8_t *end, unsigned depth)
{
    const struct seen_event *e = user;
    e->r->unknown = s->type == RAS_DIAL9_DYNAMIC_LIST || s->type == RAS_DIAL9_DYNAMIC_MAP;
    return e->r->unknown ? NULL : dial9_plan_skip_long(s, p, end, depth);
}

/* As dial9_plan_skip(), and the ids that change are noted. */
static const uint8_t *pass_values(struct run *r, const struct plan_step *s, const uint8_t *event,
                                  const uint8_t *p)
{
    struct seen_event e = {r, event};
    return plan_pass(s, p, r->end, r->depth, see_event_id, see_event_long, &e);
}

/* ---- events ---------------------------------------------------------------------------- */

/* The type of a type id; NULL: none of it was copied in this batch. */
static const struct lane *find_lane(struct run *r, uint16_t id, struct lane *other)
{
    const struct copier *k = r->k;
    const struct copied_source *s = &k->sources[r->source];
    struct lane *lane = id < RUN_LANES ? &r->lanes[id] : other;
    const struct shape *shape = dial9_batch_shape(r->b->batch, id);
    size_t index = shape ? dial9_copied_index(shape) : SIZE_MAX;
    if (index >= s->type_room || s->types[index].serial != k->serial)
        return NULL;
    lane->shape = shape;
    lane->type = &s->types[index];
    dial9_lane_fill(r, lane);
    return lane;
}

/* Whether an event of this time is asked for. */
PLAN_INLINE bool in_time(const struct run *r, const struct shape *shape, uint64_t time_ns)
{
    return !r->timed || (shape->native.has_timestamp && time_ns >= r->from &&
                         (time_ns < r->to || r->to == RAS_NONE));
}

/* An event of `size` bytes; its places are known. */
PLAN_INLINE int put_event(struct run *r, const uint8_t *event, size_t size, const struct lane *lane,
                          uint64_t time_ns, struct ras_error *err)
{
    struct copier *k = r->k;
    size_t room = size + DIAL9_RESET_SIZE + RUN_USUAL;
    uint8_t *to = k->room - k->len >= room ? k->at + k->len : dial9_copy_room(k, room, err);
    if (!to)
        return k->failed;
    bool moved = r->base_ns != k->base_ns;
    if (__builtin_expect(moved, 0))
        to = dial9_copy_reset(k, to, lane->shape->native.has_timestamp, time_ns);
    if (size <= RUN_USUAL && r->end - event >= RUN_USUAL)
        memcpy(to, event, RUN_USUAL);
    else
        memcpy(to, event, size);
    store_u16(to + 1, lane->type->id);
    if (__builtin_expect(moved, 0) && lane->shape->native.has_timestamp) {
        uint64_t delta = time_ns - k->base_ns;
        store_u8(store_u16(to + DIAL9_EVENT_SIZE, (uint16_t)delta), (uint8_t)(delta >> 16));
    }
    for (unsigned i = 0; i < r->place_count; i++)
        store_u32(to + r->places[i].offset, r->places[i].id);
    k->len = (size_t)(to - k->at) + size;
    k->base_ns = lane->shape->native.has_timestamp ? time_ns : k->base_ns;
    r->base_ns = time_ns;
    lane->type->kept++;
    return RAS_OK;
}

/* An event that names what is not written yet. */
static int put_anew(struct run *r, const uint8_t *event, size_t size, const struct lane *lane,
                    uint64_t time_ns, struct ras_error *err)
{
    struct copier *k = r->k;
    const struct shape *shape = lane->shape;
    const struct ras_record record = {.raw = event,
                                      .raw_len = (uint32_t)size,
                                      .offset = (uint64_t)(event - r->base),
                                      .time_ns = time_ns};
    k->place_count = 0;
    int status =
        dial9_copy_ids(k, r->b, &shape->native, lane->type->fields, &record, shape->plan.head, err);
    if (status == RAS_OK)
        status = dial9_copy_put(k, &record, lane->type->id, shape->plan.head, err);
    if (status == RAS_OK)
        lane->type->kept++;
    r->base_ns = time_ns;
    return status;
}

/* The event at *p, which is passed; RAS_END: it is not for this loop. */
static __attribute__((noinline)) int take_event(struct run *r, const uint8_t **p,
                                                struct ras_error *err)
{
    struct lane other;
    const uint8_t *event = *p;
    uint16_t id = load_u16(event + 1);
    const struct lane *lane = id < RUN_LANES ? &r->lanes[id] : &other;
    if (id >= RUN_LANES || !lane->shape)
        lane = find_lane(r, id, &other);
    if (!lane || r->end - event < (ptrdiff_t)lane->shape->plan.need)
        return RAS_END;
    const struct shape *shape = lane->shape;
    const uint8_t *values = event + shape->plan.head, *next;
    uint64_t time_ns = r->base_ns + (load_u32(event + DIAL9_EVENT_SIZE) & shape->plan.delta_mask);
    r->place_count = 0;
    r->unknown = false;
    next = lane->type->fields ? pass_values(r, shape->steps, event, values) : NULL;
    if (!next && (r->unknown || !lane->type->fields))
        next = dial9_plan_skip(shape->steps, values, r->end, r->depth);
    size_t size = (size_t)(next - event);
    if (!next || time_ns < r->base_ns || size > r->record_bytes || !in_time(r, shape, time_ns))
        return RAS_END;
    *p = next;
    return r->unknown ? put_anew(r, event, size, lane, time_ns, err)
                      : put_event(r, event, size, lane, time_ns, err);
}

/* ---- the run --------------------------------------------------------------------------- */

/* A pool has got something new: an id may mean another text from here on. */
static void forget_ids(struct run *r)
{
    memset(r->strings, 0, sizeof r->strings);
    memset(r->stacks, 0, sizeof r->stacks);
}

bool dial9_run_learn(const struct ras_cursor *c, const uint8_t **p, uint64_t *base_ns)
{
    const struct dial9 *trace = c->trace->priv;
    const struct dial9_cursor *d = c->priv;
    struct in in = {*p, c->in.end, false};
    struct ras_dial9_frame frame;
    struct ras_error err;
    if (*in.at != RAS_DIAL9_TIMESTAMP_RESET && *in.at != RAS_DIAL9_STRING_POOL &&
        *in.at != RAS_DIAL9_STACK_POOL)
        return false;
    if (dial9_frame_read(d->at.batch, &trace->rules, c->base, *base_ns, &in, &frame, &err) < 0)
        return false;
    *base_ns = dial9_base_after(&frame, *base_ns);
    *p = in.at;
    return true;
}

void dial9_run_move(struct ras_cursor *c, const uint8_t *p, uint64_t base_ns, uint64_t time_max)
{
    struct dial9_cursor *d = c->priv;
    c->in.at = p;
    c->time_max = time_max > c->time_max ? time_max : c->time_max;
    d->at.base_ns = base_ns;
}

int dial9_copy_run(struct copier *k, const struct taken *t, struct ras_error *err)
{
    struct ras_cursor *c = t->cursor;
    struct dial9_cursor *d = c->priv;
    const struct dial9 *trace = c->trace->priv;
    const struct ras_rewrite_options *asked = k->rw->asked;
    uint64_t left = rewrite_ahead(k->rw, t);
    if (!left || d->special || d->at.batch != k->current->batch)
        return RAS_OK;
    struct run r = {.k = k,
                    .b = k->current,
                    .source = t->source,
                    .base = c->base,
                    .end = c->in.end,
                    .depth = trace->rules.depth,
                    .timed = asked->axis == RAS_AXIS_TIME,
                    .from = asked->from,
                    .to = asked->to,
                    .record_bytes = d->record_bytes,
                    .base_ns = d->at.base_ns};
    const uint8_t *p = c->in.at;
    int status = dial9_copy_room(k, ROOM, err) ? RAS_OK : k->failed;
    if (status < 0)
        return status;
    while (left && r.end - p >= (ptrdiff_t)DIAL9_EVENT_SIZE && p - c->in.at < RUN_BYTES) {
        const uint8_t *before = p;
        uint64_t n = dial9_take_usual(&r, &p, left);
        if (p == before && *p == RAS_DIAL9_EVENT) {
            n = (status = take_event(&r, &p, err)) == RAS_OK;
        } else if (p == before) {
            if (!dial9_run_learn(c, &p, &r.base_ns))
                break;
            forget_ids(&r);
        }
        if (status != RAS_OK)
            break;
        r.time_max = r.base_ns > r.time_max ? r.base_ns : r.time_max;
        left -= n;
        c->seq += n;
    }
    dial9_run_move(c, p, r.base_ns, r.time_max);
    return status == RAS_END ? RAS_OK : status;
}

bool dial9_pass_run(struct copier *k, const struct taken *t)
{
    struct ras_cursor *c = t->cursor;
    const struct dial9_cursor *d = c->priv;
    const struct dial9 *trace = c->trace->priv;
    const uint8_t *p = c->in.at, *end = c->in.end;
    uint64_t base_ns = d->at.base_ns, time_max = 0;
    bool ahead = rewrite_ahead(k->rw, t) == UINT64_MAX && !d->special;
    while (ahead && end - p >= (ptrdiff_t)DIAL9_EVENT_SIZE && p - c->in.at < RUN_BYTES) {
        if (*p != RAS_DIAL9_EVENT) {
            if (!dial9_run_learn(c, &p, &base_ns))
                break;
            continue;
        }
        const struct shape *shape = dial9_batch_shape(d->at.batch, load_u16(p + 1));
        if (!shape || end - p < (ptrdiff_t)shape->plan.need)
            break;
        uint64_t time_ns = base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & shape->plan.delta_mask);
        const uint8_t *next =
            dial9_plan_skip(shape->steps, p + shape->plan.head, end, trace->rules.depth);
        if (!next || time_ns < base_ns || (uint64_t)(next - p) > d->record_bytes)
            break;
        struct copied_type *type = dial9_copied_type(k, t->source, shape);
        if (!type)
            return false;
        type->kept++;
        c->seq++;
        p = next;
        base_ns = time_ns;
        time_max = time_ns > time_max ? time_ns : time_max;
    }
    dial9_run_move(c, p, base_ns, time_max);
    return true;
}
