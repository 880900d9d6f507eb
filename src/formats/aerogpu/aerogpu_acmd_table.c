/* aerogpu_acmd_table.c - every opcode of the ACMD command stream, ABI 1.x.
 *
 * Offsets are in the payload, after opcode and size_bytes. A command may be longer than its row
 * (the ABI grows at the end); the additional bytes are ignored. */
#include "formats/aerogpu/aerogpu_op.h"

#define NAME(table) static const struct ras_aero_name table[]
#define OP(fields)  static const struct ras_aero_field fields[]
#define STAGE_EX(at)                                                                               \
    AERO_FIELD("reserved0", U32, at, AERO_NAMES("stage_ex", stage_exs),                            \
               .flags = RAS_AERO_RESERVED | RAS_AERO_STAGE_EX)

NAME(formats) = {
    {0, "Invalid"},
    {1, "B8G8R8A8Unorm"},
    {2, "B8G8R8X8Unorm"},
    {3, "R8G8B8A8Unorm"},
    {4, "R8G8B8X8Unorm"},
    {5, "B5G6R5Unorm"},
    {6, "B5G5R5A1Unorm"},
    {7, "B8G8R8A8UnormSrgb"},
    {8, "B8G8R8X8UnormSrgb"},
    {9, "R8G8B8A8UnormSrgb"},
    {10, "R8G8B8X8UnormSrgb"},
    {32, "D24UnormS8Uint"},
    {33, "D32Float"},
    {64, "BC1RgbaUnorm"},
    {65, "BC1RgbaUnormSrgb"},
    {66, "BC2RgbaUnorm"},
    {67, "BC2RgbaUnormSrgb"},
    {68, "BC3RgbaUnorm"},
    {69, "BC3RgbaUnormSrgb"},
    {70, "BC7RgbaUnorm"},
    {71, "BC7RgbaUnormSrgb"},
    {0, NULL},
};
NAME(stages) = {{0, "Vertex"}, {1, "Pixel"}, {2, "Compute"}, {3, "Geometry"}, {0, NULL}};
NAME(stage_exs) = {
    {1, "InvalidVertex"}, {2, "Geometry"}, {3, "Hull"}, {4, "Domain"}, {5, "Compute"}, {0, NULL},
};
NAME(topologies) = {
    {1, "PointList"},        {2, "LineList"},          {3, "LineStrip"},    {4, "TriangleList"},
    {5, "TriangleStrip"},    {6, "TriangleFan"},       {10, "LineListAdj"}, {11, "LineStripAdj"},
    {12, "TriangleListAdj"}, {13, "TriangleStripAdj"}, {33, "PatchList1"},  {34, "PatchList2"},
    {35, "PatchList3"},      {36, "PatchList4"},       {37, "PatchList5"},  {38, "PatchList6"},
    {39, "PatchList7"},      {40, "PatchList8"},       {41, "PatchList9"},  {42, "PatchList10"},
    {43, "PatchList11"},     {44, "PatchList12"},      {45, "PatchList13"}, {46, "PatchList14"},
    {47, "PatchList15"},     {48, "PatchList16"},      {49, "PatchList17"}, {50, "PatchList18"},
    {51, "PatchList19"},     {52, "PatchList20"},      {53, "PatchList21"}, {54, "PatchList22"},
    {55, "PatchList23"},     {56, "PatchList24"},      {57, "PatchList25"}, {58, "PatchList26"},
    {59, "PatchList27"},     {60, "PatchList28"},      {61, "PatchList29"}, {62, "PatchList30"},
    {63, "PatchList31"},     {64, "PatchList32"},      {0, NULL},
};
NAME(factors) = {
    {0, "Zero"},         {1, "One"},      {2, "SrcAlpha"},    {3, "InvSrcAlpha"}, {4, "DestAlpha"},
    {5, "InvDestAlpha"}, {6, "Constant"}, {7, "InvConstant"}, {0, NULL},
};
NAME(blend_ops) = {
    {0, "Add"}, {1, "Subtract"}, {2, "RevSubtract"}, {3, "Min"}, {4, "Max"}, {0, NULL},
};
NAME(compares) = {
    {0, "Never"},    {1, "Less"},         {2, "Equal"},  {3, "LessEqual"}, {4, "Greater"},
    {5, "NotEqual"}, {6, "GreaterEqual"}, {7, "Always"}, {0, NULL},
};
NAME(fills) = {{0, "Solid"}, {1, "Wireframe"}, {0, NULL}};
NAME(culls) = {{0, "None"}, {1, "Front"}, {2, "Back"}, {0, NULL}};
NAME(filters) = {{0, "Nearest"}, {1, "Linear"}, {0, NULL}};
NAME(addresses) = {{0, "ClampToEdge"}, {1, "Repeat"}, {2, "MirrorRepeat"}, {0, NULL}};
NAME(index_formats) = {{0, "Uint16"}, {1, "Uint32"}, {0, NULL}};

