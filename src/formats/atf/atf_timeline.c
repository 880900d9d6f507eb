/* atf_timeline.c - a session as a timeline: a thread of its process has its calls as slices. */
#include "formats/atf/atf_timeline.h"

#include <stdlib.h>

struct atf_timeline {
    struct timeline *t;
    struct ras_atf_session *session;
    struct atf_call_walk walk;
    size_t thread, process; /* current; SIZE_MAX: none yet */
    uint32_t track, calls;
    uint64_t time_ns;      /* of the event that is walked */
    struct id_table names; /* of the process: function ids */
    struct atf_hint hint;
    struct cells cells; /* of a detail */
    uint64_t details;   /* shown as arguments */
    bool with_depth;    /* calls that are open are a counter */
    uint32_t depth_track;
    size_t depth; /* its last value; SIZE_MAX: none */
};

/* ---- names ----------------------------------------------------------------------------- */

uint32_t atf_timeline_name(struct timeline *t, const struct atf_process *p, uint64_t function_id)
{
    char number[24];
    const struct ras_atf_symbol *symbol = atf_manifest_symbol(&p->manifest, function_id);
    if (symbol)
        return timeline_text(t, symbol->name, symbol->name_len);
    int len = snprintf(number, sizeof number, "0x%016" PRIx64, function_id);
    return timeline_text(t, number, (size_t)len);
}

static uint32_t function_name(struct atf_timeline *a, uint64_t function_id)
{
    uint32_t name = id_table_find(&a->names, function_id);
    if (name != ID_TABLE_NONE)
        return name;
    name = atf_timeline_name(a->t, &a->session->processes[a->process], function_id);
    if (!id_table_add(&a->names, function_id, name))
        timeline_nomem(a->t);
    return name;
}

/* The number at the end of "pid_1234"; RAS_NONE: there is none. */
static uint64_t pid_of(const char *name)
{
    const char *digits = name ? name + strcspn(name, "0123456789") : "";
    char *end;
    unsigned long long pid = strtoull(digits, &end, 10);
    return *digits && !*end && end - digits < 10 ? pid : RAS_NONE;
}

/* ---- tracks ---------------------------------------------------------------------------- */

static uint32_t process_track(struct timeline *t, const struct ras_atf_session *s, size_t process)
{
    const char *name = s->processes[process].name;
    const char *shown = name && *name ? name : "calls (ATF)";
    return timeline_track(t,
                          &(struct timeline_place){.id = (UINT64_C(1) << 40) + process,
                                                   .parent = TIMELINE_NONE,
                                                   .kind = TIMELINE_PROCESS,
                                                   .name = timeline_text(t, shown, strlen(shown)),
                                                   .number = pid_of(name)});
}

uint32_t atf_timeline_thread(struct timeline *t, struct ras_atf_session *s, size_t index)
{
    const struct atf_thread *thread = &s->threads[index];
    const char *name = atf_thread_name(s, thread);
    char text[200];
    int len = name
                  ? snprintf(text, sizeof text, "%.150s (thread %" PRIu32 ")", name, thread->stream)
                  : snprintf(text, sizeof text, "thread %" PRIu32, thread->stream);
    return timeline_track(t,
                          &(struct timeline_place){.id = index,
                                                   .parent = process_track(t, s, thread->process),
                                                   .kind = TIMELINE_THREAD,
                                                   .name = timeline_text(t, text, (size_t)len),
                                                   .number = thread->thread_id});
}

static uint32_t depth_track(struct atf_timeline *a, size_t index)
{
    const struct atf_thread *thread = &a->session->threads[index];
    char text[60];
    int len = snprintf(text, sizeof text, "call depth of thread %" PRIu32, thread->stream);
    return timeline_track(
        a->t, &(struct timeline_place){.id = (UINT64_C(1) << 41) + index,
                                       .parent = process_track(a->t, a->session, thread->process),
                                       .kind = TIMELINE_COUNTER,
                                       .name = timeline_text(a->t, text, (size_t)len),
                                       .number = RAS_NONE,
                                       .unit = "count"});
}

/* ---- calls ----------------------------------------------------------------------------- */

/* The detail of a call is its arguments. */
static void put_detail_args(struct atf_timeline *a, uint32_t detail_seq)
{
    struct atf *atf = timeline_trace(a->t)->priv;
    struct atf_thread *thread = &a->session->threads[a->thread];
    struct ras_atf_detail_event detail;
    if (!atf_detail_near(a->session, a->thread, &a->hint, detail_seq, &detail))
        return;
    enum atf_cpu cpu = atf_cpu_of(a->session, thread);
    const struct ras_schema *schema = &atf_detail_schemas[cpu];
    a->cells.count = 0;
    if (!atf_put_detail(&a->cells, &atf_view_all, 0, cpu, atf->form, &detail)) {
        timeline_nomem(a->t);
        return;
    }
    a->details++;
    for (size_t i = 0; i < a->cells.count; i++) {
        const struct ras_value *v = &a->cells.items[i];
        const struct ras_field *field = &schema->fields[v->field];
        if (v->kind != RAS_NULL)
            timeline_arg(a->t, timeline_word(a->t, field->name), v, field->flags);
    }
}

