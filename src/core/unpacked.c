/* unpacked.c - the bytes of a seekable zstd file, each frame decompressed when it is needed. */
#include "core/unpacked.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/os.h"
#include "base/spool.h"
#include "codec/inflate.h"
#include "codec/seekable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNPACK_PIECE = 256 << 10 };
#define UNPACKED_MOST ((uint64_t)16 << 20) /* of frames that nobody uses, beside those in use */

struct frame_use {
    uint32_t pins;
    bool here;
    bool stays;
};

struct unpacked {
    struct ras_bytes packed;
    struct frames_index index;
    struct frame_use *uses;
    uint8_t *at;         /* malloc'ed, or mapped if fd is open */
    int fd;              /* + 1; 0: in memory */
    uint64_t size, room; /* of all bytes; of what is reserved for them */
    uint64_t here;       /* bytes of frames that are decompressed */
    size_t hand;         /* the next frame that may leave */
    struct inflate *inflate;
    uint8_t *piece;
    bool whole;     /* all frames stay */
    size_t damaged; /* the first frame that is; index.count: none is known */
    char why[160];
};

static int reserve(struct unpacked *u, struct ras_error *err)
{
    if (u->index.size <= SPOOL_MEMORY) {
        u->at = calloc(1, (size_t)u->index.size);
        return u->at ? RAS_OK : fail_memory(err);
    }
    int fd = u->index.size <= SIZE_MAX ? file_temporary(err) : -1;
    if (fd < 0)
        return RAS_END; /* it is decompressed from its start then */
    u->fd = fd + 1;
    if (os_cut(fd, u->index.size) == 0)
        u->at = map_open(fd, (size_t)u->index.size);
    return u->at ? RAS_OK : RAS_END;
}

int unpacked_open(struct unpacked **out, struct ras_bytes packed, uint64_t most,
                  struct ras_error *err)
{
    struct frames_index index;
    *out = NULL;
    int status = frames_index_get(packed, most, &index);
    if (status == RAS_EMEMORY)
        return fail_memory(err);
    if (status != RAS_OK)
        return RAS_END;
    struct unpacked *u = calloc(1, sizeof *u);
    if (!u) {
        frames_index_free(&index);
        return fail_memory(err);
    }
    u->packed = packed;
    u->index = index;
    u->size = u->room = index.size;
    u->damaged = index.count;
    u->uses = calloc(index.count, sizeof *u->uses);
    u->inflate = zstd_inflate_new();
    u->piece = malloc(UNPACK_PIECE);
    status = u->uses && u->inflate && u->piece ? reserve(u, err) : fail_memory(err);
    if (status != RAS_OK) {
        unpacked_close(u);
        return status;
    }
    *out = u;
    return RAS_OK;
}

void unpacked_close(struct unpacked *u)
{
    if (!u)
        return;
    if (u->fd && u->at)
        map_close(u->at, (size_t)u->room);
    else
        free(u->at);
    if (u->fd)
        os_close(u->fd - 1);
    frames_index_free(&u->index);
    inflate_free(u->inflate);
    free(u->uses);
    free(u->piece);
    free(u);
}

struct ras_bytes unpacked_bytes(const struct unpacked *u)
{
    return (struct ras_bytes){u->at, (size_t)u->size};
}

size_t unpacked_frames(const struct unpacked *u)
{
    return u->index.count;
}

const char *unpacked_damage(const struct unpacked *u, uint64_t *at)
{
    if (u->damaged == u->index.count)
        return NULL;
    *at = u->index.frames[u->damaged].at;
    return u->why;
}

/* The bytes end before this frame. */
static int unpack_damaged(struct unpacked *u, size_t i, const char *why, struct ras_error *err)
{
    const struct frame *f = &u->index.frames[i];
    u->damaged = i;
    u->size = f->from;
    snprintf(u->why, sizeof u->why, "frame %zu: %s", i + 1, why);
    return fail(err, RAS_EFORMAT, f->from, "%s", u->why);
}

static int put_piece(struct unpacked *u, const uint8_t *bytes, size_t size, uint64_t at,
                     struct ras_error *err)
{
    struct ras_error why;
    if (!u->fd || file_write_at(u->fd - 1, bytes, size, at, &why) == RAS_OK)
        return RAS_OK;
    errno = why.os_errno;
    return fail_os(err, "cannot write the temporary file of decompressed frames");
}

/* Without the number of the frame, which counts those that were read. */
static const char *reason_of(const char *why)
{
    const char *colon = strstr(why, ": ");
    return colon ? colon + 2 : why;
}

/* A frame decompresses to its stated size, neither more nor less. */
static int unpack_whole(struct unpacked *u, size_t i, struct ras_error *err)
{
    const struct frame *f = &u->index.frames[i];
    struct ras_bytes in = {u->packed.at + f->at, (size_t)f->stored};
    uint64_t members = inflate_members(u->inflate), done = 0;
    enum inflate_state state = INFLATE_FULL;
    while (state == INFLATE_FULL) {
        uint64_t left = f->size - done;
        bool more = !left; /* one byte too many shows that there are */
        size_t room = left < UNPACK_PIECE && !more ? (size_t)left : UNPACK_PIECE, made = 0;
        uint8_t *to = u->fd || more ? u->piece : u->at + f->from + done;
        state = inflate_step(u->inflate, &in, to, room, &made);
        if (more && made)
            return unpack_damaged(u, i, "a frame is longer than the index says", err);
        int status = made ? put_piece(u, to, made, f->from + done, err) : RAS_OK;
        if (status < 0)
            return status;
        done += made;
        if (more && !in.len && inflate_whole(u->inflate))
            break;
    }
    if (state == INFLATE_BAD)
        return unpack_damaged(u, i, reason_of(inflate_why(u->inflate)), err);
    if (done != f->size || inflate_members(u->inflate) != members + 1)
        return unpack_damaged(u, i, "a frame is not what the index says", err);
    return RAS_OK;
}

