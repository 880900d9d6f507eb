/* space.h - where cells are, how they are counted, and who their neighbours are. */
#ifndef WORLD_SPACE_H
#define WORLD_SPACE_H

#include <rastrum/world.h>

enum space_kind { SPACE_LINE, SPACE_RING, SPACE_SQUARE4, SPACE_SQUARE8, SPACE_HEX, SPACE_KINDS };
enum space_edge { EDGE_ABSORB, EDGE_CLAMP, EDGE_WRAP, EDGES };

struct space {
    enum space_kind kind;
    enum space_edge edge;
    uint32_t rows, cols; /* a line is one row */
    uint64_t cells;
};

/* Neighbours in canonical order: those of cell i are at[from[i]] to at[from[i + 1] - 1]. */
struct neighbours {
    uint32_t *from, *at;
    uint32_t most; /* of one cell */
};

/* Cells are counted strictly: a coordinate never wraps. RAS_NONE: there is no such cell. */
uint64_t space_rank(const struct space *, struct ras_bytes coord);
uint32_t space_coord(const struct space *, uint64_t cell, int32_t *coord);
/* Bytes that they take. */
uint64_t neighbours_size(const struct space *);
/* False: memory is short. */
bool neighbours_make(struct neighbours *, const struct space *);
void neighbours_free(struct neighbours *);

const char *space_kind_name(enum space_kind);
const char *space_edge_name(enum space_edge);
#endif
