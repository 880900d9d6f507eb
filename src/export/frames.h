/* frames.h - addresses of stacks as the functions that the trace has names for. */
#ifndef EXPORT_FRAMES_H
#define EXPORT_FRAMES_H

#include "base/out.h"
#include <rastrum/rastrum.h>

struct frame_names;

/* The symbols of a trace, perhaps none; NULL: memory is short. */
struct frame_names *frame_names_new(struct ras_trace *);
void frame_names_free(struct frame_names *);
bool frame_names_any(const struct frame_names *);
/* The functions at an address as JSON strings, inlined ones first; else the address. */
void frame_names_put(struct out *, const struct frame_names *, uint64_t address);
#endif
