/* dial9_timeline.c - the events of an async runtime as a timeline.
 *
 * A worker is a thread with its polls and parks; a span has a track of its own; wakes point to the
 * polls they caused. Whatever is not known by its name is an instant with all its fields. */
#include "base/id_table.h"
#include "base/memory.h"
#include "formats/dial9/dial9_driver.h"
#include "ops/timeline/timeline_driver.h"

#include <stdlib.h>

enum { TASKS_MOST = 1 << 20, FRAMES_MOST = 4096, NOT_A_WORKER = 254 };

enum timeline_type {
    SHOW_INSTANT,
    SHOW_POLL_START,
    SHOW_POLL_END,
    SHOW_PARK,
    SHOW_UNPARK,
    SHOW_QUEUE,
    SHOW_WAKE,
    SHOW_SPAN_ENTER,
    SHOW_SPAN_EXIT,
    SHOW_SPAN_CLOSE,
    SHOW_SAMPLE,
    SHOW_SLICE, /* of the producers named below */
    SHOW_NOT,   /* names of addresses: frames of samples have them */
};

static const struct {
    const char *name;
    enum timeline_type type;
} named[] = {
    {"PollStartEvent", SHOW_POLL_START}, {"PollEndEvent", SHOW_POLL_END},
    {"WorkerParkEvent", SHOW_PARK},      {"WorkerUnparkEvent", SHOW_UNPARK},
    {"QueueSampleEvent", SHOW_QUEUE},    {"WakeEventEvent", SHOW_WAKE},
    {"SpanCloseEvent", SHOW_SPAN_CLOSE}, {"CpuSampleEvent", SHOW_SAMPLE},
    {"SymbolTableEntry", SHOW_NOT},      {"CallframeDefEvent", SHOW_NOT},
};

/* Events of `rastrum run` that end after their duration_ns; elsewhere a field of that name may mean
 * anything. All fields must be there. */
static const struct {
    const char *name, *label;
    const char *fields[5];
} slices[] = {
    {"tick", NULL, {"tick", "commands", "applied", "snapshot_hash", "duration_ns"}},
    {"phase", "name", {"tick", "name", "duration_ns", NULL, NULL}},
};

struct shown_worker {
    uint64_t tid;
    uint32_t track, queue;
    bool polling, parked;
    uint64_t poll_ns, park_ns;
    uint64_t task, local_queue, flow; /* of the poll; RAS_NONE: not known */
    uint32_t name;
};

struct shown_span {
    uint32_t track, name;
    bool used;
};

struct dial9_timeline {
    struct timeline *t;
    uint8_t *types; /* by schema: 1 + enum timeline_type */
    size_t type_room;
    struct id_table worker_ids, task_ids, span_ids;
    struct shown_worker *workers;
    size_t worker_count, worker_room;
    uint64_t *wakes; /* by task: flow of its last wake; 0: none */
    size_t wake_count, wake_room;
    struct shown_span *spans;
    size_t span_count, span_room;
    uint32_t *span_free;
    size_t span_free_count, span_free_room;
    uint64_t flows, span_tracks;
    uint32_t process, wake_track, queue_track, span_group;
    struct timeline_frame *frames;
    size_t frame_room;
};

/* ---- values ---------------------------------------------------------------------------- */

static uint64_t number_in(const struct ras_cursor *c, const char *field)
{
    const struct ras_value *v = ras_value_of(c, field);
    if (v && (v->kind == RAS_UINT || v->kind == RAS_BOOL))
        return v->u;
    return v && v->kind == RAS_INT && v->i >= 0 ? v->u : RAS_NONE;
}

static uint32_t text_in(struct timeline *t, const struct ras_cursor *c, const char *field,
                        const char *otherwise)
{
    const struct ras_value *v = ras_value_of(c, field);
    return v && v->kind == RAS_STR && v->count ? timeline_text(t, v->at, v->count)
                                               : timeline_word(t, otherwise);
}

