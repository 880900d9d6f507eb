/* dial9_timeline.c - the events of an async runtime as a timeline.
 *
 * A worker is a thread with its polls and parks; a span has a track of its own; wakes point to the
 * polls they caused. What begins and ends what is found by the matcher of the analyses, so that
 * slices are the polls and segments that stats and records on request have. Whatever is not known
 * to it is an instant with all its fields. */
#include "base/memory.h"
#include "formats/dial9/dial9_stats.h"
#include "ops/timeline/timeline_driver.h"

#include <stdlib.h>

enum { TASKS_MOST = 1 << 20, FRAMES_MOST = 4096 };

/* Events of `rastrum run` that end after their duration_ns; elsewhere a field of that name may mean
 * anything. All fields must be there. */
static const struct {
    const char *name, *label;
    const char *fields[5];
} slices[] = {
    {"tick", NULL, {"tick", "commands", "applied", "snapshot_hash", "duration_ns"}},
    {"phase", "name", {"tick", "name", "duration_ns", NULL, NULL}},
};

/* Beside those of the matcher, by their numbers there. */
struct shown_worker {
    uint32_t track, queue; /* TIMELINE_NONE: not made yet */
    uint64_t flow;         /* that the poll ends; 0: none */
};

struct shown_span {
    uint32_t track, name;
};

struct dial9_timeline {
    struct timeline *t;
    struct dial9_stats *match;
    bool found, stopping; /* the last event completed something; the trace has ended */
    bool sliced;          /* of a modern span a slice was the last that was put */
    bool judged;          /* which types are spans by their annotations is known */
    uint8_t *is_slice;    /* by schema: 1 no, 2 yes */
    size_t is_slice_room;
    struct id_table task_ids;
    struct shown_worker *workers;
    size_t worker_count, worker_room;
    uint64_t *wakes; /* by task: flow of its last wake; 0: none */
    size_t wake_count, wake_room;
    struct shown_span *spans;
    size_t span_room;
    uint32_t *names; /* of the matcher's texts: 1 + name */
    size_t name_room;
    uint64_t flows, span_tracks;
    uint32_t process, wake_track, queue_track, span_group;
    struct timeline_frame *frames;
    size_t frame_room;
};

/* The record that is shown, its schema, and its values by their role. */
struct shown_record {
    const struct ras_cursor *c;
    const struct ras_record *r;
    const struct fact_schema *schema;
    const struct ras_value *v[ROLE_COUNT];
    struct fact fact;
};

/* ---- values ---------------------------------------------------------------------------- */

static uint64_t number_in(const struct ras_cursor *c, const char *field)
{
    return dial9_cell_number(ras_value_of(c, field), RAS_NONE);
}

static void arg_number(struct timeline *t, const char *name, uint64_t value)
{
    if (value != RAS_NONE)
        timeline_arg_uint(t, timeline_word(t, name), value, 0);
}

/* A text of the matcher as a name. */
static uint32_t name_of(struct dial9_timeline *d, uint32_t text, const char *otherwise)
{
    const struct intern *texts = &d->match->texts;
    size_t had = d->name_room;
    if (text >= texts->count || !texts->entries[text].len)
        return timeline_word(d->t, otherwise);
    if (!array_grow(&d->names, &d->name_room, text + 1u, sizeof *d->names)) {
        timeline_nomem(d->t);
        return 0;
    }
    if (d->name_room > had)
        memset(d->names + had, 0, (d->name_room - had) * sizeof *d->names);
    if (!d->names[text])
        d->names[text] = 1 + timeline_text(d->t, texts->entries[text].at, texts->entries[text].len);
    return d->names[text] - 1;
}

/* ---- tracks ---------------------------------------------------------------------------- */

enum { ID_PROCESS = 1, ID_WAKES, ID_QUEUE, ID_SPANS };
#define ID_WORKER       (UINT64_C(1) << 56)
#define ID_WORKER_QUEUE (UINT64_C(2) << 56)
#define ID_THREAD       (UINT64_C(3) << 56)
#define ID_STREAM       (UINT64_C(4) << 56)
#define ID_SPAN         (UINT64_C(5) << 56)
#define ID_SLICES       (UINT64_C(6) << 56)
#define ID_WHOLE        (UINT64_C(7) << 56)
#define ID_MODERN       (UINT64_C(8) << 56)

