/* dial9.h - read and write dial9-trace-format ("TRC") streams, version 1.
 *
 * A reader walks the frames of a stream that lies in the caller's memory, in
 * the words of the specification: every frame kind, every field type, pools and
 * annotations, nothing resolved or dropped. A stream may hold several headers;
 * each one starts a batch: type ids, pool ids and the timestamp base mean
 * something only within it.
 *
 * All spans point into the caller's memory. What a reader hands out is borrowed
 * until the next call on it.
 *
 *     struct ras_dial9 *reader;
 *     struct ras_dial9_frame frame;
 *     uint64_t events = 0;
 *     int status = ras_dial9_open(&reader, bytes.at, bytes.len, NULL, err);
 *     while (status == RAS_OK && (status = ras_dial9_next(reader, &frame, err)) == RAS_OK)
 *         events += frame.tag == RAS_DIAL9_EVENT;
 *     ras_dial9_close(reader); */
#ifndef RASTRUM_DIAL9_H
#define RASTRUM_DIAL9_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RAS_DIAL9_HEADER_SIZE 5u
#define RAS_DIAL9_VERSION     1u

enum ras_dial9_tag {
    RAS_DIAL9_SCHEMA = 1,
    RAS_DIAL9_EVENT = 2,
    RAS_DIAL9_STRING_POOL = 3,
    RAS_DIAL9_STACK_POOL = 4, /* not in the published text */
    RAS_DIAL9_TIMESTAMP_RESET = 5,
    RAS_DIAL9_SCHEMA_ANNOTATIONS = 6, /* not in the published text */
    RAS_DIAL9_HEADER = 0x54,          /* the 'T' of a header */
};

/* Field types. 6, 14, 15 and the optional bit are not in the published text. */
enum ras_dial9_type {
    RAS_DIAL9_I64 = 1,
    RAS_DIAL9_F64 = 2,
    RAS_DIAL9_BOOL = 3,
    RAS_DIAL9_STRING = 4,
    RAS_DIAL9_BYTES = 5,
    RAS_DIAL9_POOLED_STACK_FRAMES = 6,
    RAS_DIAL9_POOLED_STRING = 7,
    RAS_DIAL9_STACK_FRAMES = 8,
    RAS_DIAL9_VARINT = 9,
    RAS_DIAL9_STRING_MAP = 10,
    RAS_DIAL9_U8 = 11,
    RAS_DIAL9_U16 = 12,
    RAS_DIAL9_U32 = 13,
    RAS_DIAL9_DYNAMIC_LIST = 14,
    RAS_DIAL9_DYNAMIC_MAP = 15,
};
#define RAS_DIAL9_OPTIONAL 0x80u /* bit of a field type: a presence byte comes first */

/* "Varint", "PooledString", "Optional Varint" ...: the specification's name of a
 * field type; NULL for a type that does not exist. */
RAS_API const char *ras_dial9_type_name(unsigned type);

enum ras_dial9_dialect {
    RAS_DIAL9_FULL, /* all that public encoders write */
    RAS_DIAL9_SEED, /* the published text and nothing else */
};

struct ras_dial9_field {
    const char *name; /* UTF-8, NUL-terminated; RAS_NAME_NUL represents a NUL within it */
    uint8_t type;     /* enum ras_dial9_type | RAS_DIAL9_OPTIONAL */
};

/* What a Schema frame registers. Lives as long as the reader. */
struct ras_dial9_schema {
    const char *name;
    const struct ras_dial9_field *fields;
    uint16_t field_count;
    bool has_timestamp;
};

