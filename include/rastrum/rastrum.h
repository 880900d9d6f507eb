/* rastrum.h - read, check and show binary traces of several formats.
 *
 * A trace is opened from a path, a descriptor or memory; a cursor walks its
 * records in order. Records and values are borrowed: they live until the next
 * call on the same cursor. No function here prints, exits or keeps globals.
 *
 * What a function called open or new, or a verb, hands out is the caller's to close
 * or free. Every other pointer is borrowed from the object it was asked of, and lives
 * as long as that unless its comment says otherwise. An object belongs to one thread
 * at a time, a trace together with its cursors: open twice to go parallel. Calls that
 * share no object may run at the same time; constant tables are for any thread.
 *
 * Large files are mapped: when another process shrinks one while it
 * is read, the system raises SIGBUS. The library installs no handler.
 *
 *     struct ras_cursor *cursor = NULL;
 *     const struct ras_record *record;
 *     int status = ras_open(&trace, "run.murk", NULL, err);
 *     if (status == RAS_OK)
 *         status = ras_cursor_open(&cursor, trace, NULL, err);
 *     while (status == RAS_OK && (status = ras_next(cursor, &record, err)) == RAS_OK)
 *         puts(ras_schema_of(cursor)->name);
 *     if (status < 0)
 *         fprintf(stderr, "%s\n", err->text);
 *     else if (ras_ending(trace).kind >= RAS_CUT)
 *         fprintf(stderr, "cut: %s\n", ras_ending(trace).why);
 *     ras_cursor_close(cursor);
 *     ras_close(trace); */
#ifndef RASTRUM_H
#define RASTRUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records have the layout of a 64-bit machine, which WebAssembly shares. */
#if UINTPTR_MAX < UINT64_MAX && !defined(__wasm__)
#error "Rastrum needs a 64-bit machine: 32-bit ones align 64-bit numbers otherwise"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What is deprecated is declared with RAS_DEPRECATED("use ras_other()"): the compiler warns and
 * names the replacement. A program that must go on using it defines RAS_NO_DEPRECATED before it
 * includes this. See docs/abi.md. */
#if defined(__GNUC__)
#define RAS_API     __attribute__((visibility("default")))
#define RAS_CHECKED __attribute__((warn_unused_result))
#else
#define RAS_API
#define RAS_CHECKED
#endif
#if defined(__GNUC__) && !defined(RAS_NO_DEPRECATED)
#define RAS_DEPRECATED(text) __attribute__((deprecated(text)))
#else
#define RAS_DEPRECATED(text)
#endif

#ifdef __cplusplus
#define RAS_SIZE(type, size) static_assert(sizeof(type) == size, #type)
#else
#define RAS_SIZE(type, size) _Static_assert(sizeof(type) == size, #type)
#endif

/* The version of these headers: as a number, major * 10000 + minor * 100 + patch. */
#define RAS_VERSION_MAJOR  1
#define RAS_VERSION_MINOR  0
#define RAS_VERSION_PATCH  0
#define RAS_VERSION_NUMBER (RAS_VERSION_MAJOR * 10000 + RAS_VERSION_MINOR * 100 + RAS_VERSION_PATCH)

/* The version of the library this program runs with, e.g. "1.0.0" or "1.0.0-rc1", and as a number.
 * A library of the same major version that is not older than the headers will do: docs/abi.md. */
RAS_API const char *ras_version(void);
RAS_API unsigned ras_version_number(void);

/* ---- outcome ---------------------------------------------------------- */

/* Zero and above: the call did its work. Below zero: it did not. */
enum ras_status {
    RAS_OK = 0,
    RAS_END = 1,  /* no more records; ras_ending() says why */
    RAS_WAIT = 2, /* none yet: the source is still being written */

