/* arrow_body.h - the buffers of a record batch of Arrow, one after the other. */
#ifndef EXPORT_ARROW_BODY_H
#define EXPORT_ARROW_BODY_H

#include "base/out.h"
#include <rastrum/columns.h>

enum { ARROW_ALIGNMENT = 64 };

/* The rows of a batch that are taken. */
struct arrow_rows {
    const uint32_t *selected; /* NULL: all */
    size_t count;
};

/* Zero-initialised: empty. In the order of the columns, a list before its items: the length and
 * the nulls of each, and the place and size of its buffers, as 64-bit numbers. */
struct arrow_body {
    struct out bytes, nodes, places;
    struct out clean;  /* texts of a dictionary */
    uint64_t not_utf8; /* of all dictionaries: texts that have U+FFFD, for Arrow wants UTF-8 */
};

void arrow_body_begin(struct arrow_body *);
/* False: memory is short; other failures stick to the parts. */
bool arrow_body_column(struct arrow_body *, const struct arrow_rows *, const struct ras_column *,
                       const struct ras_column_about *);
/* The texts of a dictionary from that one on. */
void arrow_body_names(struct arrow_body *, const struct ras_names *, uint32_t from);
/* Up to where the next buffer would begin. */
void arrow_body_end(struct arrow_body *);
bool arrow_body_failed(const struct arrow_body *);
void arrow_body_free(struct arrow_body *);
/* The names of a column, or of the items of a list; NULL: it has none. */
const struct ras_names *arrow_names_of(const struct ras_column *, const struct ras_column_about *);
#endif
