/* usage.h - where the bytes go, booked by a driver and summed by core. */
#ifndef OPS_DU_USAGE_H
#define OPS_DU_USAGE_H

#include <rastrum/rastrum.h>

struct usage;

/* One booking. Bytes are those of the part as a driver sees it (inflated); where the format itself
 * compresses (CDT), `packed` is set and `stored` is their size in the file, possibly 0; else both
 * are the same. */
struct booking {
    const char *kind;  /* "type", "pool", "index", "padding", "header": static text */
    const char *name;  /* record type, pool or structure */
    const char *field; /* for a type: which field; NULL: its framing */
    uint64_t records;
    uint64_t raw, stored;
    bool packed;
    uint32_t part, stream;
    uint64_t frame; /* tick or frame; RAS_NONE: none */
};

/* True when the report is by field: only then drivers book fields separately. */
bool usage_by_field(const struct usage *);
void usage_add(struct usage *, const struct booking *);
/* The caller canceled, or memory is short: a driver returns at once, with any status. */
bool usage_stopped(const struct usage *);

/* ---- for ops ------------------------------------------------------------ */

struct usage *usage_new(struct ras_trace *, enum ras_du_by, ras_progress *, void *user);
void usage_free(struct usage *);
/* Book the remaining bytes, scale wrapped parts to their stored size, return the result. */
int usage_finish(struct usage *, struct ras_du **, struct ras_error *);
#endif
