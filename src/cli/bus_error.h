/* bus_error.h - programs that go on when a mapped file is truncated. */
#ifndef CLI_BUS_ERROR_H
#define CLI_BUS_ERROR_H

/* From now on a page of a mapped file that another process truncated has zeros, which are damage to
 * every format, and is reported as such. */
void survive_bus_errors(void);
#endif
