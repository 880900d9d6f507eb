/* machine.h - the software GPU: its objects, its state, and one command being executed. */
#ifndef GPU_MACHINE_H
#define GPU_MACHINE_H

#include "base/id_table.h"
#include "base/in.h"
#include "gpu/backends.h"
#include "gpu/pixel.h"

#include <rastrum/aerogpu.h>

enum {
    GPU_COLORS = 8,
    GPU_STAGES = 4, /* vertex, pixel, compute, geometry */
    GPU_TEXTURES = 128,
    GPU_SAMPLERS = 16,
    GPU_CONSTANT_BUFFERS = 14,
    GPU_CONSTANTS = 256,
    GPU_VERTEX_BUFFERS = 32,
    GPU_MIPS = 15,
    GPU_ELEMENTS = 32,
};

enum gpu_stage { GPU_VERTEX, GPU_PIXEL };

/* ---- objects ----------------------------------------------------------------------------- */

/* Buffers, textures and views share one space of handles; the others have their own. */
enum gpu_space { GPU_RESOURCES, GPU_SHADERS, GPU_LAYOUTS, GPU_SAMPLER_OBJECTS };

enum gpu_kind {
    GPU_NONE,
    GPU_BUFFER,
    GPU_TEXTURE,
    GPU_VIEW,
    GPU_SHADER,
    GPU_LAYOUT,
    GPU_SAMPLER,
};

/* What every object begins with. `taint` has a bit for each row of the table of commands
 * which, not being executed, may have changed it. */
struct gpu_object {
    enum gpu_kind kind;
    uint32_t refs;   /* handles and views that refer to it */
    uint32_t handle; /* that it was created with */
    uint64_t taint;
};

struct gpu_buffer {
    struct gpu_object object;
    uint8_t *bytes;
    uint64_t size;
    uint32_t alloc_id, alloc_offset; /* of its backing; 0: none */
};

struct gpu_level {
    uint64_t offset; /* in a layer */
    uint32_t width, height, pitch, rows;
};

/* Stored as allocation memory has it: layer by layer, mip by mip, row by row. */
struct gpu_texture {
    struct gpu_object object;
    const struct pixel_format *format;
    uint32_t mips, layers;
    struct gpu_level levels[GPU_MIPS];
    uint64_t layer_size, size;
    uint8_t *bytes;
    uint32_t alloc_id, alloc_offset;
    uint32_t token_count; /* share tokens that name it */
    /* Of a format that is not sampled as it is: every texel as RGBA, level by level. */
    uint32_t *decoded;
    bool decoded_fresh;
};

struct gpu_view {
    struct gpu_object object;
    struct gpu_texture *texture;
    const struct pixel_format *format;
    uint32_t mip, mips, layer, layers;
};

struct gpu_element {
    uint32_t semantic_hash, semantic_index;
    uint32_t format; /* DXGI_FORMAT */
    uint32_t slot, offset, step_rate;
    bool per_instance;
};

struct gpu_layout {
    struct gpu_object object;
    uint32_t count;
    struct gpu_element elements[GPU_ELEMENTS];
};

struct gpu_shader {
    struct gpu_object object;
    struct program *program;
};

enum gpu_address { GPU_CLAMP, GPU_REPEAT, GPU_MIRROR };

struct gpu_sampling {
    bool mag_linear, min_linear, mip_linear;
    bool mips; /* false: level 0 alone */
    uint8_t address_u, address_v;
    float lod_bias;
    uint32_t level_min;
};

struct gpu_sampler {
    struct gpu_object object;
    struct gpu_sampling sampling;
};

/* One handle. An original handle stays taken, though dead, while aliases of it live. */
struct gpu_slot {
    struct gpu_object *object;
    uint64_t key;
    bool dead;
};

struct gpu_objects {
    struct id_table table; /* (space, handle) to slot */
    struct gpu_slot *slots;
    size_t count, room;
    struct id_table tokens; /* share token to index in shares */
    struct gpu_share *shares;
    size_t share_count, share_room;
};

struct gpu_share {
    uint64_t token;
    struct gpu_texture *texture; /* NULL: released; a token is never used again */
};

/* ---- state ------------------------------------------------------------------------------- */

struct gpu_binding {
    uint32_t buffer, offset, size; /* of a vertex buffer: size is its stride */
};

struct gpu_stage_state {
    uint32_t textures[GPU_TEXTURES];
    uint32_t samplers[GPU_SAMPLERS];
    struct gpu_binding constants[GPU_CONSTANT_BUFFERS];
    struct gpu_sampling fixed[GPU_SAMPLERS]; /* by SET_SAMPLER_STATE */
    uint16_t has_fixed;                      /* a bit for each */
    uint16_t refused[GPU_SAMPLERS];          /* a bit for each state that has no effect */
    bool has_registers;
    float registers[GPU_CONSTANTS][4]; /* by SET_SHADER_CONSTANTS_F */
};

