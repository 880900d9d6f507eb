/* rewriting.h - what slice, merge and convert share: opening, writing, telling. */
#ifndef CLI_REWRITING_H
#define CLI_REWRITING_H

#include "cli/session.h"

/* The traces of the operands, to be rewritten into one. */
struct rewriting {
    const struct common *common;
    struct ras_rewrite_options how;
    struct ras_trace **traces;
    size_t count;
    bool asked;   /* for something that may not be there: nothing kept is no */
    bool verbose; /* list every type */
};

#define VERBOSE_ROW(type, member)                                                                  \
    {                                                                                              \
        "verbose", 'v', OPTION_FLAG, NULL, "list every type that was kept", NULL,                  \
            offsetof(type, member)                                                                 \
    }

/* 0, or EXIT_TROUBLE after saying what about -o does not do. */
int output_refuse(const struct common *, const char *what);
/* Say what failed: of the output where it is about that, else of the first operand. */
int output_trouble(const struct common *, const struct ras_error *);
/* Open every operand. 0, or EXIT_TROUBLE after saying why. */
int rewriting_open(struct rewriting *, const struct common *);
/* Rewrite, tell what was kept, close; the exit status. */
int rewriting_run(struct rewriting *);
/* Say what is lost or made up in what was written: EXIT_LOSS, or EXIT_YES where nothing is. */
int rewriting_loss(const char *path, const struct ras_rewritten *);
/* What was kept of a trace that was built: the exit status. */
int rewriting_tell(const struct common *, bool verbose, struct answer *,
                   const struct ras_rewritten *);
void rewriting_close(struct rewriting *);
#endif
