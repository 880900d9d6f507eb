/* asked.h - names on the command line that the trace does not have. */
#ifndef CLI_ASKED_H
#define CLI_ASKED_H

#include "cli/command.h"

/* After the walk, when every schema is known: say which types, and which fields of the
 * types asked for, do not exist. EXIT_YES, or EXIT_NO when something was said. */
int check_asked(const char *path, const struct ras_trace *, const struct list *types,
                const struct list *fields);
#endif
