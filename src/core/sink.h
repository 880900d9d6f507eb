/* sink.h - what only the library does with sinks. */
#ifndef CORE_SINK_H
#define CORE_SINK_H

#include "base/out.h"
#include "base/private_api.h"
#include "codec/compress.h"
#include "codec/sha256.h"
#include <rastrum/rastrum.h>

/* ras_sink_file() whatever it replaces; a file that is new has this mode, less the umask. One
 * that replaces another keeps that one's mode, owner and attributes, as far as permitted. */
int sink_file(struct ras_sink **, const char *path, bool replace, unsigned mode,
              struct ras_error *);
/* A file under its own name from the first byte, on the disk when closed. Errors call it
 * `shown`, the name that it will bear in the end. */
int sink_create(struct ras_sink **, const char *path, const char *shown, struct ras_error *);
/* Its bytes are those of the file, whatever compression the extension of its name means. */
void sink_as_is(struct ras_sink *);
/* What is written is compressed so already: the extension of its name does not do it twice. */
void sink_is_packed(struct ras_sink *, enum compression);
/* Compress all that is written from now on, as seekable zstd (codec/seekable.h): only the first
 * `head` bytes can be patched, nothing can be read back or rewound. For a descriptor at its start.
 */
int sink_compress(struct ras_sink *, size_t head, struct ras_error *) RAS_CHECKED;
/* Flush, and of a compressed sink write the index: nothing may be written after it. */
int sink_finish(struct ras_sink *, struct ras_error *) RAS_CHECKED;
/* Bytes written that a reader of the file can have, and those that the file has. */
uint64_t sink_kept(const struct ras_sink *);
uint64_t sink_stored(const struct ras_sink *);
/* All that is in `out` once that is `least` bytes or more; it is empty then and keeps its memory.
 * RAS_EMEMORY where it failed. */
int sink_pass_out(struct ras_sink *, struct out *out, size_t least, struct ras_error *);
/* All that is in `out`, which is freed in any case; RAS_EMEMORY where it failed. */
PRIVATE_API int sink_write_out(struct ras_sink *, struct out *out, struct ras_error *);
/* Whether it can go back to what it was before: a descriptor of the caller's is not tried. */
bool sink_rewinds(const struct ras_sink *);
/* Let a thread of its own write from now on, where one can be had. For who makes bytes about as
 * fast as the system takes them, and drops the sink when a write fails: that is reported late. */
void sink_relay(struct ras_sink *);

/* The hash of what a sink has written out, kept by whoever writes: true once it is closed. */
struct sink_digest {
    struct sha256 sha;
    uint64_t size;
    bool broken; /* bytes were changed or taken back: the hash is not valid */
};
/* From the first byte on; `to` outlives the sink, or a call with NULL, which ends it. */
void sink_digest(struct ras_sink *, struct sink_digest *to);

/* ---- relay ------------------------------------------------------------------- */

/* Blocks of bytes that another thread writes, in the order they were given. For whoever makes bytes
 * about as fast as the system takes them: both then work at once. */
struct relay;

/* Called in the other thread, for one block after the other; after a failure no more. */
typedef int relay_write(void *user, const uint8_t *bytes, size_t size, struct ras_error *);

/* NULL: there is no memory or thread for it. */
struct relay *relay_open(relay_write *, void *user);
/* Give what is in `block`, which is empty then; waits while too many are under way. A failure is
 * that of an earlier block: this one will not be written either. */
int relay_put(struct relay *, struct out *block, struct ras_error *);
/* Until all that was given is written, or one failed. */
int relay_wait(struct relay *, struct ras_error *);
/* Blocks that were not yet written are not; NULL is fine. */
void relay_close(struct relay *);
#endif
