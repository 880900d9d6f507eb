/* dial9_tree.c - samples as a tree of callers, by kind and worker, task or spawn location.
 *
 * A tree counts samples, not time: how long a thread was off the CPU is not recorded. On and off
 * the CPU are never added up. The walk is that of the statistics, which know in whose poll a sample
 * is; stacks are kept by number with their counts, and become trees when the symbols are known. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"

#include <stdlib.h>

enum tree_by { BY_KIND, BY_WORKER, BY_TASK, BY_SPAWN };
static const char *const by_words[] = {"kind", "worker", "task", "spawn", NULL};

struct tree_group {
    uint64_t of; /* worker, task or text; RAS_NONE: not known */
    uint64_t total;
    size_t first; /* of its stacks, once they are sorted */
    bool off;
};

struct tree_stack {
    uint32_t group, stack;
    uint64_t count, in_poll;
};

struct tree_samples {
    enum tree_by by;
    const struct ras_tree_options *asked;
    struct id_table group_ids[2]; /* on and off the CPU */
    struct tree_group *groups;
    size_t group_count, group_room;
    struct id_table stack_ids; /* group << 32 | stack */
    struct tree_stack *stacks;
    size_t stack_count, stack_room;
    uint64_t alone; /* samples without a stack */
};

/* ---- samples -------------------------------------------------------------------------- */

static uint64_t group_of(const struct tree_samples *t, const struct dial9_stats *d,
                         const struct worker *w, bool in_poll)
{
    if (t->by == BY_KIND)
        return 0;
    if (t->by == BY_WORKER)
        return w ? w->id : RAS_NONE;
    if (!in_poll || !w)
        return RAS_NONE;
    if (t->by == BY_TASK)
        return w->poll_task;
    return w->poll_text < d->texts.count ? w->poll_text : RAS_NONE;
}

static uint32_t group_index(struct tree_samples *t, uint64_t of, bool off)
{
    uint32_t index = id_table_find(&t->group_ids[off], of);
    if (index != ID_TABLE_NONE)
        return index;
    index = (uint32_t)t->group_count;
    if (index >= LIVE_MOST ||
        !array_grow(&t->groups, &t->group_room, t->group_count + 1, sizeof *t->groups) ||
        !id_table_add(&t->group_ids[off], of, index))
        return ID_TABLE_NONE;
    t->groups[t->group_count++] = (struct tree_group){.of = of, .off = off};
    return index;
}

static struct tree_stack *stack_of(struct tree_samples *t, uint32_t group, uint32_t stack)
{
    uint64_t key = (uint64_t)group << 32 | stack;
    uint32_t index = id_table_find(&t->stack_ids, key);
    if (index != ID_TABLE_NONE)
        return &t->stacks[index];
    if (!array_grow(&t->stacks, &t->stack_room, t->stack_count + 1, sizeof *t->stacks) ||
        !id_table_add(&t->stack_ids, key, (uint32_t)t->stack_count))
        return NULL;
    t->stacks[t->stack_count] = (struct tree_stack){.group = group, .stack = stack};
    return &t->stacks[t->stack_count++];
}

void dial9_tree_sample(struct dial9_stats *d, const struct fact *f, const struct worker *w,
                       bool in_poll)
{
    struct tree_samples *t = d->tree;
    bool off = f->small != 0;
    if (f->ref == NO_STACK) {
        t->alone++;
        return;
    }
    uint32_t group = group_index(t, group_of(t, d, w, in_poll), off);
    struct tree_stack *s = group == ID_TABLE_NONE ? NULL : stack_of(t, group, f->ref);
    if (!s) {
        stats_nomem(d);
        return;
    }
    s->count++;
    s->in_poll += in_poll;
    t->groups[group].total++;
}

/* ---- trees ---------------------------------------------------------------------------- */

/* A tree of one group under construction: what nodes have beside their counts. */
struct grown {
    struct flame flame;
    struct grown_node {
        uint32_t parent, symbol; /* 1 + index of a symbol; 0: none */
        uint32_t place;          /* 1 + where it is in `order` */
        uint64_t self, in_poll;
    } * more;
    size_t room;
    uint32_t *order; /* nodes by parent, then as they are shown */
    uint32_t *first; /* of each node: where its children begin in `order` */
};

