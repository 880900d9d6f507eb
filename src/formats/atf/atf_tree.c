/* atf_tree.c - the call tree of a session: calls of one path are one node. */
#include "base/memory.h"
#include "formats/atf/atf_costs.h"

#include <stdlib.h>

/* An open call: its node, and whether it is a call of that or left out. */
struct tree_call {
    uint32_t node;
    bool counts;
};

struct atf_tree {
    struct ras_trace *trace;
    struct stats *s;
    const struct ras_tree_options *asked;
    struct ras_atf_session *session;
    struct atf_call_walk walk;
    struct atf_costs costs; /* names only */
    struct call_tree tree;
    struct tree_call *path; /* the open calls, by level; the root first */
    size_t path_room;
    size_t thread;
    bool *chosen; /* by thread: it was asked for */
    bool wanted;  /* the one that is walked was */
    uint64_t next_seq, calls, all_ns;
    uint64_t reasons[RAS_ATF_NO_CALL + 1];
};

/* ---- the walk ------------------------------------------------------------------------- */

static bool tree_enter(void *user, const struct ras_atf_index_event *event, size_t level)
{
    struct atf_tree *t = user;
    const struct atf_process *p = &t->session->processes[t->session->threads[t->thread].process];
    uint32_t name;
    if (!atf_cost_named(&t->costs, &t->tree, p, event->function_id, &name) ||
        !array_grow(&t->path, &t->path_room, level + 1, sizeof *t->path))
        return false;
    struct tree_call *call = &t->path[level];
    call->node = call_tree_enter(&t->tree, call[-1].node, name, &call->counts);
    if (call->node == CALL_NO_NODE)
        return false;
    t->tree.nodes[call->node].count += call->counts;
    t->calls += call->counts;
    return true;
}

static bool tree_leave(void *user, const struct atf_left_call *call)
{
    struct atf_tree *t = user;
    t->reasons[call->span->reason]++;
    if (call->span->reason == RAS_ATF_NO_CALL)
        return true;
    const struct tree_call *at = &t->path[call->level + 1];
    struct call_node *node = &t->tree.nodes[at->node];
    node->unfinished += at->counts && !call->timed;
    node->self += call->self;
    uint64_t spent = call->timed ? call->took : call->inner;
    if (at->node != at[-1].node) /* else the caller has it */
        node->total += spent;
    if (!call->level)
        t->tree.nodes[t->path[0].node].total += spent;
    return true;
}

/* One root for all threads, or one each. */
static bool tree_enter_thread(struct atf_tree *t, const struct ras_record *r)
{
    if (t->thread != SIZE_MAX && t->session->threads[t->thread].stream == r->stream)
        return true;
    if (t->thread != SIZE_MAX && !atf_call_walk_event(&t->walk, NULL, t->next_seq))
        return false;
    t->thread = atf_next_thread(t->session, t->thread, r->stream);
    t->wanted = t->chosen[t->thread];
    atf_call_walk_thread(&t->walk);
    if (!t->wanted || (t->tree.count && !t->asked->by_thread))
        return true;
    t->path[0].node = call_tree_root(&t->tree, t->thread);
    return t->path[0].node != CALL_NO_NODE;
}

static int tree_take_record(void *user, const struct ras_cursor *c, const struct ras_record *r,
                            struct ras_error *err)
{
    struct atf_tree *t = user;
    (void)c;
    if (r->schema != ATF_EVENT)
        return RAS_OK;
    if (!tree_enter_thread(t, r))
        return fail_memory(err);
    if (!t->wanted)
        return RAS_OK;
    struct ras_atf_index_event event = atf_event(r->raw);
    t->next_seq =
        (r->offset - t->session->threads[t->thread].index.at) / RAS_ATF_INDEX_EVENT_SIZE + 1;
    return atf_call_walk_event(&t->walk, &event, t->next_seq - 1) ? RAS_OK : fail_memory(err);
}

/* ---- the rows -------------------------------------------------------------------------- */

static int order_by_name(void *user, uint32_t a, uint32_t b)
{
    const struct atf_tree *t = user;
    const struct atf_cost *x = &t->costs.at[a], *y = &t->costs.at[b];
    if (x->symbol && y->symbol)
        return strcmp(x->symbol->name, y->symbol->name);
    if (!x->symbol != !y->symbol)
        return x->symbol ? -1 : 1;
    return (x->function_id > y->function_id) - (x->function_id < y->function_id);
}

