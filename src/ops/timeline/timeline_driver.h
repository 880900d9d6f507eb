/* timeline_driver.h - the driver's part in a timeline: tracks, slices, instants, counters.
 *
 * A driver receives the records of a scan one by one and states in a few verbs what each of them
 * shows. Core keeps the stack of every track, places ticks in time and counts what cannot be
 * shown; writers decide how it is stored. */
#ifndef OPS_TIMELINE_TIMELINE_DRIVER_H
#define OPS_TIMELINE_TIMELINE_DRIVER_H

#include "base/error.h"
#include "core/format.h"
#include <rastrum/rastrum.h>

#define TIMELINE_NONE UINT32_MAX

/* Processes and threads are roots where a viewer has no others; the rest are inside their parent.
 */
enum timeline_kind {
    TIMELINE_GROUP,
    TIMELINE_PROCESS,
    TIMELINE_THREAD,
    TIMELINE_TRACK,
    TIMELINE_COUNTER,
};

struct timeline;

/* One track, as a driver describes it. Ids are the driver's own, unique among its tracks. */
struct timeline_place {
    uint64_t id;
    uint32_t parent; /* TIMELINE_NONE: the group of the trace */
    enum timeline_kind kind;
    uint32_t name;    /* timeline_text() */
    uint64_t number;  /* pid of a process, tid of a thread; RAS_NONE: none */
    const char *unit; /* of a counter: "ns", "count"; NULL: none */
    bool film;        /* its slices are frames, of which there are pictures */
};

/* A frame of a stack, the outermost first. */
struct timeline_frame {
    uint32_t name; /* 0: none */
    uint64_t address;
};

/* Texts by number: 0 is "". They are kept as long as the timeline. */
uint32_t timeline_text(struct timeline *, const void *text, size_t len);
/* The same of a text that lives as long as the timeline, at the same address every time. */
uint32_t timeline_word(struct timeline *, const char *text);

/* The track of that id, made on first use; found by its id only. */
uint32_t timeline_track(struct timeline *, const struct timeline_place *);
struct ras_trace *timeline_trace(const struct timeline *);
/* Whether an option of the format was chosen. */
bool timeline_chosen(const struct timeline *, const char *name);

void timeline_begin(struct timeline *, uint32_t track, uint64_t time_ns, uint32_t name,
                    uint32_t category);
/* The innermost slice ends; not `timed`: it ended at some time before. */
void timeline_end(struct timeline *, uint32_t track, uint64_t time_ns, bool timed);
#define TIMELINE_OPEN_END UINT64_MAX
/* A slice of which both ends are known, or which did not end. Those of one track may come in any
 * order, each within some thousand of its neighbours; those that overlap without nesting go to
 * tracks of their own beside it. Only the arguments of this slice may follow. */
void timeline_slice(struct timeline *, uint32_t track, uint64_t from_ns, uint64_t to_ns,
                    uint32_t name, uint32_t category);
void timeline_instant(struct timeline *, uint32_t track, uint64_t time_ns, uint32_t name,
                      uint32_t category);
void timeline_counter(struct timeline *, uint32_t track, uint64_t time_ns, int64_t value);
void timeline_counter_f64(struct timeline *, uint32_t track, uint64_t time_ns, double value);
void timeline_sample(struct timeline *, uint32_t track, uint64_t time_ns,
                     const struct timeline_frame *frames, size_t count);

/* Of the last begin, end, slice, instant or sample. Values are borrowed until the record is
 * over. */
void timeline_arg(struct timeline *, uint32_t name, const struct ras_value *, unsigned flags);
void timeline_arg_uint(struct timeline *, uint32_t name, uint64_t value, unsigned flags);
void timeline_arg_text(struct timeline *, uint32_t name, const void *text, size_t len);
/* All fields of the cursor's record that were requested, but those in `but`, which ends with NULL
 * or is NULL. */
void timeline_args(struct timeline *, const struct ras_cursor *, const char *const *but);
/* An arrow from the event that starts a flow to the one that ends it. */
void timeline_flow(struct timeline *, uint64_t id, bool ends);