/* One field of an event, 16 bytes. Pool ids are not resolved. */
struct ras_dial9_value {
    uint8_t type;   /* enum ras_dial9_type; 0: an absent optional */
    uint8_t made;   /* 1: a container to be written, with `items`; see ras_dial9_made() */
    uint16_t field; /* index into the schema's fields; 0 inside containers */
    uint32_t
        count; /* String, Bytes: bytes; StackFrames: addresses; containers: elements or pairs */
    union {
        uint64_t u;        /* Varint, U8, U16, U32, Bool (0 or 1), pool ids */
        int64_t i;         /* I64 */
        double f64;        /* F64, bit for bit */
        const uint8_t *at; /* String, Bytes, StackFrames, StringMap, DynamicList, DynamicMap */
        const struct ras_dial9_value *items; /* of a container that is `made` */
    };
};

struct ras_dial9_event {
    uint64_t offset;  /* of its frame */
    uint64_t time_ns; /* base + delta; the current base when the schema has no timestamp */
    const struct ras_dial9_schema *schema;
    const struct ras_dial9_value *values; /* schema->field_count of them */
    uint32_t size;                        /* bytes of its frame */
    uint16_t type_id;
};

/* What is left to take of a frame's entries or of a container's elements. */
struct ras_dial9_items {
    const uint8_t *at, *end;
    uint64_t left;
    uint8_t type; /* of the container, or a frame's tag */
};

struct ras_dial9_registration {
    const struct ras_dial9_schema *schema;
    bool again; /* registered before in this batch, identically */
};

struct ras_dial9_frame {
    uint8_t tag;      /* enum ras_dial9_tag */
    uint32_t batch;   /* headers up to here, less one */
    uint64_t offset;  /* of its first byte */
    uint64_t type_id; /* SCHEMA, EVENT; SCHEMA_ANNOTATIONS may store more than 16 bits */
    struct ras_bytes raw;
    union {
        uint8_t version;                          /* HEADER */
        struct ras_dial9_registration registered; /* SCHEMA */
        struct ras_dial9_event event;             /* EVENT */
        struct ras_dial9_items entries;           /* STRING_POOL, STACK_POOL, SCHEMA_ANNOTATIONS */
        uint64_t timestamp_ns;                    /* TIMESTAMP_RESET */
    };
};

struct ras_dial9_stack {
    const uint8_t *at; /* count little-endian u64, leaf first, unaligned */
    uint32_t count;
};

struct ras_dial9_annotation {
    uint16_t field_index;
    struct ras_bytes key, value;
};

struct ras_dial9_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    enum ras_dial9_dialect dialect;
    struct ras_limits limits; /* depth, pool_bytes and record_bytes are used */
};

struct ras_dial9;

/* Read the stream in `bytes` (borrowed until close). `options` may be NULL.
 * RAS_EFORMAT, RAS_EVERSION or RAS_ECUT when it does not start with a header. */
RAS_API int ras_dial9_open(struct ras_dial9 **out, const void *bytes, size_t size,
                           const struct ras_dial9_options *options,
                           struct ras_error *err) RAS_CHECKED;
RAS_API void ras_dial9_close(struct ras_dial9 *reader); /* NULL is fine */
/* The stream has grown to `size` bytes, now at `bytes`. */
RAS_API void ras_dial9_extend(struct ras_dial9 *reader, const void *bytes, size_t size);
/* Where the next frame starts, and the timestamp base there. */
RAS_API uint64_t ras_dial9_offset(const struct ras_dial9 *reader);
RAS_API uint64_t ras_dial9_base_ns(const struct ras_dial9 *reader);

/* The next frame, the first header included: RAS_OK, RAS_END at the end of the
 * bytes, RAS_ECUT inside a frame, RAS_EFORMAT or RAS_ELIMIT with the offset of
 * the frame that cannot be followed. After a failure the reader is where it
 * was before. */
RAS_API int ras_dial9_next(struct ras_dial9 *reader, struct ras_dial9_frame *frame,
                           struct ras_error *err) RAS_CHECKED;

/* Called for every event; anything but 0 stops the visit. */
typedef int ras_dial9_visitor(void *user, const struct ras_dial9_event *event);
/* Visit every event that is left, with all its fields: the fastest way through
 * a stream. RAS_END, RAS_OK when the visitor stopped it, or as ras_dial9_next. */
