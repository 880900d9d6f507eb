/* dial9_compare.c - two traces event by event, aligned where they part.
 *
 * The events of a trace are one sequence in stored order. Which batch holds an event is
 * told but not compared: recorders cut batches by size and time, so that two runs of one
 * program hardly have the same. Whole batches may change places, as the buffers of several
 * threads do. Timestamps count only when they are asked for. */
#include "formats/dial9/dial9_compare.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    WINDOW_FIRST = 256,  /* events on each side that are looked at first */
    WINDOW_MOST = 16384, /* and at most, when fewer do not bring them together */
    DIFFERENCES_MOST = 1024,
    PROGRESS_EVERY = 65536,
};

/* ---- side by side ------------------------------------------------------------ */

static void tell_progress(const struct dial9_compare *d)
{
    const struct compare *c = d->c;
    if (!c->asked->progress || c->out->checked % PROGRESS_EVERY)
        return;
    uint64_t total, done = ras_passed(d->side[0].cursor, &total);
    c->asked->progress(c->asked->user, done, total);
}

/* Walk on while the current events are the same, over `count` of them at most; *parted
 * tells whether there are two that are not, or one without another. */
static int walk(struct dial9_compare *d, uint64_t count, bool *parted, struct ras_error *err)
{
    struct compare_side *a = &d->side[0], *b = &d->side[1];
    int status = RAS_OK;
    for (*parted = false; count && a->at && b->at; count--) {
        if (!dial9_compare_same(d)) {
            *parted = true;
            break;
        }
        tell_progress(d);
        d->c->out->checked++;
        status = dial9_compare_next(d, 0, err);
        if (status == RAS_OK)
            status = dial9_compare_next(d, 1, err);
        if (status < 0)
            return status;
    }
    *parted |= count && (a->at || b->at);
    return d->nomem ? fail_memory(err) : status;
}

/* ---- windows ----------------------------------------------------------------- */

static bool keep_item(struct dial9_compare *d, int side)
{
    struct compare_side *s = &d->side[side];
    const struct ras_record *r = s->at;
    if (!array_grow(&s->items, &s->item_room, s->item_count + 1, sizeof *s->items))
        return false;
    bool timed = r->flags & RAS_HAS_TIME;
    uint64_t delta = timed ? load_u32(r->raw + DIAL9_EVENT_SIZE - 1) >> 8 : 0;
    s->items[s->item_count++] = (struct compare_item){.hash = dial9_compare_hash(d, side),
                                                      .index = s->index,
                                                      .offset = r->offset,
                                                      .time_ns = r->time_ns,
                                                      .base_ns = r->time_ns - delta,
                                                      .schema = r->schema,
                                                      .batch = r->stream,
                                                      .timed = timed};
    return !d->nomem;
}

/* Take events into the window until it holds `want`, the current one first. */
static int fill(struct dial9_compare *d, int side, size_t want, struct ras_error *err)
{
    struct compare_side *s = &d->side[side];
    int status = RAS_OK;
    if (!s->item_count)
        s->opened = s->opens;
    while (s->at && s->item_count < want && status == RAS_OK) {
        if (!keep_item(d, side))
            return fail_memory(err);
        if (s->item_count == want)
            ras_mark(s->cursor, &s->beyond);
        status = dial9_compare_next(d, side, err);
    }
    s->ended = !s->at;
    s->past = s->index;
    return status;
}

static bool items_same(void *user, size_t a, size_t b)
{
    const struct dial9_compare *d = user;
    const struct compare_item *x = &d->side[0].items[a], *y = &d->side[1].items[b];
    if (x->hash != y->hash)
        return false;
    if (!d->c->asked->with_time)
        return true;
    return x->timed == y->timed && (!x->timed || dial9_times_same(d, x->time_ns, y->time_ns));
}

/* A side that was cut says nothing of what would have followed. */
static bool may_go_on(const struct dial9_compare *d, int side)
{
    return !d->side[side].ended || ras_ending(d->c->side[side]).kind >= RAS_CUT;
}

