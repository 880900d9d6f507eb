/* launch.h - a run of a program under conditions: all pinned, but for those that are changed. */
#ifndef TWICE_LAUNCH_H
#define TWICE_LAUNCH_H

#include "twice/condition_list.h"
#include "twice/locale_choice.h"
#include "twice/tree_copy.h"

#include <limits.h>

/* What all runs of a program have in common. Paths are absolute. */
struct launch {
    const char *path;         /* of the program */
    const char *const *words; /* its arguments, argv[0] first; ends with NULL */
    const char *conditions;   /* librastrum-conditions; NULL: it cannot be loaded */
    const char *hooks;        /* librastrum-hooks; NULL: calls are not recorded */
    const char *hook_lines;   /* options for the hooks */
    const char *const *kept;  /* names of variables that all runs get from our environment */
    size_t kept_count;
    const char *const *files; /* patterns: written files that are compared; none: all */
    size_t file_count;
    const char *input;                    /* a file for standard input; NULL: it is empty */
    uint64_t output_most, recording_most; /* bytes of standard output or error, and of all */
    unsigned timeout_s;                   /* of a run */
    bool bare;                            /* the next run is not recorded */
    bool no_yields;                       /* its calls are too many to yield in them */
    bool plans;                           /* the hooks patch the program by plans in its session */
    void (*in_child)(void);               /* before exec() */
    bool (*interrupted)(void);
    /* Made by launch_open(). */
    char scratch[PATH_MAX]; /* our own directory: "run" is the run at present */
    struct twice_locale locale;
    char here[PATH_MAX];
    char folders[2][PATH_MAX]; /* the working directory, pinned and changed */
    struct tree origin;        /* what is in it; of no use unless `copied` */
    struct tree copy;          /* the same, in the copy */
    unsigned where;            /* the folder that the copy is in; it is moved to the other */
    bool copied;
    bool fixes_addresses;
    bool has_space; /* a namespace of processes may be made */
    uint64_t since; /* the second of the first run */
    int cpu;        /* the one that pinned runs get */
    size_t size;    /* bytes of environment and argv[0], all runs */
};

/* How a run ended. */
struct launched {
    int ended; /* its wait() status */
    bool timed_out;
    bool too_much, too_recorded; /* it was ended for its output, or for its recording */
    int failed;                  /* errno: it could not be started */
    const char *what;            /* what could not be done */
};

/* Make the directories; `dir` exists. NULL, or why not, with errno. */
const char *launch_open(struct launch *, const char *dir);
void launch_close(struct launch *);
/* Make the directory "run" for the next one, without its session's plans. False: see errno. */
bool launch_prepare(const struct launch *);
/* Run it; false: it was interrupted. */
bool launch_run(struct launch *, uint32_t changed, unsigned attempt, struct launched *);
/* What the run has written into its working directory, which is then as before. */
void launch_written(struct launch *, struct tree *);
/* Which of the conditions cannot be changed here; *why of one of them. */
uint32_t launch_left_out(const struct launch *, uint32_t set);
const char *launch_why_left_out(const struct launch *, enum twice_condition);

/* environment.c: the environment of a run, to be freed with environment_free(); NULL: memory is
 * short. argv[0] is stored in `name`. */
char **environment_make(const struct launch *, uint32_t changed, unsigned attempt,
                        char name[PATH_MAX]);
void environment_free(char **);
/* The file that librastrum-conditions reads. */
bool environment_settings(const struct launch *, uint32_t changed, unsigned attempt);
#endif