OP(nothing) = {LAST};
OP(debug_marker) = {AERO_FIELD("marker", TEXT, 0, ), LAST};
OP(create_buffer) = {
    U32("buffer_handle", 0),
    U32("usage_flags", 4),
    U64("size_bytes", 8),
    U32("backing_alloc_id", 16),
    U32("backing_offset_bytes", 20),
    SPARE64("reserved0", 24),
    LAST,
};
OP(create_texture2d) = {
    U32("texture_handle", 0),    U32("usage_flags", 4),
    NAMED("format", 8, formats), U32("width", 12),
    U32("height", 16),           U32("mip_levels", 20),
    U32("array_layers", 24),     U32("row_pitch_bytes", 28),
    U32("backing_alloc_id", 32), U32("backing_offset_bytes", 36),
    SPARE64("reserved0", 40),    LAST,
};
OP(resource) = {U32("resource_handle", 0), SPARE("reserved0", 4), LAST};
OP(resource_range) = {
    U32("resource_handle", 0),
    SPARE("reserved0", 4),
    U64("offset_bytes", 8),
    U64("size_bytes", 16),
    LAST,
};
OP(upload_resource) = {
    U32("resource_handle", 0),
    SPARE("reserved0", 4),
    U64("offset_bytes", 8),
    U64("size_bytes", 16),
    AERO_FIELD("data", BYTES, 24, .flags = RAS_AERO_COUNTED | RAS_AERO_COUNT64, .count_at = 16),
    LAST,
};
OP(copy_buffer) = {
    U32("dst_buffer", 0),       U32("src_buffer", 4),
    U64("dst_offset_bytes", 8), U64("src_offset_bytes", 16),
    U64("size_bytes", 24),      U32("flags", 32),
    SPARE("reserved0", 36),     LAST,
};
OP(copy_texture2d) = {
    U32("dst_texture", 0),      U32("src_texture", 4),    U32("dst_mip_level", 8),
    U32("dst_array_layer", 12), U32("src_mip_level", 16), U32("src_array_layer", 20),
    U32("dst_x", 24),           U32("dst_y", 28),         U32("src_x", 32),
    U32("src_y", 36),           U32("width", 40),         U32("height", 44),
    U32("flags", 48),           SPARE("reserved0", 52),   LAST,
};
OP(create_texture_view) = {
    U32("view_handle", 0),        U32("texture_handle", 4),   NAMED("format", 8, formats),
    U32("base_mip_level", 12),    U32("mip_level_count", 16), U32("base_array_layer", 20),
    U32("array_layer_count", 24), SPARE64("reserved0", 28),   LAST,
};
OP(view) = {U32("view_handle", 0), SPARE("reserved0", 4), LAST};

