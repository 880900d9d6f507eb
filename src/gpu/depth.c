/* depth.c - the depth and stencil tests of a tile. */
#include "gpu/pixels.h"

/* By AEROGPU_COMPARE, for numbers of one type: -1 where the new one passes. */
#define COMPARE(name, type, op)                                                                    \
    static void name(const type *restrict now, const type *restrict old, int32_t *restrict pass)   \
    {                                                                                              \
        for (uint32_t i = 0; i < LANES; i++)                                                       \
            pass[i] = -(now[i] op old[i]);                                                         \
    }
#define COMPARES(suffix, type)                                                                     \
    COMPARE(less_##suffix, type, <)                                                                \
    COMPARE(equal_##suffix, type, ==)                                                              \
    COMPARE(less_equal_##suffix, type, <=)                                                         \
    COMPARE(greater_##suffix, type, >)                                                             \
    COMPARE(not_equal_##suffix, type, !=)                                                          \
    COMPARE(greater_equal_##suffix, type, >=)
COMPARES(float, float)
COMPARES(int, int32_t)

enum { NEVER = 0, ALWAYS = 7 };

static void (*const float_compares[8])(const float *, const float *, int32_t *) = {
    NULL,          less_float,      equal_float,         less_equal_float,
    greater_float, not_equal_float, greater_equal_float, NULL,
};

static void (*const int_compares[8])(const int32_t *, const int32_t *, int32_t *) = {
    NULL, less_int, equal_int, less_equal_int, greater_int, not_equal_int, greater_equal_int, NULL,
};

/* Depth of 24 bits: the nearest of 2^24 - 1 steps. */
static void depth_quantise(const struct lanes *z, int32_t to[LANES])
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = (int32_t)((double)z->at[i] * 16777215.0 + 0.5);
}

/* Which lanes pass, and what would be stored of their depth. */
static void compare(const struct raster *r, const struct lanes *z, const uint32_t old[LANES],
                    int32_t pass[LANES], uint32_t next[LANES])
{
    uint8_t func = r->test_depth ? r->depth.func : ALWAYS;
    if (func == NEVER || func == ALWAYS)
        for (uint32_t i = 0; i < LANES; i++)
            pass[i] = -(func == ALWAYS);
    if (r->depth_surface.format->is_float) {
        float stored[LANES];
        memcpy(stored, old, sizeof stored);
        if (float_compares[func])
            float_compares[func](z->at, stored, pass);
        memcpy(next, z->at, sizeof z->at);
        return;
    }
    int32_t now[LANES], stored[LANES];
    depth_quantise(z, now);
    for (uint32_t i = 0; i < LANES; i++)
        stored[i] = (int32_t)(old[i] & 0xffffff);
    if (int_compares[func])
        int_compares[func](now, stored, pass);
    for (uint32_t i = 0; i < LANES; i++)
        next[i] = (uint32_t)now[i] | (old[i] & 0xff000000u);
}

/* ---- stencil ---------------------------------------------------------------------------- */

static bool stencil_passes(uint8_t func, uint32_t reference, uint32_t stored)
{
    const bool passes[8] = {
        false,
        reference<stored, reference == stored, reference <= stored, reference>
            stored,
        reference != stored,
        reference >= stored,
        true,
    };
    return passes[func & 7];
}

/* By D3DSTENCILOP, counted from 0. */
static uint32_t stencil_next(uint8_t op, uint32_t stored, uint32_t reference)
{
    const uint32_t next[8] = {
        stored,
        0,
        reference,
        stored < 255 ? stored + 1 : 255,
        stored ? stored - 1 : 0,
        ~stored & 255,
        (stored + 1) & 255,
        (stored - 1) & 255,
    };
    return next[op & 7];
}

/* Takes from the mask what fails; `pass` says what the depth test found. */
static void stencil(const struct raster *r, const struct triangle *t, struct tile *tile,
                    const int32_t pass[LANES], uint32_t raw[LANES])
{
    const struct gpu_depth *d = &r->depth;
    const struct gpu_stencil_face *face = d->two_sided && !t->front ? &d->back : &d->front;
    for (uint32_t i = 0; i < LANES; i++) {
        if (!tile->mask[i])
            continue;
        uint32_t stored = raw[i] >> 24;
        bool good = stencil_passes(face->func, d->reference & d->read_mask, stored & d->read_mask);
        uint8_t op = !good ? face->fail : pass[i] ? face->pass : face->depth_fail;
        uint32_t next = stencil_next(op, stored, d->reference);
        next = (next & d->write_mask) | (stored & ~(uint32_t)d->write_mask);
        raw[i] = (raw[i] & 0xffffff) | next << 24;
        if (!good)
            tile->mask[i] = 0;
    }
}

bool depth_test(struct raster *r, const struct triangle *t, struct tile *tile, struct lanes *z)
{
    uint32_t old[LANES] = {0}, next[LANES];
    int32_t pass[LANES], left = 0, all = -1;
    pixels_read(&r->depth_surface, tile, old);
    compare(r, z, old, pass, next);
    if (r->test_stencil)
        stencil(r, t, tile, pass, old);
    for (uint32_t i = 0; i < LANES; i++) {
        tile->mask[i] &= pass[i];
        left |= tile->mask[i];
        all &= tile->mask[i];
    }
    tile->whole = tile->whole && all;
    if (r->test_depth && r->depth.write)
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t mask = (uint32_t)tile->mask[i];
            uint32_t low = r->depth_surface.format->is_float ? mask : mask & 0xffffff;
            old[i] = (next[i] & low) | (old[i] & ~low);
        }
    if (r->test_stencil || (left && r->depth.write))
        pixels_write(&r->depth_surface, tile, old);
    return left != 0;
}
