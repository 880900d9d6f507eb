/* dial9_driver.h - the callbacks of dial9's format row, and what they share. */
#ifndef DIAL9_DRIVER_H
#define DIAL9_DRIVER_H

#include "core/format.h"
#include "formats/dial9/dial9_batch.h"
#include "ops/build/build_driver.h"
#include "ops/repair/plan.h"
#include "ops/rewrite/rewrite_driver.h"
#include "ops/stats/stats_driver.h"
#include "ops/verify/report.h"

/* Types delivered on request, registered first; the stream's own follow. */
enum {
    DIAL9_STRING_RECORD = RAS_SCHEMA_GAP + 1,
    DIAL9_STACK_RECORD,
    DIAL9_ANNOTATION_RECORD,
    DIAL9_SCHEMA_RECORD,
    DIAL9_POLL_RECORD,
    DIAL9_SEGMENT_RECORD,
    DIAL9_SPAN_RECORD,
};

/* A batch by its number: where its header is, and what is known about it. */
struct batch_place {
    uint64_t offset;
    struct dial9_batch *batch; /* NULL: not kept */
};

/* What the first frames of a segment say; a lone file is one. */
struct segment_facts {
    uint64_t offset, clock_ns;
    bool has_clock, has_boot;
    bool clean;   /* its metadata says that nothing was lost */
    bool unclean; /* its metadata says that events were lost */
};

struct dial9 {
    struct segment_facts *segments; /* at least one once they are learnt */
    size_t segment_count, segment_room;
    struct dial9_rules rules;
    struct shapes shapes;
    struct batch_place *places;
    size_t place_count, place_room;
    /* Batches that are not in use, kept for the next reader. */
    struct dial9_batch *idle_newest, *idle_oldest;
    size_t idle_bytes;
    struct dial9_batch *spare; /* its memory is used for the next new one */
    size_t batch_count;        /* runs of a merge; one more has the derived records */
};

/* The position of a cursor: the batch, and the timestamp base in it. */
struct place {
    struct dial9_batch *batch;
    uint64_t base_ns;
};

struct dial9_cursor {
    struct place at;
    uint64_t record_bytes;   /* the limit */
    bool special;            /* one of the next two is set */
    uint32_t entries_left;   /* of the frame whose entries are being delivered */
    int failed;              /* a jump failed: enum ras_status */
    uint8_t tag;             /* of that frame */
    uint64_t annotated;      /* its type_id, of annotations */
    bool one_batch;          /* a run of a merge: the next header ends it */
    bool no_records;         /* a run of a merge without any; `special` is set */
    struct dial9_rows *rows; /* NULL: no derived record is requested */
    uint64_t expanded;       /* addresses that pooled stacks added to this event */
};

/* dial9_batch.c: the batches of a trace. */
/* The batch `number` with its header at `offset`, for one user; NULL when memory
 * is short or the two do not belong together. */
struct dial9_batch *dial9_batch_take(struct ras_trace *, uint32_t number, uint64_t offset);
/* Register it as a stream of the trace. */
bool dial9_batch_name(struct ras_trace *, uint32_t number);
void dial9_batch_leave(struct dial9 *, struct dial9_batch *); /* NULL is fine */
void dial9_batches_free(struct dial9 *);
size_t dial9_run_count(struct ras_trace *);

/* dial9_segments.c: the segments of a trace. */
extern const struct segment_ops dial9_segment_ops;
/* Learn those that are new. False: memory is short. */
bool dial9_segments_learn(struct ras_trace *);
/* Facts, notes and what is missing, for a trace that is opened. */
void dial9_segments_report(struct ras_trace *);
/* The segment of an offset. */
const struct segment_facts *dial9_segment_of(const struct ras_trace *, uint64_t offset);
/* Whether an entry of metadata says that events were lost. */
bool dial9_entry_unclean(struct ras_bytes key, struct ras_bytes value);