OP(create_shader_dxbc) = {
    U32("shader_handle", 0),   NAMED("stage", 4, stages), STAGE_EX(12),
    U32("dxbc_size_bytes", 8), DATA("dxbc", 16, 8),       LAST,
};
OP(shader) = {U32("shader_handle", 0), SPARE("reserved0", 4), LAST};
OP(bind_shaders) = {
    U32("vs", 0), U32("ps", 4), U32("cs", 8), U32("gs", 12), ABSENT("hs"), ABSENT("ds"), LAST,
};
OP(bind_shaders_ex) = {
    U32("vs", 0),  U32("ps", 4),  U32("cs", 8),  SPARE("reserved0", 12),
    U32("gs", 16), U32("hs", 20), U32("ds", 24), LAST,
};
OP(constants_f) = {
    NAMED("stage", 0, stages),   U32("start_register", 4),
    U32("vec4_count", 8),        STAGE_EX(12),
    LIST("data", F32, 16, 8, 4), LAST,
};
OP(constants_i) = {
    NAMED("stage", 0, stages),   U32("start_register", 4),
    U32("vec4_count", 8),        STAGE_EX(12),
    LIST("data", I32, 16, 8, 4), LAST,
};
/* One vec4 of u32 for each bool: 16 bytes, though some listings count 4. */
OP(constants_b) = {
    NAMED("stage", 0, stages),   U32("start_register", 4),
    U32("bool_count", 8),        STAGE_EX(12),
    LIST("data", U32, 16, 8, 4), LAST,
};
OP(layout_element) = {
    U32("semantic_name_hash", 0),
    U32("semantic_index", 4),
    U32("dxgi_format", 8),
    U32("input_slot", 12),
    U32("aligned_byte_offset", 16),
    U32("input_slot_class", 20),
    U32("instance_data_step_rate", 24),
    LAST,
};
OP(create_input_layout) = {
    U32("input_layout_handle", 0),
    U32("blob_size_bytes", 4),
    SPARE("reserved0", 8),
    DATA("blob", 12, 4),
    AERO_FIELD("elements", STRUCT, 28, .count_at = 20, .per = 1, .item = layout_element,
               .item_size = 28, .flags = RAS_AERO_LIST | RAS_AERO_COUNTED | RAS_AERO_LAYOUT),
    LAST,
};
OP(input_layout) = {U32("input_layout_handle", 0), SPARE("reserved0", 4), LAST};

OP(blend_state) = {
    U32("enable", 0),
    NAMED("src_factor", 4, factors),
    NAMED("dst_factor", 8, factors),
    NAMED("blend_op", 12, blend_ops),
    U8("color_write_mask", 16),
    LAST,
};
OP(blend_state_full) = {
    U32("enable", 0),
    NAMED("src_factor", 4, factors),
    NAMED("dst_factor", 8, factors),
    NAMED("blend_op", 12, blend_ops),
    U8("color_write_mask", 16),
    SPARE8("reserved0", 17),
    SPARE8("reserved1", 18),
    SPARE8("reserved2", 19),
    NAMED("src_factor_alpha", 20, factors),
    NAMED("dst_factor_alpha", 24, factors),
    NAMED("blend_op_alpha", 28, blend_ops),
    ROW("blend_constant_rgba", F32, 32, 4),
    U32("sample_mask", 48),
    LAST,
};
OP(depth_stencil_state) = {
    U32("depth_enable", 0),    U32("depth_write_enable", 4), NAMED("depth_func", 8, compares),
    U32("stencil_enable", 12), U8("stencil_read_mask", 16),  U8("stencil_write_mask", 17),
    SPARE8("reserved0", 18),   SPARE8("reserved1", 19),      LAST,
};
OP(rasterizer_state) = {
    NAMED("fill_mode", 0, fills),
    NAMED("cull_mode", 4, culls),
    U32("front_ccw", 8),
    U32("scissor_enable", 12),
    I32("depth_bias", 16),
    U32("flags", 20),
    LAST,
};
OP(render_targets) = {
    U32("color_count", 0),
    U32("depth_stencil", 4),
    LIST("colors", U32, 8, 0, 1),
    LAST,
};
OP(viewport) = {
    F32("x", 0),          F32("y", 4), F32("width", 8), F32("height", 12), F32("min_depth", 16),
    F32("max_depth", 20), LAST,
};
OP(scissor) = {I32("x", 0), I32("y", 4), I32("width", 8), I32("height", 12), LAST};

