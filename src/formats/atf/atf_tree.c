/* atf_tree.c - the call tree of a session: calls of one path are one node. */
#include "base/memory.h"
#include "formats/atf/atf_costs.h"

#include <stdlib.h>

/* ---- open calls ---------------------------------------------------------------------- */

/* The calls that are open at the end. The time of each goes on until the trace ends, which is
 * its last event or the signal that ended the program. */

struct open_call {
    struct atf_frame frame;
    size_t thread;
    uint32_t name;
};

struct open_calls {
    struct stats *s;
    const struct ras_tree_options *options;
    struct ras_atf_session *session;
    struct ras_atf_stack *stack;
    struct open_call *calls;
    size_t count, room, threads;
    struct atf_costs costs; /* names only */
    struct call_tree tree;  /* the choice of functions only */
    const bool *chosen;     /* by thread: it was requested */
    size_t thread;          /* current */
    uint64_t end_ns, seq;
};

/* The thread ends: open calls stay open. */
static bool open_calls_end_thread(struct open_calls *o)
{
    size_t count, had = o->count;
    const struct atf_frame *frames = atf_stack_frames(o->stack, &count);
    const struct atf_process *p = &o->session->processes[o->session->threads[o->thread].process];
    bool inside = false;
    if (!array_grow(&o->calls, &o->room, o->count + count, sizeof *o->calls))
        return !count;
    for (size_t i = 0; i < count; i++) {
        uint32_t name;
        if (!atf_cost_named(&o->costs, &o->tree, p, frames[i].function_id, &name))
            return false;
        inside |= call_tree_focuses(&o->tree, name) && !call_tree_excludes(&o->tree, name);
        if (inside && !call_tree_excludes(&o->tree, name))
            o->calls[o->count++] = (struct open_call){frames[i], o->thread, name};
    }
    o->threads += o->count > had;
    atf_stack_clear(o->stack);
    return true;
}

static int open_calls_take_record(void *user, const struct ras_cursor *c,
                                  const struct ras_record *r, struct ras_error *err)
{
    struct open_calls *o = user;
    struct ras_atf_span span;
    (void)c;
    if (r->schema != ATF_EVENT)
        return RAS_OK;
    if (r->time_ns > o->end_ns)
        o->end_ns = r->time_ns;
    if (o->thread == SIZE_MAX || o->session->threads[o->thread].stream != r->stream) {
        if (o->thread != SIZE_MAX && !open_calls_end_thread(o))
            return fail_memory(err);
        o->thread = atf_next_thread(o->session, o->thread, r->stream);
    }
    if (!o->chosen[o->thread])
        return RAS_OK;
    struct ras_atf_index_event event = atf_event(r->raw);
    const struct atf_process *p = &o->session->processes[o->session->threads[o->thread].process];
    uint32_t name;
    int status;
    if ((o->options->focus.count || o->options->exclude.count) &&
        !atf_cost_named(&o->costs, &o->tree, p, event.function_id, &name))
        return fail_memory(err); /* the function is known, whether or not it is open */
    do
        status = ras_atf_stack_step(o->stack, &event, o->seq, &span, err);
    while (status == RAS_OK);
    o->seq++;
    return status < 0 ? status : RAS_OK;
}

/* A signal comes after the last event of all threads, unless others continued. */
static void add_crashes(struct open_calls *o)
{
    for (size_t i = 0; o->options->axis == RAS_AXIS_NONE && i < o->session->process_count; i++) {
        const struct ras_atf_crash *crash = &o->session->processes[i].manifest.out.crash;
        if (crash->signal && crash->time_ns > o->end_ns)
            o->end_ns = crash->time_ns;
    }
}

static void put_call(struct open_calls *o, const struct open_call *call, uint64_t depth)
{
    struct document *doc = &o->s->doc;
    const struct atf_thread *thread = &o->session->threads[call->thread];
    size_t row = stats_row(o->s);
    document_uint(doc, thread->stream);
    document_uint(doc, depth);
    atf_cost_put(doc, &o->costs.at[call->name]);
    document_uint(doc, call->frame.start_ns);
    document_uint(doc, o->end_ns > call->frame.start_ns ? o->end_ns - call->frame.start_ns : 0);
    atf_put_text(doc, atf_thread_name(o->session, thread));
    if (o->costs.sourced)
        atf_cost_put_source(doc, &o->costs.at[call->name]);
    stats_row_end(o->s, row);
}

