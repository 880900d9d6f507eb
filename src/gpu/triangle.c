/* triangle.c - the edges of a triangle, and the walk over its tiles.
 *
 * Positions are rounded to 1/256 of a pixel; edge functions are integers from there on, so
 * that triangles which share an edge share no pixel and leave none out (top-left rule). */
#include "gpu/raster.h"

#include <math.h>

/* ---- planes ------------------------------------------------------------------------------ */

/* What varies over a triangle, as planes over the pixels. With positions in pixels, not yet divided
 * by w, the three corners make a matrix; its inverse gives for every pixel how much of each corner
 * it has, divided by w. That holds wherever the corners are, so pieces of a clipped triangle need
 * nothing of their own. */

/* How much of corner i pixel x, y has: (across x + down y + origin) / w. */
struct shares {
    double across[3], down[3], origin[3];
    double inverse_w[3]; /* of the corners */
};

static void shares_of(const struct raster *r, const struct triangle *t, struct shares *s)
{
    double x[3], y[3], w[3];
    for (int i = 0; i < 3; i++) {
        const float *p = t->corners[i]->position;
        w[i] = (double)p[3];
        /* From the middle of pixel 0, 0. */
        x[i] = (double)p[0] * r->scale[0] + (r->move[0] - 0.5) * w[i];
        y[i] = (double)p[1] * r->scale[1] + (r->move[1] - 0.5) * w[i];
        s->inverse_w[i] = 1 / w[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        s->across[i] = y[j] * w[k] - y[k] * w[j];
        s->down[i] = x[k] * w[j] - x[j] * w[k];
        s->origin[i] = x[j] * y[k] - x[k] * y[j];
    }
    double volume = x[0] * s->across[0] + y[0] * s->down[0] + w[0] * s->origin[0];
    for (int i = 0; i < 3; i++) {
        s->across[i] /= volume;
        s->down[i] /= volume;
        s->origin[i] /= volume;
    }
}

static void plane_steps(struct plane *p)
{
    float across = (float)p->across, down = (float)p->down;
    for (uint32_t i = 0; i < LANES; i++)
        p->steps.at[i] = across * (float)(i % TILE) + down * (float)(i / TILE);
}

/* The sum of values, each as much as its corner is there. */
static void plane_of(const struct shares *s, const double value[3], struct plane *p)
{
    p->across = p->down = p->origin = 0;
    for (int i = 0; i < 3; i++) {
        p->across += s->across[i] * value[i];
        p->down += s->down[i] * value[i];
        p->origin += s->origin[i] * value[i];
    }
    plane_steps(p);
}

/* The same where w is the same everywhere: by differences, which are exact where they can be. */
static void plane_flat_w(const struct shares *s, double w, const double value[3], struct plane *p)
{
    double b = (value[1] - value[0]) * w, c = (value[2] - value[0]) * w;
    p->across = b * s->across[1] + c * s->across[2];
    p->down = b * s->down[1] + c * s->down[2];
    p->origin = value[0] + b * s->origin[1] + c * s->origin[2];
    plane_steps(p);
}

static void lanes_fill(struct lanes *lanes, float value)
{
    for (uint32_t i = 0; i < LANES; i++)
        lanes->at[i] = value;
}

/* What does not vary goes to the shader at once, the rest as planes. */
static void varyings(struct raster *r, struct triangle *t, const struct shares *s)
{
    t->varying_count = 0;
    for (uint32_t i = 0; i < r->varying_count; i++) {
        float v[3];
        for (int k = 0; k < 3; k++)
            v[k] = t->corners[k]->varying[i];
        if (!memcmp(&v[0], &v[1], 4) && !memcmp(&v[0], &v[2], 4)) {
            lanes_fill(&r->file[r->varying_to[i]], v[0]);
            continue;
        }
        const double value[3] = {(double)v[0], (double)v[1], (double)v[2]};
        struct plane *plane = &t->planes[t->varying_count];
        if (t->projected)
            plane_of(s, value, plane);
        else
            plane_flat_w(s, (double)t->corners[0]->position[3], value, plane);
        t->varying[t->varying_count++] = (uint16_t)i;
    }
}

/* Biases are in units of the least difference that the depth format can represent. */
static double depth_bias(const struct raster *r, const double z[3])
{
    if (!r->rules.depth_bias || !r->depth_surface.at)
        return 0;
    if (!r->depth_surface.format->is_float)
        return r->rules.depth_bias / 16777216.0;
    double most = z[0] > z[1] ? z[0] : z[1];
    int exponent;
    frexp(most > z[2] ? most : z[2], &exponent);
    return ldexp(r->rules.depth_bias, exponent - 1 - 23);
}

static void depth(const struct raster *r, struct triangle *t, const struct shares *s)
{
    double z[3], on_screen[3];
    for (int i = 0; i < 3; i++) {
        z[i] = (double)t->corners[i]->position[2];
        on_screen[i] = z[i] * s->inverse_w[i] * r->scale[2] + r->move[2];
    }
    /* Not times w: shares are divided by it already, as depth must be. */
    plane_of(s, z, &t->depth);
    t->depth.across *= r->scale[2];
    t->depth.down *= r->scale[2];
    t->depth.origin = t->depth.origin * r->scale[2] + r->move[2] + depth_bias(r, on_screen);
    plane_steps(&t->depth);
}

static void planes_prepare(struct raster *r, struct triangle *t)
{
    static const double one[3] = {1, 1, 1};
    const struct vertex *const *c = t->corners;
    struct shares s;
    shares_of(r, t, &s);
    t->prepared = true;
    t->projected = c[0]->position[3] != c[1]->position[3] || c[0]->position[3] != c[2]->position[3];
    if (r->test_depth || r->test_stencil || r->has_position)
        depth(r, t, &s);
    if (t->projected || r->has_position)
        plane_of(&s, one, &t->inverse_w);
    varyings(r, t, &s);
    t->flat = !t->varying_count && !r->has_position && !r->pixel->reads_textures;
    if (t->flat)
        tile_flat(r, t);
}

/* ---- tile -------------------------------------------------------------------------------- */

/* One tile of a triangle: tested, interpolated, shaded, written. */

static void plane_at(const struct plane *p, const struct tile *tile, struct lanes *to)
{
    float base = (float)(p->origin + p->across * tile->x + p->down * tile->y);
    for (uint32_t i = 0; i < LANES; i++)
        to->at[i] = base + p->steps.at[i];
}

static void depth_at(const struct raster *r, const struct triangle *t, const struct tile *tile,
                     struct lanes *z)
{
    plane_at(&t->depth, tile, z);
    float low = r->depth_low, high = r->depth_high;
    for (uint32_t i = 0; i < LANES; i++) {
        float at = z->at[i] > low ? z->at[i] : low;
        z->at[i] = at < high ? at : high;
    }
}

static void interpolate(const struct raster *r, const struct triangle *t, const struct tile *tile)
{
    struct lanes w;
    if (t->projected || r->has_position) {
        plane_at(&t->inverse_w, tile, &w);
        for (uint32_t i = 0; i < LANES; i++)
            w.at[i] = 1.0f / w.at[i];
    }
    for (uint32_t k = 0; k < t->varying_count; k++) {
        struct lanes *to = &r->file[r->varying_to[t->varying[k]]];
        plane_at(&t->planes[k], tile, to);
        if (t->projected)
            for (uint32_t i = 0; i < LANES; i++)
                to->at[i] *= w.at[i];
    }
    if (!r->has_position)
        return;
    struct lanes *to = &r->file[r->position_to];
    for (uint32_t i = 0; i < LANES; i++) {
        to[0].at[i] = (float)tile->x + (float)(i % TILE) + 0.5f;
        to[1].at[i] = (float)tile->y + (float)(i / TILE) + 0.5f;
    }
    depth_at(r, t, tile, &to[2]);
    memcpy(to[3].at, w.at, sizeof w.at);
}

void tile_flat(struct raster *r, struct triangle *t)
{
    program_run(r->pixel, r->file, LANES, &r->env);
    for (uint32_t i = 0; i < r->target_count; i++) {
        const struct lanes *c = &r->file[r->targets[i].output];
        const float color[4] = {c[0].at[0], c[1].at[0], c[2].at[0], c[3].at[0]};
        t->flat_raw[i] = pixel_from_color(r->targets[i].surface.format, color);
    }
}

static bool any(const int32_t mask[LANES])
{
    int32_t all = 0;
    for (uint32_t i = 0; i < LANES; i++)
        all |= mask[i];
    return all != 0;
}

static uint32_t up_to(uint32_t most, uint32_t left)
{
    return left < most ? left : most;
}

static void tile_draw(struct raster *r, struct triangle *t, struct tile *tile)
{
    if (!tile->whole && !any(tile->mask))
        return;
    if (!raster_work(r, t->flat ? LANES : r->tile_cost))
        return;
    tile->width = up_to(TILE, r->width - (uint32_t)tile->x);
    tile->height = up_to(TILE, r->height - (uint32_t)tile->y);
    if (r->test_depth || r->test_stencil) {
        struct lanes z;
        depth_at(r, t, tile, &z);
        if (!depth_test(r, t, tile, &z))
            return;
    }
    if (!t->flat && r->target_count) {
        interpolate(r, t, tile);
        program_run(r->pixel, r->file, LANES, &r->env);
    }
    for (uint32_t i = 0; i < r->target_count; i++) {
        const struct raster_target *target = &r->targets[i];
        if (t->flat && !r->blend.enable && !target->keeps)
            blend_fill(target, tile, t->flat_raw[i]);
        else
            blend_tile(r, target, tile, &r->file[target->output]);
    }
}

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

/* ---- edges ------------------------------------------------------------------------------- */

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

/* ---- tiles ------------------------------------------------------------------------------- */

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
    /* Rows go down, so a positive area is clockwise as one sees it: the front, unless set
     * otherwise. */
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
