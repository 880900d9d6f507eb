/* dial9_compare_batches.c - batches that come in another order.
 *
 * A recorder appends the buffer of a thread when it is full, so that the buffers of two
 * runs may come in another order. A batch has no name; one is known by the hash of all
 * its events. Where both traces stand at the beginning of a batch and differ, those that
 * follow are hashed; batches that are the same in both, wherever they stand, are paired and
 * passed over: what is left is compared as ever. */
#include "base/memory.h"
#include "base/sort.h"
#include "formats/dial9/dial9_compare.h"

#include <stdlib.h>

/* ---- walking --------------------------------------------------------------------- */

static bool is_paired(const struct compare_side *s, uint32_t batch)
{
    return s->batches && batch < s->batch_count && s->batches[batch].paired;
}

/* Stand before the first batch behind `batch` that is not left out. RAS_END: there is none. */
static int pass_over(struct dial9_compare *d, int side, uint32_t batch, struct ras_error *err)
{
    struct compare_side *s = &d->side[side];
    while (is_paired(s, batch))
        batch++;
    if (batch == s->batch_count)
        return RAS_END;
    const struct compare_batch *to = &s->batches[batch];
    struct ras_mark mark =
        dial9_mark_of(d->c->side[side], to->first, batch, to->offset + RAS_DIAL9_HEADER_SIZE, 0);
    return ras_jump(s->cursor, &mark, err);
}

int dial9_compare_next(struct dial9_compare *d, int side, struct ras_error *err)
{
    struct compare_side *s = &d->side[side];
    s->index += s->at != NULL;
    int status = ras_next(s->cursor, &s->at, err);
    while (status == RAS_OK && (s->at->schema == RAS_SCHEMA_GAP || is_paired(s, s->at->stream))) {
        status = is_paired(s, s->at->stream) ? pass_over(d, side, s->at->stream, err) : RAS_OK;
        if (status == RAS_OK)
            status = ras_next(s->cursor, &s->at, err);
    }
    if (status == RAS_OK) {
        s->index = s->at->seq;
        s->opens = s->at->stream != s->batch;
        s->batch = s->at->stream;
        return RAS_OK;
    }
    s->at = NULL;
    if (status == RAS_WAIT)
        return fail(err, RAS_EUSAGE, RAS_NONE, "a trace that is still written to");
    return status == RAS_END ? RAS_OK : status;
}

/* ---- batches --------------------------------------------------------------------- */

/* Hash what follows, batch by batch, up to the end. Batches without events and those that
 * are done with stay zero, as do those of which nothing is known. */
static int hash_batches(struct dial9_compare *d, int side, struct ras_error *err)
{
    struct compare_side *s = &d->side[side];
    const struct dial9 *trace = d->c->side[side]->priv;
    int status = RAS_OK;
    struct compare_batch *now = NULL;
    while (s->at && status == RAS_OK) {
        if (s->at->stream >= s->batch_count) {
            size_t count = s->at->stream + (size_t)1;
            if (!array_grow(&s->batches, &s->batch_room, count, sizeof *s->batches))
                return fail_memory(err);
            for (; s->batch_count < count; s->batch_count++)
                s->batches[s->batch_count] = (struct compare_batch){
                    .offset = trace->places[s->batch_count].offset, .first = s->index};
        }
        now = &s->batches[s->at->stream];
        now->hash = (now->hash ^ dial9_compare_hash(d, side)) * UINT64_C(0x9e3779b97f4a7c15);
        now->hash ^= now->hash >> 29;
        now->count++;
        status = dial9_compare_next(d, side, err);
    }
    return status < 0 || !d->nomem ? status : fail_memory(err);
}

/* By what they hold; those that hold nothing last. */
static int by_hash(const void *a, const void *b, void *user)
{
    const struct compare_batch *all = user;
    const struct compare_batch *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];
    if (!x->count != !y->count)
        return x->count ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static uint32_t *sorted(struct compare_side *s)
{
    uint32_t *order = calloc(s->batch_count + 1, sizeof *order);
    for (size_t i = 0; order && i < s->batch_count; i++)
        order[i] = (uint32_t)i;
    if (order && s->batch_count)
        sort_with(order, s->batch_count, sizeof *order, by_hash, s->batches);
    return order;
}

