/* inspect_verb.h - what the verbs that inspect a CDT trace share. */
#ifndef CLI_INSPECT_VERB_H
#define CLI_INSPECT_VERB_H

#include "cli/comparison.h"

struct inspection {
    const struct common *common;
    const char *verb, *json_out;
    bool compat;         /* a verb of dbg */
    int refused;         /* of dbg: exit status when the format's own tool refuses */
    const char *hint;    /* what to say behind a wrong request; NULL: nothing */
    const char *instead; /* the command for a trace of another format, without its path */
    bool report_last;    /* the report is mentioned after the text, not before it */
    uint64_t rows;       /* of a table of text to show */
    size_t operands;     /* traces it takes */
    const char *usage;   /* what to say when there are not as many */
    size_t more;         /* operands after the traces */
    /* 0, or the status to exit with, after saying why this cannot be shown. NULL: it can be. */
    int (*check)(const struct inspection *, const struct ras_value *);
    /* Whether the answer is no, whatever shows it: EXIT_NO. NULL: it never is. */
    bool (*is_no)(const struct ras_value *);
    void (*put_text)(struct answer *, const struct inspection *, const struct ras_value *);
};

/* Open the traces, look, print. */
int inspect_traces(const struct inspection *, const struct ras_inspect_options *);

/* "KEY=VALUE" of a member, with what stands before it. */
void put_member(struct answer *, const char *before, const struct ras_value *map, const char *key);
/* The member of a map that is sure to be there. */
const struct ras_value *member_of(const struct ras_value *map, const char *key);
bool member_is_true(const struct ras_value *map, const char *key);
#endif
