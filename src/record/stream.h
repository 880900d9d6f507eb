/* stream.h - a thread's share of a stream of events that a format encodes.
 *
 * The thread puts frames into a ring; the drain passes runs of them on, and says what a
 * reader has to know at their beginning. It may part them where the thread has made a
 * cut: the frames from there on stand for themselves. Where the thread rests it may part
 * them anywhere, since the base of the next frame's time is known then. */
#ifndef RECORD_STREAM_H
#define RECORD_STREAM_H

#include "record/byte_ring.h"
#include <rastrum/record.h>

enum { STREAM_TYPES = 65536, STREAM_CUT = 16 << 10 };
/* Where a durable recording keeps what its lanes refer to: docs/recording.md. */
#define STREAM_TYPES_NAME "events.types"
#define STREAM_BATCH      UINT32_C(0xffffffff)
#define STREAM_BASE       UINT32_C(0xfffffffe)

/* How far a durable stream is with what it passes on, so that a killed process tells: what it is
 * writing is in the ring still, and what it has written is not taken twice. */
enum stream_step {
    STREAM_IDLE,
    STREAM_WRITING, /* from ring.tail on, to the file from `file_at` on */
    STREAM_WRITTEN, /* the rest of this is true */
};
struct stream_taken {
    uint64_t step; /* enum stream_step */
    uint64_t tail, base_ns, standalone;
    uint64_t file_at;
};

struct stream {
    struct byte_ring ring; /* made with the first event */
    /* The thread's; what belongs to `mark` is whole while that equals ring.head. */
    uint64_t mark, base_ns, count;
    uint64_t cut, cut_count;   /* the last cut, and the events before it */
    uint64_t cut_due;          /* where the next one is made */
    uint32_t epoch, cut_epoch; /* of cuts: the last one made, and the one at `cut` */
    uint64_t dropped[RAS_RECORD_REASONS];
    uint64_t held, held_base, held_count; /* ring.head, base_ns and count as the event found them */
    /* The drain's. */
    _Alignas(64) uint64_t stored;
    uint64_t taken_base; /* at ring.tail */
    uint64_t standalone; /* what follows stands for itself */
    uint32_t taken_epoch;
    struct stream_taken taken;
    bool broken;
    /* The thread's: when each type came up last; 0: never. */
    _Alignas(64) uint32_t used[STREAM_TYPES];
};

/* Whether frames that are not taken yet may be of a type: it came up since the cut before. */
static inline bool stream_uses(const struct stream *s, uint32_t type)
{
    uint32_t used = LOAD(&s->used[type]);
    return used && (int32_t)(used - s->taken_epoch) >= 0;
}

struct stream_file;

/* What a format does with them; the drain calls these. */
struct stream_ops {
    int (*open)(struct stream_file **, const char *dir, struct ras_error *);
    /* What a reader must know before frames of these types; `base_ns` only if not standing. */
    int (*begin)(struct stream_file *, const struct stream *, struct ras_error *);
    int (*frames)(struct stream_file *, struct ras_bytes, struct ras_error *);
    int (*flush)(struct stream_file *, struct ras_error *);
    uint64_t (*size)(const struct stream_file *); /* of all that was passed on */
    /* Durable: beside the file, what a reader of lanes must know of types that are new since
     * `from`; the names' lock is held. And once the file has it all, that goes. */
    void (*declare)(const char *dir, uint32_t from);
    void (*forget)(const char *dir);
    int (*close)(struct stream_file *, struct ras_error *);
    void (*leave)(struct stream_file *); /* a child of fork(): free, write nothing */
};

/* The format's, where it is linked: what handlers need is declared before they can. */
void stream_ready(void) __attribute__((weak));

struct lane;
/* For the format: the calling thread's stream, its lane busy; NULL: there is none and the
 * event was counted. stream_release() ends it. */
struct stream *stream_hold(uint64_t *time_ns);
void stream_release(void);
/* Room for n bytes; false: dropped and counted. */
bool stream_room(struct stream *, uint64_t n);
void stream_drop(struct stream *, enum ras_record_reason);
/* The event that is held is left by a jump, and will not be finished. */
void stream_abandon(struct stream *);

/* For the drain: pass on what there is. */
bool stream_drain(struct stream *, bool all);
/* With the names' lock held: a type is new, or a lane; in a durable recording types outlive the
 * process. */
void stream_declare(void);
#endif
