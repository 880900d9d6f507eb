/* record.h - record the calls and events of the program that includes this.
 *
 * Link with rastrum-record. One recorder a process: ras_record_start() makes a session
 * directory and a thread that writes it; from then on every thread that calls
 * ras_trace_call() and the like has a lane of its own, a ring of records as they lie in
 * the file. Nothing on that path locks, allocates or enters the system, but for the
 * first event of a thread and for rings that are full. What cannot be stored is counted:
 * for every thread, produced = stored + dropped, by reason.
 *
 * Every function here may be called from any thread; ras_trace_*() and ras_marker() from
 * signal handlers too.
 *
 *     const struct ras_record_options options = {.dir = "calls"};
 *     if (ras_record_start(&options, err) < 0)
 *         fprintf(stderr, "%s\n", err->text);
 *     const uint64_t work = ras_record_function(ras_record_module("game"), "work");
 *     ras_trace_call(work);
 *     ras_trace_return(work);
 *     if (ras_record_stop(err) < 0)
 *         fprintf(stderr, "%s\n", err->text); */
#ifndef RASTRUM_RECORD_H
#define RASTRUM_RECORD_H

#include <rastrum/rastrum.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- starting and stopping ------------------------------------------------ */

/* What happens to an event that finds its ring full. */
enum ras_record_policy {
    RAS_RECORD_BLOCK, /* its thread waits: nothing is lost */
    RAS_RECORD_DROP,  /* it is dropped and counted: the caller does not wait */
};

/* Timestamps are CLOCK_BOOTTIME, read from the system or worked out from the processor's
 * counter, which is followed about once a second. */
enum ras_record_clock {
    RAS_RECORD_CLOCK_AUTO, /* the counter where it is steady, else the system */
    RAS_RECORD_CLOCK_SYSTEM,
    RAS_RECORD_CLOCK_COUNTER, /* refused where it is not steady */
};

/* What a child of fork() does. A child that calls exec() first does neither. */
enum ras_record_fork {
    RAS_RECORD_FORK_OFF,    /* records nothing */
    RAS_RECORD_FORK_FOLLOW, /* records into a pid_N of its own, from its first event on */
};

/* Zero-initialised: every default. */
struct ras_record_options {
    size_t struct_size; /* sizeof, or 0: see docs/abi.md */
    const char *dir;    /* session_YYYYMMDD_HHMMSS/pid_N is made below it; NULL: "ada_traces" */
    const char *exact;  /* this is the session: pid_N is made below it; NULL: see dir */
    enum ras_record_policy policy;
    enum ras_record_clock clock;
    enum ras_record_fork fork;
    size_t ring_bytes;   /* of a thread's ring, a power of two; 0: 2 MiB */
    size_t detail_bytes; /* of its details' ring, made with the first; 0: 1 MiB */
    unsigned flush_ms;   /* how long an event may wait for its file; 0: 100 */
    bool no_crash;       /* SIGSEGV, SIGABRT ... are not caught, drained and passed on */
    /* A flight recorder: nothing is stored but windows around triggers. A window reaches pre_ms
     * back (0: half a ring of each thread's last events) and goes on for post_ms. What a window
     * may want and the rings have no room for is kept in memory. */
    bool flight;
    unsigned pre_ms, post_ms;
    size_t history_bytes; /* the most of that memory; 0: 512 MiB */
    bool durable;         /* rings lie in files: what they hold outlives a killed process */
    bool compress;        /* files are seekable zstd, which every verb reads */
    /* Segments: a new directory, pid_N.2 and so on, when the last one has this many bytes, or is so
     * old. With keep_segments only the newest ones stay. Not for a flight recorder. */
    uint64_t rotate_bytes;
    unsigned rotate_ms, keep_segments;
};

/* Begin. RAS_EUSAGE while one is recording; RAS_EIO where the directory cannot be made. */
RAS_API int ras_record_start(const struct ras_record_options *options,
                             struct ras_error *err) RAS_CHECKED;
/* Store what the rings hold, seal the files, write the manifest. The first failure of the
 * recording is reported here. Without it the end of the program stops the recording too. */
RAS_API int ras_record_stop(struct ras_error *err) RAS_CHECKED;
/* Wait until everything recorded before this call is in the files. */
RAS_API int ras_record_flush(struct ras_error *err) RAS_CHECKED;
RAS_API bool ras_record_is_on(void);
/* The pid_N that is or was recorded last; "" before. Good until the next start. */
RAS_API const char *ras_record_dir(void);

