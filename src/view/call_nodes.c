/* call_nodes.c - the call tree of a trace, or of two: nodes by path, with the figures of both.
 *
 * A path is the names of the functions from the outermost on, so that two recordings of one program
 * meet in their nodes whatever their addresses and numbers are. Modules are a part of it where
 * there is one recording: those of two may be in different directories. */
#include "view/call_nodes.h"
#include "base/memory.h"
#include "base/sort.h"
#include "codec/fnv1a.h"

#include <stdlib.h>

struct figures {
    uint64_t count, total, self;
};

struct call_node {
    uint32_t parent; /* 0: none; nodes count from 1 */
    uint32_t depth;
    struct ras_bytes group, name, module;
    uint64_t unfinished;
    struct figures of[2];
    bool in[2];
    bool shown;
};

struct call_nodes {
    struct call_node *at; /* at[0] is node 1 */
    size_t count, room;
    uint32_t *slots; /* open addressing; 0: free */
    size_t slot_count;
    uint32_t *path; /* the node of each depth, while rows are walked */
    size_t path_room;
    bool by_name; /* nodes of one name are one, whatever their modules */
};

/* Which cells of a row are what; -1: none. */
struct tree_columns {
    int group, depth, name, module, count, total, self, unfinished;
    unsigned width;
};

/* ---- reading a table ------------------------------------------------------------------------ */

static bool cell_begins(const struct ras_value *cell, const char *text)
{
    size_t len = strlen(text);
    return cell->kind == RAS_STR && cell->count >= len && !memcmp(cell->at, text, len);
}

static int tree_column(const struct ras_value *names, const char *const *words)
{
    const struct ras_value *end = ras_value_next(names);
    for (; *words; words++)
        for (const struct ras_value *v = names + 1; v < end; v++)
            if (cell_begins(v, *words))
                return (int)(v - names) - 1;
    return -1;
}

static struct tree_columns tree_columns(const struct ras_value *names)
{
    return (struct tree_columns){
        .group = tree_column(names, (const char *const[]){"group", "thread", NULL}),
        .depth = tree_column(names, (const char *const[]){"depth", NULL}),
        .name = tree_column(names, (const char *const[]){"function", NULL}),
        .module = tree_column(names, (const char *const[]){"module", "location", NULL}),
        .count = tree_column(names, (const char *const[]){"count", "in_poll", NULL}),
        .total = tree_column(names, (const char *const[]){"total_", NULL}),
        .self = tree_column(names, (const char *const[]){"self_", NULL}),
        .unfinished = tree_column(names, (const char *const[]){"unfinished", NULL}),
        .width = names->count,
    };
}

static struct ras_bytes row_bytes_at(const struct ras_value *row, int column)
{
    const struct ras_value *v = row + 1 + column;
    bool text = column >= 0 && v->kind == RAS_STR;
    return (struct ras_bytes){text ? v->at : NULL, text ? v->count : 0};
}

