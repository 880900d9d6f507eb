/* diff.h - the comparison for formats without one of their own. */
#ifndef OPS_DIFF_H
#define OPS_DIFF_H

#include "core/compare_ops.h"

extern const struct compare_ops diff_records;
#endif
