/* call_tree.c - calls or samples folded by path, the selection of functions, and the rows.
 *
 * Nodes are found by their parent and function, so that memory grows with the number of different
 * paths, not with the calls. A call that is left out has the node of its caller: its own time is
 * the caller's, and its calls are calls of the caller. Where the tree begins with some functions, a
 * call outside of them has the root as its node. */
#include "ops/stats/call_tree.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { EXCLUDED = 1, FOCUSED = 2, OF_CALLERS = 4 };

/* ---- nodes ------------------------------------------------------------------------ */

static uint32_t node_new(struct call_tree *t, uint32_t parent, uint32_t name, size_t group)
{
    if (!array_grow(&t->nodes, &t->room, t->count + 1, sizeof *t->nodes))
        return CALL_NO_NODE;
    bool root = parent == CALL_NO_NODE;
    t->nodes[t->count] = (struct call_node){.name = name,
                                            .parent = parent,
                                            .depth = root ? 0 : t->nodes[parent].depth + 1,
                                            .first = CALL_NO_NODE,
                                            .next = CALL_NO_NODE,
                                            .group = group};
    return (uint32_t)t->count++;
}

uint32_t call_tree_root(struct call_tree *t, size_t group)
{
    return node_new(t, CALL_NO_NODE, CALL_NO_NODE, group);
}

/* The node of a function called from another one; CALL_NO_NODE: memory is short. */
static uint32_t node_below(struct call_tree *t, uint32_t parent, uint32_t name)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t found = id_table_find(&t->children, key);
    if (found != ID_TABLE_NONE)
        return found;
    if (t->count >= CALL_NODES_MOST) {
        t->folded++;
        return parent;
    }
    found = node_new(t, parent, name, 0);
    if (found == CALL_NO_NODE || !id_table_add(&t->children, key, found))
        return CALL_NO_NODE;
    t->nodes[found].next = t->nodes[parent].first;
    t->nodes[parent].first = found;
    return found;
}

static bool is_chosen(const struct call_tree *t, uint32_t name, unsigned choice)
{
    return name < t->name_count && t->choices[name] & choice;
}

bool call_tree_excludes(const struct call_tree *t, uint32_t name)
{
    return is_chosen(t, name, EXCLUDED);
}

bool call_tree_focuses(const struct call_tree *t, uint32_t name)
{
    return !t->options->focus.count || is_chosen(t, name, FOCUSED);
}

uint32_t call_tree_enter(struct call_tree *t, uint32_t above, uint32_t name, bool *counts)
{
    uint32_t caller = t->nodes[above].name;
    *counts = false;
    if (call_tree_excludes(t, name) || (caller == CALL_NO_NODE && !call_tree_focuses(t, name)))
        return above;
    *counts = true;
    return t->options->fold_recursion && caller == name ? above : node_below(t, above, name);
}

/* ---- names ------------------------------------------------------------------------ */

struct pattern_list {
    const struct ras_tree_names *names;
    uint8_t choice;
};

static size_t lists(const struct call_tree *t, struct pattern_list to[3])
{
    const struct ras_tree_options *o = t->options;
    to[0] = (struct pattern_list){&o->callers, OF_CALLERS};
    to[1] = (struct pattern_list){&o->focus, FOCUSED};
    to[2] = (struct pattern_list){&o->exclude, EXCLUDED};
    return o->callers.count + o->focus.count + o->exclude.count;
}

static uint8_t choice_of(struct call_tree *t, const char *text, size_t len)
{
    struct pattern_list of[3];
    uint8_t choice = 0;
    size_t at = 0;
    (void)lists(t, of);
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < of[i].names->count; k++, at++)
            if (function_matches(of[i].names->at[k], text, len)) {
                choice |= of[i].choice;
                t->matched[at] = 1;
            }
    return choice;
}

