/* reduce_trials.h - tests of candidate traces, each a process group of its own. */
#ifndef CLI_REDUCE_TRIALS_H
#define CLI_REDUCE_TRIALS_H

#include "cli/command.h"

enum outcome {
    OUTCOME_NONE, /* it still runs */
    OUTCOME_FAILS,
    OUTCOME_PASSES,
    OUTCOME_TIMEOUT,
    OUTCOME_CANNOT, /* there is no such trace: nothing was run */
};

/* A test that runs, or ran and was not asked for yet. */
struct trial {
    uint64_t key;
    int pid;    /* of its group; 0: the place is free; -1: nothing was run */
    int status; /* how its first process ended, as waitpid() tells it */
    double deadline;
    enum outcome outcome;
    char *folder; /* that holds its candidate */
};

struct trials {
    const char *const *command; /* words; {} stands for the candidate */
    size_t word_count;
    double timeout;   /* seconds; 0: none */
    char *folder;     /* for those of the candidates */
    const char *name; /* what a candidate's file is called */
    uint64_t folder_count;
    struct trial *at;
    size_t count; /* that run at the same time */
};

/* 0, or EXIT_TROUBLE after saying why. From then on SIGCHLD, SIGINT and SIGTERM are waited
 * for, not delivered. */
int trials_open(struct trials *, const char *path);
/* End whatever runs; leave nothing behind. */
void trials_close(struct trials *);
/* The test with that key, or NULL. */
struct trial *trials_find(struct trials *, uint64_t key);
/* A free place; NULL: all are taken. */
struct trial *trials_place(struct trials *);
/* A new folder for the place, and the path of the candidate in it; NULL after saying why. Free
 * it. */
char *trial_path(struct trials *, struct trial *);
/* Start the test of what lies at that path. 0, or EXIT_TROUBLE after saying why. */
int trial_start(struct trials *, struct trial *, uint64_t key, const char *path);
/* Stop it if it runs, and free its place. */
void trial_drop(struct trial *);
/* Wait until a test ended or timed out. The signal that interrupted us, or 0. */
int trials_wait(struct trials *);
#endif
