/* software.c - the back end that needs no GPU: streams in, command by command. */
#include "base/error.h"
#include "base/memory.h"
#include "gpu/draw.h"
#include "gpu/machine.h"
#include "gpu/texture.h"
#include "gpu/vertex.h"

#include <stdarg.h>

/* ---- content ----------------------------------------------------------------------------- */

/* What the machine holds, for a reader: a texture as a picture, vertices with the layout by which a
 * draw reads them. */

/* As in struct gpu_backend. */
static int content_texture(struct gpu *g, uint32_t handle, struct gpu_present *now,
                           struct ras_error *err)
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

static int content_vertices(struct gpu *g, uint32_t handle, bool packet, struct gpu_vertices *out,
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

int call_fail(const struct gpu_call *call, int status, const char *fmt, ...)
{
    char text[sizeof call->err->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return fail(call->err, status, call->offset, "%s: %s", call->name, text);
}

int call_remark(struct gpu *g, const struct gpu_call *call, const char *fmt, ...)
{
    if (!g->events.remark)
        return RAS_OK;
    char text[sizeof call->err->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return g->events.remark(g->events.user, call->offset, call->name, text, call->err);
}

int call_work(struct gpu *g, const struct gpu_call *call, uint64_t cost)
{
    return work_take(&g->work, cost) ? RAS_OK : call_work_refused(g, call);
}

int call_work_refused(const struct gpu *g, const struct gpu_call *call)
{
    char why[120];
    return call_fail(call, RAS_ELIMIT, "%s", work_refusal(&g->work, why));
}

int call_items(const struct gpu_call *call, size_t at, uint64_t count, size_t size)
{
    if (call->payload.len < at || count > (call->payload.len - at) / size)
        return call_fail(call, RAS_EFORMAT,
                         "%" PRIu64 " items of %zu bytes in a command of %" PRIu32, count, size,
                         call->size_bytes);
    return RAS_OK;
}

static const struct gpu_command *command_find(uint32_t opcode)
{
    size_t low = 0, high = gpu_command_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (gpu_commands[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < gpu_command_count && gpu_commands[low].opcode == opcode;
    return found ? &gpu_commands[low] : NULL;
}

/* Unknown opcodes are skipped, as the ABI requires; their effects are unknown. */
static int skip_unknown(struct gpu *g, struct gpu_call *call)
{
    call->name = "UNKNOWN";
    call->row = (uint32_t)gpu_command_count;
    g->taint |= call_bit(call);
    return call_remark(g, call, "opcode 0x%03" PRIx32 " is not known", call->opcode);
}

static int execute(struct gpu *g, struct gpu_call *call)
{
    const struct gpu_command *command = command_find(call->opcode);
    const struct ras_aero_op *op = ras_aero_command_op(call->opcode, call->size_bytes);
    if (!command || !op)
        return skip_unknown(g, call);
    call->name = op->name;
    call->row = (uint32_t)(command - gpu_commands);
    if (call->size_bytes < op->size_bytes)
        return call_fail(call, RAS_EFORMAT, "%" PRIu32 " bytes, at least %" PRIu32 " wanted",
                         call->size_bytes, op->size_bytes);
    return command->run ? command->run(g, call) : RAS_OK;
}

static int submit(struct gpu *g, struct ras_bytes stream, const struct gpu_source *source,
                  struct ras_error *err)
{
    struct ras_aero_stream header;
    struct gpu_call call = {.source = source, .err = err, .name = "ACMD"};
    struct ras_error why;
    call.offset = source->offset;
    if (!stream.len) { /* recorders store it where a submission could not be read */
        g->taint |= UINT64_C(1) << gpu_command_count;
        return call_remark(g, &call, "a submission without commands");
    }
    int status = ras_aero_stream_get(stream, &header, &why);
    if (status)
        return call_fail(&call, status, "%s", why.text);
    work_begin(&g->work);
    g->written_back_count = 0;
    g->shown = &g->state;
    call.abi_minor = header.abi_version & 0xffff;
    uint64_t at = 0;
    while (!status) {
        struct ras_aero_command command;
        call.offset = source->offset + RAS_AERO_STREAM_HEADER_SIZE + at;
        status = ras_aero_command_get(header.commands, &at, &command, &why);
        if (status == RAS_END)
            return RAS_OK;
        if (status) {
            call.name = "ACMD";
            return call_fail(&call, status, "%s", why.text);
        }
        call.opcode = command.opcode;
        call.size_bytes = command.size_bytes;
        call.payload = command.payload;
        status = execute(g, &call);
    }
    return status;
}

static uint32_t or_usual(uint32_t value, uint32_t usual)
{
    return value ? value : usual;
}

static struct gpu_limits limits_of(const struct gpu_limits *requested)
{
    struct gpu_limits limits = gpu_limits_of(requested);
    /* Coordinates have 8 bits below the point and must fit beside a guard band. */
    if (limits.side > 16384)
        limits.side = 16384;
    return limits;
}

static void software_close(struct gpu *g)
{
    if (!g)
        return;
    objects_free(g);
    texture_free(g, g->canvas);
    draw_free(g->draw);
    appendix_free(g);
    free(g->picture);
    free(g);
}

static int software_open(struct gpu **out, const struct gpu_setup *setup, struct ras_error *err)
{
    *out = NULL;
    struct gpu *g = calloc(1, sizeof *g);
    if (!g)
        return fail_memory(err);
    g->limits = limits_of(&setup->limits);
    work_start(&g->work, &g->limits);
    g->events = setup->events;
    state_reset(&g->state);
    g->shown = &g->state;
    const struct gpu_call call = {.err = err, .name = "canvas", .offset = RAS_NONE};
    int status = texture_canvas(g, &call, or_usual(setup->width, 64), or_usual(setup->height, 64));
    if (!status)
        status = draw_new(&g->draw, err);
    if (status) {
        software_close(g);
        return status;
    }
    *out = g;
    return RAS_OK;
}

/* Every command is executed when it comes. */
static int end_frame(struct gpu *g, struct ras_error *err)
{
    (void)g;
    (void)err;
    return RAS_OK;
}

static void quiet(struct gpu *g, bool on)
{
    g->quiet = on;
}

static int software_picture(struct gpu *g, struct gpu_present *now, struct ras_error *err)
{
    return machine_picture(g, now, err);
}

const struct gpu_backend gpu_software = {
    .name = "software",
    .open = software_open,
    .submit = submit,
    .packet = appendix_packet,
    .end_frame = end_frame,
    .quiet = quiet,
    .picture = software_picture,
    .texture = content_texture,
    .vertices = content_vertices,
    .close = software_close,
};

/* ---- commands ---------------------------------------------------------------------------- */

/* The table of commands: what executes each. */

/* Sorted by opcode. */
const struct gpu_command gpu_commands[] = {
    {0x000, NULL}, /* NOP */
    {0x001, NULL}, /* DEBUG_MARKER */
    {0x100, run_create_buffer},
    {0x101, run_create_texture2d},
    {0x102, run_destroy_resource},
    {0x103, run_dirty_range},
    {0x104, run_upload},
    {0x105, run_copy_buffer},
    {0x106, run_copy_texture2d},
    {0x107, run_create_view},
    {0x108, run_destroy_view},
    {0x200, run_create_shader},
    {0x201, run_destroy_shader},
    {0x202, run_bind_shaders},
    {0x203, run_constants_f},
    {0x204, run_create_layout},
    {0x205, run_destroy_layout},
    {0x206, run_set_layout},
    {0x207, run_constants_ib},
    {0x208, run_constants_ib},
    {0x300, run_blend_state},
    {0x301, run_depth_state},
    {0x302, run_raster_state},
    {0x400, run_render_targets},
    {0x401, run_viewport},
    {0x402, run_scissor},
    {0x500, run_vertex_buffers},
    {0x501, run_index_buffer},
    {0x502, run_topology},
    {0x510, run_texture},
    {0x511, run_sampler_state},
    {0x512, run_render_state},
    {0x520, run_create_sampler},
    {0x521, run_destroy_sampler},
    {0x522, run_samplers},
    {0x523, run_constant_buffers},
    {0x524, run_shader_buffers},
    {0x525, run_shader_buffers},
    {0x600, run_clear},
    {0x601, run_draw},
    {0x602, run_draw_indexed},
    {0x603, run_dispatch},
    {0x700, run_present},
    {0x701, run_present}, /* PRESENT_EX, which begins with the same fields */
    {0x710, run_export},
    {0x711, run_import},
    {0x712, run_release},
    {0x720, NULL}, /* FLUSH: nothing is ever deferred */
};
const size_t gpu_command_count = sizeof gpu_commands / sizeof *gpu_commands;
_Static_assert(sizeof gpu_commands / sizeof *gpu_commands < 64, "taint has a bit for each");
