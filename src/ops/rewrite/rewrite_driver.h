/* rewrite_driver.h - the driver's part in copying records into a new trace.
 *
 * rewriter.c walks the sources and passes every record in range, once to need() and once to take();
 * a driver copies the wanted ones, with what they need, and renumbers. */
#ifndef OPS_REWRITE_REWRITE_DRIVER_H
#define OPS_REWRITE_REWRITE_DRIVER_H

#include <rastrum/rastrum.h>

struct rewrite {
    struct ras_trace *const *sources; /* begin() may change `order` */
    size_t count;
    size_t *order; /* the sources, in the order they are walked */
    const struct ras_rewrite_options *options;
    const char *target; /* one of ops->targets: what to write */
    bool whole;         /* no range, types or streams were requested: everything is wanted */
    bool settled;       /* the results of need() are known: its pass is skipped, or ends */
    bool careful;       /* no assumption that may turn out wrong later */
    bool again;         /* an assumption was wrong: begin again, with `careful` */
    bool piecemeal;     /* children were requested by type or number: they are passed */
    struct ras_sink *sink;
    struct ras_folder *folder; /* one of the two */
    void *priv;                /* ops->size bytes, zeroed */
    struct ras_rewritten *out;
    size_t note_room, kept_room, dropped_room, companion_room, carried_room;
    bool nomem;
};

/* A record in range. */
struct taken {
    size_t source;
    struct ras_cursor *cursor;
    const struct ras_record *record;
    bool wanted;   /* its type and stream were requested; others may be needed by them */
    bool in_range; /* always, except for need() of a format that wants all */
};

struct rewrite_ops {
    /* Dialects or versions, ends with NULL, the newest first; NULL: the format's dialects. */
    const char *const *targets;
    size_t size; /* of private state */
    bool values; /* the cursors decode values: ras_values() */
    /* A record's children are copied with it: they are passed only when their own types or numbers
     * were requested, and counted by rewrite_kept() otherwise. */
    bool with_children;
    /* A type of record that closes its tick and is delivered after the others of it: it stays as
     * long as one of them does. NULL: none. */
    const char *closes;
    bool interleaves; /* sources may be interleaved by time */
    bool needs_all;   /* need() is passed every record, in range or not */
    bool relays;      /* take() takes as long as the writing: a separate thread writes */
    /* Whether a trace without some of the ticks between its first and last is not valid: then a
     * reduction leaves out ticks at its ends only, and sources must adjoin. NULL: it is valid. */
    bool (*unbroken)(const struct ras_trace *);
    /* Whether a directory is written; NULL: a file. */
    bool (*to_folder)(const struct ras_trace *);
    /* The target that keeps a source unchanged; NULL: its dialect. */
    const char *(*target_of)(const struct ras_trace *);
    /* Before the first record: check that the sources can be joined; write the header. */
    int (*begin)(struct rewrite *, struct ras_error *);
    /* A first pass over the records for take(): what they need. NULL: one pass is enough. */
    int (*need)(struct rewrite *, const struct taken *, struct ras_error *);
    /* Between the passes: write what was needed. NULL: nothing. */
    int (*between)(struct rewrite *, struct ras_error *);
    int (*take)(struct rewrite *, const struct taken *, struct ras_error *);
    /* After the last record: write the end of the trace. */
    int (*end)(struct rewrite *, struct ras_error *);
    /* The name in the target of a trace of another format inside a source; those with the same name
     * are joined. NULL: memory is short. Called before end(): how many records were copied, of
     * those that were joined with the first. */
    char *(*carry_name)(struct rewrite *, size_t source, size_t part);
    void (*carried)(struct rewrite *, size_t source, size_t part, uint64_t records);
    /* Frees what begin() allocated, also after it failed; NULL: nothing. */
    void (*stop)(struct rewrite *);
    /* Convert a superseded version to its successor, as far as it is whole: up to *good. NULL: none
     * is known. */
    int (*upgrade)(struct ras_bytes, struct ras_sink *, uint64_t *good, struct ras_error *);
};

/* Count records of a type as kept; false: memory is short. */
bool kept_add(struct ras_rewritten *, size_t *room, const char *type, uint64_t records);
/* The same for records that have no place in the target. At the end they are subtracted from the
 * kept ones. */
bool dropped_add(struct ras_rewritten *, size_t *room, const char *type, uint64_t records);
void dropped_settle(struct ras_rewritten *);
/* Records that were passed and cannot be written. */
void rewrite_dropped(struct rewrite *, const char *type, uint64_t records);
/* The same, and their information is nowhere else in the target. */
void rewrite_lost(struct rewrite *, const char *type, uint64_t records);
/* Records that were kept though they were not passed. */
void rewrite_kept(struct rewrite *, const char *type, uint64_t records);
/* Records that were copied without being requested: kept records need them. */
void rewrite_companion(struct rewrite *, const char *type, uint64_t records);
/* Whether a record is in the requested range. */
bool rewrite_in_range(const struct ras_rewrite_options *, const struct ras_record *);
/* Whether a record of this number was requested, by range and spans; *left, unless NULL: how many
 * from it on are requested with it. */
bool rewrite_asks(const struct ras_rewrite_options *, uint64_t seq, uint64_t *left);
/* Whether records of this type, of this stream, were requested; where none is named, all are. */
bool rewrite_asks_type(const struct ras_rewrite_options *, const char *name);
bool rewrite_asks_stream(const struct ras_rewrite_options *, uint32_t stream);
/* How many of the records after the current one may be taken at once, by their numbers: the driver
 * checks their type, stream and time itself, moves the cursor after them, with its `seq`, and calls
 * rewrite_kept(). 0: they must be passed one by one. */
uint64_t rewrite_ahead(const struct rewrite *, const struct taken *);
/* Something that could not be carried over. */
void rewrite_note(struct rewrite *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The first and last value on an axis of a source's records; false: none. */
bool rewrite_span(struct ras_trace *, enum ras_axis, uint64_t *first, uint64_t *last);
/* Adjacent records of a source that are not yet written. Zero-initialised: none. */
struct raw_run {
    size_t source;
    uint64_t from, to;
};
/* Copying by bytes: sort the sources by their ticks, check that their headers are equal and write
 * one; copy a record, adjacent ones in one piece; flush what is not yet written. */
int rewrite_raw_begin(struct rewrite *, struct ras_error *);
int rewrite_raw_take(struct rewrite *, struct raw_run *, const struct taken *, struct ras_error *);
int rewrite_raw_flush(struct rewrite *, struct raw_run *, struct ras_error *);
/* Sort sources by their ticks; fails where their ranges overlap. */
int rewrite_adjoin(struct rewrite *, struct ras_error *);
#endif
