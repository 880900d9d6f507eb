/* call_shape.h - what the calls of a program with threads are, however its threads are scheduled.
 */
#ifndef TWICE_CALL_SHAPE_H
#define TWICE_CALL_SHAPE_H

#include <rastrum/rastrum.h>

struct call_shape {
    uint64_t first;     /* the calls of the first thread of each process, in their order */
    uint64_t functions; /* those that any thread has called */
};

/* Whether two recordings, whose calls differ, differ only in which of the other threads has called
 * what, how often and in which order, and in how often the first one repeats calls that call
 * nothing. */
bool call_shapes_equal(struct ras_trace *, struct ras_trace *);
#endif
