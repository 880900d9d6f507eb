/* align_walk.c - the aligned walk: pass what is the same, align windows where rows diverge. */
#include "ops/compare/align_walk.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>

void align_walk_free(struct align_walk *w)
{
    align_free(&w->rows);
    align_free(&w->names);
    for (int side = 0; side < 2; side++) {
        free(w->keys[side]);
        w->keys[side] = NULL;
        w->key_room[side] = 0;
    }
}

/* ---- pairs --------------------------------------------------------------------------- */

struct pairing {
    const struct align_pairing *of;
    size_t a, b; /* where the hunk begins */
};

static bool names_same(void *user, size_t a, size_t b)
{
    const struct pairing *p = user;
    return p->of->similar(p->of->user, p->a + a, p->b + b);
}

static int pair_run(const struct pairing *p, size_t a, size_t b, size_t count,
                    struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; i < count && status == RAS_OK; i++)
        status = p->of->pair(p->of->user, p->a + a + i, p->b + b + i, err);
    return status;
}

static int leave_alone(const struct pairing *p, struct align_hunk h, struct ras_error *err)
{
    h.a += p->a;
    h.b += p->b;
    return h.a_count || h.b_count ? p->of->alone(p->of->user, &h, err) : RAS_OK;
}

int align_pair_rows(struct align *names, const struct align_hunk *hunk,
                    const struct align_pairing *of, struct ras_error *err)
{
    struct pairing p = {of, hunk->a, hunk->b};
    size_t a = 0, b = 0;
    int status = RAS_OK;
    names->same = names_same;
    names->user = &p;
    if (!align_run(names, hunk->a_count, hunk->b_count, 0))
        return fail_memory(err);
    for (size_t i = 0; i < names->hunk_count && status == RAS_OK; i++) {
        const struct align_hunk *h = &names->hunks[i];
        status = pair_run(&p, a, b, h->a - a, err);
        if (status == RAS_OK)
            status = leave_alone(&p, *h, err);
        a = h->a + h->a_count;
        b = h->b + h->b_count;
    }
    if (status == RAS_OK)
        status = pair_run(&p, a, b, names->a - a, err);
    const struct align_hunk rest = {names->a, hunk->a_count - names->a, names->b,
                                    hunk->b_count - names->b}; /* too many to pair */
    return status == RAS_OK ? leave_alone(&p, rest, err) : status;
}

/* The details of a pair go to a document of their own, as not all of them are kept. */
static int report_pair(void *user, size_t a, size_t b, struct ras_error *err)
{
    const struct align_walk *w = user;
    struct document *aside = &w->c->scratch, *doc = &w->c->doc;
    size_t rows = 0, detail = COMPARE_NO_DETAIL;
    document_cut(aside, 0);
    arena_reset(&aside->texts);
    int status = w->ops->put_pair(w->user, a, b, aside, &rows, err);
    doc->cells.nomem |= aside->cells.nomem;
    if (status == RAS_OK && rows && !doc->cells.nomem && compare_wants_detail(w->c)) {
        detail = doc->cells.count;
        document_copy(doc, aside->cells.items);
    }
    if (status < 0 || rows)
        return status < 0 ? status : w->ops->changed(w->user, a, b, detail);
    w->c->out->checked++;
    return RAS_OK;
}

static int report_alone(void *user, const struct align_hunk *h, struct ras_error *err)
{
    const struct align_walk *w = user;
    return w->ops->alone(w->user, h, 0, err);
}

static bool is_similar(void *user, size_t a, size_t b)
{
    const struct align_walk *w = user;
    return w->ops->similar(w->user, a, b);
}

static int report_hunk(struct align_walk *w, const struct align_hunk *h, struct ras_error *err)
{
    const struct align_pairing pairing = {w, is_similar, report_pair, report_alone};
    return h->a_count && h->b_count ? align_pair_rows(&w->names, h, &pairing, err)
                                    : w->ops->alone(w->user, h, w->room, err);
}

/* ---- windows -------------------------------------------------------------------------- */

/* How a cut side would have continued is not known. */
static bool may_go_on(const struct align_walk *w, int side)
{
    return !w->window[side].ended || w->ops->is_cut(w->user, side);
}

/* Numbers of the rows from `from` on, which joined the window. */
static bool put_keys(struct align_walk *w, int side, size_t from)
{
    size_t count = w->window[side].count;
    if (!w->ops->key)
        return true;
    if (!array_grow(&w->keys[side], &w->key_room[side], count, sizeof *w->keys[side]))
        return false;
    for (size_t i = from; i < count; i++)
        w->keys[side][i] = w->ops->key(w->user, side, i);
    w->rows.keys[side] = w->keys[side];
    return true;
}

/* Extend both windows. */
static int fill_both(struct align_walk *w, size_t want, struct ras_error *err)
{
    for (int side = 0; side < 2; side++) {
        size_t before = w->window[side].count;
        int status = w->ops->fill(w->user, side, want, &w->window[side], err);
        if (status < 0)
            return status;
        if (!put_keys(w, side, before))
            return fail_memory(err);
    }
    return RAS_OK;
}

