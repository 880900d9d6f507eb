/* atf.h - the ADA Trace Format v2 (ATF), in the words of its specification.
 *
 * Three layers, each usable on its own: the get functions turn bytes of the caller
 * into structures; a file view finds out what an index.atf or detail.atf holds,
 * sealed or not; a session joins the files of all threads with their manifest.
 * Nothing here changes the bytes it is given. Writing has the same three: the put
 * functions, the two files of a thread, and a session.
 *
 *     struct ras_atf_session *session = ras_atf_session(trace); // NULL: not an ATF trace
 *     struct ras_atf_index_event event;
 *     for (uint64_t i = 0; ras_atf_index_at(session, 0, i, &event, err) == RAS_OK; i++)
 *         printf("%s %" PRIx64 "\n", ras_atf_kind_name(event.event_kind), event.function_id); */
#ifndef RASTRUM_ATF_H
#define RASTRUM_ATF_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- structures --------------------------------------------------------- */

enum ras_atf_size {
    RAS_ATF_HEADER_SIZE = 64,       /* of either file */
    RAS_ATF_FOOTER_SIZE = 64,       /* of either file */
    RAS_ATF_INDEX_EVENT_SIZE = 32,  /* fixed */
    RAS_ATF_DETAIL_EVENT_SIZE = 24, /* its header; the payload follows */
    RAS_ATF_PAYLOAD_SIZE = 100,     /* as specified; the stack follows */
    RAS_ATF_PRODUCTION_SIZE = 516,  /* as the public tracer writes it, all in all */
    RAS_ATF_STACK_MAX = 256,
};

#define RAS_ATF_VERSION       1u
#define RAS_ATF_LITTLE_ENDIAN 1u
#define RAS_ATF_HAS_DETAIL    1u         /* ras_atf_index_header.flags */
#define RAS_ATF_NO_DETAIL     UINT32_MAX /* ras_atf_index_event.detail_seq */

enum ras_atf_arch { RAS_ATF_X86_64 = 1, RAS_ATF_ARM64 = 2 };
enum ras_atf_os {
    RAS_ATF_IOS = 1,
    RAS_ATF_ANDROID = 2,
    RAS_ATF_MACOS = 3,
    RAS_ATF_LINUX = 4,
    RAS_ATF_WINDOWS = 5,
};
enum ras_atf_clock { RAS_ATF_MACH_CONTINUOUS = 1, RAS_ATF_QPC = 2, RAS_ATF_BOOTTIME = 3 };
enum ras_atf_event_kind { RAS_ATF_CALL = 1, RAS_ATF_RETURN = 2, RAS_ATF_EXCEPTION = 3 };
enum ras_atf_event_type { RAS_ATF_FUNCTION_CALL = 3, RAS_ATF_FUNCTION_RETURN = 4 };

struct ras_atf_index_header {
    uint8_t magic[4]; /* "ATI2" */
    uint8_t endian, version, arch, os;
    uint32_t flags, thread_id;
    uint8_t clock_type, reserved1[3];
    uint32_t reserved2;
    uint32_t event_size, event_count;
    uint64_t events_offset, footer_offset;
    uint64_t time_start_ns, time_end_ns;
};

/* index_seq is not stored: it is the place of the event in its file. */
struct ras_atf_index_event {
    uint64_t timestamp_ns, function_id;
    uint32_t thread_id, event_kind, call_depth, detail_seq;
};
RAS_SIZE(struct ras_atf_index_event, RAS_ATF_INDEX_EVENT_SIZE);

struct ras_atf_index_footer {
    uint8_t magic[4];  /* "2ITA" */
    uint32_t checksum; /* CRC-32 of the events; 0: not computed */
    uint64_t event_count, time_start_ns, time_end_ns, bytes_written;
    uint8_t reserved[24]; /* printed as 28, which would not add up to 64 */
};

struct ras_atf_detail_header {
    uint8_t magic[4]; /* "ATD2" */
    uint8_t endian, version, arch, os;
    uint32_t flags, thread_id, reserved1;
    uint64_t events_offset, event_count, bytes_length;
    uint64_t index_seq_start, index_seq_end; /* both inclusive */
    uint8_t padding[4];                      /* not printed, but needed to add up to 64 */
};

