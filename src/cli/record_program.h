/* record_program.h - a program under hooks: its options, start and session. */
#ifndef CLI_RECORD_PROGRAM_H
#define CLI_RECORD_PROGRAM_H

#include "cli/session.h"

/* The options of a recording. */
struct record_options {
    const char *rotate;
    struct number keep;
    bool durable, compress, drop, children, follow, append, pens;
    struct list filters, excludes, details, triggers;
    struct number max_depth, history;
    const char *report; /* a file for the JSON report, or for events while the program runs */
    const char *min_duration, *duration, *pre_roll, *post_roll;
    const char *unmodified; /* patterns of modules; "": the program; NULL: none */
    const char *explain;    /* "counts" or "functions"; NULL: no */
    bool check;
    const char *attach, *detach; /* process ids; NULL: none */
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
    char path[4096];            /* of the program */
    const char *unmodified;     /* patterns of modules to be patched; NULL: none */
    struct unmodified *plans;   /* of them */
    int files[3];               /* standard input, output and error of the program; 0: ours */
    int pid, ended;             /* the program; its wait() status */
    int attached;               /* a process that was running already; 0: none */
    /* The result. */
    uint64_t events, dropped;
    uint64_t left_out;  /* of `dropped`, events that the options exclude */
    size_t killed;      /* processes whose number of missing events is unknown */
    char ended_by[512]; /* the signal, and where; "": none that is known */
    size_t threads, processes, repaired;
    size_t segments;       /* of all processes */
    unsigned last_segment; /* of the program itself */
    uint64_t
        lacks_ns; /* missing at the start of a window, at most: its first events were overwritten */
    uint64_t deleted;   /* events of segments that --keep deleted */
    uint64_t unwritten; /* of `dropped`, those that could not be written */
    bool unfinished;    /* its files could not be finished, which was reported */
    size_t unread;      /* processes that had events, none of which can be read */
    char why[240];      /* the cause for the first of them */
};

#define HOOKS_NAME "librastrum-hooks.so"

/* What the hooks of this machine know; others need instructions that are written to code. */
#if defined(__x86_64__)
#define HOOKS_PATCH true
#define HOOKS_KNOWN (RAS_HOOK_CYG | RAS_HOOK_FENTRY | RAS_HOOK_PATCHABLE)
#else
#define HOOKS_PATCH false
#define HOOKS_KNOWN RAS_HOOK_CYG
#endif

/* A library that is loaded into programs and that none links: search beside this program, in the
 * place it has relative to an installed one, then where it was to be installed. 0, or EXIT_TROUBLE
 * after saying why. */
int program_find_library(const char *name, char *path, size_t room);
/* Search the program as exec() does. 0, or EXIT_TROUBLE after saying why. */
int program_find(struct program *);
/* The hooks that a program and the libraries that it is linked with were built for. */
unsigned program_hooks(const char *path);
/* Find the hooks, check the program, create the directory. 0, or EXIT_TROUBLE after saying why. */
int program_prepare(struct program *);
/* Only the program: whether it is there, and can be recorded. */
int program_check(struct program *);
/* Call `each` on every library that the program is linked with; it is not run. */
void program_libraries(const char *program, void (*each)(const char *path, void *user), void *user);
/* Run the program to its end, and forward signals. */
int program_record(struct program *);
/* record_attach.c: instead of both, record a process that is running until it ends, a signal comes
 * or another one detaches; and the latter. */
int program_attach(struct program *, const char *pid);
int program_detach(const struct common *, const char *pid);
/* Seal unsealed files, and name functions. */
int program_finish(struct program *);
/* Whether the file system of a directory has no room left. */
bool program_disk_is_full(const char *dir);

/* record_unmodified.c: plans for modules that were not built to be recorded. 0, or EXIT_TROUBLE
 * after saying why: none of them can be patched. */
int unmodified_plan(struct program *);
/* The same without a message: whether a function can be patched. */
bool unmodified_try(struct program *);
/* Write them where the hooks look for them; remove them when the program has ended, which
 * unmodified_close() does, too. */
int unmodified_write(struct program *);
void unmodified_remove(struct program *);
void unmodified_close(struct program *);
/* Print them instead of running the program. */
int unmodified_explain(struct program *, bool with_functions);

/* record_check.c: run the program without and with recording, and compare what it does: 0 the same,
 * 1 not, 3 two runs without recording differ, too. */
int record_compare(struct program *, int (*record)(struct program *));
#endif
