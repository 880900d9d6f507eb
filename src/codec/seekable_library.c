/* seekable_library.c - seekable zstd, written by libzstd: frames, and their index at the end.
 *
 * A frame is compressed at once when it is full. Where a reader must see it earlier, its bytes are
 * flushed as blocks of a frame that stays open. */
#include "codec/seekable.h"
#include "base/error.h"
#include "base/in.h"
#include "base/memory.h"
#include "base/out.h"
#include "codec/xxh64.h"
#include "codec/zstd_frame.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
    FRAMES_LEVEL = 1, /* 3 is 3 % smaller and takes a fifth longer */
    HEAD_OUTSIDE = 4 + 1 + 1 + ZSTD_BLOCK_HEAD_SIZE,
    HEAD_DESCRIPTOR = 0x24, /* one segment, its size in one byte; a checksum */
};
#define INDEX_MAGIC      UINT32_C(0x184D2A5E)
#define INDEX_FOOT_MAGIC UINT32_C(0x8F92EAB1)
#define FRAME_MAGIC      UINT32_C(0xFD2FB528)

struct frames_writer {
    ZSTD_CCtx *zstd;
    frames_store *store;
    void *user;
    uint8_t head_frame[HEAD_OUTSIDE + FRAME_HEAD_MOST + ZSTD_CHECKSUM_SIZE];
    size_t head, head_held; /* its size, and how much of it was taken */
    uint8_t *in;            /* bytes of the open frame that zstd does not have yet */
    size_t held, streamed;  /* how many; and how many zstd has */
    uint8_t *out;
    size_t room;
    uint64_t frame_at; /* where the open frame begins */
    uint64_t stored, taken, kept;
    bool ended;
    struct out index;
};

struct frames_writer *frames_open(size_t head, frames_store *store, void *user)
{
    struct frames_writer *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->store = store;
    w->user = user;
    w->head = head < FRAME_HEAD_MOST ? head : FRAME_HEAD_MOST;
    w->room = ZSTD_compressBound(FRAME_SIZE);
    w->in = malloc(FRAME_SIZE);
    w->out = malloc(w->room);
    w->zstd = ZSTD_createCCtx();
    if (w->in && w->out && w->zstd &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, FRAMES_LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1)))
        return w;
    frames_free(w);
    return NULL;
}

void frames_free(struct frames_writer *w)
{
    if (!w)
        return;
    ZSTD_freeCCtx(w->zstd);
    free(w->in);
    free(w->out);
    out_free(&w->index);
    free(w);
}

static int store(struct frames_writer *w, const uint8_t *bytes, size_t size, struct ras_error *err)
{
    int status = w->store(w->user, bytes, size, err);
    if (status == RAS_OK)
        w->stored += size;
    return status;
}

/* The frame from frame_at up to here is stored. */
static int note_frame(struct frames_writer *w, size_t size, struct ras_error *err)
{
    uint8_t entry[FRAME_INDEX_ENTRY];
    store_u32(store_u32(entry, (uint32_t)(w->stored - w->frame_at)), (uint32_t)size);
    out_bytes(&w->index, entry, sizeof entry);
    w->frame_at = w->stored;
    w->kept = w->taken;
    return w->index.failed ? fail_memory(err) : RAS_OK;
}

/* ---- the head -------------------------------------------------------------------------------- */

static size_t head_frame_put(struct frames_writer *w)
{
    uint8_t *at = w->head_frame, *bytes = at + HEAD_OUTSIDE;
    struct xxh64 sum = xxh64_start();
    uint32_t block = (uint32_t)w->head << 3 | (uint32_t)ZSTD_RAW << 1 | 1;
    at = store_u8(store_u8(store_u32(at, FRAME_MAGIC), HEAD_DESCRIPTOR), (uint8_t)w->head);
    store_u8(store_u16(at, (uint16_t)block), (uint8_t)(block >> 16));
    xxh64_add(&sum, bytes, w->head);
    store_u32(bytes + w->head, (uint32_t)xxh64_end(&sum));
    return HEAD_OUTSIDE + w->head + ZSTD_CHECKSUM_SIZE;
}

/* Takes bytes of the head, and stores it once it is whole. */
static int put_head(struct frames_writer *w, struct ras_bytes *in, struct ras_error *err)
{
    size_t left = w->head - w->head_held, n = in->len < left ? in->len : left;
    memcpy(w->head_frame + HEAD_OUTSIDE + w->head_held, in->at, n);
    *in = (struct ras_bytes){in->at + n, in->len - n};
    w->head_held += n;
    w->taken += n;
    if (w->head_held < w->head)
        return RAS_OK;
    int status = store(w, w->head_frame, head_frame_put(w), err);
    return status == RAS_OK ? note_frame(w, w->head, err) : status;
}

