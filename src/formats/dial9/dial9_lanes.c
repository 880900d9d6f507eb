/* dial9_lanes.c - the events of an async runtime as rows for a viewer.
 *
 * A worker has a row of polls and parks, and beside it its local queue; spans of all tasks are in
 * as many rows as overlap. Events are taken in their stored order: what one thread recorded
 * ascends, and a poll begins and ends in one thread. Only what is open is remembered, so that
 * reading can begin anywhere. */
#include "base/id_table.h"
#include "base/memory.h"
#include "base/out.h"
#include "formats/dial9/dial9_driver.h"
#include "formats/dial9/dial9_spans.h"
#include "ops/timeline/timeline_driver.h"

#include <stdio.h>
#include <stdlib.h>

enum { LANE_SPANS_MOST = 1 << 16, LANE_NO_WORKER = 254, LANE_WORKERS_MOST = 4096 };

enum lane_kind {
    LANE_INSTANT,
    LANE_POLL_START,
    LANE_POLL_END,
    LANE_PARK,
    LANE_UNPARK,
    LANE_QUEUE,
    LANE_WAKE,
    LANE_ENTER,
    LANE_EXIT,
    LANE_TICK,  /* of `rastrum run`: it ends after its duration_ns */
    LANE_PHASE, /* the same, inside a tick */
    LANE_NOT,   /* names of addresses */
};

/* The fields that are read. */
enum lane_role {
    ROLE_WORKER,
    ROLE_PLACE,
    ROLE_PLACE_ID,
    ROLE_LOCAL,
    ROLE_GLOBAL,
    ROLE_TID,
    ROLE_SPAN,
    ROLE_SPAN_NAME,
    ROLE_DURATION,
    ROLE_NAME,
    ROLE_INSTANCE,
    LANE_ROLES,
};
static const char *const lane_fields[LANE_ROLES + 1] = {
    [ROLE_WORKER] = "worker_id",
    [ROLE_PLACE] = "spawn_loc",
    [ROLE_PLACE_ID] = "spawn_loc_id",
    [ROLE_LOCAL] = "local_queue",
    [ROLE_GLOBAL] = "global_queue",
    [ROLE_TID] = "tid",
    [ROLE_SPAN] = "span_id",
    [ROLE_SPAN_NAME] = "span_name",
    [ROLE_DURATION] = "duration_ns",
    [ROLE_NAME] = "name",
    [ROLE_INSTANCE] = "span_instance_id",
};

static const struct {
    const char *name;
    enum lane_kind kind;
} lane_types[] = {
    {"PollStartEvent", LANE_POLL_START}, {"PollEndEvent", LANE_POLL_END},
    {"WorkerParkEvent", LANE_PARK},      {"WorkerUnparkEvent", LANE_UNPARK},
    {"QueueSampleEvent", LANE_QUEUE},    {"WakeEventEvent", LANE_WAKE},
    {"SpanCloseEvent", LANE_NOT},        {"SymbolTableEntry", LANE_NOT},
    {"CallframeDefEvent", LANE_NOT},     {"SpanEnterEvent", LANE_ENTER},
    {"SpanExitEvent", LANE_EXIT},
};

static const struct {
    const char *name;
    enum lane_kind kind;
} lane_prefixes[] = {
    {"SpanEnter:", LANE_ENTER}, {"SpanEnter__", LANE_ENTER}, {"SpanExit:", LANE_EXIT},
    {"SpanExit__", LANE_EXIT},  {"SpanClose__", LANE_NOT},
};

/* A schema: its kind, and where the cells of its fields are. */
struct lane_schema {
    bool known;
    uint8_t kind;
    uint8_t cell[LANE_ROLES];   /* 1 + the place among the cells; 0: it has no such field */
    uint16_t field[LANE_ROLES]; /* its number, by which the cell is checked */
    uint32_t name;
};

struct lane_worker {
    uint64_t id, tid; /* RAS_NONE: not known */
    uint32_t track, queue;
    uint64_t poll_ns, poll_seq, park_ns, park_seq;
    uint32_t name; /* of the poll */
    bool polling, parked;
};

/* A span that is entered. */
struct lane_span {
    uint64_t id, enter_ns, seq;
    uint32_t name, depth;
};

