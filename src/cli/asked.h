/* asked.h - names on the command line: what they mean to a trace, and which it does not have. */
#ifndef CLI_ASKED_H
#define CLI_ASKED_H

#include "cli/command.h"

/* The types asked for. A text with commas is one name where a type bears it, else several;
 * while the trace may yet show what it has, it is both. */
struct asked {
    struct list names;
    char *text; /* what they point into */
};
/* False when memory is short. */
bool asked_types(struct asked *, const struct ras_trace *, const struct list *types);
void asked_free(struct asked *);

/* After the walk, when every schema is known: say which types, and which fields of the
 * types asked for, do not exist. EXIT_YES, or EXIT_NO when something was said. */
int check_asked(const char *path, const struct ras_trace *, const struct list *types,
                const struct list *fields);
/* The same for the fields that a condition looks at. */
int check_where(const char *path, const struct ras_trace *, const struct list *types,
                const struct ras_where *);
#endif
