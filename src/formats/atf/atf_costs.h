/* atf_costs.h - calls with the time they took (struct atf_time), and functions by their cost. A
 * call that has no return is counted, but has no time. */
#ifndef ATF_COSTS_H
#define ATF_COSTS_H

#include "formats/atf/atf_stack.h"
#include "ops/stats/call_tree.h"

/* A call that has ended. */
struct atf_left_call {
    const struct ras_atf_span *span;
    size_t level; /* number of open calls around it */
    struct atf_time time;
};

/* One thread at a time. `enter` and `leave` may be NULL; false: memory is short. */
struct atf_call_walk {
    bool (*enter)(void *user, const struct ras_atf_index_event *, size_t level);
    bool (*leave)(void *user, const struct atf_left_call *);
    void *user;
    struct ras_atf_stack *stack;
};
bool atf_call_walk_open(struct atf_call_walk *);
void atf_call_walk_close(struct atf_call_walk *);
/* Call it before the first event of a thread. */
void atf_call_walk_thread(struct atf_call_walk *);
/* The next event of the thread; NULL: there are no more. False: memory is short. */
bool atf_call_walk_event(struct atf_call_walk *, const struct ras_atf_index_event *, uint64_t seq);

/* A function, or a function in one thread. */
struct atf_cost {
    uint64_t function_id;
    const struct ras_atf_symbol *symbol; /* NULL: it has no name */
    const struct ras_atf_module *module;
    const struct atf_source *source; /* NULL: not known */
    size_t thread;
    uint64_t count, total_ns, self_ns; /* total: time of a recursive function counted once */
    uint64_t open;                     /* calls of it that have not returned */
    uint64_t untimed;                  /* calls that have no return */
    uint32_t whole; /* 1 + index of the function in all threads, for users that keep both */
    struct quantiles times;
};

struct atf_costs {
    struct atf_cost *at;
    size_t count, room;
    struct id_table index; /* by a hash of what tells them apart */
    bool sourced;          /* a manifest has sources: rows have their columns */
};
/* The cost of a function, added when it is new; NULL: memory is short. Processes have names of
 * their own: two functions that share an id but not the name are two. */
struct atf_cost *atf_cost_of(struct atf_costs *, const struct atf_process *, size_t thread,
                             uint64_t function_id);
/* The same for a tree: sets its index, and its name where the tree does not have it yet. */
bool atf_cost_named(struct atf_costs *, struct call_tree *, const struct atf_process *,
                    uint64_t function_id, uint32_t *index);
/* Add a call that has ended. */
void atf_cost_take(struct atf_cost *, const struct atf_left_call *);
void atf_costs_free(struct atf_costs *);
/* A text, or null. */
void atf_put_text(struct document *, const char *text);
/* Name and module, as values. */
void atf_cost_put(struct document *, const struct atf_cost *);
/* Source file and line, as the last two values of a row: where the costs are `sourced`. */
#define ATF_SOURCE_COLUMNS "file", "line"
void atf_cost_put_source(struct document *, const struct atf_cost *);
#endif