static bool timeline_enter(void *user, const struct ras_atf_index_event *event, size_t level)
{
    struct atf_timeline *a = user;
    (void)level;
    timeline_begin(a->t, a->track, event->timestamp_ns, function_name(a, event->function_id),
                   a->calls);
    if (event->detail_seq != RAS_ATF_NO_DETAIL)
        put_detail_args(a, event->detail_seq);
    return true;
}

static bool timeline_leave(void *user, const struct atf_left_call *call)
{
    struct atf_timeline *a = user;
    const struct ras_atf_span *span = call->span;
    const char *reason = ras_atf_reason_name(span->reason);
    if (span->reason == RAS_ATF_STILL_OPEN)
        return true;
    if (span->reason == RAS_ATF_NO_CALL) {
        timeline_lost(a->t, "returns without a call, shown as instants", 1);
        uint32_t category = timeline_word(a->t, "return without call");
        timeline_instant(a->t, a->track, span->end_ns, function_name(a, span->function_id),
                         category);
        return true;
    }
    timeline_end(a->t, a->track, call->time.timed ? span->end_ns : a->time_ns, call->time.timed);
    if (span->reason != RAS_ATF_MATCHED)
        timeline_arg_text(a->t, timeline_word(a->t, "reason"), reason, strlen(reason));
    return true;
}

/* How many calls are open after the event. */
static void put_depth(struct atf_timeline *a)
{
    size_t depth;
    (void)atf_stack_frames(a->walk.stack, &depth);
    if (depth != a->depth)
        timeline_counter(a->t, a->depth_track, a->time_ns, (int64_t)depth);
    a->depth = depth;
}

/* Records of one thread are adjacent. */
static bool timeline_enter_thread(struct atf_timeline *a, const struct ras_record *r)
{
    if (a->thread != SIZE_MAX && a->session->threads[a->thread].stream == r->stream)
        return true;
    a->thread = atf_next_thread(a->session, a->thread, r->stream);
    a->hint = (struct atf_hint){0};
    atf_call_walk_thread(&a->walk);
    if (a->process != a->session->threads[a->thread].process) {
        id_table_free(&a->names);
        a->names = (struct id_table){0};
        a->process = a->session->threads[a->thread].process;
    }
    a->track = atf_timeline_thread(a->t, a->session, a->thread);
    a->depth = SIZE_MAX;
    if (a->with_depth)
        a->depth_track = depth_track(a, a->thread);
    return true;
}

static int atf_timeline_record(struct timeline *t, void *state, const struct ras_cursor *c,
                               const struct ras_record *r, struct ras_error *err)
{
    struct atf_timeline *a = state;
    timeline_enter_thread(a, r);
    if (r->schema != ATF_EVENT) {
        if (!(r->flags & RAS_HAS_TIME)) {
            timeline_lost(t, "records without a time", 1);
            return RAS_OK;
        }
        timeline_instant(t, a->track, r->time_ns, timeline_word(t, ras_schema_of(c)->name), 0);
        timeline_args(t, c, NULL);
        return RAS_OK;
    }
    const struct ras_atf_index_event event = atf_event(r->raw);
    uint64_t seq = (r->offset - a->session->threads[a->thread].index.at) / RAS_ATF_INDEX_EVENT_SIZE;
    a->time_ns = event.timestamp_ns;
    if (!atf_call_walk_event(&a->walk, &event, seq))
        return fail_memory(err);
    if (a->with_depth)
        put_depth(a);
    return RAS_OK;
}

static int atf_timeline_start(struct timeline *t, void *state, struct ras_error *err)
{
    struct atf_timeline *a = state;
    *a = (struct atf_timeline){.t = t,
                               .session = &((struct atf *)timeline_trace(t)->priv)->session,
                               .thread = SIZE_MAX,
                               .process = SIZE_MAX};
    a->calls = timeline_word(t, "call");
    a->with_depth = timeline_chosen(t, "call-depth");
    a->walk = (struct atf_call_walk){.enter = timeline_enter, .leave = timeline_leave, .user = a};
    return atf_call_walk_open(&a->walk) ? RAS_OK : fail_memory(err);
}

static void atf_timeline_release(void *state)
{
    struct atf_timeline *a = state;
    atf_call_walk_close(&a->walk);
    id_table_free(&a->names);
    cells_free(&a->cells);
}

const struct timeline_ops atf_timeline = {
    .group = "calls (ATF)",
    .state_size = sizeof(struct atf_timeline),
    .types = (const char *const[]){"event", NULL},
    .raw = true,
    .start = atf_timeline_start,
    .record = atf_timeline_record,
    .release = atf_timeline_release,
    .rows = &atf_lanes,
};
