/* atf_rewrite.h - declarations for the files that copy sessions. */
#ifndef ATF_REWRITE_H
#define ATF_REWRITE_H

#include "codec/json_write.h"
#include "formats/atf/atf_driver.h"

/* Which records of a file are copied, and their new numbers: unbroken runs of the old ones. A
 * range of a sorted file is a single run. */
struct atf_run {
    uint64_t from, to; /* old numbers, half-open */
    uint64_t at;       /* the new number of `from` */
};
struct atf_runs {
    struct atf_run *at;
    size_t count, room;
    size_t hint;    /* where the last lookup ended */
    uint64_t total; /* numbers taken */
};

/* One thread of a source that is copied. */
struct atf_copy {
    size_t source, thread, process; /* process: into struct atf_rewrite.processes */
    struct atf_runs events, details;
    uint64_t detail_at, detail_seq; /* of the last detail that was read */
    bool written;
    bool converted;              /* from the production dialect, separately at the end */
    uint64_t time_min, time_max; /* of its events */
    uint64_t event_count;
    bool has_detail;
};

/* One manifest to be written. */
struct atf_process_copy {
    size_t source, process; /* in the source; of a joined one the first */
    size_t copies;          /* where those of the source begin */
    uint32_t clock_type;
    const char *dir; /* borrowed or `made` */
    char *made;
    bool done;               /* it is written */
    bool placed;             /* a thread of it is written */
    bool has_events_file;    /* it has a file of events of ras_event() */
    uint64_t carried;        /* number of them that were copied */
    bool *symbols, *modules; /* flags for the source's manifest: they are needed */
    uint64_t seen[256];      /* functions that were looked up, by their low byte */
};

struct atf_rewrite {
    struct atf_copy *copies;
    size_t copy_count;
    uint32_t **by_part;                 /* of each source: the copy + 1 a part belongs to */
    struct atf_process_copy *processes; /* of all sources, one after the other */
    size_t process_count;
    bool flat;      /* several sources become one process */
    bool lone_file; /* a lone file, whose partner is elsewhere */
    /* the thread that is being written */
    struct atf_copy *open;
    struct ras_atf_writer *writer;
    struct ras_sink *index, *detail, *scratch;
    uint8_t *batch; /* records not yet written */
    size_t len;
    bool batch_details;
    uint64_t folded; /* events that were stored twice */
};

static inline struct atf_thread *atf_copy_thread(const struct rewrite *rw, const struct atf_copy *c)
{
    return &((struct atf *)rw->sources[c->source]->priv)->session.threads[c->thread];
}

static inline struct ras_atf_session *atf_copy_session(const struct rewrite *rw,
                                                       const struct atf_copy *c)
{
    return &((struct atf *)rw->sources[c->source]->priv)->session;
}

/* atf_rewrite.c: the files of a thread. */
int atf_copy_open(struct rewrite *, struct atf_copy *, struct ras_error *);
int atf_copy_close(struct rewrite *, struct ras_error *); /* does nothing if none is open */
/* Events that follow each other in the source. */
enum { ATF_EVENTS_AT_ONCE = 4096 };

/* atf_rewrite_manifest.c: manifests. */
int atf_copy_layout(struct rewrite *, struct ras_error *);
void atf_copy_needs(struct rewrite *, const struct atf_copy *, uint64_t function_id);
int atf_copy_manifests(struct rewrite *, struct ras_error *);

/* atf_rewrite_spec.c: a thread of the production dialect by the published text. */
int atf_copy_to_spec(struct rewrite *, struct atf_copy *, struct ras_error *);
#endif
