/* dial9_profile.h - what samples, tasks, memory and metrics add to the analyses.
 *
 * Each part is a struct of its own that struct dial9_stats points to: made when its first event
 * comes, so that a trace without such events pays nothing. */
#ifndef DIAL9_PROFILE_H
#define DIAL9_PROFILE_H

#include "base/out.h"
#include "formats/dial9/dial9_stats.h"

/* dial9_stats_samples.c: the worker that parked or unparked last on a thread, or NULL. */
struct worker *dial9_worker_on(struct dial9_stats *, uint64_t tid);

/* dial9_groups.c: samples by kind, thread, worker, task, spawn location and span. */
struct stack_group {
    uint64_t of; /* tid, worker, task or text; RAS_NONE: not known */
    uint64_t total, in_poll;
    size_t first; /* of its stacks, once they are settled */
    bool off;
};
struct group_stack {
    uint32_t group, stack; /* NO_STACK: it has none */
    uint64_t count, in_poll;
};
struct stack_groups {
    struct id_table group_ids[2]; /* on and off the CPU */
    struct stack_group *groups;
    size_t group_count, group_room;
    struct id_table stack_ids; /* group << 32 | stack */
    struct group_stack *stacks;
    size_t stack_count, stack_room;
};
extern const char *const dial9_by_words[]; /* by enum stack_by, ends with NULL */
/* Group by this from now on. False: memory is short. */
bool dial9_groups_want(struct dial9_stats *, enum stack_by);
/* A sample: the worker that it is of, or NULL. */
void dial9_groups_sample(struct dial9_stats *, const struct fact *, const struct worker *,
                         bool in_poll);
/* Order the stacks by group, and set `first`. */
void dial9_groups_settle(struct stack_groups *);
void dial9_groups_free(struct dial9_stats *);
/* What a group is, in words: "worker 3"; empty: all of a kind. */
void dial9_group_name(const struct dial9_stats *, enum stack_by, const struct stack_group *,
                      struct frame_text *);

/* dial9_folded.c: stacks as text, and their table. */
/* The function and the place of the innermost frame; empty: the stack has none. */
void dial9_stack_leaf(struct dial9_stats *, uint32_t stack, struct frame_text *name,
                      struct frame_text *place);
/* End a table of samples where there are none. */
void dial9_end_without_samples(struct dial9_stats *);
/* "main;poll;read": from the outermost caller on. NO_STACK is "(empty)". `out` is emptied first. */
void dial9_fold(struct dial9_stats *, uint32_t stack, struct out *);
/* The same as a value; null: there are too many of them. */
void dial9_put_folded(struct dial9_stats *, uint32_t stack);
void dial9_stats_put_folded(struct dial9_stats *);

/* dial9_span_lanes.c: which span is the innermost on a worker; a text, or NO_TEXT. */
void dial9_lanes_span(struct dial9_stats *, const struct fact *);
uint32_t dial9_lanes_top(const struct dial9_stats *, uint16_t worker);
void dial9_lanes_free(struct dial9_stats *);

/* dial9_task_cpu.c: time and samples of each task, if the table is requested. */
bool dial9_task_cpu_want(struct dial9_stats *);
/* What is known of a task that is forgotten now. */
void dial9_task_cpu_add(struct dial9_stats *, const struct task *);
void dial9_task_cpu_end(struct dial9_stats *);
void dial9_stats_put_task_cpu(struct dial9_stats *);
void dial9_task_cpu_free(struct dial9_stats *);

/* dial9_dumps.c: where tasks were suspended. */
void dial9_dumps_on(struct dial9_stats *, const struct fact *, const struct task *);
void dial9_stats_put_dumps(struct dial9_stats *);
void dial9_dumps_free(struct dial9_stats *);

/* dial9_heap.c: sampled allocations. */
uint64_t dial9_heap_alloc(struct dial9_stats *, uint64_t time_ns, uint64_t address, uint64_t size,
                          uint32_t stack);
void dial9_heap_free_event(struct dial9_stats *, uint64_t address, uint64_t allocated_ns);
void dial9_heap_overflow(struct dial9_stats *, uint64_t allocs, uint64_t frees);
void dial9_heap_rate(struct dial9_stats *, const uint8_t *at, size_t len);
/* In the order of time: the task that a thread polled last. */
void dial9_heap_on(struct dial9_stats *, const struct fact *);
void dial9_stats_put_heap(struct dial9_stats *);
void dial9_heap_free(struct dial9_stats *);

/* dial9_process.c: resource usage, accept queues, runtimes. */
void dial9_process_event(struct dial9_stats *, unsigned kind, const struct fact_event *,
                         const struct ras_dial9_value *const *v);
void dial9_stats_put_process(struct dial9_stats *);
void dial9_process_free(struct dial9_stats *);

/* dial9_metrics.c: fields whose annotation `kind` makes them a metric. */
/* Use the annotations of a schema at its first event. */
void dial9_metrics_annotated(struct dial9_stats *, struct fact_schema *, const struct each_note *,
                             const struct ras_schema *);
void dial9_metrics_event(struct dial9_stats *, const struct fact_event *,
                         const struct fact_schema *);
void dial9_stats_put_metrics(struct dial9_stats *);
void dial9_metric_schema_free(struct metric_schema *);
void dial9_metrics_free(struct dial9_stats *);
#endif
