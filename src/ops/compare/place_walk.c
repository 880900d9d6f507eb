/* place_walk.c - the placed walk: the side at the lower place goes first. */
#include "ops/compare/place_walk.h"
#include "base/error.h"

enum { FIRST = 1, SECOND = 2 }; /* sides, as bits */

struct walk {
    const struct place_walk_ops *ops;
    void *user;
    unsigned has; /* sides that are at a place */
};

/* Advance the sides that were compared. */
static int step(struct walk *w, unsigned done, struct ras_error *err)
{
    for (int i = 0; i < 2; i++) {
        unsigned side = 1u << i;
        int status = done & side ? w->ops->next(w->user, i, err) : RAS_OK;
        if (status != RAS_OK && status != RAS_END)
            return status;
        if (status == RAS_END)
            w->has &= ~side;
        else if (done & side)
            w->has |= side;
    }
    return RAS_OK;
}

static bool is_over(const struct walk *w)
{
    for (int i = 0; i < 2; i++)
        if (!(w->has >> i & 1) && w->ops->is_cut && w->ops->is_cut(w->user, i))
            return true;
    return !w->has;
}

static bool report_progress(const struct walk *w, const struct ras_compare_options *o, uint64_t n)
{
    if (!o->progress || !w->ops->progress || n % COMPARE_PROGRESS_PLACES)
        return true;
    uint64_t total, done = w->ops->progress(w->user, &total);
    return o->progress(o->user, done, total);
}

int place_walk_run(struct compare *c, const struct place_walk_ops *ops, void *user,
                   struct ras_error *err)
{
    struct walk w = {.ops = ops, .user = user};
    unsigned done = FIRST | SECOND;
    for (uint64_t n = 0;; n++) {
        int status = step(&w, done, err);
        if (status != RAS_OK || is_over(&w))
            return status;
        if (!report_progress(&w, c->options, n))
            return fail_canceled(err);
        int order = !(w.has & FIRST) ? 1 : !(w.has & SECOND) ? -1 : ops->order(user);
        done = order < 0 ? FIRST : order > 0 ? SECOND : FIRST | SECOND;
        status = order ? ops->lone(user, order > 0, err) : ops->pair(user, err);
        if (status >= 0 && c->doc.cells.nomem)
            return fail_memory(err);
        if (status != RAS_OK)
            return status == RAS_END ? RAS_OK : status;
    }
}
