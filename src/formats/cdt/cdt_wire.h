/* cdt_wire.h - the bytes of the container: finds, checks and decompresses chunks into a reusable
 * buffer; see also the public getters of cdt.h. */
#ifndef CDT_WIRE_H
#define CDT_WIRE_H

#include <rastrum/cdt.h>

_Static_assert(RAS_CDT_HEADER_SIZE == RAS_CDT_MAGIC_SIZE + 4, "spec: File layout");
_Static_assert(sizeof RAS_CDT_MAGIC - 1 == RAS_CDT_MAGIC_SIZE, "spec: File layout");
_Static_assert(sizeof RAS_CDT_TRAILER_MAGIC - 1 == 8, "spec: File layout");
_Static_assert(sizeof RAS_CDT_MAGIC_2 == sizeof RAS_CDT_MAGIC, "spec: File layout");
_Static_assert(sizeof RAS_CDT_TRAILER_MAGIC_2 == sizeof RAS_CDT_TRAILER_MAGIC, "spec: File layout");

/* The container of a file by its magic: 1 or 2. */
static inline uint32_t cdt_container(struct ras_bytes file)
{
    enum { DIGIT = RAS_CDT_MAGIC_SIZE - 2 };
    return file.len > DIGIT && file.at[DIGIT] == '2' ? 2 : 1;
}

/* As the public functions, of either container. */
void cdt_header_put(uint32_t container, void *to);
void cdt_trailer_put(uint32_t container, uint64_t footer_offset, void *to);

/* Whether the file starts with as much of the magic of any container, known or not, as its size
 * allows. */
bool cdt_magic_family(struct ras_bytes file);
/* The same for the containers that are known. */
bool cdt_magic_starts(struct ras_bytes file);

/* The chunk kind that the bytes at p, at least one, begin with; UNKNOWN: none. One byte is enough
 * to distinguish an incomplete footer from an incomplete block. */
enum ras_cdt_kind cdt_kind_starts(const uint8_t *p, size_t left);

/* The four bytes of a kind as text: 'METB', or 0x00000000. Returns text. */
const char *cdt_kind_show(const struct ras_cdt_chunk *chunk, char *text, size_t room);

/* The same as Python prints bytes, without quotes. */
const char *cdt_kind_python(const struct ras_cdt_chunk *chunk, char text[20]);

/* Size of a chunk: header and stored payload. */
static inline uint64_t cdt_chunk_size(const struct ras_cdt_chunk *chunk)
{
    return RAS_CDT_CHUNK_HEADER_SIZE + (uint64_t)chunk->compressed_len;
}

struct zstd_chunk_ctx;

/* Buffer for the payload of one chunk at a time. All zero is empty. */
struct cdt_buffer {
    uint8_t *at; /* CDT_PADDING zero bytes follow the payload */
    size_t room;
    struct zstd_chunk_ctx *zstd;
    bool sure; /* the checksum of the next chunk is known to be valid */
};

void cdt_buffer_free(struct cdt_buffer *buffer);

/* A chunk and its payload. */
struct cdt_loaded {
    struct ras_cdt_chunk chunk;
    struct ras_bytes payload; /* in the buffer */
    size_t after;             /* bytes after the zstd frame, inside compressed_len */
    bool hashed;              /* the checksum was compared */
};

/* Loads the chunk at `offset` and applies the reader's rules in their order: header, kind, length,
 * decompression, encoding, size, checksum. RAS_ECUT if the file ends inside it, RAS_EFORMAT if it
 * breaks a rule, RAS_ELIMIT if it states a size above the limit, RAS_EMEMORY. `out->chunk` is valid
 * unless the header itself is cut. */
int cdt_chunk_load(struct cdt_buffer *buffer, struct ras_bytes file, uint64_t offset,
                   uint64_t limit, struct cdt_loaded *out, struct ras_error *err) RAS_CHECKED;
#endif
