/* evidence.h - what a divergence says, as rows for people: expected here, actual there.
 *
 * The detail of a divergence is a tree whose shape each format states. Here it becomes a table
 * with one row for each thing that differs, which the page and the report show alike. */
#ifndef VIEW_EVIDENCE_H
#define VIEW_EVIDENCE_H

#include "base/memory.h"

#include <rastrum/rastrum.h>

struct evidence_row {
    const char *label;
    const char *expected, *actual; /* NULL: the side has none */
    bool differs;
};

/* One place that differs. */
struct evidence_place {
    const char *where;   /* "event 15188, thread 0"; "": the tick is all */
    const char *kind;    /* of divergence */
    const char *context; /* "arena_step > arena_blast", "type tick"; "": none */
    struct evidence_row *rows;
    size_t row_count, row_room;
    size_t left; /* rows that were left out */
    uint64_t seq[2];
    uint32_t stream[2];
};

enum {
    EVIDENCE_ROWS_MOST = 256, /* of a place */
    EVIDENCE_TEXT_MOST = 4096 /* bytes of a value, a multiple of four; then an ellipsis */
};

/* The rows of a divergence; texts are in the arena, the rows are to be freed. `axis`: the word of
 * the place that is known anyway, such as "tick". False: memory is short. */
bool evidence_of(struct evidence_place *, struct arena *, const struct ras_divergence *,
                 const char *axis);
void evidence_free(struct evidence_place *);

/* A value as people read it. */
const char *evidence_text(struct arena *, const char *label, const struct ras_value *);
/* printf into the arena; never NULL, "" when memory is short. */
const char *arena_format(struct arena *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
#endif
