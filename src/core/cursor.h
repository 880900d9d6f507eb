/* cursor.h - what the files of the cursor share; private to core. */
#ifndef CORE_CURSOR_H
#define CORE_CURSOR_H

#include "core/format.h"

void views_free(struct ras_cursor *);

/* One step of one cursor in stored order: what ras_next does without merging. */
int cursor_step(struct ras_cursor *, const struct ras_record **, struct ras_error *);
/* A cursor with priv set up and nothing walked yet, for the scan given. */
int cursor_new(struct ras_cursor **, struct ras_trace *, const struct ras_scan *,
               struct ras_error *);

/* merge.c: one order over all runs of a trace. */
int merge_open(struct merge **, struct ras_cursor *, struct ras_error *);
int merge_next(struct merge *, struct ras_cursor *, const struct ras_record **, struct ras_error *);
void merge_close(struct merge *);
#endif
