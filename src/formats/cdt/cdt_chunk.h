/* cdt_chunk.h - one chunk: found, checked and decompressed into memory that is used again. */
#ifndef FORMATS_CDT_CHUNK_H
#define FORMATS_CDT_CHUNK_H

#include "formats/cdt/cdt_wire.h"

struct zstd_chunk_ctx;

/* Where the payload of one chunk at a time lives. All zero is empty. */
struct cdt_buffer {
    uint8_t *at; /* CDT_PADDING zero bytes follow the payload */
    size_t room;
    struct zstd_chunk_ctx *zstd;
    bool sure; /* the checksum of the next chunk was found good before */
};

void cdt_buffer_free(struct cdt_buffer *buffer);

/* A chunk and its payload, or why it has none. */
struct cdt_loaded {
    struct ras_cdt_chunk chunk;
    struct ras_bytes payload; /* in the buffer */
    size_t after;             /* bytes behind the zstd frame, inside compressed_len */
    bool hashed;              /* it came as far as its checksum */
};

/* Load the chunk at `offset`, applying the reader's rules in their order:
 * header, kind, length, decompression, encoding, size, checksum. RAS_ECUT when
 * the file ends inside it, RAS_EFORMAT when it breaks a rule, RAS_ELIMIT when
 * it says it is larger than limit, RAS_EMEMORY. `out->chunk` is valid unless
 * the header itself is cut. */
int cdt_chunk_load(struct cdt_buffer *buffer, struct ras_bytes file, uint64_t offset,
                   uint64_t limit, struct cdt_loaded *out, struct ras_error *err) RAS_CHECKED;
#endif
