/* timeline.h - what a writer of timelines implements, and what it may ask. */
#ifndef OPS_TIMELINE_TIMELINE_H
#define OPS_TIMELINE_TIMELINE_H

#include "base/id_table.h"
#include "base/memory.h"
#include "base/out.h"
#include "ops/timeline/timeline_driver.h"
#include <rastrum/export.h>

enum timeline_verb {
    TIMELINE_BEGIN,
    TIMELINE_END,
    TIMELINE_OPEN, /* at the end: a slice that did not end, the innermost first */
    TIMELINE_INSTANT,
    TIMELINE_COUNT,
    TIMELINE_SAMPLE,
};

struct timeline_arg {
    uint32_t name;
    unsigned flags; /* enum ras_field_flags */
    const struct ras_value *value;
};

enum { TIMELINE_ARGS = 64, TIMELINE_FLOWS = 4 };

struct timeline_event {
    enum timeline_verb verb;
    uint32_t track;
    uint64_t time_ns;
    uint32_t name, category;           /* of an end: of what it ends */
    const struct timeline_open *slice; /* an end or an open one: what it was */
    bool timed;                        /* an end: when it ended is known */
    bool is_real;                      /* a counter: its value is `real` */
    int64_t whole;
    double real;
    const struct timeline_frame *frames; /* of a sample, the outermost first */
    size_t frame_count;
    const struct timeline_arg *args;
    size_t arg_count;
    uint64_t flows[TIMELINE_FLOWS];
    bool flow_ends[TIMELINE_FLOWS];
    size_t flow_count;
};

/* An open slice. */
struct timeline_open {
    uint32_t name, category;
    uint64_t begin_ns;
    uint64_t marks[2]; /* the writer's own, set with its beginning */
};

struct timeline_lanes;

struct timeline_track {
    enum timeline_kind kind;
    uint32_t parent, name;
    uint64_t number;
    const char *unit;
    uint64_t last_ns; /* of its last slice edge */
    struct timeline_open *open;
    size_t open_count, open_room;
    struct timeline_lanes *lanes; /* of complete slices; NULL: none */
    bool film;
    uint64_t *row_ends; /* rows: when the last slice of each ends, of complete slices */
    size_t row_count, row_room;
};

/* A name, interned. */
struct timeline_name {
    const char *at;
    uint32_t len;
};

enum { TIMELINE_WORDS = 256, TIMELINE_NEAR = 1024, TIMELINE_ROWS = 64 };

/* Takes the place of a writer: timeline_feed.h. */
struct timeline_rows {
    void (*track)(struct timeline *, uint32_t track);
    void (*slices)(struct timeline *, uint32_t track, const struct timeline_slice *, size_t count);
    void (*instant)(struct timeline *, uint32_t track, uint64_t time_ns, uint32_t name);
    void (*count)(struct timeline *, uint32_t track, uint64_t time_ns, double value);
};

/* What was counted on the way. */
struct timeline_outcome {
    uint64_t tracks, slices, instants, counters, samples, flows;
    struct ras_export_count *lost; /* free() it */
    size_t lost_count;
};

struct timeline {
    const struct timeline_writer *writer;
    void *state; /* of the writer */
    const struct ras_export_options *how;
    struct ras_sink *sink;
    struct ras_folder *folder;
    struct out out; /* drained to the sink */
    struct ras_error sink_err;
    const char *title;

    struct timeline_name *names;
    size_t name_count, name_room;
    uint32_t *slots; /* of names: 1 + number */
    size_t slot_count;
    struct arena texts;
    uint8_t *clean; /* a name that was not UTF-8 */
    size_t clean_room;
    struct {
        const char *at;
        uint32_t name;
    } words[TIMELINE_WORDS];

    struct timeline_track *tracks;
    size_t track_count, track_room;
    struct id_table ids; /* of the driver that runs: track */
    uint32_t root, group;

    struct timeline_event event; /* the last one, to which arguments may still be added */
    struct timeline_open closed; /* the slice that it ends */
    bool pending;
    struct timeline_arg args[TIMELINE_ARGS];
    struct ras_value values[TIMELINE_ARGS]; /* of arguments that are not the record's */
    struct timeline_lanes *into;            /* a complete slice is being described */

    struct timeline_outcome *outcome;
    size_t lost_room;
    bool nomem;

