/* clip.c - what of a triangle can be seen: cut by the planes of clip space.
 *
 * Near and far are the planes of the specification's clip space, 0 <= z <= w. To the sides
 * only what would not fit the raster's numbers is cut: the rest is left to the rectangle of
 * pixels, which gives the same picture. */
#include "gpu/raster.h"

#include <math.h>

enum { PLANES = 7, CORNERS = 3 + PLANES };

/* Nothing is divided by less. */
#define W_LEAST 1e-7

/* Inside is where the distance is not negative. */
static double distance(const struct raster *r, int plane, const double p[4])
{
    double x = p[0], y = p[1], z = p[2], w = p[3];
    switch (plane) {
    case 0:
        return w - W_LEAST;
    case 1:
        return r->rules.depth_clip ? z : 0;
    case 2:
        return r->rules.depth_clip ? w - z : 0;
    case 3: /* a position in pixels, times w */
        return x * r->scale[0] + (r->move[0] + RASTER_REACH) * w;
    case 4:
        return (RASTER_REACH - r->move[0]) * w - x * r->scale[0];
    case 5:
        return y * r->scale[1] + (r->move[1] + RASTER_REACH) * w;
    default:
        return (RASTER_REACH - r->move[1]) * w - y * r->scale[1];
    }
}

static void clip_between(const double a[4], const double b[4], double t, double to[4])
{
    for (int i = 0; i < 4; i++)
        to[i] = a[i] + (b[i] - a[i]) * t;
}

/* The polygon cut by one plane; its corners go from one array to the other. */
static uint32_t cut(const struct raster *r, int plane, double (*from)[4], uint32_t count,
                    double (*to)[4])
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = from[i], *b = from[(i + 1) % count];
        double da = distance(r, plane, a), db = distance(r, plane, b);
        if (da >= 0)
            memcpy(to[made++], a, sizeof *to);
        /* From the inner corner, so that neighbours that share the edge cut it alike. */
        if (da >= 0 && db < 0)
            clip_between(a, b, da / (da - db), to[made++]);
        else if (da < 0 && db >= 0)
            clip_between(b, a, db / (db - da), to[made++]);
    }
    return made;
}

static void draw_polygon(struct raster *r, struct triangle *t, double (*corners)[4], uint32_t count)
{
    for (uint32_t i = 1; i + 1 < count; i++) {
        const double *const part[3] = {corners[0], corners[i], corners[i + 1]};
        triangle_draw(r, t, part);
    }
}

bool clip_triangle(struct raster *r, struct triangle *t, const struct vertex *const v[3])
{
    double polygons[2][CORNERS][4];
    uint32_t some = 0, all = UINT32_MAX, count = 3, now = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t outside = 0;
        for (int k = 0; k < 4; k++) {
            if (!isfinite(v[i]->position[k]))
                return false;
            polygons[0][i][k] = (double)v[i]->position[k];
        }
        for (int p = 0; p < PLANES; p++)
            outside |= (uint32_t)(distance(r, p, polygons[0][i]) < 0) << p;
        some |= outside;
        all &= outside;
    }
    if (all)
        return true;
    for (int p = 0; p < PLANES && count; p++)
        if (some >> p & 1) {
            count = cut(r, p, polygons[now], count, polygons[!now]);
            now = !now;
        }
    t->corners = v;
    t->prepared = false;
    draw_polygon(r, t, polygons[now], count);
    return true;
}