RAS_API int ras_dial9_visit(struct ras_dial9 *reader, ras_dial9_visitor *visitor, void *user,
                            struct ras_error *err) RAS_CHECKED;

/* What an id means at the reader's position: the last definition before it in
 * the batch. False (NULL): none. */
RAS_API bool ras_dial9_string(const struct ras_dial9 *reader, uint32_t pool_id,
                              struct ras_bytes *text);
RAS_API bool ras_dial9_stack(const struct ras_dial9 *reader, uint32_t pool_id,
                             struct ras_dial9_stack *stack);
RAS_API const struct ras_dial9_schema *ras_dial9_schema(const struct ras_dial9 *reader,
                                                        uint16_t type_id);

/* The entries of a pool or annotations frame, one a call; false when none is left. */
RAS_API bool ras_dial9_next_string(struct ras_dial9_items *entries, uint32_t *pool_id,
                                   struct ras_bytes *text);
RAS_API bool ras_dial9_next_stack(struct ras_dial9_items *entries, uint32_t *pool_id,
                                  struct ras_dial9_stack *stack);
RAS_API bool ras_dial9_next_annotation(struct ras_dial9_items *entries,
                                       struct ras_dial9_annotation *annotation);

/* The elements of a StackFrames (as Varint), StringMap (key, value, ...),
 * DynamicList or DynamicMap (key, value, ...) that a reader handed out. */
RAS_API struct ras_dial9_items ras_dial9_items(const struct ras_dial9 *reader,
                                               const struct ras_dial9_value *container);
RAS_API bool ras_dial9_next_item(struct ras_dial9_items *items, struct ras_dial9_value *value);
RAS_API uint64_t ras_dial9_address(const struct ras_dial9_stack *stack, uint32_t i);

/* ---- writing -------------------------------------------------------------- */

/* A writer encodes one thread's events. What it is given is checked before anything
 * is written: a call that fails leaves the stream as it was, at the end of a frame.
 * RAS_EUSAGE: not what the schema says; RAS_ELIMIT: more than a length or an id can
 * say, or than the limits allow; RAS_EFORMAT: not UTF-8; RAS_EUNSUPPORTED: not in the
 * dialect. */
struct ras_dial9_writer;

struct ras_dial9_writer_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    enum ras_dial9_dialect dialect;
    struct ras_limits limits; /* depth, pool_bytes and record_bytes are used */
    size_t room;              /* bytes to buffer; 0: 64 KiB */
};

/* Begin a stream with its header. Frames are buffered and go to the sink when `room`
 * is full; where that fails the sink is taken back to the last whole frame it had (a
 * pipe stays failed), what is buffered is kept, and a later call tries again. The
 * sink stays the caller's. Without one (NULL) the buffer grows, and
 * ras_dial9_writer_append() empties it. */
RAS_API int ras_dial9_writer_open(struct ras_dial9_writer **out, struct ras_sink *sink,
                                  const struct ras_dial9_writer_options *options,
                                  struct ras_error *err) RAS_CHECKED;
/* Hand the rest to the sink and flush it; free in any case. NULL is fine. */
RAS_API int ras_dial9_writer_close(struct ras_dial9_writer *writer,
                                   struct ras_error *err) RAS_CHECKED;

/* Hand what is buffered to the sink and flush it: whole frames all. */
RAS_API int ras_dial9_writer_flush(struct ras_dial9_writer *writer,
                                   struct ras_error *err) RAS_CHECKED;

/* The id of a schema in this stream; it is registered unless it is already. */
RAS_API int ras_dial9_writer_schema(struct ras_dial9_writer *writer,
                                    const struct ras_dial9_schema *schema, uint16_t *type_id,
                                    struct ras_error *err) RAS_CHECKED;
/* Register a schema under an id of the caller's, also again; another schema under the
 * same id is refused for as long as the batch lasts. */