/* Align the next rows of both sides, with windows as large as necessary. */
static int look_ahead(struct align_walk *w, struct ras_error *err)
{
    struct align *al = &w->rows;
    struct align_window *a = &w->window[0], *b = &w->window[1];
    *a = *b = (struct align_window){0};
    al->most =
        al->effort < COMPARE_EFFORT_MOST ? COMPARE_DIFFERENCES_MOST : COMPARE_DIFFERENCES_LATER;
    for (size_t want = COMPARE_WINDOW_FIRST;; want *= 4) {
        int status = fill_both(w, want, err);
        if (status < 0)
            return status;
        unsigned open = (may_go_on(w, 0) ? ALIGN_A_OPEN : 0) | (may_go_on(w, 1) ? ALIGN_B_OPEN : 0);
        if (!align_run(al, a->count, b->count, open) ||
            !align_pair(al, a->count, b->count, open, w->ops->similar))
            return fail_memory(err);
        if ((a->ended && b->ended) || want >= COMPARE_WINDOW_MOST || al->lost ||
            al->distance * 4 <= want)
            return RAS_OK;
    }
}

/* ---- the walk ------------------------------------------------------------------------- */

/* Pass rows that are the same, over `count` of them at most; *diverged: there are two that are
 * not, or one without another. */
static int pass(struct align_walk *w, uint64_t count, bool *diverged, struct ras_error *err)
{
    const struct ras_compare_options *o = w->c->options;
    *diverged = false;
    while (count) {
        uint64_t most = count < COMPARE_PROGRESS_ROWS ? count : COMPARE_PROGRESS_ROWS;
        uint64_t passed = 0, total;
        int status = w->ops->pass(w->user, most, &passed, err);
        w->c->out->checked += passed;
        w->room += passed;
        count -= passed;
        if (status < 0)
            return status;
        if (passed < most) {
            *diverged = w->ops->has_row(w->user, 0) || w->ops->has_row(w->user, 1);
            return RAS_OK;
        }
        if (o->progress && most == COMPARE_PROGRESS_ROWS) {
            uint64_t done = w->ops->progress(w->user, &total);
            if (!o->progress(o->user, done, total))
                return fail_canceled(err);
        }
    }
    return RAS_OK;
}

/* RAS_OK: the sides were moved. */
static int resync(struct align_walk *w, struct ras_error *err)
{
    bool both = w->ops->has_row(w->user, 0) && w->ops->has_row(w->user, 1);
    return w->ops->resync && both ? w->ops->resync(w->user, err) : RAS_END;
}

/* Report the hunks in the first half of the windows; those after it need rows further ahead. Rows
 * between two hunks are compared as elsewhere. */
static int report_hunks(struct align_walk *w, struct ras_error *err)
{
    const struct align *al = &w->rows;
    const struct align_hunk here = {0, 1, 0, 1};
    bool finer = !al->hunk_count || al->hunks[0].a || al->hunks[0].b; /* than same() detects */
    bool all = (w->window[0].ended && w->window[1].ended) || al->lost;
    size_t half[2] = {w->window[0].count / 2, w->window[1].count / 2}, a = 0, b = 0;
    for (size_t i = 0; i < (finer ? 1 : al->hunk_count); i++) {
        const struct align_hunk h = finer ? here : al->hunks[i];
        if (i && !all && (h.a > half[0] || h.b > half[1]))
            break;
        bool diverged = false;
        int status = i ? pass(w, h.a - a, &diverged, err) : RAS_OK;
        if (status < 0 || diverged)
            return status;
        status = i ? resync(w, err) : RAS_END;
        if (status != RAS_END)
            return status;
        status = report_hunk(w, &h, err);
        a = h.a + h.a_count;
        b = h.b + h.b_count;
        w->room = 0;
        if (status == RAS_OK)
            status = w->ops->seek(w->user, a, b, err);
        if (status != RAS_OK)
            return status;
    }
    return RAS_OK;
}

/* One side has ended; how a cut side would have continued is not known. */
static int report_rest(struct align_walk *w, int side, struct ras_error *err)
{
    w->window[side] = (struct align_window){0};
    w->over = true;
    if (w->ops->is_cut(w->user, !side))
        return RAS_OK;
    int status = w->ops->fill(w->user, side, COMPARE_WINDOW_FIRST, &w->window[side], err);
    return status == RAS_OK ? w->ops->rest(w->user, side, err) : status;
}

/* The current rows differ, or one side has none. */
static int diverge(struct align_walk *w, struct ras_error *err)
{
    bool first = w->ops->has_row(w->user, 0), second = w->ops->has_row(w->user, 1);
    if (!first || !second)
        return report_rest(w, first ? 0 : 1, err);
    int status = resync(w, err);
    if (status != RAS_END)
        return status;
    status = look_ahead(w, err);
    if (status < 0)
        return status;
    if (w->rows.lost)
        compare_note(w->c,
                     "more than %d consecutive differences: the reported alignment may not be"
                     " minimal",
                     (int)w->rows.most);
    return report_hunks(w, err);
}

int align_walk_run(struct align_walk *w, struct ras_error *err)
{
    bool diverged = true;
    int status = RAS_OK;
    w->rows.same = w->ops->same;
    w->rows.user = w->user;
    w->names.most = COMPARE_DIFFERENCES_MOST;
    w->room = 0;
    w->over = false;
    while (status == RAS_OK && diverged && !w->over) {
        status = pass(w, UINT64_MAX, &diverged, err);
        if (status == RAS_OK && diverged)
            status = diverge(w, err);
        if (status >= 0 && w->c->doc.cells.nomem)
            status = fail_memory(err);
    }
    return status;
}
