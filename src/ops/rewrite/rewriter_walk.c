/* rewriter_walk.c - every record of the sources that is in range, in the order asked for. */
#include "base/memory.h"
#include "core/walk.h"
#include "ops/rewrite/rewriter.h"

#include <stdlib.h>
#include <string.h>

enum { PROGRESS_EVERY = 4 << 20 }; /* bytes passed */

/* ---- what is wanted ------------------------------------------------------------------ */

/* Looked up once for each schema of a source. NULL: memory is short. */
static struct mind *mind_of(struct walker *w, size_t source, uint32_t schema)
{
    struct minds *m = &w->minds[source];
    size_t old = m->room;
    if (schema >= old && !array_grow(&m->at, &m->room, schema + 1u, sizeof *m->at)) {
        w->rw.nomem = true;
        return NULL;
    }
    for (size_t i = old; i < m->room; i++)
        m->at[i] = (struct mind){0};
    struct mind *mind = &m->at[schema];
    if (!mind->known) {
        mind->known = true;
        mind->wanted =
            rewrite_asks_type(w->rw.asked, ras_schema_at(w->rw.sources[source], schema)->name);
    }
    return mind;
}

/* ---- counting ------------------------------------------------------------------------- */

/* Counted by schema while walking, told by name: schemas may share one. */
static void tell_counts(struct walker *w)
{
    for (size_t i = 0; i < w->rw.count; i++)
        for (size_t k = 0; k < w->minds[i].room; k++)
            if (w->minds[i].at[k].kept) {
                rewrite_kept(&w->rw, ras_schema_at(w->rw.sources[i], k)->name,
                             w->minds[i].at[k].kept);
                w->minds[i].at[k].kept = 0;
            }
}

void walker_note_ending(struct walker *w, size_t source, const struct ras_ending *e)
{
    struct ras_rewritten *out = w->rw.out;
    if (e->kind <= out->ending.kind && out->ending.why)
        return;
    char *why = text_copy(e->why, strlen(e->why));
    if (!why) {
        w->rw.nomem = true;
        return;
    }
    free((void *)(uintptr_t)out->ending.why);
    out->ending = *e;
    out->ending.why = why;
    out->ending_source = source;
}

/* ---- the walk -------------------------------------------------------------------------- */

static int step(struct walker *w, size_t source, struct ras_error *err)
{
    struct ras_cursor *c = w->cursors[source];
    int status = walk_next(w->rw.sources[source], c, &w->heads[source], err);
    if (status == RAS_OK)
        return status;
    if (status == RAS_END && w->counting) {
        struct ras_ending e = ras_ending(w->rw.sources[source]);
        walker_note_ending(w, source, &e);
    }
    ras_cursor_close(c);
    w->cursors[source] = NULL;
    return status == RAS_END ? RAS_OK : status;
}

/* Numbers of children are looked at one by one: their parents must be seen, too. */
static bool sees_all(const struct walker *w)
{
    return (w->ops->with_children && w->rw.asked->axis == RAS_AXIS_SEQ) ||
           (w->ops->needs_all && !w->counting);
}

static int enter(struct walker *w, size_t source, struct ras_error *err)
{
    const struct ras_rewrite_options *o = w->rw.asked;
    const struct ras_scan scan = {.axis = sees_all(w) ? RAS_AXIS_NONE : o->axis,
                                  .from = o->from,
                                  .to = o->to,
                                  .merged = o->interleave,
                                  .frames_only = w->ops->with_children && !w->rw.piecemeal,
                                  .headers_only = !w->ops->values};
    int status = ras_cursor_open(&w->cursors[source], w->rw.sources[source], &scan, err);
    return status == RAS_OK ? step(w, source, err) : status;
}

static int show(struct walker *w, size_t source, pass_function *pass, struct ras_error *err)
{
    const struct ras_record *r = w->heads[source];
    const struct ras_rewrite_options *o = w->rw.asked;
    if (r->schema == RAS_SCHEMA_GAP) /* nothing that could be copied */
        return RAS_OK;
    if (o->span_count && !sees_all(w) && !rewrite_asks(o, r->seq, NULL))
        return RAS_OK;
    struct mind *mind = mind_of(w, source, r->schema);
    if (!mind)
        return fail_memory(err);
    bool in_range = !sees_all(w) || rewrite_in_range(o, r);
    struct taken t = {source, w->cursors[source], r,
                      in_range && mind->wanted && rewrite_asks_stream(o, r->stream), in_range};
    mind->kept += t.wanted && w->counting;
    if (r->offset - w->told >= PROGRESS_EVERY && o->progress) { /* also where it went back */
        uint64_t total, done = ras_cursor_progress(t.cursor, &total);
        w->told = r->offset;
        if (!o->progress(o->user, done, total))
            return fail_canceled(err);
    }
    return pass(&w->rw, &t, err);
}

/* Whether the pass goes on. */
static bool goes_on(const struct walker *w, int status)
{
    return status == RAS_OK && (w->counting || !w->rw.settled);
}

/* The source whose record is earliest; the first of equals. */
static size_t earliest(const struct walker *w)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < w->rw.count; i++) {
        size_t s = w->rw.order[i];
        if (w->cursors[s] && (best == SIZE_MAX || w->heads[s]->time_ns < w->heads[best]->time_ns))
            best = s;
    }
    return best;
}

static int pass_by_time(struct walker *w, pass_function *pass, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; status == RAS_OK && i < w->rw.count; i++)
        status = enter(w, w->rw.order[i], err);
    size_t source;
    while (goes_on(w, status) && (source = earliest(w)) != SIZE_MAX) {
        status = show(w, source, pass, err);
        if (goes_on(w, status))
            status = step(w, source, err);
    }
    return status;
}

static int pass_in_turn(struct walker *w, pass_function *pass, struct ras_error *err)
{
    int status = RAS_OK;
    for (size_t i = 0; goes_on(w, status) && i < w->rw.count; i++) {
        size_t source = w->rw.order[i];
        status = enter(w, source, err);
        while (goes_on(w, status) && w->cursors[source]) {
            status = show(w, source, pass, err);
            if (goes_on(w, status))
                status = step(w, source, err);
        }
    }
    return status;
}

int walker_pass(struct walker *w, pass_function *pass, struct ras_error *err)
{
    int status = w->rw.asked->interleave ? pass_by_time(w, pass, err) : pass_in_turn(w, pass, err);
    for (size_t i = 0; i < w->rw.count; i++) {
        ras_cursor_close(w->cursors[i]);
        w->cursors[i] = NULL;
    }
    tell_counts(w);
    if (status == RAS_OK && w->rw.nomem)
        status = fail_memory(err);
    return status;
}
