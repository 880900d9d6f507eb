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
/* All events of a track by time, those of one time as they came; free() them. *count is 0 where
 * memory is short, and the timeline has failed. */
struct log_entry *track_log_entries(struct track_log *, struct timeline *, uint32_t track,
                                    size_t *count);
void track_log_free(struct track_log *);
#endif
