/* dial9_copy_usual.c - short events without anything new, which nearly all are.
 *
 * Each is copied whole before it is looked at, and its ids are changed where they came to lie
 * while it is stepped over: there is no second pass over it, no call and no list of places. What
 * is not usual is found out before the copy counts, and left to dial9_copy_run.c. */
#include "base/store.h"
#include "formats/dial9/dial9_copy_run.h"

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

/* One step of a plan; false: it is not for hops. */
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

/* The steps of a plan as hops; false: it has others, or too many. */
static bool fill_hops(struct lane *lane)
{
    struct hops h = {.at = lane->hops, .need = DIAL9_RESET_SIZE + RUN_USUAL, .next = no_hop};
    bool good = add_fixed(&h, lane->shape->plan.head, NULL), alone = false;
    for (const struct plan_step *s = lane->shape->steps; good && s->code != DO_END; s++) {
        unsigned before = h.count;
        good = add_step(&h, s->code);
        if (good && alone && h.count == before) /* the value of an optional field */
            good = end_hop(&h, HOP_NOTHING, 0);
        alone = good && h.count > before && h.at[h.count - 1].kind == HOP_OPTIONAL;
    }
    if (good)
        (void)end_hop(&h, HOP_END, 0);
    lane->need = h.need;
    return good;
}

void dial9_lane_fill(const struct run *r, struct lane *lane)
{
    bool usual = fill_hops(lane) && (!r->timed || lane->shape->native.has_timestamp) &&
                 r->record_bytes >= RUN_USUAL;
    lane->need = usual ? lane->need : UINT32_MAX;
    lane->delta_mask = lane->shape->plan.delta_mask;
}

bool dial9_run_id(struct run *r, const uint8_t *event, uint32_t was, bool stack, uint32_t *now)
{
    const struct copied_batch *b = r->b;
    uint64_t at = (uint64_t)(event - r->base);
    if (!(stack ? dial9_known_id(&b->batch->stacks, &b->stacks, was, at, now)
                : dial9_known_id(&b->batch->strings, &b->strings, was, at, now)))
        return false;
    (stack ? r->stacks : r->strings)[was % RUN_IDS] = (struct run_id){(uint64_t)was + 1, *now};
    return true;
}

/* The id at p, changed where it came to lie. */
PLAN_INLINE bool put_id(struct run *r, const uint8_t *event, const uint8_t *p, bool stack,
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

/* The end of an event, a copy of which is at `to`; NULL: it is not usual. */
PLAN_INLINE const uint8_t *hop_along(struct run *r, const struct hop *h, const uint8_t *event,
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
                __asm__ volatile(""); /* a guess, rather than a sum that all that follows awaits */
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

/* Where the bases of both streams differ: the reset that an event needs at `to`; the byte behind
 * it. *base_ns is what its delta counts from. */
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

/* Events of one type that follow each other. */
struct stretch {
    const struct lane *lane;
    uint32_t key; /* the first three bytes of each */
    const uint8_t *p, *last;
    uint8_t *to;
    const uint8_t *to_last; /* one may begin up to here, and be written up to there */
    uint64_t base_ns, to_ns;
};

/* Pass resets, and see of which type the events are that come next; false: not usual. */
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
    s->lane = &r->lanes[id % RUN_LANES];
    if (id >= RUN_LANES || !s->lane->shape || r->end - s->p < (ptrdiff_t)s->lane->need ||
        full - s->to < (ptrdiff_t)s->lane->need)
        return false;
    s->key = RAS_DIAL9_EVENT | id << 8;
    s->last = r->end - s->lane->need;
    s->to_last = full - s->lane->need;
    return true;
}

static uint64_t take_stretch(struct run *r, struct stretch *s, uint64_t left)
{
    const struct lane *lane = s->lane;
    const uint8_t *p = s->p, *last = s->last, *to_last = s->to_last;
    uint8_t *to = s->to;
    uint32_t key = s->key, mask = lane->delta_mask;
    uint16_t id = lane->type->id;
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
        const uint8_t *next = hop_along(r, lane->hops, p, event);
        if (!next || time_ns < base_ns || time_ns - from_ns >= span)
            break;
        if (moved)
            put_delta(event, time_ns - from_base);
        to = event + (next - p);
        p = next;
        base_ns = to_ns = time_ns;
    }
    lane->type->kept += n;
    s->p = p;
    s->to = to;
    s->base_ns = base_ns;
    s->to_ns = to_ns;
    return n;
}

uint64_t dial9_take_usual(struct run *r, const uint8_t **at, uint64_t left)
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
