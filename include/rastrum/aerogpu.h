/* aerogpu.h - AeroGPU GPU traces, natively: the container, the packets of
 * Appendix A, ACMD command streams and allocation tables, read and written.
 *
 * Everything up to "opened traces" works on memory of the caller: nothing is
 * copied or allocated, and what is returned points into that memory. Names are
 * those of the specification.
 *
 *     struct ras_aero_header header;
 *     struct ras_aero_record record;
 *     int status = ras_aero_header_get(bytes, &header, err);
 *     uint64_t offset = RAS_AERO_HEADER_SIZE + header.meta_len;
 *     while (status == RAS_OK && offset < bytes.len &&
 *            (status = ras_aero_record_get(bytes, &offset, &record, err)) == RAS_OK)
 *         puts(ras_aero_record_name(record.record_type)); */
#ifndef RASTRUM_AEROGPU_H
#define RASTRUM_AEROGPU_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- container ---------------------------------------------------------- */

enum {
    RAS_AERO_HEADER_SIZE = 32,
    RAS_AERO_FOOTER_SIZE = 32,
    RAS_AERO_RECORD_HEADER_SIZE = 8,
    RAS_AERO_BLOB_HEADER_SIZE = 16,
    RAS_AERO_TOC_HEADER_SIZE = 16,
    RAS_AERO_TOC_ENTRY_SIZE = 32,
    RAS_AERO_SUBMISSION_SIZE = 56,
    RAS_AERO_RANGE_SIZE = 32,
    RAS_AERO_PACKET_HEADER_SIZE = 8,
    RAS_AERO_STREAM_HEADER_SIZE = 24,
    RAS_AERO_COMMAND_HEADER_SIZE = 8,
    RAS_AERO_ALLOC_TABLE_HEADER_SIZE = 24,
    RAS_AERO_ALLOC_SIZE = 32,
};

/* TraceHeader, after its magic "AEROGPUT". */
struct ras_aero_header {
    uint32_t header_size, container_version, command_abi_version, flags, meta_len, reserved;
};

/* TraceFooter, after its magic "AEROGPUF". */
struct ras_aero_footer {
    uint32_t footer_size, container_version;
    uint64_t toc_offset, toc_len;
};

/* TOC header, after its magic "AEROTOC\0". */
struct ras_aero_toc {
    uint32_t toc_version, frame_count;
};

/* One frame entry of the TOC. */
struct ras_aero_frame {
    uint32_t frame_index, flags;
    uint64_t start_offset, present_offset, end_offset; /* present_offset 0: missing */
};

enum ras_aero_record_type {
    RAS_AERO_BEGIN_FRAME = 1,
    RAS_AERO_PRESENT = 2,
    RAS_AERO_PACKET = 3,
    RAS_AERO_BLOB = 4,
    RAS_AERO_SUBMISSION = 5, /* container_version 2 */
};

struct ras_aero_record {
    uint8_t record_type, flags;
    uint16_t reserved;
    uint32_t payload_len;
    struct ras_bytes payload;
};

enum ras_aero_blob_kind {
    RAS_AERO_BUFFER_DATA = 1,
    RAS_AERO_TEXTURE_DATA = 2,
    RAS_AERO_SHADER_DXBC = 3,
    RAS_AERO_SHADER_WGSL = 4,
    RAS_AERO_SHADER_GLSL_ES300 = 5,
    RAS_AERO_CMD_STREAM = 0x100, /* from here on: container_version 2 */
    RAS_AERO_ALLOC_TABLE = 0x101,
    RAS_AERO_ALLOC_MEMORY = 0x102,
};

struct ras_aero_blob {
    uint64_t blob_id;
    uint32_t kind, reserved;
    struct ras_bytes data;
};

/* AerogpuSubmission. `ranges` holds memory_range_count entries of 32 bytes. */
struct ras_aero_submission {
    uint32_t record_version, header_size, submit_flags, context_id, engine_id, reserved0;
    uint64_t signal_fence, cmd_stream_blob_id, alloc_table_blob_id;
    uint32_t memory_range_count, reserved1;
    struct ras_bytes ranges;
    struct ras_bytes trailing; /* after the last range */
};

