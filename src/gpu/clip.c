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
static double distance(const struct raster *r, int plane, const float p[4])
{
    double x = (double)p[0], y = (double)p[1], z = (double)p[2], w = (double)p[3];
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

static float mix(float a, float b, double t)
{
    return (float)((double)a + ((double)b - (double)a) * t);
}

static void between(const struct raster *r, const struct vertex *a, const struct vertex *b,
                    double t, struct vertex *to)
{
    for (int i = 0; i < 4; i++)
        to->position[i] = mix(a->position[i], b->position[i], t);
    for (uint32_t i = 0; i < r->varying_count; i++)
        to->varying[i] = mix(a->varying[i], b->varying[i], t);
}

static void copy_vertex(const struct raster *r, struct vertex *to, const struct vertex *from)
{
    memcpy(to->position, from->position, sizeof to->position);
    memcpy(to->varying, from->varying, r->varying_count * sizeof *to->varying);
}

/* The polygon cut by one plane; its corners go from one array to the other. */
static uint32_t cut(const struct raster *r, int plane, const struct vertex *from, uint32_t count,
                    struct vertex *to)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct vertex *a = &from[i], *b = &from[(i + 1) % count];
        double da = distance(r, plane, a->position), db = distance(r, plane, b->position);
        if (da >= 0)
            copy_vertex(r, &to[made++], a);
        /* From the inner corner, so that neighbours that share the edge cut it alike. */
        if (da >= 0 && db < 0)
            between(r, a, b, da / (da - db), &to[made++]);
        else if (da < 0 && db >= 0)
            between(r, b, a, db / (db - da), &to[made++]);
    }
    return made;
}

static void draw_cut(struct raster *r, struct triangle *memory, const struct vertex *const v[3],
                     uint32_t planes)
{
    struct vertex polygons[2][CORNERS];
    uint32_t count = 3, now = 0;
    for (int i = 0; i < 3; i++)
        copy_vertex(r, &polygons[0][i], v[i]);
    for (int p = 0; p < PLANES && count; p++)
        if (planes >> p & 1) {
            count = cut(r, p, polygons[now], count, polygons[!now]);
            now = !now;
        }
    for (uint32_t i = 1; i + 1 < count; i++) {
        const struct vertex *part[3] = {&polygons[now][0], &polygons[now][i],
                                        &polygons[now][i + 1]};
        triangle_draw(r, memory, part);
    }
}

bool clip_triangle(struct raster *r, struct triangle *memory, const struct vertex *const v[3])
{
    uint32_t some = 0, all = UINT32_MAX;
    for (int i = 0; i < 3; i++) {
        uint32_t outside = 0;
        for (int k = 0; k < 4; k++)
            if (!isfinite(v[i]->position[k]))
                return false;
        for (int p = 0; p < PLANES; p++)
            outside |= (uint32_t)(distance(r, p, v[i]->position) < 0) << p;
        some |= outside;
        all &= outside;
    }
    if (all)
        return true;
    if (some)
        draw_cut(r, memory, v, some);
    else
        triangle_draw(r, memory, v);
    return true;
}
