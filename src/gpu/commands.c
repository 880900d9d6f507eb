/* commands.c - the table of commands: what executes each. */
#include "gpu/machine.h"

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
    {0x720, NULL}, /* FLUSH: nothing is ever put off */
};
const size_t gpu_command_count = sizeof gpu_commands / sizeof *gpu_commands;
_Static_assert(sizeof gpu_commands / sizeof *gpu_commands < 64, "taint has a bit for each");