struct ras_atf_detail_event {
    uint32_t total_length; /* with its header of 24 bytes */
    uint16_t event_type, flags;
    uint32_t index_seq, thread_id;
    uint64_t timestamp;
    struct ras_bytes payload; /* total_length - 24 bytes, borrowed */
};

struct ras_atf_detail_footer {
    uint8_t magic[4]; /* "2DTA" */
    uint32_t checksum;
    uint64_t event_count, bytes_length, time_start_ns, time_end_ns;
    uint8_t reserved[24];
};

/* What a payload looks like; the bytes do not say so themselves. */
enum ras_atf_form {
    RAS_ATF_OPAQUE,     /* neither of the two below */
    RAS_ATF_SPEC,       /* DetailFunctionPayload and its stack */
    RAS_ATF_PRODUCTION, /* the public tracer's own structure of 516 bytes */
};

struct ras_atf_payload {
    enum ras_atf_form form;
    uint64_t function_id;
    uint64_t x_regs[8]; /* named by ras_atf_register() */
    uint64_t lr, fp, sp;
    struct ras_bytes stack; /* borrowed */
    uint32_t stack_size;    /* as stored; the production form keeps 128 at most */
    uint16_t reserved;      /* SPEC only */
    /* PRODUCTION only: */
    uint64_t timestamp;
    uint32_t os_thread_id, event_kind, call_depth;
};

/* Decode one structure from the start of `bytes`. False when it is not all there. */
RAS_API bool ras_atf_index_header_get(struct ras_bytes bytes, struct ras_atf_index_header *out);
RAS_API bool ras_atf_index_event_get(struct ras_bytes bytes, struct ras_atf_index_event *out);
RAS_API bool ras_atf_index_footer_get(struct ras_bytes bytes, struct ras_atf_index_footer *out);
RAS_API bool ras_atf_detail_header_get(struct ras_bytes bytes, struct ras_atf_detail_header *out);
RAS_API bool ras_atf_detail_footer_get(struct ras_bytes bytes, struct ras_atf_detail_footer *out);
/* The same; false also when total_length is below 24. */
RAS_API bool ras_atf_detail_event_get(struct ras_bytes bytes, struct ras_atf_detail_event *out);
/* Recognise and decode a payload. `form` RAS_ATF_OPAQUE: find out; else only that
 * form counts. Returns out->form; RAS_ATF_OPAQUE leaves the rest zero. */
RAS_API enum ras_atf_form ras_atf_payload_get(const struct ras_atf_detail_event *event,
                                              enum ras_atf_form form, struct ras_atf_payload *out);

/* The register in x_regs[slot]: "x0", "rdi"; on x86_64 slot 0 of a return is
 * "rax". NULL where arch or slot is unknown. */
RAS_API const char *ras_atf_register(unsigned arch, unsigned event_type, unsigned slot);
/* "x86_64", "linux", "boottime", "CALL", "FUNCTION_CALL"; NULL where unknown. */
RAS_API const char *ras_atf_arch_name(unsigned arch);
RAS_API const char *ras_atf_os_name(unsigned os);
RAS_API const char *ras_atf_clock_name(unsigned clock_type);
RAS_API const char *ras_atf_kind_name(unsigned event_kind);
RAS_API const char *ras_atf_type_name(unsigned event_type);

/* ---- files -------------------------------------------------------------- */

/* Where a file's event count was found, in the order in which it is looked for. */
enum ras_atf_counted {
    RAS_ATF_BY_FOOTER,     /* the footer is where the header says */
    RAS_ATF_BY_LAST_BYTES, /* a footer in the last 64 bytes; the header is stale */
    RAS_ATF_BY_HEADER,     /* no footer, but a header that was finished */
    RAS_ATF_BY_SIZE,       /* neither: whole events up to the end */
};
/* "footer", "footer at the end of the file", "header", "file size". */
RAS_API const char *ras_atf_counted_name(enum ras_atf_counted counted);

/* What an index.atf holds. Offsets only: `bytes` may move between two calls. */
struct ras_atf_index_file {
    struct ras_atf_index_header header;
    struct ras_atf_index_footer footer; /* if footer_at is not RAS_NONE */
    uint64_t footer_at;
    enum ras_atf_counted counted;
    uint64_t promised; /* events the footer or header states */
    uint64_t count;    /* events that are there */
    uint64_t at, end;  /* from the first of them to after the last */
    uint64_t limit;    /* where events must stop: the footer or the end of the file */
};
/* Fails with RAS_ECUT (header not all there), RAS_EVERSION or RAS_EFORMAT. */
RAS_API int ras_atf_index_open(struct ras_atf_index_file *out, struct ras_bytes bytes,
                               struct ras_error *err) RAS_CHECKED;

