/* state.c - commands that set state: targets, viewport, blending, bindings, shaders and input
 * layouts. */
#include "base/error.h"
#include "gpu/machine.h"
#include "gpu/program.h"
#include "gpu/texture.h"

#include <math.h>

/* ---- state ------------------------------------------------------------------------------- */

/* Commands that set how things are drawn: targets, viewport, blending, depth. */

enum { COMPARE_LESS = 1, COMPARE_ALWAYS = 7, STENCIL_KEEP = 0 };

/* The state before any command: culling of back faces, front is clockwise, depth test LESS
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

/* One without an area, or with NaN, is interpreted differently by every executor:
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
    return call_remark(g, call, "%gx%g at %g,%g with depth %g to %g is not a valid viewport",
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

/* ---- binding ----------------------------------------------------------------------------- */

/* Commands that bind buffers, textures, samplers and constants to slots. */

/* Slots start..start+count within `most`, and their items within the payload. */
static int check_slots(const struct gpu_call *call, const char *what, uint32_t start,
                       uint32_t count, uint32_t most)
{
    if (start > most || count > most - start)
        return call_fail(call, RAS_EFORMAT, "%s %" PRIu32 "+%" PRIu32 ", there are %" PRIu32, what,
                         start, count, most);
    return RAS_OK;
}

/* NULL: a stage that is not executed. */
static int stage_get(struct gpu *g, const struct gpu_call *call, struct gpu_stage_state **stage)
{
    uint32_t number = call_u32(call, 0);
    if (number >= GPU_STAGES)
        return call_fail(call, RAS_EFORMAT, "shader stage %" PRIu32 ", 0 to 3 wanted", number);
    *stage = &g->state.stages[number];
    return RAS_OK;
}

static int check_buffer(struct gpu *g, const struct gpu_call *call, uint32_t handle)
{
    struct gpu_buffer *b;
    return handle ? object_get(g, call, GPU_BUFFER, handle, "buffer", &b) : RAS_OK;
}

int run_vertex_buffers(struct gpu *g, const struct gpu_call *call)
{
    uint32_t start = call_u32(call, 0), count = call_u32(call, 4);
    int status = check_slots(call, "vertex buffers", start, count, GPU_VERTEX_BUFFERS);
    if (!status)
        status = call_items(call, 8, count, 16);
    for (uint32_t i = 0; !status && i < count; i++)
        status = check_buffer(g, call, call_u32(call, 8 + 16 * (size_t)i));
    for (uint32_t i = 0; !status && i < count; i++) {
        size_t at = 8 + 16 * (size_t)i;
        g->state.vertices[start + i] = (struct gpu_binding){
            .buffer = call_u32(call, at),
            .size = call_u32(call, at + 4),
            .offset = call_u32(call, at + 8),
        };
    }
    return status;
}

int run_index_buffer(struct gpu *g, const struct gpu_call *call)
{
    int status = check_buffer(g, call, call_u32(call, 0));
    if (status)
        return status;
    if (call_u32(call, 4) > 1)
        return call_fail(call, RAS_EFORMAT, "index format %" PRIu32 ", 0 or 1 wanted",
                         call_u32(call, 4));
    g->state.index_buffer = call_u32(call, 0);
    g->state.index_wide = call_u32(call, 4) == 1;
    g->state.index_offset = call_u32(call, 8);
    return RAS_OK;
}

int run_topology(struct gpu *g, const struct gpu_call *call)
{
    g->state.topology = call_u32(call, 0);
    return RAS_OK;
}

int binding_slot(struct gpu *g, const struct gpu_call *call, const char *what, uint32_t slot,
                 uint32_t most, struct gpu_stage_state **stage)
{
    int status = stage_get(g, call, stage);
    return status ? status : check_slots(call, what, slot, 1, most);
}

int run_texture(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_stage_state *stage = NULL;
    uint32_t slot = call_u32(call, 4), handle = call_u32(call, 8);
    int status = binding_slot(g, call, "texture slots", slot, GPU_TEXTURES, &stage);
    if (status)
        return status;
    const struct gpu_object *object = handle ? object_find(g, GPU_RESOURCES, handle) : NULL;
    if (handle && (!object || object->kind == GPU_BUFFER))
        return call_fail(call, RAS_EFORMAT, "texture %" PRIu32 " %s", handle,
                         object ? "is a buffer" : "does not exist");
    stage->textures[slot] = handle;
    return RAS_OK;
}