static int unpack_frame(struct unpacked *u, size_t i, struct ras_error *err)
{
    if (!u->inflate)
        u->inflate = zstd_inflate_new();
    int status = u->inflate ? unpack_whole(u, i, err) : fail_memory(err);
    if (status < 0) { /* it may be inside the frame */
        inflate_free(u->inflate);
        u->inflate = NULL;
        return status;
    }
    u->uses[i].here = true;
    u->here += u->index.frames[i].size;
    return RAS_OK;
}

/* Frames that nobody uses leave; where that cannot be done they stay. */
static void make_room(struct unpacked *u)
{
    for (size_t n = u->index.count; u->fd && n && u->here > UNPACKED_MOST; n--) {
        const struct frame *f = &u->index.frames[u->hand];
        struct frame_use *use = &u->uses[u->hand];
        u->hand = (u->hand + 1) % u->index.count;
        if (!use->here || use->pins || use->stays || os_punch(u->fd - 1, f->from, f->size) < 0)
            continue;
        use->here = false;
        u->here -= f->size;
    }
}

void unpacked_release(struct unpacked *u, struct unpacked_pin *pin)
{
    for (size_t i = 0; i < pin->count; i++)
        u->uses[pin->first + i].pins--;
    *pin = (struct unpacked_pin){0};
}

int unpacked_need(struct unpacked *u, uint64_t from, uint64_t to, struct unpacked_pin *pin,
                  struct ras_error *err)
{
    if (u->whole && !pin)
        return RAS_OK;
    struct unpacked_pin more = {.first = frames_find(&u->index, from)};
    int status = RAS_OK;
    for (size_t i = more.first; i < u->damaged && u->index.frames[i].from < to; i++) {
        u->uses[i].pins++; /* so that it does not leave for the next one */
        more.count++;
        if (!u->uses[i].here) {
            make_room(u);
            status = unpack_frame(u, i, err);
            if (status < 0)
                break;
        }
        u->uses[i].stays |= !pin;
    }
    u->whole |= !pin && !from && to >= u->size && status == RAS_OK;
    if (pin)
        unpacked_release(u, pin);
    if (pin && status == RAS_OK)
        *pin = more;
    else
        unpacked_release(u, &more);
    return status;
}

/* ---- holes --------------------------------------------------------------------------------- */

/* Whether a frame can be read; memory or the disk may be short. */
static int try_frame(struct unpacked *u, size_t i, struct unpacked_hole *hole,
                     struct ras_error *err)
{
    const struct frame *f = &u->index.frames[i];
    make_room(u);
    int status = u->uses[i].here ? RAS_OK : unpack_frame(u, i, err);
    if (status != RAS_EFORMAT)
        return status;
    if (!hole->frames++) {
        hole->at = f->from;
        hole->stored_at = f->at;
        snprintf(hole->why, sizeof hole->why, "%s", u->why);
    }
    hole->bytes += f->size;
    return RAS_EFORMAT;
}

static bool is_at_unit(uint64_t at, uint64_t head, uint64_t unit)
{
    return at >= head && (at - head) % unit == 0;
}

/* Find out about all frames; false in `good`: damaged. */
static int try_frames(struct unpacked *u, uint64_t head, uint64_t unit, bool *good,
                      struct unpacked_hole *hole, struct ras_error *err)
{
    const size_t damaged = u->damaged;
    const uint64_t size = u->size;
    int status = RAS_OK;
    for (size_t i = 0; i < u->index.count && (status == RAS_OK || status == RAS_EFORMAT); i++) {
        const struct frame *f = &u->index.frames[i];
        status = try_frame(u, i, hole, err);
        good[i] = status == RAS_OK;
        bool last = i + 1 == u->index.count; /* what it ends with is none of the units */
        if (status == RAS_EFORMAT && (!is_at_unit(f->from, head, unit) ||
                                      (!last && !is_at_unit(f->from + f->size, head, unit))))
            status = RAS_END;
    }
    u->damaged = damaged;
    u->size = size;
    return status == RAS_EFORMAT ? RAS_OK : status;
}

int unpacked_close_holes(struct unpacked *u, uint64_t head, uint64_t unit,
                         struct unpacked_hole *hole, struct ras_error *err)
{
    bool *good = calloc(u->index.count, sizeof *good);
    size_t kept = 0;
    *hole = (struct unpacked_hole){0};
    if (!good)
        return fail_memory(err);
    if (u->damaged == u->index.count) {
        free(good);
        return RAS_END;
    }
    int status = try_frames(u, head, unit, good, hole, err);
    if (status == RAS_OK && !hole->frames)
        status = RAS_END;
    for (size_t i = 0; status == RAS_OK && i < u->index.count; i++) {
        if (!good[i])
            continue;
        struct frame f = u->index.frames[i];
        f.from = kept ? u->index.frames[kept - 1].from + u->index.frames[kept - 1].size : 0;
        u->uses[kept] = (struct frame_use){0};
        u->index.frames[kept++] = f;
    }
    free(good);
    if (status != RAS_OK)
        return status;
    u->index.count = u->damaged = kept;
    u->index.size = u->size =
        kept ? u->index.frames[kept - 1].from + u->index.frames[kept - 1].size : 0;
    u->here = 0;
    u->hand = 0;
    u->whole = false;
    return RAS_OK;
}
