/* record_output.h - what a format provides to write a recording to files. */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include "record/flight.h"
#include "record/atom.h"
#include <rastrum/record.h>

/* ---- names ---------------------------------------------------------------------------- */

struct module {
    char *path;
    char **functions; /* the first has index 1 */
    size_t count, room;
    uint32_t *slots; /* by hash of the name: index, 0: none */
    size_t slot_count;
    uint64_t base, size; /* where it is loaded; 0: not known */
    char *build_id;      /* in hexadecimal; NULL: not known */
};

struct names {
    struct lock lock;
    struct module *modules; /* the first is module 1 */
    size_t count, room;
    uint64_t changed; /* incremented with every name */
};

/* For hooks, which number modules and functions themselves: the next module, and where it is
 * loaded; the next function of a module, whose name need not be unique. False: memory is short. */
bool names_add_module(const char *path, uint64_t base, uint64_t size, const char *build_id);
bool names_add_function(uint32_t module, const char *name);

/* ---- the interface -------------------------------------------------------------------- */

/* Path of the threads that created a thread, for the manifest; "": not known. */
enum { THREAD_PATH_ROOM = 64 };

/* What is known about a thread, kept until the manifest is written. */
struct thread_info {
    uint32_t thread_id;
    int os_tid;
    char name[16];
    char path[THREAD_PATH_ROOM];
    uint64_t stack[2]; /* where its stack is, its base last; 0: not known */
    bool has_detail;
    struct ras_record_counts counts;
};

/* The recorder's clock and a media clock at the same moment. */
struct media_anchor {
    uint64_t time_ns;
    double media_seconds;
};

struct media_anchors {
    struct media_anchor *at;
    size_t count, room;
};

/* The signal that ended the program. */
enum { CRASH_REGISTERS = 20, CRASH_CALLS = 32 };
struct crash_info {
    int number, code;
    const char *name;
    uint64_t time_ns;
    uint32_t thread_id; /* UINT32_MAX: of a thread that is not recorded */
    bool has_address;   /* the signal is a fault's */
    bool has_pc;        /* and sp */
    uint64_t address, pc, sp;
    struct {
        const char *name;
        uint64_t value;
    } registers[CRASH_REGISTERS];
    unsigned register_count;
    /* Its thread's open calls, innermost first: where each returns to, or, if `functions`, the
     * functions themselves. */
    uint64_t calls[CRASH_CALLS];
    unsigned call_count;
    bool functions;
    uint64_t function_id; /* of the innermost; 0: none */
    bool has_tick;        /* of a program that marks ticks: the last that began */
    uint64_t tick;
};

/* What a manifest says. */
struct manifest_info {
    const struct thread_info *threads;
    size_t thread_count;
    struct names *names;
    const struct ras_record_options *options;
    bool counter;                         /* the clock follows the processor's counter */
    bool complete;                        /* it counts everything */
    bool over;                            /* the files are sealed */
    const uint64_t *stray, *stray_events; /* events without a lane, by reason */
    const struct window *windows;         /* of a flight recorder */
    size_t window_count;
    const struct media_anchors *anchors;       /* guarded by the lock of the names */
    const struct crash_info *crash;            /* NULL: none */
    unsigned segment;                          /* its number, from 1; 0: there is only one */
    uint64_t deleted_segments, deleted_events; /* of earlier ones */
};

/* A file that holds a lane: its size, and where its parts are. */
struct ring_layout {
    uint64_t size;
    uint64_t head_at, tail_at, ring_at, capacity;
    uint64_t detail_head_at, detail_tail_at, detail_wrap_at, detail_at, detail_size;
    /* Of the stream: its ring, the state at its tail, what is being taken, the types used. */
    uint64_t stream_head_at, stream_tail_at, stream_wrap_at, stream_at, stream_size;
    uint64_t base_at, standalone_at, taken_at, used_at, used_size;
    /* Counters: dropped by the thread and lost by the drain, by reason; events of the stream and
     * those dropped, by reason; details dropped. */
    uint64_t dropped_at, lost_at, stream_count_at, stream_dropped_at, details_dropped_at;
};
enum { RING_PAGE = 4096 };

/* What a lane has counted in earlier segments: the next file begins there. */
struct lane_base {
    uint64_t events, details; /* that left the rings */
    struct ras_record_counts counts;
};

/* Numbers in the page of counts, of a recording in segments: how many were deleted and how many
 * events they had; 1 if this segment counts them; 1 if the next one does. */
enum {
    COUNTS_DELETED = RING_PAGE / 8 - 4,
    COUNTS_DELETED_EVENTS,
    COUNTS_HERE,
    COUNTS_TAKEN_OVER,
};

struct output;
struct output_file;

/* The drain calls these, one at a time. */
struct output_ops {
    /* Create the directory, and write its path to `dir` (4096 bytes). */
    int (*open)(struct output **, const struct ras_record_options *, char *dir, struct ras_error *);
    /* The same in a directory of this name, which is made. */
    int (*next)(struct output **, const struct ras_record_options *, const char *dir,
                struct ras_error *);
    /* The bytes that a file has. */
    uint64_t (*stored)(const struct output_file *);
    int (*begin)(struct output *, uint32_t thread_id, struct output_file **, struct ras_error *);
    int (*events)(struct output_file *, const struct ras_record_event *, size_t count,
                  struct ras_error *);
    /* Whole records, before the events that link to them. */
    int (*details)(struct output_file *, const void *bytes, size_t size, uint64_t *count,
                   struct ras_error *);
    /* Flush to the system. */
    int (*flush)(struct output_file *, struct ras_error *);
    /* Seal and free; *events is how many events the file has, sealed or not. */
    int (*end)(struct output_file *, uint64_t *events, struct ras_error *);
    /* Any thread: create the file of a lane, with its layout. The descriptor, or -1. It is
     * removed by end(). */
    int (*ring)(const char *dir, uint32_t thread_id, const struct ring_layout *);
    /* It goes on in the next segment, in `to`. `used`: it has events in this one. False: it stays
     * where it is. */
    bool (*move)(const char *dir, const char *to, uint32_t thread_id, const struct lane_base *,
                 bool used);
    /* Durable: a file with the counters of threads that have ended. Its second page belongs to
     * the recorder: calls and returns without a lane, then events of streams, by reason; its last
     * numbers are those of a segment (from 1; 0: there is only one). The descriptor, or -1. ended()
     * adds a thread before its lane is freed or moved; forget(): the manifest has everything. */
    int (*counts)(const char *dir, unsigned segment);
    void (*ended)(int fd, const struct thread_info *);
    void (*forget)(const char *dir);
    /* In a forked child: free, drop buffered data, the parent writes it. */
    void (*leave)(struct output_file *);
    int (*manifest)(struct output *, const struct manifest_info *, struct ras_error *);
    void (*close)(struct output *);
};
#endif
