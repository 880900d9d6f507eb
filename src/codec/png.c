/* png.c - pictures as PNG: each row is written as its difference from the one above, deflated; any
 * 8-bit PNG is read back to RGBA. */
#include "codec/png.h"
#include "base/error.h"
#include "base/in.h"
#include "codec/crc32.h"
#include "codec/zlib_block.h"

#include <stdlib.h>

enum {
    PNG_MAGIC_SIZE = 8,
    PNG_HEADER_SIZE = 13,    /* IHDR */
    PNG_CHUNK_OVERHEAD = 12, /* length, type and CRC */
    PNG_FILTER_NONE = 0,
    PNG_FILTER_SUB,
    PNG_FILTER_UP,
    PNG_FILTER_AVERAGE,
    PNG_FILTER_PAETH,
};

static const uint8_t png_magic[PNG_MAGIC_SIZE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static uint8_t *put_big(uint8_t *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)(value >> shift);
    return to;
}

/* A chunk whose `len` bytes of data are in place, 8 bytes after `to`. */
static uint8_t *close_chunk(uint8_t *to, const char *type, size_t len)
{
    put_big(to, (uint32_t)len);
    memcpy(to + 4, type, 4);
    return put_big(to + 8 + len, crc32_update(0, to + 4, len + 4));
}

static uint8_t *put_ihdr(uint8_t *to, uint32_t width, uint32_t height)
{
    static const uint8_t kind[] = {8, 6, 0, 0, 0}; /* bits, RGBA, deflate, filters, in order */
    memcpy(to, png_magic, PNG_MAGIC_SIZE);
    to += PNG_MAGIC_SIZE;
    put_big(put_big(to + 8, width), height);
    memcpy(to + 16, kind, sizeof kind);
    return close_chunk(to, "IHDR", PNG_HEADER_SIZE);
}

/* Rows as differences: areas of one colour become zeros. */
static void filter_up(uint8_t *restrict to, const uint8_t *restrict rgba, size_t row,
                      uint32_t height)
{
    *to++ = PNG_FILTER_NONE; /* there is no row above the first */
    memcpy(to, rgba, row);
    to += row;
    for (uint32_t y = 1; y < height; y++, rgba += row, to += row) {
        *to++ = PNG_FILTER_UP;
        for (size_t i = 0; i < row; i++)
            to[i] = (uint8_t)(rgba[row + i] - rgba[i]);
    }
}

int png_put(uint32_t width, uint32_t height, const uint8_t *rgba, uint8_t **out, size_t *len,
            struct ras_error *err)
{
    *out = NULL;
    if (!width || !height || width > PNG_SIDE_MAX || height > PNG_SIDE_MAX)
        return fail(err, RAS_EUSAGE, RAS_NONE,
                    "cannot write a picture of %" PRIu32 "x%" PRIu32 " as PNG", width, height);
    size_t row = (size_t)width * 4, raw_len = (row + 1) * height;
    uint8_t *raw = malloc(raw_len);
    uint8_t *file = malloc(PNG_MAGIC_SIZE + PNG_HEADER_SIZE + (size_t)3 * PNG_CHUNK_OVERHEAD +
                           zlib_bound(raw_len));
    if (raw && file) {
        filter_up(raw, rgba, row, height);
        uint8_t *at = put_ihdr(file, width, height);
        size_t made = zlib_put((struct ras_bytes){raw, raw_len}, at + 8);
        at = close_chunk(at, "IDAT", made);
        at = close_chunk(at, "IEND", 0);
        *out = made ? file : NULL;
        *len = (size_t)(at - file);
    }
    free(raw);
    if (*out)
        return RAS_OK;
    free(file);
    return fail_memory(err);
}

/* ---- reading ------------------------------------------------------------------------------ */

enum color { GRAY = 0, RGB = 2, PALETTE = 3, GRAY_ALPHA = 4, RGBA = 6 };
enum { MOST_EXPANSION = 1032, TYPE_SIZE = 4 };

struct png_reader {
    struct ras_error *err;
    struct ras_bytes file;
    uint32_t width, height;
    uint8_t color;
    uint8_t samples;                 /* a pixel, and its bytes: a sample has 8 bits */
    struct ras_bytes palette, clear; /* PLTE and tRNS */
    uint8_t *packed;                 /* every IDAT, one after the other */
    size_t packed_len;
};

struct chunk {
    char type[TYPE_SIZE + 1];
    size_t offset; /* of the chunk in the file */
    struct ras_bytes data;
};