static bool grow_step(struct grown *g, uint32_t *at, uint32_t name, const struct symbol *symbol,
                      const struct tree_stack *s, const struct dial9_stats *d)
{
    uint32_t parent = *at;
    if (d->tree->asked->fold_recursion && parent && g->flame.nodes[parent].name == name)
        return true;
    if (!dial9_flame_step(&g->flame, at, name, s->count))
        return false;
    size_t had = g->room;
    if (!array_grow(&g->more, &g->room, g->flame.count, sizeof *g->more))
        return false;
    if (g->room > had)
        memset(g->more + had, 0, (g->room - had) * sizeof *g->more);
    struct grown_node *n = &g->more[*at];
    n->parent = parent;
    n->in_poll += s->in_poll;
    if (symbol && !n->symbol)
        n->symbol = (uint32_t)(symbol - d->symbols) + 1;
    return true;
}

/* From the outermost caller on: a stack is stored the other way round. */
static bool grow_stack(struct dial9_stats *d, struct grown *g, const struct tree_stack *t)
{
    const struct stack *s = &d->stacks[t->stack];
    uint32_t at = 0;
    for (uint64_t i = s->length; i--;) {
        uint64_t address = d->addresses[s->first + i];
        size_t symbol = dial9_symbols_at(d, address), first = symbol;
        for (; symbol < d->symbol_count && d->symbols[symbol].address == address; symbol++)
            if (!grow_step(g, &at, d->symbols[symbol].text, &d->symbols[symbol], t, d))
                return false;
        if (symbol == first && !grow_step(g, &at, dial9_stats_nameless(d, address), NULL, t, d))
            return false;
    }
    if (at)
        g->more[at].self += t->count;
    return true;
}

/* ---- the order of what is shown ----------------------------------------------------------- */

struct ordering {
    const struct dial9_stats *d;
    const struct grown *g;
};

static int by_name(const struct dial9_stats *d, uint32_t a, uint32_t b)
{
    bool named = a < d->texts.count && b < d->texts.count;
    if (!named)
        return (a > b) - (a < b);
    const struct intern_entry *x = &d->texts.entries[a], *y = &d->texts.entries[b];
    size_t shared = x->len < y->len ? x->len : y->len;
    int order = shared ? memcmp(x->at, y->at, shared) : 0;
    return order ? order : (x->len > y->len) - (x->len < y->len);
}

static int by_place(const void *a, const void *b, void *user)
{
    const struct ordering *o = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct flame_node *p = &o->g->flame.nodes[x], *q = &o->g->flame.nodes[y];
    enum ras_tree_sort sort = o->d->tree->asked->sort;
    uint64_t self_x = o->g->more[x].self, self_y = o->g->more[y].self;
    if (o->g->more[x].parent != o->g->more[y].parent)
        return o->g->more[x].parent < o->g->more[y].parent ? -1 : 1;
    if (sort == RAS_TREE_SELF && self_x != self_y)
        return self_x > self_y ? -1 : 1;
    if (sort != RAS_TREE_NAME && p->count != q->count)
        return p->count > q->count ? -1 : 1;
    return by_name(o->d, p->name, q->name);
}

/* Children side by side, each list as it is shown. */
static bool settle(struct dial9_stats *d, struct grown *g)
{
    size_t n = g->flame.count;
    struct ordering o = {d, g};
    g->order = calloc(n + 1, sizeof *g->order);
    g->first = calloc(n + 1, sizeof *g->first);
    if (!g->order || !g->first)
        return false;
    for (uint32_t i = 1; i < n; i++)
        g->order[i - 1] = i;
    if (n > 2)
        qsort_r(g->order, n - 1, sizeof *g->order, by_place, &o);
    for (size_t i = n - 1; i--;) {
        g->more[g->order[i]].place = (uint32_t)i + 1;
        g->first[g->more[g->order[i]].parent] = (uint32_t)i + 1; /* 0: it has no children */
    }
    return true;
}

