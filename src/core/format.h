/* format.h - what a format driver implements; private to core and formats.
 *
 * A driver states facts: a record, the end, a cut, damage. Core decides what
 * they mean: wait for more bytes, end, or fail. A driver keeps no pointer into
 * the source between two steps, only offsets: a growing file may be mapped
 * again. */
#ifndef CORE_FORMAT_H
#define CORE_FORMAT_H

#include "base/error.h"
#include "base/in.h"
#include "core/cells.h"
#include "core/made.h"
#include "core/segments.h"
#include "core/source.h"
#include "core/tick_index.h"
#include <rastrum/rastrum.h>

/* The outcome of decoding one record. */
enum step {
    STEP_RECORD,  /* cursor->record (all but seq) and its values are filled */
    STEP_END,     /* clean end, or whatever worse ending_note() recorded */
    STEP_CUT,     /* the record is not all there; cursor->why */
    STEP_DAMAGED, /* these bytes cannot be followed; cursor->why */
    STEP_NOMEM,
};

/* What a probe may read. head and tail are inflated where the source is wrapped. */
struct probe {
    struct ras_bytes head, tail; /* up to 4 KiB each */
    uint64_t size;
    bool is_dir;
    const struct source *source; /* the names of a directory's parts */
};

/* What the verbs want of a driver: each has a header of its own in ops/. */
struct build_ops;
struct column_fill;
struct compare_ops;
struct plan;
struct report;
struct rewrite_ops;
struct scene_ops;
struct stats;
struct timeline_ops;
struct usage;
struct ras_replay_options;
struct ras_replay;
struct ras_render_options;
struct ras_render;
struct ras_canvas;

/* A field that versions of a format name differently, by its path in the record ("pos.x"). Tables
 * have a column of the newest name; the name before is a hidden alias of it. */
struct field_rename {
    const char *type, *before, *since;
};

/* What the trace says of an address; at one address depth 0 is the function, the others were
 * inlined into it. */
struct symbol_line {
    uint64_t address, depth, line;
    struct ras_bytes name, file;
};
typedef void symbol_take(void *user, const struct symbol_line *);

/* A clock beside that of the trace, which its times can be converted from. */
struct trace_clock {
    const char *name; /* "media" */
    int (*time)(const struct ras_trace *, double seconds, uint64_t *time_ns, struct ras_error *);
};

struct ras_format {
    struct ras_format_about about;
    size_t trace_size, cursor_size; /* private state: core allocates it, zeroed, and frees it */

