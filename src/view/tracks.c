/* tracks.c - the timeline of one side: what the drivers of its traces show, built in steps.
 *
 * Each trace is read once, a block of records at a time. What they show goes to the pyramid; the
 * block index remembers where it came from, so that tiles finer than the pyramid are made from the
 * records again (track_scan.c, track_tiles.c). */
#include "base/error.h"
#include "base/os.h"
#include "core/format.h"
#include "view/track_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    BUDGET_DEFAULT = 64 << 20,
    FLOOR_NS = 8, /* log2 of the finest bucket that is kept */
    FLOOR_TICKS = 14,
    ROWS_MOST = 1024, /* of a track */
    SLICES_AT_ONCE = 64,
    SETTLED_AT_ONCE = 8,
    TICKS_SHOWN = 65536,
    STATES_SHARE = 32, /* of the budget, for checkpoints */
    STATES_LEAST = 64 << 10,
};
#define SEQ_SPAN (UINT64_C(1) << 31)

/* ---- tracks ------------------------------------------------------------------------------ */

static uint32_t track_new(struct pen *p, const struct timeline *t, uint32_t track,
                          enum track_kind kind, uint32_t name, uint32_t parent)
{
    struct tracks *s = p->of;
    const struct timeline_track *of = &t->tracks[track];
    const struct timeline *names = t->names_of ? t->names_of : t;
    if (s->track_count >= UINT32_MAX / 2 ||
        !array_grow(&s->tracks, &s->track_room, s->track_count + 1, sizeof *s->tracks)) {
        s->nomem = true;
        return TRACK_NONE;
    }
    s->tracks[s->track_count] = (struct track){.about = {.parent = parent,
                                                         .kind = kind,
                                                         .pen = p->index,
                                                         .stream = TRACK_NONE,
                                                         .name = names->names[name].at,
                                                         .unit = of->unit,
                                                         .number = of->number,
                                                         .from = UINT64_MAX}};
    return (uint32_t)s->track_count++;
}

/* The group that a track of the timeline is, or would be. */
static uint32_t group_view(struct pen *p, const struct timeline *t, uint32_t track)
{
    if (track == TIMELINE_NONE || track >= p->view_count)
        return TRACK_NONE;
    if (p->views[track].group == TRACK_NONE) {
        const struct timeline_track *of = &t->tracks[track];
        p->views[track].group =
            track_new(p, t, track, TRACK_GROUP, of->name, group_view(p, t, of->parent));
    }
    return p->views[track].group;
}

static void build_track(struct timeline *t, uint32_t track)
{
    struct pen *p = t->rows_user;
    if (!array_grow(&p->views, &p->view_room, track + 1u, sizeof *p->views)) {
        p->of->nomem = true;
        return;
    }
    while (p->view_count <= track)
        p->views[p->view_count++] =
            (struct track_views){TRACK_NONE, TRACK_NONE, TRACK_NONE, TRACK_NONE};
    if (t->tracks[track].kind == TIMELINE_GROUP || t->tracks[track].kind == TIMELINE_PROCESS)
        (void)group_view(p, t, track);
}

/* Instants of a thread are shown beside its slices. */
static uint32_t view_name(struct timeline *t, const struct timeline_track *of, enum track_kind kind)
{
    struct timeline *names = t->names_of ? t->names_of : t;
    char text[256];
    if (kind != TRACK_INSTANT || of->kind != TIMELINE_THREAD)
        return of->name;
    int len = snprintf(text, sizeof text, "%.230s: events", names->names[of->name].at);
    return timeline_text(t, text, (size_t)len);
}

struct track *track_view(struct pen *p, struct timeline *t, uint32_t track, enum track_kind kind)
{
    if (track >= p->view_count)
        return NULL;
    struct track_views *v = &p->views[track];
    uint32_t *view = kind == TRACK_SLICE     ? &v->slices
                     : kind == TRACK_INSTANT ? &v->instants
                                             : &v->values;
    if (*view == TRACK_NONE && !t->like) {
        const struct timeline_track of = t->tracks[track];
        bool film = kind == TRACK_SLICE && of.film;
        if (of.kind == TIMELINE_GROUP || of.kind == TIMELINE_PROCESS)
            return NULL;
        *view = track_new(p, t, track, film ? TRACK_FILM : kind, view_name(t, &of, kind),
                          group_view(p, t, of.parent));
    }
    return *view == TRACK_NONE ? NULL : &p->of->tracks[*view];
}

/* ---- what is shown ----------------------------------------------------------------------- */