    RAS_EIO = -1,          /* the operating system refused */
    RAS_EFORMAT = -2,      /* the bytes contradict the specification */
    RAS_EVERSION = -3,     /* a version this build does not read */
    RAS_ELIMIT = -4,       /* a length beyond struct ras_limits */
    RAS_EMEMORY = -5,      /* out of memory */
    RAS_EUSAGE = -6,       /* the caller broke the contract */
    RAS_EUNSUPPORTED = -7, /* well-formed, but this format cannot do that */
    RAS_ECUT = -8,         /* the bytes end before the header is whole */
    RAS_EREFUSED = -9,     /* the format's own tool refuses this, in these words */
    RAS_ENOTHING = -10,    /* nothing was compared, or nothing is there to show */
    RAS_ENAME = -11,       /* an unknown name: the text has those that are near */
    RAS_ECANCELED = -12,   /* a ras_progress callback returned false */
};

/* A status in words: "out of memory", "the bytes contradict the specification"; never NULL. */
RAS_API const char *ras_status_text(int status);

#define RAS_NONE UINT64_MAX /* no such offset, record or number */

/* What an error is about, where a caller can say more: in which input it is, or what lists the
 * valid names. */
enum ras_error_about {
    RAS_ABOUT_NOTHING,   /* no more than its status says */
    RAS_ABOUT_STREAM,    /* there is no such stream */
    RAS_ABOUT_FUNCTION,  /* there is no such function */
    RAS_ABOUT_RECIPE,    /* the recipe of a world is wrong */
    RAS_ABOUT_NO_RECIPE, /* there is none: another is needed, or a world */
    RAS_ABOUT_REPLAY,    /* the replay whose commands are executed */
    RAS_ABOUT_STATE,     /* the state that is restored */
    RAS_ABOUT_TABLE,     /* there is no such table of statistics */
};

/* Filled on failure, if given. Owned by the caller; never allocates. Here and elsewhere `reserved`
 * is room for later versions: zero, whoever fills the struct. */
struct ras_error {
    int status;
    int os_errno;
    uint64_t offset; /* of the offending byte, or RAS_NONE */
    int about;       /* enum ras_error_about */
    char text[240];  /* one line, no newline, no trailing period */
    uint64_t reserved[2];
};

/* How the bytes of a trace end. A crash leaves RAS_CUT or RAS_UNSEALED: both
 * are states to report, not errors. Ordered from good to bad. */
enum ras_ending_kind {
    RAS_OPEN_END, /* not read to the end yet */
    RAS_COMPLETE, /* as the specification wants it */
    RAS_UNSEALED, /* whole records, but closing structures are missing or stale */
    RAS_CUT,      /* the last record is incomplete */
    RAS_DAMAGED,  /* bytes that cannot be followed */
};

struct ras_ending {
    enum ras_ending_kind kind;
    uint32_t part;   /* where it ends so; see ras_part_name() */
    uint64_t offset; /* every byte before this one was understood */
    uint64_t size;   /* bytes that part has */
    const char *why; /* one line, "" when complete; lives as long as the trace */
};

/* "complete", "unsealed", "cut", "damaged", "open". */
RAS_API const char *ras_ending_name(enum ras_ending_kind kind);

/* ---- model ------------------------------------------------------------ */

struct ras_bytes {
    const uint8_t *at;
    size_t len;
};

enum ras_kind {
    RAS_NULL,
    RAS_BOOL,
    RAS_UINT,
    RAS_INT,
    RAS_F32,
    RAS_F64,
    RAS_STR,
    RAS_BLOB,
    RAS_LIST,
    RAS_MAP,
};

/* One cell of a record's values: a flat, preorder run of cells. LIST and MAP
 * are followed by their content, `count` cells; a MAP holds key, value, key,
 * value. ras_value_next() steps from a cell to the one after it and all that is
 * inside it; docs/reading.md shows how. */
