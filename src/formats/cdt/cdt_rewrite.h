/* cdt_rewrite.h - shared by the files that copy ticks into a new trace.
 *
 * The first pass over a trace trusts the headers of chunks that are selected completely; the second
 * pass reads all of them before they are written. If a chunk does not match its header, META is
 * already wrong: the rewrite is repeated without trusting headers. */
#ifndef CDT_REWRITE_H
#define CDT_REWRITE_H

#include "formats/cdt/cdt_driver.h"
#include "formats/cdt/cdt_put.h"
#include "ops/rewrite/rewrite_driver.h"

/* The style that a dialect of container 1 is written in. */
enum ras_cdt_style cdt_style_of(const char *dialect);

extern const struct rewrite_ops cdt_rewrite;

/* Skips the chunks from `at` on that are selected completely according to their headers, with one
 * row per tick. Returns the end of the last one and adds their rows to `rows`. */
uint64_t cdt_skim(struct ras_bytes file, uint64_t at, const struct ras_rewrite_options *,
                  struct cdt_bounds *rows);

struct cdt_sweep {
    struct ras_bytes file;
    const struct cdt_model *model;
    uint64_t limit; /* of a chunk's payload */
    struct ras_cdt_writer *writer;
    const struct ras_rewrite_options *options;
    uint64_t rows[CDT_ROWS]; /* that were copied */
};
/* Copies the chunks of a range returned by cdt_skim(). RAS_END: one does not match its header. */
int cdt_sweep(struct cdt_sweep *, uint64_t from, uint64_t to, struct ras_error *) RAS_CHECKED;
#endif