enum { WHOLE_TRACKS = 4096 }; /* at most, of spans of one event */

static uint32_t dial9_track(struct timeline *t, uint64_t id, uint32_t parent,
                            enum timeline_kind kind, const char *name)
{
    return timeline_track(t, &(struct timeline_place){.id = id,
                                                      .parent = parent,
                                                      .kind = kind,
                                                      .name = timeline_text(t, name, strlen(name)),
                                                      .number = RAS_NONE});
}

/* What is shown of a worker, by its number; NULL: memory is short. */
static struct shown_worker *shown_worker_of(struct dial9_timeline *d, size_t index)
{
    char name[40];
    if (!array_grow(&d->workers, &d->worker_room, index + 1, sizeof *d->workers)) {
        timeline_nomem(d->t);
        return NULL;
    }
    while (d->worker_count <= index)
        d->workers[d->worker_count++] = (struct shown_worker){.track = TIMELINE_NONE};
    struct shown_worker *w = &d->workers[index];
    if (w->track != TIMELINE_NONE)
        return w;
    uint64_t id = d->match->workers[index].id;
    snprintf(name, sizeof name, "worker %" PRIu64, id);
    w->track = dial9_track(d->t, ID_WORKER | index, d->process, TIMELINE_THREAD, name);
    snprintf(name, sizeof name, "local queue of worker %" PRIu64, id);
    w->queue = dial9_track(d->t, ID_WORKER_QUEUE | index, d->process, TIMELINE_COUNTER, name);
    return w;
}

/* The worker of a record that names one; NULL: none. */
static struct shown_worker *worker_in(struct dial9_timeline *d, const struct ras_cursor *c)
{
    uint64_t id = number_in(c, "worker_id");
    const struct worker *w = id == RAS_NONE ? NULL : dial9_stats_worker(d->match, id);
    return w ? shown_worker_of(d, (size_t)(w - d->match->workers)) : NULL;
}

static struct shown_worker *worker_by_tid(struct dial9_timeline *d, uint64_t tid)
{
    for (size_t i = 0; tid != RAS_NONE && i < d->match->worker_count; i++)
        if (d->match->workers[i].tid == tid)
            return shown_worker_of(d, i);
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
                            const struct shown_record *x)
{
    uint64_t length = dial9_cell_number(x->v[ROLE_OTHER], RAS_NONE);
    if (length != RAS_NONE)
        timeline_counter(d->t, w->queue, x->r->time_ns, (int64_t)length);
}

static void put_instant(struct dial9_timeline *d, const struct ras_cursor *c,
                        const struct ras_record *r)
{
    uint32_t category = timeline_word(d->t, "event"); /* names are numbered as they come */
    uint32_t name = timeline_word(d->t, ras_schema_of(c)->name);
    timeline_instant(d->t, track_of(d, c, r), r->time_ns, name, category);
    timeline_args(d->t, c, NULL);
}

/* ---- wakes -------------------------------------------------------------------------------- */

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

static void put_wake(struct dial9_timeline *d, const struct shown_record *x)
{
    uint64_t task = dial9_cell_number(x->v[ROLE_ID], 0);
    uint64_t *wake = task ? wake_of(d, task, true) : NULL;
    if (d->wake_track == TIMELINE_NONE)
        d->wake_track = dial9_track(d->t, ID_WAKES, TIMELINE_NONE, TIMELINE_TRACK, "wakes");
    timeline_instant(d->t, d->wake_track, x->r->time_ns, timeline_word(d->t, "wake"),
                     timeline_word(d->t, "wake"));
    timeline_args(d->t, x->c, NULL);
    if (wake) {
        *wake = ++d->flows;
        timeline_flow(d->t, *wake, false);
    }
}

/* The flow that a poll which begins now ends. */
static uint64_t wake_taken(struct dial9_timeline *d, uint64_t task)
{
    uint64_t *wake = task ? wake_of(d, task, false) : NULL;
    uint64_t flow = wake ? *wake : 0;
    if (wake)
        *wake = 0;
    return flow;
}

/* ---- what the matcher found --------------------------------------------------------------- */

/* A poll that has ended, or at the end one that has not. Where another one begins before that, the
 * end was lost: how long the poll took is not known, and `stats` does not count it. */
