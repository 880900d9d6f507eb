/* reduce_journal.h - the outcomes of tests so far, kept in a file, so that a reduction that was
 * ended can go on. */
#ifndef CLI_REDUCE_JOURNAL_H
#define CLI_REDUCE_JOURNAL_H

#include "cli/command.h"

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
