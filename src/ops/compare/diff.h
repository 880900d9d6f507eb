/* diff.h - the comparison of formats without one of their own, and what verbs that compare
 * share. */
#ifndef OPS_COMPARE_DIFF_H
#define OPS_COMPARE_DIFF_H

#include "ops/compare/compare_driver.h"

extern const struct compare_ops diff_records;

/* Whether each path of the options is known to one of the traces: RAS_OK, or RAS_ENAME. */
int check_paths(struct ras_trace *const *traces, size_t count, const struct ras_compare_options *,
                struct ras_error *) RAS_CHECKED;

/* As ras_diff() with keep_going, but each divergence goes to the tally and none is kept. RAS_OK
 * also where nothing was compared. */
int diff_count(struct ras_trace *expected, struct ras_trace *actual,
               const struct ras_compare_options *, const struct compare_tally *,
               struct ras_error *) RAS_CHECKED;

/* "ticks 0 to 1999", "no frames (cut)", "620 records": walks the whole trace. */
int extent_text(struct ras_trace *, const char *word, char *text, size_t size,
                struct ras_error *) RAS_CHECKED;
/* Tables of the statistics of both sides, row by row. */
int diff_profile(struct compare *, const struct compare_profile *, struct ras_error *);
/* Hold the statistics of both sides to the conditions of the options. */
int diff_conditions(struct compare *, struct ras_error *);
#endif
