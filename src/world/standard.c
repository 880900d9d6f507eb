/* standard.c - the standard propagators of the public engine, version 0.1.9, bit for bit.
 *
 * Each operation is rounded to f32 once and nothing is fused, but where f64 is named. exp(), log()
 * and cos() are those of the platform's libm, in the engine too. */
#include "world/float_bits.h"
#include "world/propagate.h"

#include <math.h>

static const uint32_t *published(const struct work *w, uint32_t field)
{
    return w->grid->fields[field].published;
}

/* What an earlier propagator of this tick has made of a field, or else what was published. */
static const uint32_t *current(const struct work *w, uint32_t field)
{
    const struct grid_field *f = &w->grid->fields[field];
    return f->fresh ? f->staged : f->published;
}

static double step_of(const struct work *w)
{
    return double_of(w->grid->recipe.dt_bits);
}

static bool is_there(uint32_t bits)
{
    return float_of(bits) != 0.0f; /* a NaN is not zero */
}

static float clamped(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value; /* a NaN passes */
}

/* ---- gradients --------------------------------------------------------------------------- */

struct slope {
    float x, y;
    bool has_x, has_y; /* a neighbour lies along this axis */
};

static float value_at(const struct work *w, const uint32_t *in, uint64_t cell, int rows, int cols)
{
    uint64_t to = space_step(&w->grid->recipe.space, cell, rows, cols);
    return float_of(in[to == RAS_NONE ? cell : to]);
}

/* Differences across the cell, not yet halved. */
static struct slope central(const struct work *w, const uint32_t *in, uint64_t cell)
{
    return (struct slope){value_at(w, in, cell, 0, 1) - value_at(w, in, cell, 0, -1),
                          value_at(w, in, cell, 1, 0) - value_at(w, in, cell, -1, 0), true, true};
}

/* How far a neighbour is along the first two axes. With `extents` the short way round. */
static void deltas(const struct space *s, uint64_t from, uint64_t to, const int32_t *extents,
                   int32_t by[2])
{
    int32_t a[RAS_WORLD_AXES], b[RAS_WORLD_AXES];
    uint32_t axes = space_coord(s, from, a);
    space_coord(s, to, b);
    for (unsigned i = 0; i < 2; i++) {
        by[i] = i < axes ? b[i] - a[i] : 0;
        if (!extents || extents[i] <= 1)
            continue;
        if (by[i] > extents[i] / 2)
            by[i] -= extents[i];
        else if (by[i] < -(extents[i] / 2))
            by[i] += extents[i];
    }
}

/* The mean slope to the neighbours along each axis. */
static struct slope axis_mean(const struct work *w, const uint32_t *in, uint64_t cell,
                              const int32_t *extents)
{
    const struct neighbours *near = &w->grid->near;
    const float here = float_of(in[cell]);
    float sums[2] = {0.0f, 0.0f};
    uint32_t counts[2] = {0, 0};
    for (uint32_t at = near->from[cell]; at < near->from[cell + 1]; at++) {
        int32_t by[2];
        deltas(&w->grid->recipe.space, cell, near->at[at], extents, by);
        float more = float_of(in[near->at[at]]) - here;
        for (unsigned i = 0; i < 2; i++)
            if (by[i]) {
                float slope = more / (float)by[i];
                sums[i] += slope;
                counts[i]++;
            }
    }
    return (struct slope){counts[1] ? sums[1] / (float)counts[1] : 0.0f,
                          counts[0] ? sums[0] / (float)counts[0] : 0.0f, counts[1], counts[0]};
}

static void put_gradient(const struct work *w, const uint32_t *in, const int32_t *extents,
                         uint32_t *out)
{
    const struct space *s = &w->grid->recipe.space;
    for (uint64_t i = 0; i < s->cells; i++) {
        bool square = s->kind == SPACE_SQUARE4;
        struct slope g = square ? central(w, in, i) : axis_mean(w, in, i, extents);
        out[2 * i] = bits_of(square ? g.x / 2.0f : g.x);
        out[2 * i + 1] = bits_of(square ? g.y / 2.0f : g.y);
    }
}

bool propagate_gradient(const struct work *w)
{
    put_gradient(w, w->in, NULL, w->out);
    return true;
}

bool propagate_flow(const struct work *w)
{
    const struct space *s = &w->grid->recipe.space;
    for (uint64_t i = 0; i < s->cells; i++) {
        bool square = s->kind == SPACE_SQUARE4;
        struct slope g = square ? central(w, w->in, i) : axis_mean(w, w->in, i, NULL);
        float x = square ? -g.x / 2.0f : g.has_x ? -g.x : 0.0f;
        float y = square ? -g.y / 2.0f : g.has_y ? -g.y : 0.0f;
        float xx = x * x, yy = y * y, length = sqrtf(xx + yy);
        bool normal = w->prop->choice && length > 1e-12f;
        w->out[2 * i] = bits_of(normal ? x / length : x);
        w->out[2 * i + 1] = bits_of(normal ? y / length : y);
    }
    return true;
}

