/* aerogpu_wire.h - the bytes of AeroGPU traces as C structs; nothing is allocated.
 *
 * Each get reads one structure, magic included; in->cut: it was not complete. Callers check the
 * values. Reading and writing share only this, the tables of numbers and the ids. */
#ifndef AEROGPU_WIRE_H
#define AEROGPU_WIRE_H

#include "base/out.h"
#include "formats/aerogpu/aerogpu_ids.h"
#include <rastrum/aerogpu.h>

_Static_assert(RAS_AERO_HEADER_SIZE == 32, "spec: TraceHeader");
_Static_assert(RAS_AERO_FOOTER_SIZE == 32, "spec: TraceFooter");
_Static_assert(RAS_AERO_RECORD_HEADER_SIZE == 8, "spec: RecordHeader");
_Static_assert(RAS_AERO_BLOB_HEADER_SIZE == 16, "spec: BlobHeader");
_Static_assert(RAS_AERO_TOC_HEADER_SIZE == 16, "spec: TOC header");
_Static_assert(RAS_AERO_TOC_ENTRY_SIZE == 32, "spec: Frame entry");

#define AERO_MAGIC_HEADER "AEROGPUT"
#define AERO_MAGIC_FOOTER "AEROGPUF"
#define AERO_MAGIC_TOC    "AEROTOC"
#define AERO_MAGIC_STREAM "ACMD"
#define AERO_MAGIC_ALLOC  "ALOC"
#define AERO_STREAM_WORD  0x444d4341u /* "ACMD" as an opcode */
#define AERO_MAGIC_LAYOUT 0x59414c49u /* "ILAY" */
enum { AERO_MAGIC_SIZE = 8 };         /* of the three of the container; the TOC's ends in NUL */

enum { AERO_STAGE_COMPUTE = 2, AERO_STAGE_EX_MINOR = 3, AERO_ABI_MAJOR = 1 };

/* The members of meta_json that the specification defines. */
struct aero_meta {
    bool object;     /* it is one JSON object */
    const char *why; /* where not */
    size_t fault_at;
    bool has_emulator_version; /* as a string */
    bool has_abi_version;      /* as a number */
    uint64_t abi_version;      /* where it is an integer, else RAS_NONE */
    /* The index of the first frame, which a slice states; 0 if it is not stated. */
    uint64_t first_frame;
    struct ras_bytes first_frame_text; /* its place */
    size_t close_at;                   /* of the object's last brace */
    bool empty;                        /* it has no members */
};
#define AERO_FIRST_FRAME "first_frame_index"
struct aero_meta aero_meta_get(struct ras_bytes meta); /* aerogpu_meta.c */

/* True if the magic follows, or the bytes that are left are a beginning of it. */
bool aero_magic_get(struct in *, const char *magic);
bool aero_magic_begins(struct ras_bytes, const char *magic);

/* The numbers of a structure as they are stored, after its magic: for reading and writing it, for
 * cells, and for comparisons. A table ends with a name NULL. */
enum { AERO_ADDRESS = 1, AERO_NOT_COMPARED = 2 };
struct aero_number {
    const char *name;
    uint16_t at;         /* in the struct */
    uint8_t size, flags; /* 4 or 8 bytes; an AERO_ADDRESS is hexadecimal in reports */
};
extern const struct aero_number aero_header_numbers[], aero_submission_numbers[],
    aero_range_numbers[], aero_stream_numbers[], aero_table_numbers[], aero_alloc_numbers[];

static inline uint64_t aero_number_of(const struct aero_number *n, const void *structure)
{
    const void *at = (const char *)structure + n->at;
    return n->size == sizeof(uint64_t) ? *(const uint64_t *)at : *(const uint32_t *)at;
}

bool aero_footer_get(struct in *, struct ras_aero_footer *);
bool aero_toc_get(struct in *, struct ras_aero_toc *);
void aero_blob_get(struct in *, struct ras_aero_blob *);     /* to the end of `in` */
void aero_packet_get(struct in *, struct ras_aero_packet *); /* to the end of `in` */
bool aero_stream_get(struct in *, struct ras_aero_stream *); /* its 24 bytes */
bool aero_alloc_table_get(struct in *, struct ras_aero_alloc_table *);
void aero_alloc_get(struct in *, struct ras_aero_alloc *);

/* TOC and footer after records that end at `at`; false: out of memory. */
bool aero_seal_put(const struct ras_aero_frame *frames, size_t count, uint32_t container_version,
                   uint64_t at, struct out *);

