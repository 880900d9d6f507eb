/* cdt_sweep.h - chunks that are taken whole and follow each other, copied in long pieces.
 *
 * The first pass over a trace believes the heads of such chunks; the second reads every one of
 * them, as a reader would, before it is written. Where one is not what its head said, what was
 * written begins with a wrong META: the rewriting is done again, and nothing believed. */
#ifndef CDT_SWEEP_H
#define CDT_SWEEP_H

#include "formats/cdt/cdt_rewrite.h"
#include "formats/cdt/cdt_write.h"

/* The chunks from `at` on that are taken whole if their heads are right, and hold one row for each
 * of their ticks: the byte behind them. Their rows are added to `rows`. */
uint64_t cdt_skim(struct ras_bytes file, uint64_t at, const struct ras_rewrite_options *,
                  struct cdt_bounds *rows);

struct cdt_sweep {
    struct ras_bytes file;
    uint64_t limit; /* of a chunk's payload */
    struct ras_cdt_writer *writer;
    const struct ras_rewrite_options *options;
    uint64_t rows[CDT_ROWS]; /* that were copied */
};
/* Copy the chunks of a stretch that was skimmed. RAS_END: one is not what its head says. */
int cdt_sweep(struct cdt_sweep *, uint64_t from, uint64_t to, struct ras_error *) RAS_CHECKED;
#endif
