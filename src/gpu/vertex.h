/* vertex.h - what goes into a vertex shader: elements of vertex buffers as numbers. */
#ifndef GPU_VERTEX_H
#define GPU_VERTEX_H

#include "gpu/machine.h"
#include "gpu/program.h"

/* One input register of the vertex shader. */
struct vertex_input {
    uint32_t to; /* component of the file: x */
    enum program_system system;
    const struct element_format *format;
    struct ras_bytes bytes; /* of the buffer, from the binding's offset on */
    uint32_t stride, offset, step_rate, slot;
    bool per_instance;
};

struct vertex_inputs {
    uint32_t count;
    struct vertex_input at[PROGRAM_SEMANTICS];
    uint64_t taint; /* of the buffers */
};

/* Which element of the layout feeds each input of the program, and from which buffer. */
int vertex_link(struct gpu *gpu, const struct gpu_call *call, const struct program *program,
                struct vertex_inputs *inputs);
/* The layout of traces without shaders: position x, y and a color, 24 bytes. */
int vertex_link_fixed(struct gpu *gpu, const struct gpu_call *call, struct vertex_inputs *inputs);

/* The vertices of Appendix A: location 0 is 2 floats, 1 is 4, any other nothing. */
void vertex_link_packets(const struct program *program, struct ras_bytes buffer, uint32_t stride,
                         const uint32_t offsets[2], struct vertex_inputs *inputs);

/* Of an element of that DXGI_FORMAT: components, what they are; false: there is no such. */
bool vertex_attribute(struct gpu_attribute *attribute, uint32_t dxgi_format);
/* Where element i begins in a vertex. */
uint32_t vertex_offset(const struct gpu_layout *layout, uint32_t i);

/* One vertex into one lane. RAS_EFORMAT: a buffer ends before it. */
int vertex_fetch(const struct gpu_call *call, const struct vertex_inputs *inputs,
                 struct lanes *file, uint32_t lane, int64_t vertex, uint32_t instance,
                 uint32_t first_instance);
#endif
