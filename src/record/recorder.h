/* recorder.h - the one recorder of a process: private interface.
 *
 * A thread's lane is filled by that thread and emptied by the drain, which alone writes files;
 * their format is defined by an output, which a format provides. All state of the process is in
 * `recorder`: docs/decisions/0007. */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include "record/atom.h"
#include "record/byte_ring.h"
#include "record/clock.h"
#include "record/flight.h"
#include "record/record_output.h"
#include "record/event_stream.h"

#include <pthread.h>
#include <signal.h>

enum {
    DEFERRED_MOST = 128,
    LINE = 64,
    DETAIL_HEAD = 24,
    DETAIL_INDEX_SEQ = 8,
    DETAIL_PAYLOAD = 100
};
#define LANE_EVENTS_MOST UINT32_C(0xfffffffe) /* the last number means none */

enum { PIECE_MOST = 1 << 15 }; /* events at a time: 1 MiB, so that the ring has room early */

enum lane_state {
    LANE_FREE,   /* no thread's */
    LANE_TAKEN,  /* being set up for a thread */
    LANE_LIVE,   /* a thread's; the drain empties it */
    LANE_CLOSED, /* its recording is over; the thread still points at it */
};

/* What the drain requests of a lane, which sees it because its limit is 0. */
enum lane_request {
    REQUEST_ANCHOR = 1, /* take the new anchor */
    REQUEST_NOTIFY = 2, /* the drain sleeps without a timeout: notify it */
};

/* An event of a signal handler that interrupted the storing of another one. */
struct deferred_event {
    uint64_t time_ns, function_id;
    uint32_t kind; /* written last; 0: incomplete */
};

/* Values of `begun` for an event whose head and depth are not known. */
#define BEGUN_STREAM     (UINT64_MAX - 2) /* an event of a schema: its stream knows */
#define BEGUN_NOT_STORED (UINT64_MAX - 1)
#define BEGUN_COUNTED    UINT64_MAX

/* An event whose detail is about to be published: once it is, the event is stored too, even if
 * the thread abandons it by a jump. */
struct lane_detail {
    uint32_t is_due, kind, seq;
    uint64_t from; /* the head of the details' ring before it */
    uint64_t time_ns, function_id;
};

struct lane {
    struct ras_lane hot; /* the thread's */
    uint64_t dropped[RAS_RECORD_REASONS];
    uint32_t deferred_count, ending;
    /* While deferred events are taken: the head before, and those for which there was no room. */
    uint32_t deferred_taking, deferred_lost;
    uint64_t deferred_mark;
    uint32_t detail_next;
    uint64_t details_dropped;
    struct byte_ring detail; /* allocated with the first detail */
    struct event_stream stream;
    struct deferred_event deferred[DEFERRED_MOST];

    /* Shared. */
    struct lane_detail pending;
    _Alignas(LINE) uint32_t state; /* enum lane_state */
    uint32_t requests, waiting;
    uint32_t generation;
    uint64_t capacity;
    pthread_mutex_t
        alive; /* locked by the thread: the kernel releases it when the thread is dead */
    int os_tid;
    char name[16], path[THREAD_PATH_ROOM];
    uint64_t stack[2]; /* where its stack is, its base last; 0: not known */
    struct lane *next;
    void *crash_stack;

    _Alignas(LINE) uint64_t tail; /* the drain's: events that left the ring */
    uint64_t lost[RAS_RECORD_REASONS];
    uint64_t seen; /* head at the last flush */
    uint64_t stored, details;
    /* In earlier segments: stored, taken from the ring, details. */
    uint64_t stored_before, tail_before, details_before;
    bool begun, broken;
    struct output_file *file;
    /* Of a flight recorder: searched for triggers; dropped, events and details. */
    uint64_t searched, gone, details_gone, details_outside;
    /* Of a flight recorder: the events [kept, tail), and the details, that left their rings. */
    uint64_t kept;
    struct history events, detail_events;
    bool ended; /* its thread is dead, but the lane is kept */
    uint64_t ended_bytes;
    struct lane *ended_next;
};

struct id_set;
struct rule;
enum set { SET_DETAIL, SET_TRIGGER, SETS };

