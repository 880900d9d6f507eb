/* atf_lanes.c - the calls of a session as rows for a viewer: a row is a depth of a thread.
 *
 * A call is shown when it ends. Times of a thread never descend: an earlier one is moved to the
 * last, so that the calls of a row do not overlap whatever the input. Most events are a call or its
 * return; these are read from the bytes in a loop, without a record for each. */
#include "formats/atf/atf_timeline.h"
#include "base/memory.h"
#include "base/out.h"

#include <stdlib.h>

struct atf_lane {
    struct ras_atf_stack stack;
    uint32_t track;
    bool known;
    uint64_t last_ns;
};

enum { LANE_NAMES = 1024, LANE_SLICES = 64 };

struct atf_lanes {
    struct timeline *t;
    struct ras_atf_session *session;
    struct atf_lane *lanes; /* by thread */
    size_t lane_count, lane_room;
    size_t thread, process; /* current; SIZE_MAX: none yet */
    bool live;              /* threads take turns */
    struct id_table names;  /* of the process: function ids */
    struct {
        uint64_t function_id;
        uint32_t name; /* 1 + it; 0: none */
    } near[LANE_NAMES];
};

static uint32_t lane_find_name(struct atf_lanes *a, uint64_t function_id)
{
    uint32_t name = id_table_find(&a->names, function_id);
    if (name != ID_TABLE_NONE)
        return name;
    name = atf_timeline_name(a->t, &a->session->processes[a->process], function_id);
    if (!id_table_add(&a->names, function_id, name))
        timeline_nomem(a->t);
    return name;
}

static inline uint32_t lane_name(struct atf_lanes *a, uint64_t function_id)
{
    size_t at = (size_t)(function_id ^ function_id >> 10) % LANE_NAMES;
    if (a->near[at].function_id == function_id && a->near[at].name)
        return a->near[at].name - 1;
    uint32_t name = lane_find_name(a, function_id);
    a->near[at].function_id = function_id;
    a->near[at].name = name + 1;
    return name;
}

static struct atf_lane *lane_of(struct atf_lanes *a, size_t thread)
{
    if (!array_grow(&a->lanes, &a->lane_room, thread + 1, sizeof *a->lanes)) {
        timeline_nomem(a->t);
        return NULL;
    }
    while (a->lane_count <= thread)
        a->lanes[a->lane_count++] = (struct atf_lane){0};
    struct atf_lane *lane = &a->lanes[thread];
    if (!lane->known)
        lane->track = atf_timeline_thread(a->t, a->session, thread);
    lane->known = true;
    return lane;
}

static void lanes_enter_process(struct atf_lanes *a, size_t process)
{
    if (a->process == process)
        return;
    id_table_free(&a->names);
    a->names = (struct id_table){0};
    memset(a->near, 0, sizeof a->near);
    a->process = process;
}

/* ---- events ------------------------------------------------------------------------------ */

static void lane_leave(struct atf_lanes *a, const struct atf_lane *lane,
                       const struct ras_atf_span *span)
{
    if (span->reason == RAS_ATF_NO_CALL) {
        uint32_t category = timeline_word(a->t, "return without call");
        timeline_instant(a->t, lane->track, lane->last_ns, lane_name(a, span->function_id),
                         category);
    } else {
        timeline_row_slices(a->t, lane->track,
                            &(struct timeline_slice){span->start_ns, lane->last_ns, span->call_seq,
                                                     (uint32_t)lane->stack.count,
                                                     lane_name(a, span->function_id)},
                            1);
    }
}