struct ras_value {
    uint8_t kind;
    uint8_t bits;   /* width on the wire, for faithful re-encoding; 0: unsaid */
    uint16_t field; /* index into the schema's fields */
    uint32_t count; /* STR, BLOB: bytes; LIST, MAP: cells inside */
    union {
        uint64_t u; /* UINT, BOOL; the bit pattern of INT and F64, not of F32 */
        int64_t i;
        double f64;
        float f32;
        const void *at; /* STR, BLOB: borrowed */
    };
};
RAS_SIZE(struct ras_value, 16); /* two words */

/* The cell after this one and its content: the next value of the same level. */
static inline const struct ras_value *ras_value_next(const struct ras_value *value)
{
    bool holds = value->kind == RAS_LIST || value->kind == RAS_MAP;
    return value + 1 + (holds ? value->count : 0);
}

enum ras_field_flags {
    RAS_NULLABLE = 1, /* may be RAS_NULL */
    RAS_HEX = 2,      /* a hash or an address: "0x%016x" */
    RAS_IN_HEAD = 4,  /* the record's time or tick once more: lines of text leave it out */
    RAS_PATH = 8,     /* of a file: lines of text show its name */
    RAS_SAME = 16,    /* decoded from the bytes of the record's own time or tick */
    RAS_REPEATS = 32, /* stored again, equal to it by the specification */
};

/* What a number counts, beyond what its name says: _ns, _ms, _bytes, _percent. */
enum ras_unit {
    RAS_UNIT_NONE,
    RAS_UNIT_NS,
    RAS_UNIT_MS,
    RAS_UNIT_S,
    RAS_UNIT_TICK,
    RAS_UNIT_BYTES,
    RAS_UNIT_PERCENT,
};

/* How a name that is C text shows the character U+0000: two bytes that no UTF-8 has. */
#define RAS_NAME_NUL "\xc0\x80"

struct ras_field {
    const char *name;
    uint8_t kind, bits;
    uint16_t flags; /* enum ras_field_flags */
    /* The word for a code, which lines of text show; it may return NULL. NULL: no code. */
    const char *(*word)(uint64_t code);
    /* What is inside a LIST or a MAP. A MAP with `inner` has exactly these keys, in this order;
     * without it its keys vary. The items of a LIST and the values of a MAP whose keys vary are of
     * kind `item`, or of several kinds where it is RAS_NULL. Items that are maps have the keys
     * `inner`; items that are lists are described by inner[0], which has no name. */
    const struct ras_field *inner;
    uint16_t inner_count;
    uint8_t item, item_bits;
    uint8_t unit; /* enum ras_unit; of the items, or the values of a map */
};

enum ras_schema_flags {
    RAS_ON_REQUEST = 1, /* delivered only when a pick names it */
    RAS_CHILD = 2,      /* its records belong to a parent record: depth 1 */
    RAS_TIMELESS = 4,   /* time 0 means none: such a record is outside the trace's time range */
};

/* What one type of record looks like. Constant tables for formats of fixed
 * layout; built while reading for self-describing ones. Two schemas of one
 * trace may share a name (dial9 batches that disagree). */
struct ras_schema {
    const char *name;
    const struct ras_field *fields;
    uint16_t field_count;
    uint16_t flags; /* enum ras_schema_flags */
};

/* Schema 0 of every trace: bytes that could not be understood, and counted
 * drops. Fields: offset, length, why, lost (records, null if unknown). */
#define RAS_SCHEMA_GAP 0u

enum ras_record_flags { RAS_HAS_TIME = 1, RAS_HAS_TICK = 2 };

struct ras_record {
    uint64_t seq;       /* place in the trace, from 0; types on request count for themselves */
    uint64_t time_ns;   /* if flags & RAS_HAS_TIME; else only where it belongs in merged order */
    uint64_t tick;      /* if flags & RAS_HAS_TICK: tick or frame */
    uint64_t parent;    /* seq of the enclosing record, or RAS_NONE */
    uint64_t offset;    /* of its first byte, or of its compressed chunk, in its part */
    const uint8_t *raw; /* its own bytes, undecoded */
    uint32_t raw_len;
    uint32_t part; /* see ras_part_name() */
    uint16_t flags;
    uint16_t schema; /* see ras_schema_at() */
    uint32_t stream; /* id of its stream: thread, batch; 0 where there is one */
};
RAS_SIZE(struct ras_record, 64); /* a cache line */

