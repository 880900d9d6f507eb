/* track_scan.c - items as the records have them: what a range shows, and what is next to it.
 *
 * Two facts make it short (pyramid.h): of the slices in a row that are longer than a bucket of the
 * finest level, each is the longest of its bucket, so that the pyramid has it; all others that
 * overlap a range end at most one bucket outside of it, so that blocks whose times are near it
 * have them. A block is read from the last checkpoint before it on. */
#include "base/error.h"
#include "core/format.h"
#include "view/track_store.h"

#include <math.h>
#include <inttypes.h>

/* ---- taking ------------------------------------------------------------------------------ */

static bool item_overlaps(const struct collector *c, const struct track_item *i)
{
    return i->begin <= c->last && (i->begin >= c->from || i->end > c->from);
}

static void collect(struct collector *c, const struct track_item *item)
{
    if (!c->stopped && item_overlaps(c, item))
        c->stopped = !c->each(c->user, item);
}

static uint32_t again_wanted(const struct pen *p, const struct track *k)
{
    uint32_t id = k ? (uint32_t)(k - p->of->tracks) : TRACK_NONE;
    return !p->into || (p->into->track != TRACK_NONE && p->into->track != id) ? TRACK_NONE : id;
}

static void again_track(struct timeline *t, uint32_t track)
{
    (void)t, (void)track; /* all are there */
}

static void again_slices(struct timeline *t, uint32_t track, const struct timeline_slice *slices,
                         size_t count)
{
    struct pen *p = t->rows_user;
    uint32_t id = again_wanted(p, track_view(p, t, track, TRACK_SLICE));
    for (size_t i = 0; id != TRACK_NONE && i < count; i++) {
        const struct timeline_slice *x = &slices[i];
        if (x->to_ns == TIMELINE_OPEN_END || x->to_ns - x->from_ns > p->into->longest)
            continue;
        collect(p->into, &(struct track_item){.track = id,
                                              .row = x->row,
                                              .name = x->name,
                                              .seq = x->seq,
                                              .begin = x->from_ns,
                                              .end = x->to_ns});
    }
}

static void again_instant(struct timeline *t, uint32_t track, uint64_t time_ns, uint32_t name)
{
    struct pen *p = t->rows_user;
    uint32_t id = again_wanted(p, track_view(p, t, track, TRACK_INSTANT));
    if (id != TRACK_NONE)
        collect(p->into,
                &(struct track_item){
                    .track = id, .name = name, .seq = t->seq, .begin = time_ns, .end = time_ns});
}

static void again_value(struct timeline *t, uint32_t track, uint64_t time_ns, double value)
{
    struct pen *p = t->rows_user;
    uint32_t id = again_wanted(p, track_view(p, t, track, TRACK_COUNTER));
    if (id != TRACK_NONE && !isnan(value))
        collect(p->into,
                &(struct track_item){
                    .track = id, .seq = t->seq, .begin = time_ns, .end = time_ns, .value = value});
}

static const struct timeline_rows again_rows = {again_track, again_slices, again_instant,
                                                again_value};

/* ---- reading again ----------------------------------------------------------------------- */

void track_scan_close(struct pen *p)
{
    timeline_feed_close(p->again);
    p->again = NULL;
}

/* Position before a block, or before one that is not long before it. */
static int again_enter(struct pen *p, size_t block, struct ras_error *err)
{
    const struct checkpoint *point = block_index_find(&p->blocks, block);
    size_t from = point ? point->block : 0;
    if (p->again_block <= block && p->again_block >= from)
        return RAS_OK;
    p->again_block = SIZE_MAX;
    int status = timeline_feed_load(
        p->again, point ? (struct ras_bytes){point->bytes, point->len} : (struct ras_bytes){0},
        err);
    if (status == RAS_OK)
        p->again_block = from;
    return status;
}

/* Read the blocks up to `end`. */
static int again_read(struct pen *p, size_t end, struct ras_error *err)
{
    struct timeline_fed fed;
    int status = RAS_OK;
    for (; p->again_block < end; p->again_block++) {
        size_t left = p->blocks.blocks[p->again_block].count;
        for (; left && status == RAS_OK; left -= fed.count)
            status = timeline_feed_step(p->again, left, &fed, err);
        if (status != RAS_OK || p->into->stopped)
            break;
    }
    if (status == RAS_OK && end == p->blocks.count && p->built && !p->into->stopped)
        status = timeline_feed_step(p->again, 1, &fed, err); /* what the end shows */
    if (status != RAS_OK || p->into->stopped)
        p->again_block = SIZE_MAX;
    return status < 0 ? status : RAS_OK;
}