struct ras_aero_range {
    uint32_t alloc_id, flags;
    uint64_t gpa, size_bytes, blob_id;
};

/* The header of a trace. RAS_ECUT: `file` is shorter; RAS_EFORMAT: not this
 * format; RAS_EVERSION: a container version other than 1 and 2. */
RAS_API int ras_aero_header_get(struct ras_bytes file, struct ras_aero_header *header,
                                struct ras_error *err) RAS_CHECKED;
/* meta_json, as far as it is there. */
RAS_API struct ras_bytes ras_aero_meta(struct ras_bytes file, const struct ras_aero_header *header);
/* The footer at the end of a file and the TOC it points to, both within bounds
 * and of a known version; RAS_EFORMAT with the reason otherwise. */
RAS_API int ras_aero_footer_get(struct ras_bytes file, struct ras_aero_footer *footer,
                                struct ras_error *err) RAS_CHECKED;
RAS_API int ras_aero_toc_get(struct ras_bytes file, const struct ras_aero_footer *footer,
                             struct ras_aero_toc *toc, struct ras_error *err) RAS_CHECKED;
/* Entry i of the TOC that ras_aero_toc_get accepted; i < frame_count. */
RAS_API struct ras_aero_frame ras_aero_toc_entry(struct ras_bytes file,
                                                 const struct ras_aero_footer *footer, uint32_t i);

/* The record at *offset; *offset moves past it. `file` ends where the records
 * end (at toc_offset). RAS_END there, RAS_ECUT when the record is not all there. */
RAS_API int ras_aero_record_get(struct ras_bytes file, uint64_t *offset,
                                struct ras_aero_record *record, struct ras_error *err) RAS_CHECKED;
/* What a payload holds; RAS_EFORMAT when it is too small for it. */
RAS_API int ras_aero_frame_index_get(struct ras_bytes payload, uint32_t *frame_index,
                                     struct ras_error *err) RAS_CHECKED;
RAS_API int ras_aero_blob_get(struct ras_bytes payload, struct ras_aero_blob *blob,
                              struct ras_error *err) RAS_CHECKED;
RAS_API int ras_aero_submission_get(struct ras_bytes payload,
                                    struct ras_aero_submission *submission,
                                    struct ras_error *err) RAS_CHECKED;
/* Range i of a submission; i < memory_range_count. */
RAS_API struct ras_aero_range ras_aero_range_at(const struct ras_aero_submission *submission,
                                                uint32_t i);

/* "BeginFrame" ..., "BufferData" ...; NULL when unknown. */
RAS_API const char *ras_aero_record_name(uint32_t record_type);
RAS_API const char *ras_aero_blob_kind_name(uint32_t kind);

/* ---- packets and commands ----------------------------------------------- */

/* A packet of Appendix A. */
struct ras_aero_packet {
    uint32_t opcode, total_dwords;
    struct ras_bytes payload; /* after the two dwords */
};

/* The header of an ACMD command stream. */
struct ras_aero_stream {
    uint32_t abi_version, size_bytes, flags, reserved0, reserved1;
    struct ras_bytes commands; /* after the header, up to size_bytes */
    struct ras_bytes trailing; /* after size_bytes */
};

/* One command of a stream. */
struct ras_aero_command {
    uint32_t opcode, size_bytes;
    struct ras_bytes payload; /* after the two words */
};

/* RAS_EFORMAT unless total_dwords is exactly the payload. */
RAS_API int ras_aero_packet_get(struct ras_bytes payload, struct ras_aero_packet *packet,
                                struct ras_error *err) RAS_CHECKED;
/* Whether a Packet record holds a command stream instead: it starts with "ACMD". */
RAS_API bool ras_aero_is_stream(struct ras_bytes payload);
RAS_API int ras_aero_stream_get(struct ras_bytes bytes, struct ras_aero_stream *stream,
                                struct ras_error *err) RAS_CHECKED;
/* The command at *offset of stream.commands; *offset moves past it. RAS_END
 * after the last one, RAS_EFORMAT where the stream cannot be followed. */
RAS_API int ras_aero_command_get(struct ras_bytes commands, uint64_t *offset,
                                 struct ras_aero_command *command,
                                 struct ras_error *err) RAS_CHECKED;