static uint64_t row_uint_at(const struct ras_value *row, int column)
{
    const struct ras_value *v = row + 1 + column;
    return column >= 0 && (v->kind == RAS_UINT || v->kind == RAS_INT) ? v->u : 0;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool bytes_equal(struct ras_bytes a, struct ras_bytes b)
{
    return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

static uint64_t node_hash(const struct call_nodes *n, const struct call_node *node)
{
    uint64_t hash = fnv1a_bytes(FNV1A_START, &node->parent, sizeof node->parent);
    hash = fnv1a_bytes(hash, node->group.at, node->group.len);
    hash = fnv1a_bytes(hash, node->name.at, node->name.len);
    return n->by_name ? hash : fnv1a_bytes(hash, node->module.at, node->module.len);
}

static bool node_same(const struct call_nodes *n, const struct call_node *a,
                      const struct call_node *b)
{
    return a->parent == b->parent && bytes_equal(a->group, b->group) &&
           bytes_equal(a->name, b->name) && (n->by_name || bytes_equal(a->module, b->module));
}

static bool node_slots_grow(struct call_nodes *n)
{
    if (n->count + 1 < n->slot_count / 2)
        return true;
    size_t count = n->slot_count ? n->slot_count * 2 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < n->count; i++) {
        size_t at = node_hash(n, &n->at[i]) & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(n->slots);
    n->slots = slots;
    n->slot_count = count;
    return true;
}

/* The node like this one, which is added if there is none; 0: memory is short. */
static uint32_t node_of(struct call_nodes *n, const struct call_node *like)
{
    if (!node_slots_grow(n) || n->count >= UINT32_MAX - 1 ||
        !array_grow(&n->at, &n->room, n->count + 1, sizeof *n->at))
        return 0;
    size_t at = node_hash(n, like) & (n->slot_count - 1);
    for (; n->slots[at]; at = (at + 1) & (n->slot_count - 1))
        if (node_same(n, &n->at[n->slots[at] - 1], like))
            return n->slots[at];
    n->at[n->count] = *like;
    return n->slots[at] = (uint32_t)++n->count;
}

static bool nodes_add_row(struct call_nodes *n, const struct ras_value *row,
                          const struct tree_columns *c, int side)
{
    uint64_t depth = row_uint_at(row, c->depth);
    if (!depth || depth > CALLS_NODES_MOST)
        return true;
    if (!array_grow(&n->path, &n->path_room, (size_t)depth + 1, sizeof *n->path))
        return false;
    const struct call_node like = {.parent = depth > 1 ? n->path[depth - 1] : 0,
                                   .depth = (uint32_t)depth - 1,
                                   .group = row_bytes_at(row, c->group),
                                   .name = row_bytes_at(row, c->name),
                                   .module = row_bytes_at(row, c->module)};
    uint32_t id = n->path[depth] = node_of(n, &like);
    if (!id)
        return false;
    struct call_node *node = &n->at[id - 1];
    if (!side)
        node->unfinished += row_uint_at(row, c->unfinished);
    node->in[side] = true;
    node->of[side].count += row_uint_at(row, c->count);
    node->of[side].total += row_uint_at(row, c->total);
    node->of[side].self += row_uint_at(row, c->self);
    return true;
}

static bool nodes_add(struct call_nodes *n, const struct ras_value *table, int side)
{
    const struct ras_value *rows = ras_value_member(table, "rows"), *end = ras_value_next(rows);
    struct tree_columns c = tree_columns(ras_value_member(table, "columns"));
    for (const struct ras_value *r = rows + 1; r < end; r = ras_value_next(r))
        if (r->kind != RAS_LIST || r->count < c.width || !nodes_add_row(n, r, &c, side))
            return false;
    return true;
}

static uint64_t node_weight(const struct call_node *node)
{
    uint64_t a = node->of[0].total, b = node->of[1].total;
    return a > b ? a : b;
}

static int compare_weights(const void *a, const void *b, void *user)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    (void)user;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Which nodes are shown: those with the largest totals whose callers are, too. */
static bool nodes_choose(struct call_nodes *n)
{
    uint64_t least = 0;
    if (n->count > CALLS_NODES_MOST) {
        uint64_t *weights = malloc(n->count * sizeof *weights);
        if (!weights)
            return false;
        for (size_t i = 0; i < n->count; i++)
            weights[i] = node_weight(&n->at[i]);
        sort_with(weights, n->count, sizeof *weights, compare_weights, NULL);
        least = weights[CALLS_NODES_MOST - 1];
        free(weights);
    }
    for (size_t i = 0, shown = 0; i < n->count; i++) {
        struct call_node *node = &n->at[i];
        node->shown = node_weight(node) >= least && shown < CALLS_NODES_MOST &&
                      (!node->parent || n->at[node->parent - 1].shown);
        shown += node->shown;
    }
    return true;
}

/* ---- as JSON -------------------------------------------------------------------------------- */

static void put_number_text(struct json *j, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    json_text(j, key, text);
}

static void put_bytes_or_null(struct json *j, const char *key, struct ras_bytes text)
{
    if (text.at)
        json_string(j, key, text.at, text.len);
    else
        json_null(j, key);
}

static void put_node(struct json *j, uint32_t id, const struct call_node *node, bool both)
{
    json_object(j, NULL);
    json_uint(j, "id", id);
    json_uint(j, "parent", node->parent);
    json_uint(j, "depth", node->depth);
    if (node->group.at)
        json_string(j, "group", node->group.at, node->group.len);
    json_string(j, "name", node->name.at ? (const void *)node->name.at : "", node->name.len);
    put_bytes_or_null(j, "module", node->module);
    json_uint(j, "count", node->of[0].count);
    put_number_text(j, "total", node->of[0].total);
    put_number_text(j, "self", node->of[0].self);
    if (node->unfinished)
        json_uint(j, "unfinished", node->unfinished);
    if (both) {
        json_uint(j, "other_count", node->of[1].count);
        put_number_text(j, "other_total", node->of[1].total);
        put_number_text(j, "other_self", node->of[1].self);
    }
    json_close(j);
}

static void put_nodes(struct json *j, const struct call_nodes *n, bool both)
{
    uint64_t totals[2] = {0, 0}, left_out = 0;
    json_array(j, "nodes");
    for (size_t i = 0; i < n->count; i++) {
        if (n->at[i].shown)
            put_node(j, (uint32_t)i + 1, &n->at[i], both);
        left_out += !n->at[i].shown;
        for (int side = 0; side < 2 && !n->at[i].parent; side++)
            totals[side] += n->at[i].of[side].total;
    }
    json_close(j);
    put_number_text(j, "total", totals[0]);
    if (both)
        put_number_text(j, "other_total", totals[1]);
    json_uint(j, "left_out", left_out);
}

static void put_coverage(struct json *j, const char *key, const struct ras_value *table)
{
    const struct ras_value *text = ras_value_member(table, "coverage");
    if (text && text->kind == RAS_STR)
        json_string(j, key, text->at, text->count);
    else
        json_null(j, key);
}

bool calls_put(struct json *j, const struct ras_stats *of, const struct ras_stats *other)
{
    const struct ras_value *tables[2] = {
        ras_value_member(of->tables, "tree"),
        other ? ras_value_member(other->tables, "tree") : NULL,
    };
    struct call_nodes n = {.by_name = other != NULL};
    bool fine = true;
    for (int side = 0; side < 2 && fine; side++)
        fine = !tables[side] || nodes_add(&n, tables[side], side);
    fine = fine && nodes_choose(&n);
    if (fine && tables[0]) {
        const struct ras_value *names = ras_value_member(tables[0], "columns");
        const char *const samples[] = {"total_samples", NULL};
        json_text(j, "unit", tree_column(names, samples) >= 0 ? "samples" : "ns");
        put_coverage(j, "coverage", tables[0]);
        if (tables[1])
            put_coverage(j, "other_coverage", tables[1]);
        put_nodes(j, &n, other);
    }
    free(n.at);
    free(n.slots);
    free(n.path);
    return fine;
}