enum { CRASH_SIGNALS = 10 };
struct crash {
    struct sigaction was[CRASH_SIGNALS];
    bool caught[CRASH_SIGNALS];
    uint32_t noted; /* enum crash_noted */
    struct crash_info first;
    pthread_t thread;  /* of CRASH_MAYBE: the one that runs the program's handler */
    uintptr_t frame;   /* and the stack pointer below which that handler is */
    uint64_t flush_ns; /* not before this time again, when the program handles its own faults */
};
enum crash_noted {
    CRASH_NONE,
    CRASH_COMING,
    CRASH_NOTED,
    CRASH_MAYBE, /* a handler of the program's own is running */
};

/* Callbacks of hooks that record for a program: when a recording has begun, also in a forked
 * child, and when the drain needs the names. */
struct watch {
    void (*begun)(void);
    void (*names)(void);
    /* The drain is about to store events: write the map of their functions first. */
    void (*map)(void);
    /* Which thread created the calling thread; "": not known. It lives as long as the thread. */
    const char *(*path)(void);
    /* The directory has changed: the next map goes there, and is whole. */
    void (*moved)(void);
    /* Where the stack of the calling thread is. */
    void (*stack)(uint64_t range[2]);
    /* A thread crashes, which calls this in its handler: its open calls, and the tick. */
    void (*crashed)(struct crash_info *);
    /* Run the drain in a thread that is not the program's; 0, or an errno. Wait for its end. */
    int (*start)(void *(*run)(void *));
    void (*join)(void);
};

/* A recording in segments. */
struct segments {
    unsigned number;      /* of the one that is written, from 0 */
    uint64_t begun_ns;    /* CLOCK_MONOTONIC */
    bool closing;         /* its manifest is the last one */
    uint64_t ended_bytes; /* of files that are closed */
    char first[4096];     /* directory of the first */
    uint64_t *events;     /* of those before it, by number */
    size_t room;
    unsigned deleted; /* the first ones */
    uint64_t deleted_events;
    struct ras_record_counts *before; /* by thread: in earlier segments */
    size_t before_count, before_room;
    /* Without a lane, calls and events: in earlier segments; what the counters began this one
     * with; and of one that is closing. */
    uint64_t strays_before[2][RAS_RECORD_REASONS], strays_base[2][RAS_RECORD_REASONS],
        strays_closing[2][RAS_RECORD_REASONS];
    uint8_t *scratch; /* where events and details are numbered */
    size_t scratch_size;
};

struct recorder {
    const struct watch *watch; /* NULL: none */
    uint32_t on;               /* events are taken */
    uint32_t pending;          /* in a forked child that starts recording with its first event */
    uint32_t generation;
    uint32_t drain_state; /* enum drain_state */
    uint32_t stop;        /* enum stop */
    uint32_t sealed;
    uint32_t ready;    /* the drain has begun, and its files are open */
    uint32_t progress; /* incremented by the drain: shows that it is not stuck */
    uint64_t stop_at;  /* CLOCK_MONOTONIC in ns when the drain stops by itself; 0: never */
    uint32_t thread_next;
    uint32_t flush_wanted, flush_done;
    uint32_t leaving;               /* its only thread is about to call exec() */
    struct lane *lanes;             /* only ever grows */
    uint64_t lane_retry_ns;         /* a lane could not be made: not before this time again */
    uint64_t *stray, *stray_events; /* by reason: calls and returns without a lane; events */
    int counts_fd, next_counts_fd;  /* of a durable recording, of its next segment; -1: none */
    uint64_t *counts_page;          /* where it counts them; NULL: in memory */
    pthread_key_t key;
    bool has_key;
    struct ras_record_options options; /* defaults filled in, strings copied */
    struct clock clock;
    pthread_t drain;
    bool running;  /* it has to be joined */
    bool watching; /* forks */
    struct crash crash;
    struct lock control; /* start and stop, one at a time */
    struct lock place;   /* a lane is made in a file, or all are moved; before that of the names */
    struct lock pass;    /* the drain at work; also guards threads, output and failure */
    const struct output_ops *ops;
    struct output *output;
    struct thread_info *threads; /* by thread number */
    size_t thread_count, thread_room;
    uint64_t threads_changed;
    const struct event_stream_ops *stream_ops; /* NULL: no schema was declared */
    struct event_stream_file *stream_file;     /* NULL: not begun */
    void *types[STREAM_TYPES]; /* types of the stream's events, owned by the format */
    uint32_t type_count, marker;
    uint32_t *type_index; /* hash table: number + 1 of a type; guarded by the lock of the names */
    size_t type_index_room;
    uint32_t declared,
        declared_for; /* types on disk, and for which recording; guarded by the lock of the names */
    struct media_anchors anchors; /* guarded by the lock of the names */
    struct names names;
    struct id_set *sets[SETS]; /* of functions */
    struct flight flight;
    struct rule *rules; /* guarded by the lock of the names */
    struct segments segments;
    struct ras_error failure; /* the first one */
    char dir[4096];
};
extern struct recorder recorder;

