/* dial9_stats.h - analyses of what an async runtime recorded: shared by their parts.
 *
 * One matcher has three users: figures (stats, tree), records on request (poll, span_segment,
 * span) and timelines, which keep no figures. For the first two the trace is walked twice. The
 * first walk counts, and divides the records that the analyses need into slabs, with the earliest
 * time of each. The second one reads slabs in the order of those times, each as small facts that
 * are sorted, and merges them: batches belong to threads, so that the trace as a whole is not in
 * the order of time. Memory holds the slabs whose times overlap, and the live tasks and spans. */
#ifndef DIAL9_STATS_H
#define DIAL9_STATS_H

#include "base/id_table.h"
#include "formats/dial9/dial9_driver.h"
#include "formats/dial9/dial9_intern.h"
#include "formats/dial9/dial9_spans.h"

/* What an event means to the analyses; the first kinds are ordered by time. */
enum fact_kind {
    FACT_NONE,
    FACT_WAKE,
    FACT_POLL_START,
    FACT_POLL_END,
    FACT_PARK,
    FACT_UNPARK,
    FACT_QUEUE,
    FACT_SPAWN,
    FACT_TERMINATE,
    FACT_SPAN_ENTER,
    FACT_SPAN_EXIT,
    FACT_SPAN_CLOSE,
    FACT_SPAN_WHOLE,
    FACT_DUMP,
    FACT_ALLOC,
    FACT_SAMPLE,
    FACT_FREE, /* from here on the order does not matter */
    FACT_OVERFLOW,
    FACT_USAGE,
    FACT_ACCEPT,
    FACT_RUNTIME,
    FACT_METRIC,
    FACT_SYMBOL, /* from here on an event defines others: it is in every range */
    FACT_CLOCK,
    FACT_METADATA,
    FACT_KINDS,
};

static inline bool fact_is_timed(unsigned kind)
{
    return kind >= FACT_WAKE && kind <= FACT_SAMPLE;
}

static inline bool fact_is_ranged(unsigned kind)
{
    return kind >= FACT_WAKE && kind < FACT_SYMBOL;
}

/* Roles that fields have in the analyses. */
enum fact_role {
    ROLE_NONE,
    ROLE_WORKER,
    ROLE_ID,    /* of the task or span */
    ROLE_OTHER, /* parent span; queue length */
    ROLE_TEXT,  /* spawn location; span, symbol or thread name */
    ROLE_CPU,
    ROLE_WAIT,
    ROLE_TID,
    ROLE_SMALL, /* source of a sample; target of a wake; whether a task is instrumented */
    ROLE_STACK,
    ROLE_DEPTH,
    ROLE_LINE,
    ROLE_FILE,
    ROLE_ENTRIES,
    ROLE_INSTANCE, /* of a modern span */
    ROLE_HIDDEN,   /* known, but not needed: it is not an attribute of a span */
    ROLE_COUNT,
    /* Of events that are only counted, the first of as many numbered fields as they have. */
    ROLE_FIGURES = ROLE_NONE + 1,
    /* Of spans, which have none of those whose numbers these are: few roles are faster. */
    ROLE_TASK = ROLE_WAIT,
    ROLE_START = ROLE_CPU, /* by its close or its annotations */
    ROLE_FIRST = ROLE_WAIT,
    ROLE_ACTIVE = ROLE_DEPTH, /* time inside; of a span of one event its length */
    ROLE_TARGET = ROLE_STACK,
    ROLE_UNBALANCED = ROLE_SMALL,
};

#define NO_TEXT   UINT32_MAX
#define NO_WORKER UINT16_MAX
#define NO_STACK  UINT32_MAX

struct fact {
    uint64_t time_ns;
    uint64_t id;    /* task or span; cpu time; queue length; tid of a sample */
    uint64_t other; /* parent span, length of a whole one, local queue, or RAS_NONE */
    uint64_t offset : 48, size : 16; /* of its event; size 0: not known */
    uint32_t ref;                    /* text or stack */
    uint16_t worker;
    uint8_t kind, small;
};
_Static_assert(sizeof(struct fact) == 40, "many are held at a time");
#define OFFSET_MOST ((UINT64_C(1) << 48) - 1)