/* The blocks that a collector needs: the first at or after one. */
static size_t scan_next(const struct tracks *s, const struct pen *p, size_t block)
{
    const struct collector *c = p->into;
    uint64_t before = c->from > c->longest ? c->from - c->longest : 0;
    uint64_t after = c->last < UINT64_MAX - c->longest ? c->last + c->longest : UINT64_MAX;
    uint32_t stream = c->track == TRACK_NONE ? UINT32_MAX : s->tracks[c->track].about.stream;
    return block_index_next(&p->blocks, block, before, after, stream);
}

static uint64_t scan_records(const struct tracks *s, const struct pen *p)
{
    uint64_t count = 0;
    for (size_t b = scan_next(s, p, 0); b < p->blocks.count; b = scan_next(s, p, b + 1))
        count += p->blocks.blocks[b].count;
    return count;
}

static int scan_pen(struct tracks *s, struct pen *p, struct ras_error *err)
{
    int status = RAS_OK;
    if (!p->feed || scan_next(s, p, 0) == p->blocks.count)
        return RAS_OK;
    if (!p->again)
        status = timeline_feed_again(&p->again, p->feed, &again_rows, p, err);
    for (size_t b = scan_next(s, p, 0); status == RAS_OK && b < p->blocks.count;) {
        size_t end = b + 1;
        while (end < p->blocks.count && scan_next(s, p, end) == end)
            end++;
        status = again_enter(p, b, err);
        if (status == RAS_OK)
            status = again_read(p, end, err);
        if (p->into->stopped)
            break;
        b = scan_next(s, p, end);
    }
    return status;
}

/* The slices that are longer than a bucket of the finest level, and those that have not ended. */
static bool scan_long(struct tracks *s, uint32_t track, struct collector *c)
{
    const struct track *k = &s->tracks[track];
    bool slices = k->about.kind == TRACK_SLICE || k->about.kind == TRACK_FILM;
    for (uint32_t row = 0; slices && row < k->about.rows; row++) {
        if (k->rows[row] == PYRAMID_NONE)
            continue;
        if (!pyramid_read(s->pyramid, k->rows[row], pyramid_base(s->pyramid), c->from, c->last,
                          &s->list))
            return false;
        for (size_t i = 0; i < s->list.count; i++) {
            const struct entry *e = &s->list.at[i];
            uint64_t seq = e->seq == UINT32_MAX ? RAS_NONE : k->about.seq_base + e->seq;
            if (e->dur > c->longest)
                collect(c, &(struct track_item){.track = track,
                                                .row = row,
                                                .name = e->name,
                                                .seq = seq,
                                                .begin = e->start,
                                                .end = e->start + e->dur});
        }
    }
    for (size_t i = 0; i < k->open_count; i++) {
        const struct open_slice *o = &k->opens[i];
        collect(c, &(struct track_item){.track = track,
                                        .row = o->row,
                                        .name = o->name,
                                        .seq = o->seq,
                                        .begin = o->begin,
                                        .end = open_end(k, o),
                                        .is_open = true});
    }
    return true;
}

int track_scan(struct tracks *s, struct collector *c, uint64_t most, struct ras_error *err)
{
    uint64_t records = 0;
    int status = RAS_OK;
    c->longest = UINT64_C(1) << pyramid_base(s->pyramid);
    c->stopped = false;
    for (size_t i = 0; i < s->pen_count; i++) {
        bool of_pen = c->track == TRACK_NONE || s->tracks[c->track].about.pen == s->pens[i].index;
        s->pens[i].into = of_pen ? c : NULL;
        if (of_pen && most)
            records += scan_records(s, &s->pens[i]);
    }
    if (most && records > most)
        return fail(err, RAS_ELIMIT, RAS_NONE,
                    "%" PRIu64 " records overlap the range, more than %" PRIu64, records, most);
    for (size_t i = 0; i < s->pen_count && status == RAS_OK && !c->stopped; i++)
        if (s->pens[i].into)
            status = scan_pen(s, &s->pens[i], err);
    for (size_t i = 0; i < s->track_count && status == RAS_OK && !c->stopped; i++)
        if ((c->track == TRACK_NONE || c->track == i) && !scan_long(s, (uint32_t)i, c))
            status = fail_memory(err);
    return status;
}

int tracks_each(struct tracks *s, uint32_t track, uint64_t from, uint64_t to,
                bool (*each)(void *, const struct track_item *), void *user, struct ras_error *err)
{
    struct collector c = {.track = track, .from = from, .last = to - 1, .each = each, .user = user};
    if (track != TRACK_NONE && track >= s->track_count)
        return fail(err, RAS_EUSAGE, RAS_NONE, "track %u, there are %zu", track, s->track_count);
    return from < to ? track_scan(s, &c, 0, err) : RAS_OK;
}

