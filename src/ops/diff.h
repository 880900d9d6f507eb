/* diff.h - the comparison for formats without one of their own. */
#ifndef OPS_DIFF_H
#define OPS_DIFF_H

#include "core/compare_ops.h"

extern const struct compare_ops diff_records;

/* "ticks 0 to 1999", "no frames (cut)", "620 records": the whole trace is walked for it. */
int extent_text(struct ras_trace *, const char *word, char *text, size_t size,
                struct ras_error *) RAS_CHECKED;
#endif