/* A program may declare its first schema while the drain is running. */
static inline const struct event_stream_ops *event_stream_format(void)
{
    return LOAD_ACQUIRE(&recorder.stream_ops);
}

static inline bool recorder_rotates(void)
{
    return recorder.options.rotate_bytes || recorder.options.rotate_ms;
}

enum drain_state { DRAIN_AWAKE, DRAIN_ASLEEP, DRAIN_NOTIFIED };
enum stop {
    STOP_NOT,
    STOP_COMING, /* a request is about to follow: who ends the process waits for it */
    STOP_REQUESTED,
};
/* From here on no event is taken, and the drain finishes. Callable from anywhere, any number of
 * times. */
void recorder_end(void);

/* lane.c */
extern const struct ras_lane lane_none, lane_suspended, lane_ignored;
/* Suspend recording of the calling thread while the recorder works for it; pass the result to
 * lane_resume(). */
struct ras_lane *lane_suspend(void);
void lane_resume(struct ras_lane *);
static inline struct lane *lane_of(struct ras_lane *hot)
{
    return (struct lane *)(void *)hot;
}
/* Give the calling thread one; NULL: memory is short. */
struct lane *lane_take(void);
/* Block signals while a lane is set up: a handler might not return. Faults and traps are not
 * blocked. */
void lane_hold_signals(sigset_t *was);
/* Begin again for the current recording. */
bool lane_begin(struct lane *);
void lane_take_anchor(struct lane *);
/* detail.c: an event with a detail was abandoned by a jump. */
void detail_abandon(struct lane *, bool stored);
/* lane_slow.c: room for an event at head, the lane being busy; false: it was dropped, or is not
 * recorded, and the lane is busy no longer. lane_done() ends being busy. */
bool lane_slow_path(struct lane *, uint32_t kind);
void lane_done(struct lane *);
/* The memory of a ring of bytes, made when it is first used; false: memory is short. */
bool lane_make_ring(struct byte_ring *);
/* Room for n bytes in one of the lane's rings, waiting for it if that is the policy. */
bool lane_await_bytes(struct lane *, const struct byte_ring *, uint64_t n);
/* Handle requests; no room is needed. False as above. */
bool lane_handle_requests(struct lane *);
/* Whether the recording that the lane was taken for is still on. */
bool lane_is_recorded(const struct lane *);
/* The lane belongs to an earlier recording than the current one. */
bool lane_is_outdated(const struct lane *);
/* jump.c: a jump to this stack pointer. True: it abandoned the event that this thread was
 * storing. */
bool lane_jump(uintptr_t sp);
/* Whether an event is being stored by a frame below `sp`, the current stack pointer. One begun
 * at `sp` or above was left by a jump that was not intercepted (a sanitizer has its own), and is
 * abandoned. */
static inline bool lane_is_busy(const struct ras_lane *hot, uint64_t sp)
{
    uint64_t place = LOAD(&hot->busy);
    return place && !(place > 1 && sp >= place && lane_jump((uintptr_t)sp));
}
/* So many calls are open, including those of handlers whose events are deferred. */
void lane_set_open(uint32_t open);
/* For hooks: an event with an earlier time; events that are dropped on purpose. */
void recorder_trace_at(uint64_t function_id, uint32_t kind, uint64_t time_ns);
void recorder_drop(enum ras_record_reason, uint64_t count);
/* Move deferred events of signal handlers into the ring, as far as there is room. */
void lane_take_deferred(struct lane *);
void lane_request(struct lane *, uint32_t requests);
/* Whether its thread has ended. */
bool lane_is_dead(struct lane *);
int lane_key_make(struct ras_error *);
/* Its thread, which calls this, is about to end. */
void lane_thread_ends(struct lane *);