enum ras_aero_type {
    RAS_AERO_END, /* after the last field */
    RAS_AERO_U8,
    RAS_AERO_U32,
    RAS_AERO_I32,
    RAS_AERO_F32,
    RAS_AERO_U64,
    RAS_AERO_BYTES,
    RAS_AERO_TEXT,   /* UTF-8, padded with NUL */
    RAS_AERO_STRUCT, /* as `item` says */
};

enum ras_aero_field_flags {
    RAS_AERO_RESERVED = 1,  /* zero unless the stream is newer than this table */
    RAS_AERO_STAGE_EX = 2,  /* reserved, unless the stage is compute and the ABI 1.3 or newer */
    RAS_AERO_COUNT64 = 4,   /* the count is a u64 */
    RAS_AERO_HAS_LO = 8,    /* high half of a u64; the low half is before it */
    RAS_AERO_BITS = 16,     /* bits of a float */
    RAS_AERO_ABSENT = 32,   /* not stored in this form: zero */
    RAS_AERO_LIST = 64,     /* `per` values, or as many for each of the count at `count_at` */
    RAS_AERO_COUNTED = 128, /* as many bytes or items as `count_at` says */
    RAS_AERO_LAYOUT = 256,  /* only in a blob that starts with "ILAY" */
};

struct ras_aero_name {
    uint32_t value;
    const char *name;
};

/* One field of a packet or command. */
struct ras_aero_field {
    const char *name;
    const char *alias; /* of what is derived from it: a value's name, a blob id, a float; or NULL */
    const struct ras_aero_name *names; /* ends without a name */
    const struct ras_aero_field *item; /* RAS_AERO_STRUCT: ends with RAS_AERO_END */
    uint8_t type;                      /* enum ras_aero_type */
    uint8_t at;                        /* in the payload, or in the item */
    uint8_t count_at, per;
    uint16_t flags; /* enum ras_aero_field_flags */
    uint8_t item_size;
    uint8_t name_len, alias_len;
};

struct ras_aero_op {
    uint32_t opcode;
    uint32_t size_bytes; /* with its header, without what a count adds */
    const char *name;
    size_t name_len;
    const struct ras_aero_field *fields; /* ends with RAS_AERO_END */
};

/* What a packet of Appendix A, a command of `size_bytes` looks like; NULL when
 * the opcode is unknown. The size distinguishes forms of one opcode. */
RAS_API const struct ras_aero_op *ras_aero_packet_op(uint32_t opcode);
RAS_API const struct ras_aero_op *ras_aero_command_op(uint32_t opcode, uint32_t size_bytes);
/* The i-th row of each table, NULL past the last. */
RAS_API const struct ras_aero_op *ras_aero_packet_op_at(size_t i);
RAS_API const struct ras_aero_op *ras_aero_command_op_at(size_t i);
/* A single number of a payload by its field's name, the bits of a float
 * included. False when there is no such field or the payload ends before it. */
RAS_API bool ras_aero_field_uint(const struct ras_aero_op *op, struct ras_bytes payload,
                                 const char *name, uint64_t *value);
/* The bytes of a field: of a list all its items that are there. */
RAS_API struct ras_bytes ras_aero_field_bytes(const struct ras_aero_op *op,
                                              struct ras_bytes payload, const char *name);

/* ---- allocation tables --------------------------------------------------- */

struct ras_aero_alloc_table {
    uint32_t abi_version, size_bytes, entry_count, entry_stride, reserved0;
    struct ras_bytes entries;
};

struct ras_aero_alloc {
    uint32_t alloc_id, flags;
    uint64_t gpa, size_bytes, reserved0;
};

/* The table of allocations in the bytes of a blob of that kind: its header is checked, its entries
 * are read by ras_aero_alloc_at(). */
RAS_API int ras_aero_alloc_table_get(struct ras_bytes bytes, struct ras_aero_alloc_table *table,
                                     struct ras_error *err) RAS_CHECKED;
/* Entry i; i < entry_count. */
RAS_API struct ras_aero_alloc ras_aero_alloc_at(const struct ras_aero_alloc_table *table,
                                                uint32_t i);

