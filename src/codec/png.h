/* png.h - pictures as PNG files (RFC 2083): written as 8-bit RGBA, read from 8-bit ones. */
#ifndef CODEC_PNG_H
#define CODEC_PNG_H

#include <rastrum/rastrum.h>

enum { PNG_SIDE_MAX = 32768 }; /* larger ones are neither written nor read */

/* Rows from the top without padding, 4 bytes a pixel; *out is malloc'ed. RAS_EUSAGE: a side
 * is 0 or beyond PNG_SIDE_MAX. */
int png_put(uint32_t width, uint32_t height, const uint8_t *rgba, uint8_t **out, size_t *len,
            struct ras_error *err);
/* The reverse, of gray, colour or palette with or without alpha; not interlaced. *rgba is
 * malloc'ed. RAS_EFORMAT: damaged; RAS_EUNSUPPORTED: a PNG of another kind; RAS_ELIMIT. */
int png_get(struct ras_bytes file, uint32_t *width, uint32_t *height, uint8_t **rgba,
            struct ras_error *err);
#endif