static int open_calls_run(struct open_calls *o, struct ras_error *err)
{
#define OPEN_COLUMNS "thread", "depth", "function", "module", "start_ns", "open_ns", "thread_name"
    static const char *const plain[] = {OPEN_COLUMNS, NULL};
    static const char *const sourced[] = {OPEN_COLUMNS, ATF_SOURCE_COLUMNS, NULL};
    const struct ras_scan scan = {.headers_only = true};
    o->stack = ras_atf_stack_new();
    if (!o->stack)
        return fail_memory(err);
    int status = stats_walk(o->s, &scan, open_calls_take_record, o, err);
    if (status < 0)
        return status;
    if (o->thread != SIZE_MAX && !open_calls_end_thread(o))
        return fail_memory(err);
    status = call_tree_check(&o->tree, err);
    if (status < 0)
        return status;
    add_crashes(o);
    stats_table(o->s, "open_calls", o->costs.sourced ? sourced : plain);
    uint64_t depth = 0;
    for (size_t i = 0; i < o->count; i++) {
        depth = i && o->calls[i].thread == o->calls[i - 1].thread ? depth + 1 : 1;
        put_call(o, &o->calls[i], depth);
    }
    stats_table_end(o->s, "calls that are open when the events end: %zu, in %s", o->count,
                    ras_counted(o->threads, "thread").text);
    return RAS_OK;
}

/* The tree of the calls that are open at the end. */
static int tree_open(struct ras_trace *trace, struct stats *s,
                     const struct ras_tree_options *options, const bool *chosen,
                     struct ras_error *err)
{
    struct open_calls o = {.s = s,
                           .options = options,
                           .session = &((struct atf *)trace->priv)->session,
                           .tree = {.options = options},
                           .chosen = chosen,
                           .thread = SIZE_MAX};
    int status = open_calls_run(&o, err);
    ras_atf_stack_free(o.stack);
    call_tree_free(&o.tree);
    atf_costs_free(&o.costs);
    free(o.calls);
    return status;
}

/* ---- the choice of threads -------------------------------------------------------------- */

size_t atf_next_thread(const struct ras_atf_session *s, size_t before, uint64_t stream)
{
    size_t i = before + 1 < s->thread_count ? before + 1 : 0;
    for (size_t n = 0; n < s->thread_count && s->threads[i].stream != stream; n++)
        i = i + 1 < s->thread_count ? i + 1 : 0;
    return i;
}

static bool choose_id(const struct ras_atf_session *s, uint64_t stream, bool *chosen)
{
    bool found = false;
    for (size_t i = 0; i < s->thread_count; i++)
        if (s->threads[i].stream == stream)
            found = chosen[i] = true;
    return found;
}

static int choose_name(const struct ras_atf_session *s, const char *name, bool *chosen,
                       struct ras_error *err)
{
    struct ras_near near;
    char *end, text[120];
    uint64_t id = strtoull(name, &end, 10);
    bool found = *name >= '0' && *name <= '9' && !*end && choose_id(s, id, chosen);
    if (found)
        return RAS_OK;
    ras_near_start(&near, name);
    for (size_t i = 0; i < s->thread_count; i++) {
        const char *has = atf_thread_name(s, &s->threads[i]);
        if (has && !strcmp(has, name))
            found = chosen[i] = true;
        else if (has)
            ras_near_add(&near, has);
    }
    if (found)
        return RAS_OK;
    int status = fail(err, RAS_EUSAGE, RAS_NONE, "the session has no thread '%.40s'%s", name,
                      ras_near_text(&near, text, sizeof text));
    return fail_about(status, RAS_ABOUT_STREAM, err);
}

/* The threads that are requested, as an array to free(), also after a failure: RAS_EUSAGE where
 * there is no such thread. */
