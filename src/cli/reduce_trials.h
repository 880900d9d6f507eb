/* reduce_trials.h - tests of candidate traces and the journal of their outcomes. */
#ifndef CLI_REDUCE_TRIALS_H
#define CLI_REDUCE_TRIALS_H

#include "cli/command.h"

enum outcome {
    OUTCOME_NONE, /* it still runs */
    OUTCOME_FAILS,
    OUTCOME_PASSES,
    OUTCOME_TIMEOUT,
    OUTCOME_CANNOT, /* there is no such trace: no test was run */
};

/* A test that runs, or whose result was not fetched yet. */
struct trial {
    uint64_t key;
    int pid;    /* of its group; 0: the place is free; -1: no test was run */
    int status; /* the waitpid() status of its first process */
    double deadline;
    enum outcome outcome;
    char *folder; /* the folder of its candidate */
};

struct trials {
    const char *const *command; /* words; {} is replaced by the candidate */
    size_t word_count;
    double timeout;   /* seconds; 0: none */
    char *folder;     /* for those of the candidates */
    const char *name; /* the name of a candidate's file */
    uint64_t folder_count;
    struct trial *at;
    size_t count; /* that run at the same time */
};

/* 0, or EXIT_TROUBLE after saying why. From then on SIGCHLD, SIGINT and SIGTERM are waited
 * for, not delivered. */
int trials_open(struct trials *, const char *path);
/* Kill running tests and remove all files. */
void trials_close(struct trials *);
/* The test with that key, or NULL. */
struct trial *trials_find(struct trials *, uint64_t key);
/* A free place; NULL: all are taken. */
struct trial *trials_place(struct trials *);
/* A new folder for the place, and the path of the candidate in it; NULL after saying why. Free
 * it. */
char *trial_path(struct trials *, struct trial *);
/* Start the test of the candidate at that path. 0, or EXIT_TROUBLE after saying why. */
int trial_start(struct trials *, struct trial *, uint64_t key, const char *path);
/* Stop it if it runs, and free its place. */
void trial_drop(struct trial *);
/* Wait until a test ended or timed out. The signal that interrupted us, or 0. */
int trials_wait(struct trials *);

/* The character of an outcome. */
#define JOURNAL_FAILS   '1'
#define JOURNAL_PASSES  '0'
#define JOURNAL_TIMEOUT 't' /* it passes */
#define JOURNAL_CANNOT  'x' /* there is no such trace: no test was run */

struct journal {
    char *path;
    int fd;
    bool ours;   /* its outcomes belong to this trace and command */
    char *known; /* outcomes of an earlier run, in order */
    size_t known_count, at;
};

/* Open the journal beside `out` and read its outcomes. They must belong to this trace and command;
 * otherwise it is started over only if `restart`. 0, or EXIT_TROUBLE after saying why. */
int journal_open(struct journal *, const char *out, uint64_t identity, const char *const *command,
                 size_t word_count, bool restart);
/* The next outcome of an earlier run; 0: there is none. */
char journal_next(struct journal *);
/* An outcome of this run. */
int journal_add(struct journal *, char outcome);
/* Close it, and remove it if all is done. */
void journal_close(struct journal *, bool done);
#endif