/* ---- blobs by id --------------------------------------------------------- */

struct ras_aero_blobs;

/* Index every Blob record of `file` (borrowed) between the header and the TOC,
 * or where the records stop. Damage ends the index; it is not an error. */
RAS_API int ras_aero_blobs_open(struct ras_aero_blobs **out, struct ras_bytes file,
                                struct ras_error *err) RAS_CHECKED;
RAS_API void ras_aero_blobs_close(struct ras_aero_blobs *blobs); /* NULL is fine */
RAS_API size_t ras_aero_blobs_count(const struct ras_aero_blobs *blobs);
/* The i-th blob, ordered by id and offset; false past the last. */
RAS_API bool ras_aero_blobs_at(const struct ras_aero_blobs *blobs, size_t i,
                               struct ras_aero_blob *blob, uint64_t *offset);
/* The blob of that id whose record is the last one before `before`; RAS_NONE:
 * the last of all. False when there is none. *offset: of its record, if given. */
RAS_API bool ras_aero_blobs_find(const struct ras_aero_blobs *blobs, uint64_t blob_id,
                                 uint64_t before, struct ras_aero_blob *blob, uint64_t *offset);

/* ---- structures to bytes -------------------------------------------------- */

/* The inverse of each get: the fixed bytes of a structure, magic included, with its
 * fields as they are. What follows them (meta, payload, data, ranges, commands,
 * entries) is the caller's to place after. */
RAS_API void ras_aero_header_put(const struct ras_aero_header *header,
                                 uint8_t to[RAS_AERO_HEADER_SIZE]);
RAS_API void ras_aero_footer_put(const struct ras_aero_footer *footer,
                                 uint8_t to[RAS_AERO_FOOTER_SIZE]);
RAS_API void ras_aero_toc_put(const struct ras_aero_toc *toc, uint8_t to[RAS_AERO_TOC_HEADER_SIZE]);
RAS_API void ras_aero_frame_put(const struct ras_aero_frame *frame,
                                uint8_t to[RAS_AERO_TOC_ENTRY_SIZE]);
RAS_API void ras_aero_record_put(const struct ras_aero_record *record,
                                 uint8_t to[RAS_AERO_RECORD_HEADER_SIZE]);
RAS_API void ras_aero_blob_put(const struct ras_aero_blob *blob,
                               uint8_t to[RAS_AERO_BLOB_HEADER_SIZE]);
RAS_API void ras_aero_submission_put(const struct ras_aero_submission *submission,
                                     uint8_t to[RAS_AERO_SUBMISSION_SIZE]);
RAS_API void ras_aero_range_put(const struct ras_aero_range *range,
                                uint8_t to[RAS_AERO_RANGE_SIZE]);
RAS_API void ras_aero_packet_put(const struct ras_aero_packet *packet,
                                 uint8_t to[RAS_AERO_PACKET_HEADER_SIZE]);
RAS_API void ras_aero_stream_put(const struct ras_aero_stream *stream,
                                 uint8_t to[RAS_AERO_STREAM_HEADER_SIZE]);
RAS_API void ras_aero_command_put(const struct ras_aero_command *command,
                                  uint8_t to[RAS_AERO_COMMAND_HEADER_SIZE]);
RAS_API void ras_aero_alloc_table_put(const struct ras_aero_alloc_table *table,
                                      uint8_t to[RAS_AERO_ALLOC_TABLE_HEADER_SIZE]);
RAS_API void ras_aero_alloc_put(const struct ras_aero_alloc *alloc,
                                uint8_t to[RAS_AERO_ALLOC_SIZE]);
/* meta_json as the reference writes it: emulator_version, command_abi_version and,
 * where given, notes. Written when all of it fits into `room` bytes; *size is what it
 * takes either way. RAS_EUSAGE: text that is not UTF-8; RAS_ELIMIT: beyond a u32. */
RAS_API int ras_aero_meta_put(struct ras_bytes emulator_version, uint32_t command_abi_version,
                              const struct ras_bytes *notes, void *to, size_t room, size_t *size,
                              struct ras_error *err) RAS_CHECKED;

