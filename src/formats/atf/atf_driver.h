/* atf_driver.h - the callbacks of ATF's format row, and declarations that they share. */
#ifndef ATF_DRIVER_H
#define ATF_DRIVER_H

#include <rastrum/atf.h>
#include "core/format.h"
#include "formats/atf/atf_session.h"
#include "ops/build/build_driver.h"
#include "ops/compare/compare_driver.h"
#include "ops/repair/plan.h"
#include "ops/rewrite/rewrite_driver.h"
#include "ops/stats/stats_driver.h"
#include "ops/verify/report.h"

/* The open calls, the outermost first. */
struct atf_frame {
    uint64_t function_id, start_ns, seq;
    uint64_t inside_ns; /* time in the calls that it has made */
    uint32_t depth, thread_id;
};
const struct atf_frame *atf_stack_frames(const struct ras_atf_stack *, size_t *count);
/* Forget all open calls. */
void atf_stack_clear(struct ras_atf_stack *);
/* The next span depends on these: the index_seq of the innermost open call, RAS_NONE when there
 * is none, of the call around that one, and 1 + that of the last return that was reported. */
struct atf_stack_top {
    uint64_t call_seq, parent_seq, done;
};
struct atf_stack_top atf_stack_top(const struct ras_atf_stack *);
/* Continue from there: `call` is the event of that call, NULL when there is none. False: memory is
 * short. */
bool atf_stack_restore(struct ras_atf_stack *, const struct ras_atf_index_event *call,
                       struct atf_stack_top);

/* Schema ids. Those of details depend on the registers of the architectures that occur; those of
 * joined events exist once a cursor has requested them. */
enum { ATF_EVENT = RAS_SCHEMA_GAP + 1, ATF_SPAN, ATF_THREAD, ATF_FUNCTION, ATF_MODULE };
enum { DETAIL_FIELDS_MAX = 32 };
enum atf_cpu { CPU_X86_64, CPU_OTHER, CPU_COUNT };

enum atf_event_field {
    EVENT_F_TIMESTAMP_NS,
    EVENT_F_FUNCTION_ID,
    EVENT_F_THREAD_ID,
    EVENT_F_KIND,
    EVENT_F_CALL_DEPTH,
    EVENT_F_DETAIL_SEQ,
    EVENT_F_FUNCTION,
    EVENT_F_MODULE,
    EVENT_FIELDS,
};

enum atf_span_field {
    SPAN_F_START_NS,
    SPAN_F_END_NS,
    SPAN_F_DURATION_NS,
    SPAN_F_THREAD_ID,
    SPAN_F_CALL_DEPTH,
    SPAN_F_FUNCTION_ID,
    SPAN_F_FUNCTION,
    SPAN_F_MODULE,
    SPAN_F_CALL_SEQ,
    SPAN_F_RETURN_SEQ,
    SPAN_F_REASON,
    SPAN_F_SELF_NS,
    SPAN_F_PARENT_CALL_SEQ,
    SPAN_FIELDS,
};

struct atf {
    struct ras_atf_session session; /* first: ras_atf_session() returns it */
    enum ras_atf_form form;         /* of the requested dialect; OPAQUE: detect it */
    uint32_t detail[CPU_COUNT];     /* schema ids; 0: not registered */
    uint32_t joined[CPU_COUNT];
    uint32_t sourced; /* schema id of events with their source; 0: not registered */
};

/* The stages of reading a thread, in this order. */
enum atf_stage {
    STAGE_MODULES,   /* of the process, with its first thread */
    STAGE_FUNCTIONS, /* the same */
    STAGE_THREAD,
    STAGE_EVENTS, /* each followed by the spans it ended */
    STAGE_OPEN_SPANS,
    STAGE_INDEX_GAPS,
    STAGE_DETAILS,
    STAGE_DETAIL_GAPS,
    STAGE_COUNT,
};

/* What the stack of a place holds after a jump. */
enum atf_stack_state {
    STACK_WHOLE,
    STACK_TOP,  /* the innermost call that was open at the mark, and what came after it */
    STACK_GONE, /* not even that: it is rebuilt before the next span */
};

/* A thread and a stage as one ascending number. */
static inline size_t atf_position(size_t thread, enum atf_stage stage)
{
    return thread * STAGE_COUNT + (size_t)stage;
}

/* How far a thread was read. */
struct atf_place {
    uint64_t event;              /* index_seq after the last event that was read */
    uint64_t detail, detail_at;  /* detail_seq and offset of the next detail; at 0: not begun */
    struct ras_atf_stack *stack; /* open calls; NULL until a span is requested */
    bool due;                    /* not all spans that the last event ended are reported */
    uint64_t reported;           /* how many of them are */
};

