/* times.h - positions on an axis as people write them. */
#ifndef CLI_TIMES_H
#define CLI_TIMES_H

#include <rastrum/rastrum.h>

/* Whether the text can only be a time: it has a unit, a plus or a date. */
bool time_like(const char *text);
/* A length of time, "250us"; digits alone are nanoseconds. False with err filled when it
 * is none. */
bool duration_parse(const char *text, uint64_t *ns, struct ras_error *err);
/* "12", "12.5ms", "3s", "+250us" (from the trace's first time), ISO 8601 where the
 * trace has a wall clock. False with err filled when it cannot be read so. */
bool time_parse(struct ras_trace *, const char *text, uint64_t *time_ns, struct ras_error *err);
#endif
