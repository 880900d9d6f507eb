/* cursor.h - what the files of the cursor share; private to core. */
#ifndef CORE_CURSOR_H
#define CORE_CURSOR_H

#include "core/format.h"

void views_free(struct ras_cursor *);
/* Picks with names of their own, so that a scan may live on the caller's stack; free() them. NULL
 * when memory is short. */
struct ras_pick *picks_copy(const struct ras_pick *, size_t count);

/* One step of the driver, whatever the scan wants: RAS_OK with c->record numbered. */
int cursor_step(struct ras_cursor *, struct ras_error *);
/* The source grew, or will grow no more: the same offset in bytes that may have moved. */
void cursor_rebase(struct ras_cursor *);
/* Nothing to filter, and every record is counted. */
bool cursor_is_plain(const struct ras_cursor *);
/* Whether c->record lies at or after the place that c is skipping to. */
bool cursor_is_sought(const struct ras_cursor *);
/* The number of the next record of a type on request; false when memory is short. */
bool cursor_count_request(struct ras_cursor *, uint32_t schema, uint64_t *seq);
/* A cursor with priv set up and nothing walked yet, for the scan given. */
int cursor_new(struct ras_cursor **, struct ras_trace *, const struct ras_scan *,
               struct ras_error *);

/* seek.c: position the cursor for its scan's range, whose records must be numbered. */
int cursor_enter_range(struct ras_cursor *, struct ras_error *);

/* merge.c: one order over all runs of a trace. */
int merge_open(struct merge **, struct ras_cursor *, struct ras_error *);
/* The share of `bytes` that corresponds to the records delivered so far. */
uint64_t merge_share(const struct merge *, uint64_t bytes);
void merge_close(struct merge *);
#endif