bool call_tree_name(struct call_tree *t, uint32_t name, const char *text, size_t len)
{
    struct pattern_list of[3];
    size_t patterns = lists(t, of);
    if (!patterns || (name < t->name_count && t->names[name]))
        return true;
    if (!t->matched && !(t->matched = calloc(patterns, 1)))
        return false;
    size_t need = (size_t)name + 1;
    if (!array_grow(&t->choices, &t->choice_room, need, sizeof *t->choices) ||
        !array_grow(&t->names, &t->name_room, need, sizeof *t->names))
        return false;
    for (; t->name_count < need; t->name_count++) { /* skipped numbers, too */
        t->choices[t->name_count] = 0;
        t->names[t->name_count] = NULL;
    }
    char plain[200];
    function_plain_name(text, len, plain, sizeof plain);
    t->choices[name] = choice_of(t, text, len);
    return (t->names[name] = text_copy(plain, strlen(plain)));
}

int call_tree_check(const struct call_tree *t, struct ras_error *err)
{
    struct pattern_list of[3];
    size_t at = 0;
    (void)lists(t, of);
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < of[i].names->count; k++, at++) {
            struct ras_near near;
            char text[200];
            if (t->matched && t->matched[at])
                continue;
            ras_near_start(&near, of[i].names->at[k]);
            for (size_t n = 0; n < t->name_count; n++)
                if (t->names[n])
                    ras_near_add(&near, t->names[n]);
            return fail_about(fail(err, RAS_EUSAGE, RAS_NONE,
                                   "there is no function '%.80s' in this tree%s",
                                   of[i].names->at[k], ras_near_text(&near, text, sizeof text)),
                              RAS_ABOUT_FUNCTION, err);
        }
    return RAS_OK;
}

/* ---- callers ---------------------------------------------------------------------- */

/* Add a node to those of its callers, from the root of the new tree on. `outer`: it is not inside
 * another call of its function. */
static bool book_path(struct call_tree *to, const struct call_tree *t, uint32_t root, uint32_t of,
                      bool outer)
{
    const struct call_node *from = &t->nodes[of];
    uint32_t at = root;
    for (uint32_t n = of; t->nodes[n].parent != CALL_NO_NODE; n = t->nodes[n].parent) {
        if (to->nodes[at].depth == CALL_LEVELS_MOST) {
            to->cut = true;
            break;
        }
        at = node_below(to, at, t->nodes[n].name);
        if (at == CALL_NO_NODE)
            return false;
        struct call_node *node = &to->nodes[at];
        node->count += outer || !t->samples ? from->count : 0;
        node->total += outer ? from->total : 0;
        node->self += from->self;
        node->unfinished += from->unfinished;
        if (!node->place)
            node->place = t->nodes[n].place;
    }
    return true;
}

/* The next node in preorder below a root; `*open` counts the calls around a node, by name. */
static uint32_t next_node(const struct call_tree *t, uint32_t at, uint32_t *open)
{
    if (t->nodes[at].first != CALL_NO_NODE)
        return t->nodes[at].first;
    while (t->nodes[at].parent != CALL_NO_NODE) {
        open[t->nodes[at].name]--;
        if (t->nodes[at].next != CALL_NO_NODE)
            return t->nodes[at].next;
        at = t->nodes[at].parent;
    }
    return CALL_NO_NODE;
}

static bool turn_root(struct call_tree *to, const struct call_tree *t, uint32_t root,
                      uint32_t *open)
{
    uint32_t new = call_tree_root(to, t->nodes[root].group);
    if (new == CALL_NO_NODE)
        return false;
    to->nodes[new].total = t->nodes[root].total;
    for (uint32_t at = t->nodes[root].first; at != CALL_NO_NODE; at = next_node(t, at, open)) {
        uint32_t name = t->nodes[at].name;
        bool outer = !open[name]++;
        if (is_chosen(t, name, OF_CALLERS) && !book_path(to, t, new, at, outer))
            return false;
    }
    return true;
}

bool call_tree_callers(struct call_tree *t)
{
    struct call_tree to = {.options = t->options, .folded = t->folded};
    if (!t->options->callers.count)
        return true;
    uint32_t *open = calloc(t->name_count + 1, sizeof *open);
    bool good = open;
    for (uint32_t i = 0; good && i < t->count; i++)
        if (t->nodes[i].parent == CALL_NO_NODE)
            good = turn_root(&to, t, i, open);
    free(open);
    free(t->nodes);
    id_table_free(&t->children);
    t->nodes = to.nodes;
    t->count = to.count;
    t->room = to.room;
    t->children = to.children;
    t->folded = to.folded;
    t->cut |= to.cut;
    return good;
}

