/* looking.h - what the verbs that look into a trace share. */
#ifndef CLI_LOOKING_H
#define CLI_LOOKING_H

#include "cli/comparing.h"

struct looking {
    const struct common *common;
    const char *verb, *json_out;
    int refused;       /* exit status when the format's own tool refuses */
    bool report_last;  /* the report is told of behind the text, not before it */
    size_t operands;   /* traces it takes */
    const char *usage; /* what to say when there are not as many */
    size_t more;       /* operands behind the traces */
    /* The answer as text; the status to exit with. */
    int (*put_text)(struct answer *, const struct looking *, const struct ras_value *);
};

/* Open the traces, look, print. */
int looking_run(const struct looking *, const struct ras_look *);

/* "KEY=VALUE" of a member, with what stands before it. */
void put_member(struct answer *, const char *before, const struct ras_value *map, const char *key);
/* The member of a map that is sure to be there. */
const struct ras_value *member_of(const struct ras_value *map, const char *key);
bool member_is_true(const struct ras_value *map, const char *key);

#define LOOKING_JSON_OUT(type)                                                                     \
    {                                                                                              \
        "json-out", 0, OPTION_TEXT, "FILE", "also write the report there, as indented JSON", NULL, \
            offsetof(type, json_out)                                                               \
    }
#endif
