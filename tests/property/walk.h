/* walk.h - everything a cursor delivered, kept for comparison. */
#ifndef PROPERTY_WALK_H
#define PROPERTY_WALK_H

#include <rastrum/rastrum.h>

/* The cells of one field of one record. */
struct field_digest {
    uint16_t field;
    uint64_t digest; /* of every cell, nested ones and text included */
};

struct seen {
    struct ras_record r; /* raw is NULL */
    bool in_place;       /* its raw bytes lie in the trace's own, at its offset */
    bool child;          /* belongs to a parent */
    uint64_t type;       /* digest of the schema: its name and its fields */
    uint64_t raw;        /* digest of the raw bytes */
    size_t cells_at, cells_count;
};

struct walk {
    struct seen *seen;
    size_t count, room;
    struct field_digest *cells;
    size_t cell_count, cell_room;
    int status; /* that ended it */
    struct ras_error err;
    struct ras_ending ending; /* after RAS_END */
    char why[256];
    const struct ras_schema *schema; /* the last one seen, and its digest */
    uint64_t type;
    const uint8_t *base; /* the bytes of a trace in memory; NULL: not known */
    size_t size;
};

/* Continue until something other than a record comes; reports impossible records. Returns
 * walk->status. */
int walk_on(struct walk *w, struct ras_cursor *c, struct ras_trace *t);
/* Keep one record. False: no memory. */
bool walk_keep(struct walk *w, const struct ras_cursor *c, const struct ras_trace *t,
               const struct ras_record *r);
/* Open a cursor, walk it to its end and close it. */
int walk_all(struct walk *w, struct ras_trace *t, const struct ras_scan *scan);
void walk_free(struct walk *w);

/* Whether two records are the same, values and all. */
enum { SAME_ALL = 0, BUT_SEQ = 1, BUT_PART = 2, BUT_CELLS = 4 };
bool same(const struct walk *a, size_t i, const struct walk *b, size_t k, unsigned but);
/* A one-line description, for complaints; lives until the next call. */
const char *describe(const struct walk *w, size_t i);

uint64_t digest(uint64_t h, const void *bytes, size_t size);
uint64_t digest_schema(const struct ras_schema *schema);
#endif
