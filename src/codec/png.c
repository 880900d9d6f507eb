/* png.c - write a picture as PNG: each row as its difference from the one above, deflated. */
#include "codec/png.h"
#include "base/error.h"
#include "codec/crc32.h"

#include <libdeflate.h>
#include <stdlib.h>

/* Pictures of commands are flat and repeat themselves: the quickest level finds nearly all. */
enum { LEVEL = 1 };

const uint8_t png_magic[PNG_MAGIC_SIZE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

static uint8_t *put_big(uint8_t *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (uint8_t)(value >> shift);
    return to;
}

/* A chunk whose `len` bytes of data are in place, 8 bytes behind `to`. */
static uint8_t *close_chunk(uint8_t *to, const char *type, size_t len)
{
    put_big(to, (uint32_t)len);
    memcpy(to + 4, type, 4);
    return put_big(to + 8 + len, crc32_update(0, to + 4, len + 4));
}

static uint8_t *put_header(uint8_t *to, uint32_t width, uint32_t height)
{
    static const uint8_t kind[] = {8, 6, 0, 0, 0}; /* bits, RGBA, deflate, filters, in order */
    memcpy(to, png_magic, PNG_MAGIC_SIZE);
    to += PNG_MAGIC_SIZE;
    put_big(put_big(to + 8, width), height);
    memcpy(to + 16, kind, sizeof kind);
    return close_chunk(to, "IHDR", PNG_HEADER_SIZE);
}

/* Rows as differences: what is the same all over becomes zeros. */
static void filter_up(uint8_t *restrict to, const uint8_t *restrict rgba, size_t row,
                      uint32_t height)
{
    *to++ = PNG_FILTER_NONE; /* nothing is above the first */
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
        return fail(err, RAS_EUSAGE, RAS_NONE, "a picture of %" PRIu32 "x%" PRIu32 " has no PNG",
                    width, height);
    size_t row = (size_t)width * 4, raw_len = (row + 1) * height;
    struct libdeflate_compressor *codec = libdeflate_alloc_compressor(LEVEL);
    uint8_t *raw = malloc(raw_len);
    size_t room = codec ? libdeflate_zlib_compress_bound(codec, raw_len) : 0;
    uint8_t *file =
        malloc(PNG_MAGIC_SIZE + PNG_HEADER_SIZE + (size_t)3 * PNG_CHUNK_OVERHEAD + room);
    if (codec && raw && file) {
        filter_up(raw, rgba, row, height);
        uint8_t *at = put_header(file, width, height);
        size_t made = libdeflate_zlib_compress(codec, raw, raw_len, at + 8, room);
        at = close_chunk(at, "IDAT", made);
        at = close_chunk(at, "IEND", 0);
        *out = file;
        *len = (size_t)(at - file);
    }
    libdeflate_free_compressor(codec);
    free(raw);
    if (*out)
        return RAS_OK;
    free(file);
    return fail_memory(err);
}
