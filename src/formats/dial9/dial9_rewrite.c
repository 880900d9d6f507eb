/* dial9_rewrite.c - slice, merge and convert dial9 streams.
 *
 * Traces that are merged whole are one stream behind the other, byte for byte: that is
 * what the format means by it. Otherwise events are copied with what they need
 * (dial9_copy.c), and for the published text they are written anew (dial9_seed.c). */
#include "formats/dial9/dial9_copy.h"
#include "formats/dial9/dial9_seed.h"

enum way { JOIN_STREAMS, COPY_EVENTS, WRITE_SEED };

enum { PIECE = 1 << 20 }; /* bytes of a stream written at one go */

struct rewriter {
    enum way way;
    size_t joined;      /* of the sources in order: those that are written */
    uint64_t joined_at; /* and so many bytes of the next */
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

/* ---- streams that are joined ----------------------------------------------------------- */

static int join_up_to(struct rewrite *rw, uint64_t end, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    const struct ras_trace *t = rw->sources[rw->order[r->joined]];
    const uint8_t *bytes = source_bytes(t->source, 0).at;
    int status = RAS_OK;
    while (r->joined_at < end && status == RAS_OK) {
        uint64_t size = end - r->joined_at < PIECE ? end - r->joined_at : PIECE;
        status =
            dial9_copy_raw(&r->copier, (struct ras_bytes){bytes + r->joined_at, (size_t)size}, err);
        r->joined_at += size;
    }
    return status;
}

/* All that was understood of a stream that was walked to its end. */
static int join_rest(struct rewrite *rw, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    const struct ras_trace *t = rw->sources[rw->order[r->joined]];
    struct ras_ending e = ras_ending(t);
    uint64_t size = source_bytes(t->source, 0).len;
    int status = join_up_to(rw, e.kind > RAS_COMPLETE && e.offset < size ? e.offset : size, err);
    r->joined++;
    r->joined_at = 0;
    return status;
}

static int join_event(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    int status = RAS_OK;
    while (status == RAS_OK && rw->order[r->joined] != t->source)
        status = join_rest(rw, err);
    if (status == RAS_OK && !dial9_pass_run(&r->copier, t))
        status = fail_memory(err);
    uint64_t passed = cursor_offset(t->cursor);
    if (status < 0 || passed < r->joined_at + PIECE)
        return status;
    return join_up_to(rw, passed, err);
}

/* ---- events ------------------------------------------------------------------------------ */

static int take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    if (!t->wanted)
        return RAS_OK;
    if (r->way == JOIN_STREAMS)
        return join_event(rw, t, err);
    if (r->way == WRITE_SEED)
        return dial9_seed_event(&r->seeder, t->source, t->record, err);
    int status = dial9_copy_event(&r->copier, t->source, t->record, err);
    return status == RAS_OK ? dial9_copy_run(&r->copier, t, err) : status;
}

static int end(struct rewrite *rw, struct ras_error *err)
{
    struct rewriter *r = rw->priv;
    if (r->way == WRITE_SEED)
        return dial9_seed_end(&r->seeder, err);
    int status = RAS_OK;
    while (r->way == JOIN_STREAMS && r->joined < rw->count && status == RAS_OK)
        status = join_rest(rw, err);
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
    .relays = true,
    .begin = begin,
    .take = take,
    .end = end,
    .stop = stop,
};
