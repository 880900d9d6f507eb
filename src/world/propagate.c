/* propagate.c - what propagators do to the fields, in the order of the recipe.
 *
 * Each operation is rounded to f32 once, nothing is fused, sums go in the order of the
 * neighbours: the result is the same to the bit on every machine. A propagator reads what was
 * published last; only `copy` sees what an earlier one has written in the same tick. */
#include "world/float_bits.h"
#include "world/propagate.h"

#include <string.h>

static propagator *const table[PROP_KINDS];

/* Which NaN an operation gives differs between processors, so there is one. */
static uint32_t plain_bits(float value)
{
    return value != value ? 0x7fc00000u : bits_of(value);
}

/* The public engine stores the NaN of its processor. */
static uint32_t result_bits(const struct work *w, float value)
{
    return w->grid->recipe.full ? plain_bits(value) : bits_of(value);
}

static void fill(const struct work *w, uint32_t bits)
{
    for (uint64_t i = 0; i < w->count; i++)
        w->out[i] = bits;
}

static bool constant(const struct work *w)
{
    fill(w, w->prop->bits);
    return true;
}

static bool copy_before(const struct work *w)
{
    memcpy(w->out, w->in, w->count * sizeof *w->out);
    return true;
}

static bool copy(const struct work *w)
{
    const uint32_t *in = w->from->fresh ? w->from->staged : w->in;
    memmove(w->out, in, w->count * sizeof *w->out);
    return true;
}

uint32_t propagate_blend(const struct neighbours *near, const uint32_t *in, uint64_t cell,
                         uint32_t component, uint32_t components, double k)
{
    uint32_t at = near->from[cell], end = near->from[cell + 1], n = end - at;
    uint32_t before = in[cell * components + component];
    float sum = -0.0f;
    if (!n)
        return before;
    for (; at < end; at++)
        sum += float_of(in[(uint64_t)near->at[at] * components + component]);
    const double share = k * n;
    const float alpha = (float)(share < 1 ? share : 1.0), mean = sum / (float)n;
    const float kept = (1.0f - alpha) * float_of(before), come = alpha * mean;
    return bits_of(kept + come);
}

static bool diffuse(const struct work *w)
{
    const struct neighbours *near = &w->grid->near;
    const double k = w->prop->factor * double_of(w->grid->recipe.dt_bits);
    for (uint64_t i = 0; i < w->count; i++) {
        uint32_t bits = propagate_blend(near, w->in, i, 0, 1, k);
        w->out[i] = near->from[i] < near->from[i + 1] ? result_bits(w, float_of(bits)) : bits;
    }
    return true;
}

/* The diffusion of the engine's own example: a wall has the value of the cell itself. */
static bool example(const struct work *w)
{
    const struct space *s = &w->grid->recipe.space;
    const float rate = (float)(w->prop->factor * double_of(w->grid->recipe.dt_bits));
    for (uint64_t i = 0; i < w->count; i++) {
        uint64_t row = i / s->cols, col = i % s->cols;
        float p = float_of(w->in[i]);
        float n = row ? float_of(w->in[i - s->cols]) : p;
        float south = row + 1 < s->rows ? float_of(w->in[i + s->cols]) : p;
        float west = col ? float_of(w->in[i - 1]) : p;
        float east = col + 1 < s->cols ? float_of(w->in[i + 1]) : p;
        float sum = n + south;
        sum += east;
        sum += west;
        float four = 4.0f * p, lap = sum - four, more = rate * lap, next = p + more;
        /* A NaN is not above 0. */
        w->out[i] = i == w->prop->number ? w->prop->bits : bits_of(next > 0 ? next : 0.0f);
    }
    return true;
}

static bool failing(const struct work *w)
{
    if (w->calls >= w->prop->number)
        return false;
    fill(w, bits_of((float)w->calls));
    return true;
}

static bool param_fill(const struct work *w)
{
    fill(w, plain_bits(w->user->param(w->user->world, w->prop->key)));
    return true;
}

static bool scale(const struct work *w)
{
    float by = w->user->param(w->user->world, w->prop->key);
    for (uint64_t i = 0; i < w->count; i++)
        w->out[i] = plain_bits(float_of(w->in[i]) * by);
    return true;
}

static bool noise(const struct work *w)
{
    float by = float_of(w->prop->bits);
    for (uint64_t i = 0; i < w->count; i++) {
        uint64_t z = w->user->random(w->user->world, (UINT64_C(1) << 40) + i);
        float u = (float)(z >> 40) / 8388608.0f - 1.0f, more = by * u;
        w->out[i] = plain_bits(float_of(w->in[i]) + more);
    }
    return true;
}

/* Four small numbers, which every float holds exactly. */
static bool hash_fields(const struct work *w)
{
    uint64_t d = w->user->digest(w->user->world);
    for (uint64_t i = 0; i < w->count; i++)
        w->out[i] = i < 4 ? bits_of((float)(d >> (16 * i) & 0xffff)) : 0;
    return true;
}

const struct recipe_prop *grid_propagate(struct grid *g, const struct grid_user *user)
{
    for (size_t i = 0; i < g->recipe.prop_count; i++) {
        const struct recipe_prop *p = &g->recipe.props[i];
        struct grid_field *to = &g->fields[p->writes];
        const struct work w = {.grid = g,
                               .prop = p,
                               .user = user,
                               .from = &g->fields[p->reads],
                               .in = g->fields[p->reads].published,
                               .out = to->staged,
                               .count = to->count,
                               .calls = g->calls[i]++};
        if (!table[p->kind](&w))
            return p;
        to->fresh = true;
        if (p->also != RECIPE_NONE)
            g->fields[p->also].fresh = true;
    }
    return NULL;
}

static propagator *const table[PROP_KINDS] = {
    [PROP_CONST] = constant,
    [PROP_COPYPREV] = copy_before,
    [PROP_COPY] = copy,
    [PROP_HOLD] = copy_before,
    [PROP_DIFFUSE] = diffuse,
    [PROP_EXAMPLE] = example,
    [PROP_FAIL] = failing,
    [PROP_PARAMFILL] = param_fill,
    [PROP_SCALE] = scale,
    [PROP_NOISE] = noise,
    [PROP_DIGEST] = hash_fields,
    [PROP_SCALARDIFF] = propagate_scalardiff,
    [PROP_GRADIENT] = propagate_gradient,
    [PROP_FLOW] = propagate_flow,
    [PROP_IDENTITY] = copy_before,
    [PROP_WAVE] = propagate_wave,
    [PROP_RESOURCE] = propagate_resource,
    [PROP_EMISSION] = propagate_emission,
    [PROP_NOISEINJ] = propagate_noise,
    [PROP_MORPH] = propagate_morph,
    [PROP_REFDIFFUSION] = propagate_refdiffusion,
    [PROP_MOVEMENT] = propagate_movement,
    [PROP_REWARD] = propagate_reward,
};
