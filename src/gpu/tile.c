/* tile.c - one tile of a triangle: tested, interpolated, shaded, written. */
#include "gpu/raster.h"

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

void tile_draw(struct raster *r, struct triangle *t, struct tile *tile)
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
