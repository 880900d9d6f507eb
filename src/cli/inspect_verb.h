/* inspect_verb.h - what the verbs that inspect a CDT trace share. */
#ifndef CLI_INSPECT_VERB_H
#define CLI_INSPECT_VERB_H

#include "cli/comparison.h"

struct inspection {
    const struct common *common;
    const char *verb, *json_out;
    bool compat;         /* a verb of dbg */
    int refused;         /* of dbg: exit status when the format's own tool refuses */
    const char *hint;    /* hint after the message about a wrong request; NULL: none */
    const char *instead; /* the command for a trace of another format, without its path */
    bool report_last;    /* the report is mentioned after the text, not before it */
    uint64_t rows;       /* of a table of text to show */
    size_t operands;     /* traces it takes */
    const char *usage;   /* message if the number of operands is wrong */
    size_t more;         /* operands after the traces */
    /* 0, or the status to exit with, after saying why this cannot be shown. NULL: it can be. */
    int (*check)(const struct inspection *, const struct ras_value *);
    /* Whether the answer is no (EXIT_NO), as text and as JSON. NULL: it never is. */
    bool (*is_no)(const struct ras_value *);
    /* What the format states of its details; set before put_text() is called. */
    const struct ras_detail_kind *details;
    void (*put_text)(struct answer *, const struct inspection *, const struct ras_value *);
};

/* Open the traces, inspect them, print. */
int inspect_traces(const struct inspection *, const struct ras_inspect_options *);

/* "KEY=VALUE" of a member, with the text before it. */
void put_member(struct answer *, const char *before, const struct ras_value *map, const char *key);
/* A member of a map that always exists. */
const struct ras_value *member_of(const struct ras_value *map, const char *key);
bool member_is_true(const struct ras_value *map, const char *key);
#endif