/* What a detail.atf holds. Its events are found by walking: each states its length. */
struct ras_atf_detail_file {
    struct ras_atf_detail_header header;
    struct ras_atf_detail_footer footer; /* if footer_at is not RAS_NONE */
    uint64_t footer_at;
    uint64_t at, limit; /* from the first event to the footer or the end of the file */
};
RAS_API int ras_atf_detail_open(struct ras_atf_detail_file *out, struct ras_bytes bytes,
                                struct ras_error *err) RAS_CHECKED;
/* The detail event at *at, which then moves past it. RAS_OK; RAS_END at the
 * limit; RAS_ECUT when it reaches beyond, RAS_EFORMAT when its length is below 24. */
RAS_API int ras_atf_detail_step(const struct ras_atf_detail_file *file, struct ras_bytes bytes,
                                uint64_t *at, struct ras_atf_detail_event *out) RAS_CHECKED;

/* ---- sessions ----------------------------------------------------------- */

struct ras_atf_session;

/* The session of an opened trace (ras_open, or ras_open_parts for files that
 * lie in memory), NULL when it is of another format. It lives as long as the trace. */
RAS_API struct ras_atf_session *ras_atf_session(struct ras_trace *trace);

struct ras_atf_thread {
    uint32_t thread_id;                /* N of thread_N; of a lone file, what its header says */
    uint32_t stream;                   /* thread_id, unless two processes share it */
    const char *process;               /* "pid_123" or "" */
    bool has_index, has_detail;        /* the file is there and can be read */
    struct ras_atf_index_file index;   /* if has_index */
    struct ras_atf_detail_file detail; /* if has_detail */
    uint64_t reserved[4];
};
RAS_API size_t ras_atf_thread_count(const struct ras_atf_session *session);
/* `thread` counts from 0 in the order of (process, thread_id). RAS_EUSAGE past the last. */
RAS_API int ras_atf_thread_at(struct ras_atf_session *session, size_t thread,
                              struct ras_atf_thread *out, struct ras_error *err) RAS_CHECKED;
/* Smallest and largest timestamp of its index, whatever the header says, and
 * whether they never step back. One pass, remembered. RAS_END when it has no events. */
RAS_API int ras_atf_time_range(struct ras_atf_session *session, size_t thread, uint64_t *first,
                               uint64_t *last, bool *sorted, struct ras_error *err) RAS_CHECKED;

/* One event by its place: RAS_OK, RAS_END past the last one. */
RAS_API int ras_atf_index_at(struct ras_atf_session *session, size_t thread, uint64_t index_seq,
                             struct ras_atf_index_event *out, struct ras_error *err) RAS_CHECKED;
/* Up to `count` events from index_seq on into `out`; how many were there. */
RAS_API size_t ras_atf_index_read(struct ras_atf_session *session, size_t thread,
                                  uint64_t index_seq, struct ras_atf_index_event *out,
                                  size_t count);
/* One detail event by its place. The first call walks the file once and remembers
 * where each event begins; from then on it takes constant time. */
RAS_API int ras_atf_detail_at(struct ras_atf_session *session, size_t thread, uint64_t detail_seq,
                              struct ras_atf_detail_event *out, struct ras_error *err) RAS_CHECKED;
/* How many detail events are whole. */
RAS_API int ras_atf_detail_count(struct ras_atf_session *session, size_t thread, uint64_t *count,
                                 struct ras_error *err) RAS_CHECKED;
/* Along the links, constant time both ways. RAS_OK; RAS_END when there is no
 * link or it leads nowhere (after a crash both are normal). */
