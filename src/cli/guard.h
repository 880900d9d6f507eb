/* guard.h - output that would harm its own input, or open it to others. */
#ifndef CLI_GUARD_H
#define CLI_GUARD_H

#include "cli/command.h"

/* The output is not one of the inputs, nor lies in one, nor holds one. 0, or EXIT_TROUBLE after
 * saying why. */
int guard_output(const struct common *);
/* From now on new files are readable by nobody who cannot read the inputs. */
void guard_private(const struct common *);
#endif