/* The row of the pyramid; PYRAMID_NONE: too many rows, or memory is short. */
static uint32_t track_row(struct tracks *s, struct track *k, uint32_t row)
{
    if (row >= ROWS_MOST) {
        k->about.is_lossy = true;
        return PYRAMID_NONE;
    }
    if (!array_grow(&k->rows, &k->row_room, row + 1u, sizeof *k->rows)) {
        s->nomem = true;
        return PYRAMID_NONE;
    }
    while (k->about.rows <= row) {
        uint32_t made = pyramid_row(s->pyramid, k->about.kind == TRACK_COUNTER);
        k->rows[k->about.rows++] = made;
        k->about.is_lossy |= made == PYRAMID_NONE;
    }
    return k->rows[row];
}

static inline void item_times(struct pen *p, struct track_about *a, uint64_t from, uint64_t to)
{
    a->from = from < a->from ? from : a->from;
    a->to = to > a->to ? to : a->to;
    p->block.first = to < p->block.first ? to : p->block.first;
    p->block.last = to > p->block.last ? to : p->block.last;
}

/* Some items of a track come: what a tile says of all of them. */
static void items_begin(const struct timeline *t, struct track_about *a, uint64_t seq, size_t count)
{
    if (!a->records) {
        a->seq_base = seq != RAS_NONE && seq > SEQ_SPAN ? seq - SEQ_SPAN : 0;
        a->stream = t->stream;
    }
    if (a->stream != t->stream)
        a->stream = TRACK_NONE;
    a->records += count;
}

/* Wraps around where it is before the base: unknown then, as what is too far after it. */
static inline uint32_t item_seq(const struct track_about *a, uint64_t seq)
{
    return seq - a->seq_base < UINT32_MAX ? (uint32_t)(seq - a->seq_base) : UINT32_MAX;
}

static void build_open(struct tracks *s, struct track *k, const struct timeline_slice *o)
{
    if (o->row >= ROWS_MOST ||
        !array_grow(&k->opens, &k->open_room, k->open_count + 1, sizeof *k->opens))
        return;
    (void)track_row(s, k, o->row);
    k->opens[k->open_count++] = (struct open_slice){o->row, o->name, o->seq, o->from_ns};
    k->about.from = o->from_ns < k->about.from ? o->from_ns : k->about.from;
    k->about.to = o->from_ns > k->about.to ? o->from_ns : k->about.to;
}

static void add_slices(struct pen *p, struct track *k, const struct timeline_slice *slices,
                       size_t count)
{
    struct tracks *s = p->of;
    struct entry entries[SLICES_AT_ONCE];
    uint32_t rows[SLICES_AT_ONCE];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct timeline_slice *x = &slices[i];
        uint64_t dur = x->to_ns - x->from_ns;
        rows[n] = x->row < k->about.rows ? k->rows[x->row] : track_row(s, k, x->row);
        entries[n] = (struct entry){.start = x->from_ns,
                                    .dur = dur,
                                    .busy = (float)dur,
                                    .count = 1,
                                    .name = x->name,
                                    .seq = item_seq(&k->about, x->seq)};
        item_times(p, &k->about, x->from_ns, x->to_ns);
        n += rows[n] != PYRAMID_NONE;
    }
    s->nomem |= !pyramid_add_many(s->pyramid, rows, entries, n);
}

static void build_slices(struct timeline *t, uint32_t track, const struct timeline_slice *slices,
                         size_t count)
{
    struct pen *p = t->rows_user;
    struct track *k = track_view(p, t, track, TRACK_SLICE);
    if (!k)
        return;
    if (slices[0].to_ns == TIMELINE_OPEN_END) {
        build_open(p->of, k, slices);
        return;
    }
    k->about.is_lossy |= slices[0].row == TIMELINE_ROWS - 1 && t->tracks[track].row_count;
    items_begin(t, &k->about, slices[0].seq, count);
    for (size_t i = 0; i < count; i += SLICES_AT_ONCE)
        add_slices(p, k, slices + i, count - i < SLICES_AT_ONCE ? count - i : SLICES_AT_ONCE);
}

/* One row: instants, or values. */
static void build_item(struct pen *p, const struct timeline *t, struct track *k, struct entry *e)
{
    struct tracks *s = p->of;
    items_begin(t, &k->about, t->seq, 1);
    e->seq = item_seq(&k->about, t->seq);
    item_times(p, &k->about, e->start, e->start);
    uint32_t row = k->about.rows ? k->rows[0] : track_row(s, k, 0);
    s->nomem |= row != PYRAMID_NONE && !pyramid_add(s->pyramid, row, e);
}

