/* rewrite_output.h - the output of verbs that write traces, and what was lost in it. */
#ifndef CLI_REWRITE_OUTPUT_H
#define CLI_REWRITE_OUTPUT_H

#include "cli/session.h"

/* The traces of the operands, to be rewritten into one. */
struct rewrite {
    const struct common *common;
    struct ras_rewrite_options how;
    struct ras_trace **traces;
    size_t count;
    bool selects; /* the options select records: none kept is EXIT_NO */
    bool verbose; /* list every type */
};

#define VERBOSE_ROW(type, member)                                                                  \
    {                                                                                              \
        "verbose", 'v', OPTION_FLAG, NULL, "list every type that was kept", NULL,                  \
            offsetof(type, member)                                                                 \
    }

/* 0, or EXIT_TROUBLE after saying what is wrong with -o. */
int output_refuse(const struct common *, const char *what);
/* Report an error: of the output if it is about that, else of the first operand. */
int output_trouble(const struct common *, const struct ras_error *);
#endif