RAS_API int ras_dial9_writer_schema_as(struct ras_dial9_writer *writer, uint16_t type_id,
                                       const struct ras_dial9_schema *schema,
                                       struct ras_error *err) RAS_CHECKED;
/* Say something of the fields of a type: one frame. The type need not be registered,
 * but if it is, it must have these fields. */
RAS_API int ras_dial9_writer_annotate(struct ras_dial9_writer *writer, uint64_t type_id,
                                      const struct ras_dial9_annotation *annotations,
                                      uint16_t count, struct ras_error *err) RAS_CHECKED;

/* The id of a string or a stack in this batch's pool; it is defined unless it is
 * already. Stacks are leaf first. Good until the batch ends. */
RAS_API int ras_dial9_writer_string(struct ras_dial9_writer *writer, struct ras_bytes text,
                                    uint32_t *pool_id, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_dial9_writer_stack(struct ras_dial9_writer *writer, const uint64_t *addresses,
                                   uint32_t count, uint32_t *pool_id,
                                   struct ras_error *err) RAS_CHECKED;

/* Pool entries under ids of the caller's, in one frame; an id that was defined before
 * refers to the new entry from here on. */
struct ras_dial9_string_entry {
    uint32_t pool_id;
    struct ras_bytes text;
};
struct ras_dial9_stack_entry {
    uint32_t pool_id;
    struct ras_dial9_stack stack;
};
RAS_API int ras_dial9_writer_strings(struct ras_dial9_writer *writer,
                                     const struct ras_dial9_string_entry *entries, uint32_t count,
                                     struct ras_error *err) RAS_CHECKED;
RAS_API int ras_dial9_writer_stacks(struct ras_dial9_writer *writer,
                                    const struct ras_dial9_stack_entry *entries, uint32_t count,
                                    struct ras_error *err) RAS_CHECKED;

/* One event: a value of its own type for each field of the schema, type 0 for an
 * absent optional. A Timestamp Reset goes before it where the specification wants
 * one. time_ns means nothing where the schema has no timestamp. `field` is not looked
 * at; a pool id need not be defined. */
RAS_API int ras_dial9_writer_event(struct ras_dial9_writer *writer, uint16_t type_id,
                                   uint64_t time_ns, const struct ras_dial9_value *values,
                                   uint16_t count, struct ras_error *err) RAS_CHECKED;

/* A StringMap, DynamicList or DynamicMap to be written: `count` elements, or pairs of
 * key and value one after the other. What a reader hands out, stored bytes without
 * an end, is refused. */
static inline struct ras_dial9_value ras_dial9_made(enum ras_dial9_type type,
                                                    const struct ras_dial9_value *items,
                                                    uint32_t count)
{
    struct ras_dial9_value value = {(uint8_t)type, 1, 0, count, {0}};
    value.items = items;
    return value;
}

/* Begin another batch in this stream: pool ids and the timestamp base are forgotten.
 * Types keep their ids, and are registered again with their first event. */
RAS_API int ras_dial9_writer_batch(struct ras_dial9_writer *writer,
                                   struct ras_error *err) RAS_CHECKED;
/* For a writer without a sink: append its batch, if there is more to it than a header,
 * and begin another. Each thread has a writer; a lock of the caller's lets one at a
 * time append to the sink that they share. When it fails the batch is kept and goes
 * on. Streams of the seed dialect have one batch: nothing can be added after it. */
RAS_API int ras_dial9_writer_append(struct ras_dial9_writer *writer, struct ras_sink *sink,
                                    struct ras_error *err) RAS_CHECKED;
/* What is buffered, whole frames all; good until the next call. */
RAS_API struct ras_bytes ras_dial9_writer_bytes(const struct ras_dial9_writer *writer);
/* Events written so far. */
RAS_API uint64_t ras_dial9_writer_count(const struct ras_dial9_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
