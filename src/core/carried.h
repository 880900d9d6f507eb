/* carried.h - traces of other formats that lie in a trace: they go along with it, and are read as
 * what they are. */
#ifndef CORE_CARRIED_H
#define CORE_CARRIED_H

#include <rastrum/rastrum.h>

/* The first part from `part` on that is one; SIZE_MAX: there is none. */
size_t carried_next(const struct ras_trace *, size_t part);
/* Open it; it borrows its bytes from the trace. An empty one is RAS_END. */
int carried_open(struct ras_trace **, struct ras_trace *, size_t part, struct ras_error *);
/* How many records its recorder says it holds; RAS_NONE: not known. */
uint64_t carried_promised(const struct ras_trace *, size_t part);
#endif
