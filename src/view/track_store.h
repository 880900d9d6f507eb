/* track_store.h - what the files of tracks share; private to them. */
#ifndef VIEW_TRACK_STORE_H
#define VIEW_TRACK_STORE_H

#include "base/memory.h"
#include "ops/timeline/timeline_feed.h"
#include "view/block_index.h"
#include "view/pyramid.h"
#include "view/tracks.h"

/* A slice that has not ended. */
struct open_slice {
    uint32_t row, name;
    uint64_t seq, begin;
};

struct track {
    struct track_about about;
    uint32_t *rows; /* of the pyramid; about.rows of them */
    size_t row_room;
    struct open_slice *opens;
    size_t open_count, open_room;
};

/* The tracks of the view that show a track of the timeline; TRACK_NONE: not yet. */
struct track_views {
    uint32_t group, slices, instants, values;
};

/* What reading again is for: items that overlap [from, last]. */
struct collector {
    uint32_t track; /* TRACK_NONE: all */
    uint64_t from, last;
    uint64_t longest; /* longer slices are in the pyramid */
    bool (*each)(void *user, const struct track_item *);
    void *user;
    bool stopped;
};

/* One trace of the side. */
struct pen {
    struct tracks *of;
    struct ras_trace *trace;
    size_t index;
    uint64_t size;
    struct timeline_feed *feed; /* NULL: not begun */
    bool built, waits;
    bool moved;                /* the last step has read something */
    struct track_views *views; /* by track of the timeline */
    size_t view_count, view_room;
    struct block_index blocks;
    struct block block; /* being read */

    struct timeline_feed *again;
    size_t again_block; /* the next one that it would read; SIZE_MAX: none is certain */
    struct collector *into;
};

/* Exact items of a track in [from, last], by row and time. */
struct window {
    uint32_t track, generation;
    uint64_t from, last, used, seq_base;
    bool values, nomem;
    struct entry_list *rows; /* NULL: it is free */
    uint32_t row_count;
    size_t bytes;
};

enum { WINDOWS = 32 };

struct tracks {
    struct ras_rundir *run;
    struct tracks_options how;
    size_t block_records; /* BLOCK_RECORDS; fewer in tests */
    bool is_ticks;
    struct pen *pens;
    size_t pen_count;
    struct timeline_feed *first; /* whose names and ticks there are */
    struct pyramid *pyramid;
    size_t settled; /* rows of it that are prepared for reading */
    struct track *tracks;
    size_t track_count, track_room;
    uint32_t generation;
    uint64_t *ticks; /* fewer than the timeline has, where those are too many */
    size_t tick_count;
    uint64_t tick_first, tick_every;
    bool ticks_known;
    struct out state; /* of a checkpoint */
    struct window windows[WINDOWS];
    size_t window_bytes;
    uint64_t uses;
    struct entry_list list; /* of a row */
    bool nomem;
};

/* tracks.c: the view of a timeline's track that takes items of a kind, made on first use; NULL: it
 * shows nothing, is not there when it is read again, or memory is short. */
struct track *track_view(struct pen *, struct timeline *, uint32_t track, enum track_kind);
/* When a slice that has not ended is shown to end. */
static inline uint64_t open_end(const struct track *k, const struct open_slice *o)
{
    return k->about.to > o->begin && k->about.from <= k->about.to ? k->about.to : o->begin;
}

/* track_scan.c: read the records again that show items for the collector. RAS_ELIMIT: there are
 * more than `most` (0: no limit). */
int track_scan(struct tracks *, struct collector *, uint64_t most, struct ras_error *);
void track_scan_close(struct pen *);

/* track_tiles.c */
void windows_free(struct tracks *);
#endif
