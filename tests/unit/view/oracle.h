/* oracle.h - what the records of a trace show, all of it in memory: tiles, items and neighbours are
 * compared with it. */
#ifndef UNIT_VIEW_ORACLE_H
#define UNIT_VIEW_ORACLE_H

#include "view/tiles.h"
#include "view/track_store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- what the records say ------------------------------------------------------------------ */

/* An item as the drivers show it, all of them in memory. */
struct shown {
    uint32_t view;
    struct entry entry;
    uint32_t row;
    bool open;
};

struct oracle {
    struct tracks *s;
    struct pen *pen;
    struct shown *at;
    size_t count, room;
};

static inline struct shown *oracle_add(struct oracle *o, uint32_t view)
{
    assert_true(view < o->s->track_count);
    assert_true(array_grow(&o->at, &o->room, o->count + 1, sizeof *o->at));
    o->at[o->count] = (struct shown){.view = view, .entry = {.count = 1}};
    return &o->at[o->count++];
}

static inline uint32_t oracle_seq(const struct oracle *o, uint32_t view, uint64_t seq)
{
    return (uint32_t)(seq - o->s->tracks[view].about.seq_base);
}

static inline void oracle_track(struct timeline *t, uint32_t track)
{
    (void)t, (void)track;
}

static inline void oracle_slices(struct timeline *t, uint32_t track, const struct timeline_slice *x,
                                 size_t count)
{
    struct oracle *o = t->rows_user;
    for (; count; count--, x++) {
        struct shown *i = oracle_add(o, o->pen->views[track].slices);
        i->row = x->row;
        i->open = x->to_ns == TIMELINE_OPEN_END;
        i->entry.start = x->from_ns;
        i->entry.dur = i->open ? 0 : x->to_ns - x->from_ns;
        i->entry.name = x->name | (i->open ? ENTRY_OPEN : 0);
        i->entry.seq = oracle_seq(o, i->view, x->seq);
    }
}

static inline void oracle_instant(struct timeline *t, uint32_t track, uint64_t time_ns,
                                  uint32_t name)
{
    struct oracle *o = t->rows_user;
    struct shown *i = oracle_add(o, o->pen->views[track].instants);
    i->entry.start = time_ns;
    i->entry.name = name;
    i->entry.seq = oracle_seq(o, i->view, t->seq);
}

static inline void oracle_value(struct timeline *t, uint32_t track, uint64_t time_ns, double value)
{
    struct oracle *o = t->rows_user;
    if (isnan(value))
        return;
    struct shown *i = oracle_add(o, o->pen->views[track].values);
    i->entry.start = time_ns;
    i->entry.sum = value;
    i->entry.min = i->entry.max = (float)value;
    i->entry.seq = oracle_seq(o, i->view, t->seq);
}

static inline int by_place(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    if (x->view != y->view)
        return x->view < y->view ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->entry.start != y->entry.start)
        return x->entry.start < y->entry.start ? -1 : 1;
    return (x->entry.seq > y->entry.seq) - (x->entry.seq < y->entry.seq);
}

/* Every trace of the side once more, in one go. */
static inline struct oracle oracle_of(struct tracks *s)
{
    static const struct timeline_rows rows = {oracle_track, oracle_slices, oracle_instant,
                                              oracle_value};
    struct oracle o = {.s = s};
    for (size_t i = 0; i < s->pen_count; i++) {
        struct timeline_feed *feed;
        struct timeline_fed fed;
        o.pen = &s->pens[i];
        if (!o.pen->feed)
            continue;
        assert_int_equal(timeline_feed_again(&feed, o.pen->feed, &rows, &o, NULL), RAS_OK);
        assert_int_equal(timeline_feed_load(feed, (struct ras_bytes){0}, NULL), RAS_OK);
        while (timeline_feed_step(feed, 1 << 20, &fed, NULL) == RAS_OK)
            ;
        timeline_feed_close(feed);
    }
    for (size_t i = 0; i < o.count; i++) {
        const struct track_about *a = &s->tracks[o.at[i].view].about;
        struct entry *e = &o.at[i].entry;
        if (o.at[i].open)
            e->dur = a->to > e->start ? a->to - e->start : 0;
        if (a->kind != TRACK_COUNTER)
            e->busy = (float)e->dur;
    }
    if (o.count)
        qsort(o.at, o.count, sizeof *o.at, by_place);
    return o;
}

/* ---- tiles --------------------------------------------------------------------------------- */

static inline bool reaches(const struct entry *e, uint64_t from, bool counter)
{
    return !counter && e->start < from && e->start + e->dur > from;
}

