/* stage.c - what a shader reads in a draw: constants, textures, samplers. */
#include "gpu/draw.h"

#include "base/error.h"
#include "base/memory.h"

static const char *const stage_names[] = {[GPU_VERTEX] = "vertex", [GPU_PIXEL] = "pixel"};

/* ---- constants --------------------------------------------------------------------------- */

/* Four floats of a constant buffer; what lies beyond it reads as zero. */
static int constant_get(struct gpu *g, const struct gpu_call *call, enum gpu_stage number,
                        const struct uniform *u, float value[4], uint64_t *taint)
{
    const struct gpu_stage_state *state = &g->state.stages[number];
    const struct gpu_binding *binding = &state->constants[u->buffer];
    memset(value, 0, 4 * sizeof *value);
    if (!binding->buffer && !u->buffer && state->has_registers) {
        if (u->index < GPU_CONSTANTS)
            memcpy(value, state->registers[u->index], 4 * sizeof *value);
        return RAS_OK;
    }
    if (!binding->buffer)
        return call_fail(call, RAS_EFORMAT,
                         "the %s shader reads constant buffer %" PRIu32 ", none is bound",
                         stage_names[number], u->buffer);
    struct gpu_buffer *b;
    int status = object_get(g, call, GPU_BUFFER, binding->buffer, "constant buffer", &b);
    if (status)
        return status;
    *taint |= b->object.taint;
    uint64_t end = binding->size ? (uint64_t)binding->offset + binding->size : b->size;
    end = end < b->size ? end : b->size;
    for (uint32_t c = 0; c < 4; c++) {
        uint64_t at = binding->offset + 16 * (uint64_t)u->index + 4 * c;
        uint32_t bits = at + 4 <= end ? load_u32(b->bytes + at) : 0;
        memcpy(&value[c], &bits, sizeof bits);
    }
    return RAS_OK;
}

static int fill_uniforms(struct gpu *g, const struct gpu_call *call, enum gpu_stage number,
                         struct draw_stage *s)
{
    const struct program *p = s->program;
    for (size_t i = 0; i < p->uniform_count; i++) {
        float value[4];
        memcpy(value, p->uniforms[i].bits, sizeof value);
        int status = p->uniforms[i].is_constant
                         ? constant_get(g, call, number, &p->uniforms[i], value, &s->taint)
                         : RAS_OK;
        if (status)
            return status;
        struct lanes *to = &s->file[4 * (program_first_uniform(p) + i)];
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t k = 0; k < LANES; k++)
                memcpy(&to[c].at[k], &value[c], sizeof value[c]);
    }
    return RAS_OK;
}

/* ---- textures ---------------------------------------------------------------------------- */

static enum texel_kind kind_of(const struct pixel_format *f)
{
    if (f->kind == PIXEL_DEPTH)
        return f->is_float ? TEXEL_FLOAT : TEXEL_DEPTH24;
    return f->bytes == 4 && f->kind == PIXEL_COLOR && f->shift[0] ? TEXEL_BGRA : TEXEL_RGBA;
}

static void unit_levels(struct texture_unit *unit, const struct gpu_view *view)
{
    struct gpu_texture *t = view->texture;
    bool decoded = t->format->kind != PIXEL_DEPTH && t->format->bytes != 4;
    unit->level_count = view->mips;
    for (uint32_t m = 0; m < view->mips; m++) {
        struct gpu_surface s = texture_surface(t, view->format, view->mip + m, view->layer);
        struct texel_level *level = &unit->levels[m];
        *level = (struct texel_level){s.at, s.width, s.height, s.pitch};
        if (decoded) {
            level->at = (const uint8_t *)texture_decoded(t, view->mip + m, view->layer);
            level->pitch = 4 * s.width;
        }
    }
}

static bool is_target(const struct draw *d, const struct gpu_texture *t)
{
    for (uint32_t i = 0; i < d->raster.target_count; i++)
        if (d->raster.targets[i].surface.texture == t)
            return true;
    return d->raster.depth_surface.texture == t;
}

static int unit_get(struct gpu *g, const struct gpu_call *call, enum gpu_stage number,
                    uint32_t slot, struct draw_stage *s)
{
    uint32_t handle = g->state.stages[number].textures[slot];
    struct gpu_view view;
    if (!handle)
        return call_fail(call, RAS_EFORMAT,
                         "the %s shader reads texture slot %" PRIu32 ", nothing is bound",
                         stage_names[number], slot);
    int status = texture_resolve(g, call, handle, "texture", &view);
    if (status)
        return status;
    if (is_target(g->draw, view.texture))
        return call_fail(call, RAS_EFORMAT, "texture %" PRIu32 " is drawn on and read at once",
                         handle);
    status = texture_decode(g, call, view.texture);
    if (status)
        return status;
    struct texture_unit *unit = &s->units[slot];
    unit->kind = kind_of(view.format);
    unit->srgb = view.format->srgb;
    unit->opaque = view.format->opaque;
    unit_levels(unit, &view);
    s->taint |= view.texture->object.taint;
    return RAS_OK;
}

static int samplers_get(struct gpu *g, const struct gpu_call *call, enum gpu_stage number,
                        struct draw_stage *s)
{
    /* What Direct3D 11 does where no sampler is bound. */
    static const struct gpu_sampling usual = {
        .mag_linear = true, .min_linear = true, .mip_linear = true, .mips = true};
    const struct gpu_stage_state *state = &g->state.stages[number];
    uint16_t unsaid = s->program->samplers & (uint16_t)~state->has_fixed;
    for (uint32_t i = 0; i < GPU_SAMPLERS; i++) {
        s->samplers[i] = usual;
        if (state->has_fixed >> i & 1)
            s->samplers[i] = state->fixed[i];
        if (!state->samplers[i])
            continue;
        struct gpu_sampler *sampler;
        int status = object_get(g, call, GPU_SAMPLER, state->samplers[i], "sampler", &sampler);
        if (status)
            return status;
        s->samplers[i] = sampler->sampling;
        unsaid &= (uint16_t) ~(1u << i);
    }
    if (!g->state.direct3d9 || !unsaid)
        return RAS_OK;
    s->taint |= call_bit(call);
    return call_remark(g, call, "the default sampler is linear in Direct3D 11, not in 9");
}

int stage_prepare(struct gpu *g, const struct gpu_call *call, enum gpu_stage number,
                  const struct program *p, struct draw_stage *s)
{
    s->program = p;
    s->taint = 0;
    s->env = (struct shader_env){
        .units = s->units, .samplers = s->samplers, .tiled = number == GPU_PIXEL};
    /* One more, where operands that no instruction reads may point. */
    size_t need = 4 * (size_t)program_registers(p) + 4;
    if (need > s->room) {
        aligned_free(s->file);
        s->room = 0;
        s->file = aligned_take(_Alignof(struct lanes), need * sizeof *s->file);
        if (!s->file)
            return call_fail(call, RAS_EMEMORY, "out of memory for registers");
        s->room = need;
    }
    memset(s->file, 0, need * sizeof *s->file);
    int status = fill_uniforms(g, call, number, s);
    if (!status && p->reads_textures)
        status = samplers_get(g, call, number, s);
    for (uint32_t slot = 0; !status && slot < GPU_TEXTURES; slot++)
        if (p->textures[slot / 64] >> slot % 64 & 1)
            status = unit_get(g, call, number, slot, s);
    return status;
}