static uint32_t get_big(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int next_chunk(const struct png_reader *r, size_t *at, struct chunk *c)
{
    size_t left = r->file.len - *at;
    const uint8_t *p = r->file.at + *at;
    c->offset = *at;
    if (left < PNG_CHUNK_OVERHEAD)
        return fail(r->err, RAS_EFORMAT, *at, "a PNG chunk of 12 bytes in %zu", left);
    uint32_t len = get_big(p);
    if (len > left - PNG_CHUNK_OVERHEAD)
        return fail(r->err, RAS_EFORMAT, *at, "a PNG chunk of %" PRIu32 " bytes in %zu", len,
                    left - PNG_CHUNK_OVERHEAD);
    if (crc32_update(0, p + 4, (size_t)len + 4) != get_big(p + 8 + len))
        return fail(r->err, RAS_EFORMAT, *at, "the CRC of a PNG chunk is wrong");
    memcpy(c->type, p + 4, TYPE_SIZE);
    c->type[TYPE_SIZE] = 0;
    c->data = (struct ras_bytes){p + 8, len};
    *at += (size_t)len + PNG_CHUNK_OVERHEAD;
    return RAS_OK;
}

static int take_header(struct png_reader *r, const struct chunk *c)
{
    static const uint8_t samples[] = {
        [GRAY] = 1, [RGB] = 3, [PALETTE] = 1, [GRAY_ALPHA] = 2, [RGBA] = 4};
    const uint8_t *p = c->data.at;
    if (strcmp(c->type, "IHDR") != 0 || c->data.len != PNG_HEADER_SIZE)
        return fail(r->err, RAS_EFORMAT, c->offset, "a PNG begins with IHDR of 13 bytes");
    r->width = get_big(p);
    r->height = get_big(p + 4);
    r->color = p[9];
    if (!r->width || !r->height || r->width > PNG_SIDE_MAX || r->height > PNG_SIDE_MAX)
        return fail(r->err, RAS_ELIMIT, c->offset,
                    "a PNG of %" PRIu32 "x%" PRIu32 " pixels, at most %d a side", r->width,
                    r->height, PNG_SIDE_MAX);
    r->samples = r->color < sizeof samples ? samples[r->color] : 0;
    if (!r->samples || p[10] || p[11])
        return fail(r->err, RAS_EFORMAT, c->offset,
                    "a PNG of colour type %u, compression %u, filter %u", p[9], p[10], p[11]);
    if (p[8] != 8 || p[12])
        return fail(r->err, RAS_EUNSUPPORTED, c->offset,
                    "a PNG of %u bits%s: only 8 bits, not interlaced, are read", p[8],
                    p[12] ? ", interlaced" : "");
    return RAS_OK;
}

/* Every chunk up to IEND; chunks that are not needed are skipped. */
static int take_chunks(struct png_reader *r)
{
    size_t at = PNG_MAGIC_SIZE;
    struct chunk c = {0};
    int status = next_chunk(r, &at, &c);
    if (status == RAS_OK)
        status = take_header(r, &c);
    while (status == RAS_OK && (status = next_chunk(r, &at, &c)) == RAS_OK) {
        if (!strcmp(c.type, "IEND"))
            return RAS_OK;
        if (!strcmp(c.type, "PLTE")) {
            r->palette = c.data;
        } else if (!strcmp(c.type, "tRNS")) {
            r->clear = c.data;
        } else if (!strcmp(c.type, "IDAT") && c.data.len) {
            memcpy(r->packed + r->packed_len, c.data.at, c.data.len);
            r->packed_len += c.data.len;
        }
    }
    return status;
}

static uint8_t paeth(uint8_t left, uint8_t above, uint8_t corner)
{
    int p = left + above - corner;
    int a = abs(p - left), b = abs(p - above), c = abs(p - corner);
    if (a <= b && a <= c)
        return left;
    return b <= c ? above : corner;
}

/* One row of filtered bytes becomes samples, in place; `above` is NULL for the first. */
static bool unfilter(uint8_t filter, uint8_t *row, const uint8_t *above, size_t len, size_t pixel)
{
    if (filter > PNG_FILTER_PAETH)
        return false;
    for (size_t i = 0; i < len && filter != PNG_FILTER_NONE; i++) {
        uint8_t a = i >= pixel ? row[i - pixel] : 0;
        uint8_t b = above ? above[i] : 0;
        uint8_t c = above && i >= pixel ? above[i - pixel] : 0;
        int predicted = filter == PNG_FILTER_SUB       ? a
                        : filter == PNG_FILTER_UP      ? b
                        : filter == PNG_FILTER_AVERAGE ? (a + b) / 2
                                                       : paeth(a, b, c);
        row[i] = (uint8_t)(row[i] + predicted);
    }
    return true;
}

/* A 16-bit sample of tRNS names the colour that is transparent. */
static bool is_clear(const struct png_reader *r, const uint8_t *pixel)
{
    if (!r->clear.len || r->clear.len != (size_t)r->samples * 2)
        return false;
    for (size_t i = 0; i < r->samples; i++)
        if (r->clear.at[2 * i] || r->clear.at[2 * i + 1] != pixel[i])
            return false;
    return true;
}

static bool put_pixel(const struct png_reader *r, const uint8_t *from, uint8_t *to)
{
    switch (r->color) {
    case RGBA:
        memcpy(to, from, 4);
        return true;
    case RGB:
        memcpy(to, from, 3);
        to[3] = is_clear(r, from) ? 0 : 255;
        return true;
    case PALETTE:
        if (*from >= r->palette.len / 3)
            return false;
        memcpy(to, r->palette.at + (size_t)*from * 3, 3);
        to[3] = *from < r->clear.len ? r->clear.at[*from] : 255;
        return true;
    default:
        to[0] = to[1] = to[2] = *from;
        to[3] = r->color == GRAY_ALPHA ? from[1] : is_clear(r, from) ? 0 : 255;
        return true;
    }
}

static int put_rows(const struct png_reader *r, uint8_t *raw, uint8_t *rgba)
{
    size_t len = (size_t)r->width * r->samples;
    const uint8_t *above = NULL;
    for (uint32_t y = 0; y < r->height; y++, raw += len + 1) {
        uint8_t *row = raw + 1;
        if (!unfilter(*raw, row, above, len, r->samples))
            return fail(r->err, RAS_EFORMAT, RAS_NONE, "row %" PRIu32 " of a PNG has filter %u", y,
                        *raw);
        above = row;
        for (uint32_t x = 0; x < r->width; x++, rgba += 4)
            if (!put_pixel(r, row + (size_t)x * r->samples, rgba))
                return fail(r->err, RAS_EFORMAT, RAS_NONE,
                            "a PNG's pixel has colour %u, its palette %zu", row[x],
                            r->palette.len / 3);
    }
    return RAS_OK;
}

/* Before anything is allocated: the compressed bytes must be able to hold what the header promises.
 */
static int unpack(const struct png_reader *r, uint8_t **raw)
{
    size_t want = ((size_t)r->width * r->samples + 1) * r->height;
    if (want / MOST_EXPANSION > r->packed_len)
        return fail(r->err, RAS_EFORMAT, RAS_NONE, "a PNG of %zu bytes out of %zu", want,
                    r->packed_len);
    *raw = malloc(want);
    int status =
        *raw ? zlib_get((struct ras_bytes){r->packed, r->packed_len}, *raw, want) : RAS_EMEMORY;
    if (status == RAS_EMEMORY)
        return fail_memory(r->err);
    if (status)
        return fail(r->err, RAS_EFORMAT, RAS_NONE, "the data of a PNG is not %zu bytes", want);
    return RAS_OK;
}

int png_get(struct ras_bytes file, uint32_t *width, uint32_t *height, uint8_t **rgba,
            struct ras_error *err)
{
    struct png_reader r = {.err = err, .file = file};
    uint8_t *raw = NULL;
    *rgba = NULL;
    if (file.len < PNG_MAGIC_SIZE || memcmp(file.at, png_magic, PNG_MAGIC_SIZE) != 0)
        return fail(err, RAS_EFORMAT, 0, "not a PNG");
    r.packed = malloc(file.len);
    int status = r.packed ? take_chunks(&r) : fail_memory(err);
    if (status == RAS_OK)
        status = unpack(&r, &raw);
    if (status == RAS_OK && !(*rgba = malloc((size_t)r.width * r.height * 4)))
        status = fail_memory(err);
    if (status == RAS_OK)
        status = put_rows(&r, raw, *rgba);
    free(raw);
    free(r.packed);
    *width = r.width;
    *height = r.height;
    if (status == RAS_OK)
        return RAS_OK;
    free(*rgba);
    *rgba = NULL;
    return status;
}