static void arg_number(struct timeline *t, const char *name, uint64_t value)
{
    if (value != RAS_NONE)
        timeline_arg_uint(t, timeline_word(t, name), value, 0);
}

/* ---- tracks ---------------------------------------------------------------------------- */

enum { ID_PROCESS = 1, ID_WAKES, ID_QUEUE, ID_SPANS };
#define ID_WORKER       (UINT64_C(1) << 56)
#define ID_WORKER_QUEUE (UINT64_C(2) << 56)
#define ID_THREAD       (UINT64_C(3) << 56)
#define ID_STREAM       (UINT64_C(4) << 56)
#define ID_SPAN         (UINT64_C(5) << 56)
#define ID_SLICES       (UINT64_C(6) << 56)

static uint32_t dial9_track(struct timeline *t, uint64_t id, uint32_t parent,
                            enum timeline_kind kind, const char *name)
{
    return timeline_track(t, &(struct timeline_place){.id = id,
                                                      .parent = parent,
                                                      .kind = kind,
                                                      .name = timeline_text(t, name, strlen(name)),
                                                      .number = RAS_NONE});
}

/* The worker of a record; NULL: it has none, or memory is short. */
static struct shown_worker *worker_in(struct dial9_timeline *d, const struct ras_cursor *c)
{
    uint64_t id = number_in(c, "worker_id");
    char name[40];
    if (id == RAS_NONE || id == NOT_A_WORKER || id == NOT_A_WORKER + 1)
        return NULL;
    uint32_t at = id_table_find(&d->worker_ids, id);
    if (at != ID_TABLE_NONE)
        return &d->workers[at];
    if (!array_grow(&d->workers, &d->worker_room, d->worker_count + 1, sizeof *d->workers) ||
        !id_table_add(&d->worker_ids, id, (uint32_t)d->worker_count)) {
        timeline_nomem(d->t);
        return NULL;
    }
    struct shown_worker *w = &d->workers[d->worker_count++];
    *w = (struct shown_worker){.tid = RAS_NONE};
    snprintf(name, sizeof name, "worker %" PRIu64, id);
    w->track =
        dial9_track(d->t, ID_WORKER | (id & 0xffffffffffff), d->process, TIMELINE_THREAD, name);
    snprintf(name, sizeof name, "local queue of worker %" PRIu64, id);
    w->queue = dial9_track(d->t, ID_WORKER_QUEUE | (id & 0xffffffffffff), d->process,
                           TIMELINE_COUNTER, name);
    return w;
}

static struct shown_worker *worker_by_tid(struct dial9_timeline *d, uint64_t tid)
{
    for (size_t i = 0; tid != RAS_NONE && i < d->worker_count; i++)
        if (d->workers[i].tid == tid)
            return &d->workers[i];
    return NULL;
}

/* The thread of a record: of its worker, by its tid, or else its stream. */
static uint32_t track_of(struct dial9_timeline *d, const struct ras_cursor *c,
                         const struct ras_record *r)
{
    struct shown_worker *w = worker_in(d, c);
    uint64_t tid = number_in(c, "tid");
    char name[64];
    w = w ? w : worker_by_tid(d, tid);
    if (w)
        return w->track;
    if (tid == RAS_NONE) {
        snprintf(name, sizeof name, "batch %" PRIu32, r->stream);
        return dial9_track(d->t, ID_STREAM | r->stream, TIMELINE_NONE, TIMELINE_TRACK, name);
    }
    const struct ras_value *v = ras_value_of(c, "thread_name");
    int len = v && v->kind == RAS_STR ? (int)(v->count < 30 ? v->count : 30) : 0;
    snprintf(name, sizeof name, "%.*s%s%" PRIu64, len, len ? (const char *)v->at : "",
             len ? " tid " : "thread ", tid);
    return timeline_track(d->t,
                          &(struct timeline_place){.id = ID_THREAD | (tid & 0xffffffffffff),
                                                   .parent = d->process,
                                                   .kind = TIMELINE_THREAD,
                                                   .name = timeline_text(d->t, name, strlen(name)),
                                                   .number = tid});
}