struct dial9_lanes {
    struct timeline *t;
    struct lane_schema *schemas;
    size_t schema_count, schema_room;
    struct id_table worker_ids, span_ids;
    uint16_t near[LANE_NO_WORKER]; /* small ids of workers: 1 + index; 0: none yet */
    struct lane_worker *workers;
    size_t worker_count, worker_room;
    struct lane_span *spans;
    size_t span_count, span_room;
    uint32_t process, wakes, queue, span_track, ticks, events; /* TIMELINE_NONE: not made */
};

/* The record that is shown. */
struct lane_record {
    const struct ras_cursor *c;
    const struct ras_record *r;
    const struct lane_schema *s;
    const struct ras_value *cells;
    size_t count;
};

/* ---- values ---------------------------------------------------------------------------- */

static inline const struct ras_value *lane_value(const struct lane_record *x, enum lane_role role)
{
    unsigned cell = x->s->cell[role];
    if (!cell)
        return NULL;
    if (cell <= x->count && x->cells[cell - 1].field == x->s->field[role])
        return &x->cells[cell - 1];
    return ras_value_at(x->c, x->s->field[role]); /* after a list */
}

static inline uint64_t lane_number(const struct lane_record *x, enum lane_role role)
{
    const struct ras_value *v = lane_value(x, role);
    if (v && (v->kind == RAS_UINT || v->kind == RAS_BOOL))
        return v->u;
    return v && v->kind == RAS_INT && v->i >= 0 ? v->u : RAS_NONE;
}

static uint32_t lane_text(struct dial9_lanes *d, const struct lane_record *x, enum lane_role role,
                          uint32_t otherwise)
{
    const struct ras_value *v = lane_value(x, role);
    return v && v->kind == RAS_STR && v->count ? timeline_text(d->t, v->at, v->count) : otherwise;
}

/* ---- schemas --------------------------------------------------------------------------- */

/* Events of `rastrum run` have exactly these fields. */
static bool lane_has_fields(const struct ras_schema *s, const char *const *fields)
{
    size_t count = 0;
    for (; fields[count]; count++)
        if (ras_field_index(s, fields[count]) < 0)
            return false;
    return s->field_count == count;
}

static enum lane_kind lane_kind_of(const struct ras_schema *s)
{
    static const char *const tick[] = {"tick",          "commands",    "applied",
                                       "snapshot_hash", "duration_ns", NULL};
    static const char *const phase[] = {"tick", "name", "duration_ns", NULL};
    for (size_t i = 0; i < sizeof lane_types / sizeof *lane_types; i++)
        if (!strcmp(lane_types[i].name, s->name))
            return lane_types[i].kind;
    if (!strcmp(s->name, "tick") && lane_has_fields(s, tick))
        return LANE_TICK;
    if (!strcmp(s->name, "phase") && lane_has_fields(s, phase))
        return LANE_PHASE;
    for (size_t i = 0; i < sizeof lane_prefixes / sizeof *lane_prefixes; i++)
        if (!strncmp(s->name, lane_prefixes[i].name, strlen(lane_prefixes[i].name)))
            return lane_prefixes[i].kind;
    return LANE_INSTANT;
}

static void lane_lay_out(struct lane_schema *l, const struct ras_schema *s)
{
    uint8_t cell = 0;
    for (uint16_t i = 0; i < s->field_count && cell < UINT8_MAX; i++)
        for (size_t role = 0; role < LANE_ROLES; role++)
            if (!strcmp(s->fields[i].name, lane_fields[role])) {
                l->cell[role] = ++cell;
                l->field[role] = i;
            }
}

/* NULL: memory is short. */
static const struct lane_schema *lane_schema_of(struct dial9_lanes *d, const struct ras_cursor *c,
                                                uint32_t schema)
{
    if (schema < d->schema_count && d->schemas[schema].known)
        return &d->schemas[schema];
    if (!array_grow(&d->schemas, &d->schema_room, schema + 1u, sizeof *d->schemas)) {
        timeline_nomem(d->t);
        return NULL;
    }
    while (d->schema_count <= schema)
        d->schemas[d->schema_count++] = (struct lane_schema){0};
    const struct ras_schema *s = ras_schema_of(c);
    struct lane_schema *l = &d->schemas[schema];
    *l = (struct lane_schema){.known = true, .kind = (uint8_t)lane_kind_of(s)};
    const char *name = l->kind == LANE_ENTER ? dial9_span_label(s->name) : s->name;
    l->name = timeline_text(d->t, name, strlen(name));
    lane_lay_out(l, s);
    return l;
}