/* The header of a record, without its payload. */
static inline void aero_record_get(struct in *in, struct ras_aero_record *r)
{
    r->record_type = in_u8(in);
    r->flags = in_u8(in);
    r->reserved = in_u16(in);
    r->payload_len = in_u32(in);
}

/* Record type and payload_len of the eight bytes at p, which must exist. */
static inline uint8_t aero_type_at(const uint8_t *p)
{
    return p[0];
}

static inline uint32_t aero_len_at(const uint8_t *p)
{
    return load_u32(p + 4);
}

static inline void aero_command_get(struct in *in, struct ras_aero_command *c)
{
    c->opcode = in_u32(in);
    c->size_bytes = in_u32(in);
}

static inline uint32_t aero_major(uint32_t abi_version)
{
    return abi_version >> 16;
}

static inline uint32_t aero_minor(uint32_t abi_version)
{
    return abi_version & 0xffff;
}

/* A number of four bytes, which must exist. */
static inline uint32_t aero_word_at(const uint8_t *p)
{
    return load_u32(p);
}

/* A blob id of eight bytes, which must exist. */
static inline uint64_t aero_id_at(const uint8_t *p)
{
    return load_u64(p);
}

static inline void aero_id_put(uint64_t id, uint8_t to[8])
{
    store_u64(to, id);
}

static inline void aero_word_put(uint32_t word, uint8_t to[4])
{
    store_u32(to, word);
}

/* abi_version of the ACMD stream whose header starts at p. */
static inline uint32_t aero_abi_at(const uint8_t *p)
{
    return load_u32(p + 4);
}

/* size_bytes of the ACMD stream that starts here; 0: it cannot be followed. */
static inline uint32_t aero_stream_size(struct ras_bytes b)
{
    if (b.len < RAS_AERO_STREAM_HEADER_SIZE || load_u32(b.at) != AERO_STREAM_WORD)
        return 0;
    uint32_t size = load_u32(b.at + 8);
    bool good = aero_major(aero_abi_at(b.at)) == AERO_ABI_MAJOR && size % 4 == 0 &&
                size >= RAS_AERO_STREAM_HEADER_SIZE && size <= b.len;
    return good ? size : 0;
}

/* Bytes of the command at `at` of a stream; 0: it does not end there, or is malformed. */
static inline uint32_t aero_command_size(struct ras_bytes stream, uint64_t at)
{
    if (stream.len - at < RAS_AERO_COMMAND_HEADER_SIZE)
        return 0;
    uint32_t size = load_u32(stream.at + at + 4);
    bool good = size >= RAS_AERO_COMMAND_HEADER_SIZE && size % 4 == 0 && size <= stream.len - at;
    return good ? size : 0;
}

/* The stream that a submission names; false: the payload is not a valid one. */
static inline bool aero_submission_stream(struct ras_bytes payload, uint64_t *blob_id)
{
    if (payload.len < RAS_AERO_SUBMISSION_SIZE)
        return false;
    uint32_t header_size = load_u32(payload.at + 4);
    uint64_t ranges = (uint64_t)load_u32(payload.at + 48) * RAS_AERO_RANGE_SIZE;
    *blob_id = load_u64(payload.at + 32);
    return header_size >= RAS_AERO_SUBMISSION_SIZE && header_size <= payload.len &&
           ranges <= payload.len - header_size;
}

/* Whether the `len` bytes at p are one packet of Appendix A: total_dwords says so. */
static inline bool aero_is_packet(const uint8_t *p, uint32_t len)
{
    return len >= RAS_AERO_PACKET_HEADER_SIZE && (uint64_t)load_u32(p + 4) * 4 == len &&
           load_u32(p) != AERO_STREAM_WORD;
}

/* Text padded with NUL to a multiple of four. */
static inline size_t aero_text_len(struct ras_bytes b)
{
    while (b.len && !b.at[b.len - 1])
        b.len--;
    return b.len;
}

/* How many bytes, from the first, are zero. */
static inline size_t aero_zeros(struct ras_bytes b)
{
    size_t n = 0;
    while (n < b.len && !b.at[n])
        n++;
    return n;
}

/* Never beyond b. */
static inline struct ras_bytes aero_slice(struct ras_bytes b, uint64_t at, uint64_t len)
{
    if (at > b.len)
        at = b.len;
    if (len > b.len - at)
        len = b.len - at;
    return (struct ras_bytes){b.at ? b.at + at : NULL, (size_t)len};
}
#endif