/* The entries of a row, by the rule of raw tiles or that of the pyramid. */
static inline void expect_row(const struct oracle *o, uint32_t view, uint32_t row,
                              const struct tile_writer *w, bool raw, struct entry_list *out)
{
    bool counter = o->s->tracks[view].about.kind == TRACK_COUNTER;
    unsigned shift = (unsigned)w->tile.shift;
    struct entry_list closed = {0};
    out->count = 0;
    for (size_t i = 0; i < o->count; i++) {
        const struct shown *x = &o->at[i];
        const struct entry *e = &x->entry;
        if (x->view != view || x->row != row || e->start > w->last)
            continue;
        if (raw || x->open) {
            if (e->start >= w->from || reaches(e, w->from, counter))
                assert_true(entry_list_add(out, e));
        } else {
            assert_true(entry_list_add(&closed, e));
        }
    }
    entry_list_fold(&closed, shift, w->from, counter);
    for (size_t i = 0; i < closed.count; i++)
        assert_true(entry_list_add(out, &closed.at[i]));
    free(closed.at);
    entry_list_fold(out, shift, w->from, counter);
}

static inline void assert_tile(const struct oracle *o, uint32_t view, int32_t shift, uint64_t index)
{
    struct tracks *s = o->s;
    const struct track_about *a = &s->tracks[view].about;
    struct out got = {0}, want = {0};
    struct tile_writer w;
    struct entry_list row = {0};
    static const int kinds[] = {0, TILE_SLICES, TILE_COUNTER, TILE_INSTANTS, TILE_FILM};
    if (tracks_tile(s, view, shift, index, &got, NULL) < 0) {
        assert_true(shift + 10 > 63);
        return;
    }
    const struct tile tile = {.track = view + 100,
                              .shift = shift,
                              .index = index,
                              .seq_base = a->seq_base,
                              .kind = (enum tile_kind)kinds[a->kind],
                              .flags = a->is_lossy ? TILE_LOSSY : 0,
                              .rows = a->rows,
                              .generation = s->generation};
    tile_begin(&w, &want, &tile);
    for (uint32_t i = 0; i < a->rows; i++) {
        expect_row(o, view, i, &w, (unsigned)shift < pyramid_base(s->pyramid), &row);
        tile_row(&w, row.at, row.count);
    }
    assert_true(tile_end(&w));
    assert_int_equal(got.len, want.len);
    size_t items = got.len - 16 * (((size_t)48 + 4 * (a->rows + 1) + 15) / 16);
    for (size_t i = 0; i < got.len; i++) {
        bool busy = i >= got.len - items && (got.len - i) % 16 == 2 && a->kind != TRACK_COUNTER;
        if (!busy || abs(got.at[i] - want.at[i]) > 1)
            assert_int_equal(got.at[i], want.at[i]);
    }
    out_free(&got);
    out_free(&want);
    free(row.at);
}

static uint64_t state = 88172645463325252u;

static inline uint64_t chance(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : 0;
}

static inline void assert_tiles(const struct oracle *o, unsigned tries)
{
    static const uint8_t shifts[] = {0,  1,  4,  7,  8,  9,  10, 13, 14, 15,
                                     17, 20, 24, 27, 33, 40, 47, 53, 60};
    for (size_t k = 0; o->count && k < sizeof shifts; k++)
        for (unsigned i = 0; i < tries; i++) {
            const struct shown *x = &o->at[chance(o->count)];
            bool counter = o->s->tracks[x->view].about.kind == TRACK_COUNTER;
            uint64_t time = x->entry.start + (!counter && chance(2) ? x->entry.dur : 0);
            uint64_t index = shifts[k] + 10 > 63 ? 0 : time >> (shifts[k] + 10);
            index -= index && chance(8) == 0;
            assert_tile(o, x->view, shifts[k], index);
        }
}

/* ---- items --------------------------------------------------------------------------------- */

struct counted {
    const struct oracle *o;
    uint64_t count, sum;
};

static inline bool count_item(void *user, const struct track_item *i)
{
    struct counted *c = user;
    bool counter = c->o->s->tracks[i->track].about.kind == TRACK_COUNTER;
    c->count++;
    c->sum += i->begin * 31 + (counter ? 0 : i->end) * 17 + i->row * 7 + i->name * 5 +
              i->track * 3 + oracle_seq(c->o, i->track, i->seq) + i->is_open;
    return true;
}

