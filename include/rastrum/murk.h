/* murk.h - Murk replay v3, natively: bytes to structures and nothing lost.
 *
 * Everything here works on caller memory, allocates nothing and keeps no state.
 * A `get` reads one structure from the front of `bytes`, says how many bytes it
 * took, and otherwise what is wrong and where. Spans point into the input.
 *
 *     struct ras_murk_header header;
 *     struct ras_murk_frame frame;
 *     struct ras_murk_fault fault;
 *     struct ras_bytes rest = bytes;
 *     uint64_t size = ras_murk_header_get(rest, &header, &fault) ? header.size : rest.len;
 *     while (size < rest.len) {
 *         rest = (struct ras_bytes){rest.at + size, rest.len - size};
 *         if (!ras_murk_frame_get(rest, &frame, &fault))
 *             break;
 *         printf("tick %" PRIu64 ": %" PRIu32 " commands\n", frame.tick_id, frame.command_count);
 *         size = frame.size;
 *     } */
#ifndef RASTRUM_MURK_H
#define RASTRUM_MURK_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAS_MURK_VERSION      3u
#define RAS_MURK_STRING_MAX   1048576u  /* bytes of a header string */
#define RAS_MURK_BYTES_MAX    67108864u /* bytes of a payload or the space descriptor */
#define RAS_MURK_COMMANDS_MAX 1000000u  /* commands of one frame */
#define RAS_MURK_HEADER_MIN   53u       /* four empty strings, an empty descriptor */
#define RAS_MURK_FRAME_MIN    20u       /* no commands */
#define RAS_MURK_COMMAND_MIN  24u       /* no payload, no source */

/* What can be wrong. Truncation is a state of its own: it is never mixed up with
 * malformed bytes. */
enum ras_murk_fault_code {
    RAS_MURK_OK,
    RAS_MURK_CUT,             /* the bytes end inside the structure */
    RAS_MURK_BAD_MAGIC,       /* not "MURK" */
    RAS_MURK_BAD_VERSION,     /* number: the version found */
    RAS_MURK_LONG_STRING,     /* number: its length */
    RAS_MURK_BAD_UTF8,        /* number: index of the first bad byte */
    RAS_MURK_LONG_BYTES,      /* number: its length */
    RAS_MURK_MANY_COMMANDS,   /* number: the count */
    RAS_MURK_BAD_ID_FLAG,     /* number: the flag of source_id */
    RAS_MURK_BAD_SEQ_FLAG,    /* number: the flag of source_seq */
    RAS_MURK_UNKNOWN_PAYLOAD, /* number: the tag; typed decoding only */
    RAS_MURK_SHORT_PAYLOAD,   /* number: payload bytes there are; typed decoding only */
};

struct ras_murk_fault {
    enum ras_murk_fault_code code;
    uint64_t offset;   /* of the offending field, from the front of `bytes` */
    uint64_t number;   /* see above */
    const char *field; /* the specification's name of what was being read */
};

/* The error kind the reference implementation reports: "Io", "InvalidMagic",
 * "UnsupportedVersion", "MalformedFrame" or "UnknownPayloadType"; "" when ok. */
RAS_API const char *ras_murk_kind(const struct ras_murk_fault *fault);
/* One line in `text`, with the numbers. Returns text. */
RAS_API const char *ras_murk_text(const struct ras_murk_fault *fault, char *text, size_t room);

struct ras_murk_header {
    uint8_t version;
    struct ras_bytes toolchain, target_triple, murk_version, compile_flags; /* UTF-8 */
    uint64_t seed, config_hash;
    uint32_t field_count;
    uint64_t cell_count;
    struct ras_bytes space_descriptor;
    uint64_t size; /* bytes it takes */
};

enum ras_murk_payload_type {
    RAS_MURK_MOVE,
    RAS_MURK_SPAWN,
    RAS_MURK_DESPAWN,
    RAS_MURK_SET_FIELD,
    RAS_MURK_CUSTOM,
    RAS_MURK_SET_PARAMETER,
    RAS_MURK_SET_PARAMETER_BATCH,
    RAS_MURK_PAYLOAD_TYPES,
};

struct ras_murk_command {
    uint8_t payload_type; /* as found: may be unknown */
    uint8_t priority_class;
    bool has_source_id, has_source_seq;
    struct ras_bytes payload;
    uint64_t source_id, source_seq; /* 0 where absent */
    uint64_t expires_after_tick, arrival_seq;
    uint64_t size; /* bytes it takes */
};

struct ras_murk_frame {
    uint64_t tick_id;
    uint32_t command_count;
    struct ras_bytes commands; /* command_count of them, judged whole */
    uint64_t snapshot_hash;
    uint64_t size; /* bytes it takes */
};

/* A payload by its own fields; which of them hold depends on the type. Floats
 * are bit patterns, so that every NaN survives. */