RAS_API int ras_atf_detail_of(struct ras_atf_session *session, size_t thread,
                              const struct ras_atf_index_event *event,
                              struct ras_atf_detail_event *out, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_atf_index_of(struct ras_atf_session *session, size_t thread,
                             const struct ras_atf_detail_event *detail,
                             struct ras_atf_index_event *out, struct ras_error *err) RAS_CHECKED;

/* All index events of all threads by (timestamp_ns, stream, index_seq), also
 * where a file is not sorted. The session outlives the merge. */
struct ras_atf_merge;
struct ras_atf_merged {
    size_t thread;
    uint64_t index_seq;
    struct ras_atf_index_event event;
};
RAS_API int ras_atf_merge_open(struct ras_atf_merge **out, struct ras_atf_session *session,
                               struct ras_error *err) RAS_CHECKED;
RAS_API bool ras_atf_merge_next(struct ras_atf_merge *merge, struct ras_atf_merged *out);
RAS_API void ras_atf_merge_close(struct ras_atf_merge *merge); /* NULL is fine */

/* ---- manifest ----------------------------------------------------------- */

struct ras_atf_module {
    uint32_t module_id;
    bool has_address, has_size;
    uint64_t base_address, size;
    const char *path; /* NUL-terminated; "" when absent */
    const char *uuid; /* the same */
    uint64_t offset;  /* of its object in manifest.json */
    uint32_t length;
};
struct ras_atf_symbol {
    uint64_t function_id; /* (module_id << 32) | symbol_index */
    uint32_t module_id, symbol_index;
    const char *name; /* mangled; NUL-terminated */
    uint32_t name_len;
    uint32_t length;
    uint64_t offset;
};
/* Two clocks seen at one moment: the trace's and that of a recording beside it. */
struct ras_atf_anchor {
    uint64_t host_time_ns;
    double media_seconds;
};
struct ras_atf_listed {
    uint32_t id;
    bool has_detail;
    /* Who it is, whatever its number: "0" is the first thread of the process, "0.3" the third
     * that it created, "0.3.1" the first of that one. NULL: not known. */
    const char *path;
    const char *name; /* as the program or the system calls it; NULL: not known */
    uint64_t reserved[2];
};
/* The signal that ended the program while it was recorded. */
struct ras_atf_crash {
    uint32_t signal; /* 0: none */
    char name[16];   /* as "SIGSEGV"; "" when absent */
    bool has_thread;
    uint32_t thread_id;
    uint64_t time_ns;
};
/* Events that the recorder counted but could not store. */
struct ras_atf_drop {
    uint32_t thread_id;
    uint64_t events;
    const char *reason; /* NUL-terminated, as "ring_full" */
};

/* Where the crash happened; members that are not known are 0 or NULL. */
struct ras_atf_fault {
    bool has_code, has_address;
    int32_t code;     /* si_code */
    uint64_t address; /* that the program could not access, or of the instruction */
    uint64_t pc, sp;
    const char *function, *file; /* of pc */
    uint32_t line;
    uint32_t caller_line;             /* where that function was called */
    const char *caller, *caller_file; /* by this one; NULL: not known */
    uint64_t function_id, returns;    /* of the innermost open call: where it returns to, or 0 */
};

/* How the process ended, as whoever started it knows. */
struct ras_atf_exit {
    bool known;
    uint32_t signal; /* 0: none, then `status` is what it returned */
    uint32_t status; /* of a signal: not 0 if the memory was written to a core file */
    char name[16];   /* of the signal, as "SIGKILL" */
};

struct ras_atf_manifest {
    bool present;
    const char *format_version; /* "" when absent */
    bool has_times, has_clock;
    uint64_t time_start_ns, time_end_ns;
    uint32_t clock_type;
    const struct ras_atf_listed *threads;
    size_t thread_count;
    const struct ras_atf_module *modules;
    size_t module_count;
    const struct ras_atf_symbol *symbols;
    size_t symbol_count;
    const struct ras_atf_anchor *anchors; /* by media_seconds */
    size_t anchor_count;
    const struct ras_atf_drop *drops;
    size_t drop_count;
    bool unfinished;          /* the recorder was at work: what it counts is of an earlier moment */
    const uint32_t *repaired; /* threads closed by repair: a link of theirs may lead nowhere */
    size_t repaired_count;
    bool killed; /* its files were closed by repair, for nothing could be said of its end */
    struct ras_atf_crash crash;
    struct ras_atf_exit exit;
    /* Of the windows of a flight recorder the one that lacks most: from when on it has all events,
     * and by how much that is after it begins. 0: events did not have to make room. */
    uint64_t window_whole_ns, window_lacks_ns;
    uint64_t reserved[8];
};
/* The manifest beside a thread; threads of one process share it. Never NULL. */
RAS_API const struct ras_atf_manifest *ras_atf_manifest(const struct ras_atf_session *session,
                                                        size_t thread);
/* Where its crash happened; never NULL, and all 0 where there was none. */
RAS_API const struct ras_atf_fault *ras_atf_fault(const struct ras_atf_session *session,
                                                  size_t thread);
/* NULL when the manifest does not name it. */
RAS_API const struct ras_atf_symbol *ras_atf_symbol_of(const struct ras_atf_session *session,
                                                       size_t thread, uint64_t function_id);
RAS_API const struct ras_atf_module *ras_atf_module_of(const struct ras_atf_session *session,
                                                       size_t thread, uint64_t function_id);

/* The source file of a function and the line where it begins, as the compiler was given the
 * file. NULL: not known. */
RAS_API const char *ras_atf_source_of(const struct ras_atf_session *session, size_t thread,
                                      uint64_t function_id, uint32_t *line);

/* ---- writing ------------------------------------------------------------ */

/* Encode one structure; `to` has as many bytes as its size above says. Every field is
 * stored as it is given, the magic too. */
RAS_API void ras_atf_index_header_put(const struct ras_atf_index_header *header, void *to);
RAS_API void ras_atf_index_event_put(const struct ras_atf_index_event *event, void *to);
RAS_API void ras_atf_index_footer_put(const struct ras_atf_index_footer *footer, void *to);
RAS_API void ras_atf_detail_header_put(const struct ras_atf_detail_header *header, void *to);
RAS_API void ras_atf_detail_footer_put(const struct ras_atf_detail_footer *footer, void *to);
/* total_length bytes. False when they do not fit into `room`, or are not 24 and the
 * payload's. */
RAS_API bool ras_atf_detail_event_put(const struct ras_atf_detail_event *event, void *to,
                                      size_t room);
/* A payload in its own form, if all of it fits into `room` bytes; *size is what it takes
 * either way. False when it has none (RAS_ATF_OPAQUE) or its stack is longer than that
 * form allows: 256 bytes, in production 128. */
RAS_API bool ras_atf_payload_put(const struct ras_atf_payload *payload, void *to, size_t room,
                                 size_t *size);

/* The two files of a thread. Events are kept back until they fill a block; a write that
 * fails takes nothing: what was accepted before stays, in the files or kept back, and is
 * tried again by the next call. The sinks stay the caller's, who closes them. */
struct ras_atf_writer;

/* Makes the sink of detail.atf, when the first detail comes. */
typedef int ras_atf_detail_sink(void *user, struct ras_sink **out, struct ras_error *err);

struct ras_atf_writer_options {
    size_t struct_size;          /* sizeof, or 0: see docs/abi.md */
    ras_atf_detail_sink *detail; /* NULL: details are refused, and the flag stays as given */
    void *user;
    /* What the files may hold, 0: 2^32 - 2. Sequence numbers have 32 bits and the last
     * one means none. */
    uint32_t events_max, details_max;
    bool no_checksum; /* 0 in the footers, as the public writer leaves them */
};

/* Begin an index.atf with a placeholder for its header. Of `header` the thread_id, arch,
 * os, clock_type, flags, reserved fields and events_offset are taken (0: this machine's,
 * boottime, 64); the rest is filled in by ras_atf_writer_finalize(). */
RAS_API int ras_atf_writer_open(struct ras_atf_writer **out, struct ras_sink *index,
                                const struct ras_atf_index_header *header,
                                const struct ras_atf_writer_options *options,
                                struct ras_error *err) RAS_CHECKED;
/* The next event, with its detail or NULL. The links of both are the writer's, whatever
 * detail_seq and index_seq say; of `detail` the event_type (0: by the kind of the event),
 * flags and payload are taken, the rest is the event's. RAS_ELIMIT when a file is full:
 * it can still be finalized. */
RAS_API int ras_atf_writer_event(struct ras_atf_writer *writer,
                                 const struct ras_atf_index_event *event,
                                 const struct ras_atf_detail_event *detail,
                                 struct ras_error *err) RAS_CHECKED;

/* How a writer begins: only the function below may look. */
struct ras_atf_room {
    struct ras_atf_index_event *at, *stop;
};
/* ras_atf_writer_event() without a detail, and without a call where there is room. */
static inline RAS_CHECKED int ras_atf_writer_put(struct ras_atf_writer *writer,
                                                 const struct ras_atf_index_event *event,
                                                 struct ras_error *err)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    struct ras_atf_room *room = (struct ras_atf_room *)(void *)writer;
    if (room->at < room->stop && event->event_kind - 1u < RAS_ATF_EXCEPTION) {
        struct ras_atf_index_event *to = room->at++;
        to->timestamp_ns = event->timestamp_ns; /* one by one: none goes through memory */
        to->function_id = event->function_id;
        to->thread_id = event->thread_id;
        to->event_kind = event->event_kind;
        to->call_depth = event->call_depth;
        to->detail_seq = RAS_ATF_NO_DETAIL;
        return RAS_OK;
    }
#endif
    struct ras_atf_index_event copy = *event; /* so that the caller's may stay in registers */
    return ras_atf_writer_event(writer, &copy, NULL, err);
}
/* Room in the writer's own memory for *count events, one at least, which the caller fills;
 * commit takes the first `count` of them, links and all. Any other call in between takes
 * the room away. The fastest way: an event is stored once. */