struct atf_cursor {
    uint64_t stop; /* of the events at cursor->in: the offset after the last; 0: none */
    uint64_t high; /* index_seq after the last one to read: these events may be a part of them */
    struct source_pin pin;       /* of the events at cursor->in */
    bool names;                  /* the manifest names functions or modules */
    bool values;                 /* values of events are requested */
    bool slow;                   /* spans, joining or sources: events cannot be laid out once */
    bool spans;                  /* spans are requested */
    bool pass;                   /* and events are not: they are passed over */
    bool join;                   /* events carry the fields of their detail */
    bool source;                 /* events carry the source of their function */
    bool live;                   /* the session grows: threads are read in rounds */
    bool sort;                   /* a run of a merged walk: events by time */
    bool unsorted;               /* and those of this thread have to be sorted */
    uint8_t cells[EVENT_FIELDS]; /* cell index of each field of an event */
    uint8_t value_count;
    size_t thread;
    enum atf_stage stage;
    size_t end;      /* the position at which the walk ends */
    uint64_t item;   /* next module, function or gap */
    uint64_t beyond; /* events after the last one in range */
    enum atf_stack_state stack_state;
    struct atf_stack_top top;    /* of the mark, while the state is STACK_TOP */
    struct ras_atf_stack *again; /* for reading a call again */
    uint8_t span_cells[SPAN_FIELDS];
    struct atf_hint hint;     /* for joining */
    uint32_t *order;          /* index_seq by time, of an index that is not sorted */
    uint64_t order_at;        /* next of them */
    uint64_t order_seq;       /* of the first event in stored order */
    struct atf_place *places; /* one for all; in a growing session one per thread */
    size_t place_count, place_room;
};

static inline struct ras_atf_session *atf_session_of(const struct ras_cursor *c)
{
    return &((struct atf *)c->trace->priv)->session;
}

static inline struct atf_thread *atf_thread_of(const struct ras_cursor *c)
{
    return &atf_session_of(c)->threads[((struct atf_cursor *)c->priv)->thread];
}

static inline const struct atf_process *atf_process_of(const struct ras_cursor *c)
{
    return &atf_session_of(c)->processes[atf_thread_of(c)->process];
}

/* Events at cursor->in before the next check. */
static inline uint64_t atf_left(const struct ras_cursor *c)
{
    const struct atf_cursor *a = c->priv;
    uint64_t at = cursor_offset(c);
    return a->stop > at ? (a->stop - at) / RAS_ATF_INDEX_EVENT_SIZE : 0;
}

static inline struct atf_place *atf_place_of(struct atf_cursor *a)
{
    return &a->places[a->place_count > 1 ? a->thread : 0];
}

/* atf_values.c: record types, and the values of one record as the view wants them; false: no
 * memory. */
extern const struct ras_schema atf_event_schema, atf_sourced_schema, atf_span_schema,
    atf_thread_schema, atf_function_schema, atf_module_schema;
extern const struct ras_schema atf_detail_schemas[CPU_COUNT], atf_joined_schemas[CPU_COUNT];

extern const struct view atf_view_all;
/* The fields of a sourced event after those of an event. */
bool atf_put_source(struct cells *, const struct view *, const struct atf_process *,
                    uint64_t function_id);
bool atf_put_event(struct cells *, const struct view *, const struct atf_process *,
                   const struct ras_atf_index_event *);
/* Change the names in two cells of an event to those of another function. */
void atf_rename_event(struct ras_value *function, struct ras_value *module,
                      const struct atf_process *, uint64_t function_id);
/* `detail` NULL: all null. `base` is the field of its first value. */
bool atf_put_detail(struct cells *, const struct view *, unsigned base, enum atf_cpu,
                    enum ras_atf_form, const struct ras_atf_detail_event *detail);
struct atf_time;
bool atf_put_span(struct cells *, const struct view *, const struct atf_process *,
                  const struct ras_atf_span *, const struct atf_time *);
bool atf_put_thread(struct cells *, const struct view *, struct ras_atf_session *,
                    struct atf_thread *);
bool atf_put_function(struct cells *, const struct view *, const struct atf_process *,
                      const struct ras_atf_symbol *);
bool atf_put_module(struct cells *, const struct view *, const struct ras_atf_module *);

/* atf_open.c */
int atf_open(struct ras_trace *, struct ras_error *);
void atf_close(struct ras_trace *);
int atf_media_time(const struct ras_trace *, double seconds, uint64_t *time_ns, struct ras_error *);
void atf_describe_thread(struct ras_trace *, const struct atf_thread *);
/* The registers of a thread's details. */
enum atf_cpu atf_cpu_of(struct ras_atf_session *, struct atf_thread *);

