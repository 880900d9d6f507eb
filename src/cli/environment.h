/* environment.h - RASTRUM_DEBUG: decisions of the library on standard error. */
#ifndef CLI_ENVIRONMENT_H
#define CLI_ENVIRONMENT_H

#include <rastrum/rastrum.h>

/* Read RASTRUM_DEBUG, once, when the program starts; EXIT_TROUBLE where it names no topic. */
int debug_read_environment(void);
/* For ras_options; NULL: nothing is to be reported. */
const struct ras_debug *debug_options(void);
#endif
