/* tracks.h - the timeline of one side of the view: tracks, names, tiles.
 *
 * A side is a trace, or the traces of a run directory on one clock. What it shows is built in
 * steps, within a budget of memory; tiles that are requested meanwhile show what is there. */
#ifndef VIEW_TRACKS_H
#define VIEW_TRACKS_H

#include "base/out.h"
#include <rastrum/rundir.h>

struct tracks;

#define TRACK_NONE UINT32_MAX

enum track_kind {
    TRACK_GROUP,   /* it has no tiles */
    TRACK_SLICE,   /* rows of slices, the outermost first */
    TRACK_COUNTER, /* one row of values */
    TRACK_INSTANT, /* one row */
    TRACK_FILM,    /* one row of slices, each a frame; the seq is that of the frame's record */
};

struct track_about {
    uint32_t parent; /* an index, which may be larger than its own; TRACK_NONE: none */
    enum track_kind kind;
    size_t pen;        /* which trace of the side: index into the pens of the run; 0 */
    uint32_t stream;   /* whose records it shows; TRACK_NONE: of several */
    const char *name;  /* as long as the tracks */
    const char *unit;  /* of a counter; NULL: none */
    uint64_t number;   /* pid of a process, tid of a thread; RAS_NONE: none */
    uint32_t rows;     /* so far; may grow while it is built */
    double min, max;   /* of a counter, if records > 0 */
    uint64_t records;  /* items so far: slices that ended, instants, values */
    uint64_t seq_base; /* seqs in tiles count from here */
    uint64_t from, to; /* times of its items; from > to: none yet */
    bool is_lossy;     /* more slices overlap than there are rows: the last one shows how many */
};

struct tracks_options {
    size_t budget_bytes;  /* 0: 64 MiB */
    uint32_t first_track; /* what tile headers add to the index of a track */
    bool follow;          /* the files may still grow: after RAS_END, tracks_step() goes on */
};

/* `trace` or `run`, the other is NULL; it must outlive the tracks. Nothing is read yet. */
int tracks_open(struct tracks **out, struct ras_trace *trace, struct ras_rundir *run,
                const struct tracks_options *, struct ras_error *);
void tracks_close(struct tracks *); /* NULL is fine */

/* Build for about so many milliseconds. RAS_OK: there is more to do. RAS_END: it is complete, or
 * would have to wait for a source that grows. A trace of a run that cannot be read any further is
 * shown as far as it could be. An error is that of memory. */
int tracks_step(struct tracks *, unsigned ms, struct ras_error *);
double tracks_built(const struct tracks *);        /* 0..1; 1: complete */
uint32_t tracks_generation(const struct tracks *); /* changes with whatever tiles show */

/* Tracks are only added, so that an index stays valid; pointers are until the next step. */
size_t tracks_count(const struct tracks *);
const struct track_about *tracks_at(const struct tracks *, size_t i);
/* From the first to the last time, as far as known, both included; is_ticks: the unit is a tick, or
 * a frame, << 20, instead of nanoseconds. False: there is nothing yet; is_ticks is set. */
bool tracks_extent(const struct tracks *, uint64_t *from, uint64_t *to, bool *is_ticks);
/* Ids are dense, from 0 on; UTF-8 without NUL, NUL-terminated. NULL: past the last. */
const char *tracks_name(const struct tracks *, uint32_t id, size_t *len);
size_t tracks_name_count(const struct tracks *);

enum { TILE_BUCKETS = 1024, TILE_BYTES_MOST = 1 << 20 };

/* Append a tile: docs/view-protocol.md, "Tile bytes". `track` is an index. RAS_EUSAGE: there is no
 * such track, it is a group, or the shift or the place is outside of 64 bits. */
int tracks_tile(struct tracks *, uint32_t track, int32_t shift, uint64_t index, struct out *bytes,
                struct ras_error *);

/* A slice, instant or value, as records have it. */
struct track_item {
    uint32_t track, row, name;
    uint64_t seq; /* of the record that shows it: the beginning of a call, the end of a poll */
    uint64_t begin, end;
    bool is_open; /* it did not end: `end` is the last time of the side */
    double value; /* of a counter */
};

enum { NEAR_LEFT, NEAR_RIGHT, NEAR_UP, NEAR_DOWN };
/* The next item: of the row the last that begins before `time`, or the first that begins after it;
 * of the row above or below what is there at `time`, else what begins last before it. False: there
 * is none, or memory is short. */
bool tracks_near(struct tracks *, uint32_t track, uint32_t row, uint64_t time, unsigned dir,
                 struct track_item *);
/* Every item that overlaps [from, to), from the records; in no certain order. `each` returns
 * whether to go on. `track`: of this one only; TRACK_NONE: of all. */
int tracks_each(struct tracks *, uint32_t track, uint64_t from, uint64_t to,
                bool (*each)(void *user, const struct track_item *), void *user,
                struct ras_error *);

/* When ticks begin: (*at)[i] is the time of tick *first + i * *every. 0: nothing places them, or
 * they are the axis. At most 65,536. Until the first trace shows something they are those of
 * run.json, which may be in a neighbouring record. */
size_t tracks_ticks(const struct tracks *, uint64_t *first, uint64_t *every, const uint64_t **at);

/* log2 of the finest bucket that is kept; finer tiles are made from the records. */
unsigned tracks_base(const struct tracks *);
/* Bytes held, without what the system maps. */
size_t tracks_memory(const struct tracks *);
#endif
