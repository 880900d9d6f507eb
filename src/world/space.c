/* space.c - where cells are, how they are counted, and who their neighbours are.
 *
 * The order of neighbours is part of the result: a sum of floats depends on it. */
#include "world/space.h"
#include "base/in.h"

#include <stdlib.h>

struct offset {
    int8_t row, col;
};

struct kind_row {
    const char *name;
    uint8_t axes;
    bool column_first; /* a coordinate is [q, r] */
    uint8_t offset_count;
    struct offset offsets[8];
};
static const struct kind_row kinds[SPACE_KINDS];

const char *space_kind_name(enum space_kind kind)
{
    return kind < SPACE_KINDS ? kinds[kind].name : NULL;
}

const char *space_edge_name(enum space_edge edge)
{
    static const char *const names[EDGES] = {"absorb", "clamp", "wrap"};
    return edge < EDGES ? names[edge] : NULL;
}

uint64_t space_rank(const struct space *s, struct ras_bytes coord)
{
    const struct kind_row *k = &kinds[s->kind];
    if (coord.len != k->axes * sizeof(int32_t))
        return RAS_NONE;
    uint32_t first = load_u32(coord.at);
    if (k->axes == 1)
        return first < s->cols ? first : RAS_NONE;
    uint32_t second = load_u32(coord.at + 4);
    uint32_t row = k->column_first ? second : first, col = k->column_first ? first : second;
    /* Negative numbers are large ones here. */
    return row < s->rows && col < s->cols ? (uint64_t)row * s->cols + col : RAS_NONE;
}

uint32_t space_coord(const struct space *s, uint64_t cell, int32_t *coord)
{
    const struct kind_row *k = &kinds[s->kind];
    int32_t row = (int32_t)(cell / s->cols), col = (int32_t)(cell % s->cols);
    coord[0] = k->axes == 1 || k->column_first ? col : row;
    if (k->axes == 2)
        coord[1] = k->column_first ? row : col;
    return k->axes;
}

/* A step along one axis; RAS_NONE: it leaves the space. */
static uint64_t along(uint64_t at, int by, uint64_t size, enum space_edge edge)
{
    int64_t to = (int64_t)at + by;
    if (to >= 0 && to < (int64_t)size)
        return (uint64_t)to;
    switch (edge) {
    case EDGE_CLAMP:
        return at;
    case EDGE_WRAP:
        return to < 0 ? size - 1 : 0;
    default:
        return RAS_NONE;
    }
}

static uint32_t list_of(const struct space *s, uint64_t cell, uint32_t *to)
{
    const struct kind_row *k = &kinds[s->kind];
    uint32_t count = 0;
    for (unsigned i = 0; i < k->offset_count; i++) {
        uint64_t row = along(cell / s->cols, k->offsets[i].row, s->rows, s->edge);
        uint64_t col = along(cell % s->cols, k->offsets[i].col, s->cols, s->edge);
        if (row != RAS_NONE && col != RAS_NONE)
            to[count++] = (uint32_t)(row * s->cols + col);
    }
    return count;
}

uint64_t neighbours_size(const struct space *s)
{
    return (s->cells + 1) * sizeof(uint32_t) +
           s->cells * kinds[s->kind].offset_count * sizeof(uint32_t);
}

bool neighbours_make(struct neighbours *n, const struct space *s)
{
    size_t most = kinds[s->kind].offset_count;
    n->from = calloc(s->cells + 1, sizeof *n->from);
    n->at = calloc(s->cells, most * sizeof *n->at);
    if (!n->from || !n->at)
        return false;
    for (uint64_t i = 0; i < s->cells; i++) {
        uint32_t count = list_of(s, i, n->at + n->from[i]);
        n->from[i + 1] = n->from[i] + count;
        n->most = count > n->most ? count : n->most;
    }
    return true;
}

void neighbours_free(struct neighbours *n)
{
    free(n->from);
    free(n->at);
    *n = (struct neighbours){0};
}

static const struct kind_row kinds[SPACE_KINDS] = {
    [SPACE_LINE] = {"line1d", 1, false, 2, {{0, -1}, {0, 1}}},
    [SPACE_RING] = {"ring1d", 1, false, 2, {{0, -1}, {0, 1}}},
    [SPACE_SQUARE4] = {"square4", 2, false, 4, {{-1, 0}, {1, 0}, {0, -1}, {0, 1}}},
    [SPACE_SQUARE8] = {"square8",
                       2,
                       false,
                       8,
                       {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}},
    [SPACE_HEX] = {"hex2d", 2, true, 6, {{0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}, {1, 0}}},
};
