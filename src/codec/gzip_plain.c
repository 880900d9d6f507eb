/* gzip_plain.c - gzip streams (RFC 1952) without a library, and the wrapping of zlib (RFC 1950). */
#include "codec/crc32.h"
#include "codec/deflate_plain.h"
#include "codec/inflate.h"
#include "codec/zlib_block.h"

#include <stdlib.h>
#include <string.h>

enum {
    GZIP_MAGIC_SIZE = 3, /* ID1, ID2 and CM: 8 is the only method there is */
    FLAG_CRC = 2,
    FLAG_EXTRA = 4,
    FLAG_NAME = 8,
    FLAG_COMMENT = 16,
    FLAGS_RESERVED = 0xe0,
    TRAILER_SIZE = 8,
    ADLER_BASE = 65521,
    ADLER_RUN = 5552, /* so many bytes do not overflow 32 bits */
};

static const uint8_t gzip_magic[GZIP_MAGIC_SIZE] = {0x1f, 0x8b, 8};

bool gzip_is(struct ras_bytes head)
{
    size_t n = head.len < GZIP_MAGIC_SIZE ? head.len : GZIP_MAGIC_SIZE;
    return n >= 2 && memcmp(head.at, gzip_magic, n) == 0;
}

/* In the order of the bytes; those that the flags do not mention are passed over. */
enum member_piece {
    MAGIC,
    FLAGS,
    TIME_AND_SYSTEM,
    EXTRA_SIZE,
    EXTRA,
    NAME,
    COMMENT,
    HEADER_CRC,
    DEFLATED,
    TRAILER,
};

struct gzip_plain {
    struct inflate common;
    struct deflate *deflate;
    enum member_piece piece;
    uint8_t flags;
    uint8_t head[TRAILER_SIZE];
    size_t head_len;
    uint32_t extra_left, header_crc, crc, size;
};

static void next_of_head(struct gzip_plain *g)
{
    g->piece++;
    g->head_len = 0;
}

/* Skip padding and collect the magic of the next member. */
static enum inflate_state between(struct gzip_plain *g, struct ras_bytes *in)
{
    struct inflate *common = &g->common;
    while (in->len && g->head_len < GZIP_MAGIC_SIZE) {
        bool padding = !*in->at && !g->head_len && common->good;
        if (!padding && *in->at != gzip_magic[g->head_len])
            return inflate_foreign(common, "not a gzip stream", "bytes after the last gzip member");
        if (!padding) {
            g->head_len++;
            common->whole = false;
        }
        inflate_take(common, in, 1);
    }
    if (g->head_len < GZIP_MAGIC_SIZE)
        return INFLATE_MORE;
    g->header_crc = crc32_update(0, gzip_magic, GZIP_MAGIC_SIZE);
    g->crc = g->size = 0;
    deflate_reset(g->deflate);
    next_of_head(g);
    return INFLATE_FULL;
}

/* Collect `want` bytes of the header. */
static bool collect(struct gzip_plain *g, struct ras_bytes *in, size_t want)
{
    while (in->len && g->head_len < want) {
        g->head[g->head_len++] = *in->at;
        if (g->piece != HEADER_CRC)
            g->header_crc = crc32_update(g->header_crc, in->at, 1);
        inflate_take(&g->common, in, 1);
    }
    return g->head_len == want;
}

/* A text that ends with a zero byte. */
static bool skip_text(struct gzip_plain *g, struct ras_bytes *in)
{
    for (bool end = false; in->len && !end;) {
        end = !*in->at;
        g->header_crc = crc32_update(g->header_crc, in->at, 1);
        inflate_take(&g->common, in, 1);
        if (end)
            return true;
    }
    return false;
}

static enum inflate_state member_bad(struct gzip_plain *g, const char *why)
{
    return inflate_bad(&g->common, "gzip member", why);
}

static enum inflate_state skip_extra(struct gzip_plain *g, struct ras_bytes *in)
{
    for (; g->extra_left; g->extra_left--, g->head_len = 0)
        if (!collect(g, in, 1))
            return INFLATE_MORE;
    next_of_head(g);
    return INFLATE_FULL;
}

static enum inflate_state take_flags(struct gzip_plain *g, struct ras_bytes *in)
{
    if (!collect(g, in, 1))
        return INFLATE_MORE;
    g->flags = g->head[0];
    if (g->flags & FLAGS_RESERVED)
        return member_bad(g, "unknown header flags set");
    next_of_head(g);
    return INFLATE_FULL;
}

/* A piece of the header. FULL: it is done. */
static enum inflate_state header_piece(struct gzip_plain *g, struct ras_bytes *in)
{
    static const uint8_t flag_of[] = {[EXTRA_SIZE] = FLAG_EXTRA,
                                      [EXTRA] = FLAG_EXTRA,
                                      [NAME] = FLAG_NAME,
                                      [COMMENT] = FLAG_COMMENT,
                                      [HEADER_CRC] = FLAG_CRC};
    static const uint8_t size_of[] = {[TIME_AND_SYSTEM] = 6, [EXTRA_SIZE] = 2, [HEADER_CRC] = 2};
    if (g->piece == FLAGS)
        return take_flags(g, in);
    if (g->piece == EXTRA)
        return skip_extra(g, in);
    if (g->piece != TIME_AND_SYSTEM && !(g->flags & flag_of[g->piece])) {
        next_of_head(g);
        return INFLATE_FULL;
    }
    bool text = g->piece == NAME || g->piece == COMMENT;
    if (text ? !skip_text(g, in) : !collect(g, in, size_of[g->piece]))
        return INFLATE_MORE;
    uint32_t word = g->head[0] | (uint32_t)g->head[1] << 8;
    if (g->piece == EXTRA_SIZE)
        g->extra_left = word;
    if (g->piece == HEADER_CRC && word != (g->header_crc & 0xffff))
        return member_bad(g, "header crc mismatch");
    next_of_head(g);
    return INFLATE_FULL;
}

