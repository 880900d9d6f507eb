/* blend.c - colors into a target: blended with what is there, rounded, masked. */
#include "base/out.h"
#include "gpu/raster.h"

/* A tile of a surface's texels as numbers of 32 bits, read and written. Inline, so that the loops
 * over whole tiles are unrolled with their bounds known. */

static inline uint8_t *pixels_row(const struct gpu_surface *s, const struct tile *tile, uint32_t y)
{
    return s->at + (size_t)((uint32_t)tile->y + y) * s->pitch +
           (size_t)(uint32_t)tile->x * s->format->bytes;
}

/* Pixels outside the target are unchanged. */
static inline void pixels_read(const struct gpu_surface *s, const struct tile *tile,
                               uint32_t raw[LANES])
{
    if (s->format->bytes == 4 && tile->width == TILE && tile->height == TILE) {
        for (uint32_t y = 0; y < TILE; y++)
            memcpy(&raw[y * TILE], pixels_row(s, tile, y), TILE * sizeof *raw);
        return;
    }
    for (uint32_t y = 0; y < tile->height; y++) {
        const uint8_t *row = pixels_row(s, tile, y);
        for (uint32_t x = 0; x < tile->width; x++)
            raw[y * TILE + x] = s->format->bytes == 4 ? load_u32(row + 4 * (size_t)x)
                                                      : load_u16(row + 2 * (size_t)x);
    }
}

static inline void pixels_write(const struct gpu_surface *s, const struct tile *tile,
                                const uint32_t raw[LANES])
{
    if (s->format->bytes == 4 && tile->width == TILE && tile->height == TILE) {
        for (uint32_t y = 0; y < TILE; y++)
            memcpy(pixels_row(s, tile, y), &raw[y * TILE], TILE * sizeof *raw);
        return;
    }
    for (uint32_t y = 0; y < tile->height; y++) {
        uint8_t *row = pixels_row(s, tile, y);
        for (uint32_t x = 0; x < tile->width; x++)
            if (s->format->bytes == 4)
                store_u32(row + 4 * (size_t)x, raw[y * TILE + x]);
            else
                store_u16(row + 2 * (size_t)x, (uint16_t)raw[y * TILE + x]);
    }
}

/* ---- depth ------------------------------------------------------------------------------- */

/* The depth and stencil tests of a tile. */

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

/* ---- stencil ----------------------------------------------------------------------------- */

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

/* Removes from the mask the lanes that fail; `pass` says what the depth test found. */
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

/* Of one tile: what the shader gave, what the target has. */
struct mix {
    const struct lanes *source, *target;
    const float *constant;
};

typedef void factor_run(const struct mix *m, uint32_t channel, float *restrict to);

static void factor_zero(const struct mix *m, uint32_t channel, float *restrict to)
{
    (void)m;
    (void)channel;
    memset(to, 0, LANES * sizeof *to);
}

static void factor_one(const struct mix *m, uint32_t channel, float *restrict to)
{
    (void)m;
    (void)channel;
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = 1;
}

static void factor_source(const struct mix *m, uint32_t channel, float *restrict to)
{
    (void)channel;
    memcpy(to, m->source[3].at, LANES * sizeof *to);
}

static void factor_not_source(const struct mix *m, uint32_t channel, float *restrict to)
{
    (void)channel;
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = 1 - m->source[3].at[i];
}

static void factor_target(const struct mix *m, uint32_t channel, float *restrict to)
{
    (void)channel;
    memcpy(to, m->target[3].at, LANES * sizeof *to);
}

static void factor_not_target(const struct mix *m, uint32_t channel, float *restrict to)
{
    (void)channel;
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = 1 - m->target[3].at[i];
}

static void factor_constant(const struct mix *m, uint32_t channel, float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = m->constant[channel];
}

static void factor_not_constant(const struct mix *m, uint32_t channel, float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = 1 - m->constant[channel];
}

