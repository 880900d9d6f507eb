/* space.c - where cells are, how they are counted, and who their neighbours are.
 *
 * The order of neighbours is part of the result: a sum of floats depends on it. */
#include "world/space.h"
#include "base/in.h"

#include <stdlib.h>

struct offset {
    int8_t layer, row, col;
};

struct kind_row {
    const char *name;
    uint8_t axes;
    bool column_first; /* a coordinate is [q, r] or [x, y, z] */
    uint8_t offset_count;
    struct offset offsets[12];
};
static const struct kind_row kinds[SPACE_KINDS];

const char *space_kind_name(enum space_kind kind)
{
    return kind < SPACE_KINDS ? kinds[kind].name : NULL;
}

uint32_t space_kind_sides(enum space_kind kind)
{
    return kinds[kind].axes;
}

const char *space_edge_name(enum space_edge edge)
{
    static const char *const names[EDGES] = {"absorb", "clamp", "wrap"};
    return edge < EDGES ? names[edge] : NULL;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ---- every second point of a box --------------------------------------------------------- */

/* A cell of SPACE_FCC is a point whose coordinates have an even sum. */

static uint64_t fcc_in_row(const struct space *s, uint64_t odd)
{
    return (s->cols + !(odd & 1)) / 2;
}

/* Points of the first rows of a layer. */
static uint64_t fcc_in_rows(const struct space *s, uint64_t layer, uint64_t rows)
{
    return (rows + 1) / 2 * fcc_in_row(s, layer) + rows / 2 * fcc_in_row(s, layer + 1);
}

static uint64_t fcc_in_layers(const struct space *s, uint64_t layers)
{
    return plus(times((layers + 1) / 2, fcc_in_rows(s, 0, s->rows)),
                times(layers / 2, fcc_in_rows(s, 1, s->rows)));
}

/* Which of two sizes in turn a number is in, and what it is in there. */
static uint64_t in_turns(uint64_t *rest, uint64_t first, uint64_t second)
{
    uint64_t turn = 2 * (*rest / (first + second));
    *rest %= first + second;
    if (*rest < first)
        return turn;
    *rest -= first;
    return turn + 1;
}

static void fcc_place(const struct space *s, uint64_t cell, uint32_t at[3])
{
    uint64_t rest = cell;
    uint64_t layer = in_turns(&rest, fcc_in_rows(s, 0, s->rows), fcc_in_rows(s, 1, s->rows));
    uint64_t row = in_turns(&rest, fcc_in_row(s, layer), fcc_in_row(s, layer + 1));
    at[0] = (uint32_t)layer;
    at[1] = (uint32_t)row;
    at[2] = (uint32_t)(2 * rest + ((row + layer) & 1));
}

static uint64_t fcc_rank(const struct space *s, const uint32_t at[3])
{
    if ((at[0] + at[1] + at[2]) & 1)
        return RAS_NONE;
    return fcc_in_layers(s, at[0]) + fcc_in_rows(s, at[0], at[1]) + at[2] / 2;
}

/* ---- one space --------------------------------------------------------------------------- */

static uint32_t layers_of(const struct space *s)
{
    return s->layers ? s->layers : 1;
}

/* Layer, row and column of a cell. */
static void place_of(const struct space *s, uint64_t cell, uint32_t at[3])
{
    if (s->kind == SPACE_FCC) {
        fcc_place(s, cell, at);
        return;
    }
    at[0] = 0;
    at[1] = (uint32_t)(cell / s->cols);
    at[2] = (uint32_t)(cell % s->cols);
}

static uint64_t rank_of(const struct space *s, const uint32_t at[3])
{
    return s->kind == SPACE_FCC ? fcc_rank(s, at) : (uint64_t)at[1] * s->cols + at[2];
}

/* Where a coordinate's numbers are among layer, row and column. */
static void axes_of(const struct kind_row *k, unsigned to[3])
{
    for (unsigned i = 0; i < k->axes; i++)
        to[i] = k->column_first ? 2 - i : 3 - k->axes + i;
}

/* A step along one axis; UINT32_MAX: it leaves the space. */
static uint32_t along(uint32_t at, int by, uint32_t size, enum space_edge edge)
{
    int64_t to = (int64_t)at + by;
    if (to >= 0 && to < (int64_t)size)
        return (uint32_t)to;
    switch (edge) {
    case EDGE_CLAMP:
        return at;
    case EDGE_WRAP:
        return to < 0 ? size - 1 : 0;
    default:
        return UINT32_MAX;
    }
}

static uint64_t step_to(const struct space *s, const uint32_t at[3], struct offset by)
{
    const uint32_t sizes[3] = {layers_of(s), s->rows, s->cols};
    const int steps[3] = {by.layer, by.row, by.col};
    /* A point moved along one axis alone would have an odd sum. */
    enum space_edge edge = s->kind == SPACE_FCC && s->edge == EDGE_CLAMP ? EDGE_ABSORB : s->edge;
    uint32_t to[3];
    for (unsigned i = 0; i < 3; i++) {
        to[i] = along(at[i], steps[i], sizes[i], edge);
        if (to[i] == UINT32_MAX)
            return RAS_NONE;
    }
    return rank_of(s, to);
}

uint64_t space_step(const struct space *s, uint64_t cell, int rows, int cols)
{
    uint32_t at[3];
    place_of(s, cell, at);
    return step_to(s, at, (struct offset){0, (int8_t)rows, (int8_t)cols});
}

static uint32_t list_of(const struct space *s, uint64_t cell, uint32_t *to)
{
    const struct kind_row *k = &kinds[s->kind];
    uint32_t count = 0, at[3];
    place_of(s, cell, at);
    for (unsigned i = 0; i < k->offset_count; i++) {
        uint64_t rank = step_to(s, at, k->offsets[i]);
        if (rank != RAS_NONE)
            to[count++] = (uint32_t)rank;
    }
    return count;
}

static uint64_t rank_in(const struct space *s, const uint8_t *coord)
{
    const struct kind_row *k = &kinds[s->kind];
    const uint32_t sizes[3] = {layers_of(s), s->rows, s->cols};
    uint32_t at[3] = {0};
    unsigned axes[3] = {0};
    axes_of(k, axes);
    for (unsigned i = 0; i < k->axes; i++) {
        at[axes[i]] = load_u32(coord + i * sizeof(int32_t));
        if (at[axes[i]] >= sizes[axes[i]]) /* negative numbers are large ones here */
            return RAS_NONE;
    }
    return rank_of(s, at);
}

static void coord_in(const struct space *s, uint64_t cell, int32_t *coord)
{
    const struct kind_row *k = &kinds[s->kind];
    uint32_t at[3];
    unsigned axes[3] = {0};
    place_of(s, cell, at);
    axes_of(k, axes);
    for (unsigned i = 0; i < k->axes; i++)
        coord[i] = (int32_t)at[axes[i]];
}

static uint32_t degree_in(const struct space *s)
{
    uint32_t v = s->rows < 3 ? s->rows - 1 : 2, h = s->cols < 3 ? s->cols - 1 : 2;
    uint32_t less = s->rows < s->cols ? s->rows : s->cols, more = s->rows ^ s->cols ^ less;
    bool open = s->edge == EDGE_ABSORB;
    switch (s->kind) {
    case SPACE_LINE:
        return open ? h : 2;
    case SPACE_SQUARE4:
        return open ? v + h : 4;
    case SPACE_SQUARE8:
        return open ? v + h + v * h : 8;
    case SPACE_HEX:
        return less > 2 ? 6 : less == 1 ? (more < 3 ? more - 1 : 2) : more == 2 ? 3 : 4;
    case SPACE_FCC:
        return open && s->cols == 1 && s->rows == 1 && layers_of(s) == 1 ? 0 : 12;
    default:
        return 2;
    }
}

/* ---- any space --------------------------------------------------------------------------- */

/* The parts of a space: itself where it is not a product. */
static const struct space *parts_of(const struct space *s, uint32_t *count)
{
    *count = s->kind == SPACE_PRODUCT ? s->part_count : 1;
    return s->kind == SPACE_PRODUCT ? s->parts : s;
}

uint64_t space_count(const struct space *s)
{
    uint32_t count;
    const struct space *parts = parts_of(s, &count);
    uint64_t cells = 1;
    for (uint32_t i = 0; i < count; i++)
        cells = times(cells, parts[i].kind == SPACE_FCC ? fcc_in_layers(&parts[i], parts[i].layers)
                                                        : (uint64_t)parts[i].rows * parts[i].cols);
    return cells;
}

uint32_t space_axes(const struct space *s)
{
    uint32_t count, axes = 0;
    const struct space *parts = parts_of(s, &count);
    for (uint32_t i = 0; i < count; i++)
        axes += kinds[parts[i].kind].axes;
    return axes;
}

uint32_t space_degree(const struct space *s)
{
    uint32_t count, degree = 0;
    const struct space *parts = parts_of(s, &count);
    for (uint32_t i = 0; i < count; i++)
        degree += degree_in(&parts[i]);
    return degree;
}

uint64_t space_rank(const struct space *s, struct ras_bytes coord)
{
    uint32_t count;
    const struct space *parts = parts_of(s, &count);
    uint64_t rank = 0;
    if (coord.len != space_axes(s) * sizeof(int32_t))
        return RAS_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t inside = rank_in(&parts[i], coord.at);
        if (inside == RAS_NONE)
            return RAS_NONE;
        rank = rank * parts[i].cells + inside;
        coord.at += kinds[parts[i].kind].axes * sizeof(int32_t);
    }
    return rank;
}

