/* content.h - what the machine holds, for a reader. */
#ifndef GPU_CONTENT_H
#define GPU_CONTENT_H

#include "gpu/texture.h"

/* As gpu.h has them in the row of a back end. */
int content_texture(struct gpu *gpu, uint32_t handle, struct gpu_present *now,
                    struct ras_error *err);
int content_vertices(struct gpu *gpu, uint32_t handle, bool packet, struct gpu_vertices *vertices,
                     struct ras_error *err);
/* The layout of packets and of traces without shaders, by where the two attributes begin. */
void content_fixed(struct gpu_vertices *vertices, const uint32_t offsets[2]);
#endif