static void factor_source_color(const struct mix *m, uint32_t channel, float *restrict to)
{
    memcpy(to, m->source[channel].at, LANES * sizeof *to);
}

static void factor_not_source_color(const struct mix *m, uint32_t channel, float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = 1 - m->source[channel].at[i];
}

static void factor_target_color(const struct mix *m, uint32_t channel, float *restrict to)
{
    memcpy(to, m->target[channel].at, LANES * sizeof *to);
}

static void factor_not_target_color(const struct mix *m, uint32_t channel, float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = 1 - m->target[channel].at[i];
}

static void factor_saturate(const struct mix *m, uint32_t channel, float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++) {
        float left = 1 - m->target[3].at[i], alpha = m->source[3].at[i];
        to[i] = channel == 3 ? 1 : alpha < left ? alpha : left;
    }
}

static factor_run *const factors[GPU_FACTORS] = {
    [GPU_ZERO] = factor_zero,
    [GPU_ONE] = factor_one,
    [GPU_SOURCE_ALPHA] = factor_source,
    [GPU_NOT_SOURCE_ALPHA] = factor_not_source,
    [GPU_TARGET_ALPHA] = factor_target,
    [GPU_NOT_TARGET_ALPHA] = factor_not_target,
    [GPU_CONSTANT] = factor_constant,
    [GPU_NOT_CONSTANT] = factor_not_constant,
    [GPU_SOURCE_COLOR] = factor_source_color,
    [GPU_NOT_SOURCE_COLOR] = factor_not_source_color,
    [GPU_TARGET_COLOR] = factor_target_color,
    [GPU_NOT_TARGET_COLOR] = factor_not_target_color,
    [GPU_SATURATE] = factor_saturate,
};

typedef void operation_run(const float *a, const float *fa, const float *b, const float *fb,
                           float *restrict to);

static void op_add(const float *a, const float *fa, const float *b, const float *fb,
                   float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = a[i] * fa[i] + b[i] * fb[i];
}

static void op_subtract(const float *a, const float *fa, const float *b, const float *fb,
                        float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = a[i] * fa[i] - b[i] * fb[i];
}

static void op_reverse(const float *a, const float *fa, const float *b, const float *fb,
                       float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = b[i] * fb[i] - a[i] * fa[i];
}

/* Minimum and maximum take no factors. */
static void op_min(const float *a, const float *fa, const float *b, const float *fb,
                   float *restrict to)
{
    (void)fa;
    (void)fb;
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = a[i] < b[i] ? a[i] : b[i];
}

static void op_max(const float *a, const float *fa, const float *b, const float *fb,
                   float *restrict to)
{
    (void)fa;
    (void)fb;
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = a[i] > b[i] ? a[i] : b[i];
}

/* By AEROGPU_BLEND_OP. */
static operation_run *const operations[5] = {op_add, op_subtract, op_reverse, op_min, op_max};

/* ---- texels to colors and back ----------------------------------------------------------- */

static void unpack(const struct pixel_format *f, const uint32_t raw[LANES], struct lanes to[4])
{
    for (uint32_t c = 0; c < 4; c++) {
        if (!f->bits[c] || (c == 3 && f->opaque)) {
            for (uint32_t i = 0; i < LANES; i++)
                to[c].at[i] = 1;
            continue;
        }
        uint32_t shift = f->shift[c];
        if (f->srgb && c < 3)
            for (uint32_t i = 0; i < LANES; i++)
                to[c].at[i] = srgb_linear[raw[i] >> shift & 255];
        else
            for (uint32_t i = 0; i < LANES; i++)
                to[c].at[i] = (float)(int32_t)(raw[i] >> shift & 255) / 255.0f;
    }
}

