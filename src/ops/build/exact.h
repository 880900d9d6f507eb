/* exact.h - the bytes of a trace as differences from a trace that is built of its records.
 *
 * The last of the lines that describe a trace: {"type":"exact","values":{"lines":SHA256,
 * "built":SHA256 or null,"parts":[{"name","size","sha256","pieces":[...]}]}}. `lines` is the hash
 * of all lines before it, `built` that of everything built of them; null: nothing could be built. A
 * piece is [offset, length] of the built part, or bytes in hexadecimal. */
#ifndef OPS_BUILD_EXACT_H
#define OPS_BUILD_EXACT_H

#include "core/row.h"

/* The built parts, in memory of a sink or a folder. */
struct exact_built {
    struct ras_sink *sink;
    struct ras_folder *folder; /* one of the two; neither: nothing was built */
    bool failed;               /* it could not be built */
};
struct ras_bytes exact_part(const struct exact_built *, const char *name);

/* Whether a line is such a line; it must be the last one. */
bool exact_is(struct ras_bytes line);
/* RAS_OK: the lines are those that it was made of, or give the same result. RAS_END: they were
 * changed since. *lone: the trace is one file, even where a directory is built. */
int exact_check(const struct json_row *, struct ras_bytes lines, const struct exact_built *,
                bool *lone, struct ras_error *);
/* Then pass each original part of the trace to `put`. */
int exact_apply(const struct json_row *, const struct exact_built *,
                int (*put)(void *user, const char *name, struct ras_bytes, struct ras_error *),
                void *user, struct ras_error *);
#endif
