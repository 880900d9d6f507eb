/* timeline_feed.c - a trace as rows for a viewer: in steps, and again from the middle on. */
#include "ops/timeline/timeline_feed.h"
#include "core/format.h"

#include <stdlib.h>
#include <string.h>

struct timeline_feed {
    struct timeline *t;
    struct timeline_outcome outcome;
    struct timeline_feed_options how;
    const struct timeline_ops *ops;
    void *state;
    bool started;
    struct ras_cursor *cursor;
    struct ras_mark first; /* before the first record */
    struct tick_search search;
    bool ended;
};

enum { HEADERS_A_RECORD = 4 }; /* that are read in the time in which a record is shown */

/* ---- rows -------------------------------------------------------------------------------- */

bool timeline_has_rows(const struct timeline *t)
{
    return t->rows;
}

void timeline_row(struct timeline *t, uint32_t row, uint64_t seq)
{
    t->slice_row = row;
    t->slice_seq = seq;
}

void timeline_instant_of(struct timeline *t, uint32_t track, uint64_t time_ns, uint32_t name,
                         uint64_t seq)
{
    uint64_t shown = t->seq;
    t->seq = seq;
    timeline_instant(t, track, time_ns, name, 0);
    t->seq = shown;
}

void timeline_row_slices(struct timeline *t, uint32_t track, const struct timeline_slice *slices,
                         size_t count)
{
    if (!count)
        return;
    if (slices[count - 1].to_ns != TIMELINE_OPEN_END)
        t->shown_ns = slices[count - 1].to_ns;
    t->rows->slices(t, track, slices, count);
}

/* The first row in which nothing ends after it begins. The last one takes all that is left. */
void timeline_rows_fit(struct timeline *t, uint32_t track, uint64_t from_ns, uint64_t to_ns,
                       uint32_t name)
{
    struct timeline_track *of = &t->tracks[track];
    uint32_t row = t->slice_row;
    uint64_t seq = t->slice_seq == RAS_NONE ? t->seq : t->slice_seq;
    timeline_row(t, 0, RAS_NONE);
    to_ns = to_ns > from_ns ? to_ns : from_ns;
    while (row < of->row_count && of->row_ends[row] > from_ns)
        row++;
    row = row < TIMELINE_ROWS ? row : TIMELINE_ROWS - 1;
    if (to_ns != TIMELINE_OPEN_END) {
        if (!array_grow(&of->row_ends, &of->row_room, row + 1u, sizeof *of->row_ends)) {
            t->nomem = true;
            return;
        }
        while (of->row_count <= row)
            of->row_ends[of->row_count++] = 0;
        if (to_ns > of->row_ends[row])
            of->row_ends[row] = to_ns;
    }
    timeline_row_slices(t, track, &(struct timeline_slice){from_ns, to_ns, seq, row, name}, 1);
}

/* Records that could not be read, or that the recorder dropped: an instant where they would be. */
static void feed_gap(struct timeline *t, const struct ras_record *r)
{
    uint32_t name = timeline_word(t, "gap");
    uint32_t track = timeline_track(t, &(struct timeline_place){.id = UINT64_C(0xa11ce10000000000),
                                                                .parent = TIMELINE_NONE,
                                                                .kind = TIMELINE_TRACK,
                                                                .name = timeline_word(t, "gaps"),
                                                                .number = RAS_NONE});
    timeline_instant(t, track, r->flags & RAS_HAS_TIME ? r->time_ns : t->shown_ns, name, 0);
}

/* ---- opening ----------------------------------------------------------------------------- */

