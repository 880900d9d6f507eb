/* pens_state.h - the pens of a program: what its threads, the pens' thread and repair share. */
#ifndef PENS_STATE_H
#define PENS_STATE_H

#include "pens/scribe.h"

#include <pthread.h>

struct note_name {
    char *text;
    uint32_t len;
};

/* The directory of a run, locked while it is written. */
struct pens_dir {
    char *path;
    int fd;
};
/* Make it, or take one that is empty but for calls that are being recorded. */
int pens_dir_open(struct pens_dir *, const char *path, bool replace, struct ras_error *);
void pens_dir_close(struct pens_dir *);

/* How a run ended before its program closed the pens. */
struct run_end {
    uint64_t tick;   /* RAS_NONE: before the first */
    bool known;      /* whether it was inside that tick is */
    bool inside;     /* it had begun, and the simulation's part of it was not over */
    const char *why; /* NULL: the program was killed */
};

/* What run.json says. */
struct run_facts {
    const struct desk *desk;
    bool began[SCRIBES]; /* files that there are */
    bool complete, durable, calls;
    const struct run_end *ended;              /* NULL: with the program */
    const struct ras_pens_repaired *repaired; /* NULL: it was not */
};
/* Replace run.json in an open directory. `folder`, settled, has the files of a complete run. */
int run_facts_write(const struct run_facts *, int dir, struct ras_folder *folder,
                    struct ras_error *);
/* The same document as a file of the folder. */
int run_facts_put(const struct run_facts *, struct ras_folder *folder, struct ras_error *);

/* A copy that is UTF-8: other bytes become U+FFFD. NULL: no memory. */
char *text_cleaned(const char *text);

enum { SPANS_DEEP = 64 };

struct ras_pens {
    struct ras_pens
        *next;         /* of all that were ever opened: a closed one is kept, and does nothing */
    bool closed, left; /* left: in the child of a fork() */
    pthread_t owner;
    struct pens_dir dir;
    struct ledger ledger;
    struct desk desk;
    struct os_thread thread;
    bool durable;
    unsigned flush_ms;
    char *program;
    uint8_t *settings;
    /* The tick thread's. */
    bool begun;
    uint64_t tick, first_tick;
    struct note_name *names; /* number 1 is the first */
    size_t name_count, name_room;
    struct os_mutex name_lock;
    uint32_t type_count, threads;
    struct {
        uint32_t name;
        uint64_t begin_ns;
    } spans[SPANS_DEEP];
    size_t depth;
    uint64_t bytes_from, bytes_to; /* ticks whose bytes are written, half-open */
    bool (*mark)(uint32_t mark, uint64_t tick, bool numbered); /* of the hooks; or NULL */
    bool marked;
    /* The first failure. */
    int status;
    bool misused; /* the program's: what came before it is complete */
    struct ras_error failure;
};

/* pens_thread.c */
void *pens_run(void *pens);
#endif