    /* Ticks in time. */
    struct ras_trace *trace;
    const struct ras_rundir *run;
    size_t pen;
    uint64_t *tick_ns; /* when ticks from tick_first on begin, every nth of them */
    size_t tick_count, tick_room;
    uint64_t tick_first, tick_every;
    uint64_t passed, all; /* bytes of the traces before this one, of all of them */

    struct timeline_symbols *symbols;

    /* A consumer of rows, and what it is given besides. */
    const struct timeline_rows *rows; /* NULL: a writer */
    void *rows_user;
    struct timeline *names_of;   /* whose names are used; NULL: its own */
    const struct timeline *like; /* whose tracks are used: it reads again; NULL: its own */
    uint64_t seq;                /* of the record that is shown */
    uint32_t stream;
    uint32_t slice_row; /* timeline_row() */
    uint64_t slice_seq;
    uint64_t shown_ns; /* the last time that was shown */
    bool ticks_borrowed;
    struct {
        const void *at;
        uint32_t name;
    } near[TIMELINE_NEAR]; /* names by the address of their text, which is compared */
};

struct timeline_writer {
    size_t state_size;
    /* Before anything else. Each may be NULL; false: memory is short. */
    bool (*start)(struct timeline *);
    /* A track, before its first event, after its parents. */
    void (*track)(struct timeline *, uint32_t track);
    void (*event)(struct timeline *, const struct timeline_event *);
    /* Records were lost after the last event of the track. */
    void (*gap)(struct timeline *, uint32_t track, uint64_t lost);
    int (*finish)(struct timeline *, struct ras_error *);
    void (*release)(struct timeline *);
    bool no_args, no_flows, no_counters, no_instants, no_samples; /* it cannot store them */
};

/* All of a trace, or of a run directory, to a writer. */
int timeline_run(const struct timeline_writer *, struct ras_trace *, struct ras_rundir *,
                 const struct ras_export_options *, struct timeline_outcome *, struct ras_error *);

static inline struct timeline_name timeline_name(const struct timeline *t, uint32_t name)
{
    return t->names[name];
}

void timeline_free(struct timeline *);
/* Give the pending event to the writer. */
void timeline_settle(struct timeline *);
/* Records that could not be read, or that the recorder dropped; 0: it is not known how many. */
void timeline_gap(struct timeline *, uint64_t lost);
/* The tracks up to this one of a timeline that reads again, without their state. False: there is no
 * such track, or memory is short. */
bool timeline_like(struct timeline *, uint32_t track);
/* For traces whose format states nothing. */
extern const struct timeline_ops timeline_plain;
/* A track that is not found by an id. */
uint32_t timeline_new_track(struct timeline *, const struct timeline_place *);

/* timeline_lanes.c */
void timeline_lanes_open(struct timeline *, uint32_t track, uint64_t from_ns, uint64_t to_ns,
                         uint32_t name, uint32_t category);
void timeline_lanes_close(struct timeline *);                 /* the arguments are complete */
void timeline_lanes_flush(struct timeline *, uint32_t track); /* all of a track */
void timeline_lanes_free(struct timeline_lanes *);

/* timeline_feed.c */
void timeline_rows_fit(struct timeline *, uint32_t track, uint64_t from_ns, uint64_t to_ns,
                       uint32_t name);

/* timeline_ticks.c */
int timeline_ticks_find(struct timeline *, struct ras_error *);
/* The same in steps. RAS_OK: there is more to read; RAS_END: all are found. Stop it in any case. */
struct tick_search {
    struct ras_cursor *cursor; /* NULL: nothing is read */
    const struct tick_column *column;
    bool after;
    uint64_t i, seq;
};
int timeline_ticks_begin(struct timeline *, struct tick_search *, struct ras_error *);
int timeline_ticks_step(struct timeline *, struct tick_search *, size_t records,
                        struct ras_error *);
void timeline_ticks_stop(struct tick_search *);
/* The ticks of a run that begin at these times, as timelines place them; half-open. */
int timeline_ticks_between(struct ras_rundir *, uint64_t from_ns, uint64_t to_ns, uint64_t ticks[2],
                           struct ras_error *);

/* timeline_symbols.c */
int timeline_symbols_read(struct timeline *, struct ras_error *);
void timeline_symbols_free(struct timeline_symbols *);
#endif
