/* content.c - what the machine holds, for a reader: a texture as a picture, vertices with the
 * layout by which a draw reads them. */
#include "gpu/content.h"

#include "base/error.h"
#include "base/memory.h"
#include "gpu/appendix.h"
#include "gpu/bc.h"
#include "gpu/vertex.h"

int content_texture(struct gpu *g, uint32_t handle, struct gpu_present *now, struct ras_error *err)
{
    const struct gpu_call call = {.err = err, .name = "texture", .offset = RAS_NONE};
    struct gpu_view view;
    if (!object_find(g, GPU_RESOURCES, handle))
        return RAS_END;
    int status = texture_resolve(g, &call, handle, "resource", &view);
    if (status)
        return status;
    if (view.format->kind == PIXEL_DEPTH)
        return call_fail(&call, RAS_EUNSUPPORTED, "handle %" PRIu32 " holds depths, not colors",
                         handle);
    const struct gpu_surface s = texture_surface(view.texture, view.format, view.mip, view.layer);
    *now = (struct gpu_present){.offset = RAS_NONE};
    machine_inexact(g, g->taint | view.texture->object.taint, now);
    if (view.format->bytes == 4 && view.format->side == 1)
        return machine_surface(g, &s, &now->picture, err);
    size_t texels = (size_t)s.width * s.height;
    uint32_t *decoded = malloc(4 * texels);
    if (!decoded || !array_grow(&g->picture, &g->picture_room, 4 * texels, 1)) {
        free(decoded);
        return fail_memory(err);
    }
    surface_decode(&s, decoded);
    for (size_t i = 0; i < 4 * texels; i++)
        g->picture[i] = (uint8_t)(decoded[i / 4] >> i % 4 * 8);
    free(decoded);
    now->picture = (struct gpu_picture){s.width, s.height, g->picture};
    return RAS_OK;
}

/* Traces without shaders and packets have one layout: a position and a color. */
void content_fixed(struct gpu_vertices *out, const uint32_t offsets[2])
{
    out->count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        out->attributes[i] = (struct gpu_attribute){.semantic_index = i, .offset = offsets[i]};
        vertex_attribute(&out->attributes[i], i ? 2 : 16);
    }
}

static int read_layout(struct gpu *g, const struct gpu_call *call, uint32_t slot,
                       struct gpu_vertices *out)
{
    struct gpu_layout *layout;
    int status = object_get(g, call, GPU_LAYOUT, g->state.layout, "input layout", &layout);
    for (uint32_t i = 0; !status && i < layout->count; i++) {
        const struct gpu_element *e = &layout->elements[i];
        struct gpu_attribute *a = &out->attributes[out->count];
        if (e->slot != slot)
            continue;
        *a = (struct gpu_attribute){.semantic_hash = e->semantic_hash,
                                    .semantic_index = e->semantic_index,
                                    .offset = vertex_offset(layout, i),
                                    .per_instance = e->per_instance};
        if (!vertex_attribute(a, e->format))
            return call_fail(call, RAS_EUNSUPPORTED, "vertex elements of DXGI format %" PRIu32,
                             e->format);
        out->count++;
    }
    return status;
}

int content_vertices(struct gpu *g, uint32_t handle, bool packet, struct gpu_vertices *out,
                     struct ras_error *err)
{
    static const uint32_t fixed[2] = {0, 8};
    const struct gpu_call call = {.err = err, .name = "vertices", .offset = RAS_NONE};
    struct gpu_buffer *b;
    uint32_t slot = 0;
    *out = (struct gpu_vertices){0};
    if (packet)
        return appendix_vertices(g, handle, out);
    while (slot < GPU_VERTEX_BUFFERS && g->state.vertices[slot].buffer != handle)
        slot++;
    if (slot == GPU_VERTEX_BUFFERS)
        return RAS_END;
    const struct gpu_binding *binding = &g->state.vertices[slot];
    int status = object_get(g, &call, GPU_BUFFER, handle, "vertex buffer", &b);
    if (status)
        return status;
    out->first = binding->offset < b->size ? binding->offset : b->size;
    out->bytes = (struct ras_bytes){b->bytes + out->first, (size_t)(b->size - out->first)};
    out->stride = binding->size;
    if (g->state.layout)
        return read_layout(g, &call, slot, out);
    if (!g->state.vs)
        content_fixed(out, fixed);
    return RAS_OK;
}
