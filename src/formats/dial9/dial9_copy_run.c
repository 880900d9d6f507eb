/* dial9_copy_run.c - consecutive events, copied in one loop.
 *
 * Their types have been written before, so they are stepped over by their layouts, once, and
 * copied with the ids that changed. Pools and resets between them are learnt on the way. Any
 * other frame ends the run, and is shown as a record. */
#include "base/out.h"
#include "formats/dial9/dial9_copy.h"

enum {
    RUN_PLACES = 16, /* ids that may change in one event */
    RUN_TYPES = 64,  /* type ids with a direct entry: nearly all */
    RUN_HOPS = 16,
    RUN_IDS = 64,   /* pool ids that are cached */
    RUN_USUAL = 64, /* most events are at most so long: copied without a call */
};

/* Most events in fewer steps than their layout has: so many bytes of fixed size, with ids among
 * them, and after them one value whose size must be read. */
enum hop_kind {
    HOP_END,
    HOP_NOTHING,
    HOP_VARINT,
    HOP_SPAN,
    HOP_OPTIONAL, /* a presence byte; the next hop is its value only */
};

struct hop {
    uint8_t fixed, kind;
    bool ids;                    /* there are some */
    uint8_t string_at, stack_at; /* where such an id is; HOP_NO_ID: there is none */
};
#define HOP_NO_ID UINT8_MAX

/* A type id of the source: its shape, and the copy of it. */
struct source_type {
    const struct shape *shape; /* NULL: not used yet */
    struct copied_type *copied;
    uint32_t need, delta_mask; /* bytes for its hops; UINT32_MAX: hops are not possible */
    struct hop hops[RUN_HOPS];
};

/* The new id of a pool id, until its pool changes. */
struct run_id {
    uint64_t was; /* id + 1; 0: none */
    uint32_t now;
};

struct run {
    struct copier *k;
    struct copied_batch *b;
    size_t source;
    const uint8_t *base, *end; /* of the source */
    unsigned depth;
    bool timed; /* a range of time is set */
    uint64_t from, to;
    uint64_t record_bytes;
    uint64_t base_ns;  /* of the source's timestamps */
    uint64_t time_max; /* the highest it was */
    struct patch_place places[RUN_PLACES];
    unsigned place_count;
    bool unknown; /* an id that was not used before, or a value that may hold some */
    struct run_id strings[RUN_IDS], stacks[RUN_IDS];
    struct source_type types[RUN_TYPES];
};

/* ---- short events without new ids ------------------------------------------------ */

/* ---- hops -------------------------------------------------------------------------------- */

static const struct hop no_hop = {.string_at = HOP_NO_ID, .stack_at = HOP_NO_ID};

/* Hops that are being made. */
struct hops {
    struct hop *at;
    unsigned count, need; /* bytes that must be there for them */
    struct hop next;
};

/* The next one ends with this; false: there are too many. */
static bool end_hop(struct hops *h, enum hop_kind kind, unsigned most)
{
    h->next.kind = (uint8_t)kind;
    h->next.ids = h->next.string_at != HOP_NO_ID || h->next.stack_at != HOP_NO_ID;
    h->need += h->next.fixed + most;
    h->at[h->count++] = h->next;
    h->next = no_hop;
    return h->count < RUN_HOPS;
}

/* So many bytes of fixed size, which may be an id. */
static bool add_fixed(struct hops *h, unsigned size, uint8_t *id_at)
{
    if (h->next.fixed + size > UINT8_MAX)
        return false;
    if (id_at)
        *id_at = h->next.fixed;
    h->next.fixed = (uint8_t)(h->next.fixed + size);
    return true;
}