/* Pair those that hold the same: partner[i] is 1 + the number of the other one. */
static void pair_up(struct compare_side *a, struct compare_side *b, const uint32_t *x,
                    const uint32_t *y, uint32_t *partner)
{
    for (size_t i = 0, j = 0; i < a->batch_count && j < b->batch_count;) {
        struct compare_batch *p = &a->batches[x[i]], *q = &b->batches[y[j]];
        if (!p->count || !q->count)
            return;
        if (p->hash == q->hash && p->count == q->count) {
            partner[x[i++]] = 1 + y[j++];
            p->paired = q->paired = true;
        } else if (p->hash < q->hash || (p->hash == q->hash && p->count < q->count)) {
            i++;
        } else {
            j++;
        }
    }
}

/* The next batch from `at` on that holds events and is not paired; the count when none is. */
static size_t next_single(const struct compare_side *s, size_t at)
{
    while (at < s->batch_count && (s->batches[at].paired || !s->batches[at].count))
        at++;
    return at;
}

/* Whether batches have changed places, where those without a partner stand for each other
 * in their order. */
static bool is_shuffled(const struct compare_side *a, const struct compare_side *b,
                        const uint32_t *partner)
{
    size_t last = 0, single = next_single(b, 0);
    for (size_t i = 0; i < a->batch_count; i++) {
        if (!a->batches[i].count || (!partner[i] && single == b->batch_count))
            continue;
        size_t to = partner[i] ? partner[i] - (size_t)1 : single;
        if (!partner[i])
            single = next_single(b, single + 1);
        if (to < last)
            return true;
        last = to;
    }
    return false;
}

static uint64_t paired_events(const struct compare_side *s)
{
    uint64_t events = 0;
    for (size_t i = 0; i < s->batch_count; i++)
        events += s->batches[i].paired ? s->batches[i].count : 0;
    return events;
}

static void forget_batches(struct compare_side *s)
{
    free(s->batches);
    s->batches = NULL;
    s->batch_count = s->batch_room = 0;
}

static bool pair_all(struct dial9_compare *d)
{
    struct compare_side *a = &d->side[0], *b = &d->side[1];
    uint32_t *x = sorted(a), *y = sorted(b), *partner = calloc(a->batch_count + 1, sizeof *partner);
    bool ok = x && y && partner;
    uint64_t events = 0;
    if (ok) {
        pair_up(a, b, x, y, partner);
        events = paired_events(a);
        d->c->out->checked += events;
        if (is_shuffled(a, b, partner))
            compare_note(d->c, "the batches come in another order");
    }
    if (!events) {
        forget_batches(a);
        forget_batches(b);
    }
    free(x);
    free(y);
    free(partner);
    return ok;
}

/* What a hash leaves out would be passed over without a look. */
static bool is_exact(const struct dial9_compare *d)
{
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < d->side[i].type_count; k++)
            if (d->side[i].types[k].careful)
                return false;
    return !d->with_time;
}

int dial9_pair_batches(struct dial9_compare *d, struct ras_error *err)
{
    struct ras_mark here[2];
    int status = RAS_OK;
    d->ordered = true;
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        const struct compare_side *s = &d->side[i];
        const struct ras_record *r = s->at;
        uint64_t delta = r->flags & RAS_HAS_TIME ? load_u32(r->raw + DIAL9_EVENT_SIZE - 1) >> 8 : 0;
        here[i] = dial9_mark_of(d->c->side[i], r->seq, r->stream, r->offset, r->time_ns - delta);
        status = hash_batches(d, i, err);
    }
    if (status == RAS_OK && is_exact(d) && !pair_all(d))
        return fail_memory(err);
    for (int i = 0; i < 2 && status == RAS_OK; i++) {
        d->side[i].at = NULL;
        status = ras_jump(d->side[i].cursor, &here[i], err);
        if (status == RAS_OK)
            status = dial9_compare_next(d, i, err);
    }
    return status;
}