/* ---- writing ---------------------------------------------------------------- */

#define RAS_AERO_PAYLOAD_MAX 0xfffffff7u /* of a record, so that with its header it fits a u32 */

/* What a trace begins with. */
struct ras_aero_writer_options {
    size_t struct_size;         /* sizeof, or 0: see docs/abi.md */
    uint32_t container_version; /* 1 or 2 */
    uint32_t command_abi_version;
    struct ras_bytes emulator_version;
    const struct ras_bytes *notes; /* NULL: none */
    /* Where given, stored as it is instead of the two above: one JSON object that has
     * both keys which the specification requires. */
    struct ras_bytes meta_json;
};

/* One memory range of a submission with its content. */
struct ras_aero_memory {
    uint32_t alloc_id, flags;
    uint64_t gpa;
    struct ras_bytes data;
};

/* A submission with everything it refers to. */
struct ras_aero_capture {
    uint32_t submit_flags, context_id, engine_id;
    uint64_t signal_fence;
    struct ras_bytes cmd_stream;
    const struct ras_bytes *alloc_table; /* NULL: none */
    const struct ras_aero_memory *memory;
    uint32_t memory_count;
};

/* Writes a trace to a sink, record by record, with the bytes that the reference writes
 * for the same calls. A call that is refused or cannot be written leaves the sink at
 * the end of the last whole record (a pipe stays failed). Refused are, with RAS_EUSAGE
 * unless configured otherwise: what needs an open frame outside of one, a frame inside
 * another or with the index of the one before, a Present of another index, a blob id
 * that is 0 or taken, an unknown kind; RAS_EUNSUPPORTED: what version 1 lacks;
 * RAS_ELIMIT: a payload beyond RAS_AERO_PAYLOAD_MAX. The sink stays the caller's. */
struct ras_aero_writer;
RAS_API int ras_aero_writer_open(struct ras_aero_writer **out, struct ras_sink *sink,
                                 const struct ras_aero_writer_options *start,
                                 struct ras_error *err) RAS_CHECKED;
RAS_API int ras_aero_writer_begin_frame(struct ras_aero_writer *writer, uint32_t frame_index,
                                        struct ras_error *err) RAS_CHECKED;
/* Closes the frame. */
RAS_API int ras_aero_writer_present(struct ras_aero_writer *writer, uint32_t frame_index,
                                    struct ras_error *err) RAS_CHECKED;
/* The frame ends without a Present: its TOC entry has present_offset 0. Blobs that
 * follow still count as its own, as nothing in the stream marks its end. */
RAS_API int ras_aero_writer_end_frame(struct ras_aero_writer *writer,
                                      struct ras_error *err) RAS_CHECKED;
RAS_API int ras_aero_writer_packet(struct ras_aero_writer *writer, struct ras_bytes packet,
                                   struct ras_error *err) RAS_CHECKED;
/* A blob, in a frame or between frames. *blob_id is 1 for the first one, then counts on
 * from the largest id so far; _as takes the id that the caller chose. */
RAS_API int ras_aero_writer_blob(struct ras_aero_writer *writer, uint32_t kind,
                                 struct ras_bytes data, uint64_t *blob_id,
                                 struct ras_error *err) RAS_CHECKED;
RAS_API int ras_aero_writer_blob_as(struct ras_aero_writer *writer, uint64_t blob_id, uint32_t kind,
                                    struct ras_bytes data, struct ras_error *err) RAS_CHECKED;
/* Its blobs (stream, table, memory), then the submission that names them: all of them
 * or none. */
RAS_API int ras_aero_writer_capture(struct ras_aero_writer *writer,
                                    const struct ras_aero_capture *capture,
                                    struct ras_error *err) RAS_CHECKED;
/* A submission whose blobs were written before. Of `submission` are taken submit_flags,
 * context_id, engine_id, signal_fence, the two blob ids and memory_range_count, which
 * counts `ranges`. */
RAS_API int ras_aero_writer_submission(struct ras_aero_writer *writer,
                                       const struct ras_aero_submission *submission,
                                       const struct ras_aero_range *ranges,
                                       struct ras_error *err) RAS_CHECKED;
