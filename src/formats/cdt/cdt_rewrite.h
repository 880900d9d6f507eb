/* cdt_rewrite.h - what the files that copy ticks into a new trace share.
 *
 * The first pass over a trace believes the heads of chunks that are taken whole; the second reads
 * every one of them, as a reader would, before it is written. Where a chunk does not match its
 * head, META is already wrong: the rewrite is repeated without trusting heads. */
#ifndef CDT_REWRITE_H
#define CDT_REWRITE_H

#include "formats/cdt/cdt_driver.h"
#include "formats/cdt/cdt_put.h"
#include "ops/rewrite/rewrite_driver.h"

/* The style that a dialect writes in. */
enum ras_cdt_style cdt_style_of(const char *dialect);

extern const struct rewrite_ops cdt_rewrite;

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