/* The next sibling of the node at a place of the order; 0: it is the last. */
static size_t next_place(const struct grown *g, size_t place)
{
    uint32_t parent = g->more[g->order[place - 1]].parent;
    bool more = place < g->flame.count - 1 && g->more[g->order[place]].parent == parent;
    return more ? place + 1 : 0;
}

/* ---- rows --------------------------------------------------------------------------------- */

static double share(const struct dial9_stats *d, const struct tree_group *group, uint64_t count)
{
    return 100 * (double)count / (double)d->samples[group->off];
}

static bool is_shown(const struct dial9_stats *d, const struct tree_group *group,
                     const struct flame_node *n)
{
    const struct ras_tree_options *o = d->tree->asked;
    return (!o->depth || n->depth <= o->depth) && share(d, group, n->count) >= o->min_percent;
}

static void put_group(struct dial9_stats *d, const struct tree_group *group)
{
    const char *kind = group->off ? "off-CPU" : "on-CPU";
    struct document *doc = &d->s->doc;
    char text[400];
    int len = snprintf(text, sizeof text, "%s", kind);
    if (d->tree->by == BY_SPAWN && group->of != RAS_NONE) {
        const struct intern_entry *e = &d->texts.entries[group->of];
        len = snprintf(text, sizeof text, "%s, spawned at %.*s", kind,
                       (int)(e->len < 300 ? e->len : 300), (const char *)e->at);
    } else if (d->tree->by != BY_KIND && group->of != RAS_NONE) {
        len =
            snprintf(text, sizeof text, "%s, %s %" PRIu64, kind, by_words[d->tree->by], group->of);
    } else if (d->tree->by != BY_KIND) {
        len = snprintf(text, sizeof text, "%s, %s", kind,
                       d->tree->by == BY_WORKER ? "no worker" : "outside polls");
    }
    document_text(doc, text, (size_t)len);
}

static void put_node(struct dial9_stats *d, const struct tree_group *group, const struct grown *g,
                     uint32_t node)
{
    struct document *doc = &d->s->doc;
    const struct flame_node *n = &g->flame.nodes[node];
    const struct grown_node *more = &g->more[node];
    struct frame_text place = {{0}, 0};
    uint64_t hidden = 0;
    for (size_t at = g->first[node]; at; at = next_place(g, at))
        hidden += !is_shown(d, group, &g->flame.nodes[g->order[at - 1]]);
    if (more->symbol)
        dial9_frame_place(d, &(struct frame){.symbol = &d->symbols[more->symbol - 1]}, &place);
    size_t row = stats_row(d->s);
    put_group(d, group);
    document_uint(doc, n->depth);
    dial9_stats_put_text(d, n->name);
    if (place.len)
        document_text(doc, place.text, place.len);
    else
        document_null(doc);
    document_uint(doc, more->in_poll);
    document_uint(doc, n->count);
    document_uint(doc, more->self);
    document_f64(doc, share(d, group, n->count));
    document_uint(doc, 0);
    document_uint(doc, hidden);
    stats_row_end(d->s, row);
}

/* Callers before what they called, without a stack of our own. */
static void put_below(struct dial9_stats *d, const struct tree_group *group, const struct grown *g)
{
    size_t at = g->first[0];
    while (at) {
        uint32_t node = g->order[at - 1];
        bool shown = is_shown(d, group, &g->flame.nodes[node]);
        if (shown)
            put_node(d, group, g, node);
        if (shown && g->first[node]) {
            at = g->first[node];
            continue;
        }
        size_t next;
        while (!(next = next_place(g, at)) && g->more[node].parent) {
            node = g->more[node].parent;
            at = g->more[node].place;
        }
        at = next;
    }
}