static int atf_lanes_record(struct timeline *t, void *state, const struct ras_cursor *c,
                            const struct ras_record *r, struct ras_error *err)
{
    struct atf_lanes *a = state;
    const struct atf_cursor *cursor = c->priv;
    struct ras_atf_span span;
    if (r->schema != ATF_EVENT)
        return RAS_OK;
    a->live = c->live;
    a->thread = cursor->thread;
    lanes_enter_process(a, a->session->threads[a->thread].process);
    struct atf_lane *lane = lane_of(a, a->thread);
    if (!lane)
        return fail_memory(err);
    struct ras_atf_index_event event = atf_event(r->raw);
    if (event.timestamp_ns < lane->last_ns)
        event.timestamp_ns = lane->last_ns;
    lane->last_ns = event.timestamp_ns;
    (void)t;
    int status;
    while ((status = ras_atf_stack_step(&lane->stack, &event, r->seq, &span, err)) == RAS_OK)
        lane_leave(a, lane, &span);
    return status < 0 ? status : RAS_OK;
}

/* The usual event, as atf_stack_usual() has it, but without the time of the calls inside: a call in
 * the innermost open one, or the return of that, not before the last event. */
static inline bool lane_usual(struct ras_atf_stack *stack, const uint8_t *event, uint64_t seq,
                              const struct atf_frame **ended)
{
    uint32_t kind = load_u32(event + EVENT_KIND), depth = load_u32(event + EVENT_CALL_DEPTH);
    const struct atf_frame *f = atf_stack_last(stack);
    *ended = NULL;
    if (kind == RAS_ATF_CALL && stack->count < stack->room && (!f || f->depth < depth)) {
        stack->frames[stack->count++] =
            (struct atf_frame){.function_id = load_u64(event + EVENT_FUNCTION_ID),
                               .start_ns = load_u64(event + EVENT_TIMESTAMP),
                               .seq = seq,
                               .depth = depth,
                               .thread_id = load_u32(event + EVENT_THREAD_ID)};
        return true;
    }
    if (kind != RAS_ATF_RETURN || !f || f->depth != depth ||
        f->function_id != load_u64(event + EVENT_FUNCTION_ID))
        return false;
    stack->count--;
    *ended = f;
    return true;
}

/* Events from p on, until there are enough, or one that is not usual. */
static size_t lane_read(struct atf_lanes *a, struct atf_lane *lane, const uint8_t *p, uint64_t seq,
                        size_t most)
{
    struct timeline_slice slices[LANE_SLICES];
    size_t done = 0, count = 0;
    uint64_t last = lane->last_ns;
    for (; done < most; done++, p += RAS_ATF_INDEX_EVENT_SIZE) {
        const struct atf_frame *ended;
        uint64_t time = load_u64(p + EVENT_TIMESTAMP);
        __builtin_prefetch(p + ATF_AHEAD, 0, 2);
        if (time < last || !lane_usual(&lane->stack, p, seq + done, &ended))
            break;
        last = time;
        if (!ended)
            continue;
        slices[count++] =
            (struct timeline_slice){ended->start_ns, time, ended->seq, (uint32_t)lane->stack.count,
                                    lane_name(a, ended->function_id)};
        if (count == LANE_SLICES) {
            timeline_row_slices(a->t, lane->track, slices, count);
            count = 0;
        }
    }
    timeline_row_slices(a->t, lane->track, slices, count);
    lane->last_ns = last;
    return done;
}

static size_t atf_lanes_many(struct timeline *t, void *state, struct ras_cursor *c, size_t most)
{
    struct atf_lanes *a = state;
    const struct atf_cursor *cursor = c->priv;
    (void)t;
    if (c->deliver == cursor_deliver || cursor->stage != STAGE_EVENTS || cursor->slow ||
        cursor->order || c->seq == RAS_NONE || a->thread != cursor->thread)
        return 0;
    uint64_t left = atf_left(c);
    size_t done =
        lane_read(a, &a->lanes[a->thread], c->in.at, c->seq, left < most ? (size_t)left : most);
    c->in.at += done * RAS_ATF_INDEX_EVENT_SIZE;
    c->seq += done;
    return done;
}

