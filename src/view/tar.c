/* tar.c - write an archive: a header of 512 bytes a file, its bytes, zeros up to the next 512. */
#include "view/tar.h"

#include <inttypes.h>
#include <stdio.h>

enum { TAR_BLOCK = 512, TAR_NAME_MOST = 99 };

static void tar_octal(uint8_t *field, size_t size, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%0*" PRIo64, (int)size - 1, value);
    memcpy(field, digits, size);
}

/* The sum of all bytes, with blanks in the place of the sum itself. */
static void tar_sum(uint8_t *header)
{
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (size_t i = 0; i < TAR_BLOCK; i++)
        sum += header[i];
    tar_octal(header + 148, 7, sum);
}

static void tar_zeros(struct out *out, size_t n)
{
    static const uint8_t zeros[TAR_BLOCK];
    for (; n > TAR_BLOCK; n -= TAR_BLOCK)
        out_bytes(out, zeros, TAR_BLOCK);
    out_bytes(out, zeros, n);
}

bool tar_put(struct out *out, const char *name, struct ras_bytes bytes)
{
    uint8_t header[TAR_BLOCK] = {0};
    size_t len = strlen(name);
    if (!len || len > TAR_NAME_MOST || (uint64_t)bytes.len >> 33)
        return false;
    memcpy(header, name, len);
    tar_octal(header + 100, 8, 0644);       /* mode */
    tar_octal(header + 108, 8, 0);          /* user */
    tar_octal(header + 116, 8, 0);          /* group */
    tar_octal(header + 124, 12, bytes.len); /* size */
    tar_octal(header + 136, 12, 0);         /* time */
    header[156] = '0';                      /* a plain file */
    memcpy(header + 257,
           "ustar\0"
           "00",
           8); /* magic and version */
    tar_sum(header);
    out_bytes(out, header, sizeof header);
    out_bytes(out, bytes.at, bytes.len);
    tar_zeros(out, (TAR_BLOCK - bytes.len % TAR_BLOCK) % TAR_BLOCK);
    return true;
}

void tar_end(struct out *out)
{
    tar_zeros(out, 2 * TAR_BLOCK);
}
