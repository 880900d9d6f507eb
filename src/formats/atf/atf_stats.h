/* atf_stats.h - the figures of a session in the making. */
#ifndef ATF_STATS_H
#define ATF_STATS_H

#include "formats/atf/atf_costs.h"

enum { REASONS = RAS_ATF_NO_CALL + 1 };
#define IN_ALL_THREADS SIZE_MAX

struct thread_row {
    uint64_t events, details, calls, unmatched, lost;
    uint64_t time_first, time_last, busy_ns; /* busy: inside the outermost calls */
    uint32_t depth_most;
};

struct unmatched {
    uint64_t count;
    uint32_t example; /* index into costs of a function with this reason */
    uint64_t time_ns; /* its time */
    uint64_t event;   /* number of the event in its thread */
    size_t thread;
};

struct span_row {
    struct ras_atf_span span;
    size_t thread;
    uint32_t cost; /* index into costs */
    uint32_t children;
};

/* A call that has not ended. */
struct open_call {
    uint32_t cost;     /* index into costs: the function in this thread */
    uint32_t children; /* calls that it has made */
};

struct atf_stats {
    struct stats *s;
    struct ras_atf_session *session;
    struct atf_call_walk walk;
    struct atf_costs costs; /* functions in a thread, and those in all threads */
    struct thread_row *threads;
    size_t thread; /* current; SIZE_MAX: none yet */
    uint64_t next_seq;
    uint64_t time_first; /* of all records that were read; RAS_NONE: none has a time */
    struct unmatched reasons[REASONS];
    /* Of the table of spans: the first ones that end, and the calls inside those that are open. */
    struct span_row *spans;
    size_t span_count, span_room, span_most;
    uint64_t span_total;
    struct open_call *open; /* by level, from 1 on */
    size_t open_room;
};

/* A number, or null. */
void atf_stats_uint(struct document *, bool there, uint64_t u);

/* atf_query.c: the tables of the published query methods. */

/* How many rows of a table are collected; 0: it was not requested. */
size_t atf_query_most(const struct stats *, const char *table);
bool atf_query_leave(struct atf_stats *, const struct atf_left_call *, size_t cost);
void atf_query_summary(struct atf_stats *);
void atf_query_findings(struct atf_stats *);
void atf_query_spans(struct atf_stats *);
int atf_query_events(struct atf_stats *, struct ras_error *) RAS_CHECKED;
#endif
