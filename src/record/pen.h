/* pen.h - what a format provides so that a recording becomes its files. */
#ifndef RECORD_PEN_H
#define RECORD_PEN_H

#include "record/flight.h"
#include "record/names.h"
#include <rastrum/record.h>

/* Who created a thread, as the manifest has it; "": not known. */
enum { THREAD_PATH_ROOM = 64 };

/* What is known of a thread, kept until the manifest is written. */
struct pen_book {
    uint32_t thread_id;
    int os_tid;
    char name[16];
    char path[THREAD_PATH_ROOM];
    bool has_detail;
    struct ras_record_counts counts;
};

/* The recorder's clock and that of media beside it, at one moment. */
struct pen_anchor {
    uint64_t time_ns;
    double media_seconds;
};

struct pen_anchors {
    struct pen_anchor *at;
    size_t count, room;
};

/* The signal that ended the program, or had it end. */
struct pen_crash {
    int number;
    const char *name;
    uint64_t time_ns;
    uint32_t thread_id; /* UINT32_MAX: of a thread that is not recorded */
};

/* What a manifest tells. */
struct pen_sum {
    const struct pen_book *books;
    size_t book_count;
    struct names *names;
    const struct ras_record_options *options;
    bool counter;                         /* the clock follows the processor's counter */
    bool complete;                        /* what it counts is all there is */
    bool over;                            /* the files are sealed */
    const uint64_t *stray, *stray_events; /* without a lane, by reason */
    const struct window *windows;         /* of a flight recorder */
    size_t window_count;
    const struct pen_anchors *anchors; /* read under the names' lock */
    const struct pen_crash *crash;     /* NULL: none */
};

/* A file that a lane lies in: its size, and where in it things are. */
struct pen_ring {
    uint64_t size;
    uint64_t head_at, tail_at, ring_at, capacity;
    uint64_t detail_head_at, detail_tail_at, detail_wrap_at, detail_at, detail_size;
    /* Of the stream: its ring, what is known at its tail, what is being taken, the types used. */
    uint64_t stream_head_at, stream_tail_at, stream_wrap_at, stream_at, stream_size;
    uint64_t base_at, standing_at, taken_at, used_at, used_size;
    /* Of what is counted: dropped by the thread and lost by the drain, by reason; events of the
     * stream and those dropped, by reason; details dropped. */
    uint64_t dropped_at, lost_at, stream_count_at, stream_dropped_at, details_dropped_at;
};
enum { PEN_PAGE = 4096 };

struct pen;
struct pen_file;

/* The drain calls these, one at a time. */
struct pen_ops {
    /* Make the directory that `dir` (4096 bytes) is told of. */
    int (*open)(struct pen **, const struct ras_record_options *, char *dir, struct ras_error *);
    int (*begin)(struct pen *, uint32_t thread_id, struct pen_file **, struct ras_error *);
    int (*events)(struct pen_file *, const struct ras_record_event *, size_t count,
                  struct ras_error *);
    /* Whole records, before the events that link to them. */
    int (*details)(struct pen_file *, const void *bytes, size_t size, uint64_t *count,
                   struct ras_error *);
    /* What was given reaches the system. */
    int (*flush)(struct pen_file *, struct ras_error *);
    /* Seal and free; *events is how many the file has, sealed or not. */
    int (*end)(struct pen_file *, uint64_t *events, struct ras_error *);
    /* Any thread: make the file of a lane and tell in it where things are. The descriptor,
     * or -1. It goes with end(). */
    int (*ring)(const char *dir, uint32_t thread_id, const struct pen_ring *);
    /* Durable: a file of what lanes that are no more have counted. Its second page is the
     * recorder's: what has no lane, calls and returns, then events of streams, by reason. The
     * descriptor, or -1. ended() adds a thread, before its lane goes; forget(): the manifest
     * has it all. */
    int (*counts)(const char *dir);
    void (*ended)(int fd, const struct pen_book *);
    void (*forget)(const char *dir);
    /* A child of fork(): free, and leave the files to the parent. */
    void (*leave)(struct pen_file *);
    int (*manifest)(struct pen *, const struct pen_sum *, struct ras_error *);
    void (*close)(struct pen *);
};
#endif