static int feed_cursor(struct timeline_feed *f, struct ras_error *err)
{
    static const char *const none[] = {NULL};
    const struct timeline_ops *ops = f->ops;
    const char *const *fields = ops->raw ? none : ops->fields;
    size_t count = 0, field_count = 0;
    while (ops->types && ops->types[count])
        count++;
    while (fields && fields[field_count])
        field_count++;
    struct ras_pick *picks = calloc(count + 2, sizeof *picks);
    if (!picks)
        return fail_memory(err);
    picks[0] = (struct ras_pick){.type = "gap"}; /* also where the rest is picked by its fields */
    for (size_t i = 0; i < count; i++)
        picks[i + 1] =
            (struct ras_pick){.type = ops->types[i], .fields = fields, .field_count = field_count};
    if (!count)
        picks[1] = (struct ras_pick){.fields = fields, .field_count = field_count};
    struct ras_scan scan = {.picks = picks,
                            .pick_count = count ? count + 1 : 2,
                            .follow = f->how.follow,
                            .choices = ops->choices};
    while (scan.choices && scan.choices[scan.choice_count].name)
        scan.choice_count++;
    int status = ras_cursor_open(&f->cursor, f->how.trace, &scan, err);
    free(picks);
    if (status == RAS_OK)
        ras_mark(f->cursor, &f->first);
    return status;
}

static void feed_stop(struct timeline_feed *f)
{
    if (f->started && f->ops->release)
        f->ops->release(f->state);
    f->started = false;
}

static int feed_start(struct timeline_feed *f, struct ras_error *err)
{
    feed_stop(f);
    memset(f->state, 0, f->ops->state_size + 1);
    f->started = true;
    f->ended = false;
    f->t->shown_ns = 0;
    timeline_row(f->t, 0, RAS_NONE);
    return f->ops->start ? f->ops->start(f->t, f->state, err) : RAS_OK;
}

/* Ticks are found once for all traces of a run. */
static int feed_ticks(struct timeline_feed *f, struct ras_error *err)
{
    struct timeline *t = f->t;
    if (!f->how.first)
        return timeline_ticks_begin(t, &f->search, err);
    const struct timeline *of = f->how.first->t;
    t->tick_ns = of->tick_ns;
    t->tick_count = of->tick_count;
    t->tick_first = of->tick_first;
    t->tick_every = of->tick_every;
    t->ticks_borrowed = true;
    return RAS_OK;
}

static int feed_new(struct timeline_feed **out, const struct timeline_feed_options *how,
                    struct ras_error *err)
{
    const struct timeline_ops *ops = how->trace->format->timeline;
    struct timeline_feed *f = calloc(1, sizeof *f);
    *out = f;
    if (!f)
        return fail_memory(err);
    ops = ops ? ops : &timeline_plain;
    f->how = *how;
    f->ops = ops->rows ? ops->rows : ops;
    f->t = calloc(1, sizeof *f->t);
    f->state = calloc(1, f->ops->state_size + 1);
    if (!f->t || !f->state)
        return fail_memory(err);
    *f->t = (struct timeline){.rows = how->rows,
                              .rows_user = how->user,
                              .trace = how->trace,
                              .run = how->run,
                              .pen = how->pen,
                              .outcome = &f->outcome,
                              .names_of = how->first ? how->first->t : NULL,
                              .root = TIMELINE_NONE};
    int status = feed_ticks(f, err);
    return status < 0 ? status : feed_cursor(f, err);
}

int timeline_feed_open(struct timeline_feed **out, const struct timeline_feed_options *how,
                       struct ras_error *err)
{
    struct timeline_feed *f;
    int status = feed_new(&f, how, err);
    if (status == RAS_OK) {
        struct timeline *t = f->t;
        (void)timeline_text(t, "", 0); /* number 0 */
        t->group =
            timeline_new_track(t, &(struct timeline_place){.parent = TIMELINE_NONE,
                                                           .kind = TIMELINE_GROUP,
                                                           .name = timeline_word(t, f->ops->group),
                                                           .number = RAS_NONE});
        status = feed_start(f, err);
    }
    if (status < 0) {
        timeline_feed_close(f);
        f = NULL;
    }
    *out = f;
    return status;
}

int timeline_feed_again(struct timeline_feed **out, struct timeline_feed *of,
                        const struct timeline_rows *rows, void *user, struct ras_error *err)
{
    struct timeline_feed_options how = of->how;
    struct timeline_feed *f;
    how.rows = rows;
    how.user = user;
    how.first = of->how.first ? of->how.first : of;
    int status = feed_new(&f, &how, err);
    if (status == RAS_OK) {
        f->t->like = of->t;
        status = timeline_like(f->t, 0) ? feed_start(f, err) : fail_memory(err);
    }
    if (status < 0) {
        timeline_feed_close(f);
        f = NULL;
    }
    *out = f;
    return status;
}

