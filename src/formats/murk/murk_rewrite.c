/* murk_rewrite.c - frames of one or more replays into a new one.
 *
 * Frames are copied as they stand; neighbours in one piece. Only where commands are
 * left out, by type or number, is a frame put together anew, from its commands' own bytes. */
#include "base/memory.h"
#include "base/store.h"
#include "formats/murk/murk_driver.h"

#include <stdlib.h>

struct copier {
    struct raw_run run; /* whole frames */
    uint64_t children;  /* commands of them */
    uint8_t *frame;     /* one that is put together, its hash still to come */
    size_t len, room;
    uint32_t commands;
    uint64_t hash;
    bool wanted;     /* it counts even without commands */
    uint64_t frames; /* that were not asked for, but commands of them */
};

static int rewrite_take_frame(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    struct copier *k = rw->priv;
    k->children += load_u32(t->record->raw + 8);
    return rewrite_raw_take(rw, &k->run, t, err);
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

static int rewrite_frame(struct rewrite *rw, struct ras_error *err)
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
    int status = rewrite_frame(rw, err);
    k->len = 0;
    k->commands = 0;
    k->wanted = t->wanted;
    k->hash = load_u64(r->raw + r->raw_len - MURK_HASH_SIZE);
    if (status == RAS_OK && !append(k, r->raw, MURK_FRAME_HEAD_SIZE))
        status = fail_memory(err);
    return status;
}

static int rewrite_take(struct rewrite *rw, const struct taken *t, struct ras_error *err)
{
    if (rw->piecemeal)
        return take_piece(rw, t, err);
    return t->wanted ? rewrite_take_frame(rw, t, err) : RAS_OK;
}

static int rewrite_end(struct rewrite *rw, struct ras_error *err)
{
    struct copier *k = rw->priv;
    int status = rw->piecemeal ? rewrite_frame(rw, err) : rewrite_raw_flush(rw, &k->run, err);
    if (k->children)
        rewrite_kept(rw, "command", k->children);
    if (k->frames)
        rewrite_kept(rw, "frame", k->frames);
    return status;
}

static void rewrite_stop(struct rewrite *rw)
{
    struct copier *k = rw->priv;
    free(k->frame);
}

const struct rewrite_ops murk_rewrite = {
    .targets = (const char *const[]){"v3", NULL},
    .size = sizeof(struct copier),
    .with_children = true,
    .begin = rewrite_raw_begin,
    .take = rewrite_take,
    .end = rewrite_end,
    .stop = rewrite_stop,
    .upgrade = murk_upgrade,
};