/* Something that is not shown; the reason is static text. */
void timeline_lost(struct timeline *, const char *why, uint64_t count);
/* Memory is short: the timeline fails with the record. */
void timeline_nomem(struct timeline *);

/* When a tick, or a frame of the trace, begins; the one before it ends then. */
uint64_t timeline_tick_ns(struct timeline *, uint64_t tick);
/* Whether ticks have no times: they are spread evenly. */
bool timeline_is_even(const struct timeline *);

/* The tracks of a format whose records are ticks with commands: each tick until the next begins,
 * and how many commands it has. Their ids are below TICK_TRACKS_END. */
struct tick_tracks {
    uint32_t ticks, commands;
};
enum { TICK_TRACKS_END = 3 };
void tick_tracks_open(struct timeline *, struct tick_tracks *);
/* The cursor's record is this tick; its field `command_count` is the number. When it begins. */
uint64_t tick_tracks_put(struct timeline *, const struct tick_tracks *, const struct ras_cursor *,
                         uint64_t tick);

/* The names of an address, the function first, then what was inlined into it. */
size_t timeline_symbols(struct timeline *, uint64_t address, const uint32_t **names);

/* ---- rows ---------------------------------------------------------------------------------
 *
 * A consumer of rows takes slices, instants and values as they come, in any order of time. It has
 * no arguments, flows, categories and samples; what is passed of them is ignored. It may read
 * again from a place in the middle on. */

bool timeline_has_rows(const struct timeline *);
/* Where ticks are the axis, timeline_tick_ns() is a tick << TIMELINE_TICK_SHIFT. */
enum { TIMELINE_TICK_SHIFT = 20 };
/* A slice in a row that the driver knows, such as the depth of a call; slices of a row must not
 * overlap. */
struct timeline_slice {
    uint64_t from_ns, to_ns; /* TIMELINE_OPEN_END: it has not ended */
    uint64_t seq;            /* of the record that begins it */
    uint32_t row, name;
};
/* Several slices of a track, for consumers of rows only. */
void timeline_row_slices(struct timeline *, uint32_t track, const struct timeline_slice *,
                         size_t count);
/* An instant of another record than the one that is shown; for consumers of rows only. */
void timeline_instant_of(struct timeline *, uint32_t track, uint64_t time_ns, uint32_t name,
                         uint64_t seq);
/* The next timeline_slice() goes to this row or one below it, as far as it fits; and the record
 * that begins it. Others ignore that. */
void timeline_row(struct timeline *, uint32_t row, uint64_t seq);

struct out;

/* What a driver does for a timeline. */
struct timeline_ops {
    const char *group; /* what the trace is called: "inputs (...)" */
    const char *alone; /* added to it outside a run: how its ticks are placed; NULL: nothing */
    size_t state_size;
    bool merged;              /* records in the order of time over all streams */
    const char *const *types; /* picked unless the user names some; ends with NULL; NULL: all */
    const struct ras_choice *choices; /* for its cursor; end with a row without name; NULL: none */
    bool has_symbols;                 /* its stacks have names in the trace */
    bool raw; /* it reads the bytes of records: values need not be decoded */
    int (*start)(struct timeline *, void *state, struct ras_error *);
    int (*record)(struct timeline *, void *state, const struct ras_cursor *,
                  const struct ras_record *, struct ras_error *);
    void (*stop)(struct timeline *, void *state); /* the last record was given; NULL: nothing */
    void (*release)(void *state);                 /* NULL: nothing */

    /* For consumers of rows. */
    const struct timeline_ops *rows; /* used instead for them; NULL: this one */
    const char *const *fields;       /* decoded of all types; ends with NULL; NULL: all */
    /* Show up to `most` records at once, as long as that is fast; how many. NULL: none. */
    size_t (*many)(struct timeline *, void *state, struct ras_cursor *, size_t most);
    /* What is open now goes out as slices that end at TIMELINE_OPEN_END; NULL: nothing. */
    void (*open)(struct timeline *, void *state);
    /* The state between two records, and to continue from it. False: not between these two; the
     * bytes are not its own, or memory is short. NULL: the state is copied as it is. */
    bool (*save)(const void *state, struct out *);
    bool (*load)(struct timeline *, void *state, struct ras_bytes);
};
#endif
