/* name_check.h - names on the command line: which of them a trace has. */
#ifndef CLI_NAME_CHECK_H
#define CLI_NAME_CHECK_H

#include "cli/command.h"

/* The types asked for. A text with commas is one name where a type bears it, else several;
 * while the trace may yet show what it has, it is both. */
struct type_names {
    struct list names;
    char *text; /* what they point into */
};
/* False when memory is short. */
bool names_of_types(struct type_names *, const struct ras_trace *, const struct list *types);
void names_free(struct type_names *);

/* The names that a verb was given; each may be NULL. */
struct given_names {
    const struct list *types, *fields;
    const struct ras_where *where;
};
/* Read on in the trace until its types and fields of these names are known, or to its end: only a
 * stream that defines its types as it goes is read at all. With the options of formats; `all`: to
 * its end whatever is known. EXIT_YES, or EXIT_TROUBLE. */
int learn_names(const char *path, struct ras_trace *, const struct given_names *,
                const struct common *, bool all);
/* Say which of the names the trace does not have, and which may be meant. EXIT_YES, or
 * EXIT_TROUBLE when something was said. A condition that can hold for no record is remarked on. */
int check_names(const char *path, const struct ras_trace *, const struct given_names *, bool quiet);
#endif
