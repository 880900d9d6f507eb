/* search.h - which conditions make a program differ: pinned runs, one with all changed, halves. */
#ifndef TWICE_SEARCH_H
#define TWICE_SEARCH_H

#include "twice/condition_list.h"

enum { TWICE_CAUSES_MOST = TWICE_CONDITIONS + 8 };

struct twice_cause {
    uint32_t set; /* several: they differ only together */
    bool confirmed;
};

/* How a run differs from the reference, the least first. */
enum twice_difference {
    TWICE_SAME,
    TWICE_DIFFERS_IN_SHARES, /* in which thread has made which calls */
    TWICE_DIFFERS_IN_CALLS,
    TWICE_DIFFERS,
};

/* How runs are made, and how many. */
struct twice_search {
    uint32_t varied;    /* the conditions that are changed */
    uint32_t apart;     /* of these, those that are only changed by themselves, after the others */
    unsigned pinned;    /* runs in which none is, at least 2 */
    unsigned tries;     /* of a set with conditions that need not show in every run */
    unsigned runs_most; /* of all */
    bool calls_last;    /* calls decide only where nothing else differs when all is changed */
    bool calls_never;   /* they decide nothing */
    void *user;
    /* Make the run that others are compared with. Negative: it could not be made. */
    int (*reference)(void *user);
    /* Make a run in which these conditions are changed, in their `attempt`-th way: enum
     * twice_difference. Without `calls`, these need not be compared. Negative: it could not be
     * made. */
    int (*differs)(void *user, uint32_t changed, unsigned attempt, bool calls);
    /* Which conditions can show in this program once its reference was made; NULL: all. */
    bool (*has_threads)(void *user);
};

struct twice_found {
    struct twice_cause causes[TWICE_CAUSES_MOST];
    size_t cause_count;
    bool uncontrolled; /* pinned runs differ */
    bool calls_vary;   /* the calls of pinned runs alone differ: they decide nothing */
    bool shares_vary;  /* some runs differ, in which thread has made which calls */
    bool exhausted;    /* runs_most was reached: there may be more causes */
    unsigned runs;
};

/* 0, or what a callback returned. */
int twice_search(const struct twice_search *, struct twice_found *);
#endif