OP(vertex_binding) = {
    U32("buffer", 0), U32("stride_bytes", 4), U32("offset_bytes", 8), SPARE("reserved0", 12), LAST,
};
OP(vertex_buffers) = {
    U32("start_slot", 0),
    U32("buffer_count", 4),
    ITEMS("bindings", 8, 4, vertex_binding, 16),
    LAST,
};
OP(index_buffer) = {
    U32("buffer", 0),
    NAMED("format", 4, index_formats),
    U32("offset_bytes", 8),
    SPARE("reserved0", 12),
    LAST,
};
OP(topology) = {NAMED("topology", 0, topologies), SPARE("reserved0", 4), LAST};
OP(texture) = {
    NAMED("shader_stage", 0, stages), U32("slot", 4), U32("texture", 8), STAGE_EX(12), LAST,
};
OP(sampler_state) = {
    NAMED("shader_stage", 0, stages), U32("slot", 4), U32("state", 8), U32("value", 12), LAST,
};
OP(render_state) = {U32("state", 0), U32("value", 4), LAST};
OP(create_sampler) = {
    U32("sampler_handle", 0),          NAMED("filter", 4, filters),
    NAMED("address_u", 8, addresses),  NAMED("address_v", 12, addresses),
    NAMED("address_w", 16, addresses), LAST,
};
OP(sampler) = {U32("sampler_handle", 0), SPARE("reserved0", 4), LAST};
OP(samplers) = {
    NAMED("shader_stage", 0, stages), U32("start_slot", 4),
    U32("sampler_count", 8),          STAGE_EX(12),
    LIST("samplers", U32, 16, 8, 1),  LAST,
};
OP(buffer_binding) = {
    U32("buffer", 0), U32("offset_bytes", 4), U32("size_bytes", 8), SPARE("reserved0", 12), LAST,
};
OP(buffers) = {
    NAMED("shader_stage", 0, stages),
    U32("start_slot", 4),
    U32("buffer_count", 8),
    STAGE_EX(12),
    ITEMS("bindings", 16, 8, buffer_binding, 16),
    LAST,
};
OP(access_binding) = {
    U32("buffer", 0), U32("offset_bytes", 4), U32("size_bytes", 8), U32("initial_count", 12), LAST,
};
OP(access_buffers) = {
    NAMED("shader_stage", 0, stages),
    U32("start_slot", 4),
    U32("uav_count", 8),
    STAGE_EX(12),
    ITEMS("bindings", 16, 8, access_binding, 16),
    LAST,
};

OP(clear) = {
    U32("flags", 0), ROW("color_rgba", F32, 4, 4), F32("depth", 20), U32("stencil", 24), LAST,
};
OP(draw) = {
    U32("vertex_count", 0),
    U32("instance_count", 4),
    U32("first_vertex", 8),
    U32("first_instance", 12),
    LAST,
};
OP(draw_indexed) = {
    U32("index_count", 0),  U32("instance_count", 4),  U32("first_index", 8),
    I32("base_vertex", 12), U32("first_instance", 16), LAST,
};
OP(dispatch) = {
    U32("group_count_x", 0), U32("group_count_y", 4), U32("group_count_z", 8), STAGE_EX(12), LAST,
};
OP(present) = {U32("scanout_id", 0), U32("flags", 4), LAST};
OP(present_ex) = {
    U32("scanout_id", 0),
    U32("flags", 4),
    U32("d3d9_present_flags", 8),
    SPARE("reserved0", 12),
    LAST,
};
OP(export_surface) = {
    U32("resource_handle", 0),
    SPARE("reserved0", 4),
    U64("share_token", 8),
    LAST,
};
OP(import_surface) = {
    U32("out_resource_handle", 0),
    SPARE("reserved0", 4),
    U64("share_token", 8),
    LAST,
};
OP(release_surface) = {U64("share_token", 0), SPARE64("reserved0", 8), LAST};
OP(flush) = {SPARE("reserved0", 0), SPARE("reserved1", 4), LAST};

