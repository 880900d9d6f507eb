/* zstd_chunk.c - zstd (RFC 8878): one frame at once, or a stream of frames. */
#include "codec/zstd_chunk.h"
#include "base/in.h"
#include "codec/inflate.h"

#include <ctype.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    MAGIC_SIZE = 4,
    FRAME_HEAD_MAX = 18,
    BLOCK_HEAD_SIZE = 3,
    CHECKSUM_SIZE = 4,
    SKIPPABLE_HEAD_SIZE = 8,
    WINDOW_LOG_MAX = 27, /* what every decoder should offer; 128 MiB */
    BLOCK_RAW = 0,
    BLOCK_RLE = 1,
};

static const uint8_t magic[MAGIC_SIZE] = {0x28, 0xb5, 0x2f, 0xfd};
static const uint8_t skippable[MAGIC_SIZE] = {0x50, 0x2a, 0x4d, 0x18}; /* low nibble is free */

/* Can `byte` be the one at `at` of a frame's magic number, `first` being its first? */
static bool magic_goes_on(uint8_t first, size_t at, uint8_t byte)
{
    if (at == 0)
        return byte == magic[0] || (byte & 0xf0) == skippable[0];
    return byte == (first == magic[0] ? magic : skippable)[at];
}

bool zstd_is(struct ras_bytes head)
{
    for (size_t i = 0; i < MAGIC_SIZE && i < head.len; i++)
        if (!magic_goes_on(head.at[0], i, head.at[i]))
            return false;
    return head.len >= MAGIC_SIZE;
}

static bool is_content(struct ras_bytes in)
{
    return zstd_is(in) && in.at[0] == magic[0];
}

/* ---- one frame ----------------------------------------------------------- */

struct zstd_chunk_ctx {
    ZSTD_DCtx *zstd;
};

struct zstd_chunk_ctx *zstd_chunk_ctx_new(void)
{
    struct zstd_chunk_ctx *ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->zstd = ZSTD_createDCtx();
    if (!ctx->zstd) {
        free(ctx);
        return NULL;
    }
    return ctx;
}

void zstd_chunk_ctx_free(struct zstd_chunk_ctx *ctx)
{
    if (!ctx)
        return;
    ZSTD_freeDCtx(ctx->zstd);
    free(ctx);
}

uint64_t zstd_content_size(struct ras_bytes in)
{
    if (!is_content(in))
        return RAS_NONE;
    unsigned long long size = ZSTD_getFrameContentSize(in.at, in.len);
    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
        return RAS_NONE;
    return size;
}

static int refuse(int status, const char *text, const char **why)
{
    if (why)
        *why = text;
    return status;
}

static int refuse_code(size_t code, const char **why)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_srcSize_wrong:
        return refuse(RAS_ECUT, "zstd frame is cut short", why);
    case ZSTD_error_memory_allocation:
        return refuse(RAS_EMEMORY, "out of memory", why);
    case ZSTD_error_checksum_wrong:
        return refuse(RAS_EFORMAT, "zstd frame does not match its checksum", why);
    case ZSTD_error_dictionary_wrong:
        return refuse(RAS_EFORMAT, "zstd frame needs a dictionary", why);
    default:
        return refuse(RAS_EFORMAT, "zstd frame is corrupt", why);
    }
}

int zstd_chunk_get(struct zstd_chunk_ctx *ctx, struct ras_bytes in, uint8_t *out, size_t expected,
                   size_t *after, const char **why)
{
    if (after)
        *after = 0;
    if (in.len < MAGIC_SIZE)
        return refuse(RAS_ECUT, "zstd frame is cut short", why);
    if (!is_content(in))
        return refuse(RAS_EFORMAT, "not a zstd frame", why);
    unsigned long long stated = ZSTD_getFrameContentSize(in.at, in.len);
    if (stated == ZSTD_CONTENTSIZE_UNKNOWN)
        return refuse(RAS_EFORMAT, "zstd frame does not state its content size", why);
    if (stated == ZSTD_CONTENTSIZE_ERROR)
        return in.len < FRAME_HEAD_MAX ? refuse(RAS_ECUT, "zstd frame is cut short", why)
                                       : refuse(RAS_EFORMAT, "zstd frame header is corrupt", why);
    if (stated != expected)
        return refuse(RAS_EFORMAT, "zstd frame states another content size", why);
    size_t frame = ZSTD_findFrameCompressedSize(in.at, in.len);
    if (ZSTD_isError(frame))
        return refuse_code(frame, why);
    size_t got = ZSTD_decompressDCtx(ctx->zstd, out, expected, in.at, frame);
    if (ZSTD_isError(got))
        return refuse_code(got, why);
    if (got != expected)
        return refuse(RAS_EFORMAT, "zstd frame is corrupt", why);
    if (after)
        *after = in.len - frame;
    return RAS_OK;
}

/* ---- one frame, written ------------------------------------------------------ */

struct zstd_maker {
    ZSTD_CCtx *zstd;
    int level;
};

struct zstd_maker *zstd_maker_new(int level)
{
    struct zstd_maker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    maker->level = level;
    maker->zstd = ZSTD_createCCtx();
    if (!maker->zstd) {
        free(maker);
        return NULL;
    }
    return maker;
}

void zstd_maker_free(struct zstd_maker *maker)
{
    if (!maker)
        return;
    ZSTD_freeCCtx(maker->zstd);
    free(maker);
}

size_t zstd_chunk_bound(size_t size)
{
    return ZSTD_compressBound(size);
}

