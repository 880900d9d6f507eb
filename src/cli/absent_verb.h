/* absent_verb.h - the row of a verb that a build does not have: it is listed, and always refuses.
 */
#ifndef CLI_ABSENT_VERB_H
#define CLI_ABSENT_VERB_H

#include "cli/command.h"

static const struct option_row no_rows[] = {{0}};

/* `where`: "not on Windows"; `why`: a sentence for its help. */
#define ABSENT_VERB(word, title, where, why, refuse)                                               \
    {                                                                                              \
        .name = word, .operands = "...", .about = title " (" where ")", .text = why "\n",          \
        .exits = "2 always", .rows = no_rows, .size = sizeof(struct common), .run = refuse,        \
        .absent = true                                                                             \
    }
#endif