/* Why an event was not stored. */
enum ras_record_reason {
    RAS_RECORD_RING_FULL, /* policy drop */
    RAS_RECORD_REENTRANT, /* of a signal handler, on top of one that was being stored */
    RAS_RECORD_NO_MEMORY, /* no lane for this thread */
    RAS_RECORD_WRITE,     /* the file could not be written; see ras_record_stop() */
    RAS_RECORD_FILE_FULL, /* 2^32 - 2 events are in it */
    RAS_RECORD_OUTSIDE,   /* flight recorder: in no window */
    RAS_RECORD_REFUSED,   /* an event that is not what its schema says, or too long */
    RAS_RECORD_SHORT,     /* of a call that took less time than requested */
    RAS_RECORD_ABANDONED, /* a signal handler left by longjmp() while it was being stored */
    RAS_RECORD_REASONS,   /* how many this version has */
};
#define RAS_RECORD_REASONS_ROOM 24u /* in struct ras_record_counts, so that there may be more */
/* "ring_full", "reentrant", ... as the manifest has them. */
RAS_API const char *ras_record_reason_name(enum ras_record_reason reason);

/* produced = stored + dropped, once the recording has stopped; before, what the rings
 * hold is not stored yet. */
struct ras_record_counts {
    uint64_t produced, stored;
    uint64_t dropped[RAS_RECORD_REASONS_ROOM];
    uint64_t events, events_dropped[RAS_RECORD_REASONS_ROOM]; /* of ras_event(), stored and not */
    uint64_t details, details_dropped; /* stored; and those whose events went without */
    uint64_t reserved[4];
};
/* Of all threads of the recording, or the last one. */
RAS_API void ras_record_counts(struct ras_record_counts *out);
/* Of the thread that is recorded as thread_N; false: there is none. */
RAS_API bool ras_record_thread_counts(uint32_t thread_id, struct ras_record_counts *out);