static void build_instant(struct timeline *t, uint32_t track, uint64_t time_ns, uint32_t name)
{
    struct pen *p = t->rows_user;
    struct track *k = track_view(p, t, track, TRACK_INSTANT);
    struct entry e = {.start = time_ns, .count = 1, .name = name};
    if (!k)
        return;
    build_item(p, t, k, &e);
}

static void build_value(struct timeline *t, uint32_t track, uint64_t time_ns, double value)
{
    struct pen *p = t->rows_user;
    struct track *k = track_view(p, t, track, TRACK_COUNTER);
    struct entry e = {.start = time_ns, .sum = value, .min = (float)value, .count = 1};
    if (!k || isnan(value))
        return;
    e.max = e.min;
    struct track_about *a = &k->about;
    a->min = !a->records || value < a->min ? value : a->min;
    a->max = !a->records || value > a->max ? value : a->max;
    build_item(p, t, k, &e);
}

static const struct timeline_rows build_rows = {build_track, build_slices, build_instant,
                                                build_value};

/* ---- steps ------------------------------------------------------------------------------- */

static int pen_begin(struct tracks *s, struct pen *p, struct ras_error *err)
{
    const struct timeline_feed_options how = {.rows = &build_rows,
                                              .user = p,
                                              .trace = p->trace,
                                              .run = s->run,
                                              .pen = p->index,
                                              .first = s->first,
                                              .follow = s->how.follow};
    int status = timeline_feed_open(&p->feed, &how, err);
    if (status == RAS_OK && !s->first)
        s->first = p->feed;
    return status;
}

/* How much of a trace was read, 0 to 1. */
static double pen_share(const struct pen *p)
{
    uint64_t total = 0, passed = p->feed ? timeline_feed_progress(p->feed, &total) : 0;
    if (p->built || p->waits)
        return 1;
    return total && passed < total ? (double)passed / (double)total : 0;
}

/* How much of all traces was read; those that are smaller weigh less. */
static double tracks_share(const struct tracks *s)
{
    double done = 0, all = 0;
    for (size_t i = 0; i < s->pen_count; i++) {
        done += pen_share(&s->pens[i]) * (double)(s->pens[i].size + 1);
        all += (double)(s->pens[i].size + 1);
    }
    return all > 0 ? done / all : 1;
}

/* The state before the next block, now and then. */
static void pen_save(struct tracks *s, struct pen *p)
{
    if (!p->blocks.count || !block_index_wants(&p->blocks))
        return;
    s->state.len = 0;
    if (timeline_feed_save(p->feed, &s->state) &&
        !block_index_keep(&p->blocks, (struct ras_bytes){s->state.at, s->state.len}))
        s->nomem = true;
    s->nomem |= s->state.failed;
}

/* What was read is a block; where a trace grows slowly, it is added to the last one. */
static void pen_end_block(struct tracks *s, struct pen *p, const struct timeline_fed *fed)
{
    struct block *last = p->blocks.count ? &p->blocks.blocks[p->blocks.count - 1] : NULL;
    bool any = p->block.first <= p->block.last;
    p->block.seq = fed->seq;
    p->block.count = (uint32_t)fed->count;
    p->block.stream = fed->stream;
    if (!fed->count && !any)
        return;
    p->moved = true;
    if (!last || last->count + fed->count > s->block_records ||
        (fed->stream != last->stream && last->count >= s->block_records / 4)) {
        s->nomem |= !block_index_add(&p->blocks, &p->block);
        return;
    }
    last->count += (uint32_t)fed->count;
    if (fed->count && last->stream != fed->stream)
        last->stream = UINT32_MAX;
    last->first = p->block.first < last->first ? p->block.first : last->first;
    last->last = p->block.last > last->last ? p->block.last : last->last;
    const struct checkpoint *point = block_index_find(&p->blocks, p->blocks.count);
    p->again_block = SIZE_MAX;
    if (point && point->block == p->blocks.count) /* it was before what is now inside a block */
        block_index_forget(&p->blocks);
}

/* One block. RAS_END: the trace is over, or there is nothing yet. */
static int pen_step(struct tracks *s, struct pen *p, struct ras_error *err)
{
    struct timeline_fed fed;
    int status = p->feed ? RAS_OK : pen_begin(s, p, err);
    if (status == RAS_EMEMORY)
        return status;
    if (status < 0) { /* it cannot be read: nothing of it is shown */
        p->built = true;
        return RAS_END;
    }
    pen_save(s, p);
    p->block = (struct block){.first = UINT64_MAX};
    status = timeline_feed_step(p->feed, s->block_records, &fed, err);
    pen_end_block(s, p, &fed);
    pyramid_plan(s->pyramid, tracks_share(s));
    p->waits = status == RAS_WAIT;
    p->built = status == RAS_END;
    if (s->nomem)
        return fail_memory(err);
    return status == RAS_WAIT ? RAS_END : status;
}