/* ---- tracks ---------------------------------------------------------------------------- */

enum { LANES_PROCESS = 1, LANES_WAKES, LANES_QUEUE, LANES_SPANS, LANES_TICKS, LANES_EVENTS };
#define LANES_WORKER       (UINT64_C(1) << 56)
#define LANES_WORKER_QUEUE (UINT64_C(2) << 56)
#define LANES_THREAD       (UINT64_C(3) << 56)

static uint32_t lane_track(struct timeline *t, uint64_t id, uint32_t parent,
                           enum timeline_kind kind, const char *name)
{
    return timeline_track(t, &(struct timeline_place){.id = id,
                                                      .parent = parent,
                                                      .kind = kind,
                                                      .name = timeline_text(t, name, strlen(name)),
                                                      .number = RAS_NONE});
}

/* One of the tracks that there is one of, made on first use. */
static uint32_t lane_single(struct dial9_lanes *d, uint32_t *track, uint64_t id,
                            enum timeline_kind kind, const char *name)
{
    if (*track == TIMELINE_NONE)
        *track = lane_track(d->t, id, TIMELINE_NONE, kind, name);
    return *track;
}

/* NULL: memory is short, or there are too many. */
static struct lane_worker *lane_worker_new(struct dial9_lanes *d, uint64_t id)
{
    char name[64];
    if (d->worker_count == LANE_WORKERS_MOST)
        return NULL;
    if (!array_grow(&d->workers, &d->worker_room, d->worker_count + 1, sizeof *d->workers) ||
        !id_table_add(&d->worker_ids, id, (uint32_t)d->worker_count)) {
        timeline_nomem(d->t);
        return NULL;
    }
    struct lane_worker *w = &d->workers[d->worker_count++];
    *w = (struct lane_worker){.id = id, .tid = RAS_NONE};
    snprintf(name, sizeof name, "worker %" PRIu64, id);
    w->track =
        lane_track(d->t, LANES_WORKER | (id & 0xffffffffffff), d->process, TIMELINE_THREAD, name);
    snprintf(name, sizeof name, "local queue of worker %" PRIu64, id);
    w->queue = lane_track(d->t, LANES_WORKER_QUEUE | (id & 0xffffffffffff), d->process,
                          TIMELINE_COUNTER, name);
    return w;
}

/* The worker of a record; NULL: it has none. */
static struct lane_worker *lane_worker_of(struct dial9_lanes *d, const struct lane_record *x)
{
    uint64_t id = lane_number(x, ROLE_WORKER);
    if (id == RAS_NONE || id == LANE_NO_WORKER || id == LANE_NO_WORKER + 1)
        return NULL;
    if (id < LANE_NO_WORKER && d->near[id])
        return &d->workers[d->near[id] - 1];
    uint32_t at = id_table_find(&d->worker_ids, id);
    struct lane_worker *w = at != ID_TABLE_NONE ? &d->workers[at] : lane_worker_new(d, id);
    if (w && id < LANE_NO_WORKER)
        d->near[id] = (uint16_t)(w - d->workers + 1);
    return w;
}

static uint32_t lane_track_of(struct dial9_lanes *d, const struct lane_record *x)
{
    const struct lane_worker *w = lane_worker_of(d, x);
    uint64_t tid = lane_number(x, ROLE_TID);
    char name[64];
    for (size_t i = 0; !w && tid != RAS_NONE && i < d->worker_count; i++)
        w = d->workers[i].tid == tid ? &d->workers[i] : NULL;
    if (w)
        return w->track;
    if (tid == RAS_NONE)
        return lane_single(d, &d->events, LANES_EVENTS, TIMELINE_TRACK, "events");
    snprintf(name, sizeof name, "thread %" PRIu64, tid);
    return timeline_track(d->t,
                          &(struct timeline_place){.id = LANES_THREAD | (tid & 0xffffffffffff),
                                                   .parent = d->process,
                                                   .kind = TIMELINE_THREAD,
                                                   .name = timeline_text(d->t, name, strlen(name)),
                                                   .number = tid});
}

