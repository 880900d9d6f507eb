/* usage.h - where the bytes go, booked by a driver and summed by core. */
#ifndef OPS_DU_USAGE_H
#define OPS_DU_USAGE_H

#include <rastrum/rastrum.h>

struct usage;

/* One booking. Bytes are those of the part as a driver sees it (inflated);
 * where the format itself compresses (CDT), `packed` is set and `stored` is what
 * they take in the file, be it nothing; else they take what they are. */
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

/* True when the report goes by field: only then need drivers book fields apart. */
bool usage_by_field(const struct usage *);
void usage_add(struct usage *, const struct booking *);
/* The caller canceled, or memory is short: a driver returns at once, with any status. */
bool usage_stopped(const struct usage *);

/* ---- for ops ------------------------------------------------------------ */

struct usage *usage_new(struct ras_trace *, enum ras_du_by, ras_progress *, void *user);
void usage_free(struct usage *);
/* Book what is left over, scale wrapped parts to their stored size, hand over. */
int usage_finish(struct usage *, struct ras_du **, struct ras_error *);
#endif