/* One step of a layout; false: hops are not possible. */
static bool add_step(struct hops *h, uint8_t code)
{
    static const uint8_t sizes[DO_CODES] = {
        [DO_BOOL] = 1, [DO_U8] = 1, [DO_U16] = 2, [DO_U32] = 4, [DO_U64] = 8};
    switch ((enum step_code)code) {
    case DO_STRING_ID:
    case DO_STACK_ID: {
        uint8_t *id_at = code == DO_STRING_ID ? &h->next.string_at : &h->next.stack_at;
        if (*id_at != HOP_NO_ID && !end_hop(h, HOP_NOTHING, 0))
            return false;
        return add_fixed(h, 4, id_at);
    }
    case DO_VARINT:
    case DO_VARINT_U8:
    case DO_VARINT_U32:
    case DO_VARINT_VARINT:
    case DO_VARINT_STRING_ID:
        return end_hop(h, HOP_VARINT, DIAL9_VARINT_MAX);
    case DO_SPAN:
        return end_hop(h, HOP_SPAN, 4);
    case DO_OPTIONAL:
    case DO_OPTIONAL_STRING_ID:
        return end_hop(h, HOP_OPTIONAL, 1);
    case DO_NEED:
        return true;
    default:
        return sizes[code] && add_fixed(h, sizes[code], NULL);
    }
}

/* The steps of a layout as hops; false: it has others, or too many. */
static bool fill_hops(struct source_type *type)
{
    struct hops h = {.at = type->hops, .need = DIAL9_RESET_SIZE + RUN_USUAL, .next = no_hop};
    bool good = add_fixed(&h, type->shape->layout.head, NULL), is_optional = false;
    for (const struct layout_step *s = type->shape->steps; good && s->code != DO_END; s++) {
        unsigned before = h.count;
        good = add_step(&h, s->code);
        if (good && is_optional && h.count == before) /* the value of an optional field */
            good = end_hop(&h, HOP_NOTHING, 0);
        is_optional = good && h.count > before && h.at[h.count - 1].kind == HOP_OPTIONAL;
    }
    if (good)
        (void)end_hop(&h, HOP_END, 0);
    type->need = h.need;
    return good;
}

/* Set how the events of a type are stepped over. */
static void dial9_source_type_fill(const struct run *r, struct source_type *type)
{
    bool usual = fill_hops(type) && (!r->timed || type->shape->native.has_timestamp) &&
                 r->record_bytes >= RUN_USUAL;
    type->need = usual ? type->need : UINT32_MAX;
    type->delta_mask = type->shape->layout.delta_mask;
}

/* The new id of a pool id in an event; false: it was not used before. */
static bool dial9_run_id(struct run *r, const uint8_t *event, uint32_t was, bool stack,
                         uint32_t *now)
{
    const struct copied_batch *b = r->b;
    uint64_t at = (uint64_t)(event - r->base);
    if (!(stack ? dial9_known_id(&b->batch->stacks, &b->stacks, was, at, now)
                : dial9_known_id(&b->batch->strings, &b->strings, was, at, now)))
        return false;
    (stack ? r->stacks : r->strings)[was % RUN_IDS] = (struct run_id){(uint64_t)was + 1, *now};
    return true;
}

/* Patch the id at p in the copy. */
LAYOUT_INLINE bool put_id(struct run *r, const uint8_t *event, const uint8_t *p, bool stack,
                          uint8_t *copy)
{
    uint32_t was = load_u32(p);
    const struct run_id *known = (stack ? r->stacks : r->strings) + was % RUN_IDS;
    uint32_t now = known->now;
    if (__builtin_expect(known->was != (uint64_t)was + 1, 0) &&
        !dial9_run_id(r, event, was, stack, &now))
        return false;
    store_u32(copy, now);
    return true;
}

/* The end of an event, which is copied to `to`; NULL: it is not a simple one. */
LAYOUT_INLINE const uint8_t *hop_along(struct run *r, const struct hop *h, const uint8_t *event,
                                       uint8_t *to)
{
    const uint8_t *p = event;
    for (;; h++) {
        if (h->ids) {
            uint8_t *copy = to + (p - event);
            if (h->string_at != HOP_NO_ID &&
                !put_id(r, event, p + h->string_at, false, copy + h->string_at))
                return NULL;
            if (h->stack_at != HOP_NO_ID &&
                !put_id(r, event, p + h->stack_at, true, copy + h->stack_at))
                return NULL;
        }
        p += h->fixed;
        if (h->kind == HOP_VARINT) {
            if (!(p = varint_skip(p)))
                return NULL;
        } else if (h->kind == HOP_OPTIONAL) {
            if (!*p++) {
                __asm__ volatile(
                    ""); /* a guess, rather than a sum that everything after it depends on */
                h++;
            }
        } else if (h->kind == HOP_SPAN) {
            if (load_u32(p) > RUN_USUAL)
                return NULL;
            p += 4 + load_u32(p);
            if (p - event > RUN_USUAL)
                return NULL;
        } else if (h->kind == HOP_END) {
            return p - event <= RUN_USUAL ? p : NULL;
        }
    }
}

