/* sample.c - texture lookups: addressing, nearest and linear filters, levels.
 *
 * Coordinates are brought into the texture before anything is read, so every lane reads
 * something, whether it will be seen or not. */
#include "gpu/sample.h"

#include "base/in.h"

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

/* ---- addressing ------------------------------------------------------------------- */

/* Where a coordinate lies along `size` texels: for repeat in [0, size), for mirror in
 * [0, 2 size), for clamp anywhere near. */
static void scale(uint8_t address, const float *coordinate, uint32_t size, uint32_t lanes,
                  float *restrict to)
{
    float by = (float)size;
    if (address == GPU_CLAMP) {
        for (uint32_t i = 0; i < lanes; i++)
            to[i] = within(coordinate[i], -1, 2) * by;
        return;
    }
    float period = address == GPU_MIRROR ? 2 : 1;
    for (uint32_t i = 0; i < lanes; i++) {
        float at = within(coordinate[i], -FAR, FAR);
        to[i] = (at - period * (float)floor_int(at / period)) * by;
    }
}

/* The texel that index i stands for, where i is at most one period outside. */
static void wrap(uint8_t address, int32_t size, uint32_t lanes, int32_t *restrict index)
{
    int32_t last = size - 1;
    if (address == GPU_REPEAT)
        for (uint32_t i = 0; i < lanes; i++) {
            int32_t at = index[i];
            at += at < 0 ? size : 0;
            index[i] = at - (at > last ? size : 0);
        }
    if (address == GPU_MIRROR)
        for (uint32_t i = 0; i < lanes; i++)
            index[i] = index[i] > last ? 2 * size - 1 - index[i] : index[i];
    for (uint32_t i = 0; i < lanes; i++) {
        int32_t at = index[i] > 0 ? index[i] : 0;
        index[i] = at < last ? at : last;
    }
}

struct axis {
    int32_t first[LANES], second[LANES];
    float part[LANES]; /* how far towards the second */
};

static void axis_nearest(uint8_t address, const float *coordinate, uint32_t size, uint32_t lanes,
                         struct axis *axis)
{
    float at[LANES];
    scale(address, coordinate, size, lanes, at);
    for (uint32_t i = 0; i < lanes; i++)
        axis->first[i] = floor_int(at[i]);
    wrap(address, (int32_t)size, lanes, axis->first);
}

static void axis_linear(uint8_t address, const float *coordinate, uint32_t size, uint32_t lanes,
                        struct axis *axis)
{
    float at[LANES];
    scale(address, coordinate, size, lanes, at);
    for (uint32_t i = 0; i < lanes; i++) {
        float from = at[i] - 0.5f;
        int32_t whole = floor_int(from);
        axis->first[i] = whole;
        axis->second[i] = whole + 1;
        axis->part[i] = from - (float)whole;
    }
    wrap(address, (int32_t)size, lanes, axis->first);
    wrap(address, (int32_t)size, lanes, axis->second);
}

/* ---- texels as numbers --------------------------------------------------------------- */

static void gather(const struct texel_level *level, const int32_t *x, const int32_t *y,
                   uint32_t lanes, uint32_t *restrict raw)
{
    for (uint32_t i = 0; i < lanes; i++)
        raw[i] = load_u32(level->at + (size_t)(uint32_t)y[i] * level->pitch +
                          4 * (size_t)(uint32_t)x[i]);
}

/* Channel c: bytes as 0 to 255, or as linear light; depth from 0 to 1. */
static void channel(const struct texture_unit *unit, uint32_t c, const uint32_t *raw,
                    uint32_t lanes, float *restrict to)
{
    static const uint8_t shifts[2][4] = {
        [TEXEL_RGBA] = {0, 8, 16, 24}, [TEXEL_BGRA] = {16, 8, 0, 24}};
    if (unit->kind == TEXEL_FLOAT) {
        memcpy(to, raw, lanes * sizeof *to);
        return;
    }
    if (unit->kind == TEXEL_DEPTH24) {
        for (uint32_t i = 0; i < lanes; i++)
            to[i] = (float)((double)(raw[i] & 0xffffff) / 16777215.0);
        return;
    }
    uint32_t shift = shifts[unit->kind][c];
    if (unit->srgb && c < 3) {
        for (uint32_t i = 0; i < lanes; i++)
            to[i] = srgb_linear[raw[i] >> shift & 255];
        return;
    }
    for (uint32_t i = 0; i < lanes; i++)
        to[i] = (float)(int32_t)(raw[i] >> shift & 255);
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

static void fill(float *to, float value, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes; i++)
        to[i] = value;
}

static void level_nearest(const struct texture_unit *unit, const struct texel_level *level,
                          const struct gpu_sampling *s, const float *u, const float *v,
                          uint32_t lanes, struct lanes texel[4])
{
    struct axis x, y;
    uint32_t raw[LANES];
    axis_nearest(s->address_u, u, level->width, lanes, &x);
    axis_nearest(s->address_v, v, level->height, lanes, &y);
    gather(level, x.first, y.first, lanes, raw);
    for (uint32_t c = 0; c < 4; c++) {
        float fixed, by = channel_scale(unit, c);
        if (channel_fixed(unit, c, &fixed)) {
            fill(texel[c].at, fixed, lanes);
            continue;
        }
        channel(unit, c, raw, lanes, texel[c].at);
        for (uint32_t i = 0; by != 1.0f && i < lanes; i++)
            texel[c].at[i] /= by;
    }
}

