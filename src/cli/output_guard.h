/* output_guard.h - output that would overwrite or expose its input, and temporary files. */
#ifndef CLI_OUTPUT_GUARD_H
#define CLI_OUTPUT_GUARD_H

#include "cli/command.h"

/* Check that the output is not one of the inputs, nor inside one, nor contains one. 0, or
 * EXIT_TROUBLE after saying why. */
int guard_output(const struct common *);
/* From now on new files are not readable by users who cannot read the inputs. */
void guard_private(const struct common *);

/* From now on signals that end the program first remove the temporary files beside the output and
 * the operands. Verbs that handle signals themselves replace the handlers. */
void leftovers_watch(const struct common *);
#endif