static enum inflate_state deflated(struct gzip_plain *g, struct ras_bytes *in, uint8_t *out,
                                   size_t room, size_t *made)
{
    struct ras_bytes left = *in;
    size_t from = *made;
    enum deflate_state state = deflate_step(g->deflate, &left, out, room, made);
    inflate_take(&g->common, in, in->len - left.len);
    g->crc = crc32_update(g->crc, out + from, *made - from);
    g->size += (uint32_t)(*made - from);
    if (state == DEFLATE_BAD)
        return member_bad(g, deflate_why(g->deflate));
    if (state == DEFLATE_END)
        next_of_head(g);
    return state == DEFLATE_MORE ? INFLATE_MORE : INFLATE_FULL;
}

static uint32_t little_word(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static enum inflate_state trailer(struct gzip_plain *g, struct ras_bytes *in)
{
    while (g->head_len < TRAILER_SIZE) {
        struct ras_bytes left = *in;
        int byte = deflate_byte(g->deflate, &left);
        inflate_take(&g->common, in, in->len - left.len);
        if (byte < 0)
            return INFLATE_MORE;
        g->head[g->head_len++] = (uint8_t)byte;
        if (g->head_len == 4 && little_word(g->head) != g->crc)
            return member_bad(g, "incorrect data check");
    }
    if (little_word(g->head + 4) != g->size)
        return member_bad(g, "incorrect length check");
    g->piece = MAGIC;
    g->head_len = 0;
    g->common.members++;
    inflate_member_end(&g->common);
    return INFLATE_FULL;
}

static enum inflate_state plain_step(struct inflate *common, struct ras_bytes *in, uint8_t *out,
                                     size_t room, size_t *made)
{
    struct gzip_plain *g = (struct gzip_plain *)common;
    for (;;) {
        enum inflate_state state = g->piece == MAGIC      ? between(g, in)
                                   : g->piece == DEFLATED ? deflated(g, in, out, room, made)
                                   : g->piece == TRAILER  ? trailer(g, in)
                                                          : header_piece(g, in);
        if (state != INFLATE_FULL || *made == room)
            return state;
    }
}

static void plain_release(struct inflate *common)
{
    struct gzip_plain *g = (struct gzip_plain *)common;
    deflate_free(g->deflate);
    free(g);
}

struct inflate *gzip_plain_new(void)
{
    struct gzip_plain *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->common.step = plain_step;
    g->common.release = plain_release;
    g->deflate = deflate_new();
    if (g->deflate)
        return &g->common;
    free(g);
    return NULL;
}

/* ---- zlib ---------------------------------------------------------------------- */

static uint32_t adler_sum(uint32_t sum, const uint8_t *at, size_t len)
{
    uint32_t low = sum & 0xffff, high = sum >> 16;
    while (len) {
        size_t run = len < ADLER_RUN ? len : ADLER_RUN;
        len -= run;
        for (; run; run--) {
            low += *at++;
            high += low;
        }
        low %= ADLER_BASE;
        high %= ADLER_BASE;
    }
    return high << 16 | low;
}

static bool zlib_unwrap(struct deflate *d, struct ras_bytes in, uint8_t *out, size_t len)
{
    size_t made = 0;
    if (in.len < 2 || (in.at[0] & 15) != 8 || in.at[0] >> 4 > 7 || in.at[1] & 32 ||
        (in.at[0] << 8 | in.at[1]) % 31)
        return false;
    in.at += 2;
    in.len -= 2;
    if (deflate_step(d, &in, out, len, &made) != DEFLATE_END || made != len)
        return false;
    uint32_t stored = 0;
    for (int i = 0; i < 4; i++) {
        int byte = deflate_byte(d, &in);
        if (byte < 0)
            return false;
        stored = stored << 8 | (uint32_t)byte;
    }
    return stored == adler_sum(1, out, len);
}

int zlib_plain_get(struct ras_bytes in, uint8_t *out, size_t len)
{
    struct deflate *d = deflate_new();
    if (!d)
        return RAS_EMEMORY;
    deflate_reset(d);
    bool good = zlib_unwrap(d, in, out, len);
    deflate_free(d);
    return good ? RAS_OK : RAS_EFORMAT;
}

size_t zlib_plain_bound(size_t len)
{
    enum { STORED_MAX = 65535, STORED_HEAD = 5, WRAPPING = 6 };
    return len + (len / STORED_MAX + 1) * STORED_HEAD + WRAPPING;
}

size_t zlib_plain_put(struct ras_bytes in, uint8_t *out)
{
    enum { STORED_MAX = 65535 };
    uint8_t *to = out;
    uint32_t sum = adler_sum(1, in.at, in.len);
    *to++ = 0x78;
    *to++ = 0x01;
    do {
        size_t size = in.len < STORED_MAX ? in.len : STORED_MAX;
        const uint8_t head[] = {size == in.len, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)~size,
                                (uint8_t)(~size >> 8)};
        memcpy(to, head, sizeof head);
        if (size)
            memcpy(to + sizeof head, in.at, size);
        to += sizeof head + size;
        in.at += size;
        in.len -= size;
    } while (in.len);
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)(sum >> shift);
    return (size_t)(to - out);
}
