/* output_guard.h - output that would overwrite or expose its input, and temporary files. */
#ifndef CLI_OUTPUT_GUARD_H
#define CLI_OUTPUT_GUARD_H

#include "cli/command.h"

/* The output is not one of the inputs, nor lies in one, nor holds one. 0, or EXIT_TROUBLE after
 * saying why. */
int guard_output(const struct common *);
/* From now on new files are readable by nobody who cannot read the inputs. */
void guard_private(const struct common *);

/* From now on signals that end us remove first what is being made beside the output and the
 * operands. Verbs that heed signals themselves replace the handlers. */
void leftovers_watch(const struct common *);
#endif
