/* state.c - commands that set how things are drawn: targets, viewport, blending, depth. */
#include "gpu/texture.h"

#include "base/error.h"

#include <math.h>

enum { COMPARE_LESS = 1, COMPARE_ALWAYS = 7, STENCIL_KEEP = 0 };

/* What holds before any command: culling of back faces, front is clockwise, depth test LESS
 * with writing, no blending, every channel written. */
void state_reset(struct gpu_state *s)
{
    static const struct gpu_stencil_face keep = {COMPARE_ALWAYS, STENCIL_KEEP, STENCIL_KEEP,
                                                 STENCIL_KEEP};
    *s = (struct gpu_state){
        .topology = 4,
        .blend = {.write_masks = {15, 15, 15, 15, 15, 15, 15, 15},
                  .src = GPU_ONE,
                  .src_alpha = GPU_ONE,
                  .alpha_follows = true,
                  .sample_mask = UINT32_MAX},
        .alpha_func = COMPARE_ALWAYS + 1, /* as Direct3D 9 counts them */
        .depth = {.enable = true,
                  .write = true,
                  .func = COMPARE_LESS,
                  .read_mask = 255,
                  .write_mask = 255,
                  .front = keep,
                  .back = keep},
        .raster = {.cull = 2, .depth_clip = true},
    };
}

static void forget(uint32_t *handle, uint32_t gone)
{
    if (*handle == gone)
        *handle = 0;
}

static void forget_resource(struct gpu_state *s, uint32_t gone)
{
    for (int i = 0; i < GPU_COLORS; i++)
        s->target_lost = s->colors[i] == gone ? gone : s->target_lost;
    s->target_lost = s->depth_target == gone ? gone : s->target_lost;
    forget(&s->index_buffer, gone);
    for (int i = 0; i < GPU_VERTEX_BUFFERS; i++)
        forget(&s->vertices[i].buffer, gone);
    for (int k = 0; k < GPU_STAGES; k++) {
        for (int i = 0; i < GPU_TEXTURES; i++)
            forget(&s->stages[k].textures[i], gone);
        for (int i = 0; i < GPU_CONSTANT_BUFFERS; i++)
            forget(&s->stages[k].constants[i].buffer, gone);
    }
}

void state_forget(struct gpu_state *s, enum gpu_space space, uint32_t gone)
{
    uint32_t *shaders[] = {&s->vs, &s->ps, &s->cs, &s->gs, &s->hs, &s->ds};
    switch (space) {
    case GPU_RESOURCES:
        forget_resource(s, gone);
        break;
    case GPU_SHADERS:
        for (size_t i = 0; i < sizeof shaders / sizeof *shaders; i++)
            forget(shaders[i], gone);
        break;
    case GPU_LAYOUTS:
        forget(&s->layout, gone);
        break;
    case GPU_SAMPLER_OBJECTS:
        for (int k = 0; k < GPU_STAGES; k++)
            for (int i = 0; i < GPU_SAMPLERS; i++)
                forget(&s->stages[k].samplers[i], gone);
        break;
    }
}

/* Values of an enum that ends before `end`. */
static int check_value(const struct gpu_call *call, const char *what, uint32_t value, uint32_t end)
{
    if (value >= end)
        return call_fail(call, RAS_EFORMAT, "%s %" PRIu32 ", 0 to %" PRIu32 " wanted", what, value,
                         end - 1);
    return RAS_OK;
}

int run_blend_state(struct gpu *g, const struct gpu_call *call)
{
    static const struct {
        const char *what;
        uint8_t at, end;
    } values[] = {{"source factor", 4, 8},
                  {"destination factor", 8, 8},
                  {"blend operation", 12, 5},
                  {"alpha source factor", 20, 8},
                  {"alpha destination factor", 24, 8},
                  {"alpha blend operation", 28, 5}};
    bool full = call->size_bytes >= 60;
    for (size_t i = 0; i < (full ? 6u : 3u); i++) {
        int status = check_value(call, values[i].what, call_u32(call, values[i].at), values[i].end);
        if (status)
            return status;
    }
    struct gpu_blend b = {
        .enable = call_u32(call, 0) != 0,
        .src = (uint8_t)call_u32(call, 4),
        .dst = (uint8_t)call_u32(call, 8),
        .op = (uint8_t)call_u32(call, 12),
        .sample_mask = full ? call_u32(call, 48) : UINT32_MAX,
        .alpha_follows = !full,
    };
    memset(b.write_masks, call->payload.at[16] & 15, sizeof b.write_masks);
    b.src_alpha = full ? (uint8_t)call_u32(call, 20) : b.src;
    b.dst_alpha = full ? (uint8_t)call_u32(call, 24) : b.dst;
    b.op_alpha = full ? (uint8_t)call_u32(call, 28) : b.op;
    for (size_t i = 0; full && i < 4; i++)
        b.constant[i] = call_f32(call, 32 + 4 * i);
    g->state.blend = b;
    return RAS_OK;
}