/* AEROGPU_BLEND_FACTOR, and those that Direct3D 9 has beside them. */
enum gpu_factor {
    GPU_ZERO,
    GPU_ONE,
    GPU_SOURCE_ALPHA,
    GPU_NOT_SOURCE_ALPHA,
    GPU_TARGET_ALPHA,
    GPU_NOT_TARGET_ALPHA,
    GPU_CONSTANT,
    GPU_NOT_CONSTANT,
    GPU_SOURCE_COLOR,
    GPU_NOT_SOURCE_COLOR,
    GPU_TARGET_COLOR,
    GPU_NOT_TARGET_COLOR,
    GPU_SATURATE, /* of what is there, no more than fits; alpha: one */
    GPU_FACTORS,
};

struct gpu_blend {
    bool enable;
    uint8_t write_masks[GPU_COLORS]; /* of each target */
    uint8_t src, dst, op, src_alpha, dst_alpha, op_alpha;
    bool alpha_follows; /* alpha is blended as colors are */
    float constant[4];
    uint32_t sample_mask;
};

struct gpu_stencil_face {
    uint8_t func, fail, depth_fail, pass;
};

struct gpu_depth {
    bool enable, write;
    uint8_t func;
    bool enable_said, func_said; /* by a command */
    bool stencil_enable;
    uint8_t read_mask, write_mask, reference;
    struct gpu_stencil_face front, back;
    bool two_sided;
};

struct gpu_raster {
    bool wireframe;
    uint8_t cull; /* 0 none, 1 front, 2 back */
    bool front_ccw, scissor, depth_clip;
    int32_t depth_bias;
};

struct gpu_viewport {
    bool set;
    float x, y, width, height, min_depth, max_depth;
};

struct gpu_state {
    uint32_t vs, ps, cs, gs, hs, ds;
    uint32_t layout, topology;
    struct gpu_binding vertices[GPU_VERTEX_BUFFERS];
    uint32_t index_buffer, index_offset;
    bool index_wide;
    struct gpu_stage_state stages[GPU_STAGES];
    uint32_t color_count, colors[GPU_COLORS], depth_target;
    uint32_t target_lost; /* a target that was destroyed while it was set; 0: none */
    struct gpu_viewport viewport;
    int32_t scissor[4];
    bool scissor_set;
    struct gpu_blend blend;
    struct gpu_depth depth;
    struct gpu_raster raster;
    bool direct3d9; /* states of it are set: a state that was not set may have its default, or that
                       of 11 */
    bool alpha_test;
    uint32_t alpha_func;
    uint64_t refused[4]; /* a bit for each render state that has no effect */
    uint64_t taint;      /* of state that is not executed: every draw inherits it */
};

/* ---- the machine ------------------------------------------------------------------------- */

struct gpu {
    struct gpu_limits limits;
    struct gpu_events events;
    struct gpu_objects objects;
    struct gpu_state state;
    struct gpu_texture *canvas;
    uint64_t memory_used;
    struct work work;
    uint64_t draws;
    uint64_t taint; /* of everything: a command whose effects are unbounded */
    /* Allocations that this submission wrote to: the bytes that it brought are stale. */
    uint32_t written_back[16], written_back_count;
    bool quiet;
    uint8_t *picture; /* room for one that is not stored as RGBA */
    size_t picture_room;
    const char *inexact[64];
    struct draw *draw;             /* memory that one draw after the other uses */
    struct appendix *appendix;     /* packets have a state of their own */
    const struct gpu_state *shown; /* the one whose target is the picture */
};

/* One command being executed. */
struct gpu_call {
    const struct gpu_source *source;
    struct ras_error *err;
    const char *name;
    uint32_t opcode, size_bytes, abi_minor;
    uint32_t row;    /* in the table of commands: its bit of taint */
    uint64_t offset; /* in the file */
    struct ras_bytes payload;
};

/* One row of the table of commands. A command without `run` needs no execution. */
struct gpu_command {
    uint32_t opcode;
    int (*run)(struct gpu *gpu, const struct gpu_call *call);
};
extern const struct gpu_command gpu_commands[];
extern const size_t gpu_command_count;

/* Numbers of a payload that is known to be long enough. */
static inline uint32_t call_u32(const struct gpu_call *call, size_t at)
{
    return load_u32(call->payload.at + at);
}

static inline uint64_t call_u64(const struct gpu_call *call, size_t at)
{
    return load_u64(call->payload.at + at);
}