/* If the bases of both streams differ: write the reset that an event needs at `to`; returns the
 * byte after it. *base_ns is what its delta is relative to. */
static inline uint8_t *put_reset(uint8_t *to, uint64_t time_ns, uint64_t *base_ns)
{
    if (time_ns >= *base_ns && time_ns - *base_ns <= DIAL9_DELTA_MOST)
        return to;
    *base_ns = time_ns;
    return store_u64(store_u8(to, RAS_DIAL9_TIMESTAMP_RESET), time_ns);
}

static inline void put_delta(uint8_t *to, uint64_t delta)
{
    store_u8(store_u16(to + DIAL9_EVENT_SIZE, (uint16_t)delta), (uint8_t)(delta >> 16));
}

/* Consecutive events of one type. */
struct stretch {
    const struct source_type *type;
    uint32_t key; /* the first three bytes of each */
    const uint8_t *p, *last;
    uint8_t *to;
    const uint8_t *to_last; /* an event may begin up to here, and be written up to there */
    uint64_t base_ns, to_ns;
};

/* Skip resets, and find the type of the next events; false: not simple ones. */
static bool next_stretch(struct run *r, struct stretch *s)
{
    const uint8_t *full = r->k->at + r->k->room;
    while (r->end - s->p >= RUN_USUAL && *s->p == RAS_DIAL9_TIMESTAMP_RESET) {
        r->time_max = s->base_ns > r->time_max ? s->base_ns : r->time_max;
        s->base_ns = load_u64(s->p + 1);
        s->p += DIAL9_RESET_SIZE;
    }
    if (r->end - s->p < RUN_USUAL || *s->p != RAS_DIAL9_EVENT)
        return false;
    unsigned id = load_u16(s->p + 1);
    s->type = &r->types[id % RUN_TYPES];
    if (id >= RUN_TYPES || !s->type->shape || r->end - s->p < (ptrdiff_t)s->type->need ||
        full - s->to < (ptrdiff_t)s->type->need)
        return false;
    s->key = RAS_DIAL9_EVENT | id << 8;
    s->last = r->end - s->type->need;
    s->to_last = full - s->type->need;
    return true;
}

static uint64_t take_stretch(struct run *r, struct stretch *s, uint64_t left)
{
    const struct source_type *type = s->type;
    const uint8_t *p = s->p, *last = s->last, *to_last = s->to_last;
    uint8_t *to = s->to;
    uint32_t key = s->key, mask = type->delta_mask;
    uint16_t id = type->copied->id;
    uint64_t base_ns = s->base_ns, to_ns = s->to_ns, n = 0;
    uint64_t from_ns = r->timed ? r->from : 0, span = (r->timed ? r->to : RAS_NONE) - from_ns;
    for (; n < left && p <= last && to <= to_last && (load_u32(p) & 0xffffff) == key; n++) {
        uint64_t time_ns = base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & mask);
        uint64_t from_base = to_ns;
        bool moved = base_ns != to_ns;
        if (moved && !mask)
            break;
        uint8_t *event = moved ? put_reset(to, time_ns, &from_base) : to;
        memcpy(event, p, RUN_USUAL);
        store_u16(event + 1, id);
        const uint8_t *next = hop_along(r, type->hops, p, event);
        if (!next || time_ns < base_ns || time_ns - from_ns >= span)
            break;
        if (moved)
            put_delta(event, time_ns - from_base);
        to = event + (next - p);
        p = next;
        base_ns = to_ns = time_ns;
    }
    type->copied->kept += n;
    s->p = p;
    s->to = to;
    s->base_ns = base_ns;
    s->to_ns = to_ns;
    return n;
}

