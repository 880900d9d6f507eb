/* track_log.h - the events of every track by itself, for targets that store one after the other.
 *
 * Small amounts are in memory; what is more goes to a spool. */
#ifndef EXPORT_TRACK_LOG_H
#define EXPORT_TRACK_LOG_H

#include "base/spool.h"
#include "ops/timeline/timeline.h"

/* An event as the writer stored it. */
struct log_entry {
    uint64_t time_ns;
    const uint8_t *at;
    uint32_t len;
};

struct log_chunk {
    uint64_t at, len; /* in the spool */
};

struct log_track {
    struct out bytes; /* that are not in the spool */
    struct log_chunk *chunks;
    size_t chunk_count, chunk_room;
    uint64_t count, last_ns;
    bool unordered;
};

/* Zero-initialised: empty. */
struct track_log {
    struct log_track *tracks;
    size_t count, room;
    size_t buffered;
    struct spool spool;
    struct out scratch;
};

/* Room for a track, before its first event. */
void track_log_track(struct track_log *, struct timeline *, uint32_t track);
/* Add what the writer put into `scratch`, which is emptied. */
void track_log_add(struct track_log *, struct timeline *, uint32_t track, uint64_t time_ns);
void track_log_free(struct track_log *);

/* ---- reading ----------------------------------------------------------------------------- */

/* A way through the events of a track by time, those of one time as they came. Memory is used only
 * where they were added in another order. */
struct log_walk {
    const struct track_log *log;
    const struct log_track *track;
    size_t count; /* of events */
    uint64_t first_ns, last_ns;
    struct log_entry *sorted; /* NULL: as they were added */
    size_t chunk, at;         /* the next ones */
    const uint8_t *next, *end;
    struct log_entry entry;
};

/* An empty walk where memory is short: the timeline has failed then. */
void log_walk_open(struct log_walk *, const struct track_log *, struct timeline *, uint32_t track);
/* The next event, until the next call; NULL: none, and the first one comes next. */
const struct log_entry *log_walk_next(struct log_walk *);
void log_walk_close(struct log_walk *);
#endif
