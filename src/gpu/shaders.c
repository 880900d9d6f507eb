/* shaders.c - commands that create and bind shaders and input layouts. */
#include "base/error.h"
#include "gpu/machine.h"
#include "gpu/program.h"

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

/* ---- input layouts ------------------------------------------------------------------- */

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