    int (*probe)(const struct probe *); /* 0..100; of a tie the user decides */
    /* Files of a directory that continue each other: opened as one; NULL: they do not. */
    const struct segment_ops *segments;
    /* On failure core calls close; close copes with whatever was done. RAS_ECUT
     * when the header is not all there: core waits for more where more can come. */
    int (*open)(struct ras_trace *, struct ras_error *);
    void (*close)(struct ras_trace *);
    /* Before record 0: enter a part, set priv. NULL: part 0 at trace->body. */
    int (*start)(struct ras_cursor *, struct ras_error *);
    /* Frees what start took, also after it failed or was not called; NULL: nothing. */
    void (*stop)(struct ras_cursor *);
    enum step (*next)(struct ras_cursor *);
    /* Position at or before the first record >= to, set cursor->seq (RAS_NONE when it
     * is not known). False: cannot. NULL: core uses marks. */
    bool (*seek)(struct ras_cursor *, enum ras_axis, uint64_t to);
    bool seek_counts; /* seek leaves an exact cursor->seq, so ranges may use it; else marks */
    /* Axes (1u << RAS_AXIS_TIME, 1u << RAS_AXIS_TICK) on which records hardly ever descend. It is
     * verified: once a walk has seen the whole trace ascend, ranges end at the first record after
     * them. */
    unsigned ascends;
    /* Driver state of a mark; core keeps part, offset and seq. NULL: offset suffices. */
    void (*save)(const struct ras_cursor *, struct ras_mark *);
    void (*load)(struct ras_cursor *, const struct ras_mark *);
    /* Merged order: the trace as runs, each entered by a cursor of its own that
     * ends where the run ends. NULL: one run; SIZE_MAX runs: memory is short. */
    size_t (*run_count)(struct ras_trace *);
    void (*run_enter)(struct ras_cursor *, size_t run);
    /* What is known of a run without walking it: how many records it has, and whether
     * they are in order; its ending is noted on the cursor given. False, or NULL:
     * core walks it. */
    bool (*run_known)(struct ras_cursor *, size_t run, uint64_t *records, bool *ordered);
    const struct trace_clock *clocks; /* ends with a row without name; NULL: none */
    /* Put records into columns, many at once; how many. NULL: core puts them one by one. */
    size_t (*columns)(struct ras_cursor *, struct column_fill *);
    const struct field_rename *renames; /* ends with a row without type; NULL: none */
    /* Where the stored bytes go; core books what is left over as padding. NULL: all of it. */
    int (*usage)(struct ras_trace *, struct usage *, struct ras_error *);
    /* Its figures as tables; NULL: it has none. */
    int (*stats)(struct ras_trace *, struct stats *, struct ras_error *);
    /* How many records a part that the trace carries along should hold; RAS_NONE: not known.
     * NULL: nothing is known of any. */
    uint64_t (*carried)(const struct ras_trace *, size_t part);
    /* Its call tree as a table; NULL: it has no calls. */
    int (*tree)(struct ras_trace *, struct stats *, const struct ras_tree_options *,
                struct ras_error *);
    /* Names of the addresses in its stacks, one by one; NULL: it has none. */
    int (*symbols)(struct ras_trace *, symbol_take *, void *user, struct ras_error *);
    const struct timeline_ops *timeline; /* what a timeline shows; NULL: records as instants */
    const struct scene_ops
        *scene; /* the things, commands and random numbers of a tick; NULL: none */
    /* The patches that repair a trace; RAS_EFORMAT when there is nothing to repair it from.
     * NULL: bytes after the last record are cut off, or, without RAS_CAN_REPAIR, it cannot. */
    int (*repair)(struct ras_trace *, const struct ras_repair_options *, struct plan *,
                  struct ras_error *);
    const struct rewrite_ops *rewrite; /* slice, merge, convert; NULL: cannot */
    const struct build_ops *build;     /* a trace out of values; NULL: cannot */
    const struct compare_ops *compare; /* NULL: generic first divergence, record by record */
    /* Execute it again; RAS_EUNSUPPORTED when it does not say how. NULL: cannot. */
    int (*play)(struct ras_trace *, const struct ras_replay_options *, struct ras_replay *,
                struct ras_error *);
    /* Execute it again to pictures; RAS_END when the requested one does not exist. NULL: cannot. */
    int (*render)(struct ras_trace *, const struct ras_render_options *, struct ras_render *,
                  struct ras_error *);
    int (*canvas)(struct ras_trace *, struct ras_canvas *, struct ras_error *); /* as `render` */
    bool open_reads_end; /* open reads the end of a file: a compressed one is inflated for it */
    /* Of part 0: open, steps and seek call source_need() for all that they read of
     * source_arrived() and of the cursor's bytes; all else calls source_bytes(). */
    bool takes_ranges;
    bool takes_frames; /* steps call source_need() for what they read of compressed parts */
    const struct made_file *makes; /* where it writes directories; ends with a row without name */
    const struct tick_ops *ticks;  /* of a run; NULL: nothing in it marks them */
    const struct ras_rule *rules;  /* ends with a row without id */
    /* NULL: it has no rules of its own. */
    int (*check)(struct ras_trace *, struct report *, struct ras_error *);
    bool check_ends; /* check reports an error whenever a reader ends cut or damaged */
};

struct ras_trace {
    const struct ras_format *format;
    void *priv; /* format->trace_size bytes */
    struct source *source;
    struct ras_limits limits; /* no zeros: defaults filled in */
    const char *dialect;      /* set by open: static text */
    const char
        *dialect_requested; /* ras_options.dialect, checked against about.dialects, or NULL */
    uint64_t version;       /* set by open */
    uint64_t body;          /* offset of the first record in part 0 */
    bool has_wall;          /* time_ns 0 is wall_ns in Unix time */
    int64_t wall_ns;
    bool first_known; /* first_ns is the smallest time of all records: ras_first_time() */
    uint64_t first_ns;
    const struct ras_schema **schemas;
    size_t schema_count, schema_room;
    struct ras_fact *facts;
    size_t fact_count, fact_room;
    char **notes;
    size_t note_count, note_room;
    struct ras_stream *streams;
    size_t stream_count, stream_room;
    struct ras_ending ending;
    char ending_why[200];
    struct ras_ending missing; /* the worst missing_note() */
    char missing_why[200];
    struct marks *marks;
};

