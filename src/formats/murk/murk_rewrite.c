/* murk_rewrite.c - copies frames of one or more replays into a new one, and upgrades older
 * versions.
 *
 * Frames are copied unchanged, adjacent ones in one piece. Only if commands are left out, by type
 * or number, is a frame rebuilt, from its commands' own bytes. */
#include "base/memory.h"
#include "base/out.h"
#include "formats/murk/murk_driver.h"

#include <stdlib.h>

/* ---- versions 1 and 2 to version 3 ------------------------------------------------- */

/* Header and payloads are the same in all versions. Commands of version 2 lack expires_after_tick
 * and arrival_seq, for which its decoder supplied "never" and 0. Version 1 has two layouts: that of
 * version 2, and an older one with two plain integers, 0 for none; a file that matches both or
 * neither is refused. */
enum layout { FLAGS, PLAIN };

struct upgrader {
    struct in in;
    const uint8_t *front;
    enum layout layout;
    struct ras_murk_command *commands;
    size_t room;
};

static bool get_flagged(struct in *in, bool *has, uint64_t *value)
{
    uint8_t flag = in_u8(in);
    *has = flag == 1;
    *value = flag == 1 ? in_u64(in) : 0;
    return flag <= 1;
}

static bool get_plain(struct in *in, bool *has, uint64_t *value)
{
    *value = in_u64(in);
    *has = *value != 0;
    return true;
}

static bool upgrade_command(struct upgrader *u, struct ras_murk_command *c)
{
    bool (*get)(struct in *, bool *, uint64_t *) = u->layout == FLAGS ? get_flagged : get_plain;
    *c = (struct ras_murk_command){.expires_after_tick = UINT64_MAX};
    c->payload_type = in_u8(&u->in);
    uint32_t length = in_u32(&u->in);
    if (length > RAS_MURK_BYTES_MAX)
        return false;
    c->payload = in_span(&u->in, length);
    c->priority_class = in_u8(&u->in);
    return get(&u->in, &c->has_source_id, &c->source_id) &&
           get(&u->in, &c->has_source_seq, &c->source_seq) && !u->in.cut;
}

/* One frame; false at the first byte that does not match the layout. */
static bool get_frame(struct upgrader *u, struct ras_murk_frame *f)
{
    enum { COMMAND_LEAST = 1 + 4 + 1 + 1 + 1 };
    f->tick_id = in_u64(&u->in);
    f->command_count = in_u32(&u->in);
    if (u->in.cut || f->command_count > RAS_MURK_COMMANDS_MAX ||
        f->command_count > in_left(&u->in) / COMMAND_LEAST)
        return false;
    struct ras_murk_command one;
    for (uint32_t i = 0; i < f->command_count; i++)
        if (!upgrade_command(u, i < u->room ? &u->commands[i] : &one))
            return false;
    f->snapshot_hash = in_u64(&u->in);
    return !u->in.cut;
}

/* Where the layout stops matching: the end of the file if all of it matches. */
static uint64_t fits_up_to(struct upgrader u, uint32_t *most)
{
    struct ras_murk_frame f;
    uint64_t at = (uint64_t)(u.in.at - u.front);
    *most = 0;
    while (in_left(&u.in) && get_frame(&u, &f)) {
        at = (uint64_t)(u.in.at - u.front);
        if (f.command_count > *most)
            *most = f.command_count;
    }
    return at;
}

/* A cut version 2 is as good as its whole frames; the layout of a cut version 1
 * cannot be determined. */
static int choose_layout(struct upgrader *u, uint64_t size, unsigned version, uint64_t *good,
                         struct ras_error *err)
{
    uint32_t most[2];
    uint64_t upto[2];
    for (int layout = FLAGS; layout <= PLAIN; layout++) {
        u->layout = (enum layout)layout;
        upto[layout] = fits_up_to(*u, &most[layout]);
    }
    bool flags = upto[FLAGS] == size, plain = version == 1 && upto[PLAIN] == size;
    /* Without any command the two layouts are identical. */
    if (flags && plain && (most[FLAGS] || most[PLAIN]))
        return fail(err, RAS_EFORMAT, 4,
                    "version 1 has two layouts, and this file matches both: the right one cannot "
                    "be determined");
    if (version == 1 && !flags && !plain)
        return fail(err, RAS_EFORMAT, upto[upto[PLAIN] > upto[FLAGS]],
                    "neither layout of version 1 matches the frame here, %" PRIu64
                    " bytes before the end",
                    size - upto[upto[PLAIN] > upto[FLAGS]]);
    u->layout = plain && !flags ? PLAIN : FLAGS;
    *good = upto[u->layout];
    u->commands = calloc(most[u->layout] + 1u, sizeof *u->commands);
    u->room = u->commands ? most[u->layout] : 0;
    return u->commands ? RAS_OK : fail_memory(err);
}

/* Converts versions 1 and 2 to version 3. */
static int murk_upgrade(struct ras_bytes old, struct ras_sink *sink, uint64_t *good,
                        struct ras_error *err)
{
    struct ras_murk_header h;
    struct ras_murk_fault fault;
    char text[160];
    if (!murk_header(old, 1, &h, &fault))
        return fail(err, RAS_EFORMAT, fault.offset, "%s", ras_murk_text(&fault, text, sizeof text));
    *good = old.len;
    if (h.version == RAS_MURK_VERSION)
        return ras_sink_write(sink, old.at, old.len, err);
    struct upgrader u = {.front = old.at, .in = in_bytes(old)};
    in_take(&u.in, h.size);
    int status = choose_layout(&u, old.len, h.version, good, err);
    struct ras_murk_writer *w = NULL;
    if (status == RAS_OK)
        status = ras_murk_writer_open(&w, sink, &h, err);
    struct ras_murk_frame f;
    while (status == RAS_OK && in_left(&u.in) && get_frame(&u, &f))
        status =
            ras_murk_writer_frame(w, f.tick_id, u.commands, f.command_count, f.snapshot_hash, err);
    free(u.commands);
    int closed = ras_murk_writer_close(w, status == RAS_OK ? err : NULL);
    return status < 0 ? status : closed;
}

struct copier {
    struct raw_run run; /* whole frames */
    uint64_t children;  /* commands of them */
    uint8_t *frame;     /* a frame being rebuilt, without its hash so far */
    size_t len, room;
    uint32_t commands;
    uint64_t hash;
    bool wanted;     /* it counts even without commands */
    uint64_t frames; /* frames that were not requested, but commands of them were */
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