static inline void assert_each(const struct oracle *o, uint32_t view, uint64_t from, uint64_t to)
{
    struct counted got = {.o = o}, want = {.o = o};
    assert_int_equal(tracks_each(o->s, view, from, to, count_item, &got, NULL), RAS_OK);
    for (size_t i = 0; i < o->count; i++) {
        const struct shown *x = &o->at[i];
        bool counter = o->s->tracks[x->view].about.kind == TRACK_COUNTER;
        const struct entry *e = &x->entry;
        if ((view != TRACK_NONE && x->view != view) || e->start > to - 1 ||
            (e->start < from && !reaches(e, from, counter)))
            continue;
        count_item(&want, &(struct track_item){.track = x->view,
                                               .row = x->row,
                                               .name = counter ? 0 : e->name & ~ENTRY_OPEN,
                                               .seq = o->s->tracks[x->view].about.seq_base + e->seq,
                                               .begin = e->start,
                                               .end = counter ? 0 : e->start + e->dur,
                                               .is_open = x->open});
    }
    assert_int_equal(got.count, want.count);
    assert_int_equal(got.sum, want.sum);
}

static inline void assert_items(const struct oracle *o, unsigned tries)
{
    assert_each(o, TRACK_NONE, 0, UINT64_MAX);
    for (unsigned i = 0; o->count && i < tries; i++) {
        uint64_t from = o->at[chance(o->count)].entry.start,
                 to = o->at[chance(o->count)].entry.start;
        uint32_t view = chance(3) ? o->at[chance(o->count)].view : TRACK_NONE;
        uint64_t last = from < to ? to : from;
        assert_each(o, view, from < to ? from : to, last + (last < UINT64_MAX));
    }
}

static inline void assert_near(const struct oracle *o, unsigned tries)
{
    for (unsigned i = 0; o->count && i < tries; i++) {
        const struct shown *x = &o->at[chance(o->count)], *best = NULL;
        unsigned dir = (unsigned)chance(4);
        uint64_t time = x->entry.start + chance(3) - chance(2);
        struct track_item got;
        bool found = tracks_near(o->s, x->view, x->row, time, dir, &got);
        uint32_t row = x->row - (dir == NEAR_UP) + (dir == NEAR_DOWN);
        for (size_t k = 0; k < o->count; k++) {
            const struct shown *y = &o->at[k];
            uint64_t begin = y->entry.start;
            bool fits = dir == NEAR_RIGHT  ? begin > time
                        : dir == NEAR_LEFT ? begin < time
                                           : begin <= time;
            if (y->view != x->view || y->row != row || !fits)
                continue;
            if (!best ||
                (dir == NEAR_RIGHT ? begin < best->entry.start : begin > best->entry.start))
                best = y;
        }
        assert_int_equal(found, best != NULL);
        if (found)
            assert_int_equal(got.begin, best->entry.start);
    }
}

/* Slices of a row are disjoint, unless it is the one that takes the rest. */
static inline void assert_disjoint(const struct oracle *o)
{
    for (size_t i = 1; i < o->count; i++) {
        const struct shown *x = &o->at[i - 1], *y = &o->at[i];
        if (x->view != y->view || x->row != y->row || x->open || y->open ||
            o->s->tracks[x->view].about.kind == TRACK_COUNTER ||
            o->s->tracks[x->view].about.is_lossy)
            continue;
        assert_true(x->entry.start + x->entry.dur <= y->entry.start);
    }
}

static inline void assert_all(struct tracks *s, unsigned tries)
{
    struct oracle o = oracle_of(s);
    uint64_t records = 0, from, to, closed = 0;
    bool is_ticks;
    for (size_t i = 0; i < s->track_count; i++)
        records += s->tracks[i].about.records;
    for (size_t i = 0; i < o.count; i++)
        closed += !o.at[i].open;
    assert_int_equal(records, closed);
    assert_int_equal(tracks_extent(s, &from, &to, &is_ticks), o.count > 0);
    assert_disjoint(&o);
    assert_tiles(&o, tries);
    assert_items(&o, tries);
    assert_near(&o, 10 * tries);
    free(o.at);
}

static inline struct tracks *build(struct ras_trace *trace, struct ras_rundir *run, size_t block)
{
    struct tracks *s;
    const struct tracks_options how = {.budget_bytes = 1 << 20, .first_track = 100};
    int status;
    assert_int_equal(tracks_open(&s, trace, run, &how, NULL), RAS_OK);
    s->block_records = block;
    while ((status = tracks_step(s, 0, NULL)) == RAS_OK)
        ;
    assert_int_equal(status, RAS_END);
    assert_true(tracks_built(s) == 1);
    return s;
}
#endif
