/* zstd_chunk.c - zstd (RFC 8878): one frame at once, or a stream of frames, by either engine. */
#include "codec/zstd_chunk.h"
#include "base/in.h"
#include "codec/inflate.h"
#include "codec/zstd_engine.h"
#include "codec/zstd_frame.h"

#include <ctype.h>
#include <stdlib.h>

enum { SKIPPABLE_HEAD_SIZE = 8 };

static const uint8_t magic[ZSTD_MAGIC_SIZE] = {0x28, 0xb5, 0x2f, 0xfd};
static const uint8_t skippable[ZSTD_MAGIC_SIZE] = {0x50, 0x2a, 0x4d, 0x18}; /* low nibble free */

/* A module has no other library: see tests/port. */
#ifdef __wasm__
static const struct zstd_engine *const usual = &zstd_plain;
#else
static const struct zstd_engine *const usual = &zstd_library;
#endif

/* Can `byte` be the one at `at` of a frame's magic number, `first` being its first? */
static bool magic_goes_on(uint8_t first, size_t at, uint8_t byte)
{
    if (at == 0)
        return byte == magic[0] || (byte & 0xf0) == skippable[0];
    return byte == (first == magic[0] ? magic : skippable)[at];
}

bool zstd_is(struct ras_bytes head)
{
    for (size_t i = 0; i < ZSTD_MAGIC_SIZE && i < head.len; i++)
        if (!magic_goes_on(head.at[0], i, head.at[i]))
            return false;
    return head.len >= ZSTD_MAGIC_SIZE;
}

static bool is_content(struct ras_bytes in)
{
    return zstd_is(in) && in.at[0] == magic[0];
}

/* ---- one frame ----------------------------------------------------------- */

struct zstd_chunk_ctx {
    const struct zstd_engine *engine;
    void *state;
};

struct zstd_chunk_ctx *zstd_chunk_ctx_by(const struct zstd_engine *engine)
{
    struct zstd_chunk_ctx *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->engine = engine;
    ctx->state = engine->open();
    if (!ctx->state) {
        free(ctx);
        return NULL;
    }
    return ctx;
}

struct zstd_chunk_ctx *zstd_chunk_ctx_new(void)
{
    return zstd_chunk_ctx_by(usual);
}

void zstd_chunk_ctx_free(struct zstd_chunk_ctx *ctx)
{
    if (!ctx)
        return;
    ctx->engine->close(ctx->state);
    free(ctx);
}

uint64_t zstd_content_size(struct ras_bytes in)
{
    struct zstd_head head;
    const char *why;
    return is_content(in) && zstd_head_get(in, &head, &why) == RAS_OK ? head.content : RAS_NONE;
}

static int refuse(int status, const char *text, const char **why)
{
    if (why)
        *why = text;
    return status;
}

int zstd_chunk_get(struct zstd_chunk_ctx *ctx, struct ras_bytes in, uint8_t *out, size_t expected,
                   size_t *after, const char **why)
{
    struct zstd_head head;
    const char *reason;
    if (after)
        *after = 0;
    if (in.len < ZSTD_MAGIC_SIZE)
        return refuse(RAS_ECUT, "zstd frame is cut short", why);
    if (!is_content(in))
        return refuse(RAS_EFORMAT, "not a zstd frame", why);
    int status = zstd_head_get(in, &head, &reason);
    if (status)
        return refuse(status, status == RAS_ECUT ? "zstd frame is cut short" : reason, why);
    if (head.content == RAS_NONE)
        return refuse(RAS_EFORMAT, "zstd frame does not state its content size", why);
    if (head.content != expected)
        return refuse(RAS_EFORMAT, "zstd frame states another content size", why);
    size_t size = 0;
    status = ctx->engine->frame(ctx->state, in, out, expected, &size, &reason);
    if (status)
        return refuse(status, reason, why);
    if (after)
        *after = in.len - size;
    return RAS_OK;
}

/* ---- a stream of frames -------------------------------------------------- */

/* libzstd drops the bytes of good blocks when a later block of the same call
 * is corrupt. So the frame is walked here and an engine is never given more than
 * one header, block body or checksum per call. */
enum frame_piece { BETWEEN, FRAME_HEAD, BLOCK_HEAD, BLOCK_BODY, CHECKSUM, SKIPPABLE_HEAD, SKIPPED };

struct zstd {
    struct inflate common;
    const struct zstd_engine *engine;
    void *state;
    enum frame_piece piece;
    uint8_t head[ZSTD_HEAD_MAX];
    size_t head_len;
    uint64_t left;        /* of the block's body or of a skipped frame */
    bool stated;          /* the frame states its size: what is missing is known */
    uint64_t stated_left; /* of the frame's content size */
    bool last, raw, checksum;
    bool pending; /* the engine filled the room and may hold more */
    uint8_t *out;
    size_t room, *made; /* of the step under way */
};