/* What the cursor's scan wants of one schema. */
struct view {
    bool known;            /* resolved */
    bool wanted;           /* deliver its records */
    bool values;           /* decode them: wanted, and not headers_only */
    const uint8_t *fields; /* one flag per field; NULL: all of them */
};

/* Where a cursor was before it entered another part. */
struct position {
    const uint8_t *base, *end;
    uint32_t part;
};

/* A field that ras_value_of() has found by its name. */
struct field_found {
    const char *field;
    const struct ras_schema *schema;
    unsigned index;
};
enum { NAMED_MOST = 32 };

struct ras_cursor {
    /* What a step touches, first. */
    struct in in;        /* where decoding is in `part` */
    const uint8_t *base; /* the part's first byte */
    /* What ras_next() does: cursor_deliver(), merging, or a shortcut of the driver's. A driver that
     * is before many similar records may set one while the cursor is `plain` (or
     * cursor_takes_all) and not live; it numbers its records itself, and when it has none left it
     * puts cursor_deliver() back and calls that. */
    int (*deliver)(struct ras_cursor *, const struct ras_record **, struct ras_error *);
    struct cells values; /* nomem: what this step gave is not to be shown */
    struct view *views;  /* by schema id */
    size_t view_count, view_room;
    void *priv; /* format->cursor_size bytes */
    struct ras_trace *trace;
    struct ras_record record;
    uint64_t seq; /* of the next record */
    /* Children that a step passed over with their parent because the scan does not want
     * them; they keep their numbers. Only where the cursor is not `plain`. */
    uint64_t unshown;
    uint32_t part;
    bool live;  /* more bytes may come: an incomplete tail is not yet an ending */
    bool moved; /* cursor_enter() was called in this step */
    struct ras_scan scan;
    uint32_t *streams; /* scan.streams points here */
    char why[200];     /* of STEP_CUT and STEP_DAMAGED */
    /* A step that passes over whole records which show nothing reports here how far it
     * came, so that a cut or damage after them is placed there. */
    uint64_t passed;
    uint64_t why_at; /* where the damage is; RAS_NONE: at the step's start */

    bool sealed; /* the closing structure was read: nothing can follow */

    /* Core's own. */
    struct position before;  /* if moved */
    struct ras_ending noted; /* the worst ending_note() so far */
    char noted_why[200];
    bool plain;                    /* nothing to filter: the fast path; drivers may read it */
    bool collecting;               /* marks, as it goes */
    bool from_mark;                /* a range that did not begin at record 0 */
    bool seen_all;                 /* collecting: no record was passed over so far */
    uint8_t descends;              /* collecting: axes on which a record was below the last one */
    uint64_t time_last, tick_last; /* collecting: of that one */
    bool ended;
    bool skipping; /* drop records below skip_to on skip_axis */
    enum ras_axis skip_axis;
    uint64_t skip_to;
    enum step (*next)(struct ras_cursor *); /* format->next */
    const uint64_t *source_generation;
    uint64_t generation;         /* of the source, when `in` was set */
    uint64_t mark_next;          /* offset at which the next mark is due */
    uint64_t time_max, tick_max; /* since the last mark */
    struct ras_mark first;       /* before record 0 */
    bool requests;               /* a type on request is wanted */
    bool requests_lost;          /* it jumped: their numbers are not known */
    uint64_t *request_seq;       /* next seq per schema, for types on request */
    size_t request_room;
    struct merge *merge;
    const struct ras_cursor *shown; /* whose record and values are current */
    struct ras_pick *picks;         /* scan.picks points here; one block with their names */
    struct ras_choice *choices;     /* scan.choices points here */
    struct field_found *named;      /* named_room, which a lookup may fill */
    struct field_found named_room[NAMED_MOST];
};

/* The requested limits, with the defaults filled in. */
struct ras_limits limits_of(const struct ras_options *);

/* ---- for drivers: trace ------------------------------------------------ */

/* Register a schema (borrowed: must live as long as the trace). Its id, or RAS_EMEMORY
 * or RAS_ELIMIT. The first one a driver adds is 1; 0 is RAS_SCHEMA_GAP. */
