/* gzip.c - gzip streams (RFC 1952): zlib piece by piece, libdeflate at once. */
#include "codec/inflate.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

enum {
    MAGIC_SIZE = 3, /* ID1, ID2 and CM: 8 is the only method there is */
    FLAGS_AT = 3,
    FLAG_HEADER_CRC = 2,
    SMALLEST_MEMBER = 20,  /* header 10, an empty deflate block 2, CRC32 and ISIZE 8 */
    MOST_EXPANSION = 1032, /* deflate cannot do better: 258 bytes for two bits */
    LIKELY_EXPANSION = 32,
    ZLIB_PIECE = 1 << 30, /* zlib counts in unsigned int */
};

static const uint8_t magic[MAGIC_SIZE] = {0x1f, 0x8b, 8};

struct gzip {
    struct inflate common;
    z_stream zlib;
    size_t magic_seen; /* of the member that may begin here */
    bool inside;       /* a member: zlib reads on */
};

/* Skip padding and collect the magic of the next member. False: BAD. */
static bool gzip_between(struct gzip *gzip, struct ras_bytes *in)
{
    struct inflate *common = &gzip->common;
    while (in->len && gzip->magic_seen < MAGIC_SIZE) {
        bool padding = !*in->at && !gzip->magic_seen && common->good;
        if (!padding && *in->at != magic[gzip->magic_seen]) {
            inflate_foreign(common, "not a gzip stream", "bytes after the last gzip member");
            return false;
        }
        if (!padding) {
            gzip->magic_seen++;
            common->whole = false;
        }
        inflate_take(common, in, 1);
    }
    return true;
}

static enum inflate_state bad_member(struct gzip *gzip, int code)
{
    const char *why = code == Z_MEM_ERROR ? "out of memory" : "invalid data";
    return inflate_bad(&gzip->common, "gzip member", gzip->zlib.msg ? gzip->zlib.msg : why);
}

/* The magic was taken byte by byte, so zlib gets it from here. */
static bool begin_member(struct gzip *gzip, uint8_t *out)
{
    z_stream *zlib = &gzip->zlib;
    zlib->next_in = magic;
    zlib->avail_in = MAGIC_SIZE;
    zlib->next_out = out;
    zlib->avail_out = 1;
    gzip->inside = true;
    gzip->magic_seen = 0;
    return inflateReset(zlib) == Z_OK && inflate(zlib, Z_NO_FLUSH) == Z_OK;
}

static int member_step(struct gzip *gzip, struct ras_bytes *in, uint8_t *out, size_t room,
                       size_t *made)
{
    z_stream *zlib = &gzip->zlib;
    uInt given = (uInt)(in->len < ZLIB_PIECE ? in->len : ZLIB_PIECE);
    uInt space = (uInt)(room - *made < ZLIB_PIECE ? room - *made : ZLIB_PIECE);
    zlib->next_in = in->at;
    zlib->avail_in = given;
    zlib->next_out = out + *made;
    zlib->avail_out = space;
    int code = inflate(zlib, Z_NO_FLUSH);
    inflate_take(&gzip->common, in, given - zlib->avail_in);
    *made += space - zlib->avail_out;
    return code;
}

static enum inflate_state gzip_step(struct inflate *common, struct ras_bytes *in, uint8_t *out,
                                    size_t room, size_t *made)
{
    struct gzip *gzip = (struct gzip *)common;
    for (;;) {
        if (!gzip->inside) {
            if (!gzip_between(gzip, in))
                return INFLATE_BAD;
            if (gzip->magic_seen < MAGIC_SIZE)
                return INFLATE_MORE;
            if (*made == room)
                return INFLATE_FULL;
            if (!begin_member(gzip, out + *made))
                return bad_member(gzip, Z_DATA_ERROR);
        }
        int code = member_step(gzip, in, out, room, made);
        if (code == Z_STREAM_END) {
            gzip->inside = false;
            common->members++;
            inflate_member_end(common);
            continue;
        }
        if (code != Z_OK && code != Z_BUF_ERROR)
            return bad_member(gzip, code);
        if (*made == room)
            return INFLATE_FULL;
        if (!in->len)
            return INFLATE_MORE;
    }
}

