/* murk_rewrite.c - frames of one or more replays into a new one.
 *
 * Frames are copied as they stand; neighbours in one piece. Only where commands are
 * left out, by type or number, is a frame put together anew, from its commands' own bytes. */
#include "base/memory.h"
#include "base/store.h"
#include "formats/murk/murk_driver.h"

#include <stdlib.h>

enum { RUN_MAX = 1 << 20 }; /* bytes copied in one piece */

struct copier {
    size_t source;
    uint64_t from, to; /* neighbouring frames of that source, not yet written */
    uint64_t children; /* commands of whole frames */
    uint8_t *frame;    /* such a frame, its hash still to come */
    size_t len, room;
    uint32_t commands;
    uint64_t hash;
    bool wanted;     /* it counts even without commands */
    uint64_t frames; /* that were not asked for, but commands of them */
};

/* Replays of one run have one header; a replay of another cannot go on with its ticks. */
static int check_headers(const struct rewrite *rw, struct ras_error *err)
{
    const struct ras_trace *first = rw->sources[rw->order[0]];
    struct ras_bytes a = source_bytes(first->source, 0);
    for (size_t i = 1; i < rw->count; i++) {
        const struct ras_trace *t = rw->sources[rw->order[i]];
        struct ras_bytes b = source_bytes(t->source, 0);
        uint64_t at = 0;
        while (at < first->body && at < t->body && a.at[at] == b.at[at])
            at++;
        if (at < first->body || t->body != first->body)
            return fail(err, RAS_EUSAGE, at,
                        "the headers of trace %zu and trace %zu differ from byte %" PRIu64
                        " on: they are not of one run",
                        rw->order[0] + 1, rw->order[i] + 1, at);
    }
    return RAS_OK;
}

static int begin(struct rewrite *rw, struct ras_error *err)
{
    int status = rw->count > 1 ? rewrite_adjoin(rw, err) : RAS_OK;
    if (status == RAS_OK)
        status = check_headers(rw, err);
    if (status < 0)
        return status;
    const struct ras_trace *first = rw->sources[rw->order[0]];
    return ras_sink_write(rw->sink, source_bytes(first->source, 0).at, (size_t)first->body, err);
}

/* ---- whole frames -------------------------------------------------------------------- */

static int write_run(struct rewrite *rw, struct ras_error *err)
{
    struct copier *k = rw->priv;
    if (k->from == k->to)
        return RAS_OK;
    const uint8_t *base = source_bytes(rw->sources[k->source]->source, 0).at;
    int status = ras_sink_write(rw->sink, base + k->from, (size_t)(k->to - k->from), err);
    k->from = k->to;
    return status;
}

static int take_frame(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct copier *k = rw->priv;
    const struct ras_record *r = t->record;
    bool next = k->source == t->source && k->to == r->offset && k->to - k->from < RUN_MAX;
    int status = next ? RAS_OK : write_run(rw, err);
    if (!next) {
        k->source = t->source;
        k->from = r->offset;
    }
    k->to = r->offset + r->raw_len;
    k->children += load_u32(r->raw + 8);
    return status;
}

/* ---- frames piece by piece ------------------------------------------------------------------- */

static bool append(struct copier *k, const void *bytes, size_t n)
{
    if (!array_grow(&k->frame, &k->room, k->len + n, 1))
        return false;
    store_bytes(k->frame + k->len, bytes, n);
    k->len += n;
    return true;
}

static int write_frame(struct rewrite *rw, struct ras_error *err)
{
    struct copier *k = rw->priv;
    uint8_t hash[MURK_HASH_SIZE];
    if (!k->len || !(k->wanted || k->commands))
        return RAS_OK;
    store_u64(hash, k->hash);
    store_u32(k->frame + 8, k->commands);
    if (!append(k, hash, sizeof hash))
        return fail_memory(err);
    k->frames += !k->wanted;
    return ras_sink_write(rw->sink, k->frame, k->len, err);
}

static int take_piece(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct copier *k = rw->priv;
    const struct ras_record *r = t->record;
    if (r->parent != RAS_NONE) {
        k->commands += t->wanted;
        return !t->wanted || append(k, r->raw, r->raw_len) ? RAS_OK : fail_memory(err);
    }
    int status = write_frame(rw, err);
    k->len = 0;
    k->commands = 0;
    k->wanted = t->wanted;
    k->hash = load_u64(r->raw + r->raw_len - MURK_HASH_SIZE);
    if (status == RAS_OK && !append(k, r->raw, MURK_FRAME_HEAD_SIZE))
        status = fail_memory(err);
    return status;
}

static int take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    if (rw->piecemeal)
        return take_piece(rw, t, err);
    return t->wanted ? take_frame(rw, t, err) : RAS_OK;
}

static int end(struct rewrite *rw, struct ras_error *err)
{
    const struct copier *k = rw->priv;
    int status = rw->piecemeal ? write_frame(rw, err) : write_run(rw, err);
    if (k->children)
        rewrite_kept(rw, "command", k->children);
    if (k->frames)
        rewrite_kept(rw, "frame", k->frames);
    return status;
}

static void stop(struct rewrite *rw)
{
    struct copier *k = rw->priv;
    free(k->frame);
}

const struct rewrite_ops murk_rewrite = {
    .targets = (const char *const[]){"v3", NULL},
    .size = sizeof(struct copier),
    .with_children = true,
    .begin = begin,
    .take = take,
    .end = end,
    .stop = stop,
    .upgrade = murk_upgrade,
};
