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

enum { STREAM_TYPES = 4096, STREAM_CUT = 16 << 10 };

struct stream {
    struct byte_ring ring; /* made with the first event */
    /* The thread's; what belongs to `mark` is whole while that equals ring.head. */
    uint64_t mark, base_ns, count;
    uint64_t cut, cut_count; /* the last cut, and the events before it */
    uint64_t cut_due;        /* where the next one is made */
    uint64_t dropped[RAS_RECORD_REASONS];
    uint8_t used[STREAM_TYPES]; /* types that came up */
    /* The drain's. */
    _Alignas(64) uint64_t stored;
    uint64_t taken_base; /* at ring.tail */
    bool standing;       /* what follows stands for itself */
    bool broken;
};

struct stream_file;

/* What a format does with them; the drain calls these. */
struct stream_ops {
    int (*open)(struct stream_file **, const char *dir, struct ras_error *);
    /* What a reader must know before frames of these types; `base_ns` only if not standing. */
    int (*begin)(struct stream_file *, const struct stream *, struct ras_error *);
    int (*frames)(struct stream_file *, struct ras_bytes, struct ras_error *);
    int (*flush)(struct stream_file *, struct ras_error *);
    int (*close)(struct stream_file *, struct ras_error *);
    void (*leave)(struct stream_file *); /* a child of fork(): free, write nothing */
};

struct lane;
/* For the format: the calling thread's stream, its lane busy; NULL: there is none and the
 * event was counted. stream_release() ends it. */
struct stream *stream_hold(uint64_t *time_ns);
void stream_release(void);
/* Room for n bytes; false: dropped and counted. */
bool stream_room(struct stream *, uint64_t n);
void stream_drop(struct stream *, enum ras_record_reason);

/* For the drain: pass on what there is. */
bool stream_drain(struct stream *, bool all);
#endif
