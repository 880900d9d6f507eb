/* reduce_trials.h - tests of candidate traces and the journal of their outcomes. */
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

/* What an outcome is written as. */
#define JOURNAL_FAILS   '1'
#define JOURNAL_PASSES  '0'
#define JOURNAL_TIMEOUT 't' /* it passes */
#define JOURNAL_CANNOT  'x' /* there is no such trace: nothing was run */

struct journal {
    char *path;
    int fd;
    bool ours;   /* what is in it is of this trace and command */
    char *known; /* outcomes of an earlier run, in order */
    size_t known_count, at;
};

/* Open the journal beside `out`, and take up what it knows; what it knows must be of this trace
 * and command, else it is begun anew only if `restart`. 0, or EXIT_TROUBLE after saying why. */
int journal_open(struct journal *, const char *out, uint64_t identity, const char *const *command,
                 size_t word_count, bool restart);
/* The next outcome of an earlier run; 0: there is none. */
char journal_next(struct journal *);
/* An outcome of this run. */
int journal_add(struct journal *, char outcome);
/* Leave it for another time, or, when all is done, remove it. */
void journal_close(struct journal *, bool done);
#endif
