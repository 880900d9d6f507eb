/* cdt_ahead.h - blocks of a trace, decoded by a thread of their own before they are asked
 * for. */
#ifndef CDT_AHEAD_H
#define CDT_AHEAD_H

#include "formats/cdt/cdt_side.h"

struct cdt_ahead;

/* The blocks that `spans` names, in that order; both are borrowed. Of a small file, or
 * where no thread can be had, they are decoded when they are asked for. */
int cdt_ahead_open(struct cdt_ahead **out, const struct cdt_side *side, const size_t *spans,
                   size_t count, struct ras_error *err) RAS_CHECKED;
/* RAS_OK and the next block, which lives until the next call; RAS_END; or what
 * cdt_side_try() said of it. *span tells which one. */
int cdt_ahead_next(struct cdt_ahead *ahead, const struct cdt_block **block, size_t *span,
                   struct ras_error *err) RAS_CHECKED;
void cdt_ahead_close(struct cdt_ahead *ahead); /* NULL is fine */
#endif