static inline float call_f32(const struct gpu_call *call, size_t at)
{
    uint32_t bits = call_u32(call, at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The command fails: its name goes before the text. Returns status. */
int call_fail(const struct gpu_call *call, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The command was not executed, or not wholly: report it. The caller sets the taint. */
int call_remark(struct gpu *gpu, const struct gpu_call *call, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* RAS_EFORMAT unless `count` items of `size` bytes follow the first `at` of the payload. */
int call_items(const struct gpu_call *call, size_t at, uint64_t count, size_t size);
static inline uint64_t call_bit(const struct gpu_call *call)
{
    return UINT64_C(1) << call->row;
}

/* RAS_ELIMIT where the replay has done too much, or the submission took too long; a unit is about
 * a nanosecond. */
int call_work(struct gpu *gpu, const struct gpu_call *call, uint64_t cost);
int call_work_refused(const struct gpu *gpu, const struct gpu_call *call);
static inline int call_copies(struct gpu *gpu, const struct gpu_call *call, uint64_t bytes)
{
    return call_work(gpu, call, bytes / 16 + 1);
}

/* ---- objects by handle (objects.c) ------------------------------------------------------- */

/* Zeroed, of `size` bytes, in the table under a handle that must be new and not 0. */
int object_new(struct gpu *gpu, const struct gpu_call *call, enum gpu_kind kind, uint32_t handle,
               size_t size, void *out);
/* NULL: it does not exist, or is of another kind. */
struct gpu_object *object_find(const struct gpu *gpu, enum gpu_space space, uint32_t handle);
/* The object of that kind, or a failure that names the kind of the handle. */
int object_get(struct gpu *gpu, const struct gpu_call *call, enum gpu_kind kind, uint32_t handle,
               const char *what, void *out);
/* The handle is forgotten, and with the last one the object. */
void object_drop(struct gpu *gpu, enum gpu_space space, uint32_t handle);
void object_release(struct gpu *gpu, struct gpu_object *object);
void objects_free(struct gpu *gpu);
const char *object_kind_name(enum gpu_kind kind);

/* Bytes for a resource, zeroed, within the limit. */
int machine_memory(struct gpu *gpu, const struct gpu_call *call, uint64_t size, void *out);
void machine_memory_free(struct gpu *gpu, void *bytes, uint64_t size);

/* ---- state (state.c) --------------------------------------------------------------------- */

void state_reset(struct gpu_state *state);
/* A handle is destroyed: its bindings are cleared. */
void state_forget(struct gpu_state *state, enum gpu_space space, uint32_t handle);

/* The stage of a command that begins with it, and a slot that is one of `most` (state.c). */
int binding_slot(struct gpu *gpu, const struct gpu_call *call, const char *what, uint32_t slot,
                 uint32_t most, struct gpu_stage_state **stage);

/* Every command, one file a family. */
typedef int gpu_command_run(struct gpu *gpu, const struct gpu_call *call);
gpu_command_run run_create_buffer, run_create_texture2d, run_destroy_resource, run_dirty_range,
    run_upload, run_copy_buffer, run_copy_texture2d, run_create_view, run_destroy_view;
gpu_command_run run_create_shader, run_destroy_shader, run_bind_shaders, run_constants_f,
    run_constants_ib, run_create_layout, run_destroy_layout, run_set_layout;
gpu_command_run run_blend_state, run_depth_state, run_raster_state, run_render_targets,
    run_viewport, run_scissor, run_sampler_state, run_render_state;
gpu_command_run run_vertex_buffers, run_index_buffer, run_topology, run_texture, run_create_sampler,
    run_destroy_sampler, run_samplers, run_constant_buffers, run_shader_buffers;
gpu_command_run run_clear, run_draw, run_draw_indexed, run_dispatch, run_present, run_export,
    run_import, run_release;

/* Report the picture of colour target 0, or of the canvas. */
int machine_present(struct gpu *gpu, uint32_t scanout_id, uint64_t offset, struct ras_error *err);
/* The same for an inspection; RAS_END: no colour target. */
int machine_picture(struct gpu *gpu, struct gpu_present *present, struct ras_error *err);
/* A surface of a color format as RGBA; the commands that a taint means. */
struct gpu_surface;
int machine_surface(struct gpu *gpu, const struct gpu_surface *surface, struct gpu_picture *picture,
                    struct ras_error *err);
void machine_inexact(struct gpu *gpu, uint64_t taint, struct gpu_present *present);

/* ---- appendix ---------------------------------------------------------------------------- */

/* Packets of Appendix A in software, for shaders that are proven to be executed. */

struct appendix; /* state of it, from the first packet on */

int appendix_packet(struct gpu *gpu, struct ras_bytes packet, const struct gpu_source *source,
                    struct ras_error *err);
/* RAS_END: another buffer is set. */
int appendix_vertices(struct gpu *gpu, uint32_t id, struct gpu_vertices *vertices);
void appendix_free(struct gpu *gpu);

/* ---- content ----------------------------------------------------------------------------- */

/* What the machine holds, for a reader. */

/* The layout of packets and of traces without shaders, by where the two attributes begin. */
void content_fixed(struct gpu_vertices *vertices, const uint32_t offsets[2]);
#endif