/* Where its event is stored, as one number: offset and size. */
static inline uint64_t dial9_event_of(const struct fact *f)
{
    return (uint64_t)f->offset << 16 | f->size;
}

/* What is known about a schema; by its id. */
struct fact_schema {
    uint64_t records, bytes;
    uint8_t kind;         /* enum fact_kind */
    bool known, lacking;  /* was checked; it lacks a field that is needed */
    bool timeless;        /* time 0 means none */
    const uint8_t *roles; /* of its fields */
    const struct fact_type *type;
    /* Of FACT_SPAN_WHOLE: which of start and length it has, or both; their units; its kind. */
    bool starts, lasts;
    uint32_t start_unit_ns, unit_ns, kind_text;
    uint32_t name;   /* of spans, a text */
    uint8_t *places; /* of the numbers of a modern span, by field; NULL: by their roles */
    struct metric_schema *metrics; /* NULL: none of its fields is a metric */
};

/* A part of the trace that holds at most SLAB_FACTS records for the analyses. */
enum { SLAB_FACTS = 32768, SLABS_OPEN = 128 };
struct slab {
    uint64_t offset, base_ns, time_min;
    uint32_t batch, count, number;
};

struct worker {
    uint64_t id;
    /* The poll that is going on. */
    bool polling, parked, active, queue_known;
    uint64_t poll_at, poll_task, poll_delay, poll_woken, poll_queue, poll_event;
    uint32_t poll_text, poll_on, poll_off, poll_spans;
    uint32_t poll_stack[2]; /* of its first samples on and off the CPU; NO_STACK: none */
    uint64_t park_at, active_at, active_cpu;
    uint64_t tid;
    /* The previous poll: a sample at its last moment belongs to it. */
    uint64_t last_end;
    bool last_any, last_on, last_off;
    struct quantiles polls, parks, actives, waits;
    double ratio_sum;
    uint64_t ratio_count, actives_long, actives_short_of_cpu; /* where CPU time is known */
    uint64_t queue_max, polls_unended, ends_unbegun, spans_most;
};

/* A worker of a runtime, which is a text, according to metadata. */
struct member {
    uint32_t runtime;
    uint64_t worker;
};

/* One of the longest polls or delays. */
struct worst {
    uint64_t length_ns, time_ns, task;
    uint32_t text, on, off;
    uint32_t stack[2]; /* of a poll: on and off the CPU */
    uint16_t worker;
};
enum { WORST_KEPT = 1000 };
struct worst_list {
    struct worst *at;
    size_t count, room;
    uint64_t least; /* shorter ones are not among the longest */
};

/* What was spawned at, or has, one text. */
struct site {
    struct quantiles polls, lifetimes;
    uint64_t spawned, terminated;
    struct quantiles spans, actives, segments;
};

struct task {
    uint64_t id, woken_at, wait_from, spawned_at, seen_at;
    uint64_t ended_at, busy_ns; /* of its polls: the end of the last one; RAS_NONE: none */
    uint32_t polls, on, off;    /* ended; samples in them */
    uint32_t poll_text;         /* where it was spawned, as its last poll has it */
    uint32_t text, next_free;
    uint32_t polled; /* polls of it that have not ended: one worker may end late */
    bool used, woken, woken_inside, spawned, polled_before, terminated;
};

struct span {
    uint64_t id, first, last, opened, active_ns;
    uint64_t parent, event, opened_event; /* where its first enter and the last one are stored */
    uint64_t exit_event;                  /* of the last exit; 0: none */
    uint32_t text, segments, depth, next_free;
    uint32_t again, exits; /* enters while it was open, exits while it was not */
    uint16_t worker;       /* of the last enter */
    bool used, open;
};

struct symbol {
    uint64_t address, depth, line;
    uint32_t text, file, order;
};

struct stack {
    uint64_t count[2], in_poll[2], first_ns[2]; /* on and off the CPU */
    uint64_t first, length;                     /* in the addresses */
};

/* Sampled stacks as a tree of names; node 0 is its root. */
struct flame_node {
    uint64_t count, self, self_in_poll, first_ns;
    uint32_t name, depth;
};
struct flame {
    struct flame_node *nodes;
    size_t count, room;
    struct id_table children; /* parent << 32 | name */
    const struct flame_node **leaves;
    size_t leaf_count;
    uint64_t total, kept, deepest;
};