int run_create_sampler(struct gpu *g, const struct gpu_call *call)
{
    uint32_t filter = call_u32(call, 4), u = call_u32(call, 8), v = call_u32(call, 12);
    if (filter > 1 || u > GPU_MIRROR || v > GPU_MIRROR || call_u32(call, 16) > GPU_MIRROR)
        return call_fail(call, RAS_EFORMAT,
                         "filter %" PRIu32 " and addresses %" PRIu32 ", %" PRIu32 ", %" PRIu32
                         "; at most 1 and 2",
                         filter, u, v, call_u32(call, 16));
    struct gpu_sampler *s;
    int status = object_new(g, call, GPU_SAMPLER, call_u32(call, 0), sizeof *s, &s);
    if (status)
        return status;
    s->sampling = (struct gpu_sampling){
        .mag_linear = filter,
        .min_linear = filter,
        .mip_linear = filter,
        .mips = true,
        .address_u = (uint8_t)u,
        .address_v = (uint8_t)v,
    };
    return RAS_OK;
}

int run_destroy_sampler(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_sampler *s;
    int status = object_get(g, call, GPU_SAMPLER, call_u32(call, 0), "sampler", &s);
    if (!status)
        object_drop(g, GPU_SAMPLER_OBJECTS, call_u32(call, 0));
    return status;
}

/* Items for slots of a stage: what the commands below begin with. */
struct list {
    struct gpu_stage_state *stage;
    uint32_t start, count;
};

static int list_get(struct gpu *g, const struct gpu_call *call, const char *what, uint32_t most,
                    size_t item_size, struct list *l)
{
    l->start = call_u32(call, 4);
    l->count = call_u32(call, 8);
    int status = stage_get(g, call, &l->stage);
    if (!status)
        status = check_slots(call, what, l->start, l->count, most);
    return status ? status : call_items(call, 16, l->count, item_size);
}

/* The same, where each item begins with a buffer. */
static int buffers_get(struct gpu *g, const struct gpu_call *call, const char *what, uint32_t most,
                       struct list *l)
{
    int status = list_get(g, call, what, most, 16, l);
    for (uint32_t i = 0; !status && i < l->count; i++)
        status = check_buffer(g, call, call_u32(call, 16 + 16 * (size_t)i));
    return status;
}

int run_samplers(struct gpu *g, const struct gpu_call *call)
{
    struct list l;
    int status = list_get(g, call, "sampler slots", GPU_SAMPLERS, 4, &l);
    for (uint32_t i = 0; !status && i < l.count; i++) {
        struct gpu_sampler *s;
        uint32_t handle = call_u32(call, 16 + 4 * (size_t)i);
        if (handle)
            status = object_get(g, call, GPU_SAMPLER, handle, "sampler", &s);
    }
    for (uint32_t i = 0; !status && i < l.count; i++) {
        l.stage->samplers[l.start + i] = call_u32(call, 16 + 4 * (size_t)i);
        l.stage->has_fixed &= (uint16_t) ~(1u << (l.start + i));
    }
    return status;
}

int run_constant_buffers(struct gpu *g, const struct gpu_call *call)
{
    struct list l;
    int status = buffers_get(g, call, "constant buffers", GPU_CONSTANT_BUFFERS, &l);
    for (uint32_t i = 0; !status && i < l.count; i++) {
        size_t at = 16 + 16 * (size_t)i;
        l.stage->constants[l.start + i] = (struct gpu_binding){
            .buffer = call_u32(call, at),
            .offset = call_u32(call, at + 4),
            .size = call_u32(call, at + 8),
        };
    }
    return status;
}

/* Nothing in the shader dialect reads them, and what writes them is not executed, which those draws
 * and dispatches report: they are only checked. */
int run_shader_buffers(struct gpu *g, const struct gpu_call *call)
{
    struct list l;
    return buffers_get(g, call, "buffer slots", GPU_TEXTURES, &l);
}

int run_constants_f(struct gpu *g, const struct gpu_call *call)
{
    struct list l;
    int status = list_get(g, call, "constant registers", GPU_CONSTANTS, 16, &l);
    if (status)
        return status;
    for (size_t i = 0; i < 4 * (size_t)l.count; i++)
        l.stage->registers[l.start + i / 4][i % 4] = call_f32(call, 16 + 4 * i);
    l.stage->has_registers = true;
    return RAS_OK;
}

/* Integer and boolean registers: nothing in the shader dialect reads them. */
int run_constants_ib(struct gpu *g, const struct gpu_call *call)
{
    struct list l;
    return list_get(g, call, "constant registers", GPU_CONSTANTS, 16, &l);
}

/* ---- shaders ----------------------------------------------------------------------------- */

