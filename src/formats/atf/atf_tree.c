/* atf_tree.c - the call tree of a session: calls of one path are one node.
 *
 * Nodes are found by their parent and function, so that memory grows with the paths that
 * differ, not with the calls. Beyond TREE_NODES_MOST a call is booked on its caller. */
#include "base/id_table.h"
#include "base/memory.h"
#include "formats/atf/atf_costs.h"

#include <stdlib.h>

#define TREE_NODES_MOST ((size_t)1 << 20)
#define NO_NODE         UINT32_MAX

struct tree_node {
    uint64_t count, total_ns, self_ns, unfinished;
    uint32_t cost; /* its function; of a root NO_NODE */
    uint32_t parent, depth, first, next;
    size_t thread; /* of a root */
};

struct atf_tree {
    struct ras_trace *trace;
    struct stats *s;
    const struct ras_tree_options *asked;
    struct ras_atf_session *session;
    struct atf_call_walk walk;
    struct atf_costs costs; /* names only */
    struct tree_node *nodes;
    size_t count, room;
    struct id_table children; /* parent << 32 | cost */
    uint32_t *path;           /* nodes of the open calls, by level; the root first */
    size_t path_room;
    size_t thread;
    bool wanted; /* the thread that is walked was asked for */
    uint64_t next_seq, calls, folded, all_ns;
    uint64_t reasons[RAS_ATF_NO_CALL + 1];
};

/* ---- the walk ------------------------------------------------------------------------- */

static uint32_t node_new(struct atf_tree *t, uint32_t parent, uint32_t cost)
{
    if (!array_grow(&t->nodes, &t->room, t->count + 1, sizeof *t->nodes))
        return NO_NODE;
    bool root = parent == NO_NODE;
    t->nodes[t->count] = (struct tree_node){.cost = cost,
                                            .parent = parent,
                                            .depth = root ? 0 : t->nodes[parent].depth + 1,
                                            .first = NO_NODE,
                                            .next = NO_NODE,
                                            .thread = t->thread};
    return (uint32_t)t->count++;
}

/* The node of a function called from another one; NO_NODE: memory is short. */
static uint32_t node_below(struct atf_tree *t, uint32_t parent, uint32_t cost)
{
    uint64_t key = (uint64_t)parent << 32 | cost;
    uint32_t found = id_table_find(&t->children, key);
    if (found != ID_TABLE_NONE)
        return found;
    if (t->count >= TREE_NODES_MOST) {
        t->folded++;
        return parent;
    }
    found = node_new(t, parent, cost);
    if (found == NO_NODE || !id_table_add(&t->children, key, found))
        return NO_NODE;
    t->nodes[found].next = t->nodes[parent].first;
    t->nodes[parent].first = found;
    return found;
}

static bool enter(void *user, const struct ras_atf_index_event *event, size_t level)
{
    struct atf_tree *t = user;
    const struct atf_process *p = &t->session->processes[t->session->threads[t->thread].process];
    struct atf_cost *cost = atf_cost_of(&t->costs, p, 0, event->function_id);
    if (!cost || !array_grow(&t->path, &t->path_room, level + 1, sizeof *t->path))
        return false;
    uint32_t above = t->path[level - 1], index = (uint32_t)(cost - t->costs.at);
    bool again = t->asked->fold_recursion && t->nodes[above].cost == index;
    uint32_t node = again ? above : node_below(t, above, index);
    if (node == NO_NODE)
        return false;
    t->path[level] = node;
    t->nodes[node].count++;
    t->calls++;
    return true;
}

static bool leave(void *user, const struct atf_left_call *call)
{
    struct atf_tree *t = user;
    t->reasons[call->span->reason]++;
    if (call->span->reason == RAS_ATF_NO_CALL)
        return true;
    struct tree_node *node = &t->nodes[t->path[call->level + 1]];
    node->unfinished += !call->timed;
    node->self_ns += call->self;
    uint64_t spent = call->timed ? call->took : call->inner;
    if (t->path[call->level] != t->path[call->level + 1]) /* else the caller has it */
        node->total_ns += spent;
    if (!call->level)
        t->nodes[t->path[0]].total_ns += spent;
    return true;
}

static bool is_asked(const struct atf_tree *t, uint64_t stream)
{
    for (size_t i = 0; i < t->asked->thread_count; i++)
        if (t->asked->threads[i] == stream)
            return true;
    return !t->asked->thread_count;
}