/* What has a flight recorder store a window. A crash does so by itself. */
enum ras_record_trigger {
    RAS_TRIGGER_CALL,     /* ras_record_trigger_now(), from anywhere */
    RAS_TRIGGER_FUNCTION, /* an event of this function, or of one whose name matches */
    RAS_TRIGGER_TIME,     /* ras_record_now() reaches it */
    RAS_TRIGGER_SIGNAL,   /* the process is sent this signal, which does nothing else then */
    RAS_TRIGGER_CRASH,
};
RAS_API const char *ras_record_trigger_name(enum ras_record_trigger kind); /* "api", "symbol" ... */
RAS_API void ras_record_trigger_now(void);
RAS_API void ras_record_trigger_at(uint64_t time_ns);
RAS_API int ras_record_trigger_on(uint64_t function_id, bool on, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_record_trigger_matching(const char *pattern, bool on,
                                        struct ras_error *err) RAS_CHECKED;
RAS_API int ras_record_trigger_on_signal(int number, struct ras_error *err) RAS_CHECKED;

/* ---- names ---------------------------------------------------------------- */

/* Number a module, or find it again; then a function in it: the function_id is
 * module << 32 | index. They go into the manifest. 0 when memory is short. */
RAS_API uint32_t ras_record_module(const char *path);
RAS_API uint64_t ras_record_function(uint32_t module, const char *name);

/* ---- events --------------------------------------------------------------- */

enum ras_trace_kind { RAS_TRACE_CALL = 1, RAS_TRACE_RETURN = 2, RAS_TRACE_EXCEPTION = 3 };

/* The calling thread enters a function, leaves it, or leaves it by an exception. */
static inline void ras_trace_call(uint64_t function_id);
static inline void ras_trace_return(uint64_t function_id);
static inline void ras_trace_exception(uint64_t function_id); /* it ends the call, as a return */

/* An event with what the processor and the stack held: registers in the order of the
 * specification (x86_64: rdi rsi rdx rcx r8 r9 rbp rsp; of a return rax first), up to 256
 * bytes of stack; or any bytes instead. The numbers of event and detail are reserved
 * together. Where the details' ring is full and the policy is to drop, the event goes
 * without: events come first. */
struct ras_detail {
    uint64_t regs[8], lr, fp, sp;
    const void *stack;
    uint32_t stack_size;
    uint32_t payload_size;
    const void *payload; /* with payload_size: instead of all above */
};
RAS_API void ras_trace_detail(enum ras_trace_kind kind, uint64_t function_id,
                              const struct ras_detail *detail);
/* Which functions are to be recorded with detail: for hooks and callers to ask; may be
 * changed at any time. A pattern (POSIX extended, matched anywhere in the name) holds for
 * names that become known later, too; the last that matches decides. */
RAS_API bool ras_record_wants_detail(uint64_t function_id);
RAS_API int ras_record_detail(uint64_t function_id, bool on, struct ras_error *err) RAS_CHECKED;
RAS_API int ras_record_detail_matching(const char *pattern, bool on,
                                       struct ras_error *err) RAS_CHECKED;

/* Events of a kind of their own (include <rastrum/dial9.h>): a schema is declared once and
 * has one id in the process; its events go to events.trc beside the threads. False: the
 * event was dropped, and counted. */
struct ras_dial9_schema;
struct ras_dial9_value;
RAS_API int ras_event_schema(const struct ras_dial9_schema *schema, uint32_t *id,
                             struct ras_error *err) RAS_CHECKED;
RAS_API bool ras_event(uint32_t id, const struct ras_dial9_value *values, uint32_t count);
RAS_API bool ras_event_at(uint32_t id, uint64_t time_ns, const struct ras_dial9_value *values,
                          uint32_t count);
/* The pool id of a text or of the addresses of a stack, for fields of pooled types; the same
 * has one id in the process, and is stored where events refer to it. Schemas and pools have
 * room for 65536 in all, which are never given back: what is different every time is no
 * matter of pools. */
#define RAS_EVENT_POOLED_MOST 65536u /* bytes of one */
RAS_API int ras_event_string(struct ras_bytes text, uint32_t *pool_id,
                             struct ras_error *err) RAS_CHECKED;
RAS_API int ras_event_stack(const uint64_t *addresses, uint32_t count, uint32_t *pool_id,
                            struct ras_error *err) RAS_CHECKED;
/* A word for whoever reads the trace: an event RecordMarker {thread_id, text}. */
RAS_API bool ras_marker(const char *text);
/* It is now `media_seconds` in what is recorded beside the trace: a timing anchor. */
RAS_API int ras_anchor(double media_seconds, struct ras_error *err) RAS_CHECKED;

/* Calls that are open on this thread; setting it reports frames that were left without
 * a return, as longjmp() does. */
RAS_API uint32_t ras_trace_depth(void);
RAS_API void ras_trace_unwind(uint32_t depth);

/* The recorder's clock: CLOCK_BOOTTIME in ns. */
RAS_API uint64_t ras_record_now(void);

/* ---- what the inline functions use; not for callers ------------------ */

/* A record of index.atf as it is stored. */
struct ras_record_event {
    uint64_t timestamp_ns, function_id;
    uint32_t thread_id, event_kind, call_depth, detail_seq;
};
RAS_SIZE(struct ras_record_event, 32);

/* A thread's lane, as far as its own events touch it. It is compiled into programs: when its layout
 * or its meaning changes, so does the number in the name of ras_lane_1, and a program that was
 * built with another one does not start. */
struct ras_lane {
    struct ras_record_event *ring;
    uint64_t mask;
    uint64_t head; /* events published; the drain reads it */
    uint64_t
        limit; /* head may come up to here, then the slow path checks for requests; 0: at once */
    uint64_t ticks;   /* the anchor: the counter ... */
    uint64_t base_ns; /* ... and the time then */
    uint64_t rate;    /* ns a tick, times 2^32; 0: the system is called */
    uint64_t last_ns; /* times of a thread never step back */
    uint64_t busy;    /* an event is being stored, at this place of the stack, or 1: no place; a
                         signal handler must not join in */
    uint64_t begun;   /* head and depth (from bit 32 on) when it was begun */
    uint32_t depth;
    uint32_t thread_id;
};
RAS_SIZE(struct ras_lane, 88);

/* The calling thread's; hooks that are loaded into a program keep it elsewhere. */
#ifndef RAS_LANE
extern RAS_API __thread struct ras_lane *ras_lane_1 __attribute__((tls_model("initial-exec")));
#define RAS_LANE ras_lane_1
#endif
/* Slow paths: the lane has requests or no room; there is no lane, or it is busy. */
RAS_API void ras_record_put_slow(struct ras_lane *lane, uint64_t function_id, uint32_t kind);
RAS_API void ras_record_busy(uint64_t function_id, uint32_t kind);
RAS_API uint64_t ras_record_system_ns(void);

#define RAS_INLINE static inline __attribute__((always_inline, unused))

#if defined(__x86_64__)
#define RAS_TICKS() __builtin_ia32_rdtsc()
#elif defined(__aarch64__)
RAS_INLINE uint64_t ras_ticks_(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#define RAS_TICKS() ras_ticks_()
#else
#define RAS_TICKS() UINT64_C(0)
#endif

/* Where on the stack this is: what lies there or above is not left by who jumps below it. */
#if defined(__x86_64__)
RAS_INLINE uint64_t ras_stack_(void)
{
    uint64_t sp;
    __asm__ volatile("mov %%rsp, %0" : "=r"(sp));
    return sp;
}
#else
#define ras_stack_() ((uint64_t)(uintptr_t)__builtin_frame_address(0))
#endif

__extension__ typedef unsigned __int128 ras_u128_;

RAS_INLINE uint64_t ras_lane_time_(struct ras_lane *lane)
{
    uint64_t now;
    if (__builtin_expect(lane->rate != 0, 1))
        now = lane->base_ns + (uint64_t)((ras_u128_)(RAS_TICKS() - lane->ticks) * lane->rate >> 32);
    else
        now = ras_record_system_ns();
    now = now > lane->last_ns ? now : lane->last_ns;
    lane->last_ns = now;
    return now;
}

/* The depth an event bears: a call counts itself, and what ends it bears the same. */
RAS_INLINE uint32_t ras_lane_depth_(struct ras_lane *lane, uint32_t kind)
{
    uint32_t depth = lane->depth;
    if (kind == RAS_TRACE_CALL)
        return lane->depth = depth + 1;
    lane->depth = depth - (depth != 0);
    return depth;
}

/* The event at `head`, which is known to have room. */
RAS_INLINE void ras_lane_put_(struct ras_lane *lane, uint64_t head, uint64_t time_ns,
                              uint64_t function_id, uint32_t kind, uint32_t detail_seq)
{
    struct ras_record_event *e = &lane->ring[head & lane->mask];
    e->timestamp_ns = time_ns;
    e->function_id = function_id;
    e->thread_id = lane->thread_id;
    e->event_kind = kind;
    e->call_depth = ras_lane_depth_(lane, kind);
    e->detail_seq = detail_seq;
    __atomic_store_n(&lane->head, head + 1, __ATOMIC_RELEASE);
}

/* An event begins; what it finds at the head. */
RAS_INLINE uint64_t ras_lane_begin_(struct ras_lane *lane)
{
    __atomic_store_n(&lane->busy, ras_stack_(), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint64_t head = __atomic_load_n(&lane->head, __ATOMIC_RELAXED);
    __atomic_store_n(&lane->begun, head | (uint64_t)lane->depth << 32, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return head;
}

RAS_INLINE void ras_trace_(uint64_t function_id, uint32_t kind)
{
    struct ras_lane *lane = RAS_LANE;
    if (__builtin_expect(__atomic_load_n(&lane->busy, __ATOMIC_RELAXED) != 0, 0)) {
        ras_record_busy(function_id, kind);
        return;
    }
    uint64_t head = ras_lane_begin_(lane);
    if (__builtin_expect(head >= __atomic_load_n(&lane->limit, __ATOMIC_RELAXED), 0)) {
        ras_record_put_slow(lane, function_id, kind);
        __asm__ volatile("" ::: "memory"); /* not in place of its caller, whose place is known */
        return;
    }
    ras_lane_put_(lane, head, ras_lane_time_(lane), function_id, kind, UINT32_MAX);
    __atomic_store_n(&lane->busy, 0, __ATOMIC_RELEASE);
}

static inline void ras_trace_call(uint64_t function_id)
{
    ras_trace_(function_id, RAS_TRACE_CALL);
}

static inline void ras_trace_return(uint64_t function_id)
{
    ras_trace_(function_id, RAS_TRACE_RETURN);
}

static inline void ras_trace_exception(uint64_t function_id)
{
    ras_trace_(function_id, RAS_TRACE_EXCEPTION);
}

#ifdef __cplusplus
}
#endif
#endif
