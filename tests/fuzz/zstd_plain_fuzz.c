/* zstd_plain_fuzz.c - any bytes as zstd: the decoder of this library against libzstd.
 *
 * What it accepts libzstd accepts, with the same bytes; what libzstd made of other bytes it
 * accepts. Of corrupt frames it refuses more: libzstd does not notice bits that were read twice
 * over. */
#include "codec/inflate.h"
#include "codec/zstd_chunk.h"
#include "codec/zstd_engine.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MOST = 1 << 18 };

static void require(bool fact)
{
    if (!fact)
        __builtin_trap();
}

struct result {
    uint8_t *at;
    size_t len;
    bool whole, bad;
    uint64_t members, good;
};

static struct result stream(const struct zstd_engine *engine, struct ras_bytes in, size_t in_step,
                            size_t out_step)
{
    struct inflate *inflate = zstd_inflate_by(engine);
    struct result r = {.at = malloc(MOST)};
    enum inflate_state state = INFLATE_MORE;
    require(inflate && r.at);
    while (state != INFLATE_BAD && (in.len || state == INFLATE_FULL) && r.len < MOST) {
        size_t given = in.len < in_step ? in.len : in_step, made;
        size_t room = MOST - r.len < out_step ? MOST - r.len : out_step;
        struct ras_bytes piece = {in.at, given};
        state = inflate_step(inflate, &piece, r.at + r.len, room, &made);
        require(made <= room && piece.len <= given);
        in.at += given - piece.len;
        in.len -= given - piece.len;
        r.len += made;
    }
    r.bad = state == INFLATE_BAD;
    r.whole = inflate_whole(inflate);
    r.members = inflate_members(inflate);
    r.good = inflate_good(inflate);
    require(!r.bad || *inflate_why(inflate));
    inflate_free(inflate);
    return r;
}

static void same(const struct result *a, const struct result *b)
{
    require(a->len == b->len && !memcmp(a->at, b->at, a->len));
    require(a->whole == b->whole && a->bad == b->bad);
    require(a->members == b->members && a->good == b->good);
}

/* Every frame that the plain one finishes libzstd finishes, and what both made is the same. */
static void streams(struct ras_bytes in, size_t in_step, size_t out_step, bool valid)
{
    struct result plain = stream(&zstd_plain, in, in.len, MOST);
    struct result steps = stream(&zstd_plain, in, in_step, out_step);
    struct result library = stream(&zstd_library, in, in.len, MOST);
    size_t least = plain.len < library.len ? plain.len : library.len;
    same(&plain, &steps);
    require(!memcmp(plain.at, library.at, least));
    require(library.members >= plain.members && library.good >= plain.good);
    if (!plain.bad || valid)
        same(&plain, &library);
    free(plain.at);
    free(steps.at);
    free(library.at);
}

static int chunk(const struct zstd_engine *engine, struct ras_bytes in, uint8_t *out, size_t size,
                 size_t *after)
{
    struct zstd_chunk_ctx *ctx = zstd_chunk_ctx_by(engine);
    const char *why = "";
    require(ctx);
    int status = zstd_chunk_get(ctx, in, out, size, after, &why);
    require((status == RAS_OK) == !*why);
    zstd_chunk_ctx_free(ctx);
    return status;
}

static void chunks(struct ras_bytes in, bool valid)
{
    uint64_t size = zstd_content_size(in);
    unsigned long long stated = ZSTD_getFrameContentSize(in.at, in.len);
    require(size == stated || stated == ZSTD_CONTENTSIZE_ERROR ||
            (size == RAS_NONE && stated == 0)); /* a skippable frame */
    if (size >= MOST)
        return;
    uint8_t *a = malloc((size_t)size + 1), *b = malloc((size_t)size + 1);
    size_t after_a, after_b;
    require(a && b);
    int plain = chunk(&zstd_plain, in, a, (size_t)size, &after_a);
    int library = chunk(&zstd_library, in, b, (size_t)size, &after_b);
    if (plain == RAS_OK || valid) {
        require(plain == library && after_a == after_b);
        require(!memcmp(a, b, (size_t)size));
    }
    free(a);
    free(b);
}

static void decode(struct ras_bytes in, uint8_t steps, bool valid)
{
    streams(in, 1 + steps % 16 * 7, 1 + steps / 16 * 37, valid);
    if (zstd_is(in))
        chunks(in, valid);
}

/* What libzstd makes of the bytes, and the same with one byte changed. */
static void encode(const uint8_t *data, size_t size)
{
    if (size < 6)
        return;
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, data[0] % 28 - 5);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, data[1] & 1);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, data[1] >> 1 & 1);
    if (data[1] & 4)
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 10);
    size_t room = ZSTD_compressBound(size);
    uint8_t *packed = malloc(room);
    require(packed);
    size_t made = ZSTD_compress2(zstd, packed, room, data + 5, size - 5);
    require(!ZSTD_isError(made));
    decode((struct ras_bytes){packed, made}, data[2], true);
    packed[(data[3] | (size_t)data[4] << 8) % made] ^= (uint8_t)(1u << (data[2] & 7));
    decode((struct ras_bytes){packed, made}, data[2], false);
    free(packed);
    ZSTD_freeCCtx(zstd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    if (zstd_is((struct ras_bytes){data + 1, size - 1}))
        decode((struct ras_bytes){data + 1, size - 1}, data[0], false);
    else
        encode(data, size);
    return 0;
}
