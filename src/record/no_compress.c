/* no_compress.c - stubs: a recorder writes no compressed files and links no library for it.
 *
 * Sinks that it shares with librastrum choose compression by a file's name. If librastrum is
 * linked too, its own definitions are used. */
#include "codec/compress.h"

#define WEAK __attribute__((weak))

WEAK enum compression compression_of(const char *path)
{
    (void)path;
    return COMPRESS_NONE;
}

WEAK struct compress *compress_new(enum compression how)
{
    (void)how;
    return NULL;
}

WEAK void compress_free(struct compress *c)
{
    (void)c;
}

WEAK size_t compress_step(struct compress *c, struct ras_bytes *in, bool last, uint8_t *out,
                          size_t room, bool *done)
{
    (void)c, (void)in, (void)last, (void)out, (void)room, (void)done;
    return SIZE_MAX;
}
