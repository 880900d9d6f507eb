/* track_tiles.c - tiles from the pyramid, or, finer than that, from the records.
 *
 * What the records of a tile show is kept as a window, from which the tiles inside it are made
 * without reading anything: zooming in costs nothing. */
#include "base/error.h"
#include "view/tiles.h"
#include "view/track_store.h"

#include <stdlib.h>

enum {
    WINDOW_BYTES = 16 << 20, /* of all windows */
    RECORDS_MOST = 4 << 20,  /* that are read for one */
};

/* ---- windows ----------------------------------------------------------------------------- */

static void window_free(struct tracks *s, struct window *w)
{
    s->window_bytes -= w->bytes;
    for (uint32_t i = 0; w->rows && i < w->row_count; i++)
        free(w->rows[i].at);
    free(w->rows);
    *w = (struct window){0};
}

void windows_free(struct tracks *s)
{
    for (size_t i = 0; i < WINDOWS; i++)
        window_free(s, &s->windows[i]);
}

static struct window *window_find(struct tracks *s, uint32_t track, uint64_t from, uint64_t last)
{
    for (size_t i = 0; i < WINDOWS; i++) {
        struct window *w = &s->windows[i];
        if (w->rows && w->track == track && w->from <= from && w->last >= last &&
            w->generation == s->generation)
            return w;
    }
    return NULL;
}

/* One that is free, or else the one that was used longest ago. */
static struct window *window_oldest(struct tracks *s, bool in_use)
{
    struct window *oldest = NULL;
    for (size_t i = 0; i < WINDOWS; i++) {
        struct window *w = &s->windows[i];
        if (!in_use && !w->rows)
            return w;
        if (w->rows && (!oldest || w->used < oldest->used))
            oldest = w;
    }
    return oldest;
}

static bool window_take(void *user, const struct track_item *i)
{
    struct window *w = user;
    uint64_t place = i->seq - w->seq_base;
    struct entry e = {
        .start = i->begin, .count = 1, .seq = place < UINT32_MAX ? (uint32_t)place : UINT32_MAX};
    if (w->values) {
        e.sum = i->value;
        e.min = e.max = (float)i->value;
    } else {
        e.dur = i->end - i->begin;
        e.busy = (float)e.dur;
        e.name = i->name | (i->is_open ? ENTRY_OPEN : 0);
    }
    w->nomem |= i->row < w->row_count && !entry_list_add(&w->rows[i->row], &e);
    return !w->nomem;
}

/* The items of a track in a range, kept. NULL: see the error. */
static struct window *window_make(struct tracks *s, uint32_t track, uint64_t from, uint64_t last,
                                  struct ras_error *err)
{
    const struct track_about *a = &s->tracks[track].about;
    while (s->window_bytes > WINDOW_BYTES)
        window_free(s, window_oldest(s, true));
    struct window *w = window_oldest(s, false);
    window_free(s, w);
    *w = (struct window){.track = track,
                         .generation = s->generation,
                         .from = from,
                         .last = last,
                         .seq_base = a->seq_base,
                         .values = a->kind == TRACK_COUNTER,
                         .row_count = a->rows,
                         .rows = calloc(a->rows + 1u, sizeof *w->rows)};
    struct collector c = {
        .track = track, .from = from, .last = last, .each = window_take, .user = w};
    int status = w->rows ? track_scan(s, &c, RECORDS_MOST, err) : fail_memory(err);
    if (status == RAS_OK && w->nomem)
        status = fail_memory(err);
    w->bytes = a->rows * sizeof *w->rows;
    for (uint32_t i = 0; w->rows && i < w->row_count; i++) {
        entry_list_sort(&w->rows[i]);
        w->bytes += w->rows[i].room * sizeof(struct entry);
    }
    s->window_bytes += w->bytes;
    if (status < 0)
        window_free(s, w);
    return status < 0 ? NULL : w;
}

/* What a row of a window shows in a part of it. Slices are disjoint: at most one, the last before,
 * reaches into it. */
static bool window_read(const struct window *w, uint32_t row, uint64_t from, uint64_t last,
                        struct entry_list *out)
{
    const struct entry_list *l = &w->rows[row];
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->at[middle].start < from)
            low = middle + 1;
        else
            high = middle;
    }
    out->count = 0;
    if (low && !w->values && l->at[low - 1].start + l->at[low - 1].dur > from)
        low--;
    for (; low < l->count && l->at[low].start <= last; low++)
        if (!entry_list_add(out, &l->at[low]))
            return false;
    return true;
}