size_t zstd_chunk_put(struct zstd_maker *maker, struct ras_bytes in, uint8_t *out, size_t room)
{
    size_t made = ZSTD_compressCCtx(maker->zstd, out, room, in.at, in.len, maker->level);
    return ZSTD_isError(made) ? 0 : made;
}

/* ---- a stream of frames -------------------------------------------------- */

/* libzstd drops the bytes of good blocks when a later block of the same call
 * is corrupt. So the frame is walked here and libzstd is never given more than
 * one header, block body or checksum per call. */
enum frame_piece { BETWEEN, FRAME_HEAD, BLOCK_HEAD, BLOCK_BODY, CHECKSUM, SKIPPABLE_HEAD, SKIPPED };

struct zstd {
    struct inflate common;
    ZSTD_DCtx *codec;
    enum frame_piece piece;
    uint8_t head[FRAME_HEAD_MAX];
    size_t head_len;
    uint64_t left;        /* of the block's body or of a skipped frame */
    uint64_t stated_left; /* of the frame's content size */
    bool last, raw, checksum;
    bool pending; /* libzstd filled the room and may hold more */
    uint8_t *out;
    size_t room, *made; /* of the step under way */
};

/* Skip padding and collect the next magic number. False: BAD. */
static bool zstd_between(struct zstd *zstd, struct ras_bytes *in)
{
    struct inflate *common = &zstd->common;
    while (in->len && zstd->head_len < MAGIC_SIZE) {
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
    size_t size = MAGIC_SIZE + 1 + (single ? 0u : 1u);
    size_t content = content_size[descriptor >> 6];
    if (single && !content)
        content = 1;
    return size + dictionary_size[descriptor & 3] + content;
}

/* Give libzstd `size` bytes; how many it took, or SIZE_MAX: BAD. */
static size_t feed(struct zstd *zstd, const uint8_t *bytes, size_t size)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    ZSTD_outBuffer out = {zstd->out + *zstd->made, zstd->room - *zstd->made, 0};
    size_t code = ZSTD_decompressStream(zstd->codec, &out, &in);
    if (ZSTD_isError(code)) {
        char text[80];
        snprintf(text, sizeof text, "%s", ZSTD_getErrorName(code));
        text[0] = (char)tolower((unsigned char)text[0]);
        inflate_bad(&zstd->common, "zstd frame", text);
        return SIZE_MAX;
    }
    *zstd->made += out.pos;
    zstd->stated_left -= out.pos < zstd->stated_left ? out.pos : zstd->stated_left;
    zstd->pending = out.pos == out.size;
    return in.pos;
}

/* Collect `want` bytes of head and give them to libzstd. */
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
    if (!gather(zstd, in, MAGIC_SIZE + 1))
        return INFLATE_MORE;
    uint8_t descriptor = zstd->head[MAGIC_SIZE];
    size_t size = frame_head_size(descriptor);
    enum inflate_state state = feed_head(zstd, in, size);
    if (state != INFLATE_FULL)
        return state;
    zstd->checksum = descriptor >> 2 & 1;
    zstd->stated_left = ZSTD_getFrameContentSize(zstd->head, size); /* unknown: the largest */
    zstd->piece = BLOCK_HEAD;
    return state;
}

static enum inflate_state block_head(struct zstd *zstd, struct ras_bytes *in)
{
    enum inflate_state state = feed_head(zstd, in, BLOCK_HEAD_SIZE);
    if (state != INFLATE_FULL)
        return state;
    uint32_t head = load_u24(zstd->head);
    zstd->last = head & 1;
    zstd->raw = (head >> 1 & 3) == BLOCK_RAW;
    zstd->left = (head >> 1 & 3) == BLOCK_RLE ? 1 : head >> 3;
    zstd->piece = BLOCK_BODY;
    return state;
}

static void frame_end(struct zstd *zstd)
{
    zstd->piece = BETWEEN;
    zstd->common.members++;
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
        if (zstd->head_len < MAGIC_SIZE)
            return INFLATE_MORE;
        ZSTD_DCtx_reset(zstd->codec, ZSTD_reset_session_only);
        zstd->piece = zstd->head[0] == magic[0] ? FRAME_HEAD : SKIPPABLE_HEAD;
        return INFLATE_FULL;
    case FRAME_HEAD:
        return frame_head(zstd, in);
    case BLOCK_HEAD:
        return block_head(zstd, in);
    case BLOCK_BODY:
        return block_body(zstd, in);
    case CHECKSUM:
        state = feed_head(zstd, in, CHECKSUM_SIZE);
        if (state == INFLATE_FULL)
            frame_end(zstd);
        return state;
    case SKIPPABLE_HEAD:
        if (!gather(zstd, in, SKIPPABLE_HEAD_SIZE))
            return INFLATE_MORE;
        zstd->left = load_u32(zstd->head + MAGIC_SIZE);
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
        if (state != INFLATE_FULL || *made == room)
            return state;
    }
}

static void zstd_release(struct inflate *common)
{
    struct zstd *zstd = (struct zstd *)common;
    ZSTD_freeDCtx(zstd->codec);
    free(zstd);
}

struct inflate *zstd_inflate_new(void)
{
    struct zstd *zstd = calloc(1, sizeof *zstd);
    if (!zstd)
        return NULL;
    zstd->common.step = zstd_step;
    zstd->common.release = zstd_release;
    zstd->codec = ZSTD_createDCtx();
    if (!zstd->codec ||
        ZSTD_isError(ZSTD_DCtx_setParameter(zstd->codec, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
        zstd_release(&zstd->common);
        return NULL;
    }
    return &zstd->common;
}