static void put_poll(struct dial9_timeline *d, const struct derived_row *row)
{
    struct timeline *t = d->t;
    const struct shown_worker *w = shown_worker_of(d, row->worker_index);
    uint32_t name = name_of(d, row->text, "poll");
    if (!w)
        return;
    if (row->unended && !d->stopping) {
        timeline_lost(t, "polls whose end is not recorded, shown as instants", 1);
        timeline_instant(t, w->track, row->start, name, timeline_word(t, "poll without end"));
    } else {
        timeline_slice(t, w->track, row->start, row->unended ? TIMELINE_OPEN_END : row->end, name,
                       timeline_word(t, "poll"));
    }
    arg_number(t, "task_id", row->id);
    if (row->unended && !d->stopping)
        return;
    arg_number(t, "local_queue", row->queue);
    if (w->flow)
        timeline_flow(t, w->flow, true);
}

static void put_park(struct dial9_timeline *d, const struct derived_row *row)
{
    const struct shown_worker *w = shown_worker_of(d, row->worker_index);
    if (!w)
        return;
    uint32_t category = timeline_word(d->t, "park");
    timeline_slice(d->t, w->track, row->start, row->unended ? TIMELINE_OPEN_END : row->end,
                   timeline_word(d->t, "parked"), category);
}

static uint32_t span_group(struct dial9_timeline *d)
{
    if (d->span_group == TIMELINE_NONE)
        d->span_group = dial9_track(d->t, ID_SPANS, TIMELINE_NONE, TIMELINE_TRACK, "spans");
    return d->span_group;
}

/* Spans of one event have no id: those of a name are side by side. */
static void put_whole(struct dial9_timeline *d, const struct derived_row *row)
{
    uint32_t name = name_of(d, row->text, "span");
    uint32_t track =
        timeline_track(d->t, &(struct timeline_place){.id = ID_WHOLE | (row->text % WHOLE_TRACKS),
                                                      .parent = span_group(d),
                                                      .kind = TIMELINE_TRACK,
                                                      .name = name,
                                                      .number = RAS_NONE});
    timeline_slice(d->t, track, row->start, row->end, name, timeline_word(d->t, "span"));
}

/* A modern span has a track by its id: one slice from its creation to its close, and in it, or
 * beside where threads overlap, one for each stay. */
static uint32_t modern_track(struct dial9_timeline *d, const struct derived_row *row)
{
    return timeline_track(
        d->t, &(struct timeline_place){.id = ID_MODERN | (row->id & UINT64_C(0xffffffffffffff)),
                                       .parent = span_group(d),
                                       .kind = TIMELINE_TRACK,
                                       .name = name_of(d, row->text, "span"),
                                       .number = RAS_NONE});
}

static void put_modern_row(struct dial9_timeline *d, const struct derived_row *row)
{
    bool segment = row->kind == DERIVED_SEGMENT;
    uint32_t name = name_of(d, row->text, "span");
    uint32_t category = timeline_word(d->t, segment ? "span segment" : "span");
    uint32_t track = modern_track(d, row);
    if (!segment && (row->unended || row->duration == RAS_NONE))
        return;
    if (row->unended && !d->stopping) {
        timeline_lost(d->t, "enters of spans that were not left, shown as instants", 1);
        timeline_instant(d->t, track, row->start, name, timeline_word(d->t, "enter without exit"));
        return;
    }
    timeline_slice(d->t, track, row->start, row->unended ? TIMELINE_OPEN_END : row->end, name,
                   category);
    d->sliced = true;
}

static void timeline_take(void *user, const struct derived_row *row)
{
    struct dial9_timeline *d = user;
    d->found = true;
    if (row->kind == DERIVED_POLL)
        put_poll(d, row);
    else if (row->kind == DERIVED_PARK)
        put_park(d, row);
    else if (row->kind == DERIVED_SEGMENT && row->whole)
        put_whole(d, row);
    else if (row->more.dialect == SPAN_MODERN &&
             (row->kind == DERIVED_SEGMENT || row->kind == DERIVED_SPAN))
        put_modern_row(d, row);
}

/* ---- workers ------------------------------------------------------------------------------ */

static void put_lone_end(struct dial9_timeline *d, uint32_t track, const struct shown_record *x)
{
    timeline_lost(d->t, "ends without a begin, shown as instants", 1);
    uint32_t category = timeline_word(d->t, "end without begin");
    timeline_instant(d->t, track, x->r->time_ns, timeline_word(d->t, ras_schema_of(x->c)->name),
                     category);
    timeline_args(d->t, x->c, NULL);
}

