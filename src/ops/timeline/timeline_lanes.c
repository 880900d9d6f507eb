/* timeline_lanes.c - slices of which both ends are known, put in the order of their beginnings.
 *
 * A recorder writes a slice when it ends, so that an outer one comes after those inside it. The
 * last slices of a track are kept in a heap and leave it from the earliest on. One that overlaps
 * another without nesting goes to the next lane, a track of the same name beside the first. */
#include "ops/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1024, LANES_MOST = 1024 };

/* A slice that waits, with copies of its arguments; its memory is used again. */
struct lane_slot {
    uint64_t from_ns, to_ns, order;
    uint32_t name, category;
    struct timeline_arg *args;
    size_t arg_count, arg_room;
    struct ras_value *cells; /* of all arguments; texts are offsets into bytes */
    size_t cell_count, cell_room;
    uint8_t *bytes;
    size_t byte_count, byte_room;
    uint64_t flows[TIMELINE_FLOWS];
    bool flow_ends[TIMELINE_FLOWS];
    size_t flow_count;
};

/* A track, and when its open slices end. */
struct lane {
    uint32_t track;
    uint64_t *ends;
    size_t count, room;
};

struct timeline_lanes {
    uint32_t track;
    struct lane_slot *slots;
    size_t slot_count, slot_room;
    uint32_t *heap; /* slots, the earliest first */
    size_t heap_count, heap_room;
    uint32_t *unused;
    size_t unused_count, unused_room;
    uint32_t slot; /* being described */
    uint64_t order;
    struct lane *lanes;
    size_t lane_count, lane_room;
};

void timeline_lanes_free(struct timeline_lanes *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->slot_count; i++) {
        free(l->slots[i].args);
        free(l->slots[i].cells);
        free(l->slots[i].bytes);
    }
    for (size_t i = 0; i < l->lane_count; i++)
        free(l->lanes[i].ends);
    free(l->slots);
    free(l->heap);
    free(l->unused);
    free(l->lanes);
    free(l);
}

/* ---- the heap ------------------------------------------------------------------------ */

/* An outer slice comes before one inside it that begins at the same time. */
static bool lane_before(const struct lane_slot *a, const struct lane_slot *b)
{
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns;
    if (a->to_ns != b->to_ns)
        return a->to_ns > b->to_ns;
    return a->order < b->order;
}

