/* zstd_engine.h - what decodes zstd frames: libzstd, or the decoder of this library.
 *
 * zstd_library.c is libzstd; zstd_plain.c needs nothing, and is the only one in WebAssembly. Both
 * accept the same frames and give the same bytes; where a frame is corrupt, zstd_plain.c may refuse
 * what libzstd lets pass (docs/decisions/0018). */
#ifndef CODEC_ZSTD_ENGINE_H
#define CODEC_ZSTD_ENGINE_H

#include <rastrum/rastrum.h>

struct inflate;
struct zstd_chunk_ctx;

enum { ZSTD_WINDOW_LOG_MAX = 27 }; /* of streams: what every decoder should offer; 128 MiB */

struct zstd_engine {
    void *(*open)(void);         /* NULL: out of memory */
    void (*close)(void *engine); /* or NULL */
    /* The frame at the start of `in`, whose header states `expected`; *taken is its size. RAS_OK,
     * RAS_ECUT, RAS_EFORMAT or RAS_EMEMORY with a static *why. */
    int (*frame)(void *engine, struct ras_bytes in, uint8_t *out, size_t expected, size_t *taken,
                 const char **why);
    /* A stream: reset() before each frame, then its header, the header and the body of each block
     * and the checksum in calls of their own; only a body may be given in pieces. *in is advanced.
     * If all of the room is used there may be more: call again, without input.
     * NULL, or a static reason why it cannot go on. */
    void (*reset)(void *engine);
    const char *(*feed)(void *engine, struct ras_bytes *in, uint8_t *out, size_t room,
                        size_t *made);
};

extern const struct zstd_engine zstd_library;
extern const struct zstd_engine zstd_plain;

/* zstd_chunk_ctx_new() and zstd_inflate_new() by another engine, for tests. */
struct zstd_chunk_ctx *zstd_chunk_ctx_by(const struct zstd_engine *);
struct inflate *zstd_inflate_by(const struct zstd_engine *);
#endif