static void put_worker_event(struct dial9_timeline *d, struct shown_record *x)
{
    struct shown_worker *w =
        x->fact.worker == NO_WORKER ? NULL : shown_worker_of(d, x->fact.worker);
    if (!w) {
        put_instant(d, x->c, x->r);
        return;
    }
    if (x->fact.kind != FACT_POLL_START) /* its local queue is counted after the poll before it */
        put_local_queue(d, w, x);
    dial9_stats_feed(d->match, &x->fact);
    if (x->fact.kind == FACT_POLL_START) {
        w->flow = wake_taken(d, x->fact.id);
        put_local_queue(d, w, x);
    } else if (x->fact.kind == FACT_UNPARK && d->found) {
        timeline_args(d->t, x->c, NULL);
    } else if (x->fact.kind != FACT_PARK && !d->found) {
        put_lone_end(d, w->track, x);
    }
}

/* ---- spans ------------------------------------------------------------------------------ */

/* The first enter of a span, which has a track from then on. */
static void span_begins(struct dial9_timeline *d, const struct shown_record *x, size_t index)
{
    const char *type = ras_schema_of(x->c)->name;
    if (!array_grow(&d->spans, &d->span_room, index + 1, sizeof *d->spans)) {
        timeline_nomem(d->t);
        return;
    }
    struct shown_span *s = &d->spans[index];
    s->name = name_of(d, x->fact.ref, dial9_span_label(type));
    s->track = timeline_track(d->t, &(struct timeline_place){.id = ID_SPAN | d->span_tracks++,
                                                             .parent = span_group(d),
                                                             .kind = TIMELINE_TRACK,
                                                             .name = s->name,
                                                             .number = RAS_NONE});
}

static void put_enter(struct dial9_timeline *d, const struct shown_record *x)
{
    static const char *const but[] = {"span_name", NULL};
    dial9_stats_feed(d->match, &x->fact);
    const struct span *s = dial9_stats_span(d->match, x->fact.id);
    uint64_t event = dial9_event_of(&x->fact);
    if (!s) {
        timeline_lost(d->t, "enters of more than 1048576 live spans, shown as instants", 1);
        put_instant(d, x->c, x->r);
        return;
    }
    size_t index = (size_t)(s - d->match->spans);
    if (s->event == event)
        span_begins(d, x, index);
    if (index >= d->span_room) /* memory was short */
        return;
    const struct shown_span *shown = &d->spans[index];
    if (s->opened_event == event) {
        timeline_begin(d->t, shown->track, x->r->time_ns, shown->name, timeline_word(d->t, "span"));
    } else {
        timeline_lost(d->t, "enters of spans that are entered, shown as instants", 1);
        timeline_instant(d->t, shown->track, x->r->time_ns, shown->name,
                         timeline_word(d->t, "entered again"));
    }
    timeline_args(d->t, x->c, but);
}

static void put_exit(struct dial9_timeline *d, const struct shown_record *x)
{
    const struct span *s = dial9_stats_span(d->match, x->fact.id);
    size_t index = s ? (size_t)(s - d->match->spans) : 0;
    bool known = s != NULL;
    dial9_stats_feed(d->match, &x->fact);
    if (x->fact.kind == FACT_SPAN_EXIT && d->found)
        timeline_end(d->t, d->spans[index].track, x->r->time_ns, true);
    else if (x->fact.kind == FACT_SPAN_EXIT && known)
        put_lone_end(d, d->spans[index].track, x);
    else if (!known)
        timeline_lost(d->t, "exits and closes of spans that were not entered", 1);
}

static void put_modern(struct dial9_timeline *d, const struct shown_record *x)
{
    uint64_t before = d->match->book->unbalanced_exits;
    d->sliced = false;
    dial9_stats_feed(d->match, &x->fact);
    if (d->sliced)
        timeline_args(d->t, x->c, NULL);
    timeline_lost(d->t, "exits of spans that were not entered",
                  d->match->book->unbalanced_exits - before);
}