/* ---- tiles ------------------------------------------------------------------------------- */

/* Slices that have not ended are not in the pyramid. */
static bool add_opens(struct tracks *s, const struct track *k, uint32_t row, uint64_t from,
                      uint64_t last)
{
    for (size_t i = 0; i < k->open_count; i++) {
        const struct open_slice *o = &k->opens[i];
        uint64_t end = open_end(k, o), place = o->seq - k->about.seq_base;
        if (o->row != row || o->begin > last || (o->begin < from && end <= from))
            continue;
        struct entry e = {.start = o->begin,
                          .dur = end - o->begin,
                          .busy = (float)(end - o->begin),
                          .count = 1,
                          .name = o->name | ENTRY_OPEN,
                          .seq = place < UINT32_MAX ? (uint32_t)place : UINT32_MAX};
        if (!entry_list_add(&s->list, &e))
            return false;
    }
    return true;
}

static bool tile_rows(struct tracks *s, const struct track *k, const struct window *window,
                      struct tile_writer *w)
{
    bool values = k->about.kind == TRACK_COUNTER;
    unsigned base = pyramid_base(s->pyramid), shift = (unsigned)w->tile.shift;
    for (uint32_t row = 0; row < w->tile.rows; row++) {
        bool ok = true;
        s->list.count = 0;
        if (window) {
            ok = row >= window->row_count || window_read(window, row, w->from, w->last, &s->list);
        } else {
            if (k->rows[row] != PYRAMID_NONE)
                ok = pyramid_read(s->pyramid, k->rows[row], shift > base ? shift : base, w->from,
                                  w->last, &s->list);
            ok = ok && add_opens(s, k, row, w->from, w->last);
        }
        if (!ok)
            return false;
        if (window || k->open_count)
            entry_list_fold(&s->list, shift, w->from, values);
        tile_row(w, s->list.at, s->list.count);
    }
    return true;
}

static bool pen_is_built(const struct tracks *s, size_t index)
{
    for (size_t i = 0; i < s->pen_count; i++)
        if (s->pens[i].index == index)
            return s->pens[i].built;
    return false;
}

int tracks_tile(struct tracks *s, uint32_t track, int32_t shift, uint64_t index, struct out *bytes,
                struct ras_error *err)
{
    static const uint8_t kinds[] = {[TRACK_SLICE] = TILE_SLICES,
                                    [TRACK_COUNTER] = TILE_COUNTER,
                                    [TRACK_INSTANT] = TILE_INSTANTS,
                                    [TRACK_FILM] = TILE_FILM};
    uint64_t from, last;
    if (track >= s->track_count || s->tracks[track].about.kind == TRACK_GROUP)
        return fail(err, RAS_EUSAGE, RAS_NONE, "there is no track %u with tiles", track);
    if (!tile_range(shift, index, &from, &last))
        return fail(err, RAS_EUSAGE, RAS_NONE, "there is no tile of shift %d there", shift);
    const struct track *k = &s->tracks[track];
    struct tile tile = {.track = s->how.first_track + track,
                        .shift = shift,
                        .index = index,
                        .seq_base = k->about.seq_base,
                        .kind = kinds[k->about.kind],
                        .flags = (pen_is_built(s, k->about.pen) ? 0 : TILE_PARTIAL) |
                                 (k->about.is_lossy ? TILE_LOSSY : 0),
                        .rows = k->about.rows,
                        .generation = s->generation};
    struct window *window = NULL;
    if ((unsigned)shift < pyramid_base(s->pyramid)) {
        struct ras_error why = {0};
        window = window_find(s, track, from, last);
        window = window ? window : window_make(s, track, from, last, &why);
        if (window)
            window->used = ++s->uses;
        else if (why.status == RAS_EMEMORY)
            return fail_memory(err);
        else
            tile.flags |= TILE_COARSER;
    }
    struct tile_writer w;
    tile_begin(&w, bytes, &tile);
    bool ok = tile_rows(s, k, window, &w);
    return tile_end(&w) && ok ? RAS_OK : fail_memory(err);
}
