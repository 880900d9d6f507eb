/* sink.h - a sink for a file that a folder publishes. */
#ifndef CORE_SINK_H
#define CORE_SINK_H

#include <rastrum/rastrum.h>

/* A file under its own name from the first byte, on the disk when closed. */
int sink_create(struct ras_sink **, const char *path, struct ras_error *);
#endif
