/* dial9_rewrite.c - slice, merge and convert dial9 streams.
 *
 * Traces that are merged whole are one stream behind the other, byte for byte: that is
 * what the format means by it. Otherwise events are copied with what they need
 * (dial9_copy.c), and for the published text they are written anew (dial9_seed.c). */
#include "formats/dial9/dial9_copy.h"
#include "formats/dial9/dial9_seed.h"

__extension__ typedef __int128 long_time;

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

static const struct ras_fact *fact_of(const struct ras_trace *t, const char *key)
{
    size_t count;
    const struct ras_fact *facts = ras_facts(t, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(facts[i].key, key) && facts[i].value.kind == RAS_STR)
            return &facts[i];
    return NULL;
}

static bool another_host(const struct ras_trace *a, const struct ras_trace *b)
{
    const struct ras_fact *x = fact_of(a, "host"), *y = fact_of(b, "host");
    return x && y &&
           (x->value.count != y->value.count ||
            (x->value.count && memcmp(x->value.at, y->value.at, x->value.count) != 0));
}

/* Event times count from the boot of a machine; what the wall clock showed tells two boots apart,
 * and is set by less than this while one lasts. */
static void note_clocks(struct rewrite *rw)
{
    const int64_t set_most = 60000000000;
    const struct ras_trace *a = rw->sources[0];
    for (size_t i = 1; i < rw->count; i++) {
        const struct ras_trace *b = rw->sources[i];
        long_time apart = (long_time)b->wall_ns - a->wall_ns;
        bool clocks = a->has_wall && b->has_wall && (apart > set_most || -apart > set_most);
        if (!clocks && !another_host(a, b))
            continue;
        rewrite_note(rw,
                     "trace %zu was recorded %s: its times do not compare with those of trace 1",
                     i + 1, another_host(a, b) ? "on another host" : "in another boot");
    }
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
    if (many)
        note_clocks(rw);
    r->way = many && rw->whole && !seed && !rw->asked->interleave ? JOIN_STREAMS : COPY_EVENTS;
    /* A stream of the published text has one header, however many it is made of. */
    int status = dial9_copy_begin(&r->copier, rw, rw->asked->interleave || (seed && many), err);
    if (status == RAS_OK && !rw->whole && !rw->asked->bare)
        status = dial9_companions_first(&r->copier, err);
    return status;
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
    if (status == RAS_OK && r->copier.with_companions)
        status = dial9_companions_last(&r->copier, err);
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