static void put_local_queue(struct dial9_timeline *d, const struct shown_worker *w,
                            const struct ras_cursor *c, uint64_t time_ns)
{
    uint64_t length = number_in(c, "local_queue");
    if (length != RAS_NONE)
        timeline_counter(d->t, w->queue, time_ns, (int64_t)length);
}

/* ---- polls, parks, wakes ----------------------------------------------------------------- */

/* Where the flow of a task's last wake is kept; NULL: too many tasks. */
static uint64_t *wake_of(struct dial9_timeline *d, uint64_t task, bool make)
{
    uint32_t at = id_table_find(&d->task_ids, task);
    if (at != ID_TABLE_NONE)
        return &d->wakes[at];
    if (!make || d->wake_count >= TASKS_MOST) {
        timeline_lost(d->t, "wakes of tasks beyond 1048576, without a flow", make);
        return NULL;
    }
    if (!array_grow(&d->wakes, &d->wake_room, d->wake_count + 1, sizeof *d->wakes) ||
        !id_table_add(&d->task_ids, task, (uint32_t)d->wake_count)) {
        timeline_nomem(d->t);
        return NULL;
    }
    d->wakes[d->wake_count] = 0;
    return &d->wakes[d->wake_count++];
}

static void put_wake(struct dial9_timeline *d, const struct ras_cursor *c,
                     const struct ras_record *r)
{
    uint64_t task = number_in(c, "woken_task_id");
    uint64_t *wake = task && task != RAS_NONE ? wake_of(d, task, true) : NULL;
    if (d->wake_track == TIMELINE_NONE)
        d->wake_track = dial9_track(d->t, ID_WAKES, TIMELINE_NONE, TIMELINE_TRACK, "wakes");
    timeline_instant(d->t, d->wake_track, r->time_ns, timeline_word(d->t, "wake"),
                     timeline_word(d->t, "wake"));
    timeline_args(d->t, c, NULL);
    if (wake) {
        *wake = ++d->flows;
        timeline_flow(d->t, *wake, false);
    }
}

/* A poll that has ended, or at the end one that has not. */
static void put_poll(struct dial9_timeline *d, struct shown_worker *w, uint64_t end_ns)
{
    struct timeline *t = d->t;
    timeline_slice(t, w->track, w->poll_ns, end_ns, w->name, timeline_word(t, "poll"));
    arg_number(t, "task_id", w->task);
    arg_number(t, "local_queue", w->local_queue);
    if (w->flow)
        timeline_flow(t, w->flow, true);
    w->polling = false;
}

/* The end was lost: how long the poll took is not known, and `stats` does not count it. */
static void put_unended(struct dial9_timeline *d, struct shown_worker *w)
{
    timeline_lost(d->t, "polls whose end is not recorded, shown as instants", 1);
    timeline_instant(d->t, w->track, w->poll_ns, w->name, timeline_word(d->t, "poll without end"));
    arg_number(d->t, "task_id", w->task);
    w->polling = false;
}

static void put_lone_end(struct dial9_timeline *d, const struct shown_worker *w,
                         const struct ras_cursor *c, const struct ras_record *r)
{
    timeline_lost(d->t, "ends without a begin, shown as instants", 1);
    uint32_t category = timeline_word(d->t, "end without begin");
    timeline_instant(d->t, w->track, r->time_ns, timeline_word(d->t, ras_schema_of(c)->name),
                     category);
    timeline_args(d->t, c, NULL);
}

static void begin_poll(struct dial9_timeline *d, struct shown_worker *w, const struct ras_cursor *c,
                       const struct ras_record *r)
{
    if (w->polling)
        put_unended(d, w);
    w->polling = true;
    w->poll_ns = r->time_ns;
    w->task = number_in(c, "task_id");
    w->local_queue = number_in(c, "local_queue");
    w->name = text_in(d->t, c, ras_value_of(c, "spawn_loc") ? "spawn_loc" : "spawn_loc_id", "poll");
    uint64_t *wake = w->task && w->task != RAS_NONE ? wake_of(d, w->task, false) : NULL;
    w->flow = wake ? *wake : 0;
    if (wake)
        *wake = 0;
    put_local_queue(d, w, c, r->time_ns);
}

