/* rewrite_driver.h - what a format does when records are copied into a new trace of it.
 *
 * ops/rewriter.c walks the sources and shows every record in range, once to need() and
 * once to take(); a driver copies what is wanted, with what it needs, and renumbers. */
#ifndef OPS_REWRITE_REWRITE_DRIVER_H
#define OPS_REWRITE_REWRITE_DRIVER_H

#include <rastrum/rastrum.h>

struct rewrite {
    struct ras_trace *const *sources; /* begin() may put `order` as it needs them */
    size_t count;
    size_t *order; /* the sources, in the order they are walked */
    const struct ras_rewrite_options *asked;
    const char *target; /* one of ops->targets: what to write */
    bool whole;         /* no range, types or streams were asked: everything is wanted */
    bool settled;       /* what need() would learn is known: its pass is left out, or ends */
    bool careful;       /* nothing may be believed that could turn out wrong later */
    bool again;         /* what was believed was wrong: begin again, carefully */
    bool piecemeal;     /* children were asked for by type or number: they are shown */
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
    bool wanted;   /* its type and stream were asked for; others may be needed by them */
    bool in_range; /* always, but for need() of a format that wants all */
};

struct rewrite_ops {
    /* Dialects or versions, ends with NULL, the newest first; NULL: the format's dialects. */
    const char *const *targets;
    size_t size; /* of private state */
    bool values; /* the cursors decode values: ras_values() */
    /* A record's children are copied with it: they are shown only when their own types
     * or numbers were asked for, and counted by rewrite_kept() otherwise. */
    bool with_children;
    /* A type of record that closes those of its tick, which are delivered before it: it stays as
     * long as one of them does. NULL: none. */
    const char *closes;
    bool interleaves; /* sources may be taken in one order by time */
    bool needs_all;   /* need() is shown every record, in range or not */
    bool relays;      /* take() is at work as long as the writing is: a thread of its own writes */
    /* Whether a directory is written; NULL: a file. */
    bool (*to_folder)(const struct ras_trace *);
    /* Which target keeps a source as it is; NULL: its dialect. */
    const char *(*target_of)(const struct ras_trace *);
    /* Before the first record: can the sources be joined; the header. */
    int (*begin)(struct rewrite *, struct ras_error *);
    /* A first pass over what will be taken: what it needs. NULL: one pass is enough. */
    int (*need)(struct rewrite *, const struct taken *, struct ras_error *);
    /* Between the passes: put what was needed. NULL: nothing. */
    int (*between)(struct rewrite *, struct ras_error *);
    int (*take)(struct rewrite *, const struct taken *, struct ras_error *);
    /* Behind the last record: what closes a trace. */
    int (*end)(struct rewrite *, struct ras_error *);
    /* The name in the target of a trace of another format that lies in a source; those that share
     * one are joined. NULL: memory is short. Told before end(): how many records were copied, of
     * those that were joined with the first. */
    char *(*carry_name)(struct rewrite *, size_t source, size_t part);
    void (*carried)(struct rewrite *, size_t source, size_t part, uint64_t records);
    /* Frees what begin took, also after it failed; NULL: nothing. */
    void (*stop)(struct rewrite *);
    /* A superseded version to the one that followed it, as far as it is whole: up to *good.
     * NULL: none is known. */
    int (*upgrade)(struct ras_bytes, struct ras_sink *, uint64_t *good, struct ras_error *);
};

/* Count records of a type as kept; false: memory is short. */
bool kept_add(struct ras_rewritten *, size_t *room, const char *type, uint64_t records);
/* The same for what has no place in the target. At the end, that is taken from what was
 * counted as kept. */
bool dropped_add(struct ras_rewritten *, size_t *room, const char *type, uint64_t records);
void dropped_settle(struct ras_rewritten *);
/* Records that were shown and cannot be written. */
void rewrite_dropped(struct rewrite *, const char *type, uint64_t records);
/* The same, and nothing else in the target tells what they told. */
void rewrite_lost(struct rewrite *, const char *type, uint64_t records);
/* Records that were kept though they were not shown. */
void rewrite_kept(struct rewrite *, const char *type, uint64_t records);
/* Records that were copied though nobody asked for them: what is kept needs them. */
void rewrite_companion(struct rewrite *, const char *type, uint64_t records);
/* Whether a record is in the range asked for. */
bool rewrite_in_range(const struct ras_rewrite_options *, const struct ras_record *);
/* Whether a record of this number was asked for, by range and spans; *left, where it is not NULL:
 * how many from it on are asked for with it. */
bool rewrite_asks(const struct ras_rewrite_options *, uint64_t seq, uint64_t *left);
/* Whether records of this type, of this stream, were asked for; where none is named, all are. */
bool rewrite_asks_type(const struct ras_rewrite_options *, const char *name);
bool rewrite_asks_stream(const struct ras_rewrite_options *, uint32_t stream);
/* How many of the records behind the one shown may be taken at one go, by their numbers: the
 * driver looks itself at their type, stream and time, moves the cursor behind them, its
 * `seq` too, and tells rewrite_kept(). 0: they must be shown one by one. */
uint64_t rewrite_ahead(const struct rewrite *, const struct taken *);
/* Something that could not be carried over. */
void rewrite_note(struct rewrite *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The first and last value on an axis of a source's records; false: it has none. */
bool rewrite_span(struct ras_trace *, enum ras_axis, uint64_t *first, uint64_t *last);
/* Records that are neighbours in a source, not yet written. Zero-initialised: none. */
struct raw_run {
    size_t source;
    uint64_t from, to;
};
/* Copying by bytes: put the sources into the order of their ticks, hold their headers to be the
 * same and write it; copy a record, neighbours in one piece; write what is not yet written. */
int rewrite_raw_begin(struct rewrite *, struct ras_error *);
int rewrite_raw_take(struct rewrite *, struct raw_run *, const struct taken *, struct ras_error *);
int rewrite_raw_flush(struct rewrite *, struct raw_run *, struct ras_error *);
/* Put sources into ascending order of their ticks; fails where their ranges overlap. */
int rewrite_adjoin(struct rewrite *, struct ras_error *);
#endif