void timeline_feed_close(struct timeline_feed *f)
{
    if (!f)
        return;
    if (f->state)
        feed_stop(f);
    timeline_ticks_stop(&f->search);
    ras_cursor_close(f->cursor);
    if (f->t)
        timeline_free(f->t);
    free(f->outcome.lost);
    free(f->state);
    free(f);
}

bool timeline_feed_knows_ticks(const struct timeline_feed *f)
{
    return !f->search.cursor;
}

struct timeline *timeline_feed_timeline(struct timeline_feed *f)
{
    return f->t;
}

/* ---- steps ------------------------------------------------------------------------------- */

/* The trace is over, or cannot be read any further. */
static int feed_end(struct timeline_feed *f, int status, struct ras_error *err)
{
    if (status == RAS_WAIT || status == RAS_EMEMORY)
        return status;
    if (!f->ended && f->ops->stop)
        f->ops->stop(f->t, f->state);
    f->ended = true;
    return f->t->nomem ? fail_memory(err) : RAS_END;
}

static int feed_record(struct timeline_feed *f, const struct ras_record *r, struct ras_error *err)
{
    struct timeline *t = f->t;
    t->seq = r->seq;
    t->stream = r->stream;
    if (r->schema == RAS_SCHEMA_GAP) {
        feed_gap(t, r);
        return RAS_OK;
    }
    return f->ops->record(t, f->state, f->cursor, r, err);
}

/* The streams of a block. */
static void fed_stream(struct timeline_fed *fed, uint32_t stream)
{
    if (fed->count == 0)
        fed->stream = stream;
    else if (fed->stream != stream)
        fed->stream = UINT32_MAX;
}

int timeline_feed_step(struct timeline_feed *f, size_t records, struct timeline_fed *fed,
                       struct ras_error *err)
{
    const struct ras_record *r;
    struct timeline *t = f->t;
    int status = RAS_OK;
    *fed = (struct timeline_fed){.seq = f->cursor->seq, .stream = UINT32_MAX};
    if (f->ended)
        return RAS_END;
    if (f->search.cursor) { /* records are placed by ticks */
        status = timeline_ticks_step(t, &f->search, records * HEADERS_A_RECORD, err);
        if (status == RAS_END)
            timeline_ticks_stop(&f->search);
        return status < 0 ? status : RAS_OK;
    }
    while (fed->count < records) {
        uint32_t before = t->stream;
        size_t many = f->ops->many ? f->ops->many(t, f->state, f->cursor, records - fed->count) : 0;
        if (many)
            fed_stream(fed, t->stream);
        fed->count += many;
        if (fed->count >= records)
            break;
        status = ras_next(f->cursor, &r, err);
        if (status == RAS_OK)
            status = feed_record(f, r, err);
        if (t->nomem)
            return fail_memory(err);
        if (status != RAS_OK)
            return feed_end(f, status, err);
        fed_stream(fed, r->stream);
        fed->count++;
        if (t->stream != before && fed->count >= records / 4)
            break;
    }
    return t->nomem ? fail_memory(err) : RAS_OK;
}

void timeline_feed_show_open(struct timeline_feed *f)
{
    struct timeline *t = f->t;
    if (f->ops->open && !f->ended)
        f->ops->open(t, f->state);
    for (uint32_t i = 0; i < t->track_count; i++)
        for (uint32_t k = 0; k < t->tracks[i].open_count; k++) {
            const struct timeline_open *o = &t->tracks[i].open[k];
            const struct timeline_slice slice = {o->begin_ns, TIMELINE_OPEN_END, o->marks[0], k,
                                                 o->name};
            timeline_row_slices(t, i, &slice, 1);
        }
}

/* By the place of the cursor: a driver that shows many records at once delivers none of them. */
uint64_t timeline_feed_progress(const struct timeline_feed *f, uint64_t *total)
{
    const struct ras_cursor *c = f->cursor;
    const struct source *s = c->trace->source;
    (void)ras_cursor_progress(c, total);
    return (source_growing(s) ? 0 : source_size_before(s, c->part)) + cursor_offset(c);
}