static void put_park(struct dial9_timeline *d, struct shown_worker *w, uint64_t end_ns)
{
    uint32_t category = timeline_word(d->t, "park");
    timeline_slice(d->t, w->track, w->park_ns, end_ns, timeline_word(d->t, "parked"), category);
    w->parked = false;
}

static void put_worker_event(struct dial9_timeline *d, enum timeline_type type,
                             struct shown_worker *w, const struct ras_cursor *c,
                             const struct ras_record *r)
{
    uint64_t tid = type == SHOW_PARK || type == SHOW_UNPARK ? number_in(c, "tid") : RAS_NONE;
    if (tid != RAS_NONE)
        w->tid = tid;
    if (type == SHOW_POLL_START) {
        begin_poll(d, w, c, r);
    } else if (type == SHOW_POLL_END) {
        if (w->polling && r->time_ns >= w->poll_ns)
            put_poll(d, w, r->time_ns);
        else
            put_lone_end(d, w, c, r);
    } else if (type == SHOW_PARK) {
        w->parked = true;
        w->park_ns = r->time_ns;
        put_local_queue(d, w, c, r->time_ns);
    } else {
        put_local_queue(d, w, c, r->time_ns);
        if (w->parked && r->time_ns >= w->park_ns) {
            put_park(d, w, r->time_ns);
            timeline_args(d->t, c, NULL);
        } else {
            put_lone_end(d, w, c, r);
        }
    }
}

/* ---- spans ------------------------------------------------------------------------------ */

/* A span by its id; one that was closed has left its track behind. */
static struct shown_span *span_of(struct dial9_timeline *d, uint64_t id, const struct ras_cursor *c)
{
    uint32_t at = id_table_find(&d->span_ids, id);
    if (at != ID_TABLE_NONE || !c)
        return at == ID_TABLE_NONE ? NULL : &d->spans[at];
    at = d->span_free_count ? d->span_free[--d->span_free_count] : (uint32_t)d->span_count;
    if (!array_grow(&d->spans, &d->span_room, at + 1u, sizeof *d->spans) ||
        !id_table_add(&d->span_ids, id, at)) {
        timeline_nomem(d->t);
        return NULL;
    }
    d->span_count += at == d->span_count;
    struct shown_span *s = &d->spans[at];
    if (d->span_group == TIMELINE_NONE)
        d->span_group = dial9_track(d->t, ID_SPANS, TIMELINE_NONE, TIMELINE_TRACK, "spans");
    const char *type = ras_schema_of(c)->name;
    s->name = text_in(d->t, c, "span_name", type + strlen("SpanEnter:"));
    s->track = timeline_track(d->t, &(struct timeline_place){.id = ID_SPAN | d->span_tracks++,
                                                             .parent = d->span_group,
                                                             .kind = TIMELINE_TRACK,
                                                             .name = s->name,
                                                             .number = RAS_NONE});
    s->used = true;
    return s;
}

static void put_span(struct dial9_timeline *d, enum timeline_type type, const struct ras_cursor *c,
                     const struct ras_record *r)
{
    uint64_t id = number_in(c, "span_id");
    struct shown_span *s =
        id == RAS_NONE ? NULL : span_of(d, id, type == SHOW_SPAN_ENTER ? c : NULL);
    if (!s) {
        timeline_lost(d->t, "exits and closes of spans that were not entered", 1);
        return;
    }
    if (type == SHOW_SPAN_ENTER) {
        timeline_begin(d->t, s->track, r->time_ns, s->name, timeline_word(d->t, "span"));
        timeline_args(d->t, c, (const char *const[]){"span_name", NULL});
    } else if (type == SHOW_SPAN_EXIT) {
        timeline_end(d->t, s->track, r->time_ns, true);
    } else if (array_grow(&d->span_free, &d->span_free_room, d->span_free_count + 1,
                          sizeof *d->span_free)) {
        d->span_free[d->span_free_count++] = (uint32_t)(s - d->spans);
        id_table_remove(&d->span_ids, id);
    }
}

