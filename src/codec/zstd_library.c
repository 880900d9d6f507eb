/* zstd_library.c - zstd frames by libzstd: decoded at once or in pieces, and written. */
#include "codec/zstd_chunk.h"
#include "codec/zstd_engine.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

static void *library_open(void)
{
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    if (zstd &&
        ZSTD_isError(ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX))) {
        ZSTD_freeDCtx(zstd);
        return NULL;
    }
    return zstd;
}

static void library_close(void *engine)
{
    ZSTD_freeDCtx(engine);
}

static const struct {
    ZSTD_ErrorCode code;
    int status;
    const char *why;
} reasons[] = {
    {ZSTD_error_srcSize_wrong, RAS_ECUT, "zstd frame is cut short"},
    {ZSTD_error_memory_allocation, RAS_EMEMORY, "out of memory"},
    {ZSTD_error_checksum_wrong, RAS_EFORMAT, "zstd frame does not match its checksum"},
    {ZSTD_error_dictionary_wrong, RAS_EFORMAT, "zstd frame needs a dictionary"},
};

static int refuse_code(size_t code, const char **why)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].code == ZSTD_getErrorCode(code)) {
            *why = reasons[i].why;
            return reasons[i].status;
        }
    *why = "zstd frame is corrupt";
    return RAS_EFORMAT;
}

static int library_frame(void *engine, struct ras_bytes in, uint8_t *out, size_t expected,
                         size_t *taken, const char **why)
{
    size_t frame = ZSTD_findFrameCompressedSize(in.at, in.len);
    if (ZSTD_isError(frame))
        return refuse_code(frame, why);
    size_t got = ZSTD_decompressDCtx(engine, out, expected, in.at, frame);
    if (ZSTD_isError(got))
        return refuse_code(got, why);
    if (got != expected) {
        *why = "zstd frame is corrupt";
        return RAS_EFORMAT;
    }
    *taken = frame;
    return RAS_OK;
}

static void library_reset(void *engine)
{
    ZSTD_DCtx_reset(engine, ZSTD_reset_session_only);
}

static const char *library_feed(void *engine, struct ras_bytes *in, uint8_t *out, size_t room,
                                size_t *made)
{
    ZSTD_inBuffer from = {in->at, in->len, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t code = ZSTD_decompressStream(engine, &to, &from);
    if (ZSTD_isError(code))
        return ZSTD_getErrorName(code);
    *in = (struct ras_bytes){in->at + from.pos, in->len - from.pos};
    *made = to.pos;
    return NULL;
}

const struct zstd_engine zstd_library = {
    .open = library_open,
    .close = library_close,
    .frame = library_frame,
    .reset = library_reset,
    .feed = library_feed,
};

/* ---- writing --------------------------------------------------------------- */

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
