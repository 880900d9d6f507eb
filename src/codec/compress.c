/* compress.c - gzip and zstd streams, written piece by piece. */
#include "codec/compress.h"

#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

enum {
    GZIP_LEVEL = 6,
    GZIP_WINDOW = 15 + 16, /* the largest, with a gzip header that has neither name nor time */
    GZIP_MEMORY = 8,
    GZIP_UNIX = 3, /* RFC 1952: OS */
    ZSTD_LEVEL = 3,
    PIECE = 1 << 30, /* zlib counts in unsigned int */
};

struct compress {
    enum compression kind;
    z_stream zlib;
    gz_header head;
    ZSTD_CCtx *zstd;
};

enum compression compression_of(const char *path)
{
    size_t len = strlen(path);
    if (len > 3 && !strcmp(path + len - 3, ".gz"))
        return COMPRESS_GZIP;
    return len > 4 && !strcmp(path + len - 4, ".zst") ? COMPRESS_ZSTD : COMPRESS_NONE;
}

struct compress *compress_new(enum compression kind)
{
    struct compress *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->kind = kind;
    bool fine;
    if (kind == COMPRESS_GZIP) {
        fine = deflateInit2(&c->zlib, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                            Z_DEFAULT_STRATEGY) == Z_OK;
        /* The same bytes on every system: its number is in the header. */
        c->head = (gz_header){.os = GZIP_UNIX};
        fine = fine && deflateSetHeader(&c->zlib, &c->head) == Z_OK;
    } else {
        c->zstd = ZSTD_createCCtx();
        fine =
            c->zstd &&
            !ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
            !ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_checksumFlag, 1));
    }
    if (fine)
        return c;
    compress_free(c);
    return NULL;
}

void compress_free(struct compress *c)
{
    if (!c)
        return;
    if (c->kind == COMPRESS_GZIP)
        deflateEnd(&c->zlib);
    ZSTD_freeCCtx(c->zstd);
    free(c);
}

/* Of no bytes, which may be nowhere, none are taken. */
static void take(struct ras_bytes *in, size_t count)
{
    if (count)
        *in = (struct ras_bytes){in->at + count, in->len - count};
}

static size_t zlib_pack(struct compress *c, struct ras_bytes *in, bool last, uint8_t *out,
                        size_t room, bool *done)
{
    size_t given = in->len < PIECE ? in->len : PIECE;
    size_t space = room < PIECE ? room : PIECE;
    c->zlib.next_in = in->at;
    c->zlib.avail_in = (uInt)given;
    c->zlib.next_out = out;
    c->zlib.avail_out = (uInt)space;
    int code = deflate(&c->zlib, last && given == in->len ? Z_FINISH : Z_NO_FLUSH);
    if (code == Z_STREAM_ERROR || code == Z_MEM_ERROR)
        return SIZE_MAX;
    take(in, given - c->zlib.avail_in);
    *done = code == Z_STREAM_END;
    return space - c->zlib.avail_out;
}

size_t compress_step(struct compress *c, struct ras_bytes *in, bool last, uint8_t *out, size_t room,
                     bool *done)
{
    *done = false;
    if (c->kind == COMPRESS_GZIP)
        return zlib_pack(c, in, last, out, room, done);
    ZSTD_inBuffer from = {in->at, in->len, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t left = ZSTD_compressStream2(c->zstd, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left))
        return SIZE_MAX;
    take(in, from.pos);
    *done = last && !left;
    return to.pos;
}