/* ---- samples ---------------------------------------------------------------------------- */

/* Addresses are stored from the leaf on; of each the function comes before what is inlined in
 * it. */
static size_t put_frames(struct dial9_timeline *d, const struct ras_value *chain, size_t count)
{
    for (uint32_t i = chain->count; i-- && count < FRAMES_MOST;) {
        const struct ras_value *v = &chain[1 + i];
        const uint32_t *names;
        size_t known = v->kind == RAS_UINT ? timeline_symbols(d->t, v->u, &names) : 0;
        if (!array_grow(&d->frames, &d->frame_room, count + known + 1, sizeof *d->frames)) {
            timeline_nomem(d->t);
            return count;
        }
        for (size_t k = 0; k < known; k++)
            d->frames[count++] = (struct timeline_frame){names[k], v->u};
        if (!known)
            d->frames[count++] = (struct timeline_frame){0, v->u};
    }
    return count;
}

static void put_sample(struct dial9_timeline *d, const struct ras_cursor *c,
                       const struct ras_record *r)
{
    const struct ras_value *chain = ras_value_of(c, "callchain");
    uint64_t source = number_in(c, "source");
    size_t count = 0;
    if (!array_grow(&d->frames, &d->frame_room, 1, sizeof *d->frames)) {
        timeline_nomem(d->t);
        return;
    }
    if (source && source != RAS_NONE) /* a thread that sleeps uses no time */
        d->frames[count++] = (struct timeline_frame){timeline_word(d->t, "[off CPU]"), 0};
    if (chain && chain->kind == RAS_LIST)
        count = put_frames(d, chain, count);
    timeline_sample(d->t, track_of(d, c, r), r->time_ns, d->frames, count);
    timeline_args(d->t, c, (const char *const[]){"callchain", NULL});
}

/* ---- records ---------------------------------------------------------------------------- */

static bool has_fields(const struct ras_schema *s, const char *const *fields, size_t most)
{
    size_t count = 0;
    while (count < most && fields[count])
        if (ras_field_index(s, fields[count++]) < 0)
            return false;
    return s->field_count == count;
}

static enum timeline_type type_of_schema(const struct ras_schema *s)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strcmp(named[i].name, s->name))
            return named[i].type;
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++)
        if (!strcmp(slices[i].name, s->name) && has_fields(s, slices[i].fields, 5))
            return SHOW_SLICE;
    if (!strncmp(s->name, "SpanEnter:", strlen("SpanEnter:")))
        return SHOW_SPAN_ENTER;
    return !strncmp(s->name, "SpanExit:", strlen("SpanExit:")) ? SHOW_SPAN_EXIT : SHOW_INSTANT;
}

static enum timeline_type type_of_record(struct dial9_timeline *d, const struct ras_cursor *c,
                                         uint32_t schema)
{
    size_t had = d->type_room;
    if (!array_grow(&d->types, &d->type_room, schema + 1u, 1)) {
        timeline_nomem(d->t);
        return SHOW_NOT;
    }
    if (d->type_room > had)
        memset(d->types + had, 0, d->type_room - had);
    if (!d->types[schema])
        d->types[schema] = (uint8_t)(1 + type_of_schema(ras_schema_of(c)));
    return d->types[schema] - 1;
}

