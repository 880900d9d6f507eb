/* sample.c - texture lookups: addressing, nearest and linear filters, levels.
 *
 * Coordinates are brought into the texture before anything is read, so every lane reads
 * something, whether it will be seen or not. */
#include "base/in.h"
#include "base/out.h"
#include "gpu/pixel.h"
#include "gpu/texture.h"

/* ---- pixel row --------------------------------------------------------------------------- */

/* Whole rows of texels as RGBA, for pictures that are shown. */

/* Channels of a byte each: red and blue change places or not, alpha is there or not. */
static void row_of_words(const struct pixel_format *f, const uint8_t *restrict from, uint32_t width,
                         uint8_t *restrict to)
{
    uint32_t alpha = f->opaque ? 0xff000000u : 0;
    if (!f->shift[0]) {
        for (uint32_t x = 0; x < width; x++)
            store_u32(to + 4 * (size_t)x, load_u32(from + 4 * (size_t)x) | alpha);
        return;
    }
    for (uint32_t x = 0; x < width; x++) {
        uint32_t raw = load_u32(from + 4 * (size_t)x);
        uint32_t turned = (raw & 0xff00ff00u) | (raw >> 16 & 255) | (raw & 255) << 16;
        store_u32(to + 4 * (size_t)x, turned | alpha);
    }
}

void pixel_row_to_rgba(const struct pixel_format *f, const uint8_t *from, uint32_t width,
                       uint8_t *to)
{
    if (f->bytes == 4) {
        row_of_words(f, from, width, to);
        return;
    }
    for (uint32_t x = 0; x < width; x++)
        store_u32(to + 4 * (size_t)x, pixel_to_rgba(f, load_u16(from + 2 * (size_t)x)));
}

/* Beyond this a float has no fraction; conversions to integers stay defined. */
#define FAR 16777216.0f

static float within(float v, float low, float high)
{
    v = v > low ? v : low; /* NaN: low */
    return v < high ? v : high;
}

static int32_t floor_int(float v)
{
    int32_t whole = (int32_t)v;
    return whole - ((float)whole > v);
}

/* ---- addressing -------------------------------------------------------------------------- */

/* Where a coordinate lies along `size` texels: for repeat in [0, size), for mirror in
 * [0, 2 size), for clamp anywhere near. */
static void scale(uint8_t address, const float *coordinate, uint32_t size, float *restrict to)
{
    float by = (float)size;
    if (address == GPU_CLAMP) {
        for (uint32_t i = 0; i < LANES; i++)
            to[i] = within(coordinate[i], -1, 2) * by;
        return;
    }
    float period = address == GPU_MIRROR ? 2 : 1, inverse = 1 / period;
    for (uint32_t i = 0; i < LANES; i++) {
        float at = within(coordinate[i], -FAR, FAR);
        to[i] = (at - period * (float)floor_int(at * inverse)) * by;
    }
}

/* The texel of index i, where i is at most one period outside. */
static void wrap(uint8_t address, int32_t size, int32_t *restrict index)
{
    int32_t last = size - 1;
    if (address == GPU_REPEAT) {
        for (uint32_t i = 0; i < LANES; i++) {
            int32_t at = index[i] + (index[i] < 0 ? size : 0);
            index[i] = at - (at > last ? size : 0);
        }
        return;
    }
    if (address == GPU_MIRROR)
        for (uint32_t i = 0; i < LANES; i++)
            index[i] = index[i] > last ? 2 * size - 1 - index[i] : index[i];
    for (uint32_t i = 0; i < LANES; i++) {
        int32_t at = index[i] > 0 ? index[i] : 0;
        index[i] = at < last ? at : last;
    }
}

struct axis {
    int32_t first[LANES], second[LANES];
    float part[LANES]; /* how far towards the second */
};

static void axis_nearest(uint8_t address, const float *coordinate, uint32_t size, struct axis *axis)
{
    float at[LANES];
    scale(address, coordinate, size, at);
    for (uint32_t i = 0; i < LANES; i++)
        axis->first[i] = floor_int(at[i]);
    wrap(address, (int32_t)size, axis->first);
}