static void gzip_release(struct inflate *common)
{
    struct gzip *gzip = (struct gzip *)common;
    inflateEnd(&gzip->zlib);
    free(gzip);
}

struct inflate *gzip_inflate_new(void)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip)
        return NULL;
    gzip->common.step = gzip_step;
    gzip->common.release = gzip_release;
    if (inflateInit2(&gzip->zlib, 15 + 16) != Z_OK) { /* largest window, gzip framing only */
        free(gzip);
        return NULL;
    }
    return &gzip->common;
}

/* ---- all at once -------------------------------------------------------- */

struct block {
    uint8_t *at;
    size_t len, room, most;
};

static bool block_grow(struct block *block, size_t room)
{
    if (room > block->most)
        room = block->most;
    if (room <= block->room)
        return false;
    uint8_t *bigger = realloc(block->at, room);
    if (!bigger)
        return false;
    block->at = bigger;
    block->room = room;
    return true;
}

/* ISIZE is the size of the last member modulo 2^32, or anything at all in a
 * damaged file, so it is used only within a likely ratio. */
static size_t first_room(struct ras_bytes in)
{
    const uint8_t *tail = in.at + in.len - 4;
    size_t hint =
        (size_t)tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16 | (size_t)tail[3] << 24;
    size_t likely = in.len > SIZE_MAX / LIKELY_EXPANSION ? SIZE_MAX : in.len * LIKELY_EXPANSION;
    size_t least = in.len;
    if (hint > likely)
        hint = likely;
    return hint > least ? hint : least;
}

/* One member; *in is advanced. A header with a CRC is left to zlib: libdeflate does
 * not check it. */
static bool member_all(struct libdeflate_decompressor *codec, struct ras_bytes *in,
                       struct block *block)
{
    if (in->len < SMALLEST_MEMBER || in->at[FLAGS_AT] & FLAG_HEADER_CRC)
        return false;
    for (;;) {
        size_t took = 0, made = 0;
        enum libdeflate_result result = libdeflate_gzip_decompress_ex(
            codec, in->at, in->len, block->at + block->len, block->room - block->len, &took, &made);
        if (result == LIBDEFLATE_SUCCESS) {
            in->at += took;
            in->len -= took;
            block->len += made;
            return true;
        }
        size_t more = block->room > SIZE_MAX / 2 ? SIZE_MAX : block->room * 2;
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE || !block_grow(block, more))
            return false;
    }
}

static bool members_all(struct libdeflate_decompressor *codec, struct ras_bytes in,
                        struct block *block, uint64_t *members)
{
    *members = 0;
    while (in.len) {
        if (*members && !*in.at) { /* padding */
            in.at++;
            in.len--;
            continue;
        }
        if (!member_all(codec, &in, block))
            return false;
        ++*members;
    }
    return *members > 0;
}

bool gzip_inflate_all(struct ras_bytes in, size_t cap, uint8_t **out, size_t *len,
                      uint64_t *members)
{
    *out = NULL;
    *len = 0;
    *members = 0;
    if (in.len < SMALLEST_MEMBER || !cap)
        return false;
    size_t most = in.len > SIZE_MAX / MOST_EXPANSION ? SIZE_MAX : in.len * MOST_EXPANSION;
    struct block block = {.most = most < cap ? most : cap};
    struct libdeflate_decompressor *codec = libdeflate_alloc_decompressor();
    bool done =
        codec && block_grow(&block, first_room(in)) && members_all(codec, in, &block, members);
    if (codec)
        libdeflate_free_decompressor(codec);
    if (!done) {
        free(block.at);
        *members = 0;
        return false;
    }
    uint8_t *fitted = realloc(block.at, block.len ? block.len : 1);
    *out = fitted ? fitted : block.at;
    *len = block.len;
    return true;
}