/* Skip padding and collect the next magic number. False: BAD. */
static bool zstd_between(struct zstd *zstd, struct ras_bytes *in)
{
    struct inflate *common = &zstd->common;
    while (in->len && zstd->head_len < ZSTD_MAGIC_SIZE) {
        uint8_t byte = *in->at;
        bool padding = !byte && !zstd->head_len && common->good;
        if (!padding && !magic_goes_on(zstd->head[0], zstd->head_len, byte)) {
            inflate_foreign(common, "not a zstd stream", "bytes after the last zstd frame");
            return false;
        }
        if (!padding) {
            zstd->head[zstd->head_len++] = byte;
            common->whole = false;
        }
        inflate_take(common, in, 1);
    }
    return true;
}

/* Collect bytes until head holds `want`. */
static bool gather(struct zstd *zstd, struct ras_bytes *in, size_t want)
{
    while (in->len && zstd->head_len < want) {
        zstd->head[zstd->head_len++] = *in->at;
        inflate_take(&zstd->common, in, 1);
    }
    return zstd->head_len >= want;
}

/* RFC 8878, 3.1.1.1: the descriptor after the magic number gives the size. */
static size_t frame_head_size(uint8_t descriptor)
{
    static const uint8_t dictionary_size[4] = {0, 1, 2, 4};
    static const uint8_t content_size[4] = {0, 2, 4, 8};
    bool single = descriptor >> 5 & 1; /* no window descriptor then */
    size_t size = ZSTD_MAGIC_SIZE + 1 + (single ? 0u : 1u);
    size_t content = content_size[descriptor >> 6];
    if (single && !content)
        content = 1;
    return size + dictionary_size[descriptor & 3] + content;
}

/* Give the engine `size` bytes; how many it took, or SIZE_MAX: BAD. */
static size_t feed(struct zstd *zstd, const uint8_t *bytes, size_t size)
{
    struct ras_bytes in = {bytes, size};
    size_t room = zstd->room - *zstd->made, made = 0;
    const char *why = zstd->engine->feed(zstd->state, &in, zstd->out + *zstd->made, room, &made);
    if (why) {
        char text[80];
        snprintf(text, sizeof text, "%s", why);
        text[0] = (char)tolower((unsigned char)text[0]);
        inflate_bad(&zstd->common, "zstd frame", text);
        return SIZE_MAX;
    }
    *zstd->made += made;
    zstd->stated_left -= made < zstd->stated_left ? made : zstd->stated_left;
    zstd->pending = made == room;
    return size - in.len;
}

/* Collect `want` bytes of head and give them to the engine. */
static enum inflate_state feed_head(struct zstd *zstd, struct ras_bytes *in, size_t want)
{
    if (!gather(zstd, in, want))
        return INFLATE_MORE;
    if (feed(zstd, zstd->head, want) == SIZE_MAX)
        return INFLATE_BAD;
    zstd->head_len = 0;
    return INFLATE_FULL;
}

static enum inflate_state frame_head(struct zstd *zstd, struct ras_bytes *in)
{
    if (!gather(zstd, in, ZSTD_MAGIC_SIZE + 1))
        return INFLATE_MORE;
    uint8_t descriptor = zstd->head[ZSTD_MAGIC_SIZE];
    size_t size = frame_head_size(descriptor);
    enum inflate_state state = feed_head(zstd, in, size);
    if (state != INFLATE_FULL)
        return state;
    struct zstd_head head;
    const char *why;
    if (zstd_head_get((struct ras_bytes){zstd->head, size}, &head, &why)) {
        inflate_bad(&zstd->common, "zstd frame", why);
        return INFLATE_BAD;
    }
    zstd->checksum = zstd->common.checked = head.checksum;
    zstd->stated = head.content != RAS_NONE;
    zstd->stated_left = head.content; /* unknown: the largest */
    zstd->piece = BLOCK_HEAD;
    return state;
}

static enum inflate_state block_head(struct zstd *zstd, struct ras_bytes *in)
{
    enum inflate_state state = feed_head(zstd, in, ZSTD_BLOCK_HEAD_SIZE);
    if (state != INFLATE_FULL)
        return state;
    struct zstd_block block = zstd_block_get(zstd->head);
    zstd->last = block.last;
    zstd->raw = block.kind == ZSTD_RAW;
    zstd->left = block.body;
    zstd->piece = BLOCK_BODY;
    return state;
}

static void frame_end(struct zstd *zstd)
{
    zstd->piece = BETWEEN;
    zstd->common.members++;
    zstd->common.sure = zstd->common.made + *zstd->made;
    zstd->common.checked = false;
    inflate_member_end(&zstd->common);
}