static void pen_forget_open(struct tracks *s, const struct pen *p)
{
    for (size_t i = 0; i < s->track_count; i++)
        if (s->tracks[i].about.pen == p->index)
            s->tracks[i].open_count = 0;
}

/* Blocks of a trace until the time is over. */
static int pen_run(struct tracks *s, struct pen *p, uint64_t until_ns, struct ras_error *err)
{
    int status;
    p->moved = false;
    pen_forget_open(s, p);
    do
        status = pen_step(s, p, err);
    while (status == RAS_OK && os_boot_ns() < until_ns);
    if (status >= 0 && p->feed)
        timeline_feed_show_open(p->feed);
    if (p->moved || p->built) {
        s->generation++;
        s->settled = 0;
    }
    return status;
}

/* Every nth tick, so that they are not too many. */
static bool ticks_thin(struct tracks *s)
{
    const struct timeline *t = timeline_feed_timeline(s->first);
    size_t step = t->tick_count / TICKS_SHOWN + (t->tick_count % TICKS_SHOWN > 0);
    if (s->ticks_known)
        return true;
    s->ticks_known = true;
    s->generation++;
    if (step < 2)
        return true;
    s->ticks = calloc(t->tick_count / step + 1, sizeof *s->ticks);
    if (!s->ticks)
        return false;
    for (size_t i = 0; i < t->tick_count; i += step)
        s->ticks[s->tick_count++] = t->tick_ns[i];
    s->tick_every = t->tick_every * step;
    return true;
}

/* Rows that were added to are prepared for reading, so that no tile waits for it. RAS_OK: there are
 * more. */
static int rows_settle(struct tracks *s, uint64_t until_ns, struct ras_error *err)
{
    while (s->settled < pyramid_rows(s->pyramid)) {
        if (!pyramid_settle(s->pyramid, (uint32_t)s->settled++))
            return fail_memory(err);
        if (s->settled % SETTLED_AT_ONCE == 0 && os_boot_ns() >= until_ns)
            return RAS_OK;
    }
    return RAS_END;
}

int tracks_step(struct tracks *s, unsigned ms, struct ras_error *err)
{
    uint64_t until_ns = os_boot_ns() + (uint64_t)ms * 1000000;
    for (size_t i = 0; i < s->pen_count; i++) {
        struct pen *p = &s->pens[i];
        if (p->built)
            continue;
        int status = pen_run(s, p, until_ns, err);
        if (status >= 0 && s->first && timeline_feed_knows_ticks(s->first) && !ticks_thin(s))
            status = fail_memory(err);
        if (status != RAS_END)
            return status;
        if (os_boot_ns() >= until_ns)
            break;
    }
    for (size_t i = 0; i < s->pen_count; i++)
        if (!s->pens[i].built && !s->pens[i].waits)
            return RAS_OK;
    return rows_settle(s, until_ns, err);
}

double tracks_built(const struct tracks *s)
{
    return tracks_share(s);
}

/* ---- questions --------------------------------------------------------------------------- */

uint32_t tracks_generation(const struct tracks *s)
{
    return s->generation;
}

size_t tracks_count(const struct tracks *s)
{
    return s->track_count;
}

const struct track_about *tracks_at(const struct tracks *s, size_t i)
{
    return i < s->track_count ? &s->tracks[i].about : NULL;
}

bool tracks_extent(const struct tracks *s, uint64_t *from, uint64_t *to, bool *is_ticks)
{
    *from = UINT64_MAX;
    *to = 0;
    *is_ticks = s->is_ticks;
    for (size_t i = 0; i < s->track_count; i++) {
        const struct track_about *a = &s->tracks[i].about;
        if (a->from > a->to)
            continue;
        *from = a->from < *from ? a->from : *from;
        *to = a->to > *to ? a->to : *to;
    }
    return *from <= *to;
}

const char *tracks_name(const struct tracks *s, uint32_t id, size_t *len)
{
    if (id >= tracks_name_count(s))
        return NULL;
    const struct timeline_name name = timeline_feed_timeline(s->first)->names[id];
    if (len)
        *len = name.len;
    return name.at;
}

size_t tracks_name_count(const struct tracks *s)
{
    return s->first ? timeline_feed_timeline(s->first)->name_count : 0;
}

