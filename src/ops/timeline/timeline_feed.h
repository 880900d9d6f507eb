/* timeline_feed.h - a trace as rows for a viewer: in steps, and again from the middle on.
 *
 * The driver of the format sees the records in their stored order, so that a trace that still grows
 * can be shown. Between two records its state can be saved; another feed of the same trace
 * continues from there, and shows what the first one showed. */
#ifndef OPS_TIMELINE_TIMELINE_FEED_H
#define OPS_TIMELINE_TIMELINE_FEED_H

#include "ops/timeline/timeline.h"

struct timeline_feed;

struct timeline_feed_options {
    const struct timeline_rows *rows;
    void *user; /* timeline.rows_user */
    struct ras_trace *trace;
    const struct ras_rundir *run; /* NULL: a trace alone */
    size_t pen;
    struct timeline_feed *first; /* of the same run: names and times of ticks are its; NULL: none */
    bool follow;
};

int timeline_feed_open(struct timeline_feed **, const struct timeline_feed_options *,
                       struct ras_error *);
/* One that reads again what another has read. It must be positioned before its first step. */
int timeline_feed_again(struct timeline_feed **, struct timeline_feed *of,
                        const struct timeline_rows *, void *user, struct ras_error *);
void timeline_feed_close(struct timeline_feed *); /* NULL is fine */

struct timeline *timeline_feed_timeline(struct timeline_feed *);
/* Whether it is known when ticks begin: the first steps of the first trace of a run find that, and
 * show nothing. */
bool timeline_feed_knows_ticks(const struct timeline_feed *);

/* What a step has read. */
struct timeline_fed {
    uint64_t seq; /* of its first record */
    size_t count;
    uint32_t stream; /* UINT32_MAX: of several */
};
/* Show up to so many records; fewer where another stream begins. RAS_END: no more follow, or the
 * rest cannot be read; RAS_WAIT: none yet; an error is that of memory. */
int timeline_feed_step(struct timeline_feed *, size_t records, struct timeline_fed *,
                       struct ras_error *);
/* What is open goes out, as slices that end at TIMELINE_OPEN_END. */
void timeline_feed_show_open(struct timeline_feed *);
/* Bytes read of *total; 0: it is not known. */
uint64_t timeline_feed_progress(const struct timeline_feed *, uint64_t *total);

/* Append the state before the next record. False: it cannot be saved there. */
bool timeline_feed_save(struct timeline_feed *, struct out *);
/* Continue from there; without bytes from the first record on. */
int timeline_feed_load(struct timeline_feed *, struct ras_bytes, struct ras_error *);
#endif
