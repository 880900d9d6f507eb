/* cdt_rewrite.h - what the copier of rows and the maker of its META share. */
#ifndef CDT_REWRITE_H
#define CDT_REWRITE_H

#include "formats/cdt/cdt_driver.h"
#include "formats/cdt/cdt_put.h"
#include "ops/rewrite/rewrite_driver.h"

/* The style that a dialect writes in. */
enum ras_cdt_style cdt_style_of(const char *dialect);

/* Can the sources be joined: of one schema, one run? */
int cdt_rewrite_check(const struct rewrite *, struct ras_error *) RAS_CHECKED;
/* Append the header and META of the new trace, which has these rows. */
int cdt_rewrite_head(struct rewrite *, const struct cdt_bounds *rows, struct out *out,
                     struct ras_error *) RAS_CHECKED;
extern const struct rewrite_ops cdt_rewrite;
#endif