/* Frames begun so far. */
RAS_API uint32_t ras_aero_writer_count(const struct ras_aero_writer *writer);
/* TOC and footer. RAS_EUSAGE while a frame is open; afterwards nothing can be written. */
RAS_API int ras_aero_writer_finish(struct ras_aero_writer *writer,
                                   struct ras_error *err) RAS_CHECKED;
/* Flush what was written to the sink; free in any case. A trace that was not finished
 * stays without TOC and footer: every record of it can be read. NULL is fine. */
RAS_API int ras_aero_writer_close(struct ras_aero_writer *writer,
                                  struct ras_error *err) RAS_CHECKED;

/* ---- opened traces -------------------------------------------------------- */

/* The same for a trace opened with ras_open: built by a full scan at first use.
 * The blob is borrowed until the trace is closed or grows. RAS_END: no such id;
 * RAS_EUSAGE: not an AeroGPU container. */
RAS_API int ras_aero_blob(struct ras_trace *trace, uint64_t blob_id, struct ras_aero_blob *blob,
                          struct ras_error *err) RAS_CHECKED;
/* The i-th of all, ordered by id and offset; RAS_END past the last. */
RAS_API int ras_aero_blob_at(struct ras_trace *trace, size_t i, struct ras_aero_blob *blob,
                             uint64_t *offset, struct ras_error *err) RAS_CHECKED;

/* ---- what commands make of bytes -------------------------------------------- */

struct ras_gpu;     /* gpu.h */
struct ras_picture; /* render.h */

/* A resource: by its handle, as it is after a frame or at the end of the trace; or the one that a
 * blob is brought into by a command (a buffer of Appendix A) or a submission (memory). */
struct ras_aero_resource_options {
    size_t struct_size;        /* sizeof, or 0: see docs/abi.md */
    const struct ras_gpu *gpu; /* executes the trace: ras_gpu() of librastrum-gpu */
    bool by_blob;
    uint64_t id; /* handle or blob_id */
    bool has_frame;
    uint64_t frame;
};

enum { RAS_AERO_NAME = 32, RAS_AERO_ATTRIBUTES = 32 };

struct ras_aero_attribute {
    char name[RAS_AERO_NAME]; /* "POSITION0", or "position" and "color" where there is no layout */
    uint32_t offset, components;
    bool integer, negative; /* integers, that may be negative; else floats */
    bool per_instance;
    const void *format; /* private */
    uint64_t reserved[2];
};

/* A vertex buffer as a draw reads it: the first draw after a blob came in, else the last one. */
struct ras_aero_vertices {
    uint32_t handle, stride;
    uint64_t draw_offset;   /* of the draw, in the file */
    uint64_t buffer_offset; /* of vertex 0 in the buffer */
    uint64_t first, count;  /* vertices: the first row is that vertex */
    uint32_t attribute_count;
    struct ras_aero_attribute attributes[RAS_AERO_ATTRIBUTES];
    uint8_t *bytes;            /* private: from vertex 0 on */
    const struct ras_gpu *gpu; /* as in ras_aero_resource_options */
};

/* The trace is executed by the software back end; options->gpu NULL: RAS_EUNSUPPORTED. RAS_EFORMAT
 * with the reason: nothing says how bytes are to be read. What is handed out is to be freed. */
RAS_API int ras_aero_vertices(struct ras_aero_vertices **out, struct ras_trace *trace,
                              const struct ras_aero_resource_options *options,
                              struct ras_error *err) RAS_CHECKED;
/* row < count, attribute < attribute_count, component < components. */
RAS_API double ras_aero_vertex_number(const struct ras_aero_vertices *vertices, uint64_t row,
                                      uint32_t attribute, uint32_t component);
RAS_API void ras_aero_vertices_free(struct ras_aero_vertices *vertices); /* NULL is fine */
/* The first level and layer of a texture; to be freed by ras_picture_free(). *inexact: a command
 * that was not executed may have changed it. RAS_EUNSUPPORTED: it has no colors. */
RAS_API int ras_aero_texture(struct ras_picture *out, bool *inexact, struct ras_trace *trace,
                             const struct ras_aero_resource_options *options,
                             struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