/* The simple events at *p, at most `left`: short ones without new definitions. Resets between
 * them are skipped, and left out where a delta suffices. */
static uint64_t dial9_take_usual(struct run *r, const uint8_t **at, uint64_t left)
{
    struct copier *k = r->k;
    struct stretch s = {.p = *at, .to = k->at + k->len, .base_ns = r->base_ns, .to_ns = k->base_ns};
    uint64_t n = 0, taken = 1;
    while (n < left && taken && next_stretch(r, &s))
        n += taken = take_stretch(r, &s, left - n);
    *at = s.p;
    k->len = (size_t)(s.to - k->at);
    r->base_ns = s.base_ns;
    k->base_ns = s.to_ns;
    return n;
}

/* ---- all events ------------------------------------------------------------------ */

enum {
    RUN_BYTES = 1 << 20, /* at one go */
    ROOM = 64 << 10,
};

/* ---- ids ------------------------------------------------------------------------------- */

/* The pool id at p. */
LAYOUT_INLINE bool see_id(struct run *r, const uint8_t *event, const uint8_t *p, bool stack)
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

LAYOUT_INLINE bool see_event_id(void *user, const uint8_t *p, bool stack)
{
    const struct seen_event *e = user;
    return see_id(e->r, e->event, p, stack);
}

/* A value without an upper bound: one of dynamic type may hold ids. */
LAYOUT_INLINE const uint8_t *see_event_long(void *user, const struct layout_step *s,
                                            const uint8_t *p, const uint8_t *end, unsigned depth)
{
    const struct seen_event *e = user;
    e->r->unknown = s->type == RAS_DIAL9_DYNAMIC_LIST || s->type == RAS_DIAL9_DYNAMIC_MAP;
    return e->r->unknown ? NULL : dial9_layout_skip_long(s, p, end, depth);
}

/* As dial9_layout_skip(), and notes the ids that change. */
static const uint8_t *pass_values(struct run *r, const struct layout_step *s, const uint8_t *event,
                                  const uint8_t *p)
{
    struct seen_event e = {r, event};
    return layout_pass(s, p, r->end, r->depth, see_event_id, see_event_long, &e);
}

/* ---- events ---------------------------------------------------------------------------- */

/* The source type of a type id; NULL: none of its events was copied in this batch. */
static const struct source_type *find_source_type(struct run *r, uint16_t id,
                                                  struct source_type *other)
{
    const struct copier *k = r->k;
    const struct copied_source *s = &k->sources[r->source];
    struct source_type *type = id < RUN_TYPES ? &r->types[id] : other;
    const struct shape *shape = dial9_batch_shape(r->b->batch, id);
    size_t index = shape ? dial9_copied_index(shape) : SIZE_MAX;
    if (index >= s->type_room || s->types[index].serial != k->serial)
        return NULL;
    type->shape = shape;
    type->copied = &s->types[index];
    dial9_source_type_fill(r, type);
    return type;
}

/* Whether the time of an event is in the range. */
LAYOUT_INLINE bool in_time(const struct run *r, const struct shape *shape, uint64_t time_ns)
{
    return !r->timed || (shape->native.has_timestamp && time_ns >= r->from &&
                         (time_ns < r->to || r->to == RAS_NONE));
}