RAS_API int ras_atf_writer_reserve(struct ras_atf_writer *writer,
                                   struct ras_atf_index_event **events, size_t *count,
                                   struct ras_error *err) RAS_CHECKED;
RAS_API int ras_atf_writer_commit(struct ras_atf_writer *writer, size_t count,
                                  struct ras_error *err) RAS_CHECKED;
/* Blocks of records as they are stored, for a producer that reserved the links itself:
 * `count` events, or whole details one after the other. All of a block is taken or
 * nothing. */
RAS_API int ras_atf_writer_append(struct ras_atf_writer *writer, const void *events, size_t count,
                                  struct ras_error *err) RAS_CHECKED;
RAS_API int ras_atf_writer_append_details(struct ras_atf_writer *writer, const void *details,
                                          size_t size, struct ras_error *err) RAS_CHECKED;
/* Taken so far; the next index_seq and detail_seq. */
RAS_API uint64_t ras_atf_writer_events(const struct ras_atf_writer *writer);
RAS_API uint64_t ras_atf_writer_details(const struct ras_atf_writer *writer);
/* Hand what is kept back to the system, details first. */
RAS_API int ras_atf_writer_flush(struct ras_atf_writer *writer, struct ras_error *err) RAS_CHECKED;
/* Footers, then headers, that of the index last. Once: a second time, or writing
 * afterwards, is RAS_EUSAGE. After a failure it may be tried again. */