/* ---- what is next ------------------------------------------------------------------------ */

struct search {
    uint32_t row;
    uint64_t time;
    unsigned dir;
    bool found;
    struct track_item *best;
};

/* Of two the nearer one; of what begins at the same time the first record. */
static bool take_nearer(void *user, const struct track_item *i)
{
    struct search *x = user;
    if (i->row != x->row)
        return true;
    bool right = x->dir == NEAR_RIGHT;
    bool fits = right                 ? i->begin > x->time
                : x->dir == NEAR_LEFT ? i->begin < x->time
                                      : i->begin <= x->time;
    bool nearer = right ? i->begin < x->best->begin : i->begin > x->best->begin;
    if (fits && (!x->found || nearer || (i->begin == x->best->begin && i->seq < x->best->seq))) {
        *x->best = *i;
        x->found = true;
    }
    return true;
}

static bool search_in(struct tracks *s, uint32_t track, struct search *x, uint64_t from,
                      uint64_t last)
{
    struct collector c = {
        .track = track, .from = from, .last = last, .each = take_nearer, .user = x};
    return track_scan(s, &c, 0, NULL) == RAS_OK && x->found;
}

/* The bucket nearest to a time in which something of the row begins, at it or after. */
static bool bucket_right(struct tracks *s, uint32_t row, uint64_t time, uint64_t *bucket)
{
    unsigned base = pyramid_base(s->pyramid);
    for (unsigned shift = base + 6;; shift += 6) { /* seldom all of a long row */
        bool all = shift > 63 || time > UINT64_MAX - (UINT64_C(1) << shift);
        uint64_t last = all ? UINT64_MAX : time + (UINT64_C(1) << shift);
        if (!pyramid_read(s->pyramid, row, base, time, last, &s->list))
            return false;
        for (size_t i = 0; i < s->list.count; i++)
            if (s->list.at[i].start >> base >= time >> base) {
                *bucket = s->list.at[i].start >> base;
                return true;
            }
        if (all)
            return false;
    }
}

/* The same, at it or before. */
static bool bucket_left(struct tracks *s, uint32_t row, uint64_t time, uint64_t *bucket)
{
    unsigned base = pyramid_base(s->pyramid);
    uint64_t from = time >> base << base, last = from + ((UINT64_C(1) << base) - 1);
    if (!pyramid_read(s->pyramid, row, base, from, last, &s->list) || !s->list.count)
        return false;
    *bucket = s->list.at[s->list.count - 1].start >> base;
    return true;
}

/* The bucket of the time itself, then the next that is not empty. */
static void search_closed(struct tracks *s, uint32_t track, struct search *x)
{
    const struct track *k = &s->tracks[track];
    unsigned base = pyramid_base(s->pyramid);
    uint64_t width = (UINT64_C(1) << base) - 1, here = x->time >> base << base, bucket;
    bool right = x->dir == NEAR_RIGHT;
    uint32_t row = x->row < k->about.rows ? k->rows[x->row] : PYRAMID_NONE;
    if (row == PYRAMID_NONE || search_in(s, track, x, here, here + width))
        return;
    if (right ? here + width == UINT64_MAX : here == 0)
        return;
    if (right ? bucket_right(s, row, here + width + 1, &bucket)
              : bucket_left(s, row, here - 1, &bucket))
        search_in(s, track, x, bucket << base, (bucket << base) + width);
}

bool tracks_near(struct tracks *s, uint32_t track, uint32_t row, uint64_t time, unsigned dir,
                 struct track_item *item)
{
    if (track >= s->track_count || dir > NEAR_DOWN || (dir == NEAR_UP && !row) ||
        (dir == NEAR_DOWN && row == UINT32_MAX))
        return false;
    struct search x = {
        .row = row - (dir == NEAR_UP) + (dir == NEAR_DOWN), .time = time, .dir = dir, .best = item};
    search_closed(s, track, &x);
    const struct track *k = &s->tracks[track];
    for (size_t i = 0; i < k->open_count; i++) {
        const struct open_slice *o = &k->opens[i];
        take_nearer(&x, &(struct track_item){.track = track,
                                             .row = o->row,
                                             .name = o->name,
                                             .seq = o->seq,
                                             .begin = o->begin,
                                             .end = open_end(k, o),
                                             .is_open = true});
    }
    return x.found;
}