bool rules_has(enum set, uint64_t function_id);
/* names.c: a function was named; the lock of the names is held. */
void rules_named(uint64_t function_id, const char *name);

/* durable.c: map the memory of a lane, which has its number, to a file. */
bool durable_make(struct lane *);
/* Events without a lane are counted in a file too, or in memory; in a forked child as well. */
void durable_begin(void);
void durable_end(void);
/* All lanes and counters go on in this directory, which becomes the recorder's. The caller has
 * `place`. */
void durable_move(const char *dir);
void durable_leave(void);
/* A lane is about to be freed. */
void durable_ended(const struct lane *);

/* crash.c: request the drain to finish and wait for it; callable from anywhere. Times out after
 * most_ns without progress. */
void crash_seal(uint64_t most_ns);
/* The signal that ended the program; NULL: none so far. */
const struct crash_info *crash_noted(void);
/* The thread jumps to this stack pointer, perhaps out of its own handler of a crash. */
void crash_jump(uintptr_t sp);
void crash_catch(void);
/* The program queries or sets the action of a signal: done as if the recorder had none. False: it
 * has none, or the program's own is in place. */
bool crash_exchange(int number, const struct sigaction *act, struct sigaction *old);
void crash_release(void);
void crash_give_stack(struct lane *);

/* recorder.c: handle forks; and in a child, start recording. */
void child_watch(void);
bool child_begin(void);

/* drain.c */
void *drain_run(void *);
void drain_notify(void); /* notify it */
/* The same from a thread that waits: a handler may have left drain_notify() by longjmp() before
 * the drain was woken. */
void drain_wake(void);
/* lane.c: drain one lane: all of it, or, unless `all`, only if a good part of a ring is full.
 * True: something was taken. */
bool lane_drain(struct lane *, bool all);
void lane_close(struct lane *);
/* Begin its file, unless it has one; false: it failed. */
bool lane_file_begin(struct lane *);
/* Close its file; its next event begins another one. */
void lane_end_segment(struct lane *);
/* Write events and details to the file, or count them as lost; then make room in the ring. */
void lane_store(struct lane *, const struct ras_record_event *, uint64_t count);
void lane_store_details(struct lane *, struct ras_bytes);
void lane_give_room(struct lane *, uint64_t tail);
/* Only the first failure is kept. */
void recorder_failed(const struct ras_error *);
void recorder_count(const struct lane *, struct ras_record_counts *);

/* rotate.c: at the start; begin the next segment if it is due, with the lock of a pass held; what
 * of a thread's counts belongs to this segment. */
void rotate_begin(void);
void rotate_if_due(uint64_t now_ns);
void rotate_count(uint32_t thread_id, struct ras_record_counts *);
/* Without a lane: in this segment, or in all. */
void rotate_strays(bool all, uint64_t strays[2][RAS_RECORD_REASONS]);
/* Whether there are segments of a directory, the first of which may be deleted. */
bool rotate_is_taken(const char *dir);
/* Room for details or events that are numbered for a segment; NULL: memory is short. */
uint8_t *rotate_scratch(void);

/* recorder.c: before exec(): write everything that was recorded, and a complete manifest; and
 * after an exec() that failed. */
void recorder_leave(void);
void recorder_stay(void);
/* A format starts the recorder with its output. */
struct thread_info *recorder_thread(uint32_t thread_id); /* NULL: memory is short */
void recorder_fill_thread(struct thread_info *, const struct lane *);
/* All that have lanes. */
void recorder_update_threads(void);
/* Where events without a lane are counted; NULL: in memory. */
void recorder_strays(uint64_t *stray, uint64_t *stray_events);
/* Write the manifest. */
int recorder_write_manifest(bool over, struct ras_error *);
/* That of a segment which is about to begin: it has no threads yet. */
int recorder_begin_manifest(struct output *, unsigned segment, struct ras_error *);
int recorder_start(const struct ras_record_options *, const struct output_ops *,
                   struct ras_error *);
#endif
