/* record_program.h - a program under hooks: its options, start and session. */
#ifndef CLI_RECORD_PROGRAM_H
#define CLI_RECORD_PROGRAM_H

#include "cli/session.h"

/* The options of a recording. */
struct record_options {
    bool durable, drop, children, follow, append, pens;
    struct list filters, excludes, details, triggers;
    struct number max_depth, history;
    const char *report; /* a file for the JSON report, or for events while the program runs */
    const char *min_duration, *duration, *pre_roll, *post_roll;
};
/* record_lines.c: the options as lines for the hooks, to be freed. 0, or EXIT_TROUBLE after saying
 * why. */
int record_lines(const struct record_options *, char **lines);

struct program {
    const struct common *common;
    const char *const *command; /* NULL-terminated */
    bool children;              /* the program itself needs no hooks */
    bool append;                /* add to the sessions in the directory */
    bool follow;                /* print events as they are stored */
    bool pens;                  /* -o is a run directory, the calls are below it */
    bool bare;                  /* a program with pens that has no hooks: no calls */
    struct answer report;       /* the report; its sink is NULL if there is none */
    char *hooks;                /* lines for them, besides the session */
    char dir[3800];             /* as given by -o */
    char session[4096];         /* session_YYYYMMDD_HHMMSS in it, absolute */
    char library[4096];         /* of the hooks */
    int pid, ended;             /* the program; its wait() status */
    /* The result. */
    uint64_t events, dropped;
    uint64_t left_out;  /* of `dropped`, events that the options exclude */
    size_t killed;      /* processes whose number of missing events is unknown */
    char ended_by[512]; /* the signal, and where; "": none that is known */
    size_t threads, processes, repaired;
    uint64_t
        lacks_ns; /* missing at the start of a window, at most: its first events were overwritten */
    size_t unread; /* processes that had events, none of which can be read */
    char why[240]; /* the cause for the first of them */
};

/* Find the hooks, check the program, create the directory. 0, or EXIT_TROUBLE after saying why. */
int program_prepare(struct program *);
/* Run the program to its end, and forward signals. */
int program_record(struct program *);
/* Seal unsealed files, and name functions. */
int program_finish(struct program *);
#endif