static void axis_linear(uint8_t address, const float *coordinate, uint32_t size, struct axis *axis)
{
    float at[LANES];
    scale(address, coordinate, size, at);
    for (uint32_t i = 0; i < LANES; i++) {
        float from = at[i] - 0.5f;
        int32_t whole = floor_int(from);
        axis->first[i] = whole;
        axis->second[i] = whole + 1;
        axis->part[i] = from - (float)whole;
    }
    wrap(address, (int32_t)size, axis->first);
    wrap(address, (int32_t)size, axis->second);
}

/* ---- texels as numbers ------------------------------------------------------------------- */

static void gather(const struct texel_level *level, const int32_t *x, const int32_t *y,
                   uint32_t *restrict raw)
{
    for (uint32_t i = 0; i < LANES; i++)
        raw[i] = load_u32(level->at + (size_t)(uint32_t)y[i] * level->pitch +
                          4 * (size_t)(uint32_t)x[i]);
}

static uint32_t channel_shift(const struct texture_unit *unit, uint32_t c)
{
    return 8 * (unit->kind == TEXEL_BGRA && c < 3 ? 2 - c : c);
}

/* Channel c of a texel: a byte as 0 to 255, or as linear light; depth from 0 to 1. */
static float channel(const struct texture_unit *unit, uint32_t c, uint32_t raw)
{
    float value;
    if (unit->kind == TEXEL_DEPTH24)
        return (float)((double)(raw & 0xffffff) / 16777215.0);
    if (unit->kind == TEXEL_FLOAT) {
        memcpy(&value, &raw, sizeof value);
        return value;
    }
    uint32_t byte = raw >> channel_shift(unit, c) & 255;
    return unit->srgb && c < 3 ? srgb_linear[byte] : (float)byte;
}

/* What the numbers of a channel are divided by. */
static float channel_scale(const struct texture_unit *unit, uint32_t c)
{
    return unit->kind >= TEXEL_DEPTH24 || (unit->srgb && c < 3) ? 1.0f : 255.0f;
}

/* Whether channel c is the same for all texels: what a texture does not store. */
static bool channel_fixed(const struct texture_unit *unit, uint32_t c, float *value)
{
    *value = c == 3;
    return unit->kind >= TEXEL_DEPTH24 ? c > 0 : unit->opaque && c == 3;
}

static void texels_fill(float *to, float value)
{
    for (uint32_t i = 0; i < LANES; i++)
        to[i] = value;
}

/* Four texels mixed, the common case: bytes. Both divide by 255 at the end alone. */
static void mix_bytes(uint32_t (*raw)[LANES], uint32_t shift, const float *restrict x,
                      const float *restrict y, float *restrict to)
{
    for (uint32_t i = 0; i < LANES; i++) {
        float a = (float)(int32_t)(raw[0][i] >> shift & 255);
        float b = (float)(int32_t)(raw[1][i] >> shift & 255);
        float c = (float)(int32_t)(raw[2][i] >> shift & 255);
        float d = (float)(int32_t)(raw[3][i] >> shift & 255);
        float top = a + (b - a) * x[i], low = c + (d - c) * x[i];
        to[i] = (top + (low - top) * y[i]) / 255.0f;
    }
}

/* Any other channel. */
static void mix_any(const struct texture_unit *unit, uint32_t channel_index, uint32_t (*raw)[LANES],
                    const float *x, const float *y, float *to)
{
    float by = channel_scale(unit, channel_index);
    for (uint32_t i = 0; i < LANES; i++) {
        float v[4];
        for (int k = 0; k < 4; k++)
            v[k] = channel(unit, channel_index, raw[k][i]);
        float top = v[0] + (v[1] - v[0]) * x[i], low = v[2] + (v[3] - v[2]) * x[i];
        to[i] = (top + (low - top) * y[i]) / by;
    }
}