/* More tasks or spans at one time than a real trace has; further ones are not followed. */
#define LIVE_MOST      ((size_t)1 << 20)
#define ADDRESSES_MOST ((size_t)4 << 20)
#define SYMBOLS_MOST   ((size_t)1 << 20)
#define TEXTS_MOST     ((size_t)1 << 20)
#define SITES_MOST     65536u
#define WORKERS_MOST   1024u

/* What samples are grouped by. */
enum stack_by { BY_KIND, BY_THREAD, BY_WORKER, BY_TASK, BY_SPAWN, BY_SPAN, BY_COUNT };
struct stack_groups;
struct span_lanes;
struct task_cpu;
struct task_dumps;
struct heap;
struct process;
struct metrics;
struct tree_samples;

/* What the matcher found: a poll, a segment of a span, a span, a park. RAS_NONE is null; but of an
 * id, `has_id` says so. */
enum derived_kind { DERIVED_POLL, DERIVED_SEGMENT, DERIVED_SPAN, DERIVED_PARK, DERIVED_KINDS };

struct derived_row {
    uint64_t start, end, duration;
    uint64_t id, parent, worker; /* id: of the task or span */
    uint64_t woken, delay, queue, active;
    uint64_t event; /* dial9_event_of() the one that begins it */
    uint32_t text, segments;
    uint16_t worker_index; /* NO_WORKER: none */
    uint8_t kind;
    bool has_id, whole, unended;
    struct span_more more; /* of a span; of a segment its dialect and thread */
};

struct dial9_stats {
    struct ras_trace *trace;
    struct stats *s; /* NULL: no figures are kept */
    /* What is found is given to this; NULL: only figures are kept. */
    void (*take)(void *user, const struct derived_row *);
    void *taker;
    uint32_t kinds;              /* bits 1 << fact_kind that records need; 0: all of them */
    enum ras_axis axis;          /* of the range of figures */
    bool nomem;                  /* memory was short: reported at the end */
    struct ras_mark end;         /* after the last record of the first walk */
    struct fact_schema *schemas; /* by id */
    size_t schema_count, schema_room;
    uint64_t counts[FACT_KINDS], records, lacking, uninstrumented;
    uint64_t trace_first; /* the smallest time of all records, in the range or not */
    bool spanned;         /* time_first, time_last are set: of runtime events in the range */
    uint64_t time_first, time_last;
    struct slab *slabs;
    size_t slab_count, slab_room;
    uint64_t from_at, to_at; /* where the range by seq begins and ends, as far as is known */
    uint64_t late;           /* facts that came after later ones were processed */
    uint64_t fed_ns;

    struct intern texts;
    uint64_t texts_dropped;
    struct {
        const void *at;
        uint32_t len, id;
    } text_cache[1024];

    struct worker *workers;
    size_t worker_count, worker_room;
    struct id_table worker_ids;
    uint16_t worker_low[64]; /* of small ids: 1 + index */
    struct worst_list long_polls, long_delays;
    uint64_t polls_over_1ms, polls_over_10ms, polls_over_50ms;
    uint64_t workers_dropped;
    struct site *sites; /* by text */
    size_t site_count, site_room;
    uint64_t sites_dropped;

    struct task *tasks;
    size_t task_count, task_room;
    uint32_t task_free;
    struct id_table task_ids;
    uint64_t tasks_dropped;
    struct quantiles delays, first_delays;
    uint64_t delays_over_1ms, delays_over_5ms, delays_over_50ms, delays_over_100us;
    uint64_t polls_of_none, polls_unwoken, delays_zero, delays_beyond;
    uint64_t tasks_counted, tasks_counted_most; /* by plus and minus one, never below zero */
    uint64_t tasks_first, tasks_changes;        /* for leaks: after ten changes; all */
    uint64_t tasks_alive, tasks_alive_most, tasks_unspawned;
    struct id_table dumped;
    uint64_t wakes_to[256], wakes_by_self;

    struct quantiles queue;
    uint64_t queue_last, idle_with_work;
    bool queue_seen;