static void atf_lanes_open(struct timeline *t, void *state)
{
    const struct atf_lanes *a = state;
    for (size_t i = 0; i < a->lane_count; i++)
        for (size_t k = 0; k < a->lanes[i].stack.count; k++) {
            const struct atf_frame *f = &a->lanes[i].stack.frames[k];
            const struct atf_process *p = &a->session->processes[a->session->threads[i].process];
            timeline_row_slices(t, a->lanes[i].track,
                                &(struct timeline_slice){f->start_ns, TIMELINE_OPEN_END, f->seq,
                                                         (uint32_t)k,
                                                         atf_timeline_name(t, p, f->function_id)},
                                1);
        }
}

/* What was open at the end stays open. */
static void atf_lanes_stop(struct timeline *t, void *state)
{
    atf_lanes_open(t, state);
}

/* ---- states ------------------------------------------------------------------------------ */

struct lane_saved {
    uint64_t thread, last_ns, done, count;
};

static bool atf_lanes_save(const void *state, struct out *out)
{
    const struct atf_lanes *a = state;
    const uint64_t thread = a->thread;
    out_bytes(out, &thread, sizeof thread);
    for (size_t i = 0; i < a->lane_count; i++) {
        const struct atf_lane *lane = &a->lanes[i];
        const struct lane_saved saved = {i, lane->last_ns, lane->stack.done, lane->stack.count};
        if (!lane->known || (i != a->thread && !a->live))
            continue; /* threads follow one another: this one is over */
        out_bytes(out, &saved, sizeof saved);
        out_bytes(out, lane->stack.frames, lane->stack.count * sizeof *lane->stack.frames);
    }
    return true;
}

static bool lane_load(struct atf_lanes *a, struct ras_bytes *from)
{
    struct lane_saved saved;
    if (from->len < sizeof saved)
        return false;
    memcpy(&saved, from->at, sizeof saved);
    from->at += sizeof saved;
    from->len -= sizeof saved;
    size_t size = (size_t)saved.count * sizeof(struct atf_frame);
    if (saved.thread >= a->session->thread_count || saved.count > from->len || size > from->len)
        return false;
    struct atf_lane *lane = lane_of(a, (size_t)saved.thread);
    if (!lane || !array_grow(&lane->stack.frames, &lane->stack.room, (size_t)saved.count,
                             sizeof *lane->stack.frames))
        return false;
    lane->last_ns = saved.last_ns;
    lane->stack.done = saved.done;
    lane->stack.count = (size_t)saved.count;
    if (size)
        memcpy(lane->stack.frames, from->at, size);
    from->at += size;
    from->len -= size;
    return true;
}

static bool atf_lanes_load(struct timeline *t, void *state, struct ras_bytes from)
{
    struct atf_lanes *a = state;
    uint64_t thread;
    (void)t;
    if (from.len < sizeof thread)
        return false;
    memcpy(&thread, from.at, sizeof thread);
    from.at += sizeof thread;
    from.len -= sizeof thread;
    while (from.len)
        if (!lane_load(a, &from))
            return false;
    a->thread = (size_t)thread;
    if (a->thread < a->lane_count)
        lanes_enter_process(a, a->session->threads[a->thread].process);
    else
        a->thread = SIZE_MAX;
    return true;
}

static int atf_lanes_start(struct timeline *t, void *state, struct ras_error *err)
{
    struct atf_lanes *a = state;
    (void)err;
    a->t = t;
    a->session = &((struct atf *)timeline_trace(t)->priv)->session;
    a->thread = a->process = SIZE_MAX;
    return RAS_OK;
}

static void atf_lanes_release(void *state)
{
    struct atf_lanes *a = state;
    for (size_t i = 0; i < a->lane_count; i++)
        free(a->lanes[i].stack.frames);
    free(a->lanes);
    id_table_free(&a->names);
}

const struct timeline_ops atf_lanes = {
    .group = "calls (ATF)",
    .state_size = sizeof(struct atf_lanes),
    .types = (const char *const[]){"event", NULL},
    .raw = true,
    .start = atf_lanes_start,
    .record = atf_lanes_record,
    .many = atf_lanes_many,
    .open = atf_lanes_open,
    .stop = atf_lanes_stop,
    .release = atf_lanes_release,
    .save = atf_lanes_save,
    .load = atf_lanes_load,
};
