/* record_program.h - a program under hooks: its options, start and session. */
#ifndef CLI_RECORD_PROGRAM_H
#define CLI_RECORD_PROGRAM_H

#include "cli/session.h"

/* What is asked of a recording. */
struct record_options {
    bool durable, drop, children, follow, append;
    struct list filters, excludes, details, triggers;
    struct number max_depth, history;
    const char *report; /* a file for what is told as JSON, or while the program runs */
    const char *min_duration, *duration, *pre_roll, *post_roll;
};
/* recording_words.c: as lines for the hooks, to be freed. 0, or EXIT_TROUBLE after saying
 * why. */
int record_lines(const struct record_options *, char **lines);

struct program {
    const struct common *common;
    const char *const *command; /* NULL-terminated */
    bool children;              /* the program itself need not be prepared */
    bool append;                /* beside what the directory holds */
    bool follow;                /* print events as they are stored */
    struct answer report;       /* what is told of it; its sink is NULL where nothing is */
    char *hooks;                /* lines for them, besides the session */
    char dir[3800];             /* as it was asked for */
    char session[4096];         /* session_YYYYMMDD_HHMMSS in it, absolute */
    char library[4096];         /* of the hooks */
    int pid, ended;             /* the program; as wait() tells */
    /* What came of it. */
    uint64_t events, dropped;
    uint64_t left_out;  /* of `dropped`, what the options ask for */
    size_t killed;      /* processes that left no word on how many events are missing */
    char ended_by[512]; /* the signal, and where; "": none that is known */
    size_t threads, processes, repaired;
    uint64_t lacks_ns; /* of a window at most: its first events had to make room */
    size_t unread;     /* processes that had events, of which nothing can be read */
    char why[240];     /* the first of them: why */
};

/* recording_prepare.c: find the hooks, look at the program, make the directory. 0, or
 * EXIT_TROUBLE after saying why. */
int program_prepare(struct program *);
/* recording.c: run the program to its end, and pass signals on. */
int program_record(struct program *);
/* recording_finish.c: seal what was not, and name functions. */
int program_finish(struct program *);
#endif
