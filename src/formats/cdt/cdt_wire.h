/* cdt_wire.h - what the container's bytes say, beyond the public getters of cdt.h. */
#ifndef FORMATS_CDT_WIRE_H
#define FORMATS_CDT_WIRE_H

#include <rastrum/cdt.h>

_Static_assert(RAS_CDT_HEADER_SIZE == RAS_CDT_MAGIC_SIZE + 4, "spec: File layout");
_Static_assert(sizeof RAS_CDT_MAGIC - 1 == RAS_CDT_MAGIC_SIZE, "spec: File layout");
_Static_assert(sizeof RAS_CDT_TRAILER_MAGIC - 1 == 8, "spec: File layout");

/* Does the file start with as much of the magic as it has? */
bool cdt_magic_starts(struct ras_bytes file);

/* The chunk kind that the bytes at p, at least one, begin with; UNKNOWN: none.
 * One byte tells a half-written footer from a half-written block. */
enum ras_cdt_kind cdt_kind_starts(const uint8_t *p, size_t left);

/* The four bytes of a kind for people: 'METB', or 0x00000000. Returns text. */
const char *cdt_kind_show(const struct ras_cdt_chunk *chunk, char *text, size_t room);

/* Bytes that a chunk takes: header and stored payload. */
static inline uint64_t cdt_chunk_size(const struct ras_cdt_chunk *chunk)
{
    return RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)chunk->compressed_len;
}
#endif
