/* event_stream.h - a thread's part of a stream of events that a format encodes.
 *
 * The thread puts frames into a ring; the drain passes them on in batches, each with what a
 * reader has to know at its beginning. It may split them where the thread has made a cut: the
 * frames from there on are standalone. While the thread is idle it may split them anywhere,
 * since the time base of the next frame is known then. */
#ifndef RECORD_EVENT_STREAM_H
#define RECORD_EVENT_STREAM_H

#include "record/byte_ring.h"
#include <rastrum/record.h>

enum { STREAM_TYPES = 65536, STREAM_CUT = 16 << 10 };
/* Where a durable recording keeps what its lanes refer to: docs/recording.md. */
#define STREAM_TYPES_NAME "events.types"
#define STREAM_BATCH      UINT32_C(0xffffffff)
#define STREAM_BASE       UINT32_C(0xfffffffe)

/* Progress of a durable stream, for the repair after a kill: what is being written is still in
 * the ring, and what was written is not taken twice. */
enum event_stream_step {
    STREAM_IDLE,
    STREAM_WRITING, /* from ring.tail on, to the file from `file_at` on */
    STREAM_WRITTEN, /* the rest of this struct is valid */
};
struct event_stream_taken {
    uint64_t step; /* enum event_stream_step */
    uint64_t tail, base_ns, standalone;
    uint64_t file_at;
};

struct event_stream {
    struct byte_ring ring; /* allocated with the first event */
    /* The thread's; valid together with `mark` while that equals ring.head. */
    uint64_t mark, base_ns, count;
    uint64_t cut, cut_count;   /* the last cut, and the events before it */
    uint64_t cut_due;          /* where the next one is made */
    uint32_t epoch, cut_epoch; /* of cuts: the last one made, and the one at `cut` */
    uint64_t dropped[RAS_RECORD_REASONS];
    uint64_t held, held_base, held_count; /* ring.head, base_ns and count before the event */
    /* The drain's. */
    _Alignas(64) uint64_t stored;
    uint64_t taken_base; /* at ring.tail */
    uint64_t standalone; /* the next frames are standalone */
    uint32_t taken_epoch;
    struct event_stream_taken taken;
    bool broken;
    /* The thread's: epoch in which each type was used last; 0: never. */
    _Alignas(64) uint32_t used[STREAM_TYPES];
};

/* Whether frames that are not taken yet may be of a type: it was used since the last cut. */
static inline bool event_stream_uses(const struct event_stream *s, uint32_t type)
{
    uint32_t used = LOAD(&s->used[type]);
    return used && (int32_t)(used - s->taken_epoch) >= 0;
}

struct event_stream_file;
struct crash_info;

/* What a format does with frames; the drain calls these. */
struct event_stream_ops {
    int (*open)(struct event_stream_file **, const char *dir, struct ras_error *);
    /* What a reader must know before frames of these types; `base_ns` only if not standalone. */
    int (*begin)(struct event_stream_file *, const struct event_stream *, struct ras_error *);
    int (*frames)(struct event_stream_file *, struct ras_bytes, struct ras_error *);
    int (*flush)(struct event_stream_file *, struct ras_error *);
    uint64_t (*size)(const struct event_stream_file *); /* of everything passed on */
    /* Durable: beside the file, the types that are new since `from`, for a reader of lanes; the
     * lock of the names is held. forget(): the file has them all. */
    void (*declare)(const char *dir, uint32_t from);
    void (*forget)(const char *dir);
    /* The last batch of a program that crashed: the crash as an event. */
    int (*crash)(struct event_stream_file *, const struct crash_info *, struct ras_error *);
    int (*close)(struct event_stream_file *, struct ras_error *);
    void (*leave)(struct event_stream_file *); /* a child of fork(): free, write nothing */
};

/* The format's, if it is linked: declares what signal handlers need in advance. */
void event_stream_ready(void) __attribute__((weak));

struct lane;
/* For the format: the calling thread's stream, whose lane is busy until event_stream_release();
 * NULL: there is none, and the event was counted. */
struct event_stream *event_stream_hold(uint64_t *time_ns);
void event_stream_release(void);
/* Room for n bytes; false: dropped and counted. */
bool event_stream_room(struct event_stream *, uint64_t n);
void event_stream_drop(struct event_stream *, enum ras_record_reason);
/* The event was abandoned by a jump, and will not be finished. */
void event_stream_abandon(struct event_stream *);

/* For the drain: pass on what there is. */
bool event_stream_drain(struct event_stream *, bool all);
/* With the lock of the names held: a type or a lane is new; in a durable recording types must
 * survive the process. */
void event_stream_declare(void);
#endif