static int choose_threads(const struct ras_atf_session *s, const struct ras_tree_options *options,
                          bool **out, struct ras_error *err)
{
    bool *chosen = *out = calloc(s->thread_count + 1, sizeof *chosen);
    if (!chosen)
        return fail_memory(err);
    for (size_t i = 0; i < s->thread_count; i++)
        chosen[i] = !options->thread_count && !options->thread_names.count;
    for (size_t i = 0; i < options->thread_count; i++)
        if (!choose_id(s, options->threads[i], chosen))
            return fail_about(fail(err, RAS_EUSAGE, RAS_NONE, "the session has no thread %" PRIu64,
                                   options->threads[i]),
                              RAS_ABOUT_STREAM, err);
    for (size_t i = 0; i < options->thread_names.count; i++) {
        int status = choose_name(s, options->thread_names.at[i], chosen, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

/* ---- all calls ----------------------------------------------------------------------- */

/* An open call: its node, and whether it is a call of that node or left out. */
struct tree_call {
    uint32_t node;
    bool counts;
};

struct atf_tree {
    struct ras_trace *trace;
    struct stats *s;
    const struct ras_tree_options *options;
    struct ras_atf_session *session;
    struct atf_call_walk walk;
    struct atf_costs costs; /* names only */
    struct call_tree tree;
    struct tree_call *path; /* the open calls, by level; the root first */
    size_t path_room;
    size_t thread;
    bool *chosen; /* by thread: it was requested */
    bool wanted;  /* the current one was */
    uint64_t next_seq, calls, all_ns;
    uint64_t reasons[RAS_ATF_NO_CALL + 1];
};

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
    node->unfinished += at->counts && !call->time.timed;
    node->self += call->time.self;
    uint64_t spent = call->time.timed ? call->time.took : call->time.inner;
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
    if (!t->wanted || (t->tree.count && !t->options->by_thread))
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
    const struct atf_thread *thread = &t->session->threads[root->group];
    size_t row = stats_row(t->s);
    if (t->options->by_thread)
        document_uint(doc, thread->stream);
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
    atf_put_text(doc, t->options->by_thread ? atf_thread_name(t->session, thread) : NULL);
    if (t->costs.sourced)
        atf_cost_put_source(doc, &t->costs.at[n->name]);
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
#define TREE_COLUMNS                                                                               \
    "thread", "depth", "function", "module", "count", "total_ns", "self_ns", "share_percent",      \
        "unfinished", "hidden", "thread_name"
    static const char *const plain[] = {TREE_COLUMNS, NULL};
    static const char *const sourced[] = {TREE_COLUMNS, ATF_SOURCE_COLUMNS, NULL};
    const struct call_rows rows = {t, order_by_name, whole, put_node};
    int status = call_tree_check(&t->tree, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < t->tree.count; i++)
        t->all_ns += t->tree.nodes[i].parent == CALL_NO_NODE ? t->tree.nodes[i].total : 0;
    stats_table(t->s, "tree", t->costs.sourced ? sourced : plain);
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
                    t->tree.folded ? "; paths beyond 1,048,576 are counted for their callers" : "",
                    t->tree.cut ? "; callers beyond 1,000 levels are left out" : "");
    return RAS_OK;
}

static int tree_run(struct atf_tree *t, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    int status;
    if (t->options->by && strcmp(t->options->by, "thread") != 0)
        return fail(err, RAS_EUSAGE, RAS_NONE, "calls are grouped by thread, not by '%.40s'",
                    t->options->by);
    status = choose_threads(t->session, t->options, &t->chosen, err);
    if (status < 0)
        return status;
    if (t->options->open)
        return tree_open(t->trace, t->s, t->options, t->chosen, err);
    if (!atf_call_walk_open(&t->walk) || !array_grow(&t->path, &t->path_room, 2, sizeof *t->path))
        return fail_memory(err);
    status = stats_walk(t->s, &scan, tree_take_record, t, err);
    if (status < 0)
        return status;
    if (t->thread != SIZE_MAX && !atf_call_walk_event(&t->walk, NULL, t->next_seq))
        return fail_memory(err);
    return put_tree(t, err);
}

int atf_tree(struct ras_trace *trace, struct stats *s, const struct ras_tree_options *options,
             struct ras_error *err)
{
    struct atf_tree t = {.trace = trace,
                         .s = s,
                         .options = options,
                         .session = &((struct atf *)trace->priv)->session,
                         .tree = {.options = options},
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