static void level_linear(const struct texture_unit *unit, const struct texel_level *level,
                         const struct gpu_sampling *s, const float *u, const float *v,
                         uint32_t lanes, struct lanes texel[4])
{
    struct axis x, y;
    uint32_t raw[4][LANES];
    axis_linear(s->address_u, u, level->width, lanes, &x);
    axis_linear(s->address_v, v, level->height, lanes, &y);
    gather(level, x.first, y.first, lanes, raw[0]);
    gather(level, x.second, y.first, lanes, raw[1]);
    gather(level, x.first, y.second, lanes, raw[2]);
    gather(level, x.second, y.second, lanes, raw[3]);
    for (uint32_t c = 0; c < 4; c++) {
        float fixed, by = channel_scale(unit, c);
        struct lanes corner[4];
        if (channel_fixed(unit, c, &fixed)) {
            fill(texel[c].at, fixed, lanes);
            continue;
        }
        for (int k = 0; k < 4; k++)
            channel(unit, c, raw[k], lanes, corner[k].at);
        for (uint32_t i = 0; i < lanes; i++) {
            float top = corner[0].at[i] + (corner[1].at[i] - corner[0].at[i]) * x.part[i];
            float low = corner[2].at[i] + (corner[3].at[i] - corner[2].at[i]) * x.part[i];
            texel[c].at[i] = (top + (low - top) * y.part[i]) / by;
        }
    }
}

/* ---- levels -------------------------------------------------------------------------- */

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
    /* Neither zero nor infinity nor NaN have a logarithm of use. */
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
                       const float *u, const float *v, uint32_t lanes, bool tiled,
                       struct choice choices[LANES])
{
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t corner = i & ~9u; /* of its quad: even column, even row */
        if (tiled && i != corner)
            choices[i] = choices[corner];
        else
            choices[i] =
                choose(unit, s, s->lod_bias + (tiled ? quad_level(unit, u, v, corner) : 0));
    }
}

static void level_sample(const struct texture_unit *unit, const struct gpu_sampling *s,
                         struct choice choice, const float *u, const float *v, uint32_t lanes,
                         struct lanes texel[4])
{
    const struct texel_level *level = &unit->levels[choice.level];
    if (choice.linear)
        level_linear(unit, level, s, u, v, lanes, texel);
    else
        level_nearest(unit, level, s, u, v, lanes, texel);
}

/* Lanes that made the choice `same` take their texels, mixed with those of the next level. */
static void take_choice(const struct texture_unit *unit, const struct gpu_sampling *s,
                        struct choice same, const struct choice choices[LANES], const float *u,
                        const float *v, uint32_t lanes, struct lanes texel[4])
{
    struct lanes here[4], next[4];
    bool mixed = false;
    for (uint32_t i = 0; i < lanes; i++)
        mixed |= choices[i].level == same.level && choices[i].next > 0;
    level_sample(unit, s, same, u, v, lanes, here);
    if (mixed) {
        same.level++;
        level_sample(unit, s, same, u, v, lanes, next);
        same.level--;
    }
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t i = 0; i < lanes; i++)
            if (choices[i].level == same.level && choices[i].linear == same.linear) {
                float value = here[c].at[i];
                if (mixed)
                    value += (next[c].at[i] - value) * choices[i].next;
                texel[c].at[i] = value;
            }
}

void texel_sample(const struct texture_unit *unit, const struct gpu_sampling *s, const float *u,
                  const float *v, uint32_t lanes, const struct shader_env *env,
                  struct lanes texel[4])
{
    bool one_level = unit->level_count == 1 || !s->mips;
    if (one_level && s->mag_linear == s->min_linear) {
        level_sample(unit, s, (struct choice){.linear = s->mag_linear}, u, v, lanes, texel);
        return;
    }
    struct choice choices[LANES];
    bool done[LANES] = {false};
    choose_all(unit, s, u, v, lanes, env->tiled && lanes == LANES, choices);
    for (uint32_t i = 0; i < lanes; i++) {
        if (done[i])
            continue;
        take_choice(unit, s, choices[i], choices, u, v, lanes, texel);
        for (uint32_t k = i; k < lanes; k++)
            done[k] |=
                choices[k].level == choices[i].level && choices[k].linear == choices[i].linear;
    }
}

void texel_load(const struct texture_unit *unit, const float *x, const float *y, const float *level,
                uint32_t lanes, struct lanes texel[4])
{
    for (uint32_t i = 0; i < lanes; i++) {
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
            if (!channel_fixed(unit, c, &value)) {
                channel(unit, c, &raw, 1, &value);
                value /= channel_scale(unit, c);
            }
            texel[c].at[i] = value;
        }
    }
}
