/* atf_repair.h - declarations for the files that repair a session. */
#ifndef ATF_REPAIR_H
#define ATF_REPAIR_H

#include "codec/json_write.h"
#include "formats/atf/atf_driver.h"

/* Counts of a thread by its recorder, as far as it left them. */
struct atf_counted {
    bool known;
    uint64_t produced;
    uint64_t dropped[ATF_REASONS_MOST];
    uint64_t left; /* neither stored nor dropped: in memory when it was killed */
    uint64_t details_dropped, events, events_dropped;
};

/* The state of a thread once its patches are applied. */
struct atf_repaired {
    bool patched; /* one of its files needed a repair */
    bool broken;  /* one of its files cannot be repaired */
    uint64_t events, details;
    /* Records of a killed recorder's lane beyond its files; `details` counts these too. */
    uint8_t *more, *more_details;
    uint64_t more_events, more_detail_count;
    size_t more_detail_size;
    uint64_t time_min, time_max; /* if events */
    uint8_t arch, os, clock_type;
    uint64_t links_out, links_back; /* links to missing records, from events and from details */
    struct atf_counted counted;
    uint64_t damaged; /* events in frames that could not be decompressed */
};

struct atf_repairer {
    struct ras_atf_session *session;
    struct plan *plan;
    bool dir;                     /* else a lone file, whose partner is elsewhere */
    bool drop;                    /* clear links to missing records */
    struct atf_repaired *threads; /* one for each thread of the session */
    uint64_t done;                /* bytes of the files before the current one */
};

/* atf_repair_lanes.c: takes the events of the thread's lane, once its files are counted. */
void atf_repair_ring(struct atf_repairer *, size_t thread);

/* atf_repair_manifest.c: reads the counts of the lane, given the number of stored events in
 * `out`. */
struct atf_ring;
void atf_repair_count_lane(const struct atf_ring *, struct atf_repaired *out);
/* Drops without a thread, by reason; of a recording in segments which it is, 0 if there is only
 * one, and what was deleted before it. */
struct atf_strays {
    uint64_t calls[ATF_REASONS_MOST], events[ATF_REASONS_MOST];
    uint64_t segment, deleted, deleted_events;
};

/* A file of a directory ("": the top one); false: it is not there. */
bool atf_repair_find(struct atf_repairer *, const char *dir, size_t dir_len, const char *file,
                     struct ras_bytes *);
/* Events of ras_event() in the lanes of a process. */
void atf_repair_stream(struct atf_repairer *, size_t process);

/* atf_repair_manifest.c */
int atf_repair_manifest(struct atf_repairer *, size_t process, struct ras_error *);

/* Helpers for both files of a thread. */
static inline struct ras_bytes atf_repair_bytes(const struct atf_repairer *m,
                                                const struct atf_thread_file *l)
{
    return source_bytes(m->session->source, (size_t)l->part);
}
static inline const char *atf_repair_name(const struct atf_repairer *m,
                                          const struct atf_thread_file *l)
{
    return source_name(m->session->source, (size_t)l->part);
}
#endif