/* Of a format of 16 bits: by way of bytes, as it is shown. */
static void unpack_narrow(const struct pixel_format *f, const uint32_t raw[LANES],
                          struct lanes to[4])
{
    uint32_t wide[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        wide[i] = pixel_to_rgba(f, raw[i]);
    unpack(pixel_format_find(3), wide, to);
}

static void pack_channel(const struct pixel_format *f, uint32_t c, const float *restrict color,
                         uint32_t *restrict raw)
{
    uint32_t shift = f->shift[c];
    if (f->srgb && c < 3) {
        for (uint32_t i = 0; i < LANES; i++)
            raw[i] |= (uint32_t)srgb_encode(color[i]) << shift;
        return;
    }
    float scale = (float)((1u << f->bits[c]) - 1);
    float bounded[LANES];
    /* A loop of its own: compilers make branches of it otherwise. */
    for (uint32_t i = 0; i < LANES; i++)
        bounded[i] = color[i] > 0 ? color[i] : 0; /* NaN: 0 */
    for (uint32_t i = 0; i < LANES; i++)
        bounded[i] = bounded[i] < 1 ? bounded[i] : 1;
    for (uint32_t i = 0; i < LANES; i++)
        raw[i] |= (uint32_t)(int32_t)(bounded[i] * scale + 0.5f) << shift;
}

static void pack(const struct pixel_format *f, const struct lanes color[4], uint32_t raw[LANES])
{
    memset(raw, 0, LANES * sizeof *raw);
    for (uint32_t c = 0; c < 4; c++) {
        if (c == 3 && f->opaque)
            for (uint32_t i = 0; i < LANES; i++)
                raw[i] |= ((1u << f->bits[c]) - 1) << f->shift[c];
        else if (f->bits[c])
            pack_channel(f, c, color[c].at, raw);
    }
}

static void mix(const struct gpu_blend *b, const struct mix *m, struct lanes to[4])
{
    struct lanes source, target;
    for (uint32_t c = 0; c < 4; c++) {
        bool alpha = c == 3 && !b->alpha_follows;
        factors[alpha ? b->src_alpha : b->src](m, c, source.at);
        factors[alpha ? b->dst_alpha : b->dst](m, c, target.at);
        operations[alpha ? b->op_alpha : b->op](m->source[c].at, source.at, m->target[c].at,
                                                target.at, to[c].at);
    }
}

/* Values that a target cannot hold are clamped before blending. */
static void clamp(const struct lanes from[4], struct lanes to[4])
{
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t i = 0; i < LANES; i++) {
            float value = from[c].at[i] > 0 ? from[c].at[i] : 0;
            to[c].at[i] = value < 1 ? value : 1;
        }
}

void blend_tile(const struct raster *r, const struct raster_target *t, const struct tile *tile,
                const struct lanes color[4])
{
    const struct pixel_format *f = t->surface.format;
    uint32_t raw[LANES], old[LANES];
    bool reads = r->blend.enable || t->keeps || !tile->whole;
    if (reads)
        pixels_read(&t->surface, tile, old);
    if (r->blend.enable) {
        struct lanes source[4], target[4], mixed[4];
        clamp(color, source);
        if (f->bytes == 4)
            unpack(f, old, target);
        else
            unpack_narrow(f, old, target);
        mix(&r->blend, &(struct mix){source, target, r->blend.constant}, mixed);
        pack(f, mixed, raw);
    } else {
        pack(f, color, raw);
    }
    if (reads)
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t bits = t->bits & (uint32_t)tile->mask[i];
            raw[i] = (raw[i] & bits) | (old[i] & ~bits);
        }
    pixels_write(&t->surface, tile, raw);
}

void blend_fill(const struct raster_target *t, const struct tile *tile, uint32_t value)
{
    uint32_t raw[LANES];
    if (tile->whole) {
        for (uint32_t i = 0; i < LANES; i++)
            raw[i] = value;
    } else {
        pixels_read(&t->surface, tile, raw);
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t bits = (uint32_t)tile->mask[i];
            raw[i] = (value & bits) | (raw[i] & ~bits);
        }
    }
    pixels_write(&t->surface, tile, raw);
}