static void put_annotated(struct dial9_timeline *d, const struct shown_record *x)
{
    dial9_stats_feed(d->match, &x->fact);
    if (d->found) {
        timeline_args(d->t, x->c, NULL);
        return;
    }
    if (!(x->r->flags & RAS_HAS_TIME)) {
        timeline_lost(d->t, "records without a time", 1);
        return;
    }
    timeline_lost(d->t, "spans without a valid length, shown as instants", 1);
    put_instant(d, x->c, x->r);
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

static void put_sample(struct dial9_timeline *d, const struct shown_record *x)
{
    const struct ras_value *chain = x->v[ROLE_STACK];
    size_t count = 0;
    if (!array_grow(&d->frames, &d->frame_room, 1, sizeof *d->frames)) {
        timeline_nomem(d->t);
        return;
    }
    if (dial9_cell_number(x->v[ROLE_SMALL], 0)) /* a thread that sleeps uses no time */
        d->frames[count++] = (struct timeline_frame){timeline_word(d->t, "[off CPU]"), 0};
    if (chain && chain->kind == RAS_LIST)
        count = put_frames(d, chain, count);
    if (!count) /* readers take none for a damaged one */
        d->frames[count++] = (struct timeline_frame){timeline_word(d->t, "(empty)"), 0};
    timeline_sample(d->t, track_of(d, x->c, x->r), x->r->time_ns, d->frames, count);
    timeline_args(d->t, x->c, (const char *const[]){"callchain", NULL});
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

static bool is_slice(struct dial9_timeline *d, const struct ras_schema *s, uint32_t schema)
{
    size_t had = d->is_slice_room;
    if (!array_grow(&d->is_slice, &d->is_slice_room, schema + 1u, 1)) {
        timeline_nomem(d->t);
        return false;
    }
    if (d->is_slice_room > had)
        memset(d->is_slice + had, 0, d->is_slice_room - had);
    if (!d->is_slice[schema]) {
        d->is_slice[schema] = 1;
        for (size_t i = 0; i < sizeof slices / sizeof *slices; i++)
            if (!strcmp(slices[i].name, s->name) && has_fields(s, slices[i].fields, 5))
                d->is_slice[schema] = 2;
    }
    return d->is_slice[schema] == 2;
}

static uint32_t text_in(struct timeline *t, const struct ras_cursor *c, const char *field,
                        const char *otherwise)
{
    const struct ras_value *v = ras_value_of(c, field);
    return v && v->kind == RAS_STR && v->count ? timeline_text(t, v->at, v->count)
                                               : timeline_word(t, otherwise);
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

/* A poll, segment or span that was requested by its type. */
static void put_derived(struct dial9_timeline *d, const struct ras_cursor *c,
                        const struct ras_record *r)
{
    const char *type = ras_schema_of(c)->name;
    const struct shown_worker *w = r->schema == DIAL9_POLL_RECORD ? worker_in(d, c) : NULL;
    uint64_t end = number_in(c, "end_ns");
    uint32_t track = w ? w->track
                       : dial9_track(d->t, ID_WHOLE | WHOLE_TRACKS | r->schema, TIMELINE_NONE,
                                     TIMELINE_TRACK, type);
    uint32_t name = text_in(d->t, c, w ? "spawn_loc" : "name", type);
    if (end == RAS_NONE) {
        timeline_lost(d->t, "polls and spans whose end is not recorded, shown as instants", 1);
        timeline_instant(d->t, track, r->time_ns, name, timeline_word(d->t, "without end"));
    } else {
        timeline_slice(d->t, track, r->time_ns, end, name, timeline_word(d->t, type));
    }
    timeline_args(d->t, c, NULL);
}

static void put_global_queue(struct dial9_timeline *d, const struct shown_record *x)
{
    uint64_t length = dial9_cell_number(x->v[ROLE_OTHER], RAS_NONE);
    if (length == RAS_NONE) {
        put_instant(d, x->c, x->r);
        return;
    }
    d->queue_track = dial9_track(d->t, ID_QUEUE, TIMELINE_NONE, TIMELINE_COUNTER, "global queue");
    timeline_counter(d->t, d->queue_track, x->r->time_ns, (int64_t)length);
}

static void put_fact(struct dial9_timeline *d, struct shown_record *x)
{
    unsigned kind = x->schema->kind;
    dial9_record_roles(x->c, x->schema, x->v);
    d->found = false;
    if (kind == FACT_WAKE) {
        put_wake(d, x);
    } else if (kind == FACT_SAMPLE) {
        put_sample(d, x);
    } else if (kind == FACT_QUEUE) {
        put_global_queue(d, x);
    } else {
        dial9_record_fact(d->match, x->r, x->schema, x->v, &x->fact);
        if (kind <= FACT_UNPARK)
            put_worker_event(d, x);
        else if (x->fact.small == SPAN_MODERN)
            put_modern(d, x);
        else if (kind <= FACT_SPAN_CLOSE && !x->fact.id)
            put_instant(d, x->c, x->r);
        else if (kind == FACT_SPAN_ENTER)
            put_enter(d, x);
        else if (kind == FACT_SPAN_WHOLE)
            put_annotated(d, x);
        else
            put_exit(d, x);
    }
}

/* Which types are spans by their annotations: those before the first event that is stored decide,
 * as in stats. The order of time, or a range, may begin with another one. */
static int judge_types(struct dial9_timeline *d, struct ras_error *err)
{
    const struct dial9 *trace = d->match->trace->priv; /* merged: it was walked */
    if (d->judged)
        return RAS_OK;
    d->judged = true;
    return trace->shapes.annotated ? dial9_stats_survey(d->match, err) : RAS_OK;
}

/* Kinds that are more than an instant. */
static bool is_shown(unsigned kind)
{
    return fact_is_timed(kind) && kind != FACT_SPAWN && kind != FACT_TERMINATE &&
           kind != FACT_DUMP && kind != FACT_ALLOC;
}

static int dial9_timeline_record(struct timeline *t, void *state, const struct ras_cursor *c,
                                 const struct ras_record *r, struct ras_error *err)
{
    struct dial9_timeline *d = state;
    bool derived = r->schema >= DIAL9_POLL_RECORD && r->schema <= DIAL9_SPAN_RECORD;
    bool own = r->schema > DIAL9_SPAN_RECORD;
    struct shown_record x = {.c = c, .r = r};
    int status = own ? judge_types(d, err) : RAS_OK;
    if (status < 0)
        return status;
    x.schema = own ? dial9_stats_schema(d->match, r->schema) : NULL;
    unsigned kind = x.schema ? x.schema->kind : FACT_NONE;
    if (d->match->nomem || (own && !x.schema))
        return fail_memory(err);
    if (kind == FACT_SYMBOL) /* names of addresses: frames of samples have them */
        return RAS_OK;
    if (!(r->flags & RAS_HAS_TIME) && kind != FACT_SPAN_WHOLE) /* which may have both ends */
        timeline_lost(t, "records without a time", 1);
    else if (derived)
        put_derived(d, c, r);
    else if (is_slice(d, ras_schema_of(c), r->schema))
        put_slice(d, c, r);
    else if (is_shown(kind))
        put_fact(d, &x);
    else
        put_instant(d, c, r);
    return d->match->nomem ? fail_memory(err) : RAS_OK;
}

static int dial9_timeline_start(struct timeline *t, void *state, struct ras_error *err)
{
    struct dial9_timeline *d = state;
    d->t = t;
    d->wake_track = d->span_group = TIMELINE_NONE;
    d->match = dial9_stats_new(timeline_trace(t));
    if (!d->match)
        return fail_memory(err);
    d->match->take = timeline_take;
    d->match->taker = d;
    d->process = dial9_track(t, ID_PROCESS, TIMELINE_NONE, TIMELINE_PROCESS, "workers (dial9)");
    return RAS_OK;
}

/* What was going on at the end stays open. */
static void dial9_timeline_stop(struct timeline *t, void *state)
{
    struct dial9_timeline *d = state;
    struct dial9_stats *m = d->match;
    d->stopping = true;
    for (size_t i = 0; i < m->worker_count; i++) {
        if (m->workers[i].polling)
            dial9_found_poll(m, &m->workers[i], RAS_NONE, RAS_NONE);
        else if (m->workers[i].parked)
            dial9_found_park(m, &m->workers[i], RAS_NONE);
    }
    for (size_t i = 0; i < dial9_spans_live(m); i++)
        dial9_spans_end(m, i);
    timeline_lost(t, "events of more than 1024 workers, shown as instants", m->workers_dropped);
    timeline_lost(t, "names that were not kept", m->texts_dropped);
}

static void dial9_timeline_release(void *state)
{
    struct dial9_timeline *d = state;
    dial9_stats_free(d->match);
    id_table_free(&d->task_ids);
    free(d->is_slice);
    free(d->workers);
    free(d->wakes);
    free(d->spans);
    free(d->names);
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
