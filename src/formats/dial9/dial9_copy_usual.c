/* dial9_copy_usual.c - short events without anything new, which nearly all are.
 *
 * Each is copied whole before it is looked at, and its ids are changed where they came to lie
 * while it is stepped over: there is no second pass over it, no call and no list of places. What
 * is not usual is found out before the copy counts, and left to dial9_copy_run.c. */
#include "base/store.h"
#include "formats/dial9/dial9_copy_run.h"

#include <limits.h>

/* The steps of a plan as hops, and the bytes that must be there for them; false: it has others, or
 * too many. */
static bool fill_hops(struct lane *lane)
{
    static const uint8_t sizes[DO_CODES] = {
        [DO_BOOL] = 1, [DO_U8] = 1, [DO_U16] = 2, [DO_U32] = 4, [DO_U64] = 8};
    static const struct {
        uint8_t kind, most;
    } hops[DO_CODES] = {
        [DO_VARINT] = {HOP_VARINT, DIAL9_VARINT_MAX},
        [DO_VARINT_U8] = {HOP_VARINT, DIAL9_VARINT_MAX},
        [DO_VARINT_U32] = {HOP_VARINT, DIAL9_VARINT_MAX},
        [DO_VARINT_VARINT] = {HOP_VARINT, DIAL9_VARINT_MAX},
        [DO_VARINT_STRING_ID] = {HOP_VARINT, DIAL9_VARINT_MAX},
        [DO_STRING_ID] = {HOP_STRING_ID, 4},
        [DO_STACK_ID] = {HOP_STACK_ID, 4},
        [DO_SPAN] = {HOP_SPAN, 4},
        [DO_OPTIONAL] = {HOP_OPTIONAL, 1},
        [DO_OPTIONAL_STRING_ID] = {HOP_OPTIONAL, 1},
    };
    unsigned fixed = lane->shape->plan.head, n = 0;
    bool alone = false; /* the value of an optional field */
    lane->need = RUN_USUAL;
    for (const struct plan_step *s = lane->shape->steps; n < RUN_HOPS; s++) {
        unsigned size = sizes[s->code], kind = hops[s->code].kind;
        fixed += size;
        if (fixed > UINT8_MAX || s->code == DO_STACK || s->code == DO_TREE)
            return false;
        if (s->code == DO_NEED || (size && !alone))
            continue;
        lane->need += fixed + hops[s->code].most;
        lane->hops[n++] = (struct hop){(uint8_t)fixed, (uint8_t)(size ? HOP_NOTHING : kind)};
        fixed = 0;
        if (s->code == DO_END)
            return true;
        alone = kind == HOP_OPTIONAL;
    }
    return false;
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
                        uint8_t *to)
{
    uint32_t was = load_u32(p);
    const struct run_id *known = (stack ? r->stacks : r->strings) + was % RUN_IDS;
    uint32_t now = known->now;
    if (__builtin_expect(known->was != (uint64_t)was + 1, 0) &&
        !dial9_run_id(r, event, was, stack, &now))
        return false;
    store_u32(to + (p - event), now);
    return true;
}

/* The end of an event, a copy of which is at `to`; NULL: it is not usual. */
PLAN_INLINE const uint8_t *hop_along(struct run *r, const struct lane *lane, const uint8_t *event,
                                     uint8_t *to)
{
    const uint8_t *p = event;
    for (const struct hop *h = lane->hops;; h++) {
        p += h->fixed;
        switch ((enum hop_kind)h->kind) {
        case HOP_END:
            return p - event <= RUN_USUAL ? p : NULL;
        case HOP_NOTHING:
            continue;
        case HOP_VARINT:
            if (!(p = varint_skip(p)))
                return NULL;
            continue;
        case HOP_STRING_ID:
        case HOP_STACK_ID:
            if (p - event > RUN_USUAL - 4 || !put_id(r, event, p, h->kind == HOP_STACK_ID, to))
                return NULL;
            p += 4;
            continue;
        case HOP_SPAN:
            if (load_u32(p) > RUN_USUAL)
                return NULL;
            p += 4 + load_u32(p);
            if (p - event > RUN_USUAL)
                return NULL;
            continue;
        case HOP_OPTIONAL:
            if (!*p++) {
                __asm__ volatile(""); /* a guess, rather than a sum that all that follows awaits */
                h++;
            }
            continue;
        }
    }
}

uint64_t dial9_take_usual(struct run *r, const uint8_t **at, uint64_t left)
{
    struct copier *k = r->k;
    const uint8_t *p = *at, *end = r->end;
    uint8_t *to = k->at + k->len;
    const uint8_t *full = k->at + k->room;
    const struct lane *lane = NULL;
    unsigned lane_id = UINT_MAX; /* mostly the next one's too: guessed, it need not be looked up */
    uint64_t base_ns = r->base_ns, stop_ns = r->timed ? r->to : RAS_NONE, n = 0;
    while (n < left && end - p >= RUN_USUAL && *p == RAS_DIAL9_EVENT) {
        unsigned id = load_u16(p + 1);
        if (id != lane_id) {
            lane = &r->lanes[id % RUN_LANES];
            if (id >= RUN_LANES || !lane->shape)
                break;
            lane_id = id;
        }
        if (end - p < (ptrdiff_t)lane->need || full - to < (ptrdiff_t)lane->need)
            break;
        uint64_t time_ns = base_ns + (load_u32(p + DIAL9_EVENT_SIZE) & lane->delta_mask);
        memcpy(to, p, RUN_USUAL);
        store_u16(to + 1, lane->type->id);
        const uint8_t *next = hop_along(r, lane, p, to);
        if (!next || time_ns < base_ns || time_ns >= stop_ns)
            break;
        lane->type->kept++;
        to += next - p;
        p = next;
        base_ns = time_ns;
        n++;
    }
    *at = p;
    k->len = (size_t)(to - k->at);
    r->base_ns = k->base_ns = base_ns;
    return n;
}
