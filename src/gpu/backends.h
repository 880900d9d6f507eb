/* backends.h - the back ends of this library, their limits and their vertex attributes. */
#ifndef GPU_BACKENDS_H
#define GPU_BACKENDS_H

#include "core/gpu_engine.h"

extern const struct gpu_backend gpu_software, gpu_gles;

extern const struct gpu_limits gpu_limits_default;
/* The limits requested, with the default where one is zero. */
struct gpu_limits gpu_limits_of(const struct gpu_limits *requested);

/* Component c of an attribute of the vertex at `at`; of integers the bits. */
float gpu_attribute_at(const struct gpu_attribute *attribute, const uint8_t *at, uint32_t c);
uint32_t gpu_attribute_bytes(const struct gpu_attribute *attribute);
#endif