/* ---- states ------------------------------------------------------------------------------ */

struct feed_saved {
    struct ras_mark mark;
    uint64_t shown_ns, seq;
    uint32_t stream, track_count; /* of which there is something to say */
};

struct feed_saved_track {
    uint32_t track, row_count;
    uint64_t last_ns;
};

bool timeline_feed_save(struct timeline_feed *f, struct out *out)
{
    struct timeline *t = f->t;
    struct feed_saved head = {.shown_ns = t->shown_ns, .seq = t->seq, .stream = t->stream};
    size_t at = out->len;
    if (f->ended)
        return false;
    ras_mark(f->cursor, &head.mark);
    out_bytes(out, &head, sizeof head);
    for (uint32_t i = 0; i < t->track_count; i++) {
        const struct timeline_track *track = &t->tracks[i];
        if (track->open_count)
            return false;
        if (!track->last_ns && !track->row_count)
            continue;
        head.track_count++;
        const struct feed_saved_track saved = {i, (uint32_t)track->row_count, track->last_ns};
        out_bytes(out, &saved, sizeof saved);
        out_bytes(out, track->row_ends, track->row_count * sizeof *track->row_ends);
    }
    if (out->failed)
        return false;
    memcpy(out->at + at, &head, sizeof head);
    if (f->ops->save)
        return f->ops->save(f->state, out) && !out->failed;
    out_bytes(out, f->state, f->ops->state_size);
    return !out->failed;
}

static const uint8_t *saved_take(struct ras_bytes *from, size_t len)
{
    const uint8_t *at = from->at;
    if (from->len < len)
        return NULL;
    from->at += len;
    from->len -= len;
    return at;
}

static bool load_track(struct timeline *t, struct ras_bytes *from)
{
    struct feed_saved_track saved;
    const uint8_t *at = saved_take(from, sizeof saved);
    if (!at)
        return false;
    memcpy(&saved, at, sizeof saved);
    if (!(at = saved_take(from, saved.row_count * sizeof(uint64_t))) ||
        !timeline_like(t, saved.track))
        return false;
    struct timeline_track *track = &t->tracks[saved.track];
    if (!array_grow(&track->row_ends, &track->row_room, saved.row_count, sizeof *track->row_ends))
        return false;
    track->last_ns = saved.last_ns;
    track->row_count = saved.row_count;
    if (saved.row_count)
        memcpy(track->row_ends, at, saved.row_count * sizeof *track->row_ends);
    return true;
}

static void forget_tracks(struct timeline *t)
{
    for (size_t i = 0; i < t->track_count; i++) {
        t->tracks[i].open_count = t->tracks[i].row_count = 0;
        t->tracks[i].last_ns = 0;
    }
}

int timeline_feed_load(struct timeline_feed *f, struct ras_bytes from, struct ras_error *err)
{
    struct feed_saved head = {.mark = f->first};
    if (!timeline_like(f->t, (uint32_t)f->t->like->track_count - 1)) /* a state names any of them */
        return fail_memory(err);
    forget_tracks(f->t);
    int status = feed_start(f, err);
    if (status < 0)
        return status;
    if (!from.len)
        return ras_jump(f->cursor, &f->first, err);
    const uint8_t *at = saved_take(&from, sizeof head);
    if (!at)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a saved state of %zu bytes", from.len);
    memcpy(&head, at, sizeof head);
    f->t->shown_ns = head.shown_ns;
    f->t->seq = head.seq;
    f->t->stream = head.stream;
    for (uint32_t i = 0; i < head.track_count; i++)
        if (!load_track(f->t, &from))
            return fail_memory(err);
    bool ok = f->ops->load ? f->ops->load(f->t, f->state, from) : from.len == f->ops->state_size;
    if (!ok)
        return fail_memory(err);
    if (!f->ops->load)
        memcpy(f->state, from.at, from.len);
    return ras_jump(f->cursor, &head.mark, err);
}