static void lane_heap_add(struct timeline_lanes *l, uint32_t slot)
{
    size_t i = l->heap_count++;
    for (; i && lane_before(&l->slots[slot], &l->slots[l->heap[(i - 1) / 2]]); i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = slot;
}

static uint32_t lane_heap_take(struct timeline_lanes *l)
{
    uint32_t first = l->heap[0], moving = l->heap[--l->heap_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < l->heap_count; i = child) {
        if (child + 1 < l->heap_count &&
            lane_before(&l->slots[l->heap[child + 1]], &l->slots[l->heap[child]]))
            child++;
        if (!lane_before(&l->slots[l->heap[child]], &l->slots[moving]))
            break;
        l->heap[i] = l->heap[child];
    }
    l->heap[i] = moving;
    return first;
}

/* ---- copies of arguments -------------------------------------------------------------- */

static bool lane_copy_cell(struct lane_slot *s, const struct ras_value *v)
{
    struct ras_value copy = *v;
    if (!array_grow(&s->cells, &s->cell_room, s->cell_count + 1, sizeof *s->cells))
        return false;
    if (v->kind == RAS_STR || v->kind == RAS_BLOB) {
        if (!array_grow(&s->bytes, &s->byte_room, s->byte_count + v->count, 1))
            return false;
        if (v->count)
            memcpy(s->bytes + s->byte_count, v->at, v->count);
        copy.u = s->byte_count;
        s->byte_count += v->count;
    }
    s->cells[s->cell_count++] = copy;
    return true;
}

static bool lane_copy_args(struct lane_slot *s, const struct timeline *t)
{
    s->arg_count = s->cell_count = s->byte_count = 0;
    if (!array_grow(&s->args, &s->arg_room, t->event.arg_count, sizeof *s->args))
        return false;
    for (size_t i = 0; i < t->event.arg_count; i++) {
        const struct timeline_arg *arg = &t->args[i];
        for (const struct ras_value *v = arg->value; v < ras_value_next(arg->value); v++)
            if (!lane_copy_cell(s, v))
                return false;
        s->args[s->arg_count++] = *arg;
    }
    return true;
}

/* Cells do not move any more: set the addresses. */
static void lane_place_args(struct timeline *t, struct lane_slot *s)
{
    struct ras_value *v = s->cells;
    for (size_t i = 0; i < s->cell_count; i++)
        if (v[i].kind == RAS_STR || v[i].kind == RAS_BLOB)
            v[i].at = v[i].count ? (const void *)(s->bytes + v[i].u) : "";
    for (size_t i = 0; i < s->arg_count; i++) {
        t->args[i] = s->args[i];
        t->args[i].value = v;
        v += ras_value_next(v) - v;
    }
    t->event.arg_count = s->arg_count;
}

/* ---- lanes ---------------------------------------------------------------------------- */

/* The slices of a lane that are over by then end. */
static void lane_end_until(struct timeline *t, struct lane *lane, uint64_t time_ns)
{
    while (lane->count && lane->ends[lane->count - 1] <= time_ns)
        timeline_end(t, lane->track, lane->ends[--lane->count], true);
}

/* The lane in which a slice nests; NULL: memory is short. */
static struct lane *lane_for(struct timeline *t, struct timeline_lanes *l,
                             const struct lane_slot *s)
{
    for (size_t i = 0; i < l->lane_count; i++) {
        struct lane *lane = &l->lanes[i];
        lane_end_until(t, lane, s->from_ns);
        if (!lane->count || lane->ends[lane->count - 1] >= s->to_ns)
            return lane;
    }
    if (l->lane_count == LANES_MOST)
        return NULL;
    if (!array_grow(&l->lanes, &l->lane_room, l->lane_count + 1, sizeof *l->lanes)) {
        timeline_nomem(t);
        return NULL;
    }
    const struct timeline_track first = t->tracks[l->track];
    const struct timeline_place beside = {
        .parent = first.parent, .kind = TIMELINE_TRACK, .name = first.name, .number = RAS_NONE};
    uint32_t track = l->lane_count ? timeline_new_track(t, &beside) : l->track;
    l->lanes[l->lane_count] = (struct lane){.track = track};
    return &l->lanes[l->lane_count++];
}

/* The earliest slice goes to the writer. */
static void lane_emit(struct timeline *t, struct timeline_lanes *l)
{
    uint32_t at = lane_heap_take(l);
    struct lane_slot *s = &l->slots[at];
    l->unused[l->unused_count++] = at;
    struct lane *lane = lane_for(t, l, s);
    if (!lane) {
        timeline_lost(t, "slices that overlap more than 1024 others", 1);
        return;
    }
    if (!array_grow(&lane->ends, &lane->room, lane->count + 1, sizeof *lane->ends)) {
        timeline_nomem(t);
        return;
    }
    lane->ends[lane->count++] = s->to_ns;
    timeline_begin(t, lane->track, s->from_ns, s->name, s->category);
    lane_place_args(t, s);
    t->event.flow_count = s->flow_count;
    memcpy(t->event.flows, s->flows, sizeof s->flows);
    memcpy(t->event.flow_ends, s->flow_ends, sizeof s->flow_ends);
    timeline_settle(t);
}

static struct timeline_lanes *lanes_of(struct timeline *t, uint32_t track)
{
    struct timeline_lanes *l = t->tracks[track].lanes;
    if (l)
        return l;
    l = calloc(1, sizeof *l);
    if (!l || !array_grow(&l->heap, &l->heap_room, WINDOW + 1, sizeof *l->heap) ||
        !array_grow(&l->unused, &l->unused_room, WINDOW + 1, sizeof *l->unused)) {
        timeline_lanes_free(l);
        return NULL;
    }
    l->track = track;
    t->tracks[track].lanes = l;
    return l;
}

void timeline_lanes_open(struct timeline *t, uint32_t track, uint64_t from_ns, uint64_t to_ns,
                         uint32_t name, uint32_t category)
{
    struct timeline_lanes *l = lanes_of(t, track);
    if (!l) {
        timeline_nomem(t);
        return;
    }
    if (!l->unused_count) {
        if (!array_grow(&l->slots, &l->slot_room, l->slot_count + 1, sizeof *l->slots)) {
            timeline_nomem(t);
            return;
        }
        l->slots[l->slot_count] = (struct lane_slot){0};
        l->unused[l->unused_count++] = (uint32_t)l->slot_count++;
    }
    l->slot = l->unused[--l->unused_count];
    struct lane_slot *s = &l->slots[l->slot];
    s->from_ns = from_ns;
    s->to_ns = to_ns > from_ns ? to_ns : from_ns;
    s->name = name;
    s->category = category;
    s->order = l->order++;
    t->into = l;
}

void timeline_lanes_close(struct timeline *t)
{
    struct timeline_lanes *l = t->into;
    struct lane_slot *s = &l->slots[l->slot];
    t->into = NULL;
    s->flow_count = t->event.flow_count;
    memcpy(s->flows, t->event.flows, sizeof s->flows);
    memcpy(s->flow_ends, t->event.flow_ends, sizeof s->flow_ends);
    if (!lane_copy_args(s, t)) {
        timeline_nomem(t);
        return;
    }
    lane_heap_add(l, l->slot);
    if (l->heap_count > WINDOW)
        lane_emit(t, l);
}

void timeline_lanes_flush(struct timeline *t, uint32_t track)
{
    struct timeline_lanes *l = t->tracks[track].lanes;
    if (!l)
        return;
    while (l->heap_count)
        lane_emit(t, l);
    for (size_t i = 0; i < l->lane_count; i++)
        lane_end_until(t, &l->lanes[i], TIMELINE_OPEN_END - 1); /* others stay open */
}