/* ---- diffusion and waves ----------------------------------------------------------------- */

/* Every component of a field, mixed with those of the neighbours. */
static void spread(const struct work *w, uint32_t field)
{
    const struct grid_field *f = &w->grid->fields[field];
    const uint32_t components = w->grid->recipe.fields[field].components;
    const double k = w->prop->factor * step_of(w);
    for (uint64_t i = 0; i < f->count; i++)
        f->staged[i] = propagate_blend(&w->grid->near, f->published, i / components,
                                       (uint32_t)(i % components), components, k);
}

bool propagate_scalardiff(const struct work *w)
{
    const struct recipe_prop *p = w->prop;
    const double k = p->factor * step_of(w);
    const float decay = (float)exp(-(p->second * step_of(w)));
    for (uint64_t i = 0; i < w->count; i++) {
        uint32_t bits = propagate_blend(&w->grid->near, w->in, i, 0, 1, k);
        w->out[i] = p->second > 0 ? bits_of(float_of(bits) * decay) : bits;
    }
    for (size_t i = 0; i < p->pair_count; i++)
        if (p->pairs[i].first < w->count)
            w->out[p->pairs[i].first] = (uint32_t)p->pairs[i].second;
    for (uint64_t i = 0; i < w->count; i++) {
        if (p->given[0] && float_of(w->out[i]) < float_of(p->more[0]))
            w->out[i] = p->more[0];
        if (p->given[1] && float_of(w->out[i]) > float_of(p->more[1]))
            w->out[i] = p->more[1];
    }
    if (p->also != RECIPE_NONE)
        put_gradient(w, w->in, NULL, w->grid->fields[p->also].staged);
    return true;
}

bool propagate_refdiffusion(const struct work *w)
{
    const struct space *s = &w->grid->recipe.space;
    int32_t extents[2] = {1, 1}, at[RAS_WORLD_AXES];
    uint32_t axes = space_axes(s);
    for (uint64_t i = 0; i < s->cells; i++) {
        space_coord(s, i, at);
        for (unsigned axis = 0; axis < 2 && axis < axes; axis++)
            extents[axis] = at[axis] + 1 > extents[axis] ? at[axis] + 1 : extents[axis];
    }
    spread(w, REF_HEAT);
    spread(w, REF_VELOCITY);
    put_gradient(w, w->in, extents, w->grid->fields[REF_GRADIENT].staged);
    w->grid->fields[REF_GRADIENT].fresh = true;
    return true;
}

bool propagate_wave(const struct work *w)
{
    const struct recipe_prop *p = w->prop;
    const struct neighbours *near = &w->grid->near;
    const float c2 = (float)(p->factor * p->factor), d = (float)p->second, t = (float)step_of(w);
    const uint32_t *velocity = published(w, p->beside);
    uint32_t *faster = w->grid->fields[p->also].staged;
    for (uint64_t i = 0; i < w->count; i++) {
        uint32_t from = near->from[i], end = near->from[i + 1];
        float u = float_of(w->in[i]), v = float_of(velocity[i]), sum = -0.0f;
        for (uint32_t at = from; at < end; at++)
            sum += float_of(w->in[near->at[at]]);
        float mean = sum / (float)(end - from), lap = from < end ? mean - u : 0.0f;
        float push = c2 * lap, drag = d * v, a = push - drag, more = a * t, next = v + more;
        float moved = next * t;
        faster[i] = bits_of(next);
        w->out[i] = bits_of(u + moved);
    }
    return true;
}

/* ---- presence ---------------------------------------------------------------------------- */

bool propagate_resource(const struct work *w)
{
    const struct recipe_prop *p = w->prop;
    const uint32_t *presence = published(w, p->beside);
    const float t = (float)step_of(w), capacity = float_of(p->more[1]);
    const float regrowth = float_of(p->more[0]), taken = float_of(p->bits) * t;
    for (uint64_t i = 0; i < w->count; i++) {
        float v = float_of(w->in[i]);
        if (is_there(presence[i]))
            v = v - taken;
        if (!p->choice) {
            float more = regrowth * t;
            v = v + more;
        } else if (v > 0) {
            float grown = regrowth * v, share = v / capacity, left = 1.0f - share;
            float rate = grown * left, more = rate * t;
            v = v + more;
        }
        w->out[i] = bits_of(clamped(v, 0.0f, capacity));
    }
    return true;
}

bool propagate_emission(const struct work *w)
{
    const uint32_t *presence = published(w, w->prop->beside);
    for (uint64_t i = 0; i < w->count; i++) {
        bool there = is_there(presence[i]);
        if (w->prop->choice)
            w->out[i] = there ? w->prop->bits : 0;
        else
            w->out[i] = there ? bits_of(float_of(w->in[i]) + float_of(w->prop->bits)) : w->in[i];
    }
    return true;
}