/* ---- formats ---------------------------------------------------------- */

enum ras_can {
    RAS_CAN_READ = 1,
    RAS_CAN_STREAM = 2, /* from a pipe, as it arrives */
    RAS_CAN_SEEK = 4,   /* has an index of its own */
    RAS_CAN_WRITE = 8,
    RAS_CAN_REPAIR = 16,
    RAS_CAN_REPLAY = 32,
};

enum ras_axis { RAS_AXIS_NONE, RAS_AXIS_SEQ, RAS_AXIS_TIME, RAS_AXIS_TICK };

/* An option that some formats have and others do not. */
struct ras_format_option {
    const char *name;     /* "hash-only" */
    const char *verbs;    /* that take it, with a blank between two: "diff bisect" */
    const char *argument; /* a length of time, as help calls it; NULL: it takes none */
    const char *about;    /* what it does, in a line */
    const char *refused;  /* "cannot be ...": why for other formats; NULL: they ignore it */
    uint64_t reserved[2];
};

/* Whether the verb takes it. */
RAS_API bool ras_option_has_verb(const struct ras_format_option *option, const char *verb);

/* One that was chosen, by its name; of a length of time its ns. */
struct ras_choice {
    const char *name;
    uint64_t value;
    uint64_t reserved[2];
};

struct ras_format_about {
    const char *name, *title;
    const char *label;                       /* what one of its traces is called: "Murk replay" */
    const char *const *dialects;             /* NULL-terminated; the first is the widest */
    const char *const *extensions;           /* NULL-terminated, with the dot */
    enum ras_axis axis;                      /* its own order axis */
    unsigned axes;                           /* bits 1 << RAS_AXIS_TIME, 1 << RAS_AXIS_TICK */
    unsigned can;                            /* enum ras_can */
    bool defines_types;                      /* a trace defines its record types, perhaps late */
    const struct ras_format_option *options; /* ends with a row without name; NULL: none */
};

/* The i-th format this library reads, NULL past the last one. */
RAS_API const struct ras_format_about *ras_format_at(size_t i);

/* ---- opening ---------------------------------------------------------- */

struct ras_trace;

/* Every untrusted length meets one of these before it meets memory.
 * Zero means the default named beside it. */
struct ras_limits {
    uint64_t record_bytes;   /* one record: 1 GiB */
    uint64_t chunk_bytes;    /* one decompressed chunk: 1 GiB */
    uint64_t inflated_bytes; /* what gzip or zstd wrapping may grow to: 64 GiB */
    uint64_t inflate_step;   /* how much of it is inflated at a time, at least: 256 KiB */
    uint64_t pool_bytes;     /* what pools, schemas and a merge may keep in memory: 1 GiB */
    uint32_t depth;          /* nested values: 32 */
    uint32_t schemas;        /* record types of one trace: 65536 */
    uint32_t parts;          /* files of one trace: 16384; at most 65535 */
    uint32_t findings;       /* kept by one verification: 1000 */
    uint64_t reserved[4];
};

/* Why the library did what it did, for people who search for the reason: a line for each decision
 * of a topic whose bit (1u << topic) is set. `write` is called by the thread that decides; the text
 * is valid during the call. The words may change with every version. */
enum ras_debug_topic {
    RAS_DEBUG_PROBE,  /* which formats took the bytes for theirs */
    RAS_DEBUG_SOURCE, /* how files are opened: mapped, read, inflated */
    RAS_DEBUG_INDEX,  /* what a seek used: the index of the format, a mark, or neither */
    RAS_DEBUG_DRIVER, /* whether the format or the core serves a verb */
    RAS_DEBUG_TOPICS, /* how many this version has */
};