uint32_t space_coord(const struct space *s, uint64_t cell, int32_t *coord)
{
    uint32_t count, axes = space_axes(s), at = axes;
    const struct space *parts = parts_of(s, &count);
    for (uint32_t i = count; i-- > 0; cell /= parts[i].cells) {
        at -= kinds[parts[i].kind].axes;
        coord_in(&parts[i], cell % parts[i].cells, coord + at);
    }
    return axes;
}

static uint32_t most_neighbours(const struct space *s)
{
    uint32_t count, most = 0;
    const struct space *parts = parts_of(s, &count);
    for (uint32_t i = 0; i < count; i++)
        most += kinds[parts[i].kind].offset_count;
    return most;
}

/* Of a product: those in its first part, then those in the second. */
static uint32_t neighbours_of(const struct space *s, uint64_t cell, uint32_t *to)
{
    uint32_t count, found = 0;
    const struct space *parts = parts_of(s, &count);
    uint64_t after = s->cells;
    for (uint32_t i = 0; i < count; i++) {
        after /= parts[i].cells;
        uint64_t inside = cell / after % parts[i].cells;
        uint32_t near = list_of(&parts[i], inside, to + found);
        for (uint32_t n = found; n < found + near; n++)
            to[n] = (uint32_t)(cell - inside * after + to[n] * after);
        found += near;
    }
    return found;
}

