/* blend.c - colors into a target: blended with what is there, rounded, masked. */
#include "gpu/pixels.h"

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

/* ---- texels to colors and back ---------------------------------------------------------- */

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

/* What a target cannot hold is cut off before it is blended. */
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