int64_t schema_add(struct ras_trace *, const struct ras_schema *);
/* Facts for `info`; text is copied. False when memory is short. */
bool fact_str(struct ras_trace *, const char *key, const void *text, size_t len);
bool fact_uint(struct ras_trace *, const char *key, uint64_t value, unsigned flags);
bool fact_int(struct ras_trace *, const char *key, int64_t value);
bool fact_bool(struct ras_trace *, const char *key, bool value);
bool fact_f64(struct ras_trace *, const char *key, double value);
/* Something is not there, or cannot be used, whatever the records are like: known when the trace
 * is opened, and part of every ending. part: UINT32_MAX where it is none of the trace's. Not for
 * a trace that still grows: it may come. */
void missing_note(struct ras_trace *, uint32_t part, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A remark for `info`, once (the same text is not added twice). */
void note_add(struct ras_trace *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Register a stream by id; name is copied. Idempotent. */
bool stream_add(struct ras_trace *, uint32_t id, const char *name);

/* ---- for drivers: cursor ----------------------------------------------- */

/* The next record that the scan wants, in stored order. */
int cursor_deliver(struct ras_cursor *, const struct ras_record **, struct ras_error *);

/* All records of the type and stream are delivered as they come, for there is no range: a driver
 * may set `deliver`, as it may where the cursor is `plain`. */
bool cursor_takes_all(struct ras_cursor *, uint32_t schema, uint32_t stream);
/* Whether the scan wants records of the stream. */
bool cursor_wants_stream(const struct ras_cursor *, uint32_t stream);

/* Whether an option of the format was chosen; its value, 0 where it was not. */
bool choice_made(const struct ras_choice *, size_t count, const char *name);
uint64_t choice_value(const struct ras_choice *, size_t count, const char *name);

/* Continue in `part` at `offset`; loads the part. False: cannot be read (why is set). */
bool cursor_enter(struct ras_cursor *, uint32_t part, uint64_t offset);

/* Marks end here: what follows is passed over without being seen. */
void cursor_stop_collecting(struct ras_cursor *);

static inline uint64_t cursor_offset(const struct ras_cursor *c)
{
    return (uint64_t)(c->in.at - c->base);
}

/* What the scan wants of a schema; resolved on first use. Where memory is short it wants
 * nothing, and core makes an error of the step. */
const struct view *view_resolve(struct ras_cursor *, uint32_t schema);

static inline const struct view *cursor_view(struct ras_cursor *c, uint32_t schema)
{
    if (schema < c->view_count && c->views[schema].known)
        return &c->views[schema];
    return view_resolve(c, schema);
}

static inline bool view_has(const struct view *v, unsigned field)
{
    return !v->fields || v->fields[field];
}

/* The same as a short read or damage, said with its numbers. `at` is the
 * absolute offset that is wrong. */
enum step cut(struct ras_cursor *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
enum step damaged(struct ras_cursor *, uint64_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A span that cannot be understood but can be stepped over: fills the record
 * with a gap and returns STEP_RECORD. The trace's ending becomes `damaged` at
 * its end. lost: records, or RAS_NONE. Its stream is 0: a driver that has several
 * names its own in the record. */
enum step gap_record(struct ras_cursor *, uint64_t offset, uint64_t length, uint64_t lost,
                     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Drops that the recorder counted: a gap without damage. */
enum step drop_record(struct ras_cursor *, uint64_t lost, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Remember how a part ends; the worst one becomes the trace's ending at
 * STEP_END. */
void ending_note(struct ras_cursor *, enum ras_ending_kind, uint32_t part, uint64_t offset,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Report who serves a verb: a member of the format's row (`own`), or core in its place. */
void trace_report_driver(const struct ras_trace *, const char *verb, const char *member, bool own);

/* ---- for verbs --------------------------------------------------------------- */

/* ras_next that waits for a source which is still being written. */
int walk_next(struct ras_trace *, struct ras_cursor *, const struct ras_record **,
              struct ras_error *);

/* Traces of other formats may lie in a trace: they go along with it, and are read as what they are.
 */

/* The first part from `part` on that is one; SIZE_MAX: there is none. */
size_t carried_next(const struct ras_trace *, size_t part);
/* Open it; it borrows its bytes from the trace. An empty one is RAS_END. */
int carried_open(struct ras_trace **, struct ras_trace *, size_t part, struct ras_error *);
/* How many records its recorder says it holds; RAS_NONE: not known. */
uint64_t carried_promised(const struct ras_trace *, size_t part);
#endif