/* An event of `size` bytes; its places are known. */
LAYOUT_INLINE int copy_put_event(struct run *r, const uint8_t *event, size_t size,
                                 const struct source_type *type, uint64_t time_ns,
                                 struct ras_error *err)
{
    struct copier *k = r->k;
    size_t room = size + DIAL9_RESET_SIZE + RUN_USUAL;
    uint8_t *to = k->room - k->len >= room ? k->at + k->len : dial9_copy_room(k, room, err);
    if (!to)
        return k->failed;
    bool moved = r->base_ns != k->base_ns;
    if (__builtin_expect(moved, 0))
        to = dial9_copy_reset(k, to, type->shape->native.has_timestamp, time_ns);
    if (size <= RUN_USUAL && r->end - event >= RUN_USUAL)
        memcpy(to, event, RUN_USUAL);
    else
        memcpy(to, event, size);
    store_u16(to + 1, type->copied->id);
    if (__builtin_expect(moved, 0) && type->shape->native.has_timestamp) {
        uint64_t delta = time_ns - k->base_ns;
        store_u8(store_u16(to + DIAL9_EVENT_SIZE, (uint16_t)delta), (uint8_t)(delta >> 16));
    }
    for (unsigned i = 0; i < r->place_count; i++)
        store_u32(to + r->places[i].offset, r->places[i].id);
    k->len = (size_t)(to - k->at) + size;
    k->base_ns = type->shape->native.has_timestamp ? time_ns : k->base_ns;
    r->base_ns = time_ns;
    type->copied->kept++;
    return RAS_OK;
}

/* An event that refers to something not written yet. */
static int put_with_new_ids(struct run *r, const uint8_t *event, size_t size,
                            const struct source_type *type, uint64_t time_ns, struct ras_error *err)
{
    struct copier *k = r->k;
    const struct shape *shape = type->shape;
    const struct ras_record record = {.raw = event,
                                      .raw_len = (uint32_t)size,
                                      .offset = (uint64_t)(event - r->base),
                                      .time_ns = time_ns};
    k->place_count = 0;
    int status = dial9_copy_ids(k, r->b, &shape->native, type->copied->fields, &record,
                                shape->layout.head, err);
    if (status == RAS_OK)
        status = dial9_copy_put(k, &record, type->copied->id, shape->layout.head, err);
    if (status == RAS_OK)
        type->copied->kept++;
    r->base_ns = time_ns;
    return status;
}

/* The event at *p, which is passed; RAS_END: it is not for this loop. */
static __attribute__((noinline)) int take_event(struct run *r, const uint8_t **p,
                                                struct ras_error *err)
{
    struct source_type other;
    const uint8_t *event = *p;
    uint16_t id = load_u16(event + 1);
    const struct source_type *type = id < RUN_TYPES ? &r->types[id] : &other;
    if (id >= RUN_TYPES || !type->shape)
        type = find_source_type(r, id, &other);
    if (!type || r->end - event < (ptrdiff_t)type->shape->layout.need)
        return RAS_END;
    const struct shape *shape = type->shape;
    const uint8_t *values = event + shape->layout.head, *next;
    uint64_t time_ns = r->base_ns + (load_u32(event + DIAL9_EVENT_SIZE) & shape->layout.delta_mask);
    r->place_count = 0;
    r->unknown = false;
    next = type->copied->fields ? pass_values(r, shape->steps, event, values) : NULL;
    if (!next && (r->unknown || !type->copied->fields))
        next = dial9_layout_skip(shape->steps, values, r->end, r->depth);
    size_t size = (size_t)(next - event);
    if (!next || time_ns < r->base_ns || size > r->record_bytes || !in_time(r, shape, time_ns))
        return RAS_END;
    *p = next;
    return r->unknown ? put_with_new_ids(r, event, size, type, time_ns, err)
                      : copy_put_event(r, event, size, type, time_ns, err);
}

/* ---- the run --------------------------------------------------------------------------- */

/* A pool has changed: an id may mean another text from here on. */
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
    const struct ras_rewrite_options *options = k->rw->options;
    uint64_t left = rewrite_ahead(k->rw, t);
    if (!left || d->special || d->at.batch != k->current->batch)
        return RAS_OK;
    struct run r = {.k = k,
                    .b = k->current,
                    .source = t->source,
                    .base = c->base,
                    .end = c->in.end,
                    .depth = trace->rules.depth,
                    .timed = options->axis == RAS_AXIS_TIME,
                    .from = options->from,
                    .to = options->to,
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
        if (!shape || end - p < (ptrdiff_t)shape->layout.need)
            break;
        uint64_t time_ns = base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & shape->layout.delta_mask);
        const uint8_t *next =
            dial9_layout_skip(shape->steps, p + shape->layout.head, end, trace->rules.depth);
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