/* Align what follows on both sides, as much of it as it takes. */
static int look_ahead(struct dial9_compare *d, struct ras_error *err)
{
    struct align *al = &d->events;
    d->side[0].item_count = d->side[1].item_count = 0;
    for (size_t want = WINDOW_FIRST;; want *= 4) {
        for (int i = 0; i < 2; i++) {
            int status = fill(d, i, want, err);
            if (status < 0)
                return status;
        }
        unsigned open = (may_go_on(d, 0) ? ALIGN_A_OPEN : 0) | (may_go_on(d, 1) ? ALIGN_B_OPEN : 0);
        size_t n = d->side[0].item_count, m = d->side[1].item_count;
        if (!align_run(al, n, m, open) || !align_pair(al, n, m, open, dial9_items_akin))
            return fail_memory(err);
        bool all = d->side[0].ended && d->side[1].ended;
        if (all || want >= WINDOW_MOST || al->lost || al->distance * 4 <= want)
            return RAS_OK;
    }
}

static int resume(struct dial9_compare *d, size_t a, size_t b, struct ras_error *err)
{
    int status = dial9_compare_go(d, 0, a, err);
    return status == RAS_OK ? dial9_compare_go(d, 1, b, err) : status;
}

/* Both stand at the beginning of a batch, for the first time that they differ there. */
static bool wants_pairing(const struct dial9_compare *d)
{
    return !d->ordered && d->side[0].at && d->side[1].at && d->side[0].opens && d->side[1].opens;
}

/* Tell the hunks in the first half of the windows, those behind it look further ahead;
 * what lies between two of them is compared as anywhere else. */
static int tell_hunks(struct dial9_compare *d, struct ras_error *err)
{
    const struct align *al = &d->events;
    const struct align_hunk here = {0, 1, 0, 1};
    bool odd = !al->hunk_count || al->hunks[0].a || al->hunks[0].b; /* equal hashes: no more */
    bool all = (d->side[0].ended && d->side[1].ended) || al->lost, parted = false;
    size_t half[2] = {d->side[0].item_count / 2, d->side[1].item_count / 2};
    size_t a = 0, b = 0;
    for (size_t i = 0; i < (odd ? 1 : al->hunk_count); i++) {
        const struct align_hunk *h = odd ? &here : &al->hunks[i];
        if (i && !all && (h->a > half[0] || h->b > half[1]))
            break;
        int status = i ? walk(d, h->a - a, &parted, err) : RAS_OK;
        if (status < 0 || parted || (i && wants_pairing(d)))
            return status;
        status = dial9_tell_hunk(d, h, err);
        if (status != RAS_OK)
            return status;
        a = h->a + h->a_count;
        b = h->b + h->b_count;
        status = resume(d, a, b, err);
        if (status < 0)
            return status;
    }
    return RAS_OK;
}

/* The current events differ, or one side has none. RAS_END: no more is wanted. */
static int part(struct dial9_compare *d, struct ras_error *err)
{
    const struct compare_side *a = &d->side[0], *b = &d->side[1];
    bool alone = !a->at || !b->at;
    if (wants_pairing(d))
        return dial9_pair_batches(d, err);
    int status = look_ahead(d, err);
    if (status < 0)
        return status;
    if (alone) {
        int gone = a->item_count ? 1 : 0;
        return may_go_on(d, gone) ? RAS_END : dial9_tell_rest(d, err);
    }
    if (d->events.lost)
        compare_note(
            d->c, "more than %d consecutive differences: the reported alignment may not be minimal",
            DIFFERENCES_MOST);
    return tell_hunks(d, err);
}

/* ---- clocks ------------------------------------------------------------------ */

enum { CLOCK_LOOKS = 3 };

/* The times of the first events that have one. */
static int first_times(struct ras_trace *t, uint64_t *times, size_t *count, struct ras_error *err)
{
    const struct ras_scan scan = {.headers_only = true};
    const struct ras_record *r;
    struct ras_cursor *c;
    *count = 0;
    int status = ras_cursor_open(&c, t, &scan, err);
    while (status == RAS_OK && *count < CLOCK_LOOKS && (status = ras_next(c, &r, err)) == RAS_OK)
        if (r->flags & RAS_HAS_TIME)
            times[(*count)++] = r->time_ns;
    ras_cursor_close(c);
    return status < 0 ? status : RAS_OK;
}

/* Two runs have started at different times. One event whose time is off is not a clock
 * that is, so the middle one of three counts. */