RAS_API int ras_atf_writer_finalize(struct ras_atf_writer *writer,
                                    struct ras_error *err) RAS_CHECKED;
/* Flush, unless it was finalized, and free in any case. NULL is fine. */
RAS_API int ras_atf_writer_close(struct ras_atf_writer *writer, struct ras_error *err) RAS_CHECKED;

/* manifest.json: everything but `present`, has_times and has_clock, which do not matter.
 * An empty format_version is "2.1" where there are modules or symbols and "2.0" where not.
 * RAS_EUSAGE when an anchor is not a number. */
RAS_API int ras_atf_manifest_put(const struct ras_atf_manifest *manifest, struct ras_sink *sink,
                                 struct ras_error *err) RAS_CHECKED;

/* The manifest.json at `path` says how the process ended, all else stays. */
RAS_API int ras_atf_manifest_exit(const char *path, const struct ras_atf_exit *how,
                                  struct ras_error *err) RAS_CHECKED;

struct ras_symbols; /* symbols.h */

/* Finish what the hooks have recorded: in the directory of a process, files that were left open are
 * sealed, functions get names from debug information and symbol tables, the manifest says how the
 * program ended, and its events are counted. */
struct ras_atf_finish_options {
    size_t struct_size;          /* sizeof, or 0: see docs/abi.md */
    struct ras_atf_exit exit;    /* how the process ended, if that is known */
    struct ras_symbols *symbols; /* shared by several calls; NULL: its own */
};

struct ras_atf_finished {
    bool repaired;   /* files were left open */
    bool unfinished; /* killed: how many events are missing is not known */
    uint64_t threads, events;
    uint64_t dropped;   /* those of threads that could store nothing included */
    uint64_t left_out;  /* of `dropped`, what the options exclude: in no window, or too short */
    uint64_t lacks_ns;  /* of a window at most: its first events did not fit in memory */
    char ended_by[512]; /* the signal, and where; "": none that is known */
    uint64_t reserved[4];
};