/* atf_read.c */
int atf_start(struct ras_cursor *, struct ras_error *);
void atf_stop(struct ras_cursor *);
enum step atf_next(struct ras_cursor *);
/* Enter a stage of a thread, continuing where its place says. */
bool atf_enter(struct ras_cursor *, size_t thread, enum atf_stage);
/* Note how one of the thread's files ends. */
enum ras_ending_kind atf_note_file(struct ras_cursor *, struct atf_thread *, bool detail);

/* atf_events.c: make the events from `low` to `high` of the cursor's thread the next ones. */
bool atf_enter_events(struct ras_cursor *, uint64_t low, uint64_t high);
/* Make the next of them the next ones. False: there are no more. */
bool atf_more_events(struct ras_cursor *);
/* Read the next of these events. */
enum step atf_read_event(struct ras_cursor *);
enum { ATF_AHEAD = 4096 }; /* bytes: processors do not prefetch beyond a page by themselves */
/* Make all events of the thread the next ones, by time; and read one of these. False: none is
 * left. */
bool atf_can_sort(const struct ras_cursor *, const struct atf_thread *);
bool atf_sort_events(struct ras_cursor *);
bool atf_read_ordered(struct ras_cursor *, enum step *);

/* atf_span_read.c: spans as records. False: none is due. */
bool atf_read_span(struct ras_cursor *, enum step *);
/* Pass over events that are not requested, up to the next span. False: no event is left. */
bool atf_pass_to_span(struct ras_cursor *, enum step *);
/* The top of the stack for a mark; and after a jump, when no more is known. */
struct atf_stack_top atf_save_top(const struct ras_cursor *);
void atf_restore_top(struct ras_cursor *, struct atf_stack_top);

/* atf_file.c: the ends of a thread's two files. */
bool atf_file_gap(struct ras_atf_session *, struct atf_thread *, bool detail, struct atf_gap *);
/* The file that a listed thread should have and does not, as a word; NULL: none. */
const char *atf_listed_lacks(const struct ras_atf_listed *, const struct atf_thread *);
struct atf_verdict atf_file_verdict(struct ras_atf_session *, struct atf_thread *, bool detail);
/* Records of the default types in a file: events or details, and gaps. */
uint64_t atf_file_records(struct ras_atf_session *, struct atf_thread *, bool detail);

/* atf_recorder.c: drops that the manifest counts, reported with a thread. */
uint64_t atf_drop_count(struct ras_atf_session *, size_t thread);
/* The trace of the events of ras_event() is missing: how many the recorder stored. */
#define ATF_EVENTS_LOST                                                                            \
    "the recorder stored %" PRIu64 " events of ras_event(), and there is no events.trc"
/* A window of a flight recorder is shorter than requested: since when, and by how many s. */
#define ATF_WINDOW_CUT                                                                             \
    "events of a window did not fit in memory: it is complete from %" PRIu64                       \
    " ns on, %.9f s after it begins"

/* A drop of RAS_NONE events means an unknown number more. */
bool atf_drop_at(struct ras_atf_session *, size_t thread, uint64_t i, const struct ras_atf_drop **);
#define ATF_UNFINISHED                                                                             \
    "the recorder was killed or is still running: an unknown number of events were dropped or "    \
    "never stored"

/* atf_read.c: seeking, marks and runs. */
bool atf_seek(struct ras_cursor *, enum ras_axis, uint64_t to);
void atf_save(const struct ras_cursor *, struct ras_mark *);
void atf_load(struct ras_cursor *, const struct ras_mark *);
size_t atf_run_count(struct ras_trace *);
bool atf_run_known(struct ras_cursor *, size_t run, uint64_t *records, bool *ordered);
void atf_run_enter(struct ras_cursor *, size_t run);

int atf_stats(struct ras_trace *, struct stats *, struct ras_error *);
/* Adds the signal that ended a process, and the calls that were open, as facts; false: no
 * memory. */
bool atf_describe_ends(struct ras_trace *);
int atf_tree(struct ras_trace *, struct stats *, const struct ras_tree_options *,
             struct ras_error *);
/* The thread of a stream, searched from the one after `before` on; SIZE_MAX: from the first. */
size_t atf_next_thread(const struct ras_atf_session *, size_t before, uint64_t stream);
int atf_usage(struct ras_trace *, struct usage *, struct ras_error *);
int atf_check(struct ras_trace *, struct report *, struct ras_error *);
int atf_repair(struct ras_trace *, const struct ras_repair_options *, struct plan *,
               struct ras_error *);
extern const struct ras_rule atf_rules[];
extern const struct rewrite_ops atf_rewrite;
extern const struct build_ops atf_build;
extern const struct compare_ops atf_compare;
size_t atf_columns(struct ras_cursor *, struct column_fill *);
extern const struct tick_ops atf_ticks;
extern const struct timeline_ops atf_timeline;
#endif