struct ras_murk_payload {
    uint64_t entity_id;            /* Move, Despawn */
    struct ras_bytes coord;        /* Move, Spawn, SetField: 4 bytes a component, i32 */
    uint32_t field_id;             /* SetField */
    uint32_t value_f32;            /* SetField */
    struct ras_bytes field_values; /* Spawn: 8 bytes each: u32 field_id, f32 value */
    uint32_t type_id;              /* Custom */
    struct ras_bytes data;         /* Custom */
    uint32_t key;                  /* SetParameter */
    uint64_t value_f64;            /* SetParameter */
    struct ras_bytes params;       /* SetParameterBatch: 12 bytes each: u32 key, f64 value */
    uint64_t trailing;             /* payload bytes after the last field */
};

/* True when there is a whole header at the front of bytes. */
RAS_API bool ras_murk_header_get(struct ras_bytes bytes, struct ras_murk_header *header,
                                 struct ras_murk_fault *fault);
/* A frame with all its commands; payloads are not decoded. No bytes at all
 * is RAS_MURK_CUT at offset 0: check the length first to recognise a clean end. */
RAS_API bool ras_murk_frame_get(struct ras_bytes bytes, struct ras_murk_frame *frame,
                                struct ras_murk_fault *fault);
RAS_API bool ras_murk_command_get(struct ras_bytes bytes, struct ras_murk_command *command,
                                  struct ras_murk_fault *fault);
/* The typed second step; fault->offset counts from the front of the payload. */
RAS_API bool ras_murk_payload_get(uint8_t payload_type, struct ras_bytes bytes,
                                  struct ras_murk_payload *payload, struct ras_murk_fault *fault);

/* A frame in one pass, each command typed as it comes: open, next command_count
 * times, close. Nothing is known of the frame's end before close, so whoever must
 * not act on half a frame uses ras_murk_frame_get(). Offsets of faults count from
 * the front of the bytes given to open. */
struct ras_murk_walk {
    uint64_t tick_id;
    uint32_t command_count;
    uint32_t left;         /* commands not yet read */
    struct ras_bytes rest; /* bytes not yet read */
    const uint8_t *front;
};
RAS_API bool ras_murk_walk_open(struct ras_bytes bytes, struct ras_murk_walk *walk,
                                struct ras_murk_fault *fault);
/* False with walk->left counted down when only the payload is bad: the walk may go
 * on; otherwise the frame cannot be followed. */
RAS_API bool ras_murk_walk_next(struct ras_murk_walk *walk, struct ras_murk_command *command,
                                struct ras_murk_payload *payload, struct ras_murk_fault *fault);
/* The hash after the last command, and the bytes the frame takes. */
RAS_API bool ras_murk_walk_close(struct ras_murk_walk *walk, struct ras_murk_frame *frame,
                                 struct ras_murk_fault *fault);
/* "Move", "Spawn", ...; NULL for an unknown tag. */
RAS_API const char *ras_murk_payload_name(uint8_t payload_type);

/* ---- writing ------------------------------------------------------------ */

/* Each `put` writes the structure to `to` when all of it fits into `room` bytes, and
 * sets *size to what it takes either way. False when it cannot be represented: the
 * reader's limits hold for the writer too, and nothing is written then. */
RAS_API bool ras_murk_header_put(const struct ras_murk_header *header, void *to, size_t room,
                                 size_t *size, struct ras_murk_fault *fault);
RAS_API bool ras_murk_frame_put(uint64_t tick_id, const struct ras_murk_command *commands,
                                uint32_t command_count, uint64_t snapshot_hash, void *to,
                                size_t room, size_t *size, struct ras_murk_fault *fault);
/* The bytes of a payload from its fields: what ras_murk_payload_get() takes apart. */
RAS_API bool ras_murk_payload_put(uint8_t payload_type, const struct ras_murk_payload *payload,
                                  void *to, size_t room, size_t *size,
                                  struct ras_murk_fault *fault);

/* Writes a replay to a sink, frame by frame. A frame that is refused or cannot be
 * written leaves the sink at the last frame boundary (a pipe stays failed). The sink
 * stays the caller's, who closes it and so learns whether all reached the disk. */
struct ras_murk_writer;
RAS_API int ras_murk_writer_open(struct ras_murk_writer **out, struct ras_sink *sink,
                                 const struct ras_murk_header *header,
                                 struct ras_error *err) RAS_CHECKED;
RAS_API int ras_murk_writer_frame(struct ras_murk_writer *writer, uint64_t tick_id,
                                  const struct ras_murk_command *commands, uint32_t command_count,
                                  uint64_t snapshot_hash, struct ras_error *err) RAS_CHECKED;
/* Frames written so far. */
RAS_API uint64_t ras_murk_writer_count(const struct ras_murk_writer *writer);
/* Flush what was written to the sink; free in any case. NULL is fine. */
RAS_API int ras_murk_writer_close(struct ras_murk_writer *writer,
                                  struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