static bool is_bytes(const struct texture_unit *unit, uint32_t c)
{
    return channel_scale(unit, c) != 1.0f;
}

static void level_nearest(const struct texture_unit *unit, const struct texel_level *level,
                          const struct gpu_sampling *s, const float *u, const float *v,
                          struct lanes texel[4])
{
    struct axis x, y;
    uint32_t raw[LANES];
    axis_nearest(s->address_u, u, level->width, &x);
    axis_nearest(s->address_v, v, level->height, &y);
    gather(level, x.first, y.first, raw);
    for (uint32_t c = 0; c < 4; c++) {
        float fixed;
        uint32_t shift = channel_shift(unit, c);
        float *restrict to = texel[c].at;
        if (channel_fixed(unit, c, &fixed))
            texels_fill(to, fixed);
        else if (is_bytes(unit, c))
            for (uint32_t i = 0; i < LANES; i++)
                to[i] = (float)(int32_t)(raw[i] >> shift & 255) / 255.0f;
        else
            for (uint32_t i = 0; i < LANES; i++)
                to[i] = channel(unit, c, raw[i]);
    }
}

static void level_linear(const struct texture_unit *unit, const struct texel_level *level,
                         const struct gpu_sampling *s, const float *u, const float *v,
                         struct lanes texel[4])
{
    struct axis x, y;
    uint32_t raw[4][LANES];
    axis_linear(s->address_u, u, level->width, &x);
    axis_linear(s->address_v, v, level->height, &y);
    gather(level, x.first, y.first, raw[0]);
    gather(level, x.second, y.first, raw[1]);
    gather(level, x.first, y.second, raw[2]);
    gather(level, x.second, y.second, raw[3]);
    for (uint32_t c = 0; c < 4; c++) {
        float fixed;
        if (channel_fixed(unit, c, &fixed))
            texels_fill(texel[c].at, fixed);
        else if (is_bytes(unit, c))
            mix_bytes(raw, channel_shift(unit, c), x.part, y.part, texel[c].at);
        else
            mix_any(unit, c, raw, x.part, y.part, texel[c].at);
    }
}

/* ---- levels ------------------------------------------------------------------------------ */

/* log2 of a positive number, the same on every machine: 2 atanh((m - 1) / (m + 1)) / ln 2. */
static float log2_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    int32_t exponent = (int32_t)(bits >> 23 & 255) - 127;
    bits = (bits & 0x7fffff) | 0x3f800000u;
    float mantissa;
    memcpy(&mantissa, &bits, sizeof mantissa);
    double s = ((double)mantissa - 1) / ((double)mantissa + 1), square = s * s, sum = 0;
    for (int k = 21; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return (float)(exponent + 2 * s * sum * 1.4426950408889634074);
}

/* How far texels are apart in a quad, as a level: 0 where they are one apart or less. */
static float quad_level(const struct texture_unit *unit, const float *u, const float *v,
                        uint32_t at)
{
    float width = (float)unit->levels[0].width, height = (float)unit->levels[0].height;
    float ux = (u[at + 1] - u[at]) * width, vx = (v[at + 1] - v[at]) * height;
    float uy = (u[at + 8] - u[at]) * width, vy = (v[at + 8] - v[at]) * height;
    float across = ux * ux + vx * vx, down = uy * uy + vy * vy;
    float square = across > down ? across : down;
    /* Zero, infinity and NaN have no usable logarithm. */
    if (!(square > 1e-12f))
        return -20;
    if (!(square < 1e12f))
        return 20;
    return 0.5f * log2_of(square);
}

/* What one lane reads: a level, by which filter, and how much of the next one. */
struct choice {
    uint8_t level, linear;
    float next;
};