/* Sorted by opcode; forms of one opcode by size. */
const struct ras_aero_op aero_command_ops[] = {
    AERO_OP(0x000, 8, "NOP", nothing),
    AERO_OP(0x001, 8, "DEBUG_MARKER", debug_marker),
    AERO_OP(0x100, 40, "CREATE_BUFFER", create_buffer),
    AERO_OP(0x101, 56, "CREATE_TEXTURE2D", create_texture2d),
    AERO_OP(0x102, 16, "DESTROY_RESOURCE", resource),
    AERO_OP(0x103, 32, "RESOURCE_DIRTY_RANGE", resource_range),
    AERO_OP(0x104, 32, "UPLOAD_RESOURCE", upload_resource),
    AERO_OP(0x105, 48, "COPY_BUFFER", copy_buffer),
    AERO_OP(0x106, 64, "COPY_TEXTURE2D", copy_texture2d),
    AERO_OP(0x107, 44, "CREATE_TEXTURE_VIEW", create_texture_view),
    AERO_OP(0x108, 16, "DESTROY_TEXTURE_VIEW", view),
    AERO_OP(0x200, 24, "CREATE_SHADER_DXBC", create_shader_dxbc),
    AERO_OP(0x201, 16, "DESTROY_SHADER", shader),
    AERO_OP(0x202, 24, "BIND_SHADERS", bind_shaders),
    AERO_OP(0x202, 36, "BIND_SHADERS", bind_shaders_ex),
    AERO_OP(0x203, 24, "SET_SHADER_CONSTANTS_F", constants_f),
    AERO_OP(0x204, 20, "CREATE_INPUT_LAYOUT", create_input_layout),
    AERO_OP(0x205, 16, "DESTROY_INPUT_LAYOUT", input_layout),
    AERO_OP(0x206, 16, "SET_INPUT_LAYOUT", input_layout),
    AERO_OP(0x207, 24, "SET_SHADER_CONSTANTS_I", constants_i),
    AERO_OP(0x208, 24, "SET_SHADER_CONSTANTS_B", constants_b),
    AERO_OP(0x300, 28, "SET_BLEND_STATE", blend_state),
    AERO_OP(0x300, 60, "SET_BLEND_STATE", blend_state_full),
    AERO_OP(0x301, 28, "SET_DEPTH_STENCIL_STATE", depth_stencil_state),
    AERO_OP(0x302, 32, "SET_RASTERIZER_STATE", rasterizer_state),
    AERO_OP(0x400, 48, "SET_RENDER_TARGETS", render_targets),
    AERO_OP(0x401, 32, "SET_VIEWPORT", viewport),
    AERO_OP(0x402, 24, "SET_SCISSOR", scissor),
    AERO_OP(0x500, 16, "SET_VERTEX_BUFFERS", vertex_buffers),
    AERO_OP(0x501, 24, "SET_INDEX_BUFFER", index_buffer),
    AERO_OP(0x502, 16, "SET_PRIMITIVE_TOPOLOGY", topology),
    AERO_OP(0x510, 24, "SET_TEXTURE", texture),
    AERO_OP(0x511, 24, "SET_SAMPLER_STATE", sampler_state),
    AERO_OP(0x512, 16, "SET_RENDER_STATE", render_state),
    AERO_OP(0x520, 28, "CREATE_SAMPLER", create_sampler),
    AERO_OP(0x521, 16, "DESTROY_SAMPLER", sampler),
    AERO_OP(0x522, 24, "SET_SAMPLERS", samplers),
    AERO_OP(0x523, 24, "SET_CONSTANT_BUFFERS", buffers),
    AERO_OP(0x524, 24, "SET_SHADER_RESOURCE_BUFFERS", buffers),
    AERO_OP(0x525, 24, "SET_UNORDERED_ACCESS_BUFFERS", access_buffers),
    AERO_OP(0x600, 36, "CLEAR", clear),
    AERO_OP(0x601, 24, "DRAW", draw),
    AERO_OP(0x602, 28, "DRAW_INDEXED", draw_indexed),
    AERO_OP(0x603, 24, "DISPATCH", dispatch),
    AERO_OP(0x700, 16, "PRESENT", present),
    AERO_OP(0x701, 24, "PRESENT_EX", present_ex),
    AERO_OP(0x710, 24, "EXPORT_SHARED_SURFACE", export_surface),
    AERO_OP(0x711, 24, "IMPORT_SHARED_SURFACE", import_surface),
    AERO_OP(0x712, 24, "RELEASE_SHARED_SURFACE", release_surface),
    AERO_OP(0x720, 16, "FLUSH", flush),
};
const size_t aero_command_op_count = sizeof aero_command_ops / sizeof *aero_command_ops;
