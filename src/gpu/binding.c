/* binding.c - commands that bind buffers, textures, samplers and constants to slots. */
#include "base/error.h"
#include "gpu/machine.h"

/* Slots start..start+count within `most`, and their items within the payload. */
static int check_slots(const struct gpu_call *call, const char *what, uint32_t start,
                       uint32_t count, uint32_t most)
{
    if (start > most || count > most - start)
        return call_fail(call, RAS_EFORMAT, "%s %" PRIu32 "+%" PRIu32 ", there are %" PRIu32, what,
                         start, count, most);
    return RAS_OK;
}

/* NULL: a stage that nothing here runs. */
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

/* Nothing in the shader dialect reads them, and what writes them is not executed, which those
 * draws and dispatches tell: they are checked, and that is all. */
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
