/* compress.h - gzip and zstd streams, written piece by piece. */
#ifndef CODEC_COMPRESS_H
#define CODEC_COMPRESS_H

#include <rastrum/rastrum.h>

enum compression { COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD };

/* By the end of a file's name: .gz or .zst. */
enum compression compression_of(const char *path);

struct compress;
struct compress *compress_new(enum compression); /* NULL: out of memory */
void compress_free(struct compress *);
/* Take bytes of *in, which is advanced, and write to out; returns how many bytes it wrote, or
 * SIZE_MAX when memory is short. With `last` no bytes come after them: *done once all is written.
 */
size_t compress_step(struct compress *, struct ras_bytes *in, bool last, uint8_t *out, size_t room,
                     bool *done);
#endif
