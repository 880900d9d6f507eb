/* atf_mend.h - what the files that mend a session share. */
#ifndef ATF_MEND_H
#define ATF_MEND_H

#include "codec/json_write.h"
#include "formats/atf/atf_driver.h"

/* What the recorder has counted of a thread, as far as it left that behind. */
struct atf_counted {
    bool known;
    uint64_t produced;
    uint64_t dropped[ATF_REASONS_MOST];
    uint64_t left; /* neither stored nor dropped: in memory when it was killed */
    uint64_t details_dropped, events, events_dropped;
};

/* What a thread comes to once its patches are applied. */
struct atf_mended {
    bool patched; /* one of its files was not as it should be */
    bool broken;  /* one of its files cannot be mended */
    uint64_t events, details;
    /* What the lane of a killed recorder held beyond its files; details counts these too. */
    uint8_t *more, *more_details;
    uint64_t more_events, more_detail_count;
    size_t more_detail_size;
    uint64_t time_min, time_max; /* if events */
    uint8_t arch, os, clock_type;
    uint64_t links_out, links_back; /* that lead nowhere, from events and from details */
    struct atf_counted counted;
};

struct atf_mender {
    struct ras_atf_session *session;
    struct plan *plan;
    bool dir;                   /* else a lone file, whose partner is elsewhere */
    bool drop;                  /* links that lead nowhere become none */
    struct atf_mended *threads; /* one for each of the session's */
};

/* atf_mend_ring.c: what lies in the thread's lane, once its files are counted. */
void atf_mend_ring(struct atf_mender *, size_t thread);

/* atf_mend_counts.c: what the lane has counted, of which the thread keeps what `out` says. */
void atf_mend_count_lane(struct ras_bytes lane, uint64_t head, struct atf_mended *out);
/* Threads that had ended, and what belongs to none, by reason: false: not all is known. */
struct atf_strays {
    uint64_t calls[ATF_REASONS_MOST], events[ATF_REASONS_MOST];
};
bool atf_mend_counts(struct atf_mender *, size_t process, struct atf_strays *);
/* atf_mend_recorder.c: the manifest's "recorder" with what was counted; `old` as it was, empty:
 * there was none. */
void atf_mend_recorder(struct atf_mender *, size_t process, const struct atf_strays *,
                       struct ras_bytes old, struct json *);

/* A file of a directory ("": the top one); false: it is not there. */
bool atf_mend_find(struct atf_mender *, const char *dir, size_t dir_len, const char *file,
                   struct ras_bytes *);
/* The lane of a thread whose files were not closed. */
bool atf_mend_lane(struct atf_mender *, struct atf_thread *, struct ras_bytes *);
/* atf_mend_stream.c: events of their own schemas in the lanes of a process. */
void atf_mend_stream(struct atf_mender *, size_t process);

/* atf_mend_detail.c */
void atf_mend_detail(struct atf_mender *, size_t thread);
/* The details of a file that can be walked. */
void atf_mend_count(struct atf_mender *, size_t thread);
/* atf_mend_manifest.c */
int atf_mend_manifest(struct atf_mender *, size_t process, struct ras_error *);

/* atf_mend.c: what both files have in common. */
static inline struct ras_bytes atf_mend_bytes(const struct atf_mender *m, const struct atf_lane *l)
{
    return source_bytes(m->session->source, (size_t)l->part);
}
static inline const char *atf_mend_name(const struct atf_mender *m, const struct atf_lane *l)
{
    return source_name(m->session->source, (size_t)l->part);
}
/* Put the 64 bytes of a header in place of those that are there, if they differ. */
bool atf_mend_header(struct atf_mender *, const struct atf_lane *, const uint8_t *want);
/* End the file at `end` with this footer. */
bool atf_mend_tail(struct atf_mender *, const struct atf_lane *, uint64_t end,
                   const uint8_t *footer);
/* The same with records before the footer. */
bool atf_mend_more(struct atf_mender *, const struct atf_lane *, uint64_t end,
                   struct ras_bytes records, const uint8_t *footer);
/* The whole file is this. */
void atf_mend_anew(struct atf_mender *, const struct atf_lane *, const uint8_t *header,
                   struct ras_bytes records, const uint8_t *footer);
/* It was refused, and there is no mending it. */
void atf_mend_refuse(struct atf_mender *, const struct atf_lane *);
/* Say so where a checksum was told that is not that of the records. */
void atf_mend_doubt(struct atf_mender *, const struct atf_lane *, uint32_t told, uint32_t found);
/* Whether a file that was refused is one whose header is merely not all there. */
bool atf_mend_can_begin(const struct atf_mender *, const struct atf_thread *,
                        const struct atf_lane *);
/* A link at `at` of the file that leads nowhere; the checksum with what it becomes. */
struct atf_mend_sum {
    const struct atf_lane *lane;
    uint64_t at; /* summed up to here */
    uint32_t crc;
};
void atf_mend_unlink(struct atf_mender *, struct atf_mend_sum *, uint64_t at);
uint32_t atf_mend_sum(struct atf_mender *, struct atf_mend_sum *, uint64_t end);
#endif