size_t tracks_ticks(const struct tracks *s, uint64_t *first, uint64_t *every, const uint64_t **at)
{
    const struct timeline *t = s->first ? timeline_feed_timeline(s->first) : NULL;
    if (!t || !t->tick_count)
        return 0;
    *first = t->tick_first;
    *every = s->ticks ? s->tick_every : t->tick_every;
    *at = s->ticks ? s->ticks : t->tick_ns;
    return s->ticks ? s->tick_count : t->tick_count;
}

unsigned tracks_base(const struct tracks *s)
{
    return pyramid_base(s->pyramid);
}

size_t tracks_memory(const struct tracks *s)
{
    size_t bytes = sizeof *s + pyramid_bytes(s->pyramid) + s->window_bytes + s->state.room +
                   s->track_room * sizeof *s->tracks + s->list.room * sizeof *s->list.at;
    for (size_t i = 0; i < s->pen_count; i++)
        bytes += block_index_bytes(&s->pens[i].blocks);
    for (size_t i = 0; i < s->track_count; i++)
        bytes += s->tracks[i].row_room * sizeof(uint32_t) +
                 s->tracks[i].open_room * sizeof(struct open_slice);
    if (s->first) {
        const struct timeline *t = timeline_feed_timeline(s->first);
        bytes += (size_t)t->texts.total + t->name_room * sizeof *t->names +
                 t->slot_count * sizeof *t->slots + t->tick_room * sizeof *t->tick_ns;
    }
    return bytes;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Without a run.json, which a run in progress has not yet, nothing says when its ticks are: traces
 * of ticks are not on a timeline with times. */
static bool is_placed(const struct ras_rundir *run, const struct ras_trace *trace)
{
    bool times = false;
    for (size_t i = 0; run && run->json_err.status && i < run->pen_count; i++)
        times |= run->pens[i].trace && run->pens[i].trace->format->about.axis == RAS_AXIS_TIME;
    return !times || trace->format->about.axis == RAS_AXIS_TIME;
}

static bool tracks_add_pens(struct tracks *s, struct ras_trace *trace)
{
    size_t most = s->run ? s->run->pen_count : 1;
    s->pens = calloc(most + 1, sizeof *s->pens);
    if (!s->pens)
        return false;
    for (size_t i = 0; i < most; i++) {
        struct ras_trace *of = s->run ? s->run->pens[i].trace : trace;
        if (of && is_placed(s->run, of))
            s->pens[s->pen_count++] = (struct pen){
                .of = s, .trace = of, .index = i, .size = ras_size(of), .again_block = SIZE_MAX};
    }
    size_t states = s->how.budget_bytes / STATES_SHARE / (s->pen_count + 1);
    for (size_t i = 0; i < s->pen_count; i++) {
        s->pens[i].blocks.limit = states > STATES_LEAST ? states : STATES_LEAST;
        s->pens[i].blocks.spacing = 1;
    }
    return true;
}

int tracks_open(struct tracks **out, struct ras_trace *trace, struct ras_rundir *run,
                const struct tracks_options *options, struct ras_error *err)
{
    struct tracks *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return fail_memory(err);
    s->run = run;
    s->block_records = BLOCK_RECORDS;
    s->how = options ? *options : (struct tracks_options){0};
    if (!s->how.budget_bytes)
        s->how.budget_bytes = BUDGET_DEFAULT;
    s->is_ticks = !run && trace->format->about.axis == RAS_AXIS_TICK;
    s->pyramid = pyramid_new(s->how.budget_bytes, s->is_ticks ? FLOOR_TICKS : FLOOR_NS);
    if (!s->pyramid || !tracks_add_pens(s, trace)) {
        tracks_close(s);
        return fail_memory(err);
    }
    *out = s;
    return RAS_OK;
}

void tracks_close(struct tracks *s)
{
    if (!s)
        return;
    windows_free(s);
    for (size_t i = s->pen_count; i--;) {
        struct pen *p = &s->pens[i];
        track_scan_close(p);
        if (p->feed != s->first)
            timeline_feed_close(p->feed);
        block_index_free(&p->blocks);
        free(p->views);
    }
    timeline_feed_close(s->first); /* names are its */
    for (size_t i = 0; i < s->track_count; i++) {
        free(s->tracks[i].rows);
        free(s->tracks[i].opens);
    }
    pyramid_free(s->pyramid);
    free(s->tracks);
    free(s->pens);
    free(s->ticks);
    free(s->list.at);
    out_free(&s->state);
    free(s);
}
