/* stack_tree.c - calls and samples added up by stack, for targets that are profiles.
 *
 * The time of a call without the calls inside it is its own, as the figures of `stats` have it: a
 * call without an end has no time, but what it called has. */
#include "export/stack_tree.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 1 << 21 };

static bool tree_grow(struct stack_tree *s)
{
    if (!array_grow(&s->nodes, &s->room, s->count + 1, sizeof *s->nodes))
        return false;
    if (!s->count)
        s->nodes[s->count++] = (struct stack_node){.parent = STACK_ROOT};
    return array_grow(&s->nodes, &s->room, s->count + 1, sizeof *s->nodes);
}

static uint32_t tree_child(struct stack_tree *s, struct timeline *t, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t found = id_table_find(&s->children, key);
    if (found != ID_TABLE_NONE)
        return found;
    if (s->count >= NODES_MOST) {
        timeline_lost(t, "stacks beyond 2097152, counted for their callers", 1);
        return parent;
    }
    if (!tree_grow(s) || !id_table_add(&s->children, key, (uint32_t)s->count)) {
        timeline_nomem(t);
        return STACK_ROOT;
    }
    s->nodes[s->count] = (struct stack_node){.parent = parent, .name = name};
    return (uint32_t)s->count++;
}

static uint32_t tree_of_track(struct stack_tree *s, struct timeline *t, uint32_t track)
{
    return tree_child(s, t, STACK_ROOT, t->tracks[track].name);
}

static struct timeline_open *tree_top(struct timeline *t, uint32_t track, size_t below)
{
    struct timeline_track *of = &t->tracks[track];
    return of->open_count > below ? &of->open[of->open_count - 1 - below] : NULL;
}

static void tree_begin(struct stack_tree *s, struct timeline *t, const struct timeline_event *e)
{
    struct timeline_open *top = tree_top(t, e->track, 0), *above = tree_top(t, e->track, 1);
    uint32_t parent = above ? (uint32_t)above->marks[0] : tree_of_track(s, t, e->track);
    uint32_t node = tree_child(s, t, parent, e->name);
    top->marks[0] = node;
    top->marks[1] = 0;
    if (!t->nomem)
        s->nodes[node].calls++;
}

static void tree_end(struct stack_tree *s, struct timeline *t, const struct timeline_event *e)
{
    uint64_t inner = e->slice->marks[1];
    bool timed = e->verb == TIMELINE_END && e->timed;
    uint64_t took = timed ? e->time_ns - e->slice->begin_ns : 0;
    struct timeline_open *above = tree_top(t, e->track, 0);
    if (!t->nomem && took > inner)
        s->nodes[e->slice->marks[0]].self_ns += took - inner;
    if (above)
        above->marks[1] += timed ? took : inner;
}

uint32_t stack_tree_name(struct timeline *t, const struct timeline_frame *frame)
{
    char text[24];
    if (frame->name)
        return frame->name;
    int len = snprintf(text, sizeof text, "0x%" PRIx64, frame->address);
    return timeline_text(t, text, (size_t)len);
}

static void tree_sample(struct stack_tree *s, struct timeline *t, const struct timeline_event *e)
{
    uint32_t node = tree_of_track(s, t, e->track);
    for (size_t i = 0; i < e->frame_count; i++)
        node = tree_child(s, t, node, stack_tree_name(t, &e->frames[i]));
    if (!t->nomem)
        s->nodes[node].samples++;
}

void stack_tree_event(struct stack_tree *s, struct timeline *t, const struct timeline_event *e)
{
    if (!s->count && !tree_grow(s)) {
        timeline_nomem(t);
        return;
    }
    switch (e->verb) {
    case TIMELINE_BEGIN:
        tree_begin(s, t, e);
        break;
    case TIMELINE_END:
    case TIMELINE_OPEN:
        tree_end(s, t, e);
        break;
    case TIMELINE_SAMPLE:
        tree_sample(s, t, e);
        break;
    default:
        break;
    }
}

/* ---- in order ------------------------------------------------------------------------- */

struct tree_order {
    uint32_t node;
    uint32_t parent;
    struct timeline_name name;
};

static int by_parent_and_name(const void *a, const void *b)
{
    const struct tree_order *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    size_t shorter = x->name.len < y->name.len ? x->name.len : y->name.len;
    int order = shorter ? memcmp(x->name.at, y->name.at, shorter) : 0;
    return order ? order : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

/* Nodes from the root down; `first` is where the children of each begin in `all`. */
static void tree_walk(const struct tree_order *all, size_t last, const uint32_t *first,
                      uint32_t *to)
{
    uint32_t *next = to + last + 2, *node = next + last + 2; /* of every open level */
    size_t count = 0, depth = 1;
    next[0] = first[STACK_ROOT];
    node[0] = STACK_ROOT;
    while (depth) {
        uint32_t at = next[depth - 1];
        if (at >= last || all[at].parent != node[depth - 1]) {
            depth--;
            continue;
        }
        next[depth - 1] = at + 1;
        node[depth] = all[at].node;
        next[depth++] = first[all[at].node];
        to[count++] = all[at].node;
    }
}

uint32_t *stack_tree_sorted(const struct stack_tree *s, const struct timeline *t)
{
    size_t count = s->count ? s->count : 1;
    struct tree_order *all = calloc(count, sizeof *all);
    uint32_t *first = calloc(count, sizeof *first);
    uint32_t *to = calloc(3 * count + 6, sizeof *to); /* the order, then the stack of the walk */
    if (!all || !first || !to) {
        free(all);
        free(first);
        free(to);
        return NULL;
    }
    for (size_t i = 1; i < s->count; i++)
        all[i - 1] = (struct tree_order){(uint32_t)i, s->nodes[i].parent,
                                         timeline_name(t, s->nodes[i].name)};
    if (count > 2)
        qsort(all, count - 1, sizeof *all, by_parent_and_name);
    for (size_t i = 0; i < count; i++)
        first[i] = (uint32_t)count - 1; /* none */
    for (size_t i = count - 1; i--;)
        first[all[i].parent] = (uint32_t)i;
    if (count > 1)
        tree_walk(all, count - 1, first, to);
    free(all);
    free(first);
    return to;
}

void stack_tree_free(struct stack_tree *s)
{
    free(s->nodes);
    id_table_free(&s->children);
}