/* One root for all threads, or one each. */
static bool enter_thread(struct atf_tree *t, const struct ras_record *r)
{
    size_t i = 0;
    if (t->thread != SIZE_MAX && t->session->threads[t->thread].stream == r->stream)
        return true;
    if (t->thread != SIZE_MAX && !atf_call_walk_event(&t->walk, NULL, t->next_seq))
        return false;
    while (i + 1 < t->session->thread_count && t->session->threads[i].stream != r->stream)
        i++;
    t->thread = i;
    t->wanted = is_asked(t, r->stream);
    atf_call_walk_thread(&t->walk);
    if (!t->wanted || (t->count && !t->asked->by_thread))
        return true;
    t->path[0] = node_new(t, NO_NODE, NO_NODE);
    return t->path[0] != NO_NODE;
}

static int take(void *user, const struct ras_cursor *c, const struct ras_record *r,
                struct ras_error *err)
{
    struct atf_tree *t = user;
    (void)c;
    if (r->schema != ATF_EVENT)
        return RAS_OK;
    if (!enter_thread(t, r))
        return fail_memory(err);
    if (!t->wanted)
        return RAS_OK;
    struct ras_atf_index_event event = atf_event(r->raw);
    t->next_seq =
        (r->offset - t->session->threads[t->thread].index.at) / RAS_ATF_INDEX_EVENT_SIZE + 1;
    return atf_call_walk_event(&t->walk, &event, t->next_seq - 1) ? RAS_OK : fail_memory(err);
}

/* ---- the rows -------------------------------------------------------------------------- */

static int by_name(const struct atf_cost *x, const struct atf_cost *y)
{
    if (x->symbol && y->symbol)
        return strcmp(x->symbol->name, y->symbol->name);
    if (!x->symbol != !y->symbol)
        return x->symbol ? -1 : 1;
    return (x->function_id > y->function_id) - (x->function_id < y->function_id);
}

struct sibling {
    uint64_t key;
    const struct atf_cost *cost;
    uint32_t node;
};

static int by_key(const void *a, const void *b)
{
    const struct sibling *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    int order = by_name(x->cost, y->cost);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

static uint64_t key_of(const struct atf_tree *t, const struct tree_node *n)
{
    switch (t->asked->sort) {
    case RAS_TREE_SELF:
        return n->self_ns;
    case RAS_TREE_COUNT:
        return n->count;
    case RAS_TREE_NAME:
        return 0;
    default:
        return n->total_ns;
    }
}

/* Bring the nodes below one into the order asked for. */
static bool sort_below(struct atf_tree *t, struct tree_node *n, struct sibling **list, size_t *room)
{
    size_t count = 0;
    for (uint32_t i = n->first; i != NO_NODE; i = t->nodes[i].next) {
        if (!array_grow(list, room, count + 1, sizeof **list))
            return false;
        (*list)[count++] = (struct sibling){
            .key = key_of(t, &t->nodes[i]), .cost = &t->costs.at[t->nodes[i].cost], .node = i};
    }
    if (count > 1)
        qsort(*list, count, sizeof **list, by_key);
    uint32_t *link = &n->first;
    for (size_t i = 0; i < count; i++) {
        *link = (*list)[i].node;
        link = &t->nodes[*link].next;
    }
    if (count)
        *link = NO_NODE;
    return true;
}

static double share(const struct atf_tree *t, const struct tree_node *n)
{
    return t->all_ns ? 100.0 * (double)n->total_ns / (double)t->all_ns : 0;
}

static bool is_shown(const struct atf_tree *t, const struct tree_node *n)
{
    bool deep = t->asked->depth && n->depth > t->asked->depth;
    return !deep && share(t, n) >= t->asked->min_percent;
}

static void put_node(struct atf_tree *t, const struct tree_node *n, uint64_t thread)
{
    struct document *doc = &t->s->doc;
    uint64_t hidden = 0;
    for (uint32_t i = n->first; i != NO_NODE; i = t->nodes[i].next)
        hidden += !is_shown(t, &t->nodes[i]);
    size_t row = stats_row(t->s);
    if (t->asked->by_thread)
        document_uint(doc, thread);
    else
        document_null(doc);
    document_uint(doc, n->depth);
    atf_cost_put(doc, &t->costs.at[n->cost]);
    document_uint(doc, n->count);
    document_uint(doc, n->total_ns);
    document_uint(doc, n->self_ns);
    document_f64(doc, share(t, n));
    document_uint(doc, n->unfinished);
    document_uint(doc, hidden);
    stats_row_end(t->s, row);
}

/* Callers before what they called, without a stack: trees may be deep. */
static void put_below(struct atf_tree *t, uint32_t root)
{
    uint64_t thread = t->session->threads[t->nodes[root].thread].stream;
    uint32_t at = t->nodes[root].first;
    while (at != NO_NODE) {
        const struct tree_node *n = &t->nodes[at];
        bool shown = is_shown(t, n);
        if (shown)
            put_node(t, n, thread);
        if (shown && n->first != NO_NODE) {
            at = n->first;
            continue;
        }
        while (at != root && t->nodes[at].next == NO_NODE)
            at = t->nodes[at].parent;
        at = at == root ? NO_NODE : t->nodes[at].next;
    }
}

static uint64_t unmatched(const struct atf_tree *t)
{
    uint64_t sum = 0;
    for (int i = RAS_ATF_UNWOUND; i <= RAS_ATF_NO_CALL; i++)
        sum += t->reasons[i];
    return sum;
}

static void put_tree(struct atf_tree *t)
{
    static const char *const columns[] = {"thread",     "depth",    "function", "module",
                                          "count",      "total_ns", "self_ns",  "share_percent",
                                          "unfinished", "hidden",   NULL};
    struct sibling *list = NULL;
    size_t room = 0;
    for (size_t i = 0; i < t->count; i++) {
        t->all_ns += t->nodes[i].parent == NO_NODE ? t->nodes[i].total_ns : 0;
        t->s->doc.nomem |= !sort_below(t, &t->nodes[i], &list, &room);
    }
    free(list);
    stats_table(t->s, "tree", columns);
    size_t paths = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        paths += t->nodes[i].parent != NO_NODE;
        if (t->nodes[i].parent == NO_NODE)
            put_below(t, i);
    }
    const uint64_t *r = t->reasons;
    stats_table_end(t->s,
                    "%" PRIu64 " calls on %zu paths; %" PRIu64 " spans lack an end: %" PRIu64
                    " unwind, %" PRIu64 " tail_call, %" PRIu64 " process_exit, %" PRIu64
                    " no_call%s",
                    t->calls, paths, unmatched(t), r[RAS_ATF_UNWOUND], r[RAS_ATF_TAIL_CALL],
                    r[RAS_ATF_STILL_OPEN], r[RAS_ATF_NO_CALL],
                    t->folded ? "; paths beyond 1,048,576 are booked on their callers" : "");
}