/* `dir` is a pid_N. RAS_END: the process ended before its first event. RAS_EFORMAT: it had events,
 * but nothing of them can be read. */
RAS_API int ras_atf_finish(struct ras_atf_finished *out, const char *dir,
                           const struct ras_atf_finish_options *options,
                           struct ras_error *err) RAS_CHECKED;

/* A session: threads in a folder, and their manifest. The folder stays the caller's, who
 * closes it and so learns whether all reached the disk. */
struct ras_atf_session_writer;

struct ras_atf_session_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const char *dir;    /* below the folder, as "pid_123"; NULL: the folder itself */
    struct ras_atf_index_header header; /* of every thread; see ras_atf_writer_open() */
    uint32_t events_max, details_max;   /* of every thread */
    bool no_checksum;
};
RAS_API int ras_atf_session_writer_open(struct ras_atf_session_writer **out,
                                        struct ras_folder *folder,
                                        const struct ras_atf_session_options *options,
                                        struct ras_error *err) RAS_CHECKED;
/* Begin thread_N. The writer lives as long as the session's and is closed by it. */
RAS_API int ras_atf_session_writer_thread(struct ras_atf_session_writer *session,
                                          uint32_t thread_id, struct ras_atf_writer **out,
                                          struct ras_error *err) RAS_CHECKED;
/* Finalize a thread that ended, and close its files: of many few need be open. */
RAS_API int ras_atf_session_writer_end(struct ras_atf_session_writer *session, uint32_t thread_id,
                                       struct ras_error *err) RAS_CHECKED;
/* Finalize the threads that are left, then write the manifest. Of `manifest` the modules,
 * symbols, anchors and drops are taken; threads, times and clock are the session's. NULL:
 * it has none of these. Once, as ras_atf_writer_finalize(). */
RAS_API int ras_atf_session_writer_finalize(struct ras_atf_session_writer *session,
                                            const struct ras_atf_manifest *manifest,
                                            struct ras_error *err) RAS_CHECKED;
/* Flush, unless it was finalized, and free in any case. NULL is fine. */
RAS_API int ras_atf_session_writer_close(struct ras_atf_session_writer *session,
                                         struct ras_error *err) RAS_CHECKED;

/* ---- spans -------------------------------------------------------------- */

/* Why a span lacks one of its ends. */
enum ras_atf_reason {
    RAS_ATF_MATCHED,    /* a CALL and its RETURN */
    RAS_ATF_RAISED,     /* a CALL and the EXCEPTION that ended it */
    RAS_ATF_UNWOUND,    /* left without RETURN: an outer frame went on or an exception passed */
    RAS_ATF_TAIL_CALL,  /* another CALL or RETURN at its depth took its place */
    RAS_ATF_STILL_OPEN, /* the trace ends before it returned */
    RAS_ATF_NO_CALL,    /* a RETURN or EXCEPTION whose CALL is not in the trace */
};
/* "matched", "exception", "unwind", "tail_call", "process_exit", "no_call". */
RAS_API const char *ras_atf_reason_name(enum ras_atf_reason reason);

struct ras_atf_span {
    enum ras_atf_reason reason;
    uint64_t function_id;
    uint32_t thread_id, call_depth;
    uint64_t call_seq, return_seq; /* index_seq of its ends; RAS_NONE: missing */
    uint64_t start_ns, end_ns;     /* if that end is there */
};

/* The calls that are open at one point of a thread. */
struct ras_atf_stack;
RAS_API struct ras_atf_stack *ras_atf_stack_new(void);        /* NULL when memory is short */
RAS_API void ras_atf_stack_free(struct ras_atf_stack *stack); /* NULL is fine */
/* Take the next event of the thread; NULL: there are no more. One event can end
 * several spans: RAS_OK gives one, call again with the same event until RAS_END. */
RAS_API int ras_atf_stack_step(struct ras_atf_stack *stack, const struct ras_atf_index_event *event,
                               uint64_t index_seq, struct ras_atf_span *out,
                               struct ras_error *err) RAS_CHECKED;

#ifdef __cplusplus
}
#endif
#endif