bool frames_patch(struct frames_writer *w, uint64_t at, const void *bytes, size_t size,
                  struct ras_bytes *again)
{
    if (w->head_held < w->head || at > w->head || size > w->head - at)
        return false;
    memcpy(w->head_frame + HEAD_OUTSIDE + at, bytes, size);
    *again = (struct ras_bytes){w->head_frame, head_frame_put(w)};
    return true;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static int frames_fail(size_t code, struct ras_error *err)
{
    return fail(err, RAS_EMEMORY, RAS_NONE, "cannot compress: %s", ZSTD_getErrorName(code));
}

/* Give zstd the held bytes, and store what it makes of them. */
static int stream(struct frames_writer *w, ZSTD_EndDirective how, struct ras_error *err)
{
    ZSTD_inBuffer in = {w->in, w->held, 0};
    size_t left;
    int status = RAS_OK;
    do {
        ZSTD_outBuffer out = {w->out, w->room, 0};
        left = ZSTD_compressStream2(w->zstd, &out, &in, how);
        if (ZSTD_isError(left))
            return frames_fail(left, err);
        status = out.pos ? store(w, w->out, out.pos, err) : RAS_OK;
    } while (status == RAS_OK && left);
    w->streamed += w->held;
    w->held = 0;
    return status;
}

/* A whole frame of `size` bytes. */
static int put_frame(struct frames_writer *w, const uint8_t *bytes, size_t size,
                     struct ras_error *err)
{
    size_t made = ZSTD_compress2(w->zstd, w->out, w->room, bytes, size);
    if (ZSTD_isError(made))
        return frames_fail(made, err);
    int status = store(w, w->out, made, err);
    return status == RAS_OK ? note_frame(w, size, err) : status;
}

static int close_frame(struct frames_writer *w, struct ras_error *err)
{
    size_t size = w->held + w->streamed;
    int status = RAS_OK;
    if (!size)
        return RAS_OK;
    if (!w->streamed) {
        status = put_frame(w, w->in, w->held, err);
    } else {
        status = stream(w, ZSTD_e_end, err);
        if (status == RAS_OK)
            status = note_frame(w, size, err);
    }
    w->held = w->streamed = 0;
    return status;
}

int frames_put(struct frames_writer *w, const void *bytes, size_t size, struct ras_error *err)
{
    struct ras_bytes in = {bytes, size};
    int status = RAS_OK;
    if (size && w->head_held < w->head)
        status = put_head(w, &in, err);
    while (status == RAS_OK && in.len) {
        size_t open = w->held + w->streamed, left = FRAME_SIZE - open;
        size_t n = in.len < left ? in.len : left;
        w->taken += n;
        if (n == FRAME_SIZE) { /* it is not copied first */
            status = put_frame(w, in.at, n, err);
        } else {
            memcpy(w->in + w->held, in.at, n);
            w->held += n;
            status = n == left ? close_frame(w, err) : RAS_OK;
        }
        in = (struct ras_bytes){in.at + n, in.len - n};
    }
    return status;
}

int frames_flush(struct frames_writer *w, struct ras_error *err)
{
    if (!w->held)
        return RAS_OK;
    int status = stream(w, ZSTD_e_flush, err);
    if (status == RAS_OK)
        w->kept = w->taken;
    return status;
}

/* ---- the index ------------------------------------------------------------------------------- */

/* A head that is not whole is a frame like others. */
static int close_head(struct frames_writer *w, struct ras_error *err)
{
    if (w->head_held == w->head || !w->head_held)
        return RAS_OK;
    w->head = w->head_held;
    int status = store(w, w->head_frame, head_frame_put(w), err);
    if (status < 0)
        return status;
    return note_frame(w, w->head, err);
}

int frames_end(struct frames_writer *w, struct ras_error *err)
{
    if (w->ended)
        return RAS_OK;
    w->ended = true;
    int status = close_head(w, err);
    if (status == RAS_OK)
        status = close_frame(w, err);
    if (status < 0)
        return status;
    struct out out = {0};
    uint32_t count = (uint32_t)(w->index.len / FRAME_INDEX_ENTRY);
    uint8_t head[FRAME_INDEX_HEAD], foot[FRAME_INDEX_FOOT];
    store_u32(store_u32(head, INDEX_MAGIC), (uint32_t)w->index.len + FRAME_INDEX_FOOT);
    store_u32(store_u8(store_u32(foot, count), 0), INDEX_FOOT_MAGIC);
    out_bytes(&out, head, sizeof head);
    out_bytes(&out, w->index.at, w->index.len);
    out_bytes(&out, foot, sizeof foot);
    status = out.failed ? fail_memory(err) : store(w, out.at, out.len, err);
    out_free(&out);
    return status;
}

uint64_t frames_kept(const struct frames_writer *w)
{
    return w->kept;
}

/* The head stays. */
uint64_t frames_give_back(struct frames_writer *w, uint64_t most)
{
    uint64_t from = w->stored, end = w->frame_at, kept = 0;
    size_t count = w->index.len / FRAME_INDEX_ENTRY;
    for (size_t i = 0; i < count; i++)
        kept += load_u32(w->index.at + i * FRAME_INDEX_ENTRY + 4);
    for (; count > 1 && from - end < most; count--) {
        const uint8_t *entry = w->index.at + (count - 1) * FRAME_INDEX_ENTRY;
        end -= load_u32(entry);
        kept -= load_u32(entry + 4);
    }
    w->index.len = count * FRAME_INDEX_ENTRY;
    w->stored = w->frame_at = end;
    w->kept = kept;
    return end;
}

uint64_t frames_stored(const struct frames_writer *w)
{
    return w->stored;
}
