/* dial9_rewrite.c - slice, merge and convert dial9 streams.
 *
 * Traces that are merged whole are one stream behind the other, byte for byte: that is
 * what the format means by it. Otherwise events are copied with what they need
 * (dial9_copy.c), and for the published text they are written anew (dial9_seed.c). */
#include "formats/dial9/dial9_copy.h"
#include "formats/dial9/dial9_seed.h"

enum way { JOIN_STREAMS, COPY_EVENTS, WRITE_SEED };

struct rewriter {
    enum way way;
    struct copier copier;
    struct seeder seeder;
};

static bool all_seed(const struct rewrite *rw)
{
    for (size_t i = 0; i < rw->count; i++)
        if (strcmp(rw->sources[i]->dialect, "seed") != 0)
            return false;
    return true;
}

static int begin(struct rewrite *rw, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    bool seed = !strcmp(rw->target, "seed");
    if (seed && !all_seed(rw)) {
        r->way = WRITE_SEED;
        return dial9_seed_begin(&r->seeder, rw, err);
    }
    bool many = rw->count > 1;
    r->way = many && rw->whole && !seed && !rw->asked->interleave ? JOIN_STREAMS : COPY_EVENTS;
    /* A stream of the published text has one header, however many it is made of. */
    return dial9_copy_begin(&r->copier, rw, rw->asked->interleave || (seed && many), err);
}

static int take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    if (!t->wanted || r->way == JOIN_STREAMS)
        return RAS_OK;
    return r->way == WRITE_SEED ? dial9_seed_event(&r->seeder, t->source, t->record, err)
                                : dial9_copy_event(&r->copier, t->source, t->record, err);
}

/* All that was understood of each. */
static int join_streams(struct rewrite *rw, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    int status = RAS_OK;
    for (size_t i = 0; i < rw->count && status == RAS_OK; i++) {
        const struct ras_trace *t = rw->sources[rw->order[i]];
        struct ras_bytes bytes = source_bytes(t->source, 0);
        struct ras_ending e = ras_ending(t);
        if (e.kind > RAS_COMPLETE && e.offset < bytes.len)
            bytes.len = (size_t)e.offset;
        status = dial9_copy_raw(&r->copier, bytes, err);
    }
    return status;
}

static int end(struct rewrite *rw, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    if (r->way == WRITE_SEED)
        return dial9_seed_end(&r->seeder, err);
    int status = r->way == JOIN_STREAMS ? join_streams(rw, err) : RAS_OK;
    return status == RAS_OK ? dial9_copy_end(&r->copier, err) : status;
}

static void stop(struct rewrite *rw)
{
    struct rewriter *r = rw->priv;
    if (r->way == WRITE_SEED)
        dial9_seed_stop(&r->seeder);
    else
        dial9_copy_stop(&r->copier);
}

const struct rewrite_ops dial9_rewrite = {
    .targets = (const char *const[]){"full", "seed", NULL},
    .size = sizeof(struct rewriter),
    .interleaves = true,
    .begin = begin,
    .take = take,
    .end = end,
    .stop = stop,
};
