/* sink.h - what only the library does with sinks. */
#ifndef CORE_SINK_H
#define CORE_SINK_H

#include <rastrum/rastrum.h>

/* A file under its own name from the first byte, on the disk when closed. */
int sink_create(struct ras_sink **, const char *path, struct ras_error *);
/* Whether it can go back to what it was before: a descriptor of the caller's is not tried. */
bool sink_rewinds(const struct ras_sink *);
/* Let a thread of its own write from now on, where one can be had. For who makes bytes about as
 * fast as the system takes them, and drops the sink when a write fails: that is told late. */
void sink_relay(struct ras_sink *);
#endif