/* Commands that create and bind shaders and input layouts. */

int run_create_shader(struct gpu *g, const struct gpu_call *call)
{
    uint32_t handle = call_u32(call, 0), stage = call_u32(call, 4), size = call_u32(call, 8);
    if (stage >= GPU_STAGES)
        return call_fail(call, RAS_EFORMAT, "shader stage %" PRIu32 ", 0 to 3 wanted", stage);
    int status = call_items(call, 16, size, 1);
    struct gpu_shader *s;
    if (!status)
        status = object_new(g, call, GPU_SHADER, handle, sizeof *s, &s);
    if (status)
        return status;
    struct ras_error why;
    status = program_from_dxbc(&s->program, (struct ras_bytes){call->payload.at + 16, size}, &why);
    if (status) {
        object_drop(g, GPU_SHADERS, handle);
        return call_fail(call, status, "shader %" PRIu32 ": %s", handle, why.text);
    }
    return RAS_OK;
}

int run_destroy_shader(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_shader *s;
    int status = object_get(g, call, GPU_SHADER, call_u32(call, 0), "shader", &s);
    if (!status)
        object_drop(g, GPU_SHADERS, call_u32(call, 0));
    return status;
}

int run_bind_shaders(struct gpu *g, const struct gpu_call *call)
{
    bool extended = call->size_bytes >= 36;
    const uint32_t bound[6] = {
        call_u32(call, 0),
        call_u32(call, 4),
        call_u32(call, 8),
        call_u32(call, extended ? 16 : 12),
        extended ? call_u32(call, 20) : 0,
        extended ? call_u32(call, 24) : 0,
    };
    for (int i = 0; i < 6; i++) {
        struct gpu_shader *s;
        int status = bound[i] ? object_get(g, call, GPU_SHADER, bound[i], "shader", &s) : RAS_OK;
        if (status)
            return status;
    }
    g->state.vs = bound[0];
    g->state.ps = bound[1];
    g->state.cs = bound[2];
    g->state.gs = bound[3];
    g->state.hs = bound[4];
    g->state.ds = bound[5];
    return RAS_OK;
}

/* ---- input layouts ----------------------------------------------------------------------- */

enum { LAYOUT_MAGIC = 0x59414c49, LAYOUT_VERSION = 1, ELEMENT_SIZE = 28 };

static int layout_get(const struct gpu_call *call, struct ras_bytes blob, struct gpu_layout *l)
{
    struct in in = in_bytes(blob);
    uint32_t magic = in_u32(&in), version = in_u32(&in), count = in_u32(&in);
    in_u32(&in);
    if (in.cut || magic != LAYOUT_MAGIC || version != LAYOUT_VERSION)
        return call_fail(call, RAS_EFORMAT, "no input layout of version 1 in %zu bytes", blob.len);
    if (count > in_left(&in) / ELEMENT_SIZE || count > GPU_ELEMENTS)
        return call_fail(call, RAS_EFORMAT, "%" PRIu32 " elements in %zu bytes, at most %d", count,
                         blob.len, (int)GPU_ELEMENTS);
    l->count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct gpu_element *e = &l->elements[i];
        e->semantic_hash = in_u32(&in);
        e->semantic_index = in_u32(&in);
        e->format = in_u32(&in);
        e->slot = in_u32(&in);
        e->offset = in_u32(&in);
        e->per_instance = in_u32(&in) == 1;
        e->step_rate = in_u32(&in);
    }
    return RAS_OK;
}

int run_create_layout(struct gpu *g, const struct gpu_call *call)
{
    uint32_t handle = call_u32(call, 0), size = call_u32(call, 4);
    int status = call_items(call, 12, size, 1);
    struct gpu_layout *l;
    if (!status)
        status = object_new(g, call, GPU_LAYOUT, handle, sizeof *l, &l);
    if (status)
        return status;
    status = layout_get(call, (struct ras_bytes){call->payload.at + 12, size}, l);
    if (status)
        object_drop(g, GPU_LAYOUTS, handle);
    return status;
}

int run_destroy_layout(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_layout *l;
    int status = object_get(g, call, GPU_LAYOUT, call_u32(call, 0), "input layout", &l);
    if (!status)
        object_drop(g, GPU_LAYOUTS, call_u32(call, 0));
    return status;
}

int run_set_layout(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_layout *l;
    uint32_t handle = call_u32(call, 0);
    int status = handle ? object_get(g, call, GPU_LAYOUT, handle, "input layout", &l) : RAS_OK;
    if (!status)
        g->state.layout = handle;
    return status;
}