    struct span_book *book;         /* modern spans, and what all dialects share */
    struct segment_count *segments; /* of a directory: its events, by number */
    size_t segment_count, segment_at;
    uint64_t unclean; /* metadata that says that events were lost */
    struct span *spans;
    size_t span_count, span_room;
    uint32_t span_free;
    struct id_table span_ids;
    uint64_t spans_counted, spans_dropped, spans_deepest;
    uint64_t exits_unentered, enters_again, spans_unexited, closes_unopened, parents_unknown;
    uint64_t spans_unclosed, spans_whole, spans_unmeasured;

    struct stack *stacks;
    size_t stack_count, stack_room;
    struct intern stack_ids;
    uint64_t *addresses;
    size_t address_count, address_room;
    uint64_t samples[2], samples_in_poll[2], samples_dropped, samples_by_tid, samples_unassigned;
    uint64_t stack_frames[2];
    uint64_t polls_on, polls_off, polls_any;
    struct symbol *symbols;
    size_t symbol_count, symbol_room;
    uint64_t symbol_addresses, symbols_dropped, symbols_lined;
    struct flame flames[2];    /* on and off the CPU */
    struct id_table threads;   /* tid: text */
    struct tree_samples *tree; /* NULL: no tree is requested */
    /* Each is made when its first event comes, and freed by its own file. */
    struct stack_groups *groups[BY_COUNT]; /* NULL: not requested */
    struct span_lanes *lanes;
    struct task_cpu *task_cpu;
    struct task_dumps *dumps;
    struct heap *heap;
    struct process *process;
    struct metrics *metrics;
    uint64_t stacks_dropped; /* beyond ADDRESSES_MOST */
    uint64_t folded_bytes;   /* of stacks in tables, so far */
    uint64_t waits_over_1ms, waits_over_10ms, waits_over_100us, waits_over_100ns;

    struct {
        uint64_t time_ns, realtime_ns;
    } clocks[64];
    uint64_t clock_count;
    struct member *members;
    size_t member_count, member_room;
};

static inline void stats_nomem(struct dial9_stats *d)
{
    d->nomem = true;
}

/* One more value of a figure. */
static inline void dial9_figure(struct dial9_stats *d, struct quantiles *q, uint64_t value)
{
    if (d->s)
        stats_add(d->s, q, value);
}

struct dial9_stats *dial9_stats_new(struct ras_trace *);
void dial9_stats_free(struct dial9_stats *);
/* dial9_order.c: the first walk; then one fact after the other, in the order of time. A step is
 * RAS_OK, RAS_END, or an error; `out` is to be closed also after open has failed. */
int dial9_stats_survey(struct dial9_stats *, struct ras_error *);
struct replay;
int dial9_order_open(struct replay **out, struct dial9_stats *, struct ras_error *);
int dial9_order_step(struct replay *, struct ras_error *);
/* All steps at once: RAS_END, or an error. */
int dial9_order_all(struct replay *, struct ras_error *);
void dial9_order_close(struct replay *);
/* dial9_stats.c: what a step does with its fact. */
void dial9_stats_feed(struct dial9_stats *, const struct fact *);

/* dial9_stats.c: all walks, then `put` writes the tables; `groups`: bits 1 << enum stack_by, by
 * which samples are grouped. */
int dial9_stats_run(struct ras_trace *, struct stats *, struct tree_samples *tree, unsigned groups,
                    void (*put)(struct dial9_stats *), struct ras_error *);
/* dial9_stats_facts.c: the events that the analyses know. */
struct fact_schema *dial9_stats_schema(struct dial9_stats *, uint32_t schema);
/* dial9_stats_tables.c: the entries of a segment's metadata; and their table. */
void dial9_stats_on_metadata(struct dial9_stats *, const struct ras_dial9_value *entries,
                             const uint8_t *end);
void dial9_stats_put_runtimes(struct dial9_stats *);
/* dial9_annotated.c: use the annotations of a schema that is not known by name, at its first
 * event, which the cursor has passed. */
void dial9_stats_annotated(struct dial9_stats *, struct fact_schema *, const struct ras_schema *,
                           const struct ras_cursor *, const struct ras_record *);
/* Whether an event is in the range; one that is stored at time 0, or defines others, is in any. */
static inline bool dial9_stats_in_range(const struct dial9_stats *d, unsigned kind,
                                        uint64_t time_ns, uint64_t offset)
{
    enum ras_axis axis = d->axis;
    if (!axis || !fact_is_ranged(kind))
        return true;
    if (axis == RAS_AXIS_SEQ)
        return offset >= d->from_at && offset < d->to_at;
    return stats_in_range(d->s, axis, time_ns);
}