static struct choice choose(const struct texture_unit *unit, const struct gpu_sampling *s,
                            float level)
{
    float last = (float)(unit->level_count - 1);
    struct choice choice = {.linear = level > 0 ? s->min_linear : s->mag_linear};
    if (!s->mips)
        last = 0;
    float low = (float)s->level_min < last ? (float)s->level_min : last;
    level = within(level, low, last);
    if (!s->mip_linear) {
        choice.level = (uint8_t)(level + 0.5f);
        return choice;
    }
    choice.level = (uint8_t)level;
    choice.next = level - (float)choice.level;
    return choice;
}

static void choose_all(const struct texture_unit *unit, const struct gpu_sampling *s,
                       const float *u, const float *v, bool tiled, struct choice choices[LANES])
{
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t corner = i & ~9u; /* of its quad: even column, even row */
        if (tiled && i != corner)
            choices[i] = choices[corner];
        else
            choices[i] =
                choose(unit, s, s->lod_bias + (tiled ? quad_level(unit, u, v, corner) : 0));
    }
}

static void level_sample(const struct texture_unit *unit, const struct gpu_sampling *s,
                         struct choice choice, const float *u, const float *v,
                         struct lanes texel[4])
{
    const struct texel_level *level = &unit->levels[choice.level];
    if (choice.linear)
        level_linear(unit, level, s, u, v, texel);
    else
        level_nearest(unit, level, s, u, v, texel);
}

/* Lanes that made the choice `same` take their texels, mixed with those of the next level. */
static void take_choice(const struct texture_unit *unit, const struct gpu_sampling *s,
                        struct choice same, const struct choice choices[LANES], const float *u,
                        const float *v, struct lanes texel[4])
{
    struct lanes here[4], next[4];
    bool mixed = false;
    for (uint32_t i = 0; i < LANES; i++)
        mixed |= choices[i].level == same.level && choices[i].next > 0;
    level_sample(unit, s, same, u, v, here);
    if (mixed) {
        same.level++;
        level_sample(unit, s, same, u, v, next);
        same.level--;
    }
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t i = 0; i < LANES; i++)
            if (choices[i].level == same.level && choices[i].linear == same.linear) {
                float value = here[c].at[i];
                if (mixed)
                    value += (next[c].at[i] - value) * choices[i].next;
                texel[c].at[i] = value;
            }
}

void texel_sample(const struct texture_unit *unit, const struct gpu_sampling *s, const float *u,
                  const float *v, const struct shader_env *env, struct lanes texel[4])
{
    bool one_level = unit->level_count == 1 || !s->mips;
    if (one_level && s->mag_linear == s->min_linear) {
        level_sample(unit, s, (struct choice){.linear = s->mag_linear}, u, v, texel);
        return;
    }
    struct choice choices[LANES];
    bool done[LANES] = {false};
    choose_all(unit, s, u, v, env->tiled, choices);
    for (uint32_t i = 0; i < LANES; i++) {
        if (done[i])
            continue;
        take_choice(unit, s, choices[i], choices, u, v, texel);
        for (uint32_t k = i; k < LANES; k++)
            done[k] |=
                choices[k].level == choices[i].level && choices[k].linear == choices[i].linear;
    }
}

void texel_load(const struct texture_unit *unit, const float *x, const float *y, const float *level,
                struct lanes texel[4])
{
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t at[3];
        memcpy(&at[0], &x[i], 4);
        memcpy(&at[1], &y[i], 4);
        memcpy(&at[2], &level[i], 4);
        bool there = at[2] < unit->level_count && at[0] < unit->levels[at[2]].width &&
                     at[1] < unit->levels[at[2]].height;
        for (uint32_t c = 0; c < 4; c++)
            texel[c].at[i] = 0;
        if (!there)
            continue;
        const struct texel_level *l = &unit->levels[at[2]];
        uint32_t raw = load_u32(l->at + (size_t)at[1] * l->pitch + 4 * (size_t)at[0]);
        for (uint32_t c = 0; c < 4; c++) {
            float value;
            bool fixed = channel_fixed(unit, c, &value);
            texel[c].at[i] = fixed ? value : channel(unit, c, raw) / channel_scale(unit, c);
        }
    }
}
