/* inflate_fuzz.c - any bytes as gzip or zstd: the step size changes nothing, and all
 * implementations agree: zlib, libdeflate and that of this library; zstd_plain_fuzz.c compares
 * those of zstd. */
#include "codec/inflate.h"
#include "codec/zstd_chunk.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 18 };

static void require(bool fact)
{
    if (!fact)
        __builtin_trap();
}

struct result {
    uint8_t *at;
    size_t len;
    bool stopped; /* at MOST bytes */
    bool bad, whole, trailing;
    uint64_t members, good;
};

static struct result run(struct inflate *inflate, struct ras_bytes in, size_t in_step,
                         size_t out_step)
{
    struct result result = {.at = malloc(MOST)};
    enum inflate_state state = INFLATE_MORE;
    require(inflate && result.at);
    while (state != INFLATE_BAD && (in.len || state == INFLATE_FULL) && result.len < MOST) {
        size_t given = in.len < in_step ? in.len : in_step, made;
        size_t room = MOST - result.len < out_step ? MOST - result.len : out_step;
        struct ras_bytes piece = {in.at, given};
        state = inflate_step(inflate, &piece, result.at + result.len, room, &made);
        require(made <= room && piece.len <= given);
        require(state != INFLATE_MORE || !piece.len);
        require(state != INFLATE_FULL || made == room);
        in.at += given - piece.len;
        in.len -= given - piece.len;
        result.len += made;
    }
    result.stopped = result.len == MOST;
    result.bad = state == INFLATE_BAD;
    result.whole = inflate_whole(inflate);
    result.trailing = inflate_trailing(inflate);
    result.members = inflate_members(inflate);
    result.good = inflate_good(inflate);
    require(!result.bad || (*inflate_why(inflate) && !result.whole));
    inflate_free(inflate);
    return result;
}

static void same(const struct result *a, const struct result *b)
{
    require(a->len == b->len && !memcmp(a->at, b->at, a->len));
    if (a->stopped)
        return;
    require(a->bad == b->bad && a->whole == b->whole);
    require(a->trailing == b->trailing && a->members == b->members);
    require(a->good == b->good);
}

static void without_zlib(struct ras_bytes in, const struct result *by_zlib, size_t in_step,
                         size_t out_step)
{
    struct result once = run(gzip_plain_new(), in, in.len, MOST);
    struct result steps = run(gzip_plain_new(), in, in_step, out_step);
    same(&once, by_zlib);
    same(&once, &steps);
    free(once.at);
    free(steps.at);
}

static void at_once(struct ras_bytes in, const struct result *stream)
{
    uint8_t *all;
    size_t len;
    uint64_t members;
    if (!gzip_inflate_all(in, MOST, &all, &len, &members))
        return;
    require(len <= MOST);
    if (stream->whole && !stream->stopped) {
        require(len == stream->len && members == stream->members);
        require(!memcmp(all, stream->at, len));
    }
    free(all);
}

static void chunk(struct ras_bytes in, const struct result *stream)
{
    uint64_t size = zstd_content_size(in);
    if (size >= MOST)
        return;
    struct zstd_chunk_ctx *ctx = zstd_chunk_ctx_new();
    uint8_t *out = malloc((size_t)size + 1);
    const char *why = "";
    size_t after;
    require(ctx && out);
    int status = zstd_chunk_get(ctx, in, out, (size_t)size, &after, &why);
    require((status == RAS_OK) == !*why);
    if (status == RAS_OK && !stream->stopped) {
        /* The one-shot form needs no window, so only a refused window may differ. */
        require(stream->len >= size || (stream->bad && !stream->members));
        require(stream->len < size || !memcmp(out, stream->at, (size_t)size));
    }
    free(out);
    zstd_chunk_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct ras_bytes in = {data + 1, size - 1};
    bool zstd = zstd_is(in);
    size_t in_step = 1 + data[0] % 16 * 7, out_step = 1 + data[0] / 16 * 37;
    struct inflate *(*make)(void) = zstd ? zstd_inflate_new : gzip_inflate_new;
    struct result once = run(make(), in, in.len, MOST);
    struct result steps = run(make(), in, in_step, out_step);
    same(&once, &steps);
    require(once.good <= in.len);
    if (zstd) {
        chunk(in, &once);
    } else {
        at_once(in, &once);
        without_zlib(in, &once, in_step, out_step);
    }
    free(once.at);
    free(steps.at);
    return 0;
}