static int check_threads(const struct atf_tree *t, struct ras_error *err)
{
    if (t->asked->by && strcmp(t->asked->by, "thread") != 0)
        return fail(err, RAS_EUSAGE, RAS_NONE, "calls are grouped by thread, not by '%.40s'",
                    t->asked->by);
    for (size_t i = 0; i < t->asked->thread_count; i++) {
        size_t k = 0;
        while (k < t->session->thread_count &&
               t->session->threads[k].stream != t->asked->threads[i])
            k++;
        if (k == t->session->thread_count)
            return fail(err, RAS_EUSAGE, RAS_NONE, "the session has no thread %" PRIu64,
                        t->asked->threads[i]);
    }
    return RAS_OK;
}

static int run(struct atf_tree *t, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    int status = check_threads(t, err);
    if (status < 0)
        return status;
    if (t->asked->open)
        return atf_tree_open(t->trace, t->s, t->asked, err);
    if (!atf_call_walk_open(&t->walk) || !array_grow(&t->path, &t->path_room, 2, sizeof *t->path))
        return fail_memory(err);
    status = stats_walk(t->s, &scan, take, t, err);
    if (status < 0)
        return status;
    if (t->thread != SIZE_MAX && !atf_call_walk_event(&t->walk, NULL, t->next_seq))
        return fail_memory(err);
    put_tree(t);
    return RAS_OK;
}

int atf_tree(struct ras_trace *trace, struct stats *s, const struct ras_tree_options *asked,
             struct ras_error *err)
{
    struct atf_tree t = {.trace = trace,
                         .s = s,
                         .asked = asked,
                         .session = &((struct atf *)trace->priv)->session,
                         .thread = SIZE_MAX};
    t.walk = (struct atf_call_walk){.enter = enter, .leave = leave, .user = &t};
    int status = run(&t, err);
    atf_call_walk_close(&t.walk);
    atf_costs_free(&t.costs);
    id_table_free(&t.children);
    free(t.nodes);
    free(t.path);
    return status;
}