static bool put_tree_of(struct dial9_stats *d, uint32_t index)
{
    const struct tree_samples *t = d->tree;
    struct grown g = {.room = 0};
    bool ok = array_grow(&g.flame.nodes, &g.flame.room, 1, sizeof *g.flame.nodes) &&
              array_grow(&g.more, &g.room, 1, sizeof *g.more);
    if (ok) {
        memset(g.more, 0, g.room * sizeof *g.more);
        g.flame.nodes[g.flame.count++] = (struct flame_node){.name = NO_TEXT};
    }
    for (size_t i = t->groups[index].first; ok && i < t->stack_count; i++) {
        if (t->stacks[i].group != index)
            break;
        ok = grow_stack(d, &g, &t->stacks[i]);
    }
    ok = ok && settle(d, &g);
    if (ok)
        put_below(d, &t->groups[index], &g);
    dial9_flame_free(&g.flame);
    free(g.more);
    free(g.order);
    free(g.first);
    return ok;
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* On the CPU first; then the groups with the most samples. */
static int by_total(const void *a, const void *b, void *groups)
{
    const struct tree_group *x = (struct tree_group *)groups + *(const uint32_t *)a;
    const struct tree_group *y = (struct tree_group *)groups + *(const uint32_t *)b;
    if (x->off != y->off)
        return x->off - y->off;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (x->of > y->of) - (x->of < y->of);
}

static int by_group(const void *a, const void *b)
{
    const struct tree_stack *x = a, *y = b;
    return (x->group > y->group) - (x->group < y->group);
}

static void put_trees(struct dial9_stats *d)
{
    static const char *const columns[] = {
        "group",        "depth",         "function",   "location", "in_poll", "total_samples",
        "self_samples", "share_percent", "unfinished", "hidden",   NULL};
    struct tree_samples *t = d->tree;
    uint32_t *order = calloc(t->group_count + 1, sizeof *order);
    stats_table(d->s, "tree", columns);
    for (uint32_t i = 0; order && i < t->group_count; i++)
        order[i] = i;
    if (order && t->group_count)
        qsort_r(order, t->group_count, sizeof *order, by_total, t->groups);
    if (t->stack_count)
        qsort(t->stacks, t->stack_count, sizeof *t->stacks, by_group);
    for (size_t i = t->stack_count; i--;)
        t->groups[t->stacks[i].group].first = i;
    bool ok = order;
    for (size_t i = 0; ok && i < t->group_count; i++)
        ok = put_tree_of(d, order[i]);
    if (!ok)
        stats_nomem(d);
    free(order);
    if (!d->samples[0] && !d->samples[1])
        stats_table_end(d->s, "no samples: the %s has no CpuSampleEvent",
                        d->s->asked->axis ? "range" : "trace");
    else
        stats_table_end(d->s,
                        "samples on the CPU: %" PRIu64 ", off it: %" PRIu64
                        ", without a stack: %" PRIu64
                        "; shares are of all samples of a kind; addresses with symbols: %" PRIu64,
                        d->samples[0], d->samples[1], t->alone, d->symbol_addresses);
}

static int choose(struct tree_samples *t, struct ras_error *err)
{
    const struct ras_tree_options *o = t->asked;
    const char *by = o->by ? o->by : o->by_thread ? "worker" : "kind";
    if (o->thread_count)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "samples of one thread cannot be chosen: group them by worker");
    for (int i = 0; by_words[i]; i++)
        if (!strcmp(by, by_words[i])) {
            t->by = (enum tree_by)i;
            return RAS_OK;
        }
    return fail(err, RAS_EUSAGE, RAS_NONE,
                "samples are grouped by kind, worker, task or spawn, not"
                " by '%.40s'",
                by);
}

int dial9_tree(struct ras_trace *trace, struct stats *s, const struct ras_tree_options *asked,
               struct ras_error *err)
{
    struct tree_samples t = {.asked = asked};
    int status = choose(&t, err);
    if (status == RAS_OK)
        status = dial9_stats_run(trace, s, &t, put_trees, err);
    for (int i = 0; i < 2; i++)
        id_table_free(&t.group_ids[i]);
    id_table_free(&t.stack_ids);
    free(t.groups);
    free(t.stacks);
    return status;
}
