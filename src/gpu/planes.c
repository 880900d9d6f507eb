/* planes.c - what varies over a triangle, as planes over the pixels.
 *
 * With positions in pixels, not yet divided by w, the three corners make a matrix; its
 * inverse gives for every pixel how much of each corner it has, divided by w. That holds
 * wherever the corners are, so pieces of a clipped triangle need nothing of their own. */
#include "gpu/raster.h"

#include <math.h>

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

/* Biases are in units of the least difference that the depth format tells apart. */
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

void planes_prepare(struct raster *r, struct triangle *t)
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
