/* space.h - where cells are, how they are counted, and who their neighbours are. */
#ifndef WORLD_SPACE_H
#define WORLD_SPACE_H

#include <rastrum/world.h>

enum space_kind {
    SPACE_LINE,
    SPACE_RING,
    SPACE_SQUARE4,
    SPACE_SQUARE8,
    SPACE_HEX,
    SPACE_FCC,
    SPACE_PRODUCT,
    SPACE_KINDS
};
enum space_edge { EDGE_ABSORB, EDGE_CLAMP, EDGE_WRAP, EDGES };

struct space {
    enum space_kind kind;
    enum space_edge edge;
    uint32_t rows, cols; /* a line is one row */
    uint64_t cells;
    uint32_t layers;     /* of SPACE_FCC: its third side */
    struct space *parts; /* of SPACE_PRODUCT: the first varies slowest */
    uint32_t part_count;
};

/* Neighbours in canonical order: those of cell i are at[from[i]] to at[from[i + 1] - 1]. */
struct neighbours {
    uint32_t *from, *at;
};

/* Cells of the sizes; more than 64 bits hold is UINT64_MAX. */
uint64_t space_count(const struct space *);
/* Cells are counted strictly: a coordinate never wraps. RAS_NONE: there is no such cell. */
uint64_t space_rank(const struct space *, struct ras_bytes coord);
uint32_t space_coord(const struct space *, uint64_t cell, int32_t *coord);
uint32_t space_axes(const struct space *);
/* The most neighbours that a cell has, as the public engine states it: it bounds the step. */
uint32_t space_degree(const struct space *);
/* The cell one step along the axes of a grid of rows and columns; RAS_NONE: it leaves the space. */
uint64_t space_step(const struct space *, uint64_t cell, int rows, int cols);
/* Bytes that they take. */
uint64_t neighbours_size(const struct space *);
/* False: memory is short. */
bool neighbours_make(struct neighbours *, const struct space *);
void neighbours_free(struct neighbours *);

const char *space_kind_name(enum space_kind);
const char *space_edge_name(enum space_edge);
/* Numbers that a statement has for its sides. */
uint32_t space_kind_sides(enum space_kind);
#endif