/* ---- workers --------------------------------------------------------------------------- */

static void lane_instant(struct dial9_lanes *d, uint32_t track, const struct lane_record *x)
{
    timeline_instant(d->t, track, x->r->time_ns, x->s->name, 0);
}

static void lane_local_queue(struct dial9_lanes *d, const struct lane_worker *w,
                             const struct lane_record *x)
{
    uint64_t length = lane_number(x, ROLE_LOCAL);
    if (length != RAS_NONE)
        timeline_counter(d->t, w->queue, x->r->time_ns, (int64_t)length);
}

static void lane_poll_start(struct dial9_lanes *d, struct lane_worker *w,
                            const struct lane_record *x)
{
    if (w->polling) /* its end was lost: how long it took is not known */
        timeline_instant(d->t, w->track, w->poll_ns, w->name, 0);
    w->polling = true;
    w->poll_ns = x->r->time_ns;
    w->poll_seq = x->r->seq;
    enum lane_role role = x->s->cell[ROLE_PLACE] ? ROLE_PLACE : ROLE_PLACE_ID;
    w->name = lane_text(d, x, role, timeline_word(d->t, "poll"));
    lane_local_queue(d, w, x);
}

static void lane_poll_end(struct dial9_lanes *d, struct lane_worker *w, const struct lane_record *x)
{
    if (!w->polling || x->r->time_ns < w->poll_ns) {
        lane_instant(d, w->track, x);
        return;
    }
    w->polling = false;
    timeline_row(d->t, 0, w->poll_seq);
    timeline_slice(d->t, w->track, w->poll_ns, x->r->time_ns, w->name, 0);
}

static void lane_park(struct dial9_lanes *d, struct lane_worker *w, const struct lane_record *x)
{
    uint64_t tid = lane_number(x, ROLE_TID);
    w->tid = tid == RAS_NONE ? w->tid : tid;
    lane_local_queue(d, w, x);
    if (x->s->kind == LANE_PARK) {
        w->parked = true;
        w->park_ns = x->r->time_ns;
        w->park_seq = x->r->seq;
    } else if (w->parked && x->r->time_ns >= w->park_ns) {
        w->parked = false;
        timeline_row(d->t, 0, w->park_seq);
        timeline_slice(d->t, w->track, w->park_ns, x->r->time_ns, timeline_word(d->t, "parked"), 0);
    } else {
        lane_instant(d, w->track, x);
    }
}

static void lane_worker_event(struct dial9_lanes *d, const struct lane_record *x)
{
    struct lane_worker *w = lane_worker_of(d, x);
    if (!w)
        lane_instant(d, lane_track_of(d, x), x);
    else if (x->s->kind == LANE_POLL_START)
        lane_poll_start(d, w, x);
    else if (x->s->kind == LANE_POLL_END)
        lane_poll_end(d, w, x);
    else
        lane_park(d, w, x);
}

/* ---- spans ----------------------------------------------------------------------------- */

