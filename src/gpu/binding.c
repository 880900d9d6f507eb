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

int run_texture(struct gpu *g, const struct gpu_call *call)
{
    struct gpu_stage_state *stage = NULL;
    uint32_t slot = call_u32(call, 4), handle = call_u32(call, 8);
    int status = stage_get(g, call, &stage);
    if (!status)
        status = check_slots(call, "texture slots", slot, 1, GPU_TEXTURES);
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

/* ---- D3D9 sampler states --------------------------------------------------------- */

enum {
    D3DSAMP_ADDRESSU = 1,
    D3DSAMP_ADDRESSV = 2,
    D3DSAMP_ADDRESSW = 3,
    D3DSAMP_MAGFILTER = 5,
    D3DSAMP_MINFILTER = 6,
    D3DSAMP_MIPFILTER = 7,
    D3DSAMP_MIPMAPLODBIAS = 8,
    D3DSAMP_MAXMIPLEVEL = 9,
    D3DTEXF_NONE = 0,
    D3DTEXF_POINT = 1,
    D3DTEXF_LINEAR = 2,
};

static bool set_address(uint8_t *address, uint32_t value)
{
    static const uint8_t modes[] = {[1] = GPU_REPEAT, [2] = GPU_MIRROR, [3] = GPU_CLAMP};
    if (value < 1 || value > 3)
        return false;
    *address = modes[value];
    return true;
}

static bool set_bias(float *bias, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    if (!(value >= -16 && value <= 16))
        return false;
    *bias = value;
    return true;
}

static bool set_sampling(struct gpu_sampling *s, uint32_t state, uint32_t value)
{
    bool is_filter = value == D3DTEXF_POINT || value == D3DTEXF_LINEAR;
    switch (state) {
    case D3DSAMP_ADDRESSU:
        return set_address(&s->address_u, value);
    case D3DSAMP_ADDRESSV:
        return set_address(&s->address_v, value);
    case D3DSAMP_ADDRESSW:
        return true; /* of a third axis, which no texture here has */
    case D3DSAMP_MAGFILTER:
        s->mag_linear = value == D3DTEXF_LINEAR;
        return is_filter;
    case D3DSAMP_MINFILTER:
        s->min_linear = value == D3DTEXF_LINEAR;
        return is_filter;
    case D3DSAMP_MIPFILTER:
        s->mips = value != D3DTEXF_NONE;
        s->mip_linear = value == D3DTEXF_LINEAR;
        return is_filter || value == D3DTEXF_NONE;
    case D3DSAMP_MIPMAPLODBIAS:
        return set_bias(&s->lod_bias, value);
    case D3DSAMP_MAXMIPLEVEL:
        s->level_min = value < GPU_MIPS ? value : GPU_MIPS - 1;
        return true;
    default:
        return false;
    }
}

int run_sampler_state(struct gpu *g, const struct gpu_call *call)
{
    /* D3D9: repeating, and nearest texels of level 0, until told otherwise. */
    static const struct gpu_sampling usual = {.address_u = GPU_REPEAT, .address_v = GPU_REPEAT};
    struct gpu_stage_state *stage = NULL;
    uint32_t slot = call_u32(call, 4);
    int status = stage_get(g, call, &stage);
    if (!status)
        status = check_slots(call, "sampler slots", slot, 1, GPU_SAMPLERS);
    if (status)
        return status;
    if (stage->samplers[slot]) {
        g->state.taint |= call_bit(call);
        return call_remark(g, call, "slot %" PRIu32 " has sampler %" PRIu32 ", which stays", slot,
                           stage->samplers[slot]);
    }
    if (!(stage->has_fixed >> slot & 1))
        stage->fixed[slot] = usual;
    stage->has_fixed |= (uint16_t)(1u << slot);
    if (set_sampling(&stage->fixed[slot], call_u32(call, 8), call_u32(call, 12)))
        return RAS_OK;
    g->state.taint |= call_bit(call);
    return call_remark(g, call, "state %" PRIu32 " = %" PRIu32 " has no effect here",
                       call_u32(call, 8), call_u32(call, 12));
}
