/* atf_tree_open.c - the calls that are open when the events end, thread by thread.
 *
 * The time of each goes on until the trace ends, which is its last event or the signal that
 * ended the program. */
#include "base/memory.h"
#include "formats/atf/atf_costs.h"

#include <stdlib.h>

struct open_call {
    struct atf_frame frame;
    size_t thread;
    uint32_t name;
};

struct open_calls {
    struct stats *s;
    const struct ras_tree_options *asked;
    struct ras_atf_session *session;
    struct ras_atf_stack *stack;
    struct open_call *calls;
    size_t count, room, threads;
    struct atf_costs costs; /* names only */
    struct call_tree tree;  /* the choice of functions only */
    size_t thread;          /* that is walked */
    uint64_t end_ns, seq;
};

/* The thread ends: what is open stays so. */
static bool end_thread(struct open_calls *o)
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

static bool is_asked(const struct open_calls *o, uint64_t stream)
{
    for (size_t i = 0; i < o->asked->thread_count; i++)
        if (o->asked->threads[i] == stream)
            return true;
    return !o->asked->thread_count;
}

static int take(void *user, const struct ras_cursor *c, const struct ras_record *r,
                struct ras_error *err)
{
    struct open_calls *o = user;
    struct ras_atf_span span;
    (void)c;
    if (r->schema != ATF_EVENT)
        return RAS_OK;
    if (r->time_ns > o->end_ns)
        o->end_ns = r->time_ns;
    if (o->thread == SIZE_MAX || o->session->threads[o->thread].stream != r->stream) {
        size_t i = 0;
        if (o->thread != SIZE_MAX && !end_thread(o))
            return fail_memory(err);
        while (i + 1 < o->session->thread_count && o->session->threads[i].stream != r->stream)
            i++;
        o->thread = i;
    }
    if (!is_asked(o, r->stream))
        return RAS_OK;
    struct ras_atf_index_event event = atf_event(r->raw);
    const struct atf_process *p = &o->session->processes[o->session->threads[o->thread].process];
    uint32_t name;
    int status;
    if ((o->asked->focus.count || o->asked->exclude.count) &&
        !atf_cost_named(&o->costs, &o->tree, p, event.function_id, &name))
        return fail_memory(err); /* the function is known, whether or not it is open */
    do
        status = ras_atf_stack_step(o->stack, &event, o->seq, &span, err);
    while (status == RAS_OK);
    o->seq++;
    return status < 0 ? status : RAS_OK;
}

/* A signal comes after the last event of all threads, unless others went on. */
static void add_crashes(struct open_calls *o)
{
    for (size_t i = 0; o->asked->axis == RAS_AXIS_NONE && i < o->session->process_count; i++) {
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
    stats_row_end(o->s, row);
}

static int run(struct open_calls *o, struct ras_error *err)
{
    static const char *const columns[] = {"thread",   "depth",   "function", "module",
                                          "start_ns", "open_ns", NULL};
    const struct ras_scan scan = {.headers_only = true};
    o->stack = ras_atf_stack_new();
    if (!o->stack)
        return fail_memory(err);
    int status = stats_walk(o->s, &scan, take, o, err);
    if (status < 0)
        return status;
    if (o->thread != SIZE_MAX && !end_thread(o))
        return fail_memory(err);
    status = call_tree_check(&o->tree, err);
    if (status < 0)
        return status;
    add_crashes(o);
    stats_table(o->s, "open_calls", columns);
    uint64_t depth = 0;
    for (size_t i = 0; i < o->count; i++) {
        depth = i && o->calls[i].thread == o->calls[i - 1].thread ? depth + 1 : 1;
        put_call(o, &o->calls[i], depth);
    }
    stats_table_end(o->s, "calls that are open when the events end: %zu, in %zu thread%s", o->count,
                    o->threads, o->threads == 1 ? "" : "s");
    return RAS_OK;
}

int atf_tree_open(struct ras_trace *trace, struct stats *s, const struct ras_tree_options *asked,
                  struct ras_error *err)
{
    struct open_calls o = {.s = s,
                           .asked = asked,
                           .session = &((struct atf *)trace->priv)->session,
                           .tree = {.asked = asked},
                           .thread = SIZE_MAX};
    int status = run(&o, err);
    ras_atf_stack_free(o.stack);
    call_tree_free(&o.tree);
    atf_costs_free(&o.costs);
    free(o.calls);
    return status;
}