int run_depth_state(struct gpu *g, const struct gpu_call *call)
{
    int status = check_value(call, "depth function", call_u32(call, 8), 8);
    if (status)
        return status;
    struct gpu_depth *d = &g->state.depth;
    d->enable = call_u32(call, 0) != 0;
    d->write = call_u32(call, 4) != 0;
    d->func = (uint8_t)call_u32(call, 8);
    d->enable_said = d->func_said = true;
    d->stencil_enable = call_u32(call, 12) != 0;
    d->read_mask = call->payload.at[16];
    d->write_mask = call->payload.at[17];
    return RAS_OK;
}

int run_raster_state(struct gpu *g, const struct gpu_call *call)
{
    int status = check_value(call, "fill mode", call_u32(call, 0), 2);
    if (!status)
        status = check_value(call, "cull mode", call_u32(call, 4), 3);
    if (status)
        return status;
    g->state.raster = (struct gpu_raster){
        .wireframe = call_u32(call, 0) == 1,
        .cull = (uint8_t)call_u32(call, 4),
        .front_ccw = call_u32(call, 8) != 0,
        .scissor = call_u32(call, 12) != 0,
        .depth_bias = (int32_t)call_u32(call, 16),
        .depth_clip = !(call_u32(call, 20) & 1),
    };
    return RAS_OK;
}

static int check_target(struct gpu *g, const struct gpu_call *call, uint32_t handle,
                        enum pixel_kind kind, const char *what)
{
    struct gpu_view view;
    int status = handle ? texture_resolve(g, call, handle, what, &view) : RAS_OK;
    if (!status && handle && view.format->kind != kind)
        return call_fail(call, RAS_EFORMAT, "%s %" PRIu32 " has format %" PRIu32, what, handle,
                         view.format->id);
    return status;
}

int run_render_targets(struct gpu *g, const struct gpu_call *call)
{
    uint32_t count = call_u32(call, 0);
    int status = check_value(call, "color count", count, GPU_COLORS + 1);
    if (!status)
        status = check_target(g, call, call_u32(call, 4), PIXEL_DEPTH, "depth target");
    for (size_t i = 0; !status && i < count; i++)
        status = check_target(g, call, call_u32(call, 8 + 4 * i), PIXEL_COLOR, "color target");
    if (status)
        return status;
    g->state.target_lost = 0;
    g->state.color_count = count;
    g->state.depth_target = call_u32(call, 4);
    for (size_t i = 0; i < GPU_COLORS; i++)
        g->state.colors[i] = i < count ? call_u32(call, 8 + 4 * i) : 0;
    return RAS_OK;
}

/* One without an area, or that is no number, is understood differently by every executor:
 * what is drawn while it is set fills the target and is not exact. */
int run_viewport(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_viewport v = {
        .set = true,
        .x = call_f32(call, 0),
        .y = call_f32(call, 4),
        .width = call_f32(call, 8),
        .height = call_f32(call, 12),
        .min_depth = call_f32(call, 16),
        .max_depth = call_f32(call, 20),
    };
    bool good = v.width > 0 && v.height > 0 && v.width <= 32768 && v.height <= 32768 &&
                fabsf(v.x) <= 32768 && fabsf(v.y) <= 32768 && v.min_depth >= 0 &&
                v.max_depth <= 1 && v.min_depth <= v.max_depth;
    g->state.viewport = good ? v : (struct gpu_viewport){.set = false};
    g->state.taint &= ~call_bit(call);
    if (good)
        return RAS_OK;
    g->state.taint |= call_bit(call);
    return call_remark(g, call, "%gx%g at %g,%g with depth %g to %g is no viewport",
                       (double)v.width, (double)v.height, (double)v.x, (double)v.y,
                       (double)v.min_depth, (double)v.max_depth);
}

int run_scissor(struct gpu *g, const struct gpu_call *call)
{
    for (size_t i = 0; i < 4; i++)
        g->state.scissor[i] = (int32_t)call_u32(call, 4 * i);
    /* Without an area it counts as not set. */
    g->state.scissor_set = g->state.scissor[2] > 0 && g->state.scissor[3] > 0;
    return RAS_OK;
}