uint64_t neighbours_size(const struct space *s)
{
    return (s->cells + 1) * sizeof(uint32_t) + s->cells * most_neighbours(s) * sizeof(uint32_t);
}

bool neighbours_make(struct neighbours *n, const struct space *s)
{
    n->from = calloc(s->cells + 1, sizeof *n->from);
    n->at = calloc(s->cells, most_neighbours(s) * sizeof *n->at);
    if (!n->from || !n->at)
        return false;
    for (uint64_t i = 0; i < s->cells; i++)
        n->from[i + 1] = n->from[i] + neighbours_of(s, i, n->at + n->from[i]);
    return true;
}

void neighbours_free(struct neighbours *n)
{
    free(n->from);
    free(n->at);
    *n = (struct neighbours){0};
}

/* clang-format off */
static const struct kind_row kinds[SPACE_KINDS] = {
    [SPACE_LINE] = {"line1d", 1, false, 2, {{0, 0, -1}, {0, 0, 1}}},
    [SPACE_RING] = {"ring1d", 1, false, 2, {{0, 0, -1}, {0, 0, 1}}},
    [SPACE_SQUARE4] = {"square4", 2, false, 4, {{0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}},
    [SPACE_SQUARE8] = {"square8", 2, false, 8,
                       {{0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1},
                        {0, -1, -1}, {0, -1, 1}, {0, 1, -1}, {0, 1, 1}}},
    [SPACE_HEX] = {"hex2d", 2, true, 6,
                   {{0, 0, 1}, {0, -1, 1}, {0, -1, 0}, {0, 0, -1}, {0, 1, -1}, {0, 1, 0}}},
    [SPACE_FCC] = {"fcc12", 3, true, 12,
                   {{0, 1, 1}, {0, 1, -1}, {0, -1, 1}, {0, -1, -1},
                    {1, 0, 1}, {1, 0, -1}, {-1, 0, 1}, {-1, 0, -1},
                    {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}}},
    [SPACE_PRODUCT] = {"product", 0, false, 0, {{0, 0, 0}}},
};
/* clang-format on */