static int set_clocks(struct dial9_compare *d, struct ras_error *err)
{
    uint64_t times[2][CLOCK_LOOKS];
    size_t counts[2];
    for (int i = 0; i < 2; i++) {
        int status = first_times(d->c->side[i], times[i], &counts[i], err);
        if (status < 0)
            return status;
    }
    if (counts[0] < CLOCK_LOOKS || counts[1] < CLOCK_LOOKS)
        return RAS_OK;
    int64_t apart[CLOCK_LOOKS];
    for (int i = 0; i < CLOCK_LOOKS; i++) {
        int64_t now = (int64_t)(times[1][i] - times[0][i]);
        int j = i;
        for (; j && apart[j - 1] > now; j--)
            apart[j] = apart[j - 1];
        apart[j] = now;
    }
    int64_t shift = apart[CLOCK_LOOKS / 2];
    if (dial9_times_same(d, 0, (uint64_t)shift))
        return RAS_OK;
    d->shift_ns = (uint64_t)shift;
    compare_note(d->c, "the clocks are %" PRId64 " ns apart, times are compared from there", shift);
    return RAS_OK;
}

/* ---- the comparison ---------------------------------------------------------- */

static void tell_batches(const struct dial9_compare *d)
{
    size_t count[2];
    for (int i = 0; i < 2; i++)
        (void)ras_streams(d->c->side[i], &count[i]);
    if (count[0] != count[1])
        compare_note(d->c, "%zu and %zu batches: events are compared whatever batch holds them",
                     count[0], count[1]);
}

static int run(struct compare *c, struct ras_error *err)
{
    struct dial9_compare *d = c->priv;
    const struct ras_compare_span *span = c->asked->spans;
    bool parted = true;
    d->c = c;
    if (c->asked->span_count > 1)
        return fail(err, RAS_EUNSUPPORTED, RAS_NONE, "%s of events, one can be compared",
                    ras_counted(c->asked->span_count, "span").text);
    d->ordered = span; /* a part of the events says nothing of whole batches */
    d->events = (struct align){.same = items_same, .user = d, .most = DIFFERENCES_MOST};
    d->names.most = DIFFERENCES_MOST;
    int status = c->asked->with_time ? set_clocks(d, err) : RAS_OK;
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        d->side[i].batch = UINT32_MAX;
        const struct ras_scan scan = {.axis = span ? RAS_AXIS_SEQ : RAS_AXIS_NONE,
                                      .from = span ? span->from[i] : 0,
                                      .to = span ? span->to[i] : 0};
        status = ras_cursor_open(&d->side[i].cursor, c->side[i], &scan, err);
        if (status == RAS_OK)
            status = dial9_compare_next(d, i, err);
    }
    while (status == RAS_OK && parted) {
        status = walk(d, UINT64_MAX, &parted, err);
        if (status == RAS_OK && parted)
            status = part(d, err);
        if (status >= 0 && (d->nomem || c->doc.nomem))
            status = fail_memory(err);
    }
    for (int i = 0; i < 2 && status >= 0; i++)
        status = compare_ending(d->c, i, d->side[i].cursor, err);
    if (status >= 0)
        tell_batches(d);
    return status < 0 ? status : RAS_OK;
}

static void stop(struct compare *c)
{
    struct dial9_compare *d = c->priv;
    for (int i = 0; i < 2; i++) {
        ras_cursor_close(d->side[i].cursor);
        free(d->side[i].batches);
        dial9_compare_forget(&d->side[i]);
    }
    align_free(&d->events);
    align_free(&d->names);
}

static const char *const times[] = {"total_ns", "count", "p50_ns", "p99_ns", "max_ns", NULL};
static const struct compare_profile profiles[] = {
    {"polls_by_location", "spawn_loc", times},
    {"tasks", "spawn_loc", times},
    {"scheduling_delays", "delay", times},
    {"spans", "span", times},
    {0},
};

const struct compare_ops dial9_compare = {
    .key = "event_index",
    .word = "event",
    .profiles = profiles,
    .takes = COMPARE_PATHS | COMPARE_TIME | COMPARE_SPANS | COMPARE_PROFILE,
    .size = sizeof(struct dial9_compare),
    .run = run,
    .stop = stop,
};
