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
    const bool *chosen;     /* by thread: it was asked for */
    size_t thread;          /* that is walked */
    uint64_t end_ns, seq;
};

/* The thread ends: what is open stays so. */
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
    const char *name = atf_thread_name(o->session, thread);
    if (name)
        document_key(doc, name);
    else
        document_null(doc);
    stats_row_end(o->s, row);
}

static int open_calls_run(struct open_calls *o, struct ras_error *err)
{
    static const char *const columns[] = {"thread",   "depth",   "function",    "module",
                                          "start_ns", "open_ns", "thread_name", NULL};
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
    stats_table(o->s, "open_calls", columns);
    uint64_t depth = 0;
    for (size_t i = 0; i < o->count; i++) {
        depth = i && o->calls[i].thread == o->calls[i - 1].thread ? depth + 1 : 1;
        put_call(o, &o->calls[i], depth);
    }
    stats_table_end(o->s, "calls that are open when the events end: %zu, in %s", o->count,
                    ras_counted(o->threads, "thread").text);
    return RAS_OK;
}

int atf_tree_open(struct ras_trace *trace, struct stats *s, const struct ras_tree_options *asked,
                  const bool *chosen, struct ras_error *err)
{
    struct open_calls o = {.s = s,
                           .asked = asked,
                           .session = &((struct atf *)trace->priv)->session,
                           .tree = {.asked = asked},
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
    return found ? RAS_OK
                 : fail(err, RAS_EUSAGE, RAS_NONE, "the session has no thread '%.40s'%s", name,
                        ras_near_text(&near, text, sizeof text));
}

int atf_choose_threads(const struct ras_atf_session *s, const struct ras_tree_options *asked,
                       bool **out, struct ras_error *err)
{
    bool *chosen = *out = calloc(s->thread_count + 1, sizeof *chosen);
    if (!chosen)
        return fail_memory(err);
    for (size_t i = 0; i < s->thread_count; i++)
        chosen[i] = !asked->thread_count && !asked->thread_names.count;
    for (size_t i = 0; i < asked->thread_count; i++)
        if (!choose_id(s, asked->threads[i], chosen))
            return fail(err, RAS_EUSAGE, RAS_NONE, "the session has no thread %" PRIu64,
                        asked->threads[i]);
    for (size_t i = 0; i < asked->thread_names.count; i++) {
        int status = choose_name(s, asked->thread_names.at[i], chosen, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}