/* How much of a block's body to give at once. A content size that is too small
 * shows at the byte after it, any other wrong one at the frame's last byte, and
 * on an error libzstd drops the raw bytes of the same call. So those two bytes are given
 * in calls of their own, and the output does not depend on how the input is cut. */
static size_t body_piece(const struct zstd *zstd, size_t given)
{
    uint64_t size = given < zstd->left ? given : zstd->left;
    if (!zstd->raw)
        return (size_t)size;
    uint64_t stated = zstd->stated_left ? zstd->stated_left : 1;
    if (zstd->last && size == zstd->left && size > 1)
        size--;
    return (size_t)(size < stated ? size : stated);
}

static enum inflate_state block_body(struct zstd *zstd, struct ras_bytes *in)
{
    if (zstd->pending) /* flush all output before the next piece is given */
        return feed(zstd, zstd->head, 0) == SIZE_MAX ? INFLATE_BAD : INFLATE_FULL;
    if (zstd->left) {
        size_t size = body_piece(zstd, in->len);
        if (!size)
            return INFLATE_MORE;
        size_t took = feed(zstd, in->at, size);
        if (took == SIZE_MAX)
            return INFLATE_BAD;
        inflate_take(&zstd->common, in, took);
        zstd->left -= took;
        return INFLATE_FULL;
    }
    if (!zstd->last)
        zstd->piece = BLOCK_HEAD;
    else if (zstd->checksum)
        zstd->piece = CHECKSUM;
    else
        frame_end(zstd);
    return INFLATE_FULL;
}

static enum inflate_state skip(struct zstd *zstd, struct ras_bytes *in)
{
    size_t size = in->len < zstd->left ? in->len : (size_t)zstd->left;
    inflate_take(&zstd->common, in, size);
    zstd->left -= size;
    if (zstd->left)
        return INFLATE_MORE;
    zstd->piece = BETWEEN;
    inflate_member_end(&zstd->common);
    return INFLATE_FULL;
}

/* One piece of a frame. FULL here means "done, go on". */
static enum inflate_state piece_step(struct zstd *zstd, struct ras_bytes *in)
{
    enum inflate_state state;
    switch (zstd->piece) {
    case BETWEEN:
        if (!zstd_between(zstd, in))
            return INFLATE_BAD;
        if (zstd->head_len < ZSTD_MAGIC_SIZE)
            return INFLATE_MORE;
        zstd->engine->reset(zstd->state);
        zstd->piece = zstd->head[0] == magic[0] ? FRAME_HEAD : SKIPPABLE_HEAD;
        return INFLATE_FULL;
    case FRAME_HEAD:
        return frame_head(zstd, in);
    case BLOCK_HEAD:
        return block_head(zstd, in);
    case BLOCK_BODY:
        return block_body(zstd, in);
    case CHECKSUM:
        state = feed_head(zstd, in, ZSTD_CHECKSUM_SIZE);
        if (state == INFLATE_FULL)
            frame_end(zstd);
        return state;
    case SKIPPABLE_HEAD:
        if (!gather(zstd, in, SKIPPABLE_HEAD_SIZE))
            return INFLATE_MORE;
        zstd->left = load_u32(zstd->head + ZSTD_MAGIC_SIZE);
        zstd->head_len = 0;
        zstd->piece = SKIPPED;
        return INFLATE_FULL;
    case SKIPPED:
        break;
    }
    return skip(zstd, in);
}

static enum inflate_state zstd_step(struct inflate *common, struct ras_bytes *in, uint8_t *out,
                                    size_t room, size_t *made)
{
    struct zstd *zstd = (struct zstd *)common;
    zstd->out = out;
    zstd->room = room;
    zstd->made = made;
    for (;;) {
        enum inflate_state state = piece_step(zstd, in);
        common->open = (zstd->piece == BLOCK_HEAD && !zstd->head_len && !zstd->stated) ||
                       (zstd->piece >= SKIPPABLE_HEAD && common->members);
        if (state != INFLATE_FULL || *made == room)
            return state;
    }
}

static void zstd_release(struct inflate *common)
{
    struct zstd *zstd = (struct zstd *)common;
    zstd->engine->close(zstd->state);
    free(zstd);
}

struct inflate *zstd_inflate_by(const struct zstd_engine *engine)
{
    struct zstd *zstd = calloc(1, sizeof *zstd);
    if (!zstd)
        return NULL;
    zstd->common.step = zstd_step;
    zstd->common.release = zstd_release;
    zstd->engine = engine;
    zstd->state = engine->open();
    if (!zstd->state) {
        free(zstd);
        return NULL;
    }
    return &zstd->common;
}

struct inflate *zstd_inflate_new(void)
{
    return zstd_inflate_by(usual);
}