/* dial9_match.c: the figures of a text; NULL: none are kept, or too many. */
struct site *dial9_new_site(struct dial9_stats *, uint32_t text);
static inline struct site *dial9_stats_site(struct dial9_stats *d, uint32_t text)
{
    if (!d->s)
        return NULL;
    return text < d->site_count ? &d->sites[text] : dial9_new_site(d, text);
}
/* A number of an event; NULL is fine. */
static inline uint64_t dial9_fact_number(const struct ras_dial9_value *v, uint64_t otherwise)
{
    if (!v)
        return otherwise;
    switch (v->type) {
    case RAS_DIAL9_VARINT:
    case RAS_DIAL9_U8:
    case RAS_DIAL9_U16:
    case RAS_DIAL9_U32:
    case RAS_DIAL9_BOOL:
        return v->u;
    case RAS_DIAL9_I64:
        return v->i < 0 ? otherwise : v->u;
    default:
        return otherwise;
    }
}
/* dial9_stats_facts.c: a text, or NO_TEXT. */
struct fact_event;
uint32_t dial9_fact_text(struct dial9_stats *, const struct fact_event *,
                         const struct ras_dial9_value *);
/* Of an id of the pool; RAS_NONE: of none. */
uint32_t dial9_pooled_text(struct dial9_stats *, const struct fact_event *, uint64_t id);
/* dial9_annotated.c: when a span of one event began, and its end; RAS_NONE: it is not a span. */
uint64_t dial9_whole_start(const struct fact_schema *, uint64_t start, uint64_t duration,
                           uint64_t *end);
/* dial9_segment_table.c: the segments of a directory; an event that the first walk passes. */
bool dial9_segments_begin(struct dial9_stats *);
void dial9_segments_note(struct dial9_stats *, unsigned kind, uint64_t time_ns, uint64_t offset);
void dial9_segments_put(struct dial9_stats *);

/* An event as a fact. False: it is not one, and was counted. */
struct fact_event {
    uint64_t time_ns, offset;
    const struct dial9_batch *batch;
    const uint8_t *base; /* of the source */
    const uint8_t *end;  /* of the event */
    const struct ras_dial9_value *values;
    unsigned count;
};
static inline uint16_t fact_event_size(const struct fact_event *e)
{
    uint64_t size = (uint64_t)(e->end - (e->base + e->offset));
    return size <= UINT16_MAX ? (uint16_t)size : 0;
}
bool dial9_stats_fact(struct dial9_stats *, const struct fact_event *, const struct fact_schema *,
                      struct fact *);
/* The same of a record: its values by their role, NULL where it has none, then the fact, which is
 * one that is ordered by time. */
void dial9_record_roles(const struct ras_cursor *, const struct fact_schema *,
                        const struct ras_value *v[ROLE_COUNT]);
uint64_t dial9_cell_number(const struct ras_value *, uint64_t otherwise); /* NULL is fine */
void dial9_record_fact(struct dial9_stats *, const struct ras_record *, const struct fact_schema *,
                       const struct ras_value *const v[ROLE_COUNT], struct fact *);
/* A text that is not in the trace. */
uint32_t dial9_stats_new_text(struct dial9_stats *, const void *at, size_t len);

/* dial9_match.c: workers and their polls, tasks, spans. */
struct worker *dial9_stats_worker(struct dial9_stats *, uint64_t id);
/* The index of the worker of an event, or NO_WORKER. */
static inline uint16_t dial9_worker_at(struct dial9_stats *d, uint64_t id)
{
    if (id < sizeof d->worker_low / sizeof *d->worker_low && d->worker_low[id])
        return d->worker_low[id] - 1;
    const struct worker *w = id == RAS_NONE ? NULL : dial9_stats_worker(d, id);
    return w ? (uint16_t)(w - d->workers) : NO_WORKER;
}
void dial9_stats_on_worker(struct dial9_stats *, const struct fact *);
void dial9_stats_end_workers(struct dial9_stats *);
/* A sample that may be in one of its polls: whether it is. */
bool dial9_stats_in_poll(struct dial9_stats *, struct worker *, const struct fact *);
void dial9_worst_sort(struct worst_list *);
void dial9_stats_on_task(struct dial9_stats *, const struct fact *);
/* A sample in a poll of this task. */
void dial9_stats_task_sampled(struct dial9_stats *, uint64_t task, bool off);
void dial9_stats_on_span(struct dial9_stats *, const struct fact *);
void dial9_stats_end_spans(struct dial9_stats *);
/* A span that is open when the trace ends. */
void dial9_stats_end_span(struct dial9_stats *, struct span *);
/* The live span of an id; NULL: none. */
struct span *dial9_stats_span(struct dial9_stats *, uint64_t id);