static void put_slice(struct dial9_timeline *d, const struct ras_cursor *c,
                      const struct ras_record *r)
{
    const char *type = ras_schema_of(c)->name;
    const char *label = !strcmp(type, "phase") ? "name" : type;
    uint64_t length = number_in(c, "duration_ns");
    length = length == RAS_NONE || length > r->time_ns ? 0 : length;
    uint32_t track = dial9_track(d->t, ID_SLICES, TIMELINE_NONE, TIMELINE_TRACK, "ticks");
    uint32_t category = timeline_word(d->t, type);
    timeline_slice(d->t, track, r->time_ns - length, r->time_ns,
                   label != type ? text_in(d->t, c, label, type) : category, category);
    timeline_args(d->t, c, NULL);
}

static void put_instant(struct dial9_timeline *d, const struct ras_cursor *c,
                        const struct ras_record *r)
{
    /* One after the other: names and tracks are numbered in the order in which they come. */
    uint32_t category = timeline_word(d->t, "event");
    uint32_t name = timeline_word(d->t, ras_schema_of(c)->name);
    timeline_instant(d->t, track_of(d, c, r), r->time_ns, name, category);
    timeline_args(d->t, c, NULL);
}

static int dial9_timeline_record(struct timeline *t, void *state, const struct ras_cursor *c,
                                 const struct ras_record *r, struct ras_error *err)
{
    struct dial9_timeline *d = state;
    enum timeline_type type = type_of_record(d, c, r->schema);
    (void)err;
    if (type == SHOW_NOT)
        return RAS_OK;
    if (!(r->flags & RAS_HAS_TIME)) {
        timeline_lost(t, "records without a time", 1);
        return RAS_OK;
    }
    if (type == SHOW_WAKE) {
        put_wake(d, c, r);
    } else if (type >= SHOW_SPAN_ENTER && type <= SHOW_SPAN_CLOSE) {
        put_span(d, type, c, r);
    } else if (type == SHOW_SAMPLE) {
        put_sample(d, c, r);
    } else if (type == SHOW_SLICE) {
        put_slice(d, c, r);
    } else if (type == SHOW_QUEUE && number_in(c, "global_queue") != RAS_NONE) {
        d->queue_track = dial9_track(t, ID_QUEUE, TIMELINE_NONE, TIMELINE_COUNTER, "global queue");
        timeline_counter(t, d->queue_track, r->time_ns, (int64_t)number_in(c, "global_queue"));
    } else {
        struct shown_worker *w = type == SHOW_INSTANT ? NULL : worker_in(d, c);
        if (w)
            put_worker_event(d, type, w, c, r);
        else
            put_instant(d, c, r);
    }
    return RAS_OK;
}

static int dial9_timeline_start(struct timeline *t, void *state, struct ras_error *err)
{
    struct dial9_timeline *d = state;
    (void)err;
    d->t = t;
    d->wake_track = d->span_group = TIMELINE_NONE;
    d->process = dial9_track(t, ID_PROCESS, TIMELINE_NONE, TIMELINE_PROCESS, "workers (dial9)");
    return RAS_OK;
}

/* What was going on at the end stays open. */
static void dial9_timeline_stop(struct timeline *t, void *state)
{
    struct dial9_timeline *d = state;
    (void)t;
    for (size_t i = 0; i < d->worker_count; i++) {
        if (d->workers[i].polling)
            put_poll(d, &d->workers[i], TIMELINE_OPEN_END);
        else if (d->workers[i].parked)
            put_park(d, &d->workers[i], TIMELINE_OPEN_END);
    }
}

static void dial9_timeline_release(void *state)
{
    struct dial9_timeline *d = state;
    id_table_free(&d->worker_ids);
    id_table_free(&d->task_ids);
    id_table_free(&d->span_ids);
    free(d->types);
    free(d->workers);
    free(d->wakes);
    free(d->spans);
    free(d->span_free);
    free(d->frames);
}

const struct timeline_ops dial9_timeline = {
    .group = "events (dial9)",
    .state_size = sizeof(struct dial9_timeline),
    .merged = true,
    .has_symbols = true,
    .start = dial9_timeline_start,
    .record = dial9_timeline_record,
    .stop = dial9_timeline_stop,
    .release = dial9_timeline_release,
    .rows = &dial9_lanes,
};