/* All cells within the radius of one that has the wanted state, by rings around all of them. */
bool propagate_morph(const struct work *w)
{
    const struct neighbours *near = &w->grid->near;
    const bool erode = w->prop->choice;
    const uint32_t reached = erode ? 0 : bits_of(1.0f), other = erode ? bits_of(1.0f) : 0;
    uint32_t *queue = w->grid->queue;
    uint64_t count = 0, next = 0;
    for (uint64_t i = 0; i < w->count; i++) {
        bool on = float_of(w->in[i]) > float_of(w->prop->bits);
        w->out[i] = on != erode ? reached : other;
        if (on != erode)
            queue[count++] = (uint32_t)i;
    }
    for (uint64_t ring = 0; ring < w->prop->number && next < count; ring++)
        for (uint64_t end = count; next < end; next++)
            for (uint32_t at = near->from[queue[next]]; at < near->from[queue[next] + 1]; at++)
                if (w->out[near->at[at]] == other) {
                    w->out[near->at[at]] = reached;
                    queue[count++] = near->at[at];
                }
    return true;
}

bool propagate_movement(const struct work *w)
{
    memcpy(w->out, w->in, w->count * sizeof *w->out);
    for (size_t i = 0; w->user->tick == 1 && i < w->prop->pair_count; i++)
        w->out[w->prop->pairs[i].second] = bits_of((float)w->prop->pairs[i].first + 1.0f);
    return true;
}

bool propagate_reward(const struct work *w)
{
    const uint32_t *heat = current(w, REF_HEAT), *presence = current(w, REF_PRESENCE);
    for (uint64_t i = 0; i < w->count; i++) {
        float share = float_of(heat[i]) * float_of(w->prop->bits);
        w->out[i] = is_there(presence[i]) ? bits_of(share + float_of(w->prop->more[0])) : 0;
    }
    return true;
}

/* ---- noise ------------------------------------------------------------------------------- */

/* ChaCha with 8 rounds, a block of 16 words at a time. */
struct chacha {
    uint32_t key[8], block[16];
    uint64_t counter;
    unsigned used; /* words of the block */
};

static uint32_t rotated(uint32_t x, unsigned by)
{
    return x << by | x >> ((32 - by) & 31);
}

static void chacha_start(struct chacha *c, uint64_t seed)
{
    *c = (struct chacha){.used = 16};
    for (unsigned i = 0; i < 8; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(11634580027462260723);
        uint32_t word = (uint32_t)((seed >> 18 ^ seed) >> 27);
        c->key[i] = rotated(word, (32 - (unsigned)(seed >> 59)) & 31);
    }
}

static void quarter(uint32_t *x, unsigned a, unsigned b, unsigned c, unsigned d)
{
    x[a] += x[b];
    x[d] = rotated(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotated(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotated(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotated(x[b] ^ x[c], 7);
}

static void chacha_block(struct chacha *c)
{
    uint32_t first[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    memcpy(first + 4, c->key, sizeof c->key);
    first[12] = (uint32_t)c->counter;
    first[13] = (uint32_t)(c->counter >> 32);
    memcpy(c->block, first, sizeof first);
    for (unsigned round = 0; round < 8; round += 2) {
        for (unsigned i = 0; i < 4; i++)
            quarter(c->block, i, 4 + i, 8 + i, 12 + i);
        for (unsigned i = 0; i < 4; i++)
            quarter(c->block, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (unsigned i = 0; i < 16; i++)
        c->block[i] += first[i];
    c->counter++;
    c->used = 0;
}

static uint32_t chacha_word(struct chacha *c)
{
    if (c->used == 16)
        chacha_block(c);
    return c->block[c->used++];
}

/* From 0 up to 1, of 53 bits. */
static double chacha_unit(struct chacha *c)
{
    uint64_t low = chacha_word(c), high = chacha_word(c);
    return (double)((high << 32 | low) >> 11) * 0x1p-53;
}

enum { NOISE_GAUSSIAN, NOISE_UNIFORM, NOISE_SALTPEPPER };

static uint32_t disturbed(struct chacha *c, const struct recipe_prop *p, uint32_t bits)
{
    double a = chacha_unit(c);
    if (p->choice == NOISE_SALTPEPPER)
        return a >= p->factor ? bits : chacha_word(c) >> 31 ? bits_of(1.0f) : 0;
    if (p->choice == NOISE_UNIFORM)
        return bits_of(float_of(bits) + (float)(p->factor * (a * 2 - 1)));
    const double pi = 3.14159265358979323846;
    double b = chacha_unit(c), far = sqrt(-2 * log(a > 1e-300 ? a : 1e-300));
    return bits_of(float_of(bits) + (float)(p->factor * (far * cos(2 * pi * b))));
}

bool propagate_noise(const struct work *w)
{
    struct chacha c;
    chacha_start(&c, w->prop->number ^ w->user->tick);
    for (uint64_t i = 0; i < w->count; i++)
        w->out[i] = disturbed(&c, w->prop, w->in[i]);
    return true;
}
