/* leftovers.h - what is being written goes when a signal ends us. */
#ifndef CLI_LEFTOVERS_H
#define CLI_LEFTOVERS_H

#include "cli/command.h"

/* From now on signals that end us remove first what is being made beside the output and the
 * operands. Verbs that heed signals themselves replace the handlers. */
void leftovers_watch(const struct common *);
#endif
