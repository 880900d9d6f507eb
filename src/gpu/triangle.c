/* triangle.c - the edges of a triangle, and the walk over its tiles.
 *
 * Positions are rounded to 1/256 of a pixel; edge functions are integers from there on, so
 * that triangles which share an edge share no pixel and leave none out (top-left rule). */
#include "gpu/raster.h"

#include <math.h>

struct corner {
    int32_t x, y; /* in 1/256 of a pixel */
};

/* Clipping has seen to it that this fits, but for what rounding made of numbers that are far
 * apart: those are brought near. */
static int32_t fixed(double pixels)
{
    const double most = RASTER_REACH + 500;
    pixels = pixels > -most ? pixels : -most;
    pixels = pixels < most ? pixels : most;
    return (int32_t)floor(pixels * RASTER_SUBPIXELS + 0.5);
}

static struct corner corner_of(const struct raster *r, const double position[4])
{
    return (struct corner){
        .x = fixed(position[0] / position[3] * r->scale[0] + r->move[0]),
        .y = fixed(position[1] / position[3] * r->scale[1] + r->move[1]),
    };
}

/* ---- edges --------------------------------------------------------------------------- */

static int32_t least(int32_t a, int32_t b, int32_t c)
{
    int32_t m = a < b ? a : b;
    return m < c ? m : c;
}

static int32_t most(int32_t a, int32_t b, int32_t c)
{
    return -least(-a, -b, -c);
}

/* The pixels whose middles may be inside. False: none. */
static bool bounds(const struct raster *r, struct triangle *t, const struct corner c[3])
{
    const int32_t half = RASTER_SUBPIXELS / 2;
    int32_t left = (least(c[0].x, c[1].x, c[2].x) - half + 255) >> 8;
    int32_t top = (least(c[0].y, c[1].y, c[2].y) - half + 255) >> 8;
    int32_t right = ((most(c[0].x, c[1].x, c[2].x) - half) >> 8) + 1;
    int32_t bottom = ((most(c[0].y, c[1].y, c[2].y) - half) >> 8) + 1;
    t->left = left > r->left ? left : r->left;
    t->top = top > r->top ? top : r->top;
    t->right = right < r->right ? right : r->right;
    t->bottom = bottom < r->bottom ? bottom : r->bottom;
    return t->left < t->right && t->top < t->bottom;
}

/* Edge i goes from corner i to the next; inside is where it is not negative. A pixel's middle
 * on an edge belongs to the triangle only if the edge is a top or a left one. */
static void edges(const struct raster *r, struct triangle *t, const struct corner c[3])
{
    int32_t x = t->left & ~(TILE - 1), y = t->top & ~(TILE - 1);
    for (int i = 0; i < 3; i++) {
        const struct corner *a = &c[i], *b = &c[(i + 1) % 3];
        int64_t across = a->y - b->y, down = b->x - a->x;
        bool top = r->bottom_left ? down < 0 : down > 0;
        bool top_left = across > 0 || (across == 0 && top);
        int64_t at_x = (int64_t)x * 256 + 128 - a->x, at_y = (int64_t)y * 256 + 128 - a->y;
        int64_t value = across * at_x + down * at_y - !top_left;
        /* From pixel to pixel it changes by 256 times these: the fraction never matters. */
        t->edge[i] = value >> 8;
        t->across[i] = (int32_t)across;
        t->down[i] = (int32_t)down;
    }
}

/* ---- tiles --------------------------------------------------------------------------- */

/* The parts of a tile that lie outside the pixels to be drawn are not covered. */
static void crop(const struct triangle *t, struct tile *tile)
{
    for (int32_t y = 0; y < TILE; y++)
        for (int32_t x = 0; x < TILE; x++)
            if (tile->x + x < t->left || tile->x + x >= t->right || tile->y + y < t->top ||
                tile->y + y >= t->bottom)
                tile->mask[y * TILE + x] = 0;
}

/* Edges at the tile's first pixel; -1: nothing of it is inside, 1: all of it. */
static int coverage(const struct triangle *t, const int64_t edge[3])
{
    int inside = 0;
    for (int i = 0; i < 3; i++) {
        int64_t a = (int64_t)t->across[i] * (TILE - 1), b = (int64_t)t->down[i] * (TILE - 1);
        int64_t high = edge[i] + (a > 0 ? a : 0) + (b > 0 ? b : 0);
        int64_t low = edge[i] + (a < 0 ? a : 0) + (b < 0 ? b : 0);
        if (high < 0)
            return -1;
        inside += low >= 0;
    }
    return inside == 3;
}

static void cover(const struct triangle *t, const int64_t edge[3], struct tile *tile)
{
    int32_t out[LANES] = {0};
    for (int i = 0; i < 3; i++) {
        int64_t reach = 14 * (int64_t)(1 << 25);
        if (edge[i] > reach)
            continue; /* beyond what a tile can change, so inside; and too large to narrow */
        int32_t value = (int32_t)edge[i], across = t->across[i], down = t->down[i];
        for (int32_t k = 0; k < LANES; k++)
            out[k] |= value + across * (k % TILE) + down * (k / TILE);
    }
    for (int32_t k = 0; k < LANES; k++)
        tile->mask[k] = ~(out[k] >> 31);
}

static void walk_tile(struct raster *r, struct triangle *t, const int64_t edge[3], int32_t x,
                      int32_t y)
{
    int inside = coverage(t, edge);
    if (inside < 0)
        return;
    struct tile tile;
    bool cropped = x < t->left || y < t->top || x + TILE > t->right || y + TILE > t->bottom;
    tile.x = x;
    tile.y = y;
    tile.whole = inside && !cropped;
    if (inside)
        memset(tile.mask, 0xff, sizeof tile.mask);
    else
        cover(t, edge, &tile);
    if (cropped)
        crop(t, &tile);
    tile_draw(r, t, &tile);
}

static void walk(struct raster *r, struct triangle *t)
{
    int64_t row[3];
    memcpy(row, t->edge, sizeof row);
    for (int32_t y = t->top & ~(TILE - 1); y < t->bottom; y += TILE) {
        int64_t edge[3];
        memcpy(edge, row, sizeof edge);
        for (int32_t x = t->left & ~(TILE - 1); x < t->right; x += TILE) {
            walk_tile(r, t, edge, x, y);
            for (int i = 0; i < 3; i++)
                edge[i] += (int64_t)TILE * t->across[i];
        }
        for (int i = 0; i < 3; i++)
            row[i] += (int64_t)TILE * t->down[i];
    }
}

void triangle_draw(struct raster *r, struct triangle *t, const double *const v[3])
{
    struct corner c[3] = {corner_of(r, v[0]), corner_of(r, v[1]), corner_of(r, v[2])};
    int64_t area = (int64_t)(c[1].x - c[0].x) * (c[2].y - c[0].y) -
                   (int64_t)(c[2].x - c[0].x) * (c[1].y - c[0].y);
    /* Rows go down, so a positive area is clockwise as one sees it: the front, unless told. */
    t->front = (area > 0) != r->rules.front_ccw;
    if (!area || r->rules.cull == (t->front ? 1 : 2))
        return;
    if (area < 0) {
        struct corner swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
    if (!bounds(r, t, c))
        return;
    uint64_t across = (uint64_t)(t->right - t->left) / TILE + 2;
    uint64_t down = (uint64_t)(t->bottom - t->top) / TILE + 2;
    if (!raster_work(r, LANES + across * down))
        return;
    edges(r, t, c);
    if (!t->prepared)
        planes_prepare(r, t);
    walk(r, t);
}
