/* stack_tree.c - calls and samples added up by stack, for targets that are profiles.
 *
 * The time of a call without the calls inside it is its own, as the figures of `stats` have it: a
 * call without an end has no time, but what it called has. */
#include "export/stack_tree.h"
#include "base/sort.h"

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

static uint32_t tree_name(struct stack_tree *s, struct timeline *t, uint32_t name)
{
    size_t had = s->renamed_room;
    if (!s->rename)
        return name;
    if (!array_grow(&s->renamed, &s->renamed_room, name + 1u, sizeof *s->renamed)) {
        timeline_nomem(t);
        return name;
    }
    if (s->renamed_room > had)
        memset(s->renamed + had, 0, (s->renamed_room - had) * sizeof *s->renamed);
    if (!s->renamed[name])
        s->renamed[name] = s->rename(t, name) + 1;
    return s->renamed[name] - 1;
}

uint32_t stack_tree_child(struct stack_tree *s, struct timeline *t, uint32_t parent, uint32_t name)
{
    if (!s->count && !tree_grow(s)) {
        timeline_nomem(t);
        return STACK_ROOT;
    }
    name = tree_name(s, t, name);
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
    s->nodes[s->count] =
        (struct stack_node){.parent = parent, .name = name, .depth = s->nodes[parent].depth + 1};
    return (uint32_t)s->count++;
}

static uint32_t tree_of_track(struct stack_tree *s, struct timeline *t, uint32_t track)
{
    return stack_tree_child(s, t, STACK_ROOT, t->tracks[track].name);
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
    uint32_t node = stack_tree_child(s, t, parent, e->name);
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
        node = stack_tree_child(s, t, node, stack_tree_name(t, &e->frames[i]));
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

struct tree_sort {
    const struct stack_tree *tree;
    const struct timeline *t;
};

/* The names of two children of one node, each followed by a semicolon unless it is the last. */
static int by_names(struct timeline_name a, bool a_last, struct timeline_name b, bool b_last)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter ? memcmp(a.at, b.at, shorter) : 0;
    if (order)
        return order;
    int x = a.len > shorter ? (uint8_t)a.at[shorter] : a_last ? -1 : ';';
    int y = b.len > shorter ? (uint8_t)b.at[shorter] : b_last ? -1 : ';';
    return x - y;
}

static int by_path(const void *a, const void *b, void *context)
{
    const struct tree_sort *s = context;
    const struct stack_node *nodes = s->tree->nodes;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b, x_end = x, y_end = y;
    while (nodes[x].depth > nodes[y].depth)
        x = nodes[x].parent;
    while (nodes[y].depth > nodes[x].depth)
        y = nodes[y].parent;
    if (x == y) /* one is above the other */
        return nodes[x_end].depth < nodes[y_end].depth ? -1 : 1;
    while (nodes[x].parent != nodes[y].parent) {
        x = nodes[x].parent;
        y = nodes[y].parent;
    }
    return by_names(timeline_name(s->t, nodes[x].name), x == x_end,
                    timeline_name(s->t, nodes[y].name), y == y_end);
}

uint32_t *stack_tree_sorted(const struct stack_tree *s, const struct timeline *t)
{
    struct tree_sort context = {s, t};
    uint32_t *to = calloc(s->count + 1, sizeof *to);
    for (size_t i = 1; to && i < s->count; i++)
        to[i - 1] = (uint32_t)i;
    if (to && s->count > 2)
        sort_with(to, s->count - 1, sizeof *to, by_path, &context);
    return to;
}

void stack_tree_free(struct stack_tree *s)
{
    free(s->nodes);
    free(s->renamed);
    id_table_free(&s->children);
}