/* ---- rows ------------------------------------------------------------------------- */

struct sibling {
    uint64_t key;
    uint32_t name, node;
};

static int by_key(const void *a, const void *b, void *rows)
{
    const struct sibling *x = a, *y = b;
    const struct call_rows *r = rows;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    int order = r->by_name(r->user, x->name, y->name);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

static uint64_t key_of(const struct call_tree *t, const struct call_node *n)
{
    switch (t->options->sort) {
    case RAS_TREE_SELF:
        return n->self;
    case RAS_TREE_COUNT:
        return t->samples ? n->total : n->count;
    case RAS_TREE_NAME:
        return 0;
    default:
        return n->total;
    }
}

/* Sort the nodes below one by the requested order. */
static bool sort_below(struct call_tree *t, struct call_node *n, const struct call_rows *rows,
                       struct sibling **list, size_t *room)
{
    size_t count = 0;
    for (uint32_t i = n->first; i != CALL_NO_NODE; i = t->nodes[i].next) {
        if (!array_grow(list, room, count + 1, sizeof **list))
            return false;
        (*list)[count++] =
            (struct sibling){.key = key_of(t, &t->nodes[i]), .name = t->nodes[i].name, .node = i};
    }
    if (count > 1)
        sort_with(*list, count, sizeof **list, by_key, (void *)(uintptr_t)rows);
    uint32_t *link = &n->first;
    for (size_t i = 0; i < count; i++) {
        *link = (*list)[i].node;
        link = &t->nodes[*link].next;
    }
    if (count)
        *link = CALL_NO_NODE;
    return true;
}

static double share(const struct call_node *n, uint64_t whole)
{
    return whole ? 100.0 * (double)n->total / (double)whole : 0;
}

static bool is_shown(const struct call_tree *t, const struct call_node *n, uint64_t whole)
{
    bool deep = t->options->depth && n->depth > t->options->depth;
    return !deep && share(n, whole) >= t->options->min_percent;
}

/* Callers before their callees, without recursion: trees may be deep. */
static void put_below(struct call_tree *t, uint32_t root, const struct call_rows *rows)
{
    uint64_t whole = rows->whole(rows->user, &t->nodes[root]);
    uint32_t at = t->nodes[root].first;
    while (at != CALL_NO_NODE) {
        const struct call_node *n = &t->nodes[at];
        bool shown = is_shown(t, n, whole);
        uint64_t hidden = 0;
        for (uint32_t i = shown ? n->first : CALL_NO_NODE; i != CALL_NO_NODE; i = t->nodes[i].next)
            hidden += !is_shown(t, &t->nodes[i], whole);
        if (shown)
            rows->put(rows->user, n, &t->nodes[root], share(n, whole), hidden);
        if (shown && n->first != CALL_NO_NODE) {
            at = n->first;
            continue;
        }
        while (at != root && t->nodes[at].next == CALL_NO_NODE)
            at = t->nodes[at].parent;
        at = at == root ? CALL_NO_NODE : t->nodes[at].next;
    }
}

bool call_tree_put(struct call_tree *t, const struct call_rows *rows)
{
    struct sibling *list = NULL;
    size_t room = 0;
    bool good = true;
    for (size_t i = 0; good && i < t->count; i++)
        good = sort_below(t, &t->nodes[i], rows, &list, &room);
    free(list);
    for (uint32_t i = 0; good && i < t->count; i++)
        if (t->nodes[i].parent == CALL_NO_NODE)
            put_below(t, i, rows);
    return good;
}

size_t call_tree_paths(const struct call_tree *t)
{
    size_t paths = 0;
    for (size_t i = 0; i < t->count; i++)
        paths += t->nodes[i].parent != CALL_NO_NODE;
    return paths;
}

void call_tree_clear(struct call_tree *t)
{
    t->count = 0;
    id_table_free(&t->children);
    t->children = (struct id_table){0};
}

void call_tree_free(struct call_tree *t)
{
    for (size_t i = 0; i < t->name_count; i++)
        free(t->names[i]);
    free((void *)t->names);
    free(t->choices);
    free(t->matched);
    free(t->nodes);
    id_table_free(&t->children);
}