static uint64_t whole(void *user, const struct call_node *root)
{
    (void)root;
    return ((struct atf_tree *)user)->all_ns;
}

static void put_node(void *user, const struct call_node *n, const struct call_node *root,
                     double share, uint64_t hidden)
{
    struct atf_tree *t = user;
    struct document *doc = &t->s->doc;
    size_t row = stats_row(t->s);
    if (t->asked->by_thread)
        document_uint(doc, t->session->threads[root->group].stream);
    else
        document_null(doc);
    document_uint(doc, n->depth);
    atf_cost_put(doc, &t->costs.at[n->name]);
    document_uint(doc, n->count);
    document_uint(doc, n->total);
    document_uint(doc, n->self);
    document_f64(doc, share);
    document_uint(doc, n->unfinished);
    document_uint(doc, hidden);
    const char *name = atf_thread_name(t->session, &t->session->threads[root->group]);
    if (t->asked->by_thread && name)
        document_key(doc, name);
    else
        document_null(doc);
    stats_row_end(t->s, row);
}

static uint64_t unmatched(const struct atf_tree *t)
{
    uint64_t sum = 0;
    for (int i = RAS_ATF_UNWOUND; i <= RAS_ATF_NO_CALL; i++)
        sum += t->reasons[i];
    return sum;
}

static int put_tree(struct atf_tree *t, struct ras_error *err)
{
    static const char *const columns[] = {"thread",     "depth",    "function",    "module",
                                          "count",      "total_ns", "self_ns",     "share_percent",
                                          "unfinished", "hidden",   "thread_name", NULL};
    const struct call_rows rows = {t, order_by_name, whole, put_node};
    int status = call_tree_check(&t->tree, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < t->tree.count; i++)
        t->all_ns += t->tree.nodes[i].parent == CALL_NO_NODE ? t->tree.nodes[i].total : 0;
    stats_table(t->s, "tree", columns);
    if (!call_tree_callers(&t->tree) || !call_tree_put(&t->tree, &rows))
        return fail_memory(err);
    const uint64_t *r = t->reasons;
    stats_table_end(t->s,
                    "%s on %s; %s without an end: %" PRIu64 " unwind, %" PRIu64
                    " tail_call, %" PRIu64 " process_exit, %" PRIu64 " no_call%s%s",
                    ras_counted(t->calls, "call").text,
                    ras_counted(call_tree_paths(&t->tree), "path").text,
                    ras_counted(unmatched(t), "span").text, r[RAS_ATF_UNWOUND],
                    r[RAS_ATF_TAIL_CALL], r[RAS_ATF_STILL_OPEN], r[RAS_ATF_NO_CALL],
                    t->tree.folded ? "; paths beyond 1,048,576 are booked on their callers" : "",
                    t->tree.cut ? "; callers beyond 1,000 levels are left out" : "");
    return RAS_OK;
}

static int tree_run(struct atf_tree *t, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    int status;
    if (t->asked->by && strcmp(t->asked->by, "thread") != 0)
        return fail(err, RAS_EUSAGE, RAS_NONE, "calls are grouped by thread, not by '%.40s'",
                    t->asked->by);
    status = atf_choose_threads(t->session, t->asked, &t->chosen, err);
    if (status < 0)
        return status;
    if (t->asked->open)
        return atf_tree_open(t->trace, t->s, t->asked, t->chosen, err);
    if (!atf_call_walk_open(&t->walk) || !array_grow(&t->path, &t->path_room, 2, sizeof *t->path))
        return fail_memory(err);
    status = stats_walk(t->s, &scan, tree_take_record, t, err);
    if (status < 0)
        return status;
    if (t->thread != SIZE_MAX && !atf_call_walk_event(&t->walk, NULL, t->next_seq))
        return fail_memory(err);
    return put_tree(t, err);
}

int atf_tree(struct ras_trace *trace, struct stats *s, const struct ras_tree_options *asked,
             struct ras_error *err)
{
    struct atf_tree t = {.trace = trace,
                         .s = s,
                         .asked = asked,
                         .session = &((struct atf *)trace->priv)->session,
                         .tree = {.asked = asked},
                         .thread = SIZE_MAX};
    t.walk = (struct atf_call_walk){.enter = tree_enter, .leave = tree_leave, .user = &t};
    int status = tree_run(&t, err);
    atf_call_walk_close(&t.walk);
    atf_costs_free(&t.costs);
    call_tree_free(&t.tree);
    free(t.path);
    free(t.chosen);
    return status;
}