/* dial9_read.c */
int dial9_start(struct ras_cursor *, struct ras_error *);
void dial9_stop(struct ras_cursor *);
enum step dial9_next(struct ras_cursor *);
void dial9_save(const struct ras_cursor *, struct ras_mark *);
void dial9_load(struct ras_cursor *, const struct ras_mark *);
/* Before the event at an offset, whose delta is relative to base_ns. */
struct ras_mark dial9_mark_of(const struct ras_trace *, uint64_t seq, uint32_t batch,
                              uint64_t offset, uint64_t base_ns);
void dial9_run_enter(struct ras_cursor *, size_t run);
/* The place of a mark, whatever it says of derived records. */
void dial9_place_load(struct ras_cursor *, const struct ras_mark *);

/* dial9_derived.c: polls, span segments and spans. */
extern const struct ras_schema dial9_poll_schema, dial9_segment_schema, dial9_span_schema;
/* Use them if they are requested. */
int dial9_derived_start(struct ras_cursor *, struct ras_error *);
void dial9_derived_stop(struct dial9_rows *); /* NULL is fine, here and below */
/* The run of a merge that has them, by time. */
void dial9_derived_run(struct dial9_rows *);
/* How far a cursor is among them, as a word of a mark. */
uint64_t dial9_derived_save(const struct dial9_rows *);
void dial9_derived_load(struct dial9_rows *, uint64_t saved);

/* dial9_copy_run.c: for loops that read events ahead of the cursor, by their layouts. */
/* A frame between events that only defines something. False: it is not for such a loop. */
bool dial9_run_learn(const struct ras_cursor *, const uint8_t **p, uint64_t *base_ns);
/* Set the position of the cursor; and the latest time that was passed. */
void dial9_run_move(struct ras_cursor *, const uint8_t *p, uint64_t base_ns, uint64_t time_max);

/* dial9_rows.c: values as cells. */
/* One event's values, while they are put. */
struct row {
    struct ras_cursor *c;
    const struct dial9_batch *batch;
    uint64_t at; /* offset of the event, at which ids are resolved */
};
/* Pooled stacks are stored once but used many times, so those of one event need a limit of their
 * own; everything else in it is bounded by its size. */
#define DIAL9_EXPANSION_MOST (UINT32_C(1) << 20)
/* The same for the value at p, by its layout, if it is kept; then room for one cell a field.
 * Returns the byte after it, or NULL. */
const uint8_t *dial9_put_long(struct ras_cursor *, const struct dial9_batch *, uint64_t at,
                              const struct layout_step *, const uint8_t *p, bool kept);
/* One value of field `field`, containers with their contents. False when memory is short or
 * `expanded` is beyond DIAL9_EXPANSION_MOST. */
bool dial9_put_value(const struct row *, const struct ras_dial9_value *, unsigned field);
/* The fields of a checked event, on the slow path. */
bool dial9_put_event(const struct row *, const struct view *, const struct ras_dial9_frame *);

/* dial9_rows.c: the types on request. */
extern const struct ras_schema dial9_requests[]; /* by their numbers, from DIAL9_STRING_RECORD on */
int dial9_request_types(struct ras_trace *, struct ras_error *);
/* The next entry of the frame whose entries are being delivered. */
enum step dial9_next_entry(struct ras_cursor *);
enum step dial9_schema_record(struct ras_cursor *, const struct ras_dial9_frame *);

int dial9_stats(struct ras_trace *, struct stats *, struct ras_error *);
int dial9_tree(struct ras_trace *, struct stats *, const struct ras_tree_options *,
               struct ras_error *);
int dial9_usage(struct ras_trace *, struct usage *, struct ras_error *);
int dial9_check(struct ras_trace *, struct report *, struct ras_error *);
int dial9_repair(struct ras_trace *, const struct ras_repair_options *, struct plan *,
                 struct ras_error *);
extern const struct tick_ops dial9_ticks;
extern const struct ras_rule dial9_rules[];
extern const struct rewrite_ops dial9_rewrite;
extern const struct build_ops dial9_build;
extern const struct timeline_ops dial9_timeline, dial9_lanes;
#endif