struct ras_debug {
    uint32_t topics;
    void (*write)(void *user, enum ras_debug_topic topic, const char *text);
    void *user;
};

/* "probe", "source", ...; NULL past the last one. */
RAS_API const char *ras_debug_topic_name(enum ras_debug_topic topic);

struct ras_options {
    size_t struct_size;  /* sizeof, or 0: see docs/abi.md */
    const char *format;  /* NULL: found by the bytes */
    const char *dialect; /* NULL: as found */
    bool live;           /* a pipe or growing file: open once the header is there */
    struct ras_limits limits;
    const struct ras_debug *debug; /* NULL: nothing is reported; must outlive the trace */
    /* Called at least once a second while a server is waited for, from the thread that reads, for
     * as long as the trace is open: bytes of this request. False ends it with RAS_ECANCELED, and
     * nothing more is transferred. NULL: not called. */
    bool (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
};

/* Open a file or directory, or the URL of one (docs/remote.md), a descriptor (a pipe is
 * spooled; the descriptor stays the caller's) or memory (borrowed until close). `options` may be
 * NULL. *out is NULL after failure. A live source is waited for until its header is
 * there; a signal ends the waiting with RAS_EIO and os_errno EINTR. */
RAS_API int ras_open(struct ras_trace **out, const char *path, const struct ras_options *options,
                     struct ras_error *err) RAS_CHECKED;
RAS_API int ras_open_fd(struct ras_trace **out, int fd, const struct ras_options *options,
                        struct ras_error *err) RAS_CHECKED;
RAS_API int ras_open_memory(struct ras_trace **out, const void *bytes, size_t size,
                            const struct ras_options *options, struct ras_error *err) RAS_CHECKED;
/* The files of a directory, each with its path below it, that lie in memory
 * (borrowed until close). */
struct ras_part {
    const char *name;
    struct ras_bytes bytes;
};
RAS_API int ras_open_parts(struct ras_trace **out, const struct ras_part *parts, size_t count,
                           const struct ras_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_close(struct ras_trace *trace); /* NULL is fine, as for free */

/* Memory that grows in place: `size` bytes are there now; `more` may follow. */
RAS_API int ras_trace_grow(struct ras_trace *trace, size_t size, bool more,
                           struct ras_error *err) RAS_CHECKED;
/* After RAS_WAIT: wait up to timeout_ms for new bytes. RAS_OK when something
 * changed, RAS_WAIT when not, RAS_END when nothing more can come. */
RAS_API int ras_wait(struct ras_trace *trace, int timeout_ms, struct ras_error *err) RAS_CHECKED;

RAS_API const struct ras_format_about *ras_format_of(const struct ras_trace *trace);
RAS_API const char *ras_dialect(const struct ras_trace *trace);
RAS_API uint64_t ras_format_version(const struct ras_trace *trace);
RAS_API uint64_t ras_size(const struct ras_trace *trace); /* stored bytes, all parts */
/* "gzip", "zstd" when the trace was wrapped, else NULL. */
RAS_API const char *ras_wrapping(const struct ras_trace *trace);
RAS_API size_t ras_part_count(const struct ras_trace *trace);
RAS_API const char *ras_part_name(const struct ras_trace *trace,
                                  size_t part); /* "" for a lone file */

/* All bytes of a part (0 of a lone file), decompressed: what the native readers of the formats
 * take, such as ras_cdt_open(). They live until the trace is closed or grows. */
RAS_API int ras_part_bytes(struct ras_trace *trace, size_t part, struct ras_bytes *out,
                           struct ras_error *err) RAS_CHECKED;

/* Schemas known so far; types that a trace defines are found while it is read. */
RAS_API size_t ras_schema_count(const struct ras_trace *trace);
RAS_API const struct ras_schema *ras_schema_at(const struct ras_trace *trace, size_t i);
/* Whether a pick of the type `pattern` takes records of the schema: it is its name, or a glob that
 * matches it (*, ?, [a-z]). A type that is delivered on request wants its name. */
RAS_API bool ras_schema_matches(const struct ras_schema *schema, const char *pattern);

/* What the trace says of itself and its producer. Values are scalars. */
struct ras_fact {
    const char *key;
    struct ras_value value;
    unsigned flags; /* enum ras_field_flags */
};
RAS_API const struct ras_fact *ras_facts(const struct ras_trace *trace, size_t *count);
/* Remarks a reader should see, one line each. */
RAS_API const char *const *ras_notes(const struct ras_trace *trace, size_t *count);

struct ras_stream {
    uint32_t id;
    const char *name;
    uint64_t reserved[2];
};
/* Streams known so far; dial9 finds its batches while reading. */
RAS_API const struct ras_stream *ras_streams(const struct ras_trace *trace, size_t *count);

/* How the trace ended for the last cursor that walked it to its end. */
RAS_API struct ras_ending ras_ending(const struct ras_trace *trace);
/* What is known to be missing before a record is read (a directory without permission, a thread
 * that the manifest lists): RAS_DAMAGED and why, else RAS_OPEN_END. It is part of every ending. */
RAS_API struct ras_ending ras_missing(const struct ras_trace *trace);

/* The trace's first time: the smallest of its records on the time axis, which `+T` counts from
 * everywhere. The trace is walked once to find it; of one that still arrives it is the time of the
 * first record that has one. RAS_END: no record has a time. */
RAS_API int ras_first_time(struct ras_trace *trace, uint64_t *time_ns,
                           struct ras_error *err) RAS_CHECKED;
/* Unix time in ns of time_ns 0, where the trace has a wall clock. */
RAS_API bool ras_wall_clock(const struct ras_trace *trace, int64_t *unix_ns_at_zero);
/* How a place in time is written; ras_time_parse() reads all three. */
enum ras_time_style {
    RAS_TIME_RAW,      /* 503229.939817263s */
    RAS_TIME_RELATIVE, /* +3.907387191s, from the trace's first time on */
    RAS_TIME_WALL,     /* 2026-05-15T17:55:13.985469185Z */
};
struct ras_time_writing {
    enum ras_time_style style;
    uint64_t first_ns; /* what relative times count from */
    int64_t wall_ns;   /* Unix time of time_ns 0 */
};
/* What writing times of the trace in that style needs. RAS_EUNSUPPORTED: no wall clock. */
RAS_API int ras_time_writing(struct ras_trace *trace, enum ras_time_style style,
                             struct ras_time_writing *out, struct ras_error *err) RAS_CHECKED;
enum { RAS_TIME_ROOM = 40 };
/* A time as text, at most RAS_TIME_ROOM bytes with its NUL; its length. */
RAS_API size_t ras_time_write(char *text, const struct ras_time_writing *how, uint64_t time_ns);
/* The time_ns at `seconds` of another clock that the trace knows, by its name: "media", of a video
 * recorded beside it. RAS_EUNSUPPORTED: it has no such clock. */
RAS_API int ras_clock_time(struct ras_trace *trace, const char *clock, double seconds,
                           uint64_t *time_ns, struct ras_error *err) RAS_CHECKED;

/* ---- walking ---------------------------------------------------------- */

struct ras_cursor;

/* One record type and which of its fields to decode. */
struct ras_pick {
    const char *type;          /* a name or a glob; NULL: every type delivered by default */
    const char *const *fields; /* NULL: all */
    size_t field_count;
    uint32_t schema; /* not 0: the one of this id instead of `type`, as names may be shared */
    uint64_t reserved[2];
};

/* What a cursor delivers. Zero-initialised: everything that is delivered by
 * default, in stored order, with values. */
struct ras_scan {
    size_t struct_size;           /* sizeof, or 0: see docs/abi.md */
    const struct ras_pick *picks; /* copied; resolved by name when a schema appears */
    size_t pick_count;
    enum ras_axis axis; /* RAS_AXIS_NONE: no range */
    uint64_t from, to;  /* half-open; RAS_NONE as `to`: no bound */
    bool frames_only;   /* leave out the records that belong to a parent */
    bool headers_only;  /* leave values undecoded */
    bool merged;        /* one order by (time, stream, seq) over all streams */
    bool follow;        /* at the end of a file: RAS_WAIT for more */
    bool strict;        /* a cut, a gap or damage is an error, not an ending */
    /* Of a trace on a server, whose format has an index of the axis: what is not in the range is
     * not transferred. Its records have no seq and no parent, unless the range is from the start,
     * and the ending is that of the range. */
    bool by_index;
    const struct ras_choice *choices; /* copied; the format's options for the verb cat */
    size_t choice_count;
    const uint32_t *streams; /* copied; only records of these streams; NULL: of all */
    size_t stream_count;
};

RAS_API int ras_cursor_open(struct ras_cursor **out, struct ras_trace *trace,
                            const struct ras_scan *scan, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_cursor_close(struct ras_cursor *cursor); /* NULL is fine */

/* The next record: RAS_OK, RAS_END, RAS_WAIT or an error. */
RAS_API int ras_next(struct ras_cursor *cursor, const struct ras_record **record,
                     struct ras_error *err) RAS_CHECKED;
/* Its values, in the order of its schema's fields; never NULL. */
RAS_API const struct ras_value *ras_values(const struct ras_cursor *cursor, size_t *count);
/* Its schema. */
RAS_API const struct ras_schema *ras_schema_of(const struct ras_cursor *cursor);
/* The value of its field of that name; NULL: the type has no such field, or the cursor does not
 * decode it. The name is looked up once for each schema as long as the same pointer is passed. */
RAS_API const struct ras_value *ras_value_of(const struct ras_cursor *cursor, const char *field);
RAS_API int ras_field_index(const struct ras_schema *schema, const char *field); /* -1: none */
RAS_API const struct ras_value *ras_value_at(const struct ras_cursor *cursor, int field_index);
/* Whether it is on the trace's time axis: see RAS_TIMELESS. */
RAS_API bool ras_has_time(const struct ras_cursor *cursor);

/* How far it has come, for a progress line: bytes passed of *total, both as they are
 * without wrapping, over all parts. *total is 0 while the source still grows. */
RAS_API uint64_t ras_cursor_progress(const struct ras_cursor *cursor, uint64_t *total);

/* Make the next record the first one, in stored order, at or after `to`.
 * After a seek through a format's own index the records' seq may be RAS_NONE. */
RAS_API int ras_seek(struct ras_cursor *cursor, enum ras_axis axis, uint64_t to,
                     struct ras_error *err) RAS_CHECKED;

/* A resume point: where the next record starts. Good for any unmerged cursor
 * of the same trace. */
struct ras_mark {
    uint64_t seq, part, offset;
    uint64_t state[6];
};
RAS_API void ras_mark(const struct ras_cursor *cursor, struct ras_mark *mark);
RAS_API int ras_jump(struct ras_cursor *cursor, const struct ras_mark *mark,
                     struct ras_error *err) RAS_CHECKED;

/* ---- info ------------------------------------------------------------- */

struct ras_count {
    const char *name;
    uint64_t id, records;
};

/* A trace of another format inside a trace, as the events of a session are. */
struct ras_carried {
    const char *name;   /* of its part */
    const char *format; /* NULL: it is empty or cannot be read */
    bool empty;
    uint64_t records;
    struct ras_ending ending; /* .why lives as long as the info */
    char why[240];            /* why it cannot be read */
    uint64_t reserved[2];
};
/* The counts of one pass over a whole trace. */
struct ras_info {
    struct ras_trace *trace;
    struct ras_ending ending;
    uint64_t records;
    struct ras_count *types;
    size_t type_count;
    struct ras_count *streams;
    size_t stream_count;
    bool has_time, has_tick;
    uint64_t time_first, time_last; /* smallest and largest seen */
    uint64_t tick_first, tick_last;
    uint64_t gaps; /* among the records */
    struct ras_carried *carried;
    size_t carried_count;
};
/* A callback that verbs call now and then, from the caller's thread: bytes passed so far, as
 * ras_cursor_progress() counts them. False cancels: the verb returns RAS_ECANCELED, does not call
 * again, and removes what it has written so far; what a caller's sink took stays in it. NULL where
 * no callback is wanted. */
typedef bool ras_progress(void *user, uint64_t done, uint64_t total);

/* Walk the whole trace and count its records; ending.why lives as long as the trace. */
RAS_API int ras_info(struct ras_info **out, struct ras_trace *trace, ras_progress *progress,
                     void *user, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_info_free(struct ras_info *info);
/* The i-th of the traces of other formats in a trace, by the name of its part; NULL: past the
 * last. It is read and compared by itself, under its own path. */
RAS_API const char *ras_carried_name(const struct ras_trace *trace, size_t i);

/* ---- du --------------------------------------------------------------- */

enum ras_du_by { RAS_DU_TYPE, RAS_DU_FIELD, RAS_DU_FRAME, RAS_DU_STREAM };

struct ras_usage {
    const char *kind; /* "type", "pool", "index", "padding", "header", "field", "frame", "stream" */
    const char *name;
    uint64_t records;
    uint64_t bytes;     /* as stored; they add up to ras_size() */
    uint64_t raw_bytes; /* after decompression */
    uint64_t reserved[2];
};
struct ras_du {
    struct ras_usage *parts; /* largest first */
    size_t part_count;
};
RAS_API int ras_du(struct ras_du **out, struct ras_trace *trace, enum ras_du_by by,
                   ras_progress *progress, void *user, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_du_free(struct ras_du *du);

/* ---- verify ----------------------------------------------------------- */

enum ras_severity { RAS_NOTE, RAS_WARNING, RAS_ERROR };
/* "note", "warning", "error". */
RAS_API const char *ras_severity_name(enum ras_severity severity);

/* A rule a trace can break. `strict` is its severity under --strict; deep rules
 * are checked only on request (hashes, links, references). */
struct ras_rule {
    const char *id;
    enum ras_severity severity, strict;
    bool deep;
    const char *about;
};
/* The i-th rule of a format, NULL past the last. "trace" has those common to all. */
RAS_API const struct ras_rule *ras_rule_at(const char *format, size_t i);

struct ras_finding {
    const struct ras_rule *rule;
    enum ras_severity severity;
    uint32_t part;
    uint64_t offset, length;
    const char *text;
    uint64_t reserved[2];
};
struct ras_report {
    struct ras_finding *findings; /* by part and offset */
    size_t finding_count;
    uint64_t unlisted;       /* found beyond the limit */
    uint64_t by_severity[3]; /* enum ras_severity */
};
struct ras_verify_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    bool strict, deep;
    ras_progress *progress; /* NULL: none */
    void *user;
};
RAS_API int ras_verify(struct ras_report **out, struct ras_trace *trace,
                       const struct ras_verify_options *options, struct ras_error *err) RAS_CHECKED;
RAS_API void ras_report_free(struct ras_report *report);

#ifdef __cplusplus
}
#endif
#include <rastrum/output.h>

#include <rastrum/change.h>

#include <rastrum/compare.h>

#include <rastrum/where.h>

#include <rastrum/reduce.h>

#include <rastrum/stats.h>
#endif