/* What pairs an enter with its exit: the id, of a modern span that and the thread. */
static uint64_t lane_span_key(const struct lane_record *x)
{
    uint64_t instance = lane_number(x, ROLE_INSTANCE);
    if (!instance || instance == RAS_NONE)
        return lane_number(x, ROLE_SPAN);
    uint64_t key = (instance ^ lane_number(x, ROLE_TID) << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return key == RAS_NONE ? 0 : key;
}

/* One that is entered while it is entered is shown once. */
static void lane_enter(struct dial9_lanes *d, const struct lane_record *x)
{
    uint64_t id = lane_span_key(x);
    uint32_t at = id_table_find(&d->span_ids, id);
    if (id == RAS_NONE || (at == ID_TABLE_NONE && d->span_count == LANE_SPANS_MOST)) {
        lane_instant(d, lane_track_of(d, x), x);
        return;
    }
    if (at != ID_TABLE_NONE) {
        d->spans[at].depth++;
        return;
    }
    if (!array_grow(&d->spans, &d->span_room, d->span_count + 1, sizeof *d->spans) ||
        !id_table_add(&d->span_ids, id, (uint32_t)d->span_count)) {
        timeline_nomem(d->t);
        return;
    }
    d->spans[d->span_count++] =
        (struct lane_span){.id = id,
                           .enter_ns = x->r->time_ns,
                           .seq = x->r->seq,
                           .name = lane_text(d, x, ROLE_SPAN_NAME, x->s->name)};
}

static void lane_exit(struct dial9_lanes *d, const struct lane_record *x)
{
    uint64_t id = lane_span_key(x);
    uint32_t at = id_table_find(&d->span_ids, id);
    if (at == ID_TABLE_NONE) {
        lane_instant(d, lane_track_of(d, x), x);
        return;
    }
    if (d->spans[at].depth) {
        d->spans[at].depth--;
        return;
    }
    const struct lane_span s = d->spans[at];
    id_table_remove(&d->span_ids, id);
    if (at != --d->span_count) {
        d->spans[at] = d->spans[d->span_count];
        id_table_remove(&d->span_ids, d->spans[at].id);
        if (!id_table_add(&d->span_ids, d->spans[at].id, at))
            timeline_nomem(d->t);
    }
    timeline_row(d->t, 0, s.seq);
    timeline_slice(d->t, lane_single(d, &d->span_track, LANES_SPANS, TIMELINE_TRACK, "spans"),
                   s.enter_ns, x->r->time_ns, s.name, 0);
}

/* ---- records --------------------------------------------------------------------------- */

static void lane_whole(struct dial9_lanes *d, const struct lane_record *x)
{
    uint64_t length = lane_number(x, ROLE_DURATION), time_ns = x->r->time_ns;
    uint32_t track = lane_single(d, &d->ticks, LANES_TICKS, TIMELINE_TRACK, "ticks");
    bool phase = x->s->kind == LANE_PHASE;
    length = length == RAS_NONE || length > time_ns ? 0 : length;
    timeline_row(d->t, phase, x->r->seq);
    timeline_slice(d->t, track, time_ns - length, time_ns,
                   phase ? lane_text(d, x, ROLE_NAME, x->s->name) : x->s->name, 0);
}

static void lane_queue(struct dial9_lanes *d, const struct lane_record *x)
{
    uint64_t length = lane_number(x, ROLE_GLOBAL);
    if (length == RAS_NONE)
        lane_instant(d, lane_track_of(d, x), x);
    else
        timeline_counter(d->t,
                         lane_single(d, &d->queue, LANES_QUEUE, TIMELINE_COUNTER, "global queue"),
                         x->r->time_ns, (int64_t)length);
}

static void lane_wake(struct dial9_lanes *d, const struct lane_record *x)
{
    uint32_t name = timeline_word(d->t, "wake"); /* before the track: both are numbered */
    timeline_instant(d->t, lane_single(d, &d->wakes, LANES_WAKES, TIMELINE_TRACK, "wakes"),
                     x->r->time_ns, name, 0);
}

static void lane_show(struct dial9_lanes *d, const struct lane_record *x)
{
    enum lane_kind kind = x->s->kind;
    if (kind >= LANE_POLL_START && kind <= LANE_UNPARK)
        lane_worker_event(d, x);
    else if (kind == LANE_WAKE)
        lane_wake(d, x);
    else if (kind == LANE_ENTER)
        lane_enter(d, x);
    else if (kind == LANE_EXIT)
        lane_exit(d, x);
    else if (kind == LANE_QUEUE)
        lane_queue(d, x);
    else if (kind == LANE_TICK || kind == LANE_PHASE)
        lane_whole(d, x);
    else
        lane_instant(d, lane_track_of(d, x), x);
}

static int dial9_lanes_record(struct timeline *t, void *state, const struct ras_cursor *c,
                              const struct ras_record *r, struct ras_error *err)
{
    struct dial9_lanes *d = state;
    struct lane_record x = {.c = c, .r = r, .s = lane_schema_of(d, c, r->schema)};
    (void)t;
    if (!x.s)
        return fail_memory(err);
    if (x.s->kind == LANE_NOT || !(r->flags & RAS_HAS_TIME) || (!r->time_ns && !ras_has_time(c)))
        return RAS_OK;
    x.cells = ras_values(c, &x.count);
    lane_show(d, &x);
    return RAS_OK;
}

/* What was going on at the end stays open. */
static void dial9_lanes_open(struct timeline *t, void *state)
{
    struct dial9_lanes *d = state;
    for (size_t i = 0; i < d->worker_count; i++) {
        const struct lane_worker *w = &d->workers[i];
        if (!w->polling && !w->parked)
            continue;
        timeline_row(t, 0, w->polling ? w->poll_seq : w->park_seq);
        timeline_slice(t, w->track, w->polling ? w->poll_ns : w->park_ns, TIMELINE_OPEN_END,
                       w->polling ? w->name : timeline_word(t, "parked"), 0);
    }
    for (size_t i = 0; i < d->span_count; i++) {
        timeline_row(t, 0, d->spans[i].seq);
        timeline_slice(t, lane_single(d, &d->span_track, LANES_SPANS, TIMELINE_TRACK, "spans"),
                       d->spans[i].enter_ns, TIMELINE_OPEN_END, d->spans[i].name, 0);
    }
}

/* ---- states ---------------------------------------------------------------------------- */

struct lanes_saved {
    uint32_t tracks[6];
    uint32_t worker_count, span_count;
};

static bool dial9_lanes_save(const void *state, struct out *out)
{
    const struct dial9_lanes *d = state;
    const struct lanes_saved saved = {
        {d->process, d->wakes, d->queue, d->span_track, d->ticks, d->events},
        (uint32_t)d->worker_count,
        (uint32_t)d->span_count};
    out_bytes(out, &saved, sizeof saved);
    out_bytes(out, d->workers, d->worker_count * sizeof *d->workers);
    out_bytes(out, d->spans, d->span_count * sizeof *d->spans);
    return true;
}

static bool dial9_lanes_load(struct timeline *t, void *state, struct ras_bytes from)
{
    struct dial9_lanes *d = state;
    struct lanes_saved saved;
    (void)t;
    if (from.len < sizeof saved)
        return false;
    memcpy(&saved, from.at, sizeof saved);
    size_t workers = saved.worker_count * sizeof *d->workers;
    size_t spans = saved.span_count * sizeof *d->spans;
    if (from.len - sizeof saved != workers + spans ||
        !array_grow(&d->workers, &d->worker_room, saved.worker_count + 1u, sizeof *d->workers) ||
        !array_grow(&d->spans, &d->span_room, saved.span_count + 1u, sizeof *d->spans))
        return false;
    memcpy(d->workers, from.at + sizeof saved, workers);
    memcpy(d->spans, from.at + sizeof saved + workers, spans);
    d->worker_count = saved.worker_count;
    d->span_count = saved.span_count;
    d->process = saved.tracks[0];
    d->wakes = saved.tracks[1];
    d->queue = saved.tracks[2];
    d->span_track = saved.tracks[3];
    d->ticks = saved.tracks[4];
    d->events = saved.tracks[5];
    bool ok = true;
    for (uint32_t i = 0; ok && i < d->worker_count; i++)
        ok = id_table_add(&d->worker_ids, d->workers[i].id, i);
    for (uint32_t i = 0; ok && i < d->span_count; i++)
        ok = id_table_add(&d->span_ids, d->spans[i].id, i);
    return ok;
}

static int dial9_lanes_start(struct timeline *t, void *state, struct ras_error *err)
{
    struct dial9_lanes *d = state;
    (void)err;
    d->t = t;
    d->wakes = d->queue = d->span_track = d->ticks = d->events = TIMELINE_NONE;
    d->process = lane_track(t, LANES_PROCESS, TIMELINE_NONE, TIMELINE_PROCESS, "workers (dial9)");
    return RAS_OK;
}

static void dial9_lanes_release(void *state)
{
    struct dial9_lanes *d = state;
    id_table_free(&d->worker_ids);
    id_table_free(&d->span_ids);
    free(d->schemas);
    free(d->workers);
    free(d->spans);
}

const struct timeline_ops dial9_lanes = {
    .group = "events (dial9)",
    .state_size = sizeof(struct dial9_lanes),
    .fields = lane_fields,
    .start = dial9_lanes_start,
    .record = dial9_lanes_record,
    .open = dial9_lanes_open,
    .stop = dial9_lanes_open,
    .release = dial9_lanes_release,
    .save = dial9_lanes_save,
    .load = dial9_lanes_load,
};