/* dial9_found.c: what the matcher found is given to whoever takes it. Without an end: `end_ns` is
 * RAS_NONE; delay_ns counts as in the figures, or is RAS_NONE. */
void dial9_found_poll(struct dial9_stats *, const struct worker *, uint64_t end_ns,
                      uint64_t delay_ns);
void dial9_found_park(struct dial9_stats *, const struct worker *, uint64_t end_ns);
void dial9_found_segment(struct dial9_stats *, const struct span *, uint64_t end_ns);
void dial9_found_span(struct dial9_stats *, const struct span *, uint64_t close_ns);
/* A span that is one event. */
void dial9_found_whole(struct dial9_stats *, const struct fact *);
/* dial9_stats_samples.c */
/* A stack of so many addresses; NO_STACK: too many to keep. */
uint32_t dial9_stats_stack(struct dial9_stats *, const uint8_t *at, size_t count);
void dial9_stats_on_sample(struct dial9_stats *, const struct fact *);
void dial9_stats_end_samples(struct dial9_stats *);
void dial9_flame_free(struct flame *);
/* The first symbol of an address, or of the next one; the text of an address without a name. */
size_t dial9_symbols_at(const struct dial9_stats *, uint64_t address);
uint32_t dial9_stats_nameless(struct dial9_stats *, uint64_t address);

/* dial9_stats_samples.c: one stack from its leaf on, inlined functions before their callers. */
struct frame {
    uint64_t address;
    const struct symbol *symbol; /* NULL: the address has no name */
    bool inlined, kernel;
};
/* Before the first frame, everything but the stack is zero. */
struct frame_walk {
    uint32_t stack;
    uint64_t at, address;
    size_t first, left;
    bool named;
};
bool dial9_frame_next(struct dial9_stats *, struct frame_walk *, struct frame *);
struct frame_text {
    char text[600];
    size_t len;
};
void dial9_frame_name(const struct dial9_stats *, const struct frame *, struct frame_text *);
void dial9_frame_place(const struct dial9_stats *, const struct frame *, struct frame_text *);
/* What a stack means: what the kernel waited for, which system call, its caller. */
struct stack_words {
    struct frame_text blocked_by, syscall, called_from;
};
void dial9_stack_explain(struct dial9_stats *, uint32_t stack, struct stack_words *);

/* dial9_annotated.c: call for every annotation, before an event, of a field that its schema has. */
struct each_note {
    const struct dial9_batch *batch;
    struct ras_bytes all;
    uint64_t before;
    uint16_t type_id, field_count;
};
void dial9_each_note(const struct each_note *, void *user,
                     void (*take)(void *, const struct ras_dial9_annotation *));
static inline bool dial9_bytes_are(struct ras_bytes bytes, const char *text)
{
    return bytes.len == strlen(text) && !memcmp(bytes.at, text, bytes.len);
}
/* Whether a table is among those requested. */
bool dial9_stats_wants(const struct dial9_stats *, const char *table);

/* The tables: dial9_stats_tables.c, dial9_stats_flags.c. */
void dial9_stats_put_text(struct dial9_stats *, uint32_t text);
void dial9_stats_put_frame_text(struct dial9_stats *, const struct frame_text *); /* empty: null */
void dial9_stats_put_summary(struct dial9_stats *);
void dial9_stats_put_flags(struct dial9_stats *);
void dial9_stats_put_workers(struct dial9_stats *);
void dial9_stats_put_tasks(struct dial9_stats *);
void dial9_stats_put_spans(struct dial9_stats *);
void dial9_stats_put_samples(struct dial9_stats *);
void dial9_stats_put_types(struct dial9_stats *);
#endif
