/* aerogpu_compare_span.c - the units of two frames, aligned: what was inserted or deleted
 * does not make all that follows differ.
 *
 * Units that are the same are passed one by one. Where they are not, as many as a window
 * holds are aligned, first by what they are, then, between those, by what they are
 * called: a pair of one name was changed, others came or went. */
#include "formats/aerogpu/aerogpu_compare.h"

static bool same_at(void *user, size_t a, size_t b)
{
    struct aero_compare *m = user;
    return aero_units_same(m, aero_unit_at(&m->sides[0], a), aero_unit_at(&m->sides[1], b));
}

static bool alike_at(void *user, size_t a, size_t b)
{
    const struct aero_compare *m = user;
    return aero_units_alike(aero_unit_at(&m->sides[0], a), aero_unit_at(&m->sides[1], b));
}

/* Blobs that something names are compared where they are named. */
static bool is_named_blob(struct aero_compare *m, int side, const struct aero_unit *u)
{
    return u->kind == AERO_UNIT_BLOB && aero_is_referenced(m, side, u->blob_id);
}

static void drop_named_blobs(struct aero_compare *m, int side)
{
    struct aero_side *s = &m->sides[side];
    struct aero_unit *units = s->window + s->first;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!is_named_blob(m, side, &units[i]))
            units[kept++] = units[i];
    s->passed += s->count - kept;
    s->count = kept;
}

/* As many units as there are, or as the window holds, without blobs that are named. */
static int fill_window(struct aero_compare *m, int side, struct ras_error *err)
{
    struct aero_side *s = &m->sides[side];
    size_t before;
    do {
        int status = aero_span_fill(s, AERO_WINDOW, err);
        if (status < 0)
            return status;
        before = s->count;
        drop_named_blobs(m, side);
    } while (s->count < before && !s->closed);
    return RAS_OK;
}

/* A side that was cut says nothing of what would have followed. */
static bool is_lost(const struct aero_side *s)
{
    return s->ended && s->lost;
}

static int pair_rows(void *user, size_t a, size_t b, struct ras_error *err)
{
    struct aero_compare *m = user;
    (void)err;
    if (!aero_rows_full(m))
        aero_pair_rows(m, aero_unit_at(&m->sides[0], a), aero_unit_at(&m->sides[1], b));
    return RAS_OK;
}

/* What a side that was cut seems to lack at the end may have been there. */
static int lone_rows(void *user, const struct align_hunk *h, struct ras_error *err)
{
    struct aero_compare *m = user;
    const struct aero_side *sides = m->sides;
    bool tail = m->last && h->a + h->a_count == m->end[0] && h->b + h->b_count == m->end[1];
    (void)err;
    for (size_t k = 0; k < h->a_count && !m->full && !(tail && is_lost(&sides[1])); k++)
        aero_lone_row(m, 0, aero_unit_at(&sides[0], h->a + k));
    for (size_t k = 0; k < h->b_count && !m->full && !(tail && is_lost(&sides[0])); k++)
        aero_lone_row(m, 1, aero_unit_at(&sides[1], h->b + k));
    m->full = aero_rows_full(m);
    return RAS_OK;
}

/* Units between two that are the same. `last`: nothing is known to follow. */
static int hunk_rows(struct aero_compare *m, const struct align_hunk *h, bool last,
                     struct ras_error *err)
{
    const struct align_pairing names = {m, alike_at, pair_rows, lone_rows};
    m->last = last;
    m->end[0] = h->a + h->a_count;
    m->end[1] = h->b + h->b_count;
    m->full = false;
    return align_pair_rows(&m->by_name, h, &names, err);
}

/* Align what the windows hold and be done with it, except that what their end cuts off
 * from its counterpart waits for more, unless there is nothing before it. */
static int align_windows(struct aero_compare *m, struct ras_error *err)
{
    struct aero_side *sides = m->sides;
    struct align *al = &m->by_content;
    for (int i = 0; i < 2; i++) {
        int status = fill_window(m, i, err);
        if (status < 0)
            return status;
    }
    size_t n = sides[0].count, k = sides[1].count;
    bool all = sides[0].closed && sides[1].closed;
    if (!align_run(al, n, k, false)) {
        m->nomem = true;
        return RAS_OK;
    }
    size_t a = n, b = k;
    for (size_t i = 0; i < al->hunk_count && !aero_rows_full(m); i++) {
        const struct align_hunk *h = &al->hunks[i];
        bool last = h->a + h->a_count == n && h->b + h->b_count == k;
        if (last && !all && (h->a || h->b)) {
            a = h->a;
            b = h->b;
            break;
        }
        int status = hunk_rows(m, h, last, err);
        if (status < 0)
            return status;
    }
    aero_span_drop(&sides[0], a);
    aero_span_drop(&sides[1], b);
    return RAS_OK;
}

/* One unit of each that is changed, with nothing else about it: mostly it is just that. */
static bool is_plain_change(struct aero_compare *m)
{
    const struct aero_side *a = &m->sides[0], *b = &m->sides[1];
    if (!a->count || !b->count || a->count != b->count ||
        !aero_units_alike(aero_unit_at(a, 0), aero_unit_at(b, 0)))
        return false;
    return a->count == 1 || same_at(m, 1, 1);
}

/* Compare what stands first. RAS_END: there is no more. */
static int compare_first(struct aero_compare *m, struct ras_error *err)
{
    struct aero_side *sides = m->sides;
    int status = RAS_OK;
    for (int i = 0; i < 2 && status == RAS_OK; i++)
        status = aero_span_fill(&sides[i], 2, err);
    if (status < 0)
        return status;
    bool both = sides[0].count && sides[1].count;
    if (!sides[0].count && !sides[1].count)
        return RAS_END;
    if (!both && (is_lost(&sides[0]) || is_lost(&sides[1])))
        return RAS_END;
    if (aero_rows_full(m) || (both && same_at(m, 0, 0))) {
        aero_span_drop(&sides[0], sides[0].count > 0);
        aero_span_drop(&sides[1], sides[1].count > 0);
        return RAS_OK;
    }
    for (int i = 0; i < 2; i++)
        if (sides[i].count && is_named_blob(m, i, aero_unit_at(&sides[i], 0))) {
            aero_span_drop(&sides[i], 1);
            return RAS_OK;
        }
    if (!is_plain_change(m))
        return align_windows(m, err);
    aero_pair_rows(m, aero_unit_at(&sides[0], 0), aero_unit_at(&sides[1], 0));
    aero_span_drop(&sides[0], 1);
    aero_span_drop(&sides[1], 1);
    return RAS_OK;
}

int aero_spans_compare(struct aero_compare *m, struct ras_error *err)
{
    int status;
    m->by_content.same = same_at;
    m->by_content.user = m;
    m->by_content.most = m->by_name.most = 2 * (size_t)AERO_WINDOW;
    while ((status = compare_first(m, err)) == RAS_OK)
        if (m->nomem || m->rows.doc->cells.nomem)
            return fail_memory(err);
    if (status < 0)
        return status;
    return is_lost(&m->sides[0]) || is_lost(&m->sides[1]) ? RAS_END : RAS_OK;
}
